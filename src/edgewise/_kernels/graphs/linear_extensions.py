"""Linear extensions of a poset: counted and drawn by recursion, estimated by particles, drawn by coupling.

A poset is given by its strict order: ``above[v]`` and ``below[v]`` hold the elements above and below v as bits, at most
64 of them, or ``reaches[v, w]`` says whether v is below w, for any number of elements.

**The recursion** (Kangas, Hankala, Niinimäki & Koivisto 2016). Let e(S) be the number of linear extensions of a set S.

- Where S falls into parts A and B without relations between them, e(S) = binomial(|S|, |A|) e(A) e(B).
- Where all of A is below all of B, e(S) = e(A) e(B).
- Otherwise some minimal element x comes first: e(S) is the sum of e(S - x) over them. Or some maximal one comes last.

The same sets are met again and again. They are first listed, each once with the sets that it refers to, and then
evaluated from the smallest to the largest, in whatever arithmetic one likes. What takes time and memory is the number
of sets, the *states*. Always removing minimal elements keeps them few (of the two ends the caller chooses the better
one, by turning the poset). Only a maximal element that is the one of its set is removed too, because that multiplies
nothing.
"""

from typing import NamedTuple

import numpy as np

from ..basics.bits import first
from ..compiling import in_place, inner, kernel

SINGLE, PARALLEL, SERIES, FIRST, LAST = range(5)
"""What a state is: one element, two parts without relations, one part below the other, a choice of who is first, or of
who is last."""

FIRST_CAPACITY = 1 << 11
"""States that there is room for at first: a few hundred are usual for sparse posets, and 100 kB are quickly cleared."""

RESAMPLE_BELOW = 0.9
"""Particles are resampled when their effective number falls below this share. Measured: errors are a fifth smaller than
with the customary half; systematic resampling adds little noise to weights that are nearly equal."""


class Recursion(NamedTuple):
    """The states of a recursion; state 0 is the whole poset.

    State i is the set ``sets[i]`` of kind ``kinds[i]``; ``terms[starts[i] : starts[i + 1]]`` are the states it refers
    to. ``by_size`` lists the states from small to large.
    """

    sets: np.ndarray
    kinds: np.ndarray
    starts: np.ndarray
    terms: np.ndarray
    by_size: np.ndarray


@inner
def _size(word):
    """Return the number of bits in a word."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner
def _bit(element):
    return np.uint64(1) << np.uint64(element)


@inner
def _without_first(word):
    return word & (word - np.uint64(1))


@inner
def _extremes(beyond, rest):
    """Return the elements of ``rest`` that have none of ``rest`` beyond them."""
    found = np.uint64(0)
    left = rest
    while left != np.uint64(0):
        element = first(left)
        left = _without_first(left)
        if beyond[element] & rest == np.uint64(0):
            found |= _bit(element)
    return found


@inner
def _component(above, rest, minimal):
    """Return the connected part of ``rest`` that holds the first of its ``minimal`` elements.

    A part is what is above its minimal elements, and others join when what is above them overlaps.
    """
    seed = first(minimal)
    part = (_bit(seed) | above[seed]) & rest
    others = _without_first(minimal)
    grew = True
    while grew and others != np.uint64(0):
        grew = False
        left = others
        while left != np.uint64(0):
            element = first(left)
            left = _without_first(left)
            reached = (_bit(element) | above[element]) & rest
            if reached & part != np.uint64(0):
                part |= reached
                others &= ~_bit(element)
                grew = True
    return part


@inner
def _lowest_block(above, below, rest, minimal):
    """Return the smallest part of ``rest`` that has all others above it.

    That is the part which holds a minimal element when unrelated elements are joined.
    """
    block = _bit(first(minimal))
    todo = block
    while todo != np.uint64(0) and block != rest:
        element = first(todo)
        todo = _without_first(todo)
        more = rest & ~(above[element] | below[element] | block)
        block |= more
        todo |= more
    return block


@inner
def _slot(table, sets, wanted):
    """Return where in the open-addressed ``table`` a set is, or is to be put. The table has 2^k places, half free."""
    last = np.uint64(table.shape[0] - 1)
    # Multiplying by 2^64 over the golden ratio spreads nearby words; its upper half is mixed best.
    place = ((wanted * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & last
    while table[place] >= 0 and sets[table[place]] != wanted:
        place = (place + np.uint64(1)) & last
    return place


@kernel
def _grown(array):
    larger = np.empty(2 * array.shape[0], array.dtype)
    larger[: array.shape[0]] = array
    return larger


@kernel
def _sort_by_size(sets):
    """Return the numbers of the sets, from the smallest set to the largest."""
    ends = np.zeros(66, np.int64)
    for word in sets:
        ends[_size(word) + 1] += 1
    ends = np.cumsum(ends)
    by_size = np.empty(sets.shape[0], np.int32)
    for i in range(sets.shape[0]):
        size = _size(sets[i])
        by_size[ends[size]] = i
        ends[size] += 1
    return by_size


@kernel
def list_states(above, below, max_states):
    """List the states of a poset.

    Without any state when there are more than ``max_states``. About 0.2 microseconds and 60 bytes a state.
    """
    p = above.shape[0]
    sets = np.empty(FIRST_CAPACITY, np.uint64)
    kinds = np.empty(FIRST_CAPACITY, np.int8)
    starts = np.empty(FIRST_CAPACITY, np.int64)
    terms = np.empty(4 * FIRST_CAPACITY, np.int32)
    table = np.full(2 * FIRST_CAPACITY, np.int32(-1))
    found = np.empty(p + 1, np.uint64)
    whole = ~np.uint64(0) >> np.uint64(64 - p)
    sets[0] = whole
    table[_slot(table, sets, whole)] = 0
    states, used, i = 1, 0, 0
    while i < states:
        rest = sets[i]
        number = 0
        if _without_first(rest) == np.uint64(0):
            kinds[i] = SINGLE
        else:
            minimal = _extremes(below, rest)
            maximal = _extremes(above, rest)
            part = _component(above, rest, minimal)
            kinds[i] = PARALLEL
            one_end = _without_first(minimal) == np.uint64(0) or _without_first(maximal) == np.uint64(0)
            if part == rest and not one_end:
                part = _lowest_block(above, below, rest, minimal)
                kinds[i] = SERIES
            if part != rest:
                found[0] = part
                found[1] = rest & ~part
                number = 2
            else:
                from_above = one_end and _without_first(minimal) != np.uint64(0)
                kinds[i] = LAST if from_above else FIRST
                left = maximal if from_above else minimal
                while left != np.uint64(0):
                    found[number] = rest & ~_bit(first(left))
                    left = _without_first(left)
                    number += 1
        starts[i] = used
        if used + number > terms.shape[0]:
            terms = _grown(terms)
        for k in range(number):
            place = _slot(table, sets, found[k])
            if table[place] < 0:
                if states == max_states:
                    nothing = np.empty(0, np.int32)
                    return Recursion(sets[:0], kinds[:0], starts[:0], nothing, nothing)
                table[place] = states
                sets[states] = found[k]
                states += 1
            terms[used] = table[place]
            used += 1
            if states == sets.shape[0]:
                sets, kinds, starts = _grown(sets), _grown(kinds), _grown(starts)
                table = np.full(2 * table.shape[0], np.int32(-1))
                for other in range(states):
                    table[_slot(table, sets, sets[other])] = other
        i += 1
    starts[states] = used
    return Recursion(sets[:states], kinds[:states], starts[: states + 1], terms[:used], _sort_by_size(sets[:states]))


@kernel
def evaluate(recursion, binomials, modulus):
    """Return the number of linear extensions of every state, modulo ``modulus``, in the arithmetic of ``binomials``.

    With floats and a modulus of infinity the counts themselves, to about 15 digits (64! is far from overflow). With
    unsigned integers the modulus must be below 2^31, so that products fit.
    """
    sets, kinds, starts, terms, by_size = recursion
    counts = np.empty(sets.shape[0], binomials.dtype)
    for i in by_size:
        start = starts[i]
        if kinds[i] == SINGLE:
            counts[i] = 1
        elif kinds[i] == PARALLEL or kinds[i] == SERIES:
            product = counts[terms[start]] * counts[terms[start + 1]] % modulus
            if kinds[i] == PARALLEL:
                product = product * binomials[_size(sets[i]), _size(sets[terms[start]])] % modulus
            counts[i] = product
        else:
            total = counts[terms[start]]
            for k in range(start + 1, starts[i + 1]):
                total += counts[terms[k]]
            counts[i] = total % modulus
    return counts


@inner
def _lowest(places, number):
    """Return the ``number`` lowest bits of a word."""
    rest = places
    for _ in range(number):
        rest = _without_first(rest)
    return places ^ rest


@kernel
def draw_by_recursion(recursion, counts, rng, orders):
    """Fill each row of ``orders`` with a linear extension, all equally likely, given the counts of the states.

    Each state on the stack comes with the places of the order, as bits, that its elements will take.
    """
    sets, kinds, starts, terms, _ = recursion
    p = orders.shape[1]
    stack = np.empty(p, np.int64)
    places = np.empty(p, np.uint64)
    for m in range(orders.shape[0]):
        stack[0] = 0
        places[0] = sets[0]
        depth = 1
        while depth > 0:
            depth -= 1
            i, free = stack[depth], places[depth]
            term = starts[i]
            if kinds[i] == SINGLE:
                orders[m, first(free)] = first(sets[i])
            elif kinds[i] == PARALLEL or kinds[i] == SERIES:
                needed = _size(sets[terms[term]])
                taken = np.uint64(0)
                if kinds[i] == SERIES:
                    taken = _lowest(free, needed)
                else:
                    left = free
                    while needed > 0:
                        if rng.random() * _size(left) < needed:
                            taken |= _bit(first(left))
                            needed -= 1
                        left = _without_first(left)
                stack[depth], places[depth] = terms[term], taken
                stack[depth + 1], places[depth + 1] = terms[term + 1], free & ~taken
                depth += 2
            else:
                level = rng.random() * counts[i] - counts[terms[term]]
                while level >= 0 and term + 1 < starts[i + 1]:
                    term += 1
                    level -= counts[terms[term]]
                rest = _without_first(free) if kinds[i] == FIRST else _lowest(free, _size(free) - 1)
                orders[m, first(free ^ rest)] = first(sets[i] ^ sets[terms[term]])
                stack[depth], places[depth] = terms[term], rest
                depth += 1


@inner
def _resample(weights, total, offset, chosen):
    """Fill ``chosen`` with particles, each about as often as its share of the total weight: systematic resampling."""
    number = weights.shape[0]
    particle, reached = 0, weights[0]
    for k in range(number):
        level = (k + offset) / number * total
        while reached <= level and particle < number - 1:
            particle += 1
            reached += weights[particle]
        chosen[k] = particle


@kernel
def log_ratio_to_hooks(reaches, particles, rng):
    """Return the log of an unbiased estimate of the count over its hook bound p! / prod #descendants.

    Each of many particles removes minimal elements, x with a chance proportional to its number of descendants (with
    itself), as is exactly right in a forest. The ratio of a particle is the product over its steps of D / |S|, where D
    sums those numbers over the minimal elements of the set S that is left; D >= |S|, because everything left is above
    one of them. When ratios differ much, particles are resampled. O(p^2) a particle.
    """
    p = reaches.shape[0]
    descendants = np.ones(p, np.int64)
    waiting = np.zeros((particles, p), np.int32)  # elements left below each element; -1 for those removed
    for v in range(p):
        for w in range(p):
            descendants[v] += reaches[v, w]
            for k in range(particles):
                waiting[k, w] += reaches[v, w]
    spare = np.empty_like(waiting)
    weights = np.ones(particles)
    chosen = np.empty(particles, np.int64)
    log_ratio = 0.0
    for left in range(p, 0, -1):
        total, squares = 0.0, 0.0
        for k in range(particles):
            reached = 0
            for v in range(p):
                if waiting[k, v] == 0:
                    reached += descendants[v]
            level = rng.random() * reached
            taken = -1
            for v in range(p):
                if waiting[k, v] == 0 and level >= 0:
                    taken = v
                    level -= descendants[v]
            waiting[k, taken] = -1
            for w in range(p):
                waiting[k, w] -= reaches[taken, w]
            weights[k] *= reached / left
            total += weights[k]
            squares += weights[k] * weights[k]
        if left == 1 or total * total < RESAMPLE_BELOW * particles * squares:
            log_ratio += np.log(total / particles)
            _resample(weights, total, rng.random(), chosen)
            for k in range(particles):
                weights[k] = 1.0
                for v in range(p):
                    spare[k, v] = waiting[chosen[k], v]
            waiting, spare = spare, waiting
    return log_ratio


@in_place
def advance_coupled(reaches, choices, bounds, order):
    """Advance a linear extension, and bounds on all of them, by one step for each of ``choices``. In place.

    Elements are numbered such that 0, 1, ... is a linear extension. Each choice is 2 i + c, with a fair coin c: where
    c = 1, the elements at places i and i + 1 are exchanged unless the first is below the second. That leaves the
    uniform distribution as it is.

    ``bounds`` (Huber 2006) is an order in which places are free, -1, until elements enter at the last place, by number;
    it takes the same steps. ``order`` uses the opposite coin where its element at i is the one that ``bounds`` has at
    i + 1. So no element of ``order`` is ever later than in ``bounds``, whatever ``order`` was at first, and once no
    place of ``bounds`` is free the two are equal.
    """
    p = reaches.shape[0]
    entered = 0
    for element in bounds:
        entered += element >= 0
    for choice in choices:
        if bounds[p - 1] < 0:
            bounds[p - 1] = entered
            entered += 1
        i, coin = choice >> 1, choice & 1
        a, b = order[i], order[i + 1]
        low, high = bounds[i], bounds[i + 1]
        if coin != (a == high) and not reaches[a, b]:
            order[i], order[i + 1] = b, a
        if coin and (low < 0 or high < 0 or not reaches[low, high]):
            bounds[i], bounds[i + 1] = high, low

"""Minimal I-MAP MCMC (the paper's Algorithm 1) in O(p) per step.

A step proposes to exchange two neighbours in the order, first and last counting as neighbours, and accepts by the
Metropolis rule. Exchanging the variables a, b of positions k, k + 1 is one Givens rotation of rows k and k + 1 of the
factor (see :mod:`edgewise._kernels.factor`). It changes the parents of a and b only, and each of the tests that decide
them is one comparison

    W[j, v]^2 > threshold[j] * C[j + 1, v]        for the variable at position j and its predecessor v.

The two exchanges that reach beyond two rows, first with last and the one across the end of the tested positions, cost
O(p^2), but are proposed with probability at most 2 / p.
"""

from typing import NamedTuple

import numpy as np

from .compiling import fused, in_place
from .factor import SINGULAR, accumulate, dot, residual_row, rotate
from .families import list_parents, look_up, slot_of
from .recorder import add_family, find

ADJACENT, WRAP = 0, 1
"""Rows of ``Chain.moves``: exchanges of neighbours, and of first with last."""

SINGULAR_PREFIX = -1
"""Returned instead of a decision when an exchange brings together variables that determine each other."""


class Tests(NamedTuple):
    """What decides parents: the correlation matrix, and the threshold on rho^2 at each tested position.

    ``odds`` is threshold / (1 - threshold).
    """

    correlation: np.ndarray
    threshold: np.ndarray
    odds: np.ndarray


class Chain(NamedTuple):
    """The state of a chain. ``family`` describes each variable's, ``moves[kind]`` counts proposals and acceptances."""

    order: np.ndarray
    W: np.ndarray
    C: np.ndarray
    family: np.ndarray
    moves: np.ndarray


ROW, TOTAL, PRECISION, RESIDUAL = range(4)
"""Rows of ``Scratch.vectors``."""


class Scratch(NamedTuple):
    """What a step writes before it is decided, and the random numbers that name families.

    ``names`` is a copy of ``zobrist`` to change, ``vectors`` and ``plan`` have the rows named here and at
    :func:`plan_exchange`.
    """

    zobrist: np.ndarray
    own_zobrist: np.ndarray
    names: np.ndarray
    vectors: np.ndarray
    plan: np.ndarray


@in_place
def is_rejected(log_ratio, uniform):
    """Return whether uniform >= exp(log_ratio).

    As 1 + x <= exp(x), one comparison settles most acceptances. The other is in logarithms, and by log1p, because LLVM
    would evaluate exp and log, which it knows, before the first comparison and so in every step.
    """
    return uniform >= 1.0 + log_ratio and np.log1p(uniform - 1.0) >= log_ratio


@in_place
def evaluate(chain, tests, score, cache, scratch):
    """Set every variable's family to what the factor says. O(p^2)."""
    W = chain.W
    C = chain.C
    zobrist = scratch.zobrist
    for j in range(chain.order.shape[0]):
        node = chain.order[j]
        key = scratch.own_zobrist[node]
        row = min(j, W.shape[0] - 1)
        if j == row:
            threshold = tests.threshold[j]
            for v in range(W.shape[1]):
                if W[j, v] * W[j, v] > threshold * C[j + 1, v]:
                    key ^= zobrist[v]
        else:
            threshold = np.inf
            key ^= zobrist[node]
        slot = look_up(cache, score, key, node, W, row, C, row + 1, threshold)
        chain.family[node] = cache.family[slot]


LEAN, BACK, STEP, FACTOR, LIMIT = range(5)
"""Rows of ``Scratch.plan``: the coefficients of each row's update when first and last are exchanged."""


@in_place
def plan_exchange(W, C, tests, a, b, between, plan):
    """Find the coefficients of :func:`exchange_ends` for rows 1 .. between - 1.

    Returns False when b is determined by the variables between. Apart from the pass itself, so that no row waits for
    the sums and divisions of another; ``per_`` marks reciprocals.
    """
    g_with_b = W[0, a] * dot(W, 0, tests.correlation, b)
    s = 1.0
    per_s = 1.0
    q = C[1, a]
    per_q = 1.0 / q
    for j in range(1, between):
        w_with_b = dot(W, j, tests.correlation, b)
        lean = W[j, a] * per_q
        t = w_with_b - lean * g_with_b
        g_with_b += W[j, a] * w_with_b
        next_q = C[j + 1, a]
        per_next_q = 1.0 / next_q
        step = q * per_next_q * t
        next_s = s - step * t
        if not next_s > SINGULAR:
            return False
        per_next_s = 1.0 / next_s
        plan[LEAN, j] = lean
        plan[BACK, j] = t * per_s
        plan[STEP, j] = step
        plan[FACTOR, j] = q * per_next_q * s * per_next_s
        plan[LIMIT, j] = tests.threshold[j] * next_q * per_q * next_s * per_s
        q = next_q
        per_q = per_next_q
        s = next_s
        per_s = per_next_s
    return True


@fused
def exchange_ends(chain, tests, score, cache, scratch, gamma, uniform):
    """Propose to exchange the first variable a with the last one b; return 1 if accepted, 0 or SINGULAR_PREFIX.

    One pass over the rows finds the new row of each variable between them, up to a factor. Leaving out a is a
    regression on g, the row of a in the precision matrix of the variables so far:

        x = W[j] - W[j, a] / q g,    q and q' the entry of a in C before and after row j.

    Putting b in front is one on r, the residual of b given the variables so far, of variance s: with t the
    covariance of x and b,

        new row = x - t / s r,    then r - t q / q' x and s - t^2 q / q' take the place of r and s.

    The squares of the new row, made standard by the factor q / q' s / s', add up to the new C. O(p^2).
    """
    W = chain.W
    C = chain.C
    order = chain.order
    family = chain.family
    cached = cache.family
    zobrist = scratch.zobrist
    own_zobrist = scratch.own_zobrist
    names = scratch.names
    vectors = scratch.vectors
    plan = scratch.plan
    none = np.uint64(0)
    p = order.shape[0]
    tested = W.shape[0]
    width = W.shape[1]
    a = order[0]
    b = order[p - 1]
    for v in range(width):
        names[v] = zobrist[v]
        vectors[TOTAL, v] = 0.0
        vectors[PRECISION, v] = W[0, a] * W[0, v]
        vectors[RESIDUAL, v] = 0.0
    # The entries of a will be rounding residues. Without a name, the answers to their tests leave no trace in the keys.
    names[a] = none
    vectors[TOTAL, b] = 1.0
    vectors[RESIDUAL, b] = 1.0

    key = own_zobrist[b] ^ zobrist[b]
    slot = slot_of(key)
    if cached[slot].key != key:
        look_up(cache, score, key, b, vectors, ROW, vectors, TOTAL, np.inf)
    log_ratio = cached[slot].log_score - family[b].log_score + gamma * (family[a].size + family[b].size)
    between = min(tested, p - 1)
    if not plan_exchange(W, C, tests, a, b, between, plan):
        return SINGULAR_PREFIX
    for j in range(1, between):
        node = order[j]
        entry = W[j, a]
        lean = plan[LEAN, j]
        back = plan[BACK, j]
        step = plan[STEP, j]
        factor = plan[FACTOR, j]
        limit = plan[LIMIT, j]
        key = own_zobrist[node]
        for v in range(width):
            w = W[j, v]
            name = names[v]
            x = w - lean * vectors[PRECISION, v]
            new = x - back * vectors[RESIDUAL, v]
            square = new * new
            total = vectors[TOTAL, v] + factor * square
            vectors[ROW, v] = new
            vectors[TOTAL, v] = total
            vectors[PRECISION, v] += entry * w
            vectors[RESIDUAL, v] -= step * x
            key ^= name if square > limit * total else none
        slot = slot_of(key)
        if cached[slot].key != key:
            vectors[ROW, a] = 0.0
            look_up(cache, score, key, node, vectors, ROW, vectors, TOTAL, limit)
        log_ratio += cached[slot].log_score - family[node].log_score
        log_ratio -= gamma * (cached[slot].size - family[node].size)

    limit = np.inf
    key = own_zobrist[a]
    if tested == p:
        limit = tests.threshold[p - 1] * C[p, a]
        entry = W[p - 1, a]
        for v in range(width):
            name = zobrist[v]
            new = vectors[PRECISION, v] + entry * W[p - 1, v]
            vectors[ROW, v] = new
            key ^= name if new * new > limit * C[p, v] else none
    else:
        key ^= zobrist[a]
    slot = slot_of(key)
    if cached[slot].key != key:
        look_up(cache, score, key, a, vectors, ROW, C, tested, limit)
    log_ratio += cached[slot].log_score - family[a].log_score
    log_ratio -= gamma * cached[slot].size

    if is_rejected(log_ratio, uniform):
        return 0
    for k in range(tested - 1):
        rotate(W, order, k)
    last = p - 2
    if tested < p:
        last = tested - 1
        residual_row(W, tests.correlation, b, W, last)
        order[last] = b
        order[p - 1] = a
    for k in range(last - 1, -1, -1):
        rotate(W, order, k)
    accumulate(W, C)
    evaluate(chain, tests, score, cache, scratch)
    return 1


@in_place
def exchange_across(chain, tests, score, cache, scratch, gamma, uniform):
    """Propose to exchange the last tested variable with its successor; return 1 if accepted, 0 or SINGULAR_PREFIX.

    The former loses its parents, and the latter is tested for the first time. O(p^2).
    """
    W = chain.W
    C = chain.C
    vectors = scratch.vectors
    k = W.shape[0] - 1
    a = chain.order[k]
    b = chain.order[k + 1]
    if not residual_row(W, tests.correlation, b, vectors, ROW):
        return SINGULAR_PREFIX
    threshold = tests.threshold[k]
    key_a = scratch.own_zobrist[a] ^ scratch.zobrist[a]
    key_b = scratch.own_zobrist[b]
    for v in range(W.shape[1]):
        square = vectors[ROW, v] * vectors[ROW, v]
        vectors[TOTAL, v] = C[k, v] + square
        if square > threshold * vectors[TOTAL, v]:
            key_b ^= scratch.zobrist[v]
    # What is found of a is read before b is looked up, which may take its place in the cache.
    slot = look_up(cache, score, key_a, a, vectors, ROW, vectors, TOTAL, np.inf)
    log_score_a = cache.family[slot].log_score
    slot = look_up(cache, score, key_b, b, vectors, ROW, vectors, TOTAL, threshold)
    family = chain.family
    log_ratio = log_score_a - family[a].log_score + (cache.family[slot].log_score - family[b].log_score)
    log_ratio -= gamma * (cache.family[slot].size - family[a].size - family[b].size)
    if is_rejected(log_ratio, uniform):
        return 0
    for v in range(W.shape[1]):
        W[k, v] = vectors[ROW, v]
        C[k + 1, v] = vectors[TOTAL, v]
    chain.order[k] = b
    chain.order[k + 1] = a
    family[a].key = key_a
    family[a].log_score = log_score_a
    family[a].size = 0
    family[b] = cache.family[slot]
    return 1


@in_place
def record(chain, tests, gamma, members, recorder, draws, row):
    """Write the present DAG into row ``row`` of ``draws``."""
    log_score = 0.0
    edges = 0
    for j in range(chain.order.shape[0]):
        node = chain.order[j]
        key = chain.family[node].key
        if key != recorder.last_key[node] or recorder.last_family[node] < 0:
            i = find(recorder, key)
            family = recorder.slot[i]
            if family < 0:
                size = 0
                members[0] = node
                if j < chain.W.shape[0]:
                    size = list_parents(chain.W, j, chain.C, j + 1, tests.threshold[j], node, members)
                family = add_family(recorder, i, key, members, size)
            recorder.last_key[node] = key
            recorder.last_family[node] = family
        draws.order[row, j] = node
    for node in range(chain.order.shape[0]):
        draws.family[row, node] = recorder.last_family[node]
        log_score += chain.family[node].log_score
        edges += chain.family[node].size
    draws.log_score[row] = log_score
    draws.log_prior[row] = -gamma * edges


@in_place
def score_rotated(chain, score, cache, scratch, key, node, k, on_low, on_high, total, limit):
    """Put into the cache the score of a family that rotating rows k and k + 1 would make.

    The new row of ``node`` is, up to a factor, ``on_low`` times row k plus ``on_high`` times row k + 1; it is compared
    with row ``total`` of C. O(p) and the cost of a score, but rarely needed.
    """
    W = chain.W
    for v in range(W.shape[1]):
        scratch.vectors[ROW, v] = on_low * W[k, v] + on_high * W[k + 1, v]
    look_up(cache, score, key, node, scratch.vectors, ROW, chain.C, total, limit)


@in_place
def run(chain, tests, score, cache, scratch, gamma, laziness, uniforms, recorder, draws, until_draw, thin):
    """Take one step for each row of ``uniforms``, whose two numbers choose the exchange and decide it.

    Records a draw after ``until_draw`` steps, and after every ``thin`` from then on; the recorder must have room for p
    new families a draw. Returns False when an exchange met a singular prefix. O(p) per step on average.
    """
    order = chain.order
    W = chain.W
    C = chain.C
    family = chain.family
    moves = chain.moves
    thresholds = tests.threshold
    odds = tests.odds
    cached = cache.family
    zobrist = scratch.zobrist
    own_zobrist = scratch.own_zobrist
    p = order.shape[0]
    tested = W.shape[0]
    width = W.shape[1]
    stretch = p / (1.0 - laziness)
    none = np.uint64(0)
    row = 0
    for step in range(uniforms.shape[0]):
        if step == until_draw:
            record(chain, tests, gamma, cache.members, recorder, draws, row)
            row += 1
            until_draw += thin
        k = np.uint32(uniforms[step, 0] * stretch)
        uniform = uniforms[step, 1]
        if k >= p:
            continue
        h = k + 1
        if h >= tested:
            if k == p - 1:
                accepted = exchange_ends(chain, tests, score, cache, scratch, gamma, uniform)
                kind = WRAP
            elif h == tested:
                accepted = exchange_across(chain, tests, score, cache, scratch, gamma, uniform)
                kind = ADJACENT
            else:
                a = order[k]
                order[k] = order[h]
                order[h] = a
                accepted = 1
                kind = ADJACENT
            if accepted == SINGULAR_PREFIX:
                return False
            moves[kind, 0] += 1
            moves[kind, 1] += accepted
            continue

        a = order[k]
        b = order[h]
        x_a = W[k, a]
        y_a = W[h, a]
        # The tests need the new rows only up to the factor 1 / sqrt(d). In this form they need not wait for a root, and
        # the entry of a in the row of b is an exact zero. The row of b is compared with C before it is added, by odds.
        d = x_a * x_a + y_a * y_a
        low_limit = odds[k] * d
        high_limit = thresholds[h] * d
        key_a = own_zobrist[a]
        key_b = own_zobrist[b]
        for v in range(width):
            x = W[k, v]
            y = W[h, v]
            name = zobrist[v]
            low = y_a * x - x_a * y
            high = x_a * x + y_a * y
            # The name is read above, so that this is a mask and not a branch.
            key_b ^= name if low * low > low_limit * C[k, v] else none
            key_a ^= name if high * high > high_limit * C[h + 1, v] else none

        # What is found of b is read before a is looked up, which may take its place in the cache.
        slot = slot_of(key_b)
        if cached[slot].key != key_b:
            score_rotated(chain, score, cache, scratch, key_b, b, k, y_a, -x_a, k, low_limit)
        log_score_b = cached[slot].log_score
        size_b = cached[slot].size
        slot = slot_of(key_a)
        if cached[slot].key != key_a:
            score_rotated(chain, score, cache, scratch, key_a, a, k, x_a, y_a, h + 1, high_limit)
        log_ratio = cached[slot].log_score - family[a].log_score + (log_score_b - family[b].log_score)
        log_ratio -= gamma * (cached[slot].size - family[a].size + size_b - family[b].size)
        moves[ADJACENT, 0] += 1
        if is_rejected(log_ratio, uniform):
            continue

        moves[ADJACENT, 1] += 1
        scale = 1.0 / np.sqrt(d)
        s = x_a * scale
        c = y_a * scale
        for v in range(width):
            x = W[k, v]
            y = W[h, v]
            low = c * x - s * y
            W[k, v] = low
            W[h, v] = s * x + c * y
            C[h, v] = C[k, v] + low * low
        # Exact zeros: a residue here would pass the next test as rho^2 = 1.
        W[k, a] = 0.0
        C[h, a] = 0.0
        order[k] = b
        order[h] = a
        family[a] = cached[slot]
        family[b].key = key_b
        family[b].log_score = log_score_b
        family[b].size = size_b
    if uniforms.shape[0] == until_draw:
        record(chain, tests, gamma, cache.members, recorder, draws, row)
    return True

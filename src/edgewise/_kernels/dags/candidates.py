"""Parent sets within the candidates of each variable: the weights of all subsets, and sums over what an order allows.

The weight of a parent set is the score of the family times the prior of its edges. A set of candidates is a number, its
bits; a variable with k candidates has 2^k weights, and for each set the sum of the weights of all its subsets, so that
what an order allows is one look into a table. All are logarithms, since weights differ by factors like e^1000. Parents
that are required are in every set.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..compiling import in_place, inner
from ..scores.interface import is_determined, local_score


class CandidateSets(NamedTuple):
    """The subsets of all candidates.

    ``member[v, k]`` is the k-th candidate of v, of ``number[v]``, and ``place[v, u]`` the k of u, -1 if it is none;
    ``row[v]`` lists candidates and required parents in index order, and ends with -1. The sets of v begin at
    ``start[v]``: set s has the log weight ``log_weight[start[v] + s]``, and ``log_sum`` is that of its subsets
    together. ``heaviest`` lists the sets of v by weight, and ``top[start[v] + s]`` is where in it the first subset of s
    stands.
    """

    member: np.ndarray
    number: np.ndarray
    row: np.ndarray
    place: np.ndarray
    start: np.ndarray
    log_weight: np.ndarray
    log_sum: np.ndarray
    heaviest: np.ndarray
    top: np.ndarray


class DagTarget(NamedTuple):
    """What a chain over DAGs samples: the score, the log prior of each edge, rules, and sets of candidates.

    Row v of ``earlier`` is the set of variables that come before v in every order. ``likely[v]`` lists some variables
    that are no candidates of v, those that could be parents first, and ``likely_sum[v]`` adds up the probabilities of
    proposing them. ``log_share[v]`` is the log probability with which a move is about v; ``kept`` and ``other`` are
    tables to draw it by.
    """

    score: Any
    edge: np.ndarray
    rules: Any
    sets: CandidateSets
    earlier: np.ndarray
    likely: np.ndarray
    likely_sum: np.ndarray
    log_share: np.ndarray
    kept: np.ndarray
    other: np.ndarray


@inner
def draw_variable(target, rng):
    """Return the variable that a move is about: one of two that share a cell of the table (Walker 1977)."""
    place = rng.random() * target.kept.shape[0]
    cell = np.int64(place)
    return cell if place - cell < target.kept[cell] else target.other[cell]


@inner
def list_parents(sets, node, chosen, members):
    """Write the required parents of ``node`` and the chosen candidates, in index order; return how many there are."""
    size = 0
    i = 0
    while sets.row[node, i] >= 0:
        u = sets.row[node, i]
        place = sets.place[node, u]
        if place < 0 or (chosen >> place) & 1:
            members[size] = u
            size += 1
        i += 1
    members[size] = node
    return size


@inner
def weigh_family(target, members, size, room):
    """Return the log weight of the family of ``members[size]``; parents that determine it have none."""
    log_weight = local_score(target.score, members, size, room)
    if not log_weight < np.inf or log_weight == -np.inf or is_determined(target.score, members, size, room):
        return -np.inf
    for m in range(size):
        log_weight += target.edge[members[m], members[size]]
    return log_weight


@inner
def add_logs(one, other):
    """Return log(exp(one) + exp(other))."""
    if other > one:
        one, other = other, one
    return one if other == -np.inf else one + math.log1p(math.exp(other - one))


@in_place
def fill_sets(target, members, room):
    """Weigh all sets of all variables, and sum over their subsets."""
    sets = target.sets
    for v in range(sets.number.shape[0]):
        start = sets.start[v]
        number = 1 << sets.number[v]
        for s in range(number):
            size = list_parents(sets, v, s, members)
            sets.log_weight[start + s] = weigh_family(target, members, size, room)
            sets.log_sum[start + s] = sets.log_weight[start + s]
        for k in range(sets.number[v]):
            for s in range(number):
                if (s >> k) & 1:
                    sets.log_sum[start + s] = add_logs(sets.log_sum[start + s], sets.log_sum[start + (s ^ (1 << k))])


SMALLEST_SHARE = 1e-7
"""A sum with a share of another one below this is not told by their difference any more."""


@inner
def log_sum_with(sets, node, allowed, place):
    """Return the log sum over those subsets of ``allowed`` that have the candidate at a place; -inf if it is tiny."""
    bit = 1 << np.int64(place)
    if allowed & bit == 0:
        return -np.inf
    log_total = sets.log_sum[sets.start[node] + allowed]
    if log_total == -np.inf:
        return -np.inf
    share = -math.expm1(sets.log_sum[sets.start[node] + (allowed ^ bit)] - log_total)
    return log_total + math.log(share) if share >= SMALLEST_SHARE else -np.inf


@inner
def draw_set(sets, node, allowed, uniform):
    """Return a subset of ``allowed``, drawn by weight."""
    return draw_set_with(sets, node, allowed, 0, sets.log_sum[sets.start[node] + allowed], uniform)


@inner
def draw_set_with(sets, node, allowed, needed, log_total, uniform):
    """Return a subset of ``allowed`` that has all that is needed, drawn by weight: the heaviest are looked at first.

    ``log_total`` is the log sum of the weights of all such sets.
    """
    start = sets.start[node]
    chosen = np.int64(0)
    for i in range(start + sets.top[start + allowed], start + (1 << sets.number[node])):
        s = np.int64(sets.heaviest[i])
        if s & ~allowed == 0 and s & needed == needed:
            log_weight = sets.log_weight[start + s]
            # Rounding errors may leave a rest of the random number: it is not for sets that have no weight.
            if log_weight == -np.inf:
                break
            chosen = s
            uniform -= math.exp(log_weight - log_total)
            if uniform < 0.0:
                break
    return chosen

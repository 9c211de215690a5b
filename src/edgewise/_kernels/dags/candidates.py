"""Parent sets within the candidates of each variable: the weights of all subsets, and sums over what an order allows.

The weight of a parent set is the score of the family times the prior of its edges. A set of candidates is a number, its
bits; a variable with k candidates has 2^k weights, and for each set the sum of the weights of all its subsets, so that
what an order allows is one look into a table. All are logarithms, since weights differ by factors like e^1000. Parents
that are required are in every set.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..compiling import inner
from ..scores.interface import is_determined, local_score
from .order_sums import NEGLIGIBLE, OrderSums


class CandidateSets(NamedTuple):
    """The subsets of all candidates.

    ``member[v, k]`` is the k-th candidate of v, of ``number[v]``, and ``place[v, u]`` the k of u, -1 if it is none;
    ``row[v]`` lists candidates and required parents in index order, and ends with -1. The sets of v begin at
    ``start[v]``: set s has the log weight ``log_weight[start[v] + s]``, and ``log_sum`` is that of its subsets
    together. ``log_half`` is that of the subsets that lack none of the candidates in its high half, those from number
    k // 2 on.
    """

    member: np.ndarray
    number: np.ndarray
    row: np.ndarray
    place: np.ndarray
    start: np.ndarray
    log_weight: np.ndarray
    log_half: np.ndarray
    log_sum: np.ndarray


class DagTarget(NamedTuple):
    """What a chain over DAGs samples: the score, the log prior of each edge, rules, and sets of candidates.

    Row v of ``earlier`` is the set of variables that come before v in every order. ``likely[v]`` lists some variables
    that are no candidates of v, those that could be parents first, and ``likely_sum[v]`` adds up the probabilities of
    proposing them. ``outsider[v]`` lists all that are no candidates of v, but could be its parents, and ends with -1;
    there are none where moves keep such parents, see :mod:`.outsiders`. ``log_share[v]`` is the log probability with
    which a move is about v; ``kept`` and ``other`` are tables to draw it by. ``sums`` are over all orders, to jump by.
    In a heated chain the weights of families are raised to the power ``heat``, those in the tables too, and each parent
    that is neither a candidate nor required adds ``outside`` to the log weight.
    """

    score: Any
    edge: np.ndarray
    rules: Any
    sets: CandidateSets
    earlier: np.ndarray
    likely: np.ndarray
    likely_sum: np.ndarray
    outsider: np.ndarray
    log_share: np.ndarray
    kept: np.ndarray
    other: np.ndarray
    sums: OrderSums
    heat: float
    outside: float


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
    return target.heat * log_weight


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
def weigh_half(sets, start, members, needed):
    """Return the log sum over the subsets of ``members`` with the same high half, and all needed among the low.

    ``needed`` has one candidate at most.
    """
    log_total = sets.log_half[start + members]
    if needed == 0 or log_total == -np.inf:
        return log_total
    share = -math.expm1(sets.log_half[start + (members ^ needed)] - log_total)
    return log_total + math.log(share) if share >= SMALLEST_SHARE else -np.inf


@inner
def draw_set_with(sets, node, allowed, needed, log_total, uniform):
    """Return a subset of ``allowed`` that has all that is needed, one candidate at most, drawn by weight.

    ``log_total`` is the log sum of the weights of all such sets. First the high half of the set is drawn, by the sums
    over low halves, and then the low one. Each is one of 2^(k/2).
    """
    start = sets.start[node]
    last = (1 << (sets.number[node] // 2)) - 1
    low = allowed & last
    needed_low = needed & last
    free = (allowed ^ low) & ~needed
    high = np.int64(needed ^ needed_low)
    drawn = high
    share = 1.0
    while True:
        log_share = weigh_half(sets, start, high | low, needed_low) - log_total
        if log_share > NEGLIGIBLE:
            drawn = high
            share = math.exp(log_share)
            uniform -= share
            if uniform < 0.0:
                break
        high = (((high & free) - free) & free) | (high & ~free)
        if high & free == 0:
            break
    uniform = min(uniform + share, share) / share if share > 0.0 else 0.0
    log_total = weigh_half(sets, start, drawn | low, needed_low)
    free = low & ~needed
    rest = np.int64(needed_low)
    chosen = rest
    while True:
        log_share = sets.log_weight[start + (drawn | rest)] - log_total
        if log_share > NEGLIGIBLE:
            chosen = rest
            uniform -= math.exp(log_share)
            if uniform < 0.0:
                break
        rest = (((rest & free) - free) & free) | needed_low
        if rest & free == 0:
            break
    return drawn | chosen

"""What a chain over DAGs samples, in tables: candidates of each variable, and the weights of all their subsets."""

from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from edgewise._kernels.basics.bits import pack
from edgewise._kernels.dags.candidates import CandidateSets, DagTarget
from edgewise._kernels.dags.filling import fill_sets, sum_subsets
from edgewise._kernels.scores.interface import new_room
from edgewise._kernels.scores.log_det import LogDetScore
from edgewise.graphs import BoolMatrix
from edgewise.priors import Knowledge

from .beliefs import make_rules
from .order_sums import no_sums, sum_over_orders

MOST_CANDIDATES, HUB_CANDIDATES = 12, 16
"""Where relations are sparse each variable has a dozen candidates, or up to 16 where that many are probably joined to
it."""

PROBABLE = 0.05
"""From which probability on variables count as probably joined."""

MOST_SETS = 2**22
"""Most subsets of candidates in all tables together: 100 MB, and a second to weigh if scores are as quick as those of
numbers."""

MOST_HEATED = 2**21
"""The same of all replicas of a tempered chain but the first: 50 MB each."""

FEW_SUMMED, FEW_SLOW_SUMMED = 10 * 2**20, 2**18
"""The same where there are sums over all orders: 250 MB and two seconds, and some seconds where scores are slow. Up to
20 numeric variables, and 15 of other kinds, have all others as candidates."""

MANY_SUMMED, MANY_SLOW_SUMMED = 1.7e9, 2**19
"""Bytes of tables and sums, and sets where scores are slow, where chains are seen with parents that are no candidates:
then up to 22 numeric variables have all others as candidates, 24 have 21, and it takes twenty seconds."""

COST_OF_OUTSIDERS = 1.3
"""How the log weight of a parent that is no candidate falls with the log of the heat. Without, hot chains have several
times as many of them as the cold one, and with three times as much none; with this, about as many."""

REVERSED = 0.1
"""What part of the probability of v -> u counts for u as a candidate of v, where relations are dense and there is no
room for all that are joined to v. Without it, a chain whose draws have one direction may be caught there."""

FEWEST = 1e-4
"""How probable an edge must be, in either direction, to earn its ends a place among the candidates."""

LIKELY = 24
"""Variables that are proposed as parents more often than others, though they are no candidates."""


FOCUS = 0.5
"""Part of the moves that go to variables by how much is open about them, where the rest is the same for all. Of 200
variables and 1000 rows few are open, and the slowest edges get several times as many effective draws. More would harm
those of which the pilot run does not see that they are open."""


def most_sets_summed(p: int) -> int:
    """Return how many sets, of three numbers each, there is memory for beside the sums over orders of p variables.

    Examples
    --------
    >>> [most_sets_summed(p) // 10**6 for p in (21, 24, 26)]
    [70, 65, 48]
    """
    return int((MANY_SUMMED - 8 * 2**p) / 24)


def make_target(
    score: Any,
    edge: np.ndarray,
    knowledge: Knowledge | None,
    probability: np.ndarray,
    most: int,
    likely: int = LIKELY,
    *,
    most_sets: int | None = None,
    sums: bool = False,
) -> DagTarget:
    """Choose candidates by how probable edges are, and fill the tables of their subsets.

    There are at most ``most`` candidates of a variable, and ``likely`` others that are proposed more often. Where
    relations are dense, there are as many candidates as tables of ``most_sets`` have room for. With ``sums`` over all
    orders, chains can jump, and moves draw parents that are no candidates, too, if scores are quick.
    """
    p = len(edge)
    none = np.zeros((p, p), bool)
    required, forbidden = (none, none) if knowledge is None else (knowledge.required, knowledge.forbidden)
    free = ~(required | forbidden | np.eye(p, dtype=bool))
    is_dense = most_sets is not None
    worth = np.where(free, probability + (REVERSED if is_dense else 1.0) * probability.T, -1.0).T
    ranked = np.argsort(-worth, axis=1, kind="stable")
    if most_sets is None:
        number = _count_candidates(ranked, worth, most)
    else:
        number = _share_sets(-np.sort(-worth, axis=1), np.minimum(most, free.sum(axis=0)), most_sets)
    sets = _new_sets(ranked, number, required)
    outsiders, outsider_sum = _rank_outsiders(ranked, worth, sets.number, likely)
    share = share_moves(probability)
    kept, other = _make_cells(share)
    is_drawn = free.T & (sets.place < 0) & (sums and isinstance(score, LogDetScore))
    target = DagTarget(
        score=score,
        edge=edge,
        rules=make_rules(p, knowledge),
        sets=sets,
        earlier=pack(none if knowledge is None else knowledge.before.T),
        likely=outsiders,
        likely_sum=outsider_sum,
        outsider=_list_true(is_drawn),
        log_share=np.log(share),
        kept=kept,
        other=other,
        sums=no_sums(p),
        heat=1.0,
        outside=0.0,
    )
    fill(target)
    return target._replace(sums=sum_over_orders(sets, target.earlier)) if sums else target


def _list_true(matrix: BoolMatrix) -> np.ndarray:
    """Return, for each row, the numbers of its columns that are true, and then -1."""
    listed = np.full((len(matrix), int(matrix.sum(axis=1).max(initial=0)) + 1), -1)
    for v, row in enumerate(matrix):
        listed[v, : row.sum()] = np.flatnonzero(row)
    return listed


def fill(target: DagTarget) -> None:
    """Fill the tables of sets of candidates."""
    p = len(target.sets.number)
    room = np.zeros(p + 1, np.int64), np.zeros((4, p + 1)), new_room(target.score, p)
    for v in range(p):
        fill_sets(target, v, *room)
    _sum_all(target.sets)


def _sum_all(sets: CandidateSets) -> None:
    """Sum the weights of sets over their subsets."""
    for start, number in zip(sets.start.tolist(), sets.number.tolist(), strict=True):
        block = slice(start, start + (1 << number))
        sum_subsets(sets.log_weight[block], sets.log_half[block], sets.log_sum[block])


def heat_target(target: DagTarget, heat: float) -> DagTarget:
    """Return the target of a heated chain."""
    sets = target.sets
    heated = sets._replace(
        log_weight=heat * sets.log_weight, log_half=np.empty_like(sets.log_half), log_sum=np.empty_like(sets.log_sum)
    )
    _sum_all(heated)
    return target._replace(
        sets=heated, sums=no_sums(len(sets.number)), heat=heat, outside=COST_OF_OUTSIDERS * float(np.log(heat))
    )


def share_moves(probability: np.ndarray) -> np.ndarray:
    """Return the share of moves that are about each variable: the larger, the less is settled who is joined to it.

    Examples
    --------
    Of the first two variables it is open whether they are joined.

    >>> share_moves(np.array([[0.0, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])).round(3)
    array([0.417, 0.417, 0.167])
    """
    p = len(probability)
    joined = np.minimum(probability + probability.T, 1.0)
    unsettled = (joined * (1 - joined)).sum(axis=0)
    if not unsettled.any():
        return np.full(p, 1 / p)
    return np.asarray((1 - FOCUS) / p + FOCUS * unsettled / unsettled.sum())


def _make_cells(share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, of p cells of equal probability, what part is the variable's of the same number, and whose the rest is.

    Each variable with less than a cell shares its own with one that has more (Walker 1977).
    """
    part, other = share * len(share), np.arange(len(share))
    small, large = ([int(v) for v in np.flatnonzero(which)] for which in (part < 1, part >= 1))
    while small and large:
        less, more = small.pop(), large[-1]
        other[less] = more
        part[more] -= 1 - part[less]
        if part[more] < 1:
            small.append(large.pop())
    # What is left has a whole cell, but for rounding.
    part[small + large] = 1.0
    return part, other


def _count_candidates(ranked: np.ndarray, joined: np.ndarray, most: int) -> np.ndarray:
    """Return how many of those ranked in its row are worth a place among the candidates of each variable."""
    p = len(ranked)
    likeliest = np.take_along_axis(joined, ranked[:, :most], axis=1)
    at_least = 0.0 if most >= p - 1 else FEWEST
    number = (likeliest >= at_least).sum(axis=1)
    if MOST_CANDIDATES <= most < p - 1:
        number = _widen_hubs(number, (joined >= PROBABLE).sum(axis=1))
    return np.asarray(number)


def _share_sets(worth: np.ndarray, most: np.ndarray, most_sets: int) -> np.ndarray:
    """Return how many candidates each variable gets where there may be so many sets of them.

    ``worth[v]`` is that of its first candidate, its second, and so on. Each next one goes where it is worth most for
    the sets that it adds, which are as many as there were.

    Examples
    --------
    >>> _share_sets(np.array([[0.9, 0.8, 0.7], [0.9, 0.1, 0.1]]), np.array([3, 3]), 10)
    array([3, 1])
    """
    number = np.zeros(len(worth), np.int64)
    queue = [(-float(row[0]), v) for v, row in enumerate(worth) if most[v] > 0]
    heapify(queue)
    while queue:
        _, v = heappop(queue)
        if (1 << number).sum() + (1 << number[v]) <= most_sets:
            number[v] += 1
            if number[v] < most[v]:
                heappush(queue, (-float(worth[v, number[v]]) / (1 << int(number[v])), v))
    return number


def _new_sets(ranked: np.ndarray, number: np.ndarray, required: BoolMatrix) -> CandidateSets:
    """Return empty tables for as many of those ranked in its row as each variable has candidates."""
    p = len(ranked)
    place = np.full((p, p), -1, np.int32)
    member = np.zeros((p, max(int(number.max()), 1)), np.int64)
    rows = [np.sort(ranked[v, : number[v]]) for v in range(p)]
    for v, row in enumerate(rows):
        member[v, : len(row)] = row
        place[v, row] = np.arange(len(row))
        rows[v] = np.sort([*row, *np.flatnonzero(required[:, v])])
    listed = np.full((p, max(map(len, rows), default=0) + 1), -1, np.int64)
    for v, row in enumerate(rows):
        listed[v, : len(row)] = row
    sizes = 1 << number.astype(np.int64)
    total = int(sizes.sum())
    return CandidateSets(
        member=member,
        number=number.astype(np.int64),
        row=listed,
        place=place,
        start=np.cumsum(sizes) - sizes,
        log_weight=np.empty(total),
        log_half=np.empty(total),
        log_sum=np.empty(total),
    )


def _widen_hubs(number: np.ndarray, probable: np.ndarray) -> np.ndarray:
    """Return more candidates for variables that are probably joined to more, as far as tables have room for them."""
    for most in range(HUB_CANDIDATES, MOST_CANDIDATES, -1):
        wider = np.maximum(number, np.minimum(probable, most))
        if (1 << wider.astype(np.int64)).sum() <= MOST_SETS:
            return np.asarray(wider)
    return number


def _rank_outsiders(
    ranked: np.ndarray, joined: np.ndarray, number: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each variable, the likeliest of those that are no candidates, and sums of their probabilities."""
    p = len(ranked)
    width = min(most, max(p - 1, 1))
    likely = np.zeros((p, width), np.int64)
    weight = np.zeros((p, width))
    for v in range(p):
        outside = ranked[v, number[v] : number[v] + width]
        likely[v, : len(outside)] = outside
        weight[v, : len(outside)] = np.maximum(joined[v, outside], 0.0) + 1e-9
    return likely, np.cumsum(weight, axis=1) / np.maximum(weight.sum(axis=1, keepdims=True), 1e-9)

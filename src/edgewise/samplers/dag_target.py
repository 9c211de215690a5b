"""What a chain over DAGs samples, in tables: candidates of each variable, and the weights of all their subsets."""

from typing import Any

import numpy as np

from edgewise._kernels.basics.bits import pack
from edgewise._kernels.dags.candidates import CandidateSets, DagTarget, fill_sets
from edgewise._kernels.scores.interface import new_room
from edgewise.graphs import BoolMatrix
from edgewise.priors import Knowledge

from .beliefs import make_rules

ALL_CANDIDATES, MOST_CANDIDATES, HUB_CANDIDATES = 14, 12, 16
"""Up to 15 variables each has all others as candidates, so that every sum is over all parent sets; else a dozen, or up
to 16 where that many are probably joined to it."""

PROBABLE = 0.05
"""From which probability on variables count as probably joined."""

MOST_SETS = 2**22
"""Most subsets of candidates in all tables together, 100 MB."""

FEWEST = 1e-4
"""How probable an edge must be, in either direction, to earn its ends a place among the candidates."""

LIKELY = 24
"""Variables that are proposed as parents more often than others, though they are no candidates."""


FOCUS = 0.5
"""Part of the moves that go to variables by how much is open about them, where the rest is the same for all. Of 200
variables and 1000 rows few are open, and the slowest edges get several times as many effective draws. More would harm
those of which the pilot run does not see that they are open."""


def make_target(
    score: Any,
    edge: np.ndarray,
    knowledge: Knowledge | None,
    probability: np.ndarray,
    most: int,
    likely: int = LIKELY,
) -> DagTarget:
    """Choose candidates by how probable edges are, in either direction, and fill the tables of their subsets.

    There are at most ``most`` candidates of a variable, and ``likely`` others that are proposed more often.
    """
    p = len(edge)
    none = np.zeros((p, p), bool)
    required, forbidden = (none, none) if knowledge is None else (knowledge.required, knowledge.forbidden)
    free = ~(required | forbidden | np.eye(p, dtype=bool))
    joined = np.where(free, probability + probability.T, -1.0)
    ranked = np.argsort(-joined, axis=0, kind="stable").T
    sets = _new_sets(ranked, joined.T, required, most)
    outsiders, outsider_sum = _rank_outsiders(ranked, joined.T, sets.number, likely)
    share = share_moves(probability)
    kept, other = _make_cells(share)
    target = DagTarget(
        score=score,
        edge=edge,
        rules=make_rules(p, knowledge),
        sets=sets,
        earlier=pack(none if knowledge is None else knowledge.before.T),
        likely=outsiders,
        likely_sum=outsider_sum,
        log_share=np.log(share),
        kept=kept,
        other=other,
    )
    fill_sets(target, np.zeros(p + 1, np.int64), new_room(score, p))
    for v in range(p):
        block = slice(sets.start[v], sets.start[v] + (1 << sets.number[v]))
        sets.heaviest[block] = np.argsort(-sets.log_weight[block], kind="stable")
        sets.top[block] = _find_tops(sets.heaviest[block], int(sets.number[v]))
    return target


def _find_tops(heaviest: np.ndarray, candidates: int) -> np.ndarray:
    """Return, for each set, the first place among ``heaviest`` that has a subset of it."""
    top = np.empty(len(heaviest), np.int32)
    top[heaviest] = np.arange(len(heaviest))
    for k in range(candidates):
        without, with_it = np.moveaxis(top.reshape(-1, 2, 1 << k), 1, 0)
        np.minimum(with_it, without, out=with_it)
    return top


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


def _new_sets(ranked: np.ndarray, joined: np.ndarray, required: BoolMatrix, most: int) -> CandidateSets:
    """Return empty tables for the best candidates of each variable, whose others are ranked in its row."""
    p = len(ranked)
    likeliest = np.take_along_axis(joined, ranked[:, :most], axis=1)
    at_least = 0.0 if most >= p - 1 else FEWEST
    number = (likeliest >= at_least).sum(axis=1)
    if MOST_CANDIDATES <= most < p - 1:
        number = _widen_hubs(number, (joined >= PROBABLE).sum(axis=1))
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
        log_sum=np.empty(total),
        heaviest=np.empty(total, np.int32),
        top=np.empty(total, np.int32),
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

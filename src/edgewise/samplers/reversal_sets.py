"""Who may be drawn as a parent by edge reversals, where not all can be.

The number of sets of parents grows with the power ``max_parents`` of the number of candidates. So there are only as
many candidates as the table has room for. They are found by giving a variable the best parent again and again, whoever
that is: a candidate is a variable by which much was gained, or could have been gained, at some time.
"""

from math import comb
from typing import Any

import numpy as np

from edgewise._kernels.rivals.edge_reversal import weigh_additions
from edgewise._kernels.scores.interface import new_room
from edgewise.graphs import BoolMatrix

MOST_SETS = 2**21
"""Most sets of all variables together, 50 MB: all sets of up to three parents for 60 variables."""


def choose_candidates(
    score: Any, edge: np.ndarray, *, required: BoolMatrix, forbidden: BoolMatrix, max_parents: int
) -> BoolMatrix:
    """Return whether i is a candidate for a parent of j, shape (p, p).

    ``edge`` holds what each edge adds to the log prior; ``required`` and ``forbidden`` are disjoint. All are (p, p).
    """
    p = len(edge)
    candidates = ~forbidden
    np.fill_diagonal(candidates, False)
    for node in range(p):
        always = np.flatnonzero(required[:, node])
        free = np.flatnonzero(candidates[:, node] & ~required[:, node])
        number = number_of_candidates(len(free), max_parents - len(always), most_sets=MOST_SETS // p)
        if number < len(free):
            gain = largest_gains(score, edge, node, always, free, max_parents)
            candidates[free[np.argsort(-gain, kind="stable")[number:]], node] = False
    return candidates


def number_of_candidates(free: int, most: int, *, most_sets: int) -> int:
    """Return how many of ``free`` variables can be candidates, if up to ``most`` of them are parents.

    Examples
    --------
    >>> [number_of_candidates(100, most, most_sets=10_000) for most in (1, 2, 3, 4)]
    [100, 100, 39, 22]
    """
    number = free
    while number and sum(comb(number, size) for size in range(most + 1)) > most_sets:
        number -= 1
    return number


def largest_gains(
    score: Any, edge: np.ndarray, node: int, parents: np.ndarray, others: np.ndarray, max_parents: int
) -> np.ndarray:
    """Return the most that each of ``others`` adds to the log weight of ``node`` while its parents grow.

    The best one becomes a parent again and again, as long as it adds anything, up to ``max_parents``.
    """
    p = len(edge)
    room, gain = new_room(score, p), np.empty(p)
    largest = np.full(len(others), -np.inf)
    while True:
        weigh_additions(score, edge, node, parents, room, gain)
        largest = np.fmax(largest, gain[others])
        best = others[gain[others].argmax()]
        if len(parents) == max_parents or not gain[best] > 0:
            return np.asarray(largest)
        parents = np.append(parents, best)

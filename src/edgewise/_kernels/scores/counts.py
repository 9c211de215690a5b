"""BDeu, the score of discrete data: counts of the child's levels in every configuration of its parents.

With r levels of the child, q configurations of the parents, n_jk rows with level k in configuration j, n_j in all of
that configuration, and the equivalent sample size s, the log marginal likelihood is

    sum over j, k of  log rising(s / (q r), n_jk)  -  sum over j of  log rising(s / q, n_j)

where rising(a, n) = a (a + 1) ... (a + n - 1). Combinations that no row has contribute nothing, so the cost does not
depend on q. Most counts are small, and the product of many rising factorials then needs one logarithm.

Rows with an unknown member are passed over. So that families seen in different numbers of rows can be compared, the
result is scaled to the effective number of rows: it is the mean log likelihood of a row times that number (Balov 2013;
Bodewes & Scutari 2021).
"""

import math
from typing import NamedTuple

import numpy as np

from ..basics.strata import most_strata, new_places, refine, stratify
from ..compiling import inner
from .interface import register

SMALL = 16
"""Counts up to this one look up their rising factorial."""

LARGE = 1e150
"""A product that exceeds this one is turned into its logarithm; the next factor is at most (1e6 + SMALL)^SMALL."""


class CountScore(NamedTuple):
    """Distinct rows, as in :class:`edgewise.data.counts.Counts`, and the equivalent sample size, at most 1e6."""

    codes: np.ndarray
    weight: np.ndarray
    group: np.ndarray
    levels: np.ndarray
    effective: np.ndarray
    equivalent_sample_size: float
    most_parents: int


class Room(NamedTuple):
    """Room for the configuration of each row, without and with one more parent, and for counts.

    ``cells`` holds a count for each configuration and level, and one of the rows in which a member is not known;
    ``rising`` the products (a + 1) ... (a + n - 1) for n up to ``SMALL``.
    """

    configuration: np.ndarray
    refined: np.ndarray
    place: np.ndarray
    cells: np.ndarray
    rising: np.ndarray


def new_room(score: CountScore, p: int) -> Room:
    """Return room for p variables."""
    m = score.codes.shape[1]
    most_cells = most_strata(score.codes) * int(score.levels.max())
    return Room(
        np.zeros(m, np.int64),
        np.zeros(m, np.int64),
        new_places(score.codes, score.levels),
        np.zeros(most_cells + 1, np.int64),
        np.ones(SMALL + 1),
    )


@inner
def count(score, node, configuration, number, cells):
    """Count the rows with each level of ``node`` in each of ``number`` configurations."""
    codes = score.codes
    weight = score.weight
    group = score.group[node]
    r = score.levels[node]
    unknown = number * r
    for c in range(unknown + 1):
        cells[c] = 0
    for t in range(configuration.shape[0]):
        code = codes[node, t]
        cell = configuration[t] * r + code if code < r else unknown
        cells[min(cell, unknown)] += weight[group, t]


@inner
def log_rising(counts, number, a, rising):
    """Return the sum of the logarithms of rising(a, n) over the first ``number`` of ``counts``."""
    for n in range(2, SMALL + 1):
        rising[n] = rising[n - 1] * (a + (n - 1))
    # All rising factorials begin with a, which may be so small that only its logarithm can be multiplied.
    without_first = math.lgamma(a + 1.0)
    positive = 0
    product = 1.0
    total = 0.0
    for c in range(number):
        n = counts[c]
        if n > 0:
            positive += 1
            if n <= SMALL:
                product *= rising[n]
                if product > LARGE:
                    total += math.log(product)
                    product = 1.0
            else:
                total += math.lgamma(a + n) - without_first
    return total + math.log(product) + positive * math.log(a)


@inner
def log_likelihood(score, node, number, combinations, room):
    """Return the log marginal likelihood of what was counted, scaled; the parents have so many ``combinations``."""
    r = score.levels[node]
    cells = room.cells
    a = score.equivalent_sample_size / combinations
    total = log_rising(cells, number * r, a / r, room.rising)
    rows = 0
    for j in range(number):
        here = 0
        for k in range(r):
            here += cells[j * r + k]
        # Entries that are still needed come later.
        cells[j] = here
        rows += here
    total -= log_rising(cells, number, a, room.rising)
    effective = score.effective[score.group[node]]
    if rows == 0:
        # Of a variable that was set in all rows nothing is known, but a family that no row shows has no score.
        return 0.0 if effective == 0.0 else -np.inf
    return total * (effective / rows)


@inner
def local_score(score, members, size, room):
    """O(m size) for m distinct rows."""
    if size > score.most_parents:
        return -np.inf
    node = members[size]
    combinations = 1.0
    for i in range(size):
        combinations *= score.levels[members[i]]
    number = stratify(score.codes, score.levels, members, size, room.place, room.configuration)
    count(score, node, room.configuration, number, room.cells)
    return log_likelihood(score, node, number, combinations, room)


@inner
def gains(score, members, size, node, room, gain):
    """O(m (size + p)): the rows are divided by the set once."""
    p = gain.shape[0]
    for x in range(p):
        gain[x] = -np.inf
    if size >= score.most_parents:
        return
    for x in range(p):
        gain[x] = 0.0
    gain[node] = -np.inf
    combinations = 1.0
    for i in range(size):
        combinations *= score.levels[members[i]]
        gain[members[i]] = -np.inf
    number = stratify(score.codes, score.levels, members, size, room.place, room.configuration)
    count(score, node, room.configuration, number, room.cells)
    present = log_likelihood(score, node, number, combinations, room)
    for x in range(p):
        if gain[x] == 0.0:
            more = refine(score.codes, score.levels, x, room.configuration, number, room.place, room.refined)
            count(score, node, room.refined, more, room.cells)
            found = log_likelihood(score, node, more, combinations * score.levels[x], room)
            gain[x] = found - present if present > -np.inf else -np.inf


@inner
def is_determined(score, members, size, room):
    """A child that its parents determine in all rows has a score as any other."""
    return False


register(CountScore, local_score=local_score, gains=gains, is_determined=is_determined, new_room=new_room)

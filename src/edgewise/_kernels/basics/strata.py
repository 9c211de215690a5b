"""Rows of discrete data divided into strata: one for each combination of the values of some variables that occurs.

Strata are refined by one variable after another. A stratum has a number below the number of rows, whatever the number
of combinations: as long as all combinations together are no more than the rows, a row's number is just the combination
of its values; from then on strata are numbered as they turn up. A code from a variable's levels on means that the value
is not known, and the row belongs to no stratum.

Legend
------
codes
    The level of each variable in each row, (p, m).
levels
    Number of levels of each variable, (p,).
stratum
    The stratum of each row, (m,); ``NOWHERE`` if it has none.
place
    The numbers that strata were given, room for m times the most levels; -1 between calls.
"""

import numpy as np

from ..compiling import inner

NOWHERE = 2**50
"""More than any stratum, and far from the largest integer: it may be multiplied by a number of levels."""


def most_strata(codes: np.ndarray) -> int:
    """Return how many strata there can be."""
    return max(int(codes.shape[1]), 1)


def new_places(codes: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Return room for the numbers that strata are given."""
    return np.full(most_strata(codes) * int(levels.max()), -1, np.int32)


@inner
def refine(codes, levels, x, stratum, number, place, refined):
    """Divide ``number`` strata by the values of x into ``refined``, perhaps ``stratum`` itself; return how many. O(m).

    Some of them may be empty.
    """
    m = stratum.shape[0]
    combinations = number * levels[x]
    if combinations <= m:
        for t in range(m):
            combination = stratum[t] + number * np.int64(codes[x, t])
            refined[t] = combination if combination < combinations else NOWHERE
        return combinations
    found = 0
    for t in range(m):
        combination = stratum[t] + number * np.int64(codes[x, t])
        refined[t] = NOWHERE
        if combination < combinations:
            if place[combination] < 0:
                place[combination] = found
                found += 1
            refined[t] = place[combination]
    for i in range(combinations):
        place[i] = -1
    return found


@inner
def stratify(codes, levels, members, size, place, stratum):
    """Divide all rows by the values of ``members[:size]``; return the number of strata. O(m size)."""
    for t in range(stratum.shape[0]):
        stratum[t] = 0
    number = 1
    for i in range(size):
        number = refine(codes, levels, members[i], stratum, number, place, stratum)
    return number

"""The G^2 test of discrete data: a likelihood ratio, stratum by stratum.

Rows are divided into strata by the values of the set that is conditioned on. In each, with n rows, n_x of them with a
level of x, n_y with a level of y, and n_xy with both,

    G^2 = 2 sum over levels of  n_xy log(n_xy n / (n_x n_y))

is about chi-square, and so is the sum over strata. The degrees of freedom are those of the levels that occur: (levels
of x less 1) (levels of y less 1) in each stratum, so that one in which either is constant does not count. Where there
are fewer than ``ROWS_PER_DEGREE`` rows in the other strata for each degree of freedom, the distribution is not known
well enough, and no test is made: it counts as independence. Rows with an unknown value are passed over.

A set that determines one of both leaves no degree of freedom. One that determines ``node`` together with x is nothing
special, since scores of discrete data are defined there; so no strength is infinite.
"""

import math
from typing import NamedTuple

import numpy as np

from ..basics.strata import most_strata, new_places, stratify
from ..basics.tails import log_chi_square_tail, normal_deviate
from ..compiling import in_place, inner
from .interface import register

ROWS_PER_DEGREE = 5
"""The least mean number of rows for a degree of freedom, after the old rule for expected counts (Cochran 1954)."""


class CountTest(NamedTuple):
    """Distinct rows, as in :class:`edgewise.data.counts.Counts`."""

    codes: np.ndarray
    weight: np.ndarray
    group: np.ndarray
    levels: np.ndarray
    most_given: int


class Room(NamedTuple):
    """Room for the strata, and for the table of one of them.

    ``row`` holds the rows by stratum, those of stratum s from ``first[s]`` on. ``cell``, ``of_x`` and ``of_y`` are the
    counts of a table and of its margins, zero between calls; ``example`` holds a row for each cell that is not.
    """

    stratum: np.ndarray
    place: np.ndarray
    first: np.ndarray
    row: np.ndarray
    cell: np.ndarray
    of_x: np.ndarray
    of_y: np.ndarray
    example: np.ndarray


def new_room(test: CountTest, p: int) -> Room:
    """Return room for p variables."""
    m = test.codes.shape[1]
    most_levels = int(test.levels.max())
    return Room(
        stratum=np.zeros(m, np.int64),
        place=new_places(test.codes, test.levels),
        first=np.zeros(most_strata(test.codes) + 2, np.int64),
        row=np.zeros(m, np.int64),
        cell=np.zeros(most_levels * most_levels, np.int64),
        of_x=np.zeros(most_levels, np.int64),
        of_y=np.zeros(most_levels, np.int64),
        example=np.zeros(m, np.int64),
    )


@inner
def sort_rows(test, members, size, node, room):
    """List the rows of the group of ``node`` by strata of ``members[:size]``; return the number of strata.

    O(m size).
    """
    stratum = room.stratum
    first = room.first
    group = test.group[node]
    number = stratify(test.codes, test.levels, members, size, room.place, stratum)
    for s in range(number + 2):
        first[s] = 0
    for t in range(stratum.shape[0]):
        if test.codes[node, t] >= test.levels[node] or test.weight[group, t] == 0:
            stratum[t] = number
        if stratum[t] < number:
            first[stratum[t] + 2] += 1
    for s in range(2, number + 2):
        first[s] += first[s - 1]
    # What is now the beginning of stratum s, first[s + 1], moves on with each row, to its end.
    for t in range(stratum.shape[0]):
        if stratum[t] < number:
            room.row[first[stratum[t] + 1]] = t
            first[stratum[t] + 1] += 1
    return number


@inner
def compare(test, x, node, number, room):
    """Return G^2, its degrees of freedom, and the rows in strata that have some; for sorted rows. O(m)."""
    codes = test.codes
    group = test.group[node]
    r = test.levels[node]
    cell = room.cell
    of_x = room.of_x
    of_y = room.of_y
    example = room.example
    statistic = 0.0
    degrees = 0
    rows = 0
    for s in range(number):
        different = 0
        for i in range(room.first[s], room.first[s + 1]):
            t = room.row[i]
            if codes[x, t] < test.levels[x]:
                c = codes[x, t] * r + codes[node, t]
                if cell[c] == 0:
                    example[different] = t
                    different += 1
                cell[c] += test.weight[group, t]
        n = 0
        levels_x = 0
        levels_y = 0
        for i in range(different):
            a = codes[x, example[i]]
            b = codes[node, example[i]]
            times = cell[a * r + b]
            levels_x += of_x[a] == 0
            levels_y += of_y[b] == 0
            of_x[a] += times
            of_y[b] += times
            n += times
        free = (levels_x - 1) * (levels_y - 1)
        if n > 0 and free > 0:
            degrees += free
            rows += n
            for i in range(different):
                a = codes[x, example[i]]
                b = codes[node, example[i]]
                times = cell[a * r + b]
                statistic += times * math.log(float(times) * n / (float(of_x[a]) * of_y[b]))
        for i in range(different):
            a = codes[x, example[i]]
            b = codes[node, example[i]]
            cell[a * r + b] = 0
            of_x[a] = 0
            of_y[b] = 0
    return max(2.0 * statistic, 0.0), degrees, rows


@inner
def judge(statistic, degrees, rows):
    """Return the strength, -inf where nothing is left to depend on, or too few rows are left to tell."""
    if degrees == 0 or rows < ROWS_PER_DEGREE * degrees:
        return -np.inf
    return normal_deviate(log_chi_square_tail(statistic, float(degrees)))


@inner
def strengths(test, members, size, node, room, strength):
    """O(m (size + p)): the rows are sorted once."""
    p = strength.shape[0]
    for x in range(p):
        strength[x] = 0.0
    strength[node] = -np.inf
    for i in range(size):
        strength[members[i]] = -np.inf
    number = sort_rows(test, members, size, node, room)
    for x in range(p):
        if strength[x] == 0.0:
            statistic, degrees, rows = compare(test, x, node, number, room)
            strength[x] = judge(statistic, degrees, rows)


@inner
def strength(test, members, size, node, x, room):
    """O(m size)."""
    number = sort_rows(test, members, size, node, room)
    statistic, degrees, rows = compare(test, x, node, number, room)
    return judge(statistic, degrees, rows)


@in_place
def g_squared(test, members, size, node, x, room):
    """Return G^2, its degrees of freedom, the logarithm of its p-value, and whether there are rows enough."""
    number = sort_rows(test, members, size, node, room)
    statistic, degrees, rows = compare(test, x, node, number, room)
    log_p = log_chi_square_tail(statistic, float(degrees)) if degrees > 0 else 0.0
    return statistic, degrees, log_p, rows >= ROWS_PER_DEGREE * degrees


register(CountTest, strengths=strengths, strength=strength, new_room=new_room)

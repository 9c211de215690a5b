"""The sufficient statistics of discrete data: which rows there are, and how often.

Counting is done over *distinct* rows. Each has a weight in every group of rows (see :mod:`edgewise.data.groups`): how
many rows of the group are like it.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .groups import Groups

MISSING = 255
"""The code of a value that is not known. Compiled code takes every number from a variable's levels on as such."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Distinct rows of discrete data, and how often they occur.

    Attributes
    ----------
    codes
        The level of each variable in each distinct row, ``MISSING`` where it is not known, shape (p, m); C-contiguous.
        Rows that are much alike are kept apart, since to count on in the same place again and again takes longer.
    weight
        How many rows of each group are like that, shape (groups, m).
    group
        The group by which the family of each variable is judged, shape (p,).
    levels
        Number of levels of each variable, shape (p,).
    effective
        Effective number of rows of each group, shape (groups,): all of them or, where values are missing, the mean
        over pairs of variables of the number of rows in which both are known.
    """

    codes: npt.NDArray[np.uint8]
    weight: npt.NDArray[np.float64]
    group: npt.NDArray[np.int64]
    levels: npt.NDArray[np.int64]
    effective: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        for array in (self.codes, self.weight, self.group, self.levels, self.effective):
            array.setflags(write=False)


def count_rows(codes: npt.NDArray[np.integer], levels: npt.ArrayLike, groups: Groups) -> Counts:
    """Count the distinct rows of a discrete table; costs O(n p log n + m p^2) for each group.

    Parameters
    ----------
    codes
        The level of each variable in each row, from 0 on, and -1 where it is not known, shape (n, p).
    levels
        Number of levels of each variable, at most 255, shape (p,).
    groups
        Which rows say something about which variable.

    Examples
    --------
    >>> from edgewise.data.groups import group_rows
    >>> counts = count_rows(np.array([[0, 1], [0, 1], [2, -1]]), [3, 2], group_rows(np.zeros((3, 2), bool)))
    >>> counts.codes
    array([[  0,   2],
           [  1, 255]], dtype=uint8)
    >>> counts.weight
    array([[2., 1.]])
    >>> counts.effective
    array([2.])
    """
    coded = np.where(codes < 0, MISSING, codes).astype(np.uint8)
    distinct, row = np.unique(coded, axis=0, return_inverse=True)
    row = row.reshape(-1)
    order = _spread(len(distinct))
    distinct = distinct[order]
    weight = np.array([np.bincount(row[member], minlength=len(distinct))[order] for member in groups.is_member], float)
    known = (distinct != MISSING).astype(float)
    effective = np.array([_effective_number(known, times) for times in weight])
    return Counts(np.ascontiguousarray(distinct.T), weight, groups.group, np.array(levels, dtype=np.int64), effective)


def _spread(number: int) -> npt.NDArray[np.int64]:
    """Return an order of things in which neighbours were far apart: steps of about the golden section, round and round.

    Examples
    --------
    >>> _spread(8)
    array([0, 5, 2, 7, 4, 1, 6, 3])
    """
    step = max(1, round(0.618 * number))
    while math.gcd(step, number) > 1:
        step += 1
    order: npt.NDArray[np.int64] = np.arange(number) * step % max(number, 1)
    return order


def _effective_number(known: npt.NDArray[np.float64], weight: npt.NDArray[np.float64]) -> float:
    """Return the mean over pairs of variables of the rows in which both are known; of a single one, its rows."""
    both = (known * weight[:, None]).T @ known
    p = len(both)
    return float(both.sum() if p == 1 else (both.sum() - np.trace(both)) / (p * (p - 1)))

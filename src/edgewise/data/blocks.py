"""Variables as blocks of columns, by groups of rows: what Gaussian scores need of mixed and of interventional data.

A continuous variable is one column; a categorical one with k levels is k - 1 columns, the indicators of all levels but
one. A family is then a union of blocks, and its likelihood that of a Gaussian with these columns (the degenerate
Gaussian of Andrews, Ramsey & Cooper 2019). The family of a variable is judged by the rows of its group, in which the
experimenter left it free, so that each group has sums of squares and products of its own.

Which level is left out must not matter. Another choice is another basis of the same block, so blocks are *whitened*:
they get unit covariance, and bases differ by a rotation only, which no determinant sees.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from edgewise.data.groups import Groups
from edgewise.data.moments import FloatArray, Moments, check_squares

NO_VARIANCE = 1e-10
"""Share of the largest variance of a block below which a direction of it counts as constant, and keeps its units: less
than that is rounding error."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """The sufficient statistics of blocks of columns, by groups of rows.

    With p variables, P columns and G groups:

    Attributes
    ----------
    first
        The first column of each variable, shape (p,).
    width
        The number of columns of each variable, shape (p,).
    group
        The group of rows in which each variable is free, shape (p,).
    n
        The number of rows of each group, the effective one where values are missing, shape (G,).
    mean
        The mean of each column in each group, in the units of the data, shape (G, P).
    scatter
        Sums of squares and products about the mean of the group, shape (G, P, P), in units in which each column has
        unit variance over the rows in which its variable is free.
    scale
        These units, shape (P,). A variable of several columns has no others, and here ones.
    """

    first: npt.NDArray[np.int64]
    width: npt.NDArray[np.int64]
    group: npt.NDArray[np.int64]
    n: FloatArray
    mean: FloatArray
    scatter: FloatArray
    scale: FloatArray

    def __post_init__(self) -> None:
        for field in fields(self):
            getattr(self, field.name).setflags(write=False)

    @property
    def columns(self) -> int:
        """Number of columns, P."""
        return len(self.scale)

    @property
    def raw_scatter(self) -> FloatArray:
        """The scatter in the units of the data.

        Raises
        ------
        DataError
            If the square of a standard deviation is too large or too small for double precision.
        """
        with np.errstate(over="ignore"):
            check_squares(self.scale, self.n.max() * self.scale**2)
        raw: FloatArray = self.scatter * np.outer(self.scale, self.scale)
        return raw


def from_moments(moments: Moments) -> Blocks:
    """Return the statistics of variables that are a column each, and of which none was set: there is one group.

    Examples
    --------
    >>> from_moments(Moments.from_values(np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 4.0]]))).raw_scatter
    array([[[8., 6.],
            [6., 6.]]])
    """
    p = moments.p
    return Blocks(
        np.arange(p),
        np.ones(p, np.int64),
        np.zeros(p, np.int64),
        np.array([float(moments.n)]),
        moments.mean[None],
        (moments.n - 1) * moments.correlation[None],
        moments.scale,
    )


def make_blocks(
    columns: Sequence[FloatArray],
    groups: Groups,
    *,
    moments: Callable[[FloatArray], Moments] = Moments.from_values,
) -> Blocks:
    """Compute the statistics of blocks of columns; costs O(n P^2) for each group.

    Parameters
    ----------
    columns
        The columns of each variable, shapes (n, width).
    groups
        The rows in which each variable is free.
    moments
        Makes the moments of a table without constant columns. Where values are missing, one that can do without them.

    Returns
    -------
    Blocks
        A column that is constant where its variable is free keeps its units.

    Examples
    --------
    >>> from edgewise.data.groups import group_rows
    >>> dose = np.array([[0.5], [1.5], [2.5], [9.0]])
    >>> blocks = make_blocks([dose, indicators(np.array([0, 1, 2, 1]), 3)], group_rows(np.eye(4, 2, -3, bool)))
    >>> blocks.first, blocks.width, blocks.n
    (array([0, 1]), array([1, 2]), array([3., 4.]))
    >>> blocks.mean[:, 0]
    array([1.5  , 3.375])
    """
    width = np.array([block.shape[1] for block in columns], dtype=np.int64)
    first = np.cumsum(width) - width
    table = np.ascontiguousarray(np.concatenate(list(columns), axis=1))
    found = [_moments_of(table[rows], moments) for rows in groups.is_member]
    n = np.array([one.n for one in found], dtype=np.float64)
    mean = np.array([one.mean for one in found])

    spread = np.array([one.scale for one in found])
    scale = spread[np.repeat(groups.group, width), np.arange(len(table.T))]
    scale[(scale == 0) | np.repeat(width > 1, width)] = 1.0
    spread = spread / scale
    scatter = np.array(
        [max(one.n - 1, 0) * one.correlation * np.outer(part, part) for one, part in zip(found, spread, strict=True)]
    )
    for variable in np.flatnonzero(width > 1):
        block = slice(first[variable], first[variable] + width[variable])
        own = groups.group[variable]
        turn = _whitening(scatter[own, block, block] / max(n[own] - 1, 1))
        mean[:, block] = mean[:, block] @ turn
        scatter[:, block] = turn @ scatter[:, block]
        scatter[:, :, block] = scatter[:, :, block] @ turn
    scatter = (scatter + scatter.transpose(0, 2, 1)) / 2
    return Blocks(first, width, np.array(groups.group, dtype=np.int64), n, mean, scatter, scale)


def indicators(codes: npt.NDArray[np.integer], levels: int) -> FloatArray:
    """Return the block of a categorical variable: the indicators of all levels but the first, whitened.

    Parameters
    ----------
    codes
        The level of each row, from 0, and -1 where it is missing; each level occurs.
    levels
        How many levels there are, at least two.

    Returns
    -------
    array, shape (n, levels - 1)
        Columns with mean 0, variance 1 and no correlation; nan where the level is missing.

    Examples
    --------
    >>> indicators(np.array([0, 1, -1, 1, 0]), 2).round(3).T
    array([[-0.866,  0.866,    nan,  0.866, -0.866]])
    """
    is_known = codes >= 0
    known = (codes[is_known, None] == np.arange(1, levels)).astype(np.float64)
    known -= known.mean(axis=0)
    block = np.full((len(codes), levels - 1), np.nan)
    block[is_known] = known @ _whitening(known.T @ known / (len(known) - 1))
    return block


def _moments_of(rows: FloatArray, moments: Callable[[FloatArray], Moments]) -> Moments:
    """Return the moments of the rows of a group, in which columns may be constant: the experimenter set them."""
    p = rows.shape[1]
    low, high = np.fmin.reduce(rows, initial=np.inf), np.fmax.reduce(rows, initial=-np.inf)
    varies = low < high
    mean, scale, correlation = np.where(low == high, low, 0.0), np.zeros(p), np.eye(p)
    n = len(rows)
    if varies.any():
        part = moments(np.ascontiguousarray(rows[:, varies]))
        n = part.n
        mean[varies], scale[varies], correlation[np.ix_(varies, varies)] = part.mean, part.scale, part.correlation
    return Moments(n, mean, scale, correlation)


def _whitening(covariance: FloatArray) -> FloatArray:
    """Return the symmetric matrix that columns are multiplied by to have unit covariance, but for constant ones."""
    variance, direction = np.linalg.eigh(covariance)
    is_constant = variance <= NO_VARIANCE * variance[-1]
    turn: FloatArray = direction / np.sqrt(np.where(is_constant, 1.0, variance)) @ direction.T
    return turn

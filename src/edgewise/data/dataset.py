"""What the rest of Edgewise knows about the data.

For Gaussian data everything that a score or a test needs is in the :class:`Moments`: the number of rows,
the means, the standard deviations and the correlations. The last two are kept apart rather than as one
matrix of sums of squares, because a column in units of 1e-200 or 1e200 has perfectly good correlations
while its square does not fit into a double.

A :class:`Dataset` adds the names, the values if there are any, and a fingerprint by which a checkpoint or a
stored posterior recognises the data it was made from.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from edgewise.errors import ArgumentError, DataError

STATISTICS = ("moments", "rows")
"""What scores and tests can take of data."""

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Moments:
    """The sufficient statistics of Gaussian data.

    Attributes
    ----------
    n
        Number of rows.
    mean
        Column means, shape (p,).
    scale
        Sample standard deviations (divisor n - 1), shape (p,).
    correlation
        Sample correlations, shape (p, p); exactly symmetric, with ones on the diagonal.

    Examples
    --------
    >>> moments = Moments.from_values(np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 4.0]]))
    >>> moments.mean
    array([2., 2.])
    >>> moments.scatter
    array([[8., 6.],
           [6., 6.]])
    """

    n: int
    mean: FloatArray
    scale: FloatArray
    correlation: FloatArray

    def __post_init__(self) -> None:
        for array in (self.mean, self.scale, self.correlation):
            array.setflags(write=False)

    @classmethod
    def from_values(cls, values: FloatArray) -> Self:
        """Compute the moments of an (n, p) array without constant columns; costs O(n p^2).

        Each column is first brought to magnitude one by a power of two, which rounds nothing and keeps
        squares in range. It is then centred twice, since the first mean of a column like 1e9 + noise is
        itself rounded.

        Examples
        --------
        >>> Moments.from_values(np.array([[1e200, 1.0], [2e200, 0.0], [3e200, 0.0]])).scale
        array([1.00000000e+200, 5.77350269e-001])
        """
        n = values.shape[0]
        _, exponent = np.frexp(np.abs(values).max(axis=0))
        centred = np.ldexp(values, -exponent)
        location = centred.mean(axis=0)
        centred -= location
        correction = centred.mean(axis=0)
        centred -= correction
        length = np.sqrt(np.einsum("ij,ij->j", centred, centred))
        centred /= length
        with np.errstate(over="ignore"):  # an infinite scale is reported by name when the data are checked
            scale = np.ldexp(length / np.sqrt(n - 1), exponent)
        return cls(n, np.ldexp(location + correction, exponent), scale, _tidy_correlation(centred.T @ centred))

    @classmethod
    def from_covariance(cls, covariance: FloatArray, n: int, *, mean: FloatArray) -> Self:
        """Take the moments from a (p, p) sample covariance matrix (divisor n - 1) with positive diagonal.

        Examples
        --------
        >>> Moments.from_covariance(np.array([[4.0, 1.0], [1.0, 1.0]]), 10, mean=np.zeros(2)).correlation
        array([[1. , 0.5],
               [0.5, 1. ]])
        """
        scale = np.sqrt(np.diag(covariance))
        return cls(n, mean, scale, _tidy_correlation(covariance / scale[:, None] / scale))

    @property
    def p(self) -> int:
        """Number of columns."""
        return len(self.mean)

    @cached_property
    def scatter(self) -> FloatArray:
        """Sums of squares and products about the mean, shape (p, p), in the units of the data.

        Raises
        ------
        DataError
            If the square of a standard deviation is too large or too small for double precision.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            square = (self.n - 1) * self.scale**2
            scatter = self.correlation * np.outer(self.scale, self.scale) * (self.n - 1)
        if not (np.isfinite(square).all() and square.min() >= np.finfo(np.float64).tiny):
            raise DataError(
                f"The standard deviations of the columns run from {self.scale.min():.3g} to "
                f"{self.scale.max():.3g}, and their squares do not fit into double precision: express "
                "these columns in other units, or use a score that standardises them."
            )
        np.fill_diagonal(scatter, square)
        scatter.setflags(write=False)
        return scatter


@dataclass(frozen=True, eq=False)
class Dataset:
    """Data that have passed every check; made by :func:`edgewise.data.load_data`.

    Attributes
    ----------
    names
        Column names, unique.
    values
        The (n, p) table, C-contiguous and read-only; None if the data came as a covariance matrix.
    moments
        The sufficient statistics.
    fingerprint
        SHA-256, in hexadecimal digits, of the names, the shape and every cell (or of the names, the
        covariance matrix, the means and n).
    kind
        What the columns measure.
    targets
        The distinct sets of variables, as sorted column numbers, that the experimenter set together in some rows; none
        without interventions.
    """

    names: tuple[str, ...]
    values: FloatArray | None
    moments: Moments
    fingerprint: str
    kind: Literal["continuous"] = "continuous"
    targets: tuple[tuple[int, ...], ...] = ()

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.moments.n

    @property
    def p(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def statistics(self) -> dict[str, Any]:
        """What scores and tests can take: ``"moments"`` and, unless only a covariance matrix was given, ``"rows"``."""
        return {"moments": self.moments} | ({} if self.values is None else {"rows": self.values})

    def check_offers(self, kind: str, taker: str) -> None:
        """Refuse a score or a test that takes statistics which these data do not have.

        Parameters
        ----------
        kind
            What it takes, one of the names in :attr:`statistics`.
        taker
            Its name.
        """
        if kind not in STATISTICS:
            raise ArgumentError(f"{taker} takes {kind!r} of the data, but there are only {' and '.join(STATISTICS)}.")
        if kind not in self.statistics:
            offered = " and ".join(self.statistics)
            raise DataError(
                f"{taker} takes the {kind} of the data, but only {offered} are known here: give the table of "
                "measurements itself, or another score or test."
            )

    def positions(self, variables: Sequence[int | str] | int | str) -> IntArray:
        """Return the column numbers of variables given by name or by column number.

        Raises
        ------
        ArgumentError
            If there is no such variable, or one is given twice.
        """
        if isinstance(variables, str | int):
            variables = [variables]
        return _find_distinct(self.names, variables)

    def order(self, variables: Sequence[int | str]) -> IntArray:
        """Return the column numbers of an order, which must hold every variable once.

        Raises
        ------
        ArgumentError
            If it is not a permutation of the variables.
        """
        return find_order(self.names, variables)


@dataclass(frozen=True, eq=False)
class Covariance:
    """A sample covariance matrix, to be used in place of the data it was computed from.

    Parameters
    ----------
    matrix
        Sample covariances with divisor n - 1, as `numpy.cov` and R's `cov` give them, shape (p, p).
    n
        Number of rows the covariances were computed from.
    names
        Column names; by default those of a DataFrame, otherwise X0, X1, ...
    mean
        Column means, shape (p,); zeros by default.

    Examples
    --------
    >>> from edgewise.data import load_data
    >>> dataset = load_data(Covariance([[2.0, 1.0], [1.0, 3.0]], n=50, names=["Raf", "Mek"]))
    >>> dataset.names, dataset.n, dataset.values
    (('Raf', 'Mek'), 50, None)
    """

    matrix: npt.ArrayLike | pd.DataFrame
    n: int
    _: KW_ONLY
    names: Sequence[str] | None = None
    mean: npt.ArrayLike | None = None


def find_columns(names: Sequence[str], variables: Iterable[int | str]) -> list[int]:
    """Return the column numbers of variables given by name or by column number.

    Raises
    ------
    ArgumentError
        If there is no such variable.

    Examples
    --------
    >>> find_columns(["Raf", "Mek", "Erk"], ["Erk", 0])
    [2, 0]
    """
    numbers = {name: number for number, name in enumerate(names)}
    columns = []
    for variable in variables:
        is_number = isinstance(variable, int | np.integer) and not isinstance(variable, bool)
        column = int(variable) if is_number else numbers.get(str(variable), -1)
        if not 0 <= column < len(names):
            raise ArgumentError(
                f"There is no variable {variable!r}; give a column's name, or its number from 0 to {len(names) - 1}."
            )
        columns.append(column)
    return columns


def find_order(names: Sequence[str], variables: Iterable[int | str]) -> IntArray:
    """Return the column numbers of an order, which must hold every variable once.

    Raises
    ------
    ArgumentError
        If it is not a permutation of the variables.

    Examples
    --------
    >>> find_order(["Raf", "Mek"], ["Mek", "Raf"])
    array([1, 0])
    """
    columns = _find_distinct(names, variables)
    if len(columns) != len(names):
        missing = sorted(set(range(len(names))) - set(columns.tolist()))
        raise ArgumentError(
            f"An order must hold each of the {len(names)} variables once, but {names[missing[0]]!r}"
            f"{f' and {len(missing) - 1} more are' if len(missing) > 1 else ' is'} missing."
        )
    return columns


def _find_distinct(names: Sequence[str], variables: Iterable[int | str]) -> IntArray:
    columns = find_columns(names, variables)
    for column in columns:
        if columns.count(column) > 1:
            raise ArgumentError(f"The variable {names[column]!r} is given more than once.")
    return np.array(columns, dtype=np.int64)


def default_names(p: int) -> tuple[str, ...]:
    """Names for p columns that came without: X0, X1, ...

    Examples
    --------
    >>> default_names(3)
    ('X0', 'X1', 'X2')
    """
    return tuple(f"X{column}" for column in range(p))


def fingerprint(names: Sequence[str], *arrays: FloatArray) -> str:
    """SHA-256 of the names and of the shape and every cell of the arrays, the same on every machine.

    Examples
    --------
    >>> fingerprint(["a"], np.zeros((2, 1)))[:8] == fingerprint(["a"], np.zeros((1, 2)))[:8]
    False
    """
    digest = hashlib.sha256()
    digest.update(json.dumps([list(names), [array.shape for array in arrays]]).encode("ascii"))
    for array in arrays:
        digest.update(np.ascontiguousarray(array, dtype="<f8").data)
    return digest.hexdigest()


def _tidy_correlation(product: FloatArray) -> FloatArray:
    correlation: FloatArray = (product + product.T) / 2
    np.fill_diagonal(correlation, 1.0)
    return correlation

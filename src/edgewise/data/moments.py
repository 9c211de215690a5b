"""The sufficient statistics of Gaussian data.

Everything that a Gaussian score or test needs is in the :class:`Moments`: the number of rows, the means, the standard
deviations and the correlations. The last two are kept apart rather than as one matrix of sums of squares, because a
column in units of 1e-200 or 1e200 has perfectly good correlations while its square does not fit into a double.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Self, TypeAlias

import numpy as np
import numpy.typing as npt

from edgewise.errors import DataError

FloatArray: TypeAlias = npt.NDArray[np.float64]


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
        return cls(n, np.ldexp(location + correction, exponent), scale, tidy_correlation(centred.T @ centred))

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
        return cls(n, mean, scale, tidy_correlation(covariance / scale[:, None] / scale))

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
        check_squares(self.scale, square)
        np.fill_diagonal(scatter, square)
        scatter.setflags(write=False)
        return scatter


def check_squares(scale: FloatArray, square: FloatArray) -> None:
    """Refuse columns whose sums of squares do not fit into double precision.

    Raises
    ------
    DataError
        With the range of their standard deviations.
    """
    if not (np.isfinite(square).all() and square.min() >= np.finfo(np.float64).tiny):
        raise DataError(
            f"The standard deviations of the columns run from {scale.min():.3g} to {scale.max():.3g}, and their "
            "squares do not fit into double precision: express these columns in other units, or use a score that "
            "standardises them."
        )


def tidy_correlation(product: FloatArray) -> FloatArray:
    """Return a correlation matrix without rounding errors in its symmetry and on its diagonal."""
    correlation: FloatArray = (product + product.T) / 2
    np.fill_diagonal(correlation, 1.0)
    return correlation

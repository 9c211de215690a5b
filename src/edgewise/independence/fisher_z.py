"""Fisher's z test of a partial correlation, one by one and as a table of thresholds.

For Gaussian data with n rows, ``sqrt(n - |S| - 3) * atanh(r)`` is close to standard normal when the partial
correlation of two variables given the set S is zero and r is its estimate. (The paper prints the transform as a ratio
of logarithms; it is half the logarithm of the ratio (1 + r) / (1 - r), that is, atanh.)

A test at level alpha therefore rejects exactly when r^2 exceeds

    tanh(z_{1 - alpha / 2} / sqrt(n - |S| - 3))^2

which depends on the data through r alone: for the minimal I-MAP, where the variable at position j is tested given all
other predecessors, all tests of all orders share one table of p thresholds.

With n - |S| - 3 <= 0 the test is void. Edgewise's rule is *no edge*, and a warning that counts such tests.
"""

import math
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._kernels.independence.partial_correlations import PartialCorrelations
from edgewise.data import Data, Dataset, check_fits, load_data
from edgewise.errors import VoidTestWarning

from .tests import IndependenceTest, critical_strength


@dataclass(frozen=True)
class FisherZ(IndependenceTest):
    """Fisher's z test of partial correlations, for Gaussian data.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(5, 1000, seed=1)
    >>> bool((ew.mmhc(sim.data, test=FisherZ()) == ew.mmhc(sim.data)).all(axis=None))
    True
    """

    takes: ClassVar[str] = "moments"

    def prepare(self, dataset: Dataset) -> PartialCorrelations:
        """Return the correlations, and the root of the degrees of freedom given sets of each size."""
        n = dataset.moments.n
        most_given = min(n - 4, dataset.p - 2)
        root = np.sqrt(n - 3.0 - np.arange(most_given + 1))
        return PartialCorrelations(np.array(dataset.moments.correlation), root, most_given)

    def thresholds(self, n: int, p: int, alpha: float) -> np.ndarray:
        """Return the threshold on the squared partial correlation at each position that has defined tests.

        Parameters
        ----------
        n, p
            Numbers of rows and of variables.
        alpha
            Significance level.

        Returns
        -------
        ndarray, shape (tested,)
            Entry j is for the variable at position j, tested against each predecessor given its j - 1 others; entry 0,
            which is never used, is 1. ``tested`` is p, or n - 2 where that is less: later positions have no defined
            test.

        Examples
        --------
        >>> FisherZ().thresholds(n=100, p=4, alpha=0.05).round(4)
        array([1.    , 0.0386, 0.039 , 0.0394])
        >>> len(FisherZ().thresholds(n=10, p=10, alpha=0.05))
        8
        """
        tested = min(p, n - 2)
        given = np.arange(tested) - 1
        table: np.ndarray = np.tanh(critical_strength(alpha) / np.sqrt(n - given - 3.0)) ** 2
        table[0] = 1.0
        return table


def warn_of_void_tests(n: int, p: int, tested: int) -> None:
    """Warn if an order has positions, from ``tested`` on, whose tests are not defined, and count those tests."""
    void = sum(range(tested, p))
    if void:
        warnings.warn(
            f"With {n} rows and {p} variables, {void} of the {p * (p - 1) // 2} conditional-independence tests of an "
            f"order condition on too many variables to be defined; they count as 'no edge', which biases later "
            f"variables towards having no parents.",
            VoidTestWarning,
            stacklevel=3,
        )


@dataclass(frozen=True)
class PartialCorrelationTest:
    """The result of :func:`partial_correlation_test`.

    Attributes
    ----------
    correlation
        The partial correlation.
    statistic
        Fisher's z, sqrt(n - |S| - 3) * atanh(correlation); nan for a void test.
    p_value
        Two-sided; 1 for a void test.
    """

    correlation: float
    statistic: float
    p_value: float


def partial_correlation_test(
    data: Data, x: int | str, y: int | str, given: Collection[int | str] | int | str = ()
) -> PartialCorrelationTest:
    """Test whether two variables are independent given others, by Fisher's z.

    Parameters
    ----------
    data
        Whatever :func:`edgewise.sample` takes.
    x, y
        Two variables, by name or by column number.
    given
        The variable or variables to condition on.

    Returns
    -------
    PartialCorrelationTest
        With ``n - len(given) - 3 <= 0`` the test is void: the p-value is 1, and a :class:`VoidTestWarning` is issued.

    Examples
    --------
    >>> import edgewise as ew
    >>> chain = ew.Covariance([[1, 0.5, 0.25], [0.5, 1, 0.5], [0.25, 0.5, 1]], n=100)
    >>> ew.partial_correlation_test(chain, 0, 2).p_value < 0.05
    True
    >>> round(ew.partial_correlation_test(chain, 0, 2, given=[1]).p_value, 6)
    1.0
    """
    dataset = load_data(data)
    check_fits(FisherZ(), dataset, instead="use g_squared_test for levels")
    given = [given] if isinstance(given, int | str) else list(given)
    columns = dataset.positions([x, y, *given])
    degrees = dataset.moments.n - len(given) - 3
    if degrees <= 0:
        warnings.warn(
            f"The test given {len(given)} variables is void with {dataset.n} rows; it counts as independence.",
            VoidTestWarning,
            stacklevel=2,
        )
        return PartialCorrelationTest(math.nan, math.nan, 1.0)
    precision = np.linalg.inv(dataset.moments.correlation[np.ix_(columns, columns)])
    correlation = float(np.clip(-precision[0, 1] / np.sqrt(precision[0, 0] * precision[1, 1]), -1, 1))
    with np.errstate(divide="ignore"):
        statistic = float(np.sqrt(degrees) * np.arctanh(correlation))
    return PartialCorrelationTest(correlation, statistic, math.erfc(abs(statistic) / math.sqrt(2)))

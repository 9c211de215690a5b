"""What a test of conditional independence must offer."""

from abc import ABC, abstractmethod
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np

from edgewise._kernels.independence.interface import is_registered
from edgewise._kernels.independence.partial_correlations import PartialCorrelations
from edgewise.arguments import describe_array, is_float_array, is_number
from edgewise.data import Dataset, check_fits
from edgewise.errors import ArgumentError

UNIT = 1e-9
"""How far the diagonal of a correlation matrix may be from 1: more than rounding, less than any mistake."""


class IndependenceTest(ABC):
    """A test of conditional independence, given any set of other variables.

    Subclasses set :attr:`takes`, the kind of statistics that they need of the data, and prepare the tables for which
    :mod:`edgewise._kernels.independence.interface` knows compiled functions.

    Examples
    --------
    >>> import edgewise as ew
    >>> isinstance(ew.FisherZ(), IndependenceTest)
    True
    """

    takes: ClassVar[str] = "moments"
    uses_interventions: ClassVar[bool] = False
    """Whether a variable is tested in the rows in which it was not set; else interventions are refused."""

    @abstractmethod
    def prepare(self, dataset: Dataset) -> Any:
        """Return the test's tables for a data set, as compiled code wants them."""

    def thresholds(self, n: int, p: int, alpha: float) -> np.ndarray:
        """Return, by position in an order, the squared partial correlation from which a test says "dependent".

        Full conditioning needs such a table, and only tests of partial correlations of the data can have one.

        Parameters
        ----------
        n, p
            Numbers of rows and of variables.
        alpha
            Significance level.
        """
        raise ArgumentError(
            f"{type(self).__name__} has no thresholds, which testing a variable given all its other predecessors "
            "needs: find parents by grow-shrink."
        )


def prepare_test(test: IndependenceTest, dataset: Dataset) -> Any:
    """Return the tables of a test for a data set, after checking that it fits the data."""
    check_fits(test, dataset, instead="use another test, or find parents by the score")
    tables = test.prepare(dataset)
    if not is_registered(tables):
        raise ArgumentError(
            f"No compiled functions are registered for tests with tables of the type {type(tables).__name__}."
        )
    if isinstance(tables, PartialCorrelations):
        _check_partial_correlations(tables, dataset.p, type(test).__name__)
    return tables


def _check_partial_correlations(tables: PartialCorrelations, p: int, owner: str) -> None:
    """Refuse what is no correlation matrix, and a table of roots beyond whose end kernels would read."""
    correlation, root = tables.correlation, tables.root
    if not (is_float_array(correlation, 2) and correlation.shape == (p, p) and np.isfinite(correlation).all()):
        raise ArgumentError(
            f"correlation in the tables of {owner} must be an array of {p} x {p} finite floats, but what it prepared "
            f"is {describe_array(correlation)}."
        )
    away = np.abs(np.diagonal(correlation) - 1)
    if away.max() > UNIT:
        raise ArgumentError(
            f"correlation in the tables of {owner} must be 1 along its diagonal, but has "
            f"{correlation[away.argmax(), away.argmax()]} there: divide by the standard deviations."
        )
    needed = max(min(tables.most_given, p - 2) + 1, 0)
    if not (is_float_array(root, 1) and len(root) >= needed):
        raise ArgumentError(
            f"root in the tables of {owner} must be an array of {needed} floats along one dimension, for each number "
            f"of variables given from 0 to most_given, but what it prepared is {describe_array(root)}."
        )


def check_alpha(alpha: float) -> float:
    """Return ``alpha`` if it is a significance level, else say so."""
    if not (is_number(alpha) and 0 < alpha < 1):
        raise ArgumentError(f"alpha is a significance level and must lie between 0 and 1, but {alpha!r} was given.")
    return float(alpha)


def critical_strength(alpha: float) -> float:
    """Return the strength above which a test at level alpha says "dependent".

    Examples
    --------
    >>> round(critical_strength(0.05), 3)
    1.96
    """
    return -NormalDist().inv_cdf(alpha / 2)

"""The test that fits the data."""

import numpy as np

from edgewise.data import Dataset, check_fits
from edgewise.errors import ArgumentError, DataError

from .fisher_z import FisherZ
from .g_squared import GSquared
from .tests import IndependenceTest


def check_test(test: IndependenceTest | None) -> None:
    """Refuse what is no test."""
    if not (test is None or isinstance(test, IndependenceTest)):
        raise ArgumentError(f"test must be an object such as FisherZ(), but {test!r} was given.")


def default_test(dataset: Dataset) -> IndependenceTest | None:
    """Return the test that is used where none is given, if there is one for such data.

    Examples
    --------
    >>> from edgewise.data import load_data, simulate
    >>> default_test(load_data(simulate(5, 100, seed=1).data))
    FisherZ()
    """
    if dataset.is_set is not None or dataset.kind == "mixed":
        return None
    return FisherZ() if dataset.kind == "continuous" else GSquared()


def choose_test(test: IndependenceTest | None, dataset: Dataset) -> IndependenceTest:
    """Return the test that was given, or else the default one."""
    check_test(test)
    chosen = default_test(dataset) if test is None else test
    if chosen is None:
        what = "data with interventions" if dataset.is_set is not None else "columns of numbers together with levels"
        raise DataError(f"There is no test of conditional independence for {what}: use a method that needs none.")
    return chosen


def find_thresholds(test: IndependenceTest | None, dataset: Dataset, alpha: float) -> np.ndarray:
    """Return the table of thresholds that testing given all other predecessors needs, of a test that has one."""
    chosen = choose_test(test, dataset)
    check_fits(chosen, dataset, instead="find parents by grow-shrink")
    if chosen.takes != "moments":
        raise ArgumentError(
            f"Testing a variable given all its other predecessors works with correlations of the values themselves, "
            f"which {type(chosen).__name__} does not take: find parents by grow-shrink."
        )
    return chosen.thresholds(dataset.moments.n, dataset.p, alpha)

"""The test that fits the data."""

import numpy as np

from edgewise.data import Dataset, check_fits
from edgewise.errors import ArgumentError, DataError
from edgewise.wording import quote

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
    _refuse_thresholds_of_another(chosen)
    table = chosen.thresholds(dataset.moments.n, dataset.p, alpha)
    _check_thresholds(table, dataset.p, type(chosen).__name__)
    return table


def _refuse_thresholds_of_another(test: IndependenceTest) -> None:
    """Refuse a test with tables of its own that has inherited its thresholds, which know nothing of these tables."""
    classes = type(test).__mro__
    last = next(each for each in classes if {"prepare", "thresholds"} & vars(each).keys())
    owner = next(each for each in classes if "thresholds" in vars(each))
    if owner not in (last, IndependenceTest):
        raise ArgumentError(
            f"{last.__name__} prepares a test of its own but has the thresholds of {owner.__name__}, by which a "
            "variable would be tested given all its other predecessors: give it thresholds, too, or find parents by "
            "grow-shrink."
        )


def _check_thresholds(table: np.ndarray, p: int, owner: str) -> None:
    """Refuse what is no table of thresholds for p positions."""
    if not (isinstance(table, np.ndarray) and table.dtype == float and table.ndim == 1):
        found = f"{table.ndim}-dimensional of {table.dtype}" if isinstance(table, np.ndarray) else quote(table)
    elif not 1 <= len(table) <= p:
        found = f"of length {len(table)}"
    elif table[0] != 1:
        found = f"{table[0]} at position 0"
    elif not ((table >= 0) & (table <= 1)).all():
        position = int(np.argmin((table >= 0) & (table <= 1)))
        found = f"{table[position]} at position {position}"
    else:
        return
    raise ArgumentError(
        f"The thresholds of {owner} must be an array of floats from 0 to 1 along one dimension, at most {p} of them, "
        f"and 1 at position 0, but what it returned is {found}."
    )

"""The G^2 test of discrete data, a likelihood ratio.

It compares, in every stratum of rows that agree in the variables that are conditioned on, how often two levels occur
together with how often they would if they were independent; see :mod:`edgewise._kernels.independence.counts`.

Degrees of freedom are counted from the levels that occur in each stratum, so that combinations that never occur do not
make a test too timid. A test with fewer than five rows for each of them is not made, and counts as independence.
"""

import math
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._kernels.independence.counts import CountTest, g_squared, new_room
from edgewise.data import Data, Dataset, load_data
from edgewise.errors import VoidTestWarning

from .tests import IndependenceTest, prepare_test


@dataclass(frozen=True)
class GSquared(IndependenceTest):
    """The G^2 test of conditional independence, for discrete data.

    Examples
    --------
    >>> GSquared().takes
    'counts'
    """

    takes: ClassVar[str] = "counts"
    uses_interventions: ClassVar[bool] = True

    def prepare(self, dataset: Dataset) -> CountTest:
        """Return the distinct rows."""
        counts = dataset.counts
        return CountTest(
            np.array(counts.codes),
            counts.weight.astype(np.int64),
            np.array(counts.group),
            np.array(counts.levels),
            most_given=dataset.p - 2,
        )


@dataclass(frozen=True)
class GSquaredTest:
    """The result of :func:`g_squared_test`.

    Attributes
    ----------
    statistic
        G^2, twice the log likelihood ratio.
    degrees
        Degrees of freedom.
    p_value
        1 for a test with too few rows, or without degrees of freedom.
    """

    statistic: float
    degrees: int
    p_value: float


def g_squared_test(
    data: Data, x: int | str, y: int | str, given: Collection[int | str] | int | str = ()
) -> GSquaredTest:
    """Test whether two discrete variables are independent given others, by a likelihood ratio.

    Parameters
    ----------
    data
        Whatever :func:`edgewise.sample` takes.
    x, y
        Two variables, by name or by column number. Rows in which the experimenter set y are left out.
    given
        The variable or variables to condition on.

    Returns
    -------
    GSquaredTest
        With fewer than five rows for each degree of freedom the test is void: the p-value is 1, and a
        :class:`VoidTestWarning` is issued.

    Examples
    --------
    >>> import edgewise as ew
    >>> import pandas as pd
    >>> smoker = ["no", "yes"] * 50
    >>> cough = ["no", "yes"] * 40 + ["yes", "no"] * 10
    >>> test = ew.g_squared_test(pd.DataFrame({"smoker": smoker, "cough": cough}), "smoker", "cough")
    >>> round(test.statistic, 2), test.degrees, test.p_value < 1e-8
    (38.55, 1, True)
    """
    dataset = load_data(data)
    given = [given] if isinstance(given, int | str) else list(given)
    first, second, *others = dataset.positions([x, y, *given])
    tables = prepare_test(GSquared(), dataset)
    members = np.array(others, dtype=np.int64)
    room = new_room(tables, dataset.p)
    statistic, degrees, log_p, has_rows = g_squared(tables, members, len(members), second, first, room)
    if not has_rows:
        warnings.warn(
            f"The test of {dataset.names[first]} and {dataset.names[second]} has {degrees} degrees of freedom, too "
            "many for its rows; it counts as independence.",
            VoidTestWarning,
            stacklevel=2,
        )
    return GSquaredTest(statistic, degrees, math.exp(log_p) if has_rows else 1.0)

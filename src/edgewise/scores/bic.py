"""The Gaussian BIC: the maximised log likelihood less log(n) / 2 for every parameter.

As in bnlearn, a variable with l parents has l + 2 parameters (intercept, coefficients, standard deviation), and its
residual variance is estimated without bias, as RSS / (n - l - 1). RSS is |R_pa,v| / |R_pa| for the scatter matrix R.
Where the experimenter set some variables in some rows, all these are of the rows in which the variable was left free.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._kernels.scores.blocks import BlockScore
from edgewise._kernels.scores.log_det import LogDetScore
from edgewise.data import Dataset
from edgewise.data.moments import FloatArray
from edgewise.errors import DataError
from edgewise.wording import columns_that, pronoun

from .grouping import join_groups
from .scoring import Score


@dataclass(frozen=True)
class GaussianBIC(Score):
    """The Bayesian information criterion of linear Gaussian regressions.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(5, 100, seed=1)
    >>> ew.score(sim.dag, sim.data, score=ew.GaussianBIC()) < 0
    True
    """

    takes: ClassVar[str] = "moments"
    uses_interventions: ClassVar[bool] = True

    def prepare(self, dataset: Dataset) -> LogDetScore | BlockScore:
        """Return the score's tables for a data set."""
        if dataset.groups is None:
            return score_columns(dataset.moments.n, np.array(dataset.moments.scatter))
        blocks = dataset.blocks
        groups = zip(blocks.n, blocks.raw_scatter, strict=True)
        tables = join_groups(blocks, [score_columns(n, scatter) for n, scatter in groups])
        own = tables.own[blocks.group, np.arange(dataset.p)]
        is_void = (blocks.width > tables.most_columns[blocks.group]) | ~np.isfinite(own)
        if is_void.any():
            names = [dataset.names[variable] for variable in np.flatnonzero(is_void)]
            raise DataError(
                f"{columns_that(names, 'does', 'do')} not vary, or in too few rows, where nobody set {pronoun(names)}, "
                f"so that GaussianBIC has no likelihood: leave {pronoun(names)} out, or take BGe as the score."
            )
        return tables


def score_columns(n: float, scatter: FloatArray) -> LogDetScore:
    """Return the tables of columns, given their scatter in the units of the data."""
    # A family that fits every row exactly has no likelihood: never choose it.
    most_parents = min(len(scatter) - 1, int(n) - 2)
    size = np.arange(most_parents + 1)
    degrees = n - size - 1.0
    constant = -n / 2 * np.log(2 * np.pi / degrees) - degrees / 2 - np.log(max(n, 1)) / 2 * (size + 2)
    weight = np.full(len(size), n / 2)
    return LogDetScore(scatter, constant, weight, -weight, most_parents)

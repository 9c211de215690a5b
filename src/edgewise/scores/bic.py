"""The Gaussian BIC: the maximised log likelihood less log(n) / 2 for every parameter.

As in bnlearn, a variable with l parents has l + 2 parameters (intercept, coefficients, standard deviation), and its
residual variance is estimated without bias, as RSS / (n - l - 1). RSS is |R_pa,v| / |R_pa| for the scatter matrix R.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._kernels.scores.log_det import LogDetScore
from edgewise.data import Dataset

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

    def prepare(self, dataset: Dataset) -> LogDetScore:
        """Return the score's tables for a data set."""
        n, p = dataset.moments.n, dataset.p
        # A family that fits every row exactly has no likelihood: never choose it.
        most_parents = min(p - 1, n - 2)
        size = np.arange(most_parents + 1)
        degrees = n - size - 1.0
        constant = -n / 2 * np.log(2 * np.pi / degrees) - degrees / 2 - np.log(n) / 2 * (size + 2)
        weight = np.full(most_parents + 1, n / 2)
        return LogDetScore(np.array(dataset.moments.scatter), constant, weight, -weight, most_parents)

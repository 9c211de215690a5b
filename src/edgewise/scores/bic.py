"""The Gaussian BIC: the maximised log likelihood less log(n) / 2 for every parameter.

As in bnlearn, a variable with l parents has l + 2 parameters (intercept, coefficients, standard deviation), and its
residual variance is estimated without bias, as RSS / (n - l - 1). RSS is |R_pa,v| / |R_pa| for the scatter matrix R.
"""

from dataclasses import dataclass

import numpy as np

from edgewise._kernels.families.families import LogDetScore
from edgewise.data import Dataset


@dataclass(frozen=True)
class GaussianBIC:
    """The Bayesian information criterion of linear Gaussian regressions.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(5, 100, seed=1)
    >>> ew.score(sim.dag, sim.data, score=ew.GaussianBIC()) < 0
    True
    """

    def prepare(self, dataset: Dataset) -> LogDetScore:
        """Return the score's tables for a data set."""
        n, p = dataset.n, dataset.p
        size = np.arange(p)
        degrees = np.maximum(n - size - 1.0, 0)
        with np.errstate(divide="ignore"):
            constant = -n / 2 * np.log(2 * np.pi / degrees) - degrees / 2 - np.log(n) / 2 * (size + 2)
        # A family that fits every row exactly has no likelihood: never choose it.
        constant[degrees == 0] = -np.inf
        weight = np.where(degrees > 0, n / 2, 0.0)
        return LogDetScore(np.array(dataset.moments.scatter), constant, weight, -weight)

"""The degenerate Gaussian score of mixed data: BGe on blocks of columns.

A categorical variable with k levels enters as a block of k - 1 indicator columns, a continuous one as itself, and all
columns together are taken as Gaussian (Andrews, Ramsey & Cooper 2019, who score them by BIC). A family is a union of
blocks, and its marginal likelihood that of its columns: the BGe score with sizes counted in columns.

Indicators are not Gaussian, but what the score compares are regressions, and those of indicators are sound wherever
variables depend on each other through their means. Units are the score's own: blocks have unit covariance
(:mod:`edgewise.data.blocks`), and which level has no indicator does not matter.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._kernels.scores.blocks import BlockScore
from edgewise.arguments import is_number
from edgewise.data import Dataset
from edgewise.errors import ArgumentError

from .bge import score_blocks
from .scoring import Score


@dataclass(frozen=True, kw_only=True)
class DegenerateGaussian(Score):
    """The degenerate Gaussian score, for continuous and categorical variables together.

    For continuous variables alone it is ``BGe()``.

    Parameters
    ----------
    alpha_mu
        Prior sample size for the mean, positive.
    alpha_w
        Degrees of freedom of the Wishart prior, more than the number of columns plus one; a variable with k levels has
        k - 1 columns. Default: the number of columns plus two.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(5, 100, seed=1)
    >>> difference = ew.score(sim.dag, sim.data, score=DegenerateGaussian()) - ew.score(sim.dag, sim.data)
    >>> abs(difference) < 1e-8
    True
    """

    takes: ClassVar[str] = "blocks"
    uses_interventions: ClassVar[bool] = True

    alpha_mu: float = 1.0
    alpha_w: float | None = None

    def __post_init__(self) -> None:
        if not (is_number(self.alpha_mu) and 0 < self.alpha_mu < np.inf):
            raise ArgumentError(
                f"alpha_mu of DegenerateGaussian must be a positive number, but {self.alpha_mu!r} was given."
            )

    def prepare(self, dataset: Dataset) -> BlockScore:
        """Return the score's tables for a data set."""
        columns = dataset.blocks.columns
        alpha_w = columns + 2.0 if self.alpha_w is None else self.alpha_w
        if not (is_number(alpha_w) and columns + 1 < alpha_w < np.inf):
            raise ArgumentError(
                "alpha_w of DegenerateGaussian must be a number greater than the number of columns plus one, "
                f"{columns + 1} (a variable with k levels has k - 1 columns), but {alpha_w!r} was given."
            )
        return score_blocks(dataset.blocks, self.alpha_mu, alpha_w)

"""The BGe score: the marginal likelihood of Gaussian data under a normal-Wishart prior.

The corrected form of Kuipers, Moffa & Heckerman (2014). With l parents, n rows, prior precision matrix T = t I,
t = alpha_mu (alpha_w - p - 1) / (alpha_mu + 1), prior mean nu and posterior matrix

    R = T + scatter + n alpha_mu / (n + alpha_mu) (nu - mean)(nu - mean)'

the local score of a variable v with parents pa is

    1/2 log(alpha_mu / (n + alpha_mu)) - n/2 log(pi)
      + lgamma((n + alpha_w - p + l + 1) / 2) - lgamma((alpha_w - p + l + 1) / 2)
      + (alpha_w - p + 2 l + 1) / 2 log t
      + (n + alpha_w - p + l) / 2 log|R_pa| - (n + alpha_w - p + l + 1) / 2 log|R_pa,v|

Markov-equivalent DAGs get the same score.

Where the experimenter set some variables in some rows, n, mean and scatter are those of the rows in which v was left
free. DAGs that are equivalent given such experiments get the same score.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgewise._kernels.scores.blocks import BlockScore
from edgewise._kernels.scores.log_det import LogDetScore
from edgewise.arguments import is_number
from edgewise.data import Dataset
from edgewise.data.blocks import Blocks
from edgewise.data.moments import FloatArray
from edgewise.errors import ArgumentError

from .grouping import join_groups
from .scoring import Score


@dataclass(frozen=True, kw_only=True)
class BGe(Score):
    """The Bayesian Gaussian equivalent score.

    Parameters
    ----------
    alpha_mu
        Prior sample size for the mean, positive.
    alpha_w
        Degrees of freedom of the Wishart prior, more than p + 1. Default: p + 2.
    nu
        Prior mean, one entry per variable, in the units of the data. Default: the column means, over the rows that a
        family is judged by.
    standardize
        Scale every column to unit variance first, over the rows in which nobody set it, so that no result depends on
        the units of a column. bnlearn and BiDAG do not.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(5, 100, seed=1)
    >>> ew.score(sim.dag, sim.data, score=ew.BGe(standardize=False)) < 0
    True
    """

    takes: ClassVar[str] = "moments"
    uses_interventions: ClassVar[bool] = True

    alpha_mu: float = 1.0
    alpha_w: float | None = None
    nu: Sequence[float] | None = None
    standardize: bool = True

    def __post_init__(self) -> None:
        if not (is_number(self.alpha_mu) and 0 < self.alpha_mu < np.inf):
            raise ArgumentError(f"alpha_mu of BGe must be a positive number, but {self.alpha_mu!r} was given.")

    def prepare(self, dataset: Dataset) -> LogDetScore | BlockScore:
        """Return the score's tables for a data set."""
        if dataset.groups is not None:
            return join_groups(dataset.blocks, self.prepare_groups(dataset.blocks))
        alpha_w, nu = self._complete(dataset.p)
        n, moments = dataset.moments.n, dataset.moments
        shift = np.zeros(dataset.p) if nu is None else nu - moments.mean
        if self.standardize:
            shift = shift / moments.scale
        scatter = (n - 1) * moments.correlation if self.standardize else moments.scatter
        return score_columns(n, scatter, shift, self.alpha_mu, alpha_w)

    def prepare_groups(self, blocks: Blocks) -> list[LogDetScore]:
        """Return the tables of each group of rows, given the statistics of variables that are a column each."""
        alpha_w, nu = self._complete(blocks.columns)
        return score_groups(blocks, self.alpha_mu, alpha_w, nu=nu, standardize=self.standardize)

    def _complete(self, p: int) -> tuple[float, FloatArray | None]:
        """Return alpha_w and nu for p variables, or refuse what are none."""
        alpha_w = p + 2.0 if self.alpha_w is None else self.alpha_w
        if not (is_number(alpha_w) and p + 1 < alpha_w < np.inf):
            raise ArgumentError(
                f"alpha_w of BGe must be a number greater than the number of variables plus one, {p + 1}, but "
                f"{alpha_w!r} was given."
            )
        nu = None if self.nu is None else np.asarray(self.nu)
        if nu is not None and (nu.shape != (p,) or not np.issubdtype(nu.dtype, np.number) or not np.isfinite(nu).all()):
            raise ArgumentError(f"nu of BGe must hold one number for each of the {p} variables.")
        return alpha_w, nu


def score_columns(n: float, scatter: FloatArray, shift: FloatArray, alpha_mu: float, alpha_w: float) -> LogDetScore:
    """Return the tables of columns, given their scatter and how far the prior means are from theirs."""
    p = len(scatter)
    t = alpha_mu * (alpha_w - p - 1) / (alpha_mu + 1)
    matrix = scatter + n * alpha_mu / (n + alpha_mu) * np.outer(shift, shift)
    matrix[np.diag_indices(p)] += t

    size = np.arange(p)
    free = alpha_w - p + size
    constant = (
        0.5 * np.log(alpha_mu / (n + alpha_mu))
        - n / 2 * np.log(np.pi)
        + _log_gamma((n + free + 1) / 2)
        - _log_gamma((free + 1) / 2)
        + (free + size + 1) / 2 * np.log(t)
    )
    return LogDetScore(matrix, constant, (n + free) / 2, -(n + free + 1) / 2, most_parents=p - 1)


def _log_gamma(values: FloatArray) -> FloatArray:
    """Return the logarithm of the gamma function; to import SciPy's takes longer than all these tables."""
    return np.array([math.lgamma(value) for value in values])


def score_groups(
    blocks: Blocks, alpha_mu: float, alpha_w: float, *, nu: FloatArray | None = None, standardize: bool = True
) -> list[LogDetScore]:
    """Return the tables of each group of rows; the default prior means are those of the group."""
    scatter = blocks.scatter if standardize else blocks.raw_scatter
    shift = np.zeros_like(blocks.mean) if nu is None else nu - blocks.mean
    if standardize:
        shift = shift / blocks.scale
    groups = zip(blocks.n, scatter, shift, strict=True)
    return [score_columns(*group, alpha_mu, alpha_w) for group in groups]


def score_blocks(blocks: Blocks, alpha_mu: float, alpha_w: float) -> BlockScore:
    """Return the tables of blocks of columns, with the default prior means."""
    return join_groups(blocks, score_groups(blocks, alpha_mu, alpha_w))

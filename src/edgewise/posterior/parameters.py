"""The parameters of linear Gaussian DAGs, drawn from their posterior given the DAGs.

In a linear Gaussian DAG every variable is a constant plus a weighted sum of its parents plus noise. The posterior of
the weights follows from the prior behind the BGe score (Geiger & Heckerman 2002; Kuipers, Moffa & Heckerman 2014):
a precision matrix W ~ Wishart(alpha_w, T^-1) and a mean mu | W ~ Normal(nu, (alpha_mu W)^-1) for the complete DAG.

1. Given n rows, and with mu integrated out, W ~ Wishart(n + alpha_w, R^-1), where R is the posterior matrix of the
   score (see :mod:`edgewise.scores.bge`). So the covariance matrix W^-1 is inverse Wishart, with n + alpha_w degrees of
   freedom and matrix R.
2. A block of an inverse Wishart matrix is inverse Wishart, with one degree of freedom less for each variable left out.
   So the covariance matrix of a variable v and its l parents pa is inverse Wishart with matrix R_pa,v and

       d = n + alpha_w - (p - l - 1) = n + alpha_w - p + l + 1.

3. Let K be its inverse, which is Wishart(d, R_pa,v^-1). The regression of v on pa has the residual variance
   s^2 = 1 / K_vv and the weights b = -K_pa,v / K_vv. The diagonal entry is K_vv ~ chi^2_d / R_v|pa, where
   R_v|pa = R_vv - R_v,pa R_pa^-1 R_pa,v = 1 / (R_pa,v^-1)_vv. Given K_vv, the column K_pa,v is normal with mean
   -K_vv R_pa^-1 R_pa,v and covariance K_vv R_pa^-1. Hence

       s^2 ~ R_v|pa / chi^2_d,    b | s^2 ~ Normal(R_pa^-1 R_pa,v, s^2 R_pa^-1),

   and without s^2 the weights have a multivariate t distribution: d degrees of freedom, location R_pa^-1 R_pa,v, scale
   matrix R_v|pa / d R_pa^-1.
4. By the assumptions of BGe (global parameter independence and parameter modularity) the families of any DAG are
   independent, before and after the data, and each has the parameters it would have in a complete DAG where the parents
   come first.

With the Cholesky factor of R_pa,v, child last, a draw of b is one triangular system: the factor's block for the parents
transposed, with the child's row plus (s times standard normal noise) on the right.

Constants and means
-------------------
Given n rows and W, the mean is mu ~ Normal(m, W^-1 / k), with k = alpha_mu + n and m = (alpha_mu nu + n mean) / k. The
constant of a family is c = mu_v - b' mu_pa. Since v - b' pa has the variance s^2 and is not correlated with pa,

    c | b, s^2 ~ Normal(m_v - b' m_pa, s^2 / k),

whatever mu_pa is, and by the assumption above the constants of all families are independent given their b and s^2.
So with the row vectors c and mu, and the matrix B of all weights, mu = mu B + c, or mu = c (I - B)^-1. The constants
can be written c = m (I - B) + e, where e has independent entries with variances s^2 / k; then mu = m + e (I - B)^-1,
which is Normal(m, Sigma / k) with the covariance matrix Sigma that the same B and s^2 give to the variables.

Interventions
-------------
In a row in which v was set, it says nothing about its family. Of the family, the likelihood is that of a regression on
pa, whatever pa come from, and b, s^2 and c have the posterior above with n, mean and scatter of the rows in which v was
left free: R, k and m then depend on v. The mean without any intervention is still c (I - B)^-1, but as m is now another
one for each family, it is no longer the m of any of them.

Of the data, all this needs the sufficient statistics only, which a posterior keeps.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from edgewise._kernels.summaries.effects import draw_weights
from edgewise.arguments import check_whole, make_generator
from edgewise.data import Data, load_data
from edgewise.data.blocks import Blocks, from_moments
from edgewise.errors import ArgumentError, DataError
from edgewise.scores import BGe

from .draws import DrawTable, split, take_evenly

if TYPE_CHECKING:
    from .posterior import Posterior

ROUNDING = 1e-6
"""How far below zero rounding can bring the smallest eigenvalue of correlations."""

NO_DATA = (
    "The correlations that this posterior holds are not those of any data, and tell nothing of effects: sample from "
    "the data again."
)

WITH_TARGETS = ", with what was set: data=ew.load_data(table, interventions=...)"
"""How to give data again that have interventions."""


@dataclass(frozen=True, eq=False)
class Parameters:
    """DAGs with their parameters, made a few at a time and, for who needs them again, the same every time.

    Weights, deviations and means are in units of each variable, counted from its mean in the data.

    Attributes
    ----------
    table
        The draws of the posterior.
    rows
        The DAGs, one for each draw, as family numbers, shape (draws, p).
    statistics
        Those of the data.
    unit
        The units, in those of the data, shape (p,).
    matrix
        R of each group of rows, shape (groups, p, p).
    freedom
        Degrees of freedom d in each group, by the number of parents, shape (groups, p).
    size
        k of each group, the prior's rows and those of the data, shape (groups,).
    location
        The posterior mean m in each group, shape (groups, p).
    seeds
        Of the chi-square numbers, of the normal ones of weights, and of those of constants: each have a generator to
        themselves, so that the numbers do not depend on how many are drawn at a time.
    """

    table: DrawTable
    rows: np.ndarray
    statistics: Blocks
    unit: np.ndarray
    matrix: np.ndarray
    freedom: np.ndarray
    size: np.ndarray
    location: np.ndarray
    seeds: tuple[int, int, int]

    @property
    def observed(self) -> np.ndarray:
        """The mean of each variable over the rows in which nobody set it, in the units of the data, shape (p,)."""
        return observed_mean(self.statistics)

    def blocks(self) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Yield weights, shape (some draws, p, p), and constants, shape (some draws, p), with the draws they are of."""
        chi_square, normal, constant = (np.random.default_rng(seed) for seed in self.seeds)
        group, every = self.statistics.group.copy(), np.arange(self.table.p)
        for part in split(0, len(self.rows), self.table.p**2):
            dags = self.table.dags(self.rows[part])
            spread = 1 / np.sqrt(chi_square.chisquare(self.freedom[group, dags.sum(axis=1)]))
            noise = normal.standard_normal(np.count_nonzero(dags))
            weights, deviation = draw_weights(dags, self.matrix, group, noise, spread)
            constants = constant.standard_normal(deviation.shape) * deviation / np.sqrt(self.size[group])
            constants += self.location[group, every] - np.einsum("vi,div->dv", self.location[group], weights)
            yield part, weights, constants


def prepare_parameters(
    posterior: "Posterior",
    data: Data | None,
    score: BGe | None,
    *,
    draws: int,
    seed: int | np.random.Generator | None,
) -> Parameters:
    """Check the arguments, choose the DAGs by systematic resampling, and the seeds of their parameters."""
    draws = check_whole("draws", draws)
    rng = make_generator(seed)
    score = score_of(posterior) if score is None else score
    if not isinstance(score, BGe):
        raise ArgumentError(f"score must be an object such as BGe(), whose prior the weights have, not {score!r}.")
    statistics = statistics_of(posterior, data)
    tables = score.prepare_groups(statistics)
    matrix = np.array([table.matrix for table in tables])
    _check_definite(matrix)
    rows, weight, *_ = posterior.draws.distinct(posterior.weights)
    chosen = take_evenly(weight, draws, rng.random())
    unit = statistics.scale if score.standardize else np.ones(len(statistics.scale))
    size = statistics.n + score.alpha_mu
    location = statistics.mean - observed_mean(statistics)
    if score.nu is not None:
        location = location + (score.alpha_mu / size)[:, None] * (np.asarray(score.nu) - statistics.mean)
    return Parameters(
        table=posterior.draws,
        rows=rows[chosen],
        statistics=statistics,
        unit=unit,
        matrix=matrix,
        freedom=np.array([-2 * table.on_family for table in tables]),  # the score has |R_pa,v|^(-d/2)
        size=size,
        location=location / unit,
        seeds=(*rng.integers(2**63, size=2).tolist(), int(rng.integers(2**63))),
    )


def observed_mean(statistics: Blocks) -> np.ndarray:
    """Return the mean of each variable over the rows in which nobody set it, shape (p,)."""
    return statistics.mean[statistics.group, np.arange(len(statistics.group))]


def score_of(posterior: "Posterior") -> BGe:
    """Return the score that a posterior was sampled with if it was BGe, with its settings, otherwise BGe()."""
    settings = posterior.info.get("score") or {}
    if settings.get("name") != "BGe":
        return BGe()
    return BGe(**{field.name: settings[field.name] for field in fields(BGe) if field.name in settings})


def statistics_of(posterior: "Posterior", data: Data | None) -> Blocks:
    """Return the statistics of the data that a posterior was sampled from: of those given, or what it keeps."""
    about = posterior.info.get("data", {})
    if about is None:
        raise ArgumentError("A run without data, on the prior alone, has no effects: sample from data first.")
    if about.get("kinds"):
        raise ArgumentError(
            "Effects are those of measurements, but these data have levels or grades: ask for probabilities of edges "
            "and paths instead."
        )
    if data is None:
        return _kept_statistics(posterior, was_set=bool(about.get("targets")))
    dataset = load_data(data)
    if dataset.names != posterior.nodes or dataset.fingerprint != about.get("fingerprint", dataset.fingerprint):
        raise ArgumentError(
            "These are not the data that the posterior was sampled from: give the same table, with the same names, "
            f"rows and values, as was given to sample{WITH_TARGETS if about.get('targets') else ''}."
        )
    return dataset.plain_blocks or from_moments(dataset.moments)


def _kept_statistics(posterior: "Posterior", *, was_set: bool) -> Blocks:
    """Return the statistics that a posterior keeps, which may come from a file that anybody wrote."""
    if was_set:
        if posterior.grouped is None:
            raise ArgumentError(
                "This posterior does not hold the statistics of its data, of which some were set, so that effects need "
                f"the data: give the same table as was given to sample{WITH_TARGETS}."
            )
        return posterior.grouped
    if posterior.moments is None:
        raise ArgumentError(
            "This posterior does not hold the means and correlations of its data, so that effects need the data: "
            "give the same table as was given to sample."
        )
    if np.linalg.eigvalsh(posterior.moments.correlation)[0] < -ROUNDING:
        raise DataError(NO_DATA)
    return from_moments(posterior.moments)


def _check_definite(matrix: np.ndarray) -> None:
    """Refuse statistics from a file that no data can have, which would take longer to tell than to load the file."""
    try:
        is_definite = bool(np.isfinite(np.linalg.cholesky(matrix)).all())
    except np.linalg.LinAlgError:
        is_definite = False
    if not is_definite:
        raise DataError(NO_DATA)

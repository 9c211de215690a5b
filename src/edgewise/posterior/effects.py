"""Total causal effects under Gaussian data: by how much one variable changes when another is raised by one unit.

In a linear Gaussian DAG every variable is a weighted sum of its parents plus noise: with B[i, j] the weight of i -> j,
a row of the data is x = x B + e (up to its mean). Raising i by one unit from outside (do-intervention) raises j by the
sum, over all directed paths from i to j, of the products of the weights along the path: entry (i, j) of (I - B)^-1. The
posterior of an effect is a mixture over the DAGs and, given a DAG, over its weights; where a DAG has no directed path
from i to j, the effect is exactly zero. Viinikka et al. (2020, "Beeps") and BCDAG do the same.

The weights given a DAG
-----------------------
Their posterior follows from the prior behind the BGe score (Geiger & Heckerman 2002; Kuipers, Moffa & Heckerman 2014):
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

With ``BGe(standardize=True)`` the weights are those of columns scaled to unit variance; the effect of i on j is
multiplied by scale_j / scale_i, so that all results are in the units of the data.
"""

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from edgewise._kernels.effects import draw_weights, sum_paths
from edgewise._kernels.features import paths_weighted_sum
from edgewise.arguments import is_number, is_whole, make_generator
from edgewise.data import Data, Dataset, load_data
from edgewise.errors import ArgumentError, DataError
from edgewise.scores import BGe

from .features import sum_matrices

if TYPE_CHECKING:
    from .posterior import Posterior

MOST_BYTES = 10**9
"""The largest array of effects that is made: 1 GB, which a laptop can spare. It holds 12,500 draws at p = 100."""


def total_effects(
    posterior: "Posterior",
    data: Data,
    *,
    score: BGe | None = None,
    draws: int = 1000,
    interval: float = 0.9,
    seed: int | np.random.Generator | None = None,
) -> pd.DataFrame:
    """Return the posterior of the total linear causal effect of every variable on every other.

    Parameters
    ----------
    posterior
        DAGs sampled from continuous data.
    data
        The data that the posterior was sampled from, in any form that :func:`edgewise.sample` takes.
    score
        The prior of the edge weights. Default: the score that the posterior was sampled with, or ``BGe()`` if that was
        another kind of score.
    draws
        Number of pairs of a DAG and its edge weights behind means and intervals. They fill 8 draws p^2 bytes, and more
        than 1 GB is refused.
    interval
        Posterior probability of the intervals, which leave out equal shares below and above.
    seed
        A whole number or a NumPy generator makes the result reproducible.

    Returns
    -------
    DataFrame
        One row for each ordered pair, with columns ``source``, ``target``, ``mean``, ``lower``, ``upper`` and
        ``probability_nonzero``: the probability of a directed path, from all DAGs of the posterior. An effect is the
        change of the target, in its own units, when the source is raised by one of its units from outside; without a
        directed path it is zero, and these zeros count in means and intervals. Pairs with the most probable paths come
        first, and among them those with the largest mean, whatever its sign.

    Raises
    ------
    ArgumentError
        If the data are not those of the posterior, or an argument is outside its range.
    DataError
        If the effects in the units of the data do not fit into double precision.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(4, 1000, seed=1)
    >>> posterior = ew.sample(sim.data, iterations=2000, thin=10, seed=1, progress=False)
    >>> effects = total_effects(posterior, sim.data, seed=1)
    >>> effects.columns.tolist()
    ['source', 'target', 'mean', 'lower', 'upper', 'probability_nonzero']
    >>> len(effects)
    12
    """
    if not (is_number(interval) and 0 < interval < 1):
        raise ArgumentError(f"interval is a probability and must lie between 0 and 1, but {interval!r} was given.")
    effects = effect_draws(posterior, data, score=score, draws=draws, seed=seed)
    ends = [(1 - interval) / 2, (1 + interval) / 2]
    # One source at a time, since a quantile takes a copy of what it is given.
    lower, upper = np.stack([np.quantile(effects[:, source], ends, axis=0) for source in range(effects.shape[1])], 1)
    probability = sum_matrices(paths_weighted_sum, posterior.draws, posterior.weights)
    names = np.array(posterior.nodes, dtype=object)
    source, target = np.nonzero(~np.eye(len(names), dtype=bool))
    table = pd.DataFrame({"source": names[source], "target": names[target]})
    columns = {"mean": effects.mean(axis=0), "lower": lower, "upper": upper, "probability_nonzero": probability}
    for name, matrix in columns.items():
        table[name] = matrix[source, target]
    return table.iloc[np.lexsort((-table["mean"].abs(), -table["probability_nonzero"]))].reset_index(drop=True)


def effect_draws(
    posterior: "Posterior",
    data: Data,
    *,
    score: BGe | None = None,
    draws: int = 1000,
    seed: int | np.random.Generator | None = None,
) -> np.ndarray:
    """Draw total linear causal effects from their posterior.

    DAGs are taken from the posterior by systematic resampling, each as often as its weight says, up to one; the edge
    weights of each are drawn anew. Draws with the same DAG stand together.

    Parameters
    ----------
    posterior
        DAGs sampled from continuous data.
    data
        The data that the posterior was sampled from, in any form that :func:`edgewise.sample` takes.
    score
        The prior of the edge weights. Default: the score that the posterior was sampled with, or ``BGe()`` if that was
        another kind of score.
    draws
        Number of draws. They fill 8 draws p^2 bytes, and more than 1 GB is refused.
    seed
        A whole number or a NumPy generator makes the result reproducible.

    Returns
    -------
    ndarray, shape (draws, p, p)
        Entry (i, j) of a draw is the effect on j, in its units, of raising i by one of its units; it is exactly zero
        without a directed path from i to j, and one for i = j.

    Raises
    ------
    ArgumentError
        If the data are not those of the posterior, or an argument is outside its range.
    DataError
        If the effects in the units of the data do not fit into double precision.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(4, 1000, seed=1)
    >>> posterior = ew.sample(sim.data, iterations=2000, thin=10, seed=1, progress=False)
    >>> effect_draws(posterior, sim.data, draws=50, seed=1).shape
    (50, 4, 4)
    """
    _check_draws(draws, len(posterior.nodes))
    rng = make_generator(seed)
    score = _score_of(posterior) if score is None else score
    if not isinstance(score, BGe):
        raise ArgumentError(f"score must be an object such as BGe(), whose prior the weights have, not {score!r}.")
    dataset = load_data(data)
    _check_data(posterior, dataset)
    units = _units(dataset) if score.standardize else None
    tables = score.prepare(dataset)

    dags = _resample(posterior, int(draws), rng)
    freedom = -2 * tables.on_family[dags.sum(axis=1)]  # d of the module's docstring: the score has |R_pa,v|^(-d/2)
    spread = 1 / np.sqrt(rng.chisquare(freedom))
    effects: np.ndarray = draw_weights(dags, tables.matrix, rng.standard_normal(np.count_nonzero(dags)), spread)
    sum_paths(effects)
    if units is not None:
        effects *= units
    return effects


def _resample(posterior: "Posterior", draws: int, rng: np.random.Generator) -> np.ndarray:
    """Take DAGs by systematic resampling, shape (draws, p, p)."""
    rows, weight, *_ = posterior.draws.distinct(posterior.weights)
    total = np.cumsum(weight)
    points = (rng.random() + np.arange(draws)) / draws * total[-1]
    # The last point may be rounded up to the total, and a DAG of weight zero is never wanted.
    return posterior.draws.dags(rows[np.searchsorted(total[: np.count_nonzero(weight) - 1], points, side="right")])


def _score_of(posterior: "Posterior") -> BGe:
    """Return the score that a posterior was sampled with if it was BGe, with its settings, otherwise BGe()."""
    settings = posterior.info.get("score", {})
    if settings.get("name") != "BGe":
        return BGe()
    return BGe(**{field.name: settings[field.name] for field in fields(BGe) if field.name in settings})


def _units(dataset: Dataset) -> np.ndarray:
    """Return, for i and j, the unit of an effect of i on j, for columns of unit variance, in the units of the data."""
    scale = dataset.moments.scale
    with np.errstate(over="ignore", under="ignore"):
        units = scale / scale[:, None]
    if not (np.isfinite(units).all() and units.min() >= np.finfo(np.float64).tiny):
        raise DataError(
            f"The standard deviations of the columns run from {scale.min():.3g} to {scale.max():.3g}, and effects of "
            "one on the other do not fit into double precision: express these columns in other units."
        )
    return np.asarray(units)


def _check_data(posterior: "Posterior", dataset: Dataset) -> None:
    sampled = posterior.info.get("data", {}).get("fingerprint", dataset.fingerprint)
    if dataset.names != posterior.nodes or dataset.fingerprint != sampled:
        raise ArgumentError(
            "These are not the data that the posterior was sampled from: give the same table, with the same names, "
            "rows and values, as was given to sample."
        )


def _check_draws(draws: int, p: int) -> None:
    if not (is_whole(draws) and draws >= 1):
        raise ArgumentError(f"draws must be a whole number, at least 1, but {draws!r} was given.")
    most = MOST_BYTES // (8 * p * p)
    if draws > most:
        raise ArgumentError(
            f"With {p} variables, {int(draws):,} draws of all effects need {8e-9 * draws * p * p:.1f} GB of "
            f"memory: take at most {most:,} draws."
        )

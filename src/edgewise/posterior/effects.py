"""Total causal effects under Gaussian data: by how much one variable changes when another is raised by one unit.

In a linear Gaussian DAG every variable is a weighted sum of its parents plus noise: with B[i, j] the weight of i -> j,
a row of the data is x = x B + e (up to its mean). Raising i by one unit from outside (do-intervention) raises j by the
sum, over all directed paths from i to j, of the products of the weights along the path: entry (i, j) of (I - B)^-1. The
posterior of an effect is a mixture over the DAGs and, given a DAG, over its weights; where a DAG has no directed path
from i to j, the effect is exactly zero. Viinikka et al. (2020, "Beeps") and BCDAG do the same.

:mod:`edgewise.posterior.parameters` has how weights are drawn given a DAG. With ``BGe(standardize=True)`` they are
those of columns scaled to unit variance; the effect of i on j is multiplied by scale_j / scale_i, so that all results
are in the units of the data.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from edgewise._kernels.graphs.features import paths_weighted_sum
from edgewise._kernels.summaries.effects import sum_paths
from edgewise.arguments import is_number, is_whole
from edgewise.data import Data
from edgewise.errors import ArgumentError, DataError
from edgewise.scores import BGe

from .draws import split
from .features import sum_matrices
from .parameters import Parameters, prepare_parameters

if TYPE_CHECKING:
    from .posterior import Posterior

MOST_BYTES = 10**9
"""The largest array of effects that is made: 1 GB, which a laptop can spare. It holds 12,500 draws at p = 100. A table
of all effects has the same limit, since its time grows as fast."""

EFFECTS_AT_ONCE = 25 * 10**6
"""Most effects to hold while pairs are summarised: 200 MB. More pairs are taken in parts, for each of which the same
effects are drawn again."""


def total_effects(
    posterior: "Posterior",
    data: Data | None = None,
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
        The data that the posterior was sampled from, in any form that :func:`edgewise.sample` takes. Needed only where
        the posterior has no ``moments``; the result is the same.
    score
        The prior of the edge weights. Default: the score that the posterior was sampled with, or ``BGe()`` if that was
        another kind of score.
    draws
        Number of pairs of a DAG and its edge weights behind means and intervals. More than 1 GB of effects, of 8 bytes
        for each draw and pair of variables, is refused.
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
        If the data are missing or not those of the posterior, or an argument is outside its range.
    DataError
        If the effects in the units of the data do not fit into double precision.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(4, 1000, seed=1)
    >>> posterior = ew.sample(sim.data, iterations=2000, thin=10, seed=1, progress=False)
    >>> effects = total_effects(posterior, seed=1)
    >>> effects.columns.tolist()
    ['source', 'target', 'mean', 'lower', 'upper', 'probability_nonzero']
    >>> len(effects)
    12
    """
    check_interval(interval)
    _check_size(draws, len(posterior.nodes))
    source, target = np.nonzero(~np.eye(len(posterior.nodes), dtype=bool))
    effects = _summarise(prepare_parameters(posterior, data, score, draws=draws, seed=seed), source, target, interval)
    probability = sum_matrices(paths_weighted_sum, posterior.draws, posterior.weights)
    names = np.array(posterior.nodes, dtype=object)
    table = pd.DataFrame({"source": names[source], "target": names[target]}).join(effects)
    table["probability_nonzero"] = probability[source, target]
    return table.iloc[np.lexsort((-table["mean"].abs(), -table["probability_nonzero"]))].reset_index(drop=True)


def pair_effects(
    posterior: "Posterior",
    source: np.ndarray,
    target: np.ndarray,
    *,
    draws: int = 1000,
    interval: float = 0.9,
    seed: int | np.random.Generator | None = None,
) -> pd.DataFrame:
    """Return the posterior of total linear causal effects of some variables on some others, given that there are any.

    Unlike :func:`total_effects`, this leaves out the draws without a directed path, whose effect is zero: it tells how
    large an effect is if there is one. It takes little memory: 8 bytes for each draw and pair, 200 MB at most, and a
    few p x p matrices.

    Parameters
    ----------
    posterior
        DAGs sampled from continuous data, with ``moments``.
    source, target
        The column numbers of the pairs, one array of each.
    draws
        Number of pairs of a DAG and its edge weights behind means and intervals.
    interval
        Posterior probability of the intervals, which leave out equal shares below and above.
    seed
        A whole number or a NumPy generator makes the result reproducible.

    Returns
    -------
    DataFrame
        Columns ``mean``, ``lower`` and ``upper``, a row for each pair in the order given; not numbers where no draw has
        a path.

    Raises
    ------
    ArgumentError
        If the posterior has no ``moments``, or an argument is outside its range.
    DataError
        If the effects in the units of the data do not fit into double precision.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(4, 1000, seed=1)
    >>> posterior = ew.sample(sim.data, iterations=2000, thin=10, seed=1, progress=False)
    >>> pair_effects(posterior, np.array([0, 2]), np.array([1, 3]), seed=1).shape
    (2, 3)
    """
    check_interval(interval)
    return _summarise(
        prepare_parameters(posterior, None, None, draws=draws, seed=seed), source, target, interval, given_path=True
    )


def effect_draws(
    posterior: "Posterior",
    data: Data | None = None,
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
        The data that the posterior was sampled from, in any form that :func:`edgewise.sample` takes. Needed only where
        the posterior has no ``moments``; the result is the same.
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
        If the data are missing or not those of the posterior, or an argument is outside its range.
    DataError
        If the effects in the units of the data do not fit into double precision.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(4, 1000, seed=1)
    >>> posterior = ew.sample(sim.data, iterations=2000, thin=10, seed=1, progress=False)
    >>> effect_draws(posterior, draws=50, seed=1).shape
    (50, 4, 4)
    """
    p = len(posterior.nodes)
    _check_size(draws, p)
    effects = np.empty((int(draws), p, p))
    parameters = prepare_parameters(posterior, data, score, draws=draws, seed=seed)
    for part, block in _blocks(parameters):
        effects[part] = block
    columns = np.arange(p)
    return _in_units_of_data(effects, parameters.unit, columns[:, None], columns)


def _blocks(parameters: Parameters) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield the effects, shape (some draws, p, p), in the units that they are drawn in, and which draws these are."""
    for part, weights, _ in parameters.blocks():
        sum_paths(weights)
        yield part, weights


def _summarise(
    parameters: Parameters, source: np.ndarray, target: np.ndarray, interval: float, *, given_path: bool = False
) -> pd.DataFrame:
    """Return mean, lower and upper end of the effect of each pair of column numbers.

    They are taken before the units of the data come in, in which a sum of effects may not fit into double precision
    although their mean does, and an effect may be rounded to none.
    """
    draws = len(parameters.rows)
    summary = np.empty((3, len(source)))
    for few in split(0, len(source), draws, at_once=EFFECTS_AT_ONCE):
        # The draws of a pair stand together, so that its mean is rounded alike whatever other pairs there are.
        of_pair = np.empty((few.stop - few.start, draws))
        for part, block in _blocks(parameters):
            of_pair[:, part] = block[:, source[few], target[few]].T
        ends = [(1 - interval) / 2, (1 + interval) / 2]
        if given_path:
            summary[:, few] = _summarise_nonzero(of_pair, ends)
        else:
            summary[0, few] = of_pair.mean(axis=1)
            summary[1:, few] = np.quantile(of_pair, ends, axis=1, overwrite_input=True)
    summary = _in_units_of_data(summary, parameters.unit, source, target)
    return pd.DataFrame(dict(zip(("mean", "lower", "upper"), summary, strict=True)))


def _summarise_nonzero(rows: np.ndarray, ends: Sequence[float]) -> np.ndarray:
    """Return the mean and two quantiles of what is not zero in each row; not numbers where all is."""
    present = np.sort(np.where(rows == 0, np.inf, rows), axis=1).T
    number = (rows != 0).sum(axis=1)
    last = np.maximum(number - 1, 0)
    place = np.multiply.outer(ends, last)
    below = place.astype(int)
    low, high = (np.take_along_axis(present, at, axis=0) for at in (below, np.minimum(below + 1, last)))
    with np.errstate(invalid="ignore"):
        return np.where(number > 0, [rows.sum(axis=1) / number, *(low + (high - low) * (place - below))], np.nan)


def _in_units_of_data(effects: np.ndarray, unit: np.ndarray, source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Express effects, the last axes of which are pairs of column numbers, in the units of the data, in place."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        units = unit[target] / unit[source]
        effects *= units
    is_ordinary = np.isfinite(units) & (units >= np.finfo(np.float64).tiny)
    if not is_ordinary.all() or np.isinf(effects).any():
        raise DataError(
            f"The standard deviations of the columns run from {unit.min():.3g} to {unit.max():.3g}, and effects of "
            "one on the other do not fit into double precision: express these columns in other units."
        )
    return effects


def check_interval(interval: float) -> None:
    """Refuse what is no probability that an interval can have."""
    if not (is_number(interval) and 0 < interval < 1):
        raise ArgumentError(f"interval is a probability and must lie between 0 and 1, but {interval!r} was given.")


def _check_size(draws: int, p: int) -> None:
    """Refuse more draws of all effects than there should be; whether it is a number at all is seen to elsewhere."""
    most = MOST_BYTES // (8 * p * p)
    if is_whole(draws) and draws > most:
        raise ArgumentError(
            f"With {p} variables, {int(draws):,} draws of all effects fill {8e-9 * draws * p * p:.1f} GB: take at most "
            f"{most:,} draws."
        )

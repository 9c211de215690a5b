"""What an intervention would do: the mean of every other variable when some are set to values.

In a linear Gaussian DAG a variable is a constant plus a weighted sum of its parents plus noise; with row vectors and
B[i, j] the weight of i -> j, the means mu satisfy mu = mu B + c. To set a variable t to a value x_t, do(t = x_t), cuts
its incoming edges and replaces its constant: with B' the weights without the columns of all targets, the means after
the intervention satisfy mu' = mu' B' + c', where c'_t = x_t for targets, and c'_j = c_j for all others.

Since mu (I - B') = c + mu (B - B'), which is c_j where j is no target and mu_t where it is, the difference of both is

    mu' - mu = sum over targets t of (x_t - mu_t) (I - B')^-1_t,

row t of the sums over directed paths that go through no other target. Where no directed path leads from a target to j,
its change is exactly zero. With a single target the paths are all that start there, so that raising x_t by one raises
mu'_j by the total effect of t on j (:mod:`edgewise.posterior.effects`), draw by draw.

The DAG, B, c and with them mu are drawn from their posterior (:mod:`edgewise.posterior.parameters`). So an interval is
one of the *mean* after the intervention: as wide as the graph, the weights and the means of the data are uncertain. It
is not one of single measurements, which have noise besides. And it is the mean that a linear Gaussian model expects,
also for values far from all that were measured.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from edgewise._kernels.summaries.effects import sum_paths
from edgewise.arguments import is_number, is_whole
from edgewise.data import Data
from edgewise.data.dataset import find_columns
from edgewise.errors import ArgumentError, DataError
from edgewise.scores import BGe
from edgewise.wording import enumerate_items, quote

from .effects import MOST_BYTES, check_interval
from .parameters import Parameters, prepare_parameters

if TYPE_CHECKING:
    from edgewise.report import Picture

    from .posterior import Posterior

Values = Mapping[str, float]
"""The values that variables are set to, by name."""


@dataclass(frozen=True, eq=False)
class Intervention:
    """Draws of means before and after an intervention.

    Attributes
    ----------
    parameters
        What they were made of.
    others
        The column numbers of the variables that were not set.
    before, change
        The mean of each of these without the intervention, and by how much it changes, in units of the parameters and
        counted from the means of the data; shape (draws, others).
    """

    parameters: Parameters
    others: np.ndarray
    before: np.ndarray
    change: np.ndarray

    @property
    def deviation(self) -> np.ndarray:
        """The standard deviations of the variables in the data, over the rows in which nobody set them."""
        return np.asarray(self.parameters.statistics.scale[self.others])

    def tabulate(self, names: tuple[str, ...], interval: float) -> pd.DataFrame:
        """Return the table of :func:`intervene`."""
        observed, unit = self.parameters.observed[self.others], self.parameters.unit[self.others]
        after = self.before + self.change
        with np.errstate(over="ignore", invalid="ignore"):
            ends = np.quantile(after, [(1 - interval) / 2, (1 + interval) / 2], axis=0)
            mean, lower, upper = observed + unit * np.array([after.mean(axis=0), *ends])
            change = unit * self.change.mean(axis=0) + 0.0  # never -0.0
        if not np.isfinite([mean, lower, upper, change]).all():
            raise DataError(
                "The means after this intervention do not fit into double precision: give smaller values, or express "
                "the columns in other units."
            )
        table = pd.DataFrame(
            {
                "mean": mean,
                "lower": lower,
                "upper": upper,
                "change": change,
                "probability_rising": (self.change > 0).mean(axis=0),
                "probability_falling": (self.change < 0).mean(axis=0),
                "observed": observed,
            },
            index=pd.Index([names[column] for column in self.others], name="variable"),
        )
        return table.iloc[self._order()]

    def _order(self) -> np.ndarray:
        """Return the most changed first, in standard deviations of each; those that change alike as in the data."""
        unit = self.parameters.unit[self.others]
        return np.argsort(-np.abs(self.change.mean(axis=0)) * (unit / self.deviation), kind="stable")


def intervene(
    posterior: "Posterior",
    values: Values,
    data: Data | None = None,
    *,
    score: BGe | None = None,
    draws: int = 1000,
    interval: float = 0.9,
    seed: int | np.random.Generator | None = None,
) -> pd.DataFrame:
    """Return the posterior of the mean of every other variable when some are set to values.

    Parameters
    ----------
    posterior
        DAGs sampled from continuous data.
    values
        The value that each target is set to, by name, in the units of the data: ``{"MEK": 0.0}``.
    data
        The data that the posterior was sampled from, in any form that :func:`edgewise.sample` takes. Needed only where
        the posterior does not hold their statistics; the result is the same.
    score
        The prior of the parameters. Default: the score that the posterior was sampled with, or ``BGe()`` if that was
        another kind of score.
    draws
        Number of pairs of a DAG and its parameters behind means and intervals.
    interval
        Posterior probability of the intervals, which leave out equal shares below and above.
    seed
        A whole number or a NumPy generator makes the result reproducible. With the seed of
        :meth:`~edgewise.Posterior.total_effects`, and as many draws, the same effects are behind both.

    Returns
    -------
    DataFrame
        A row for each variable that is not set, by name, those first whose mean changes most in standard deviations of
        the variable. Columns, in the units of the data: ``mean``, ``lower`` and ``upper``, the posterior mean of the
        variable's mean after the intervention and the interval of it, which is not one of single measurements;
        ``change``, the posterior mean of its difference to the mean without intervention; ``probability_rising`` and
        ``probability_falling``, that this difference is above or below zero, which together are the probability of a
        directed path from a target; and ``observed``, the variable's mean in the data, over the rows in which nobody
        set it.

    Raises
    ------
    ArgumentError
        If a target is no variable or its value no finite number, nothing or everything is set, the data are missing or
        not those of the posterior, or an argument is outside its range.
    DataError
        If the means do not fit into double precision.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(4, 1000, seed=1)
    >>> posterior = ew.sample(sim.data, iterations=2000, thin=10, seed=1, progress=False)
    >>> table = intervene(posterior, {"X1": 2.0}, seed=1)
    >>> sorted(table.index), table.columns.tolist()[:3]
    (['X0', 'X2', 'X3'], ['mean', 'lower', 'upper'])
    """
    check_interval(interval)
    drawn = draw_means(posterior, values, data, score=score, draws=draws, seed=seed)
    return drawn.tabulate(posterior.nodes, interval)


def draw_means(
    posterior: "Posterior",
    values: Values,
    data: Data | None = None,
    *,
    score: BGe | None = None,
    draws: int = 1000,
    seed: int | np.random.Generator | None = None,
) -> Intervention:
    """Draw the means of all variables that are not set, without and with an intervention; see :func:`intervene`."""
    p = len(posterior.nodes)
    targets, value = _read_values(values, posterior.nodes)
    most = MOST_BYTES // (16 * p)
    if is_whole(draws) and draws > most:
        raise ArgumentError(f"With {p} variables, take at most {most:,} draws, not {int(draws):,}.")
    parameters = prepare_parameters(posterior, data, score, draws=draws, seed=seed)
    with np.errstate(over="ignore"):
        value = (value - parameters.observed[targets]) / parameters.unit[targets]
    others = np.setdiff1d(np.arange(p), targets)
    before, change = np.empty((2, int(draws), len(others)))
    for part, weights, constants in parameters.blocks():
        paths = weights.copy()
        sum_paths(paths)
        means = np.einsum("di,dij->dj", constants, paths)
        weights[:, :, targets] = 0
        sum_paths(weights)
        before[part] = means[:, others]
        with np.errstate(over="ignore", invalid="ignore"):
            moved = np.einsum("dt,dtj->dj", value - means[:, targets], weights[:, targets])
        change[part] = moved[:, others]
    return Intervention(parameters, others, before, change)


def draw_intervention(
    posterior: "Posterior",
    values: Values,
    data: Data | None = None,
    *,
    score: BGe | None = None,
    draws: int = 1000,
    interval: float = 0.9,
    seed: int | np.random.Generator | None = None,
) -> "Picture":
    """Draw the means after an intervention; see :meth:`edgewise.Posterior.plot_intervention`."""
    from edgewise.report.figures import draw_intervals

    check_interval(interval)
    drawn = draw_means(posterior, values, data, score=score, draws=draws, seed=seed)
    table = drawn.tabulate(posterior.nodes, interval)
    deviation = pd.Series(drawn.deviation, index=[posterior.nodes[column] for column in drawn.others])[table.index]
    return draw_intervals(table, deviation.to_numpy(), title=f"Means when {describe_values(values)}")


def describe_values(values: Values) -> str:
    """Put an intervention into words.

    Examples
    --------
    >>> describe_values({"MEK": 0.0, "Raf": 1.5})
    'MEK is set to 0 and Raf to 1.5'
    """
    pairs = [f"{name}{'' if number else ' is set'} to {value:g}" for number, (name, value) in enumerate(values.items())]
    return enumerate_items(pairs)


def _read_values(values: Values, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the column numbers of the targets and their values, or refuse what is no intervention."""
    if not (isinstance(values, Mapping) and values):
        raise ArgumentError(
            f"An intervention sets variables to values, as in {{'MEK': 0.0}}, but {quote(values)} was given."
        )
    columns = find_columns(names, values)
    for column in columns:
        if columns.count(column) > 1:
            raise ArgumentError(f"The variable {quote(names[column])} is set more than once.")
    for name, value in values.items():
        if not (is_number(value) and abs(value) <= sys.float_info.max):  # a whole number may be larger than any float
            raise ArgumentError(f"{quote(name)} must be set to a finite number, but {quote(value)} was given.")
    if len(columns) == len(names):
        raise ArgumentError("All variables are set, and none is left to change: leave out at least one.")
    return np.array(columns), np.array([float(value) for value in values.values()])

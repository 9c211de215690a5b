"""What a posterior says about what to do: how variables act on each other, and what an intervention would change."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from edgewise.data import Data
from edgewise.scores import BGe

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from .interventions import Values
    from .posterior import Posterior


class Decisions:
    """The methods of :class:`edgewise.Posterior` that tell what follows if something is done."""

    def total_effects(
        self: "Posterior",
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
        data
            The data that the posterior was sampled from, in any form that :func:`edgewise.sample` takes. Needed only
            where the posterior has no ``moments``.
        score
            The prior of the edge weights. Default: the score of the run, or ``BGe()`` if that was of another kind.
        draws
            Number of pairs of a DAG and its edge weights behind means and intervals.
        interval
            Posterior probability of the intervals.
        seed
            A whole number or a NumPy generator makes the result reproducible.

        Returns
        -------
        DataFrame
            Columns ``source``, ``target``, ``mean``, ``lower``, ``upper`` and ``probability_nonzero``; see
            :func:`edgewise.posterior.effects.total_effects`.
        """
        from .effects import total_effects

        return total_effects(self, data, score=score, draws=draws, interval=interval, seed=seed)

    def intervene(
        self: "Posterior",
        values: "Values",
        data: Data | None = None,
        *,
        score: BGe | None = None,
        draws: int = 1000,
        interval: float = 0.9,
        seed: int | np.random.Generator | None = None,
    ) -> pd.DataFrame:
        """Return the posterior of the mean of every other variable when some are set to values.

        Over DAGs and their parameters, under a linear Gaussian model. The intervals are those of means, not of single
        measurements.

        Parameters
        ----------
        values
            The value that each target is set to, by name, in the units of the data: ``{"MEK": 0.0}``.
        data
            The data that the posterior was sampled from, in any form that :func:`edgewise.sample` takes. Needed only
            where the posterior does not hold their statistics.
        score
            The prior of the parameters. Default: the score of the run, or ``BGe()`` if that was of another kind.
        draws
            Number of pairs of a DAG and its parameters behind means and intervals.
        interval
            Posterior probability of the intervals.
        seed
            A whole number or a NumPy generator makes the result reproducible.

        Returns
        -------
        DataFrame
            A row for each variable that is not set, by name, the most changed first, with the columns ``mean``,
            ``lower``, ``upper``, ``change``, ``probability_rising``, ``probability_falling`` and ``observed``; see
            :func:`edgewise.posterior.interventions.intervene`.
        """
        from .interventions import intervene

        return intervene(self, values, data, score=score, draws=draws, interval=interval, seed=seed)

    def plot_intervention(
        self: "Posterior",
        values: "Values",
        data: Data | None = None,
        *,
        score: BGe | None = None,
        draws: int = 1000,
        interval: float = 0.9,
        seed: int | np.random.Generator | None = None,
    ) -> "Figure":
        """Draw the means of all other variables when some are set to values, with intervals.

        They are drawn in standard deviations of each variable, since these may have different units, and counted from
        the mean without intervention, which is a line. The most changed variable comes first. Values in the units of
        the data show on hovering.

        Parameters
        ----------
        values, data, score, draws, interval, seed
            As for :meth:`intervene`.

        Returns
        -------
        plotly Figure
        """
        from .interventions import draw_intervention
        from .outputs import as_figure

        return as_figure(draw_intervention(self, values, data, score=score, draws=draws, interval=interval, seed=seed))

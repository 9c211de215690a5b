"""What to do with a posterior: which experiment comes next, how variables act on each other, what would happen if.

Each is imported when it is asked for, so that sampling does not wait for it.
"""

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from plotly.graph_objects import Figure

    from edgewise.data import Data
    from edgewise.scores import BGe

    from .classes import WeighedDags
    from .interventions import Values
    from .posterior import Posterior
    from .questions import About


QUICK_DAGS = 500
"""Draws behind what is said at the end of every run: they take a few hundredths of a second."""


class Decisions:
    """The methods of :class:`edgewise.Posterior` that help to decide."""

    def total_effects(
        self: "Posterior",
        data: "Data | None" = None,
        *,
        score: "BGe | None" = None,
        draws: int = 1000,
        interval: float = 0.9,
        seed: "int | np.random.Generator | None" = None,
    ) -> "pd.DataFrame":
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

    def effect_draws(
        self: "Posterior",
        data: "Data | None" = None,
        *,
        score: "BGe | None" = None,
        draws: int = 1000,
        seed: "int | np.random.Generator | None" = None,
    ) -> "np.ndarray":
        """Return draws of all total linear causal effects, for questions that a mean and an interval do not answer.

        Parameters
        ----------
        data, score, seed
            As for :meth:`total_effects`.
        draws
            Number of draws, each of a DAG and its edge weights.

        Returns
        -------
        ndarray, shape (draws, p, p)
            Entry (i, j) of a draw is the effect of i on j; see :func:`edgewise.posterior.effects.effect_draws`.
        """
        from .effects import effect_draws

        return effect_draws(self, data, score=score, draws=draws, seed=seed)

    def intervene(
        self: "Posterior",
        values: "Values",
        data: "Data | None" = None,
        *,
        score: "BGe | None" = None,
        draws: int = 1000,
        interval: float = 0.9,
        seed: "int | np.random.Generator | None" = None,
    ) -> "pd.DataFrame":
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
        data: "Data | None" = None,
        *,
        score: "BGe | None" = None,
        draws: int = 1000,
        interval: float = 0.9,
        seed: "int | np.random.Generator | None" = None,
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

    def next_experiments(
        self: "Posterior",
        about: "About" = None,
        *,
        batch: int = 1,
        exclude: Collection[str] = (),
        costs: Mapping[str, float] | None = None,
        rows: int | None = None,
        seed: "int | np.random.Generator | None" = None,
    ) -> "pd.DataFrame":
        """Rank experiments, each of which sets one variable, by how much they would tell about the DAG.

        An experiment is a perfect intervention: the variable is set from outside, whatever its causes, in many rows,
        beside many rows of the present kind. Setting a variable tells which of its neighbours are its parents, and what
        follows from that. What it tells is in bits: one bit settles a question with two equally probable answers.

        Parameters
        ----------
        about
            What to learn about. None: the DAG. ``"directed edges"``: whether there is an edge between two variables,
            and in which direction, added up over all pairs. ``("parents", "ERK")``: the parents of a variable.
            ``("path", "RAF", "ERK")``: whether there is a directed path from one to another. Or any function that takes
            a DAG as a boolean array and returns a number, a text or a tuple.
        batch
            How many experiments to do before looking at the data again. With 1, all are listed, the best first; with
            more, those that tell most together are chosen one after the other, and listed in this order.
        exclude
            Variables that cannot be set.
        costs
            The cost of setting variables, by name, positive numbers; those that are not named cost 1. Then experiments
            are ranked by ``bits_beyond``, in a batch ``marginal_bits``, for their cost.
        rows
            Count what so many rows would tell, by simulation from the posterior, instead of many: the target is set
            around its mean, with the spread that it has in the data. For 20 variables at most, measurements that nobody
            set, and one experiment at a time. Then ``bits`` is what these rows tell beyond the data so far, and
            ``bits_beyond`` is compared with as many rows of the present kind; ``mcse`` is the standard error of
            ``bits`` from 100 simulations, among 500 drawn DAGs at most.
        seed
            With ``rows``, a whole number or a NumPy generator makes the result reproducible.

        Returns
        -------
        DataFrame
            Columns ``target``; ``bits``, what rows of the present kind and rows with the target set tell together;
            ``bits_beyond``, the part of it that no number of rows of the present kind would tell; ``directions``, of
            how many edges whose direction is open the experiment is expected to tell it (only if ``about`` is about the
            whole DAG). In a batch, these are of all experiments up to this one, and ``marginal_bits`` is what it adds
            to those before. With ``costs``, ``cost`` and ``bits_per_cost``. ``attrs`` has ``known_bits``, what the rows
            of the present kind tell alone, and ``open_directions``, the expected number of edges whose direction they
            leave open.

        Notes
        -----
        Where score and prior do not tell the members of an equivalence class apart, as by default, ``bits_beyond`` is
        exact for each class that was drawn. With other priors, samplers that do not count each DAG once, and paths that
        constraints require, directions are taken to be as probable as among the draws that leave the same edges open;
        that is rough. With many variables almost every draw has a class of its own: then ``bits`` says less than there
        is to be told by all rows together, by the same amount for all targets. At most 5000 distinct DAGs are used,
        and for paths and functions 500 classes with 128 members each, a systematic sample of more. Of a bootstrap,
        what counts is how often each class was found.

        Examples
        --------
        >>> import edgewise as ew
        >>> sim = ew.simulate(4, 1000, seed=1)
        >>> posterior = ew.sample(sim.data, iterations=2000, thin=10, chains=2, seed=1, progress=False)
        >>> posterior.next_experiments().columns.tolist()
        ['target', 'bits', 'bits_beyond', 'directions']
        """
        from .information import next_experiments, read_choice, weigh_draws
        from .questions import read_question

        if rows is None:
            return next_experiments(weigh_draws(self), self.nodes, about, batch=batch, exclude=exclude, costs=costs)
        from .finite_rows import simulate_experiments

        choice, feature = read_choice(self.nodes, batch, exclude, costs), read_question(about, self.nodes)
        return simulate_experiments(self, about, feature, choice, rows=rows, seed=seed)

    def plot_next_experiments(self: "Posterior", about: "About" = None, *, number: int = 10) -> "Figure":
        """Draw the best of :meth:`next_experiments` as bars, as long as the bits beyond rows of the present kind.

        Parameters
        ----------
        about
            As for :meth:`next_experiments`.
        number
            How many to show.

        Returns
        -------
        plotly Figure
        """
        from edgewise.arguments import check_whole

        from .outputs import as_figure
        from .pictures import draw_experiments

        return as_figure(draw_experiments(self.next_experiments(about).head(check_whole("number", number))))

    @cached_property
    def quick_experiments(self: "Posterior") -> "pd.DataFrame":
        """What :meth:`next_experiments` returns, from fewer draws: for those who show it beside much else."""
        from .information import next_experiments

        return next_experiments(self._quick_dags, self.nodes)

    @cached_property
    def advice(self: "Posterior") -> str | None:
        """One sentence on the directions that stay open, and what to set to tell them; None if there is none."""
        from .information import advise

        return advise(self, self._quick_dags)

    @cached_property
    def _quick_dags(self: "Posterior") -> "WeighedDags":
        from .information import weigh_draws

        return weigh_draws(self, QUICK_DAGS)

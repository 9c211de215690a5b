"""The posterior: what people keep after a run."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from edgewise._kernels.graphs.features import blankets_weighted_sum, paths_weighted_sum
from edgewise.arguments import check_threshold
from edgewise.data import Moments
from edgewise.data.blocks import Blocks
from edgewise.errors import ArgumentError, ConvergenceWarning
from edgewise.graphs import BoolMatrix, label
from edgewise.priors import Constraints, Knowledge

from . import edge_errors, features, summaries
from .decisions import Decisions
from .diagnostics import Diagnostics, chain_agreement, diagnose, find_disagreement
from .draws import DrawTable
from .features import Estimate
from .monte_carlo import DIGITS, as_counts, monte_carlo_error
from .outputs import Outputs
from .single_graphs import SingleGraphs

Kind = Literal["directed", "undirected", "compelled"]


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Decisions, SingleGraphs, Outputs):
    """Draws of DAGs from a posterior distribution, and what follows from them.

    Made by :func:`edgewise.sample` or :func:`edgewise.load`.

    Attributes
    ----------
    nodes
        The variables' names.
    draws
        The draws, as numbers of families.
    moves
        For each chain, how often each kind of move was proposed and accepted.
    info
        The settings of the run, its seed, the versions of the software and the fingerprint of the data.
    conditionals
        For each chain, the Rao-Blackwellised probabilities of directed and, from runs of MinimalIMAP, of compelled
        edges, shape (chain, 1 or 2, p, p); None where the sampler or the prior does not allow for them.
    conditional_errors
        The Monte Carlo errors of those of directed edges and of joined pairs, shape (2, p, p).
    moments
        The number of rows of the data, the means, standard deviations and correlations of their columns: all that
        :meth:`total_effects` needs of them. None for a run without data, and in files written before these were kept.
    grouped
        The same for data in which variables were set: the statistics of the rows in which each was left free. None
        where nothing was set, and where these are more than 32 MB.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(4, 1000, seed=1)
    >>> posterior = ew.sample(sim.data, iterations=2000, thin=10, chains=2, seed=1, progress=False)
    >>> posterior.dags().shape
    (2, 160, 4, 4)
    >>> float(posterior.probability(lambda dag: dag.sum() <= 6))
    1.0
    """

    nodes: tuple[str, ...]
    draws: DrawTable
    moves: tuple[dict[str, tuple[int, int]], ...]
    info: dict[str, Any] = field(default_factory=dict)
    conditionals: np.ndarray | None = None
    conditional_errors: np.ndarray | None = None
    moments: Moments | None = None
    grouped: Blocks | None = None

    @property
    def log_posterior(self) -> np.ndarray:
        """The unnormalised log posterior at each draw, shape (chain, draw)."""
        return np.asarray(self.draws.log_score + self.draws.log_prior)

    @cached_property
    def weights(self) -> np.ndarray:
        """The weight of each draw, shape (chain, draw); they add up to one."""
        if self.draws.log_weight is None:
            return np.full(self.draws.log_score.shape, 1 / self.draws.log_score.size)
        weights = np.exp(self.draws.log_weight - self.draws.log_weight.max())
        return np.asarray(weights / weights.sum())

    def __repr__(self) -> str:
        chains, draws = self.weights.shape
        return f"<Posterior of {len(self.nodes)} variables: {chains} chains of {draws:,} draws>"

    def dags(self) -> np.ndarray:
        """Return all DAGs, booleans of shape (chain, draw, p, p); entry (i, j) is true when i -> j."""
        return self.draws.dags(np.asarray(self.draws.family[:]))

    def orders(self) -> np.ndarray:
        """Return all orders as column numbers, shape (chain, draw, p)."""
        return np.asarray(self.draws.order[:])

    def edge_probabilities(self, kind: Kind = "directed", *, rao_blackwell: bool | None = None) -> pd.DataFrame:
        """Return the posterior probability of every edge.

        Parameters
        ----------
        kind
            ``"directed"``: that i -> j. ``"undirected"``: that i and j are joined, in either direction;
            symmetric. ``"compelled"``: that i -> j in every DAG that agrees with the constraints of the run and that
            data, with their interventions, cannot tell from the drawn one: data and constraints tell the direction.
        rao_blackwell
            Average, over the draws, how probable each edge is given the rest of the drawn DAG, instead of whether it is
            there. More accurate, above all with few rows of data. Default: wherever that is possible, which is where
            the prior is about single edges; :attr:`estimator` tells.

        Returns
        -------
        DataFrame
            Rows are sources, columns are targets.
        """
        if kind not in ("directed", "undirected", "compelled"):
            raise ArgumentError(f"kind must be 'directed', 'undirected' or 'compelled', but {kind!r} was given.")
        if rao_blackwell or (rao_blackwell is None and self.conditionals is not None):
            return self._labelled(features.conditional_edges(self, kind))
        if kind == "compelled":
            return self._labelled(self.compelled_share)
        share = self.directed_share
        return self._labelled(share if kind == "directed" else share + share.T)

    @property
    def estimator(self) -> str:
        """How edge probabilities are estimated from the draws, unless told otherwise."""
        return "indicators" if self.conditionals is None else "Rao-Blackwell"

    def edges(self, threshold: float = 0.0, *, prior: "Posterior | None" = None) -> pd.DataFrame:
        """Return a table of edges, the most probable first.

        Parameters
        ----------
        threshold
            Leave out edges less probable than this, and always those below .0005, which would be shown as 0.000.
        prior
            A run without data, ``ew.sample(None, nodes=..., prior=...)``, to set its probabilities beside these.

        Returns
        -------
        DataFrame
            Columns ``source``, ``target``, ``probability``, ``mcse`` (the Monte Carlo standard error of the
            probability, from the spread within and between chains), ``undirected`` and ``compelled`` (that the two are
            joined at all, and that the edge is compelled). With ``prior``, its probability follows the posterior's.
        """
        return summaries.tabulate_edges(self, check_threshold(threshold), self._monte_carlo_error, prior)

    def pairs(self, threshold: float = 0.0) -> pd.DataFrame:
        """Return a table of pairs of variables, the most probably joined first.

        Parameters
        ----------
        threshold
            Leave out pairs that are joined with a lower probability than this, and always those below .0005, which
            would be shown as 0.000.

        Returns
        -------
        DataFrame
            Columns ``a`` and ``b``, two variables in the order of the columns; ``joined``, the probability that there
            is an edge between them, with its Monte Carlo standard error ``mcse``; ``forward`` and ``backward``, the
            probabilities of a -> b and of b -> a; ``told_forward`` and ``told_backward``, the probabilities that these
            are compelled, so that data and constraints tell the direction; and ``direction``, ``"->"`` or ``"<-"``
            where it is compelled with a probability of .75 or more given that the two are joined, else ``"-"``. It is
            ``"?"`` where chains disagree, and nothing is claimed of the pair: one of its probabilities differs by more
            than .2 between two of them.
        """
        every, names = self.numbered_pairs, pd.Index(self.nodes)
        table = every[every["joined"] >= check_threshold(threshold)].reset_index(drop=True)
        return table.assign(a=names[table["a"]], b=names[table["b"]])

    def path_probabilities(self) -> pd.DataFrame:
        """Return the probability of a directed path from each variable (row) to each other: that it is an ancestor."""
        return self._labelled(features.sum_matrices(paths_weighted_sum, self.draws, self.weights))

    def markov_blanket_probabilities(self) -> pd.DataFrame:
        """Return the probability that each variable is a parent, child or co-parent of each other; symmetric."""
        return self._labelled(features.sum_matrices(blankets_weighted_sum, self.draws, self.weights))

    def v_structures(self) -> pd.DataFrame:
        """Return the v-structures that were drawn, the most probable first.

        Returns
        -------
        DataFrame
            Columns ``parent``, ``child``, ``other_parent`` and ``probability``: that the two parents act on the child
            and are not joined.
        """
        return features.v_structures(self.draws, self.weights, self.nodes)

    def edge_counts(self) -> "pd.Series[float]":
        """Return the probability of each number of edges."""
        return features.edge_counts(self.draws, self.weights)

    def degrees(self, direction: Literal["in", "out"] = "in") -> pd.DataFrame:
        """Return the probability of each number of parents, or children, of each variable.

        Parameters
        ----------
        direction
            ``"in"`` counts parents, ``"out"`` children.

        Returns
        -------
        DataFrame
            Rows are variables, columns are numbers.
        """
        if direction not in ("in", "out"):
            raise ArgumentError(f"direction must be 'in' or 'out', but {direction!r} was given.")
        return features.degrees(self.draws, self.weights, self.nodes, axis=0 if direction == "in" else 1)

    def expectation(self, function: Callable[..., float], *, networkx: bool = False) -> Estimate:
        """Return the posterior mean of any function of the DAG.

        Parameters
        ----------
        function
            Takes a DAG and returns a number. It is called once for each distinct DAG, not for each draw.
        networkx
            Give the function a networkx graph on the variables' names rather than a boolean array.

        Returns
        -------
        Estimate
            A number with the attribute ``mcse``, its Monte Carlo standard error.
        """
        values = features.evaluate(function, self.draws, self.weights, self.nodes if networkx else None)
        counts, number = as_counts(self.weights)
        mean = float((values * counts).sum() / number)
        weights = None if self.draws.log_weight is None else self.weights
        return Estimate(mean, float(monte_carlo_error(values[:, :, None], weights, mean)[0]))

    def probability(self, function: Callable[..., bool], *, networkx: bool = False) -> Estimate:
        """Return the posterior probability that a function of the DAG is true.

        Parameters
        ----------
        function
            Takes a DAG and returns true or false. It is called once for each distinct DAG, not for each draw.
        networkx
            Give the function a networkx graph on the variables' names rather than a boolean array.

        Returns
        -------
        Estimate
            As for :meth:`expectation`.
        """
        return self.expectation(lambda dag: features.as_truth(function(dag)), networkx=networkx)

    def reweighted(self, log_weight: np.ndarray) -> "Posterior":
        """Return the same draws with other weights.

        Every summary respects the weights; ``diagnostics().weight_ess`` tells what they cost. There are then no
        Rao-Blackwellised probabilities, which were found with the weights of the run.

        Parameters
        ----------
        log_weight
            The log of each draw's weight, up to a constant, shape (chain, draw); minus infinity for none.
        """
        log_weight = np.asarray(log_weight, float)
        if log_weight.shape != self.draws.log_score.shape or not np.isfinite(log_weight).any():
            raise ArgumentError(
                f"log_weight must have a number for each draw, shape {self.draws.log_score.shape}, at least one of "
                f"them finite, but its shape is {log_weight.shape}."
            )
        return replace(
            self, draws=replace(self.draws, log_weight=log_weight), conditionals=None, conditional_errors=None
        )

    def diagnostics(self) -> Diagnostics:
        """Return differences between chains, R-hat, effective sample sizes and acceptance, with a verdict in words.

        Warns
        -----
        ConvergenceWarning
            If the verdict is bad.
        """
        if not self.silent_diagnostics.is_converged:
            warnings.warn(self.silent_diagnostics.verdict, ConvergenceWarning, stacklevel=2)
        return self.silent_diagnostics

    @cached_property
    def silent_diagnostics(self) -> Diagnostics:
        """What :meth:`diagnostics` returns, without its warning: for those who show the verdict themselves."""
        return diagnose(self)

    def chain_agreement(self) -> pd.DataFrame:
        """Return the correlations of directed edge probabilities between chains: the paper's measure of mixing."""
        return chain_agreement(self)

    @cached_property
    def directed_by_chain(self) -> np.ndarray:
        """The probability of every directed edge in each chain by itself, shape (chain, p, p)."""
        if self.conditionals is not None:
            return np.asarray(np.minimum(self.conditionals[:, 0].astype(float), 1.0))
        return self.share_by_chain

    @cached_property
    def share_by_chain(self) -> np.ndarray:
        """The share of the draws of each chain, by weight, in which there is each edge, shape (chain, p, p)."""
        return features.share_by_chain(self.draws, as_counts(self.weights)[0])

    @cached_property
    def compelled_by_chain(self) -> np.ndarray:
        """The probability of every compelled edge in each chain by itself, shape (chain, p, p)."""
        if self.conditionals is not None and self.conditionals.shape[1] > 1:
            return np.asarray(np.minimum(self.conditionals[:, 1].astype(float), 1.0))
        return self._compelled_by_chain

    @cached_property
    def _compelled_by_chain(self) -> np.ndarray:
        return features.compelled_by_chain(self.draws, self.weights, features.exclude_for(self))

    @cached_property
    def knowledge(self) -> Knowledge | None:
        """What the constraints of the run say, by column number; None where there were none."""
        given = self.info.get("constraints")
        return Constraints(**given).resolve(self.nodes) if given else None

    @cached_property
    def told(self) -> BoolMatrix:
        """Whether interventions tell the direction of an edge between two variables, shape (p, p)."""
        return features.told_by_data(self.info, self.nodes)

    @cached_property
    def disagreement(self) -> BoolMatrix:
        """Whether chains disagree on a pair of variables, shape (p, p): see :meth:`pairs`."""
        return find_disagreement(self)

    @cached_property
    def numbered_pairs(self) -> pd.DataFrame:
        """What :meth:`pairs` returns, with column numbers in place of names."""
        return summaries.tabulate_pairs(self, self._joined_error)

    @cached_property
    def directed_share(self) -> np.ndarray:
        """The share of the draws, by weight, in which there is each edge."""
        return np.tensordot(self.weights.sum(axis=1), self.share_by_chain, axes=1)

    @cached_property
    def compelled_share(self) -> np.ndarray:
        """The share of the draws, by weight, in which each edge is compelled."""
        return np.tensordot(self.weights.sum(axis=1), self._compelled_by_chain, axes=1)

    @cached_property
    def _monte_carlo_error(self) -> np.ndarray:
        return edge_errors.directed_error(self)

    @cached_property
    def _joined_error(self) -> np.ndarray:
        return edge_errors.joined_error(self)

    def _labelled(self, probability: np.ndarray) -> pd.DataFrame:
        return label(np.round(probability, DIGITS), self.nodes)

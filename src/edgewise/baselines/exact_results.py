"""What is known exactly: probabilities of edges and paths, and of DAGs where they are few enough to list.

They are read as an :class:`edgewise.Posterior` is, by methods of the same names; Monte Carlo errors are zero.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Literal, overload

import numpy as np
import pandas as pd

from edgewise._kernels.graphs.equivalence import compelled_weighted_sum
from edgewise._kernels.graphs.features import blankets_weighted_sum
from edgewise._kernels.graphs.orientation import exclude
from edgewise.arguments import check_threshold, check_whole
from edgewise.errors import ArgumentError
from edgewise.graphs import BoolMatrix, label, label_unless, to_networkx
from edgewise.graphs.equivalence import told_by
from edgewise.posterior.classes import WeighedDags
from edgewise.posterior.features import Estimate, as_truth
from edgewise.posterior.information import next_experiments
from edgewise.posterior.monte_carlo import DIGITS
from edgewise.posterior.questions import About
from edgewise.posterior.single_graphs import label_graphs
from edgewise.posterior.summaries import RankedGraph, consensus
from edgewise.priors import Knowledge

Kind = Literal["directed", "undirected", "compelled"]
Over = Literal["dags", "orders"]


@dataclass(frozen=True, eq=False, repr=False)
class ExactEdges:
    """Exact posterior probabilities of edges and, over DAGs, of paths.

    Made by :func:`edgewise.exact_posterior`.

    Attributes
    ----------
    nodes
        The variables' names.
    over
        What the prior weighs: ``"dags"``, or ``"orders"``, where a DAG counts once for every order it agrees with.
    log_evidence
        The logarithm of the data's marginal likelihood, averaged over the prior.
    directed : ndarray, shape (p, p)
        The probability of every edge i -> j.
    paths : ndarray, shape (p, p), or None
        The probability of a directed path from i to j, where it is known.
    """

    nodes: tuple[str, ...]
    over: Over
    log_evidence: float
    directed: np.ndarray
    paths: np.ndarray | None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.nodes)} variables, over {self.over}>"

    def edge_probabilities(self, kind: Kind = "directed") -> pd.DataFrame:
        """Return the posterior probability of every edge.

        Parameters
        ----------
        kind
            ``"directed"``: that i -> j. ``"undirected"``: that i and j are joined, in either direction.
            ``"compelled"``: that i -> j in every Markov equivalent DAG that agrees with the constraints and that the
            interventions of the data, if there are any, cannot tell from it; known only where DAGs are listed.

        Returns
        -------
        DataFrame
            Rows are sources, columns are targets.
        """
        if kind == "directed":
            return self._labelled(self.directed)
        if kind == "undirected":
            return self._labelled(self.directed + self.directed.T)
        if kind == "compelled":
            return self._labelled(self._compelled())
        raise ArgumentError(f"kind must be 'directed', 'undirected' or 'compelled', but {kind!r} was given.")

    def edges(self, threshold: float = 0.0) -> pd.DataFrame:
        """Return a table of edges, the most probable first.

        Parameters
        ----------
        threshold
            Leave out edges less probable than this. Impossible ones are always left out.

        Returns
        -------
        DataFrame
            Columns ``source``, ``target``, ``probability``, ``mcse`` (zero) and ``undirected`` (the probability that
            the two are joined at all).
        """
        directed = self.edge_probabilities().to_numpy()
        source, target = np.nonzero((directed >= check_threshold(threshold)) & (directed > 0))
        names = pd.Index(self.nodes)
        table = pd.DataFrame(
            {
                "source": names[source],
                "target": names[target],
                "probability": directed[source, target],
                "mcse": 0.0,
                "undirected": self.edge_probabilities("undirected").to_numpy()[source, target],
            }
        )
        return table.sort_values("probability", ascending=False, kind="stable", ignore_index=True)

    @overload
    def consensus_dag(self, threshold: float = 0.5, *, as_array: Literal[False] = False) -> pd.DataFrame: ...
    @overload
    def consensus_dag(self, threshold: float = 0.5, *, as_array: Literal[True]) -> BoolMatrix: ...
    def consensus_dag(self, threshold: float = 0.5, *, as_array: bool = False) -> BoolMatrix | pd.DataFrame:
        """Return the DAG of all edges with at least some probability; always acyclic.

        Parameters
        ----------
        threshold
            Leave out edges less probable than this. Edges are taken the most probable first, and one that would close a
            cycle is left out too.
        as_array
            Return a boolean array, without names, in place of a DataFrame.

        Returns
        -------
        DataFrame of bool, or ndarray
            Rows are sources, columns are targets.
        """
        dag = consensus(self.edge_probabilities().to_numpy(), check_threshold(threshold))
        return label_unless(as_array, dag, self.nodes)

    def path_probabilities(self) -> pd.DataFrame:
        """Return the probability of a directed path from each variable (row) to each other: that it is an ancestor.

        Returns
        -------
        DataFrame
            Rows are ancestors, columns are descendants.

        Raises
        ------
        ArgumentError
            If it is not known: over orders, and over DAGs of more than five variables with tiers that leave some out.
        """
        if self.paths is None and self.over == "orders":
            raise ArgumentError("Probabilities of paths are known over DAGs only: take over='dags', or sample.")
        if self.paths is None:
            raise ArgumentError(
                "With more than five variables, probabilities of paths are not known if tiers leave some of them out: "
                "put every variable into a tier, or sample."
            )
        return self._labelled(self.paths)

    def _compelled(self) -> np.ndarray:
        raise ArgumentError(
            "Whether edges are compelled is known of listed DAGs only, up to five variables over 'dags': ask for "
            "'directed' or 'undirected' edges."
        )

    def _labelled(self, probability: np.ndarray) -> pd.DataFrame:
        return label(np.round(probability, DIGITS), self.nodes)


@dataclass(frozen=True, eq=False, repr=False)
class ExactPosterior(ExactEdges):
    """The exact posterior probability of every DAG.

    Made by :func:`edgewise.exact_posterior`.

    Attributes
    ----------
    nodes, over, log_evidence, directed, paths
        As in :class:`ExactEdges`.
    dags : ndarray of bool, shape (m, p, p)
        All DAGs; entry (i, j) of one is true when i -> j.
    probabilities : ndarray, shape (m,)
        Their probabilities.
    log_posterior : ndarray, shape (m,)
        Log score plus log prior of each.
    knowledge
        What the constraints say, with which all of them agree.
    targets
        The sets of variables, by column number, that were set together in some rows of the data.
    """

    dags: np.ndarray
    probabilities: np.ndarray
    log_posterior: np.ndarray
    knowledge: Knowledge | None = None
    targets: tuple[tuple[int, ...], ...] = ()

    def edges(self, threshold: float = 0.0) -> pd.DataFrame:
        """Return a table of edges, the most probable first.

        Parameters
        ----------
        threshold
            Leave out edges less probable than this. Impossible ones are always left out.

        Returns
        -------
        DataFrame
            Columns as in :meth:`ExactEdges.edges`, and ``compelled``, the probability that the edge is compelled.
        """
        table = super().edges(threshold)
        compelled = self.edge_probabilities("compelled")
        table["compelled"] = [compelled.loc[edge] for edge in zip(table["source"], table["target"], strict=True)]
        return table

    def markov_blanket_probabilities(self) -> pd.DataFrame:
        """Return the probability that each variable is a parent, child or co-parent of each other; symmetric."""
        return self._labelled(blankets_weighted_sum(self.dags, self.probabilities))

    def expectation(self, function: Callable[..., float], *, networkx: bool = False) -> Estimate:
        """Return the posterior mean of any function of the DAG.

        Parameters
        ----------
        function
            Takes a DAG and returns a number.
        networkx
            Give the function a networkx graph on the variables' names rather than a boolean array.

        Returns
        -------
        Estimate
            A number; its ``mcse`` is zero.
        """
        values = [_as_number(function(to_networkx(dag, self.nodes) if networkx else dag)) for dag in self.dags]
        return Estimate(float(np.dot(self.probabilities, values)), 0.0)

    def probability(self, function: Callable[..., bool], *, networkx: bool = False) -> Estimate:
        """Return the posterior probability that a function of the DAG is true.

        Parameters
        ----------
        function
            Takes a DAG and returns true or false.
        networkx
            Give the function a networkx graph on the variables' names rather than a boolean array.

        Returns
        -------
        Estimate
            As for :meth:`expectation`.
        """
        return self.expectation(lambda dag: as_truth(function(dag)), networkx=networkx)

    @overload
    def top_dags(self, number: int = 10, *, as_array: Literal[False] = False) -> list[RankedGraph[pd.DataFrame]]: ...
    @overload
    def top_dags(self, number: int = 10, *, as_array: Literal[True]) -> list[RankedGraph[BoolMatrix]]: ...
    def top_dags(
        self, number: int = 10, *, as_array: bool = False
    ) -> list[RankedGraph[BoolMatrix]] | list[RankedGraph[pd.DataFrame]]:
        """Return the most probable DAGs.

        Parameters
        ----------
        number
            How many.
        as_array
            Let the graphs be boolean arrays, without names, in place of DataFrames.

        Returns
        -------
        list of RankedGraph
            Each with ``graph``, ``probability`` and ``log_posterior``.
        """
        # Markov equivalent DAGs must not differ by rounding.
        best = np.argsort(-np.round(self.probabilities, DIGITS), kind="stable")[: check_whole("number", number)]
        ranked = [
            RankedGraph(self.dags[which], float(self.probabilities[which]), float(self.log_posterior[which]))
            for which in best
        ]
        return ranked if as_array else label_graphs(ranked, self.nodes)

    def next_experiments(
        self,
        about: About = None,
        *,
        batch: int = 1,
        exclude: Collection[str] = (),
        costs: Mapping[str, float] | None = None,
    ) -> pd.DataFrame:
        """Rank experiments, each of which sets one variable, by how much they would tell about the DAG.

        Parameters
        ----------
        about, batch, exclude, costs
            As for :meth:`edgewise.Posterior.next_experiments`.

        Returns
        -------
        DataFrame
            The same columns; all numbers are exact.
        """
        is_possible = self.probabilities > 0
        dags = WeighedDags(
            len(self.nodes),
            self.probabilities[is_possible],
            self.dags[is_possible].__getitem__,
            told_by(self.targets, len(self.nodes)),
            None,
            "listed",
        )
        return next_experiments(dags, self.nodes, about, batch=batch, exclude=exclude, costs=costs)

    @overload
    def map_dag(self, *, as_array: Literal[False] = False) -> pd.DataFrame: ...
    @overload
    def map_dag(self, *, as_array: Literal[True]) -> BoolMatrix: ...
    def map_dag(self, *, as_array: bool = False) -> BoolMatrix | pd.DataFrame:
        """Return the most probable DAG; of several that are equally probable, the first listed.

        Parameters
        ----------
        as_array
            Return a boolean array, without names, in place of a DataFrame.

        Returns
        -------
        DataFrame of bool, or ndarray
            Rows are sources, columns are targets.
        """
        return label_unless(as_array, self.top_dags(1, as_array=True)[0].graph, self.nodes)

    def _compelled(self) -> np.ndarray:
        told = told_by(self.targets, len(self.nodes))
        known = exclude(told=told) if self.knowledge is None else self.knowledge.tell_apart(told)
        return np.asarray(compelled_weighted_sum(self.dags, self.probabilities, known))


def _as_number(value: object) -> float:
    if isinstance(value, Real | np.bool_) and np.isfinite(float(value)):
        return float(value)
    raise ArgumentError(f"The function must return one finite number for each DAG, but it returned {value!r}.")

"""Single graphs in place of a whole posterior: the most probable ones, and the one on which the draws agree."""

from typing import TYPE_CHECKING, Literal, overload

import pandas as pd

from edgewise.arguments import check_threshold, check_whole
from edgewise.graphs import BoolMatrix, label, label_unless

from . import summaries
from .summaries import RankedGraph

if TYPE_CHECKING:
    from .posterior import Posterior


class SingleGraphs:
    """The methods of :class:`edgewise.Posterior` that return graphs.

    They are DataFrames of booleans: rows are sources and columns targets, both labelled with the names of the
    variables. With ``as_array`` they are arrays of shape (p, p), in the order of :attr:`Posterior.nodes`.
    """

    @overload
    def map_dag(self: "Posterior", *, as_array: Literal[False] = False) -> pd.DataFrame: ...
    @overload
    def map_dag(self: "Posterior", *, as_array: Literal[True]) -> BoolMatrix: ...
    def map_dag(self: "Posterior", *, as_array: bool = False) -> BoolMatrix | pd.DataFrame:
        """Return the most probable DAG: the one with the largest share of the draws, by weight.

        Where no DAG was drawn twice, it is the one with the highest posterior. Its share is in :meth:`top_dags`.

        Parameters
        ----------
        as_array
            Return a boolean array, without names, in place of a DataFrame.

        Returns
        -------
        DataFrame of bool, or ndarray
            ``dag.loc["Raf", "Mek"]`` is true when Raf -> Mek.
        """
        return label_unless(as_array, summaries.top_dags(self, 1)[0].graph, self.nodes)

    @overload
    def map_cpdag(self: "Posterior", *, as_array: Literal[False] = False) -> pd.DataFrame: ...
    @overload
    def map_cpdag(self: "Posterior", *, as_array: Literal[True]) -> BoolMatrix: ...
    def map_cpdag(self: "Posterior", *, as_array: bool = False) -> BoolMatrix | pd.DataFrame:
        """Return the most probable equivalence class, as a CPDAG; its share is in :meth:`top_cpdags`.

        Parameters
        ----------
        as_array
            Return a boolean array, without names, in place of a DataFrame.

        Returns
        -------
        DataFrame of bool, or ndarray
            Both entries of a pair are true where its direction is open.
        """
        return label_unless(as_array, summaries.top_cpdags(self, 1)[0].graph, self.nodes)

    @overload
    def top_dags(
        self: "Posterior", number: int = 10, *, as_array: Literal[False] = False
    ) -> list[RankedGraph[pd.DataFrame]]: ...
    @overload
    def top_dags(self: "Posterior", number: int = 10, *, as_array: Literal[True]) -> list[RankedGraph[BoolMatrix]]: ...
    def top_dags(
        self: "Posterior", number: int = 10, *, as_array: bool = False
    ) -> list[RankedGraph[BoolMatrix]] | list[RankedGraph[pd.DataFrame]]:
        """Return the most probable DAGs with their shares of the draws, for averaging over models.

        Parameters
        ----------
        number
            How many, if so many were drawn.
        as_array
            Let the graphs be boolean arrays, without names, in place of DataFrames.

        Returns
        -------
        list of RankedGraph
            Each with ``graph``, ``probability`` and ``log_posterior``.
        """
        ranked = summaries.top_dags(self, check_whole("number", number))
        return ranked if as_array else label_graphs(ranked, self.nodes)

    @overload
    def top_cpdags(
        self: "Posterior", number: int = 10, *, as_array: Literal[False] = False
    ) -> list[RankedGraph[pd.DataFrame]]: ...
    @overload
    def top_cpdags(
        self: "Posterior", number: int = 10, *, as_array: Literal[True]
    ) -> list[RankedGraph[BoolMatrix]]: ...
    def top_cpdags(
        self: "Posterior", number: int = 10, *, as_array: bool = False
    ) -> list[RankedGraph[BoolMatrix]] | list[RankedGraph[pd.DataFrame]]:
        """Return the most probable Markov equivalence classes, as interventions divide them, with shares of the draws.

        Parameters
        ----------
        number
            How many, if so many were drawn.
        as_array
            Let the graphs be boolean arrays, without names, in place of DataFrames.

        Returns
        -------
        list of RankedGraph
            Each with ``graph`` (both entries of a pair are true where its direction is open), ``probability`` and
            ``log_posterior``.
        """
        ranked = summaries.top_cpdags(self, check_whole("number", number))
        return ranked if as_array else label_graphs(ranked, self.nodes)

    @overload
    def consensus_dag(
        self: "Posterior", threshold: float = 0.5, *, as_array: Literal[False] = False
    ) -> pd.DataFrame: ...
    @overload
    def consensus_dag(self: "Posterior", threshold: float = 0.5, *, as_array: Literal[True]) -> BoolMatrix: ...
    def consensus_dag(
        self: "Posterior", threshold: float = 0.5, *, as_array: bool = False
    ) -> BoolMatrix | pd.DataFrame:
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
            ``dag.loc["Raf", "Mek"]`` is true when Raf -> Mek.
        """
        dag = summaries.consensus(self.edge_probabilities().to_numpy(), check_threshold(threshold))
        return label_unless(as_array, dag, self.nodes)

    def inclusion_threshold(self: "Posterior") -> float:
        """Return a threshold for the probability of being joined that the data choose (Scutari & Nagarajan 2013).

        Pairs with a higher probability than this are kept.
        """
        return summaries.inclusion_threshold(self.edge_probabilities("undirected").to_numpy())


def label_graphs(ranked: list[RankedGraph[BoolMatrix]], names: tuple[str, ...]) -> list[RankedGraph[pd.DataFrame]]:
    """Return graphs with names on their rows and columns."""
    return [RankedGraph(label(graph, names), probability, height) for graph, probability, height in ranked]

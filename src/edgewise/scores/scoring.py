"""Scores of whole DAGs, and what a score must offer."""

from typing import Protocol

import numpy as np

from edgewise._kernels.families.families import LogDetScore, local_score
from edgewise.data import Data, Dataset, load_data
from edgewise.graphs import Graph, as_dag

from .bge import BGe


class Score(Protocol):
    """A score of DAGs that is a sum over families."""

    def prepare(self, dataset: Dataset) -> LogDetScore:
        """Return the score's tables for a data set, as the compiled loop wants them."""


def local_scores(dag: np.ndarray, tables: LogDetScore) -> np.ndarray:
    """Return the local score of every variable in a DAG."""
    p = len(dag)
    scores = np.empty(p)
    triangle = np.empty(p * (p + 1) // 2)
    for node in range(p):
        parents = np.flatnonzero(dag[:, node])
        scores[node] = local_score(tables, np.append(parents, node), len(parents), triangle)
    return scores


def score(dag: Graph, data: Data, score: Score | None = None) -> float:
    """Return the logarithm of a DAG's score.

    Parameters
    ----------
    dag
        A boolean array or DataFrame, ``dag[i, j]`` true for i -> j, or a networkx graph.
    data
        Whatever :func:`edgewise.sample` takes.
    score
        Default: ``BGe()``.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(5, 1000, seed=1)
    >>> ew.score(sim.dag, sim.data) > ew.score(sim.dag * 0, sim.data)
    True
    """
    dataset = load_data(data)
    tables = (BGe() if score is None else score).prepare(dataset)
    return float(local_scores(as_dag(dag, dataset.names), tables).sum())

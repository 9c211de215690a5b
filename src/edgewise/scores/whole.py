"""Scores of whole DAGs."""

from typing import Unpack

from edgewise.data import Data, Reading, load_data
from edgewise.graphs import Graph, as_dag

from .choosing import prepare_score
from .refusals import check_local_scores
from .scoring import Score, local_scores


def score(dag: Graph, data: Data, score: Score | None = None, **reading: Unpack[Reading]) -> float:
    """Return the logarithm of a DAG's score.

    Parameters
    ----------
    dag
        A boolean array or DataFrame, ``dag[i, j]`` true for i -> j, or a networkx graph.
    data
        Whatever :func:`edgewise.sample` takes.
    score
        Default: the one that fits the kinds of the columns, ``BGe()`` for numbers.
    **reading
        How to read the table, as in :func:`edgewise.load_data`.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(5, 1000, seed=1)
    >>> ew.score(sim.dag, sim.data) > ew.score(sim.dag * 0, sim.data)
    True
    """
    dataset = load_data(data, **reading)
    tables = prepare_score(score, dataset)
    found = as_dag(dag, dataset.names)
    scores = local_scores(found, tables)
    check_local_scores(scores, found, dataset.names)
    return float(scores.sum())

"""Scores of whole DAGs."""

from edgewise.data import Data, load_data
from edgewise.graphs import Graph, as_dag

from .bge import BGe
from .scoring import Score, local_scores, prepare_score


def default_score() -> Score:
    """Return the score that is used, in samplers and searches alike, where none is given."""
    return BGe()


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
    tables = prepare_score(default_score() if score is None else score, dataset)
    return float(local_scores(as_dag(dag, dataset.names), tables).sum())

"""How well edge probabilities find the edges of a known DAG."""

from dataclasses import dataclass

import numpy as np

from edgewise.graphs import Graph, as_dag, compelled_edges
from edgewise.posterior import Posterior


def auroc(score: np.ndarray, truth: np.ndarray) -> float:
    """Return the area under the ROC curve: the chance that a true item scores higher than a false one.

    Ties count half. Returns nan when all items are true or all are false.

    Examples
    --------
    >>> auroc(np.array([0.9, 0.4, 0.5, 0.1]), np.array([True, True, False, False]))
    0.75
    """
    from scipy.stats import rankdata

    score, truth = np.ravel(score), np.ravel(truth).astype(bool)
    positive = int(truth.sum())
    negative = truth.size - positive
    if positive == 0 or negative == 0:
        return float("nan")
    rank_sum = float(rankdata(score)[truth].sum())
    return (rank_sum - positive * (positive + 1) / 2) / (positive * negative)


@dataclass(frozen=True)
class Accuracy:
    """Areas under the ROC curve, as in the paper's Table 1, and for directed edges."""

    undirected: float
    compelled: float
    directed: float


def measure_accuracy(posterior: Posterior, dag: Graph) -> Accuracy:
    """Compare a posterior with the DAG that generated the data.

    Undirected features are pairs of variables; directed and compelled ones are ordered pairs.

    Parameters
    ----------
    posterior
        What was found.
    dag
        The truth, in any form that :func:`edgewise.graphs.as_dag` takes.
    """
    dag = as_dag(dag, posterior.nodes)
    p = len(dag)
    pairs = np.triu_indices(p, 1)
    ordered = ~np.eye(p, dtype=bool)

    undirected, compelled, directed = (
        posterior.edge_probabilities(kind).to_numpy() for kind in ("undirected", "compelled", "directed")
    )
    return Accuracy(
        undirected=auroc(undirected[pairs], (dag | dag.T)[pairs]),
        compelled=auroc(compelled[ordered], compelled_edges(dag)[ordered]),
        directed=auroc(directed[ordered], dag[ordered]),
    )

"""Posteriors over all DAGs of a few variables by enumeration, each DAG once or once for every order it agrees with."""

from functools import cache
from itertools import permutations

import numpy as np
from scipy.special import logsumexp

from naive import scores
from naive.graphs import all_dags


def count_orders(dags):
    """The number of orders in which all parents precede their children, for each DAG of a stack (m, p, p)."""
    return sum(~np.tril(dags[:, order][:, :, order]).any(axis=(1, 2)) for order in permutations(range(dags.shape[1])))


class ExactDags:
    """All DAGs that are possible, their exact probabilities, and the evidence."""

    def __init__(
        self, values, *, over, edge_log_prior=-1.0, max_parents=None, required=None, forbidden=None, local=scores.bge
    ):
        values = np.asarray(values)
        p = values.shape[1]
        edge_log_prior = np.broadcast_to(edge_log_prior, (p, p))
        required = np.zeros((p, p), bool) if required is None else required
        forbidden = np.zeros((p, p), bool) if forbidden is None else forbidden
        family = cache(lambda node, parents: local(values, node, parents))
        self.dags = np.array(
            [
                dag
                for dag in all_dags(p)
                if (max_parents is None or dag.sum(axis=0).max() <= max_parents)
                and not (required & ~dag).any()
                and not (forbidden & dag).any()
            ]
        )
        log_score = [
            sum(family(node, tuple(np.flatnonzero(dag[:, node]).tolist())) for node in range(p)) for dag in self.dags
        ]
        orders = count_orders(self.dags) if over == "orders" else 1
        log_prior = np.array([edge_log_prior[dag].sum() for dag in self.dags]) + np.log(orders)
        log_posterior = np.array(log_score) + log_prior
        self.log_evidence = logsumexp(log_posterior) - logsumexp(log_prior)
        self.probability = np.exp(log_posterior - logsumexp(log_posterior))

    def edge_probabilities(self):
        return np.tensordot(self.probability, self.dags, axes=1)

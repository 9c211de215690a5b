"""Posteriors over all DAGs of a few variables by enumeration, each DAG once or once for every order it agrees with."""

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
        dags = all_dags(p)
        has_few_parents = dags.sum(axis=1).max(axis=1) <= (p if max_parents is None else max_parents)
        is_refused = ((required & ~dags) | (forbidden & dags)).any(axis=(1, 2))
        self.dags = dags[has_few_parents & ~is_refused]
        log_score = np.zeros(len(self.dags))
        for node in range(p):
            families, which = np.unique(self.dags[:, :, node], axis=0, return_inverse=True)
            local_score = [local(values, node, tuple(np.flatnonzero(members).tolist())) for members in families]
            log_score += np.array(local_score)[which]
        orders = count_orders(self.dags) if over == "orders" else 1
        log_prior = np.where(self.dags, edge_log_prior, 0.0).sum(axis=(1, 2)) + np.log(orders)
        log_posterior = log_score + log_prior
        self.log_evidence = logsumexp(log_posterior) - logsumexp(log_prior)
        self.probability = np.exp(log_posterior - logsumexp(log_posterior))

    def edge_probabilities(self):
        return np.tensordot(self.probability, self.dags, axes=1)

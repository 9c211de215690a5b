"""The target of Algorithm 1 by enumeration: every order with its minimal I-MAP, score and prior."""

from itertools import permutations

import numpy as np

from naive import scores
from naive.imap import NaiveIMAP


class ExactOrders:
    """All orders of a small data set, their DAGs and their exact probabilities."""

    def __init__(self, values, *, alpha=0.01, gamma=1.0):
        values = np.asarray(values)
        n, p = values.shape
        imap = NaiveIMAP(np.corrcoef(values.T), n, alpha)
        self.orders = list(permutations(range(p)))
        self.dags = np.array([imap.dag(order) for order in self.orders])
        log_posterior = np.array([scores.total(scores.bge, values, dag) - gamma * dag.sum() for dag in self.dags])
        weight = np.exp(log_posterior - log_posterior.max())
        self.log_posterior = log_posterior
        self.probability = weight / weight.sum()

    def edge_probabilities(self):
        return np.tensordot(self.probability, self.dags, axes=1)

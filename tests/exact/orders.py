"""The target of a chain over orders by enumeration: every order with its minimal I-MAP, score and prior."""

from itertools import permutations

import numpy as np

from naive import scores
from naive.imap import NaiveIMAP
from naive.knowledge import constrained_dag


class ExactOrders:
    """All orders of a small data set that knowledge and prior allow, their DAGs and their exact probabilities.

    ``log_prior`` is a function of the DAG and the order; by default it is the sparsity prior. ``imap`` finds parents as
    NaiveIMAP does, with full conditioning at the level ``alpha``, unless another is given. ``heat`` is the power of the
    likelihood.
    """

    def __init__(self, values, *, alpha=0.01, gamma=1.0, log_prior=None, knowledge=None, imap=None, heat=1.0):
        values = np.asarray(values)
        n, p = values.shape
        if imap is None:
            imap = NaiveIMAP(np.corrcoef(values.T), n, alpha)
        self.orders, dags, log_posterior = [], [], []
        for order in permutations(range(p)):
            dag = imap.dag(order)
            if knowledge is not None:
                if any(knowledge.before[b, a] for i, a in enumerate(order) for b in order[i:]):
                    continue
                dag = constrained_dag(imap, order, knowledge)
            if dag is None:
                continue
            prior = -gamma * dag.sum() if log_prior is None else log_prior(dag, order)
            if prior > -np.inf:
                self.orders.append(order)
                dags.append(dag)
                log_posterior.append(heat * scores.total(scores.bge, values, dag) + prior)
        self.dags = np.array(dags)
        self.log_posterior = np.array(log_posterior)
        weight = np.exp(self.log_posterior - self.log_posterior.max())
        self.probability = weight / weight.sum()

    def edge_probabilities(self):
        return np.tensordot(self.probability, self.dags, axes=1)

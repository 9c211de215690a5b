"""The paper's Algorithms 1 and 2 as printed, less their misprints: the slow twin of the compiled chain."""

import math

import numpy as np

from naive import scores
from naive.imap import NaiveIMAP


class NaiveChain:
    """Minimal I-MAP MCMC with a full test, by inversion, of every pair that a swap may change."""

    def __init__(self, values, order, *, alpha=0.01, gamma=1.0, laziness=0.01):
        self.values = np.asarray(values)
        n, self.p = self.values.shape
        self.imap = NaiveIMAP(np.corrcoef(self.values.T), n, alpha)
        self.gamma = gamma
        self.laziness = laziness
        self.order = list(order)
        self.dag = self.imap.dag(self.order)
        self.log_posterior = self.score(self.dag)

    def score(self, dag):
        return scores.total(scores.bge, self.values, dag) - self.gamma * dag.sum()

    def update(self, order, k):
        """Algorithm 2 (UMI): retest the two variables of an adjacent swap, or everything for first <-> last."""
        if k == self.p - 1:
            return self.imap.dag(order)
        dag = self.dag.copy()
        for position in (k, k + 1):
            node, before = order[position], order[:position]
            dag[:, node] = False
            for other in before:
                dag[other, node] = self.imap.is_dependent(node, other, [v for v in before if v != other])
        return dag

    def step(self, choice, uniform):
        """Take one step of Algorithm 1 with the same two random numbers as the compiled chain."""
        k = int(choice * self.p / (1 - self.laziness))
        if k >= self.p:
            return
        order = list(self.order)
        other = (k + 1) % self.p
        order[k], order[other] = order[other], order[k]
        dag = self.update(order, k)
        log_posterior = self.score(dag)
        if log_posterior >= self.log_posterior or uniform < math.exp(log_posterior - self.log_posterior):
            self.order, self.dag, self.log_posterior = order, dag, log_posterior

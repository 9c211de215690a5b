"""Minimal I-MAPs the slow way: partial correlations by inverting sub-matrices of the correlation matrix."""

import math
from functools import cache

import numpy as np
from scipy.stats import norm


class NaiveIMAP:
    """The minimal I-MAPs of a data set, by Fisher's z. Parents are remembered by node and set of predecessors."""

    def __init__(self, correlation, n, alpha):
        self.correlation = correlation
        self.n = n
        self.critical = norm.isf(alpha / 2)
        self.parents = cache(self._parents)

    def is_dependent(self, x, y, given):
        degrees = self.n - len(given) - 3
        if degrees <= 0:
            return False
        columns = [x, y, *given]
        precision = np.linalg.inv(self.correlation[np.ix_(columns, columns)])
        rho = -precision[0, 1] / math.sqrt(precision[0, 0] * precision[1, 1])
        return math.sqrt(degrees) * abs(math.atanh(min(max(rho, -1 + 1e-16), 1 - 1e-16))) > self.critical

    def _parents(self, node, predecessors):
        """Test all predecessors, each given the others, from one inverse."""
        degrees = self.n - len(predecessors) - 2
        if degrees <= 0 or not predecessors:
            return frozenset()
        others = sorted(predecessors)
        precision = np.linalg.inv(self.correlation[np.ix_([node, *others], [node, *others])])
        rho = precision[0, 1:] / np.sqrt(precision[0, 0] * np.diag(precision)[1:])
        dependent = math.sqrt(degrees) * np.abs(np.arctanh(rho)) > self.critical
        return frozenset(other for other, yes in zip(others, dependent, strict=True) if yes)

    def dag(self, order):
        dag = np.zeros((len(order), len(order)), dtype=bool)
        for position, node in enumerate(order):
            dag[list(self.parents(node, frozenset(order[:position]))), node] = True
        return dag

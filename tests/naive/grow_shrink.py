"""Grow-shrink the slow way: every gain from its definition, one family or one inverse at a time.

*Grow*: from the required parents on, add the predecessor with the largest gain as long as one has any. *Shrink*: remove
the member whose loss gains most as long as one does. By the criterion "score", the gain of a change is the difference
of the family's score and log prior, where positive. By the criterion "test", adding a variable gains the square of its
partial correlation given the set, where Fisher's z is significant; and the member to lose is the one with the smallest
partial correlation given the others, where that is not significant.
"""

import math
from functools import cache

import numpy as np
from scipy.stats import norm

from naive import scores


class NaiveGrowShrink:
    """The parents that grow-shrink finds, for any node and any set of predecessors.

    ``required`` and ``forbidden`` are edges, (p, p) bool. What was found for a set is remembered, which changes nothing
    but the time.
    """

    def __init__(
        self,
        values,
        *,
        criterion,
        alpha=0.01,
        required=None,
        forbidden=None,
        local=scores.bge,
    ):
        self.values = np.asarray(values)
        self.n, p = self.values.shape
        self.correlation = np.corrcoef(self.values.T).reshape(p, p)
        self.by_score = {"score": True, "test": False}[criterion]
        self.critical = norm.isf(alpha / 2)
        # Each of p - 1 possible neighbours is there with probability 4 / (p - 1), at most one half.
        expected = min(4 / (p - 1), 0.5)
        self.penalty = np.log((1 - expected) / expected)
        self.required = np.zeros((p, p), bool) if required is None else required
        self.forbidden = np.zeros((p, p), bool) if forbidden is None else forbidden
        self.local = local
        self.worth = cache(self._worth)
        self.partial_correlation = cache(self._partial_correlation)
        self.gain = cache(self._gain)
        self.search = cache(self._search)

    def _worth(self, node, parents):
        """Return the log score of a family, less the penalty for its parents."""
        return self.local(self.values, node, sorted(parents)) - self.penalty * len(parents)

    def _partial_correlation(self, node, other, given):
        """Return the square of a partial correlation."""
        columns = [node, other, *sorted(given)]
        precision = np.linalg.inv(self.correlation[np.ix_(columns, columns)])
        return precision[0, 1] ** 2 / (precision[0, 0] * precision[1, 1])

    def is_significant(self, square, given):
        """Return whether Fisher's z is; a test without degrees of freedom says no."""
        degrees = self.n - len(given) - 3
        return degrees > 0 and math.sqrt(degrees) * math.atanh(math.sqrt(min(square, 1 - 1e-16))) > self.critical

    def _gain(self, node, other, grown):
        """Return what adding a variable to a set gains; zero if nothing."""
        if self.by_score:
            return max(self.worth(node, grown | {other}) - self.worth(node, grown), 0.0)
        if self.n - len(grown) - 3 <= 0:
            return 0.0
        square = self.partial_correlation(node, other, grown)
        return square if self.is_significant(square, grown) else 0.0

    def grow(self, node, predecessors):
        """Return the variables added to the required parents, the first first."""
        path = []
        grown = frozenset(np.flatnonzero(self.required[:, node]).tolist())
        while True:
            gains = {
                other: self.gain(node, other, grown)
                for other in predecessors
                if other not in grown and not self.forbidden[other, node]
            }
            best = max(gains, key=gains.get, default=None)
            if best is None or gains[best] <= 0:
                return path
            path.append(best)
            grown |= {best}

    def shrink(self, node, grown):
        """Return what is left of a set."""
        parents = frozenset(grown)
        while True:
            others = {member: parents - {member} for member in parents if not self.required[member, node]}
            if self.by_score:
                gains = {member: self.worth(node, rest) - self.worth(node, parents) for member, rest in others.items()}
                gains = {member: gain for member, gain in gains.items() if gain > 0}
            else:
                squares = {member: self.partial_correlation(node, member, rest) for member, rest in others.items()}
                gains = {
                    member: -square
                    for member, square in squares.items()
                    if not self.is_significant(square, others[member])
                }
            if not gains:
                return parents
            parents = others[max(gains, key=gains.get)]

    def _search(self, node, predecessors):
        """Return the order in which variables are added, and the parents after shrinking."""
        path = self.grow(node, predecessors)
        return tuple(path), self.shrink(node, {*path, *np.flatnonzero(self.required[:, node]).tolist()})

    def parents(self, node, predecessors):
        """Return the parents of a node among a set of predecessors."""
        return self.search(node, frozenset(predecessors))[1]

    def dag(self, order):
        """Return the DAG of an order."""
        dag = np.zeros((len(order), len(order)), dtype=bool)
        for position, node in enumerate(order):
            dag[list(self.parents(node, frozenset(order[:position]))), node] = True
        return dag

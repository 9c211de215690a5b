"""Max-min parents and children the slow way: every test by itself, over all subsets."""

import math
from itertools import chain, combinations

import numpy as np


def subsets(items, largest):
    return chain.from_iterable(combinations(items, size) for size in range(min(largest, len(items)) + 1))


def fisher_z(correlation, n, x, y, given):
    columns = [x, y, *given]
    precision = np.linalg.inv(correlation[np.ix_(columns, columns)])
    rho = -precision[0, 1] / math.sqrt(precision[0, 0] * precision[1, 1])
    return math.sqrt(n - len(given) - 3) * abs(math.atanh(rho))


def weakest_z(correlation, n, target, x, always, optional, largest):
    """The least z over all sets that hold ``always`` and some of ``optional``, and leave degrees of freedom."""
    found = [
        fisher_z(correlation, n, target, x, [*always, *some])
        for some in subsets(optional, largest - len(always))
        if len(always) <= largest and n - len(always) - len(some) - 3 > 0
    ]
    return min(found, default=math.inf)


def neighbours(correlation, n, critical, largest):
    """The candidate pairs of MMPC with the symmetry correction; ``critical`` is the bound on z."""
    p = len(correlation)
    found = [_parents_and_children(correlation, n, critical, largest, target) for target in range(p)]
    matrix = np.zeros((p, p), dtype=bool)
    for i in range(p):
        for j in range(p):
            matrix[i, j] = i in found[j] and j in found[i]
    return matrix


def _parents_and_children(correlation, n, critical, largest, target):
    found = []
    while True:
        weakest = {
            x: weakest_z(correlation, n, target, x, [], found, largest)
            for x in range(len(correlation))
            if x != target and x not in found
        }
        if not weakest or max(weakest.values()) <= critical:
            break
        found.append(max(weakest, key=weakest.get))
    for x in list(found):
        others = [other for other in found if other != x]
        if weakest_z(correlation, n, target, x, [], others, largest) <= critical:
            found = others
    return found

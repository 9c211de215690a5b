"""Sums over all DAGs of a few variables, each counted once: without subtracting, and without rounding.

Weights of families are those of :mod:`edgewise._kernels.learners.exact_dags`: family[j, G] is the log weight of the
parents of j whose bits are set in G.
"""

from collections import defaultdict
from itertools import product

import numpy as np


def subsets(members):
    """Every subset of a set of bits."""
    return [some for some in range(members + 1) if some & members == some]


def log_sums(family, source=None):
    """The log of the sum over all DAGs, by the set of the source's descendants and itself (0 without a source).

    A DAG grows in layers: each variable has all its parents in earlier layers, and one at least in the last of them.
    """
    p = len(family)
    found = defaultdict(lambda: -np.inf)
    states = {(0, 0, 0): 0.0}
    while states:
        grown = defaultdict(lambda: -np.inf)
        for (placed, last, reached), log_weight in states.items():
            if placed == (1 << p) - 1:
                found[reached] = np.logaddexp(found[reached], log_weight)
                continue
            options = []
            for v in [v for v in range(p) if not placed >> v & 1]:
                ways = {False: [], True: []}
                for parents in subsets(placed):
                    if (parents & last or not placed) and family[v, parents] > -np.inf:
                        ways[v == source or parents & reached != 0].append(family[v, parents])
                here = [(1 << v, is_reached << v, np.logaddexp.reduce(log)) for is_reached, log in ways.items() if log]
                options.append([(0, 0, 0.0), *here])
            for choice in product(*options):
                layer, below, log_layer = map(sum, zip(*choice, strict=True))
                if layer:
                    state = placed | layer, layer, reached | below
                    grown[state] = np.logaddexp(grown[state], log_weight + log_layer)
        states = grown
    return found


def log_sum_with(family, i, j):
    """The log of the sum over all DAGs with the edge i -> j: other families of j are impossible."""
    only = family.copy()
    only[j, [parents for parents in range(family.shape[1]) if not parents >> i & 1]] = -np.inf
    return log_sums(only)[0]


def path_probabilities(family, source):
    """The probability of a path from the source to each variable, itself included."""
    found = log_sums(family, source)
    total = np.logaddexp.reduce(list(found.values()))
    return [
        sum(np.exp(log_weight - total) for reached, log_weight in found.items() if reached >> v & 1)
        for v in range(len(family))
    ]


def exact_total(weights):
    """The sum over all DAGs, given whole numbers as weights, weights[j][G], by inclusion and exclusion."""
    p = len(weights)
    within = [list(row) for row in weights]
    for row in within:
        for b in range(p):
            for members in range(1 << p):
                if members >> b & 1:
                    row[members] += row[members ^ 1 << b]
    total = [1] + [0] * ((1 << p) - 1)
    for members in range(1 << p):
        terms = {0: -total[members]}
        for j in range(p):
            if not members >> j & 1:
                terms |= {added | 1 << j: -term * within[j][members] for added, term in terms.items()}
        for added, term in terms.items():
            if added:
                total[members | added] += term
    return total[-1]

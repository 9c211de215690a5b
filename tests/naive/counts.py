"""Scores and tests of discrete data the slow way: count rows one by one in dictionaries.

``codes`` are levels from 0 on, -1 where they are not known, (n, p); ``is_set`` says where the experimenter set a value.
"""

from collections import Counter, defaultdict
from itertools import combinations, product
from math import lgamma, prod

import numpy as np
from scipy import stats


def free_rows(codes, node, is_set):
    """The rows in which a variable was left free."""
    return [row for number, row in enumerate(codes.tolist()) if is_set is None or not is_set[number, node]]


def bdeu(codes, node, parents, *, levels, equivalent_sample_size=1.0, is_set=None):
    """Return the log marginal likelihood of a family, summed over all configurations, whether they occur or not."""
    rows = free_rows(codes, node, is_set)
    known = [row for row in rows if min(row[v] for v in [node, *parents]) >= 0]
    times = Counter((tuple(row[v] for v in parents), row[node]) for row in known)
    a = equivalent_sample_size / prod(levels[v] for v in parents)
    total = 0.0
    for configuration in product(*(range(levels[v]) for v in parents)):
        here = [times[configuration, level] for level in range(levels[node])]
        total += lgamma(a) - lgamma(a + sum(here))
        for n in here:
            total += lgamma(a / levels[node] + n) - lgamma(a / levels[node])
    effective = np.mean(
        [sum(row[u] >= 0 and row[v] >= 0 for row in rows) for u, v in combinations(range(len(levels)), 2)]
    )
    if not known:
        return 0.0 if effective == 0 else -np.inf
    return total * effective / len(known)


def g_squared(codes, x, y, given, *, is_set=None):
    """Return G^2, its degrees of freedom, and the rows of strata in which both variables vary."""
    strata = defaultdict(list)
    for row in free_rows(codes, y, is_set):
        if min(row[v] for v in [x, y, *given]) >= 0:
            strata[tuple(row[v] for v in given)].append((row[x], row[y]))
    statistic, degrees, number = 0.0, 0, 0
    for pairs in strata.values():
        of_x, of_y = (sorted(set(level)) for level in zip(*pairs, strict=True))
        if len(of_x) > 1 and len(of_y) > 1:
            table = [[pairs.count((a, b)) for b in of_y] for a in of_x]
            result = stats.chi2_contingency(table, lambda_="log-likelihood", correction=False)
            statistic += result.statistic
            degrees += result.dof
            number += len(pairs)
    return statistic, degrees, number


def strength(codes, x, y, given, *, is_set=None):
    """Return the deviate with the same p-value; -inf without degrees of freedom, or five rows for each."""
    statistic, degrees, rows = g_squared(codes, x, y, given, is_set=is_set)
    if degrees == 0 or rows < 5 * degrees:
        return -np.inf
    return stats.norm.isf(stats.chi2.sf(statistic, degrees) / 2)

"""Sums over all orders of the variables and all DAGs along them, by dynamic programming over sets of variables.

Koivisto & Sood (2004), "Exact Bayesian structure discovery in Bayesian networks", JMLR 5; Koivisto (2006), UAI.

A set of variables is a number: bit i is variable i. All weights are logarithms, since those of families differ by
thousands.

Legend
------
family : (p, 2^p)
    family[j, G] is the log weight of parents G of variable j: local score plus log prior; -inf where j is in G.
within : (p, 2^p)
    within[j, S] is the log of the sum of the weights of all parents of j within S.
before : (2^p,)
    before[S] is the log of the sum over all orders of S, each variable with any parents before it.
after : (2^p,)
    after[S] is the same for all orders of the variables not in S, which come after those in S.
"""

import numpy as np

from ..compiling import inner, kernel
from ..scores.interface import local_score


@inner
def log_add(a, b):
    """Return log(exp(a) + exp(b))."""
    low, high = min(a, b), max(a, b)
    if low == -np.inf:
        return high
    return high + np.log1p(np.exp(low - high))


@kernel
def weigh_families(score, edge_log_prior, required, forbidden, max_parents, is_scored, room, family):
    """Set the log weights of all families: -inf with a forbidden parent, without a required one, or with too many.

    Without the score, they are what the prior says.
    """
    p = family.shape[0]
    members = np.empty(p, np.int64)
    for j in range(p):
        for parents in range(1 << p):
            size = 0
            log_prior = 0.0
            possible = not parents >> j & 1
            for i in range(p):
                if parents >> i & 1:
                    members[size] = i
                    size += 1
                    log_prior += edge_log_prior[i, j]
                    possible &= not forbidden[i, j]
                else:
                    possible &= not required[i, j]
            family[j, parents] = -np.inf
            if possible and size <= max_parents:
                members[size] = j
                family[j, parents] = log_prior
                if is_scored:
                    family[j, parents] += local_score(score, members, size, room)


@inner
def add_subsets(table, row):
    """Replace each entry of a row by the log of the sum over all subsets of its set."""
    bit = 1
    while bit < table.shape[1]:
        for members in range(table.shape[1]):
            if members & bit:
                table[row, members] = log_add(table[row, members], table[row, members ^ bit])
        bit <<= 1


@inner
def add_supersets(table):
    """Replace each entry by the log of the sum over all sets that contain its set."""
    bit = 1
    while bit < table.shape[0]:
        for members in range(table.shape[0]):
            if not members & bit:
                table[members] = log_add(table[members], table[members | bit])
        bit <<= 1


@inner
def sum_forward(within, before):
    """Set ``before`` for all sets: the last variable of an order is any, and its parents are among the others."""
    before[0] = 0.0
    for members in range(1, before.shape[0]):
        total = -np.inf
        for j in range(within.shape[0]):
            if members >> j & 1:
                others = members ^ (1 << j)
                total = log_add(total, before[others] + within[j, others])
        before[members] = total


@inner
def sum_backward(within, after):
    """Set ``after`` for all sets: the next variable is any that is not in the set, with parents in it."""
    after[after.shape[0] - 1] = 0.0
    for members in range(after.shape[0] - 2, -1, -1):
        total = -np.inf
        for j in range(within.shape[0]):
            if not members >> j & 1:
                total = log_add(total, within[j, members] + after[members | 1 << j])
        after[members] = total


@inner
def sum_edges(family, before, after, around, edges):
    """Set ``edges[i, j]`` to the probability of i -> j.

    ``around`` is room for one number per set: the log weight of all orders in which j comes right after a set, and then
    of those in which it comes anywhere after a set.
    """
    p = family.shape[0]
    total = before[before.shape[0] - 1]
    for j in range(p):
        for members in range(around.shape[0]):
            around[members] = -np.inf
            if not members >> j & 1:
                around[members] = before[members] + after[members | 1 << j] - total
        add_supersets(around)
        for i in range(p):
            edges[i, j] = 0.0
        for parents in range(around.shape[0]):
            if family[j, parents] > -np.inf:
                probability = np.exp(family[j, parents] + around[parents])
                for i in range(p):
                    if parents >> i & 1:
                        edges[i, j] += probability


@kernel
def sum_over_orders(family):
    """Return the log of the total weight of all orders and DAGs along them. ``family`` becomes ``within``."""
    for j in range(family.shape[0]):
        add_subsets(family, j)
    before = np.empty(family.shape[1])
    sum_forward(family, before)
    return before[-1]


@kernel
def edge_probabilities(family):
    """Return the log of the total weight of all orders and DAGs, and the probability of every edge, shape (p, p)."""
    p, sets = family.shape
    within = family.copy()
    for j in range(p):
        add_subsets(within, j)
    before = np.empty(sets)
    after = np.empty(sets)
    sum_forward(within, before)
    sum_backward(within, after)
    edges = np.empty((p, p))
    sum_edges(family, before, after, np.empty(sets), edges)
    return before[-1], edges

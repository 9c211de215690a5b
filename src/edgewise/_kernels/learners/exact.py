"""Probabilities of edges by the sums over all orders of the variables and all DAGs along them.

Koivisto & Sood (2004), "Exact Bayesian structure discovery in Bayesian networks", JMLR 5; Koivisto (2006), UAI. The
sums over the orders of all sets of variables are those of :mod:`..dags.order_sums`, with all variables as candidates of
each; here follow those over the orders of the others, and what both tell.

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

from ..compiling import in_place, inner, kernel
from ..dags.candidates import CandidateSets
from ..dags.filling import sum_subsets
from ..dags.order_sums import OrderSums, add_logs, sum_orders
from ..scores.interface import local_score


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
def add_supersets(table):
    """Replace each entry by the log of the sum over all sets that contain its set."""
    bit = 1
    while bit < table.shape[0]:
        for members in range(table.shape[0]):
            if not members & bit:
                table[members] = add_logs(table[members], table[members | bit])
        bit <<= 1


@inner
def sum_backward(within, after):
    """Set ``after`` for all sets: the next variable is any that is not in the set, with parents in it."""
    after[after.shape[0] - 1] = 0.0
    for members in range(after.shape[0] - 2, -1, -1):
        total = -np.inf
        for j in range(within.shape[0]):
            if not members >> j & 1:
                total = add_logs(total, within[j, members] + after[members | 1 << j])
        after[members] = total


@in_place
def sum_edges(family, within, before, after, around, edges):
    """Set ``edges[i, j]`` to the probability of i -> j, and ``after``.

    ``around`` is room for one number per set: the log weight of all orders in which j comes right after a set, and then
    of those in which it comes anywhere after a set.
    """
    sum_backward(within, after)
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


def sum_over_orders(family: np.ndarray) -> tuple[OrderSums, np.ndarray]:
    """Return the sums over the orders of all sets, and ``within``."""
    p, number = family.shape
    every = np.arange(p)
    tables = np.empty((2, p, number))
    for log_weight, log_half, log_sum in zip(family, *tables, strict=True):
        sum_subsets(log_weight, log_half, log_sum)
    sets = CandidateSets(
        member=np.tile(every, (p, 1)),
        number=np.full(p, p),
        row=np.full((p, 1), -1),
        place=np.tile(every.astype(np.int32), (p, 1)),
        start=number * every,
        log_weight=family.ravel(),
        log_half=tables[0].ravel(),
        log_sum=tables[1].ravel(),
    )
    itself = np.arange(number, dtype=np.int32)
    sums = OrderSums(np.empty(number), low=np.tile(itself, (p, 1)), high=np.zeros((p, 1), np.int32))
    sum_orders(sums, sets, np.zeros((p, 1), np.uint64), np.empty(p))
    return sums, tables[1]


def edge_probabilities(family: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the log of the total weight of all orders and DAGs, and the probability of every edge, shape (p, p)."""
    sums, within = sum_over_orders(family)
    edges = np.empty((len(family), len(family)))
    after, around = np.empty((2, family.shape[1]))
    sum_edges(family, within, sums.log_sum, after, around, edges)
    return float(sums.log_sum[-1]), edges

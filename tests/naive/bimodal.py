"""A posterior over orders with two modes, exactly known, between which no chain that moves one variable can go.

Two groups of four variables each. Given all of the other group, the variables of a group are independent of each other,
and each depends on all of the other group. If the last variables of an order are of the second group, they have the
first group as parents and need no edges among themselves; but the first group, whom nothing separates, needs an edge
for every pair. With the first group last it is the other way round: 22 edges, and the same likelihood. On the way from
one kind of order to the other, members of both groups come late, and leave unseparated pairs in both groups. However
one moves a variable at a time, some DAG on the way has 25 edges, and each superfluous one costs log(n) / 2 and what the
prior has against it.
"""

from itertools import permutations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import edgewise as ew
from edgewise.data import load_data
from edgewise.samplers import Schedule

SIZE = 4
"""Variables in a group. With three, the way leads over one superfluous edge only; with five there are 10! orders."""

STRENGTH = 0.2
"""Partial correlation of two variables of different groups, given all others. It must be below 1 / SIZE, where the
correlations would no longer be those of any distribution, and is strong enough for all edges to show in 10,000 rows."""

FIRST_LAST = np.array([*range(SIZE, 2 * SIZE), *range(SIZE)])
SECOND_LAST = np.arange(2 * SIZE)
"""An order of each mode: with the first group last, and with the second."""

KIND = np.array([0, 0, 1, 1, *[2] * SIZE])
"""Variables of a kind can take each other's places: covariance and prior stay the same, and so do log posteriors."""


def two_groups(n):
    """Return the exact covariance of the two groups, X0 to X3 and X4 to X7, as if found in n rows."""
    precision = np.eye(2 * SIZE)
    precision[:SIZE, SIZE:] = precision[SIZE:, :SIZE] = -STRENGTH
    return ew.Covariance(np.linalg.inv(precision), n)


def lopsided_prior(log_odds=1.0):
    """Return a prior that favours the second group last, by believing in one of the edges that these orders need."""
    edge = np.zeros((2 * SIZE, 2 * SIZE))
    edge[0, 1] = edge[1, 0] = log_odds
    return ew.Sparsity(1.0) + ew.EdgeBeliefs(log_odds=edge)


def has_second_last(orders):
    """Return which orders are on the side of the second group: most of their last three variables belong to it."""
    return (np.asarray(orders)[..., -(SIZE - 1) :] >= SIZE).sum(axis=-1) > (SIZE - 1) / 2


def different_orders():
    """Return one order for each way to place the kinds of variables: there are 420, each for 96 of all orders."""
    orders = np.array(list(permutations(range(2 * SIZE))))
    return orders[np.unique(name_orders(orders), return_index=True)[1]]


def name_orders(orders):
    """Return a number for each order, the same if it has variables of the same kinds in the same places."""
    return KIND[orders] @ 3 ** np.arange(2 * SIZE)


def enumerate_orders(chain, orders=None):
    """Return orders, by default all, with the log score and the log prior of each, as the chain itself finds them."""
    if orders is None:
        orders = np.array(list(permutations(range(len(chain.state.order)))))
    log_score, log_prior = np.empty((2, len(orders)))
    for i, order in enumerate(orders):
        chain.state.order[:] = order
        assert chain.refresh()
        log_score[i] = chain.log_score
        log_prior[i] = chain.log_posterior - chain.log_score
    return orders, log_score, log_prior


def normalise(log_weight):
    weight = np.exp(log_weight - log_weight.max())
    return weight / weight.sum()


def depth(orders, log_posterior, is_second):
    """Return how deep one must go from the best of the different orders to get to the best of the other mode.

    Steps are those of the chain: one variable moves to any other place, or the first and last change places.
    """
    p = orders.shape[1]
    moves = [np.insert(np.delete(np.arange(p), i), j, i) for i in range(p) for j in range(p) if i != j]
    moves.append(np.array([p - 1, *range(1, p - 1), 0]))
    name = name_orders(orders)
    by_name = np.argsort(name)
    moved = name_orders(np.concatenate([orders[:, places] for places in moves]))
    end = by_name[np.searchsorted(name, moved, sorter=by_name)]
    start = np.tile(np.arange(len(orders)), len(moves))
    lowest = np.minimum(log_posterior[start], log_posterior[end])

    def is_connected(level):
        """Return whether there is a way that never goes below a level."""
        open_to = lowest >= level
        ways = coo_array((open_to[open_to], (start[open_to], end[open_to])), shape=(len(orders),) * 2)
        component = connected_components(ways, directed=False)[1]
        best = [np.where(kind, log_posterior, -np.inf).argmax() for kind in (is_second, ~is_second)]
        return component[best[0]] == component[best[1]]

    levels = np.unique(log_posterior.round(6)) - 1e-6
    low, high = 0, len(levels)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_connected(levels[middle]) else (low, middle)
    return log_posterior.max() - levels[low]


def compare_tempering(*, n=10_000, iterations=120_000, chains=4, seed=1):
    """Return the share of the orders with the first group last: the exact one, and what chains find from there."""
    data, prior = two_groups(n), lopsided_prior()
    model = ew.MinimalIMAP().prepare(load_data(data), ew.BGe(), prior, None)
    chain = model.start(FIRST_LAST, np.random.default_rng(0), Schedule(1, 0, 1))
    orders, log_score, log_prior = enumerate_orders(chain, different_orders())
    share = {"exact": float(normalise(log_score + log_prior)[~has_second_last(orders)].sum())}
    for name, temperatures in (("single", None), ("tempered", "auto")):
        posterior = ew.sample(
            data,
            sampler=ew.MinimalIMAP(temperatures=temperatures),
            prior=prior,
            iterations=iterations,
            thin=10,
            chains=chains,
            seed=seed,
            start=FIRST_LAST,
            progress=False,
        )
        share[name] = float((~has_second_last(posterior.orders())).mean())
    return share

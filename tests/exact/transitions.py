"""The transition matrix of the compiled chain over orders, found from its steps."""

import warnings
from itertools import pairwise

import numpy as np

import edgewise as ew
from edgewise.samplers import Schedule
from naive.stepping import Scripted, choose, choose_relocation, make_chain

NEVER = Schedule(iterations=10**9, burn_in=10**9 - 1, thin=1)
"""No draws: only the order after a step is looked at."""

PARTS = 8
"""The range of the number that decides a step is swept in so many parts, before those with two ends are divided."""

NARROW = 2.0**-41
"""The width of the last parts, which limits the error of a probability."""


def destinations(chain, start, choice):
    """Return where a step from ``start`` leads, and with what probability, when its first number is ``choice``.

    The second number goes from 0 to 1. A part of that range is divided as long as its ends lead to different orders.
    """

    def destination(uniform):
        if tuple(chain.state.order.tolist()) != start:
            chain.state.order[:] = start
            assert chain.refresh()
        # Within rounding errors of 1, weights that should add up to the whole may not.
        chain.rng = Scripted([[choice, min(uniform, 1 - NARROW)]])
        chain.advance(1)
        return tuple(chain.state.order.tolist())

    found = {}
    ends = [(uniform, destination(uniform)) for uniform in np.linspace(0, 1, PARTS + 1).tolist()]
    parts = list(pairwise(ends))
    while parts:
        (low, first), (high, last) = parts.pop()
        if first == last or high - low < NARROW:
            found[first] = found.get(first, 0.0) + high - low
        else:
            middle = (low + high) / 2
            between = (middle, destination(middle))
            parts += [((low, first), between), (between, (high, last))]
    return found


def exchanged(order, k):
    """Return the order with position k and the next exchanged, the first being next to the last."""
    order, h = list(order), (k + 1) % len(order)
    order[k], order[h] = order[h], order[k]
    return [tuple(order)]


def relocated(order, k):
    """Return the orders with the variable at position k at any position."""
    rest = [*order[:k], *order[k + 1 :]]
    return [(*rest[:j], order[k], *rest[j:]) for j in range(len(order))]


def transition_matrices(values, orders, *, laziness=0.1, heat=1.0, **settings):
    """Return for exchanges and for relocations, if they are made at all, their probability and transition matrix.

    No step may lead outside ``orders``. ``heat`` is the power of the likelihood; other settings as for make_chain.
    """
    p = np.shape(values)[1]
    number = {order: i for i, order in enumerate(orders)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ew.VoidTestWarning)
        chain = make_chain(values, orders[0], laziness=laziness, schedule=NEVER, **settings)
    chain.target = chain.target._replace(heat=heat)
    share = chain.model.relocations
    found = []
    for probability, choice, neighbours in (
        ((1 - laziness) * (1 - share), choose, exchanged),
        ((1 - laziness) * share, choose_relocation, relocated),
    ):
        matrix = np.zeros((len(orders), len(orders)))
        for order in orders if probability > 0 else ():
            for k in range(p):
                reached = destinations(chain, order, choice(chain, k))
                assert set(reached) <= {order, *neighbours(order, k)}
                for other, part in reached.items():
                    matrix[number[order], number[other]] += part / p
        if probability > 0:
            found.append((probability, matrix))
    return found


def transition_matrix(values, orders, *, laziness=0.1, **settings):
    """Return the transition matrix over ``orders``; arguments as in :func:`transition_matrices`."""
    found = transition_matrices(values, orders, laziness=laziness, **settings)
    return sum(probability * matrix for probability, matrix in found) + laziness * np.eye(len(orders))

"""The transition matrix of the compiled chain over orders, found from its steps."""

import warnings
from functools import partial

import numpy as np

import edgewise as ew
from edgewise.samplers import Schedule
from exact.intervals import NARROW, Ends, measure_outcomes
from naive.stepping import Scripted, choose, choose_relocation, make_chain

NEVER = Schedule(iterations=10**9, burn_in=10**9 - 1, thin=1)
"""No draws: only the order after a step is looked at."""

PARTS = 8
"""The range of the number that decides a step is swept in so many parts, before those with two ends are divided."""


def go_to(chain, order):
    """Put a chain at an order, if it is not there."""
    if tuple(chain.state.order.tolist()) != order:
        chain.state.order[:] = order
        assert chain.refresh()


def destinations(chain, start, choice, likely):
    """Return where a step from ``start`` leads, and with what probability, when its first number is ``choice``.

    The second number goes from 0 to 1; where it may lead elsewhere is ``likely``.
    """

    def destination(uniform):
        go_to(chain, start)
        # Within rounding errors of 1, weights that should add up to the whole may not.
        chain.rng = Scripted([[choice, min(uniform, 1 - NARROW)]])
        chain.advance(1)
        return tuple(chain.state.order.tolist())

    return measure_outcomes(destination, ends=Ends(likely), parts=PARTS)


def weigh(chain, order):
    """Return the log of what the chain takes the probability of an order to be."""
    go_to(chain, order)
    relatives = 0.0 if chain.structure is None else chain.structure.value[0, 2]
    return chain.log_posterior + (chain.target.heat - 1) * chain.log_score + relatives


def exchanged(order, k):
    """Return the order with position k and the next exchanged, the first being next to the last."""
    order, h = list(order), (k + 1) % len(order)
    order[k], order[h] = order[h], order[k]
    return [tuple(order)]


def acceptance(weight, order, k):
    """Return where a number no longer leads to an exchange, if the chain is right."""
    return [np.exp(min(weight[other] - weight[order], 0.0)) for other in exchanged(order, k) if other in weight]


def relocated(order, k):
    """Return the orders with the variable at position k at any position."""
    rest = [*order[:k], *order[k + 1 :]]
    return [(*rest[:j], order[k], *rest[j:]) for j in range(len(order))]


def conditional(weight, order, k, tested):
    """Return where a number leads to the next position, if the chain is right: one of those that are tested."""
    log_weight = np.array([weight.get(other, -np.inf) for other in relocated(order, k)[:tested]])
    sums = np.exp(log_weight - log_weight.max()).cumsum()
    return (sums / sums[-1]).tolist()


def transition_matrices(values, orders, *, laziness=0.1, heat=1.0, **settings):
    """Return for exchanges and for relocations, if they are made at all, their probability and transition matrix.

    No step may lead outside ``orders``. ``heat`` is the power of the likelihood; other settings as for make_chain.
    """
    p = len(orders[0])
    number = {order: i for i, order in enumerate(orders)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ew.VoidTestWarning)
        chain = make_chain(values, orders[0], laziness=laziness, schedule=NEVER, **settings)
    chain.target = chain.target._replace(heat=heat)
    weight = {order: weigh(chain, order) for order in orders}
    tested = len(chain.state.found.W) if settings.get("parents", "full") == "full" else p
    share = chain.model.relocations
    found = []
    for probability, choice, neighbours, likely in (
        ((1 - laziness) * (1 - share), choose, exchanged, acceptance),
        ((1 - laziness) * share, choose_relocation, relocated, partial(conditional, tested=tested)),
    ):
        matrix = np.zeros((len(orders), len(orders)))
        for order in orders if probability > 0 else ():
            for k in range(p):
                reached = destinations(chain, order, choice(chain, k), likely(weight, order, k))
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

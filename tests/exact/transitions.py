"""The transition matrix of the compiled chain over orders, found from its steps."""

import warnings

import numpy as np

import edgewise as ew
from naive.stepping import choose, drive, make_chain


def acceptance(chain, start, k):
    """Return where a chain goes from ``start`` when it proposes swap k, and with what probability it accepts.

    The probability is found by bisection: it is the largest random number with which the chain still moves.
    """

    def destination(uniform):
        chain.state.order[:] = start
        assert chain.refresh()
        _, orders, _ = drive(chain, [[choose(chain, k), uniform]])
        return tuple(orders[0].tolist())

    proposed = list(start)
    j = (k + 1) % len(start)
    proposed[k], proposed[j] = proposed[j], proposed[k]
    proposed = tuple(proposed)
    low, high = 0.0, 1.0
    if destination(0.0) != proposed:
        return proposed, 0.0
    if destination(np.nextafter(1.0, 0.0)) == proposed:
        return proposed, 1.0
    for _ in range(52):
        middle = (low + high) / 2
        if destination(middle) == proposed:
            low = middle
        else:
            high = middle
    return proposed, low


def transition_matrix(values, orders, *, laziness=0.1, **settings):
    """Return the transition matrix over ``orders``, outside which no step may lead; settings as for make_chain."""
    p = values.shape[1]
    number = {order: i for i, order in enumerate(orders)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ew.VoidTestWarning)
        chain = make_chain(values, orders[0], laziness=laziness, **settings)
    matrix = np.zeros((len(orders), len(orders)))
    for order in orders:
        for k in range(p):
            proposed, probability = acceptance(chain, order, k)
            if probability:
                matrix[number[order], number[proposed]] += (1 - laziness) / p * probability
    return matrix + np.diag(1 - matrix.sum(axis=1))

"""Sums over all orders, from which chains draw whole DAGs, as far as time and memory allow."""

import numpy as np

from edgewise._kernels.dags.candidates import CandidateSets
from edgewise._kernels.dags.order_sums import OrderSums, sum_orders

MOST_SUMMED = 26
"""Most variables to sum over the orders of: with 20 a sixth of a second and 8 MB, with 26 some 12 seconds and 537 MB,
and twice as much of both for each one more."""

SUMMED_AT_ONCE = 21
"""Up to so many variables it is not worth while to see whether chains agree without."""


def no_sums(p: int) -> OrderSums:
    """Return what stands for sums over the orders of more variables than can be had."""
    return OrderSums(np.zeros(1), *np.zeros((2, p, 1), np.int32))


def sum_over_orders(sets: CandidateSets, earlier: np.ndarray) -> OrderSums:
    """Return the sums over all orders, with parents among the candidates.

    Parameters
    ----------
    sets
        The candidates of each variable, weighed.
    earlier
        Who comes before each variable in every order, as bits.
    """
    p = len(earlier)
    half = p // 2
    member = [sets.member[v, : sets.number[v]] for v in range(p)]
    low = np.array([_translate(row, range(half)) for row in member])
    high = np.array([_translate(row, range(half, p)) for row in member])
    sums = OrderSums(np.empty(1 << p), low, high)
    sum_orders(sums, sets, earlier, np.zeros(p))
    return sums


def _translate(member: np.ndarray, variables: range) -> np.ndarray:
    """Return, for each set of some variables, which candidates it has, both as bits."""
    found = np.zeros(1, np.int32)
    for v in variables:
        bit = (1 << np.flatnonzero(member == v)).sum()
        found = np.concatenate([found, found | np.int32(bit)])
    return found

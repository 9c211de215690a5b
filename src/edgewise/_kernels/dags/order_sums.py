"""The sum over all orders, and over all DAGs along them, by dynamic programming over sets of variables.

Let B_v(U) be the sum of the weights of all parent sets of v within a set U of variables. The DAGs on U, each counted
once for every order that it agrees with, weigh

    L(U) = sum over the last variable v of U of L(U - v) B_v(U - v)

together (Koivisto & Sood 2004; He, Tian & Wu 2016). Drawn back from L, and then from B, an order and a DAG that agrees
with it come with a probability in proportion to the weight of the DAG. The draws are independent of one another and of
where a chain is, so that nothing can keep a chain that takes them from going anywhere: see :mod:`.jumps`.

Here parent sets are those within the candidates of each variable, which B_v looks up in the tables of
:mod:`.candidates`. A set of variables is a number, its bits; sums are logarithms.
"""

import math
from typing import NamedTuple

import numpy as np

from ..basics.bits import first
from ..compiling import in_place, inner


class OrderSums(NamedTuple):
    """The sums, and what else it takes to draw by them; a single one where there are too many variables.

    ``log_sum[U]`` is log L(U). The candidates of v in U are ``low[v, bits of U below h] | high[v, the others]``, where
    h is such that ``low`` has 2^h columns.
    """

    log_sum: np.ndarray
    low: np.ndarray
    high: np.ndarray


NEGLIGIBLE = -36.0
"""What is less than e^-36 = 2e-16 of the largest term does not change a sum."""


@inner
def add_logs(one, other):
    """Return log(exp(one) + exp(other))."""
    if other > one:
        one, other = other, one
    if other == -np.inf or other - one < NEGLIGIBLE:
        return one
    return one + math.log1p(math.exp(other - one))


@inner
def find_allowed(sums, v, members):
    """Return which candidates of v are among some members, as bits."""
    half = sums.low.shape[1]
    return np.int64(sums.low[v, members & (half - 1)] | sums.high[v, members // half])


@inner
def log_within(sums, sets, v, members):
    """Return log B_v(members)."""
    return sets.log_sum[sets.start[v] + find_allowed(sums, v, members)]


@in_place
def sum_orders(sums, sets, earlier, term):
    """Set ``log_sum`` for all sets; p 2^(p-1) steps. ``earlier[v, 0]`` are those that must come before v, as bits."""
    log_sum = sums.log_sum
    log_sum[0] = 0.0
    for members in range(1, log_sum.shape[0]):
        number = 0
        top = -np.inf
        left = members
        while left:
            v = first(np.uint64(left))
            left &= left - 1
            others = members ^ (1 << v)
            if np.int64(earlier[v, 0]) & ~others == 0:
                term[number] = log_sum[others] + log_within(sums, sets, v, others)
                if term[number] > top:
                    top = term[number]
                number += 1
        total = 0.0
        for i in range(number):
            if term[i] - top > NEGLIGIBLE:
                total += math.exp(term[i] - top)
        log_sum[members] = top + math.log(total) if top > -np.inf else -np.inf


@inner
def draw_last(sums, sets, earlier, members, rng):
    """Return the last variable of an order of some members, drawn by weight."""
    uniform = rng.random()
    drawn = -1
    left = members
    while left and uniform >= 0.0:
        v = first(np.uint64(left))
        left &= left - 1
        others = members ^ (1 << v)
        if np.int64(earlier[v, 0]) & ~others == 0 and sums.log_sum[others] > -np.inf:
            log_weight = sums.log_sum[others] + log_within(sums, sets, v, others)
            if log_weight > -np.inf:
                drawn = v
                uniform -= math.exp(log_weight - sums.log_sum[members])
    return drawn

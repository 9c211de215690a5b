"""Relocation: a variable's new position in the order, drawn from its full conditional or taken where it is best.

The variable is moved, exchange by exchange, to the one end of the order that it may reach and then to the other, and
the log target is noted at each position. Positions that rules or the prior exclude are not passed: those on this side
of them are the same seen from each, so that drawing among them leaves the target as it is. O(p) exchanges.

Exchanges are those of the way of finding parents; :mod:`edgewise._kernels.grow_shrink.relocation` can do without.
"""

import numpy as np

from ..basics.metropolis import ACCEPTED, REJECTED
from ..compiling import inner
from .ways import exchange_neighbours

GREATER = 1e-9
"""By how much a position must be better than the present one to be called better, and not the same but for rounding."""


@inner
def choose_position(log_weight, low, high, k, uniform, greedy):
    """Return a position from low to high: the best, or one drawn with probability proportional to its weight.

    A position that is no better than ``k``, the present one, is not chosen as the best.
    """
    best = k
    for i in range(low, high + 1):
        if log_weight[i] > log_weight[best]:
            best = i
    if greedy:
        return best if log_weight[best] > log_weight[k] + GREATER else k
    total = 0.0
    for i in range(low, high + 1):
        total += np.exp(log_weight[i] - log_weight[best])
    rest = uniform * total
    for i in range(low, high + 1):
        rest -= np.exp(log_weight[i] - log_weight[best])
        if rest < 0.0:
            return i
    return best


LEG, AT, START, LOW, HIGH, CHOSEN = range(6)
"""Places of a journey: its leg (down, up, and down again to the chosen position), where the variable is, where it was
at first, the ends of what it may reach, and the position chosen."""


@inner
def next_exchange(journey, log_weight, uniform, greedy):
    """Return the first of the two positions to exchange next, -1 at the end of the journey."""
    while True:
        leg = journey[LEG]
        if (leg == 0 and journey[AT] > journey[LOW]) or (leg == 2 and journey[AT] > journey[CHOSEN]):
            return journey[AT] - 1
        if leg == 1 and journey[AT] < journey[HIGH]:
            return journey[AT]
        if leg == 1:
            journey[CHOSEN] = choose_position(
                log_weight, journey[LOW], journey[HIGH], journey[START], uniform, greedy
            )  # fmt: skip
        if leg == 2:
            return np.int64(-1)
        journey[LEG] = leg + 1


@inner
def go_on(journey, log_weight, outcome, log_ratio):
    """Note what became of an exchange, and what the new position is worth."""
    leg = journey[LEG]
    at = journey[AT]
    if outcome == REJECTED:
        journey[LOW if leg == 0 else HIGH if leg == 1 else CHOSEN] = at
        return
    step = 1 if leg == 1 else -1
    journey[AT] = at + step
    if leg == 0 or (leg == 1 and at >= journey[START]):
        log_weight[at + step] = log_weight[at] + log_ratio


@inner
def travel(state, target, views, k, last, uniform, greedy):
    """Relocate the variable at position k, who may go no further than ``last``; return what became of it."""
    journey = state.journey
    log_weight = state.log_weight
    journey[LEG] = 0
    journey[AT] = k
    journey[START] = k
    journey[LOW] = 0
    journey[HIGH] = last
    log_weight[k] = 0.0
    at = next_exchange(journey, log_weight, uniform, greedy)
    while at >= 0:
        outcome, log_ratio = exchange_neighbours(target.way, state, target, views, np.uint32(at), 0.0)
        if outcome < 0:
            return outcome
        go_on(journey, log_weight, outcome, log_ratio)
        at = next_exchange(journey, log_weight, uniform, greedy)
    return ACCEPTED if journey[CHOSEN] != journey[START] else REJECTED

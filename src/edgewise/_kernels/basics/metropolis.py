"""The Metropolis rule, and the draw by weight that needs none."""

import math

import numpy as np

from ..compiling import inner

REJECTED, ACCEPTED, PROPOSED, SINGULAR_PREFIX, ASK = 0, 1, 2, -1, -2
"""What becomes of a proposal. PROPOSED is still to be decided, SINGULAR_PREFIX brings together variables that determine
each other, and ASK could not get the value of a prior written in Python."""


@inner
def is_rejected(log_ratio, uniform):
    """Return whether uniform >= exp(log_ratio).

    As 1 + x <= exp(x), one comparison settles most acceptances. The other is in logarithms, and by log1p, because LLVM
    would evaluate exp and log, which it knows, before the first comparison and so in every step.
    """
    return uniform >= 1.0 + log_ratio and np.log1p(uniform - 1.0) >= log_ratio


@inner
def draw_place(log_weight, first, last, uniform):
    """Draw one of the places from ``first`` to ``last`` by weights given as logarithms, which are replaced."""
    top = log_weight[first]
    for i in range(first + 1, last + 1):
        if log_weight[i] > top:
            top = log_weight[i]
    total = 0.0
    before = np.nan
    weight = 0.0
    for i in range(first, last + 1):
        # Neighbours often have the same weight.
        if log_weight[i] != before:
            before = log_weight[i]
            weight = math.exp(before - top)
        log_weight[i] = weight
        total += weight
    left = uniform * total
    drawn = first
    for i in range(first, last + 1):
        if log_weight[i] > 0.0:
            drawn = i
            left -= log_weight[i]
            if left < 0.0:
                break
    return drawn

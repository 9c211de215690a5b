"""The weakest dependence of a variable on others, over many sets to condition on."""

import numpy as np

from ..compiling import inner, kernel
from ..independence.interface import strengths


@inner
def lower(test, members, size, node, room, found, weakest):
    """Lower ``weakest`` to the strengths given this set, where they are less; what it determines depends on nothing."""
    strengths(test, members, size, node, room, found)
    for x in range(weakest.shape[0]):
        weakest[x] = min(weakest[x], max(found[x], 0.0))


@kernel
def weakest_strengths(test, p, node, always, optional, largest, room):
    """Return the least strength of ``node`` with each of p variables, given any set; shape (p,).

    The sets hold all of ``always`` and any of ``optional``, at most ``largest`` variables, and are small enough for the
    test to be defined. Where there is no such set, the result is infinite. Entries of ``node``, and of the members of a
    set, have no meaning.
    """
    fixed = always.shape[0]
    most = min(largest, fixed + optional.shape[0], test.most_given)
    weakest = np.full(p, np.inf)
    if fixed > most:
        return weakest
    found = np.empty(p)
    members = np.empty(p, np.int64)
    for m in range(fixed):
        members[m] = always[m]
    lower(test, members, fixed, node, room, found, weakest)

    # Each set extends one that was visited before by one candidate; ``chosen`` says which of the optional ones.
    chosen = np.empty(p, np.int64)
    size = fixed
    candidate = 0
    while True:
        if size < most and candidate < optional.shape[0]:
            chosen[size] = candidate
            members[size] = optional[candidate]
            size += 1
            lower(test, members, size, node, room, found, weakest)
            candidate += 1
        elif size > fixed:
            size -= 1
            candidate = chosen[size] + 1
        else:
            return weakest

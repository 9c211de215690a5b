"""Moves of the DAG that do not follow the data, for priors on the whole DAG.

All moves of :mod:`.changes` and :mod:`.relocation` draw what the data like, and such a prior can only decline it. In
these, data and prior speak at once, so that what the prior likes and the data do not is reached too.

- *edge*: a single edge is added, removed or turned, or another takes its place, whatever the families weigh.
- *clear*: a variable loses all its parents, or one without is given some, drawn by their weight.
"""

import math

import numpy as np

from ..basics.bits import has, list_members
from ..compiling import inner
from ..families.target import TESTED
from .candidates import draw_set
from .changes import find_below, list_above, weigh_present
from .pairs import note, set_parents, take_back, toggle

ADD, REMOVE, REVERT, REPLACE = range(4)
"""What becomes of a single edge."""


@inner
def pick_free(pair, target, room, rng):
    """Return an edge i -> j that is not required, all with equal probabilities, and how many there are."""
    rules = target.rules
    i, j, number = 0, 0, 0
    for v in range(pair.order.shape[0]):
        size = list_members(pair.parents, v, room.members)
        for m in range(size):
            u = room.members[m]
            if rules.edge[rules.row[v], u] == TESTED:
                number += 1
                if rng.random() * number < 1.0:
                    i, j = u, v
    return i, j, number


@inner
def add_edge(pair, target, room, i, j, number):
    """Add i -> j, if that is possible, when a move has changed a number of families; return how many it has then."""
    rules = target.rules
    if i == j or has(pair.parents, j, i) or rules.edge[rules.row[j], i] != TESTED:
        return 0
    find_below(pair, target, j, room.below, 0)
    if has(room.below, 0, i):
        return 0
    if number == 0 or room.changed[0] != j:
        note(pair, room, number, j)
        number += 1
    toggle(pair, target, j, i)
    return number


@inner
def change_edge(pair, target, room, rng):
    """Change a single edge; return how many families that changed, and the log ratio of proposals and families."""
    p = pair.order.shape[0]
    change = np.int64(rng.random() * 4)
    i, j, edges = pick_free(pair, target, room, rng)
    u, v = i, j
    log_ratio = 0.0
    number = 0
    if change == ADD:
        u, v = np.int64(rng.random() * p), np.int64(rng.random() * p)
        log_ratio = 2.0 * room.log_number[p] - math.log(edges + 1)
    elif edges == 0:
        return 0, 0.0
    elif change == REMOVE:
        log_ratio = math.log(edges) - 2.0 * room.log_number[p]
    elif change == REVERT:
        u, v = j, i
    elif rng.random() < 0.5:
        u = np.int64(rng.random() * p)
    else:
        v = np.int64(rng.random() * p)
    if change == REPLACE and u == i and v == j:
        return 0, 0.0
    if change != ADD:
        note(pair, room, 0, j)
        toggle(pair, target, j, i)
        number = 1
    if change != REMOVE:
        added = add_edge(pair, target, room, u, v, number)
        if added == 0:
            take_back(pair, room, number)
            return 0, 0.0
        number = added
    for c in range(number):
        w = room.changed[c]
        pair.log_weight[w] = weigh_present(pair, target, room, w)
        log_ratio += pair.log_weight[w] - room.old_log_weight[c]
    return number, log_ratio


@inner
def clear_parents(pair, target, room, rng):
    """Take all its parents from a variable, or give some to one without; return the same as :func:`change_edge`."""
    sets = target.sets
    node = np.int64(rng.random() * pair.order.shape[0])
    if pair.extra[node] > 0:
        return 0, 0.0
    find_below(pair, target, node, room.below, 0)
    above = list_above(sets, node, room.below, 0)
    chosen = np.int64(0)
    if pair.chosen[node] == 0:
        chosen = draw_set(sets, node, above, rng.random())
        if chosen == 0:
            return 0, 0.0
    note(pair, room, 0, node)
    set_parents(pair, target, node, chosen)
    # The weight of the parents themselves cancels, as it is by weight that they are drawn, here or on the way back.
    log_ratio = sets.log_sum[sets.start[node] + above] - sets.log_weight[sets.start[node]]
    return 1, log_ratio if chosen != 0 else -log_ratio

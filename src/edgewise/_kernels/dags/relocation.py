"""Moves of the order of a chain over pairs of a DAG and an order.

Let w(DAG) be the product of the weights of all families. Given an order, and but for parents that are no candidates,
the DAGs that agree with it sum up to a product over variables, each a look into a table; and a DAG is drawn from them
variable by variable. So a move of the order need not drag the DAG along: a variable's new position is drawn from all it
may have, by the sums; and new parents for it, and for those it passed to whom it may be a parent. That is accepted by
the ratio of

    q(order | DAG) * (what the prior says beyond single edges),

as in delayed acceptance (Christen & Fox 2005): a move that leaves w(DAG) as it is, and is then accepted by the
Metropolis rule for the factor that is missing, leaves the product as it is.
"""

import numpy as np

from ..basics.bits import has
from ..basics.metropolis import ACCEPTED, ASK, REJECTED, draw_place, is_rejected
from ..compiling import inner
from .beyond import weigh_beyond
from .candidates import draw_set
from .pairs import allow, log_order, note, set_parents, take_back


@inner
def log_gain(pair, sets, node, allowed):
    """Return by how much more the parent sets of ``node`` weigh if other candidates are allowed than now.

    Parents of a variable with one that is no candidate stay: -inf if they may not.
    """
    if pair.extra[node] > 0:
        return 0.0 if pair.chosen[node] & ~allowed == 0 else -np.inf
    start = sets.start[node]
    return sets.log_sum[start + allowed] - sets.log_sum[start + pair.allowed[node]]


@inner
def is_bound(pair, target, first, last):
    """Return whether one variable must stay before another: by a rule, or as a parent that is no candidate."""
    rules = target.rules
    return rules.before[rules.row[first], last] or (
        pair.extra[last] > 0 and target.sets.place[last, first] < 0 and has(pair.parents, last, first)
    )


@inner
def weigh_positions(pair, target, room, k):
    """Weigh each position that the variable at position k may have; return the first and the last of them."""
    sets = target.sets
    order = pair.order
    log_weight = room.at_position
    node = order[k]
    log_weight[k] = 0.0
    passed = 0.0
    own = 0.0
    allowed = pair.allowed[node]
    low = k
    while low > 0 and not is_bound(pair, target, order[low - 1], node):
        u = order[low - 1]
        if sets.place[u, node] >= 0:
            passed += log_gain(pair, sets, u, pair.allowed[u] | (1 << sets.place[u, node]))
        if sets.place[node, u] >= 0:
            allowed &= ~(1 << sets.place[node, u])
            own = log_gain(pair, sets, node, allowed)
            if own == -np.inf:
                break
        low -= 1
        log_weight[low] = passed + own
    passed = 0.0
    own = 0.0
    allowed = pair.allowed[node]
    high = k
    while high < order.shape[0] - 1 and not is_bound(pair, target, node, order[high + 1]):
        u = order[high + 1]
        if sets.place[u, node] >= 0:
            passed += log_gain(pair, sets, u, pair.allowed[u] & ~(1 << sets.place[u, node]))
            if passed == -np.inf:
                break
        if sets.place[node, u] >= 0:
            allowed |= 1 << sets.place[node, u]
            own = log_gain(pair, sets, node, allowed)
        high += 1
        log_weight[high] = passed + own
    return low, high


@inner
def shift(pair, k, chosen):
    """Move the variable at position k to another position, and those between by one."""
    node = pair.order[k]
    step = 1 if chosen > k else -1
    for j in range(k, chosen, step):
        u = pair.order[j + step]
        pair.order[j] = u
        pair.position[u] = j
    pair.order[chosen] = node
    pair.position[node] = chosen


@inner
def propose(pair, target, room, k, rng):
    """Draw a new position for the variable at position k, and new parents where others are allowed than before.

    Returns the position, and the number of families remembered.
    """
    sets = target.sets
    node = pair.order[k]
    low, high = weigh_positions(pair, target, room, k)
    chosen = draw_place(room.at_position, low, high, rng.random())
    number = 0
    if chosen == k:
        return chosen, number
    shift(pair, k, chosen)
    first, last = (k, chosen) if k < chosen else (chosen, k)
    for j in range(first, last + 1):
        u = pair.order[j]
        place = sets.place[u, node]
        if u == node or place >= 0:
            note(pair, room, number, u)
            if u == node:
                allow(pair, target, node)
            else:
                pair.allowed[u] ^= 1 << place
            if pair.extra[u] == 0 and pair.allowed[u] != room.old_allowed[number]:
                set_parents(pair, target, u, draw_set(sets, u, pair.allowed[u], rng.random()))
            number += 1
    return chosen, number


@inner
def decide(pair, target, views, room, rng):
    """Return what becomes of the DAG and the order that have been put in place."""
    new_log_order = log_order(pair, target, room)
    if is_rejected(new_log_order - pair.log_order[0], rng.random()):
        return REJECTED
    beyond = weigh_beyond(views, pair, room)
    if not beyond < np.inf:
        return ASK
    if beyond != pair.beyond[0] and is_rejected(beyond - pair.beyond[0], rng.random()):
        return REJECTED
    pair.log_order[0] = new_log_order
    pair.beyond[0] = beyond
    return ACCEPTED


@inner
def relocate(pair, target, views, room, k, rng):
    """Give the variable at position k another one, and new parents where others are allowed; return what became of it.

    To stay where it is counts as rejected.
    """
    chosen, number = propose(pair, target, room, k, rng)
    if chosen == k:
        return REJECTED
    outcome = decide(pair, target, views, room, rng)
    if outcome != ACCEPTED:
        take_back(pair, room, number)
        shift(pair, chosen, k)
    return outcome

"""Moves of the order of a chain over pairs of a DAG and an order.

Let w(DAG) be the product of the weights of all families. Given an order, and but for parents that are no candidates,
the DAGs that agree with it sum up to a product over variables, each a look into a table; and a DAG is drawn from them
variable by variable. So a move of the order need not drag the DAG along: a variable's new position is drawn from all it
may have, by the sums; and new parents for it, and for those it passed to whom it may be a parent. That is accepted by
the ratio of

    q(order | DAG) * (what the prior says beyond single edges),

as in delayed acceptance (Christen & Fox 2005): a move that leaves w(DAG) as it is, and is then accepted by the
Metropolis rule for the factor that is missing, leaves the product as it is.

Outsiders, parents that are no candidates, are summed over as far as they can be weighed, see :mod:`.outsiders`: a
variable that is passed gets the moved one as an outsider or loses it by what its family then weighs, and what outsiders
the moved one itself is given is such a factor, too. Those that a variable keeps stay before it, and what its family
weighs with them is another factor: its other parents are drawn as if these were not there.
"""

import math

import numpy as np

from ..basics.bits import has
from ..basics.metropolis import ACCEPTED, ASK, REJECTED, draw_place, is_rejected
from ..compiling import inner
from ..families.target import TESTED
from .beyond import weigh_beyond
from .candidates import draw_set
from .order_sums import add_logs
from .outsiders import draw_family, find_later, keeps_outsiders, log_excess
from .pairs import allow, log_order, note, set_parents, take_back, toggle, weigh_parents


@inner
def log_gain(pair, sets, node, allowed):
    """Return by how much more the parent sets of ``node`` weigh if other candidates are allowed than now."""
    start = sets.start[node]
    return sets.log_sum[start + allowed] - sets.log_sum[start + pair.allowed[node]]


@inner
def is_outsider(pair, target, node, u):
    """Return whether a parent is no candidate."""
    return pair.extra[node] > 0 and target.sets.place[node, u] < 0 and has(pair.parents, node, u)


@inner
def may_be_outsider(target, node, u):
    """Return whether u can be drawn as an outsider of a variable."""
    rules = target.rules
    return target.outsider[node, 0] >= 0 and target.sets.place[node, u] < 0 and rules.edge[rules.row[node], u] == TESTED


@inner
def weigh_toggled(pair, target, room, node, u):
    """Return the log weight of a family with u as one more parent, or without it if it is one."""
    toggle(pair, target, node, u)
    log_weight = weigh_parents(pair, target, room, node)
    toggle(pair, target, node, u)
    return log_weight


@inner
def weigh_positions(pair, target, room, k):
    """Weigh each position that the variable at position k may have; return the first and the last of them.

    The weights of passed families with the variable as an outsider, or without, are left in the room.
    """
    sets = target.sets
    rules = target.rules
    order = pair.order
    log_weight = room.at_position
    toggled = room.toggled
    node = order[k]
    keeps = keeps_outsiders(pair, target, node)
    log_weight[k] = 0.0
    passed = 0.0
    own = 0.0
    allowed = pair.allowed[node]
    low = k
    while low > 0:
        u = order[low - 1]
        if rules.before[rules.row[u], node] or (keeps and is_outsider(pair, target, node, u)):
            break
        if sets.place[u, node] >= 0:
            passed += log_gain(pair, sets, u, pair.allowed[u] | (1 << sets.place[u, node]))
        elif may_be_outsider(target, u, node):
            toggled[u] = weigh_toggled(pair, target, room, u, node)
            passed += add_logs(pair.log_weight[u], toggled[u]) - pair.log_weight[u]
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
    while high < order.shape[0] - 1:
        u = order[high + 1]
        if rules.before[rules.row[node], u]:
            break
        if sets.place[u, node] >= 0:
            passed += log_gain(pair, sets, u, pair.allowed[u] & ~(1 << sets.place[u, node]))
            if passed == -np.inf:
                break
        elif may_be_outsider(target, u, node):
            toggled[u] = weigh_toggled(pair, target, room, u, node)
            is_parent = has(pair.parents, u, node)
            without = toggled[u] if is_parent else pair.log_weight[u]
            passed += without - add_logs(pair.log_weight[u], toggled[u])
        elif is_outsider(pair, target, u, node):
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
def redraw_own(pair, target, room, node, rng):
    """Draw the parents of the variable that has moved, outsiders included; return log r of them."""
    log_sum = target.sets.log_sum[target.sets.start[node] + pair.allowed[node]]
    find_later(pair, node, room.below, 0)
    draw_family(pair, target, room, node, pair.allowed[node], 0, log_sum, 0, rng)
    return log_excess(pair, target, room, node, 0)


@inner
def redraw_candidates(pair, target, room, u, rng):
    """Draw the candidates of a variable to whom others are allowed than before, and keep its outsiders.

    Returns how much more these add to the weight of its family.
    """
    sets = target.sets
    before = pair.log_weight[u] - sets.log_weight[sets.start[u] + pair.chosen[u]]
    set_parents(pair, target, u, draw_set(sets, u, pair.allowed[u], rng.random()))
    if pair.extra[u] == 0:
        return -before
    without = pair.log_weight[u]
    pair.log_weight[u] = weigh_parents(pair, target, room, u)
    return pair.log_weight[u] - without - before


@inner
def propose(pair, target, room, k, rng):
    """Draw a new position for the variable at position k, and new parents where others are allowed than before.

    Returns the position, the number of families remembered, and the log ratio of what they weigh beyond candidates.
    """
    sets = target.sets
    node = pair.order[k]
    low, high = weigh_positions(pair, target, room, k)
    chosen = draw_place(room.at_position, low, high, rng.random())
    number = 0
    log_ratio = 0.0
    if chosen == k:
        return chosen, number, log_ratio
    is_free = target.outsider[node, 0] >= 0 and not keeps_outsiders(pair, target, node)
    if is_free:
        find_later(pair, node, room.below, 0)
        log_ratio -= log_excess(pair, target, room, node, 0)
    shift(pair, k, chosen)
    first, last = (k, chosen) if k < chosen else (chosen, k)
    for j in range(first, last + 1):
        u = pair.order[j]
        if u == node:
            note(pair, room, number, u)
            allow(pair, target, node)
            if is_free:
                log_ratio += redraw_own(pair, target, room, node, rng)
            elif pair.allowed[node] != room.old_allowed[number]:
                log_ratio += redraw_candidates(pair, target, room, node, rng)
            number += 1
        elif sets.place[u, node] >= 0:
            note(pair, room, number, u)
            pair.allowed[u] ^= 1 << sets.place[u, node]
            log_ratio += redraw_candidates(pair, target, room, u, rng)
            number += 1
        elif may_be_outsider(target, u, node):
            share = 1.0 / (1.0 + math.exp(min(pair.log_weight[u] - room.toggled[u], 700.0)))
            if has(pair.parents, u, node) or (chosen < k and rng.random() < share):
                note(pair, room, number, u)
                toggle(pair, target, u, node)
                pair.log_weight[u] = room.toggled[u]
                number += 1
    return chosen, number, log_ratio


@inner
def decide(pair, target, views, room, log_ratio, rng):
    """Return what becomes of the DAG and the order that have been put in place, given another factor of the ratio."""
    new_log_order = log_order(pair, target, room)
    if is_rejected(log_ratio + new_log_order - pair.log_order[0], rng.random()):
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
    chosen, number, log_ratio = propose(pair, target, room, k, rng)
    if chosen == k:
        return REJECTED
    outcome = decide(pair, target, views, room, log_ratio, rng)
    if outcome != ACCEPTED:
        take_back(pair, room, number)
        shift(pair, chosen, k)
    return outcome

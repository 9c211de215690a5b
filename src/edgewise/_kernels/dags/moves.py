"""The moves of a chain over pairs of a DAG and an order.

Let w(DAG) be the product of the weights of all families. Given an order, and but for parents that are no candidates,
the DAGs that agree with it sum up to a product over variables, each a look into a table; and a DAG is drawn from them
variable by variable. So a move of the order need not drag the DAG along: those variables to whom the order allows other
parents than before are given new ones. What it accepts by is the ratio of the sums, and then the ratio of

    q(order | DAG) * (what the prior says beyond single edges),

as in delayed acceptance (Christen & Fox 2005): a move that leaves w(DAG) as it is, and is then accepted by the
Metropolis rule for the factor that is missing, leaves the product as it is.

- *relocate*: a variable's new position is drawn from all it may have, by the sums; and new parents for it, and for
  those it passed to whom it may be a parent.
- *turn*: edges are turned around whose direction no score can tell, and then a new order is drawn for the DAG. An edge
  i -> j is *covered* if i is all that j has as a parent beyond the parents of i (Chickering 1995): turned around, it
  leaves a Markov equivalent DAG, in which it is covered again. Since the order is drawn afterwards, q plays no part.
- *parents*: a variable is given new parents among its candidates.
- *outside*: a parent that is no candidate is added or removed, so that no DAG is out of reach. As long as a variable
  has such a parent, its parents are not summed over: the order may not pass them, and candidates are added and removed
  one by one.
"""

import math

import numpy as np

from ..basics.bits import WORD, copy, has, insert, list_members, remove
from ..basics.metropolis import ACCEPTED, ASK, REJECTED, is_rejected
from ..compiling import inner
from ..families.target import TESTED
from .beyond import is_weighed, weigh_beyond
from .candidates import draw_set, weigh_family
from .pairs import allow, draw_order, log_order, set_parents

TURNS = 2
"""How often, for each variable, one of its edges is looked at to be turned."""


@inner
def note(pair, room, number, node):
    """Remember a variable's family as it is, as the one with a number among those that a move changes."""
    room.changed[number] = node
    room.old_allowed[number] = pair.allowed[node]
    room.old_chosen[number] = pair.chosen[node]
    room.old_extra[number] = pair.extra[node]
    room.old_log_weight[number] = pair.log_weight[node]
    copy(pair.parents, node, room.old_parents, number)


@inner
def take_back(pair, room, number):
    """Restore the families that were remembered."""
    for c in range(number):
        v = room.changed[c]
        pair.allowed[v] = room.old_allowed[c]
        pair.chosen[v] = room.old_chosen[c]
        pair.extra[v] = room.old_extra[c]
        pair.log_weight[v] = room.old_log_weight[c]
        copy(room.old_parents, c, pair.parents, v)


@inner
def decide(pair, target, views, room, log_ratio, rng):
    """Return what becomes of the DAG and the order that have been put in place, whose other parts have a log ratio."""
    new_log_order = log_order(pair, target, room)
    if is_rejected(log_ratio + new_log_order - pair.log_order[0], rng.random()):
        return REJECTED
    beyond = weigh_beyond(views, pair, target, room)
    if not beyond < np.inf:
        return ASK
    if beyond != pair.beyond[0] and is_rejected(beyond - pair.beyond[0], rng.random()):
        return REJECTED
    pair.log_order[0] = new_log_order
    pair.beyond[0] = beyond
    return ACCEPTED


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
def draw_position(log_weight, low, high, uniform):
    """Return a position from low to high, drawn by weight; the weights are no longer logarithms then."""
    top = log_weight[low]
    for i in range(low + 1, high + 1):
        top = max(top, log_weight[i])
    total = 0.0
    last = np.nan
    weight = 0.0
    for i in range(low, high + 1):
        # Most neighbours have the same weight.
        if log_weight[i] != last:
            last = log_weight[i]
            weight = math.exp(last - top)
        log_weight[i] = weight
        total += weight
    rest = uniform * total
    chosen = low
    for i in range(low, high + 1):
        if log_weight[i] > 0.0:
            chosen = i
        rest -= log_weight[i]
        if rest < 0.0:
            break
    return chosen


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
def relocate(pair, target, room, k, rng):
    """Draw a new position for the variable at position k, and new parents where others are allowed than before.

    Returns the position, and the number of families remembered.
    """
    sets = target.sets
    node = pair.order[k]
    low, high = weigh_positions(pair, target, room, k)
    chosen = draw_position(room.at_position, low, high, rng.random())
    number = 0
    if chosen == k:
        return chosen, number
    shift(pair, k, chosen)
    for j in range(min(k, chosen), max(k, chosen) + 1):
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
def is_covered(pair, target, i, j):
    """Return whether the parents of j are i and the parents of i; those known to come before count as parents."""
    differs = np.uint64(0)
    for w in range(pair.parents.shape[1]):
        own = np.uint64(1) << np.uint64(i % WORD) if w == i // WORD else np.uint64(0)
        differs |= (pair.parents[i, w] | target.earlier[i, w] | own) ^ (pair.parents[j, w] | target.earlier[j, w])
    return differs == np.uint64(0)


@inner
def weigh_parents(pair, target, room, node):
    """Return the log weight of a family with parents that need not be candidates."""
    size = list_members(pair.parents, node, room.members)
    room.members[size] = node
    return weigh_family(target, room.members, size, room.score)


@inner
def toggle(pair, target, node, u):
    """Add a parent or remove it, be it a candidate or not."""
    bit = np.uint64(1) << np.uint64(u % WORD)
    pair.parents[node, u // WORD] ^= bit
    place = target.sets.place[node, u]
    if place >= 0:
        pair.chosen[node] ^= 1 << np.int64(place)
    else:
        pair.extra[node] += 1 if pair.parents[node, u // WORD] & bit else -1


@inner
def weigh_present(pair, target, room, node):
    """Return the log weight of the present family, which is in a table if all its parents are candidates."""
    sets = target.sets
    if pair.extra[node] == 0:
        return sets.log_weight[sets.start[node] + pair.chosen[node]]
    return weigh_parents(pair, target, room, node)


@inner
def turn_edge(pair, target, room, rng):
    """Turn a covered edge, if one is hit upon; return whether one was turned."""
    rules = target.rules
    j = np.int64(rng.random() * pair.order.shape[0])
    size = list_members(pair.parents, j, room.members)
    if size == 0:
        return False
    i = room.members[np.int64(rng.random() * size)]
    if rules.edge[rules.row[j], i] != TESTED or rules.edge[rules.row[i], j] != TESTED:
        return False
    if not is_covered(pair, target, i, j):
        return False
    note(pair, room, 0, i)
    note(pair, room, 1, j)
    log_ratio = -pair.log_weight[i] - pair.log_weight[j]
    toggle(pair, target, j, i)
    toggle(pair, target, i, j)
    pair.log_weight[i] = weigh_present(pair, target, room, i)
    pair.log_weight[j] = weigh_present(pair, target, room, j)
    # The way back is hit upon as one of the parents of i.
    back = list_members(pair.parents, i, room.members)
    log_ratio += pair.log_weight[i] + pair.log_weight[j] + room.log_number[size] - room.log_number[back]
    if is_rejected(log_ratio, rng.random()):
        take_back(pair, room, 2)
        return False
    return True


@inner
def turn(pair, target, views, room, rng):
    """Turn covered edges, and draw an order for the DAG.

    As long as families are all that matters, many are turned at once; else one, which is then to be weighed.
    """
    turned = 0
    for _ in range(1 if is_weighed(views) else TURNS * pair.order.shape[0]):
        turned += turn_edge(pair, target, room, rng)
    draw_order(pair, target, room, rng)
    if is_weighed(views) and turned > 0:
        beyond = weigh_beyond(views, pair, target, room)
        if not beyond < np.inf or is_rejected(beyond - pair.beyond[0], rng.random()):
            take_back(pair, room, 2)
            draw_order(pair, target, room, rng)
            return REJECTED if beyond < np.inf else ASK
        pair.beyond[0] = beyond
    return ACCEPTED


@inner
def redraw_parents(pair, target, node, rng):
    """Give a variable new parents among its candidates; or change one, if it has parents that are none.

    Returns whether its parents are others than before.
    """
    sets = target.sets
    if pair.extra[node] == 0:
        chosen = draw_set(sets, node, pair.allowed[node], rng.random())
        if chosen == pair.chosen[node]:
            return False
        set_parents(pair, target, node, chosen)
        return True
    k = np.int64(rng.random() * sets.number[node])
    if (pair.allowed[node] >> k) & 1 == 0:
        return False
    toggle(pair, target, node, sets.member[node, k])
    return True


@inner
def draw_outsider(target, node, rng):
    """Return a variable to propose as a parent: half of the time a likely one, else any."""
    if rng.random() < 0.5:
        return np.int64(rng.random() * target.edge.shape[0])
    uniform = rng.random()
    m = 0
    while m < target.likely.shape[1] - 1 and target.likely_sum[node, m] <= uniform:
        m += 1
    return target.likely[node, m]


@inner
def log_proposal(target, node, u):
    """Return the log probability with which :func:`draw_outsider` proposes u."""
    probability = 0.5 / target.edge.shape[0]
    for m in range(target.likely.shape[1]):
        if target.likely[node, m] == u:
            below = target.likely_sum[node, m - 1] if m > 0 else 0.0
            probability += 0.5 * (target.likely_sum[node, m] - below)
    return math.log(probability)


@inner
def find_outsider(pair, target, room, node, number):
    """Return the parent of ``node`` with a number among those that are neither candidates nor required."""
    rules = target.rules
    size = list_members(pair.parents, node, room.members)
    for m in range(size):
        u = room.members[m]
        if target.sets.place[node, u] < 0 and rules.edge[rules.row[node], u] == TESTED:
            if number == 0:
                return u
            number -= 1
    return np.int64(-1)


@inner
def change_outsider(pair, target, room, node, rng):
    """Add or remove a parent that is no candidate; return the log ratio of the proposals, -inf if there is nothing."""
    rules = target.rules
    if rng.random() < 0.5:
        u = draw_outsider(target, node, rng)
        if (
            pair.position[u] >= pair.position[node]
            or target.sets.place[node, u] >= 0
            or rules.edge[rules.row[node], u] != TESTED
            or has(pair.parents, node, u)
        ):
            return -np.inf
        insert(pair.parents, node, u)
        pair.extra[node] += 1
        return -log_proposal(target, node, u) - room.log_number[pair.extra[node]]
    if pair.extra[node] == 0:
        return -np.inf
    u = find_outsider(pair, target, room, node, np.int64(rng.random() * pair.extra[node]))
    remove(pair.parents, node, u)
    pair.extra[node] -= 1
    return log_proposal(target, node, u) + room.log_number[pair.extra[node] + 1]


@inner
def change_family(pair, target, room, node, is_outside, rng):
    """Change the parents of a variable; return the log ratio by which to accept it, -inf if there is no change."""
    note(pair, room, 0, node)
    is_summed = pair.extra[node] == 0
    log_ratio = 0.0
    if is_outside:
        log_ratio = change_outsider(pair, target, room, node, rng)
    elif not redraw_parents(pair, target, node, rng):
        log_ratio = -np.inf
    if log_ratio > -np.inf and (is_outside or not is_summed):
        pair.log_weight[node] = weigh_parents(pair, target, room, node)
        log_ratio += pair.log_weight[node] - room.old_log_weight[0]
    return log_ratio

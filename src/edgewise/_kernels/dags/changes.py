"""Moves of the DAG of a chain over pairs of a DAG and an order, whatever the order; then one is drawn for the new DAG.

Since the order is drawn by q(order | DAG), q plays no part in the acceptance: it is as in a chain over DAGs.

- *turn*: edges are turned around whose direction no score can tell. An edge i -> j is *covered* if i is all that j has
  as a parent beyond the parents of i (Chickering 1995): turned around, it leaves a Markov equivalent DAG, in which it
  is covered again.
- *reverse*: an edge i -> j is turned around, and both ends are given new parents: i with j among them, then j
  (Grzegorczyk & Husmeier 2008). The sums over their parent sets, by which it is accepted, are looks into tables.
- *parents*: a variable is given new parents among those of its candidates that are not below it.
- *swap*: a parent makes room for one of its own candidates, be it a candidate of the child or not: where two variables
  say nearly the same, either may be the parent, and neither both nor none.
- *outside*: a parent that is no candidate is added or removed, so that no DAG is out of reach. As long as a variable
  keeps such parents, see :mod:`.outsiders`, its candidates are added and removed one by one.
"""

import math

import numpy as np

from ..basics.bits import WORD, clear, has, insert, is_equal, list_members
from ..basics.metropolis import is_rejected
from ..compiling import inner
from ..families.target import TESTED
from .beyond import is_weighed
from .candidates import draw_variable, log_sum_with
from .outsiders import draw_family, keeps_outsiders, log_excess, remove_parents
from .pairs import note, take_back, toggle, weigh_parents

RELOCATE, TURN, REVERSE, PARENTS, SWAP, OUTSIDE, EDGE, CLEAR, JUMP = range(9)
"""Kinds of moves, the rows of ``Pair.moves``."""

TURNS = 2
"""How often, for each variable, one of its edges is looked at to be turned."""


@inner
def find_below(pair, target, node, below, i):
    """Let row i of ``below`` be a variable and its descendants; to be known to come later counts as one."""
    clear(below, i)
    insert(below, i, node)
    for j in range(pair.position[node] + 1, pair.order.shape[0]):
        v = pair.order[j]
        for w in range(below.shape[1]):
            if (pair.parents[v, w] | target.earlier[v, w]) & below[i, w] != np.uint64(0):
                insert(below, i, v)
                break


@inner
def list_above(sets, node, below, i):
    """Return the set of those candidates of a variable that are not in row i of ``below``."""
    above = 0
    for k in range(sets.number[node]):
        if not has(below, i, sets.member[node, k]):
            above |= 1 << k
    return above


@inner
def is_covered(pair, target, i, j):
    """Return whether the parents of j are i and the parents of i; those known to come before count as parents."""
    differs = np.uint64(0)
    for w in range(pair.parents.shape[1]):
        own = np.uint64(1) << np.uint64(i % WORD) if w == i // WORD else np.uint64(0)
        differs |= (pair.parents[i, w] | target.earlier[i, w] | own) ^ (pair.parents[j, w] | target.earlier[j, w])
    return differs == np.uint64(0)


@inner
def weigh_present(pair, target, room, node):
    """Return the log weight of the present family, which is in a table if all its parents are candidates."""
    sets = target.sets
    if pair.extra[node] == 0:
        return sets.log_weight[sets.start[node] + pair.chosen[node]]
    return weigh_parents(pair, target, room, node)


@inner
def pick_edge(pair, target, room, rng):
    """Return a parent, a variable and how many parents it has, both at random; 0 if the edge may not be turned."""
    rules = target.rules
    j = draw_variable(target, rng)
    size = list_members(pair.parents, j, room.members)
    if size == 0:
        return j, j, 0
    i = room.members[np.int64(rng.random() * size)]
    if rules.edge[rules.row[j], i] != TESTED or rules.edge[rules.row[i], j] != TESTED:
        return i, j, 0
    return i, j, size


@inner
def log_ways(target, room, i, back, j, size):
    """Return the log ratio of picking j -> i, one of ``back`` edges to i, and i -> j, one of ``size`` edges to j."""
    return target.log_share[i] - room.log_number[back] - target.log_share[j] + room.log_number[size]


@inner
def turn_edge(pair, target, room, rng):
    """Turn a covered edge, if one is hit upon; return how many families that changed."""
    i, j, size = pick_edge(pair, target, room, rng)
    if size == 0 or not is_covered(pair, target, i, j):
        return 0
    note(pair, room, 0, i)
    note(pair, room, 1, j)
    log_ratio = -pair.log_weight[i] - pair.log_weight[j]
    toggle(pair, target, j, i)
    toggle(pair, target, i, j)
    pair.log_weight[i] = weigh_present(pair, target, room, i)
    pair.log_weight[j] = weigh_present(pair, target, room, j)
    # The way back is hit upon as one of the parents of i.
    back = list_members(pair.parents, i, room.members)
    log_ratio += pair.log_weight[i] + pair.log_weight[j] + log_ways(target, room, i, back, j, size)
    if is_rejected(log_ratio, rng.random()):
        take_back(pair, room, 2)
        return 0
    return 2


@inner
def turn_edges(pair, target, views, room, rng):
    """Turn covered edges: one if that is to be weighed, else many. Return how many families a turn changed, if any."""
    number = 0
    for _ in range(1 if is_weighed(views) else TURNS * pair.order.shape[0]):
        changed = turn_edge(pair, target, room, rng)
        if changed > number:
            number = changed
    return number


@inner
def reverse_edge(pair, target, room, rng):
    """Turn an edge i -> j around and draw new parents for both; return how many families changed.

    Without their parents, i and j are above some variables. Then i is given parents that are not below it, j among
    them, and j some that are below neither. On the way back it is j that comes first.
    """
    sets = target.sets
    i, j, size = pick_edge(pair, target, room, rng)
    if size == 0 or sets.place[i, j] < 0 or sets.place[j, i] < 0:
        return 0
    if keeps_outsiders(pair, target, i) or keeps_outsiders(pair, target, j):
        return 0
    note(pair, room, 0, i)
    note(pair, room, 1, j)
    remove_parents(pair, target, i)
    remove_parents(pair, target, j)
    below = room.below
    find_below(pair, target, i, below, 0)
    find_below(pair, target, j, below, 1)
    for w in range(below.shape[1]):
        below[2, w] = below[0, w] | below[1, w]
    above_i = list_above(sets, i, below, 0)
    above_j = list_above(sets, j, below, 1)
    free_i = list_above(sets, i, below, 2)
    free_j = list_above(sets, j, below, 2)
    forth = log_sum_with(sets, i, above_i, sets.place[i, j])
    back = log_sum_with(sets, j, above_j, sets.place[j, i])
    take_back(pair, room, 2)
    if forth == -np.inf or back == -np.inf:
        return 0
    log_sum_i = sets.log_sum[sets.start[i] + free_i]
    log_sum_j = sets.log_sum[sets.start[j] + free_j]
    log_ratio = forth + log_sum_j - back - log_sum_i
    log_ratio -= log_excess(pair, target, room, i, 2) + log_excess(pair, target, room, j, 1)
    draw_family(pair, target, room, i, above_i, 1 << sets.place[i, j], forth, 0, rng)
    draw_family(pair, target, room, j, free_j, 0, log_sum_j, 2, rng)
    log_ratio += log_excess(pair, target, room, i, 0) + log_excess(pair, target, room, j, 2)
    new_size = list_members(pair.parents, i, room.members)
    if is_rejected(log_ratio + log_ways(target, room, i, new_size, j, size), rng.random()):
        take_back(pair, room, 2)
        return 0
    return 2


@inner
def redraw_parents(pair, target, room, node, rng):
    """Give a variable new parents; or add or remove a single candidate, if it keeps parents that are none.

    As all proposals of a family, it is remembered before, and what is returned is the variable and the log ratio of the
    proposals: -inf if nothing changed, and inf if that is accepted already.
    """
    sets = target.sets
    find_below(pair, target, node, room.below, 0)
    note(pair, room, 0, node)
    if not keeps_outsiders(pair, target, node):
        log_ratio = -log_excess(pair, target, room, node, 0)
        above = list_above(sets, node, room.below, 0)
        draw_family(pair, target, room, node, above, 0, sets.log_sum[sets.start[node] + above], 0, rng)
        if is_equal(pair.parents, node, room.old_parents, 0):
            return node, -np.inf
        log_ratio += log_excess(pair, target, room, node, 0)
        if is_rejected(log_ratio, rng.random()):
            take_back(pair, room, 1)
            return node, -np.inf
        return node, np.inf
    u = sets.member[node, np.int64(rng.random() * sets.number[node])]
    if sets.number[node] == 0 or has(room.below, 0, u):
        return node, -np.inf
    toggle(pair, target, node, u)
    return node, 0.0


@inner
def swap_parent(pair, target, room, node, rng):
    """Put one of its own candidates in the place of a parent."""
    sets = target.sets
    rules = target.rules
    size = list_members(pair.parents, node, room.members)
    if size == 0:
        return node, -np.inf
    u = room.members[np.int64(rng.random() * size)]
    if sets.number[u] == 0:
        return node, -np.inf
    other = sets.member[u, np.int64(rng.random() * sets.number[u])]
    if (
        other == node
        or sets.place[other, u] < 0
        or has(pair.parents, node, other)
        or rules.edge[rules.row[node], u] != TESTED
        or rules.edge[rules.row[node], other] != TESTED
    ):
        return node, -np.inf
    find_below(pair, target, node, room.below, 0)
    if has(room.below, 0, other):
        return node, -np.inf
    note(pair, room, 0, node)
    toggle(pair, target, node, u)
    toggle(pair, target, node, other)
    return node, room.log_number[sets.number[u]] - room.log_number[sets.number[other]]


@inner
def pick_outsider(target, node, rng):
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
    """Return the log probability with which :func:`pick_outsider` proposes u."""
    probability = 0.5 / target.edge.shape[0]
    for m in range(target.likely.shape[1]):
        if target.likely[node, m] == u:
            below = target.likely_sum[node, m - 1] if m > 0 else 0.0
            probability += 0.5 * (target.likely_sum[node, m] - below)
    return math.log(probability)


@inner
def find_outsider(pair, target, room, number):
    """Return a variable and its parent, with a number among all parents that are neither candidates nor required."""
    rules = target.rules
    node = 0
    while number >= pair.extra[node]:
        number -= pair.extra[node]
        node += 1
    size = list_members(pair.parents, node, room.members)
    for m in range(size):
        u = room.members[m]
        if target.sets.place[node, u] < 0 and rules.edge[rules.row[node], u] == TESTED:
            if number == 0:
                return node, u
            number -= 1
    return node, node


@inner
def change_outsider(pair, target, room, node, rng):
    """Add to a variable a parent that is no candidate, or remove any such."""
    rules = target.rules
    outsiders = 0
    for v in range(len(pair.extra)):
        outsiders += pair.extra[v]
    if rng.random() < 0.5:
        u = pick_outsider(target, node, rng)
        if target.sets.place[node, u] >= 0 or rules.edge[rules.row[node], u] != TESTED or has(pair.parents, node, u):
            return node, -np.inf
        find_below(pair, target, node, room.below, 0)
        if has(room.below, 0, u):
            return node, -np.inf
        log_ratio = -math.log(outsiders + 1) - target.log_share[node] - log_proposal(target, node, u)
    elif outsiders == 0:
        return node, -np.inf
    else:
        node, u = find_outsider(pair, target, room, np.int64(rng.random() * outsiders))
        log_ratio = log_proposal(target, node, u) + target.log_share[node] + math.log(outsiders)
    note(pair, room, 0, node)
    toggle(pair, target, node, u)
    return node, log_ratio


@inner
def change_family(pair, target, room, kind, node, rng):
    """Change the parents of a variable by a kind of move; return how many families changed."""
    if kind == PARENTS:
        node, log_ratio = redraw_parents(pair, target, room, node, rng)
    elif kind == SWAP:
        node, log_ratio = swap_parent(pair, target, room, node, rng)
    else:
        node, log_ratio = change_outsider(pair, target, room, node, rng)
    if log_ratio == -np.inf:
        return 0
    if log_ratio < np.inf:
        pair.log_weight[node] = weigh_parents(pair, target, room, node)
        if is_rejected(log_ratio + pair.log_weight[node] - room.old_log_weight[0], rng.random()):
            take_back(pair, room, 1)
            return 0
    return 1

"""Parents outside the candidates, the *outsiders*, beside parents that are drawn by the sums over candidates.

A sum over the subsets of candidates looks into a table; with outsiders it cannot. So a family is drawn in two parts:
its candidates C by their weight w(C) in the table, and then one outsider or none, by the odds of the family with it,
and after one a second or none. For numbers, one regression gives the odds of all outsiders. A move that draws families
so is accepted by the ratio of

    r = w(family) / (w(C) * the probability of drawing its outsiders),

which is 1 where outsiders weigh little. A variable with more than two of them keeps them in such moves, and where
scores are too slow to weigh all outsiders, ``DagTarget.outsider`` is empty and every variable does.
"""

import math

import numpy as np

from ..basics.bits import clear, has, insert, remove
from ..compiling import inner
from ..scores.interface import gains
from .candidates import draw_set_with, list_parents
from .order_sums import add_logs
from .pairs import set_parents, weigh_parents

MOST_DRAWN = 2
"""Most outsiders of a variable that are drawn."""


@inner
def keeps_outsiders(pair, target, node):
    """Return whether a variable has outsiders among its parents that it keeps."""
    return pair.extra[node] > (MOST_DRAWN if target.outsider[node, 0] >= 0 else 0)


@inner
def find_later(pair, node, below, i):
    """Let row i of ``below`` be a variable and all that come later."""
    clear(below, i)
    for j in range(pair.position[node], pair.order.shape[0]):
        insert(below, i, pair.order[j])


@inner
def weigh_outsiders(pair, target, room, node, chosen, given, i):
    """Return the log sum of the odds of all outsiders as one more parent, beside some candidates and a given outsider.

    None is given if it is -1. Those in row i of ``room.below`` cannot be parents. The log odds of each are left in the
    room.
    """
    members = room.members
    log_odds = room.log_odds
    size = list_parents(target.sets, node, chosen, members)
    if given >= 0:
        k = size
        while k > 0 and members[k - 1] > given:
            members[k] = members[k - 1]
            k -= 1
        members[k] = given
        size += 1
    members[size] = node
    gains(target.score, members, size, node, room.score, log_odds)
    total = -np.inf
    m = 0
    while target.outsider[node, m] >= 0:
        u = target.outsider[node, m]
        if u != given and not has(room.below, i, u):
            log_odds[u] = target.heat * (log_odds[u] + target.edge[u, node]) + target.outside
            total = add_logs(total, log_odds[u])
        else:
            log_odds[u] = -np.inf
        m += 1
    return total


@inner
def next_outsider(pair, target, node, after):
    """Return the next outsider that is a parent of a variable, -1 if there is none."""
    m = 0
    while target.outsider[node, m] >= 0:
        u = target.outsider[node, m]
        if u > after and has(pair.parents, node, u):
            return u
        m += 1
    return -1


@inner
def log_present(pair, target, room, node, i):
    """Return the log odds of drawing the outsiders that a variable has, and the log sum of the odds of all first ones.

    The first is to be divided by the second and what the odds are of none, to be a probability.
    """
    chosen = pair.chosen[node]
    log_sum = weigh_outsiders(pair, target, room, node, chosen, -1, i)
    if pair.extra[node] == 0:
        return 0.0, log_sum
    one = next_outsider(pair, target, node, -1)
    other = next_outsider(pair, target, node, one)
    log_one = room.log_odds[one]
    log_other = room.log_odds[other] if other >= 0 else -np.inf
    log_one -= add_logs(0.0, weigh_outsiders(pair, target, room, node, chosen, one, i))
    if other < 0:
        return log_one, log_sum
    log_one += room.log_odds[other]
    log_other -= add_logs(0.0, weigh_outsiders(pair, target, room, node, chosen, other, i))
    return add_logs(log_one, log_other + room.log_odds[one]), log_sum


@inner
def log_beyond_table(pair, target, node):
    """Return by how much more a family weighs than without its outsiders."""
    return pair.log_weight[node] - target.sets.log_weight[target.sets.start[node] + pair.chosen[node]]


@inner
def log_excess(pair, target, room, node, i):
    """Return log r of a family, where outsiders are drawn among those not in row i of ``room.below``.

    It is inf if they cannot be drawn.
    """
    if keeps_outsiders(pair, target, node):
        return np.inf
    if target.outsider[node, 0] < 0:
        return 0.0
    log_odds, log_sum = log_present(pair, target, room, node, i)
    return log_beyond_table(pair, target, node) - log_odds + add_logs(0.0, log_sum)


@inner
def draw_outsider(pair, target, room, node, chosen, given, i, log_none, uniform):
    """Return an outsider, drawn by its odds and those of none, -1 if it is none; and the log sum of all these odds."""
    log_total = add_logs(log_none, weigh_outsiders(pair, target, room, node, chosen, given, i))
    uniform -= math.exp(log_none - log_total)
    drawn = -1
    m = 0
    while uniform >= 0.0 and target.outsider[node, m] >= 0:
        u = target.outsider[node, m]
        if room.log_odds[u] > -np.inf:
            drawn = u
            uniform -= math.exp(room.log_odds[u] - log_total)
        m += 1
    return drawn, log_total


@inner
def remove_parents(pair, target, node):
    """Take all parents from a variable but for those that are required, and outsiders that it keeps."""
    m = 0
    while target.outsider[node, m] >= 0:
        remove(pair.parents, node, target.outsider[node, m])
        pair.extra[node] = 0
        m += 1
    set_parents(pair, target, node, 0)


@inner
def add_outsiders(pair, target, room, node, i, rng):
    """Draw outsiders beside those that a variable has already, and weigh its family."""
    given = next_outsider(pair, target, node, -1)
    while pair.extra[node] < MOST_DRAWN:
        drawn, _ = draw_outsider(pair, target, room, node, pair.chosen[node], given, i, 0.0, rng.random())
        if drawn < 0:
            break
        insert(pair.parents, node, drawn)
        pair.extra[node] += 1
        given = drawn
    if given >= 0:
        pair.log_weight[node] = weigh_parents(pair, target, room, node)


@inner
def draw_family(pair, target, room, node, allowed, needed, log_total, i, rng):
    """Draw the parents of a variable: candidates as :func:`draw_set_with` does, then outsiders."""
    remove_parents(pair, target, node)
    set_parents(pair, target, node, draw_set_with(target.sets, node, allowed, needed, log_total, rng.random()))
    if target.outsider[node, 0] >= 0:
        add_outsiders(pair, target, room, node, i, rng)

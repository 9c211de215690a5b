"""Jumps: a DAG that is drawn from the sum over all orders takes the place of the present one.

The sums of :mod:`.order_sums` give each DAG as often as it agrees with orders, and it must count once. So an order is
drawn for the present DAG, too, and a jump from (order, DAG) to (order', DAG') is accepted with the probability
min(1, r' / r), where

    r = P(DAG) g(order | DAG) / (the probability of drawing both),

and g is any distribution over the orders of a DAG. The probability of a DAG cancels; what is left is g, which had best
be uniform. Here each time one of the variables whose parents are all placed comes next with a probability in proportion
to the number of its descendants, itself included. For trees, all orders are then equally probable, as in the hook
length formula (Knuth 1973), and log g varies a half to a quarter as much as that of equal chances: jumps are accepted
two to four times as often.

The sums are over parents among the candidates C of each variable. Others, the outsiders, are added to those drawn or
*exchanged* for one of them: with some probability a candidate a that was drawn is taken away again, and then either a
comes back or an outsider takes its place, by their odds given all others. Else a DAG with an outsider in the place of a
candidate that the rest cannot do without would never be proposed, and never left. So the probability of proposing
parents with outsiders is a sum over the candidates for which they may have come; of parents without, it depends on
whether one was to be exchanged, and which. That is drawn for the present DAG, too, as its order is.

A chain that is at a DAG with more outsiders than can be drawn does not jump.
"""

import math

import numpy as np

from ..basics.bits import first, insert
from ..basics.metropolis import ACCEPTED, ASK, REJECTED, is_rejected
from ..compiling import inner
from .beyond import weigh_beyond
from .candidates import draw_set
from .order_sums import add_logs, draw_last, find_allowed
from .outsiders import (
    add_outsiders,
    draw_outsider,
    find_later,
    keeps_outsiders,
    log_beyond_table,
    log_present,
    remove_parents,
    weigh_outsiders,
)
from .pairs import allow, draw_order, set_parents

EXCHANGED = 0.5
"""How often one of the candidates drawn for a variable is to be exchanged, if an outsider will do."""


@inner
def count_bits(members):
    """Return the number of members of a set."""
    number = 0
    while members:
        members &= members - 1
        number += 1
    return number


@inner
def share_of(log_others):
    """Return the share of what weighs 1 beside others."""
    return 1.0 / (1.0 + math.exp(min(log_others, 700.0)))


@inner
def count_descendants(pair, target, line, number):
    """Set the number of descendants of each variable, itself included; to be known to come later counts as one.

    ``line`` is room for the sets of them, as bits.
    """
    p = pair.order.shape[0]
    for v in range(p):
        line[v] = 1 << v
    for j in range(p - 1, -1, -1):
        v = pair.order[j]
        word = pair.parents[v, 0] | target.earlier[v, 0]
        while word != np.uint64(0):
            line[first(word)] |= line[v]
            word &= word - np.uint64(1)
        number[v] = count_bits(line[v])


@inner
def is_open(pair, target, v, placed):
    """Return whether all that must come before a variable is placed."""
    return np.int64(pair.parents[v, 0] | target.earlier[v, 0]) & ~placed == 0


@inner
def log_choice(pair, target, room):
    """Return log g(order | DAG)."""
    p = pair.order.shape[0]
    number = room.waiting
    count_descendants(pair, target, room.line, number)
    placed = 0
    log_total = 0.0
    for j in range(p):
        total = 0
        for i in range(j, p):
            if is_open(pair, target, pair.order[i], placed):
                total += number[pair.order[i]]
        log_total += room.log_number[number[pair.order[j]]] - math.log(total)
        placed |= 1 << pair.order[j]
    return log_total


@inner
def choose_order(pair, target, room, rng):
    """Draw an order for the DAG by g, from the present one; return log g of it."""
    p = pair.order.shape[0]
    number = room.waiting
    count_descendants(pair, target, room.line, number)
    placed = 0
    log_total = 0.0
    for j in range(p):
        total = 0
        for v in range(p):
            if not (placed >> v) & 1 and is_open(pair, target, v, placed):
                total += number[v]
        left = np.int64(rng.random() * total)
        chosen = -1
        v = 0
        while left >= 0:
            if not (placed >> v) & 1 and is_open(pair, target, v, placed):
                chosen = v
                left -= number[v]
            v += 1
        log_total += room.log_number[number[chosen]] - math.log(total)
        pair.order[j] = chosen
        pair.position[chosen] = j
        placed |= 1 << chosen
    return log_total


@inner
def pick_exchanged(chosen, rng):
    """Return one of some candidates that is to be exchanged, as a bit, and 0 if none is."""
    if rng.random() >= EXCHANGED or chosen == 0:
        return 0
    number = np.int64(rng.random() * count_bits(chosen))
    left = chosen
    while number > 0:
        left &= left - 1
        number -= 1
    return left & -left


@inner
def log_exchanges(pair, target, node, log_sum):
    """Return the log of what drawing outsiders must be multiplied with, be they added or come for a candidate.

    ``log_sum`` is that of the odds of all first outsiders.
    """
    sets = target.sets
    start = sets.start[node]
    chosen = pair.chosen[node]
    number = count_bits(chosen)
    total = (1.0 - EXCHANGED if number > 0 else 1.0) * share_of(log_sum)
    left = pair.allowed[node] & ~chosen
    while left:
        bit = left & -left
        left ^= bit
        log_back = sets.log_weight[start + (chosen | bit)] - sets.log_weight[start + chosen]
        total += EXCHANGED / (number + 1) * share_of(log_sum - log_back)
    return math.log(total)


@inner
def log_excess_by_jump(pair, target, room, node, rng):
    """Return log r of a present family."""
    if keeps_outsiders(pair, target, node):
        return np.inf
    if target.outsider[node, 0] < 0:
        return 0.0
    find_later(pair, node, room.below, 0)
    if pair.extra[node] > 0:
        log_odds, log_sum = log_present(pair, target, room, node, 0)
        return log_beyond_table(pair, target, node) - log_odds - log_exchanges(pair, target, node, log_sum)
    start = target.sets.start[node]
    chosen = pair.chosen[node]
    rest = chosen ^ pick_exchanged(chosen, rng)
    log_back = target.sets.log_weight[start + chosen] - target.sets.log_weight[start + rest]
    return add_logs(log_back, weigh_outsiders(pair, target, room, node, rest, -1, 0)) - log_back


@inner
def log_excess_of_all(pair, target, room, rng):
    """Return log r of a DAG, but for g and what the prior says beyond single edges; inf if it cannot be drawn."""
    total = 0.0
    for v in range(pair.order.shape[0]):
        total += log_excess_by_jump(pair, target, room, v, rng)
    return total


@inner
def draw_by_jump(pair, target, room, node, rng):
    """Draw the parents of a variable, and return log r of them."""
    sets = target.sets
    start = sets.start[node]
    remove_parents(pair, target, node)
    chosen = draw_set(sets, node, pair.allowed[node], rng.random())
    set_parents(pair, target, node, chosen)
    if target.outsider[node, 0] < 0:
        return 0.0
    find_later(pair, node, room.below, 0)
    rest = chosen ^ pick_exchanged(chosen, rng)
    log_back = sets.log_weight[start + chosen] - sets.log_weight[start + rest]
    drawn, log_total = draw_outsider(pair, target, room, node, rest, -1, 0, log_back, rng.random())
    if drawn < 0:
        return log_total - log_back
    set_parents(pair, target, node, rest)
    insert(pair.parents, node, drawn)
    pair.extra[node] = 1
    add_outsiders(pair, target, room, node, 0, rng)
    return log_excess_by_jump(pair, target, room, node, rng)


@inner
def draw_all(pair, target, room, rng):
    """Draw an order from the sums, and parents for each variable; return log r as :func:`log_excess_of_all` does."""
    sums = target.sums
    members = sums.log_sum.shape[0] - 1
    for j in range(pair.order.shape[0] - 1, -1, -1):
        v = draw_last(sums, target.sets, target.earlier, members, rng)
        members ^= 1 << v
        pair.order[j] = v
        pair.position[v] = j
        pair.allowed[v] = find_allowed(sums, v, members)
    total = 0.0
    for v in range(pair.order.shape[0]):
        total += draw_by_jump(pair, target, room, v, rng)
    return total


@inner
def exchange(pair, other):
    """Let each of two pairs have the order and the DAG of the other."""
    for v in range(pair.order.shape[0]):
        pair.order[v], other.order[v] = other.order[v], pair.order[v]
        pair.position[v], other.position[v] = other.position[v], pair.position[v]
        pair.chosen[v], other.chosen[v] = other.chosen[v], pair.chosen[v]
        pair.extra[v], other.extra[v] = other.extra[v], pair.extra[v]
        pair.parents[v, 0], other.parents[v, 0] = other.parents[v, 0], pair.parents[v, 0]
        pair.log_weight[v], other.log_weight[v] = other.log_weight[v], pair.log_weight[v]


@inner
def jump(pair, target, views, room, rng):
    """Propose a DAG drawn from the sums; return what became of it. In any case a new order is drawn."""
    other = room.other
    log_choice_now = choose_order(pair, target, room, rng)
    for v in range(pair.order.shape[0]):
        allow(pair, target, v)
    log_ratio = -log_choice_now - log_excess_of_all(pair, target, room, rng)
    if log_ratio > -np.inf:
        log_ratio += draw_all(other, target, room, rng)
        log_ratio += log_choice(other, target, room)
    outcome = REJECTED
    if not is_rejected(log_ratio, rng.random()):
        exchange(pair, other)
        beyond = weigh_beyond(views, pair, room)
        if not beyond < np.inf:
            outcome = ASK
        elif beyond == pair.beyond[0] or not is_rejected(beyond - pair.beyond[0], rng.random()):
            outcome = ACCEPTED
            pair.beyond[0] = beyond
        if outcome != ACCEPTED:
            exchange(pair, other)
    draw_order(pair, target, room, rng)
    return outcome

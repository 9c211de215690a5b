"""A DAG together with an order that it agrees with, so that the DAG counts once.

Order MCMC weighs a DAG by the number of orders it agrees with, and nobody can count them. Here an order is *drawn* for
the DAG: from first to last, each time one of the variables whose parents are all placed, with equal probabilities. That
has a probability one can compute,

    log q(order | DAG) = - sum over positions of log(number of variables that could have come next),

and the chain's target is P(DAG | data) q(order | DAG), whose sum over orders is P(DAG | data). Where some variables are
known to come before others, they count as parents in this, without an edge.
"""

from typing import Any, NamedTuple

import numpy as np

from ..basics.bits import WORD, clear, copy, first, insert, list_members, remove
from ..compiling import inner
from ..scores.interface import new_room
from .candidates import weigh_family


class Pair(NamedTuple):
    """Where a chain is.

    ``allowed[v]`` is the set of candidates of v that come before it, ``chosen[v]`` that of those that are parents,
    ``extra[v]`` the number of parents that are neither candidates nor required; ``parents`` has all of them, as bits.
    ``log_weight[v]`` is that of the family of v. ``log_order[0]`` is log q(order | DAG), ``beyond[0]`` what the prior
    says beyond single edges, and ``moves`` counts, for each kind, how many were proposed and accepted.
    """

    order: np.ndarray
    position: np.ndarray
    allowed: np.ndarray
    chosen: np.ndarray
    extra: np.ndarray
    parents: np.ndarray
    log_weight: np.ndarray
    log_order: np.ndarray
    beyond: np.ndarray
    moves: np.ndarray


class Room(NamedTuple):
    """Room to work in.

    ``changed`` lists the variables whose families a move changes, and the next five what they had. ``opened``,
    ``waiting`` and ``children`` are for drawing orders, ``below`` for sets of variables that cannot be parents,
    ``log_number[k]`` is log k, ``at_position`` the log weight of a variable at each position, ``toggled`` that of
    families with another parent or without it, and ``log_odds`` is of outsiders. ``members`` and ``score`` are for
    scoring a family; ``level`` is where each variable stands in the layers of a DAG. ``line`` is for sets of
    descendants in one word, and ``other`` is a DAG to jump to.
    """

    changed: np.ndarray
    old_allowed: np.ndarray
    old_chosen: np.ndarray
    old_extra: np.ndarray
    old_parents: np.ndarray
    old_log_weight: np.ndarray
    opened: np.ndarray
    waiting: np.ndarray
    children: np.ndarray
    below: np.ndarray
    log_number: np.ndarray
    at_position: np.ndarray
    toggled: np.ndarray
    log_odds: np.ndarray
    members: np.ndarray
    level: np.ndarray
    line: np.ndarray
    other: Pair
    score: Any


def new_pair(required: np.ndarray, kinds_of_moves: int) -> Pair:
    """Return a chain, before it is at a DAG; ``required`` are the required parents of each variable, as bits."""
    p = len(required)
    return Pair(
        order=np.zeros(p, np.int64),
        position=np.zeros(p, np.int64),
        allowed=np.zeros(p, np.int64),
        chosen=np.zeros(p, np.int64),
        extra=np.zeros(p, np.int64),
        parents=required.copy(),
        log_weight=np.zeros(p),
        log_order=np.zeros(1),
        beyond=np.zeros(1),
        moves=np.zeros((kinds_of_moves, 2), np.int64),
    )


def new_pair_room(score: Any, required: np.ndarray) -> Room:
    """Return room for variables with such required parents, as bits."""
    p, words = required.shape
    return Room(
        changed=np.zeros(p, np.int64),
        old_allowed=np.zeros(p, np.int64),
        old_chosen=np.zeros(p, np.int64),
        old_extra=np.zeros(p, np.int64),
        old_parents=np.zeros((p, words), np.uint64),
        old_log_weight=np.zeros(p),
        opened=np.zeros(p + 1, np.int64),
        waiting=np.zeros(p, np.int64),
        children=np.zeros((p, words), np.uint64),
        below=np.zeros((3, words), np.uint64),
        log_number=np.log(np.maximum(np.arange(p + 1), 1)),
        at_position=np.zeros(p),
        toggled=np.zeros(p),
        log_odds=np.zeros(p),
        members=np.zeros(p + 1, np.int64),
        level=np.zeros(p, np.int64),
        line=np.zeros(p, np.int64),
        other=new_pair(required, 0),
        score=new_room(score, p),
    )


@inner
def log_order(pair, target, room):
    """Return log q(order | DAG)."""
    p = pair.order.shape[0]
    opened = room.opened
    for j in range(p + 1):
        opened[j] = 0
    for v in range(p):
        # A variable could come next from right after its last parent until it does.
        after = 0
        for w in range(pair.parents.shape[1]):
            word = pair.parents[v, w] | target.earlier[v, w]
            while word != np.uint64(0):
                next_to_it = pair.position[w * WORD + first(word)] + 1
                if next_to_it > after:
                    after = next_to_it
                word &= word - np.uint64(1)
        opened[after] += 1
        opened[pair.position[v] + 1] -= 1
    total = 0.0
    number = 0
    for j in range(p):
        number += opened[j]
        total -= room.log_number[number]
    return total


@inner
def allow(pair, target, node):
    """Set which candidates of ``node`` come before it."""
    sets = target.sets
    allowed = 0
    for k in range(sets.number[node]):
        if pair.position[sets.member[node, k]] < pair.position[node]:
            allowed |= 1 << k
    pair.allowed[node] = allowed


@inner
def draw_order(pair, target, room, rng):
    """Draw an order for the DAG."""
    p = pair.order.shape[0]
    open_ = room.opened
    waiting = room.waiting
    children = room.children
    number = 0
    for v in range(p):
        clear(children, v)
    for v in range(p):
        waiting[v] = 0
        for w in range(pair.parents.shape[1]):
            word = pair.parents[v, w] | target.earlier[v, w]
            while word != np.uint64(0):
                insert(children, w * WORD + first(word), v)
                waiting[v] += 1
                word &= word - np.uint64(1)
        if waiting[v] == 0:
            open_[number] = v
            number += 1
    total = 0.0
    for j in range(p):
        total -= room.log_number[number]
        i = np.int64(rng.random() * number)
        v = open_[i]
        number -= 1
        open_[i] = open_[number]
        pair.order[j] = v
        pair.position[v] = j
        for w in range(children.shape[1]):
            word = children[v, w]
            while word != np.uint64(0):
                u = w * WORD + first(word)
                waiting[u] -= 1
                if waiting[u] == 0:
                    open_[number] = u
                    number += 1
                word &= word - np.uint64(1)
    for v in range(p):
        allow(pair, target, v)
    pair.log_order[0] = total


@inner
def set_parents(pair, target, node, chosen):
    """Let the parents of ``node`` be the required ones and some candidates."""
    sets = target.sets
    pair.chosen[node] = chosen
    pair.log_weight[node] = sets.log_weight[sets.start[node] + chosen]
    for k in range(sets.number[node]):
        u = sets.member[node, k]
        if (chosen >> k) & 1:
            insert(pair.parents, node, u)
        else:
            remove(pair.parents, node, u)


@inner
def weigh_parents(pair, target, room, node):
    """Return the log weight of a family with parents that need not be candidates."""
    size = list_members(pair.parents, node, room.members)
    room.members[size] = node
    return weigh_family(target, room.members, size, room.score) + target.outside * pair.extra[node]


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

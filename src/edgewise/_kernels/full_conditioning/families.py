"""The families that rows of the factor give: who passes the tests, and what that is worth."""

import numpy as np

from ..beliefs.beliefs import begin_proposal, propose_base
from ..compiling import inlined, inner
from ..families.cache import fill, slot_of
from ..families.target import REQUIRED, TESTED
from .factor import accumulate

ROW, TOTAL = 0, 1
"""Rows of ``Factor.vectors``: a row that the factor would have, and sums of squares to compare it with."""


@inlined
def list_parents(rules, rows, i, totals, j, limit, node, members):
    """Fill ``members`` with the parents of ``node`` in index order, then ``node``; return how many parents.

    A variable passes its test where the square of row i of ``rows`` exceeds ``limit`` times row j of ``totals``.
    """
    size = 0
    rule = rules.row[node]
    for v in range(members.shape[0]):
        edge = rules.edge[rule, v]
        passed = edge == TESTED and rows[i, v] * rows[i, v] > limit * totals[j, v]
        if v != node and (passed or edge == REQUIRED):
            members[size] = v
            size += 1
    members[size] = node
    return size


@inner
def look_up(cache, target, key, node, rows, i, totals, j, limit):
    """Return the slot of the cache that holds the family ``key`` of ``node``, scoring it first if need be.

    The other arguments say who the parents are, as in :func:`list_parents`.
    """
    slot = slot_of(key)
    if cache.family[slot].key != key:
        size = list_parents(target.rules, rows, i, totals, j, limit, node, cache.members)
        fill(cache, target, slot, key, size)
    return slot


@inner
def name_family(state, target, j):
    """Return the key of the family that the factor gives the variable at position j, and the limit of its test."""
    W = state.found.W
    C = state.found.C
    rules = target.rules
    node = state.order[j]
    key = rules.own[node]
    if j >= W.shape[0]:
        return key ^ rules.zobrist[node], np.inf
    rule = rules.row[node]
    threshold = target.way.threshold[j]
    for v in range(W.shape[1]):
        if W[j, v] * W[j, v] > threshold * C[j + 1, v]:
            key ^= rules.name[rule, v]
    return key, threshold


@inner
def set_families(state, target):
    """Set every variable's family to what the factor says. O(p^2)."""
    W = state.found.W
    for j in range(state.order.shape[0]):
        node = state.order[j]
        row = min(j, W.shape[0] - 1)
        key, limit = name_family(state, target, j)
        slot = look_up(state.cache, target, key, node, W, row, state.found.C, row + 1, limit)
        state.family[node] = state.cache.family[slot]


@inner
def list_found(way, state, target, j, members):
    """O(p)."""
    W = state.found.W
    at = min(j, W.shape[0] - 1)
    limit = target.way.threshold[j] if j == at else np.inf
    return list_parents(target.rules, W, at, state.found.C, at + 1, limit, state.order[j], members)


@inner
def evaluate(way, state, target, views):
    """The factor must be that of the order. O(p^2)."""
    accumulate(state.found.W, state.found.C)
    if views is None:
        set_families(state, target)
    else:
        begin_proposal(views.structure)
        for j in range(state.order.shape[0]):
            key, _ = name_family(state, target, j)
            size = list_found(way, state, target, j, state.cache.members)
            propose_base(views.structure, state.order[j], key, state.cache.members, size)

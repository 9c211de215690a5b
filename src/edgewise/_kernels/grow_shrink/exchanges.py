"""Exchanges in the order of a chain whose parents grow-shrink finds: an exchange of neighbours is two walks."""

from typing import NamedTuple

import numpy as np

from ..basics.metropolis import ACCEPTED, REJECTED, is_rejected
from ..beliefs.beliefs import begin_proposal, propose_base
from ..beliefs.settling import settle, settle_rarely
from ..compiling import inlined, inner, new_records
from ..families.cache import FAMILY, worth
from ..families.target import Target
from .tree import Tree, list_shrunk, new_tree, walk


class Growth(NamedTuple):
    """Each variable's position in the order, the tree of what was found so far, and room for a proposal.

    ``passed`` and ``own`` are families of the variables that a move passes, and of the one that moves, by position.
    """

    position: np.ndarray
    tree: Tree
    passed: np.ndarray
    own: np.ndarray


def new_growth(target: Target) -> Growth:
    """Return what a chain keeps, before it is at an order."""
    p = len(target.edge)
    return Growth(np.zeros(p, np.int64), new_tree(target), new_records(p, FAMILY), new_records(p, FAMILY))


@inlined
def propose_grown(state, target, views, node, limit):
    """Note the base of ``node`` among the variables before position ``limit``, if it is another than now."""
    tree = state.found.tree
    structure = views.structure
    at = walk(tree, target, node, state.found.position, limit)
    if tree.family[at].key != structure.base_key[node]:
        size = list_shrunk(tree, node, at, state.cache.members)
        propose_base(structure, node, tree.family[at].key, state.cache.members, size)


@inner
def evaluate(way, state, target, views):
    """Set every variable's position and family, or with views propose its base. O(p) walks."""
    tree = state.found.tree
    position = state.found.position
    for j in range(state.order.shape[0]):
        position[state.order[j]] = j
    if views is not None:
        begin_proposal(views.structure)
    for j in range(state.order.shape[0]):
        node = state.order[j]
        if views is None:
            state.family[node] = tree.family[walk(tree, target, node, position, j)]
        else:
            propose_grown(state, target, views, node, j)


@inner
def list_found(way, state, target, j, members):
    """A walk."""
    tree = state.found.tree
    node = state.order[j]
    return list_shrunk(tree, node, walk(tree, target, node, state.found.position, j), members)


@inlined
def exchange_neighbours(way, state, target, views, k, uniform):
    """Two walks."""
    tree = state.found.tree
    order = state.order
    position = state.found.position
    family = state.family
    rules = target.rules
    heat = target.heat
    h = k + 1
    a = order[k]
    b = order[h]
    if rules.before[rules.row[a], b]:
        return REJECTED, -np.inf
    position[a] = h
    position[b] = k
    outcome = REJECTED
    if views is None:
        # What is found of b is read before the walk for a, which may clear the tree.
        at = walk(tree, target, b, position, np.int64(k))
        key_b = tree.family[at].key
        log_score_b = tree.family[at].log_score
        log_prior_b = tree.family[at].log_prior
        at = walk(tree, target, a, position, h)
        log_ratio = heat * (tree.family[at].log_score - family[a].log_score + (log_score_b - family[b].log_score))
        log_ratio += tree.family[at].log_prior - family[a].log_prior + (log_prior_b - family[b].log_prior)
        if not is_rejected(log_ratio, uniform):
            outcome = ACCEPTED
            family[a] = tree.family[at]
            family[b].key = key_b
            family[b].log_score = log_score_b
            family[b].log_prior = log_prior_b
    else:
        begin_proposal(views.structure)
        propose_grown(state, target, views, b, np.int64(k))
        propose_grown(state, target, views, a, np.int64(h))
        outcome, log_ratio = settle(state, target, views, np.int64(k), np.int64(h), uniform)
    if outcome == ACCEPTED:
        order[k] = b
        order[h] = a
    else:
        position[a] = k
        position[b] = h
    return outcome, log_ratio


@inlined
def exchange_ends(way, state, target, views, uniform):
    """O(p) walks."""
    tree = state.found.tree
    order = state.order
    position = state.found.position
    passed = state.found.passed
    family = state.family
    heat = target.heat
    last = order.shape[0] - 1
    a = order[0]
    b = order[last]
    if target.rules.bound[0, a] or target.rules.bound[1, b]:
        return REJECTED
    position[a] = last
    position[b] = 0
    if views is not None:
        begin_proposal(views.structure)
    log_ratio = 0.0
    for j in range(last + 1):
        node = b if j == 0 else a if j == last else order[j]
        if views is None:
            passed[j] = tree.family[walk(tree, target, node, position, j)]
            log_ratio += worth(passed[j], heat) - worth(family[node], heat)
        else:
            propose_grown(state, target, views, node, j)
    if views is not None:
        outcome, _ = settle_rarely(state, target, views, np.int64(0), last, uniform)
    else:
        outcome = REJECTED if is_rejected(log_ratio, uniform) else ACCEPTED
    if outcome != ACCEPTED:
        position[a] = 0
        position[b] = last
        return outcome
    order[0] = b
    order[last] = a
    if views is None:
        for j in range(last + 1):
            family[order[j]] = passed[j]
    return outcome

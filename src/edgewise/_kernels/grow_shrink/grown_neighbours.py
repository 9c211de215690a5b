"""The state of a chain over orders whose parents grow-shrink finds, and exchanges in its order."""

from typing import NamedTuple

import numpy as np

from ..basics.metropolis import ACCEPTED, REJECTED, is_rejected
from ..beliefs.beliefs import begin_proposal, propose_base
from ..beliefs.settling import settle
from ..compiling import in_place, inlined, inner
from ..families.families import worth
from .growth import list_shrunk, walk


class GrownChain(NamedTuple):
    """The state of a chain: the order and its inverse; the rest is as in :class:`full_conditioning.exchanges.Chain`."""

    order: np.ndarray
    position: np.ndarray
    family: np.ndarray
    moves: np.ndarray


class GrownScratch(NamedTuple):
    """What a step writes before it is decided: families of the variables passed, and of the one that moves.

    ``log_weight`` and ``journey`` are those of :mod:`edgewise._kernels.orders.relocation`.
    """

    passed: np.ndarray
    own: np.ndarray
    log_weight: np.ndarray
    journey: np.ndarray


@inlined
def propose_grown(chain, target, cache, tree, structure, node, limit):
    """Note the base of ``node`` among the variables before position ``limit``, if it is another than now."""
    state = walk(tree, target, node, chain.position, limit)
    if tree.family[state].key != structure.base_key[node]:
        size = list_shrunk(tree, node, state, cache.members)
        propose_base(structure, node, tree.family[state].key, cache.members, size)


@in_place
def evaluate_grown(chain, target, cache, tree, structure):
    """Set every variable's position and family, or with a structure propose its base."""
    for j in range(chain.order.shape[0]):
        chain.position[chain.order[j]] = j
    if structure is not None:
        begin_proposal(structure)
    for j in range(chain.order.shape[0]):
        node = chain.order[j]
        if structure is None:
            state = walk(tree, target, node, chain.position, j)
            chain.family[node] = tree.family[state]
        else:
            propose_grown(chain, target, cache, tree, structure, node, j)


@inlined
def exchange_grown_neighbours(chain, target, cache, tree, beliefs, structure, ask, k, uniform):
    """Propose to exchange positions k and k + 1, and do it if accepted; return the outcome and log ratio.

    With ``uniform`` zero, whatever is possible is accepted. Two walks.
    """
    order = chain.order
    position = chain.position
    family = chain.family
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
    if structure is None:
        # What is found of b is read before the walk for a, which may clear the tree.
        state = walk(tree, target, b, position, k)
        key_b = tree.family[state].key
        log_score_b = tree.family[state].log_score
        log_prior_b = tree.family[state].log_prior
        state = walk(tree, target, a, position, h)
        log_ratio = heat * (tree.family[state].log_score - family[a].log_score + (log_score_b - family[b].log_score))
        log_ratio += tree.family[state].log_prior - family[a].log_prior + (log_prior_b - family[b].log_prior)
        if not is_rejected(log_ratio, uniform):
            outcome = ACCEPTED
            family[a] = tree.family[state]
            family[b].key = key_b
            family[b].log_score = log_score_b
            family[b].log_prior = log_prior_b
    else:
        begin_proposal(structure)
        propose_grown(chain, target, cache, tree, structure, b, k)
        propose_grown(chain, target, cache, tree, structure, a, h)
        outcome, log_ratio = settle(order, k, h, uniform, family, target, cache, beliefs, structure, ask)
    if outcome == ACCEPTED:
        order[k] = b
        order[h] = a
    else:
        position[a] = k
        position[b] = h
    return outcome, log_ratio


@inner
def exchange_grown_ends(chain, target, cache, scratch, tree, beliefs, structure, ask, uniform):
    """Propose to exchange the first variable with the last, and do it if accepted; return the outcome. O(p) walks."""
    order = chain.order
    position = chain.position
    family = chain.family
    heat = target.heat
    last = order.shape[0] - 1
    a = order[0]
    b = order[last]
    if target.rules.bound[0, a] or target.rules.bound[1, b]:
        return REJECTED
    position[a] = last
    position[b] = 0
    if structure is not None:
        begin_proposal(structure)
    log_ratio = 0.0
    for j in range(last + 1):
        node = b if j == 0 else a if j == last else order[j]
        if structure is None:
            state = walk(tree, target, node, position, j)
            scratch.passed[j] = tree.family[state]
            log_ratio += worth(scratch.passed[j], heat) - worth(family[node], heat)
        else:
            propose_grown(chain, target, cache, tree, structure, node, j)
    if structure is not None:
        outcome, _ = settle(order, 0, last, uniform, family, target, cache, beliefs, structure, ask)
    else:
        outcome = REJECTED if is_rejected(log_ratio, uniform) else ACCEPTED
    if outcome != ACCEPTED:
        position[a] = 0
        position[b] = last
        return outcome
    order[0] = b
    order[last] = a
    if structure is None:
        for j in range(last + 1):
            family[order[j]] = scratch.passed[j]
    return outcome

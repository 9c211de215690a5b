"""A chain over pairs of an order and a DAG that agrees with it, for a prior without data.

Half of the steps propose to exchange neighbours in the order, half to add or remove one edge, from an earlier to a
later variable. Both proposals are symmetric.
"""

import numpy as np

from ..basics.bits import copy, has, insert, list_members, remove
from ..basics.metropolis import ACCEPTED, PROPOSED, REJECTED
from ..basics.recorder import note_family
from ..beliefs.beliefs import CHANGED, begin_proposal, log_prior_beyond_families
from ..beliefs.settling import establish, settle
from ..compiling import in_place, inner
from ..families.target import TESTED

EXCHANGE, TOGGLE = 0, 1
"""Rows of ``moves``: exchanges of neighbours, and edges added or removed."""


@inner
def record_pair(state, views, recorder, draws, row):
    """Write the present order and DAG into row ``row`` of ``draws``."""
    members = state.cache.members
    log_prior = log_prior_beyond_families(views.beliefs, views.structure)
    for node in range(state.order.shape[0]):
        size = list_members(views.structure.parents, node, members)
        members[size] = node
        draws.family[row, node] = note_family(recorder, state.family[node].key, members, size)
        draws.order[row, node] = state.order[node]
        log_prior += state.family[node].log_prior
    draws.log_score[row] = 0.0
    draws.log_prior[row] = log_prior


@inner
def find_pair(number):
    """Return the pair of positions i < j with a number from 0 up: (0, 1), (0, 2), (1, 2), (0, 3), ..."""
    j = np.int64((1.0 + np.sqrt(1.0 + 8.0 * number)) / 2.0)
    while j * (j - 1) // 2 > number:
        j -= 1
    while j * (j + 1) // 2 <= number:
        j += 1
    return number - j * (j - 1) // 2, j


@in_place
def begin_prior(state, target, views):
    """Make the present DAG that of the marked bases; return whether the order allows one."""
    return establish(state, target, views)


@in_place
def run_prior(state, target, views, until_draw, thin, uniforms, recorder, draws):
    """Take one step for each row of ``uniforms``, whose two numbers choose the proposal and decide it.

    Draws are as in :class:`edgewise._kernels.orders.loop.Pace`. Returns ACCEPTED at the end, or ASK.
    """
    order = state.order
    structure = views.structure
    rules = target.rules
    p = order.shape[0]
    pairs = p * (p - 1) // 2
    row = 0
    for step in range(uniforms.shape[0]):
        if step == until_draw:
            record_pair(state, views, recorder, draws, row)
            row += 1
            until_draw += thin
        choice = 2.0 * uniforms[step, 0]
        kind = EXCHANGE if choice < 1.0 else TOGGLE
        outcome = REJECTED
        i = np.int64(0)
        j = np.int64(0)
        if kind == EXCHANGE and p > 1:
            i = np.int64(choice * (p - 1))
            j = i + 1
            ruled = rules.before[rules.row[order[i]], order[j]]
            if not ruled and not has(structure.base, order[j], order[i]):
                begin_proposal(structure)
                outcome = PROPOSED
        elif p > 1:
            i, j = find_pair(np.int64((choice - 1.0) * pairs))
            parent = order[i]
            node = order[j]
            if rules.edge[rules.row[node], parent] == TESTED:
                begin_proposal(structure)
                insert(structure.marks, CHANGED, node)
                copy(structure.base, node, structure.new_base, node)
                if has(structure.base, node, parent):
                    remove(structure.new_base, node, parent)
                else:
                    insert(structure.new_base, node, parent)
                i = j
                outcome = PROPOSED
        if outcome == PROPOSED:
            outcome, _ = settle(state, target, views, i, j, uniforms[step, 1])
        if outcome < 0:
            return outcome
        if outcome == ACCEPTED and kind == EXCHANGE:
            a = order[i]
            order[i] = order[j]
            order[j] = a
        state.moves[kind, 0] += 1
        state.moves[kind, 1] += outcome
    if uniforms.shape[0] == until_draw:
        record_pair(state, views, recorder, draws, row)
    return ACCEPTED

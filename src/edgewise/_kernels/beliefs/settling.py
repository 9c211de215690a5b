"""What becomes of a proposed DAG and order: weighed, accepted or rejected, and then the present one or forgotten."""

import numpy as np

from ..basics.bits import WORD, copy, first, has, is_empty
from ..basics.metropolis import ACCEPTED, ASK, PROPOSED, REJECTED, is_rejected
from ..compiling import inlined, inner
from .ancestry import mix, propagate, weigh_paths, weigh_relatives
from .beliefs import (
    ABOVE,
    BELOW,
    CHANGED,
    DAG,
    DAG_AND_ORDER,
    FUNCTION,
    MEMO_BITS,
    NEW_ABOVE,
    NEW_ANCESTORS,
    NEW_BELOW,
    NEW_FAMILY,
    PATHS,
    RELATIVES,
    TERMS,
    count_tiers,
    exchange_tiers,
)
from .terms import sum_terms


@inlined
def name_question(order, beliefs, structure):
    """Return the key of what a Python function is asked about: the proposed DAG, and perhaps the order."""
    key = structure.dag_key[1]
    if beliefs.asks == DAG_AND_ORDER:
        for j in range(order.shape[0]):
            key += mix(np.uint64(order[j] + 1) << np.uint64(32) | np.uint64(j + 1))
    return key


@inner
def memo_slot(key):
    """Return the place of a key in the memo."""
    return np.int64(key >> np.uint64(64 - MEMO_BITS))


@inner
def pose_question(structure):
    """Write down the proposed DAG for functions to be asked about."""
    for v in range(structure.question.shape[0]):
        is_new = has(structure.marks, NEW_FAMILY, v)
        copy(structure.new_parents if is_new else structure.parents, v, structure.question, v)


@inlined
def weigh_function(order, beliefs, structure):
    """Set the proposed value of the Python functions; if it is not in the memo, pose the question and return False."""
    key = name_question(order, beliefs, structure)
    slot = memo_slot(key)
    if structure.memo[slot].key != key:
        pose_question(structure)
        structure.asked_key[0] = key
        for j in range(order.shape[0]):
            structure.asked_order[j] = order[j]
        return False
    structure.value[1, FUNCTION] = structure.memo[slot].value
    return True


@inlined
def commit(family, structure):
    """Make the proposed DAG the present one."""
    marks = structure.marks
    for w in range(marks.shape[1]):
        word = marks[CHANGED, w]
        while word != np.uint64(0):
            v = w * WORD + first(word)
            copy(structure.new_base, v, structure.base, v)
            structure.base_key[v] = structure.new_base_key[v]
            word &= word - np.uint64(1)
        word = marks[NEW_FAMILY, w]
        while word != np.uint64(0):
            v = w * WORD + first(word)
            copy(structure.new_parents, v, structure.parents, v)
            family[v] = structure.new_family[v]
            word &= word - np.uint64(1)
        word = marks[NEW_ANCESTORS, w]
        while word != np.uint64(0):
            v = w * WORD + first(word)
            copy(structure.new_ancestors, v, structure.ancestors, v)
            word &= word - np.uint64(1)
    if not is_empty(marks, NEW_ANCESTORS):
        for v in range(family.shape[0]):
            structure.relatives[ABOVE, v] = structure.relatives[NEW_ABOVE, v]
            structure.relatives[BELOW, v] = structure.relatives[NEW_BELOW, v]
    for term in (PATHS, FUNCTION, RELATIVES, TERMS):
        structure.value[0, term] = structure.value[1, term]
    structure.dag_key[0] = structure.dag_key[1]


@inlined
def settle(state, target, views, first_position, last_position, uniform):
    """Decide whether to exchange two positions; return the outcome (ASK if ``ask`` failed) and the log ratio.

    The variables whose base the exchange would change are marked. If accepted, the DAG is the proposed one; the order
    is left for the caller to change.
    """
    order = state.order
    beliefs = views.beliefs
    structure = views.structure
    a = order[first_position]
    b = order[last_position]
    order[first_position] = b
    order[last_position] = a
    marks = structure.marks
    value = structure.value
    outcome = PROPOSED
    log_ratio = propagate(state, target, views, first_position, last_position)
    for term in (PATHS, FUNCTION, RELATIVES, TERMS):
        value[1, term] = value[0, term]
    if log_ratio > -np.inf:
        if not is_empty(marks, NEW_ANCESTORS):
            value[1, PATHS] = weigh_paths(beliefs, structure)
            if beliefs.log_count.shape[0] > 0:
                value[1, RELATIVES] = weigh_relatives(beliefs, structure)
        if len(beliefs.terms) > 0 and not is_empty(marks, NEW_FAMILY):
            pose_question(structure)
            value[1, TERMS] = sum_terms(beliefs.terms, structure.question)
            if not value[1, TERMS] < np.inf:
                outcome = ASK
        if beliefs.asks == DAG_AND_ORDER or (beliefs.asks == DAG and not is_empty(marks, NEW_FAMILY)):
            if not weigh_function(order, beliefs, structure):
                if views.ask() == 0 or not weigh_function(order, beliefs, structure):
                    outcome = ASK
        for term in (PATHS, FUNCTION, RELATIVES, TERMS):
            log_ratio += value[1, term] - value[0, term]
    log_ratio += exchange_tiers(order, first_position, last_position, beliefs, structure)
    order[first_position] = a
    order[last_position] = b
    if outcome == PROPOSED and not is_rejected(log_ratio, uniform):
        commit(state.family, structure)
        return ACCEPTED, log_ratio
    exchange_tiers(order, first_position, last_position, beliefs, structure)
    return ASK if outcome == ASK else REJECTED, log_ratio


@inner
def settle_rarely(state, target, views, first_position, last_position, uniform):
    """As :func:`settle`, for moves that are not worth a copy of its code of their own."""
    return settle(state, target, views, first_position, last_position, uniform)


@inner
def establish(state, target, views):
    """Make the present DAG that of the marked bases, and count all anew; return whether the order allows one. O(p^2).

    The value of a Python function is left as it is.
    """
    beliefs = views.beliefs
    structure = views.structure
    last = state.order.shape[0] - 1
    structure.value[1, FUNCTION] = structure.value[0, FUNCTION]
    if propagate(state, target, views, np.int64(0), last) == -np.inf:
        return False
    structure.value[1, PATHS] = weigh_paths(beliefs, structure)
    if beliefs.log_count.shape[0] > 0:
        structure.value[1, RELATIVES] = weigh_relatives(beliefs, structure)
    pose_question(structure)
    structure.value[1, TERMS] = sum_terms(beliefs.terms, structure.question)
    commit(state.family, structure)
    count_tiers(state.order, beliefs, structure)
    return structure.value[0, TERMS] > -np.inf

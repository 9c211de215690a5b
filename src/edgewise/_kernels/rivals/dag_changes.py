"""A DAG whose edges change, and who is an ancestor of whom in it.

The ancestors of each variable are kept as sets of bits (Giudici & Castelo 2003), so that one look tells whether adding
i -> j closes a cycle: it does if j is an ancestor of i. They are found anew when a change is made, and only for the
variables below it.

A change is opened, which notes what it may affect as it was before; then one or two variables are given the parents
proposed for them, and the DAG is weighed; and if it is rejected, all is taken back. Only what the prior says beyond
single edges, and rules for ancestors, need the DAG in place to be weighed. Without them a change is decided before.
"""

from typing import NamedTuple

import numpy as np

from ..basics.bits import WORD, clear, copy, first, has, insert, list_members, meets, remove
from ..basics.metropolis import ACCEPTED, ASK, REJECTED, is_rejected
from ..beliefs.ancestry import look_up_proposed, mix, weigh_paths
from ..beliefs.beliefs import FUNCTION, PATHS, TERMS, Structure
from ..beliefs.settling import weigh_function
from ..beliefs.terms import sum_terms
from ..compiling import in_place, inlined, inner, new_records
from ..families.cache import FAMILY, slot_of, worth
from ..families.target import FORBIDDEN


class DagState(NamedTuple):
    """The state of a chain, and room for a change.

    Sets of variables are in rows. ``parents`` and ``ancestors`` are those of each variable, ``family`` describes its
    family, ``size`` is its number of parents, ``edges[0]`` the sum of these, and ``moves[kind]`` counts proposals and
    acceptances. ``new_parents`` and ``new_family`` are what is proposed. ``old_parents``, of two variables, and
    ``old_ancestors`` are as they were before a change. ``stack`` and ``walk`` are lists, and ``sets`` is described at
    the names of its rows.
    """

    parents: np.ndarray
    ancestors: np.ndarray
    family: np.ndarray
    size: np.ndarray
    edges: np.ndarray
    moves: np.ndarray
    new_parents: np.ndarray
    new_family: np.ndarray
    old_parents: np.ndarray
    old_ancestors: np.ndarray
    stack: np.ndarray
    walk: np.ndarray
    sets: np.ndarray


AFFECTED, PENDING, BELOW_SOURCE, BELOW_TARGET, BELOW = range(5)
"""Rows of ``DagState.sets``: variables whose ancestors a change may affect; those of them still to be visited; what is
below the ends of an edge when both have lost their parents; and both ends with all below them."""


def new_dag_state(structure: Structure, kinds_of_moves: int) -> DagState:
    """Return a chain whose sets of parents and ancestors are those of a structure."""
    p, words = structure.parents.shape
    return DagState(
        parents=structure.parents,
        ancestors=structure.ancestors,
        family=new_records(p, FAMILY),
        size=np.zeros(p, np.int64),
        edges=np.zeros(1, np.int64),
        moves=np.zeros((kinds_of_moves, 2), np.int64),
        new_parents=structure.new_parents,
        new_family=structure.new_family,
        old_parents=np.zeros((2, words), np.uint64),
        old_ancestors=np.zeros((p, words), np.uint64),
        stack=np.zeros(p, np.int64),
        walk=np.zeros(p, np.int64),
        sets=np.zeros((5, words), np.uint64),
    )


@inlined
def toggle(sets, i, member):
    """Put ``member`` into row i of ``sets``, or take it out."""
    sets[i, member // WORD] ^= np.uint64(1) << np.uint64(member % WORD)


@inner
def first_shared(sets, i, others, j):
    """Return the lowest member that row i of ``sets`` and row j of ``others`` share, -1 if there is none."""
    for w in range(sets.shape[1]):
        word = sets[i, w] & others[j, w]
        if word != np.uint64(0):
            return w * WORD + first(word)
    return -1


@inner
def list_downwards(chain):
    """Write the pending variables into ``chain.walk``, parents before children; return how many. Empties the set.

    Depth first: a variable is listed when none of its parents is pending any more.
    """
    stack = chain.stack
    sets = chain.sets
    number = 0
    for w in range(sets.shape[1]):
        while sets[PENDING, w] != np.uint64(0):
            stack[0] = w * WORD + first(sets[PENDING, w])
            height = 1
            while height > 0:
                node = stack[height - 1]
                parent = first_shared(chain.parents, node, sets, PENDING)
                if parent >= 0:
                    stack[height] = parent
                    height += 1
                else:
                    remove(sets, PENDING, node)
                    chain.walk[number] = node
                    number += 1
                    height -= 1
    return number


@inner
def trace(chain, members):
    """Find the ancestors of all affected variables anew."""
    parents = chain.parents
    ancestors = chain.ancestors
    copy(chain.sets, AFFECTED, chain.sets, PENDING)
    number = list_downwards(chain)
    for n in range(number):
        node = chain.walk[n]
        size = list_members(parents, node, members)
        copy(parents, node, ancestors, node)
        for m in range(size):
            for w in range(ancestors.shape[1]):
                ancestors[node, w] |= ancestors[members[m], w]


@inner
def open_change(chain, a, b, top):
    """Note what a change of the parents of a and b may affect, ``top`` and all below it, as it was before."""
    copy(chain.parents, a, chain.old_parents, 0)
    copy(chain.parents, b, chain.old_parents, 1)
    clear(chain.sets, AFFECTED)
    for v in range(chain.parents.shape[0]):
        if v == top or has(chain.ancestors, v, top):
            insert(chain.sets, AFFECTED, v)
            copy(chain.ancestors, v, chain.old_ancestors, v)


@inner
def take_back(chain, a, b):
    """Restore what was there when the change was opened."""
    copy(chain.old_parents, 0, chain.parents, a)
    copy(chain.old_parents, 1, chain.parents, b)
    number = list_members(chain.sets, AFFECTED, chain.walk)
    for n in range(number):
        copy(chain.old_ancestors, chain.walk[n], chain.ancestors, chain.walk[n])


@inner
def is_subset(sets, i, others, j):
    """Return whether all members of row i of ``sets`` are in row j of ``others``."""
    missing = np.uint64(0)
    for w in range(sets.shape[1]):
        missing |= sets[i, w] & ~others[j, w]
    return missing == np.uint64(0)


@inner
def keeps_rules(chain, beliefs):
    """Return whether all affected variables have the ancestors they must have, and none that they must not."""
    ancestors = chain.ancestors
    number = list_members(chain.sets, AFFECTED, chain.walk)
    for n in range(number):
        node = chain.walk[n]
        if beliefs.is_ruled[node] and (
            meets(ancestors, node, beliefs.excluded, node) or not is_subset(beliefs.needed, node, ancestors, node)
        ):
            return False
    return True


@inner
def weigh_beyond_families(chain, views):
    """Weigh the DAG that has been put in place; return False if a Python function could not be asked."""
    beliefs = views.beliefs
    structure = views.structure
    value = structure.value
    for term in (PATHS, FUNCTION, TERMS):
        value[1, term] = value[0, term]
    if beliefs.reach:
        value[1, PATHS] = -np.inf
        if not keeps_rules(chain, beliefs):
            return True
        value[1, PATHS] = weigh_paths(beliefs, structure)
    if len(beliefs.terms) > 0:
        value[1, TERMS] = sum_terms(beliefs.terms, chain.parents)
        if not value[1, TERMS] < np.inf:
            return False
    # A DAG has no order of its own for the function to see.
    if beliefs.asks == 0 or weigh_function(structure.asked_order, beliefs, structure):
        return True
    return views.ask() != 0 and weigh_function(structure.asked_order, beliefs, structure)


@inner
def name_proposed(chain, structure, a, b):
    """Set the key of the DAG in which a and b have the families proposed."""
    key = structure.dag_key[0] + mix(chain.new_family[a].key) - mix(chain.family[a].key)
    if b != a:
        key += mix(chain.new_family[b].key) - mix(chain.family[b].key)
    structure.dag_key[1] = key


@inner
def commit(chain, members, a, b):
    """Let the families of a and b be those proposed; their parents are so already."""
    for node in (a, b):
        size = list_members(chain.parents, node, members)
        chain.edges[0] += size - chain.size[node]
        chain.size[node] = size
        chain.family[node] = chain.new_family[node]


@inlined
def is_weighed_whole(beliefs):
    """Return whether the prior looks at more than families, so that a DAG must be in place to be weighed."""
    return beliefs.reach or beliefs.asks != 0 or len(beliefs.terms) > 0


@inner
def decide(chain, views, members, a, b, log_ratio, uniform):
    """Make the change that has been opened, in which a and b get the parents and families proposed, or take it back.

    ``log_ratio`` is without what the prior says beyond single edges. Returns ACCEPTED, REJECTED
    or, if ``ask`` failed, ASK.
    """
    structure = views.structure
    value = structure.value
    outcome = REJECTED
    if is_weighed_whole(views.beliefs) or not is_rejected(log_ratio, uniform):
        copy(chain.new_parents, a, chain.parents, a)
        copy(chain.new_parents, b, chain.parents, b)
        trace(chain, members)
        name_proposed(chain, structure, a, b)
        if not weigh_beyond_families(chain, views):
            outcome = ASK
        else:
            for term in (PATHS, FUNCTION, TERMS):
                log_ratio += value[1, term] - value[0, term]
            if not is_rejected(log_ratio, uniform):
                outcome = ACCEPTED
    if outcome == ACCEPTED:
        commit(chain, members, a, b)
        for term in (PATHS, FUNCTION, TERMS):
            value[0, term] = value[1, term]
        structure.dag_key[0] = structure.dag_key[1]
    else:
        take_back(chain, a, b)
    return outcome


@inlined
def propose_toggled(chain, target, cache, node, other):
    """Propose the family of ``node`` with ``other`` added or left out; return by how much it is worth more.

    Parents that determine a variable may have a score that is no number, and then are never chosen.
    """
    key = chain.family[node].key ^ target.rules.zobrist[other]
    slot = slot_of(key)
    if cache.family[slot].key == key:
        chain.new_family[node] = cache.family[slot]
    else:
        copy(chain.parents, node, chain.new_parents, node)
        toggle(chain.new_parents, node, other)
        look_up_proposed(cache, target, chain, node)
    more = worth(chain.new_family[node], target.heat) - worth(chain.family[node], target.heat)
    return more if more < np.inf else -np.inf


@inlined
def is_addable(chain, target, i, j):
    """Return whether the edge i -> j may be added, as far as cycles, the number of parents and rules for edges tell."""
    rules = target.rules
    return (
        chain.size[j] < target.most_parents
        and not has(chain.ancestors, i, j)
        and rules.edge[rules.row[j], i] != FORBIDDEN
    )


@inner
def put_edge(chain, members, i, j):
    """Put the edge i -> j in place, as a change that can be taken back."""
    open_change(chain, j, j, j)
    insert(chain.parents, j, i)
    trace(chain, members)


@inner
def find_best_parent(chain, target, cache, beliefs, candidates, number, j):
    """Return which of the first candidates j gains most by as a parent, -1 if by none, or if rules are against it."""
    best = -1
    most = 0.0
    for n in range(number):
        i = candidates[n]
        if not has(chain.parents, j, i) and is_addable(chain, target, i, j):
            more = propose_toggled(chain, target, cache, j, i)
            if more > most:
                put_edge(chain, cache.members, i, j)
                if keeps_rules(chain, beliefs):
                    most = more
                    best = i
                take_back(chain, j, j)
    return best


@in_place
def establish_dag(chain, target, cache, beliefs, structure, order):
    """Make all else agree with ``chain.parents``, apart from the value of Python functions; O(p^2).

    Then go through an order of this DAG, if it is not empty, and give each variable more parents before it: again and
    again the best one, as long as it adds to the posterior (Cooper & Herskovits 1992). Those that break rules for
    ancestors are passed over; of what else the prior says beyond single edges, nothing counts.

    Where the DAG breaks rules for ancestors all the same, the value of its paths is -inf.
    """
    chain.edges[0] = 0
    clear(chain.sets, AFFECTED)
    for v in range(chain.family.shape[0]):
        insert(chain.sets, AFFECTED, v)
        copy(chain.parents, v, chain.new_parents, v)
        look_up_proposed(cache, target, chain, v)
        chain.size[v] = 0
        commit(chain, cache.members, v, v)
    trace(chain, cache.members)
    structure.value[0, PATHS] = 0.0 if keeps_rules(chain, beliefs) else -np.inf
    for n in range(order.shape[0]):
        j = order[n]
        i = find_best_parent(chain, target, cache, beliefs, order, n, j)
        while i >= 0:
            propose_toggled(chain, target, cache, j, i)
            put_edge(chain, cache.members, i, j)
            commit(chain, cache.members, j, j)
            i = find_best_parent(chain, target, cache, beliefs, order, n, j)
    structure.value[0, PATHS] += weigh_paths(beliefs, structure)
    structure.value[0, TERMS] = sum_terms(beliefs.terms, chain.parents)
    structure.dag_key[0] = np.uint64(0)
    for v in range(chain.family.shape[0]):
        structure.dag_key[0] += mix(chain.family[v].key)

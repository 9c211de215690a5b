"""Who is an ancestor of whom, kept up from one DAG to the next.

Ancestors are sets of bits. An exchange at positions ``first`` and ``last`` leaves those of earlier variables as they
are. Of later ones only those are found anew that have a parent whose ancestors changed, and the search ends where
nothing changes any more.

Ancestor rules that hold for certain are part of the map from orders to DAGs. Going through the order, a variable's
parents are, of those that tests and rules for edges gave it (its *base*), all that bring no excluded ancestor; and if a
needed ancestor is still missing, the edge from it, or where that edge is forbidden, from the first predecessor in
column order that descends from it.
"""

import numpy as np

from ..basics.bits import WORD, clear, copy, first, has, insert, is_equal, list_members, meets, remove
from ..compiling import inlined, inner
from ..families.cache import fill, slot_of, worth
from ..families.target import FORBIDDEN
from .beliefs import ABOVE, BELOW, CHANGED, NEW_ABOVE, NEW_ANCESTORS, NEW_BELOW, NEW_FAMILY


@inner
def mix(key):
    """Scatter the bits of a key, so that sums of keys name sets of them (the finaliser of splitmix64)."""
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@inlined
def add_ancestors(structure, variable, sets, i):
    """Put the ancestors of ``variable`` in the proposed DAG into row i of ``sets``."""
    if has(structure.marks, NEW_ANCESTORS, variable):
        for w in range(sets.shape[1]):
            sets[i, w] |= structure.new_ancestors[variable, w]
    else:
        for w in range(sets.shape[1]):
            sets[i, w] |= structure.ancestors[variable, w]


@inlined
def add_with_ancestors(structure, variable, sets, i):
    """Put ``variable`` and its ancestors in the proposed DAG into row i of ``sets``."""
    add_ancestors(structure, variable, sets, i)
    insert(sets, i, variable)


@inner
def brings_excluded(beliefs, structure, parent, node):
    """Return whether a parent would bring ``node`` an ancestor that it must not have."""
    clear(structure.reached, 0)
    add_with_ancestors(structure, parent, structure.reached, 0)
    return meets(structure.reached, 0, beliefs.excluded, node)


@inner
def find_link(order, j, ancestor, target, beliefs, structure):
    """Return the parent through which the variable at position j gets an ancestor, or -1 if there is none."""
    node = order[j]
    rules = target.rules
    if rules.edge[rules.row[node], ancestor] != FORBIDDEN:
        return np.int64(ancestor)
    link = np.int64(-1)
    for i in range(j):
        u = np.int64(order[i])
        if (link < 0 or u < link) and rules.edge[rules.row[node], u] != FORBIDDEN:
            clear(structure.reached, 0)
            add_with_ancestors(structure, u, structure.reached, 0)
            if has(structure.reached, 0, ancestor) and not meets(structure.reached, 0, beliefs.excluded, node):
                link = u
    return link


@inner
def apply_ancestor_rules(order, j, target, beliefs, structure, members):
    """Mend the proposed parents of the variable at position j, and its ancestors; return whether that is possible."""
    node = order[j]
    parents = structure.new_parents
    reach = structure.new_ancestors
    size = list_members(parents, node, members)
    clear(reach, node)
    for m in range(size):
        if brings_excluded(beliefs, structure, members[m], node):
            remove(parents, node, members[m])
        else:
            add_with_ancestors(structure, members[m], reach, node)
    size = list_members(beliefs.needed, node, members)
    for m in range(size):
        if not has(reach, node, members[m]):
            link = find_link(order, j, members[m], target, beliefs, structure)
            if link < 0:
                return False
            insert(parents, node, link)
            add_with_ancestors(structure, link, reach, node)
    return True


@inlined
def look_up_proposed(cache, target, structure, node):
    """Set the proposed family of ``node`` to that of its proposed parents."""
    members = cache.members
    size = list_members(structure.new_parents, node, members)
    members[size] = node
    rules = target.rules
    key = rules.child[node]
    for m in range(size + 1):
        key ^= rules.zobrist[members[m]]
    slot = slot_of(key)
    if cache.family[slot].key != key:
        fill(cache, target, slot, key, size)
    structure.new_family[node] = cache.family[slot]


@inlined
def propagate(state, target, views, first_position, last_position):
    """Follow the changed bases through the proposed order; return the log ratio of the families, -inf if excluded.

    Positions before ``first_position``, and the set of predecessors of those after ``last_position``, are unchanged.
    """
    order = state.order
    family = state.family
    cache = state.cache
    beliefs = views.beliefs
    structure = views.structure
    marks = structure.marks
    clear(marks, NEW_FAMILY)
    clear(marks, NEW_ANCESTORS)
    dag_key = structure.dag_key[0]
    log_ratio = 0.0
    spreads = False
    for j in range(first_position, order.shape[0]):
        if j > last_position and not spreads:
            break
        node = order[j]
        ruled = beliefs.is_ruled[node]
        changed = has(marks, CHANGED, node)
        if not (changed or (ruled and (spreads or j <= last_position))):
            if not spreads or not meets(structure.base, node, marks, NEW_ANCESTORS):
                continue
        copy(structure.new_base if changed else structure.base, node, structure.new_parents, node)
        if ruled:
            if not apply_ancestor_rules(order, j, target, beliefs, structure, cache.members):
                return -np.inf
        elif beliefs.reach:
            size = list_members(structure.new_parents, node, cache.members)
            clear(structure.new_ancestors, node)
            for m in range(size):
                add_with_ancestors(structure, cache.members[m], structure.new_ancestors, node)
        if beliefs.reach and not is_equal(structure.new_ancestors, node, structure.ancestors, node):
            insert(marks, NEW_ANCESTORS, node)
            spreads = True
        if not is_equal(structure.new_parents, node, structure.parents, node):
            insert(marks, NEW_FAMILY, node)
            look_up_proposed(cache, target, structure, node)
            new = structure.new_family[node]
            log_ratio += worth(new, target.heat) - worth(family[node], target.heat)
            dag_key += mix(new.key) - mix(family[node].key)
    structure.dag_key[1] = dag_key
    return log_ratio


@inlined
def weigh_paths(beliefs, structure):
    """Return the log prior of the proposed DAG's paths."""
    total = 0.0
    for g in range(beliefs.sources.shape[0]):
        clear(structure.reached, 0)
        for w in range(beliefs.targets.shape[1]):
            word = beliefs.targets[g, w]
            while word != np.uint64(0):
                add_ancestors(structure, w * WORD + first(word), structure.reached, 0)
                word &= word - np.uint64(1)
        number = 0
        for w in range(beliefs.targets.shape[1]):
            word = structure.reached[0, w] & beliefs.sources[g, w]
            while word != np.uint64(0):
                number += 1
                word &= word - np.uint64(1)
        total += beliefs.path_strength[g] * number
    return total


@inlined
def weigh_relatives(beliefs, structure):
    """Count the ancestors and descendants in the proposed DAG; return what they add to the log target."""
    relatives = structure.relatives
    for v in range(relatives.shape[1]):
        relatives[NEW_ABOVE, v] = relatives[ABOVE, v]
        relatives[NEW_BELOW, v] = relatives[BELOW, v]
    for v in range(relatives.shape[1]):
        if has(structure.marks, NEW_ANCESTORS, v):
            for w in range(structure.ancestors.shape[1]):
                word = structure.ancestors[v, w] ^ structure.new_ancestors[v, w]
                while word != np.uint64(0):
                    u = w * WORD + first(word)
                    step = 1 if has(structure.new_ancestors, v, u) else -1
                    relatives[NEW_ABOVE, v] += step
                    relatives[NEW_BELOW, u] += step
                    word &= word - np.uint64(1)
    total = 0.0
    for v in range(relatives.shape[1]):
        total += beliefs.log_count[relatives[NEW_ABOVE, v]] + beliefs.log_count[relatives[NEW_BELOW, v]]
    return total

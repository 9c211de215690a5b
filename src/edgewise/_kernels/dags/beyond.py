"""What a prior says of a DAG beyond single edges, for chains over DAGs: paths, tiers, ancestors, functions."""

import numpy as np

from ..basics.bits import WORD, add_closed, clear, first, meets
from ..beliefs.ancestry import mix, weigh_paths
from ..beliefs.beliefs import FUNCTION
from ..beliefs.settling import weigh_function
from ..beliefs.terms import sum_terms
from ..compiling import compiled_as, inner


@inner
def find_ancestors(pair, structure):
    """Set the ancestors of all variables, along the order."""
    parents = pair.parents
    ancestors = structure.ancestors
    for j in range(pair.order.shape[0]):
        v = pair.order[j]
        clear(ancestors, v)
        for w in range(parents.shape[1]):
            add_closed(ancestors, v, w, parents[v, w])


@inner
def keeps_rules(beliefs, structure):
    """Return whether all variables have the ancestors they must have, and none that they must not."""
    ancestors = structure.ancestors
    for v in range(ancestors.shape[0]):
        if beliefs.is_ruled[v]:
            if meets(ancestors, v, beliefs.excluded, v):
                return False
            for w in range(ancestors.shape[1]):
                if beliefs.needed[v, w] & ~ancestors[v, w] != np.uint64(0):
                    return False
    return True


@inner
def weigh_layers(pair, beliefs, level):
    """Return the log prior by tiers, of the layers into which a DAG falls.

    A variable is one layer below the lowest of its parents. It counts if none of a later tier is in a higher layer, and
    none of an earlier tier in a lower one.
    """
    p = pair.order.shape[0]
    for j in range(p):
        v = pair.order[j]
        level[v] = 0
        for w in range(pair.parents.shape[1]):
            word = pair.parents[v, w]
            while word != np.uint64(0):
                level[v] = max(level[v], level[w * WORD + first(word)] + 1)
                word &= word - np.uint64(1)
    total = 0.0
    tier = beliefs.tier
    for t in range(tier.shape[0]):
        for v in range(p):
            counts = 0 <= tier[t, v] < beliefs.last_tier[t]
            for u in range(p):
                if counts and tier[t, u] >= 0:
                    is_early = tier[t, u] > tier[t, v] and level[u] < level[v]
                    is_late = tier[t, u] < tier[t, v] and level[u] > level[v]
                    counts = not (is_early or is_late)
            if counts:
                total += beliefs.tier_strength[t]
    return total


@inner
def name_dag(parents):
    """Return the key of a DAG."""
    key = np.uint64(0)
    for v in range(parents.shape[0]):
        # Scattered, or variables with other parents could share a name: 0 with the parent 1, and 2 with none.
        name = mix(np.uint64(v + 1))
        for w in range(parents.shape[1]):
            name = mix(name ^ parents[v, w])
        key += mix(name)
    return key


@inner
def weigh_all(views, pair, room):
    """As :func:`weigh_beyond`, where there is something to weigh."""
    beliefs = views.beliefs
    structure = views.structure
    total = 0.0
    if beliefs.reach:
        find_ancestors(pair, structure)
        if not keeps_rules(beliefs, structure):
            return -np.inf
        total += weigh_paths(beliefs, structure)
    if beliefs.tier.shape[0] > 0:
        total += weigh_layers(pair, beliefs, room.level)
    if len(beliefs.terms) > 0:
        total += sum_terms(beliefs.terms, pair.parents)
    if beliefs.asks != 0 and total > -np.inf:
        structure.dag_key[1] = name_dag(pair.parents)
        if not weigh_function(structure.asked_order, beliefs, structure):
            if views.ask() == 0 or not weigh_function(structure.asked_order, beliefs, structure):
                return np.nan
        total += structure.value[1, FUNCTION]
    return total


def weigh_beyond(views, pair, room):
    """Return what the prior says of the DAG beyond single edges; nan if a function could not be asked."""
    return 0.0 if views is None else weigh_all(views, pair, room)


def is_weighed(views):
    """Return whether the prior says something beyond single edges."""
    return views is not None


@compiled_as(is_weighed)
def _choose_is_weighed(views):
    if getattr(views, "instance_class", None) is None:
        return lambda views: False
    return lambda views: True


@compiled_as(weigh_beyond)
def _choose_weigh(views, pair, room):
    if getattr(views, "instance_class", None) is None:
        return lambda views, pair, room: 0.0
    return lambda views, pair, room: weigh_all(views, pair, room)

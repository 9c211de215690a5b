"""Relocation where grow-shrink finds the parents; and what the loop over orders is to know of this way."""

from ..basics.metropolis import ACCEPTED, REJECTED
from ..compiling import inlined, inner
from ..families.cache import worth
from ..orders.relocation import choose_position, travel
from ..orders.ways import register
from .exchanges import evaluate, exchange_ends, exchange_neighbours, list_found
from .tree import GrowShrink, walk


@inlined
def pass_over(state, target, u, i, node, limit, log_ratio):
    """Note the families of u at position i, once passed, and of ``node`` there; return the log ratio of those passed.

    ``limit`` is the position before which the predecessors of ``node`` are.
    """
    heat = target.heat
    found = state.found
    tree = found.tree
    found.passed[i] = tree.family[walk(tree, target, u, found.position, i)]
    log_ratio += worth(found.passed[i], heat) - worth(state.family[u], heat)
    found.own[i] = tree.family[walk(tree, target, node, found.position, limit)]
    state.log_weight[i] = log_ratio + worth(found.own[i], heat) - worth(state.family[node], heat)
    return log_ratio


@inner
def relocate_walking(state, target, k, uniform, greedy):
    """Relocate the variable at position k; return what became of it. O(p) walks.

    Where families are all that matters, nothing need be moved to know what each position is worth: the parents of the
    variables passed do not depend on where exactly the variable goes, and its own are another walk.
    """
    order = state.order
    position = state.found.position
    family = state.family
    rules = target.rules
    p = order.shape[0]
    node = order[k]
    # How far the variable may go, and what each position is worth: down, then up.
    state.log_weight[k] = 0.0
    log_ratio = 0.0
    position[node] = -1
    low = k
    while low > 0 and not rules.before[rules.row[order[low - 1]], node]:
        low -= 1
        log_ratio = pass_over(state, target, order[low], low, node, low, log_ratio)
    log_ratio = 0.0
    position[node] = p
    high = k
    while high < p - 1 and not rules.before[rules.row[node], order[high + 1]]:
        high += 1
        log_ratio = pass_over(state, target, order[high], high, node, high + 1, log_ratio)
    # Go there: the variables passed move by one place.
    chosen = choose_position(state.log_weight, low, high, k, uniform, greedy)
    step = 1 if chosen > k else -1
    for j in range(k, chosen, step):
        u = order[j + step]
        order[j] = u
        position[u] = j
        family[u] = state.found.passed[j + step]
    order[chosen] = node
    position[node] = chosen
    if chosen == k:
        return REJECTED
    family[node] = state.found.own[chosen]
    return ACCEPTED


@inner
def relocate(way, state, target, views, k, uniform, greedy):
    """By walks, or where the whole DAG must be weighed at each position, by exchanges."""
    if views is None:
        return relocate_walking(state, target, k, uniform, greedy)
    return travel(state, target, views, k, state.order.shape[0] - 1, uniform, greedy)


register(
    GrowShrink,
    evaluate=evaluate,
    list_found=list_found,
    exchange_neighbours=exchange_neighbours,
    exchange_ends=exchange_ends,
    relocate=relocate,
)

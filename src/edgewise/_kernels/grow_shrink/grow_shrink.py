"""Minimal I-MAP MCMC with parents that grow-shrink finds.

The moves are those of :mod:`edgewise._kernels.full_conditioning.minimal_imap`; parents, and with them the scores, come
from the tree of :mod:`edgewise._kernels.grow_shrink.growth`. An exchange of neighbours is two walks in it, whatever the
number of variables.
"""

import numpy as np

from ..basics.bits import list_members
from ..basics.metropolis import ACCEPTED, REJECTED
from ..basics.recorder import DRAWN, STEP, UNTIL_DRAW
from ..compiling import in_place, inlined, inner
from ..families.families import worth
from ..orders.order_draws import is_written, write_draw, write_family
from ..orders.relocation import ADJACENT, RELOCATE, WRAP, choose_position, depart, end, go_on, next_exchange
from .grown_neighbours import exchange_grown_ends, exchange_grown_neighbours
from .growth import list_shrunk, walk


@in_place
def record(chain, target, members, tree, beliefs, structure, recorder, draws, row):
    """Write the present DAG into row ``row`` of ``draws``."""
    for j in range(chain.order.shape[0]):
        node = chain.order[j]
        key = chain.family[node].key
        if not is_written(recorder, node, key):
            if structure is None:
                size = list_shrunk(tree, node, walk(tree, target, node, chain.position, j), members)
            else:
                size = list_members(structure.parents, node, members)
                members[size] = node
            write_family(recorder, key, members, size)
    write_draw(chain, beliefs, structure, recorder, draws, row)


@inlined
def pass_over(chain, target, tree, scratch, u, i, node, limit, log_ratio):
    """Note the families of u at position i, once passed, and of ``node`` there; return the log ratio of those passed.

    ``limit`` is the position before which the predecessors of ``node`` are.
    """
    heat = target.heat
    state = walk(tree, target, u, chain.position, i)
    scratch.passed[i] = tree.family[state]
    log_ratio += worth(scratch.passed[i], heat) - worth(chain.family[u], heat)
    state = walk(tree, target, node, chain.position, limit)
    scratch.own[i] = tree.family[state]
    scratch.log_weight[i] = log_ratio + worth(scratch.own[i], heat) - worth(chain.family[node], heat)
    return log_ratio


@inner
def relocate_walking(chain, target, tree, scratch, k, uniform, greedy):
    """Relocate the variable at position k; return what became of it. O(p) walks.

    Without beliefs beyond single edges, nothing need be moved to know what each position is worth: the parents of the
    variables passed do not depend on where exactly the variable goes, and its own are another walk.
    """
    order = chain.order
    position = chain.position
    family = chain.family
    rules = target.rules
    p = order.shape[0]
    k = np.int64(k)
    node = order[k]
    scratch.log_weight[k] = 0.0
    log_ratio = 0.0
    position[node] = -1
    low = k
    while low > 0 and not rules.before[rules.row[order[low - 1]], node]:
        low -= 1
        log_ratio = pass_over(chain, target, tree, scratch, order[low], low, node, low, log_ratio)
    log_ratio = 0.0
    position[node] = p
    high = k
    while high < p - 1 and not rules.before[rules.row[node], order[high + 1]]:
        high += 1
        log_ratio = pass_over(chain, target, tree, scratch, order[high], high, node, high + 1, log_ratio)
    chosen = choose_position(scratch.log_weight, low, high, k, uniform, greedy)
    step = 1 if chosen > k else -1
    for j in range(k, chosen, step):
        u = order[j + step]
        order[j] = u
        position[u] = j
        family[u] = scratch.passed[j + step]
    order[chosen] = node
    position[node] = chosen
    if chosen == k:
        return REJECTED
    family[node] = scratch.own[chosen]
    return ACCEPTED


@inner
def relocate(chain, target, cache, scratch, tree, beliefs, structure, ask, k, uniform, greedy):
    """Relocate the variable at position k; return what became of it."""
    if structure is None:
        return relocate_walking(chain, target, tree, scratch, k, uniform, greedy)
    journey = scratch.journey
    log_weight = scratch.log_weight
    depart(journey, log_weight, k, chain.order.shape[0] - 1)
    at = next_exchange(journey, log_weight, uniform, greedy)
    while at >= 0:
        outcome, log_ratio = exchange_grown_neighbours(chain, target, cache, tree, beliefs, structure, ask, at, 0.0)
        if outcome < 0:
            return outcome
        go_on(journey, log_weight, outcome, log_ratio)
        at = next_exchange(journey, log_weight, uniform, greedy)
    return end(journey)


@in_place
def climb(chain, target, cache, scratch, tree, beliefs, structure, ask, variables):
    """Move each of ``variables`` in turn to where the log target is highest; return how many moved, or a failure."""
    moved = 0
    for m in range(variables.shape[0]):
        k = chain.position[variables[m]]
        outcome = relocate(chain, target, cache, scratch, tree, beliefs, structure, ask, k, 0.0, True)
        if outcome < 0:
            return outcome
        moved += outcome
    return moved


@in_place
def run(
    chain, target, cache, scratch, tree, beliefs, structure, ask, laziness, share, uniforms, recorder, draws, cursor,
    thin,
):  # fmt: skip
    """Take one step for each row of ``uniforms``; as :func:`edgewise._kernels.full_conditioning.minimal_imap.run`."""
    p = chain.order.shape[0]
    moves = chain.moves
    stretch = p / (1.0 - laziness)
    row = cursor[DRAWN]
    until_draw = cursor[UNTIL_DRAW]
    for step in range(cursor[STEP], uniforms.shape[0]):
        if step == until_draw:
            record(chain, target, cache.members, tree, beliefs, structure, recorder, draws, row)
            row += 1
            until_draw += thin
        choice = uniforms[step, 0] * stretch
        k = np.uint32(choice)
        uniform = uniforms[step, 1]
        if k >= p:
            continue
        if choice - k < share:
            kind = RELOCATE
            outcome = relocate(chain, target, cache, scratch, tree, beliefs, structure, ask, k, uniform, False)
        elif k == p - 1:
            kind = WRAP
            outcome = exchange_grown_ends(
                chain, target, cache, scratch, tree, beliefs, structure, ask, uniform
            )  # fmt: skip
        else:
            kind = ADJACENT
            outcome, _ = exchange_grown_neighbours(
                chain, target, cache, tree, beliefs, structure, ask, k, uniform
            )  # fmt: skip
        if outcome < 0:
            cursor[STEP] = step
            cursor[DRAWN] = row
            cursor[UNTIL_DRAW] = until_draw
            return outcome
        moves[kind, 0] += 1
        moves[kind, 1] += outcome
    if uniforms.shape[0] == until_draw:
        record(chain, target, cache.members, tree, beliefs, structure, recorder, draws, row)
    return ACCEPTED

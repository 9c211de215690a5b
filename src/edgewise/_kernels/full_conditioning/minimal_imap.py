"""Minimal I-MAP MCMC (the paper's Algorithm 1) in O(p) per step, with parents that full conditioning finds.

A step proposes to exchange two neighbours in the order, first and last counting as neighbours, and accepts by the
Metropolis rule; or it draws a new position for a variable (see :mod:`edgewise._kernels.orders.relocation`). The two
exchanges that reach beyond two rows of the factor, first with last and the one across the end of the tested positions,
are in :mod:`edgewise._kernels.full_conditioning.exchanges`.

Without beliefs about the whole DAG or the order, ``beliefs`` and ``structure`` are None, and what concerns them is left
out when the loop is compiled.
"""

import numpy as np

from ..basics.bits import list_members
from ..basics.metropolis import ACCEPTED, PROPOSED, REJECTED
from ..basics.recorder import DRAWN, STEP, UNTIL_DRAW
from ..beliefs.beliefs import begin_proposal
from ..beliefs.settling import settle
from ..compiling import in_place, inner
from ..families.families import list_parents
from ..orders.order_draws import is_written, write_draw, write_family
from ..orders.relocation import ADJACENT, RELOCATE, WRAP, depart, end, go_on, next_exchange
from .exchanges import exchange_across, exchange_ends, propose_across, propose_ends
from .neighbours import exchange_neighbours


@in_place
def record(chain, target, members, beliefs, structure, recorder, draws, row):
    """Write the present DAG into row ``row`` of ``draws``."""
    for j in range(chain.order.shape[0]):
        node = chain.order[j]
        key = chain.family[node].key
        if not is_written(recorder, node, key):
            if structure is None:
                at = min(j, chain.W.shape[0] - 1)
                limit = target.threshold[j] if j == at else np.inf
                size = list_parents(target.rules, chain.W, at, chain.C, at + 1, limit, node, members)
            else:
                size = list_members(structure.parents, node, members)
                members[size] = node
            write_family(recorder, key, members, size)
    write_draw(chain, beliefs, structure, recorder, draws, row)


@inner
def relocate(chain, target, cache, scratch, beliefs, structure, ask, k, uniform, greedy):
    """Relocate the variable at position k among the tested positions; return what became of it. O(p^2)."""
    journey = scratch.journey
    log_weight = scratch.log_weight
    depart(journey, log_weight, k, chain.W.shape[0] - 1)
    at = next_exchange(journey, log_weight, uniform, greedy)
    while at >= 0:
        outcome, log_ratio = exchange_neighbours(chain, target, cache, scratch, beliefs, structure, ask, at, 0.0)
        if outcome < 0:
            return outcome
        go_on(journey, log_weight, outcome, log_ratio)
        at = next_exchange(journey, log_weight, uniform, greedy)
    return end(journey)


@in_place
def climb(chain, target, cache, scratch, beliefs, structure, ask, variables):
    """Move each of ``variables`` in turn to where the log target is highest; return how many moved, or a failure."""
    moved = 0
    for m in range(variables.shape[0]):
        k = 0
        while chain.order[k] != variables[m]:
            k += 1
        if k < chain.W.shape[0]:
            outcome = relocate(chain, target, cache, scratch, beliefs, structure, ask, k, 0.0, True)
            if outcome < 0:
                return outcome
            moved += outcome
    return moved


@in_place
def run(
    chain, target, cache, scratch, beliefs, structure, ask, laziness, share, uniforms, recorder, draws, cursor, thin
):
    """Take one step for each row of ``uniforms``, whose two numbers choose the move and decide it.

    ``share`` is the probability that a move is a relocation. A draw is recorded where the ``cursor`` says, and after
    every ``thin`` steps from then on; the recorder must have room for p new families a draw. Returns ACCEPTED at the
    end, and else what stopped the loop: SINGULAR_PREFIX or ASK. O(p) per exchange on average, O(p^2) per relocation.
    """
    order = chain.order
    moves = chain.moves
    before = target.rules.before
    ruled = before.shape[0] > 1
    p = order.shape[0]
    tested = chain.W.shape[0]
    stretch = p / (1.0 - laziness)
    row = cursor[DRAWN]
    until_draw = cursor[UNTIL_DRAW]
    for step in range(cursor[STEP], uniforms.shape[0]):
        if step == until_draw:
            record(chain, target, cache.members, beliefs, structure, recorder, draws, row)
            row += 1
            until_draw += thin
        choice = uniforms[step, 0] * stretch
        k = np.uint32(choice)
        uniform = uniforms[step, 1]
        if k >= p:
            continue
        h = k + 1
        kind = ADJACENT
        outcome = REJECTED
        if choice - k < share:
            kind = RELOCATE
            if k < tested:
                outcome = relocate(chain, target, cache, scratch, beliefs, structure, ask, k, uniform, False)
        elif h < tested:
            outcome, _ = exchange_neighbours(chain, target, cache, scratch, beliefs, structure, ask, k, uniform)
        elif h == p:
            kind = WRAP
            outcome = propose_ends(chain, target, cache, scratch, structure, uniform)
        elif not (ruled and before[order[k], order[h]]):
            outcome = ACCEPTED
            if h == tested:
                outcome = propose_across(chain, target, cache, scratch, structure, uniform)
            elif structure is not None:
                begin_proposal(structure)
                outcome = PROPOSED

        if kind != RELOCATE and h >= tested:
            if structure is not None:
                if outcome == PROPOSED:
                    first, last = (0, p - 1) if h == p else (k, h)
                    outcome, _ = settle(
                        order, first, last, uniform, chain.family, target, cache, beliefs, structure, ask
                    )  # fmt: skip
            if outcome == ACCEPTED:
                if h == p:
                    exchange_ends(chain, target, cache, structure)
                elif h == tested:
                    exchange_across(chain, scratch)
                else:
                    a = order[k]
                    order[k] = order[h]
                    order[h] = a
        if outcome < 0:
            cursor[STEP] = step
            cursor[DRAWN] = row
            cursor[UNTIL_DRAW] = until_draw
            return outcome
        moves[kind, 0] += 1
        moves[kind, 1] += outcome
    if uniforms.shape[0] == until_draw:
        record(chain, target, cache.members, beliefs, structure, recorder, draws, row)
    return ACCEPTED

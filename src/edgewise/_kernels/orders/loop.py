"""Minimal I-MAP MCMC (the paper's Algorithm 1): the loop over orders, whichever way parents are found.

A step proposes to exchange two neighbours in the order, first and last counting as neighbours, and accepts by the
Metropolis rule; or it draws a new position for a variable (see :mod:`edgewise._kernels.orders.relocation`).

All that a chain does is one entry, :func:`work`, because each entry is compiled with everything it calls.
"""

from typing import NamedTuple

import numpy as np

from ..basics.bits import list_members
from ..basics.metropolis import ACCEPTED
from ..beliefs.settling import establish
from ..compiling import in_place, inner
from .drawing import is_written, write_draw, write_family
from .state import ADJACENT, RELOCATE, WRAP
from .ways import evaluate, exchange_ends, exchange_neighbours, list_found, relocate

EVALUATE, CLIMB, STEP = range(3)
"""What there is to do: find the DAG of the present order, move variables to where they are best, or take steps."""


class Pace(NamedTuple):
    """How a chain goes: the probabilities of doing nothing, and of relocating where something is done; when to draw.

    The first draw is after ``until_draw`` steps, the next ones after every ``thin``.
    """

    laziness: float
    relocations: float
    until_draw: int
    thin: int


@inner
def refresh(state, target, views):
    """Find the DAG of the present order and its worth anew; return whether it is possible."""
    evaluate(target.way, state, target, views)
    if views is None:
        return True
    return establish(state, target, views)


@inner
def record(state, target, views, recorder, draws, row):
    """Write the present DAG into row ``row`` of ``draws``."""
    members = state.cache.members
    for j in range(state.order.shape[0]):
        node = state.order[j]
        key = state.family[node].key
        if not is_written(recorder, node, key):
            if views is None:
                size = list_found(target.way, state, target, j, members)
            else:
                size = list_members(views.structure.parents, node, members)
                members[size] = node
            write_family(recorder, key, members, np.int64(size))
    write_draw(state, views, recorder, draws, row)


@inner
def climb(state, target, views, variables):
    """Move each of ``variables`` in turn to where the log target is highest; return how many moved, or a failure."""
    moved = 0
    for m in range(variables.shape[0]):
        k = 0
        while state.order[k] != variables[m]:
            k += 1
        outcome = relocate(target.way, state, target, views, k, 0.0, True)
        if outcome < 0:
            return outcome
        moved += outcome
    return moved


@inner
def run(state, target, views, pace, uniforms, recorder, draws):
    """Take one step for each row of ``uniforms``, whose two numbers choose the move and decide it.

    The recorder must have room for p new families a draw. Returns ACCEPTED at the end, and else what stopped the loop:
    SINGULAR_PREFIX or ASK.
    """
    p = state.order.shape[0]
    moves = state.moves
    stretch = p / (1.0 - pace.laziness)
    row = np.int64(0)
    until_draw = pace.until_draw
    for step in range(uniforms.shape[0]):
        if step == until_draw:
            record(state, target, views, recorder, draws, row)
            row += 1
            until_draw += pace.thin
        choice = uniforms[step, 0] * stretch
        k = np.uint32(choice)
        uniform = uniforms[step, 1]
        if k >= p:
            continue
        if choice - k < pace.relocations:
            kind = RELOCATE
            outcome = relocate(target.way, state, target, views, np.int64(k), uniform, False)
        elif k == p - 1:
            kind = WRAP
            outcome = exchange_ends(target.way, state, target, views, uniform)
        else:
            kind = ADJACENT
            outcome, _ = exchange_neighbours(target.way, state, target, views, k, uniform)
        if outcome < 0:
            return outcome
        moves[kind, 0] += 1
        moves[kind, 1] += outcome
    if uniforms.shape[0] == until_draw:
        record(state, target, views, recorder, draws, row)
    return ACCEPTED


@in_place
def work(task, state, target, views, variables, pace, uniforms, recorder, draws):
    """Do what there is to do, and return what :func:`refresh`, :func:`climb` or :func:`run` do."""
    if task == EVALUATE:
        return np.int64(refresh(state, target, views))
    if task == CLIMB:
        return np.int64(climb(state, target, views, variables))
    return np.int64(run(state, target, views, pace, uniforms, recorder, draws))

"""The loop over pairs of a DAG and an order; moves are of the order or of the DAG.

All that a chain does is one entry, :func:`work`, because each entry is compiled with everything it calls.
"""

import numpy as np

from ..basics.bits import list_members
from ..basics.metropolis import ACCEPTED, ASK, REJECTED, is_rejected
from ..basics.recorder import note_family
from ..compiling import in_place, inner
from .beyond import is_weighed, weigh_beyond
from .candidates import draw_set, draw_variable
from .changes import CLEAR, EDGE, JUMP, RELOCATE, REVERSE, TURN, change_family, reverse_edge, turn_edges
from .free_moves import change_edge, clear_parents
from .jumps import draw_all, jump
from .pairs import allow, draw_order, log_order, set_parents, take_back, weigh_parents
from .relocation import relocate

STEP, DRAW_PARENTS, KEEP_PARENTS, DRAW_ALL = range(4)
"""What there is to do: take steps; or go to the present order, with parents drawn along it or those that are there; or
to an order and a DAG that are drawn from the sums over all orders."""


@inner
def establish(pair, target, views, room, task, rng):
    """Set all else by the order, and by parents that are drawn along it or those that are there."""
    p = pair.order.shape[0]
    if task == DRAW_ALL:
        draw_all(pair, target, room, rng)
    sets = target.sets
    for j in range(p):
        pair.position[pair.order[j]] = j
    for v in range(p):
        allow(pair, target, v)
        if task == DRAW_PARENTS:
            pair.extra[v] = 0
            set_parents(pair, target, v, draw_set(sets, v, pair.allowed[v], rng.random()))
        else:
            pair.log_weight[v] = weigh_parents(pair, target, room, v)
    pair.log_order[0] = log_order(pair, target, room)
    pair.beyond[0] = weigh_beyond(views, pair, room)


@inner
def record(pair, target, room, recorder, draws, row):
    """Write the present DAG and order into row ``row`` of ``draws``."""
    rules = target.rules
    members = room.members
    log_weight = 0.0
    log_prior = 0.0
    for v in range(pair.order.shape[0]):
        size = list_members(pair.parents, v, members)
        members[size] = v
        key = rules.child[v]
        for m in range(size + 1):
            key ^= rules.zobrist[members[m]]
        for m in range(size):
            log_prior += target.edge[members[m], v]
        draws.family[row, v] = note_family(recorder, key, members, size)
        draws.order[row, v] = pair.order[v]
        log_weight += pair.log_weight[v]
    draws.log_score[row] = log_weight - log_prior
    draws.log_prior[row] = log_prior + pair.beyond[0]


@inner
def change_dag(pair, target, views, room, kind, node, rng):
    """Change the DAG by a kind of move, and draw an order for it; return what became of it."""
    log_ratio = 0.0
    if kind == TURN:
        number = turn_edges(pair, target, views, room, rng)
    elif kind == REVERSE:
        number = reverse_edge(pair, target, room, rng)
    elif kind == EDGE:
        number, log_ratio = change_edge(pair, target, room, rng)
    elif kind == CLEAR:
        number, log_ratio = clear_parents(pair, target, room, rng)
    else:
        number = change_family(pair, target, room, kind, node, rng)
    if number == 0 and kind != TURN:
        return REJECTED
    draw_order(pair, target, room, rng)
    if (is_weighed(views) or kind in (EDGE, CLEAR)) and number > 0:
        beyond = weigh_beyond(views, pair, room)
        if not beyond < np.inf or is_rejected(log_ratio + beyond - pair.beyond[0], rng.random()):
            take_back(pair, room, number)
            draw_order(pair, target, room, rng)
            return REJECTED if beyond < np.inf else ASK
        pair.beyond[0] = beyond
    return ACCEPTED if number > 0 else REJECTED


@inner
def run(pair, target, views, room, shares, steps, stride, until_draw, thin, recorder, draws, rng):
    """Take steps of ``stride`` moves each, whose kinds have the probabilities ``shares``.

    Draws are as in :class:`edgewise._kernels.orders.loop.Pace`; the recorder must have room for p new families a draw.
    Returns ACCEPTED at the end, or ASK.
    """
    row = 0
    for step in range(steps):
        if step == until_draw:
            record(pair, target, room, recorder, draws, row)
            row += 1
            until_draw += thin
        for _ in range(stride):
            choice = rng.random()
            # What rounding leaves is for relocation, which is always possible.
            kind = JUMP
            while kind > RELOCATE and choice >= shares[kind]:
                choice -= shares[kind]
                kind -= 1
            which = draw_variable(target, rng)
            if kind == RELOCATE:
                outcome = relocate(pair, target, views, room, pair.position[which], rng)
            elif kind == JUMP:
                outcome = jump(pair, target, views, room, rng)
            else:
                outcome = change_dag(pair, target, views, room, kind, which, rng)
            if outcome < 0:
                return outcome
            pair.moves[kind, 0] += 1
            pair.moves[kind, 1] += outcome
    if steps == until_draw:
        record(pair, target, room, recorder, draws, row)
    return ACCEPTED


@in_place
def work(task, pair, target, views, room, shares, steps, stride, until_draw, thin, recorder, draws, rng):
    """Do what there is to do; return what stopped it, as :func:`run` does."""
    if task == STEP:
        return run(pair, target, views, room, shares, steps, stride, until_draw, thin, recorder, draws, rng)
    establish(pair, target, views, room, task, rng)
    return ACCEPTED if pair.beyond[0] < np.inf else ASK

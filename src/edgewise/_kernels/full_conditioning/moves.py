"""The moves of a chain whose parents full conditioning finds; and what the loop over orders is to know of this way.

With few rows only the leading positions are tested. Variables behind them have no parents but those required, and
exchange places among themselves at will.
"""

import numpy as np

from ..basics.metropolis import ACCEPTED, PROPOSED, REJECTED
from ..beliefs.beliefs import begin_proposal
from ..beliefs.settling import settle_rarely
from ..compiling import inlined, inner
from ..orders.relocation import travel
from ..orders.ways import register
from .exchanges import make_across, make_ends, propose_across, propose_ends
from .factor import FullConditioning
from .families import evaluate, list_found
from .neighbours import exchange_tested


@inner
def exchange_untested(state, target, views, k, uniform):
    """Propose to exchange position k with the next one, which is not tested; return what became of it."""
    order = state.order
    rules = target.rules
    tested = state.found.W.shape[0]
    h = k + 1
    if rules.before[rules.row[order[k]], order[h]]:
        return REJECTED
    outcome = ACCEPTED
    if h == tested:
        outcome = propose_across(state, target, views, uniform)
    elif views is not None:
        begin_proposal(views.structure)
        outcome = PROPOSED
    if views is not None:
        if outcome == PROPOSED:
            outcome, _ = settle_rarely(state, target, views, np.int64(k), np.int64(h), uniform)
    if outcome == ACCEPTED:
        if h == tested:
            make_across(state)
        else:
            a = order[k]
            order[k] = order[h]
            order[h] = a
    return outcome


@inlined
def exchange_neighbours(way, state, target, views, k, uniform):
    """O(p); among positions that are not tested there is no ratio to tell."""
    if k + 1 < state.found.W.shape[0]:
        return exchange_tested(state, target, views, k, uniform)
    return exchange_untested(state, target, views, k, uniform), np.nan


@inlined
def exchange_ends(way, state, target, views, uniform):
    """O(p^2)."""
    outcome = propose_ends(state, target, views, uniform)
    if views is not None:
        if outcome == PROPOSED:
            outcome, _ = settle_rarely(state, target, views, np.int64(0), state.order.shape[0] - 1, uniform)
    if outcome == ACCEPTED:
        make_ends(state, target, views)
    return outcome


@inner
def relocate(way, state, target, views, k, uniform, greedy):
    """Among the tested positions. O(p^2)."""
    tested = state.found.W.shape[0]
    if k >= tested:
        return REJECTED
    return travel(state, target, views, k, tested - 1, uniform, greedy)


register(
    FullConditioning,
    evaluate=evaluate,
    list_found=list_found,
    exchange_neighbours=exchange_neighbours,
    exchange_ends=exchange_ends,
    relocate=relocate,
)

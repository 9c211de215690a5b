"""Exchanges of neighbours in an order whose parents are found by testing each predecessor given all others.

Exchanging the variables a, b of positions k, k + 1 is one Givens rotation of rows k and k + 1 of the factor (see
:mod:`edgewise._kernels.full_conditioning.factor`). It changes the parents of a and b only, and each of the tests that
decide them is one comparison

    W[j, v]^2 > threshold[j] * C[j + 1, v]        for the variable at position j and its predecessor v.
"""

import numpy as np

from ..basics.metropolis import ACCEPTED, REJECTED, is_rejected
from ..beliefs.beliefs import begin_proposal, propose_base
from ..beliefs.settling import settle
from ..compiling import inlined, inner
from ..families.cache import slot_of
from .families import ROW, list_parents, look_up


@inlined
def combine_rows(found, k, on_low, on_high):
    """Write ``on_low`` times row k of the factor plus ``on_high`` times row k + 1 into row ROW of its vectors."""
    W = found.W
    for v in range(W.shape[1]):
        found.vectors[ROW, v] = on_low * W[k, v] + on_high * W[k + 1, v]


@inner
def score_rotated(state, target, key, node, k, on_low, on_high, total, limit):
    """Put into the cache the score of a family that rotating rows k and k + 1 would make.

    The new row of ``node`` is, up to a factor, ``on_low`` times row k plus ``on_high`` times row k + 1; it is compared
    with row ``total`` of C. O(p) and the cost of a score, but rarely needed.
    """
    found = state.found
    combine_rows(found, k, on_low, on_high)
    look_up(state.cache, target, key, node, found.vectors, ROW, found.C, total, limit)


@inlined
def propose_rotated(state, target, views, key, node, k, on_low, on_high, total, limit):
    """Note the base that rotating rows k and k + 1 would give ``node``; arguments as in :func:`score_rotated`."""
    found = state.found
    members = state.cache.members
    combine_rows(found, k, on_low, on_high)
    size = list_parents(target.rules, found.vectors, ROW, found.C, total, limit, node, members)
    propose_base(views.structure, node, key, members, size)


@inlined
def exchange_tested(state, target, views, k, uniform):
    """Propose to exchange positions k and k + 1, both tested, and do it if accepted; return the outcome and log ratio.

    With ``uniform`` zero, whatever is possible is accepted. O(p).
    """
    order = state.order
    W = state.found.W
    C = state.found.C
    family = state.family
    cached = state.cache.family
    way = target.way
    rules = target.rules
    names = rules.name
    heat = target.heat
    ruled = rules.before.shape[0] > 1
    shared = np.uint32(0)
    none = np.uint64(0)
    width = W.shape[1]
    h = k + 1
    a = order[k]
    b = order[h]
    if ruled and rules.before[a, b]:
        return REJECTED, -np.inf
    row_a = a if ruled else shared
    row_b = b if ruled else shared
    x_a = W[k, a]
    y_a = W[h, a]
    # The tests need the new rows only up to the factor 1 / sqrt(d). In this form they need not wait for a root, and the
    # entry of a in the row of b is an exact zero. The row of b is compared with C before it is added, by odds.
    d = x_a * x_a + y_a * y_a
    low_limit = way.odds[k] * d
    high_limit = way.threshold[h] * d
    key_a = rules.own[a]
    key_b = rules.own[b]
    for v in range(width):
        x = W[k, v]
        y = W[h, v]
        name_a = names[row_a, v]
        name_b = names[row_b, v]
        low = y_a * x - x_a * y
        high = x_a * x + y_a * y
        # The names are read above, so that these are masks and not branches.
        key_b ^= name_b if low * low > low_limit * C[k, v] else none
        key_a ^= name_a if high * high > high_limit * C[h + 1, v] else none

    outcome = REJECTED
    if views is None:
        # What is found of b is read before a is looked up, which may take its place in the cache.
        slot = slot_of(key_b)
        if cached[slot].key != key_b:
            score_rotated(state, target, key_b, b, k, y_a, -x_a, k, low_limit)
        log_score_b = cached[slot].log_score
        log_prior_b = cached[slot].log_prior
        slot = slot_of(key_a)
        if cached[slot].key != key_a:
            score_rotated(state, target, key_a, a, k, x_a, y_a, h + 1, high_limit)
        log_ratio = heat * (cached[slot].log_score - family[a].log_score + (log_score_b - family[b].log_score))
        log_ratio += cached[slot].log_prior - family[a].log_prior + (log_prior_b - family[b].log_prior)
        if not is_rejected(log_ratio, uniform):
            outcome = ACCEPTED
            family[a] = cached[slot]
            family[b].key = key_b
            family[b].log_score = log_score_b
            family[b].log_prior = log_prior_b
    else:
        begin_proposal(views.structure)
        if key_b != views.structure.base_key[b]:
            propose_rotated(state, target, views, key_b, b, k, y_a, -x_a, k, low_limit)
        if key_a != views.structure.base_key[a]:
            propose_rotated(state, target, views, key_a, a, k, x_a, y_a, h + 1, high_limit)
        outcome, log_ratio = settle(state, target, views, np.int64(k), np.int64(h), uniform)

    if outcome == ACCEPTED:
        scale = 1.0 / np.sqrt(d)
        s = x_a * scale
        c = y_a * scale
        for v in range(width):
            x = W[k, v]
            y = W[h, v]
            low = c * x - s * y
            W[k, v] = low
            W[h, v] = s * x + c * y
            C[h, v] = C[k, v] + low * low
        # Exact zeros: a residue here would pass the next test as rho^2 = 1.
        W[k, a] = 0.0
        C[h, a] = 0.0
        order[k] = b
        order[h] = a
    return outcome, log_ratio

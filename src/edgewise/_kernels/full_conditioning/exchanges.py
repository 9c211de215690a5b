"""The two exchanges that reach beyond two rows of the factor: first with last, and across the end of tested positions.

They cost O(p^2), but are proposed with probability at most 2 / p.
"""

import numpy as np

from ..basics.metropolis import ACCEPTED, PROPOSED, REJECTED, SINGULAR_PREFIX, is_rejected
from ..basics.regression import SINGULAR
from ..beliefs.beliefs import begin_proposal, propose_base
from ..compiling import fused, inner
from ..families.cache import slot_of, worth
from .factor import accumulate, dot, residual_row, rotate
from .families import ROW, TOTAL, list_parents, look_up, set_families

PRECISION, RESIDUAL = 2, 3
"""Further rows of ``Factor.vectors``."""

LEAN, BACK, STEP, FACTOR, LIMIT = range(5)
"""Rows of ``Factor.plan``: the coefficients of each row's update when first and last are exchanged."""


@inner
def plan_exchange(W, C, way, a, b, between, plan):
    """Find the coefficients of :func:`propose_ends` for rows 1 .. between - 1.

    Returns False when b is determined by the variables between. Apart from the pass itself, so that no row waits for
    the sums and divisions of another; ``per_`` marks reciprocals.
    """
    g_with_b = W[0, a] * dot(W, 0, way.correlation, b)
    s = 1.0
    per_s = 1.0
    q = C[1, a]
    per_q = 1.0 / q
    for j in range(1, between):
        w_with_b = dot(W, j, way.correlation, b)
        lean = W[j, a] * per_q
        t = w_with_b - lean * g_with_b
        g_with_b += W[j, a] * w_with_b
        next_q = C[j + 1, a]
        per_next_q = 1.0 / next_q
        step = q * per_next_q * t
        next_s = s - step * t
        if not next_s > SINGULAR:
            return False
        per_next_s = 1.0 / next_s
        plan[LEAN, j] = lean
        plan[BACK, j] = t * per_s
        plan[STEP, j] = step
        plan[FACTOR, j] = q * per_next_q * s * per_next_s
        plan[LIMIT, j] = way.threshold[j] * next_q * per_q * next_s * per_s
        q = next_q
        per_q = per_next_q
        s = next_s
        per_s = per_next_s
    return True


@fused
def propose_ends(state, target, views, uniform):
    """Propose to exchange the first variable a with the last one b; return what becomes of it.

    With views, the new bases are marked, and nothing is decided yet.

    One pass over the rows finds the new row of each variable between them, up to a factor. Leaving out a is a
    regression on g, the row of a in the precision matrix of the variables so far:

        x = W[j] - W[j, a] / q g,    q and q' the entry of a in C before and after row j.

    Putting b in front is one on r, the residual of b given the variables so far, of variance s: with t the
    covariance of x and b,

        new row = x - t / s r,    then r - t q / q' x and s - t^2 q / q' take the place of r and s.

    The squares of the new row, made standard by the factor q / q' s / s', add up to the new C. O(p^2).
    """
    W = state.found.W
    C = state.found.C
    vectors = state.found.vectors
    plan = state.found.plan
    order = state.order
    family = state.family
    cache = state.cache
    cached = cache.family
    way = target.way
    rules = target.rules
    names = rules.name
    none = np.uint64(0)
    heat = target.heat
    p = order.shape[0]
    tested = W.shape[0]
    width = W.shape[1]
    a = order[0]
    b = order[p - 1]
    if rules.bound[0, a] or rules.bound[1, b]:
        return REJECTED
    for v in range(width):
        vectors[ROW, v] = 0.0
        vectors[TOTAL, v] = 0.0
        vectors[PRECISION, v] = W[0, a] * W[0, v]
        vectors[RESIDUAL, v] = 0.0
    # The entries of a will be rounding residues. Compared with infinity, they leave no trace.
    vectors[TOTAL, a] = np.inf
    vectors[TOTAL, b] = 1.0
    vectors[RESIDUAL, b] = 1.0

    key = rules.own[b] ^ rules.zobrist[b]
    log_ratio = 0.0
    if views is None:
        slot = slot_of(key)
        if cached[slot].key != key:
            look_up(cache, target, key, b, vectors, ROW, vectors, TOTAL, np.inf)
        log_ratio += worth(cached[slot], heat) - worth(family[b], heat)
    else:
        begin_proposal(views.structure)
        if key != views.structure.base_key[b]:
            size = list_parents(rules, vectors, ROW, vectors, TOTAL, np.inf, b, cache.members)
            propose_base(views.structure, b, key, cache.members, size)
    between = min(tested, p - 1)
    if not plan_exchange(W, C, way, a, b, between, plan):
        return SINGULAR_PREFIX
    for j in range(1, between):
        node = order[j]
        rule = rules.row[node]
        entry = W[j, a]
        lean = plan[LEAN, j]
        back = plan[BACK, j]
        step = plan[STEP, j]
        factor = plan[FACTOR, j]
        limit = plan[LIMIT, j]
        key = rules.own[node]
        for v in range(width):
            w = W[j, v]
            name = names[rule, v]
            x = w - lean * vectors[PRECISION, v]
            new = x - back * vectors[RESIDUAL, v]
            square = new * new
            total = vectors[TOTAL, v] + factor * square
            vectors[ROW, v] = new
            vectors[TOTAL, v] = total
            vectors[PRECISION, v] += entry * w
            vectors[RESIDUAL, v] -= step * x
            key ^= name if square > limit * total else none
        if views is None:
            slot = slot_of(key)
            if cached[slot].key != key:
                look_up(cache, target, key, node, vectors, ROW, vectors, TOTAL, limit)
            log_ratio += worth(cached[slot], heat) - worth(family[node], heat)
        elif key != views.structure.base_key[node]:
            size = list_parents(rules, vectors, ROW, vectors, TOTAL, limit, node, cache.members)
            propose_base(views.structure, node, key, cache.members, size)

    limit = np.inf
    key = rules.own[a]
    if tested == p:
        rule = rules.row[a]
        limit = way.threshold[p - 1] * C[p, a]
        entry = W[p - 1, a]
        for v in range(width):
            name = names[rule, v]
            new = vectors[PRECISION, v] + entry * W[p - 1, v]
            vectors[ROW, v] = new
            key ^= name if new * new > limit * C[p, v] else none
    else:
        key ^= rules.zobrist[a]
    if views is None:
        slot = slot_of(key)
        if cached[slot].key != key:
            look_up(cache, target, key, a, vectors, ROW, C, tested, limit)
        log_ratio += worth(cached[slot], heat) - worth(family[a], heat)
        return REJECTED if is_rejected(log_ratio, uniform) else ACCEPTED
    if key != views.structure.base_key[a]:
        size = list_parents(rules, vectors, ROW, C, tested, limit, a, cache.members)
        propose_base(views.structure, a, key, cache.members, size)
    return PROPOSED


@inner
def make_ends(state, target, views):
    """Exchange the first variable with the last one. O(p^2)."""
    W = state.found.W
    order = state.order
    p = order.shape[0]
    tested = W.shape[0]
    a = order[0]
    b = order[p - 1]
    for k in range(tested - 1):
        rotate(W, order, k)
    last = p - 2
    if tested < p:
        last = tested - 1
        residual_row(W, target.way.correlation, b, W, last)
        order[last] = b
        order[p - 1] = a
    for k in range(last - 1, -1, -1):
        rotate(W, order, k)
    accumulate(W, state.found.C)
    if views is None:
        set_families(state, target)


@inner
def propose_across(state, target, views, uniform):
    """Propose to exchange the last tested variable with its successor; return what becomes of it.

    The former loses the parents that tests gave it, and the latter is tested for the first time. O(p^2).
    """
    W = state.found.W
    C = state.found.C
    vectors = state.found.vectors
    cache = state.cache
    family = state.family
    rules = target.rules
    heat = target.heat
    k = W.shape[0] - 1
    a = state.order[k]
    b = state.order[k + 1]
    if not residual_row(W, target.way.correlation, b, vectors, ROW):
        return SINGULAR_PREFIX
    threshold = target.way.threshold[k]
    key_a = rules.own[a] ^ rules.zobrist[a]
    key_b = rules.own[b]
    rule = rules.row[b]
    for v in range(W.shape[1]):
        square = vectors[ROW, v] * vectors[ROW, v]
        vectors[TOTAL, v] = C[k, v] + square
        if square > threshold * vectors[TOTAL, v]:
            key_b ^= rules.name[rule, v]
    if views is None:
        # What is found of a is read before b is looked up, which may take its place in the cache.
        slot = look_up(cache, target, key_a, a, vectors, ROW, vectors, TOTAL, np.inf)
        log_score_a = cache.family[slot].log_score
        log_prior_a = cache.family[slot].log_prior
        slot = look_up(cache, target, key_b, b, vectors, ROW, vectors, TOTAL, threshold)
        log_ratio = heat * log_score_a + log_prior_a - worth(family[a], heat)
        log_ratio += worth(cache.family[slot], heat) - worth(family[b], heat)
        if is_rejected(log_ratio, uniform):
            return REJECTED
        family[a].key = key_a
        family[a].log_score = log_score_a
        family[a].log_prior = log_prior_a
        family[b] = cache.family[slot]
        return ACCEPTED
    begin_proposal(views.structure)
    size = list_parents(rules, vectors, ROW, vectors, TOTAL, np.inf, a, cache.members)
    propose_base(views.structure, a, key_a, cache.members, size)
    size = list_parents(rules, vectors, ROW, vectors, TOTAL, threshold, b, cache.members)
    propose_base(views.structure, b, key_b, cache.members, size)
    return PROPOSED


@inner
def make_across(state):
    """Exchange the last tested variable with its successor, whose row and sums were proposed just before."""
    W = state.found.W
    order = state.order
    k = W.shape[0] - 1
    for v in range(W.shape[1]):
        W[k, v] = state.found.vectors[ROW, v]
        state.found.C[k + 1, v] = state.found.vectors[TOTAL, v]
    a = order[k]
    order[k] = order[k + 1]
    order[k + 1] = a

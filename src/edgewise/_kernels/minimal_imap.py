"""Minimal I-MAP MCMC (the paper's Algorithm 1) in O(p) per step.

A step proposes to exchange two neighbours in the order, first and last counting as neighbours, and accepts by the
Metropolis rule. Exchanging the variables a, b of positions k, k + 1 is one Givens rotation of rows k and k + 1 of the
factor (see :mod:`edgewise._kernels.factor`). It changes the parents of a and b only, and each of the tests that decide
them is one comparison

    W[j, v]^2 > threshold[j] * C[j + 1, v]        for the variable at position j and its predecessor v.

The two exchanges that reach beyond two rows, first with last and the one across the end of the tested positions, are in
:mod:`edgewise._kernels.exchanges`.

Without beliefs about the whole DAG or the order, ``beliefs`` and ``structure`` are None, and what concerns them is left
out when the loop is compiled.
"""

import numpy as np

from .beliefs import begin_proposal, log_prior_beyond_families, propose_base
from .bits import list_members
from .compiling import in_place, inlined
from .exchanges import ROW, exchange_across, exchange_ends, propose_across, propose_ends
from .families import list_parents, look_up, slot_of
from .metropolis import ACCEPTED, PROPOSED, REJECTED, is_rejected
from .recorder import DRAWN, STEP, UNTIL_DRAW, add_family, find
from .settling import settle

ADJACENT, WRAP = 0, 1
"""Rows of ``Chain.moves``: exchanges of neighbours, and of first with last."""


@in_place
def record(chain, target, members, beliefs, structure, recorder, draws, row):
    """Write the present DAG into row ``row`` of ``draws``."""
    log_score = 0.0
    log_prior = 0.0
    for j in range(chain.order.shape[0]):
        node = chain.order[j]
        key = chain.family[node].key
        if key != recorder.last_key[node] or recorder.last_family[node] < 0:
            i = find(recorder, key)
            family = recorder.slot[i]
            if family < 0:
                if structure is None:
                    at = min(j, chain.W.shape[0] - 1)
                    limit = target.threshold[j] if j == at else np.inf
                    size = list_parents(target.rules, chain.W, at, chain.C, at + 1, limit, node, members)
                else:
                    size = list_members(structure.parents, node, members)
                    members[size] = node
                family = add_family(recorder, i, key, members, size)
            recorder.last_key[node] = key
            recorder.last_family[node] = family
        draws.order[row, j] = node
    for node in range(chain.order.shape[0]):
        draws.family[row, node] = recorder.last_family[node]
        log_score += chain.family[node].log_score
        log_prior += chain.family[node].log_prior
    draws.log_score[row] = log_score
    draws.log_prior[row] = log_prior
    if structure is not None:
        draws.log_prior[row] += log_prior_beyond_families(beliefs, structure)


@inlined
def combine_rows(chain, scratch, k, on_low, on_high):
    """Write ``on_low`` times row k of the factor plus ``on_high`` times row k + 1 into row ROW of the scratch."""
    W = chain.W
    for v in range(W.shape[1]):
        scratch.vectors[ROW, v] = on_low * W[k, v] + on_high * W[k + 1, v]


@in_place
def score_rotated(chain, target, cache, scratch, key, node, k, on_low, on_high, total, limit):
    """Put into the cache the score of a family that rotating rows k and k + 1 would make.

    The new row of ``node`` is, up to a factor, ``on_low`` times row k plus ``on_high`` times row k + 1; it is compared
    with row ``total`` of C. O(p) and the cost of a score, but rarely needed.
    """
    combine_rows(chain, scratch, k, on_low, on_high)
    look_up(cache, target, key, node, scratch.vectors, ROW, chain.C, total, limit)


@inlined
def propose_rotated(chain, target, cache, scratch, structure, key, node, k, on_low, on_high, total, limit):
    """Note the base that rotating rows k and k + 1 would give ``node``; arguments as in :func:`score_rotated`."""
    combine_rows(chain, scratch, k, on_low, on_high)
    size = list_parents(target.rules, scratch.vectors, ROW, chain.C, total, limit, node, cache.members)
    propose_base(structure, node, key, cache.members, size)


@in_place
def run(chain, target, cache, scratch, beliefs, structure, ask, laziness, uniforms, recorder, draws, cursor, thin):
    """Take one step for each row of ``uniforms``, whose two numbers choose the exchange and decide it.

    A draw is recorded where the ``cursor`` says, and after every ``thin`` steps from then on; the recorder must have
    room for p new families a draw. Returns ACCEPTED at the end, and else what stopped the loop: SINGULAR_PREFIX or ASK.
    O(p) per step on average.
    """
    order = chain.order
    W = chain.W
    C = chain.C
    family = chain.family
    moves = chain.moves
    thresholds = target.threshold
    odds = target.odds
    cached = cache.family
    rules = target.rules
    names = rules.name
    own = rules.own
    before = rules.before
    ruled = before.shape[0] > 1
    shared = np.uint32(0)
    p = order.shape[0]
    tested = W.shape[0]
    width = W.shape[1]
    stretch = p / (1.0 - laziness)
    none = np.uint64(0)
    row = cursor[DRAWN]
    until_draw = cursor[UNTIL_DRAW]
    for step in range(cursor[STEP], uniforms.shape[0]):
        if step == until_draw:
            record(chain, target, cache.members, beliefs, structure, recorder, draws, row)
            row += 1
            until_draw += thin
        k = np.uint32(uniforms[step, 0] * stretch)
        uniform = uniforms[step, 1]
        if k >= p:
            continue
        h = k + 1
        kind = ADJACENT
        outcome = REJECTED
        if h < tested and not (ruled and before[order[k], order[h]]):
            a = order[k]
            b = order[h]
            row_a = a if ruled else shared
            row_b = b if ruled else shared
            x_a = W[k, a]
            y_a = W[h, a]
            # The tests need the new rows only up to the factor 1 / sqrt(d). In this form they need not wait for a root,
            # and the entry of a in the row of b is an exact zero. The row of b is compared with C before it is added,
            # by odds.
            d = x_a * x_a + y_a * y_a
            low_limit = odds[k] * d
            high_limit = thresholds[h] * d
            key_a = own[a]
            key_b = own[b]
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

            if structure is None:
                # What is found of b is read before a is looked up, which may take its place in the cache.
                slot = slot_of(key_b)
                if cached[slot].key != key_b:
                    score_rotated(chain, target, cache, scratch, key_b, b, k, y_a, -x_a, k, low_limit)
                log_score_b = cached[slot].log_score
                log_prior_b = cached[slot].log_prior
                slot = slot_of(key_a)
                if cached[slot].key != key_a:
                    score_rotated(chain, target, cache, scratch, key_a, a, k, x_a, y_a, h + 1, high_limit)
                log_ratio = cached[slot].log_score - family[a].log_score + (log_score_b - family[b].log_score)
                log_ratio += cached[slot].log_prior - family[a].log_prior + (log_prior_b - family[b].log_prior)
                if not is_rejected(log_ratio, uniform):
                    outcome = ACCEPTED
                    family[a] = cached[slot]
                    family[b].key = key_b
                    family[b].log_score = log_score_b
                    family[b].log_prior = log_prior_b
            else:
                begin_proposal(structure)
                if key_b != structure.base_key[b]:
                    propose_rotated(
                        chain, target, cache, scratch, structure, key_b, b, k, y_a, -x_a, k, low_limit
                    )  # fmt: skip
                if key_a != structure.base_key[a]:
                    propose_rotated(
                        chain, target, cache, scratch, structure, key_a, a, k, x_a, y_a, h + 1, high_limit
                    )  # fmt: skip
                outcome = PROPOSED
        elif h == p:
            kind = WRAP
            outcome = propose_ends(chain, target, cache, scratch, structure, uniform)
        elif h >= tested and not (ruled and before[order[k], order[h]]):
            outcome = ACCEPTED
            if h == tested:
                outcome = propose_across(chain, target, cache, scratch, structure, uniform)
            elif structure is not None:
                begin_proposal(structure)
                outcome = PROPOSED

        if structure is not None:
            if outcome == PROPOSED:
                first, last = (0, p - 1) if h == p else (k, h)
                outcome = settle(order, first, last, uniform, family, target, cache, beliefs, structure, ask)

        if outcome == ACCEPTED:
            if h < tested:
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
            elif h == p:
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

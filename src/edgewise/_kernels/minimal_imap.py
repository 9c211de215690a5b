"""Minimal I-MAP MCMC (the paper's Algorithm 1) in O(p) per step.

A step proposes to exchange two neighbours in the order, first and last counting as neighbours, and accepts by the
Metropolis rule. Exchanging the variables a, b of positions k, k + 1 is one Givens rotation of rows k and k + 1 of the
factor (see :mod:`edgewise._kernels.factor`). It changes the parents of a and b only, and each of the tests that decide
them is one comparison

    W[j, v]^2 > threshold[j] * C[j + 1, v]        for the variable at position j and its predecessor v.

The two exchanges that reach beyond two rows, first with last and the one across the end of the tested positions, cost
O(p^2), but are proposed with probability at most 2 / p.
"""

from typing import NamedTuple

import numpy as np

from .compiling import kernel
from .factor import SINGULAR, accumulate, dot, residual_row, rotate
from .families import list_parents, look_up, slot_of
from .recorder import add_family, find

ADJACENT, WRAP = 0, 1
"""Rows of ``Chain.moves``: exchanges of neighbours, and of first with last."""

SINGULAR_PREFIX = -1
"""Returned instead of a decision when an exchange brings together variables that determine each other."""


class Tests(NamedTuple):
    """What decides parents: the correlation matrix, and the threshold on rho^2 at each tested position."""

    correlation: np.ndarray
    threshold: np.ndarray


class Chain(NamedTuple):
    """The state of a chain. ``key``, ``size`` and ``log_score`` describe each variable's present family.

    ``moves[kind]`` counts proposals and acceptances.
    """

    order: np.ndarray
    W: np.ndarray
    C: np.ndarray
    key: np.ndarray
    size: np.ndarray
    log_score: np.ndarray
    moves: np.ndarray


class Scratch(NamedTuple):
    """What a step writes before it is decided, and the random numbers that name families."""

    zobrist: np.ndarray
    own_zobrist: np.ndarray
    row: np.ndarray
    total: np.ndarray
    precision: np.ndarray
    residual: np.ndarray
    plan: np.ndarray


@kernel
def evaluate(chain, tests, score, cache, scratch):
    """Set every variable's family to what the factor says. O(p^2)."""
    W = chain.W
    C = chain.C
    zobrist = scratch.zobrist
    for j in range(chain.order.shape[0]):
        node = chain.order[j]
        key = scratch.own_zobrist[node]
        threshold = np.inf
        row = min(j, W.shape[0] - 1)
        if j < W.shape[0]:
            threshold = tests.threshold[j]
            for v in range(W.shape[1]):
                if v != node and W[j, v] * W[j, v] > threshold * C[j + 1, v]:
                    key ^= zobrist[v]
        slot = look_up(cache, score, key, node, W[row], C[row + 1], threshold)
        chain.key[node] = key
        chain.size[node] = cache.size[slot]
        chain.log_score[node] = cache.log_score[slot]


KEEP, LEAVE, COVARIANCE, BACK, GROW = range(5)
"""Rows of ``Scratch.plan``: the coefficients of each row's update when first and last are exchanged."""


@kernel
def plan_exchange(W, C, correlation, a, b, between, plan):
    """Find the coefficients of :func:`exchange_ends` for rows 1 .. between - 1.

    Returns False when b is determined by the variables between. Apart from the pass itself, so that the square roots
    of one row need not wait for another.
    """
    for j in range(between):
        plan[COVARIANCE, j] = dot(W, j, correlation, b)
    for j in range(1, between):
        plan[KEEP, j] = np.sqrt(C[j, a] / C[j + 1, a])
        plan[LEAVE, j] = W[j, a] / np.sqrt(C[j, a] * C[j + 1, a])
    g_with_b = W[0, a] * plan[COVARIANCE, 0]
    s = 1.0
    for j in range(1, between):
        w_with_b = plan[COVARIANCE, j]
        t = plan[KEEP, j] * w_with_b - plan[LEAVE, j] * g_with_b
        g_with_b += W[j, a] * w_with_b
        plan[COVARIANCE, j] = t
        plan[BACK, j] = s
        s -= t * t
        plan[GROW, j] = s
        if not s > SINGULAR:
            return False
    for j in range(1, between):
        s = plan[BACK, j]
        plan[BACK, j] = plan[COVARIANCE, j] / s
        plan[GROW, j] = np.sqrt(s / plan[GROW, j])
    return True


@kernel
def exchange_ends(chain, tests, score, cache, scratch, gamma, uniform):
    """Propose to exchange the first variable a with the last one b; return 1 if accepted, 0 or SINGULAR_PREFIX.

    One pass over the rows finds the new row of each variable between them. Leaving out a is one rotation with g, the
    row of a in the precision matrix of the variables so far:

        x = sqrt(q / q') W[j] - W[j, a] / sqrt(q q') g,    q and q' the entry of a in C before and after row j.

    Putting b in front is one regression on r, the residual of b given the variables so far, of variance s: with
    t the covariance of x and b,

        new row = (x - t / s r) sqrt(s / (s - t^2)),    then r - t x and s - t^2 take the place of r and s.

    O(p^2).
    """
    W = chain.W
    C = chain.C
    order = chain.order
    correlation = tests.correlation
    zobrist = scratch.zobrist
    row = scratch.row
    g = scratch.precision
    r = scratch.residual
    total = scratch.total
    plan = scratch.plan
    none = np.uint64(0)
    p = order.shape[0]
    tested = W.shape[0]
    width = W.shape[1]
    a = order[0]
    b = order[p - 1]
    for v in range(width):
        g[v] = W[0, a] * W[0, v]
        r[v] = 0.0
        total[v] = 0.0
    r[b] = 1.0
    total[b] = 1.0

    slot = slot_of(scratch.own_zobrist[b])
    if cache.key[slot] != scratch.own_zobrist[b]:
        look_up(cache, score, scratch.own_zobrist[b], b, row, total, np.inf)
    log_ratio = cache.log_score[slot] - chain.log_score[b] + gamma * (chain.size[a] + chain.size[b])
    between = min(tested, p - 1)
    if not plan_exchange(W, C, correlation, a, b, between, plan):
        return SINGULAR_PREFIX
    for j in range(1, between):
        node = order[j]
        entry = W[j, a]
        keep = plan[KEEP, j]
        leave = plan[LEAVE, j]
        t = plan[COVARIANCE, j]
        back = plan[BACK, j]
        grow = plan[GROW, j]
        threshold = tests.threshold[j]
        key = scratch.own_zobrist[node]
        for v in range(width):
            x = keep * W[j, v] - leave * g[v]
            new = (x - back * r[v]) * grow
            square = new * new
            g[v] += entry * W[j, v]
            r[v] -= t * x
            row[v] = new
            total[v] += square
            key ^= zobrist[v] if square > threshold * total[v] else none
        # Take back the answers for the variable itself and for a, whose entries are rounding residues.
        key ^= zobrist[node] if row[node] * row[node] > threshold * total[node] else none
        key ^= zobrist[a] if row[a] * row[a] > threshold * total[a] else none
        if key != chain.key[node]:
            slot = slot_of(key)
            if cache.key[slot] != key:
                row[a] = 0.0
                look_up(cache, score, key, node, row, total, threshold)
            log_ratio += cache.log_score[slot] - chain.log_score[node]
            log_ratio -= gamma * (cache.size[slot] - chain.size[node])

    threshold = np.inf
    key = scratch.own_zobrist[a]
    if tested == p:
        threshold = tests.threshold[p - 1]
        entry = W[p - 1, a]
        scale = 1.0 / np.sqrt(C[p, a])
        for v in range(width):
            new = (g[v] + entry * W[p - 1, v]) * scale
            row[v] = new
            key ^= zobrist[v] if new * new > threshold * C[p, v] else none
        key ^= zobrist[a] if row[a] * row[a] > threshold * C[p, a] else none
    slot = slot_of(key)
    if cache.key[slot] != key:
        look_up(cache, score, key, a, row, C[tested], threshold)
    log_ratio += cache.log_score[slot] - chain.log_score[a]
    log_ratio -= gamma * cache.size[slot]

    if log_ratio < 0.0 and uniform >= np.exp(log_ratio):
        return 0
    for k in range(tested - 1):
        rotate(W, order, k)
    if tested == p:
        for k in range(p - 3, -1, -1):
            rotate(W, order, k)
    else:
        residual_row(W, correlation, b, row)
        W[tested - 1] = row
        order[tested - 1] = b
        order[p - 1] = a
        for k in range(tested - 2, -1, -1):
            rotate(W, order, k)
    accumulate(W, C)
    evaluate(chain, tests, score, cache, scratch)
    return 1


@kernel
def exchange_across(chain, tests, score, cache, scratch, gamma, uniform):
    """Propose to exchange the last tested variable with its successor; return 1 if accepted, 0 or SINGULAR_PREFIX.

    The former loses its parents, and the latter is tested for the first time. O(p^2).
    """
    k = chain.W.shape[0] - 1
    a = chain.order[k]
    b = chain.order[k + 1]
    row = scratch.row
    total = scratch.total
    if not residual_row(chain.W, tests.correlation, b, row):
        return SINGULAR_PREFIX
    threshold = tests.threshold[k]
    key_a = scratch.own_zobrist[a]
    key_b = scratch.own_zobrist[b]
    for v in range(row.shape[0]):
        total[v] = chain.C[k, v] + row[v] * row[v]
        if v != b and row[v] * row[v] > threshold * total[v]:
            key_b ^= scratch.zobrist[v]
    slot = look_up(cache, score, key_a, a, row, total, np.inf)
    log_score_a = cache.log_score[slot]
    slot = look_up(cache, score, key_b, b, row, total, threshold)
    log_score_b = cache.log_score[slot]
    size_b = cache.size[slot]
    log_ratio = (log_score_a - chain.log_score[a]) + (log_score_b - chain.log_score[b])
    log_ratio -= gamma * (size_b - chain.size[a] - chain.size[b])
    if log_ratio < 0.0 and uniform >= np.exp(log_ratio):
        return 0
    chain.W[k] = row
    chain.C[k + 1] = total
    chain.order[k] = b
    chain.order[k + 1] = a
    chain.key[a] = key_a
    chain.key[b] = key_b
    chain.size[a] = 0
    chain.size[b] = size_b
    chain.log_score[a] = log_score_a
    chain.log_score[b] = log_score_b
    return 1


@kernel
def record(chain, tests, gamma, members, recorder, draws, row):
    """Write the present DAG into row ``row`` of ``draws``."""
    log_score = 0.0
    edges = 0
    for j in range(chain.order.shape[0]):
        node = chain.order[j]
        key = chain.key[node]
        if key != recorder.last_key[node] or recorder.last_family[node] < 0:
            i = find(recorder, key)
            family = recorder.slot[i]
            if family < 0:
                size = 0
                members[0] = node
                if j < chain.W.shape[0]:
                    size = list_parents(chain.W[j], chain.C[j + 1], tests.threshold[j], node, members)
                family = add_family(recorder, i, key, members, size)
            recorder.last_key[node] = key
            recorder.last_family[node] = family
        draws.order[row, j] = node
    for node in range(chain.order.shape[0]):
        draws.family[row, node] = recorder.last_family[node]
        log_score += chain.log_score[node]
        edges += chain.size[node]
    draws.log_score[row] = log_score
    draws.log_prior[row] = -gamma * edges


@kernel
def score_rotated(chain, score, cache, scratch, key, node, k, c, s, low, threshold):
    """Put into the cache the score of a family that rotating rows k and k + 1 would make.

    ``low`` says whether ``node`` gets position k, or k + 1.
    """
    W = chain.W
    C = chain.C
    row = scratch.row
    total = scratch.total
    for v in range(W.shape[1]):
        if low:
            row[v] = c * W[k, v] + s * W[k + 1, v]
            total[v] = C[k, v] + row[v] * row[v]
        else:
            row[v] = c * W[k + 1, v] - s * W[k, v]
            total[v] = C[k + 2, v]
    if low:
        row[chain.order[k]] = 0.0
    look_up(cache, score, key, node, row, total, threshold)


@kernel
def run(chain, tests, score, cache, scratch, gamma, laziness, uniforms, recorder, draws, until_draw, thin):
    """Take one step for each row of ``uniforms``, whose two numbers choose the exchange and decide it.

    Records a draw after ``until_draw`` steps, and after every ``thin`` from then on; the recorder must have room for p
    new families a draw. Returns False when an exchange met a singular prefix. O(p) per step on average.
    """
    order = chain.order
    W = chain.W
    C = chain.C
    keys = chain.key
    sizes = chain.size
    log_scores = chain.log_score
    moves = chain.moves
    thresholds = tests.threshold
    cached_keys = cache.key
    cached_log_scores = cache.log_score
    cached_sizes = cache.size
    zobrist = scratch.zobrist
    own_zobrist = scratch.own_zobrist
    p = order.shape[0]
    tested = W.shape[0]
    width = W.shape[1]
    scale = p / (1.0 - laziness)
    none = np.uint64(0)
    row = 0
    for step in range(uniforms.shape[0]):
        if step == until_draw:
            record(chain, tests, gamma, cache.members, recorder, draws, row)
            row += 1
            until_draw += thin
        k = np.int64(uniforms[step, 0] * scale)
        uniform = uniforms[step, 1]
        if k >= p:
            continue
        h = k + 1
        if h >= tested:
            if k == p - 1:
                accepted = exchange_ends(chain, tests, score, cache, scratch, gamma, uniform)
                kind = WRAP
            elif h == tested:
                accepted = exchange_across(chain, tests, score, cache, scratch, gamma, uniform)
                kind = ADJACENT
            else:
                a = order[k]
                order[k] = order[h]
                order[h] = a
                accepted = 1
                kind = ADJACENT
            if accepted == SINGULAR_PREFIX:
                return False
            moves[kind, 0] += 1
            moves[kind, 1] += accepted
            continue

        a = order[k]
        b = order[h]
        x = W[k, a]
        y = W[h, a]
        r = 1.0 / np.sqrt(x * x + y * y)
        c = y * r
        s = -x * r
        low_threshold = thresholds[k]
        high_threshold = thresholds[h]
        key_a = own_zobrist[a]
        key_b = own_zobrist[b]
        for v in range(width):
            low = c * W[k, v] + s * W[h, v]
            low = low * low
            high = c * W[h, v] - s * W[k, v]
            key_b ^= zobrist[v] if low > low_threshold * (C[k, v] + low) else none
            key_a ^= zobrist[v] if high * high > high_threshold * C[h + 1, v] else none
        # The loop has no branches, so it also tested each variable against itself, and b against its successor a,
        # whose entry is zero but for a rounding residue. Take these three answers back.
        low = c * W[k, b] + s * W[h, b]
        low = low * low
        key_b ^= zobrist[b] if low > low_threshold * (C[k, b] + low) else none
        low = c * x + s * y
        low = low * low
        key_b ^= zobrist[a] if low > low_threshold * (C[k, a] + low) else none
        high = c * y - s * x
        key_a ^= zobrist[a] if high * high > high_threshold * C[h + 1, a] else none

        log_score_a = log_scores[a]
        log_score_b = log_scores[b]
        size_a = sizes[a]
        size_b = sizes[b]
        if key_b != keys[b]:
            slot = slot_of(key_b)
            if cached_keys[slot] != key_b:
                score_rotated(chain, score, cache, scratch, key_b, b, k, c, s, True, low_threshold)
            log_score_b = cached_log_scores[slot]
            size_b = cached_sizes[slot]
        if key_a != keys[a]:
            slot = slot_of(key_a)
            if cached_keys[slot] != key_a:
                score_rotated(chain, score, cache, scratch, key_a, a, k, c, s, False, high_threshold)
            log_score_a = cached_log_scores[slot]
            size_a = cached_sizes[slot]
        log_ratio = (log_score_a - log_scores[a]) + (log_score_b - log_scores[b])
        log_ratio -= gamma * (size_a - sizes[a] + size_b - sizes[b])
        moves[ADJACENT, 0] += 1
        if log_ratio < 0.0 and uniform >= np.exp(log_ratio):
            continue

        moves[ADJACENT, 1] += 1
        for v in range(width):
            x = W[k, v]
            y = W[h, v]
            low = c * x + s * y
            W[k, v] = low
            W[h, v] = c * y - s * x
            C[h, v] = C[k, v] + low * low
        # Exact zeros: a residue here would pass the next test as rho^2 = 1.
        W[k, a] = 0.0
        C[h, a] = 0.0
        order[k] = b
        order[h] = a
        keys[a] = key_a
        keys[b] = key_b
        sizes[a] = size_a
        sizes[b] = size_b
        log_scores[a] = log_score_a
        log_scores[b] = log_score_b
    if uniforms.shape[0] == until_draw:
        record(chain, tests, gamma, cache.members, recorder, draws, row)
    return True

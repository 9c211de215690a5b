"""Tables of parent sets, filled for one variable after another."""

import math

import numpy as np

from ..basics.regression import SINGULAR
from ..compiling import compiled_as, in_place, inner
from ..scores.log_det import LogDetScore
from .candidates import list_parents, weigh_family
from .order_sums import add_logs


@inner
def weigh_one_by_one(target, node, members, numbers, room):
    """Weigh all sets of a variable, each by itself."""
    sets = target.sets
    start = sets.start[node]
    for s in range(1 << sets.number[node]):
        size = list_parents(sets, node, s, members)
        sets.log_weight[start + s] = weigh_family(target, members, size, room)


@inner
def add_member(matrix, node, members, size, numbers, triangle):
    """Extend the Cholesky factor of ``members[:size]`` by ``members[size]``, and by what it leaves of ``node``.

    Column i of ``numbers`` has the log determinant of the first i members, the i-th entry of the row of ``node``, and
    the variance that the first i leave of it. ``triangle`` has the rows of the members one after the other.
    """
    start = size * (size + 1) // 2
    u = members[size]
    pivot = matrix[u, u]
    own = matrix[node, u]
    for j in range(size):
        entry = matrix[u, members[j]]
        other = j * (j + 1) // 2
        for h in range(j):
            entry -= triangle[start + h] * triangle[other + h]
        entry /= triangle[other + j]
        triangle[start + j] = entry
        pivot -= entry * entry
        own -= entry * numbers[1, j]
    own /= math.sqrt(pivot)
    triangle[start + size] = math.sqrt(pivot)
    numbers[0, size + 1] = numbers[0, size] + math.log(pivot)
    numbers[1, size] = own
    numbers[2, size + 1] = numbers[2, size] - own * own


@inner
def weigh_determinants(target, node, size, numbers):
    """Return the log weight of ``node`` with the members whose factor was extended last; the prior is not in it."""
    score = target.score
    variance = numbers[2, size]
    if size > score.most_parents or not variance > SINGULAR * score.matrix[node, node]:
        return -np.inf
    log_det = numbers[0, size]
    log_weight = score.constant[size] + score.on_parents[size] * log_det
    log_weight += score.on_family[size] * (log_det + math.log(variance))
    return log_weight if log_weight < np.inf else -np.inf


@inner
def walk_subsets(target, node, members, numbers, room):
    """Weigh all sets of a variable, whose scores are sums of log determinants, in a walk from subset to subset.

    Each set extends the Cholesky factor of the one without its last member, which takes a fifth of the time of a
    factor of its own. Required parents come first.
    """
    sets = target.sets
    start = sets.start[node]
    number = sets.number[node]
    numbers[0, 0] = 0.0
    numbers[2, 0] = target.score.matrix[node, node]
    numbers[3, 0] = 0.0
    size = 0
    i = 0
    while sets.row[node, i] >= 0:
        u = sets.row[node, i]
        if sets.place[node, u] < 0:
            members[size] = u
            add_member(target.score.matrix, node, members, size, numbers, room.triangle)
            numbers[3, size + 1] = numbers[3, size] + target.edge[u, node]
            size += 1
        i += 1
    fewest = size
    chosen = 0
    k = 0
    sets.log_weight[start] = weigh_determinants(target, node, size, numbers) + numbers[3, size]
    while k < number or size > fewest:
        if k < number:
            u = sets.member[node, k]
            members[size] = u
            add_member(target.score.matrix, node, members, size, numbers, room.triangle)
            numbers[3, size + 1] = numbers[3, size] + target.edge[u, node]
            size += 1
            chosen |= 1 << k
            sets.log_weight[start + chosen] = weigh_determinants(target, node, size, numbers) + numbers[3, size]
        else:
            size -= 1
            k = sets.place[node, members[size]]
            chosen ^= 1 << k
        k += 1


def weigh_sets(target, node, members, numbers, room):
    """Weigh all sets of a variable."""
    way = walk_subsets if isinstance(target.score, LogDetScore) else weigh_one_by_one
    way(target, node, members, numbers, room)


@compiled_as(weigh_sets)
def _choose_weigh_sets(target, node, members, numbers, room):
    score = dict(zip(target.fields, target.types, strict=True))["score"]
    way = walk_subsets if score.instance_class is LogDetScore else weigh_one_by_one
    return getattr(way, "py_func", way)


@in_place
def fill_sets(target, node, members, numbers, room):
    """Weigh all sets of a variable."""
    weigh_sets(target, node, members, numbers, room)


@in_place
def sum_subsets(log_weight, log_half, log_sum):
    """Sum the weights of all sets of a variable over their subsets, and over those with the same high half."""
    number = log_weight.shape[0]
    candidates = 0
    while 1 << candidates < number:
        candidates += 1
    for s in range(number):
        log_sum[s] = log_weight[s]
        log_half[s] = log_weight[s]
    for k in range(candidates):
        bit = 1 << k
        for s in range(number):
            if s & bit:
                log_sum[s] = add_logs(log_sum[s], log_sum[s ^ bit])
        if k + 1 == candidates // 2:
            for s in range(number):
                log_half[s] = log_sum[s]

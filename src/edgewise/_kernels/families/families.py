"""Families: a variable with its parents. Their names, what tests and rules make of them, and their worth.

A family is named by a 64-bit Zobrist key: a random number for the child XOR another one for each member, the child
included, because a test of a variable against itself always says yes. Two of a million families share a key with
probability below 1e-7.

Local scores are kept in a table of fixed size, where a newcomer replaces whoever sits in its place. A score is a
function of the family alone (parents are taken in index order), so what is forgotten is found again to the last bit.
"""

from typing import NamedTuple

import numpy as np

from ..compiling import in_place, inlined, inner

CACHE_BITS = 16
"""65,536 scores, 2 MB: a chain needs a few thousand at a time."""


class LogDetScore(NamedTuple):
    """A Gaussian score: constant[l] + on_parents[l] log|R_pa| + on_family[l] log|R_pa,v| with l parents.

    BGe and BIC both have this form. ``matrix`` is R, (p, p); the other three have one entry for each l < p.
    """

    matrix: np.ndarray
    constant: np.ndarray
    on_parents: np.ndarray
    on_family: np.ndarray


TESTED, REQUIRED, FORBIDDEN = 0, 1, 2
"""How it is decided whether a variable is a parent: ``Rules.edge``."""


class Rules(NamedTuple):
    """What is known for certain about single edges and about the order, by child.

    The rules of ``child`` are in row ``row[child]``; where nothing is known, all share row 0. ``name[row, v]`` is what
    v leaves in the key of the child's family if a test says yes, zero where no test decides; the key starts as
    ``own[child]``, which holds the required parents. ``child`` and ``zobrist`` are the numbers of children and members
    themselves. ``before[row[a], b]`` is true where a comes before b in every order, ``bound[0, a]`` where a comes
    before some variable, ``bound[1, b]`` where some variable comes before b.
    """

    row: np.ndarray
    edge: np.ndarray
    name: np.ndarray
    own: np.ndarray
    child: np.ndarray
    zobrist: np.ndarray
    before: np.ndarray
    bound: np.ndarray


class Target(NamedTuple):
    """What a chain samples, as far as families tell: who their parents are, and what they are worth.

    The correlation matrix; the threshold on rho^2 at each tested position, and ``odds``, threshold / (1 - threshold);
    the score; the log prior of each edge, (p, p); the rules; and the power to which the likelihood is raised, below 1
    for a heated chain.
    """

    correlation: np.ndarray
    threshold: np.ndarray
    odds: np.ndarray
    score: LogDetScore
    edge: np.ndarray
    rules: Rules
    heat: float = 1.0


FAMILY = np.dtype([("key", np.uint64), ("log_score", np.float64), ("log_prior", np.float64), ("unused", np.int64)])
"""What is known of a family. A power of two in size, so that it lies in one cache line."""


class ScoreCache(NamedTuple):
    """The table of local scores. ``members`` and ``triangle`` are scratch for computing one that is not there."""

    family: np.ndarray
    members: np.ndarray
    triangle: np.ndarray


def new_cache(p: int) -> ScoreCache:
    """Return an empty cache for p variables."""
    slots = 1 << CACHE_BITS
    return ScoreCache(
        np.zeros(slots, FAMILY),
        np.zeros(p, np.int64),
        np.zeros(p * (p + 1) // 2),
    )


@inner
def factor_family(matrix, members, size, triangle):
    """Return the log determinant of the parents ``members[:size]``, and the variance they leave of ``members[size]``.

    ``triangle`` receives the Cholesky factor row by row; its last diagonal entry belongs to the child. O(size^3).
    """
    log_det = 0.0
    pivot = 0.0
    for i in range(size + 1):
        if i > 0:
            log_det += np.log(pivot)
        start = i * (i + 1) // 2
        pivot = matrix[members[i], members[i]]
        for j in range(i):
            entry = matrix[members[i], members[j]]
            other = j * (j + 1) // 2
            for h in range(j):
                entry -= triangle[start + h] * triangle[other + h]
            entry /= triangle[other + j]
            triangle[start + j] = entry
            pivot -= entry * entry
        triangle[start + i] = np.sqrt(pivot)
    return log_det, pivot


@in_place
def local_score(score, members, size, triangle):
    """Score the family of ``members[size]`` with parents ``members[:size]``. O(size^3)."""
    if score.constant[size] == -np.inf:
        return -np.inf
    log_det, variance = factor_family(score.matrix, members, size, triangle)
    family_log_det = log_det + np.log(variance)
    return score.constant[size] + score.on_parents[size] * log_det + score.on_family[size] * family_log_det


@inlined
def list_parents(rules, rows, i, totals, j, limit, node, members):
    """Fill ``members`` with the parents of ``node`` in index order, then ``node``; return how many parents.

    A variable passes its test where the square of row i of ``rows`` exceeds ``limit`` times row j of ``totals``.
    """
    size = 0
    rule = rules.row[node]
    for v in range(members.shape[0]):
        edge = rules.edge[rule, v]
        passed = edge == TESTED and rows[i, v] * rows[i, v] > limit * totals[j, v]
        if v != node and (passed or edge == REQUIRED):
            members[size] = v
            size += 1
    members[size] = node
    return size


@in_place
def slot_of(key):
    """Return the place of a key in the cache."""
    return np.int64(key >> np.uint64(64 - CACHE_BITS))


@inner
def fill(cache, target, slot, key, size):
    """Put the family of ``cache.members[size]`` with parents ``cache.members[:size]`` into a slot of the cache."""
    members = cache.members
    log_prior = 0.0
    for m in range(size):
        log_prior += target.edge[members[m], members[size]]
    cache.family[slot].log_score = local_score(target.score, members, size, cache.triangle)
    cache.family[slot].log_prior = log_prior
    cache.family[slot].key = key


@in_place
def worth(family, heat):
    """Return what a family adds to the log target."""
    return heat * family.log_score + family.log_prior


@inner
def look_up(cache, target, key, node, rows, i, totals, j, limit):
    """Return the slot of the cache that holds the family ``key`` of ``node``, scoring it first if need be.

    The other arguments say who the parents are, as in :func:`list_parents`.
    """
    slot = slot_of(key)
    if cache.family[slot].key != key:
        size = list_parents(target.rules, rows, i, totals, j, limit, node, cache.members)
        fill(cache, target, slot, key, size)
    return slot

"""The walk of the greedy sparsest permutation algorithm: from an order to sparser ones, by turning covered edges.

An edge i -> j is covered when j has the parents of i, and i, and no others. No other variable then lies on a path from
i to j, and moving j from its place in the order to just before i turns the edge and leaves every other edge pointing
forward. In the factor of the order (:mod:`edgewise._kernels.full_conditioning.factor`) that is one rotation for each
variable passed.

The DAG of the new order is its own minimal I-MAP, tested anew: all variables between the two places have other
predecessors than before.

Legend
------
W, C
    The factor of an order and its running sums, (p, p) and (p + 1, p).
tau : (p,)
    The thresholds on squared partial correlations, by position.
names : (p, p)
    A random 64-bit number for each edge; the XOR of those of a DAG's edges is its key.
"""

from typing import NamedTuple

import numpy as np

from ..compiling import inner, kernel
from ..full_conditioning.factor import rotate

VISITED_BITS = 18
"""Room for 262,144 DAGs already visited, 4 MB. A newcomer replaces whoever sits in its place: what is forgotten may be
visited again, but no deeper than the search goes anyway."""


class Stage(NamedTuple):
    """An order with its factor and its DAG, for each depth of the search; the first axis is the depth."""

    order: np.ndarray
    W: np.ndarray
    C: np.ndarray
    dag: np.ndarray


@inner
def retest(stage, level, first, last, tau):
    """Set the running sums and the parents of the variables at positions first ... last from their rows of W."""
    p = stage.order.shape[1]
    for j in range(first, last + 1):
        node = stage.order[level, j]
        for v in range(p):
            square = stage.W[level, j, v] * stage.W[level, j, v]
            stage.C[level, j + 1, v] = stage.C[level, j, v] + square
            stage.dag[level, v, node] = square > tau[j] * stage.C[level, j + 1, v] and v != node


@kernel
def copy_stage(stage, source, target):
    """Copy one depth to another."""
    stage.order[target] = stage.order[source]
    stage.W[target] = stage.W[source]
    stage.C[target] = stage.C[source]
    stage.dag[target] = stage.dag[source]


@inner
def turn(stage, level, i, j, tau):
    """Move j to just before i, which precedes it, and test anew."""
    order = stage.order[level]
    first = 0
    while order[first] != i:
        first += 1
    last = first
    while order[last] != j:
        last += 1
    for k in range(last - 1, first - 1, -1):
        rotate(stage.W[level], order, k)
    retest(stage, level, first, last, tau)


@inner
def list_covered(dag, edges):
    """Write the covered edges of a DAG to ``edges``, as rows (i, j); return their number."""
    p = dag.shape[0]
    number = 0
    for i in range(p):
        for j in range(p):
            if dag[i, j]:
                covered = True
                for v in range(p):
                    if v != i and dag[v, i] != dag[v, j]:
                        covered = False
                        break
                if covered:
                    edges[number, 0] = i
                    edges[number, 1] = j
                    number += 1
    return number


@inner
def describe(dag, names):
    """Return the number of edges of a DAG, and its key."""
    p = dag.shape[0]
    number = 0
    key = np.uint64(0)
    for i in range(p):
        for j in range(p):
            if dag[i, j]:
                number += 1
                key ^= names[i, j]
    return number, key


@kernel
def find_sparser(order, W, tau, names, depth):
    """Walk from an order to sparser ones until there is none within reach; return the DAG of the last.

    From each order the search follows covered edges through DAGs with equally many edges, first into the depth, up to
    ``depth`` edges turned; the first sparser DAG is where it starts again.
    """
    p = order.shape[0]
    levels = depth + 1
    stage = Stage(
        np.empty((levels, p), np.int64),
        np.empty((levels, p, p)),
        np.zeros((levels, p + 1, p)),
        np.zeros((levels, p, p), np.bool_),
    )
    stage.order[0] = order
    stage.W[0] = W
    retest(stage, 0, 0, p - 1, tau)
    edges = np.empty((levels, p * p, 2), np.int64)
    number = np.zeros(levels, np.int64)
    cursor = np.zeros(levels, np.int64)
    visited = np.zeros(1 << VISITED_BITS, np.uint64)
    reached = np.zeros(1 << VISITED_BITS, np.int64)  # the least depth at which each was visited

    fewest, _ = describe(stage.dag[0], names)
    number[0] = list_covered(stage.dag[0], edges[0])
    level = 0
    while level >= 0:
        if cursor[level] == number[level]:
            level -= 1
            continue
        i, j = edges[level, cursor[level]]
        cursor[level] += 1
        copy_stage(stage, level, level + 1)
        turn(stage, level + 1, i, j, tau)
        count, key = describe(stage.dag[level + 1], names)
        if count < fewest:
            copy_stage(stage, level + 1, 0)
            fewest = count
            level = 0
            number[0] = list_covered(stage.dag[0], edges[0])
            cursor[0] = 0
        elif count == fewest and level + 1 < depth:
            slot = np.int64(key >> np.uint64(64 - VISITED_BITS))
            if visited[slot] != key or reached[slot] > level + 1:
                visited[slot] = key
                reached[slot] = level + 1
                level += 1
                number[level] = list_covered(stage.dag[level], edges[level])
                cursor[level] = 0
    return stage.dag[0].copy()

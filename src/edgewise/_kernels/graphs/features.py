"""Features of many DAGs at once: directed paths, Markov blankets, v-structures.

Each DAG is a boolean matrix, ``dag[i, j]`` true for i -> j; sums run over the DAGs with their weights.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..basics.bits import clear, has, insert, words_for
from ..compiling import in_place, inner, kernel


@inner
def _pack_children(dag, words):
    """Write the children of each node as bits."""
    p = dag.shape[0]
    for i in range(p):
        clear(words, i)
        for j in range(p):
            if dag[i, j]:
                insert(words, i, j)


def _weighted_sum(add: Callable[..., Any], dags: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return what ``add`` adds up over DAGs, for each pair of variables."""
    p = dags.shape[1]
    total = np.zeros((p, p))
    add(dags, weights, np.zeros((p, words_for(p)), np.uint64), total)
    return total


@in_place
def add_paths(dags, weights, reach, total):
    """Add the weights of DAGs to the pairs between which they have a path: Warshall's closure on rows of bits."""
    p = dags.shape[1]
    for m in range(dags.shape[0]):
        _pack_children(dags[m], reach)
        for k in range(p):
            for i in range(p):
                if has(reach, i, k):
                    for w in range(reach.shape[1]):
                        reach[i, w] |= reach[k, w]
        for i in range(p):
            for j in range(p):
                if has(reach, i, j):
                    total[i, j] += weights[m]


def paths_weighted_sum(dags: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return, for i and j, the total weight of the DAGs with a directed path from i to j. O(p^3 / 64) a DAG."""
    return _weighted_sum(add_paths, dags, weights)


@in_place
def add_blankets(dags, weights, children, total):
    """Add the weights of DAGs to the pairs that are in each other's Markov blanket."""
    p = dags.shape[1]
    for m in range(dags.shape[0]):
        _pack_children(dags[m], children)
        for i in range(p):
            for j in range(i):
                inside = dags[m, i, j] or dags[m, j, i]
                for w in range(children.shape[1]):
                    inside |= children[i, w] & children[j, w] != np.uint64(0)
                if inside:
                    total[i, j] += weights[m]
                    total[j, i] += weights[m]


def blankets_weighted_sum(dags: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return, for i and j, the total weight of the DAGs in which j is a parent, child or co-parent of i."""
    return _weighted_sum(add_blankets, dags, weights)


@kernel
def count_v_structures(dag):
    """Return the number of pairs of parents of a common child that are not joined."""
    p = dag.shape[0]
    number = 0
    for c in range(p):
        for b in range(p):
            if dag[b, c]:
                for a in range(b):
                    if dag[a, c] and not dag[a, b] and not dag[b, a]:
                        number += 1
    return number


@kernel
def list_v_structures(dags):
    """Return the v-structures a -> c <- b, a < b, of all DAGs, as rows (number of the DAG, a, c, b)."""
    number = 0
    for m in range(dags.shape[0]):
        number += count_v_structures(dags[m])
    found = np.empty((number, 4), np.int64)
    number = 0
    p = dags.shape[1]
    for m in range(dags.shape[0]):
        for c in range(p):
            for b in range(p):
                if dags[m, b, c]:
                    for a in range(b):
                        if dags[m, a, c] and not dags[m, a, b] and not dags[m, b, a]:
                            found[number, 0] = m
                            found[number, 1] = a
                            found[number, 2] = c
                            found[number, 3] = b
                            number += 1
    return found

"""Compelled edges of a DAG, by Chickering's algorithm.

D. M. Chickering (1995), "A transformational characterization of equivalent Bayesian network structures", UAI.

An edge is *compelled* when every Markov-equivalent DAG has it in the same direction. Chickering's Label-Edges
visits the edges by their target y in topological order and, within y, from the latest parent to the earliest.
Its first look at a target already labels all edges into it, so that the algorithm is one visit to each node
y. Let x be the parent of y that comes last in the topological order:

1. if some parent of y other than x is not a parent of x, there is a v-structure at y: all edges into y are
   compelled;
2. if some w -> x is compelled and w is not a parent of y, turning x -> y would make a new v-structure or a
   cycle: all edges into y are compelled;
3. otherwise the other parents of y are parents of x: w -> y is compelled exactly where w -> x is, and x -> y
   is reversible.

Each visit looks at the parents of x and y only, so the labelling costs O(p * largest in-degree) after O(p^2)
for reading the matrix. Input is trusted: ``dag`` is acyclic.
"""

import numpy as np
from numpy.typing import NDArray

from ..compiling import kernel


@kernel
def label_compelled(dag: NDArray[np.bool_], out: NDArray[np.bool_]) -> None:
    """Set ``out[i, j]`` to whether i -> j is a compelled edge of ``dag``; both of shape (p, p)."""
    p = dag.shape[0]
    parents_left = np.zeros(p, np.int64)
    for i in range(p):
        for j in range(p):
            parents_left[j] += dag[i, j]
            out[i, j] = False

    # A topological order, and the parents of each node in that order: parents[y, :n_parents[y]].
    order = np.empty(p, np.int64)
    n_parents = np.zeros(p, np.int64)
    parents = np.empty((p, p), np.int64)
    n_ordered = 0
    for j in range(p):
        if parents_left[j] == 0:
            order[n_ordered] = j
            n_ordered += 1
    for position in range(p):
        i = order[position]
        for j in range(p):
            if dag[i, j]:
                parents[j, n_parents[j]] = i
                n_parents[j] += 1
                parents_left[j] -= 1
                if parents_left[j] == 0:
                    order[n_ordered] = j
                    n_ordered += 1

    for position in range(p):
        y = order[position]
        if n_parents[y] == 0:
            continue
        x = parents[y, n_parents[y] - 1]
        all_compelled = False
        for k in range(n_parents[y] - 1):
            if not dag[parents[y, k], x]:
                all_compelled = True
                break
        for k in range(n_parents[x]):
            w = parents[x, k]
            if out[w, x] and not dag[w, y]:
                all_compelled = True
                break
        for k in range(n_parents[y]):
            w = parents[y, k]
            out[w, y] = all_compelled or out[w, x]


@kernel
def compelled_weighted_sum(dags: NDArray[np.bool_], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum over m of ``weights[m]`` times the compelled edges of ``dags[m]``.

    ``dags`` has shape (m, p, p), ``weights`` (m,), the result (p, p). With weights that sum to one this is
    the posterior probability that each edge is there and compelled.
    """
    p = dags.shape[1]
    total = np.zeros((p, p))
    compelled = np.empty((p, p), np.bool_)
    for m in range(dags.shape[0]):
        label_compelled(dags[m], compelled)
        for i in range(p):
            for j in range(p):
                total[i, j] += weights[m] * compelled[i, j]
    return total

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
for reading the matrix. Input is trusted: ``dag`` is acyclic. What knowledge and interventions add is in
:mod:`.orientation` and :mod:`.reaching`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiling import in_place, inner
from .orientation import exclude
from .reaching import Known, orient


class Lists(NamedTuple):
    """Room: a topological order, each node's number of parents, listed and not yet, and the list itself."""

    order: np.ndarray
    n_parents: np.ndarray
    parents_left: np.ndarray
    parents: np.ndarray


def new_lists(p: int) -> Lists:
    """Return room for p nodes."""
    order, n_parents, parents_left = np.zeros((3, p), np.int64)
    return Lists(order, n_parents, parents_left, np.zeros((p, p), np.int64))


@inner
def label(dag, out, lists):
    """Set ``out[i, j]`` to whether i -> j is a compelled edge of ``dag``; both of shape (p, p)."""
    p = dag.shape[0]
    order = lists.order
    n_parents = lists.n_parents
    parents_left = lists.parents_left
    parents = lists.parents
    for j in range(p):
        n_parents[j] = 0
        parents_left[j] = 0
    for i in range(p):
        for j in range(p):
            parents_left[j] += dag[i, j]
            out[i, j] = False

    # A topological order, and the parents of each node in that order: parents[y, :n_parents[y]].
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

    # The labels, node by node.
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


@in_place
def add_compelled(dags, weights, known, compelled, lists, total):
    """Add to ``total[k]`` the compelled edges of each DAG m times its weight, ``weights[k, m]``."""
    p = dags.shape[1]
    for m in range(dags.shape[0]):
        label(dags[m], compelled, lists)
        orient(known, dags[m], compelled, lists)
        for k in range(weights.shape[0]):
            if weights[k, m] != 0.0:
                for i in range(p):
                    for j in range(p):
                        total[k, i, j] += weights[k, m] * compelled[i, j]


def compelled_weighted_sum(
    dags: NDArray[np.bool_], weights: NDArray[np.float64], known: Known | None = None
) -> NDArray[np.float64]:
    """Return the sum over m of ``weights[..., m]`` times the compelled edges of ``dags[m]``.

    ``dags`` has shape (m, p, p), ``weights`` (m,) or (k, m), the result (p, p) or (k, p, p). With weights that sum to
    one this is the posterior probability that each edge is there and compelled. All DAGs must agree with what
    is known.
    """
    p = dags.shape[1]
    rows = np.atleast_2d(weights)
    total = np.zeros((len(rows), p, p))
    known = exclude() if known is None else known
    add_compelled(dags, rows, known, np.empty((p, p), bool), new_lists(p), total)
    return total.reshape(*weights.shape[:-1], p, p)


def label_compelled(dag: NDArray[np.bool_], known: Known | None = None) -> NDArray[np.bool_]:
    """Return whether i -> j is a compelled edge of ``dag``, shape (p, p)."""
    return compelled_weighted_sum(np.ascontiguousarray(dag, bool)[None], np.ones(1), known) > 0

"""Slow, obvious twins of the features of DAGs: each looks at one DAG and follows the definition."""

from itertools import combinations

import numpy as np


def paths(dag):
    """Entry (i, j): a walk along the arrows from i comes to j."""
    p = len(dag)
    children = [np.flatnonzero(row).tolist() for row in np.asarray(dag)]
    found = np.zeros((p, p), dtype=bool)
    for start in range(p):
        to_visit = [start]
        while to_visit:
            for child in children[to_visit.pop()]:
                if not found[start, child]:
                    found[start, child] = True
                    to_visit.append(child)
    return found


def blankets(dag):
    """Entry (i, j): j is a parent, a child, or another parent of a child, of i."""
    p = len(dag)
    found = np.zeros((p, p), dtype=bool)
    for node in range(p):
        parents = {other for other in range(p) if dag[other, node]}
        children = {other for other in range(p) if dag[node, other]}
        co_parents = {other for child in children for other in range(p) if dag[other, child]}
        for member in (parents | children | co_parents) - {node}:
            found[node, member] = True
    return found


def v_structures(dag):
    """All (a, c, b), a < b, with a -> c <- b and a, b not joined."""
    found = []
    for a, b in combinations(range(len(dag)), 2):
        for c in range(len(dag)):
            if dag[a, c] and dag[b, c] and not (dag[a, b] or dag[b, a]):
                found.append((a, c, b))
    return found


def number_of_edges(dag):
    return sum(bool(entry) for row in dag for entry in row)


def degree(dag, node, direction):
    """The number of parents ("in") or children ("out") of a node."""
    others = range(len(dag))
    return sum(bool(dag[other, node] if direction == "in" else dag[node, other]) for other in others)


def weighted_sum(feature, dags, weights):
    """Add up the matrices that a feature gives, times the weights."""
    total = np.zeros(dags.shape[1:])
    for dag, weight in zip(dags, weights, strict=True):
        total += weight * feature(dag)
    return total

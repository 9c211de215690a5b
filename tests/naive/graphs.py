"""Slow, obvious twins of edgewise.graphs, and enumerations of small graphs."""

from itertools import combinations, product

import numpy as np


def all_dags(p):
    """Every DAG on p labelled nodes, (m, p, p) bool; m = 1, 3, 25, 543, 29281 for p = 1 ... 5."""
    pairs = list(combinations(range(p), 2))
    choices = np.array(list(product((0, 1, 2), repeat=len(pairs))))
    graphs = np.zeros((len(choices), p, p), dtype=bool)
    for k, (i, j) in enumerate(pairs):
        graphs[:, i, j] = choices[:, k] == 1
        graphs[:, j, i] = choices[:, k] == 2
    return graphs[are_acyclic(graphs)]


def are_acyclic(graphs):
    """A graph is acyclic when it has no walk of p steps; for a stack of graphs (m, p, p)."""
    edges = graphs.astype(np.int64)
    walks = edges
    for _ in range(graphs.shape[1] - 1):
        walks = ((walks @ edges) > 0).astype(np.int64)
    return ~walks.any(axis=(1, 2))


def random_dag(p, rng, density=0.5):
    """Each pair i < j of a random order is joined with probability `density`."""
    order = rng.permutation(p)
    dag = np.zeros((p, p), dtype=bool)
    for i, j in combinations(range(p), 2):
        dag[order[i], order[j]] = rng.random() < density
    return dag


def is_in_order(dag, order):
    """Whether an order has each node once, and no edge that points backward."""
    p = len(dag)
    return sorted(order) == list(range(p)) and not any(
        dag[order[later], order[earlier]] for later in range(p) for earlier in range(later)
    )


def relabel(matrix, new_names):
    """Node i becomes node new_names[i]."""
    relabelled = np.zeros_like(matrix)
    for i, j in product(range(len(matrix)), repeat=2):
        relabelled[new_names[i], new_names[j]] = matrix[i, j]
    return relabelled


def v_structures(dag):
    """All (a, c, b), a < b, with a -> c <- b and a, b not adjacent."""
    p = len(dag)
    return frozenset(
        (a, c, b)
        for a, b in combinations(range(p), 2)
        for c in range(p)
        if dag[a, c] and dag[b, c] and not dag[a, b] and not dag[b, a]
    )


def equivalence_class(dag):
    """Every DAG with the skeleton and the v-structures of `dag`, by trying all directions of its edges."""
    edges = np.argwhere(dag)
    turned = np.array(list(product((False, True), repeat=len(edges))))
    graphs = np.zeros((len(turned), *dag.shape), dtype=bool)
    for k, (i, j) in enumerate(edges):
        graphs[~turned[:, k], i, j] = True
        graphs[turned[:, k], j, i] = True
    wanted = v_structures(dag)
    return np.array([graph for graph in graphs[are_acyclic(graphs)] if v_structures(graph) == wanted])


def skeletons_where_set(dag, targets):
    """Who is joined to whom where the variables of each set of targets are set, and their parents have no say.

    Hauser and Buehlmann (2012), Theorem 10: interventions on these sets tell Markov equivalent DAGs apart exactly where
    these graphs differ.
    """
    skeletons = []
    for together in targets:
        mutilated = dag.copy()
        mutilated[:, list(together)] = False
        skeletons.append((mutilated | mutilated.T).tobytes())
    return tuple(skeletons)


def compelled_edges(dag):
    return equivalence_class(dag).all(axis=0)


def cpdag(dag):
    return equivalence_class(dag).any(axis=0)


def ancestors(dag):
    """Paths of at most 1, 2, 4, 8, ... steps by repeated squaring, until no path can be longer."""
    reaches = dag.astype(float)
    for _ in range(len(dag).bit_length()):
        reaches = ((reaches + reaches @ reaches) > 0).astype(float)
    return reaches.astype(bool)


def is_d_separated(dag, x, y, given):
    """Lauritzen: x and y are apart in the moral graph of the ancestral set once `given` is taken out."""
    asked = {*x, *y, *given}
    reaches = ancestors(dag)
    kept = [v for v in range(len(dag)) if v in asked or any(reaches[v, w] for w in asked)]
    joined = {(v, w) for v in kept for w in kept if dag[v, w]}
    for child in kept:
        joined |= set(combinations([v for v in kept if dag[v, child]], 2))
    found, new = set(), set(x)
    while new:
        found |= new
        neighbours = {w for v, w in joined if v in new} | {v for v, w in joined if w in new}
        new = neighbours - found - set(given)
    return found.isdisjoint(y)


def structural_hamming_distance(a, b):
    distance = 0
    for i in range(len(a)):
        for j in range(i):
            if (a[i, j], a[j, i]) != (b[i, j], b[j, i]):
                distance += 1
    return distance

"""Compelled edges where something is known, or variables were set by an experimenter, by Meek's rules.

C. Meek (1995), "Causal inference and causal explanation with background knowledge", UAI.
A. Hauser and P. Buehlmann (2012), "Characterization and greedy learning of interventional Markov equivalence classes of
directed acyclic graphs", JMLR 13.

Of the DAGs that are Markov equivalent to a given one, knowledge rules some out: no DAG has a certain edge, or a path
from one variable to another. An edge is compelled *given the knowledge* when all that are left have it in the same
direction. The given DAG is one of them, so that whatever is compelled points as it does there, and only labels are to
be added. An edge x -> y of the DAG is compelled

0. if y -> x is excluded; or if it would make, one edge after the other, a path from y that is excluded; or if, in some
   rows, one of x and y was set and the other was not;
1. if w -> x is compelled and w is not joined to y: y -> x would make a v-structure at x;
2. if x -> w -> y are compelled: y -> x would close a cycle;
3. (Meek's third rule starts from a v-structure at y, with which all is known before there is any knowledge;)
4. if z -> w -> y are compelled, and z is joined to x but not to y: with y -> x, a cycle could be avoided only by
   z -> x, a v-structure.

Meek shows that these rules find all that follows from directions of single edges. Paths come down to these: a path that
some equivalent DAG has, it also has without a shortcut. Then of three variables in a row the first is not joined to the
last, and by rule 1 each edge of the path follows from the one before. So the whole path follows from its first edge,
which rule 0 turns.

The last part of rule 0 is about perfect interventions: where a variable is set, its parents have no say. Setting y
alone takes the edge x -> y away, and leaves y -> x, so that the two are told apart; where both are set, either is taken
away. Hauser and Buehlmann's Theorem 10: if every variable is free in some rows, two Markov equivalent DAGs imply the
same distributions in all rows exactly when all edges that are *told* so have the same direction in both. Again these
are directions of single edges.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiling import inner


class Excluded(NamedTuple):
    """What is known not to be: the edge i -> j, ``edge[i, j]``, and a path from i to j, ``path[i, j]``.

    ``told[i, j]``, symmetric, is whether interventions tell the direction of an edge between i and j: if a DAG has such
    an edge, its reverse is not to be. Where nothing is known the arrays are empty. The rest is room: the edges of a
    walk, and whether each is among them.
    """

    edge: np.ndarray
    path: np.ndarray
    told: np.ndarray
    walk: np.ndarray
    is_walked: np.ndarray


def exclude(
    edge: NDArray[np.bool_] | None = None,
    path: NDArray[np.bool_] | None = None,
    told: NDArray[np.bool_] | None = None,
) -> Excluded:
    """Return what is excluded, all of shape (p, p), or nothing.

    ``edge`` and ``path`` are given together; an edge is also excluded wherever a path is. ``told`` is symmetric.
    """
    nothing = np.zeros((0, 0), bool)
    if told is not None and not told.any():
        told = None
    edge, path, told = (nothing if array is None else np.ascontiguousarray(array, bool) for array in (edge, path, told))
    return Excluded(edge, path, told, np.zeros((edge.size, 2), np.int64), np.zeros_like(edge))


@inner
def orient_alone(excluded, dag, out, lists):
    """Do as ``orient`` of :mod:`.reaching`, where no paths are required."""
    is_known = excluded.edge.shape[0] > 0
    has_targets = excluded.told.shape[0] > 0
    if not (is_known or has_targets):
        return
    for y in range(dag.shape[0]):
        for k in range(lists.n_parents[y]):
            x = lists.parents[y, k]
            if not out[x, y]:
                out[x, y] = has_targets and excluded.told[x, y]
            if not out[x, y] and is_known:
                out[x, y] = excluded.edge[y, x] or leads_to(excluded, dag, out, y, x, excluded.path, y)
    apply_rules(dag, out, lists)


@inner
def apply_rules(dag, out, lists):
    """Add what follows from compelled edges, until nothing does."""
    order = lists.order
    n_parents = lists.n_parents
    parents = lists.parents
    is_changed = True
    while is_changed:
        is_changed = False
        for position in range(dag.shape[0]):
            y = order[position]
            for k in range(n_parents[y]):
                x = parents[y, k]
                if not out[x, y] and follows(dag, out, lists, x, y):
                    out[x, y] = True
                    is_changed = True


@inner
def leads_to(excluded, dag, out, y, x, goal, row):
    """Return whether y -> x would make, edge by edge, a path from y to a variable in a row of ``goal`` (rule 0)."""
    walk = excluded.walk
    is_walked = excluded.is_walked
    walk[0, 0] = y
    walk[0, 1] = x
    is_walked[y, x] = True
    steps = 1
    is_there = goal[row, x]
    step = 0
    while step < steps and not is_there:
        a = walk[step, 0]
        b = walk[step, 1]
        step += 1
        for c in range(dag.shape[0]):
            is_onward = dag[b, c] or (dag[c, b] and not out[c, b])
            if is_onward and c != a and not dag[a, c] and not dag[c, a] and not is_walked[b, c]:
                is_there = is_there or goal[row, c]
                walk[steps, 0] = b
                walk[steps, 1] = c
                is_walked[b, c] = True
                steps += 1
    for k in range(steps):
        is_walked[walk[k, 0], walk[k, 1]] = False
    return is_there


@inner
def follows(dag, out, lists, x, y):
    """Return whether the edge x -> y is compelled because of other compelled edges (rules 1, 2, 4)."""
    n_parents = lists.n_parents
    parents = lists.parents
    for k in range(n_parents[x]):
        w = parents[x, k]
        if out[w, x] and not dag[w, y]:
            return True
    for k in range(n_parents[y]):
        w = parents[y, k]
        if not out[w, y]:
            continue
        if out[x, w]:
            return True
        for m in range(n_parents[w]):
            z = parents[w, m]
            if out[z, w] and not dag[z, y] and (dag[z, x] or dag[x, z]):
                return True
    return False

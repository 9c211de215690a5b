"""Compelled edges where paths are required, by building members of the equivalence class.

D. Dor and M. Tarsi (1992), "A simple algorithm to construct a consistent extension of a partially oriented graph",
Technical Report R-185, UCLA.
Z. Fang, R. Zhao, Y. Liu and Y. He (2025), "On the representation of pairwise causal background knowledge and its
applications in causal inference", JMLR 26.

All else that is known comes down to directions of single edges (:mod:`.orientation`). A required path from a to c does
not: it says that one of several edges at a points away from it. For a DAG of the class that has such a path has it
without a shortcut, and then, by Meek's first rule, the whole path follows from its first edge. So let the *ways* from a
to c be the variables x joined to a for which a -> x would make, edge by edge, a path from a to c: a DAG has the path
exactly if it has a -> x for one of the ways.

Whether there is a DAG with y -> x, what is compelled so far, and all required paths, is found by taking away one
variable after the other, each of which no edge leaves any more. A variable v can go

1. if no compelled edge leads from v to what is left, and y only after x;
2. if whoever is joined to v, but not by a compelled edge, is joined to all others that are joined to v, as otherwise
   there would be a v-structure at v;
3. if of every path that starts at v some way is gone, to which v then has an edge.

The reverse of a topological order of such a DAG is one in which all can go. And who can go still can after others have
gone, so that any order comes to the same end: if some are left of whom none can go, there is no such DAG, and x -> y is
compelled. One that is found shows of many edges that they can be turned.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compiling import by_type, inner
from .orientation import Excluded, apply_rules, leads_to, orient_alone


class Required(NamedTuple):
    """What is known not to be, as in :class:`Excluded`, and required paths.

    Path k leads from ``source[k]`` to the one variable that ``goal[k]`` marks. The rest is room: ``way[k]`` marks the
    ways of path k; ``neighbour[v]`` begins with the ``number[v]`` variables to which v is joined; ``gone[v]`` is the
    place of v among those that are gone, -1 if it is left; ``is_turned[x, y]`` is whether some DAG has y -> x.
    """

    edge: np.ndarray
    path: np.ndarray
    told: np.ndarray
    walk: np.ndarray
    is_walked: np.ndarray
    source: np.ndarray
    goal: np.ndarray
    way: np.ndarray
    neighbour: np.ndarray
    number: np.ndarray
    gone: np.ndarray
    is_turned: np.ndarray


Known = Excluded | Required
"""What tells Markov equivalent DAGs apart."""


def require(excluded: Excluded, paths: NDArray[np.bool_]) -> Known:
    """Add required paths from i to j, ``paths[i, j]``, to what is excluded; where there are none, return that."""
    source, target = np.nonzero(paths)
    if not len(source):
        return excluded
    goal = np.zeros((len(source), len(paths)), bool)
    goal[np.arange(len(source)), target] = True
    number, gone = np.zeros((2, len(paths)), np.int64)
    return Required(
        *excluded,
        source=source,
        goal=goal,
        way=np.zeros_like(goal),
        neighbour=np.zeros(paths.shape, np.int64),
        number=number,
        gone=gone,
        is_turned=np.zeros_like(paths),
    )


@inner
def orient_to_reach(required, dag, out, lists):
    """Do as ``orient``, where paths are required."""
    orient_alone(required, dag, out, lists)
    p = dag.shape[0]
    is_turned = required.is_turned
    if not find_ways(required, dag, out):
        return
    for v in range(p):
        required.number[v] = 0
        for w in range(p):
            is_turned[v, w] = False
            if dag[v, w] or dag[w, v]:
                required.neighbour[v, required.number[v]] = w
                required.number[v] += 1
    for y in range(p):
        for k in range(lists.n_parents[y]):
            x = lists.parents[y, k]
            if not (out[x, y] or is_turned[x, y] or can_turn(required, dag, out, lists, x, y)):
                out[x, y] = True
                apply_rules(dag, out, lists)


@inner
def find_ways(required, dag, out):
    """Find the ways of all paths, given the edges that are compelled so far; return whether any path is not."""
    way = required.way
    is_any_open = False
    for k in range(way.shape[0]):
        a = required.source[k]
        is_compelled = False
        for x in range(way.shape[1]):
            is_onward = dag[a, x] or (dag[x, a] and not out[x, a])
            way[k, x] = is_onward and leads_to(required, dag, out, a, x, required.goal, k)
            is_compelled = is_compelled or (way[k, x] and out[a, x])
        is_any_open = is_any_open or not is_compelled
    return is_any_open


@inner
def can_turn(required, dag, out, lists, x, y):
    """Return whether a DAG has y -> x and all required paths; if so, mark the edges of ``dag`` that it has turned."""
    p = dag.shape[0]
    gone = required.gone
    for v in range(p):
        gone[v] = -1
    number = 0
    before = -1
    while number > before:
        before = number
        # Causes of the given DAG go first, where they can, so that the one that is found differs from it in many edges.
        for position in range(p):
            v = lists.order[position]
            if gone[v] < 0 and (v != y or gone[x] >= 0) and can_go(required, dag, out, v):
                gone[v] = number
                number += 1
    if number < p:
        return False
    for v in range(p):
        for k in range(lists.n_parents[v]):
            w = lists.parents[v, k]
            if gone[w] < gone[v]:
                required.is_turned[w, v] = True
    return True


@inner
def can_go(required, dag, out, v):
    """Return whether v can be the last of those that are left."""
    gone = required.gone
    neighbour = required.neighbour
    for h in range(required.number[v]):
        w = neighbour[v, h]
        if gone[w] >= 0:
            continue
        if out[v, w]:
            return False
        if out[w, v]:
            continue
        for i in range(required.number[v]):
            u = neighbour[v, i]
            if gone[u] < 0 and u != w and not dag[u, w] and not dag[w, u]:
                return False
    for k in range(required.source.shape[0]):
        if required.source[k] == v:
            has_path = False
            for x in range(gone.shape[0]):
                has_path = has_path or (required.way[k, x] and gone[x] >= 0)
            if not has_path:
                return False
    return True


class _Kind(NamedTuple):
    """The function behind a kind of knowledge."""

    orient: Callable[..., Any]


@by_type({Excluded: _Kind(orient_alone), Required: _Kind(orient_to_reach)})
def orient(known, dag, out, lists):
    """Add to ``out``, the compelled edges that ``label`` found with ``lists``, those that follow from what is known.

    ``dag`` must agree with it.
    """

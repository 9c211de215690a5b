"""d-separation: reading conditional independences off a DAG.

A path between two nodes carries information unless it is blocked. Given a set S of observed nodes, it is
blocked by

- a node of S in the middle of a chain a -> s -> b or a fork a <- s -> b: once s is known, a says nothing new
  of b;
- a collider a -> c <- b where neither c nor any descendant of c is in S: two causes of an unseen effect are
  unrelated, but knowing the effect relates them.

X and Y are *d-separated* by S when every path between them is blocked, and are then independent given S in
every distribution that the DAG describes. The search itself is networkx's.

>>> import numpy as np
>>> chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
>>> is_d_separated(chain, 0, 2), is_d_separated(chain, 0, 2, given=1)
(False, True)
>>> collider = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]])
>>> is_d_separated(collider, 0, 2), is_d_separated(collider, 0, 2, given=1)
(True, False)
"""

from collections.abc import Hashable, Iterable
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from edgewise.errors import GraphError
from edgewise.graphs.adjacency import Graph, list_names
from edgewise.graphs.dag import to_networkx

if TYPE_CHECKING:
    import networkx as nx

NodeOrNodes: TypeAlias = Hashable | Iterable[Hashable]


def is_d_separated(dag: Graph, x: NodeOrNodes, y: NodeOrNodes, given: NodeOrNodes = ()) -> bool:
    """Return whether `x` and `y` are d-separated by `given` in a DAG.

    Parameters
    ----------
    dag
        A DAG in any form that :func:`~edgewise.graphs.dag.as_dag` takes.
    x, y, given
        One node or several: names for a DataFrame or a networkx graph, numbers for an array. No node may be
        in two of them, and only `given` may be empty.

    Returns
    -------
    bool
        True when every path between a node of `x` and a node of `y` is blocked by `given`.

    Examples
    --------
    >>> import networkx as nx
    >>> dag = nx.DiGraph([("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")])
    >>> is_d_separated(dag, "rain", "sprinkler")
    True
    >>> is_d_separated(dag, "rain", "sprinkler", given="slippery")
    False
    >>> is_d_separated(dag, ["rain", "sprinkler"], "slippery", given=["wet"])
    True
    """
    graph = to_networkx(dag)
    sets = {"x": _as_set(graph, x, "x"), "y": _as_set(graph, y, "y"), "given": _as_set(graph, given, "given")}
    for name in ("x", "y"):
        if not sets[name]:
            raise GraphError(f"`{name}` names no node; d-separation is asked of at least one node on each side.")
    for first, second in combinations(sets, 2):
        shared = [node for node in graph if node in sets[first] & sets[second]]
        if shared:
            raise GraphError(
                f"{list_names(shared)} is both in `{first}` and in `{second}`; d-separation is asked of sets "
                "without common nodes."
            )
    import networkx as nx

    return bool(nx.is_d_separator(graph, sets["x"], sets["y"], sets["given"]))


def _as_set(graph: "nx.DiGraph[Any]", nodes: NodeOrNodes, argument: str) -> set[Hashable]:
    # Asked first, because a name may itself be iterable: a string, or a tuple such as ("TP53", "day 2").
    if nodes in graph:
        return {cast(Hashable, nodes)}
    several = [nodes] if isinstance(nodes, str) or not isinstance(nodes, Iterable) else list(nodes)
    unknown = [node for node in several if node not in graph]
    if unknown:
        raise GraphError(
            f"`{argument}` names {list_names(unknown)}, which is not in the graph; its nodes are "
            f"{list_names(graph.nodes)}."
        )
    return set(several)

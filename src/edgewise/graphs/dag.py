"""Directed acyclic graphs (DAGs) and the one convention for them.

**A DAG on p nodes is a (p, p) boolean array;** ``dag[i, j]`` **is true when there is an edge i -> j.**

So row i holds the children of node i and column j the parents of node j. The same holds for every other
matrix in Edgewise that speaks of edges or paths: rows are sources, columns are targets. People may pass
DataFrames and networkx graphs as well; :func:`as_dag` turns all of them into the array.

A directed graph is acyclic exactly when its nodes can be put in an order in which every edge points forward.
Such a *topological order* is built by taking, again and again, a node whose parents have all been taken;
where there is a cycle, none of its nodes is ever free and the order ends early. It also makes paths cheap:
going through the order from its end, the descendants of a node are its children and their descendants,
already known.

>>> import networkx as nx
>>> dag = as_dag(nx.DiGraph([("smoking", "tar"), ("tar", "cancer")]))
>>> dag.astype(int)
array([[0, 1, 0],
       [0, 0, 1],
       [0, 0, 0]])
>>> ancestors(dag).astype(int)
array([[0, 1, 1],
       [0, 0, 1],
       [0, 0, 0]])
"""

from collections.abc import Hashable, Iterable
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from edgewise.errors import GraphError
from edgewise.graphs.adjacency import Adjacency, BoolMatrix, Graph, label_like, read_adjacency, read_entries

if TYPE_CHECKING:
    import networkx as nx


def as_dag(graph: Graph, nodes: Iterable[Hashable] | None = None) -> BoolMatrix:
    """Return a graph as the boolean array of a DAG, after checking that it is one.

    Parameters
    ----------
    graph
        A square array or DataFrame of 0 and 1 whose rows are sources, or a networkx DiGraph (edge weights are
        ignored).
    nodes
        The order of nodes wanted. DataFrames and networkx graphs are reordered to it by name; for an array
        these are the names of its rows. Without it the graph keeps its own order.

    Returns
    -------
    array of bool, shape (p, p)
        A fresh array in C order; entry (i, j) is true when there is an edge i -> j.

    Raises
    ------
    GraphError
        When the graph is not square, has entries other than 0 and 1, a self loop or a cycle, or not exactly
        the given nodes.

    Examples
    --------
    >>> import pandas as pd
    >>> graph = pd.DataFrame([[0, 1], [0, 0]], index=["A", "B"], columns=["A", "B"])
    >>> as_dag(graph)
    array([[False,  True],
           [False, False]])
    >>> as_dag(graph, nodes=["B", "A"])
    array([[False, False],
           [ True, False]])
    >>> as_dag(graph + graph.T)
    Traceback (most recent call last):
    edgewise.errors.GraphError: The graph has a cycle, A -> B -> A; remove or turn one of its edges.
    """
    adjacency = read_adjacency(graph, nodes)
    _check_acyclic(adjacency)
    return adjacency.matrix


def is_acyclic(matrix: NDArray[Any] | pd.DataFrame) -> bool:
    """Return whether a square array or DataFrame has no directed cycle.

    Every entry other than 0 is an edge, so that weights can be asked about too; a self loop is a cycle.

    Examples
    --------
    >>> import numpy as np
    >>> is_acyclic(np.array([[0, 1], [0, 0]]))
    True
    >>> is_acyclic(np.array([[0, 1], [1, 0]]))
    False
    """
    values, _ = read_entries(matrix)
    return len(_take_free_nodes(values.astype(np.bool_))) == len(values)


def topological_order(dag: Graph) -> NDArray[np.intp]:
    """Return the node numbers of a DAG in an order in which every parent precedes its children.

    Of all such orders it is the one that takes the lowest possible number at each position. Costs O(p^2).

    Examples
    --------
    >>> import numpy as np
    >>> topological_order(np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0]]))
    array([1, 0, 2])
    """
    return _take_free_nodes(as_dag(dag))


@overload
def ancestors(dag: pd.DataFrame) -> pd.DataFrame: ...
@overload
def ancestors(dag: "NDArray[Any] | nx.DiGraph[Any]") -> BoolMatrix: ...
def ancestors(dag: Graph) -> BoolMatrix | pd.DataFrame:
    """Return which nodes are ancestors of which: the transitive closure of a DAG.

    Parameters
    ----------
    dag
        A DAG on p nodes in any form that :func:`as_dag` takes.

    Returns
    -------
    array or DataFrame of bool, shape (p, p)
        Entry (i, j) is true when there is a directed path i -> ... -> j. No node is its own ancestor. A
        DataFrame where `dag` is one. Costs O(p) for each edge.

    Examples
    --------
    >>> import numpy as np
    >>> ancestors(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])).astype(int)
    array([[0, 1, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """
    reaches = as_dag(dag)
    # Until its turn a row holds the children of its node, after it all descendants.
    for node in reversed(_take_free_nodes(reaches)):
        reaches[node] |= reaches[reaches[node]].any(axis=0)
    return label_like(reaches, dag)


def to_networkx(dag: Graph, nodes: Iterable[Hashable] | None = None) -> "nx.DiGraph[Any]":
    """Return a DAG as a networkx DiGraph, for drawing and for networkx's algorithms.

    Parameters
    ----------
    dag
        A DAG on p nodes in any form that :func:`as_dag` takes.
    nodes
        The names of the nodes of an array (0, 1, ... without it), or the order wanted of a graph that has
        names.

    Returns
    -------
    networkx.DiGraph
        Its nodes are in the order of the matrix, so that ``as_dag`` gives the same matrix back.

    Examples
    --------
    >>> import numpy as np
    >>> graph = to_networkx(np.array([[0, 0], [1, 0]]), nodes=["wet", "rain"])
    >>> list(graph.nodes), list(graph.edges)
    (['wet', 'rain'], [('rain', 'wet')])
    """
    import networkx as nx

    adjacency = read_adjacency(dag, nodes)
    _check_acyclic(adjacency)
    graph: nx.DiGraph[Any] = nx.DiGraph()
    graph.add_nodes_from(adjacency.nodes)
    graph.add_edges_from((adjacency.nodes[i], adjacency.nodes[j]) for i, j in np.argwhere(adjacency.matrix).tolist())
    return graph


def _take_free_nodes(matrix: BoolMatrix) -> NDArray[np.intp]:
    """Take nodes whose parents have all been taken, lowest number first, until none is free."""
    parents_left = matrix.sum(axis=0).tolist()
    children: list[list[int]] = [[] for _ in parents_left]
    for parent, child in np.argwhere(matrix).tolist():
        children[parent].append(child)
    free = [node for node, left in enumerate(parents_left) if left == 0]
    order: list[int] = []
    while free:
        node = heappop(free)
        order.append(node)
        for child in children[node]:
            parents_left[child] -= 1
            if parents_left[child] == 0:
                heappush(free, child)
    return np.array(order, dtype=np.intp)


def _check_acyclic(adjacency: Adjacency) -> None:
    if is_acyclic(adjacency.matrix):
        return
    import networkx as nx

    graph = nx.from_numpy_array(adjacency.matrix, create_using=nx.DiGraph)
    cycle = [adjacency.nodes[source] for source, _ in nx.find_cycle(graph)]
    path = " -> ".join(str(node) for node in [*cycle, cycle[0]])
    raise GraphError(f"The graph has a cycle, {path}; remove or turn one of its edges.")


def ancestors_of_many(dags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which node has a directed path to which in each of a stack of DAGs, shape (m, p, p).

    Paths of at most 1, 2, 4, ... steps by repeated squaring, for all DAGs at once.

    Examples
    --------
    >>> dags = np.array([[[0, 1, 0], [0, 0, 1], [0, 0, 0]], [[0, 0, 1], [0, 0, 0], [0, 0, 0]]], dtype=bool)
    >>> ancestors_of_many(dags)[:, 0].astype(int)
    array([[0, 1, 1],
           [0, 0, 1]])
    """
    reach = dags
    for _ in range(dags.shape[1].bit_length()):
        walks = reach.astype(np.float32)
        reach = reach | (walks @ walks > 0)
    return reach

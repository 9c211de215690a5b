"""Reading graphs as people hold them: NumPy arrays, labelled DataFrames, graphs of networkx, pgmpy and causal-learn.

Everything behind this module works on one thing, a square boolean matrix. This is the border where the other
forms are turned into it, and where each of them is checked once: the matrix is square, holds only 0 and 1,
has no self loops, and the names on its rows and columns agree. Whether the graph is acyclic is not asked
here, because the CPDAGs that :mod:`~edgewise.graphs.distance` compares are not.

An array has no names, so its nodes are called by their numbers 0, 1, 2, ...
"""

import sys
from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeGuard, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from edgewise.errors import GraphError

if TYPE_CHECKING:
    import networkx as nx

BoolMatrix: TypeAlias = NDArray[np.bool_]
Graph: TypeAlias = "NDArray[Any] | pd.DataFrame | nx.DiGraph[Any]"

# Names listed in an error message before it says "and 7 more": a sentence, not a printout of 200 genes.
MAX_NAMES_LISTED = 8


class Adjacency(NamedTuple):
    """A checked boolean matrix and the names of its rows (and columns)."""

    matrix: BoolMatrix
    nodes: list[Hashable]

    def reordered(self, nodes: Iterable[Hashable]) -> "Adjacency":
        """Return the same graph with its nodes in another order."""
        wanted = list(nodes)
        _check_distinct(wanted)
        position = {node: i for i, node in enumerate(self.nodes)}
        missing = [node for node in wanted if node not in position]
        if missing:
            raise GraphError(
                f"The graph has no node called {list_names(missing)}; its nodes are {list_names(self.nodes)}."
            )
        if len(wanted) < len(self.nodes):
            unknown = [node for node in self.nodes if node not in set(wanted)]
            raise GraphError(
                f"The graph has a node called {list_names(unknown)}, which is not among the expected nodes "
                f"{list_names(wanted)}; remove it or expect it."
            )
        index = [position[node] for node in wanted]
        return Adjacency(self.matrix[np.ix_(index, index)], wanted)


def read_adjacency(graph: Graph, nodes: Iterable[Hashable] | None = None) -> Adjacency:
    """Return any graph as a checked boolean matrix with node names.

    Parameters
    ----------
    graph
        A square array or DataFrame of 0 and 1, a directed networkx graph, as pgmpy's are, or a graph of
        causal-learn without hidden causes. A DataFrame whose rows are not named (numbered 0, 1, ...) takes the
        names of its columns; otherwise rows and columns must have the same names, in any order.
    nodes
        The order wanted. Graphs with names are reordered to it; for an array these are the names of its rows.

    Returns
    -------
    Adjacency
        A fresh matrix, never a view of the input, in the order of `nodes` or else in the graph's own order.

    Examples
    --------
    >>> import networkx as nx
    >>> matrix, names = read_adjacency(nx.DiGraph([("rain", "wet")]), nodes=["wet", "rain"])
    >>> names
    ['wet', 'rain']
    >>> matrix
    array([[False, False],
           [ True, False]])
    """
    wanted = None if nodes is None else list(nodes)
    values, names = read_entries(graph, wanted)
    adjacency = Adjacency(_check_entries(values, names), names)
    return adjacency if wanted is None else adjacency.reordered(wanted)


def read_entries(graph: Graph, nodes: list[Hashable] | None = None) -> tuple[NDArray[Any], list[Hashable]]:
    """Return the square matrix of any graph, whatever its entries are, and the names of its rows and columns.

    Parameters
    ----------
    graph
        As in :func:`read_adjacency`.
    nodes
        The names of the rows of an array; 0, 1, ... without it.
    """
    if isinstance(graph, pd.DataFrame):
        return _read_frame(graph)
    if _is_networkx(graph):
        return _read_networkx(graph)
    marked = getattr(graph, "G", graph)  # what its searches return has the graph inside
    if callable(getattr(marked, "get_node_names", None)):
        return _read_causal_learn(marked)
    return _read_array(graph, nodes)


def align(a: Graph, b: Graph) -> tuple[Adjacency, Adjacency]:
    """Return two graphs on the same nodes, the second in the order of the first.

    Graphs with the same names are matched by name. An array has no names of its own, so against a graph with
    names it is matched by position.

    Examples
    --------
    >>> import pandas as pd
    >>> a = pd.DataFrame([[0, 1], [0, 0]], index=["A", "B"], columns=["A", "B"])
    >>> first, second = align(a, a.loc[["B", "A"], ["B", "A"]])
    >>> bool((first.matrix == second.matrix).all())
    True
    """
    first, second = read_adjacency(a), read_adjacency(b)
    if len(first.nodes) != len(second.nodes):
        raise GraphError(
            f"The first graph has {len(first.nodes)} nodes and the second has {len(second.nodes)}; "
            "graphs can be compared only when they are on the same nodes."
        )
    if set(first.nodes) != set(second.nodes) and not (_has_names(a) and _has_names(b)):
        return first, Adjacency(second.matrix, first.nodes)
    return first, second.reordered(first.nodes)


@overload
def label_like(matrix: NDArray[Any], graph: pd.DataFrame) -> pd.DataFrame: ...
@overload
def label_like(matrix: NDArray[Any], graph: "NDArray[Any] | nx.DiGraph[Any]") -> NDArray[Any]: ...
def label_like(matrix: NDArray[Any], graph: Graph) -> NDArray[Any] | pd.DataFrame:
    """Give a result the labels of the graph it was computed from: labelled in, labelled out.

    Parameters
    ----------
    matrix
        Shape (p, p), in the node order of ``read_adjacency(graph)``.
    graph
        What the user passed.

    Returns
    -------
    DataFrame or array
        A DataFrame where `graph` is one, else `matrix` as it is.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> label_like(np.eye(2), pd.DataFrame([[0, 1], [0, 0]], columns=["A", "B"]))
         A    B
    A  1.0  0.0
    B  0.0  1.0
    """
    return label(matrix, _frame_names(graph)) if isinstance(graph, pd.DataFrame) else matrix


def label(matrix: NDArray[Any], names: Iterable[Hashable]) -> pd.DataFrame:
    """Return a matrix as a DataFrame whose rows, the sources, and columns, the targets, have names.

    Examples
    --------
    >>> label(np.array([[False, True], [False, False]]), ["rain", "wet"])
           rain    wet
    rain  False   True
    wet   False  False
    """
    index = pd.Index(list(names))
    return pd.DataFrame(matrix, index=index, columns=index)


def label_unless(as_array: bool, matrix: NDArray[Any], names: Iterable[Hashable]) -> NDArray[Any] | pd.DataFrame:
    """Return a graph as people asked for it: with its names or, with ``as_array``, as it is."""
    return matrix if as_array else label(matrix, names)


def list_names(names: Collection[Hashable]) -> str:
    """Write node names out for a message, cut short when there are many.

    Examples
    --------
    >>> list_names(["TP53", "MDM2"])
    'TP53, MDM2'
    >>> list_names(range(10))
    '0, 1, 2, 3, 4, 5, 6, 7 and 2 more'
    """
    shown = ", ".join(str(name) for name in list(names)[:MAX_NAMES_LISTED])
    left_off = len(names) - MAX_NAMES_LISTED
    return f"{shown} and {left_off} more" if left_off > 0 else shown


def _has_names(graph: Graph) -> bool:
    is_labelled = isinstance(graph, pd.DataFrame) or _is_networkx(graph)
    return is_labelled or hasattr(getattr(graph, "G", graph), "get_node_names")


def _is_networkx(graph: Any) -> "TypeGuard[nx.Graph[Any]]":
    # Whoever has a graph of networkx has imported it, which takes as long as many a run.
    networkx = sys.modules.get("networkx")
    return networkx is not None and isinstance(graph, networkx.Graph)


def _read_array(graph: Any, nodes: list[Hashable] | None) -> tuple[NDArray[Any], list[Hashable]]:
    values = np.asarray(graph)
    _check_square(values.shape)
    if nodes is None:
        return values, list(range(len(values)))
    if len(nodes) != len(values):
        raise GraphError(
            f"The graph has {len(values)} rows but {len(nodes)} node names were given; give one name per row."
        )
    return values, nodes


def _read_frame(graph: pd.DataFrame) -> tuple[NDArray[Any], list[Hashable]]:
    _check_square(graph.shape)
    names = _frame_names(graph)
    if set(names) == set(graph.index):
        graph = graph.loc[:, names]
    # As objects, so that a missing value of any pandas type arrives as NaN, which _check_entries reports.
    return graph.to_numpy(dtype=object, na_value=np.nan, copy=True), names


def _frame_names(graph: pd.DataFrame) -> list[Hashable]:
    rows: list[Hashable] = list(graph.index)
    columns: list[Hashable] = list(graph.columns)
    _check_distinct(rows)
    _check_distinct(columns)
    if set(rows) == set(columns):
        return rows
    if rows == list(range(len(rows))):
        return columns
    unmatched = [name for name in rows if name not in set(columns)]
    raise GraphError(
        f"The rows and columns of the graph name different nodes: {list_names(unmatched)} is a row but not a "
        "column; name both after the same nodes."
    )


def _read_networkx(graph: "nx.Graph[Any]") -> tuple[NDArray[Any], list[Hashable]]:
    if not graph.is_directed():
        raise GraphError("The networkx graph is undirected, so its edges have no direction; pass a networkx.DiGraph.")
    names = list(graph.nodes)
    _check_square((len(names), len(names)))
    position = {name: i for i, name in enumerate(names)}
    matrix = np.zeros((len(names), len(names)), dtype=np.bool_)
    for source, target in graph.edges():
        matrix[position[source], position[target]] = True
    return matrix, names


def _read_causal_learn(graph: Any) -> tuple[NDArray[Any], list[Hashable]]:
    """Return a graph of causal-learn, whose entry (j, i) is the mark at the end of j: -1 a tail, 1 an arrowhead."""
    marks = np.asarray(graph.graph)
    names: list[Hashable] = list(graph.get_node_names())
    _check_square(marks.shape)
    strange = np.argwhere(((marks == 1) & (marks.T == 1)) | ~np.isin(marks, (-1, 0, 1)))
    if len(strange):
        i, j = strange[0]
        raise GraphError(
            f"The edge between {names[i]} and {names[j]} stands for a hidden cause, or may do so: give a graph without "
            "bidirected edges and circles."
        )
    # A tail at i: the edge leads to j or, with another tail there, has no direction.
    return marks == -1, names


def _check_square(shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise GraphError(
            f"A graph must be a square matrix with one row and one column per node, but this one has shape {shape}."
        )
    if shape[0] == 0:
        raise GraphError("The graph has no nodes; it needs at least one.")


def _check_distinct(names: list[Hashable]) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise GraphError(
            f"The node name {list_names(repeated)} occurs more than once; give each node a name of its own."
        )


def _check_entries(values: NDArray[Any], names: list[Hashable]) -> BoolMatrix:
    # In C order, whatever the input's, so that kernels are compiled for one layout only.
    is_edge: BoolMatrix = np.ascontiguousarray(values == 1, dtype=np.bool_)
    wrong = np.argwhere(~is_edge & (values != 0))
    if len(wrong):
        i, j = wrong[0]
        raise GraphError(
            f"The entry of the graph from {names[i]} to {names[j]} is {values[i, j]}, but entries must be 0 "
            "or 1 (False or True); of a matrix of edge weights pass `weights != 0`."
        )
    loops = np.flatnonzero(is_edge.diagonal())
    if len(loops):
        raise GraphError(
            f"The graph has an edge from {names[loops[0]]} to itself; no node of a DAG causes itself, so set "
            "the diagonal to 0."
        )
    return is_edge

"""Graphs of other programs: bnlearn's model strings, and the objects of pgmpy and causal-learn.

Whatever takes a graph takes those objects as they are: pgmpy's are networkx graphs, and causal-learn's are read in
:mod:`~edgewise.graphs.adjacency`. Here are the ways back, each importing its library only when it is asked for.
"""

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from edgewise.errors import GraphError
from edgewise.graphs.adjacency import Graph, label, read_adjacency
from edgewise.graphs.dag import as_dag, topological_order
from edgewise.wording import quote

if TYPE_CHECKING:
    from causallearn.graph.GeneralGraph import GeneralGraph
    from pgmpy.base import DAG

SPECIAL = "[]|:"
"""What parts a model string, and therefore cannot be in a name; there is no escape."""


def to_model_string(dag: Graph) -> str:
    """Return a DAG as the text that bnlearn writes and reads.

    Each variable stands in brackets, with its parents behind a bar, parted by colons. Those without parents come
    first, then those with parents among them, and so on, as bnlearn has it.

    Parameters
    ----------
    dag
        A DAG in any form that Edgewise takes.

    Returns
    -------
    str
        For R: ``bnlearn::model2network("...")``.

    Raises
    ------
    GraphError
        If a name has a bracket, a bar or a colon, or is empty.

    Examples
    --------
    >>> import networkx as nx
    >>> to_model_string(nx.DiGraph([("rain", "wet"), ("hose", "wet")]))
    '[rain][hose][wet|rain:hose]'
    """
    names = [str(node) for node in read_adjacency(dag).nodes]
    matrix = as_dag(dag)
    for name in names:
        if not name or any(character in name for character in SPECIAL):
            raise GraphError(
                f"A model string cannot hold the name {quote(name)}: rename it without brackets, bars and colons."
            )
    depth = np.zeros(len(names), dtype=np.intp)
    for node in topological_order(matrix):
        depth[node] = max(depth[matrix[:, node]] + 1, default=0)
    parts = []
    for node in np.argsort(depth, kind="stable").tolist():
        parents = ":".join(names[parent] for parent in np.flatnonzero(matrix[:, node]))
        parts.append(f"[{names[node]}|{parents}]" if parents else f"[{names[node]}]")
    return "".join(parts)


def from_model_string(text: str) -> pd.DataFrame:
    """Return the DAG that a text of bnlearn stands for.

    Parameters
    ----------
    text
        Such as ``"[A][B|A][C|A:B]"``.

    Returns
    -------
    DataFrame of bool
        Rows are sources and columns targets, in the order in which the text has them.

    Raises
    ------
    GraphError
        If the text has another form, names a parent that has no brackets of its own, or has a cycle.

    Examples
    --------
    >>> from_model_string("[A][B|A]")
           A      B
    A  False   True
    B  False  False
    """
    if not isinstance(text, str) or not re.fullmatch(r"\s*(\[[^\[\]|:]+(\|[^\[\]|:]+(:[^\[\]|:]+)*)?\]\s*)+", text):
        raise GraphError(f"A model string must be like '[A][B|A][C|A:B]', but {quote(text)} was given.")
    families = [part.partition("|") for part in re.findall(r"\[([^\]]*)\]", text)]
    names = [name for name, _, _ in families]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise GraphError(
            f"The model string has {quote(twice)} more than once: give each variable one pair of brackets."
        )
    position = {name: number for number, name in enumerate(names)}
    matrix = np.zeros((len(names), len(names)), dtype=np.bool_)
    for name, bar, parents in families:
        for parent in parents.split(":") if bar else ():
            if parent not in position:
                raise GraphError(
                    f"The model string has {quote(parent)} as a parent of {quote(name)}, but no brackets for it: add "
                    f"{quote(f'[{parent}]')}."
                )
            matrix[position[parent], position[name]] = True
    dag = label(matrix, names)
    as_dag(dag)
    return dag


def to_pgmpy(dag: Graph) -> "DAG":
    """Return a DAG as an object of pgmpy.

    Parameters
    ----------
    dag
        A DAG in any form that Edgewise takes.

    Returns
    -------
    pgmpy.base.DAG
        On all nodes, also those without edges. pgmpy's models are made of its edges:
        ``DiscreteBayesianNetwork(dag.edges())``.

    Examples
    --------
    >>> found = to_pgmpy(np.array([[0, 1], [0, 0]]))
    >>> list(found.nodes), list(found.edges)
    ([0, 1], [(0, 1)])
    """
    try:
        from pgmpy.base import DAG
    except ImportError as error:
        raise GraphError("A graph of pgmpy needs pgmpy: install it with pip install pgmpy.") from error
    names = read_adjacency(dag).nodes
    made = DAG()
    made.add_nodes_from(names)
    made.add_edges_from((names[i], names[j]) for i, j in np.argwhere(as_dag(dag)).tolist())
    return made


def to_causal_learn(graph: Graph) -> "GeneralGraph":
    """Return a DAG or CPDAG as an object of causal-learn.

    Parameters
    ----------
    graph
        A graph in any form that Edgewise takes; where both (i, j) and (j, i) are true, the edge has no direction.

    Returns
    -------
    causallearn.graph.GeneralGraph
        Its nodes have the names of the graph's as text.

    Examples
    --------
    >>> dag = from_model_string("[A][B|A]")
    >>> print(to_causal_learn(dag))  # doctest: +SKIP
    Graph Nodes:
    A;B
    <BLANKLINE>
    Graph Edges:
    1. A --> B
    """
    try:
        from causallearn.graph.Edge import Edge
        from causallearn.graph.Endpoint import Endpoint
        from causallearn.graph.GeneralGraph import GeneralGraph
        from causallearn.graph.GraphNode import GraphNode
    except ImportError as error:
        raise GraphError(
            "A graph of causal-learn needs causal-learn: install it with pip install causal-learn."
        ) from error
    matrix, names = read_adjacency(graph)
    nodes = [GraphNode(str(name)) for name in names]
    made: Any = GeneralGraph(nodes)
    for i, j in np.argwhere(matrix).tolist():
        if not matrix[j, i]:
            made.add_edge(Edge(nodes[i], nodes[j], Endpoint.TAIL, Endpoint.ARROW))
        elif i < j:
            made.add_edge(Edge(nodes[i], nodes[j], Endpoint.TAIL, Endpoint.TAIL))
    return made

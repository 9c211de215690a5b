"""Markov equivalence: what observational data can say about the direction of edges.

Two DAGs are *Markov equivalent* when they imply the same conditional independences. Verma and Pearl (1990):
that is the case exactly when they have the same edges up to direction, and the same v-structures a -> c <- b
with a and b not adjacent. Data without interventions cannot tell equivalent DAGs apart, so of each edge one
asks whether it is

*compelled*
    all equivalent DAGs have it in the same direction, so that the data can orient it; or
*reversible*
    some equivalent DAG has it the other way round.

The *CPDAG* (completed partially directed acyclic graph, also: essential graph) draws the compelled edges with
and the reversible ones without a direction, and stands for the whole class: DAGs are equivalent exactly when
their CPDAGs are equal. As a matrix, ``cpdag[i, j]`` alone is i -> j, and ``cpdag[i, j]`` with ``cpdag[j, i]``
is i - j.

Where something is known for certain, by :class:`edgewise.Constraints`, only the equivalent DAGs that agree with it
count. A required edge is then compelled, an edge from an earlier tier to a later one, and what follows from these: with
a -> b, the edge b - c of a chain a - b - c is b -> c.

The labelling is Chickering's (1995), and what follows from knowledge is found by the rules of Meek (1995), both
compiled; see :mod:`edgewise._kernels.graphs.equivalence` and :mod:`edgewise._kernels.graphs.orientation`.

>>> import numpy as np
>>> chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
>>> collider = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]])
>>> is_markov_equivalent(chain, collider)
False
>>> cpdag(chain).astype(int)
array([[0, 1, 0],
       [1, 0, 1],
       [0, 1, 0]])
>>> cpdag(collider).astype(int)
array([[0, 1, 0],
       [0, 0, 0],
       [0, 1, 0]])
"""

from collections.abc import Sequence
from typing import Any, Protocol, overload

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from edgewise._kernels.graphs.equivalence import label_compelled
from edgewise._kernels.graphs.orientation import Excluded
from edgewise.errors import ArgumentError
from edgewise.graphs.adjacency import BoolMatrix, Graph, align, label_like, read_adjacency
from edgewise.graphs.dag import ancestors, as_dag
from edgewise.wording import quote


class Constraining(Protocol):
    """An :class:`edgewise.Constraints`, which this folder cannot import."""

    def resolve(self, names: Sequence[str]) -> Any:
        """Return the :class:`edgewise.priors.Knowledge` for nodes of these names."""


@overload
def compelled_edges(dag: pd.DataFrame, constraints: Constraining | None = None) -> pd.DataFrame: ...
@overload
def compelled_edges(dag: "NDArray[Any] | nx.DiGraph[Any]", constraints: Constraining | None = None) -> BoolMatrix: ...
def compelled_edges(dag: Graph, constraints: Constraining | None = None) -> BoolMatrix | pd.DataFrame:
    """Return the edges that every DAG of the Markov equivalence class has in the same direction.

    Parameters
    ----------
    dag
        A DAG on p nodes in any form that :func:`~edgewise.graphs.dag.as_dag` takes.
    constraints
        An :class:`edgewise.Constraints` with which the DAG agrees: then only the DAGs of the class that agree with it,
        too, count. Of required ancestors, only what they say of the order is used. The nodes of an array are known by
        number.

    Returns
    -------
    array or DataFrame of bool, shape (p, p)
        Entry (i, j) is true when i -> j is an edge of `dag` and compelled. A DataFrame where `dag` is one.
        Costs O(p^2) without constraints.

    Examples
    --------
    The arrow out of a v-structure is compelled with it: pointing back, it would make another.

    >>> import numpy as np
    >>> compelled_edges(np.array([[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]])).astype(int)
    array([[0, 0, 1, 0],
           [0, 0, 1, 0],
           [0, 0, 0, 1],
           [0, 0, 0, 0]])

    No edge of a chain is compelled, unless something is known.

    >>> import edgewise as ew
    >>> chain = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]])
    >>> compelled_edges(chain).any()
    np.False_
    >>> compelled_edges(chain, ew.Constraints(required=[(1, 2)])).astype(int)
    array([[0, 0, 0, 0],
           [0, 0, 1, 0],
           [0, 0, 0, 1],
           [0, 0, 0, 0]])
    """
    matrix = as_dag(dag)
    return label_like(label_compelled(matrix, _exclude(dag, matrix, constraints)), dag)


@overload
def cpdag(dag: pd.DataFrame, constraints: Constraining | None = None) -> pd.DataFrame: ...
@overload
def cpdag(dag: "NDArray[Any] | nx.DiGraph[Any]", constraints: Constraining | None = None) -> BoolMatrix: ...
def cpdag(dag: Graph, constraints: Constraining | None = None) -> BoolMatrix | pd.DataFrame:
    """Return the CPDAG that stands for the Markov equivalence class of a DAG.

    Parameters
    ----------
    dag
        A DAG on p nodes in any form that :func:`~edgewise.graphs.dag.as_dag` takes.
    constraints
        As for :func:`compelled_edges`: the graph then stands for those DAGs of the class that agree with them.

    Returns
    -------
    array or DataFrame of bool, shape (p, p)
        A compelled edge i -> j sets entry (i, j); a reversible edge sets both (i, j) and (j, i). A DataFrame
        where `dag` is one. Costs O(p^2) without constraints.

    Examples
    --------
    >>> import pandas as pd
    >>> names = ["gene", "protein"]
    >>> cpdag(pd.DataFrame([[0, 1], [0, 0]], index=names, columns=names))
              gene  protein
    gene     False     True
    protein   True    False
    """
    matrix = as_dag(dag)
    return label_like(_complete(matrix, _exclude(dag, matrix, constraints)), dag)


def is_markov_equivalent(a: Graph, b: Graph) -> bool:
    """Return whether two DAGs imply the same conditional independences.

    Graphs with names are matched by name, arrays by position.

    Examples
    --------
    >>> import numpy as np
    >>> is_markov_equivalent(np.array([[0, 1], [0, 0]]), np.array([[0, 0], [1, 0]]))
    True
    """
    first, second = align(a, b)
    return np.array_equal(_complete(as_dag(*first)), _complete(as_dag(*second)))


def _complete(dag: BoolMatrix, excluded: Excluded | None = None) -> BoolMatrix:
    reversible = dag & ~label_compelled(dag, excluded)
    return dag | reversible.T


def _exclude(graph: Graph, dag: BoolMatrix, constraints: Constraining | None) -> Excluded | None:
    """Return what constraints exclude, after checking that a DAG agrees with them."""
    if constraints is None:
        return None
    if not hasattr(constraints, "resolve"):
        raise ArgumentError(
            f"constraints must be an object such as Constraints(roots=['dose']), but {quote(constraints)} was given."
        )
    names = [str(node) for node in read_adjacency(graph).nodes]
    known, paths = constraints.resolve(names), ancestors(dag)
    for fault, what in (
        (known.required & ~dag, "lacks the edge {} -> {}, which the constraints require"),
        (known.forbidden & dag, "has the edge {} -> {}, which the constraints exclude"),
        (known.ancestors & ~paths, "lacks a path from {} to {}, which the constraints require"),
        (known.unreached & paths, "has a path from {} to {}, which the constraints exclude"),
    ):
        for i, j in np.argwhere(fault)[:1].tolist():
            raise ArgumentError(f"The DAG {what.format(quote(names[i]), quote(names[j]))}: change one of the two.")
    excluded: Excluded = known.exclude()
    return excluded

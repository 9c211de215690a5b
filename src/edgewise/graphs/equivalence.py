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

The labelling is Chickering's (1995), compiled; see :mod:`edgewise._kernels.graphs.equivalence`.

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

from typing import Any, overload

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from edgewise._kernels.graphs.equivalence import label_compelled
from edgewise.graphs.adjacency import BoolMatrix, Graph, align, label_like
from edgewise.graphs.dag import as_dag


@overload
def compelled_edges(dag: pd.DataFrame) -> pd.DataFrame: ...
@overload
def compelled_edges(dag: "NDArray[Any] | nx.DiGraph[Any]") -> BoolMatrix: ...
def compelled_edges(dag: Graph) -> BoolMatrix | pd.DataFrame:
    """Return the edges that every DAG of the Markov equivalence class has in the same direction.

    Parameters
    ----------
    dag
        A DAG on p nodes in any form that :func:`~edgewise.graphs.dag.as_dag` takes.

    Returns
    -------
    array or DataFrame of bool, shape (p, p)
        Entry (i, j) is true when i -> j is an edge of `dag` and compelled. A DataFrame where `dag` is one.
        Costs O(p^2).

    Examples
    --------
    The arrow out of a v-structure is compelled with it: pointing back, it would make another.

    >>> import numpy as np
    >>> compelled_edges(np.array([[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]])).astype(int)
    array([[0, 0, 1, 0],
           [0, 0, 1, 0],
           [0, 0, 0, 1],
           [0, 0, 0, 0]])
    """
    return label_like(label_compelled(as_dag(dag)), dag)


@overload
def cpdag(dag: pd.DataFrame) -> pd.DataFrame: ...
@overload
def cpdag(dag: "NDArray[Any] | nx.DiGraph[Any]") -> BoolMatrix: ...
def cpdag(dag: Graph) -> BoolMatrix | pd.DataFrame:
    """Return the CPDAG that stands for the Markov equivalence class of a DAG.

    Parameters
    ----------
    dag
        A DAG on p nodes in any form that :func:`~edgewise.graphs.dag.as_dag` takes.

    Returns
    -------
    array or DataFrame of bool, shape (p, p)
        A compelled edge i -> j sets entry (i, j); a reversible edge sets both (i, j) and (j, i). A DataFrame
        where `dag` is one. Costs O(p^2).

    Examples
    --------
    >>> import pandas as pd
    >>> names = ["gene", "protein"]
    >>> cpdag(pd.DataFrame([[0, 1], [0, 0]], index=names, columns=names))
              gene  protein
    gene     False     True
    protein   True    False
    """
    return label_like(_complete(as_dag(dag)), dag)


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


def _complete(dag: BoolMatrix) -> BoolMatrix:
    reversible = dag & ~label_compelled(dag)
    return dag | reversible.T

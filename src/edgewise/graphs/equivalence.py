"""Markov equivalence: what data can say about the direction of edges.

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

Experiments can tell more. In rows in which a variable was set from outside (a *perfect intervention*), its parents have
no say. Rows in which a set of variables I, the *targets*, was set together tell equivalent DAGs apart that have an edge
with exactly one end in I in different directions, and no others (Hauser and Buehlmann 2012; every variable must be free
in some rows). What cannot be told apart by any rows is the *interventional* equivalence class.

The labelling is Chickering's (1995), and what follows from knowledge or interventions is found by the rules of Meek
(1995), both compiled; see :mod:`edgewise._kernels.graphs.equivalence` and
:mod:`edgewise._kernels.graphs.orientation`.

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

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from edgewise._kernels.graphs.equivalence import label_compelled
from edgewise._kernels.graphs.orientation import exclude
from edgewise._kernels.graphs.reaching import Known
from edgewise.errors import ArgumentError
from edgewise.graphs.adjacency import BoolMatrix, Graph, align, label_like, read_adjacency
from edgewise.graphs.dag import ancestors, as_dag
from edgewise.wording import enumerate_names, quote

if TYPE_CHECKING:
    import networkx as nx

Targets: TypeAlias = Iterable[str | int | Collection[str | int]]
"""Sets of variables that were set together, each by name or by number; one alone stands for a set of one."""


class Constraining(Protocol):
    """An :class:`edgewise.Constraints`, which this folder cannot import."""

    def resolve(self, names: Sequence[str]) -> Any:
        """Return the :class:`edgewise.priors.Knowledge` for nodes of these names."""


@overload
def compelled_edges(
    dag: pd.DataFrame, constraints: Constraining | None = None, targets: Targets | None = None
) -> pd.DataFrame: ...
@overload
def compelled_edges(
    dag: "NDArray[Any] | nx.DiGraph[Any]", constraints: Constraining | None = None, targets: Targets | None = None
) -> BoolMatrix: ...
def compelled_edges(
    dag: Graph, constraints: Constraining | None = None, targets: Targets | None = None
) -> BoolMatrix | pd.DataFrame:
    """Return the edges that every DAG of the equivalence class has in the same direction.

    Parameters
    ----------
    dag
        A DAG on p nodes in any form that :func:`~edgewise.graphs.dag.as_dag` takes.
    constraints
        An :class:`edgewise.Constraints` with which the DAG agrees: then only the DAGs of the class that agree with it,
        too, count. The nodes of an array are known by number.
    targets
        Sets of variables, by name or number, such as ``["Akt", ["Mek", "Raf"]]``: each was set together, by perfect
        interventions, in some rows of the data; one variable alone stands for a set of one. Then only the DAGs of the
        class that such data cannot tell apart count. Every variable must have been free in some rows; those in which
        all were free change nothing, and need not be given.

    Returns
    -------
    array or DataFrame of bool, shape (p, p)
        Entry (i, j) is true when i -> j is an edge of `dag` and compelled. A DataFrame where `dag` is one.
        Costs O(p^2) without constraints and targets.

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

    Setting a variable tells the directions of its edges, and what follows from these.

    >>> compelled_edges(chain, targets=[1]).astype(int)
    array([[0, 1, 0, 0],
           [0, 0, 1, 0],
           [0, 0, 0, 1],
           [0, 0, 0, 0]])
    """
    matrix = as_dag(dag)
    return label_like(label_compelled(matrix, _read_known(dag, matrix, constraints, targets)), dag)


@overload
def cpdag(
    dag: pd.DataFrame, constraints: Constraining | None = None, targets: Targets | None = None
) -> pd.DataFrame: ...
@overload
def cpdag(
    dag: "NDArray[Any] | nx.DiGraph[Any]", constraints: Constraining | None = None, targets: Targets | None = None
) -> BoolMatrix: ...
def cpdag(
    dag: Graph, constraints: Constraining | None = None, targets: Targets | None = None
) -> BoolMatrix | pd.DataFrame:
    """Return the CPDAG that stands for the equivalence class of a DAG.

    Parameters
    ----------
    dag
        A DAG on p nodes in any form that :func:`~edgewise.graphs.dag.as_dag` takes.
    constraints
        As for :func:`compelled_edges`: the graph then stands for those DAGs of the class that agree with them.
    targets
        As for :func:`compelled_edges`: the graph then stands for the interventional equivalence class.

    Returns
    -------
    array or DataFrame of bool, shape (p, p)
        A compelled edge i -> j sets entry (i, j); a reversible edge sets both (i, j) and (j, i). A DataFrame
        where `dag` is one. Costs O(p^2) without constraints and targets.

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
    return label_like(complete(matrix, _read_known(dag, matrix, constraints, targets)), dag)


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
    return np.array_equal(complete(as_dag(*first)), complete(as_dag(*second)))


def complete(dag: BoolMatrix, known: Known | None = None) -> BoolMatrix:
    """Return the CPDAG of the class of a DAG, given what is known."""
    reversible = dag & ~label_compelled(dag, known)
    return dag | reversible.T


def told_by(targets: Iterable[Sequence[int]], p: int) -> BoolMatrix:
    """Return whether interventions tell the direction of an edge between two variables, should there be one.

    Parameters
    ----------
    targets
        Sets of variables that were set together, each by perfect interventions, as column numbers.
    p
        Number of variables.

    Returns
    -------
    array of bool, shape (p, p)
        Symmetric: whether exactly one of i and j is in some set.

    Examples
    --------
    >>> told_by([[0, 1]], 3).astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [1, 1, 0]])
    """
    told = np.zeros((p, p), bool)
    for together in targets:
        is_set = np.zeros(p, bool)
        is_set[list(together)] = True
        told |= is_set[:, None] != is_set
    return told


def _read_known(
    graph: Graph, dag: BoolMatrix, constraints: Constraining | None, targets: Targets | None
) -> Known | None:
    """Return what constraints and interventions say, after checking that a DAG agrees with the constraints."""
    if constraints is None and targets is None:
        return None
    names = [str(node) for node in read_adjacency(graph).nodes]
    told = None if targets is None else told_by(_read_targets(targets, names), len(names))
    if constraints is None:
        return exclude(told=told)
    if not hasattr(constraints, "resolve"):
        raise ArgumentError(
            f"constraints must be an object such as Constraints(roots=['dose']), but {quote(constraints)} was given."
        )
    known, paths = constraints.resolve(names), ancestors(dag)
    for fault, what in (
        (known.required & ~dag, "lacks the edge {} -> {}, which the constraints require"),
        (known.forbidden & dag, "has the edge {} -> {}, which the constraints exclude"),
        (known.ancestors & ~paths, "lacks a path from {} to {}, which the constraints require"),
        (known.unreached & paths, "has a path from {} to {}, which the constraints exclude"),
    ):
        for i, j in np.argwhere(fault)[:1].tolist():
            raise ArgumentError(f"The DAG {what.format(quote(names[i]), quote(names[j]))}: change one of the two.")
    found: Known = known.tell_apart(told)
    return found


def _read_targets(targets: Targets, names: Sequence[str]) -> list[list[int]]:
    """Return sets of variables as column numbers."""
    if not _is_collection(targets):
        raise ArgumentError(
            "targets must be a list of the sets of variables that were set together, such as ['Akt', ['Mek', 'Raf']], "
            f"but {_show(targets)} was given."
        )
    together: list[Any] = [one if _is_collection(one) else [one] for one in targets]
    return [[_find(variable, names) for variable in variables] for variables in together]


def _is_collection(value: object) -> bool:
    # Of a table, Python would take the names of the columns.
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping | pd.DataFrame)


def _find(variable: Any, names: Sequence[str]) -> int:
    """Return the number of a node that is given by name or by number."""
    if isinstance(variable, int | np.integer) and not isinstance(variable, bool) and 0 <= variable < len(names):
        return int(variable)
    if str(variable) not in names:
        raise ArgumentError(
            f"There is no variable {_show(variable)} to be a target; the graph has {enumerate_names(names)}."
        )
    return names.index(str(variable))


def _show(value: object) -> str:
    return "a table" if isinstance(value, pd.DataFrame) else quote(value)

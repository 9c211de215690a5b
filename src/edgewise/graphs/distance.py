"""How far apart two graphs are: the structural Hamming distance.

Between two nodes a graph has no edge, an edge one way, an edge the other way, or an undirected one. The
distance is the number of pairs of nodes for which two graphs differ in this, so that an edge that is missing,
added or turned each counts one.

Data without interventions determine a graph only up to Markov equivalence, so a learned DAG is usually
compared by its class: ``structural_hamming_distance(cpdag(learned), cpdag(true))``. On the DAGs themselves an
edge that could not have been oriented counts as an error when it happens to point the other way.

>>> import numpy as np
>>> from edgewise.graphs.equivalence import cpdag
>>> learned, true = np.array([[0, 1], [0, 0]]), np.array([[0, 0], [1, 0]])
>>> structural_hamming_distance(learned, true)
1
>>> structural_hamming_distance(cpdag(learned), cpdag(true))
0
"""

from edgewise.graphs.adjacency import Graph, align


def structural_hamming_distance(a: Graph, b: Graph) -> int:
    """Return the number of node pairs that two graphs connect differently.

    Parameters
    ----------
    a, b
        DAGs, or partially directed graphs such as CPDAGs, in which an undirected edge i - j sets both entries
        (i, j) and (j, i). Graphs with names are matched by name, arrays by position. For the usual comparison
        of two DAGs pass ``cpdag(a)`` and ``cpdag(b)``.

    Returns
    -------
    int
        Between 0 and p (p - 1) / 2.

    Examples
    --------
    One edge turned, one missing:

    >>> import numpy as np
    >>> a = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    >>> b = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0]])
    >>> structural_hamming_distance(a, b)
    2
    """
    first, second = align(a, b)
    differs = first.matrix != second.matrix
    return int((differs | differs.T).sum()) // 2

"""The minimal I-MAP of an order, by testing each variable against each predecessor given all the others.

For the variable at position j and a predecessor v, the precision matrix of the first j + 1 variables gives the partial
correlation given all other predecessors. With W the inverse Cholesky factor of the correlation matrix in this order,
and C the running sums of the squares of W's rows, it is

    rho^2 = W[j, v]^2 / C[j, v]

so that a whole I-MAP costs one factorisation. :mod:`edgewise._kernels.minimal_imap` keeps W and C up to date while the
order changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from edgewise._kernels.factor import SINGULAR
from edgewise.data import Data, load_data
from edgewise.errors import DataError
from edgewise.independence import check_alpha, threshold_table, warn_of_void_tests

SINGULAR_MESSAGE = (
    "Some columns are exact linear combinations of others, at least among so few rows: remove columns that are sums or "
    "copies of others, or add rows."
)


@dataclass(frozen=True)
class Factor:
    """The factor of an order, with rows by position and columns by variable.

    Attributes
    ----------
    W : ndarray, shape (tested, p)
        The inverse Cholesky factor of the correlation matrix of the first ``tested`` variables of the order.
    C : ndarray, shape (tested, p)
        Running sums of the squares of W's rows.
    """

    W: np.ndarray
    C: np.ndarray


def factorize(correlation: np.ndarray, order: np.ndarray, tested: int) -> Factor:
    """Factor the correlation matrix in an order. O(p^3)."""
    head = order[:tested]
    try:
        lower = cholesky(correlation[np.ix_(head, head)], lower=True)
        singular = bool((np.diag(lower) ** 2 <= SINGULAR).any())
    except LinAlgError:
        singular = True
    if singular:
        raise DataError(SINGULAR_MESSAGE)
    W = np.zeros((tested, len(order)))
    W[:, head] = solve_triangular(lower, np.eye(tested), lower=True)
    return Factor(W, np.cumsum(W**2, axis=0))


def imap_of_factor(factor: Factor, order: np.ndarray, threshold: np.ndarray) -> np.ndarray:
    """Return the minimal I-MAP of an order as a DAG, given the order's factor."""
    p = len(order)
    dag = np.zeros((p, p), dtype=bool)
    tested = len(threshold)
    dag[:, order[:tested]] = (threshold[:, None] * factor.C < factor.W**2).T
    np.fill_diagonal(dag, False)
    return dag


def minimal_imap(data: Data, order: Sequence[int | str], alpha: float = 0.01) -> np.ndarray:
    """Return the minimal I-MAP of an order: the sparsest DAG along it that explains the dependences in the data.

    A variable's parents are those predecessors it depends on given all its other predecessors, by Fisher's z.

    Parameters
    ----------
    data
        Whatever :func:`edgewise.sample` takes.
    order
        All variables once, by name or by column number, causes first.
    alpha
        Significance level of the tests.

    Returns
    -------
    ndarray of bool, shape (p, p)
        ``dag[i, j]`` is true when i -> j, in the order of the data's columns.

    Notes
    -----
    Costs O(p^3). With fewer than p + 2 rows some tests are void; they count as 'no edge', with a warning.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(5, 100_000, seed=1)
    >>> bool((ew.minimal_imap(sim.data, sim.order, alpha=1e-6) == sim.dag).all())
    True
    """
    alpha = check_alpha(alpha)
    dataset = load_data(data)
    positions = dataset.order(order)
    warn_of_void_tests(dataset.n, dataset.p)
    threshold = threshold_table(dataset.n, dataset.p, alpha)
    factor = factorize(dataset.moments.correlation, positions, len(threshold))
    return imap_of_factor(factor, positions, threshold)

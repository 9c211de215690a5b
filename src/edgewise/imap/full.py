"""The minimal I-MAP of an order, by testing each variable against each predecessor given all the others.

For the variable at position j and a predecessor v, the precision matrix of the first j + 1 variables gives the partial
correlation given all other predecessors. With W the inverse Cholesky factor of the correlation matrix in this order,
and C the running sums of the squares of W's rows, it is

    rho^2 = W[j, v]^2 / C[j, v]

so that a whole I-MAP costs one factorisation. :mod:`edgewise._kernels.full_conditioning.minimal_imap` keeps W and C up
to date while the order changes.
"""

from collections.abc import Sequence

import numpy as np
from scipy.linalg import LinAlgError, cholesky, lapack

from edgewise._kernels.full_conditioning.factor import SINGULAR
from edgewise.data import Data, load_data, refuse_dependent
from edgewise.independence import check_alpha, threshold_table, warn_of_void_tests


def factorize(correlation: np.ndarray, order: np.ndarray, W: np.ndarray) -> bool:
    """Set W to the factor of an order: the inverse Cholesky factor, rows by position and columns by variable. O(p^3).

    ``W`` has a row for each of the leading positions that are tested, and at least p columns. In place and with one
    temporary matrix, since for many variables these matrices are all the memory a chain needs. Returns False when the
    leading variables determine each other, so that there is no factor.
    """
    head = order[: len(W)]
    # The matrix is symmetric, so that its transpose is the same in the order of memory that LAPACK works in.
    matrix = correlation[np.ix_(head, head)].T
    try:
        lower = cholesky(matrix, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    if (np.diag(lower) ** 2 <= SINGULAR).any():
        return False
    inverse, _ = lapack.dtrtri(lower, lower=1, overwrite_c=1)
    W[:] = 0.0
    W[:, head] = inverse
    return True


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
    W = np.empty((len(threshold), dataset.p))
    if not factorize(dataset.moments.correlation, positions, W):
        refuse_dependent(dataset, positions[: len(W)].tolist())
    dag = np.zeros((dataset.p, dataset.p), dtype=bool)
    dag[:, positions[: len(threshold)]] = (threshold[:, None] * np.cumsum(W**2, axis=0) < W**2).T
    np.fill_diagonal(dag, False)
    return dag

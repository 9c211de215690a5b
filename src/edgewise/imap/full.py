"""Full conditioning: each variable is tested against each predecessor given all the others.

For the variable at position j and a predecessor v, the precision matrix of the first j + 1 variables gives the partial
correlation given all other predecessors. With W the inverse Cholesky factor of the correlation matrix in this order,
and C the running sums of the squares of W's rows, it is

    rho^2 = W[j, v]^2 / C[j, v]

so that a whole I-MAP costs one factorisation. :mod:`edgewise._kernels.full_conditioning` keeps W and C up
to date while the order changes.
"""

import numpy as np

from edgewise._kernels.basics.regression import SINGULAR
from edgewise.arithmetic import one_order_of_sums
from edgewise.data import Dataset, refuse_dependent
from edgewise.independence import warn_of_void_tests


def factorize(correlation: np.ndarray, order: np.ndarray, W: np.ndarray) -> bool:
    """Set W to the factor of an order: the inverse Cholesky factor, rows by position and columns by variable. O(p^3).

    ``W`` has a row for each of the leading positions that are tested, and at least p columns. In place and with one
    temporary matrix, since for many variables these matrices are all the memory a chain needs. Returns False when the
    leading variables determine each other, so that there is no factor.
    """
    from scipy.linalg import LinAlgError, cholesky, lapack

    head = order[: len(W)]
    # The matrix is symmetric, so that its transpose is the same in the order of memory that LAPACK works in.
    matrix = correlation[np.ix_(head, head)].T
    with one_order_of_sums():
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


def find_full_conditioning(dataset: Dataset, order: np.ndarray, threshold: np.ndarray) -> np.ndarray:
    """Return the minimal I-MAP of an order by tests with these thresholds. O(p^3)."""
    warn_of_void_tests(dataset.n, dataset.p, len(threshold))
    W = np.empty((len(threshold), dataset.p))
    if not factorize(dataset.moments.correlation, order, W):
        refuse_dependent(dataset, order[: len(W)].tolist())
    dag = np.zeros((dataset.p, dataset.p), dtype=bool)
    dag[:, order[: len(threshold)]] = (threshold[:, None] * np.cumsum(W**2, axis=0) < W**2).T
    np.fill_diagonal(dag, False)
    return dag

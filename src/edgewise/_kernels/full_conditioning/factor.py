"""The factor of an order, and how it changes when the order does.

For an order of the variables with correlation matrix S, let L be the Cholesky factor of S permuted by the order, and
W = L^-1. Row j of W holds, by *variable*, the standardised residual of the variable at position j given its
predecessors, so that the precision matrix of the first j + 1 variables is the sum over positions m <= j of
W[m]' W[m]. Everything a test of conditional independence needs is in W and in the running sums of its squares.

Legend
------
W : (tested, width)
    Row j belongs to the variable at position j; columns are variables. Entries of later variables are exactly zero.
C : (tested + 1, width)
    C[j + 1] is the sum of W[m]^2 over m <= j; C[0] is zero.
tested
    How many leading positions have defined tests. Fewer than p when there are few rows of data; later positions
    have no parents and no row.
width
    p rounded up to whole cache lines, so that loops over a row have no remainder. Padding is zero.
"""

from typing import NamedTuple

import numpy as np

from ..basics.regression import SINGULAR
from ..compiling import inner, reduction


class FullConditioning(NamedTuple):
    """Tests of each variable given all its other predecessors: the correlation matrix, and the threshold on rho^2.

    The threshold is by position; ``odds`` is threshold / (1 - threshold).
    """

    correlation: np.ndarray
    threshold: np.ndarray
    odds: np.ndarray


class Factor(NamedTuple):
    """The factor of the present order and its sums, with room for a proposal: rows named where they are used."""

    W: np.ndarray
    C: np.ndarray
    vectors: np.ndarray
    plan: np.ndarray


@reduction
def dot(A, i, B, j):
    """Return the inner product of row i of A and row j of B."""
    total = 0.0
    for v in range(A.shape[1]):
        total += A[i, v] * B[j, v]
    return total


@inner
def rotate(W, order, k):
    """Exchange the variables of rows k and k + 1, and their entries in ``order``, by one Givens rotation."""
    a = order[k]
    x = W[k, a]
    y = W[k + 1, a]
    r = 1.0 / np.sqrt(x * x + y * y)
    c = y * r
    s = -x * r
    for v in range(W.shape[1]):
        x = W[k, v]
        y = W[k + 1, v]
        W[k, v] = c * x + s * y
        W[k + 1, v] = c * y - s * x
    W[k, a] = 0.0
    order[k] = order[k + 1]
    order[k + 1] = a


@inner
def residual_row(W, correlation, variable, out, i):
    """Set row i of ``out`` to what the last row of W would be if ``variable``, now in no row, took that place.

    ``out`` may be W itself and i its last row. Returns False, and leaves the row undefined, when the other rows'
    variables determine this one. O(tested * p).
    """
    for v in range(W.shape[1]):
        out[i, v] = 0.0
    variance = 1.0
    for j in range(W.shape[0] - 1):
        loading = dot(W, j, correlation, variable)
        variance -= loading * loading
        for v in range(W.shape[1]):
            out[i, v] -= loading * W[j, v]
    if not variance > SINGULAR:
        return False
    scale = 1.0 / np.sqrt(variance)
    for v in range(W.shape[1]):
        out[i, v] *= scale
    out[i, variable] = scale
    return True


@inner
def accumulate(W, C):
    """Set C to the running sums of the squares of W's rows."""
    for j in range(W.shape[0]):
        for v in range(W.shape[1]):
            C[j + 1, v] = C[j, v] + W[j, v] * W[j, v]

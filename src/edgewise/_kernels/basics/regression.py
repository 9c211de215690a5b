"""Regressions on a set of variables, from a matrix of their covariances: what scores and tests of Gaussian data share.

Residuals given a set are built up one member at a time. ``basis[d]`` holds the covariances of all variables with the
residual of member d given the members before it, in units of that residual's standard deviation, so that

    cov(x, y | set) = matrix[x, y] - sum over d of basis[d, x] * basis[d, y].
"""

from typing import NamedTuple

import numpy as np

from ..compiling import inlined, inner, reduction

SINGULAR = 1e-10
"""Where this share of a variable's variance, or less, is left by others, a partial correlation has fewer than about six
digits: they determine the variable. As in :mod:`edgewise.data.dependence`."""


class Residuals(NamedTuple):
    """Given a set: covariances of all variables with one of them, and their variances. ``basis`` is scratch."""

    basis: np.ndarray
    covariance: np.ndarray
    variance: np.ndarray


def new_residuals(p: int) -> Residuals:
    """Return room for the residuals of p variables."""
    return Residuals(np.zeros((p, p)), np.zeros(p), np.zeros(p))


@reduction
def add_residual(matrix, member, depth, basis):
    """Set row ``depth`` of a basis to the covariances with what the members before it leave of ``member``."""
    number = matrix.shape[0]
    for x in range(number):
        basis[depth, x] = matrix[member, x]
    for h in range(depth):
        loading = basis[h, member]
        for x in range(number):
            basis[depth, x] -= loading * basis[h, x]


@reduction
def regress(matrix, members, size, node, residuals):
    """Set the residuals given the first ``size`` of ``members``; return their log determinant. O(size^2 p).

    Of the members themselves no variance is left.
    """
    basis = residuals.basis
    covariance = residuals.covariance
    variance = residuals.variance
    p = variance.shape[0]
    log_det = 0.0
    for x in range(p):
        covariance[x] = matrix[node, x]
        variance[x] = matrix[x, x]
    for d in range(size):
        member = members[d]
        add_residual(matrix, member, d, basis)
        log_det += np.log(variance[member])
        # A member that the others determine adds nothing.
        scale = 1.0 / np.sqrt(variance[member]) if variance[member] > SINGULAR * matrix[member, member] else 0.0
        on_node = basis[d, node] * scale
        for x in range(p):
            entry = basis[d, x] * scale
            basis[d, x] = entry
            variance[x] -= entry * entry
            covariance[x] -= on_node * entry
    for d in range(size):
        variance[members[d]] = 0.0
    return log_det


@inlined
def squared_correlation(residuals, node, x):
    """Return the square of the partial correlation of ``node`` and x given the set."""
    covariance = residuals.covariance[x]
    return covariance * covariance / (residuals.variance[x] * residuals.variance[node])


@inlined
def is_free(matrix, residuals, node, x, square):
    """Return whether x has a part that the set leaves open, and would itself leave a part of ``node`` open.

    ``square`` is their squared partial correlation. Members of the set, and what it determines, have no such part.
    """
    return (
        x != node
        and residuals.variance[x] > SINGULAR * matrix[x, x]
        and residuals.variance[node] * (1.0 - square) > SINGULAR * matrix[node, node]
    )


@inlined
def factor_row(matrix, members, i, triangle):
    """Set row i of the Cholesky factor of ``members``, but for its last entry; return the square of that one.

    It is the variance that those before leave of the i-th. ``triangle`` holds the rows one after the other.
    """
    start = i * (i + 1) // 2
    pivot = matrix[members[i], members[i]]
    for j in range(i):
        entry = matrix[members[i], members[j]]
        other = j * (j + 1) // 2
        for h in range(j):
            entry -= triangle[start + h] * triangle[other + h]
        entry /= triangle[other + j]
        triangle[start + j] = entry
        pivot -= entry * entry
    return pivot


@inner
def factor_family(matrix, members, size, triangle):
    """Return the log determinant of the parents ``members[:size]``, and the variance they leave of ``members[size]``.

    ``triangle`` receives the Cholesky factor row by row; its last diagonal entry belongs to the child. O(size^3).
    """
    log_det = 0.0
    pivot = 0.0
    for i in range(size + 1):
        if i > 0:
            log_det += np.log(pivot)
        pivot = factor_row(matrix, members, i, triangle)
        triangle[i * (i + 1) // 2 + i] = np.sqrt(pivot)
    return log_det, pivot

"""What a variable would add to a family: gains of score and partial correlations, for all variables together.

Residuals given a set are built up one member at a time. ``basis[d]`` holds the covariances of all variables with the
residual of member d given the members before it, in units of that residual's standard deviation, so that

    cov(x, y | set) = matrix[x, y] - sum over d of basis[d, x] * basis[d, y].
"""

from typing import NamedTuple

import numpy as np

from ..compiling import inlined, reduction


class Residuals(NamedTuple):
    """Given a set: covariances of all variables with one of them, and their variances. ``basis`` is scratch."""

    basis: np.ndarray
    covariance: np.ndarray
    variance: np.ndarray


def new_residuals(p: int) -> Residuals:
    """Return room for the residuals of p variables."""
    return Residuals(np.zeros((p, p)), np.zeros(p), np.zeros(p))


@reduction
def regress(matrix, members, i, size, node, residuals):
    """Set the residuals given the first ``size`` variables in row i of ``members``; return their log determinant.

    O(size^2 p).
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
        member = members[i, d]
        for x in range(p):
            basis[d, x] = matrix[member, x]
        for h in range(d):
            loading = basis[h, member]
            for x in range(p):
                basis[d, x] -= loading * basis[h, x]
        log_det += np.log(variance[member])
        scale = 1.0 / np.sqrt(variance[member])
        on_node = basis[d, node] * scale
        for x in range(p):
            entry = basis[d, x] * scale
            basis[d, x] = entry
            variance[x] -= entry * entry
            covariance[x] -= on_node * entry
    return log_det


@inlined
def squared_correlation(residuals, node, x):
    """Return the square of the partial correlation of ``node`` and x given the set."""
    covariance = residuals.covariance[x]
    return covariance * covariance / (residuals.variance[x] * residuals.variance[node])


@inlined
def base_gain(score, size, log_det, variance):
    """Return the part of a gain of score that does not depend on who is added.

    The set of ``size`` has the log determinant ``log_det`` and leaves the child ``variance``.
    """
    family_log_det = log_det + np.log(variance)
    return (
        score.constant[size + 1] - score.constant[size]
        + (score.on_parents[size + 1] - score.on_parents[size]) * log_det
        + (score.on_family[size + 1] - score.on_family[size]) * family_log_det
    )  # fmt: skip


@inlined
def gain_of_score(score, size, base, variance, square):
    """Return what a variable of residual ``variance`` and squared partial correlation ``square`` adds to the score."""
    on_family = score.on_family[size + 1]
    return base + (score.on_parents[size + 1] + on_family) * np.log(variance) + on_family * np.log1p(-square)

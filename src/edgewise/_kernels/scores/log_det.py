"""Scores of Gaussian data, BGe and BIC: sums of log determinants."""

from typing import NamedTuple

import numpy as np

from ..basics.regression import (
    SINGULAR,
    Residuals,
    factor_family,
    is_free,
    new_residuals,
    regress,
    squared_correlation,
)
from ..compiling import inlined, inner
from .interface import register


class LogDetScore(NamedTuple):
    """A Gaussian score: constant[l] + on_parents[l] log|R_pa| + on_family[l] log|R_pa,v| with l parents.

    ``matrix`` is R, (p, p); the next three have one entry for each l up to ``most_parents``.
    """

    matrix: np.ndarray
    constant: np.ndarray
    on_parents: np.ndarray
    on_family: np.ndarray
    most_parents: int


class Room(NamedTuple):
    """Room for the Cholesky factor of a family, and for residuals given a set."""

    triangle: np.ndarray
    residuals: Residuals


def new_room(score: LogDetScore, p: int) -> Room:
    """Return room for p variables."""
    return Room(np.zeros(p * (p + 1) // 2), new_residuals(p))


@inner
def local_score(score, members, size, room):
    """O(size^3)."""
    if size > score.most_parents:
        return -np.inf
    log_det, variance = factor_family(score.matrix, members, size, room.triangle)
    family_log_det = log_det + np.log(variance)
    return score.constant[size] + score.on_parents[size] * log_det + score.on_family[size] * family_log_det


@inlined
def base_gain(score, size, log_det, variance):
    """Return the part of a gain that does not depend on who is added.

    The set of ``size`` has the log determinant ``log_det`` and leaves the child ``variance``.
    """
    family_log_det = log_det + np.log(variance)
    return (
        score.constant[size + 1] - score.constant[size]
        + (score.on_parents[size + 1] - score.on_parents[size]) * log_det
        + (score.on_family[size + 1] - score.on_family[size]) * family_log_det
    )  # fmt: skip


@inner
def gains(score, members, size, node, room, gain):
    """O(size^2 p)."""
    matrix = score.matrix
    residuals = room.residuals
    for x in range(gain.shape[0]):
        gain[x] = -np.inf
    if size >= score.most_parents:
        return
    log_det = regress(matrix, members, size, node, residuals)
    if not residuals.variance[node] > SINGULAR * matrix[node, node]:
        return
    base = base_gain(score, size, log_det, residuals.variance[node])
    on_family = score.on_family[size + 1]
    for x in range(gain.shape[0]):
        square = squared_correlation(residuals, node, x)
        if is_free(matrix, residuals, node, x, square):
            variance = residuals.variance[x]
            gain[x] = base + (score.on_parents[size + 1] + on_family) * np.log(variance) + on_family * np.log1p(-square)


@inner
def is_determined(score, members, size, room):
    """The factor of the family is still in the room; what it leaves of the child may be no number at all."""
    node = members[size]
    left = room.triangle[size * (size + 1) // 2 + size]
    return not left * left > SINGULAR * score.matrix[node, node]


register(LogDetScore, local_score=local_score, gains=gains, is_determined=is_determined, new_room=new_room)

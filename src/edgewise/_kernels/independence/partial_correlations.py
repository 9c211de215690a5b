"""Fisher's z test of partial correlations."""

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


class PartialCorrelations(NamedTuple):
    """The correlation matrix, and sqrt(n - s - 3) for each size s of a set to condition on."""

    correlation: np.ndarray
    root: np.ndarray
    most_given: int


class Room(NamedTuple):
    """Room for a set with two variables more, for its Cholesky factor, and for residuals."""

    members: np.ndarray
    triangle: np.ndarray
    residuals: Residuals


def new_room(test: PartialCorrelations, p: int) -> Room:
    """Return room for p variables."""
    return Room(np.zeros(p, np.int64), np.zeros(p * (p + 1) // 2), new_residuals(p))


@inlined
def fisher_z(test, size, square):
    """Return the strength of a squared partial correlation given a set of ``size``."""
    return test.root[size] * np.arctanh(np.sqrt(square))


@inner
def strengths(test, members, size, node, room, strength):
    """O(size^2 p)."""
    matrix = test.correlation
    residuals = room.residuals
    for x in range(strength.shape[0]):
        strength[x] = -np.inf
    if size > test.most_given:
        return
    regress(matrix, members, size, node, residuals)
    if not residuals.variance[node] > SINGULAR:
        return
    for x in range(strength.shape[0]):
        square = squared_correlation(residuals, node, x)
        if is_free(matrix, residuals, node, x, square):
            strength[x] = fisher_z(test, size, square)
        elif x != node and residuals.variance[x] > SINGULAR:
            strength[x] = np.inf


@inner
def strength(test, members, size, node, x, room):
    """O(size^3): in the factor of the set, x and ``node``, the last row holds what x takes of the variance."""
    if size > test.most_given:
        return -np.inf
    for m in range(size):
        room.members[m] = members[m]
    room.members[size] = x
    room.members[size + 1] = node
    _, left = factor_family(test.correlation, room.members, size + 1, room.triangle)
    root = room.triangle[(size + 1) * (size + 2) // 2 + size]
    taken = root * root
    return fisher_z(test, size, taken / (taken + left))


register(PartialCorrelations, strengths=strengths, strength=strength, new_room=new_room)

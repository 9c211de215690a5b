"""Scores of Gaussian data whose variables are blocks of columns, and whose families are judged by groups of rows.

A set Y of m columns has, given the rows of group g, the log weight

    w(Y) = constant[g, m] + weight[g, m] log|R_YY|

with the matrix R of the group. The local score of a variable v with parents pa is w(pa + v) - w(pa) in the group of v;
in place of variables it counts columns.

A block is *determined* by a set if less than ``SINGULAR`` of its determinant is left given the set; with one column
that is a share of its variance. A family in which a block is determined by others has no score.
"""

from typing import NamedTuple

import numpy as np

from ..basics.regression import SINGULAR, add_residual, factor_row
from ..compiling import inlined, inner, reduction
from .interface import register

LOG_SINGULAR = float(np.log(SINGULAR))


class BlockScore(NamedTuple):
    """A Gaussian score of p variables in P columns, given G groups of rows.

    Attributes
    ----------
    first, width, group : int64, (p,)
        The first column of each variable, how many it has, and its group of rows.
    matrix : (G, P, P)
        R of each group.
    constant, weight : (G, P + 1)
        By the number of columns of a set.
    own : (G, p)
        The log determinant of each variable's block; inf if there is none, and with it no score.
    most_columns : int64, (G,)
        How many columns a family can have.
    most_parents
        How many parents.
    """

    first: np.ndarray
    width: np.ndarray
    group: np.ndarray
    matrix: np.ndarray
    constant: np.ndarray
    weight: np.ndarray
    own: np.ndarray
    most_columns: np.ndarray
    most_parents: int


class Room(NamedTuple):
    """Room for a family.

    ``columns`` are its columns; ``triangle`` is their Cholesky factor, row by row; ``is_determined`` whether the last
    one had no score because of a block that others determine. For residuals, ``basis`` is as in
    :mod:`edgewise._kernels.basics.regression`, with a row for each column of the set, ``variance`` is what is left of
    every column, ``log_det`` what is left of every variable, and ``corner`` the factor of one block.
    """

    columns: np.ndarray
    triangle: np.ndarray
    is_determined: np.ndarray
    basis: np.ndarray
    variance: np.ndarray
    log_det: np.ndarray
    corner: np.ndarray


def new_room(score: BlockScore, p: int) -> Room:
    """Return room for p variables."""
    columns = score.matrix.shape[1]
    widest = int(score.width.max())
    return Room(
        columns=np.zeros(columns, np.int64),
        triangle=np.zeros(columns * (columns + 1) // 2),
        is_determined=np.zeros(1, np.bool_),
        basis=np.zeros((columns, columns)),
        variance=np.zeros(columns),
        log_det=np.zeros(p),
        corner=np.zeros(widest * (widest + 1) // 2),
    )


@inlined
def safe_log(value):
    """Return the logarithm of what rounding may have left below zero."""
    return np.log(value) if value > 0.0 else -np.inf


@inner
def count_columns(score, members, size):
    """Return how many columns the first ``size`` of ``members`` have."""
    number = 0
    for m in range(size):
        number += score.width[members[m]]
    return number


@inner
def factor_block(matrix, columns, start, end, triangle):
    """Add the columns from ``start`` up to ``end`` to the factor of those before; return their log determinant."""
    log_det = 0.0
    for i in range(start, end):
        pivot = factor_row(matrix, columns, i, triangle)
        if not pivot > 0.0:
            return -np.inf
        triangle[i * (i + 1) // 2 + i] = np.sqrt(pivot)
        log_det += np.log(pivot)
    return log_det


@inner
def local_score(score, members, size, room):
    """O(columns^3)."""
    group = score.group[members[size]]
    room.is_determined[0] = False
    if size > score.most_parents or count_columns(score, members, size + 1) > score.most_columns[group]:
        return -np.inf
    matrix = score.matrix[group]
    columns = room.columns
    end = 0
    parents = 0
    log_det = 0.0
    left = 0.0
    for m in range(size + 1):
        variable = members[m]
        parents = end
        log_det += left
        for k in range(score.width[variable]):
            columns[end] = score.first[variable] + k
            end += 1
        left = factor_block(matrix, columns, parents, end, room.triangle)
        if not left > LOG_SINGULAR + score.own[group, variable]:
            room.is_determined[0] = True
            return -np.inf
    return (
        score.constant[group, end] - score.constant[group, parents]
        + (score.weight[group, end] - score.weight[group, parents]) * log_det
        + score.weight[group, end] * left
    )  # fmt: skip


@reduction
def regress_block(matrix, start, end, depth, room):
    """Regress all columns on those from ``start`` up to ``end``, given ``depth`` others; return their log determinant.

    It is -inf where a column has no variance left, and the rest is then not done. O(depth P) for each.
    """
    basis = room.basis
    variance = room.variance
    number = variance.shape[0]
    log_det = 0.0
    for column in range(start, end):
        if not variance[column] > 0.0:
            return -np.inf
        add_residual(matrix, column, depth, basis)
        log_det += np.log(variance[column])
        scale = 1.0 / np.sqrt(variance[column])
        for x in range(number):
            entry = basis[depth, x] * scale
            basis[depth, x] = entry
            variance[x] -= entry * entry
        depth += 1
    return log_det


@inner
def residual_log_det(score, matrix, variable, depth, room):
    """Return the log determinant that the first ``depth`` columns of the basis leave of a variable's block."""
    basis = room.basis
    corner = room.corner
    first = score.first[variable]
    log_det = safe_log(room.variance[first])
    if score.width[variable] > 1:
        corner[0] = np.sqrt(max(room.variance[first], 0.0))
        for i in range(1, score.width[variable]):
            if log_det == -np.inf:
                break
            row = i * (i + 1) // 2
            pivot = room.variance[first + i]
            for j in range(i):
                entry = matrix[first + i, first + j]
                for d in range(depth):
                    entry -= basis[d, first + i] * basis[d, first + j]
                other = j * (j + 1) // 2
                for h in range(j):
                    entry -= corner[row + h] * corner[other + h]
                entry /= corner[other + j]
                corner[row + j] = entry
                pivot -= entry * entry
            corner[row + i] = np.sqrt(max(pivot, 0.0))
            log_det += safe_log(pivot)
    return log_det


@inner
def gains(score, members, size, node, room, gain):
    """O(columns^2 P): the log determinants of all blocks given the set, and given the set and the child."""
    group = score.group[node]
    matrix = score.matrix[group]
    constant = score.constant
    weight = score.weight
    own = score.own
    width = score.width
    left = room.log_det
    p = gain.shape[0]
    for x in range(p):
        gain[x] = -np.inf
    parents = count_columns(score, members, size)
    family = parents + width[node]
    most = score.most_columns[group]
    if size >= score.most_parents or family >= most:
        return
    for x in range(room.variance.shape[0]):
        room.variance[x] = matrix[x, x]
    log_det = 0.0
    depth = 0
    for m in range(size):
        first = score.first[members[m]]
        block = regress_block(matrix, first, first + width[members[m]], depth, room)
        if not block > LOG_SINGULAR + own[group, members[m]]:
            return
        log_det += block
        depth += width[members[m]]
    for x in range(p):
        left[x] = residual_log_det(score, matrix, x, depth, room)
    # Members have nothing left but rounding errors.
    for m in range(size):
        left[members[m]] = -np.inf
    of_node = left[node]
    left[node] = -np.inf
    if not of_node > LOG_SINGULAR + own[group, node]:
        return
    regress_block(matrix, score.first[node], score.first[node] + width[node], depth, room)
    for x in range(p):
        both = parents + width[x]
        all_columns = family + width[x]
        if all_columns <= most and left[x] > LOG_SINGULAR + own[group, x]:
            ratio = residual_log_det(score, matrix, x, family, room) - left[x]
            if of_node + ratio > LOG_SINGULAR + own[group, node]:
                step = weight[group, all_columns] - weight[group, both]
                gain[x] = (
                    (constant[group, all_columns] - constant[group, both])
                    - (constant[group, family] - constant[group, parents])
                    + (step - weight[group, family] + weight[group, parents]) * log_det
                    + (weight[group, all_columns] - weight[group, family]) * of_node
                    + weight[group, all_columns] * ratio
                    + step * left[x]
                )  # fmt: skip


@inner
def is_determined(score, members, size, room):
    """A family with a block that others determine has no score, whether it is the child or a parent."""
    return room.is_determined[0]


register(BlockScore, local_score=local_score, gains=gains, is_determined=is_determined, new_room=new_room)

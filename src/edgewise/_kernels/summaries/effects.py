"""Edge weights and residual deviations of many DAGs at once, drawn given their families; sums over directed paths.

Families are factored anew in each draw: with a handful of parents that takes less than a microsecond, and no memory.
"""

import numpy as np

from ..compiling import in_place, inner


@inner
def _factor_family(matrix, members, size, factor):
    """Write the Cholesky factor of the rows and columns ``members[: size + 1]`` of a matrix. O(size^3)."""
    for i in range(size + 1):
        for j in range(i + 1):
            entry = matrix[members[i], members[j]]
            for h in range(j):
                entry -= factor[i, h] * factor[j, h]
            factor[i, j] = np.sqrt(entry) if i == j else entry / factor[j, j]


@in_place
def set_weights(dags, matrix, group, noise, spread, members, factor, weights, deviation):
    """Set weights for the edges of each DAG, and the residual deviations of its variables. O(l^3) for l parents.

    Let L be the Cholesky factor of a family's part of R, the child last: its block L_pa of the parents, its row y of
    the child, and the last pivot s, with s^2 the child's residual sum of squares. The weights b solve
    L_pa' b = y + (spread s) z, and the residual deviation is (spread s).

    Parameters
    ----------
    dags
        Booleans, shape (draws, p, p).
    matrix
        R of each group of rows, shape (groups, p, p).
    group
        The group that the family of each variable is judged by, shape (p,).
    noise
        The standard normal z, one number per edge: by draw, then child, then parent.
    spread
        One over the root of a chi-square number, for each draw and child, shape (draws, p).
    members, factor
        Room, shapes (p,) and (p, p).
    weights, deviation
        The results, shapes (draws, p, p) and (draws, p); weights without an edge are left as they are.
    """
    draws, p, _ = dags.shape
    used = 0
    for m in range(draws):
        for child in range(p):
            size = 0
            for v in range(p):
                if dags[m, v, child]:
                    members[size] = v
                    size += 1
            members[size] = child
            _factor_family(matrix[group[child]], members, size, factor)
            width = spread[m, child] * factor[size, size]
            deviation[m, child] = width
            for i in range(size - 1, -1, -1):
                weight = factor[size, i] + width * noise[used + i]
                for h in range(i + 1, size):
                    weight -= factor[h, i] * weights[m, members[h], child]
                weights[m, members[i], child] = weight / factor[i, i]
            used += size


def draw_weights(
    dags: np.ndarray, matrix: np.ndarray, group: np.ndarray, noise: np.ndarray, spread: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return weights for the edges of each DAG, shape (draws, p, p), and residual deviations, shape (draws, p).

    Weights are zero without an edge; see :func:`set_weights`.
    """
    p = dags.shape[1]
    weights, deviation = np.zeros(dags.shape), np.zeros(spread.shape)
    set_weights(dags, matrix, group, noise, spread, np.zeros(p, np.int64), np.zeros((p, p)), weights, deviation)
    return weights, deviation


@inner
def _sort_topologically(weights, order, missing):
    """Fill ``order`` so that parents come before their children. ``missing`` is scratch. O(p^2)."""
    p = weights.shape[0]
    ready = 0
    for v in range(p):
        missing[v] = 0
        for u in range(p):
            missing[v] += weights[u, v] != 0
        if missing[v] == 0:
            order[ready] = v
            ready += 1
    for k in range(p):
        for v in range(p):
            if weights[order[k], v] != 0:
                missing[v] -= 1
                if missing[v] == 0:
                    order[ready] = v
                    ready += 1


@in_place
def follow_paths(weights, order, missing, column):
    """Turn the weights B of each DAG, shape (draws, p, p), into (I - B)^-1, in place. O(p) for each edge.

    Column v is the sum of the parents' columns, each times its weight, and a one in row v. So an entry is exactly zero
    where there is no directed path. ``order``, ``missing`` and ``column`` are room for p numbers each.
    """
    draws, p, _ = weights.shape
    for m in range(draws):
        _sort_topologically(weights[m], order, missing)
        for v in order:
            for u in range(p):
                column[u] = weights[m, u, v]
                weights[m, u, v] = 0.0
            weights[m, v, v] = 1.0
            for u in range(p):
                if column[u] != 0:
                    for i in range(p):
                        weights[m, i, v] += column[u] * weights[m, i, u]


def sum_paths(weights: np.ndarray) -> None:
    """Turn the weights of each DAG into sums over paths, in place; see :func:`follow_paths`."""
    order, missing = np.zeros((2, weights.shape[1]), np.int64)
    follow_paths(weights, order, missing, np.zeros(weights.shape[1]))

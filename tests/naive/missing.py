"""EM for the moments of data with gaps, row by row, as textbooks have it."""

import numpy as np


def em(values, rounds, start=None):
    """Return the mean and the covariance, divisor n, after some rounds that start at others."""
    n, p = values.shape
    mean, covariance = start or (np.nanmean(values, axis=0), np.diag(np.nanvar(values, axis=0)))
    for _ in range(rounds):
        total, square = np.zeros(p), np.zeros((p, p))
        for row in values:
            gap = np.isnan(row)
            filled, left = row.copy(), np.zeros((p, p))
            if gap.any():
                slopes = covariance[gap][:, ~gap] @ np.linalg.pinv(covariance[~gap][:, ~gap])
                filled[gap] = mean[gap] + slopes @ (row[~gap] - mean[~gap])
                left[np.ix_(gap, gap)] = covariance[gap][:, gap] - slopes @ covariance[~gap][:, gap]
            total += filled
            square += np.outer(filled, filled) + left
        mean = total / n
        covariance = square / n - np.outer(mean, mean)
    return mean, covariance

"""Ranks in place of values."""

from functools import lru_cache
from statistics import NormalDist

import numpy as np


def normal_scores(values: np.ndarray) -> np.ndarray:
    """Return the normal scores of the ranks of all values of one quantity; equal values share their mean rank.

    What is missing, nan, stays so.

    Examples
    --------
    >>> normal_scores(np.array([1.0, 1000.0, 10.0])).round(2)
    array([-0.87,  0.87,  0.  ])
    """
    is_known = ~np.isnan(values)
    _, which, counts = np.unique(values[is_known], return_inverse=True, return_counts=True)
    rank = np.cumsum(counts) - (counts - 1) / 2
    scores = np.full(values.shape, np.nan)
    scores[is_known] = _scores_of_ranks(which.size)[(2 * rank).astype(int) - 2][which.reshape(-1)]
    return scores


@lru_cache(maxsize=1)
def _scores_of_ranks(n: int) -> np.ndarray:
    """Return the normal scores of the ranks 1, 1.5, 2, ..., n, which all columns of a table share."""
    rank = np.arange(2, 2 * n + 1) / 2
    shares = (rank - 3 / 8) / (n + 1 / 4)  # Blom's (1958) offset of 3/8
    return np.array(list(map(NormalDist().inv_cdf, shares.tolist())))

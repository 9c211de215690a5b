"""Ranks in place of values."""

import numpy as np
from scipy.special import ndtri


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
    # Blom's (1958) offset of 3/8.
    scores[is_known] = ndtri((rank - 3 / 8) / (which.size + 1 / 4))[which.reshape(-1)]
    return scores

"""Monte Carlo errors of the probabilities of edges and of joined pairs.

Those of Rao-Blackwellised probabilities were found with them; those of shares of the draws follow from the draws.
"""

from typing import TYPE_CHECKING

import numpy as np

from .monte_carlo import DIGITS, monte_carlo_error

if TYPE_CHECKING:
    from .posterior import Posterior


def directed_error(posterior: "Posterior") -> np.ndarray:
    """Return the error of every directed edge, shape (p, p)."""
    if posterior.conditional_errors is not None:
        return np.asarray(posterior.conditional_errors[0], float)
    mean = np.round(posterior.directed_by_chain.mean(axis=0), DIGITS)
    weights = None if posterior.draws.log_weight is None else posterior.weights
    error = np.where(posterior.weights.size > 1, np.zeros_like(mean), np.nan)
    source, target = np.nonzero((mean > 0) & (mean < 1))
    for few, has_edge in posterior.draws.indicators(source, target):
        error[source[few], target[few]] = monte_carlo_error(
            has_edge, weights, posterior.directed_share[source[few], target[few]]
        )
    return error


def joined_error(posterior: "Posterior") -> np.ndarray:
    """Return the error of every pair, shape (p, p), symmetric."""
    if posterior.conditional_errors is not None:
        return np.asarray(posterior.conditional_errors[1], float)
    draws = posterior.draws
    joined = np.round(posterior.directed_share + posterior.directed_share.T, DIGITS)
    weights = None if draws.log_weight is None else posterior.weights
    error = np.where(posterior.weights.size > 1, np.zeros_like(joined), np.nan)
    i, j = np.nonzero(np.triu((joined > 0) & (joined < 1), 1))
    for (few, forward), (_, backward) in zip(draws.indicators(i, j), draws.indicators(j, i), strict=True):
        error[i[few], j[few]] = monte_carlo_error(forward | backward, weights, joined[i[few], j[few]])
    return np.asarray(np.maximum(error, error.T))

"""Monte Carlo errors of the probabilities of edges, of joined pairs and of compelled edges.

Those of Rao-Blackwellised probabilities were found with them; those of shares of the draws follow from the draws.
Whether an edge is compelled is known of whole DAGs, so draws are averaged in batches, whose means tell the error.
"""

from typing import TYPE_CHECKING

import numpy as np

from edgewise._kernels.graphs.equivalence import compelled_weighted_sum

from .draws import split
from .features import exclude_for
from .monte_carlo import DIGITS, as_counts, monte_carlo_error

if TYPE_CHECKING:
    from .posterior import Posterior

BATCHES, FEWEST_BATCHES = 50, 8
"""Batches of a chain, and the least number of them where p is so large that their means would take too much memory."""

MOST_MEANS = 4 * 10**6
"""Most numbers in the batch means of a chain."""


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


def told_error(posterior: "Posterior") -> np.ndarray:
    """Return the error of the probability that each edge is compelled, shape (p, p).

    It is that of the share of the draws. Where the probability is Rao-Blackwellised, which makes it more accurate, this
    is on the safe side.
    """
    means, weight = _compelled_by_batch(posterior)
    mean = np.einsum("cb,cbij->ij", weight / weight.sum(), means)
    weights = None if posterior.draws.log_weight is None else weight / weight.sum()
    return np.array([monte_carlo_error(means[:, :, i], weights, mean[i]) for i in range(means.shape[2])])


def _compelled_by_batch(posterior: "Posterior") -> tuple[np.ndarray, np.ndarray]:
    """Return the share of each batch, by weight, in which each edge is compelled, and the weights of the batches.

    Their shapes are (chain, batch, p, p) and (chain, batch).
    """
    draws, p = posterior.draws, len(posterior.nodes)
    counts, _ = as_counts(posterior.weights)
    chains, number = counts.shape
    batches = min(BATCHES, max(MOST_MEANS // p**2, FEWEST_BATCHES), number)
    batch = np.arange(number) * batches // number + batches * np.arange(chains)[:, None]
    distinct = draws.distinct(counts)
    total = np.zeros((chains * batches, p, p))
    excluded = exclude_for(posterior)
    for part in split(0, len(distinct.rows), p**2 + chains * batches):
        here = (distinct.which >= part.start) & (distinct.which < part.stop)
        few = np.zeros((chains * batches, part.stop - part.start))
        np.add.at(few, (batch[here], distinct.which[here] - part.start), counts[here])
        total += compelled_weighted_sum(draws.dags(distinct.rows[part]), few, excluded)
    weight = np.bincount(batch.ravel(), counts.ravel(), chains * batches)
    means = total / np.where(weight > 0, weight, 1.0)[:, None, None]
    return means.reshape(chains, batches, p, p), weight.reshape(chains, batches)

"""Monte Carlo errors of the probabilities of edges, of joined pairs and of compelled edges.

Those of Rao-Blackwellised probabilities were found with them; those of shares of the draws follow from the draws.
Whether an edge is compelled is known of whole DAGs, so draws are averaged in batches, whose means tell the error.

All these take chains for pieces of one long chain that mixes. Where chains are in different places and hardly move,
that can leave far too small an error, so that it is then the one of a mean of as many numbers as there are chains.
"""

from typing import TYPE_CHECKING

import numpy as np

from edgewise._kernels.graphs.equivalence import compelled_weighted_sum

from .draws import split
from .features import exclude_for
from .monte_carlo import DIGITS, as_counts, monte_carlo_error
from .summaries import SHOWN

if TYPE_CHECKING:
    from .posterior import Posterior

BATCHES, FEWEST_BATCHES = 50, 8
"""Batches of a chain, and the least number of them where p is so large that their means would take too much memory."""

MOST_MEANS = 4 * 10**6
"""Most numbers in the batch means of a chain."""

AT_ONCE = 2**17
"""Batch means whose errors are found together: few enough for a processor's cache."""


CHANCE = 0.001
"""How often chance may give chains that agree a spread that is taken for more. With the errors of a mean of four
numbers, 2.3 times as large or more, so few make errors larger by less than a half per cent."""

SAME = 1e-6
"""Probabilities of chains that differ by less are the same: Rao-Blackwellised ones are kept with seven digits, and
shares of draws differ by more, if at all."""


def directed_error(posterior: "Posterior") -> np.ndarray:
    """Return the error of every directed edge, shape (p, p)."""
    return _heed_chains(posterior, posterior.directed_by_chain, _directed_error(posterior))


def joined_error(posterior: "Posterior") -> np.ndarray:
    """Return the error of every pair, shape (p, p), symmetric."""
    directed = posterior.directed_by_chain
    return _heed_chains(posterior, directed + directed.swapaxes(1, 2), _joined_error(posterior))


def _heed_chains(posterior: "Posterior", by_chain: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Return errors that are no smaller than the differences between chains, (chain, p, p), allow.

    They are at least what is shown as .001 where there are differences, and at least the standard error of a mean of
    the chains' probabilities where these lie further apart than chance lets chains with such errors.
    """
    from scipy.special import chdtri

    weight = posterior.weights.sum(axis=1)
    by_chain, weight = by_chain[weight > 0], weight[weight > 0]
    others = len(weight) - 1
    if not others:
        return error
    mean = np.tensordot(weight, by_chain, axes=1)
    between = np.sqrt(np.tensordot(weight**2, (by_chain - mean) ** 2, axes=1) * len(weight) / others)
    is_chance = between <= error * np.sqrt(chdtri(others, CHANCE) / others)
    least = np.where(is_chance, SHOWN, np.maximum(between, SHOWN))
    return np.where(np.ptp(by_chain, axis=0) > SAME, np.maximum(error, least), error)


def _directed_error(posterior: "Posterior") -> np.ndarray:
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


def _joined_error(posterior: "Posterior") -> np.ndarray:
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

    Of runs of DagMCMC, this probability is the Rao-Blackwellised one of the edge, times the share of the draws with the
    edge in which it is compelled. The first has its error, that of the second follows from the draws, of which few, or
    none, may have the edge; and they vary about independently. Elsewhere it is the error of the share of all draws:
    where the probability is Rao-Blackwellised as a whole, which makes it more accurate, that is on the safe side.
    """
    compelled, present, weight = _shares_by_batch(posterior)
    relative = weight / weight.sum()
    weights = None if posterior.draws.log_weight is None else relative
    told, share = (np.einsum("cb,cbij->ij", relative, batches) for batches in (compelled, present))
    if posterior.conditionals is None or posterior.conditionals.shape[1] > 1:
        return error_by_row(compelled, weights, told)
    safe = np.where(share > 0, share, 1.0)
    given = told / safe
    error = error_by_row(compelled - given * present, weights, np.zeros_like(told)) / safe
    error = np.maximum(error, least_error(given, share, error_by_row(present, weights, share), posterior.weights.size))
    directed = posterior.edge_probabilities("directed").to_numpy()
    return np.asarray(np.hypot(directed * error, given * directed_error(posterior)))


def least_error(given: np.ndarray, share: np.ndarray, error: np.ndarray, draws: int) -> np.ndarray:
    """Return how far off the share of the draws with an edge in which it is compelled, ``given``, is at least.

    A few draws that agree would have no error otherwise. It is the standard deviation of the Beta distribution that as
    many independent draws leave of Jeffreys' prior; how many they are follows from the error of the share of all draws
    that have the edge.
    """
    effective = np.divide(share * (1 - share), error**2, out=np.full_like(share, draws), where=error > 0)
    number = share * np.minimum(effective, draws)
    mean = (given * number + 0.5) / (number + 1)
    return np.asarray(np.sqrt(mean * (1 - mean) / (number + 2)))


def count_batches(p: int, number: int) -> int:
    """Return in how many batches to average a number of draws of a chain."""
    return min(BATCHES, max(MOST_MEANS // p**2, FEWEST_BATCHES), number)


def error_by_row(batches: np.ndarray, weights: np.ndarray | None, mean: np.ndarray) -> np.ndarray:
    """Return the errors of means of batches, shape (chain, batch, p, p), by weights that add up to one."""
    chains, number, p, _ = batches.shape
    errors = [
        monte_carlo_error(batches[:, :, rows].reshape(chains, number, -1), weights, mean[rows].ravel())
        for rows in split(0, p, chains * number * p, at_once=AT_ONCE)
    ]
    return np.concatenate(errors).reshape(p, p)


def _shares_by_batch(posterior: "Posterior") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the shares of each batch, by weight, in which each edge is compelled and is there; and their weights.

    Their shapes are twice (chain, batch, p, p), and (chain, batch).
    """
    draws, p = posterior.draws, len(posterior.nodes)
    counts, _ = as_counts(posterior.weights)
    chains, number = counts.shape
    batches = count_batches(p, number)
    batch = np.arange(number) * batches // number + batches * np.arange(chains)[:, None]
    distinct = draws.distinct(counts)
    compelled, present = np.zeros((2, chains * batches, p, p))
    excluded = exclude_for(posterior)
    for part in split(0, len(distinct.rows), p**2 + chains * batches):
        here = (distinct.which >= part.start) & (distinct.which < part.stop)
        few = np.zeros((chains * batches, part.stop - part.start))
        np.add.at(few, (batch[here], distinct.which[here] - part.start), counts[here])
        dags = draws.dags(distinct.rows[part])
        compelled += compelled_weighted_sum(dags, few, excluded)
        present += np.tensordot(few, dags.astype(float), axes=1)
    weight = np.bincount(batch.ravel(), counts.ravel(), chains * batches)
    total = np.where(weight > 0, weight, 1.0)[:, None, None]
    shape = (chains, batches, p, p)
    return (compelled / total).reshape(shape), (present / total).reshape(shape), weight.reshape(chains, batches)

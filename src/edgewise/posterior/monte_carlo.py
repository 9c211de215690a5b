"""How far a mean over draws may be from the mean of the posterior."""

from itertools import pairwise

import numpy as np

DIGITS = 12
"""Decimals of a mean over draws. The rest is rounding error in sums of many weights, and must not show as a probability
above one, or as one just below a half."""

BATCHES = 20
"""Batches per chain: enough to estimate a variance, few enough that each outlasts the chain's memory in a run of
ordinary length."""


def batches(draws: int) -> list[slice]:
    """Return the parts that a chain is cut into."""
    ends = np.linspace(0, draws, min(BATCHES, draws) + 1).astype(int).tolist()
    return [slice(start, stop) for start, stop in pairwise(ends)]


def monte_carlo_error(means: np.ndarray) -> np.ndarray:
    """Return the standard error of the mean of batch means, shape (chain, batch, ...).

    Chains that have not met differ by more than the batches within each suggest. The error between chains, from few
    numbers, is itself uncertain, so it counts only where it is more than three times the other.
    """
    means = np.round(means, DIGITS)
    chains, number = means.shape[:2]
    if chains * number == 1:
        return np.full(means.shape[2:], np.nan)
    within = means.reshape(-1, *means.shape[2:]).std(axis=0, ddof=1) / np.sqrt(chains * number)
    if chains == 1:
        return np.asarray(within)
    between = means.mean(axis=1).std(axis=0, ddof=1) / np.sqrt(chains)
    return np.asarray(np.where(between > 3 * within, between, within))

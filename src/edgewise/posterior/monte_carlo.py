"""How far a mean over draws may be from the mean of the posterior."""

from typing import Any

import numpy as np

DIGITS = 12
"""Decimals of a mean over draws. The rest is rounding error in sums of many weights, and must not show as a probability
above one, or as one just below a half."""


def as_counts(weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Return weights in units of the largest, and their sum.

    A million weights of one millionth, added one by one, are off by 1e-11, which ``DIGITS`` would show; ones are not.
    """
    counts = weights / weights.max()
    return counts, float(counts.sum())


def monte_carlo_error(
    values: np.ndarray, weights: np.ndarray | None = None, mean: np.ndarray | float = 0.0
) -> np.ndarray:
    """Return ArviZ's Monte Carlo standard error of the mean of each quantity, shape (chain, draw, quantity).

    With weights (chain, draw), the weighted ``mean`` is a ratio of two means; to first order its error is that of the
    mean of w (x - mean), the weights having mean one.

    What never varies has no error. What varies only between chains has the error of a mean of as many numbers as there
    are chains. With fewer than the four draws that ArviZ needs the error is not known.
    """
    from arviz_stats import base

    arviz: Any = vars(base)["array_stats"]
    if weights is not None:
        values = weights[:, :, None] * weights.size * (values - mean)
    values = values.astype(float)
    chains, draws, _ = values.shape
    constant = (values == values[:1, :1]).all(axis=(0, 1))
    stuck = (values == values[:, :1]).all(axis=(0, 1))
    error = np.where(constant & (chains * draws > 1), 0.0, np.nan)
    if chains > 1:
        between = values.mean(axis=1).std(axis=0, ddof=1) / np.sqrt(chains)
        error = np.where(stuck & ~constant, between, error)
    moving = ~stuck
    if moving.any() and draws >= 4:
        # ArviZ takes what varies by less than 1e-15 for a constant, so the range is brought to one.
        lowest, spread = values.min(axis=(0, 1))[moving], np.ptp(values, axis=(0, 1))[moving]
        with np.errstate(all="ignore"):
            error[moving] = spread * arviz.mcse((values[..., moving] - lowest) / spread, chain_axis=0, draw_axis=1)
    return error

"""How far a mean over draws may be from the mean of the posterior, and whether chains have settled.

R-hat, effective draws and Monte Carlo errors are those of Vehtari et al. (2021), as ArviZ computes them: each chain is
split into halves, which count as chains of their own, so that a drift within a chain shows like a difference between
two. They are written out here, for all quantities at once, since ArviZ takes them one by one, and since to import it
takes longer than to sample; the tests compare.
"""

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


def split_chains(values: np.ndarray) -> np.ndarray:
    """Return the halves of chains, (chain, draw, quantity), as chains; the middle of an odd number is left out."""
    half = values.shape[1] // 2
    return np.concatenate([values[:, :half], values[:, -half:]])


def find_r_hat(values: np.ndarray) -> np.ndarray:
    """Return R-hat of each quantity, shape (chain, draw, quantity); not a number for a constant."""
    draws = values.shape[1]
    mean = values.mean(axis=1)
    spread = mean * (1 - mean) * draws / (draws - 1) if values.dtype == bool else values.var(axis=1, ddof=1)
    within, between = spread.mean(axis=0), mean.var(axis=0, ddof=1)
    return np.asarray(np.sqrt((draws - 1) / draws + between / within))


def count_effective(values: np.ndarray) -> np.ndarray:
    """Return the number of effective draws of each quantity, shape (chain, draw, quantity); at least two draws.

    All draws are divided by the sum of the autocorrelations at all lags, forwards and backwards. Those at an even lag
    and at the next one add up to something positive that falls with the lag (Geyer 1992). So they are summed in pairs,
    up to the first that is not positive, and none counts for more than the one before.
    """
    draws = values.shape[1]
    effective, is_known = _count_from_lags(values, min(FIRST_LAGS, draws))
    if not is_known.all():
        effective[~is_known], _ = _count_from_lags(values[..., ~is_known], draws)
    return effective


FIRST_LAGS = 256
"""Lags to look at first. Few quantities need more, and it takes half the time for all of them."""


def _count_from_lags(values: np.ndarray, lags: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of effective draws of each quantity, and whether these lags are enough to know it."""
    chains, draws, _ = values.shape
    size = chains * draws
    covariance = _autocovariance(values, lags)
    within = covariance[0] * draws / (draws - 1)
    total = covariance[0] + (values.mean(axis=1).var(axis=0, ddof=1) if chains > 1 else 0.0)
    correlation = 1 - (within - covariance) / total
    correlation[0] = 1.0
    pairs = max((lags - 3) // 2, 0) + 1  # the last lags, of which few draws tell, are left out
    even = correlation[0 : 2 * pairs : 2]
    both = even + correlation[1 : 2 * pairs : 2]
    constant = (values == values[:1, :1]).all(axis=(0, 1))
    ends = both <= 0
    is_known = ends.any(axis=0) | constant | (lags == draws)
    ends[-1] = True
    last = ends.argmax(axis=0)
    falling = np.minimum.accumulate(both, axis=0)
    summed = np.where(np.arange(pairs)[:, None] < last, falling, 0.0).sum(axis=0)
    last_even, last_both = (np.take_along_axis(array, last[None], axis=0)[0] for array in (even, both))
    rest = np.where((last_even > 0) | (last_both >= 0), last_even, 0.0)
    # Where draws alternate they are worth more than independent ones, but not more than size log10(size).
    effective = size / np.maximum(2 * summed + rest - 1, 1 / np.log10(size))
    return np.where(constant, float(size), effective), is_known


def _autocovariance(values: np.ndarray, lags: int) -> np.ndarray:
    """Return the mean over chains of the autocovariance at each of the first lags, shape (lag, quantity)."""
    chains, draws, quantities = values.shape
    needed = draws + lags  # so many that the end of the draws does not meet their beginning
    length = min(odd << (-(-needed // odd) - 1).bit_length() for odd in (1, 3, 5, 9))
    covariance = np.empty((lags, quantities))
    for few in range(0, quantities, AT_ONCE):
        part = np.ascontiguousarray(values[..., few : few + AT_ONCE].transpose(2, 0, 1), dtype=float)
        spectrum = np.fft.rfft(part - part.mean(axis=2, keepdims=True), n=length)
        power = (spectrum.real**2 + spectrum.imag**2).sum(axis=1)
        covariance[:, few : few + AT_ONCE] = np.fft.irfft(power, n=length)[:, :lags].T
    covariance /= chains * draws
    return covariance


AT_ONCE = 8
"""Quantities whose draws are transformed at a time, few enough for a processor's cache."""


def monte_carlo_error(
    values: np.ndarray, weights: np.ndarray | None = None, mean: np.ndarray | float = 0.0
) -> np.ndarray:
    """Return the Monte Carlo standard error of the mean of each quantity, shape (chain, draw, quantity).

    With weights (chain, draw), which add up to one, the weighted ``mean`` is a ratio of two means; to first order its
    error is that of the mean of w (x - mean), the weights brought to mean one.

    What never varies has no error. What varies only between chains has the error of a mean of as many numbers as there
    are chains. With fewer than four draws the error is not known.
    """
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
        # Squares of very small or large numbers would not fit into double precision, so the range is brought to one.
        lowest, spread = values.min(axis=(0, 1))[moving], np.ptp(values, axis=(0, 1))[moving]
        scaled = (values[..., moving] - lowest) / spread
        with np.errstate(all="ignore"):
            deviation = scaled.std(axis=(0, 1), ddof=1)
            error[moving] = spread * deviation / np.sqrt(count_effective(split_chains(scaled)))
    return error

"""Cells that are missing: left out with their rows, or made up for by the EM algorithm.

Dropping every row with a gap wastes what its other cells say. EM (Dempster, Laird & Rubin 1977; for a Gaussian, Little
& Rubin 2002, section 11.2) finds the mean and the covariance under which the cells that are there are most probable: it
fills gaps with their expectation given the rest of their row, adds the variance that they have left, and begins again.
That is right where what is missing does not depend on the values that are missing.

The estimate is not worth as many rows as there are. The *effective* number is the mean, over all pairs of columns, of
the rows in which both are known, rounded down.
"""

import numpy as np
import numpy.typing as npt

from edgewise.data.moments import FloatArray, Moments, tidy_correlation
from edgewise.errors import DataError

MOST_ROUNDS = 1000
"""Rounds of EM. It slows down with the share of missing cells: at half of them, some hundred rounds reach 1e-9."""

CLOSE = 1e-9
"""Largest change of a mean or a covariance, in standard deviations, at which EM ends."""

RIDGE = 1e-8
"""Added to the variances, in units of themselves, before others are regressed on them: with fewer rows than columns
there would be no inverse."""


def effective_rows(is_known: npt.NDArray[np.bool_]) -> float:
    """Return the mean, over all pairs of columns, of the number of rows in which both are known; of one, its own.

    Examples
    --------
    >>> effective_rows(np.array([[True, True, True], [True, True, False]]))
    1.3333333333333333
    """
    known = is_known.astype(float)
    together = known.T @ known
    return float(together[np.triu_indices(len(together), 1)].mean() if len(together) > 1 else together[0, 0])


def em_moments(values: FloatArray) -> Moments:
    """Return the moments of data with gaps, by EM; of data without, the plain ones.

    Parameters
    ----------
    values
        Shape (n, p), nan where a cell is missing; each column must have two different values.

    Returns
    -------
    Moments
        With the effective number of rows.

    Examples
    --------
    >>> table = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.5], [4.0, 7.5], [5.0, np.nan]])
    >>> moments = em_moments(table)
    >>> moments.n, moments.mean.round(2)
    (4, array([3.  , 5.95]))
    """
    is_known = np.isfinite(values)
    if is_known.all():
        return Moments.from_values(values)
    rows = int(effective_rows(is_known))
    if rows < 4:
        raise DataError(
            "Too many values are missing: on average, two columns are both known in fewer than 4 rows; leave out the "
            "columns with the most gaps."
        )
    n = len(values)
    centre, unit = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    mean, covariance = _maximise((values - centre) / unit, is_known)
    scale = np.sqrt(np.diag(covariance))
    return Moments(
        rows,
        centre + unit * mean,
        unit * scale * np.sqrt(n / (n - 1)),
        tidy_correlation(covariance / np.outer(scale, scale)),
    )


def _maximise(values: FloatArray, is_known: npt.NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the covariance (divisor n) that EM ends at; columns are in standard units."""
    n, p = values.shape
    patterns, which = np.unique(is_known, axis=0, return_inverse=True)
    rows_of = [np.flatnonzero(which.reshape(-1) == number) for number in range(len(patterns))]
    mean, covariance = np.zeros(p), np.eye(p)
    for _ in range(MOST_ROUNDS):
        filled = np.where(is_known, values, 0.0)
        left = np.zeros((p, p))
        for pattern, rows in zip(patterns, rows_of, strict=True):
            gaps, known = np.flatnonzero(~pattern), np.flatnonzero(pattern)
            if not len(gaps):
                continue
            among = covariance[np.ix_(known, known)]
            slopes = np.linalg.solve(among + RIDGE * np.diag(np.diag(among)), covariance[np.ix_(known, gaps)])
            filled[np.ix_(rows, gaps)] = mean[gaps] + (values[np.ix_(rows, known)] - mean[known]) @ slopes
            left[np.ix_(gaps, gaps)] += len(rows) * (
                covariance[np.ix_(gaps, gaps)] - covariance[np.ix_(gaps, known)] @ slopes
            )
        former = mean, covariance
        mean = filled.mean(axis=0)
        centred = filled - mean
        covariance = (centred.T @ centred + left) / n
        covariance = (covariance + covariance.T) / 2
        if max(np.abs(mean - former[0]).max(), np.abs(covariance - former[1]).max()) < CLOSE:
            break
    return mean, covariance

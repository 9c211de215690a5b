"""A look at rows: repeated ones, and groups with different means."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from edgewise.data.finding import CHANCE, Finding
from edgewise.data.moments import FloatArray
from edgewise.wording import count, enumerate_names

NOTICEABLE = 3.0
"""Standard errors of a correlation from which on two columns begin to look joined."""

AXES = 3
"""Principal components along which groups are sought."""

ROUNDS = 20
"""Of multiplying by the correlations, after which directions are near to the principal components: near enough."""

TWO_GROUPS = 0.8
"""The share of the variance along an axis that lies between two groups: 2 / pi in a Gaussian, 3/4 in a uniform
distribution, and this if two Gaussian groups of equal size are four standard deviations apart."""

UNLIKELY = 1.4
"""How far the share of the best split exceeds 2 / pi by chance once in 100,000, times the root of the rows: found by
simulation with 20 to 1000 rows. The rows of a Gaussian table have no preferred direction, so that a principal component
of any number of columns is as good as a Gaussian sample."""

APART = 1.0
"""Standard deviations by which the means of two groups differ in the columns that are named."""


def find_repeated(values: FloatArray) -> list[Finding]:
    """Find rows that repeat an earlier one.

    Rounded values may agree by chance. Then many more rows agree in all columns but the finest, the one with the most
    different values, than in all.
    """
    hashes = [hash(row.tobytes()) for row in values]
    occurrences = Counter(hashes)
    repeats = len(hashes) - len(occurrences)
    if not repeats:
        return []
    finest = max(range(values.shape[1]), key=lambda column: len(np.unique(values[:, column])))
    without = Counter(hash(row[:finest].tobytes() + row[finest + 1 :].tobytes()) for row in values)
    if 2 * _count_pairs(occurrences.values()) < _count_pairs(without.values()):
        return []
    _, first_seen = np.unique(hashes, return_index=True)
    first = np.setdiff1d(np.arange(len(hashes)), first_seen)[0] + 1
    sentence = (
        f"{count(repeats, 'row')} of {len(hashes)} {'repeats' if repeats == 1 else 'repeat'} all measurements of an "
        f"earlier one (the first is row {first}), and what is counted twice looks surer than it is: keep each row once."
    )
    return [Finding("repeated-rows", (), sentence)]


def find_shifts(scores: FloatArray, names: Sequence[str], *, are_conditions_known: bool = False) -> list[Finding]:
    """Find columns whose mean changes along the rows.

    The sums of standardised scores from the first row to each row are a Brownian bridge if rows come in no particular
    order, and its largest value x is exceeded with probability 2 exp(-2 x^2). A change at half of the rows gives two
    columns that share it a correlation of 4 x^2 / n, which has to matter, too.

    Parameters
    ----------
    scores
        Standardised normal scores, shape (n, columns).
    names
        Of these columns.
    are_conditions_known
        Whether it was said who was set in which rows, so that this need not be advised.
    """
    n = len(scores)
    height, place = np.array([_highest(column) for column in scores.T]).T
    by_chance = np.sqrt(np.log(2 * len(names) / CHANCE) / 2)
    found = np.flatnonzero((height > by_chance) & (4 * height**2 > NOTICEABLE * np.sqrt(n)))
    if len(found) < 2:
        return []
    found = found[np.argsort(-height[found], kind="stable")]
    columns = [names[column] for column in found.tolist()]
    remedy = "subtract its means, or name the column of conditions (interventions='COLUMN', with targets)"
    if are_conditions_known:
        remedy = "or subtract its means"
    sentence = (
        f"The means of columns {enumerate_names(columns)} change along the rows, most clearly after row "
        f"{place[found[0]]:.0f}, as if several conditions, batches or times were pooled, and columns that change "
        f"together look joined even if neither acts on the other: analyse each condition by itself, {remedy}."
    )
    return [Finding("row-order", tuple(columns), sentence)]


def find_groups(scores: FloatArray, correlation: FloatArray, names: Sequence[str]) -> list[Finding]:
    """Find two groups of rows that lie apart in several columns at once, in whatever order the rows are.

    Parameters
    ----------
    scores
        Standardised normal scores, shape (n, columns).
    correlation
        Their correlations.
    names
        Of these columns.
    """
    n, p = scores.shape
    axes = np.random.default_rng(0).standard_normal((p, min(AXES, p)))
    for _ in range(ROUNDS):
        axes, _ = np.linalg.qr(correlation @ axes)
    least = max(TWO_GROUPS, 2 / np.pi + UNLIKELY / np.sqrt(n))
    for axis in axes.T:
        share, is_first = _split(scores @ axis)
        difference = np.abs(scores[is_first].mean(axis=0) - scores[~is_first].mean(axis=0))
        found = np.flatnonzero(difference > APART)
        if share > least and len(found) > 1:
            columns = [names[column] for column in found[np.argsort(-difference[found], kind="stable")].tolist()]
            sizes = sorted([int(is_first.sum()), int((~is_first).sum())])
            sentence = (
                f"The rows fall into two groups, of {sizes[0]} and {sizes[1]} rows, that lie apart in "
                f"{enumerate_names(columns)}, as if two conditions or kinds of samples were pooled, and columns that "
                "differ together look joined even if neither acts on the other: analyse each group by itself, or "
                "subtract its means."
            )
            return [Finding("groups", tuple(columns), sentence)]
    return []


def _count_pairs(sizes: Iterable[int]) -> int:
    return sum(size * (size - 1) // 2 for size in sizes)


def _highest(column: FloatArray) -> tuple[float, int]:
    """Return the largest sum from the first row on, in units of its order of magnitude, and the row it ends with."""
    sums = np.abs(np.cumsum(column))
    highest = int(sums.argmax())
    return float(sums[highest] / np.sqrt(len(column))), highest + 1


def _split(position: FloatArray) -> tuple[float, np.ndarray]:
    """Cut positions into two groups; return the share of the variance between them, and who is in the first."""
    n = len(position)
    ordered = np.sort(position - position.mean())
    size = np.arange(1, n)
    between = np.cumsum(ordered)[:-1] ** 2 / (size * (n - size))
    best = int(between.argmax())
    share = n * between[best] / np.sum(ordered**2)
    return float(share), position - position.mean() <= ordered[best]

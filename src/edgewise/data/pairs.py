"""A look at pairs of columns: near copies of each other, and correlations that a few rows make."""

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from edgewise.data.dataset import Dataset
from edgewise.data.finding import CHANCE, RANKS, Finding
from edgewise.data.moments import FloatArray
from edgewise.data.ranks import normal_scores
from edgewise.wording import count, enumerate_items, quote

NEARLY_ONE = 0.99
"""Columns that are more correlated than this are nearly copies of each other."""

HIGH = 0.95
"""A correlation that relatives may have: with few rows, near copies must be told from those."""

EVIDENT = 4.0
"""Standard errors of Fisher's z from which on a correlation is taken for an edge, whatever the number of columns."""

FEW = 0.01
"""The share of rows that counts as a few; three rows always do."""

MOST_CHECKED = 200
"""Pairs whose rows are looked at one by one, those with the greatest change first."""


def find_near_copies(dataset: Dataset) -> list[Finding]:
    """Find columns that are nearly copies of each other, and not only by a few rows far from all others."""
    moments, names, values = dataset.moments, dataset.names, dataset.values
    pairs = moments.p * (moments.p - 1) / 2
    beyond_chance = np.tanh(np.arctanh(HIGH) - NormalDist().inv_cdf(CHANCE / (2 * pairs)) / np.sqrt(moments.n - 3))
    size = np.abs(np.triu(moments.correlation, 1))
    copies = [
        (i, j)
        for i, j in np.argwhere(size > max(NEARLY_ONE, beyond_chance))[:MOST_CHECKED].tolist()
        if values is None or abs(_correlate_ranks(values[:, i], values[:, j])) > HIGH
    ]
    if not copies:
        return []
    listed = [f"{quote(names[i])} and {quote(names[j])} with {moments.correlation[i, j]:.4f}" for i, j in copies]
    columns = tuple(names[column] for column in sorted({column for pair in copies for column in pair}))
    sentence = (
        f"Some columns are nearly copies of each other (a correlation of {enumerate_items(listed)}), and data can "
        "hardly tell which of two copies has an edge: keep one of each, or take their mean."
    )
    return [Finding("near-copies", columns, sentence)]


def find_same_levels(dataset: Dataset) -> list[Finding]:
    """Find columns with levels that say the same under other names."""
    if dataset.values is None:
        return []
    seen: dict[bytes, list[str]] = {}
    for name, column, levels in zip(dataset.names, dataset.values.T, dataset.levels, strict=True):
        if levels:
            # Rows with the same level, listed by where they begin: the same for all names of the levels.
            _, first, which = np.unique(column, return_index=True, return_inverse=True)
            seen.setdefault(first[which.reshape(-1)].tobytes(), []).append(name)
    copies = [names for names in seen.values() if len(names) > 1]
    if not copies:
        return []
    listed = enumerate_items([" = ".join(quote(name) for name in names) for names in copies])
    sentence = (
        f"Some columns say the same in every row ({listed}), and data cannot tell which of them has an edge: keep one "
        "of each."
    )
    return [Finding("near-copies", tuple(name for names in copies for name in names), sentence)]


def find_carried(values: FloatArray, names: Sequence[str], plain: FloatArray, ranked: FloatArray) -> list[Finding]:
    """Find correlations that a few rows make, hide or turn round.

    Under a Gaussian, the correlation of normal scores is as good as that of the values, and differs from it by a small
    part of the standard error. Where one is beyond chance and the other at most half as large, the rows are found that
    make the difference.

    Parameters
    ----------
    values, names
        Columns that are not skewed.
    plain, ranked
        Their correlations, and those of their normal scores.
    """
    n = len(values)
    plain, ranked = _fisher(plain), _fisher(ranked)
    largest = np.maximum(np.abs(plain), np.abs(ranked))
    first, second = np.nonzero(np.triu(_differ(plain, ranked), 1) & (largest > EVIDENT / np.sqrt(n - 3)))
    worst = np.argsort(-np.abs(plain - ranked)[first, second], kind="stable")[:MOST_CHECKED]
    carried = []
    for i, j in zip(first[worst], second[worst], strict=True):
        rows, without = _find_carriers(values[:, i], values[:, j], plain[i, j], ranked[i, j])
        if len(rows):
            carried.append((i, j, rows, without))
    if not carried:
        return []
    i, j, rows, without = carried[0]
    listed = enumerate_items([str(row + 1) for row in np.sort(rows)])
    more = f" (and {count(len(carried) - 1, 'more pair')} of columns likewise)" if len(carried) > 1 else ""
    noun, decide, them = ("row", "one row decides", "it") if len(rows) == 1 else ("rows", "a few rows decide", "them")
    sentence = (
        f"The correlation of {quote(names[i])} and {quote(names[j])} is {np.tanh(plain[i, j]):.2f}, but "
        f"{round(without, 2) + 0.0:.2f} without {noun} {listed}{more}, so that {decide} about an edge: check {them}, "
        f"leave {them} out, or {RANKS}."
    )
    found = np.unique([pair[:2] for pair in carried])
    return [Finding("carried-correlation", tuple(names[column] for column in found), sentence)]


def _find_carriers(x: FloatArray, y: FloatArray, plain: float, ranked: float) -> tuple[np.ndarray, float]:
    """Return the fewest rows without which a correlation is another, nearer to that of ranks, and what it is then.

    Rows are left out in the order of their influence on the correlation; if a few do not suffice, there are none.
    """
    n = len(x)
    standard = np.stack([(column - column.mean()) / column.std() for column in (x, y)])
    influence = standard[0] * standard[1] - np.tanh(plain) * (standard**2).sum(axis=0) / 2
    few = max(3, int(FEW * n))
    rows = np.argsort(-np.sign(plain - ranked) * influence, kind="stable")[:few]
    without = _correlate_without(x, y, rows)
    is_other = _differ(plain, _fisher(without))
    if not is_other.any():
        return rows[:0], np.nan
    enough = int(is_other.argmax())
    return rows[: enough + 1], float(without[enough])


def _correlate_without(x: FloatArray, y: FloatArray, rows: np.ndarray) -> FloatArray:
    """Return the correlations without the first of some rows, without two, and so on; zero where a column is constant.

    What is left without all of them comes first, and rows are added to it: a row a million times as far away as the
    others would leave nothing of their sums.
    """
    rest = np.ones(len(x), dtype=bool)
    rest[rows] = False
    moved = np.stack([(column - column[rest].mean()) / (column[rest].std() or 1.0) for column in (x, y)])
    terms = np.stack([*moved, *moved**2, moved[0] * moved[1]])
    back = terms[:, rows[::-1][:-1]].cumsum(axis=1)[:, ::-1]
    sums = terms[:, rest].sum(axis=1, keepdims=True) + np.pad(back, [(0, 0), (0, 1)])
    means = sums / (len(x) - np.arange(1, len(rows) + 1))
    variance = means[2:4] - means[:2] ** 2
    covariance = means[4] - means[0] * means[1]
    size = np.sqrt(np.clip(variance[0] * variance[1], 0, None))
    return np.asarray(np.divide(covariance, size, out=np.zeros_like(size), where=size > 0))


def _correlate_ranks(x: FloatArray, y: FloatArray) -> float:
    return float(np.corrcoef(normal_scores(x), normal_scores(y))[0, 1])


def _differ(one: FloatArray | float, other: FloatArray) -> np.ndarray:
    """Whether one correlation, as Fisher's z, is at most half of the other, or has another sign."""
    return np.asarray(np.abs(one - other) > np.maximum(np.abs(one), np.abs(other)) / 2)


def _fisher(correlation: FloatArray) -> FloatArray:
    """Fisher's z; that of the diagonal is finite, so that differences are numbers."""
    return np.asarray(np.arctanh(np.clip(correlation, -1 + 1e-12, 1 - 1e-12)))

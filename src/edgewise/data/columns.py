"""A look at each column by itself: codes, row numbers, skewness, heavy tails and gross cells."""

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from edgewise.data.finding import CHANCE, FEWEST_ROWS, RANKS, Finding
from edgewise.data.moments import FloatArray
from edgewise.wording import columns_that, count, enumerate_items, pronoun, quote

MOST_LEVELS = 10
"""Different values of a column up to which they are taken for codes, grades or small counts."""

FEWEST_NUMBERED = 10
"""Rows from which on a row number is recognised: the values of 10 rows are in order by chance once in 2 million."""

SKEWNESS = 1.0
"""Beyond this a distribution counts as strongly skewed; an exponential one has 2."""

EXCESS_KURTOSIS = 3.0
"""With tails so heavy the variance of a correlation can be twice that under a Gaussian (1 + a third of it)."""

GROSS = 5.0
"""Robust standard deviations from the median beyond which a cell is gross: in a Gaussian, one in 2 million."""

MOST_GROSS = 0.05
"""If more cells than this share are gross, it is the distribution that has heavy tails."""

MISSING_CODES = np.array([sign * (10.0**digits - 1) for digits in range(2, 7) for sign in (-1, 1)])
"""What is written for a missing value where a cell must hold a number: 99 to 999999, and the same below zero."""

HELPFUL = 2 / 3
"""Logs help if they bring skewness and kurtosis down to this part or less."""


def describe_columns(values: FloatArray, is_number: Sequence[bool]) -> dict[str, list[Any]]:
    """Return the ``skewness`` of each column, None of one that has levels, and its number of ``distinct`` values.

    Missing cells do not count.
    """
    skewness: list[float | None] = []
    distinct: list[int] = []
    with np.errstate(all="ignore"):
        for column, measures in zip(values.T, is_number, strict=True):
            known = column[np.isfinite(column)]
            distinct.append(_count_levels(known)[0])
            skew = _shape(known)[0] if measures else np.nan
            skewness.append(round(skew, 4) if np.isfinite(skew) else None)
    return {"skewness": skewness, "distinct": distinct}


def find_numbered(values: FloatArray, names: Sequence[str]) -> list[Finding]:
    """Find columns that number the rows, or tell the time of each."""
    if len(values) < FEWEST_NUMBERED:
        return []
    running = {column for column in range(len(names)) if _runs_with_rows(values[:, column])}
    shuffled = {column for column in range(len(names)) if _is_numbering(values[:, column])} - running
    if 2 * len(shuffled) > len(names):  # all columns were replaced by ranks
        shuffled = set()
    columns = [names[column] for column in sorted(running | shuffled)]
    if not columns:
        return []
    sentence = (
        f"{columns_that(columns, 'looks', 'look')} like a row number, an identifier or a time (all values differ, and "
        f"count on in equal steps or follow the rows), so that an edge to {pronoun(columns)} would not be an effect of "
        f"one measurement on another: remove {pronoun(columns)}."
    )
    return [Finding("identifier", tuple(columns), sentence)]


def find_coarse(values: FloatArray, names: Sequence[str]) -> list[Finding]:
    """Find columns with few different values, and columns with one and the same in half of their rows."""
    n = len(values)
    levels, commonest = np.array([_count_levels(column) for column in values.T]).T
    is_few = (levels <= MOST_LEVELS) & (3 * levels <= n)
    is_stuck = (2 * commonest >= n) & ~is_few
    findings = []
    if is_few.any():
        columns = [names[column] for column in np.flatnonzero(is_few).tolist()]
        least, most = levels[is_few].min(), levels[is_few].max()
        sentence = (
            f"{columns_that(columns, 'has', 'have')} only {most if least == most else f'{least} to {most}'} different "
            f"values, but as numbers {'it is' if len(columns) == 1 else 'they are'} taken for measurements with "
            f"Gaussian noise, so that the probabilities of {_their(columns)} edges are rough: tell {_their(columns)} "
            "kinds, categorical for codes of groups, binary for yes and no, ordinal for grades, or continuous if they "
            "are measurements after all."
        )
        findings.append(Finding("few-values", tuple(columns), sentence))
    if is_stuck.any():
        columns = [names[column] for column in np.flatnonzero(is_stuck).tolist()]
        sentence = (
            f"{columns_that(columns, 'has', 'have')} one and the same value in half of the rows or more, as below a "
            "limit of detection, which no transformation makes Gaussian, so that the probabilities of "
            f"{_their(columns)} edges are rough: do not rely on them, or remove {pronoun(columns)}."
        )
        findings.append(Finding("one-value", tuple(columns), sentence))
    return findings


def find_missing_codes(values: FloatArray, names: Sequence[str]) -> list[Finding]:
    """Find columns in which a number stands for a missing value."""
    if len(values) < FEWEST_ROWS:
        return []
    found = {name: counts for name, column in zip(names, values.T, strict=True) if (counts := _missing_codes(column))}
    if not found:
        return []
    columns = list(found)
    codes = sorted({code for counts in found.values() for code in counts})
    cells = sum(sum(counts.values()) for counts in found.values())
    sentence = (
        f"{columns_that(columns, 'holds', 'hold')} {enumerate_items([f'{code:.0f}' for code in codes])} in {cells} "
        "cells, far from all other values, as is often written where a value is missing, but here it is taken for a "
        "measurement and decides which edges are found: leave these cells empty, and use what is known of their rows "
        "(missing='em', or --missing em)."
    )
    return [Finding("missing-codes", tuple(columns), sentence)]


class Limits(NamedTuple):
    """Skewness and excess kurtosis that are both too large and beyond chance."""

    skewness: float
    kurtosis: float

    @classmethod
    def of(cls, n: int, p: int) -> "Limits":
        """Return the limits for p columns of n rows.

        Under a Gaussian, skewness is normal after the transformation of D'Agostino (1970), and kurtosis after that of
        Anscombe & Glynn (1983). Both are solved here for the value that is exceeded by chance.
        """
        # Two sides of two statistics, which is too strict for kurtosis.
        extreme = -NormalDist().inv_cdf(CHANCE / (4 * p))
        spread = np.sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))
        fourth = 3 * (n**2 + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
        squared = np.sqrt(2 * (fourth - 1)) - 1
        skewness = spread * np.sqrt(2 / (squared - 1)) * np.sinh(extreme * np.sqrt(np.log(squared) / 2))

        spread = np.sqrt(24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5)))
        third = 6 * (n**2 - 5 * n + 2) / ((n + 7) * (n + 9)) * np.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
        degrees = 6 + 8 / third * (2 / third + np.sqrt(1 + 4 / third**2))
        root = 1 - 2 / (9 * degrees) - extreme * np.sqrt(2 / (9 * degrees))
        if root <= 0:
            return cls(max(SKEWNESS, float(skewness)), np.inf)
        kurtosis = spread * ((1 - 2 / degrees) / root**3 - 1) * np.sqrt((degrees - 4) / 2) - 6 / (n + 1)
        return cls(max(SKEWNESS, float(skewness)), max(EXCESS_KURTOSIS, float(kurtosis)))

    def departure(self, column: FloatArray) -> float:
        """Return by how much a column exceeds the limits: above 1 it does."""
        skewness, kurtosis = _shape(column)
        return max(abs(skewness) / self.skewness, kurtosis / self.kurtosis)


def find_shapes(values: FloatArray, names: Sequence[str], columns: Sequence[int]) -> list[Finding]:
    """Find which of some columns logs would mend, which have gross cells, and which only ranks mend."""
    n = len(values)
    limits = Limits.of(n, len(columns))
    skewed, heavy, gross = [], [], {}
    for number in columns:
        column = values[:, number]
        departure = limits.departure(column)
        if departure <= 1:
            continue
        in_logs = limits.departure(np.log(column)) if column.min() > 0 else np.inf
        is_gross = _is_gross(column)
        if in_logs <= 1:
            skewed.append(number)
        elif 0 < is_gross.sum() <= MOST_GROSS * n and limits.departure(column[~is_gross]) <= 1:
            gross[number] = np.flatnonzero(is_gross)
        elif in_logs <= HELPFUL * departure:
            skewed.append(number)
        else:
            heavy.append(number)
    return [
        *_describe_skewed([names[column] for column in skewed], [_shape(values[:, column])[0] for column in skewed]),
        *_describe_heavy([names[column] for column in heavy]),
        *_describe_gross(gross, values, names),
    ]


def _describe_skewed(columns: list[str], skewness: list[float]) -> list[Finding]:
    if not columns:
        return []
    sentence = (
        f"{columns_that(columns, 'is', 'are')} skewed, with a skewness of {'up to ' if len(columns) > 1 else ''}"
        f"{max(skewness, key=abs):.1f}, so that a few large values decide which edges are found: take logs of "
        f"{pronoun(columns)} first."
    )
    return [Finding("skewed", tuple(columns), sentence)]


def _describe_heavy(columns: list[str]) -> list[Finding]:
    if not columns:
        return []
    sentence = (
        f"{columns_that(columns, 'has', 'have')} heavier or more uneven tails than a Gaussian, which logs do not mend, "
        f"so that a few rows decide which edges are found and probabilities are too near to 0 or 1: {RANKS}."
    )
    return [Finding("heavy-tailed", tuple(columns), sentence)]


def _describe_gross(gross: dict[int, np.ndarray], values: FloatArray, names: Sequence[str]) -> list[Finding]:
    if not gross:
        return []
    columns = [names[column] for column in gross]
    first, rows = next(iter(gross.items()))
    cells = sum(map(len, gross.values()))
    which, correct = (
        ("such a cell", "correct it, leave out its row")
        if cells == 1
        else ("a few such cells", "correct them, leave out their rows")
    )
    sentence = (
        f"{columns_that(columns, 'holds', 'hold')} {count(cells, 'cell')} far from all others (row {rows[0] + 1} of "
        f"{quote(names[first])} has {values[rows[0], first]:.4g}, where {np.median(values[:, first]):.4g} is usual), "
        f"and {which} can make or hide an edge: {correct}, or {RANKS}."
    )
    return [Finding("outliers", tuple(columns), sentence)]


def _their(columns: Sequence[str]) -> str:
    return "its" if len(columns) == 1 else "their"


def _count_levels(column: FloatArray) -> tuple[int, int]:
    """Return how many different values there are, and how often the commonest occurs."""
    ordered = np.sort(column)
    ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(column) - 1)
    return len(ends), int(np.diff(ends, prepend=-1).max())


def _missing_codes(column: FloatArray) -> dict[float, int]:
    """Return the codes for a missing value in a column, each with how often it occurs.

    A code occurs more than once, and is further from all other values than these are from each other; or below zero,
    where no other value is.
    """
    known = column[np.isfinite(column)]
    others = known[~np.isin(known, MISSING_CODES)]
    if len(others) == len(known) or len(np.unique(others)) < 2:
        return {}
    counts = {code: int((known == code).sum()) for code in MISSING_CODES.tolist()}
    return {
        code: number
        for code, number in counts.items()
        if number > 1 and (np.abs(others - code).min() > np.ptp(others) or code < 0 <= others.min())
    }


def _runs_with_rows(column: FloatArray) -> bool:
    """Whether values go up or down from row to row, in whole numbers or in equal steps."""
    steps = np.diff(column)
    is_monotone = steps.min() > 0 or steps.max() < 0
    return bool(is_monotone and (_is_whole(column) or np.ptp(steps) <= 1e-6 * np.abs(steps).max()))


def _is_numbering(column: FloatArray) -> bool:
    """Whether values are whole numbers in equal steps, each once, in any order."""
    if not _is_whole(column):
        return False
    steps = np.diff(np.sort(column))
    return bool(steps[0] > 0 and np.ptp(steps) == 0)


def _is_whole(column: FloatArray) -> bool:
    return bool((column == np.round(column)).all())


def _shape(column: FloatArray) -> tuple[float, float]:
    """Return the skewness and the excess kurtosis."""
    centred = column - column.mean()
    centred /= np.abs(centred).max()  # so that squares fit into double precision, whatever the units
    square = centred * centred
    variance = square.mean()
    return float(np.mean(square * centred) / variance**1.5), float(np.mean(square * square) / variance**2 - 3)


def _is_gross(column: FloatArray) -> np.ndarray:
    distance = np.abs(column - np.median(column))
    spread = np.median(distance) / NormalDist().inv_cdf(0.75)
    return np.asarray(distance > GROSS * spread)

"""A look at data before anything is sampled: are they what the model takes them for.

The model has linear relations with Gaussian noise, independent rows of one kind, and columns that measure something.
Other data give probabilities all the same, and chains agree on them. So each kind of fault is looked for, and what is
found is put into a sentence. In clean Gaussian data each kind turns up less than once in a thousand tables.
"""

from collections.abc import Sequence

import numpy as np

from edgewise.data.columns import find_coarse, find_numbered, find_shapes
from edgewise.data.dataset import Dataset, FloatArray
from edgewise.data.finding import FEWEST_ROWS, Finding
from edgewise.data.pairs import find_carried, find_near_copies
from edgewise.data.ranks import normal_scores
from edgewise.data.rows import find_groups, find_repeated, find_shifts

FEW_ROWS = 50
"""With 30 to 45 rows of 10 columns, a third to a quarter of the directions that looked clear in simulations were wrong;
with 100 rows, one in eight."""

MOST_COMPARED = 1000
"""Columns that are compared with each other and along the rows: of more, at most so many, evenly spread over the table.
They take about a second, and what is wrong with rows shows in any of them."""


def look(dataset: Dataset) -> tuple[Finding, ...]:
    """Return what is unusual about data.

    Parameters
    ----------
    dataset
        Of a covariance matrix, only near copies among its columns and the number of rows can be known.

    Examples
    --------
    >>> from edgewise.data import load_data, simulate
    >>> table = simulate(5, 200, seed=1).data
    >>> look(load_data(table))
    ()
    >>> [finding.kind for finding in look(load_data(np.exp(table)))]
    ['skewed']
    """
    names, values = dataset.names, dataset.values
    findings: list[Finding] = []
    with np.errstate(all="ignore"):  # what is no number is beyond no limit
        if values is not None:
            numbered, coarse = find_numbered(values, names), find_coarse(values, names)
            measured = _not_in([*numbered, *coarse], names)
            findings += [*numbered, *coarse]
            if measured:
                findings += find_repeated(values[:, _not_in(numbered, names)] if numbered else values)
            if measured and len(values) >= FEWEST_ROWS:
                findings += _look_at_measured(values, names, measured, dataset.moments.correlation)
        findings += [*find_near_copies(dataset), *_find_few_rows(dataset.n, dataset.p)]
    return tuple(findings)


def _look_at_measured(
    values: FloatArray, names: Sequence[str], measured: list[int], correlation: FloatArray
) -> list[Finding]:
    """Look at the columns that measure something."""
    shapes = find_shapes(values, names, measured)
    compared = np.array(measured)[:: -(-len(measured) // MOST_COMPARED)]
    among = [names[column] for column in compared]
    scores = np.stack([normal_scores(values[:, column]) for column in compared], axis=1)
    scores -= scores.mean(axis=0)
    scores /= scores.std(axis=0)
    of_scores = scores.T @ scores / len(scores)
    is_sorted = any(_is_monotone(column) for column in scores.T)
    groups = ([] if is_sorted else find_shifts(scores, among)) or find_groups(scores, of_scores, among)
    even = _not_in([finding for finding in shapes if finding.kind != "outliers"], among)
    carried = find_carried(
        values[:, compared[even]],
        [among[column] for column in even],
        correlation[np.ix_(compared[even], compared[even])],
        of_scores[np.ix_(even, even)],
    )
    told = {name for finding in carried for name in finding.columns}
    return [*groups, *(finding for finding in shapes if not told.issuperset(finding.columns)), *carried]


def _not_in(findings: Sequence[Finding], names: Sequence[str]) -> list[int]:
    """Return the numbers of the columns that no finding is about."""
    found = {name for finding in findings for name in finding.columns}
    return [column for column, name in enumerate(names) if name not in found]


def _is_monotone(column: FloatArray) -> bool:
    steps = np.diff(column)
    return bool(steps.min() >= 0 or steps.max() <= 0)


def _find_few_rows(n: int, p: int) -> list[Finding]:
    if n >= FEW_ROWS and n >= p:
        return []
    sentence = (
        f"There are only {n} rows for {p} columns, so that weak edges stay hidden and directions are often told "
        "wrongly: ask which pairs are joined rather than in which direction, and measure more rows if you can."
    )
    return [Finding("few-rows", (), sentence)]

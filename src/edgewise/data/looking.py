"""A look at data before anything is sampled: are they what the model takes them for.

The model has linear relations with Gaussian noise, independent rows of one kind, and columns that measure something.
Other data give probabilities all the same, and chains agree on them. So each kind of fault is looked for, and what is
found is put into a sentence. In clean Gaussian data each kind turns up less than once in a thousand tables.

Columns with levels make no such assumptions: of them, only copies are looked for. Where cells are missing, complete
rows are looked at, and with interventions those of one condition: of those in which two columns vary, the one that has
most rows.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from edgewise.data.columns import describe_columns, find_coarse, find_missing_codes, find_numbered, find_shapes
from edgewise.data.dataset import Dataset
from edgewise.data.finding import FEWEST_ROWS, Finding
from edgewise.data.moments import FloatArray
from edgewise.data.pairs import find_carried, find_near_copies, find_same_levels
from edgewise.data.ranks import normal_scores
from edgewise.data.rows import find_groups, find_repeated, find_shifts
from edgewise.data.validation import MIN_ROWS

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
    findings: list[Finding] = []
    numbers = _numbers_of(dataset)
    with np.errstate(all="ignore"):  # what is no number is beyond no limit
        if numbers is not None:
            told = dataset.treatment.get("told_kinds", ())
            seen = _look_at_numbers(numbers, told, are_conditions_known=dataset.is_set is not None)
            findings += seen if numbers.n == dataset.n else [_among(finding, numbers.n, dataset) for finding in seen]
        findings += [*find_same_levels(dataset), *_find_few_rows(dataset.n, dataset.p)]
    return tuple(findings)


def summarize_data(dataset: Dataset) -> dict[str, Any]:
    """Return what a record of a run says of its data beyond what they are: their name, and two numbers of each column.

    Examples
    --------
    >>> from edgewise.data import load_data, simulate
    >>> sorted(summarize_data(load_data(simulate(3, 50, seed=1).data)))
    ['distinct', 'skewness']
    """
    about: dict[str, Any] = {} if dataset.source is None else {"name": dataset.source}
    if dataset.values is not None:
        about |= describe_columns(dataset.values, [kind == "continuous" for kind in dataset.kinds])
    return about


def _numbers_of(dataset: Dataset) -> Dataset | None:
    """Return the continuous columns that vary, in rows that can be compared; None if there are not two of them."""
    if dataset.values is None:
        return dataset
    is_number = np.isin(dataset.kinds, "continuous")
    numbers = dataset.values[:, is_number]
    for is_taken in _comparable_rows(numbers, dataset.is_set):
        if is_number.all() and is_taken.all():
            return dataset
        values = numbers[is_taken]
        is_varying = (values != values[:1]).any(axis=0)
        if len(values) >= MIN_ROWS and is_varying.sum() >= 2:
            names = np.array(dataset.names, object)[is_number][is_varying]
            return Dataset(tuple(names), np.ascontiguousarray(values[:, is_varying]), dataset.fingerprint)
    return None


def _comparable_rows(numbers: FloatArray, is_set: npt.NDArray[np.bool_] | None) -> Iterator[npt.NDArray[np.bool_]]:
    """Yield which rows are complete; with interventions, which of them have the same variables set, the most first."""
    is_complete = np.asarray(np.isfinite(numbers).all(axis=1))
    if is_set is None:
        yield is_complete
        return
    _, which, sizes = np.unique(is_set, axis=0, return_inverse=True, return_counts=True)
    for condition in np.argsort(-sizes, kind="stable"):
        yield is_complete & (which.reshape(-1) == condition)


def _among(finding: Finding, rows: int, dataset: Dataset) -> Finding:
    """Say which rows a finding is about, where these are not all, and are numbered by themselves."""
    which = "" if dataset.is_set is None else " with the same variables set, the most in which two columns vary"
    counted = " (and counted among these)" if re.search(r"\brow \d", finding.sentence) else ""
    sentence = f"Among the {rows} complete rows{which}{counted}, {finding.sentence[0].lower()}{finding.sentence[1:]}"
    return replace(finding, sentence=sentence)


def _look_at_numbers(dataset: Dataset, told: Sequence[str], *, are_conditions_known: bool) -> list[Finding]:
    """Look at columns of numbers; of those that were ``told`` to be measurements, one does not ask."""
    names, values = dataset.names, dataset.values
    findings: list[Finding] = []
    if values is not None:
        numbered, coarse = find_numbered(values, names), find_coarse(values, names)
        codes = find_missing_codes(values, names)
        measured = _not_in([*numbered, *coarse, *codes], names)
        findings += [*numbered, *codes, *(finding for finding in coarse if not set(told).issuperset(finding.columns))]
        if measured:
            findings += find_repeated(values[:, _not_in(numbered, names)] if numbered else values)
        if measured and len(values) >= FEWEST_ROWS:
            correlation = dataset.moments.correlation
            findings += _look_at_measured(
                values, names, measured, correlation, are_conditions_known=are_conditions_known
            )
    return [*findings, *find_near_copies(dataset)]


def _look_at_measured(
    values: FloatArray,
    names: Sequence[str],
    measured: list[int],
    correlation: FloatArray,
    *,
    are_conditions_known: bool,
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
    shifts = [] if is_sorted else find_shifts(scores, among, are_conditions_known=are_conditions_known)
    groups = shifts or find_groups(scores, of_scores, among)
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
        f"There are only {n} rows for {p} columns, so that weak edges stay hidden, unrelated pairs can look joined "
        "and directions are often told wrongly: take what is found for a guess, and measure more rows if you can."
    )
    return [Finding("few-rows", (), sentence)]

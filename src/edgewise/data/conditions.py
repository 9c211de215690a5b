"""Experiments: which variables were set by the experimenter, in which rows.

A *condition* is what some rows were measured under, and its *targets* the variables that were set there, whatever their
causes: knocked out, clamped, randomised. In these rows the value of a target says nothing about its causes, though it
says everything about its effects. Interventions are taken to be perfect, which means that a target no longer depends on
anything that was measured.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from edgewise.errors import ArgumentError, DataError
from edgewise.wording import columns_that, enumerate_items, enumerate_names, pronoun, quote

Interventions: TypeAlias = str | npt.ArrayLike | pd.DataFrame
Targets: TypeAlias = Mapping[Any, str | Sequence[str]]
BoolMatrix: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Condition:
    """What some rows were measured under.

    Attributes
    ----------
    name
        As the data call it, or the names of its targets.
    rows
        How many rows there are.
    targets
        The variables that were set.
    """

    name: str
    rows: int
    targets: tuple[str, ...]


def read_conditions(
    column: "pd.Series[Any]", targets: Targets | None, names: Sequence[str]
) -> tuple[BoolMatrix, list[str]]:
    """Return which cells were set, and the condition of each row, from a column that names the conditions.

    Parameters
    ----------
    column
        The condition of each row.
    targets
        The variables that were set under each condition: a name, several, or none.
    names
        The variables.

    Examples
    --------
    >>> column = pd.Series(["control", "Mek inhibitor"], name="condition")
    >>> read_conditions(column, {"control": [], "Mek inhibitor": "Mek"}, ["Raf", "Mek"])
    (array([[False, False],
           [False,  True]]), ['control', 'Mek inhibitor'])
    """
    where = quote(str(column.name))
    if not isinstance(targets, Mapping):
        raise ArgumentError(
            f"interventions={where} names a column, so that targets must say what was set under each of its "
            f"conditions, like {{'control': [], 'Mek inhibitor': ['Mek']}}, but {targets!r} was given."
        )
    if column.isna().any():
        row = int(np.flatnonzero(column.isna())[0]) + 1
        raise DataError(f"Column {where} has no condition in row {row}: name the condition of every row.")
    found = [_label(value) for value in column]
    known = {_label(condition): _as_names(condition, given) for condition, given in targets.items()}
    unknown = sorted(set(found) - set(known))
    if unknown:
        raise ArgumentError(
            f"Column {where} has the {'condition' if len(unknown) == 1 else 'conditions'} {enumerate_names(unknown)}, "
            f"of which targets says nothing: give the variables that were set there, or an empty list."
        )
    strange = sorted({target for given in known.values() for target in given} - set(names))
    if strange:
        raise ArgumentError(
            f"targets has {enumerate_names(strange)}, but the data have no column of that name: correct the name, or "
            "leave it out."
        )
    place = {name: number for number, name in enumerate(names)}
    is_set = np.zeros((len(found), len(names)), bool)
    for row, condition in enumerate(found):
        is_set[row, [place[target] for target in known[condition]]] = True
    return is_set, found


def read_mask(given: npt.ArrayLike | pd.DataFrame, n: int, names: Sequence[str]) -> tuple[BoolMatrix, list[str]]:
    """Return which cells were set, and a name for the condition of each row, from a mask of rows and variables.

    Parameters
    ----------
    given
        True where a variable was set, shape (n, p); or a DataFrame with columns for some of the variables.
    n, names
        The number of rows, and the variables.

    Examples
    --------
    >>> read_mask(pd.DataFrame({"Mek": [0, 1]}), 2, ["Raf", "Mek"])
    (array([[False, False],
           [False,  True]]), ['observational', 'Mek'])
    """
    if isinstance(given, pd.DataFrame):
        strange = [str(name) for name in given.columns if str(name) not in names]
        if strange:
            raise ArgumentError(
                f"The interventions have {enumerate_names(strange)}, but the data have no such variable: correct the "
                "name, or leave it out."
            )
        cells = np.zeros((len(given), len(names)), object)
        for name, series in given.items():
            cells[:, list(names).index(str(name))] = series.to_numpy()
    else:
        cells = np.asarray(given, dtype=object)
    if cells.shape != (n, len(names)):
        raise ArgumentError(
            f"The interventions have the shape {cells.shape}, but the data have {n} rows and {len(names)} variables: "
            "give true or false for each cell."
        )
    others = [value for value in cells.ravel().tolist() if value not in (0, 1)]
    if others:
        raise ArgumentError(
            f"The interventions must hold true or false, or 1 or 0, only, but {quote(others[0])} was found."
        )
    is_set = cells.astype(bool)
    return is_set, [
        enumerate_items([names[v] for v in np.flatnonzero(row).tolist()]) if row.any() else FREE for row in is_set
    ]


FREE = "observational"
"""The condition of rows in which nothing was set, where it has no name of its own."""


def sum_up(is_set: BoolMatrix, condition: Sequence[str], names: Sequence[str]) -> tuple[Condition, ...]:
    """Return the conditions in the order in which they turn up, after checking that each variable is free somewhere."""
    never_free = [name for name, column in zip(names, is_set.T, strict=True) if column.all()]
    if never_free:
        raise DataError(
            f"{columns_that(never_free, 'was', 'were')} set in every row, so that nothing can be learned about "
            f"{'its' if len(never_free) == 1 else 'their'} causes: add rows in which {pronoun(never_free)} "
            f"{'was' if len(never_free) == 1 else 'were'} not, or say in constraints that "
            f"{'it has' if len(never_free) == 1 else 'they have'} no causes and leave out the intervention."
        )
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(condition):
        rows.setdefault(name, []).append(row)
    return tuple(
        Condition(name, len(found), tuple(names[v] for v in np.flatnonzero(is_set[found[0]]).tolist()))
        for name, found in rows.items()
    )


def _as_names(condition: object, given: Any) -> tuple[str, ...]:
    """Return the variables that were set under a condition: one name, or a list of names."""
    if isinstance(given, str):
        return (given,)
    names = list(given) if isinstance(given, Iterable) and not isinstance(given, Mapping) else [None]
    if not all(isinstance(name, str | int | np.integer) for name in names):
        raise ArgumentError(
            f"targets must have a list of variables for each condition, like {{'inhibitor': ['Mek']}}, but for "
            f"{quote(condition)} it has {quote(given)}."
        )
    return tuple(map(str, names))


def _label(value: object) -> str:
    """Return a condition as text: 1 and 1.0 are the same."""
    return f"{value:g}" if isinstance(value, float | int | np.number) and not isinstance(value, bool) else str(value)

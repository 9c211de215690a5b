"""What the columns of a table measure, and their cells as numbers.

A column is *continuous*, *ordinal* (grades, whose order means something but not their distance), *binary* or
*categorical*. Its type tells which, unless the user does: numbers are continuous, booleans and text and pandas
categories are binary or categorical, ordered categories ordinal. Cells of a discrete column become codes, the numbers
of their levels; what is missing is not a number.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from edgewise.data.numerals import read_marks, to_float
from edgewise.data.validation import find_non_number, is_number
from edgewise.errors import ArgumentError, DataError
from edgewise.wording import columns_that, count, enumerate_names, pronoun, quote

Kind = Literal["continuous", "ordinal", "binary", "categorical"]
KINDS: tuple[Kind, ...] = get_args(Kind)

MOST_LEVELS = 100
"""Levels of a column that can still be looked over in tables; codes would have room for 255."""

USUAL_LEVELS = 10
"""Different values of a column of text up to which they are not looked into."""

NEARLY_ALL = 0.9
"""The share of the cells of a column that tells what it holds."""

TEXT_FAULTS = {
    re.compile(r"\d{4}[-/.]\d\d?[-/.]\d\d?\b.*|\d\d?[-/.]\d\d?[-/.]\d{2,4}\b.*"): (
        "which looks like dates: replace {them} by numbers, such as days since the first, leave {them} out, or if they "
        "are names of groups, call {them} categorical"
    ),
    re.compile(r"[-+−<>≤≥=~≈$€£]*\s*\d[\d\s.,'’]*(\D{0,12}|(±|\+/-).*)"): (
        "which looks like numbers with other marks: leave only digits and a decimal point in each cell, or if they are "
        "names of groups, call {them} categorical"
    ),
}
"""What text with many different values may be instead of levels, by its shape."""


class Column(NamedTuple):
    """A column as numbers.

    ``values`` holds numbers or codes, nan where a cell is missing, and ``levels`` what the codes 0, 1, ... stand for;
    a continuous column has none.
    """

    kind: Kind
    values: npt.NDArray[np.float64]
    levels: tuple[str, ...] = ()


def read_columns(frame: pd.DataFrame, names: Sequence[str], kinds: Mapping[str, str] | None) -> list[Column]:
    """Return the columns of a table as numbers, each of the kind that was told or that its type tells.

    Raises
    ------
    ArgumentError
        If ``kinds`` is no mapping from names to kinds.
    DataError
        If a column cannot be of the kind that was told, or holds neither numbers nor levels.

    Examples
    --------
    >>> table = pd.DataFrame({"dose": [0.5, 1.5, 1.0], "sex": ["f", "m", "f"], "grade": [5, 3, 5]})
    >>> for column in read_columns(table, list(table), {"grade": "ordinal"}):
    ...     print(column.kind, column.values, column.levels)
    continuous [0.5 1.5 1. ] ()
    binary [0. 1. 0.] ('f', 'm')
    ordinal [1. 0. 1.] ('3', '5')
    """
    told = _check_kinds(kinds, names)
    series = dict(zip(names, (column for _, column in frame.items()), strict=True))
    series |= read_marks({name: column for name, column in series.items() if told.get(name) in (None, "continuous")})
    _refuse_faults({name: _find_fault(column, told.get(name)) for name, column in series.items()}, series)
    columns = [_read_column(column, name, told.get(name)) for name, column in series.items()]
    _check_levels(columns, names)
    return columns


def _check_kinds(kinds: Mapping[str, str] | None, names: Sequence[str]) -> dict[str, Kind]:
    """Return the kinds that were told, after checking that there are such columns and kinds."""
    if kinds is None:
        return {}
    if not isinstance(kinds, Mapping):
        raise ArgumentError(f"kinds must be like {{'smoker': 'binary'}}, names with kinds, but {kinds!r} was given.")
    told: dict[str, Kind] = {}
    for name, kind in kinds.items():
        if name not in names:
            raise ArgumentError(f"kinds has the column {quote(name)}, but the data have none of that name.")
        match = [known for known in KINDS if known == kind]
        if not match:
            raise ArgumentError(
                f"The kind of column {quote(name)} must be {', '.join(map(repr, KINDS[:-1]))} or {KINDS[-1]!r}, but "
                f"{kind!r} was given."
            )
        told[name] = match[0]
    return told


def _find_fault(column: "pd.Series[Any]", told: Kind | None) -> str | None:
    """Return what is wrong with a column, as the end of a sentence that begins with what it holds."""
    found = find_non_number(column)
    if found is None or (told in ("binary", "categorical") and found.what in LEVELS):
        return None
    if found.what not in LEVELS:
        return "but only numbers and levels can be analysed: remove {them} or recode {them} as numbers"
    if told == "continuous":
        return "but {is} said to be continuous: recode {them} as numbers, or call {them} categorical"
    if told == "ordinal":
        if isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered:
            return None
        return (
            "whose order is not known, but {is} said to be ordinal: recode {them} as numbers in their order, or as an "
            "ordered category of pandas"
        )
    if _has_numbers(column):
        return (
            "among numbers: correct such cells, leave them empty where a value is missing, or if all values are names "
            "of groups, call {them} categorical"
        )
    return next((fault for shape, fault in TEXT_FAULTS.items() if _have_shape(column, shape)), None)


LEVELS = ("text", "true/false values", "categories")
"""What can be the levels of a column."""


def _refuse_faults(faults: Mapping[str, str | None], series: Mapping[str, "pd.Series[Any]"]) -> None:
    """Raise the error for columns that cannot be read, of those with the same fault as the first."""
    first = next((name for name, fault in faults.items() if fault is not None), None)
    if first is None:
        return
    found = {name: find_non_number(series[name]) for name, fault in faults.items() if fault == faults[first]}
    example = found[first]
    if example is None:
        return
    columns = [name for name, other in found.items() if other is not None and other.what == example.what]
    where = f"row {example.row}" if len(columns) == 1 else f"row {example.row} of {quote(first)}"
    ending = str(faults[first]).format(**{"them": pronoun(columns), "is": "is" if len(columns) == 1 else "are"})
    comma = "" if ending.startswith("among") else ","
    raise DataError(
        f"{columns_that(columns, 'holds', 'hold')} {example.what} ({quote(example.value)} in {where}){comma} {ending}."
    )


def _has_numbers(column: "pd.Series[Any]") -> bool:
    """Whether a column that is not all numbers has some, written as text or not, so that others may be slips."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return False
    return any(is_number(value) or _is_numeral(value) for value in column[~column.isna()])


def _have_shape(column: "pd.Series[Any]", shape: re.Pattern[str]) -> bool:
    """Whether a column of text has more values than groups usually have, and nearly all are of a shape."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return False
    known = [str(value) for value in column[~column.isna()]]
    fitting = sum(shape.fullmatch(value) is not None for value in known)
    return len(set(known)) > USUAL_LEVELS and fitting >= NEARLY_ALL * len(known)


def _is_numeral(value: object) -> bool:
    return isinstance(value, str) and math.isfinite(to_float(value))


def _read_column(column: "pd.Series[Any]", name: str, told: Kind | None) -> Column:
    if told == "continuous" or (told is None and find_non_number(column) is None):
        # Adding zero turns -0.0 into 0.0, so that equal tables have equal fingerprints.
        return Column("continuous", np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan) + 0.0))
    codes, levels = _code(column)
    is_ordered = isinstance(column.dtype, pd.CategoricalDtype) and bool(column.dtype.ordered)
    if told == "binary" and len(levels) != 2:
        raise DataError(
            f"Column {quote(name)} is said to be binary, but has {count(len(levels), 'different value')}"
            f"{f' ({enumerate_names(levels)})' if levels else ''}: call it categorical, or correct it."
        )
    kind = told or ("ordinal" if is_ordered else "binary" if len(levels) == 2 else "categorical")
    return Column(kind, codes, levels)


def _code(column: "pd.Series[Any]") -> tuple[npt.NDArray[np.float64], tuple[str, ...]]:
    """Return the codes of a discrete column, and its levels: in their order if they have one, else sorted."""
    is_missing = column.isna().to_numpy()
    codes = np.full(len(column), np.nan)
    known = column[~is_missing]
    if isinstance(column.dtype, pd.CategoricalDtype):
        used = known.cat.remove_unused_categories()
        codes[~is_missing] = used.cat.codes.to_numpy()
        return codes, tuple(str(level) for level in used.cat.categories)
    values = known.to_numpy(dtype=object)
    numbers = all(is_number(value) for value in values)
    keys = [float(value) for value in values] if numbers else [str(value) for value in values]
    levels: list[Any] = sorted(set(keys))
    place = {level: code for code, level in enumerate(levels)}
    codes[~is_missing] = [place[key] for key in keys]
    return codes, tuple(f"{level:g}" if numbers else level for level in levels)


def _check_levels(columns: Sequence[Column], names: Sequence[str]) -> None:
    """Refuse discrete columns with hardly a level twice, which name the rows, and those with very many levels."""
    named = [
        name
        for name, column in zip(names, columns, strict=True)
        if len(column.levels) > 2 and 2 * len(column.levels) > np.isfinite(column.values).sum()
    ]
    if named:
        raise DataError(
            f"{columns_that(named, 'has', 'have')} hardly any value twice, as a name or an identifier of the rows has: "
            f"leave {pronoun(named)} out."
        )
    many = [name for name, column in zip(names, columns, strict=True) if len(column.levels) > MOST_LEVELS]
    if many:
        raise DataError(
            f"{columns_that(many, 'has', 'have')} more than {MOST_LEVELS} levels, too many to learn anything about "
            f"each: join levels, or leave {pronoun(many)} out."
        )

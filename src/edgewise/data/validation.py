"""The checks that data must pass, each of which raises one sentence that names the columns at fault."""

import datetime
import unicodedata
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from edgewise.data.moments import FloatArray
from edgewise.errors import DataError
from edgewise.wording import columns_that, count, enumerate_names, pronoun, quote

MIN_ROWS = 4
"""Fisher's z for a plain correlation has the variance 1 / (n - 3)."""

MOST_COLUMNS = 5000
"""Matrices of all pairs of so many columns fill a gigabyte before a chain has begun."""

ASYMMETRY = 1e-6
"""Largest difference between mirrored correlations that rounding to single precision explains."""


def check_names(names: Sequence[str]) -> None:
    """Refuse empty, invisible and repeated column names, and halves of characters, which no file can hold."""
    empty = [position for position, name in enumerate(names, start=1) if not any(map(_is_visible, name))]
    if empty:
        raise DataError(
            f"Column {empty[0]} of the data has no name: give every column a name, or remove it if it is empty."
        )
    lost = [position for position, name in enumerate(names, start=1) if name == "NaN"]
    if lost:
        raise DataError(
            f"Column {lost[0]} of the data is called 'NaN', which is what programs write where there is no name: give "
            "every column a name."
        )
    broken = [name for name in names if any("\ud800" <= character <= "\udfff" for character in name)]
    if broken:
        raise DataError(f"The column name {broken[0]!a} is not valid text: rename the column.")
    repeated = [name for name, occurrences in Counter(names).items() if occurrences > 1]
    if repeated:
        raise DataError(f"More than one column is called {enumerate_names(repeated)}: give each column its own name.")


def _is_visible(character: str) -> bool:
    """Whether a character leaves a mark: neither white space nor a control or format character."""
    return unicodedata.category(character) not in ("Cc", "Cf", "Zs", "Zl", "Zp")


def check_shape(n: int, names: Sequence[str]) -> None:
    """Refuse tables with too few columns or rows, or with more columns than there is room for."""
    if len(names) < 2:
        found = f"only the column {quote(names[0])}" if names else "no columns"
        raise DataError(f"The data have {found}, but at least 2 columns are needed.")
    if len(names) > MOST_COLUMNS:
        raise DataError(
            f"The data have {len(names):,} columns, but at most {MOST_COLUMNS:,} can be analysed together: choose some "
            "of them."
        )
    if n < MIN_ROWS:
        found = f"only {count(n, 'row')}" if n else "no rows"
        raise DataError(f"The data have {found}, but at least {MIN_ROWS} rows are needed.")


def check_finite(values: FloatArray, names: Sequence[str]) -> None:
    """Refuse infinite values."""
    _check_cells(np.isinf(values), names, "infinite value", "correct or leave out these rows or columns")


def check_known(values: FloatArray, names: Sequence[str], ways: str) -> None:
    """Refuse missing values, and say which ways there are to go on."""
    _check_cells(np.isnan(values), names, "missing value", ways)


def check_varying(values: FloatArray, names: Sequence[str]) -> None:
    """Refuse columns with one and the same value in all rows in which it is known, and empty ones."""
    is_known = ~np.isnan(values)
    empty = np.asarray(~is_known.any(axis=0))
    if empty.any():
        columns = _select(names, empty)
        raise DataError(f"{columns_that(columns, 'has', 'have')} no value in any row: remove {pronoun(columns)}.")
    constant = np.nanmax(values, axis=0) == np.nanmin(values, axis=0)
    if constant.any():
        columns = _select(names, constant)
        raise DataError(
            f"{columns_that(columns, 'has', 'have')} the same value in every row and can depend on nothing: "
            f"remove {pronoun(columns)}."
        )


def check_magnitude(scale: FloatArray, names: Sequence[str]) -> None:
    """Refuse columns whose standard deviation is not an ordinary double."""
    extreme = ~((scale >= np.finfo(np.float64).tiny) & np.isfinite(scale))
    if extreme.any():
        columns = _select(names, extreme)
        raise DataError(
            f"{columns_that(columns, 'varies', 'vary')} on a scale beyond the range of double precision: "
            f"express {pronoun(columns)} in other units."
        )


def check_covariance(matrix: FloatArray, n: object, *, mean: FloatArray, names: Sequence[str]) -> None:
    """Refuse a square matrix that cannot hold the covariances of n rows with these means and names."""
    p = matrix.shape[0]
    if len(names) != p:
        raise DataError(f"The covariance matrix has {count(p, 'column')}, but there are {count(len(names), 'name')}.")
    if mean.shape != (p,):
        raise DataError(
            f"The covariance matrix has {count(p, 'column')}, but the means have the shape {mean.shape}: "
            "give one mean for each column."
        )
    if isinstance(n, bool) or not isinstance(n, Integral):
        raise DataError(f"The number of rows behind the covariance matrix must be a whole number, but n is {n!r}.")
    check_names(names)
    check_shape(int(n), names)
    unusable = ~(np.isfinite(matrix).all(axis=0) & np.isfinite(mean))
    if unusable.any():
        columns = _select(names, unusable)
        raise DataError(
            f"{columns_that(columns, 'has', 'have')} a missing or infinite covariance or mean: correct or "
            f"remove {pronoun(columns)}."
        )
    flat = np.diag(matrix) <= 0
    if flat.any():
        columns = _select(names, flat)
        raise DataError(
            f"{columns_that(columns, 'has', 'have')} a variance of zero or less in the covariance matrix: "
            f"correct or remove {pronoun(columns)}."
        )
    _check_symmetric(matrix, names)


def _check_cells(faulty: npt.NDArray[np.bool_], names: Sequence[str], noun: str, remedy: str) -> None:
    total = int(faulty.sum())
    if total == 0:
        return
    columns = _select(names, np.any(faulty, axis=0))
    row, column = divmod(int(faulty.argmax()), len(names))
    where = f"in row {row + 1}" if total == 1 else f"the first in row {row + 1}"
    if len(columns) > 1:
        where += f" of {quote(names[column])}"
    raise DataError(f"{columns_that(columns, 'has', 'have')} {count(total, noun)}, {where}: {remedy}.")


def _check_symmetric(matrix: FloatArray, names: Sequence[str]) -> None:
    scale = np.sqrt(np.diag(matrix))
    difference = np.abs(matrix - matrix.T) / scale[:, None] / scale
    if difference.max() > ASYMMETRY:
        i, j = divmod(int(difference.argmax()), len(names))
        raise DataError(
            f"The covariance matrix is not symmetric: {quote(names[i])} with {quote(names[j])} has "
            f"{matrix[i, j]:.6g}, but {matrix[j, i]:.6g} the other way round."
        )


class NonNumber(NamedTuple):
    """A cell that holds no number: what it holds, in which row, counted from one."""

    what: str
    row: int
    value: object


def find_non_number(column: "pd.Series[Any]") -> NonNumber | None:
    """Return the first cell of a column that holds something other than a number."""
    types = pd.api.types
    dtype = column.dtype
    categorical = isinstance(dtype, pd.CategoricalDtype)
    if types.is_numeric_dtype(dtype) and not (types.is_bool_dtype(dtype) or types.is_complex_dtype(dtype)):
        return None
    for row, (value, missing) in enumerate(zip(column, column.isna(), strict=True), start=1):
        if categorical and not missing:
            return NonNumber("categories", row, value)
        if not (missing or is_number(value)):
            return NonNumber(_describe(value), row, value)
    return None


def is_number(value: object) -> bool:
    """Return whether a cell holds a number, of any type."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


def _describe(value: object) -> str:
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool | np.bool_):
        return "true/false values"
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta | pd.Period):
        return "dates or times"
    return f"values of the type {type(value).__name__}"


def _select(names: Sequence[str], chosen: npt.NDArray[np.bool_]) -> list[str]:
    return [name for name, is_chosen in zip(names, chosen, strict=True) if is_chosen]

"""Numbers as people and spreadsheets write them: with a percent sign, a decimal comma, or a true minus sign."""

import math
import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

COMMA = re.compile(r"[+\-−]?\d+,\d+")
THOUSANDS = re.compile(r"[+\-−]?[1-9]\d{0,2},\d{3}")
"""A comma that may be decimal, or stand between thousands."""


def to_float(field: str) -> float:
    """Parse a field, with not a number for what is none.

    Examples
    --------
    >>> to_float("-1.5"), to_float("−1.5"), to_float("1_000")
    (-1.5, -1.5, nan)
    """
    try:
        return math.nan if "_" in field else float(field.replace("−", "-"))  # Python reads the label 1_000 as a number
    except ValueError:
        return math.nan


def read_marks(columns: Mapping[str, "pd.Series[Any]"]) -> dict[str, "pd.Series[Any]"]:
    """Return those columns as numbers whose marks can mean only one thing.

    A percent sign is left out if all cells of a column have one. Commas are decimal if some cannot stand between
    thousands, and if the numbers of the column that have none are whole.

    Examples
    --------
    >>> table = pd.DataFrame({"a": ["1,5", 2.0], "b": ["51 %", "3 %"], "c": ["51 %", 3.0], "d": ["low", "high"]})
    >>> {name: column.tolist() for name, column in read_marks(table).items()}
    {'a': [1.5, 2.0], 'b': [51.0, 3.0]}
    """
    bare = {name: cells for name, column in columns.items() if (cells := _without_percent(column))}
    commas = [str(cell) for cells in bare.values() for cell in cells.values() if COMMA.fullmatch(str(cell))]
    is_decimal = not all(THOUSANDS.fullmatch(cell) for cell in commas)
    numbers = {name: _read(cells, is_decimal=is_decimal) for name, cells in bare.items()}
    return {
        name: pd.Series(read, dtype=float).reindex(range(len(columns[name])))
        for name, read in numbers.items()
        if not any(map(math.isnan, read.values()))
    }


def _without_percent(column: "pd.Series[Any]") -> dict[int, float | str]:
    """Return the cells of a column with marks beside its numbers, by row, and no percent signs if all had one.

    Of a column with anything else, return none.
    """
    if isinstance(column.dtype, pd.CategoricalDtype) or pd.api.types.is_numeric_dtype(column.dtype):
        return {}
    known = {row: cell for row, (cell, is_gap) in enumerate(zip(column, column.isna(), strict=True)) if not is_gap}
    if all(isinstance(cell, str) and cell.endswith("%") for cell in known.values()):
        return {row: cell[:-1].strip() for row, cell in known.items()}
    text = [cell for cell in known.values() if not isinstance(cell, float)]
    return known if text and all(isinstance(cell, str) and COMMA.fullmatch(cell) for cell in text) else {}


def _read(cells: Mapping[int, float | str], *, is_decimal: bool) -> dict[int, float]:
    """Return cells as numbers, with not a number for what is none or in doubt."""
    is_decimal &= all(cell.is_integer() for cell in cells.values() if isinstance(cell, float))
    return {row: to_float(str(cell).replace(",", ".") if is_decimal else str(cell)) for row, cell in cells.items()}

"""Tables in files.

Text files are parsed with :mod:`csv` and numbers with `float`, row by row into a compact array. Readers
made for mixed tables do more than is wanted here: they rename repeated columns, fill short rows with
missing values, and may round the last digit, after which a table would no longer have the fingerprint that
it has in memory.
"""

import bz2
import csv
import gzip
import lzma
import math
import re
import warnings
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from edgewise.data.moments import FloatArray
from edgewise.data.naming import default_names
from edgewise.data.numerals import to_float
from edgewise.data.validation import check_names
from edgewise.errors import ArgumentError, DataError, DataWarning
from edgewise.wording import count, printable, quote, shorten

DELIMITERS = (",", "\t", ";")
NAMED_DELIMITER = re.compile(r'"?sep=([,\t;])"?\s*')
"""A first line that tells Excel the delimiter."""

MISSING = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none"})
"""What R, pandas and spreadsheets write for a missing value, in small letters."""

LONGEST_REASON = 200
"""Characters of what another library says about a file; it may have that from the file."""

_OPENERS: dict[str, Callable[..., Any]] = {"": open, ".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


Header = bool | Literal["auto"]
"""Whether the first row of a text file holds the names of the columns."""


def read_table(path: Path, header: Header = "auto") -> pd.DataFrame:
    """Read a CSV, TSV, TXT or Parquet file.

    Parameters
    ----------
    path
        The file; a text file may be compressed (.gz, .bz2 or .xz).
    header
        Whether the first row of a text file holds the names of the columns. By default it must; if it holds only
        numbers, which may be either, the file is refused. Columns without names are called X0, X1, ...

    Returns
    -------
    pandas.DataFrame
        One column per variable, without row names. Columns from a text file hold floats, not a number where
        a value is missing, or, if there is any text, what is there.
    """
    shown = quote(str(path))
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = suffixes.pop() if suffixes and suffixes[-1] in _OPENERS else ""
    suffix = suffixes[-1] if suffixes else ""
    try:
        if path.is_dir():
            raise DataError(f"{shown} is a directory: give the path of one CSV, TSV, TXT or Parquet file.")
        if not path.exists():
            raise DataError(f"There is no file {shown}: check the path.")
        if suffix in {".csv", ".tsv", ".txt"}:
            with _OPENERS[compression](path, "rt", encoding="utf-8-sig", newline="") as stream:
                return _read_text(stream, header, shown)
        if suffix == ".parquet" and not compression:
            if header is False:
                raise ArgumentError(
                    f"header=False is for text files, but {shown} is a Parquet file, which names its columns: leave it "
                    "out."
                )
            return _read_parquet(path, shown)
    except UnicodeDecodeError as error:
        raise _encoding_error(shown) from error
    except (OSError, EOFError, zlib.error, lzma.LZMAError, csv.Error) as error:
        raise DataError(f"The file {shown} cannot be read ({_reason(error)}).") from error
    raise DataError(
        f"The file {shown} is of no known kind: its name must end in .csv, .tsv or .txt, possibly followed "
        "by .gz, .bz2 or .xz, or in .parquet."
    )


def _read_parquet(path: Path, shown: str) -> pd.DataFrame:
    try:
        from pyarrow import ArrowException

        with _naming_parquet(shown, ArrowException):
            return pd.read_parquet(path, engine="pyarrow")
    except ImportError as error:
        raise DataError(
            f"Reading the Parquet file {shown} needs pyarrow: install it with pip install 'edgewise[parquet]'."
        ) from error


@contextmanager
def _naming_parquet(shown: str, arrow_error: type[Exception]) -> Iterator[None]:
    """Turn what a damaged file, or what it says about itself to pandas, makes of pandas and pyarrow into a sentence."""
    try:
        yield
    except (arrow_error, ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RuntimeError) as error:
        raise DataError(f"The file {shown} cannot be read as Parquet ({_reason(error)}).") from error


def _read_text(stream: IO[str], header: Header, shown: str) -> pd.DataFrame:
    delimiter = _guess_delimiter(stream, shown)
    rows = _rows(stream, delimiter)
    top = next(rows, None)
    if top is None:
        raise _empty_error(shown)
    if len(top) == 1:
        raise DataError(
            f"The header of {shown} has only the column {quote(top[0])}, but at least 2 columns are "
            "needed, separated by commas, tabs or semicolons."
        )
    if header == "auto" and all(_is_numeral(field) for field in top):
        raise DataError(
            f"The first row of {shown} holds only numbers, so that it is in doubt whether they are the names of the "
            "columns: say header=True if they are, and header=False if the file has no names."
        )
    first = top if header is False else next(rows, None)
    if first is None:
        raise DataError(f"The file {shown} has column names but no rows.")
    names, skipped = (list(default_names(len(top))), 0) if header is False else _split_row_names(top, first, shown)
    names = [name.strip() for name in names]
    check_names(names)
    return _parse_rows(chain([first], rows), names, skipped, decimal_commas=delimiter == ";", shown=shown)


def _guess_delimiter(stream: IO[str], shown: str) -> str:
    """Choose the delimiter that occurs most in the header outside quotes, and go to where the header is."""
    header = next((line for line in stream if line.strip()), None)
    if header is None:
        raise _empty_error(shown)
    named = NAMED_DELIMITER.fullmatch(header)
    if named:
        return named[1]
    if "\0" in header:  # UTF-16 without a byte order mark passes for UTF-8 with zero bytes
        raise _encoding_error(shown)
    stream.seek(0)
    unquoted = re.sub(r'"[^"]*("|$)', "", header)
    return max(DELIMITERS, key=unquoted.count)


def _rows(stream: IO[str], delimiter: str) -> Iterator[list[str]]:
    """Iterate over the rows that are not blank."""
    for row in csv.reader(stream, delimiter=delimiter, strict=True):
        if len(row) > 1 or (row and row[0].strip()):
            yield row


def _split_row_names(header: list[str], first: list[str], shown: str) -> tuple[list[str], int]:
    """Return the names of the columns to read, and how many fields to skip at the start of each row.

    R's write.csv and pandas' to_csv leave the header of the row names empty; R's write.table leaves it out.
    """
    if len(first) == len(header) + 1:
        names, reason = header, "is not in the header"
    elif not header[0].strip():
        names, reason = header[1:], "has no name"
    else:
        return header, 0
    warnings.warn(
        f"The first column of {shown} {reason} and was taken as row names: it is not analysed.",
        DataWarning,
        stacklevel=5,
    )
    return names, 1


def _parse_rows(
    rows: Iterable[list[str]], names: list[str], skipped: int, *, decimal_commas: bool, shown: str
) -> pd.DataFrame:
    width = len(names) + skipped
    cells = array("d")
    marks: set[str] = set()
    text: dict[int, dict[int, str]] = {}
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            raise DataError(
                f"Row {number} of {shown} has {count(len(row), 'field')} where {width} are expected, and begins with "
                f"{quote(row[0])}: give all rows as many fields as the header, and remove what is no row of the table."
            )
        fields = row[skipped:]
        if decimal_commas:
            marks |= _decimal_marks(fields)
            if len(marks) > 1:
                raise DataError(
                    f"The file {shown} has numbers with a decimal comma and, in row {number} or before, "
                    "numbers with a decimal point: use one of them throughout."
                )
            fields = [field.replace(",", ".") if _is_numeral(field) else field for field in fields]
        numbers = [to_float(field) for field in fields]
        cells.extend(numbers)
        if any(map(math.isnan, numbers)):
            for column, (field, value) in enumerate(zip(fields, numbers, strict=True)):
                if math.isnan(value) and field.strip().lower() not in MISSING:
                    text.setdefault(column, {})[number - 1] = field.strip()
    values = np.array(cells).reshape(-1, len(names))
    if not text:
        return pd.DataFrame(values, columns=names)
    # All columns at once, since to replace them one by one takes the square of their number.
    columns = {number: _put_back(values[:, number], text.get(number, {})) for number in range(len(names))}
    return pd.DataFrame(columns).set_axis(names, axis=1)


def _put_back(values: FloatArray, text: dict[int, str]) -> FloatArray | npt.NDArray[np.object_]:
    """Return the numbers of a column together with what is text, in the rows that have some."""
    if not text:
        return values
    mixed = values.astype(object)
    mixed[list(text)] = list(text.values())
    return mixed


def _is_numeral(field: str) -> bool:
    return not math.isnan(to_float(field.replace(",", ".")))


def _decimal_marks(fields: list[str]) -> set[str]:
    return {mark for field in fields for mark in ",." if mark in field and _is_numeral(field)}


def _empty_error(shown: str) -> DataError:
    return DataError(f"The file {shown} is empty, but it must hold column names and rows of numbers.")


def _encoding_error(shown: str) -> DataError:
    return DataError(f"The file {shown} is not encoded in UTF-8: save it again with that encoding.")


def _reason(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    first_sentence = " ".join(text.split()).split(". ")[0]
    return shorten(printable(first_sentence.rstrip(".")), LONGEST_REASON) or type(error).__name__

"""The page that shows every experiment beside what was published, and the files that belong to it.

The template escapes every value it is given. Figures are inside the page as images, so that it can be mailed or put
anywhere by itself; a content security policy keeps it from asking the network for anything.
"""

import base64
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment

from edgewise.files import new_file
from edgewise.report.templates import make_environment

from .experiment import Section


@dataclass(frozen=True)
class Run:
    """What the page says of the run as a whole.

    Parameters
    ----------
    command
        How to repeat it.
    date
        The day on which it ended.
    version
        That of Edgewise.
    settings
        What was done, in words.
    duration
        How long it took, in words.
    missing
        A sentence for each set of data that was not there.
    """

    command: str
    date: str
    version: str
    settings: str
    duration: str
    missing: tuple[str, ...]


def write_page(path: Path, run: Run, sections: Sequence[Section]) -> None:
    """Write the page."""
    text = _environment().get_template("page.html").render(run=run, sections=sections)
    with new_file(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def write_tables(section: Section, directory: Path) -> None:
    """Write every table as CSV, called after its caption."""
    for caption, table in section.tables.items():
        with new_file(directory / f"{slug(caption)}.csv") as unfinished:
            with_columns(table).to_csv(unfinished, index=False)


def slug(caption: str) -> str:
    """Return a caption as the name of a file.

    Examples
    --------
    >>> slug("Memory with 80 variables, in MB")
    'memory-with-80-variables-in-mb'
    """
    return re.sub(r"[^a-z0-9]+", "-", caption.lower()).strip("-")


def label(name: str) -> str:
    """Return the name of an experiment as people write it.

    Examples
    --------
    >>> label("table1"), label("theorem")
    ('Table 1', 'Theorem 3.1')
    """
    return "Theorem 3.1" if name == "theorem" else f"{name[:-1].capitalize()} {name[-1]}"


def with_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose index, unless it only counts rows, has become its first columns."""
    return table if isinstance(table.index, pd.RangeIndex) else table.reset_index()


def show(value: Any) -> str:
    """Return a value as it stands in a table: numbers with three digits, and a dash for none.

    Examples
    --------
    >>> [show(value) for value in (0.12345, 1234, 5678.9, 1.5e-7, float("nan"), "text")]
    ['0.123', '1,234', '5,679', '1.5e-07', '–', 'text']
    """
    if isinstance(value, str | bool) or not isinstance(value, Real):
        return "–" if value is None else str(value)
    if isinstance(value, Integral):
        return f"{value:,}"
    number = float(value)
    if math.isnan(number):
        return "–"
    if abs(number) >= 1000:
        return f"{number:,.0f}"
    # Below a thousandth, three digits after the point would hide what there is.
    return f"{number:.3f}" if number == 0 or abs(number) >= 1e-3 else f"{number:.3g}"


def _cells(table: pd.DataFrame) -> tuple[list[tuple[bool, str]], list[list[tuple[bool, str]]]]:
    """Return the heads of the columns and the rows of a table: whether each cell is text, and what it shows."""
    shown = with_columns(table)
    rows = [[(isinstance(value, str), show(value)) for value in row] for row in shown.itertuples(index=False)]
    is_text = [cell[0] for cell in rows[0]]
    return list(zip(is_text, map(str, shown.columns), strict=True)), rows


def _image(path: Path) -> str:
    """Return a figure as an address that holds all of it."""
    return "data:image/svg+xml;base64," + base64.b64encode(path.read_bytes()).decode("ascii")


@cache
def _environment() -> Environment:
    return make_environment("experiments", label=label, cells=_cells, image=_image)

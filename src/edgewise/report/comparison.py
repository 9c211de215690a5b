"""The page of a comparison: two graphs as one, the pairs that differ, and in what the runs do.

There is no script in it. The graph is drawn here, as SVG, and the template escapes every value it is given. What is
common, gained and lost differs in colour, in the kind of line and in the mark upon it, so that it can be told in grey
and by those who do not see all colours.
"""

import math
import re
import unicodedata
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jinja2 import Environment

from edgewise.files import new_file
from edgewise.wording import shorten

from .layout import Layout
from .templates import make_environment, read_parts

WIDTH, HEIGHT = 112, 30
"""Pixels of a variable's box."""

UNIT, LAYER = 132, 96
"""Pixels from one variable to the next, and from one layer to the next."""

MARGIN = 14
"""Pixels around the picture."""

HEAD = 10
"""Pixels of an arrowhead."""

LONGEST_LABEL = 13
"""Letters that a box has room for."""

MOST_ROWS = 200
"""Rows of the table on the page: more than anybody reads. All of them are in the CSV file."""

MOST_SETTLED = 10
"""Rows below the last that is beyond Monte Carlo error, to show how the rest goes on."""

ARROWS = {"->": "→", "<-": "←", "-": "–", "?": "?"}
"""How the direction of a pair is shown; the last where chains disagree."""

DIFFERS_IN = {"joined": "joined", "forward": "→", "backward": "←", "told_forward": "told →", "told_backward": "told ←"}
"""How the probabilities of a pair are called on the page."""


TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""The characters that set the direction of text until another ends it."""


@dataclass(frozen=True, eq=False)
class ComparisonContent:
    """What the page of a comparison says.

    Attributes
    ----------
    nodes, names
        Of the variables, and of the two posteriors.
    headline, notes
        Sentences.
    agreement
        The share of joined pairs that both posteriors have.
    probable
        From which probability on pairs are drawn.
    large, false_alarms, critical
        Which differences are worth a word; how often one is taken for more than chance that is none; and how many Monte
        Carlo errors a difference must have for that.
    pairs
        As :attr:`edgewise.Comparison.numbered_pairs` has them.
    drawn
        The pairs to draw: ``a`` and ``b`` (column numbers), ``kind``, ``joined``, ``direction``, ``is_turned`` and, for
        each posterior, ``joined_first`` and ``direction_first``.
    shown, layout
        The column numbers of the variables that are drawn, and where they stand; None if there are none.
    settings, same
        The settings that differ, each with its name and two values, and the names of those that do not.
    """

    nodes: tuple[str, ...]
    names: tuple[str, str]
    headline: str
    notes: tuple[str, ...]
    agreement: float
    probable: float
    large: float
    false_alarms: float
    critical: float
    pairs: pd.DataFrame
    drawn: pd.DataFrame
    shown: list[int]
    layout: Layout | None
    settings: list[Any]
    same: list[str]


class Line(NamedTuple):
    """A pair as it is drawn.

    Attributes
    ----------
    path, kind, width
        Of the line.
    start, end
        Whether it has an arrowhead at its upper or its lower end.
    mark
        What stands upon it: a sign, or nothing.
    x, y
        Where that stands.
    pair
        The row of the table that it shows.
    """

    path: str
    kind: str
    width: float
    start: bool
    end: bool
    mark: str
    x: float
    y: float
    pair: dict[Hashable, Any]


MARKS = {"second": "+", "first": "−", "both": "", "disagreed": "?"}
"""What stands upon a line, so that it can be told without its colour."""

WIDTHS = {"second": 3.6, "first": 2.6, "both": 1.8, "disagreed": 1.8}
"""Of lines, in pixels."""

TURNED = "⇄"
"""The mark of a pair that both have, but of whose direction they do not tell the same."""


def write_comparison(content: ComparisonContent, path: Path) -> None:
    """Write the page of a comparison."""
    layout = content.layout
    kinds = content.drawn["kind"].value_counts()
    page = (
        _environment()
        .get_template("comparison.html")
        .render(
            vars(content),
            lines=[] if layout is None else draw_lines(content.drawn, content.shown, layout),
            boxes=[] if layout is None else _draw_boxes(content, layout),
            view=(0.0, 0.0, 0.0, 0.0) if layout is None else _find_view(layout),
            box=(WIDTH, HEIGHT),
            kinds={kind: int(kinds.get(kind, 0)) for kind in MARKS},
            turned=int(content.drawn["is_turned"].sum()),
            alone=[name for v, name in enumerate(content.nodes) if v not in {*content.shown}],
            rows=_choose_rows(content.pairs).to_dict("records"),
            differs_in=DIFFERS_IN,
            made_with=version("edgewise"),
            style=read_parts("base.css", "comparison.css"),
        )
    )
    # A name may hold half of a surrogate pair, which no file can.
    with new_file(path) as unfinished:
        unfinished.write_text(page, encoding="utf-8", errors="replace")


def draw_lines(drawn: pd.DataFrame, shown: list[int], layout: Layout) -> list[Line]:
    """Return the lines of a picture, those that both posteriors have first, so that the others lie above them."""
    place = {v: k for k, v in enumerate(shown)}
    lines: list[Line] = []
    marks: list[tuple[float, float]] = []
    for pair in sorted(drawn.to_dict("records"), key=lambda pair: pair["kind"] != "both"):
        ends = [place[pair[end]] for end in ("a", "b")]
        upper, lower = sorted(ends, key=lambda v: (layout.down[v], v))
        is_down = ends == [upper, lower]
        heads = {"->": (False, True), "<-": (True, False)}.get(pair["direction"], (False, False))
        start, end = heads if is_down else heads[::-1]
        points = _find_points(layout, upper, lower, start=start, end=end)
        mark = TURNED if pair["is_turned"] else MARKS[pair["kind"]]
        x, y = _place_mark(points, marks) if mark else (0.0, 0.0)
        if mark:
            marks.append((x, y))
        width = WIDTHS[pair["kind"]] * (0.4 + 0.6 * pair["joined"])
        lines.append(
            Line(_curve(points), pair["kind"], round(width, 2), start, end, mark, round(x, 1), round(y, 1), pair)
        )
    return lines


def _find_points(layout: Layout, upper: int, lower: int, *, start: bool, end: bool) -> np.ndarray:
    """Return where a line begins, bends and ends, shape (points, 2)."""
    bends = layout.bends.get((upper, lower), [])
    across = np.array([layout.across[upper], *bends, layout.across[lower]]) * UNIT
    down = np.linspace(layout.down[upper], layout.down[lower], len(across)) * LAYER
    down[0] += HEIGHT / 2 + HEAD * start
    down[-1] -= HEIGHT / 2 + HEAD * end
    return np.column_stack([across, down])


def _curve(points: np.ndarray) -> str:
    """Return the path through some points, vertical in each of them."""
    path = f"M{points[0, 0]:.1f} {points[0, 1]:.1f}"
    for (x, y), (to_x, to_y) in pairwise(points):
        half = (y + to_y) / 2
        path += f"C{x:.1f} {half:.1f} {to_x:.1f} {half:.1f} {to_x:.1f} {to_y:.1f}"
    return path


def _place_mark(points: np.ndarray, taken: list[tuple[float, float]]) -> tuple[float, float]:
    """Return a place on a line, between two layers and as far from other marks as can be, near its middle if it can."""
    places = []
    for (x, y), (to_x, to_y) in pairwise(points):
        for t in (0.5, 0.35, 0.65):
            # The Bezier curve of _curve, whose two inner points are at half its height.
            across, down = 3 * t**2 - 2 * t**3, 1.5 * t * (1 - t) + t**3
            places.append((x + (to_x - x) * across, y + (to_y - y) * down))
    first = 3 * ((len(points) - 1) // 2)
    order = [*places[first : first + 3], *places[:first], *places[first + 3 :]]
    # Marks are 18 pixels wide; the first place that leaves others room is good, else the one that leaves most.
    room = [min((math.hypot(x - u, y - v) for u, v in taken), default=math.inf) for x, y in order]
    return next((one for one, free in zip(order, room, strict=True) if free > 22), order[int(np.argmax(room))])


def _draw_boxes(content: ComparisonContent, layout: Layout) -> list[dict[str, Any]]:
    """Return the variables, each with its place and its names, in the order in which one reads."""
    boxes = []
    for k in np.lexsort((layout.across, layout.down)).tolist():
        name = content.nodes[content.shown[k]]
        label = shorten(" ".join(name.split()), LONGEST_LABEL)
        boxes.append(
            {
                "x": round(float(layout.across[k]) * UNIT, 1),
                "y": round(float(layout.down[k]) * LAYER, 1),
                "name": name,
                "label": label,
                "is_wide": sum(map(_measure, label)) > WIDTH - MARGIN,
            }
        )
    return boxes


def _measure(letter: str) -> float:
    """Return about how many pixels a letter takes, rather too many; a browser knows, but only once it draws."""
    if unicodedata.east_asian_width(letter) in "WF" or letter in "MWmw@%…":
        return 14.5
    return 10.5 if letter.isupper() else 8.0


def _find_view(layout: Layout) -> tuple[float, float, float, float]:
    """Return left, top, width and height of the picture."""
    across = np.concatenate([layout.across, *(np.array(places) for places in layout.bends.values())]) * UNIT
    left, right = across.min() - WIDTH / 2 - MARGIN, across.max() + WIDTH / 2 + MARGIN
    top, bottom = -HEIGHT / 2 - MARGIN, layout.down.max() * LAYER + HEIGHT / 2 + MARGIN
    return round(float(left), 1), round(float(top), 1), round(float(right - left), 1), round(float(bottom - top), 1)


def _choose_rows(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of the table on the page: those beyond Monte Carlo error, and some more, up to a number."""
    beyond = np.flatnonzero(pairs["beyond_error"])
    return pairs.head(min(int(beyond.max(initial=-1)) + 1 + MOST_SETTLED, MOST_ROWS))


def _number(value: float, digits: int = 2) -> str:
    """Return a number with so many digits after the point, or a dash if it is none."""
    return f"{value:.{digits}f}" if math.isfinite(value) else "–"


def _signed(value: float, digits: int = 2) -> str:
    """Return a difference with its sign, a true minus, or a dash if it is none."""
    return f"{value:+.{digits}f}".replace("-", "−") if math.isfinite(value) else "–"


def _in_order(sentence: str) -> str:
    r"""Return a sentence without what would turn the direction of all that follows, which a name in it may hold.

    Examples
    --------
    >>> _in_order("only \u202eRaf differs")
    'only \ufffdRaf differs'
    """
    return TURNING.sub("\ufffd", sentence)


@cache
def _environment() -> Environment:
    return make_environment(
        "report",
        number=_number,
        signed=_signed,
        shorten=shorten,
        arrow=ARROWS.__getitem__,
        in_order=_in_order,
    )

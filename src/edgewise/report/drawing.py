"""A graph drawn as lines and boxes, with places in pixels.

The conventions are those of the page: variables in layers, a box as wide as its name, the line of a pair wider and
darker the more probable it is that the two are joined, solid and with an arrowhead where the direction can be told,
dashed where it cannot, and dotted where chains disagree. A line is upright where it passes the boxes of a layer, in its
own lane, and bends only between layers; so it touches no box but those of its two variables. ``layout.js`` takes the
same steps in the page.
"""

import math
import unicodedata
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from edgewise.wording import shorten, writable

from .layout import lay_out

HEIGHT, AIR, LANE, HEAD, PORT = 32.0, 16.0, 14.0, 9.0, 13.0
"""Pixels: the height of a box, the space between boxes, the width of a lane, the length of an arrowhead, and the space
between two lines at a box, if there is so much."""

GAP = 46.0, 150.0, 0.16
"""The least and the most space between two layers, and how much of it a line wants for each pixel that it goes to the
side: where all go far, they would otherwise lie on each other."""

LONGEST = 20
"""Letters of a name that a box shows; longer names are cut before their ends."""

FONT_SIZE = 14.0

NARROW, WIDE = frozenset(" !'(),-./:;I[\\]`fijlrt{|}"), frozenset("mwMW@%&<>=+~#")
"""Letters of less than ordinary width in sans-serif fonts, and of more."""

PADDING, NARROWEST = 22.0, 44.0
"""Pixels of a box that are not its name, and the least width of a box, which a finger can still hit."""

MARGIN = 16.0

FADED = 0.3, 0.4, 0.65
"""Opacity of what does not belong to the variable that stands out: of lines, boxes and names."""


@dataclass(frozen=True)
class Line:
    """A pair that is joined.

    Attributes
    ----------
    source, target
        Column numbers.
    stops
        Points from which the line bends to the next, ``(x, y, to_x, to_y)``; between two of them it is upright.
    head
        The three corners of the arrowhead, or None where the direction cannot be told.
    width, opacity
        The more, the more probable.
    is_disagreed
        Whether chains disagree on the pair.
    """

    source: int
    target: int
    stops: list[tuple[float, float, float, float]]
    head: list[tuple[float, float]] | None
    width: float
    opacity: float
    is_disagreed: bool

    @property
    def path(self) -> str:
        """The line as SVG has it."""
        x, y, *_ = self.stops[0]
        parts = [f"M{digits(x)} {digits(y)}"]
        for number, (x, y, to_x, to_y) in enumerate(self.stops):
            middle = digits((y + to_y) / 2)
            parts += [f"V{digits(y)}"] if number else []
            parts.append(f"C{digits(x)} {middle} {digits(to_x)} {middle} {digits(to_x)} {digits(to_y)}")
        return "".join(parts)


@dataclass(frozen=True)
class Box:
    """A variable: its name, what is shown of it, centre and width, whether it stands out, and whether it is faded."""

    name: str
    label: str
    x: float
    y: float
    width: float
    is_chosen: bool
    is_faint: bool


@dataclass(frozen=True)
class Drawing:
    """Lines and boxes, and the frame around them: left, top, width and height."""

    lines: list[Line]
    boxes: list[Box]
    frame: tuple[float, float, float, float]


def label_of(name: str) -> str:
    """Return what a box shows of a name: its beginning and its end, on one line."""
    return shorten(" ".join(writable(name).split()), LONGEST)


def width_of(label: str) -> float:
    """Return the width of a box in pixels, from those of the letters in it.

    Examples
    --------
    >>> width_of("Raf") < width_of("Mek") < width_of("PIP3 and PIP2")
    True
    """
    return round(max(NARROWEST, PADDING + FONT_SIZE * sum(map(_letter_width, label))), 1)


def _letter_width(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.1
    if letter in NARROW:
        return 0.36
    return 0.9 if letter in WIDE else 0.72 if letter.isupper() or not letter.isascii() else 0.61


def draw_layers(
    nodes: Sequence[str], pairs: pd.DataFrame, order: Sequence[int], *, chosen: Sequence[int] = ()
) -> Drawing:
    """Draw pairs of variables that are joined.

    Parameters
    ----------
    nodes
        The variables' names.
    pairs
        A row for each pair: ``source`` and ``target`` (column numbers), the probability ``joined``, and ``is_told``
        and ``is_disagreed``: whether the direction can be told, and whether chains disagree on the pair.
    order
        Column numbers, probable causes first. A pair is drawn downwards along it; where the direction that is told
        goes against it, the arrow points upwards.
    chosen
        Variables that stand out. Lines that do not touch one are faded, and variables that are in no Markov blanket of
        one, every pair taken in its more probable direction.
    """
    labels = [label_of(name) for name in nodes]
    widths = [width_of(label) for label in labels]
    rank = np.empty(len(nodes), dtype=np.int64)
    rank[list(order)] = np.arange(len(nodes))
    rows = pairs.to_dict("records")
    is_upwards = [bool(rank[row["source"]] > rank[row["target"]]) for row in rows]
    ends = [
        (row["target"], row["source"]) if upwards else (row["source"], row["target"])
        for row, upwards in zip(rows, is_upwards, strict=True)
    ]
    dag = np.zeros((len(nodes), len(nodes)), dtype=bool)
    for upper, lower in ends:
        dag[upper, lower] = True
    layout = lay_out(dag, [width + AIR for width in widths], lane=LANE, order=order)
    stops = _ports(ends, layout.across.tolist(), layout.bends, widths, rank.tolist())
    top = _tops(ends, stops, layout.down.tolist())
    lines = [
        _line(row, upwards, stop, top[layout.down[end[0]] :], fade=bool(chosen) and not {*end} & {*chosen})
        for row, upwards, end, stop in zip(rows, is_upwards, ends, stops, strict=True)
    ]
    near = find_neighbours(chosen, pairs) if chosen else set(range(len(nodes)))
    boxes = [
        Box(name, label, float(x), top[layer] + HEIGHT / 2, width, v in chosen, v not in near)
        for v, (name, label, x, layer, width) in enumerate(
            zip(nodes, labels, layout.across, layout.down.tolist(), widths, strict=True)
        )
    ]
    return Drawing(lines, boxes, _frame(boxes, lines))


def find_neighbours(chosen: Sequence[int], pairs: pd.DataFrame) -> set[int]:
    """Return variables and their Markov blankets, every pair taken in its more probable direction.

    Examples
    --------
    >>> sorted(find_neighbours([0], pd.DataFrame({"source": [0, 1, 1], "target": [2, 2, 3]})))
    [0, 1, 2]
    """
    ends = list(zip(pairs["source"].tolist(), pairs["target"].tolist(), strict=True))
    children = {target for source, target in ends if source in chosen}
    return {*chosen, *children, *(source for source, target in ends if target in chosen or target in children)}


def _ports(
    ends: list[tuple[int, int]],
    across: list[float],
    bends: dict[tuple[int, int], list[float]],
    widths: list[float],
    rank: list[int],
) -> list[list[float]]:
    """Return where each edge leaves its upper variable, crosses layers, and meets its lower variable.

    At a variable, edges stand side by side, in the order of what comes next on each.
    """
    between = [bends.get(end, []) for end in ends]
    leaving: list[list[tuple[float, tuple[int, int], int]]] = [[] for _ in across]
    meeting: list[list[tuple[float, tuple[int, int], int]]] = [[] for _ in across]
    for number, ((upper, lower), places) in enumerate(zip(ends, between, strict=True)):
        turn = rank[upper], rank[lower]
        leaving[upper].append((places[0] if places else across[lower], turn, number))
        meeting[lower].append((places[-1] if places else across[upper], turn, number))
    ports = [[0.0] * len(ends), [0.0] * len(ends)]
    for port, sides in zip(ports, (leaving, meeting), strict=True):
        for v, lines in enumerate(sides):
            lines.sort()
            step = min(PORT, (widths[v] - 12) / len(lines)) if lines else 0.0
            for place, (_, _, number) in enumerate(lines):
                port[number] = across[v] + (place - (len(lines) - 1) / 2) * step
    return [[first, *places, last] for first, places, last in zip(ports[0], between, ports[1], strict=True)]


def _tops(ends: list[tuple[int, int]], stops: list[list[float]], down: list[int]) -> list[float]:
    """Return where each layer begins; there is more room between two where lines go far to the side."""
    widest = [0.0] * (max(down) + 1)
    for (upper, _), places in zip(ends, stops, strict=True):
        for part in range(len(places) - 1):
            layer = down[upper] + part
            widest[layer] = max(widest[layer], abs(places[part + 1] - places[part]))
    least, most, slope = GAP
    top = [0.0]
    for span in widest[:-1]:
        top.append(top[-1] + HEIGHT + min(most, max(least, slope * span)))
    return top


def _line(row: Mapping[Hashable, Any], is_upwards: bool, places: list[float], top: list[float], *, fade: bool) -> Line:
    """Draw one pair; ``top`` begins with the layer of its upper variable."""
    is_told = bool(row["is_told"])
    stops, last = [], len(places) - 2
    for part in range(len(places) - 1):
        begin = top[part] + HEIGHT + (HEAD if is_told and is_upwards and part == 0 else 0.0)
        end = top[part + 1] - (HEAD if is_told and not is_upwards and part == last else 0.0)
        stops.append((places[part], begin, places[part + 1], end))
    if is_upwards:
        stops = [(to_x, to_y, x, y) for x, y, to_x, to_y in reversed(stops)]
    _, _, x, y = stops[-1]
    tip = -HEAD if is_upwards else HEAD
    head = [(x - 5, y), (x + 5, y), (x, y + tip)] if is_told else None
    joined = float(row["joined"])
    opacity = (0.2 + 0.8 * joined) * (FADED[0] if fade else 1.0)
    is_disagreed = bool(row["is_disagreed"])
    return Line(int(row["source"]), int(row["target"]), stops, head, 1 + 3.5 * joined, opacity, is_disagreed)


def _frame(boxes: list[Box], lines: list[Line]) -> tuple[float, float, float, float]:
    across = [stop[k] for line in lines for stop in line.stops for k in (0, 2)]
    left = min([*across, *(box.x - box.width / 2 for box in boxes)]) - MARGIN
    right = max([*across, *(box.x + box.width / 2 for box in boxes)]) + MARGIN
    top, bottom = min(box.y for box in boxes), max(box.y for box in boxes)
    return left, top - HEIGHT / 2 - MARGIN, right - left, bottom - top + HEIGHT + 2 * MARGIN


def digits(value: float) -> str:
    """Return tenths of a pixel, as the page writes them."""
    tenths = math.floor(value * 10 + 0.5)
    return f"{tenths // 10}" if tenths % 10 == 0 else f"{tenths / 10}"

"""A graph as a figure for a paper: it stands alone, needs no browser, and is made of lines and letters, not of dots.

SVG is written here, since it needs no library and looks like what the page saves. PDF and PNG are painted by matplotlib
from the same lines and boxes. Names of variables are text, whatever is in them.
"""

import html
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgewise.errors import ArgumentError
from edgewise.files import new_file
from edgewise.wording import quote, writable

from .drawing import FADED, FONT_SIZE, HEIGHT, Drawing, Line, digits

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FONTS = ("Arial", "Helvetica", "Liberation Sans", "DejaVu Sans")
"""Of the first three every letter has the same width, and one is nearly everywhere; the last is in matplotlib."""

PAPER, INK, TOLD, OPEN, DISAGREED, NODE, NODE_LINE, CHOSEN = (
    "#ffffff", "#1c2430", "#0072b2", "#c14f00", "#5b6472", "#e9eef5", "#93a1b3", "#ffd166",
)  # fmt: skip
"""The colours that the page has in daylight."""

DASHES, DOTTED = (7.0, 4.0), (2.0, 4.0)
"""Pixels of a dash, and between two: where the direction cannot be told, and where chains disagree."""

ROUND = 8.0
"""Pixels of the radius of a box's corners."""

PIXELS, POINTS = 96.0, 72.0
"""Of an inch."""

DOTS = 300
"""Dots of a PNG per inch, as journals ask for."""


@dataclass(frozen=True, eq=False)
class GraphFigure:
    """A graph that is drawn; a notebook shows it, and :meth:`save` writes it to a file.

    Attributes
    ----------
    drawing
        Lines and boxes, with places in pixels.
    title
        What the picture shows, for those who cannot see it.
    """

    drawing: Drawing
    title: str

    @property
    def svg(self) -> str:
        """The picture as SVG."""
        return _as_svg(self.drawing, self.title)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture.

        Parameters
        ----------
        path
            A file whose name ends in .svg, .pdf or .png; one that exists is replaced once the new one is complete.
            In PDF and PNG, letters that no installed font has are drawn as empty boxes.

        Raises
        ------
        ArgumentError
            If the name ends in something else, or for a PDF or PNG if matplotlib is not installed.
        StorageError
            If the file cannot be written.
        """
        path = Path(path)
        ending = path.suffix.lower()
        if ending not in (".svg", ".pdf", ".png"):
            raise ArgumentError(
                f"The name of a figure must end in .svg, .pdf or .png, but {quote(path.name)} was given."
            )
        with new_file(path) as unfinished:
            if ending == ".svg":
                unfinished.write_text(self.svg, encoding="utf-8", newline="")
            else:
                _paint(self.drawing, unfinished, ending[1:])

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return f'<div style="overflow: auto">{self.svg}</div>'


def _as_svg(drawing: Drawing, title: str) -> str:
    left, top, width, height = (digits(number) for number in drawing.frame)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {width} {height}" width="{width}" '
        f'height="{height}" font-family="{", ".join(FONTS)}, sans-serif" font-size="{digits(FONT_SIZE)}">',
        f"<title>{_escape(title)}</title>",
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="{PAPER}"/>',
    ]
    names = [box.name for box in drawing.boxes]
    for line in reversed(drawing.lines):
        colour, arrow, dashes = _look_of(line)
        dashed = f' stroke-dasharray="{" ".join(map(digits, dashes))}"' if dashes else ""
        about = _escape(f"{names[line.source]} {arrow} {names[line.target]}")
        head = ""
        if line.head:
            corners = " ".join(f"{digits(x)},{digits(y)}" for x, y in line.head)
            head = f'<polygon class="head" points="{corners}" fill="{colour}"/>'
        parts.append(
            f'<g class="line" opacity="{line.opacity:.3f}"><title>{about}</title><path class="edge" d="{line.path}" '
            f'fill="none" stroke="{colour}" stroke-width="{line.width:.2f}"{dashed}/>{head}</g>'
        )
    for box in drawing.boxes:
        fill, stroke = (CHOSEN, INK) if box.is_chosen else (NODE, NODE_LINE)
        pale = [f' opacity="{share}"' if box.is_faint else "" for share in FADED[1:]]
        parts.append(
            f'<g class="node" transform="translate({digits(box.x)} {digits(box.y)})"><title>{_escape(box.name)}</title>'
            f'<rect x="{digits(-box.width / 2)}" y="{digits(-HEIGHT / 2)}" width="{digits(box.width)}" '
            f'height="{digits(HEIGHT)}" rx="{digits(ROUND)}" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="1.2"{pale[0]}/>'
            f'<text text-anchor="middle" y="5" fill="{INK}"{pale[1]}>{_escape(box.label)}</text></g>'
        )
    return "\n".join([*parts, "</svg>", ""])


def _look_of(line: Line) -> tuple[str, str, tuple[float, ...]]:
    """Return the colour of a line, what stands for it between two names, and its dashes."""
    if line.is_disagreed:
        return DISAGREED, "?", DOTTED
    return (TOLD, "→", ()) if line.head else (OPEN, "–", DASHES)


def _escape(text: str) -> str:
    return html.escape(writable(text))


def _paint(drawing: Drawing, path: Path, kind: str) -> None:
    """Write a picture as PDF or PNG."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ArgumentError(
            "Figures in PDF and PNG are drawn by matplotlib, which is not installed: install edgewise[figures], or "
            "save the figure as .svg."
        ) from error
    left, top, width, height = drawing.frame
    # Letters stay letters in the PDF, and the same figure gives the same file: there is no date in it.
    with rc_context({"pdf.fonttype": 42}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = Figure(figsize=(width / PIXELS, height / PIXELS))
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set(xlim=(left, left + width), ylim=(top + height, top))
        axes.set_axis_off()
        _paint_lines(drawing, axes)
        _paint_boxes(drawing, axes, figure)
        metadata: dict[str, Any] = {"CreationDate": None} if kind == "pdf" else {}
        figure.savefig(path, format=kind, dpi=DOTS, facecolor=PAPER, metadata=metadata)


def _paint_lines(drawing: Drawing, axes: "Axes") -> None:
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path as Curve

    for line in reversed(drawing.lines):
        points: list[tuple[float, float]] = []
        codes: list[Any] = []
        for x, y, to_x, to_y in line.stops:
            middle = (y + to_y) / 2
            points += [(x, y), (x, middle), (to_x, middle), (to_x, to_y)]
            codes += [Curve.LINETO if codes else Curve.MOVETO, *[Curve.CURVE4] * 3]
        colour, _, dashes = _look_of(line)
        # Dashes are told in widths of the line.
        style: Any = (0, tuple(part / line.width for part in dashes)) if dashes else "solid"
        look: dict[str, Any] = {"linestyle": style, "capstyle": "butt", "alpha": line.opacity}
        width = line.width * POINTS / PIXELS
        axes.add_patch(PathPatch(Curve(points, codes), fill=False, edgecolor=colour, linewidth=width, **look))
        if line.head:
            axes.add_patch(Polygon(line.head, closed=True, facecolor=colour, linewidth=0, alpha=line.opacity))


def _paint_boxes(drawing: Drawing, axes: "Axes", figure: "Figure") -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.font_manager import fontManager
    from matplotlib.patches import FancyBboxPatch

    installed = {font.name for font in fontManager.ttflist}
    # Those that have Chinese, Japanese and Korean letters stand in where the others have none.
    families = [name for name in (*FONTS, *sorted(installed)) if name in installed and (name in FONTS or "CJK" in name)]
    size = FONT_SIZE * POINTS / PIXELS
    canvas: Any = FigureCanvasAgg(figure)
    renderer, dots = canvas.get_renderer(), figure.dpi / PIXELS
    for box in drawing.boxes:
        fill, stroke = (CHOSEN, INK) if box.is_chosen else (NODE, NODE_LINE)
        corner = box.x - box.width / 2, box.y - HEIGHT / 2
        style = f"round,pad=0,rounding_size={ROUND}"
        look: dict[str, Any] = {"facecolor": fill, "edgecolor": stroke, "linewidth": 1.2 * POINTS / PIXELS}
        alpha = FADED[1] if box.is_faint else 1.0
        axes.add_patch(FancyBboxPatch(corner, box.width, HEIGHT, boxstyle=style, alpha=alpha, **look))
        text = axes.text(
            box.x, box.y, box.label, ha="center", va="center_baseline", fontsize=size, color=INK, family=families,
            parse_math=False, alpha=FADED[2] if box.is_faint else 1.0,
        )  # fmt: skip
        # Where the fonts at hand are wider than was thought, a name is made to fit.
        room = (box.width - 10) * dots
        wide = text.get_window_extent(renderer).width
        if wide > room:
            text.set_fontsize(size * room / wide)

"""What an experiment is: pieces of work, a conclusion from their results, and statements that can fail.

An experiment plans its pieces, and concludes from their results: tables, figures, and paragraphs that set them beside
what was published. It never does both at once, so that all pieces of all experiments can share the cores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from edgewise.errors import ArgumentError

from .pieces import Piece

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""The palette of Okabe & Ito, which people with any kind of colour vision can tell apart."""

SOURCES = {
    "dream4/size10": (
        "The DREAM4 data of size 10 were not found: they are in the Bioconductor package DREAM4 and at Synapse under "
        "syn3049712, and belong into dream4/size10 of the directory given by --data as "
        "insilico_size10_1_multifactorial.csv and insilico_size10_1_goldstandard_edges.csv, up to number 5."
    ),
    "egfr": (
        "The protein network was not found: its nodes and edges are in Mukherjee & Speed, PNAS 2008, and belong into "
        "egfr of the directory given by --data as nodes.csv (node, class) and edges.csv (source, target)."
    ),
}
"""Folders of data that cannot be simulated, and where to get them."""

FILES = {
    "dream4/size10": tuple(
        f"insilico_size10_{network}_{part}.csv"
        for network in range(1, 6)
        for part in ("multifactorial", "goldstandard_edges")
    ),
    "egfr": ("nodes.csv", "edges.csv"),
}
"""What must be in these folders."""


@dataclass(frozen=True)
class Check:
    """A statement about the shape of the results that can fail."""

    statement: str
    holds: bool


@dataclass(frozen=True)
class Section:
    """What an experiment shows, laid beside the published figure.

    Parameters
    ----------
    name, title
        Those of the experiment.
    text
        Paragraphs: what was done, and agreement or the honest reason for a difference.
    tables
        By caption. They are shown on the page, and written as CSV.
    figures
        SVG files that the experiment wrote, each beside a PNG of the same name.
    checks
        What must hold.
    """

    name: str
    title: str
    text: tuple[str, ...]
    tables: dict[str, pd.DataFrame]
    figures: tuple[Path, ...]
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class Experiment:
    """A table or figure of the paper, as something that can be done.

    Parameters
    ----------
    name
        As on the command line: ``"table1"``.
    title
        What it is about.
    plan
        Takes whether to be quick and the directory of data, or None; returns the pieces. Those whose data are not
        there (see :func:`find_data`) are left out.
    conclude
        Takes the results by the names of the pieces, and an existing directory to write figures to.
    needs
        The folder of data, of :data:`SOURCES`, that some of its pieces need.
    """

    name: str
    title: str
    plan: Callable[[bool, Path | None], list[Piece]]
    conclude: Callable[[Mapping[str, dict[str, Any]], Path], Section]
    needs: str | None = None


def find_data(directory: Path | None, folder: str) -> Path | None:
    """Return the path of a folder of data, one of :data:`SOURCES`, or None if not all of its files are there."""
    place = None if directory is None else directory / folder
    return place if place is not None and all((place / name).is_file() for name in FILES[folder]) else None


def make_figure(width: float, height: float) -> Figure:
    """Return an empty figure, in inches; ``figure.subplots(rows, columns)`` gives it axes.

    Raises
    ------
    ArgumentError
        If matplotlib, which only experiments need, is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ArgumentError(
            "Figures of experiments are drawn by matplotlib, which is not installed: install edgewise[reproduce]."
        ) from error
    return Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: Figure, path: Path) -> Path:
    """Write a figure as SVG to a path that ends in ``.svg``, and as PNG beside it; return the path.

    The same figure gives the same files, byte by byte: there is no date in them.
    """
    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": path.stem}):
        figure.savefig(path, metadata={"Date": None})
    figure.savefig(path.with_suffix(".png"), dpi=150)
    return path

"""All experiments of the paper, or some, from their pieces to the page.

The pieces of all wanted experiments are computed together, so that no core waits for the end of one experiment before
the next begins; then each experiment concludes from its own.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from edgewise.arguments import check_whole
from edgewise.errors import ArgumentError
from edgewise.files import writing
from edgewise.running.progress import counting

from . import figure1, figure2, figure3, table1, table2, table3, theorem
from .experiment import SOURCES, Experiment, Section, find_data, make_figure
from .page import Run, write_page, write_tables
from .pieces import Piece, run_pieces

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        table1.EXPERIMENT,
        table1.FIGURE4,
        figure1.EXPERIMENT,
        figure2.EXPERIMENT,
        figure3.EXPERIMENT,
        table2.EXPERIMENT,
        table3.EXPERIMENT,
        theorem.EXPERIMENT,
    )
}
"""In the order of the page."""

PAGE = "index.html"

PIECES = "pieces"
"""The folder in which results are kept, so that the next run need not compute them again."""


def reproduce(
    names: Sequence[str],
    out: Path,
    *,
    data: Path | None = None,
    quick: bool = False,
    workers: int | None = None,
    progress: bool = True,
) -> list[Section]:
    """Run experiments of the paper, and write their tables, figures and a page that shows all.

    Parameters
    ----------
    names
        ``"table1"``, ``"figure1"``, ..., ``"theorem"``, or ``"all"``.
    out
        Directory for the results; made if need be. What it holds of a former run is not computed again.
    data
        Directory with the folders ``dream4`` and ``egfr``. What is not there is left out, and the page says so.
    quick
        Whether to take few data sets and short chains.
    workers
        Processes to run beside each other. Default: as many as there are cores.
    progress
        Whether to show how far it is, on standard error.

    Returns
    -------
    list of Section
        What each experiment shows, in the order of the page. Experiments without their data are left out.
    """
    experiments = choose(names)
    if workers is not None:
        workers = check_whole("workers", workers)
    make_figure(1, 1)  # to learn before the work, not after it, that figures cannot be drawn
    began = time.monotonic()
    plans = {experiment.name: experiment.plan(quick, data) for experiment in experiments}
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
    with counting(progress, "piece") as watch:
        results = run_pieces(_named(plans), out / PIECES, workers=workers, watch=watch)
    sections = []
    for experiment in experiments:
        pieces = plans[experiment.name]
        if pieces:
            directory = out / experiment.name
            directory.mkdir(exist_ok=True)
            own = {piece.name: results[f"{experiment.name}/{piece.name}"] for piece in pieces}
            section = experiment.conclude(own, directory)
            write_tables(section, directory)
            sections.append(section)
    run = _describe(names, data, quick=quick, seconds=time.monotonic() - began)
    write_page(out / PAGE, run, sections)
    return sections


def choose(names: Sequence[str]) -> list[Experiment]:
    """Return experiments by name, in the order of the page."""
    unknown = [name for name in names if name not in EXPERIMENTS and name != "all"]
    if unknown or not names:
        found = repr(unknown[0]) if unknown else "none"
        raise ArgumentError(f"Experiments are {', '.join(EXPERIMENTS)} or all, but {found} was given.")
    return [experiment for name, experiment in EXPERIMENTS.items() if name in names or "all" in names]


def missing_data(names: Sequence[str], data: Path | None) -> tuple[str, ...]:
    """Return a sentence for each folder of data that some of the experiments need and that is not there."""
    needed = {experiment.needs for experiment in choose(names)}
    return tuple(sentence for folder, sentence in SOURCES.items() if folder in needed and not find_data(data, folder))


def _named(plans: dict[str, list[Piece]]) -> list[Piece]:
    """Return the pieces of all experiments, with names that differ."""
    return [replace(piece, name=f"{name}/{piece.name}") for name, pieces in plans.items() for piece in pieces]


def _describe(names: Sequence[str], data: Path | None, *, quick: bool, seconds: float) -> Run:
    """Return what the page says of a run; nothing in it depends on the machine but the duration."""
    words = [
        "edgewise reproduce",
        *names,
        "--out DIR",
        *(["--data DIR"] if data else []),
        *(["--quick"] if quick else []),
    ]
    scale = "quick: few data sets and short chains, to see the shape" if quick else "full: as in the paper, or more"
    return Run(
        command=" ".join(words),
        date=datetime.now(UTC).date().isoformat(),
        version=version("edgewise"),
        settings=f"{scale}; each section says how many of what. All seeds are fixed.",
        duration=f"{seconds / 60:.1f} minutes, without what was kept from a former run in the same directory",
        missing=missing_data(names, data),
    )

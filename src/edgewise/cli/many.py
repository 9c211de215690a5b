"""Fitting many files in one command."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from edgewise.arguments import check_whole
from edgewise.errors import ArgumentError
from edgewise.running.many import TABLE, Many, run_many
from edgewise.running.sets import find_files, is_pattern
from edgewise.wording import printable, quote, shorten

from .clusters import connected
from .options import BAD_VERDICT, EXIT_CODES
from .results import check_directory, write_results
from .summary import REPORT, open_console
from .translating import translate

SHOWN = 40
"""Sets in the table on the terminal; all are in the file."""

LONGEST = 40
"""Characters of a name in that table."""


def is_many(data: Sequence[Path], jobs: int | None) -> bool:
    """Return whether several files are meant: they are, or a pattern stands for them."""
    if len(data) > 1 or is_pattern(str(data[0])):
        return True
    if jobs is not None:
        raise ArgumentError("--jobs is for several files: name them, or quote a pattern like 'data/*.csv'.")
    return False


def fit_many(
    data: Sequence[Path],
    out: Path,
    arguments: dict[str, Any],
    *,
    seed: int | None,
    jobs: int | None,
    dask: str | None,
    overwrite: bool,
    quiet: bool,
    as_json: bool,
    is_strict: bool,
) -> None:
    """Fit all files, write all results of each into a directory of its own, and say what became of them."""
    if jobs is not None and dask is not None:
        raise ArgumentError("--jobs are processes here, and --dask has its own: give one of both.")
    if jobs is not None:
        check_whole("--jobs", jobs)
    files = [file for one in data for file in (find_files(str(one)) if is_pattern(str(one)) else [one])]
    absent = next((file for file in files if not file.exists()), None)
    if absent is not None:
        raise ArgumentError(f"There is no file {quote(str(absent))}: check the names.")
    check_directory(out, overwrite=True)  # whether it holds results of the same command is seen later
    with connected(dask) as executor:
        many = run_many(
            files,
            seed=seed,
            out=out,
            workers=None if executor is not None else jobs or os.cpu_count() or 1,
            executor=executor,
            overwrite=overwrite,
            progress=not quiet,
            arguments=arguments,
            write=write_results,
        )
    if as_json:
        sys.stdout.write(json.dumps(describe(many, out), indent=2) + "\n")
    elif not quiet:
        show(many, out)
    if many.stopped_by is not None:
        raise typer.Exit(EXIT_CODES[many.stopped_by])
    for name, error in many.failed.items():
        sys.stderr.write(f"edgewise: {printable(name)} failed. {printable(translate(error))}\n")
    if many.failed:
        raise typer.Exit(1)
    if is_strict and not many.table["is_converged"].all():
        raise typer.Exit(BAD_VERDICT)


def describe(many: Many, out: Path) -> dict[str, Any]:
    """Return what became of many files as what JSON can hold."""
    sets = json.loads(many.table.to_json(orient="records"))
    return {"out": str(out), "table": TABLE, "stopped_by": many.stopped_by, "sets": sets}


def show(many: Many, out: Path) -> None:
    """Print a table of the sets, how many of them are good, and where everything is."""
    console = open_console()
    console.print(_table(many))
    good = int(many.table["is_converged"].sum())
    console.print(Text(f"{len(many)} of {len(many.table)} data sets are done, {good} of them with a good verdict."))
    console.print(Text(f"All are in {printable(str(out / TABLE))}."), soft_wrap=True)
    if len(many):
        report = out / next(iter(many)) / REPORT
        console.print(Text(f"Each has its own folder: open {printable(str(report))} in a browser."), soft_wrap=True)


def _table(many: Many) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("data set", overflow="fold")
    for column in ("seconds", "joined", "told", "unusual"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for row in many.table.head(SHOWN).to_dict("records"):
        name = Text(printable(shorten(row["name"], LONGEST)))
        if row["error"]:
            table.add_row(name, "", "", "", "", Text("stopped" if many.stopped_by else "failed", "bold red"))
            continue
        word = Text("good", "bold green") if row["is_converged"] else Text("bad", "bold red")
        numbers = [str(row[column]) for column in ("joined_pairs", "told_directions", "findings")]
        table.add_row(name, f"{row['seconds']:.1f}", *numbers, word)
    if len(many.table) > SHOWN:
        table.add_row(f"and {len(many.table) - SHOWN} more")
    return table

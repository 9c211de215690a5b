"""What the commands write and show."""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from edgewise.data import Simulation
from edgewise.data.wording import quote
from edgewise.errors import ArgumentError, EdgewiseError, StorageError
from edgewise.posterior import Posterior
from edgewise.posterior.diagnostics import Diagnostics

DRAWS = "posterior.nc"
RESULTS = ("edges.csv", DRAWS, "run.json")
SIMULATION = ("data.csv", "true_edges.csv")

SHOWN = 15
"""Edges in the summary on the terminal: what fits on a screen."""


def check_directory(out: Path, *, overwrite: bool) -> None:
    """Refuse, before any work, a directory that cannot take the results."""
    shown = quote(str(out))
    try:
        if os.path.lexists(out) and not out.is_dir():
            raise ArgumentError(f"--out must be a directory, but {shown} is a file.")
        if out.is_dir() and any(out.iterdir()) and not overwrite:
            raise ArgumentError(f"--out is {shown}, which is not empty: choose another directory, or add --overwrite.")
        nearest = next(place for place in (out, *out.absolute().parents) if place.exists())
        if not nearest.is_dir():
            raise ArgumentError(f"--out cannot be {shown}, since {quote(str(nearest))} is a file.")
        if not os.access(nearest, os.W_OK | os.X_OK):
            raise ArgumentError(f"--out cannot be {shown}: you may not write to {quote(str(nearest))}.")
    except OSError as error:
        raise ArgumentError(f"--out cannot be {shown} ({error.strerror}).") from error


def is_demo(out: Path) -> bool:
    """Whether a directory holds the results of the demo, and nothing else."""
    try:
        return {path.name for path in out.iterdir()} == {*RESULTS, *SIMULATION}
    except OSError:
        return False


@contextmanager
def new_files(out: Path) -> Iterator[Path]:
    """Provide a directory to write to, whose files move to ``out`` at the end; an error leaves nothing."""
    made = [place for place in (out, *out.parents) if not place.exists()]
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".edgewise-", dir=out) as directory:
            yield Path(directory)
            for file in Path(directory).iterdir():
                file.replace(out / file.name)
    except BaseException as error:
        for place in made:
            with suppress(OSError):
                place.rmdir()
        if isinstance(error, OSError) and not isinstance(error, EdgewiseError):
            raise StorageError(f"The results cannot be written to {quote(str(out))} ({error.strerror}).") from error
        raise


def write_results(posterior: Posterior, directory: Path) -> Diagnostics:
    """Write edges.csv and run.json beside the draws; return the diagnostics, which warn if they are bad."""
    posterior.export(directory / "edges.csv")
    diagnostics = posterior.diagnostics()
    about = {**posterior.info, "verdict": diagnostics.verdict, "nodes": posterior.nodes, "moves": posterior.moves}
    (directory / "run.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    return diagnostics


def write_simulation(simulation: Simulation, directory: Path) -> None:
    """Write data.csv and true_edges.csv."""
    data, truth = (directory / name for name in SIMULATION)
    simulation.data.to_csv(data, index=False)
    names = simulation.data.columns
    source, target = simulation.dag.nonzero()
    edges = {"source": names[source], "target": names[target], "weight": simulation.weights[source, target]}
    pd.DataFrame(edges).to_csv(truth, index=False)


def show(posterior: Posterior, diagnostics: Diagnostics, out: Path) -> None:
    """Print the most probable edges, a good verdict (a bad one is a warning already), and where everything is."""
    edges = posterior.edges()
    console = Console()
    if len(edges):
        console.print(_table(edges.head(SHOWN)))
    sure = int((edges["probability"] >= 0.5).sum())
    found = (
        f"{sure} edges have probability 0.5 or more; all {len(edges)} that were ever drawn are in {out / 'edges.csv'}."
        if len(edges)
        else "No edge was ever drawn: the data show no dependence between the variables."
    )
    verdict = f"{diagnostics.verdict}\n" if diagnostics.is_converged else ""
    console.print(f"{verdict}{found} {_method(posterior)}", highlight=False, markup=False, soft_wrap=True)


def _method(posterior: Posterior) -> str:
    """Say how parents were found among the variables before them."""
    settings = posterior.info["sampler"]
    by = "the score" if settings["criterion"] == "score" else "tests of independence"
    return f"Parents were found by {settings['parents']}, with {by}."


def _table(edges: pd.DataFrame) -> Table:
    table = Table(title="Most probable edges", title_justify="left")
    for column in ("source", "target"):
        table.add_column(column, overflow="fold")
    for column in ("probability", "±", "joined at all", "compelled"):
        table.add_column(column, justify="right")
    for source, target, *numbers in edges.itertuples(index=False):
        table.add_row(_printable(source), _printable(target), *(f"{number:.3f}" for number in numbers))
    return table


def _printable(name: str) -> Text:
    """Return a name as it is or, if it could play tricks on the terminal, as Python would write it."""
    return Text(name if name.isprintable() else repr(name))

"""What the commands write."""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd

from edgewise.data import Simulation
from edgewise.errors import ArgumentError, EdgewiseError, StorageError
from edgewise.posterior import Posterior, load
from edgewise.running.checkpoints import ABOUT, LOCK
from edgewise.running.locks import hold
from edgewise.wording import quote

from .summary import REPORT, Summary
from .translating import translate

DRAWS = "posterior.nc"
CHECKPOINT = "checkpoint"
UNFINISHED = ".edgewise-"
RESULTS = (REPORT, "edges.csv", "pairs.csv", DRAWS, "run.json")
SIMULATION = ("data.csv", "true_edges.csv")


def check_directory(out: Path, *, overwrite: bool) -> None:
    """Refuse, before any work, a directory that cannot take the results."""
    shown = quote(str(out))
    try:
        if os.path.lexists(out) and not out.is_dir():
            raise ArgumentError(f"--out must be a directory, but {shown} is a file.")
        if (out / CHECKPOINT / ABOUT).exists() and not overwrite:
            raise ArgumentError(
                f"--out is {shown}, which holds a run: edgewise resume goes on with it, and --overwrite begins anew."
            )
        if out.is_dir() and not all(map(_is_left, out.iterdir())) and not overwrite:
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


def _is_left(path: Path) -> bool:
    """Whether something was left by a command that was killed, before there was anything to go on with."""
    if path.name == CHECKPOINT:
        return path.is_dir() and not (path / ABOUT).exists()
    return _is_unfinished(path)


def _is_unfinished(path: Path) -> bool:
    """Whether a directory belongs to a command of which nothing else is left."""
    process = re.fullmatch(rf"{re.escape(UNFINISHED)}(?:(\d+)-)?\w+", path.name)
    if process is None or not path.is_dir():
        return False
    if process[1] is None:
        return True
    try:
        os.kill(int(process[1]), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def tidy_up(out: Path) -> None:
    """Remove what a command that was killed has left unfinished.

    Raises
    ------
    StorageError
        If the run in the directory is under way.
    """
    if (out / CHECKPOINT).is_dir():
        hold(out / CHECKPOINT / LOCK).close()
    for left in filter(_is_unfinished, out.glob(f"{UNFINISHED}*")):
        shutil.rmtree(left, ignore_errors=True)


@contextmanager
def new_files(out: Path, *, anew: bool = False) -> Iterator[Path]:
    """Provide a directory to write to, whose files move to ``out`` at the end.

    An error leaves nothing but the checkpoint of a run. Ctrl-C leaves the draws too, if they are complete: the rest can
    be made from them. With ``anew``, the checkpoint of an earlier run goes as soon as there is a new one.
    """
    former = out / f"{UNFINISHED}{os.getpid()}-former"
    made = [place for place in (out, *out.parents) if not place.exists()]
    try:
        out.mkdir(parents=True, exist_ok=True)
        if anew:
            tidy_up(out)
            if (out / CHECKPOINT).is_dir():
                (out / CHECKPOINT).replace(former)
        with tempfile.TemporaryDirectory(prefix=f"{UNFINISHED}{os.getpid()}-", dir=out) as directory:
            try:
                yield Path(directory)
            except KeyboardInterrupt as interrupt:
                draws = Path(directory) / DRAWS
                if not draws.is_file():
                    if (out / CHECKPOINT).is_dir():
                        kept = f"edgewise resume {out} goes on with the run"
                        raise KeyboardInterrupt(kept) from interrupt
                    raise
                draws.replace(out / DRAWS)
                kept = f"the draws are in {quote(str(out))}, and edgewise report makes the rest of them"
                raise KeyboardInterrupt(kept) from interrupt
            for file in Path(directory).iterdir():
                file.replace(out / file.name)
        shutil.rmtree(former, ignore_errors=True)
    except BaseException as error:
        if former.is_dir() and not (out / CHECKPOINT).is_dir():
            former.replace(out / CHECKPOINT)
        shutil.rmtree(former, ignore_errors=True)
        for place in made:
            with suppress(OSError):
                place.rmdir()
        if isinstance(error, OSError) and not isinstance(error, EdgewiseError):
            raise StorageError(f"The results cannot be written to {quote(str(out))} ({error.strerror}).") from error
        raise


def write_results(posterior: Posterior, directory: Path) -> Summary:
    """Write edges.csv, pairs.csv, run.json and report.html beside the draws; return them in short."""
    posterior.export(directory / "edges.csv")
    posterior.write_pairs(directory / "pairs.csv")
    diagnostics = posterior.silent_diagnostics
    verdict = translate(diagnostics.verdict)
    about = {**posterior.info, "verdict": verdict, "nodes": posterior.nodes, "moves": posterior.moves}
    (directory / "run.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    posterior.report(directory / REPORT)
    files = sorted(path.name for path in directory.iterdir())
    return Summary(posterior.edges(), posterior.pairs(), diagnostics, posterior.info, files, posterior.advice)


def load_results(directory: Path) -> Posterior:
    """Return the posterior that a command wrote to a directory."""
    if not (directory / DRAWS).is_file():
        if (directory / CHECKPOINT / ABOUT).is_file():
            raise StorageError(
                f"The run in {quote(str(directory))} has not ended: edgewise resume {directory} goes on with it."
            )
        raise StorageError(
            f"There is no {DRAWS} in {quote(str(directory))}: give a directory that edgewise fit or edgewise demo "
            "wrote to."
        )
    return load(directory / DRAWS)


def rebuild_results(directory: Path) -> Path:
    """Write all other results anew from the draws beside them, and return the path of the report."""
    posterior = load_results(directory)
    with new_files(directory) as place:
        write_results(posterior, place)
    return directory / REPORT


def write_simulation(simulation: Simulation, directory: Path) -> None:
    """Write data.csv and true_edges.csv."""
    data, truth = (directory / name for name in SIMULATION)
    simulation.data.to_csv(data, index=False)
    names = simulation.data.columns
    source, target = simulation.dag.nonzero()
    edges = {"source": names[source], "target": names[target], "weight": simulation.weights[source, target]}
    pd.DataFrame(edges).to_csv(truth, index=False)

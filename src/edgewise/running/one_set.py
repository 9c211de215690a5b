"""One of many data sets: a whole run, from the data to a row of the table, wherever there is a worker.

In a directory of its own, a set has its draws, the checkpoint of its run and, when all is written, ``done.json``: what
was asked for, to tell whether a later call asks for the same, and the row. A worker that is killed leaves a checkpoint,
from which the next call goes on.
"""

import json
import os
import shutil
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from edgewise.data import Reading
from edgewise.data.files import read_table
from edgewise.errors import ArgumentError, EdgewiseError, EdgewiseWarning, StorageError
from edgewise.files import writing
from edgewise.posterior import Posterior
from edgewise.posterior.summaries import count_pairs
from edgewise.wording import quote

from .frames import replace_file
from .requests import Request, describe_question, find_difference
from .sampling import sample
from .stopping import SIGNALS, Cause, find_cause
from .threads import one_thread

DRAWS, CHECKPOINT, DONE = "posterior.nc", "checkpoint", "done.json"
"""Files of a set, and the folder of its checkpoint."""

Write = Callable[[Posterior, Path], Any]
"""Takes a posterior, and the directory to write more about it to."""


@dataclass(frozen=True)
class Task:
    """A set to be sampled.

    Attributes
    ----------
    name
        Of the set, and of its directory.
    arguments
        Those of :func:`edgewise.sample`, the data and a seed among them.
    directory
        Where its results belong; None if they are to be handed back.
    rows
        A seed for rows that are drawn with replacement; None to take them as they are.
    write
        Writes more than the draws.
    anew
        Whether to begin anew, whatever the directory holds.
    """

    name: str
    arguments: dict[str, Any]
    directory: Path | None = None
    rows: int | None = None
    write: Write | None = None
    anew: bool = False


class Outcome(NamedTuple):
    """What became of a set: its row of the table, its posterior if that is not in a file, and what stopped it."""

    row: dict[str, Any]
    posterior: Posterior | None = None
    stopped_by: Cause | None = None


def new_row(name: str, error: str = "") -> dict[str, Any]:
    """Return the row of a set of which nothing is known but, perhaps, what went wrong."""
    return {
        "name": name,
        "seconds": None,
        "is_converged": None,
        "joined_pairs": None,
        "told_directions": None,
        "findings": None,
        "verdict": "",
        "error": error,
    }


def do_set(task: Task) -> Outcome:
    """Do a set in this thread; whatever goes wrong is told in its row."""
    try:
        with warnings.catch_warnings():
            # The row says how many findings there are, and what the verdict is.
            warnings.simplefilter("ignore", EdgewiseWarning)
            return _do(task)
    except KeyboardInterrupt as interrupt:
        return Outcome(new_row(task.name), stopped_by=find_cause(interrupt))
    except Exception as error:
        return Outcome(new_row(task.name, _explain(error)))


def do_set_apart(task: Task) -> Outcome:
    """Do a set in a worker, with one thread, so that as many sets as there are workers are done at the same time.

    The main thread of a worker only waits. A run would take signals there as the wish of the user to keep what there
    is, but a worker that is told to end shall end.
    """
    if threading.current_thread() is threading.main_thread():
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(do_set_apart, task).result()
    with one_thread():
        return do_set(task)


def _explain(error: Exception) -> str:
    """Return what went wrong as a sentence."""
    if isinstance(error, EdgewiseError):
        return str(error)
    told = " ".join(str(error).split()).rstrip(".")
    return f"The run ended with an error of the program, {type(error).__name__}{told and f': {told}'}."


def _do(task: Task) -> Outcome:
    began = time.perf_counter()
    arguments = task.arguments
    if task.rows is not None:
        rows = _draw_rows(arguments, task.rows)
        arguments = {**{name: value for name, value in arguments.items() if name != "header"}, "data": rows}
    if task.directory is None:
        posterior = sample(**arguments, progress=False)
        return Outcome(_describe(task, posterior, began), posterior, _find_signal(posterior))
    if task.anew:
        _clear(task.directory)
    known = _read_row(task, task.directory, arguments)
    if known is not None:
        return Outcome(known)
    with writing(task.directory):
        task.directory.mkdir(parents=True, exist_ok=True)
    draws, checkpoint = task.directory / DRAWS, task.directory / CHECKPOINT
    try:
        posterior = sample(**arguments, store=draws, checkpoint=checkpoint, progress=False)
    except EdgewiseError:
        with suppress(OSError):
            task.directory.rmdir()  # it is empty unless there is a checkpoint
        raise
    stopped_by = _find_signal(posterior)
    if stopped_by is not None:
        draws.unlink(missing_ok=True)  # the checkpoint has all that was drawn
        return Outcome(new_row(task.name), stopped_by=stopped_by)
    if task.write is not None:
        task.write(posterior, task.directory)
    row = _describe(task, posterior, began)
    about = {"question": _describe_question(arguments), "row": row}
    replace_file(task.directory / DONE, (json.dumps(about, indent=2) + "\n").encode())
    return Outcome(row)


def _find_signal(posterior: Posterior) -> Cause | None:
    """Return the signal that stopped a run, if one did; the end of its time is no such thing."""
    stopped_by: Cause | None = posterior.info["stopped_by"]
    return stopped_by if stopped_by in SIGNALS.values() else None


def _describe(task: Task, posterior: Posterior, began: float) -> dict[str, Any]:
    """Return the row of a set."""
    diagnostics = posterior.silent_diagnostics
    joined, told = count_pairs(posterior.pairs())
    return {
        **new_row(task.name),
        "seconds": round(time.perf_counter() - began, 3),
        "is_converged": bool(diagnostics.is_converged),
        "joined_pairs": joined,
        "told_directions": told,
        "findings": len((posterior.info["data"] or {}).get("findings") or ()),
        "verdict": diagnostics.verdict,
    }


def _describe_question(arguments: dict[str, Any]) -> dict[str, Any]:
    known = {field.name for field in fields(Request)}
    reading: Any = {name: value for name, value in arguments.items() if name in Reading.__annotations__}
    return describe_question(Request(**{k: v for k, v in arguments.items() if k in known}, reading=reading))


def _clear(directory: Path) -> None:
    with writing(directory):
        (directory / DONE).unlink(missing_ok=True)
    shutil.rmtree(directory / CHECKPOINT, ignore_errors=True)


def _read_row(task: Task, directory: Path, arguments: dict[str, Any]) -> dict[str, Any] | None:
    """Return the row of a set that is done, having seen that the same was asked for; None if it is not done."""
    try:
        about = json.loads((directory / DONE).read_text(encoding="utf-8"))
        row = new_row(task.name) | {name: about["row"][name] for name in new_row("") if name != "name"}
        question = about["question"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if not (directory / DRAWS).is_file():
        return None
    different = find_difference(question, _describe_question(arguments))
    if different:
        raise StorageError(
            f"The results in {quote(str(directory))} are of another run: it differs in {different}; give another "
            "directory, or the same arguments."
        )
    return row


def _draw_rows(arguments: dict[str, Any], seed: int) -> pd.DataFrame | np.ndarray:
    """Return as many rows as a table has, drawn from it with replacement."""
    data = arguments["data"]
    if isinstance(data, str | os.PathLike):
        data = read_table(Path(data), arguments.get("header", "auto"))
    if not isinstance(data, pd.DataFrame | np.ndarray):
        raise ArgumentError(
            f"Replicates are made of rows drawn anew, and {type(data).__name__} data have none to draw from: give the "
            "table."
        )
    if arguments.get("interventions") is not None and not isinstance(arguments["interventions"], str):
        raise ArgumentError(
            "Replicates are made of rows drawn anew, but interventions are told cell by cell: give the column that has "
            "the condition of each row, with targets."
        )
    rows = np.random.default_rng(seed).integers(len(data), size=len(data))
    return data[rows] if isinstance(data, np.ndarray) else data.iloc[rows].reset_index(drop=True)

"""Work in pieces: spread over the cores, and kept, so that an interrupted run can go on where it was.

A piece is a function and its settings. What it returned is kept in a file of its own, whose name has a fingerprint of
the function, the settings and the version of Edgewise. Equal pieces of two experiments are computed once, and a piece
whose settings have changed is another piece. A file is written complete or not at all.
"""

import hashlib
import json
import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import Any

from edgewise.errors import EdgewiseWarning
from edgewise.files import new_file
from edgewise.tasks import run_in_processes

FINGERPRINT = 12
"""Hexadecimal digits of a fingerprint: 48 bits, so that the thousands of pieces of a run do not collide."""


@dataclass(frozen=True)
class Piece:
    """A part of an experiment that can be computed by itself, on any core, and kept.

    Parameters
    ----------
    name
        Unique within an experiment. Its file is called after the part behind the last slash.
    work
        A function at the top of a module, which returns plain JSON data. Warnings of Edgewise are not shown: what
        they warn of is what the experiments measure.
    settings
        Its keyword arguments, plain JSON data.
    alone
        Whether nothing else may run beside it, because it measures time.
    """

    name: str
    work: Callable[..., dict[str, Any]]
    settings: dict[str, Any]
    alone: bool = False

    @property
    def file(self) -> str:
        """The name of the file that its result is kept in."""
        content = json.dumps([*self._function(), self.settings, version("edgewise")], sort_keys=True)
        fingerprint = hashlib.sha256(content.encode()).hexdigest()[:FINGERPRINT]
        return f"{PurePosixPath(self.name).name}-{fingerprint}.json"

    def record(self, result: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Return what is kept: the result, and what a reader would like to know about it."""
        return {
            "function": ".".join(self._function()),
            "settings": self.settings,
            "version": version("edgewise"),
            "seconds": round(seconds, 3),
            "result": result,
        }

    def _function(self) -> tuple[str, str]:
        return self.work.__module__, self.work.__qualname__


def _ignore(done: int, total: int) -> None:
    """Watch nothing."""


def run_pieces(
    pieces: Sequence[Piece],
    directory: Path,
    *,
    workers: int | None = None,
    watch: Callable[[int, int], None] = _ignore,
) -> dict[str, dict[str, Any]]:
    """Return the result of every piece by name; those that the directory holds already are not computed again.

    Parameters
    ----------
    pieces
        What to compute, the longest first if that is known. Names must differ.
    directory
        Where results are kept; made if need be.
    workers
        Processes to run beside each other. Default: as many as there are cores.
    watch
        Told how many pieces are done, and of how many, at the beginning and after each.

    Notes
    -----
    Pieces that must run alone come first, one after the other. On an error, or Ctrl-C, the workers are ended; what was
    finished until then is kept.
    """
    names = [piece.name for piece in pieces]
    if len(set(names)) < len(names):
        raise ValueError(f"pieces must have different names: {names}")
    directory.mkdir(parents=True, exist_ok=True)
    distinct = {piece.file: piece for piece in pieces}
    results = {file: result for file in distinct if (result := _read(directory / file)) is not None}
    watch(len(results), len(distinct))
    for alone in (True, False):
        waiting = [piece for file, piece in distinct.items() if file not in results and piece.alone is alone]
        number = 1 if alone else min(workers or os.cpu_count() or 1, len(waiting))
        for piece, (result, seconds) in _compute(waiting, number):
            results[piece.file] = result
            with new_file(directory / piece.file) as unfinished:
                unfinished.write_text(json.dumps(piece.record(result, seconds), indent=1) + "\n", encoding="utf-8")
            watch(len(results), len(distinct))
    return {piece.name: results[piece.file] for piece in pieces}


def _read(path: Path) -> dict[str, Any] | None:
    """Return a result that was kept; a file that cannot be read counts as none."""
    try:
        result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["result"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return result


def _compute(pieces: Sequence[Piece], workers: int) -> Iterator[tuple[Piece, tuple[dict[str, Any], float]]]:
    """Yield pieces, with their results and the seconds they took, as they are finished."""
    for number, future in run_in_processes(_work, pieces, workers):
        piece = pieces[number]
        try:
            finished = future.result()
        except Exception as error:
            error.add_note(f"in the piece {piece.name} with {piece.settings}")
            raise
        yield piece, finished


def _work(piece: Piece) -> tuple[dict[str, Any], float]:
    """Compute a piece, in a worker; return its result and the seconds it took."""
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EdgewiseWarning)
        result = piece.work(**piece.settings)
    return result, time.perf_counter() - began

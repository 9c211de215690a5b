"""How long a run will take, and how much memory, said as soon as it can be known."""

from typing import Any

import numpy as np

from edgewise.samplers import Chain

from .engines import SHARED
from .progress import Watcher

LONG = 90.0
"""Seconds from which on a run is announced as long."""

ENOUGH = 0.5
"""Seconds of work after which the pace of the chains is known well enough."""


class Forecast:
    """Watches the first blocks of a run, and says once what is to be expected if the run will be long.

    Parameters
    ----------
    chains
        The chains of the run.
    p
        Number of variables.
    workers
        How many of them advance at the same time.
    limit
        Seconds after which the run stops anyway, if there is such a limit.
    in_memory
        Whether the draws stay in memory.
    watcher
        Who is told.
    """

    def __init__(
        self, chains: list[Chain], *, p: int, workers: int, limit: float | None, in_memory: bool, watcher: Watcher
    ) -> None:
        self._chains = chains
        self._before = [chain.iteration for chain in chains]
        self._limit = np.inf if limit is None else limit
        self._p = p
        self._share = min(workers, len(chains)) / len(chains)
        self._in_memory = in_memory
        self._watcher = watcher
        self._steps = 0
        self._seconds = 0.0
        self._is_told = False

    def note(self, steps: int, seconds: float) -> None:
        """Take note that a chain took ``seconds`` for so many iterations."""
        self._steps += steps
        self._seconds += seconds
        if self._is_told or self._seconds < ENOUGH:
            return
        self._is_told = True
        pace = self._steps / self._seconds * self._share
        iterations = self._chains[0].schedule.iterations
        before = sum(self._before) / len(self._before)
        expected = min((iterations - before) / pace, self._limit)
        if expected > LONG:
            size = sum(map(count_bytes, self._chains)) + self._draws(int(min(iterations, before + expected * pace)))
            self._watcher.message(
                f"This run will take about {_in_words(expected)} and {size / 1e6:,.0f} MB of memory. Ctrl-C ends "
                "it early, with the draws made so far; a time budget sets a limit."
            )

    def _draws(self, iterations: int) -> int:
        """Return the bytes of what the chains will have drawn after so many iterations."""
        if not self._in_memory:
            return 0
        entry = 4 + np.min_scalar_type(self._p - 1).itemsize
        return len(self._chains) * self._chains[0].schedule.draws(after=iterations) * self._p * entry


def count_bytes(part: Any) -> int:
    """Return the bytes of all arrays that an object holds, in tuples and attributes, but not in shared models."""
    if isinstance(part, np.ndarray):
        return part.nbytes
    if isinstance(part, tuple | list):
        return sum(map(count_bytes, part))
    return sum(count_bytes(value) for name, value in getattr(part, "__dict__", {}).items() if name not in SHARED)


def _in_words(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"

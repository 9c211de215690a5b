"""Progress on the terminal, in a notebook, in a log, or none."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import numpy as np
from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from edgewise._kernels.basics.recorder import Draws
from edgewise.samplers import Chain, Schedule
from edgewise.wording import count

from .agreement import Agreement
from .stopping import Stop

NUMBERS = 64
"""Columns of a terminal that the number of a chain and the numbers about it need; what is left is for its bar."""

SHORTEST_BAR, LONGEST_BAR = 8, 40
"""Columns of a bar. A shorter one would show less than the percentage beside it; a longer one, no more."""

AGREEMENT_EVERY = 1.0
"""Seconds from one look at the agreement of chains to the next, at least."""

AGREEMENT_SHARE = 0.01
"""The most of a run's time to spend on looking. With 1000 variables, a look takes a tenth of a second."""

LINE_EVERY = 0.25
"""Seconds from one state of the line in a notebook to the next, each of which is sent to a browser."""

SPEED_OVER = 600.0
"""Seconds from which the time left of many tasks is estimated: they take from less than a second to minutes."""


class Watcher(Protocol):
    """Whoever wants to know how a run is going."""

    def begin(self, chains: Sequence[Chain]) -> None:
        """Tell where chains begin: those that go on have iterations already."""

    def message(self, text: str) -> None:
        """Say something once."""

    def chain(self, number: int, chain: Chain, blocks: list[Draws], family_parents: np.ndarray) -> None:
        """Tell that a chain has advanced, and what it has drawn meanwhile, by numbers of families with parents."""


class Silent:
    """Shows nothing."""

    def begin(self, chains: Sequence[Chain]) -> None:
        """Show nothing."""

    def message(self, text: str) -> None:
        """Say nothing."""

    def chain(self, number: int, chain: Chain, blocks: list[Draws], family_parents: np.ndarray) -> None:
        """Show nothing."""


class _Log(Silent):
    """Writes messages, a line each."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def message(self, text: str) -> None:
        self._console.print(text, soft_wrap=True, highlight=False, markup=False)


class _Looks:
    """How well chains agree, looked at now and then; never where there is but one."""

    def __init__(self, chains: int, p: int) -> None:
        self._agreement = Agreement(chains, p) if chains > 1 else None
        self._next = 0.0
        self.least = np.nan

    def add(self, number: int, blocks: list[Draws], family_parents: np.ndarray) -> None:
        """Take draws of a chain."""
        if self._agreement is not None:
            self._agreement.add(number, blocks, family_parents)

    def look_if_due(self) -> None:
        """Look, if the last time was long enough ago."""
        if time.monotonic() >= self._next:
            self.look()

    def look(self) -> None:
        """Find the least agreement of two chains so far."""
        if self._agreement is None:
            return
        began = time.monotonic()
        self.least = self._agreement.least()
        ended = time.monotonic()
        self._next = ended + max(AGREEMENT_EVERY, (ended - began) / AGREEMENT_SHARE)


class _Line(Silent):
    """One line of plain text that is written over again and again: notebooks show it, with or without ipywidgets."""

    def __init__(self, chains: int, p: int, stop: Stop, schedule: Schedule) -> None:
        self._stop = stop
        self._seconds = stop.seconds_left() if schedule.has_open_end else None
        self._looks = _Looks(chains, p)
        self._done = [0] * chains
        self._before = 0
        self._whole = chains * schedule.iterations
        self.began = self._going_since = time.monotonic()
        self._next = 0.0
        self._width = 0

    def begin(self, chains: Sequence[Chain]) -> None:
        """Take note of what was done before."""
        self._done = [chain.iteration for chain in chains]
        self._before = sum(self._done)
        self._going_since = time.monotonic()

    def message(self, text: str) -> None:
        """Write a line that stays; the one that changes goes on below it."""
        sys.stderr.write(f"\r{text.ljust(self._width)}\n")
        self._width = 0

    def chain(self, number: int, chain: Chain, blocks: list[Draws], family_parents: np.ndarray) -> None:
        """Write how far the chains are, if the last time was long enough ago."""
        self._done[number] = chain.iteration
        self._whole = len(self._done) * chain.schedule.iterations  # which may have grown
        self._looks.add(number, blocks, family_parents)
        if time.monotonic() >= self._next:
            self.show()

    def show(self) -> None:
        """Write how far the chains are, how long they will take, and how well they agree."""
        self._looks.look_if_due()
        least = self._looks.least
        agreement = "" if np.isnan(least) else f", agreement of chains so far {least:.3f}"
        left = self._seconds_left()
        in_words = f", about {left:,.0f} s left" if left < np.inf else ""
        text = f"{count(len(self._done), 'chain')}: {self._share():.0%} done{in_words}{agreement}"
        sys.stderr.write(f"\r{text.ljust(self._width)}")
        sys.stderr.flush()
        self._width = len(text)
        self._next = time.monotonic() + LINE_EVERY

    def _share(self) -> float:
        if self._seconds is not None:
            return min(1 - self._stop.seconds_left() / self._seconds, 1.0)
        return sum(self._done) / self._whole

    def _seconds_left(self) -> float:
        """Return the time left at the pace so far, infinite if that is not known."""
        if self._seconds is not None:
            return self._stop.seconds_left()
        done = sum(self._done)
        pace = (done - self._before) / max(time.monotonic() - self._going_since, 1e-9)
        return (self._whole - done) / pace if pace > 0 else np.inf


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:>9,.0f} it/s")


class _Bars(Progress):
    """A bar for each chain and, below them, how well the chains agree."""

    def __init__(self, console: Console, chains: int, p: int, stop: Stop, schedule: Schedule) -> None:
        self._stop = stop
        self._seconds = stop.seconds_left() if schedule.has_open_end else None
        self.looks = _Looks(chains, p)
        width = min(console.width - NUMBERS, LONGEST_BAR)
        super().__init__(
            TextColumn("{task.description}"),
            *([BarColumn(width)] if width >= SHORTEST_BAR else []),
            TaskProgressColumn(),
            *([_Rate()] if self._seconds is None else []),
            TimeRemainingColumn(),
            TextColumn("{task.fields[log_posterior]}"),
            console=console,
        )
        self._chains = [
            self.add_task(f"chain {number + 1}", total=self._seconds or schedule.iterations, log_posterior="")
            for number in range(chains)
        ]

    def begin(self, chains: Sequence[Chain]) -> None:
        if self._seconds is None:
            for task, chain in zip(self._chains, chains, strict=True):
                self.update(task, completed=chain.iteration)

    def message(self, text: str) -> None:
        self.console.print(text, highlight=False, markup=False)

    def chain(self, number: int, chain: Chain, blocks: list[Draws], family_parents: np.ndarray) -> None:
        log_posterior = f"log posterior {chain.log_posterior:,.1f}"
        if self._seconds is None:
            done, whole = float(chain.iteration), float(chain.schedule.iterations)
        else:
            done, whole = self._seconds - self._stop.seconds_left(), self._seconds
        self.update(self._chains[number], total=whole, completed=done, log_posterior=log_posterior)
        self.looks.add(number, blocks, family_parents)
        self.looks.look_if_due()

    def get_renderables(self) -> Iterable[RenderableType]:
        """Return what is shown: Rich asks for it several times a second."""
        yield from super().get_renderables()
        if len(self.tasks) > 1:
            least = self.looks.least
            yield Text(f"agreement of chains so far {'-' if np.isnan(least) else f'{least:.3f}'}")


def tell(show: bool, text: str) -> None:
    """Say something before there are chains to watch."""
    if show:
        _Log(Console(stderr=True)).message(text)


@contextmanager
def watch(show: bool, *, chains: int, p: int, length: str, stop: Stop, schedule: Schedule) -> Iterator[Watcher]:
    """Provide a watcher: a bar per chain with rate and time left, messages only, or nothing.

    ``length`` says in words how long chains will be; a bar without a number of iterations goes with the time.

    A notebook has one line, which changes. Where standard error is neither that nor a terminal that can move its
    cursor, there is one line when the run begins and one when it ends, so that a log tells what happened.
    """
    console = Console(stderr=True)
    if not show:
        yield Silent()
    elif console.is_jupyter:
        line = _Line(chains, p, stop, schedule)
        yield line
        line.show()
        line.message(f"Sampling ended after {time.monotonic() - line.began:,.1f} seconds; summing up the draws.")
    elif console.is_terminal and not console.is_dumb_terminal:
        with _Bars(console, chains, p, stop, schedule) as bars:
            yield bars
            bars.looks.look()
        # So that seconds without a sign of life do not tempt anyone to press Ctrl-C.
        bars.message("Summing up the draws.")
    else:
        log = _Log(console)
        began = time.monotonic()
        log.message(f"Sampling DAGs of {count(p, 'variable')}: {count(chains, 'chain')} of {length}.")
        yield log
        log.message(f"Sampling ended after {time.monotonic() - began:,.1f} seconds; summing up the draws.")


@contextmanager
def counting(show: bool, noun: str) -> Iterator[Callable[[int, int], None]]:
    """Provide what is told how many of many things are done, and of how many.

    It is a bar on a terminal, a line for each tenth in a log, or nothing.
    """
    console = Console(stderr=True)
    if not show:
        yield lambda done, total: None
    elif console.is_terminal and not console.is_dumb_terminal:
        columns = (
            TextColumn(f"{noun}s"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=console, speed_estimate_period=SPEED_OVER) as bar:
            task = bar.add_task(f"{noun}s")
            yield lambda done, total: bar.update(task, completed=done, total=total)
    else:

        def log(done: int, total: int) -> None:
            if done == total or done % max(total // 10, 1) == 0:
                console.print(f"{done} of {total} {noun}s are done.", soft_wrap=True, highlight=False)

        yield log

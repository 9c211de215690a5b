"""Progress on the terminal, or none."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class Watcher(Protocol):
    """Whoever wants to know how a run is going."""

    def message(self, text: str) -> None:
        """Say something once."""

    def chain(self, number: int, iteration: int, log_posterior: float) -> None:
        """Tell how far a chain is."""


class Silent:
    """Shows nothing."""

    def message(self, text: str) -> None:
        """Say nothing."""

    def chain(self, number: int, iteration: int, log_posterior: float) -> None:
        """Show nothing."""


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:>11,.0f} it/s")


class _Bars:
    def __init__(self, progress: Progress, chains: int, iterations: int) -> None:
        self.progress = progress
        self.tasks = [
            progress.add_task(f"chain {number + 1}", total=iterations, log_posterior="") for number in range(chains)
        ]

    def message(self, text: str) -> None:
        self.progress.console.print(text, highlight=False)

    def chain(self, number: int, iteration: int, log_posterior: float) -> None:
        self.progress.update(
            self.tasks[number], completed=iteration, log_posterior=f"log posterior {log_posterior:,.1f}"
        )


@contextmanager
def watch(show: bool, chains: int, iterations: int) -> Iterator[Watcher]:
    """Provide a watcher: a bar per chain with rate and time left, or nothing.

    Where standard error is not a terminal or a notebook there are no bars, only messages.
    """
    console = Console(stderr=True)
    if not show:
        yield Silent()
        return
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        _Rate(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[log_posterior]}"),
        console=console,
        disable=not (console.is_terminal or console.is_jupyter),
    ) as progress:
        yield _Bars(progress, chains, iterations)

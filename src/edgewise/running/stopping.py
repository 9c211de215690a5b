"""What stops a run before its end: the keyboard, a signal, or a time budget."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Literal

Cause = Literal["keyboard", "termination signal", "hangup signal", "time budget"]
"""What can stop a run early."""

SIGNALS: dict[str, Cause] = {"SIGINT": "keyboard", "SIGTERM": "termination signal", "SIGHUP": "hangup signal"}
"""The signals that do; not every system has all of them."""


class Interrupted(KeyboardInterrupt):
    """A run ends at once, without results.

    Parameters
    ----------
    cause
        What told it to.
    """

    def __init__(self, cause: Cause | None = None) -> None:
        super().__init__()
        self.cause: Cause = cause or "keyboard"


def find_cause(interrupt: KeyboardInterrupt) -> Cause:
    """Return what an interrupt came from: the keyboard, unless it says something else."""
    return interrupt.cause if isinstance(interrupt, Interrupted) else "keyboard"


class Stop:
    """Tells whether a run should stop, from the preparation of its target on.

    Parameters
    ----------
    time_budget
        Seconds from now on after which it should, if there is such a limit.
    """

    def __init__(self, time_budget: float | None) -> None:
        self._deadline = None if time_budget is None else time.monotonic() + float(time_budget)
        self._signal: Cause | None = None

    def find_cause(self) -> Cause | None:
        """Return what tells the run to stop, if anything does."""
        if self._signal is not None:
            return self._signal
        return "time budget" if self._deadline is not None and time.monotonic() >= self._deadline else None

    def is_told(self) -> bool:
        """Return whether a signal has told the run to stop."""
        return self._signal is not None

    def is_over(self) -> bool:
        """Return whether to stop."""
        return self.find_cause() is not None

    def seconds_left(self) -> float:
        """Return how much of the budget is left."""
        return float("inf") if self._deadline is None else max(self._deadline - time.monotonic(), 0.0)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Let the first Ctrl-C or other signal stop the run, and a second one interrupt it.

        Only the main thread can be told. A signal to end that is to be ignored stays so: ``nohup`` lets a run outlive
        its terminal.
        """

        def note(signum: int, frame: FrameType | None) -> None:
            if self._signal is not None:
                raise Interrupted(self._signal)
            self._signal = SIGNALS[signal.Signals(signum).name]

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name) and _is_ours(name)]
        before = {number: signal.signal(number, note) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _is_ours(name: str) -> bool:
    """Return whether a signal is for us to take: neither ignored, but for Ctrl-C, nor taken by a program around us."""
    handler = signal.getsignal(getattr(signal, name))
    return handler is not None and (handler != signal.SIG_IGN or name == "SIGINT")

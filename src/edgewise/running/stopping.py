"""What stops a run before its end: the keyboard, or a time budget."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Literal

Cause = Literal["keyboard", "time budget"]
"""What can stop a run early."""


class Stop:
    """Tells whether a run should stop, from the preparation of its target on.

    Parameters
    ----------
    time_budget
        Seconds from now on after which it should, if there is such a limit.
    """

    def __init__(self, time_budget: float | None) -> None:
        self._deadline = None if time_budget is None else time.monotonic() + float(time_budget)
        self._interrupted = threading.Event()

    def find_cause(self) -> Cause | None:
        """Return what tells the run to stop, if anything does."""
        if self._interrupted.is_set():
            return "keyboard"
        return "time budget" if self._deadline is not None and time.monotonic() >= self._deadline else None

    def is_over(self) -> bool:
        """Return whether to stop."""
        return self.find_cause() is not None

    def seconds_left(self) -> float:
        """Return how much of the budget is left."""
        return float("inf") if self._deadline is None else max(self._deadline - time.monotonic(), 0.0)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Let the first Ctrl-C stop the run, and a second one interrupt it; only the main thread can be told."""

        def note(signum: int, frame: FrameType | None) -> None:
            if self._interrupted.is_set():
                raise KeyboardInterrupt
            self._interrupted.set()

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

"""How many threads a run may use: one for each core, or one alone where workers share the cores."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_is_alone: ContextVar[bool] = ContextVar("_is_alone", default=True)


def count_threads() -> int:
    """Return how many threads to use."""
    return (os.cpu_count() or 1) if _is_alone.get() else 1


@contextmanager
def one_thread() -> Iterator[None]:
    """Have runs that this thread begins meanwhile use one thread."""
    token = _is_alone.set(False)
    try:
        yield
    finally:
        _is_alone.reset(token)

"""What is said of long runs at their beginning."""

from types import SimpleNamespace

import numpy as np
import pytest

from edgewise.running.forecast import Forecast, count_bytes
from edgewise.samplers import Schedule
from edgewise.samplers.schedule import MOST_ITERATIONS


class Listener:
    def __init__(self):
        self.heard = []

    def message(self, text):
        self.heard.append(text)


def forecast(iterations, *, before=0, in_memory=True, workers=2, limit=None):
    listener = Listener()
    chain = SimpleNamespace(
        schedule=Schedule(iterations, 0, 10), iteration=before, state=(np.zeros(1000),), model=np.zeros(10**6)
    )
    return Forecast([chain] * 4, p=100, workers=workers, limit=limit, in_memory=in_memory, watcher=listener), listener


@pytest.mark.parametrize(
    ("iterations", "workers", "words"),
    [(10**6, 2, "3 minutes"), (10**6, 4, "2 minutes"), (10**6, 8, "2 minutes"), (10**8, 2, "5.6 hours")],
)
def test_a_long_run_is_announced_once(iterations, workers, words):
    """A tenth of a millisecond an iteration, in four chains."""
    watched, listener = forecast(iterations, workers=workers)
    watched.note(1000, 0.1)
    assert not listener.heard
    watched.note(9000, 0.9)
    watched.note(10_000, 5.0)
    assert len(listener.heard) == 1
    assert words in listener.heard[0]


def test_only_what_is_left_of_a_run_is_announced():
    watched, listener = forecast(4 * 10**6, before=3 * 10**6)
    watched.note(10_000, 1.0)
    assert "about 3 minutes" in listener.heard[0]


@pytest.mark.parametrize(
    "run",
    [{"iterations": 10_000}, {"iterations": 10**8, "limit": 60.0}, {"iterations": 10**8, "before": 10**8 - 10_000}],
)
def test_a_short_run_is_not(run):
    watched, listener = forecast(**run)
    watched.note(5000, 0.6)
    assert not listener.heard


def test_memory_is_that_of_the_chains_and_of_draws_that_stay():
    for in_memory, size in ((True, 4 * 10**5 * 100 * 5 + 4 * 8000), (False, 4 * 8000)):
        watched, listener = forecast(10**6, in_memory=in_memory)
        watched.note(10_000, 1.0)
        assert f"{size / 1e6:,.0f} MB" in listener.heard[0]


def test_memory_is_that_of_draws_for_which_there_is_time():
    watched, listener = forecast(MOST_ITERATIONS, limit=120.0)
    watched.note(10_000, 1.0)
    assert f"{4 * 60_000 * 100 * 5 / 1e6:,.0f} MB" in listener.heard[0]


def test_arrays_are_found_in_tuples_and_attributes():
    part = SimpleNamespace(a=np.zeros(10), b=[(np.zeros(5, np.int8), None)], c="text")
    assert count_bytes(part) == 85

import fcntl
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from threading import Event
from types import SimpleNamespace

import pytest

from edgewise import tasks
from edgewise.tasks import in_order, run_in_processes, run_tasks


def invert(number):
    return 1 / number


@pytest.fixture(params=[None, 1, 3])
def executor(request):
    """No executor, and threads."""
    if request.param is None:
        yield None
    else:
        with ThreadPoolExecutor(request.param) as pool:
            yield pool


@pytest.mark.parametrize("at_once", [None, 1, 2])
def test_every_item_comes_once_and_an_error_is_its_own(executor, at_once):
    found = dict(run_tasks(invert, [1, 2, 0, 4], executor, at_once=at_once))
    assert sorted(found) == [0, 1, 2, 3]
    assert [found[number].result() for number in (0, 1, 3)] == [1.0, 0.5, 0.25]
    with pytest.raises(ZeroDivisionError):
        found[2].result()
    assert list(run_tasks(invert, [], executor)) == []


def test_results_come_in_order_up_to_the_first_error():
    """The first item waits for the second."""
    second = Event()

    def work(number):
        if number == 1:
            second.wait()
        elif number == 2:
            second.set()
        return 1 / number

    with ThreadPoolExecutor(2) as pool:
        assert list(in_order(run_tasks(work, [1, 2, 4], pool))) == [1.0, 0.5, 0.25]
        results = in_order(run_tasks(work, [1, 2, 0, 4], pool))
        assert [next(results), next(results)] == [1.0, 0.5]
        with pytest.raises(ZeroDivisionError):
            next(results)


def test_here_nothing_is_done_before_it_is_asked_for():
    done = []
    finished = run_tasks(done.append, [1, 2, 3])
    next(finished)
    assert done == [1]


def test_what_is_over_is_not_waited_for():
    """One item has begun and waits; the one behind it is cancelled."""
    begun, go_on, done = Event(), Event(), []

    def work(number):
        begun.set()
        go_on.wait()
        done.append(number)

    with ThreadPoolExecutor(1) as pool:
        assert list(run_tasks(work, [1, 2], pool, is_over=begun.is_set)) == []
        go_on.set()
    assert done == [1]
    assert list(run_tasks(done.append, [3], is_over=lambda: True)) == []


def test_what_cannot_be_sent_fails_for_itself():
    class Picky:
        def submit(self, work, item):
            if item == 2:
                raise TypeError("it does not fit")
            future = Future()
            future.set_result(work(item))
            return future

    found = dict(run_tasks(invert, [1, 2, 4], Picky()))
    assert isinstance(found[1].exception(), TypeError)
    assert [found[0].result(), found[2].result()] == [1.0, 0.25]


def test_items_that_a_broken_executor_was_not_given_do_not_come(work):
    with ProcessPoolExecutor(1) as pool:
        found = dict(run_tasks(work.work_or_die, [1, -1, 2, 3], pool, at_once=1))
        assert sorted(found) == [0, 1, 2]
        assert found.pop(0).result() == 1
        for future in found.values():
            with pytest.raises(BrokenExecutor):
                future.result()
        assert [number for number, _ in run_tasks(work.work_or_die, [1, 2], pool)] == [0]


WORK = """
import fcntl
import os
import time


def work_or_die(number):
    if number < 0:
        os.kill(os.getpid(), 9)
    return number


def hold(path):
    with open(path + ".new", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        os.rename(path + ".new", path)
        time.sleep(3600)
"""


@pytest.fixture
def work(tmp_path, monkeypatch):
    """Provide a module that workers can import."""
    name = f"tasks_of_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text(WORK)
    monkeypatch.syspath_prepend(tmp_path)
    return __import__(name)


def test_workers_end_with_the_process_that_started_them(work, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        f"import {work.__name__} as work\n"
        "from edgewise.tasks import run_in_processes\n"
        "if __name__ == '__main__':\n"
        f"    list(run_in_processes(work.hold, [{str(tmp_path / 'held')!r}], 1))\n"
    )
    with subprocess.Popen([sys.executable, script]) as process:  # noqa: S603
        while not (tmp_path / "held").exists() and process.poll() is None:
            time.sleep(0.05)
        process.kill()
    with (tmp_path / "held").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # waits for the worker to let go of it, which would take an hour


def test_a_process_that_dies_takes_nothing_with_it_but_its_item(work):
    found = dict(run_in_processes(work.work_or_die, [1, -1, 2, 3, 4], 2))
    assert sorted(found) == [0, 1, 2, 3, 4]
    with pytest.raises(BrokenExecutor):
        found[1].result()
    assert [found[number].result() for number in (0, 2, 3, 4)] == [1, 2, 3, 4]


def test_processes_of_others_are_not_ended(monkeypatch):
    ended = []
    theirs, mine = (SimpleNamespace(terminate=lambda name=name: ended.append(name)) for name in ("theirs", "mine"))
    monkeypatch.setattr(tasks, "active_children", lambda: [theirs])
    monkeypatch.setattr(tasks, "ProcessPoolExecutor", lambda *_, **__: ThreadPoolExecutor(1))

    def begin_and_fail():
        monkeypatch.setattr(tasks, "active_children", lambda: [theirs, mine])
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), tasks.processes(1):
        begin_and_fail()
    assert ended == ["mine"]

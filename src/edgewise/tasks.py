"""One function for each of many things, wherever there are workers.

Whoever has many things to do, be it data sets, replicates or pieces of an experiment, hands a function and a list to
:func:`run_tasks`, and takes the results as they come: here one after the other, from an executor, or from processes
that :func:`run_in_processes` starts. What to do about an error is theirs to say, since each result comes as a future.

A future only needs ``add_done_callback``, ``result`` and ``cancel``, which those of ``concurrent.futures`` and of Dask
have.
"""

import os
import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from itertools import islice
from multiprocessing import active_children, get_context, parent_process
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeAlias, TypeVar

from edgewise.errors import ArgumentError
from edgewise.wording import quote

Item = TypeVar("Item")

Finished: TypeAlias = Generator[tuple[int, Any], None, None]
"""Numbers of items, and futures with what was made of them."""

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
"""What numerical libraries read when they are loaded: workers that share the cores have one thread each."""

LOOK_EVERY = 0.1
"""Seconds from one look at whether it is over to the next, while nothing is finished."""


IsOver: TypeAlias = Callable[[], bool]
"""Tells whether to end early."""


def never() -> bool:
    """Return that it is not over."""
    return False


def check_executor(given: object) -> None:
    """Refuse what takes no work; None is for work that is done here."""
    if given is not None and (isinstance(given, type) or not callable(getattr(given, "submit", None))):
        raise ArgumentError(f"executor must be a concurrent.futures.Executor, but {quote(given)} was given.")


def run_tasks(
    work: Callable[[Item], Any],
    items: Iterable[Item],
    executor: Executor | None = None,
    *,
    at_once: int | None = None,
    is_over: IsOver = never,
) -> Finished:
    """Yield the number of each item, from 0 on, with a future that has what a function made of it, as these come.

    Parameters
    ----------
    work
        The function; where workers are other processes, one at the top of a module.
    items
        What to give to it, one by one.
    executor
        Where the workers are. None: here, one item after the other, each when the next result is asked for.
    at_once
        How many items to hand to the executor at the same time; by default all.
    is_over
        Whether to stop. What has not come by then is not waited for.

    Notes
    -----
    When the caller has enough, what has not begun is cancelled. If the executor breaks, at least one future says so,
    and items that were not handed to it do not come.
    """
    if executor is None:
        yield from ((number, _compute(work, item)) for number, item in enumerate(items) if not is_over())
        return
    finished: SimpleQueue[int] = SimpleQueue()
    waiting: Iterator[tuple[int, Item]] = enumerate(items)
    pending: dict[int, Any] = {}
    try:
        while True:
            try:
                for number, item in islice(waiting, None if at_once is None else at_once - len(pending)):
                    pending[number] = _submit(executor, work, item)
                    pending[number].add_done_callback(partial(_hand_in, finished, number))
            except BrokenExecutor as error:
                waiting = iter(())
                pending[number] = _fail(error)
                finished.put(number)
            come = _wait(finished, is_over) if pending else None
            if come is None:
                return
            yield come, pending.pop(come)
    finally:
        for future in pending.values():
            future.cancel()


def in_order(finished: Finished) -> Iterator[Any]:
    """Yield the results of tasks in the order of their numbers, each when all before it have come.

    Examples
    --------
    >>> list(in_order(run_tasks(abs, [-3, 2, -1])))
    [3, 2, 1]
    """
    ahead: dict[int, Any] = {}
    wanted = 0
    with closing(finished):
        for number, future in finished:
            ahead[number] = future
            while wanted in ahead:
                yield ahead.pop(wanted).result()
                wanted += 1


def run_in_processes(
    work: Callable[[Item], Any], items: Iterable[Item], workers: int, *, is_over: IsOver = never
) -> Finished:
    """Yield what :func:`run_tasks` does, from processes that are started for it and have one thread each.

    If a process dies, nobody knows at which item: those that were under way have a process for themselves then, one
    after the other, and only what ends that one, too, comes without a result. On an error of the caller, or Ctrl-C, or
    when it is over, the processes are ended.
    """
    left = dict(enumerate(items))
    while left and not is_over():
        numbers, lost = list(left), []
        with processes(min(workers, len(left)), is_over=is_over) as pool:
            at_once = min(workers, len(left))
            for place, future in run_tasks(work, list(left.values()), pool, at_once=at_once, is_over=is_over):
                if isinstance(future.exception(), BrokenExecutor):
                    lost.append(numbers[place])
                    continue
                del left[numbers[place]]
                yield numbers[place], future
        for number in lost:
            with processes(1, is_over=is_over) as pool:
                yield from (
                    (number, future) for _, future in run_tasks(work, [left.pop(number)], pool, is_over=is_over)
                )


@contextmanager
def processes(workers: int, *, is_over: IsOver = never) -> Iterator[Executor]:
    """Provide processes that compute with one thread each; on an error, or when it is over, they are ended."""
    others = active_children()
    with (
        _one_thread_each(),
        ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_begin_worker) as pool,
    ):
        try:
            yield pool
        except BaseException:
            _end(pool, others)
            raise
        if is_over():
            _end(pool, others)


def _end(pool: Executor, others: list[Any]) -> None:
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in active_children():
        if worker not in others:
            worker.terminate()


def _compute(work: Callable[[Item], Any], item: Item) -> Any:
    """Compute here, and return a future that is done."""
    future: Future[Any] = Future()
    try:
        future.set_result(work(item))
    except Exception as error:
        return _fail(error)
    return future


def _submit(executor: Any, work: Callable[[Item], Any], item: Item) -> Any:
    """Hand an item to an executor, and return a future, even if the item cannot be sent.

    Dask shall not take two items for one because they look the same.
    """
    is_dask = callable(getattr(executor, "scatter", None))
    try:
        return executor.submit(work, item, **({"pure": False} if is_dask else {}))
    except BrokenExecutor:
        raise
    except Exception as error:
        return _fail(error)


def _fail(error: Exception) -> Any:
    """Return a future that has failed."""
    future: Future[Any] = Future()
    future.set_exception(error)
    return future


def _hand_in(finished: "SimpleQueue[int]", number: int, future: Any) -> None:
    finished.put(number)


def _wait(finished: "SimpleQueue[int]", is_over: IsOver) -> int | None:
    """Return the number of the next item that is finished; None if it is over before."""
    while not is_over():
        try:
            return finished.get(timeout=LOOK_EVERY)
        except Empty:
            continue
    return None


def _begin_worker() -> None:
    """Leave Ctrl-C, which a terminal sends to all processes, to the one that started this one, and end when it ends.

    A worker of a process that was killed would otherwise go on, and write to the same files as one of the next run.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    """End this process when the one that started it has ended."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Have processes that are started meanwhile compute with one thread."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value

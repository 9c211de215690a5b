"""Where blocks of chains are computed: on threads here, or wherever an executor has its workers.

Threads advance the chains themselves. Elsewhere, everything that chains share travels once, as a chain that serves as a
template, and is kept by the worker; then only snapshots go to and fro, and draws come back. A block that is lost with
its worker is computed again from the same snapshot, to the same draws.

A future only needs ``add_done_callback`` and ``result``, which those of ``concurrent.futures`` and of Dask have.
"""

import copy
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from edgewise._kernels.basics.recorder import Draws
from edgewise.arithmetic import one_order_of_sums
from edgewise.errors import EdgewiseError
from edgewise.samplers import Chain
from edgewise.samplers.snapshots import Snapshot

from .threads import count_threads

RETRIES = 3
"""How often a cluster may lose a worker with the same block before the run gives up."""


class Advanced(NamedTuple):
    """A chain after a block: its draws, the families that they number, and the seconds it took.

    ``is_numbered_anew`` if these families have nothing to do with those of the chain's last block.
    """

    blocks: list[Draws]
    families: tuple[np.ndarray, np.ndarray]
    is_numbered_anew: bool
    seconds: float


class Engine(Protocol):
    """Where blocks are computed; ``block_seconds`` is how long one should take."""

    block_seconds: float

    def submit(self, number: int, chain: Chain, steps: int) -> Any:
        """Begin to advance a chain, and return a future."""

    def take(self, number: int, chain: Chain, future: Any) -> Advanced | None:
        """Let a chain be where a future says, and return what it drew; None if the block must be submitted again."""


class Threads:
    """Chains are advanced here."""

    block_seconds = 0.1  # short enough for a lively progress bar and a prompt stop

    def __init__(self, pool: Executor) -> None:
        self._pool = pool

    def submit(self, number: int, chain: Chain, steps: int) -> Any:
        """Begin to advance a chain."""
        return self._pool.submit(_advance, chain, steps)

    def take(self, number: int, chain: Chain, future: Any) -> Advanced:
        """Return what the chain drew; it is where it should be."""
        return cast(Advanced, future.result())


def _advance(chain: Chain, steps: int) -> Advanced:
    began = time.perf_counter()
    blocks = chain.advance(steps)
    return Advanced(blocks, chain.families(), False, time.perf_counter() - began)


class Elsewhere:
    """Chains are advanced by the workers of an executor, which ask for the template if they have not met it."""

    block_seconds = 1.0  # long enough to make up for the journey

    def __init__(self, executor: Any, chain: Chain) -> None:
        self._executor = executor
        self._template = chain
        self._key = secrets.token_hex(8)
        self._asking: set[int] = set()

    def submit(self, number: int, chain: Chain, steps: int) -> Any:
        """Begin to advance a chain."""
        template = self._template if number in self._asking else None
        self._asking.discard(number)
        return self._executor.submit(advance_elsewhere, self._key, template, chain.snapshot(), steps)

    def take(self, number: int, chain: Chain, future: Any) -> Advanced | None:
        """Let the chain be where the worker's one is, unless the worker has no template."""
        result = future.result()
        if result is None:
            self._asking.add(number)
            return None
        snapshot, advanced = result
        chain.restore(snapshot)
        return cast(Advanced, advanced)


class ClusterLostError(EdgewiseError):
    """No worker of a cluster, or of another executor, computes blocks any more."""


@contextmanager
def executor_watched() -> Iterator[None]:
    """Turn what an executor says when its processes have died, or when it was shut down, into a sentence."""
    try:
        yield
    except BrokenExecutor as error:
        raise ClusterLostError(
            "The processes of the executor have died, perhaps for want of memory: start it anew; a run with a "
            "checkpoint goes on from there."
        ) from error
    except RuntimeError as error:
        if "shutdown" not in str(error):
            raise
        raise ClusterLostError(
            "The executor was shut down: start it anew; a run with a checkpoint goes on from there."
        ) from error


class OnDask(Elsewhere):
    """Chains are advanced by the workers of a Dask cluster, to all of which the template is sent beforehand.

    Dask itself gives the block of a worker that died to another. But if no worker has the template any more, blocks are
    cancelled, and it is sent anew.
    """

    def __init__(self, client: Any, chain: Chain) -> None:
        super().__init__(client, chain)
        self._losses = 0
        self._sent = 0
        self._sent_before: dict[int, int] = {}
        self._send()

    def _send(self) -> None:
        self._sent += 1
        with _cluster_watched():
            self._scattered = self._executor.scatter(self._template, broadcast=True, hash=False)

    def submit(self, number: int, chain: Chain, steps: int) -> Any:
        """Begin to advance a chain; the dashboard shows it by its name."""
        self._sent_before[number] = self._sent
        with _cluster_watched():
            return self._executor.submit(
                advance_elsewhere,
                self._key,
                self._scattered,
                chain.snapshot(),
                steps,
                key=f"edgewise-chain-{number + 1}-{self._key}-{self._sent}-{chain.iteration}",
                retries=RETRIES,
            )

    def take(self, number: int, chain: Chain, future: Any) -> Advanced | None:
        """Let the chain be where the worker's one is, unless the template was lost."""
        try:
            with _cluster_watched():
                advanced = super().take(number, chain, future)
        except ClusterLostError:
            if self._sent_before[number] == self._sent:
                self._losses += 1
                if self._losses > RETRIES:
                    raise
                self._send()
            return None
        self._losses = 0
        return advanced


@contextmanager
def _cluster_watched() -> Iterator[None]:
    """Turn what Dask says when workers or the scheduler are lost into a sentence."""
    try:
        yield
    except Exception as error:
        if isinstance(error, CancelledError | OSError) or type(error).__name__ == "KilledWorker":
            raise ClusterLostError(
                "The Dask cluster no longer answers, or has lost its workers again and again: start it anew; a run "
                "with a checkpoint goes on from there."
            ) from error
        raise


def choose_engine(executor: Any, pool: ThreadPoolExecutor, chain: Chain) -> Engine:
    """Return the engine for an executor, or for none."""
    if executor is None or isinstance(executor, ThreadPoolExecutor):
        return Threads(pool if executor is None else executor)
    return OnDask(executor, chain) if callable(getattr(executor, "scatter", None)) else Elsewhere(executor, chain)


MOST_TEMPLATES = 4
"""Runs of which a worker keeps what their chains share."""

SHARED = ("model", "target")
"""Attributes of chains that all chains of a run have in common."""

_templates: dict[str, Chain] = {}
_idle: dict[str, list[Chain]] = {}
_guard = threading.Lock()


def advance_elsewhere(
    key: str, template: Chain | None, snapshot: Snapshot, steps: int
) -> tuple[Snapshot, Advanced] | None:
    """Advance a chain from a snapshot, in a worker; None if this worker does not know the template with a key."""
    with _guard:
        template = _templates.setdefault(key, template) if template is not None else _templates.get(key)
        if template is None:
            return None
        while len(_templates) > MOST_TEMPLATES:
            oldest = next(iter(_templates))
            _templates.pop(oldest)
            _idle.pop(oldest, None)
        # Threads of a worker need a chain each.
        idle = _idle.setdefault(key, [])
        chain = idle.pop() if idle else _copy(template)
    chain.restore(snapshot)
    with one_order_of_sums():
        advanced = _advance(chain, steps)
    reached = chain.snapshot()
    idle.append(chain)  # from now on it may be another thread's
    return reached, advanced._replace(is_numbered_anew=True)


def _copy(template: Chain) -> Chain:
    """Return a chain of its own with what all chains of the run share."""
    shared = [getattr(template, name) for name in SHARED if hasattr(template, name)]
    return copy.deepcopy(template, {id(part): part for part in shared})


def count_workers(executor: Any) -> int:
    """Return how many blocks an executor works on at the same time, as far as that can be known."""
    if executor is None:
        return count_threads()
    known: Callable[[], dict[str, int]] | int | None = getattr(executor, "ncores", None)
    if callable(known):
        return max(sum(known().values()), 1)
    return int(getattr(executor, "_max_workers", 0) or os.cpu_count() or 1)

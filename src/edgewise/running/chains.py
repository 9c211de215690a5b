"""Several chains, in blocks, on threads.

Chains take turns: a worker advances one chain by a block, and the chain goes back into the queue. So all
chains are about equally far when a run is stopped, by the keyboard or by a time budget, and what they have
drawn is kept. Where blocks end makes no difference to the draws, and each chain has its own random numbers:
the result is the same for any number of threads.
"""

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Literal, NamedTuple

from edgewise._kernels.recorder import Draws
from edgewise.posterior.collecting import Collector
from edgewise.samplers import Chain

from .forecast import Forecast
from .progress import Watcher

BLOCK_SECONDS = 0.1
"""How long a block should take: short enough for a lively progress bar and a prompt stop."""


@dataclass
class RunningChain:
    """A chain, how many iterations it has taken, and how many it will take next."""

    chain: Chain
    iteration: int = 0
    next_steps: int = 256

    @property
    def is_done(self) -> bool:
        """Whether the chain is at the end of its schedule."""
        return self.chain.iteration >= self.chain.schedule.iterations


class _Advanced(NamedTuple):
    """What a worker returns: the chain (another process returns a copy), its draws, and the seconds taken."""

    chain: Chain
    blocks: list[Draws]
    seconds: float


def _advance(chain: Chain, steps: int) -> _Advanced:
    began = time.perf_counter()
    blocks = chain.advance(min(steps, chain.schedule.iterations - chain.iteration))
    return _Advanced(chain, blocks, time.perf_counter() - began)


def run_chains(
    running: list[RunningChain],
    *,
    collector: Collector,
    executor: Executor | None,
    deadline: float | None,
    watcher: Watcher,
    forecast: Forecast,
) -> Literal["keyboard", "time budget"] | None:
    """Advance all chains to the end of their schedule, and hand their draws to the collector.

    Returns what stopped the chains earlier, if anything did.

    A first Ctrl-C lets the blocks under way finish and stops; a second one is an ordinary KeyboardInterrupt.
    Where the terminal sends the first to worker processes too, their blocks are lost, but not the chains.
    """
    stopped_by: Literal["keyboard", "time budget"] | None = None
    with ExitStack() as stack:
        if executor is None:
            executor = stack.enter_context(ThreadPoolExecutor(min(len(running), os.cpu_count() or 1)))
        interrupted = stack.enter_context(_interrupts_counted())
        pending: dict[Future[_Advanced], int] = {}
        waiting = list(range(len(running)))
        while pending or waiting:
            for number in waiting:
                pending[executor.submit(_advance, running[number].chain, running[number].next_steps)] = number
            waiting = []
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                number = pending.pop(future)
                mine = running[number]
                try:
                    back = future.result()
                except (KeyboardInterrupt, BrokenExecutor):
                    if not interrupted.is_set():
                        raise
                    stopped_by = "keyboard"
                    continue
                forecast.note(back.chain.iteration - mine.iteration, back.seconds)
                mine.chain, mine.iteration = back.chain, back.chain.iteration
                for block in back.blocks:
                    collector.add(number, block, *mine.chain.families())
                mine.next_steps = max(int(mine.next_steps * min(BLOCK_SECONDS / max(back.seconds, 1e-9), 8.0)), 1)
                watcher.chain(number, mine.chain.iteration, mine.chain.log_posterior)
                if not mine.is_done:
                    waiting.append(number)
            if waiting and stopped_by is None:
                if interrupted.is_set():
                    stopped_by = "keyboard"
                elif deadline is not None and time.monotonic() >= deadline:
                    stopped_by = "time budget"
            if stopped_by is not None:
                waiting = []
    return stopped_by


@contextmanager
def _interrupts_counted() -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into an event; elsewhere than in the main thread there is none to turn."""
    interrupted = threading.Event()

    def note(signum: int, frame: FrameType | None) -> None:
        if interrupted.is_set():
            raise KeyboardInterrupt
        interrupted.set()

    if threading.current_thread() is not threading.main_thread():
        yield interrupted
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)

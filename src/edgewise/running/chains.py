"""Several chains, in blocks, on threads.

Chains take turns: a worker advances one chain by a block, and the chain goes back into the queue. So all
chains are about equally far when a run is stopped, by the keyboard or by a time budget, and what they have
drawn is kept. A user who stops a run wants results even from burn-in: what was done until then becomes the burn-in, and
a few draws are made. Where blocks end makes no difference to the draws, and each chain has its own random numbers:
the result is the same for any number of threads.
"""

import os
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import NamedTuple

from edgewise._kernels.basics.recorder import Draws
from edgewise.posterior.collecting import Collector
from edgewise.samplers import Chain

from .forecast import Forecast
from .progress import Watcher
from .stopping import Cause, Stop

BLOCK_SECONDS = 0.1
"""How long a block should take: short enough for a lively progress bar and a prompt stop."""

FIRST_STEPS = 8
"""Iterations in the first block of a chain, when nobody knows how long they take."""

FEW_DRAWS = 20
"""Draws of each chain that a run stopped early should have. Edge probabilities then have steps of 0.05 in a
chain, which tells probable edges from others, and R-hat can be computed, which takes 4."""

LAST_SECONDS = 2.0
"""How long to wait for those draws: who presses Ctrl-C wants to see the prompt again."""


@dataclass
class RunningChain:
    """A chain, how many iterations it has taken, and how many it will take next."""

    chain: Chain
    iteration: int = 0
    next_steps: int = FIRST_STEPS

    @property
    def is_done(self) -> bool:
        """Whether the chain is at the end of its schedule."""
        return self.chain.iteration >= self.chain.schedule.iterations

    def end_burn_in(self, thin: int | None = None) -> None:
        """Let burn-in end now, if it has not ended before; with ``thin``, draw after so many iterations each."""
        schedule = self.chain.schedule
        burn_in = min(schedule.burn_in, self.chain.iteration)
        self.chain.schedule = replace(schedule, burn_in=burn_in, thin=schedule.thin if thin is None else thin)


class Timed(NamedTuple):
    """A run as long as the time allows: the share of it that is burn-in, and how many draws to make, or how often."""

    burn_in: float
    draws: int
    thin: int | None


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
    stop: Stop,
    timed: Timed | None,
    watcher: Watcher,
    forecast: Forecast,
) -> Cause | None:
    """Advance all chains to the end of their schedule, or of the time, and hand their draws to the collector.

    Returns what stopped the chains, if they are not at the end of their schedule.

    A first Ctrl-C lets the blocks under way finish and stops; a second one is an ordinary KeyboardInterrupt.
    Where the terminal sends the first to worker processes too, their blocks are lost, but not the chains. If it comes,
    or the time ends, before all chains have drawn a little, those in burn-in end it now, and all go on for a moment.
    """

    def note(number: int, back: _Advanced) -> None:
        mine = running[number]
        forecast.note(back.chain.iteration - mine.iteration, back.seconds)
        mine.chain, mine.iteration = back.chain, back.chain.iteration
        for block in back.blocks:
            collector.add(number, block, *mine.chain.families())
        mine.next_steps = max(int(mine.next_steps * min(BLOCK_SECONDS / max(back.seconds, 1e-9), 8.0)), 1)
        watcher.chain(number, mine.chain, back.blocks)

    with ThreadPoolExecutor(min(len(running), os.cpu_count() or 1)) as threads:
        engine = threads if executor is None else executor
        stopped_by = None if timed is None else _burn_in(running, engine, note, stop, timed)
        if stopped_by is None:
            stopped_by = _take_turns(running, engine, note, stop.find_cause)
        if stopped_by is not None and fewest_draws(running) < FEW_DRAWS:
            watcher.message(
                "Stopped before there were enough draws: a few more are made now, without further burn-in. Ctrl-C "
                "again leaves at once, with nothing kept."
            )
            for chain in running:
                chain.end_burn_in()
            until = time.monotonic() + LAST_SECONDS
            # On threads, whatever the executor: its workers may have died of the same Ctrl-C.
            _take_turns(
                running,
                threads,
                note,
                lambda: stopped_by if fewest_draws(running) >= FEW_DRAWS or time.monotonic() >= until else None,
            )
    return stopped_by


def _burn_in(
    running: list[RunningChain], executor: Executor, note: Callable[[int, _Advanced], None], stop: Stop, timed: Timed
) -> Cause | None:
    """Advance chains for a share of the time that is left, and let them draw from then on."""
    began = time.monotonic()
    until = began + timed.burn_in * stop.seconds_left()

    def find_cause() -> Cause | None:
        return stop.find_cause() or ("time budget" if time.monotonic() >= until else None)

    _take_turns(running, executor, note, find_cause)
    if stop.find_cause() is None:
        done = sum(mine.iteration for mine in running) / len(running)
        to_come = done / max(time.monotonic() - began, 1e-9) * stop.seconds_left()
        thin = max(int(to_come / timed.draws), 1) if timed.thin is None else timed.thin
        for mine in running:
            mine.end_burn_in(thin)
    return stop.find_cause()


def fewest_draws(running: list[RunningChain]) -> int:
    """Return the number of draws of the chain that has the fewest."""
    return min(mine.chain.schedule.draws(after=mine.chain.iteration) for mine in running)


def _take_turns(
    running: list[RunningChain],
    executor: Executor,
    note: Callable[[int, _Advanced], None],
    find_cause: Callable[[], Cause | None],
) -> Cause | None:
    """Advance chains, block by block, until they are done or there is a cause to stop, which is returned."""
    stopped_by: Cause | None = None
    pending: dict[Future[_Advanced], int] = {}
    waiting = [number for number, mine in enumerate(running) if not mine.is_done]
    while pending or waiting:
        for number in waiting:
            pending[executor.submit(_advance, running[number].chain, running[number].next_steps)] = number
        waiting = []
        for future in wait(pending, return_when=FIRST_COMPLETED).done:
            number = pending.pop(future)
            try:
                back = future.result()
            except (KeyboardInterrupt, BrokenExecutor):
                if find_cause() != "keyboard":
                    raise
                stopped_by = "keyboard"
                continue
            note(number, back)
            if not running[number].is_done:
                waiting.append(number)
        if waiting and stopped_by is None:
            stopped_by = find_cause()
        if stopped_by is not None:
            waiting = []
    return stopped_by

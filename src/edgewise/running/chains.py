"""Several chains, in blocks, on threads.

Chains take turns: a worker advances one chain by a block, and the chain goes back into the queue. So all
chains are about equally far when a run is stopped, by the keyboard or by a time budget, and what they have
drawn is kept. A user who stops a run wants results even from burn-in: what was done until then becomes the burn-in, and
a few draws are made. Where blocks end makes no difference to the draws, and each chain has its own random numbers:
the result is the same for any number of threads.
"""

import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from queue import SimpleQueue
from typing import Any

from edgewise.posterior.collecting import Collector
from edgewise.samplers import Chain
from edgewise.samplers.schedule import MOST_ITERATIONS

from .checkpoints import Checkpoint
from .engines import Advanced, ClusterLostError, Engine, Threads, choose_engine, executor_watched
from .forecast import Forecast
from .lengths import Timed
from .progress import Watcher
from .stopping import Cause, Stop
from .threads import count_threads

FIRST_STEPS = 8
"""Iterations in the first block of a chain, when nobody knows how long they take."""

FEW_DRAWS = 20
"""Draws of each chain that a run stopped early should have. Edge probabilities then have steps of 0.05 in a
chain, which tells probable edges from others, and R-hat can be computed, which takes 4."""

PACE_SHARE = 0.01
"""The part of the time from which the pace of chains is known well enough to say how often they should draw."""

LAST_SECONDS = 2.0
"""How long to wait for those draws: who presses Ctrl-C wants to see the prompt again."""


@dataclass
class RunningChain:
    """A chain, how many iterations it has taken, how many it will take next, and whether its burn-in was cut short."""

    chain: Chain
    iteration: int = 0
    next_steps: int = FIRST_STEPS
    is_cut: bool = False

    def steps(self, end: int) -> int:
        """Return how many iterations the next block has, if the chain shall have ``end`` in all, or fewer."""
        return max(min(self.next_steps, min(self.chain.schedule.iterations, end) - self.chain.iteration), 0)

    @property
    def is_done(self) -> bool:
        """Whether the chain is at the end of its schedule."""
        return self.chain.iteration >= self.chain.schedule.iterations

    def end_burn_in(self, thin: int) -> None:
        """Let burn-in end now, and draw after ``thin`` iterations each."""
        self.chain.schedule = replace(self.chain.schedule, burn_in=self.chain.iteration, thin=thin)

    def cut_burn_in(self) -> None:
        """Let burn-in end now, if it has not ended before."""
        self.is_cut = self.chain.iteration < self.chain.schedule.burn_in
        if self.is_cut:
            self.end_burn_in(self.chain.schedule.thin)


Note = Callable[[int, Advanced, float], None]
"""Takes the number of a chain, what it has drawn in a block, and how long a block should take."""


@dataclass
class Work:
    """The chains of a run, where their draws go, what stops them, and who is told."""

    running: list[RunningChain]
    _: KW_ONLY
    collector: Collector
    executor: Executor | None
    stop: Stop
    timed: Timed | None
    watcher: Watcher
    forecast: Forecast
    checkpoint: Checkpoint | None = None

    def note(self, number: int, back: Advanced, block_seconds: float) -> None:
        """Take what a chain has drawn in a block."""
        mine = self.running[number]
        self.forecast.note(mine.chain.iteration - mine.iteration, back.seconds)
        mine.iteration = mine.chain.iteration
        if back.is_numbered_anew:
            self.collector.forget(number)
        for block in back.blocks:
            self.collector.add(number, block, *back.families)
        mine.next_steps = max(int(mine.next_steps * min(block_seconds / max(back.seconds, 1e-9), 8.0)), 1)
        self.watcher.chain(number, mine.chain, back.blocks, back.families[1])
        if self.checkpoint is not None:
            self.checkpoint.note(number, mine.chain, back, is_last=mine.is_done)


def run_chains(work: Work) -> Cause | None:
    """Advance all chains to the end of their schedule, or of the time, and hand their draws to the collector.

    Returns what stopped the chains, if they are not at the end of their schedule.

    A first Ctrl-C lets the blocks under way finish and stops; a second one is an ordinary KeyboardInterrupt.
    Where the terminal sends the first to worker processes too, their blocks are lost, but not the chains. If it comes,
    or the time ends, before all chains have drawn a little, those in burn-in end it now, and all go on for a moment;
    that is not for the checkpoint, from which the run goes on as if it had not been stopped.
    """
    running, stop = work.running, work.stop
    with ThreadPoolExecutor(min(len(running), count_threads())) as threads, executor_watched():
        engine = choose_engine(work.executor, threads, running[0].chain)
        stopped_by = None
        if work.timed is not None and any(mine.chain.schedule.has_open_burn_in for mine in running):
            stopped_by = _burn_in(running, engine, work.note, stop, work.timed)
        if stopped_by is None:
            stopped_by = _take_turns(running, engine, work.note, stop.find_cause)
        if stopped_by is not None and work.checkpoint is not None:
            for number, mine in enumerate(running):
                work.checkpoint.note(number, mine.chain, None, is_last=True)
            work.checkpoint = None
        if stopped_by is not None and fewest_draws(running) < FEW_DRAWS:
            work.watcher.message(
                "Stopped before there were enough draws: a few more are made now, without further burn-in. Ctrl-C "
                "again leaves at once, with no results."
            )
            for mine in running:
                mine.cut_burn_in()
            until = time.monotonic() + LAST_SECONDS
            # On threads, whatever the executor: its workers may have died of the same Ctrl-C.
            _take_turns(
                running,
                Threads(threads),
                work.note,
                lambda: stopped_by if fewest_draws(running) >= FEW_DRAWS or time.monotonic() >= until else None,
            )
    return stopped_by


def _burn_in(running: list[RunningChain], engine: Engine, note: Note, stop: Stop, timed: Timed) -> Cause | None:
    """Advance chains until they have burnt in, and let them draw from then on.

    Unless it is said how often, that follows from their pace, and burn-in takes long enough to know it.
    """
    began, left = time.monotonic(), stop.seconds_left()
    before = sum(mine.iteration for mine in running)

    def advance(seconds: float, end: int = MOST_ITERATIONS) -> None:
        def find_cause() -> Cause | None:
            return stop.find_cause() or ("time budget" if time.monotonic() >= began + seconds else None)

        if find_cause() is None:
            _take_turns(running, engine, note, find_cause, end)

    if timed.burns_by_the_clock:
        advance(timed.burn_in * left)
    else:
        advance(left, int(timed.burn_in))
    if timed.thin is None:
        advance(PACE_SHARE * left)
    if stop.find_cause() is None:
        done = (sum(mine.iteration for mine in running) - before) / len(running)
        to_come = done / max(time.monotonic() - began, 1e-9) * stop.seconds_left()
        thin = max(int(to_come / timed.draws), 1) if timed.thin is None else timed.thin
        # After a crash, some chains may have begun to draw before.
        thin = next((mine.chain.schedule.thin for mine in running if not mine.chain.schedule.has_open_burn_in), thin)
        for mine in running:
            if mine.chain.schedule.has_open_burn_in:
                mine.end_burn_in(thin)
    return stop.find_cause()


def fewest_draws(running: list[RunningChain]) -> int:
    """Return the number of draws of the chain that has the fewest."""
    return min(mine.chain.schedule.draws(after=mine.chain.iteration) for mine in running)


def _take_turns(
    running: list[RunningChain],
    engine: Engine,
    note: Note,
    find_cause: Callable[[], Cause | None],
    end: int = MOST_ITERATIONS,
) -> Cause | None:
    """Advance chains, block by block, until they are done or there is a cause to stop, which is returned.

    They are done at the end of their schedule, or when they have ``end`` iterations.
    """
    stopped_by: Cause | None = None
    finished: SimpleQueue[tuple[int, Any]] = SimpleQueue()
    pending = 0
    waiting = [number for number, mine in enumerate(running) if mine.steps(end)]
    while pending or waiting:
        for number in waiting:
            future = engine.submit(number, running[number].chain, running[number].steps(end))
            future.add_done_callback(partial(_hand_in, finished, number))
        pending += len(waiting)
        waiting = []
        number, future = finished.get()
        pending -= 1
        try:
            back = engine.take(number, running[number].chain, future)
        except (KeyboardInterrupt, BrokenExecutor, ClusterLostError):
            if find_cause() is None:
                raise
            stopped_by = find_cause()
            continue
        if back is not None:
            note(number, back, engine.block_seconds)
        if stopped_by is None:
            stopped_by = find_cause()
        if stopped_by is None and running[number].steps(end):
            waiting.append(number)
    return stopped_by if any(mine.steps(end) for mine in running) else None


def _hand_in(finished: "SimpleQueue[tuple[int, Any]]", number: int, future: Any) -> None:
    finished.put((number, future))

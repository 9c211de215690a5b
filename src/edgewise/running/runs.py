"""A run: from what was asked for to a posterior.

The parts are checked and put together, the chains begin or go on from where they were, they draw, and what needs the
target is added to their draws. Ctrl-C and the time budget count from the first moment on.
"""

import os
import time
import warnings
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace

import numpy as np

from edgewise._kernels.compiling import compilation_announced
from edgewise.arithmetic import one_order_of_sums
from edgewise.errors import ConvergenceWarning, StoppedEarlyWarning, UnusualDataWarning
from edgewise.files import as_path
from edgewise.posterior import Posterior
from edgewise.posterior.collecting import Collector, InMemory, Keeper
from edgewise.posterior.storage import DrawFile
from edgewise.samplers import Schedule
from edgewise.samplers.snapshots import Snapshot

from .chains import RunningChain, Work, run_chains
from .checkpoints import Checkpoint, Past
from .endings import Ending, record_run
from .engines import count_workers
from .forecast import Forecast
from .lengths import lengthen, plan_length
from .origins import remember
from .plan import make_plan
from .progress import Watcher, tell, watch
from .requests import Request, describe_request
from .starts import find_starts
from .stopping import Interrupted, Stop
from .threads import count_threads

COMPILING = "Compiling the sampler: once for each kind of run, up to half a minute."


def run(
    request: Request,
    *,
    executor: Executor | None,
    store: str | os.PathLike[str] | None,
    checkpoint: Checkpoint | None,
    progress: bool,
    pasts: Sequence[Past] = (),
) -> Posterior:
    """Do what was asked for, from the beginning or from what the chains did before.

    Parameters
    ----------
    request
        What was asked for.
    executor, store, progress
        As for :func:`edgewise.sample`.
    checkpoint
        Where to keep the run, and what the chains did before, if they did.
    pasts
        What they did before, where there is no checkpoint.
    """
    if store is not None:
        store = as_path("store", store, "file")
    with nullcontext() if checkpoint is None else closing(checkpoint), one_order_of_sums():
        under_way = _Run(request, executor, checkpoint, pasts, progress=progress)
        for finding in under_way.findings or ():
            warnings.warn(finding.sentence, UnusualDataWarning, stacklevel=3)
        under_way.take_up()
        with under_way.open_keeper(store) as keeper:
            posterior = under_way.draw(keeper)
            posterior = under_way.complete(posterior, keeper)
        remember(posterior, request, [mine.chain for mine in under_way.running], under_way.checkpoint)
        if under_way.ending.note is not None:
            warnings.warn(under_way.ending.note, StoppedEarlyWarning, stacklevel=3)
        if not posterior.silent_diagnostics.is_converged:
            warnings.warn(posterior.silent_diagnostics.verdict, ConvergenceWarning, stacklevel=3)
        return posterior


class _Run:
    """A run under way: how the request was understood, where the chains are, and in the end how they ended."""

    running: list[RunningChain]
    ending: Ending

    def __init__(
        self,
        request: Request,
        executor: Executor | None,
        checkpoint: Checkpoint | None,
        pasts: Sequence[Past],
        *,
        progress: bool,
    ) -> None:
        self.checkpoint = checkpoint
        self._request = request
        self._executor = executor
        self._pasts = pasts
        self._progress = progress
        self._stop = Stop(request.time_budget)
        seeds = np.random.SeedSequence(request.seed).spawn(request.chains)
        self._rngs = [np.random.default_rng(seed) for seed in seeds]
        with self._stop.listening(), compilation_announced(lambda: tell(progress, COMPILING)):
            self._plan = make_plan(
                request.data,
                request.nodes,
                sampler=request.sampler,
                score=request.score,
                prior=request.prior,
                constraints=request.constraints,
                reading=request.reading,
                is_over=self._stop.is_over if checkpoint is None else self._stop.is_told,
            )
            self._orders = find_starts(request.start, self._plan, self._rngs)
        if executor is not None:
            self._plan.check_travels(executor)
        self._p = len(self._plan.names)
        self._schedule, self._timed = plan_length(
            request.iterations, request.burn_in, request.thin, request.time_budget, p=self._p
        )
        self.findings = self._plan.look()

    def take_up(self) -> None:
        """Open the checkpoint, and go on from what the chains did before."""
        if self.checkpoint is not None:
            about = describe_request(self._request, self._plan)
            self.checkpoint.begin(about, lambda text: tell(self._progress, text))
            self._pasts = self.checkpoint.pasts
            if self._stop.is_told():
                self._leave(self.checkpoint)
        if self._request.until is not None:
            lengths = [past.snapshot.schedule.iterations for past in self._pasts if past.snapshot is not None]
            self._schedule = replace(self._schedule, iterations=max(self._schedule.iterations, *lengths, 0))

    def _leave(self, checkpoint: Checkpoint) -> None:
        """Go on without a checkpoint; chains that have begun must not: with few candidates the target is another."""
        if any(past.snapshot is not None for past in self._pasts):
            raise Interrupted(self._stop.find_cause())
        checkpoint.close()
        self.checkpoint = None

    def open_keeper(self, store: str | os.PathLike[str] | None) -> AbstractContextManager[Keeper]:
        """Return who keeps the draws: memory, or a file."""
        chains = self._request.chains
        return nullcontext(InMemory(chains)) if store is None else DrawFile(store, chains, self._p)

    def draw(self, keeper: Keeper) -> Posterior:
        """Let the chains draw to their end and, if they are to, beyond it until they are good."""
        request, stop, collector = self._request, self._stop, Collector(self._request.chains, self._p, keeper)
        is_timed = self._timed is not None
        length = f"{request.time_budget:g} seconds in all" if is_timed else f"{self._schedule.iterations:,} iterations"
        watched = watch(
            self._progress, chains=request.chains, p=self._p, length=length, stop=stop, schedule=self._schedule
        )
        with stop.listening(), watched as watcher:
            self.running = self._begin_chains(watcher)
            watcher.begin([mine.chain for mine in self.running])
            self._recall(collector)
            work = self._make_work(collector, watcher, in_memory=isinstance(keeper, InMemory))
            began = time.monotonic()
            stopped_by = run_chains(work)
            while True:
                seconds = time.monotonic() - began
                self.ending = Ending.of(self.running, self._schedule, self._timed, stopped_by, seconds)
                self.ending.check_draws(request.time_budget)
                posterior = self._gather(keeper, collector)
                longer = lengthen(self._schedule, request) if self.ending.stopped_by is None else None
                if longer is None or self._plan.complete(posterior).silent_diagnostics.is_converged:
                    return posterior
                watcher.message(f"The verdict is not good yet: the chains go on to {longer.iterations:,} iterations.")
                self._schedule = longer
                for mine in self.running:
                    mine.chain.schedule = replace(mine.chain.schedule, iterations=longer.iterations)
                # Chains that are not much longer end within a block, and it is for us to see that the time is over.
                stopped_by = stop.find_cause() or run_chains(work)

    def _begin_chains(self, watcher: Watcher) -> list[RunningChain]:
        """Start the chains, on threads, or let them be where they were, and compile what is still to be compiled."""
        seek = isinstance(self._request.start, str) and self._request.start == "auto"

        def begin(number: int) -> RunningChain:
            chain = self._plan.model.start(self._orders[number], self._rngs[number], self._schedule)
            snapshot = self._pasts[number].snapshot if self._pasts else None
            if snapshot is not None:
                chain.restore(replace(snapshot, schedule=_go_on(snapshot, self._schedule)))
                chain.check()
            elif seek:
                chain.seek(self._stop.is_over)
            if number == 0:
                chain.advance(0)
            return RunningChain(chain, chain.iteration)

        with compilation_announced(lambda: watcher.message(COMPILING)), ThreadPoolExecutor(count_threads()) as pool:
            return list(pool.map(begin, range(self._request.chains)))

    def _recall(self, collector: Collector) -> None:
        """Collect what the chains drew before."""
        for number, past in enumerate(self._pasts):
            for block in past.blocks:
                collector.forget(number)
                collector.add(number, *block)
            collector.forget(number)
            if self.checkpoint is not None:
                self.checkpoint.note(number, self.running[number].chain, None, is_last=True)

    def _make_work(self, collector: Collector, watcher: Watcher, *, in_memory: bool) -> Work:
        """Return the work that is to be done."""
        forecast = Forecast(
            [mine.chain for mine in self.running],
            p=self._p,
            workers=count_workers(self._executor),
            limit=self._request.time_budget,
            in_memory=in_memory,
            watcher=watcher,
        )
        return Work(
            self.running,
            collector=collector,
            executor=self._executor,
            stop=self._stop,
            timed=self._timed,
            watcher=watcher,
            checkpoint=self.checkpoint,
            forecast=forecast,
        )

    def _gather(self, keeper: Keeper, collector: Collector) -> Posterior:
        """Return a posterior of what is drawn so far."""
        return Posterior(
            nodes=self._plan.names,
            draws=keeper.gather(self.ending.draws, collector.families()),
            moves=tuple(mine.chain.moves() for mine in self.running),
            info=record_run(self._plan, self.findings, self.ending, self._request),
            moments=self._plan.moments,
            grouped=self._plan.grouped,
        )

    def complete(self, posterior: Posterior, keeper: Keeper) -> Posterior:
        """Add what needs the target, and have all of it kept."""
        try:
            posterior = self._plan.complete(posterior)
        except KeyboardInterrupt:
            keeper.finish(posterior)  # The draws are made, and shall not be lost with what follows from them.
            raise
        return keeper.finish(posterior)


def _go_on(snapshot: Snapshot, schedule: Schedule) -> Schedule:
    """Return the schedule of a chain that goes on: its own, but for its length.

    If it was to burn in until it is told, and this is no longer so, it burns in as long as others.
    """
    if snapshot.schedule.has_open_burn_in and not schedule.has_open_burn_in:
        return replace(schedule, burn_in=max(schedule.burn_in, snapshot.iteration))
    return replace(snapshot.schedule, iterations=schedule.iterations)

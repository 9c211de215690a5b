"""From data to a posterior."""

import os
import secrets
import time
import warnings
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import Literal, Unpack

import numpy as np

from edgewise._kernels.compiling import compilation_announced
from edgewise.arguments import is_number, is_whole
from edgewise.arithmetic import one_order_of_sums
from edgewise.data import Data, Reading
from edgewise.errors import ArgumentError, StoppedEarlyWarning, UnusualDataWarning
from edgewise.files import as_path
from edgewise.posterior import Posterior
from edgewise.posterior.collecting import Collector, InMemory
from edgewise.posterior.storage import DrawFile
from edgewise.priors import Constraints, Prior
from edgewise.samplers import Model, Sampler, Schedule, make_schedule
from edgewise.samplers.sampler import IsOver
from edgewise.samplers.schedule import MOST_ITERATIONS, draws_for
from edgewise.samplers.snapshots import Snapshot
from edgewise.scores import Score
from edgewise.wording import quote

from .chains import RunningChain, Timed, Work, run_chains
from .checkpoints import Checkpoint, Past
from .endings import Ending, record_run
from .engines import count_workers, is_executor
from .forecast import Forecast
from .origins import agree_on_seed, remember
from .plan import Plan, make_plan
from .progress import Watcher, tell, watch
from .requests import Request, describe_request
from .starts import Start, as_lists, find_starts
from .stopping import Stop
from .threads import count_threads

Until = Literal["good"]


def sample(
    data: Data | None,
    *,
    nodes: Sequence[str] | None = None,
    sampler: Sampler | None = None,
    score: Score | None = None,
    prior: Prior | None = None,
    constraints: Constraints | None = None,
    iterations: int | None = None,
    burn_in: float = 0.2,
    thin: int | None = None,
    chains: int = 4,
    seed: int | None = None,
    start: Start = "auto",
    executor: Executor | None = None,
    store: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    until: Until | None = None,
    time_budget: float | None = None,
    progress: bool = True,
    **reading: Unpack[Reading],
) -> Posterior:
    """Sample DAGs from their posterior distribution.

    Parameters
    ----------
    data
        A DataFrame, an array, the path of a CSV, TSV or Parquet file, or a :class:`edgewise.Covariance`.
        Rows are observations, columns are variables. None for a run that shows what the prior and the
        constraints say without data.
    nodes
        The variables' names, for a run without data only.
    sampler
        Default: ``DagMCMC()``, which draws DAGs from their posterior, each counted once. A run without data takes none,
        and no score: it draws DAGs from the prior, with the same chain, each counted once too.
    score
        Default: the one that fits the kinds of the columns: ``BGe()`` for numbers, ``BDeu()`` for levels,
        ``DegenerateGaussian()`` where there are both.
    prior
        Default: ``Sparsity("auto")``, whose strength grows with the number of variables; the paper's experiments have
        ``Sparsity(1.0)``. Priors add up: ``Sparsity(1.0) + TierOrder(...) + Paths(...)``.
    constraints
        What is known for certain: every DAG that is drawn agrees with it.
    iterations
        Steps of each chain, burn-in included. Default: 100,000 or, with a ``time_budget``, as many as fit.
    burn_in
        The part of each chain to leave out: below 1 a share of the iterations, or of the time, else a number of
        iterations.
    thin
        Iterations from one draw to the next. Default: so many that each chain makes 4000 draws, or fewer, down to 1000,
        with more than 30 variables.
    chains
        How many chains to run, each from its own start.
    seed
        A whole number makes the result repeatable. By default a new one is chosen, and noted in
        ``posterior.info``.
    start
        ``"auto"``: a short greedy search from random orders, others for each chain, so that their agreement still means
        something; samplers that have no such search start at a random order. ``"random"``: a random order for each
        chain. ``"mmhc"``: for each chain another order of the DAG that :func:`edgewise.mmhc` learns. Or one order of
        all variables, by name or by column number, or one for each chain.
    executor
        Where chains run; by default on threads, as many as there are cores or chains. Any
        ``concurrent.futures.Executor``, or a ``dask.distributed.Client``: the target is sent there once, and then
        blocks of each chain. The draws are the same wherever they are made.
    store
        A file to write the draws to while they are made, so that memory does not grow with their number. The posterior
        then reads them from there. By default they stay in memory, and ``posterior.save`` writes them.
    checkpoint
        A directory in which to keep, every few seconds, what was drawn and where the chains are. If the run is killed,
        :func:`edgewise.resume`, or the same call again, goes on from there to the same draws; and a run that has ended
        goes on with :func:`edgewise.extend`.
    until
        ``"good"``: go on beyond ``iterations`` until the verdict is good, up to a hundred times as long. Burn-in and
        thinning stay those of ``iterations``.
    time_budget
        Seconds after which to stop, with what there is if ``iterations`` are not done by then. Compiling, and finding
        candidates and starts, count; summing up the draws comes on top.
    progress
        Show a bar for each chain and how well the chains agree or, where standard error is not a terminal, a line when
        sampling begins and ends.
    **reading
        How to read the table, as in :func:`edgewise.load_data`: ``kinds`` of columns, ``transform="ranks"``, what to do
        about ``missing`` values, ``interventions`` with their ``targets``, and which ``columns`` to use or ``drop``.

    Returns
    -------
    Posterior
        What is unusual about the data is in its ``info["data"]["findings"]``; with a score that takes rows, whose
        model need not be Gaussian, that is None. Ctrl-C stops a run early, with a
        :class:`edgewise.StoppedEarlyWarning` and the draws so far. Before there are draws, burn-in ends then, and the
        chains go on for two seconds at most to make a few.

    Warns
    -----
    DataWarning
        For each thing about the data that the model does not expect: skewed columns, codes, row numbers, outliers,
        repeated rows, pooled conditions, near copies of columns, few rows.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(5, 1000, seed=2)
    >>> posterior = ew.sample(sim.data, iterations=5000, thin=10, seed=1, progress=False)
    >>> posterior.edges(threshold=0.5).columns.tolist()
    ['source', 'target', 'probability', 'mcse', 'undirected', 'compelled']
    """
    _check_settings(chains, time_budget, executor, until)
    check_lengths(iterations=iterations, burn_in=burn_in, thin=thin, time_budget=time_budget)
    if until is not None and iterations is None:
        iterations = ITERATIONS  # A time budget is not how long such a run is to be, but how long it may be.
    request = Request(
        data=data,
        nodes=nodes,
        sampler=sampler,
        score=score,
        prior=prior,
        constraints=constraints,
        iterations=iterations,
        burn_in=burn_in,
        thin=thin,
        chains=int(chains),
        seed=choose_seed(seed),
        start=as_lists(start),
        time_budget=time_budget,
        until=until,
        reading=reading,
    )
    kept = None
    if checkpoint is not None:
        directory = as_path("checkpoint", checkpoint)
        request = agree_on_seed(request, directory, is_given=seed is not None)
        kept = Checkpoint(directory, request)
    return run(request, executor=executor, store=store, checkpoint=kept, progress=progress)


def run(
    request: Request,
    *,
    executor: Executor | None,
    store: str | os.PathLike[str] | None,
    checkpoint: Checkpoint | None,
    progress: bool,
    pasts: list[Past] | None = None,
) -> Posterior:
    """Do what was asked for, from the beginning or from what the chains did before.

    Parameters
    ----------
    request
        What was asked for.
    executor, store, progress
        As for :func:`sample`.
    checkpoint
        Where to keep the run, and what the chains did before, if they did.
    pasts
        What they did before, where there is no checkpoint.
    """
    if store is not None:
        store = as_path("store", store, "file")
    with nullcontext() if checkpoint is None else closing(checkpoint), one_order_of_sums():
        return _run(request, executor, store, checkpoint, pasts, progress=progress)


def _run(
    request: Request,
    executor: Executor | None,
    store: str | os.PathLike[str] | None,
    checkpoint: Checkpoint | None,
    pasts: list[Past] | None,
    *,
    progress: bool,
) -> Posterior:
    """Do what was asked for, as :func:`run` does."""
    stop = Stop(request.time_budget)
    rngs = [np.random.default_rng(child) for child in np.random.SeedSequence(request.seed).spawn(request.chains)]
    with stop.listening(), compilation_announced(lambda: tell(progress, COMPILING)):
        plan = _plan(request, is_over=stop.is_over if checkpoint is None else stop.is_told)
        orders = find_starts(request.start, plan, rngs)
    findings = plan.look()
    for finding in findings or ():
        warnings.warn(finding.sentence, UnusualDataWarning, stacklevel=4)
    if executor is not None:
        plan.check_travels(executor)
    if checkpoint is not None:
        checkpoint.begin(describe_request(request, plan), lambda text: tell(progress, text))
        pasts = checkpoint.pasts
        if stop.is_told():
            _leave(checkpoint)
            checkpoint = None

    chains, p = request.chains, len(plan.names)
    schedule, timed = _schedule(request.iterations, request.burn_in, request.thin, request.time_budget, p=p)
    if request.until is not None:
        schedule = _as_long_as(schedule, pasts or [])
    with nullcontext(InMemory(chains)) if store is None else DrawFile(store, chains, p) as keeper:
        collector = Collector(chains, p, keeper)
        length = f"{schedule.iterations:,} iterations" if timed is None else f"{request.time_budget:g} seconds in all"
        with (
            stop.listening(),
            watch(progress, chains=chains, p=p, length=length, stop=stop, schedule=schedule) as watcher,
        ):
            seek = isinstance(request.start, str) and request.start == "auto"
            running = _begin(plan.model, orders, rngs, schedule, pasts, seek=seek, stop=stop, watcher=watcher)
            for number, past in enumerate(pasts or ()):
                _recall(past, collector, number)
                if checkpoint is not None:
                    checkpoint.note(number, running[number].chain, None, is_last=True)
            work = Work(
                running,
                collector=collector,
                executor=executor,
                stop=stop,
                timed=timed,
                watcher=watcher,
                checkpoint=checkpoint,
                forecast=Forecast(
                    [chain.chain for chain in running],
                    p=p,
                    workers=count_workers(executor),
                    limit=request.time_budget,
                    in_memory=store is None,
                    watcher=watcher,
                ),
            )
            began = time.monotonic()
            stopped_by = run_chains(work)
            while True:
                ending = Ending.of(running, schedule, timed, stopped_by, time.monotonic() - began)
                ending.check_draws(request.time_budget)
                posterior = Posterior(
                    nodes=plan.names,
                    draws=keeper.gather(ending.draws, collector.families()),
                    moves=tuple(chain.chain.moves() for chain in running),
                    info=record_run(plan, findings, ending, request),
                    moments=plan.moments,
                    grouped=plan.grouped,
                )
                longer = _lengthen(request, schedule, ending)
                if longer is None or plan.complete(posterior).silent_diagnostics.is_converged:
                    break
                schedule = longer
                watcher.message(f"The verdict is not good yet: the chains go on to {schedule.iterations:,} iterations.")
                for mine in running:
                    mine.chain.schedule = replace(mine.chain.schedule, iterations=schedule.iterations)
                # Chains that are not much longer end within a block, and it is for us to see that the time is over.
                stopped_by = stop.find_cause() or run_chains(work)
        try:
            posterior = plan.complete(posterior)
        except KeyboardInterrupt:
            keeper.finish(posterior)  # The draws are made, and shall not be lost with what follows from them.
            raise
        posterior = keeper.finish(posterior)
    remember(posterior, request, [mine.chain for mine in running], checkpoint)
    if ending.note is not None:
        warnings.warn(ending.note, StoppedEarlyWarning, stacklevel=4)
    return posterior


ITERATIONS = 100_000
"""Iterations of a chain where neither they nor a time are given."""

COMPILING = "Compiling the sampler: once after installation, up to half a minute."


def _plan(request: Request, *, is_over: IsOver) -> Plan:
    """Return what was asked for, with everything that is not said filled in."""
    return make_plan(
        request.data,
        request.nodes,
        sampler=request.sampler,
        score=request.score,
        prior=request.prior,
        constraints=request.constraints,
        reading=request.reading,
        is_over=is_over,
    )


def _leave(checkpoint: Checkpoint) -> None:
    """Go on without a checkpoint; chains that have begun must not, since with few candidates the target is another."""
    if any(past.snapshot is not None for past in checkpoint.pasts):
        raise KeyboardInterrupt
    checkpoint.close()


def _as_long_as(schedule: Schedule, pasts: list[Past]) -> Schedule:
    """Return a schedule as long as that of chains which have been lengthened before."""
    lengths = [past.snapshot.schedule.iterations for past in pasts if past.snapshot is not None]
    return replace(schedule, iterations=max(schedule.iterations, *lengths, 0))


def _recall(past: Past, collector: Collector, number: int) -> None:
    """Collect what a chain drew before."""
    for block in past.blocks:
        collector.forget(number)
        collector.add(number, *block)
    collector.forget(number)


def _schedule(
    iterations: int | None, burn_in: float, thin: int | None, time_budget: float | None, *, p: int
) -> tuple[Schedule, Timed | None]:
    """Return when chains draw; with a time budget alone, that is settled when their pace is known."""
    if iterations is not None or time_budget is None:
        return make_schedule(ITERATIONS if iterations is None else iterations, burn_in, thin, p=p), None
    make_schedule(MOST_ITERATIONS, burn_in, thin)
    if burn_in >= 1:
        return Schedule(MOST_ITERATIONS, int(burn_in), 1), Timed(0.0, draws_for(p), thin)
    return Schedule(MOST_ITERATIONS, MOST_ITERATIONS, 1), Timed(burn_in, draws_for(p), thin)


def _check_settings(
    chains: int, time_budget: float | None, executor: Executor | None, until: str | None = None
) -> None:
    """Refuse what a run cannot work with, before the data are read."""
    if not (is_whole(chains) and chains >= 1):
        raise ArgumentError(f"chains must be a whole number, at least 1, but {quote(chains)} was given.")
    if time_budget is not None and not (is_number(time_budget) and time_budget > 0):
        raise ArgumentError(f"time_budget must be a positive number of seconds, but {quote(time_budget)} was given.")
    if executor is not None and not is_executor(executor):
        raise ArgumentError(f"executor must be a concurrent.futures.Executor, but {quote(executor)} was given.")
    if until not in (None, "good"):
        raise ArgumentError(f"until must be 'good' or None, but {quote(until)} was given.")


def check_lengths(
    *,
    iterations: int | None = None,
    burn_in: float = 0.2,
    thin: int | None = None,
    chains: int = 1,
    time_budget: float | None = None,
    until: str | None = None,
) -> None:
    """Refuse what no run can work with, whatever its data."""
    _check_settings(chains, time_budget, None, until)
    _schedule(iterations, burn_in, thin, time_budget, p=1)


def choose_seed(seed: int | None) -> int:
    """Return a seed, or a new one."""
    if seed is None:
        # Below 2^53, so that programs which read run.json with numbers in double precision get the same seed.
        return secrets.randbits(53)
    if not (is_whole(seed) and seed >= 0):
        raise ArgumentError(f"seed must be a whole number, zero or more, but {quote(seed)} was given.")
    return int(seed)


GROWTH, LONGEST = 1.5, 100
"""By how much chains grow each time the verdict is not good yet, and how many times as long they may get at most."""


def _lengthen(request: Request, schedule: Schedule, ending: Ending) -> Schedule | None:
    """Return a longer schedule for a run that goes on until it is good; None if it is over in any case."""
    if request.until is None or ending.stopped_by is not None or schedule.iterations == MOST_ITERATIONS:
        return None
    most = LONGEST * (ITERATIONS if request.iterations is None else request.iterations)
    if schedule.iterations >= most:
        return None
    return replace(schedule, iterations=min(int(GROWTH * schedule.iterations), most))


def _begin(
    model: Model,
    orders: list[np.ndarray],
    rngs: list[np.random.Generator],
    schedule: Schedule,
    pasts: list[Past] | None,
    *,
    seek: bool,
    stop: Stop,
    watcher: Watcher,
) -> list[RunningChain]:
    """Start the chains, on threads, or let them be where they were, and compile what is still to be compiled."""

    def begin(number: int) -> RunningChain:
        chain = model.start(orders[number], rngs[number], schedule)
        snapshot = pasts[number].snapshot if pasts else None
        if snapshot is not None:
            chain.restore(replace(snapshot, schedule=_go_on(snapshot, schedule)))
            chain.check()
        elif seek:
            chain.seek(stop.is_over)
        if number == 0:
            chain.advance(0)
        return RunningChain(chain, chain.iteration)

    with compilation_announced(lambda: watcher.message(COMPILING)), ThreadPoolExecutor(count_threads()) as pool:
        return list(pool.map(begin, range(len(orders))))


def _go_on(snapshot: Snapshot, schedule: Schedule) -> Schedule:
    """Return the schedule of a chain that goes on: its own, but for its length.

    If it was to burn in until it is told, and this is no longer so, it burns in as long as others.
    """
    if MOST_ITERATIONS == snapshot.schedule.burn_in > schedule.burn_in:
        return replace(schedule, burn_in=max(schedule.burn_in, snapshot.iteration))
    return replace(snapshot.schedule, iterations=schedule.iterations)

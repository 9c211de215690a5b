"""From data to a posterior."""

import importlib.metadata
import os
import platform
import secrets
import time
import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from typing import Any, Self, Unpack

import numpy as np

from edgewise._kernels.compiling import compilation_announced
from edgewise.arguments import is_number, is_whole
from edgewise.data import Data, Finding, Reading, find_order
from edgewise.errors import ArgumentError, StoppedEarlyWarning, UnusualDataWarning
from edgewise.posterior import Posterior
from edgewise.posterior.collecting import Collector, InMemory
from edgewise.posterior.storage import DrawFile
from edgewise.priors import Constraints, Prior
from edgewise.samplers import Model, Sampler, Schedule, make_schedule
from edgewise.samplers.schedule import MOST_ITERATIONS, draws_for
from edgewise.scores import Score

from .chains import FEW_DRAWS, RunningChain, Timed, fewest_draws, run_chains
from .forecast import Forecast
from .plan import Plan, as_plain, make_plan
from .progress import Watcher, tell, watch
from .stopping import Cause, Stop

Order = Sequence[int | str] | np.ndarray
Start = str | Order | Sequence[Order]


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
        Where chains run; by default on threads, as many as there are cores or chains.
    store
        A file to write the draws to while they are made, so that memory does not grow with their number. The posterior
        then reads them from there. By default they stay in memory, and ``posterior.save`` writes them.
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
    _check_settings(chains, time_budget, executor)
    _schedule(iterations, burn_in, thin, time_budget, p=1)
    seeds = _seeds(seed)
    rngs = [np.random.default_rng(child) for child in seeds.spawn(int(chains))]
    stop = Stop(time_budget)
    with stop.listening(), compilation_announced(lambda: tell(progress, COMPILING)):
        plan = make_plan(
            data,
            nodes,
            sampler=sampler,
            score=score,
            prior=prior,
            constraints=constraints,
            reading=reading,
            is_over=stop.is_over,
        )
        orders = _starts(start, plan, rngs)
    findings = plan.look()
    for finding in findings or ():
        warnings.warn(finding.sentence, UnusualDataWarning, stacklevel=2)
    if executor is not None:
        plan.check_travels(executor)

    chains, p = len(rngs), len(plan.names)
    schedule, timed = _schedule(iterations, burn_in, thin, time_budget, p=p)
    with nullcontext(InMemory(chains)) if store is None else DrawFile(store, chains, p) as keeper:
        collector = Collector(chains, p, keeper)
        length = f"{schedule.iterations:,} iterations" if timed is None else f"{time_budget:g} seconds in all"
        with (
            stop.listening(),
            watch(progress, chains=chains, p=p, length=length, stop=stop, schedule=schedule) as watcher,
        ):
            seek = isinstance(start, str) and start == "auto"
            running = _begin(plan.model, orders, rngs, schedule, seek=seek, stop=stop, watcher=watcher)
            began = time.monotonic()
            stopped_by = run_chains(
                running,
                collector=collector,
                executor=executor,
                stop=stop,
                timed=timed,
                watcher=watcher,
                forecast=Forecast(
                    [chain.chain for chain in running],
                    p=p,
                    workers=os.cpu_count() or 1,
                    limit=time_budget,
                    in_memory=store is None,
                    watcher=watcher,
                ),
            )
            ending = _Ending.of(running, schedule, timed, stopped_by, time.monotonic() - began)
            ending.check_draws(time_budget)
        posterior = Posterior(
            nodes=plan.names,
            draws=keeper.gather(ending.draws, collector.families()),
            moves=tuple(chain.chain.moves() for chain in running),
            info=_record(plan, findings, ending, chains, seeds, start),
            moments=plan.moments,
        )
        try:
            posterior = plan.complete(posterior)
        except KeyboardInterrupt:
            keeper.finish(posterior)  # The draws are made, and shall not be lost with what follows from them.
            raise
        posterior = keeper.finish(posterior)
    if ending.note is not None:
        warnings.warn(ending.note, StoppedEarlyWarning, stacklevel=2)
    return posterior


ITERATIONS = 100_000
"""Iterations of a chain where neither they nor a time are given."""

COMPILING = "Compiling the sampler: once after installation, up to half a minute."


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


@dataclass(frozen=True)
class _Ending:
    """How a run ended.

    Attributes
    ----------
    schedule
        As it was meant to be.
    iterations, draws, burn_in
        The least of all chains. Ctrl-C during burn-in ends it, in each chain where that is.
    stopped_by
        What stopped the run before its end, if anything did.
    seconds
        How long the chains took.
    """

    schedule: Schedule
    iterations: int
    draws: int
    burn_in: int
    stopped_by: Cause | None
    seconds: float

    @classmethod
    def of(
        cls,
        running: list[RunningChain],
        schedule: Schedule,
        timed: Timed | None,
        stopped_by: Cause | None,
        seconds: float,
    ) -> Self:
        """Sum up what the chains have done; a run as long as its time allows is not stopped early by its end."""
        iterations = min(chain.chain.iteration for chain in running)
        burn_in = min(chain.chain.schedule.burn_in for chain in running)
        draws = fewest_draws(running)
        if timed is not None:
            schedule = Schedule(iterations, burn_in, running[0].chain.schedule.thin)
            stopped_by = None if stopped_by == "time budget" and draws >= FEW_DRAWS else stopped_by
        return cls(schedule, iterations, draws, burn_in, stopped_by, seconds)

    def check_draws(self, time_budget: float | None) -> None:
        """Refuse to go on if there is nothing to go on with."""
        if self.draws:
            return
        if self.stopped_by == "keyboard":
            raise KeyboardInterrupt
        raise ArgumentError(
            f"The time_budget of {time_budget} seconds ended after {self.iterations:,} iterations, before the first "
            f"draw: allow more time, or take a smaller thin."
        )

    @property
    def note(self) -> str | None:
        """A sentence on a run that was stopped early."""
        if self.stopped_by is None:
            return None
        held = (
            "the draws until then"
            if self.burn_in == self.schedule.burn_in
            else f"only {self.draws:,} draws of each chain, made after {self.burn_in:,} iterations in place of a "
            f"burn-in of {self.schedule.burn_in:,}"
        )
        return (
            f"The run was stopped by the {self.stopped_by} after {self.iterations:,} of "
            f"{self.schedule.iterations:,} iterations; the posterior holds {held}."
        )


def _record(
    plan: Plan,
    findings: Sequence[Finding] | None,
    ending: _Ending,
    chains: int,
    seeds: np.random.SeedSequence,
    start: Start,
) -> dict[str, Any]:
    """Return the record of a run, as its posterior keeps it."""
    seen = None if findings is None else [asdict(finding) for finding in findings]
    return as_plain(
        {
            **plan.record,
            "data": plan.record["data"] and {**plan.record["data"], "findings": seen},
            "schedule": {**asdict(ending.schedule), "burn_in": ending.burn_in},
            "iterations_done": ending.iterations,
            "stopped_by": ending.stopped_by,
            "stopped_note": ending.note,
            "chains": chains,
            "seed": seeds.entropy,
            "start": start if isinstance(start, str) else "given",
            "seconds": round(ending.seconds, 3),
            "versions": {
                "python": platform.python_version(),
                **{name: importlib.metadata.version(name) for name in ("edgewise", "numpy", "numba")},
            },
        }
    )


def _check_settings(chains: int, time_budget: float | None, executor: Executor | None) -> None:
    """Refuse what a run cannot work with, before the data are read."""
    if not (is_whole(chains) and chains >= 1):
        raise ArgumentError(f"chains must be a whole number, at least 1, but {chains!r} was given.")
    if time_budget is not None and not (is_number(time_budget) and time_budget > 0):
        raise ArgumentError(f"time_budget must be a positive number of seconds, but {time_budget!r} was given.")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise ArgumentError(f"executor must be a concurrent.futures.Executor, but {executor!r} was given.")


def _seeds(seed: int | None) -> np.random.SeedSequence:
    if seed is None:
        # Below 2^53, so that programs which read run.json with numbers in double precision get the same seed.
        return np.random.SeedSequence(secrets.randbits(53))
    if not (is_whole(seed) and seed >= 0):
        raise ArgumentError(f"seed must be a whole number, zero or more, but {seed!r} was given.")
    return np.random.SeedSequence(int(seed))


def _begin(
    model: Model,
    orders: list[np.ndarray],
    rngs: list[np.random.Generator],
    schedule: Schedule,
    *,
    seek: bool,
    stop: Stop,
    watcher: Watcher,
) -> list[RunningChain]:
    """Start the chains, on threads, and compile what is still to be compiled."""

    def begin(number: int) -> RunningChain:
        chain = model.start(orders[number], rngs[number], schedule)
        if seek:
            chain.seek(stop.is_over)
        if number == 0:
            chain.advance(0)
        return RunningChain(chain)

    with compilation_announced(lambda: watcher.message(COMPILING)), ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(begin, range(len(orders))))


STARTS = "start must be 'auto', 'random', 'mmhc' or orders of the variables"


def _starts(start: Start, plan: Plan, rngs: list[np.random.Generator]) -> list[np.ndarray]:
    """Return an order for each chain."""
    if isinstance(start, str):
        if start == "mmhc":
            return plan.mmhc_orders(rngs)
        if start not in ("auto", "random"):
            raise ArgumentError(f"{STARTS}, but {start!r} was given.")
        return [rng.permutation(len(plan.names)) for rng in rngs]
    try:
        given = list(start)
    except TypeError as error:
        raise ArgumentError(f"{STARTS}, but {start!r} was given.") from error
    if not any(_is_order(item) for item in given):
        return [find_order(plan.names, given)] * len(rngs)
    if not all(_is_order(item) for item in given):
        raise ArgumentError("start mixes orders with single variables; give one order, or one for each chain.")
    if len(given) != len(rngs):
        raise ArgumentError(
            f"start holds {len(given)} orders for {len(rngs)} chains; give one for each chain, or just one."
        )
    return [find_order(plan.names, list(order)) for order in given]


def _is_order(item: object) -> bool:
    return isinstance(item, Iterable) and not isinstance(item, str)

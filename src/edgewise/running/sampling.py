"""From data to a posterior, in one call."""

import os
from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Literal, Unpack

from edgewise.data import Data, Reading
from edgewise.files import as_path
from edgewise.posterior import Posterior
from edgewise.priors import Constraints, Prior
from edgewise.samplers import Sampler
from edgewise.scores import Score
from edgewise.tasks import check_executor

from .checkpoints import Checkpoint
from .lengths import ITERATIONS, check_lengths
from .requests import Request
from .runs import run
from .seeds import agree_on_seed, choose_seed
from .starts import Start, as_lists

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
        with more than 30 variables. With a ``time_budget`` alone that follows from the pace of the chains, and to know
        it they burn in for at least a hundredth of the time.
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
    ConvergenceWarning
        If the verdict of the run, as :meth:`edgewise.Posterior.diagnostics` has it, is bad.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(5, 1000, seed=2)
    >>> posterior = ew.sample(sim.data, iterations=5000, thin=10, seed=1, progress=False)
    >>> posterior.edges(threshold=0.5).columns.tolist()
    ['source', 'target', 'probability', 'mcse', 'undirected', 'compelled']
    """
    check_lengths(
        iterations=iterations, burn_in=burn_in, thin=thin, chains=chains, time_budget=time_budget, until=until
    )
    check_executor(executor)
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

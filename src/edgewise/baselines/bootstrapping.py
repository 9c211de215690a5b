"""The bootstrap: how sure a learner is of each edge, from what it learns of resampled rows.

Friedman, Goldszmidt & Wyner (1999), "Data analysis with Bayesian networks: a bootstrap approach", UAI. The rows are
drawn with replacement, as many as there are, and the learner is given these in place of the data; its DAGs from many
such replicates are treated as the draws of a posterior are.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from functools import partial
from typing import TypeAlias

import numpy as np
import pandas as pd

from edgewise.arguments import check_whole
from edgewise.data import Data, Dataset, load_data
from edgewise.errors import ArgumentError, DataError, EdgewiseError
from edgewise.graphs import Graph, as_dag, topological_order
from edgewise.posterior import Posterior
from edgewise.posterior.draws import DrawTable
from edgewise.posterior.record import as_plain, describe_part
from edgewise.scores import Score, default_score, local_scores, prepare_score
from edgewise.tasks import check_executor, in_order, run_tasks

Learner: TypeAlias = Callable[[pd.DataFrame], Graph]


def bootstrap(
    learner: Learner,
    data: Data,
    replicates: int = 100,
    *,
    score: Score | None = None,
    seed: int | None = None,
    executor: Executor | None = None,
) -> Posterior:
    """Learn from resampled rows, again and again, to see how sure a learner is of each edge.

    Parameters
    ----------
    learner
        Takes a DataFrame and returns a DAG: :func:`edgewise.mmhc`, :func:`edgewise.greedy_sp`, or any function of your
        own. For other settings than its defaults: ``lambda data: ew.mmhc(data, alpha=0.01)``.
    data
        Whatever :func:`edgewise.sample` takes, except a Covariance, which has no rows.
    replicates
        How many DAGs to learn.
    score
        What the replicates' DAGs are scored with, on all the data, for ``log_posterior``; the learner has its own.
        Default: the one that fits the kinds of the columns, ``BGe()`` for numbers.
    seed
        A whole number makes the resampled rows repeatable; by default a new one is chosen, and noted in
        ``posterior.info``. A learner that uses random numbers needs a seed of its own.
    executor
        Where replicates are learned: a ``concurrent.futures.Executor``, or a ``dask.distributed.Client``. By default
        here, one after the other.

    Returns
    -------
    Posterior
        One chain whose draws are the replicates' DAGs, so that its probabilities are shares of the replicates. They
        say how stable the learner's answer is, which is not how probable an edge is.

    Raises
    ------
    DataError
        If the learner cannot learn from a replicate: with few rows, resampling can make columns constant or equal.

    Examples
    --------
    >>> import edgewise as ew
    >>> from edgewise.baselines import mmhc
    >>> sim = ew.simulate(5, 200, seed=1)
    >>> replicated = bootstrap(mmhc, sim.data, 20, seed=1)
    >>> replicated.dags().shape
    (1, 20, 5, 5)
    >>> bool(replicated.edge_probabilities("undirected").to_numpy()[sim.dag].mean() > 0.5)
    True
    """
    if not callable(learner):
        raise ArgumentError(f"learner must be a function from data to a DAG, such as mmhc, but {learner!r} was given.")
    replicates = check_whole("replicates", replicates)
    seeds = np.random.SeedSequence(None if seed is None else check_whole("seed", seed, least=0))
    check_executor(executor)
    dataset = load_data(data)
    score = default_score(dataset) if score is None else score
    if dataset.values is None:
        raise ArgumentError(
            "The bootstrap draws rows anew, but a Covariance has none: give the table that it was computed from."
        )
    if dataset.is_set is not None or not dataset.is_complete:
        raise ArgumentError(
            "The bootstrap hands tables to a learner, which would not know of interventions or missing values: use "
            "sample, or give rows that are complete and without interventions."
        )
    tables = prepare_score(score, dataset)
    frame = dataset.to_frame()
    learned = run_tasks(partial(_learn, learner, frame), seeds.spawn(replicates), executor)
    dags = np.array(list(_check_dags(in_order(learned), dataset)))
    return Posterior(
        nodes=dataset.names,
        draws=as_draws(dags, np.array([local_scores(dag, tables).sum() for dag in dags])),
        moves=({},),
        moments=dataset.plain_moments,
        info=as_plain(
            {
                "method": "bootstrap",
                "learner": getattr(learner, "__name__", repr(learner)),
                "replicates": len(dags),
                "seed": seeds.entropy,
                "data": dataset.record(),
                "score": describe_part(score),
            }
        ),
    )


def as_draws(dags: np.ndarray, log_score: np.ndarray) -> DrawTable:
    """Return DAGs, shape (draws, p, p), as the draws of one chain, each with its first topological order."""
    draws, p, _ = dags.shape
    parents = np.packbits(dags, axis=1, bitorder="little").swapaxes(1, 2)
    family = np.empty((draws, p), np.int32)
    family_node, family_parents = [], []
    known = 0
    for node in range(p):
        distinct, number = np.unique(parents[:, node], axis=0, return_inverse=True)
        family[:, node] = known + number.ravel()
        family_node.append(np.full(len(distinct), node, np.int32))
        family_parents.append(distinct)
        known += len(distinct)
    return DrawTable(
        family=family[None],
        order=np.array([topological_order(dag) for dag in dags], np.min_scalar_type(p - 1))[None],
        log_score=log_score[None],
        log_prior=np.zeros((1, draws)),
        family_node=np.concatenate(family_node),
        family_parents=np.concatenate(family_parents),
    )


def _learn(learner: Learner, frame: pd.DataFrame, seed: np.random.SeedSequence) -> Graph:
    """Return what a learner makes of rows drawn with replacement."""
    rows = np.random.default_rng(seed).integers(len(frame), size=len(frame))
    return learner(frame.iloc[rows].reset_index(drop=True))


def _check_dags(learned: Iterator[Graph], dataset: Dataset) -> Iterator[np.ndarray]:
    """Yield the replicates' DAGs, and say which replicate gave none."""
    number = 0
    while True:
        number += 1
        try:
            yield as_dag(next(learned), dataset.names)
        except StopIteration:
            return
        except EdgewiseError as error:
            raise DataError(
                f"Replicate {number} of the bootstrap, {dataset.n} rows drawn with replacement, gave no DAG "
                f"({str(error).rstrip('.')}): give more rows, leave out columns that hardly vary, or try another seed."
            ) from error

"""The most probable DAG, by relocation.

The search takes the variables in random order and moves each to the position where the posterior is highest, again and
again until nothing improves. It then goes on from where a sweep of random relocations leads, one for each variable,
drawn from their full conditionals: they leave a local optimum by the ways that cost least.

As the penalty of :class:`edgewise.Sparsity` grows, the score no longer matters and the order with the sparsest DAG is
sought: with ``MinimalIMAP(parents="full")``, the criterion of the sparsest permutation (Raskutti & Uhler 2018), which
:func:`edgewise.greedy_sp` seeks by other moves.
"""

from dataclasses import replace
from typing import Literal, Unpack, cast, overload

import numpy as np
import pandas as pd

from edgewise.arguments import check_whole, make_generator
from edgewise.data import Data, Reading
from edgewise.errors import ArgumentError
from edgewise.graphs import BoolMatrix, label_unless
from edgewise.priors import Constraints, Prior
from edgewise.samplers import MinimalIMAP, Schedule
from edgewise.samplers.order_chains import OrderChain
from edgewise.samplers.schedule import MOST_ITERATIONS
from edgewise.scores import Score
from edgewise.wording import quote

from .plan import make_plan

ENDLESS = Schedule(MOST_ITERATIONS, MOST_ITERATIONS, 1)
"""A schedule under which nothing is drawn."""


@overload
def map_search(
    data: Data,
    *,
    sampler: MinimalIMAP | None = None,
    score: Score | None = None,
    prior: Prior | None = None,
    constraints: Constraints | None = None,
    restarts: int = 20,
    seed: int | np.random.Generator | None = None,
    as_array: Literal[False] = False,
    **reading: Unpack[Reading],
) -> pd.DataFrame: ...
@overload
def map_search(
    data: Data,
    *,
    sampler: MinimalIMAP | None = None,
    score: Score | None = None,
    prior: Prior | None = None,
    constraints: Constraints | None = None,
    restarts: int = 20,
    seed: int | np.random.Generator | None = None,
    as_array: Literal[True],
    **reading: Unpack[Reading],
) -> BoolMatrix: ...
def map_search(
    data: Data,
    *,
    sampler: MinimalIMAP | None = None,
    score: Score | None = None,
    prior: Prior | None = None,
    constraints: Constraints | None = None,
    restarts: int = 20,
    seed: int | np.random.Generator | None = None,
    as_array: bool = False,
    **reading: Unpack[Reading],
) -> BoolMatrix | pd.DataFrame:
    """Search for the DAG with the highest posterior.

    Parameters
    ----------
    data
        Whatever :func:`edgewise.sample` takes.
    sampler
        How an order stands for a DAG: its ``parents``, ``criterion`` and ``alpha`` are used. Default:
        ``MinimalIMAP(criterion="score")``.
    score
        Default: the one that fits the kinds of the columns, ``BGe()`` for numbers.
    prior
        Default: ``Sparsity("auto")``. Any prior will do. It chooses among the DAGs that orders stand for, whose parents
        are found by the score alone; where it speaks of single edges, :func:`edgewise.hill_climb` weighs each.
    constraints
        What is known for certain.
    restarts
        How many times the search goes on from a disturbed order after the first time.
    seed
        A whole number or a NumPy generator makes the result repeatable.
    as_array
        Return a boolean array of shape (p, p), without names, in place of a DataFrame.
    **reading
        How to read the table, as in :func:`edgewise.load_data`.

    Returns
    -------
    DataFrame of bool, or ndarray
        ``dag.loc["Raf", "Mek"]`` is true when Raf -> Mek. Rows and columns are in the order of the data's columns, and
        have their names: X0, X1, ... where there are none.

    See Also
    --------
    sample : How probable this DAG and its edges are.
    bootstrap : How stable it is.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(8, 1000, seed=1)
    >>> dag = ew.map_search(sim.data, seed=1)
    >>> bool((ew.cpdag(dag) == ew.cpdag(sim.dag)).all(axis=None))
    True
    """
    restarts = check_whole("restarts", restarts, least=0)
    if sampler is not None and not isinstance(sampler, MinimalIMAP):
        raise ArgumentError(f"map_search needs a sampler such as MinimalIMAP(), but {quote(sampler)} was given.")
    rng = make_generator(seed)
    sampler = MinimalIMAP(criterion="score") if sampler is None else sampler
    relocating = replace(sampler, moves="relocate", target="orders", temperatures=None)
    plan = make_plan(data, None, sampler=relocating, score=score, prior=prior, constraints=constraints, reading=reading)
    chain = cast(OrderChain, plan.model.start(rng.permutation(len(plan.names)), rng, ENDLESS))
    chain.climb_to_top()
    best, dag = chain.log_posterior, chain.dag()
    for _ in range(restarts):
        chain.advance(len(plan.names))
        chain.climb_to_top()
        if chain.log_posterior > best:
            best, dag = chain.log_posterior, chain.dag()
    return label_unless(as_array, np.asarray(dag), plan.names)

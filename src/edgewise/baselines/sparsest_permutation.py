"""Greedy SP: the sparsest minimal I-MAP of any order, by turning covered edges.

Solus, Wang & Uhler (2021), "Consistency guarantees for greedy permutation-based causal inference algorithms",
Biometrika 108. Among the minimal I-MAPs of all orders, the sparsest are Markov equivalent to the truth, if no
independence holds by accident (Raskutti & Uhler 2018). From the I-MAP of some order, the search goes through I-MAPs
with equally many edges, each reached from the one before by turning a covered edge, until it meets a sparser one, and
starts anew from there. It ends where none is within reach. The loop is in :mod:`edgewise._kernels.learners.greedy_sp`.

With few rows the tests contradict each other, and a search from a random order soon finds nothing to turn. So it starts
from orders that are sparse already, by the minimum-degree rule, as the authors do for many variables: the last variable
is one that depends on fewest others given the rest, the last but one is found in the same way without it, and so on.
"""

from typing import Literal, overload

import numpy as np
import pandas as pd

from edgewise._kernels.learners.greedy_sp import find_sparser
from edgewise.arguments import check_whole, make_generator
from edgewise.data import Data, load_data, refuse_dependent
from edgewise.errors import DataError
from edgewise.graphs import BoolMatrix, label_unless
from edgewise.imap import factorize
from edgewise.independence import IndependenceTest, check_alpha, find_thresholds
from edgewise.scores import Score, local_scores, prepare_score

from .edges import name_edges


@overload
def greedy_sp(
    data: Data,
    *,
    alpha: float = 0.01,
    depth: int = 4,
    restarts: int = 10,
    test: IndependenceTest | None = None,
    score: Score | None = None,
    seed: int | np.random.Generator | None = None,
    as_array: Literal[False] = False,
) -> pd.DataFrame: ...
@overload
def greedy_sp(
    data: Data,
    *,
    alpha: float = 0.01,
    depth: int = 4,
    restarts: int = 10,
    test: IndependenceTest | None = None,
    score: Score | None = None,
    seed: int | np.random.Generator | None = None,
    as_array: Literal[True],
) -> BoolMatrix: ...
def greedy_sp(
    data: Data,
    *,
    alpha: float = 0.01,
    depth: int = 4,
    restarts: int = 10,
    test: IndependenceTest | None = None,
    score: Score | None = None,
    seed: int | np.random.Generator | None = None,
    as_array: bool = False,
) -> BoolMatrix | pd.DataFrame:
    """Learn one DAG by the greedy sparsest permutation algorithm (Solus, Wang & Uhler 2021).

    Parameters
    ----------
    data
        Whatever :func:`edgewise.sample` takes, with at least two rows more than variables.
    alpha
        Significance level of the tests that define an order's minimal I-MAP, as in :func:`edgewise.minimal_imap`.
    depth
        How many covered edges to turn in search of a sparser I-MAP.
    restarts
        How many orders to search from; they differ by chance. The sparsest result is kept.
    test
        The test, one of partial correlations. Default: ``FisherZ()``.
    score
        Which of several equally sparse results to keep: the one that scores best. Default: ``BGe()``.
    seed
        A whole number or a NumPy generator makes the result repeatable.
    as_array
        Return a boolean array of shape (p, p), without names, in place of a DataFrame.

    Returns
    -------
    DataFrame of bool, or ndarray
        ``dag.loc["Raf", "Mek"]`` is true when Raf -> Mek. Rows and columns are in the order of the data's columns, and
        have their names: X0, X1, ... where there are none.

    Notes
    -----
    Given an exact covariance matrix, the tests should only tell zero from what is not. With n in the place of the
    number of rows, a partial correlation counts from 2.6 / sqrt(n) on, at the default ``alpha``. Effects along paths
    multiply, so that in random DAGs of 30 variables true ones go down to 1e-7, while rounding turns zeros into 1e-14 at
    most: n = 10**18 (3e-9) tells them apart, whereas n = 10**9 (8e-5) takes some for zero that are not.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(8, 10, seed=1)
    >>> dag = greedy_sp(ew.Covariance(sim.covariance, n=10**18), seed=1)
    >>> bool((ew.cpdag(dag) == ew.cpdag(sim.dag)).all(axis=None))
    True
    """
    alpha = check_alpha(alpha)
    depth, restarts = check_whole("depth", depth), check_whole("restarts", restarts)
    rng = make_generator(seed)
    dataset = load_data(data)
    thresholds = find_thresholds(test, dataset, alpha)
    n, p = dataset.moments.n, dataset.p
    if n < p + 2:
        raise DataError(
            f"greedy_sp tests variables given all others before them, which needs two rows more than variables, but "
            f"the data have {n} rows and {p} variables: use mmhc, or fewer variables."
        )
    tables = prepare_score(score, dataset)
    names = name_edges(p)
    W = np.empty((p, p))
    results: list[tuple[int, float, np.ndarray]] = []
    for _ in range(restarts):
        order = sparse_order(dataset.moments.correlation, thresholds, rng)
        if not factorize(dataset.moments.correlation, order, W):
            refuse_dependent(dataset, order.tolist())
        dag = find_sparser(order, W, thresholds, names, depth)
        results.append((-int(dag.sum()), float(local_scores(dag, tables).sum()), dag))
    return label_unless(as_array, max(results, key=lambda result: result[:2])[2], dataset.names)


def sparse_order(correlation: np.ndarray, thresholds: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return an order by the minimum-degree rule, with ties broken at random. O(p^3).

    ``thresholds`` is the table for squared partial correlations, by the number of variables they are computed from.
    """
    left = np.arange(len(correlation))
    precision = np.linalg.inv(correlation)
    backwards = []
    while len(left) > 1:
        variance = np.diag(precision)
        depends = precision**2 > thresholds[len(left) - 1] * np.outer(variance, variance)
        degree = depends.sum(axis=0)
        last = rng.choice(np.flatnonzero(degree == degree.min()))
        backwards.append(left[last])
        # The precision matrix of the others without the last: a Schur complement.
        others = np.arange(len(left)) != last
        gone = precision[others, last]
        precision = precision[np.ix_(others, others)] - np.outer(gone, gone) / precision[last, last]
        left = left[others]
    return np.array([*left, *backwards[::-1]], dtype=np.int64)

"""Parents by grow-shrink: the best predecessor is added as long as one helps, then what no longer does is removed.

It conditions on few variables, so that it works with any number of rows, and defines the same minimal I-MAP as full
conditioning in the limit of many. :mod:`edgewise._kernels.grow_shrink` remembers what was found while the order
changes.
"""

from typing import Any, Literal

import numpy as np

from edgewise._kernels.families.target import Target, new_rules
from edgewise._kernels.grow_shrink.imap import find_dag
from edgewise._kernels.grow_shrink.tree import GrowShrink, new_tree
from edgewise._kernels.independence.no_test import NoTest
from edgewise.data import Dataset
from edgewise.errors import ArgumentError
from edgewise.independence import IndependenceTest, choose_test, critical_strength, default_test, prepare_test
from edgewise.priors.sparsity import penalty_for
from edgewise.scores import Score

FEW_ROWS = 200
"""Rows below which tests are the better criterion. Simulated data of 30, 100 and 200 variables with 100 rows had AUROCs
of undirected edges of .94, .93 and .92 by the score and .96, .96 and .95 by tests, and a lower log loss by tests; with
300 rows or more the log loss was lower by the score."""

CANDIDATES = 30
"""Variables up to which alpha is the level of a test, as many as in the paper's simulations."""

NEIGHBOURS = 4
"""Neighbours of a variable, given an order, at whose penalty a better score helps: with fewer, weak edges are missing
from every draw."""

Criterion = Literal["auto", "score", "test"]
"""What helps: a better score or a significant test."""


def check_criterion(
    criterion: Criterion, parents: str, test: IndependenceTest | None, score: Score | None = None
) -> None:
    """Refuse a criterion, a test or a score that would be ignored."""
    if score is not None and (parents == "full" or criterion == "test" or test is not None):
        raise ArgumentError(f"Tests choose the parents, and the score {score!r} would not be asked: leave it out.")
    if criterion == "score" and parents == "full":
        raise ArgumentError("With parents='full' tests choose the parents: leave out criterion='score'.")
    if criterion == "score" and test is not None:
        raise ArgumentError(f"With criterion='score' the test {test!r} would not be asked: leave one of them out.")


def resolve_criterion(criterion: Criterion, dataset: Dataset, test: IndependenceTest | None) -> Criterion:
    """Return what ``"auto"`` stands for, given the data: a test where one is named, or rows of numbers are few."""
    if criterion == "auto":
        is_few = dataset.kind == "continuous" and dataset.is_set is None and dataset.n < FEW_ROWS
        return "test" if is_few or test is not None else "score"
    return criterion


def prepare_grow_shrink(
    dataset: Dataset, *, alpha: float, criterion: Criterion, test: IndependenceTest | None
) -> GrowShrink:
    """Return the criterion by which parents are added and removed, as compiled code wants it."""
    by_score = resolve_criterion(criterion, dataset, test) == "score"
    is_untested = by_score and default_test(dataset) is None
    return GrowShrink(
        by_score=by_score,
        penalty=penalty_for(NEIGHBOURS, dataset.p),
        test=NoTest(most_given=-1) if is_untested else prepare_test(choose_test(test, dataset), dataset),
        critical=critical_strength(alpha * min(1.0, CANDIDATES / dataset.p)),
    )


def find_grow_shrink(order: np.ndarray, score: Any, way: GrowShrink) -> np.ndarray:
    """Return the minimal I-MAP of an order; ``score`` are the tables of a score."""
    p = len(order)
    target = Target(score=score, edge=np.zeros((p, p)), rules=new_rules(p), way=way, most_parents=p - 1)
    dag = np.zeros((p, p), bool)
    find_dag(new_tree(target), target, order.astype(np.uint32), np.zeros(p, np.int64), np.zeros(p, np.int64), dag)
    return dag

"""The minimal I-MAP of an order, by either way of finding parents."""

from collections.abc import Sequence
from typing import Literal, overload

import pandas as pd

from edgewise.data import Data, load_data
from edgewise.errors import ArgumentError
from edgewise.graphs import BoolMatrix, label_unless
from edgewise.independence import IndependenceTest, check_alpha, check_test, find_thresholds
from edgewise.scores import Score, prepare_score

from .full import find_full_conditioning
from .grow_shrink import Criterion, check_criterion, find_grow_shrink, prepare_grow_shrink


@overload
def minimal_imap(
    data: Data,
    order: Sequence[int | str],
    alpha: float = 0.01,
    *,
    parents: Literal["full", "grow-shrink"] = "full",
    criterion: Criterion = "auto",
    test: IndependenceTest | None = None,
    score: Score | None = None,
    as_array: Literal[False] = False,
) -> pd.DataFrame: ...
@overload
def minimal_imap(
    data: Data,
    order: Sequence[int | str],
    alpha: float = 0.01,
    *,
    parents: Literal["full", "grow-shrink"] = "full",
    criterion: Criterion = "auto",
    test: IndependenceTest | None = None,
    score: Score | None = None,
    as_array: Literal[True],
) -> BoolMatrix: ...
def minimal_imap(
    data: Data,
    order: Sequence[int | str],
    alpha: float = 0.01,
    *,
    parents: Literal["full", "grow-shrink"] = "full",
    criterion: Criterion = "auto",
    test: IndependenceTest | None = None,
    score: Score | None = None,
    as_array: bool = False,
) -> BoolMatrix | pd.DataFrame:
    """Return the minimal I-MAP of an order: the sparsest DAG along it that explains the dependences in the data.

    Parameters
    ----------
    data
        Whatever :func:`edgewise.sample` takes.
    order
        All variables once, by name or by column number, causes first.
    alpha
        Significance level of the tests.
    parents
        ``"full"``: a variable's parents are those predecessors it depends on given all its other predecessors, as in
        the paper. ``"grow-shrink"``: the best predecessor is added as long as one helps, and then removed what no
        longer does, as :class:`edgewise.MinimalIMAP` does by default.
    criterion
        What helps, for ``"grow-shrink"``; as for :class:`edgewise.MinimalIMAP`.
    test
        The test of conditional independence. Default: ``FisherZ()`` for numbers, ``GSquared()`` for levels.
    score
        The score, where that is the criterion; where one is given, it is. Default: the one that fits the data.
    as_array
        Return a boolean array of shape (p, p), without names, in place of a DataFrame.

    Returns
    -------
    DataFrame of bool, or ndarray
        ``dag.loc["Raf", "Mek"]`` is true when Raf -> Mek. Rows and columns are in the order of the data's columns, and
        have their names: X0, X1, ... where there are none.

    Notes
    -----
    Full conditioning costs O(p^3). With fewer than p + 2 rows some of its tests are void; they count as 'no edge', with
    a warning.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(5, 100_000, seed=1)
    >>> bool((ew.minimal_imap(sim.data, sim.order, alpha=1e-6) == sim.dag).all(axis=None))
    True
    >>> bool((ew.minimal_imap(sim.data, sim.order, parents="grow-shrink") == sim.dag).all(axis=None))
    True
    """
    alpha = check_alpha(alpha)
    check_test(test)
    for name, value, allowed in (
        ("parents", parents, ("full", "grow-shrink")),
        ("criterion", criterion, ("auto", "score", "test")),
    ):
        if value not in allowed:
            *others, last = map(repr, allowed)
            raise ArgumentError(f"{name} must be {', '.join(others)} or {last}, but {value!r} was given.")
    check_criterion(criterion, parents, test, score)
    if score is not None:
        criterion = "score"
    dataset = load_data(data)
    positions = dataset.order(order)
    if parents == "full":
        threshold = find_thresholds(test, dataset, alpha)
        dag = find_full_conditioning(dataset, positions, threshold)
        return label_unless(as_array, dag, dataset.names)
    way = prepare_grow_shrink(dataset, alpha=alpha, criterion=criterion, test=test)
    dag = find_grow_shrink(positions, prepare_score(score, dataset), way)
    return label_unless(as_array, dag, dataset.names)

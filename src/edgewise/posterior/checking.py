"""Whether what was read from a file is a posterior that could have been written.

A checksum tells that a file arrived as it was made, but not who made it. Kernels trust the numbers that they are given,
and pages the record of a run, so that everything they rely on is checked here, once. Each check raises an
:class:`~edgewise.posterior.variables.UnfitError` with a clause that says what is wrong.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from edgewise._kernels.basics.bits import words_for
from edgewise._kernels.graphs.ordering import is_ordered

from .draws import DrawTable, split
from .record import check_record, is_count, is_dict, is_list, is_shallow, is_text
from .variables import DRAWN, FAMILIES, GROUPED, MOMENTS, require

ROUNDING = 1e-3
"""How far a correlation, or a mean over draws that is kept in single precision, may be beyond one."""


def check_content(arrays: Mapping[str, Any], about: Any) -> None:
    """Refuse arrays of the right types and shapes, and what a file says about them, if they make no posterior."""
    chains, _, p = arrays["family"].shape
    require(isinstance(about, dict) and is_shallow(about), "what it says about the run is not in its place")
    _check_names(about.get("nodes"), p)
    require(_are_moves(about.get("moves"), chains), "it does not count the moves of each chain")
    check_record(about.get("info"), about["nodes"])
    _check_weights(arrays)
    _check_conditionals(arrays)
    _check_moments({name: arrays[name] for name in MOMENTS if name in arrays}, about.get("rows"))
    _check_grouped({name: arrays[name] for name in GROUPED if name in arrays})
    check_draws(DrawTable(**{name: arrays[name] for name in (*DRAWN, *FAMILIES)}))


def pieces(array: Any) -> Iterator[np.ndarray]:
    """Yield an array of shape (chain, draw, ...), in memory or in a file, a bounded number of entries at a time."""
    chains, draws, *rest = array.shape
    for chain in range(chains):
        for part in split(0, draws, int(np.prod(rest))):
            yield np.asarray(array[chain, part])


def check_draws(table: DrawTable) -> None:
    """Refuse draws that are no DAGs, or do not agree with the orders beside them."""
    p, child = table.p, table.family_node
    beyond = table.family_parents[:, -1] >> np.uint8((p - 1) % 8) >> np.uint8(1)
    require(child.min() >= 0 and child.max() < p and not beyond.any(), "a family has a member that is no variable")
    parents, seen = table.parent_words(), np.zeros((1, words_for(p)), np.uint64)
    for family, order in zip(pieces(table.family), pieces(table.order), strict=True):
        is_known = family.min() >= 0 and family.max() < len(child)
        require(is_known and (child[family] == np.arange(p)).all(), "a draw has no family for one of the variables")
        require(order.max() < p, "an order has a variable that is not there")
        require(
            is_ordered(family, order.astype(np.uint32), parents, seen),
            "a draw has a cycle, or does not agree with its order",
        )


def _check_names(names: Any, p: int) -> None:
    """Refuse names that do not tell p variables apart, or that no page can show."""
    require(is_list(is_text)(names) and len(names) == p, "it does not name all variables")
    require(len({*names}) == p and all(names), "two variables have the same name, or one has none")
    require(not re.search("[\ud800-\udfff]", "".join(names)), "the name of a variable is not valid text")


def _are_moves(moves: Any, chains: int) -> bool:
    """Whether for each chain there are the numbers of moves proposed and accepted, of the same kinds."""
    is_pair = is_list(is_count)
    return (
        is_list(is_dict({}))(moves)
        and len(moves) == chains
        and all(chain.keys() == moves[0].keys() for chain in moves)
        and all(is_pair(pair) and len(pair) == 2 and pair[1] <= pair[0] for chain in moves for pair in chain.values())
    )


def _check_weights(arrays: Mapping[str, Any]) -> None:
    """Refuse log posteriors and weights that cannot be compared; both may be those of an impossible DAG."""
    with np.errstate(invalid="ignore", over="ignore"):
        log_posterior = arrays["log_score"] + arrays["log_prior"]
    require((log_posterior < np.inf).all(), "a log posterior is no number, or infinite")
    log_weight = arrays.get("log_weight")
    if log_weight is not None:
        require((log_weight < np.inf).all() and np.isfinite(log_weight).any(), "a weight is no number, or all are zero")


def _check_conditionals(arrays: Mapping[str, Any]) -> None:
    """Refuse probabilities outside of their range; their errors are not known where draws are few."""
    probability, error = arrays.get("conditionals"), arrays.get("conditional_errors")
    if probability is not None:
        joined = probability[:, 0] + probability[:, 0].swapaxes(1, 2)
        is_share = (probability >= 0).all() and (probability <= 1 + ROUNDING).all() and (joined <= 1 + ROUNDING).all()
        require(is_share, "a probability is not between 0 and 1")
    if error is not None:
        require(probability is not None, "it has errors of probabilities that are not there")
        require(not ((error < 0) | np.isinf(error)).any(), "the error of a probability is negative or infinite")


def _check_moments(moments: Mapping[str, np.ndarray], rows: Any) -> None:
    """Refuse what are not the sufficient statistics of a number of rows, unless there are neither."""
    if not moments and rows is None:
        return
    require(
        len(moments) == len(MOMENTS) and is_count(rows) and rows >= 1, "a part of the summary of the data is missing"
    )
    mean, scale, correlation = (moments[name] for name in MOMENTS)
    require(
        np.isfinite(mean).all() and np.isfinite(scale).all() and (scale > 0).all(), "a mean or a scale is no number"
    )
    require(_are_correlations(correlation), "the correlations are not those of any data")


def _check_grouped(grouped: Mapping[str, np.ndarray]) -> None:
    """Refuse what are not the sufficient statistics of groups of rows, unless there are none."""
    if not grouped:
        return
    require(len(grouped) == len(GROUPED), "a part of the summary of groups of rows is missing")
    by, rows, mean, scale, scatter = (grouped[name] for name in GROUPED)
    require({*by.tolist()} == {*range(len(rows))}, "a variable belongs to no group of rows, or a group to no variable")
    require((rows >= 1).all() and np.isfinite(rows).all(), "a number of rows is none")
    require(
        np.isfinite(mean).all() and np.isfinite(scale).all() and (scale > 0).all(), "a mean or a scale is no number"
    )
    is_symmetric = np.isfinite(scatter).all() and (scatter == scatter.transpose(0, 2, 1)).all()
    require(
        is_symmetric and (np.diagonal(scatter, axis1=1, axis2=2) >= 0).all(),
        "sums of squares are not those of any data",
    )


def _are_correlations(matrix: np.ndarray) -> bool:
    """Whether a matrix is symmetric, with ones on its diagonal and nothing larger elsewhere.

    Whether it is also positive definite takes long to tell, and is left to those who draw effects.
    """
    is_small = (np.abs(matrix) <= 1 + ROUNDING).all()
    return bool(is_small and (matrix == matrix.T).all() and (np.diag(matrix) == 1).all())

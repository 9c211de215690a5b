"""Columns that are an exact linear function of other columns.

A partial correlation divides by 1 - R^2, the share of a column's variance that the other columns do not
explain. For column j it is 1 / (S^-1)[j, j], with the correlation matrix S. Where that share is zero,
partial correlations are undefined; where it is tiny, they are rounding noise. Orthogonalising the columns of
a square root of S one after the other then finds those that add nothing to the columns before them.
"""

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from edgewise.data.dataset import Dataset
from edgewise.data.moments import FloatArray, Moments
from edgewise.errors import DataError
from edgewise.wording import count, enumerate_items, enumerate_names, quote

EXACT = 1e-10
"""An unexplained share of variance below this counts as none: doubles carry 16 digits, so that fewer than
about six would be left for a partial correlation."""


def check_independent(moments: Moments, names: Sequence[str]) -> None:
    """Refuse columns that are an exact linear function of others; costs O(p^3).

    With n <= p rows every column is a combination of the others, by no fault of its own, so that only pairs are
    compared; :func:`refuse_dependent` is for those who meet a dependence among fewer columns later.
    """
    _check_pairs(moments.correlation, names)
    if moments.n > moments.p:
        _check_combinations(moments.correlation, names)


def refuse_dependent(dataset: Dataset, columns: Sequence[int]) -> NoReturn:
    """Refuse data in which some columns, fewer than there are rows, determine each other; name them."""
    chosen = sorted(columns)
    _check_combinations(dataset.moments.correlation[np.ix_(chosen, chosen)], [dataset.names[i] for i in chosen])
    raise DataError(
        "Some columns are all but exact linear combinations of others, at least among so few rows: remove columns that "
        "are sums or copies of others, or add rows."
    )


def check_definite(correlation: FloatArray) -> None:
    """Refuse a correlation matrix that no data can have; costs O(p^3)."""
    smallest = float(np.linalg.eigvalsh(correlation)[0])
    if smallest < -EXACT:
        raise DataError(
            "The covariance matrix is not positive definite (its correlation matrix has the eigenvalue "
            f"{smallest:.3g}), so that no data can have it: compute it from rows without missing values, "
            "and give all its digits."
        )


def _check_pairs(correlation: FloatArray, names: Sequence[str]) -> None:
    size = np.abs(np.triu(correlation, 1))
    pairs = [(names[i], names[j]) for i, j in np.argwhere((1 - size) * (1 + size) < EXACT).tolist()]
    if not pairs:
        return
    listed = enumerate_items([f"{quote(first)} = {quote(second)}" for first, second in pairs])
    raise DataError(
        f"Some columns are identical up to their units, with a correlation of 1 or -1 ({listed}): keep only "
        "one of each."
    )


def _check_combinations(correlation: FloatArray, names: Sequence[str]) -> None:
    eigenvalues, vectors = np.linalg.eigh(correlation)
    eigenvalues = np.maximum(eigenvalues, np.finfo(np.float64).eps)
    unexplained = 1 / (vectors**2 / eigenvalues).sum(axis=1)
    if unexplained.min() >= EXACT:
        return
    dependent = _find_dependent(np.sqrt(eigenvalues)[:, None] * vectors.T)
    if not dependent:  # just at the limit: each column is less well explained by those before it than by all
        dependent = [int(unexplained.argmin())]
    others = np.setdiff1d(np.arange(len(names)), dependent)
    column = dependent[0]
    weights = np.linalg.lstsq(correlation[np.ix_(others, others)], correlation[others, column], rcond=None)[0]
    # a column with a smaller standardised weight contributes less variance than what counts as none
    parts = [names[other] for other in others[weights**2 > EXACT].tolist()]
    further = f" (and {count(len(dependent) - 1, 'further column')} likewise)" if len(dependent) > 1 else ""
    raise DataError(
        f"Column {quote(names[column])} is an exact linear combination of {enumerate_names(parts)}{further}: "
        "remove one of these columns."
    )


def _find_dependent(root: FloatArray) -> list[int]:
    """Find the columns that are a combination of columns before them, by modified Gram-Schmidt."""
    dependent = []
    for column in range(root.shape[1]):
        length = np.linalg.norm(root[:, column])
        if length**2 < EXACT:
            dependent.append(column)
            continue
        direction = root[:, column] / length
        root[:, column + 1 :] -= np.outer(direction, direction @ root[:, column + 1 :])
    return dependent

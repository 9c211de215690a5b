"""The score that fits the data."""

from typing import Any

import numpy as np

from edgewise._kernels.scores.interface import is_registered
from edgewise._kernels.scores.log_det import LogDetScore
from edgewise.arguments import describe_array, is_float_array
from edgewise.data import Dataset, check_fits
from edgewise.errors import ArgumentError

from .bdeu import BDeu
from .bge import BGe
from .degenerate import DegenerateGaussian
from .scoring import Score


def default_score(dataset: Dataset) -> Score:
    """Return the score that is used, in samplers and searches alike, where none is given.

    BGe for numbers and grades, BDeu for levels, and the degenerate Gaussian where there are both.

    Examples
    --------
    >>> import pandas as pd
    >>> from edgewise.data import load_data
    >>> table = pd.DataFrame({"smoker": ["yes", "no", "no", "yes"], "cancer": [True, False, False, False]})
    >>> default_score(load_data(table))
    BDeu(equivalent_sample_size=1.0)
    >>> default_score(load_data(table.assign(age=[61.0, 34.0, 48.0, 52.0])))
    DegenerateGaussian(alpha_mu=1.0, alpha_w=None)
    """
    return {"continuous": BGe(), "discrete": BDeu(), "mixed": DegenerateGaussian()}[dataset.kind]


def prepare_score(score: Score | None, dataset: Dataset) -> Any:
    """Return the tables of a score, or else of the default one, for a data set that it is checked to fit."""
    if score is None:
        score = default_score(dataset)
    if not isinstance(score, Score):
        raise ArgumentError(f"score must be an object such as BGe() or BDeu(), but {score!r} was given.")
    check_fits(score, dataset, instead=f"use {type(default_score(dataset)).__name__}()")
    tables = score.prepare(dataset)
    if not is_registered(tables):
        raise ArgumentError(
            f"No compiled functions are registered for scores with tables of the type {type(tables).__name__}."
        )
    if isinstance(tables, LogDetScore):
        _check_log_det(tables, dataset.p, type(score).__name__)
    return tables


def _check_log_det(tables: LogDetScore, p: int, owner: str) -> None:
    """Refuse log determinants of what is no matrix, and tables beyond whose end kernels would read."""
    matrix = tables.matrix
    if not (is_float_array(matrix, 2) and matrix.shape == (p, p) and np.isfinite(matrix).all()):
        raise ArgumentError(
            f"matrix in the tables of {owner} must be an array of {p} x {p} finite floats, but what it prepared is "
            f"{describe_array(matrix)}."
        )
    needed = min(tables.most_parents, p - 1) + 1
    for name in ("constant", "on_parents", "on_family"):
        table = getattr(tables, name)
        if not (is_float_array(table, 1) and len(table) >= needed):
            raise ArgumentError(
                f"{name} in the tables of {owner} must be an array of {needed} floats along one dimension, for each "
                f"number of parents from 0 to most_parents, but what it prepared is {describe_array(table)}."
            )

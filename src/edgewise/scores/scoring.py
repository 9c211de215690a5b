"""What a score must offer."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from edgewise._kernels.scores.families import score_families
from edgewise._kernels.scores.interface import is_registered, new_room
from edgewise.data import Dataset
from edgewise.errors import ArgumentError


class Score(ABC):
    """A score of DAGs that is a sum over families.

    Subclasses set :attr:`takes`, the kind of statistics that they need of the data, and prepare the tables for which
    :mod:`edgewise._kernels.scores.interface` knows compiled functions.

    Examples
    --------
    >>> import edgewise as ew
    >>> isinstance(ew.BGe(), Score)
    True
    """

    takes: ClassVar[str] = "moments"

    @abstractmethod
    def prepare(self, dataset: Dataset) -> Any:
        """Return the score's tables for a data set, as compiled code wants them."""


def prepare_score(score: Score, dataset: Dataset) -> Any:
    """Return the tables of a score for a data set, after checking that it fits the data."""
    if not isinstance(score, Score):
        raise ArgumentError(f"score must be an object such as BGe() or GaussianBIC(), but {score!r} was given.")
    dataset.check_offers(score.takes, type(score).__name__)
    tables = score.prepare(dataset)
    if not is_registered(tables):
        raise ArgumentError(
            f"No compiled functions are registered for scores with tables of the type {type(tables).__name__}."
        )
    return tables


def local_scores(dag: np.ndarray, tables: Any) -> np.ndarray:
    """Return the local score of every variable in a DAG."""
    scores = np.empty(len(dag))
    score_families(tables, np.ascontiguousarray(dag, bool), new_room(tables, len(dag)), scores)
    return scores

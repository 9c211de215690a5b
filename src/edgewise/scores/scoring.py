"""What a score must offer."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from edgewise._kernels.scores.families import score_families
from edgewise._kernels.scores.interface import new_room
from edgewise.data import Dataset


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
    uses_interventions: ClassVar[bool] = False
    """Whether families are judged by the rows in which their variable was not set; else interventions are refused."""

    @abstractmethod
    def prepare(self, dataset: Dataset) -> Any:
        """Return the score's tables for a data set, as compiled code wants them."""


def local_scores(dag: np.ndarray, tables: Any) -> np.ndarray:
    """Return the local score of every variable in a DAG."""
    scores = np.empty(len(dag))
    score_families(tables, np.ascontiguousarray(dag, bool), new_room(tables, len(dag)), scores)
    return scores

"""Beliefs about single edges."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import logit

from edgewise.data import find_columns
from edgewise.errors import ArgumentError
from edgewise.wording import quote

from .prior import Prior, Terms


@dataclass(frozen=True, eq=False)
class EdgeBeliefs(Prior):
    """A prior proportional to exp(sum of the log-odds of the edges).

    Given an order, each edge that it allows is there with these odds, independently of the others.

    Parameters
    ----------
    log_odds
        One of three. A square array with a row for each source and a column for each target, in the order of the
        data's columns; a square DataFrame, labelled by variables; or a table with the columns ``source``, ``target``
        and either ``log_odds`` or ``probability``. Edges that are not in a DataFrame or table have log-odds 0,
        probability 1/2. Where an edge is certain, use :class:`edgewise.Constraints`.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"source": ["Raf"], "target": ["Mek"], "probability": [0.9]})
    >>> EdgeBeliefs(table).terms(["Mek", "Raf"]).edge.round(2)
    array([[0. , 0. ],
           [2.2, 0. ]])
    """

    log_odds: npt.ArrayLike | pd.DataFrame

    def __post_init__(self) -> None:
        table = self._table()
        if not np.isfinite(table["log_odds"]).all():
            raise ArgumentError(
                "The log-odds of EdgeBeliefs must be finite (probabilities above 0 and below 1); where an edge is "
                "certain or impossible, use Constraints(required=..., forbidden=...)."
            )

    def _add_to(self, terms: Terms, names: Sequence[str]) -> None:
        """Let every edge bring its log-odds."""
        table = self._table()
        if not isinstance(self.log_odds, pd.DataFrame):
            rows = len(np.asarray(self.log_odds))
            if rows != len(names):
                raise ArgumentError(f"The matrix of EdgeBeliefs has {rows} rows, but there are {len(names)} variables.")
        sources, targets = find_columns(names, table["source"]), find_columns(names, table["target"])
        for source, target in zip(sources, targets, strict=True):
            if source == target:
                raise ArgumentError(f"EdgeBeliefs lists an edge from {quote(names[source])} to itself.")
        np.add.at(terms.edge, (sources, targets), table["log_odds"].to_numpy())

    def _table(self) -> pd.DataFrame:
        """Return the beliefs as a table of edges, whatever form they were given in."""
        given = self.log_odds
        if isinstance(given, pd.DataFrame) and {"source", "target"} <= set(given.columns):
            return pd.DataFrame({"source": given["source"], "target": given["target"], "log_odds": _log_odds(given)})
        matrix = _as_numbers(given)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ArgumentError(f"EdgeBeliefs needs a square matrix or a table, but its shape is {matrix.shape}.")
        labels = given.columns if isinstance(given, pd.DataFrame) else pd.RangeIndex(len(matrix))
        if isinstance(given, pd.DataFrame) and given.index.tolist() != labels.tolist():
            raise ArgumentError(
                "A matrix of EdgeBeliefs must have the same variables, in the same order, as rows and as columns; a "
                "table needs the columns 'source', 'target' and 'log_odds' or 'probability'."
            )
        source, target = np.nonzero(~np.eye(len(matrix), dtype=bool))
        return pd.DataFrame({"source": labels[source], "target": labels[target], "log_odds": matrix[source, target]})


def _log_odds(table: pd.DataFrame) -> np.ndarray:
    if "log_odds" in table:
        return _as_numbers(table["log_odds"])
    if "probability" not in table:
        raise ArgumentError("A table of EdgeBeliefs needs a column 'log_odds' or 'probability'.")
    probability = _as_numbers(table["probability"])
    outside = probability[~((probability >= 0) & (probability <= 1))]
    if len(outside):
        raise ArgumentError(f"The probabilities of EdgeBeliefs must lie between 0 and 1, but {outside[0]} was given.")
    return np.asarray(logit(probability))


def _as_numbers(given: Any) -> np.ndarray:
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise ArgumentError("EdgeBeliefs needs a number for every edge, but there is something else.") from error

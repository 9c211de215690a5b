"""Beliefs about single edges."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from edgewise.data import find_columns
from edgewise.errors import ArgumentError
from edgewise.wording import enumerate_items, quote

from .prior import Prior, Terms

Beliefs = npt.ArrayLike | pd.DataFrame
"""A number for every edge: a matrix, or a table of edges."""


@dataclass(frozen=True, eq=False, init=False)
class EdgeBeliefs(Prior):
    """A prior proportional to exp(sum of the log-odds of the edges).

    Given an order, each edge that it allows is there with these odds, independently of the others.

    Parameters
    ----------
    probabilities, log_odds
        One of the two, by its name, in one of three forms. A square array with a row for each source and a column for
        each target, in the order of the data's columns; a square DataFrame, labelled by variables; or a table with the
        columns ``source``, ``target`` and ``probability`` or ``log_odds``. Edges that are not in a DataFrame or table
        have probability 1/2, log-odds 0; where a table has an edge more than once, its log-odds add up. Where an edge
        is certain, use :class:`edgewise.Constraints`.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"source": ["Raf"], "target": ["Mek"], "probability": [0.9]})
    >>> EdgeBeliefs(probabilities=table).terms(["Mek", "Raf"]).edge.round(2)
    array([[0. , 0. ],
           [2.2, 0. ]])
    """

    probabilities: Beliefs | None
    log_odds: Beliefs | None

    def __init__(self, *unnamed: object, probabilities: Beliefs | None = None, log_odds: Beliefs | None = None) -> None:
        if unnamed or (probabilities is None) == (log_odds is None):
            raise ArgumentError(
                "EdgeBeliefs must be told what its numbers are: write either EdgeBeliefs(probabilities=...) or "
                "EdgeBeliefs(log_odds=...)."
            )
        object.__setattr__(self, "probabilities", probabilities)
        object.__setattr__(self, "log_odds", log_odds)
        if not np.isfinite(self._table()["log_odds"]).all():
            raise ArgumentError(
                "The log-odds of EdgeBeliefs must be finite (probabilities above 0 and below 1); where an edge is "
                "certain or impossible, use Constraints(required=..., forbidden=...)."
            )

    def _add_to(self, terms: Terms, names: Sequence[str]) -> None:
        """Let every edge bring its log-odds."""
        table = self._table()
        given = self._given()
        if not isinstance(given, pd.DataFrame):
            rows = len(np.asarray(given))
            if rows != len(names):
                raise ArgumentError(f"The matrix of EdgeBeliefs has {rows} rows, but there are {len(names)} variables.")
        sources, targets = find_columns(names, table["source"]), find_columns(names, table["target"])
        for source, target in zip(sources, targets, strict=True):
            if source == target:
                raise ArgumentError(f"EdgeBeliefs lists an edge from {quote(names[source])} to itself.")
        np.add.at(terms.edge, (sources, targets), table["log_odds"].to_numpy())

    def _given(self) -> Any:
        return self.log_odds if self.probabilities is None else self.probabilities

    def _table(self) -> pd.DataFrame:
        """Return the beliefs as a table of edges with their log-odds, whatever form they were given in."""
        table = _list_edges(self._given(), column="log_odds" if self.probabilities is None else "probability")
        if self.probabilities is not None:
            table["log_odds"] = _log_odds(table["probability"].to_numpy())
        return table


def _list_edges(given: Any, *, column: str) -> pd.DataFrame:
    """Return a matrix or a table as a table of edges, with their numbers in a column of this name."""
    if isinstance(given, pd.DataFrame) and {"source", "target"} <= set(given.columns):
        if column not in given:
            found = enumerate_items([quote(name) for name in given.columns])
            raise ArgumentError(
                f"The table of EdgeBeliefs has the columns {found}, but none is {column!r}: probabilities= takes a "
                "table with the column 'probability', and log_odds= one with 'log_odds'."
            )
        numbers = _as_numbers(given[column])
        return pd.DataFrame({"source": given["source"], "target": given["target"], column: numbers})
    matrix = _as_numbers(given)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ArgumentError(f"EdgeBeliefs needs a square matrix or a table, but its shape is {matrix.shape}.")
    labels = given.columns if isinstance(given, pd.DataFrame) else pd.RangeIndex(len(matrix))
    if isinstance(given, pd.DataFrame) and given.index.tolist() != labels.tolist():
        raise ArgumentError(
            "A matrix of EdgeBeliefs must have the same variables, in the same order, as rows and as columns; a "
            f"table needs the columns 'source', 'target' and {column!r}."
        )
    source, target = np.nonzero(~np.eye(len(matrix), dtype=bool))
    return pd.DataFrame({"source": labels[source], "target": labels[target], column: matrix[source, target]})


def _log_odds(probability: np.ndarray) -> np.ndarray:
    from scipy.special import logit

    outside = probability[~((probability >= 0) & (probability <= 1))]
    if len(outside):
        raise ArgumentError(f"The probabilities of EdgeBeliefs must lie between 0 and 1, but {outside[0]} was given.")
    return np.asarray(logit(probability))


def _as_numbers(given: Any) -> np.ndarray:
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise ArgumentError("EdgeBeliefs needs a number for every edge, but there is something else.") from error

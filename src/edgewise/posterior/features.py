"""Features of DAGs and their posterior probabilities, computed once for each distinct DAG."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from edgewise._kernels.features import list_v_structures
from edgewise.errors import ArgumentError
from edgewise.graphs import to_networkx

from .draws import DrawTable


class Estimate(float):
    """A number with its Monte Carlo standard error, ``mcse``."""

    mcse: float

    def __new__(cls, value: float, mcse: float) -> "Estimate":
        """Attach the error to the number."""
        estimate = super().__new__(cls, value)
        estimate.mcse = mcse
        return estimate

    def __repr__(self) -> str:
        return f"Estimate({float(self):.6g}, mcse={self.mcse:.2g})"


def sum_matrices(
    kernel: Callable[[np.ndarray, np.ndarray], np.ndarray], draws: DrawTable, weights: np.ndarray
) -> np.ndarray:
    """Add up what a kernel says of the distinct DAGs and their weights; at most one, whatever rounding does."""
    total = np.zeros((draws.p, draws.p))
    for dags, weight in draws.distinct_dags(weights):
        total += kernel(dags, weight)
    return np.minimum(total, 1.0)


def v_structures(draws: DrawTable, weights: np.ndarray, nodes: Sequence[str]) -> pd.DataFrame:
    """Return the v-structures that were drawn, a -> c <- b with a and b not joined, the most probable first."""
    p = draws.p
    parts = []
    for dags, weight in draws.distinct_dags(weights):
        found = list_v_structures(dags)
        parts.append(pd.DataFrame({"triple": found[:, 1:] @ [p * p, p, 1], "probability": weight[found[:, 0]]}))
    total = pd.concat(parts).groupby("triple")["probability"].sum()
    triple = total.index.to_numpy()
    names = pd.Index(nodes)
    table = pd.DataFrame(
        {
            "parent": names[triple // p**2],
            "child": names[triple // p % p],
            "other_parent": names[triple % p],
            "probability": np.minimum(total.to_numpy(), 1.0),
        }
    )
    return table.sort_values("probability", ascending=False, kind="stable", ignore_index=True)


def degrees(draws: DrawTable, weights: np.ndarray, nodes: Sequence[str], *, axis: int) -> pd.DataFrame:
    """Return the probability of each number of parents (``axis`` 0) or children (1) of each variable."""
    total = np.zeros((draws.p, draws.p))
    rows = np.arange(draws.p)
    for dags, weight in draws.distinct_dags(weights):
        for counts, w in zip(dags.sum(axis=1 + axis), weight, strict=True):
            total[rows, counts] += w
    most = int(np.flatnonzero(total.any(axis=0)).max())
    return pd.DataFrame(np.minimum(total[:, : most + 1], 1.0), index=list(nodes), columns=range(most + 1))


def edge_counts(draws: DrawTable, weights: np.ndarray) -> pd.Series:
    """Return the probability of each number of edges."""
    parts = [pd.Series(weight, index=dags.sum(axis=(1, 2))) for dags, weight in draws.distinct_dags(weights)]
    return pd.concat(parts).groupby(level=0).sum().rename_axis("edges").rename("probability")


def evaluate(
    function: Callable[..., float], draws: DrawTable, weights: np.ndarray, nodes: Sequence[str] | None
) -> np.ndarray:
    """Return the value of a function of the DAG at every draw, shape (chain, draw); one call per distinct DAG.

    With ``nodes`` the function is given networkx graphs on these names, without them boolean arrays.
    """
    distinct = draws.distinct(weights)
    values = np.empty(len(distinct.rows))
    for number, row in enumerate(distinct.rows):
        dag = draws.dags(row)
        value = function(dag if nodes is None else to_networkx(dag, list(nodes)))
        if np.ndim(value) != 0:
            raise ArgumentError(
                f"The function must return one number for a DAG, but it returned {type(value).__name__} of shape "
                f"{np.shape(value)}."
            )
        values[number] = value
    return np.asarray(values[distinct.which])

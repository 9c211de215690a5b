"""Features of DAGs and their posterior probabilities, computed once for each distinct DAG."""

from collections.abc import Callable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from edgewise._kernels.graphs.equivalence import compelled_weighted_sum
from edgewise._kernels.graphs.features import list_v_structures
from edgewise._kernels.graphs.orientation import exclude
from edgewise._kernels.graphs.reaching import Known
from edgewise.data import find_columns
from edgewise.errors import ArgumentError
from edgewise.graphs import BoolMatrix, to_networkx
from edgewise.graphs.equivalence import told_by

from .draws import DrawTable, split
from .monte_carlo import DIGITS, as_counts

if TYPE_CHECKING:
    from .posterior import Posterior


class Estimate(float):
    """A number with its Monte Carlo standard error, ``mcse``."""

    mcse: float

    def __new__(cls, value: float, mcse: float) -> "Estimate":
        """Attach the error to the number."""
        estimate = super().__new__(cls, value)
        estimate.mcse = mcse
        return estimate

    def __getnewargs__(self) -> tuple[float, float]:  # type: ignore[override]
        """Return what a copy, or another process, needs to make it again."""
        return float(self), self.mcse

    def __repr__(self) -> str:
        return f"Estimate({float(self):.6g}, mcse={self.mcse:.2g})"


def sum_matrices(
    kernel: Callable[[np.ndarray, np.ndarray], np.ndarray], draws: DrawTable, weights: np.ndarray
) -> np.ndarray:
    """Add up what a kernel says of the distinct DAGs and their weights."""
    total = np.zeros((draws.p, draws.p))
    counts, number = as_counts(weights)
    for dags, count in draws.distinct_dags(counts):
        total += kernel(dags, count)
    return np.round(total / number, DIGITS)


def told_by_data(info: dict[str, Any], nodes: Sequence[str]) -> BoolMatrix:
    """Return whether the interventions in the record of a run tell the direction of an edge between two variables.

    ``info["data"]["targets"]`` has the sets of variables that were set together, by name. It is not there, or None,
    without interventions, without data, and in files written before there were any.
    """
    targets = (info.get("data") or {}).get("targets") or ()
    return told_by([find_columns(nodes, together) for together in targets], len(nodes))


def exclude_for(posterior: "Posterior") -> Known:
    """Return what tells Markov equivalent DAGs of a posterior apart: constraints of the run, and interventions.

    It is made anew each time, because it has room that two threads must not share.
    """
    knowledge = posterior.knowledge
    return exclude(told=posterior.told) if knowledge is None else knowledge.tell_apart(posterior.told)


def compelled_by_chain(draws: DrawTable, weights: np.ndarray, known: Known) -> np.ndarray:
    """Return the probability of every compelled edge in each chain by itself, shape (chain, p, p)."""
    counts, _ = as_counts(weights)
    distinct = draws.distinct(counts)
    by_chain = np.array(
        [np.bincount(which, count, len(distinct.rows)) for which, count in zip(distinct.which, counts, strict=True)]
    )
    total = np.zeros((len(counts), draws.p, draws.p))
    for part in split(0, len(distinct.rows), draws.p**2):
        few = np.ascontiguousarray(by_chain[:, part])
        total += compelled_weighted_sum(draws.dags(distinct.rows[part]), few, known)
    # A chain whose draws have no weight at all has no part in the mean over chains either.
    number = counts.sum(axis=1)[:, None, None]
    return np.asarray(total / np.where(number > 0, number, 1.0))


def share_by_chain(draws: DrawTable, counts: np.ndarray) -> np.ndarray:
    """Return the share of the draws of each chain, by weight, that have each edge; ``counts`` are the weights."""
    sums = [draws.sum_parents(draws.weigh_families(counts, chain)) for chain in range(len(counts))]
    # A chain whose draws have no weight at all has no part in the mean over chains either.
    return np.array([total / (count.sum() or 1.0) for total, count in zip(sums, counts, strict=True)])


def conditional_edges(posterior: "Posterior", kind: str) -> np.ndarray:
    """Return the Rao-Blackwellised probabilities of edges, shape (p, p); ``kind`` as for ``edge_probabilities``."""
    if posterior.conditionals is None:
        raise ArgumentError(
            "This posterior has no Rao-Blackwellised probabilities: they come with runs of DagMCMC() and MinimalIMAP() "
            "whose prior is about single edges, and that were not given other weights later; use rao_blackwell=False."
        )
    mean = np.tensordot(posterior.weights.sum(axis=1), posterior.conditionals.astype(float), axes=1)
    directed, *compelled = np.minimum(mean, 1.0)
    if kind == "directed":
        return np.asarray(directed)
    if kind == "undirected":
        return np.asarray(np.minimum(directed + directed.T, 1.0))
    if compelled:
        return np.asarray(compelled[0])
    # An edge that is there is compelled as often as in the draws that have it.
    share = posterior.directed_share
    given = np.divide(posterior.compelled_share, share, out=np.zeros_like(share), where=share > 0)
    return np.asarray(directed * given)


def v_structures(draws: DrawTable, weights: np.ndarray, nodes: Sequence[str]) -> pd.DataFrame:
    """Return the v-structures that were drawn, a -> c <- b with a and b not joined, the most probable first."""
    p = draws.p
    parts = []
    counts, number = as_counts(weights)
    for dags, count in draws.distinct_dags(counts):
        found = list_v_structures(dags)
        triple = pd.Index(found[:, 1:] @ [p * p, p, 1])
        parts.append(pd.Series(count[found[:, 0]], index=triple).groupby(level=0).sum())
    total = pd.concat(parts).groupby(level=0).sum()
    triple = total.index.to_numpy()
    names = pd.Index(nodes)
    table = pd.DataFrame(
        {
            "parent": names[triple // p**2],
            "child": names[triple // p % p],
            "other_parent": names[triple % p],
            "probability": np.minimum(total.to_numpy() / number, 1.0),
        }
    )
    return table.sort_values("probability", ascending=False, kind="stable", ignore_index=True)


def degrees(draws: DrawTable, weights: np.ndarray, nodes: Sequence[str], *, axis: int) -> pd.DataFrame:
    """Return the probability of each number of parents (``axis`` 0) or children (1) of each variable."""
    p = draws.p
    total = np.zeros(p * p)
    counts, number = as_counts(weights)
    for dags, count in draws.distinct_dags(counts):
        places = p * np.arange(p) + dags.sum(axis=1 + axis)
        total += np.bincount(places.ravel(), np.repeat(count, p), minlength=p * p)
    table = np.minimum(total / number, 1.0).reshape(p, p)
    most = int(np.flatnonzero(table.any(axis=0)).max())
    return pd.DataFrame(table[:, : most + 1], index=list(nodes), columns=range(most + 1))


def edge_counts(draws: DrawTable, weights: np.ndarray) -> pd.Series:
    """Return the probability of each number of edges."""
    counts, number = as_counts(weights)
    parts = [pd.Series(count, index=dags.sum(axis=(1, 2))) for dags, count in draws.distinct_dags(counts)]
    total = pd.concat(parts).groupby(level=0).sum()
    return (total / number).clip(upper=1.0).rename_axis("edges").rename("probability")


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
        values[number] = _as_number(function(dag if nodes is None else to_networkx(dag, list(nodes))))
    return np.asarray(values[distinct.which])


def as_truth(value: Any) -> Any:
    """Return whether a value is true; None and arrays, which are mistakes, as they are, to be refused as numbers."""
    return value if value is None or np.ndim(value) else bool(value)


def _as_number(value: Any) -> float:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (Real, np.bool_)) and np.isfinite(float(value)):
        return float(value)
    if isinstance(value, np.ndarray):
        found = f"an array of shape {value.shape}"
    else:
        found = f"{value}" if value is None or isinstance(value, Real) else f"a value of type {type(value).__name__}"
    raise ArgumentError(f"The function must return one finite number for each DAG, but it returned {found}.")

"""The data sets and the samplers that several experiments share.

The paper simulates 30 variables with three neighbours each on average, and takes ten genes from the DREAM4 challenge.
Every chain has 100,000 iterations, of which the first fifth is left out and then each hundredth kept, the BGe score and
the prior exp(-edges). What the paper leaves open is chosen here, once for all experiments: the significance level of
the tests is the default of :class:`edgewise.MinimalIMAP`, and order and partition MCMC allow three parents.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

import edgewise as ew
from edgewise.graphs import BoolMatrix, compelled_edges
from edgewise.posterior import Posterior
from edgewise.priors import Prior
from edgewise.samplers import Sampler

P = 30
"""Variables of a simulated data set, as in the paper."""

BURN_IN = 0.2
"""The part of a chain that is left out: 20,000 of 100,000 iterations in the paper."""

DRAWS = 1000
"""Draws of a chain, burn-in included: each hundredth of 100,000 iterations, as in the paper."""

LONGER = 30
"""How many times as many iterations the longer runs of the paper's chain have. A step of it is the exchange of two
neighbours, which takes a tenth of a microsecond, so that these runs still are the shortest but one."""

NETWORKS = range(1, 6)
"""Those of DREAM4. The paper does not say which of the five it took."""


@dataclass(frozen=True)
class Scale:
    """How much is done: iterations of a chain, and most parents of a variable in order and partition MCMC."""

    iterations: int
    max_parents: int


FULL = Scale(iterations=100_000, max_parents=3)
"""The paper's iterations. It does not tell how many parents it allows; with four, partition MCMC takes three to five
times as long as with three."""

QUICK = Scale(iterations=10_000, max_parents=2)
"""Where all experiments together have three minutes. With two parents order and partition MCMC are not only faster, but
are also caught more often between modes, so that fewer data sets suffice to see it."""


@dataclass(frozen=True)
class DataSet:
    """Data, and the truth about them.

    Parameters
    ----------
    data
        Rows are observations.
    truth
        ``truth[i, j]`` is true when i acts on j.
    compelled
        The edges whose direction observational data can tell.
    order
        Along the truth; where that has cycles, along what is left of it without the edges that close one.
    """

    data: pd.DataFrame
    truth: BoolMatrix
    compelled: BoolMatrix
    order: Sequence[int]


def make_data_set(source: Mapping[str, Any]) -> DataSet:
    """Return the data set with the rows ``n`` and the ``seed`` of a source, or its DREAM4 ``network`` in ``folder``."""
    if "network" in source:
        return read_dream4(Path(source["folder"]), source["network"])
    simulation = ew.simulate(P, source["n"], seed=source["seed"])
    return DataSet(simulation.data, simulation.dag, compelled_edges(simulation.dag), simulation.order.tolist())


def read_dream4(folder: Path, network: int) -> DataSet:
    """Read one of the five networks of size 10.

    All of them have cycles, so that there is no equivalence class to tell which edges are compelled. Taken as compelled
    are the edges whose reverse is not in the network: those that have a direction at all.
    """
    begin = f"insilico_size10_{network}"
    data = pd.read_csv(folder / f"{begin}_multifactorial.csv")
    truth = read_edges(folder / f"{begin}_goldstandard_edges.csv", data.columns.tolist())
    acyclic: nx.DiGraph[int] = nx.DiGraph()
    acyclic.add_nodes_from(range(len(truth)))
    for source, target in np.argwhere(truth).tolist():
        if not nx.has_path(acyclic, target, source):
            acyclic.add_edge(source, target)
    return DataSet(data, truth, truth & ~truth.T, list(nx.lexicographical_topological_sort(acyclic)))


def read_edges(path: Path, names: Sequence[str]) -> BoolMatrix:
    """Return a list of edges, a CSV file with the columns source and target, as a matrix."""
    edges = pd.read_csv(path)
    matrix = np.zeros((len(names), len(names)), bool)
    position = {name: number for number, name in enumerate(names)}
    for source, target in zip(edges["source"], edges["target"], strict=True):
        matrix[position[source], position[target]] = True
    return matrix


@dataclass(frozen=True)
class Method:
    """A sampler with its prior, and how many times the iterations of the others it has."""

    label: str
    sampler: Sampler
    prior: Prior
    times: int = 1


PAPER = ew.MinimalIMAP(parents="full", moves="adjacent")
"""Minimal I-MAP MCMC as in the paper."""

METHODS = {
    "minimal-imap": Method("minIMAP", PAPER, ew.Sparsity(1.0)),
    "longer": Method(f"minIMAP, {LONGER} times as long", PAPER, ew.Sparsity(1.0), times=LONGER),
    "defaults": Method("our minIMAP", ew.MinimalIMAP(), ew.Sparsity("auto")),
    "posterior": Method("our default", ew.DagMCMC(), ew.Sparsity("auto")),
    "order": Method("Order", ew.OrderMCMC(max_parents=FULL.max_parents), ew.Sparsity(1.0)),
    "partition": Method("Partition", ew.PartitionMCMC(max_parents=FULL.max_parents), ew.Sparsity(1.0)),
}
"""By the name that pieces have for them; the labels are those of the paper where it has the method."""


def choose_method(name: str, max_parents: int) -> Method:
    """Return one of :data:`METHODS`, with another number of parents where it has one."""
    method = METHODS[name]
    if isinstance(method.sampler, ew.OrderMCMC | ew.PartitionMCMC):
        return replace(method, sampler=replace(method.sampler, max_parents=max_parents))
    return method


def sample(
    method: Method,
    data: pd.DataFrame,
    *,
    starts: Sequence[Sequence[int]],
    iterations: int,
    seed: int,
    burn_in: float = BURN_IN,
) -> Posterior:
    """Run a chain from each start, one after the other on a single thread, since pieces share the cores."""
    with ThreadPoolExecutor(1) as thread:
        return ew.sample(
            data,
            sampler=method.sampler,
            prior=method.prior,
            iterations=method.times * iterations,
            burn_in=burn_in,
            thin=max(method.times * iterations // DRAWS, 1),
            chains=len(starts),
            start=[np.array(order) for order in starts],
            seed=seed,
            executor=thread,
            progress=False,
        )


def learn_mmhc(data: pd.DataFrame) -> np.ndarray:
    """Learn one DAG by MMHC with the prior of the paper's experiments."""
    return ew.mmhc(data, prior=ew.Sparsity(1.0), as_array=True)


def mmhc_orders(data: pd.DataFrame, number: int, *, seed: int) -> list[list[int]]:
    """Return random orders along the DAG that MMHC learns, with which the paper starts its chains."""
    orders: list[list[int]] = ew.sample_linear_extensions(learn_mmhc(data), number, seed=seed).tolist()
    return orders


def mean_and_error(values: Sequence[float] | np.ndarray) -> tuple[float, float]:
    """Return the mean of values and its standard error, which is not a number where there is a single value.

    Examples
    --------
    >>> mean_and_error([1.0, 3.0])
    (2.0, 1.0)
    """
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return float(np.mean(values)), float(error)

"""Table 2 and its ROC curves: what priors on order and paths do for the finding of directed edges.

The network is that of ligands, receptors and cytosolic proteins of Mukherjee & Speed (PNAS 2008). It was published as a
picture only. Ten of the edges used here are named in the article's text, seven complete the known pathway: the results
have the shape of the paper's Table 2, but they are not that table. Nor does the paper tell its number of rows or its
edge weights; here, 100 rows are simulated from a linear Gaussian model as in the other experiments, many times.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import edgewise as ew
from edgewise.graphs import BoolMatrix, compelled_edges, topological_order
from edgewise.priors import Prior

from .experiment import Check, Experiment, Section, find_data, make_figure, save_figure
from .pieces import Piece
from .roc import draw_curves, rate_posterior
from .simulations import (
    FULL,
    METHODS,
    QUICK,
    DataSet,
    Method,
    choose_method,
    learn_mmhc,
    mean_and_error,
    mmhc_orders,
    read_edges,
    sample,
)

PATH_AND_ORDER = "minIMAP w/ path and order prior"
ORDER = "minIMAP w/ order prior"
NEITHER = "minIMAP w/o either"

PUBLISHED = {
    PATH_AND_ORDER: 0.929,
    ORDER: 0.917,
    "Order w/ order prior": 0.874,
    "Partition w/ order prior": 0.912,
    "MMHC-Boot": 0.909,
}
"""The paper's Table 2."""

CLASSES = ("ligand", "receptor", "cytosolic")
"""Of the proteins, in the order of the signal."""

ROWS = 100
"""Observations of a data set."""

WEIGHTS = (0.25, 1.0)
"""Absolute values of edge weights, as in the paper's other simulations."""

CHAINS = 4
"""Chains of each run, from as many orders of MMHC's DAG: the differences between priors are small, and so should be
those between runs."""

SETS = 50
"""Data sets. The mean gain of the path prior is about twice its standard error with as many."""

QUICK_RIVALS = 3
"""Data sets for all but minimal I-MAP MCMC where time is short; that takes part with all, to see the gain."""

REPLICATES, QUICK_REPLICATES = 100, 20
"""Those of the bootstrap; the paper tells no number."""


@dataclass(frozen=True)
class Network:
    """The proteins by class, and the edges between them."""

    names: list[str]
    classes: list[list[str]]
    dag: BoolMatrix


def read_network(folder: Path) -> Network:
    """Read the nodes and edges."""
    nodes = pd.read_csv(folder / "nodes.csv")
    names = nodes["node"].tolist()
    classes = [nodes.loc[nodes["class"] == kind, "node"].tolist() for kind in CLASSES]
    return Network(names, classes, read_edges(folder / "edges.csv", names))


def simulate(network: Network, seed: int) -> DataSet:
    """Return data from a linear Gaussian model with random weights along the network."""
    rng = np.random.default_rng(seed)
    dag = network.dag
    weights = dag * rng.uniform(*WEIGHTS, dag.shape) * rng.choice([-1.0, 1.0], dag.shape)
    values = np.zeros((ROWS, len(dag)))
    order = topological_order(dag).tolist()
    for node in order:
        values[:, node] = values @ weights[:, node] + rng.standard_normal(ROWS)
    return DataSet(pd.DataFrame(values, columns=network.names), dag, compelled_edges(dag), order)


def make_methods(network: Network, max_parents: int) -> dict[str, Method]:
    """Return the rows of the table that are sampled, with their priors: all strengths are 1, as in the paper."""
    ligands, receptors, cytosolic = network.classes
    order: Prior = ew.TierOrder(network.classes)
    both = order + ew.Paths(ligands, receptors) + ew.Paths(receptors, cytosolic)
    paper, ours = METHODS["minimal-imap"], METHODS["defaults"]
    return {
        PATH_AND_ORDER: _with_prior(paper, both),
        ORDER: _with_prior(paper, order),
        NEITHER: paper,
        "our minIMAP w/ path and order prior": _with_prior(ours, both),
        "our minIMAP w/ order prior": _with_prior(ours, order),
        "our minIMAP w/o either": ours,
        "Order w/ order prior": _with_prior(choose_method("order", max_parents), order),
        "Partition w/ order prior": _with_prior(choose_method("partition", max_parents), order),
    }


def _with_prior(method: Method, prior: Prior) -> Method:
    return Method(method.label, method.sampler, method.prior + prior)


def rate_prior(folder: str, seed: int, row: str, iterations: int, max_parents: int, replicates: int) -> dict[str, Any]:
    """Return the ROC curve of directed edges of one row of the table, for one data set."""
    network = read_network(Path(folder))
    data_set = simulate(network, seed)
    if row == "MMHC-Boot":
        posterior = ew.bootstrap(learn_mmhc, data_set.data, replicates, seed=seed)
    else:
        starts = mmhc_orders(data_set.data, CHAINS, seed=seed)
        method = make_methods(network, max_parents)[row]
        posterior = sample(method, data_set.data, starts=starts, iterations=iterations, seed=seed)
    rows = {row: rate_posterior(posterior, data_set)["directed"]}
    if posterior.conditionals is not None and row.startswith(METHODS["defaults"].label):
        better = rate_posterior(posterior, data_set, rao_blackwell=True)["directed"]
        rows[f"{row}, Rao-Blackwellised"] = better
    return {
        "seed": seed,
        "iterations": iterations,
        "max_parents": max_parents,
        "replicates": replicates,
        "rows": rows,
    }


def plan(quick: bool, data: Path | None) -> list[Piece]:
    """Return a piece for each data set and row, those that take longest first."""
    folder = find_data(data, "egfr")
    if folder is None:
        return []
    scale = QUICK if quick else FULL
    rows = [*make_methods(read_network(folder), scale.max_parents), "MMHC-Boot"]
    settings = {
        "folder": str(folder),
        **asdict(scale),
        "replicates": QUICK_REPLICATES if quick else REPLICATES,
    }
    return [
        Piece(
            f"set{seed:02}-{row.lower().replace('w/', 'with').replace('witho', 'without').replace(' ', '-')}",
            rate_prior,
            {"seed": seed, "row": row, **settings},
        )
        for row in reversed(rows)
        for seed in range(1, (SETS if not quick or row in (PATH_AND_ORDER, ORDER, NEITHER) else QUICK_RIVALS) + 1)
    ]


def conclude(results: Mapping[str, dict[str, Any]], directory: Path) -> Section:
    """Set mean areas beside the paper's, and draw the curves."""
    areas: dict[str, dict[int, float]] = {}
    curves: dict[str, list[list[float]]] = {}
    for result in results.values():
        for row, rates in result["rows"].items():
            areas.setdefault(row, {})[result["seed"]] = rates["auroc"]
            curves.setdefault(row, []).append(rates["curve"])
    first = next(iter(results.values()))
    order = sorted(areas, key=_place)
    table = pd.DataFrame(
        {
            row: (PUBLISHED.get(row, np.nan), *mean_and_error(list(areas[row].values())), len(areas[row]))
            for row in order
        },
        index=["paper", "ours", "standard error", "data sets"],
    ).T.rename_axis("method").astype({"data sets": int})  # fmt: skip
    gains = pd.DataFrame(
        {
            f"{better} against {worse}": _gain(areas[better], areas[worse])
            for better, worse in ((PATH_AND_ORDER, ORDER), (ORDER, NEITHER))
        },
        index=["gain", "standard error", "better in", "worse in", "data sets"],
    ).T.rename_axis("comparison").astype({"better in": int, "worse in": int, "data sets": int})  # fmt: skip
    figure = make_figure(5, 5.6)
    shown = {row: curves[row] for row in (*PUBLISHED, NEITHER)}
    draw_curves(figure.subplots(), shown, "directed edges of the network as reconstructed, mean of all data sets")
    figure.legend(loc="outside lower center", ncols=2, fontsize=8, frameon=False)
    path_gain, order_gain = gains["gain"]
    return Section(
        name=EXPERIMENT.name,
        title=EXPERIMENT.title,
        text=(
            "The network is a reconstruction: the published graph is a picture, of whose edges the article's text "
            "names ten; seven complete the known pathway. The paper tells neither n nor the edge weights. So these "
            "figures have the shape of the paper's Table 2, but they are not that table.",
            f"{len(areas[ORDER])} data sets with n = {ROWS} and weights uniform on ±[{WEIGHTS[0]}, {WEIGHTS[1]}]; "
            f"{CHAINS} chains from orders of MMHC's DAG, {first['iterations']:,} iterations each; the same data and "
            f"seeds for all priors. {first['replicates']} replicates of the bootstrap; up to "
            f"{first['max_parents']} parents in order MCMC and in partition MCMC, which reads the order prior as one "
            "on partitions. Rows with different numbers of data sets cannot be compared with each other.",
            f"The path prior changes the mean AUROC by {path_gain:+.4f} beyond the order prior (paper "
            f"{PUBLISHED[PATH_AND_ORDER] - PUBLISHED[ORDER]:+.3f}), and the order prior by {order_gain:+.4f} (the "
            "paper does not have a run without it).",
        ),
        tables={
            "AUROC, directed edges, reconstructed network": table,
            "Gain of each prior on the same data sets": gains,
        },
        figures=(save_figure(figure, directory / "roc.svg"),),
        checks=(
            Check(
                "With path and order priors, the mean AUROC is at least that with the order prior.",
                path_gain >= 0,
            ),
            Check("With the order prior, the mean AUROC is at least that with neither.", order_gain >= 0),
        ),
    )


def _place(row: str) -> int:
    """Return where a row stands: as the paper has them, each sampler's with more knowledge first."""
    places = [*PUBLISHED]
    places.insert(2, NEITHER)
    return places.index(row) if row in places else len(places)


def _gain(better: Mapping[int, float], worse: Mapping[int, float]) -> tuple[float, float, int, int, int]:
    """Return the mean difference on common data sets, its standard error, and how often it has which sign."""
    difference = np.array([better[seed] - worse[seed] for seed in better if seed in worse])
    mean, error = mean_and_error(difference.tolist())
    return mean, error, int((difference > 0).sum()), int((difference < 0).sum()), len(difference)


EXPERIMENT = Experiment(
    "table2", "Priors on order and paths in a protein network, as reconstructed", plan, conclude, needs="egfr"
)

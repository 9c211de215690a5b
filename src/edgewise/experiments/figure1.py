"""Figure 1: log posteriors along chains from different starts.

Five chains of each sampler on each data set: two start at random orders, two at orders of the DAG that MMHC learns, and
one at the true order. Chains that have mixed reach the same neighbourhood of the log posterior, which is that of the
drawn DAG for all samplers. Figure 2 is made from the same runs.
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .experiment import COLOURS, Check, Experiment, Section, find_data, make_figure, save_figure
from .pieces import Piece
from .simulations import (
    BURN_IN,
    FULL,
    METHODS,
    QUICK,
    choose_method,
    make_data_set,
    mmhc_orders,
    sample,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SEED = 1
"""Of the simulated data sets, and of the runs."""

ROWS = (100, 1000)
"""Observations of the simulated data sets, as in the paper."""

NETWORK = 1
"""That of DREAM4; the paper does not say which of the five it took."""

STARTS = ("random", "random", "MMHC", "MMHC", "true")
"""Where the five chains start, as in the paper."""

STYLES = {"random": COLOURS[4], "MMHC": COLOURS[0], "true": COLOURS[6]}
"""A colour for each kind of start; the paper has two for each."""

SAMPLERS = ("minimal-imap", "defaults", "order", "partition")
"""The paper's three, and our minIMAP."""

POINTS = 250
"""Points of a line in the figure: more could not be told apart at its size."""

SHOWN = 0.02
"""The part of a chain after which all of it must fit into the figure: random starts are far below the rest."""


def run_from_starts(
    source: Mapping[str, Any], label: str, method: str, iterations: int, max_parents: int
) -> dict[str, Any]:
    """Return traces and edge probabilities of five chains.

    Parameters
    ----------
    source
        The data set, as :func:`make_data_set` takes it.
    label
        Its name in figures.
    method
        One of :data:`METHODS`.
    iterations
        Of each chain.
    max_parents
        Of order and partition MCMC.

    Returns
    -------
    dict
        For each start, ``trace``, the log posterior of every draw, and ``directed``, the probabilities of all ordered
        pairs after burn-in.
    """
    data_set = make_data_set(source)
    p = len(data_set.truth)
    rng = np.random.default_rng(SEED)
    at_random = [rng.permutation(p).tolist() for _ in range(STARTS.count("random"))]
    starts = [*at_random, *mmhc_orders(data_set.data, STARTS.count("MMHC"), seed=SEED), data_set.order]
    chosen = choose_method(method, max_parents)
    posterior = sample(chosen, data_set.data, starts=starts, iterations=iterations, seed=SEED, burn_in=0)
    dags = posterior.dags()
    directed = dags[:, round(BURN_IN * dags.shape[1]) :].mean(axis=1)[:, ~np.eye(p, dtype=bool)]
    return {
        "data": label,
        "method": method,
        "iterations": iterations,
        "max_parents": max_parents,
        "trace": posterior.log_posterior.round(2).tolist(),
        "directed": directed.round(4).tolist(),
    }


def plan(quick: bool, data: Path | None) -> list[Piece]:
    """Return a piece for each data set and sampler, those that take longest first."""
    sources: dict[str, dict[str, Any]] = {f"n = {n}": {"n": n, "seed": SEED} for n in ROWS}
    folder = find_data(data, "dream4/size10")
    if folder is not None:
        sources["DREAM4"] = {"folder": str(folder), "network": NETWORK}
    return [
        Piece(
            f"{label.replace(' = ', '').lower()}-{method}",
            run_from_starts,
            {"source": source, "label": label, "method": method, **asdict(QUICK if quick else FULL)},
        )
        for method in reversed(SAMPLERS)
        for label, source in sources.items()
    ]


def conclude(results: Mapping[str, dict[str, Any]], directory: Path) -> Section:
    """Draw the traces, and say how far apart the chains are."""
    labels = sorted({result["data"] for result in results.values()}, key=_place)
    found = {(result["data"], result["method"]): result for result in results.values()}
    figure = make_figure(3 * len(labels) + 0.5, 7.5)
    grid = figure.subplots(len(SAMPLERS), len(labels), squeeze=False, sharex=True)
    rows = []
    for row, method in enumerate(SAMPLERS):
        for column, label in enumerate(labels):
            result = found[label, method]
            trace = np.array(result["trace"])
            _draw(grid[row, column], trace, result["iterations"])
            grid[row, column].set_title(f"{METHODS[method].label}, {label}", fontsize=9)
            apart, within = measure_spread(trace)
            rows.append((label, METHODS[method].label, apart, within, _divide(apart, within)))
    for axes in grid[-1]:
        axes.set_xlabel("iteration")
    figure.supylabel("log posterior of the drawn DAG", fontsize=9)
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    columns = ["data", "method", "between chains", "within a chain", "ratio"]
    rows.sort(key=lambda row: _place(row[0]))
    table = pd.DataFrame(rows, columns=columns).set_index(["data", "method"])
    first = next(iter(results.values()))
    ratio = table["ratio"].to_dict()
    ours = ", ".join(f"{ratio[label, METHODS['minimal-imap'].label]:.1f} for {label}" for label in labels)
    return Section(
        name=EXPERIMENT.name,
        title=EXPERIMENT.title,
        text=(
            f"Two chains from random orders, two from MMHC and one from the true order, {first['iterations']:,} "
            "iterations each. Chains have mixed if they come to the same level, whatever their start. The table has, "
            "after the first fifth, the largest difference between mean log posteriors of two chains, and the standard "
            "deviation within one. The levels of our minIMAP are others, since their prior is.",
            "The paper sees good mixing for n = 100 and DREAM4 and poor mixing for n = 1000, worse in order and "
            f"partition MCMC. Here the ratio for minimal I-MAP MCMC as in the paper is {ours}; for the others "
            "see the table.",
            f"Order and partition MCMC allow {first['max_parents']} parents. The networks of DREAM4 have cycles: "
            f"network {NETWORK} is shown, and its true order is one along the edges that are left when each that "
            "closes a cycle is left out. With its 10 rows, tests given 7 or more variables are undefined and count as "
            "independence.",
        ),
        tables={"Spread of the log posterior between and within chains": table},
        figures=(save_figure(figure, directory / "traces.svg"),),
        checks=(
            Check(
                "With n = 100, chains of our minIMAP from all starts reach the same level: it differs by less than "
                "twice the standard deviation within a chain.",
                ratio["n = 100", METHODS["defaults"].label] < 2,
            ),
        ),
    )


def measure_spread(trace: np.ndarray) -> tuple[float, float]:
    """Return the largest difference between chains' means after burn-in, and the mean standard deviation within."""
    kept = trace[:, round(BURN_IN * trace.shape[1]) :]
    return float(np.ptp(kept.mean(axis=1))), float(kept.std(axis=1).mean())


def _divide(apart: float, within: float) -> float:
    """Return a ratio; chains that never leave a DAG, or a score, are apart only if they are at different ones."""
    if within == 0:
        return 0.0 if apart == 0 else float("inf")
    return apart / within


def _draw(axes: "Axes", trace: np.ndarray, iterations: int) -> None:
    """Draw a line for each chain; the two with the same kind of start have the same colour."""
    at = np.linspace(0, iterations, trace.shape[1] + 1)[1:]
    some = slice(None, None, max(trace.shape[1] // POINTS, 1))
    for number, (start, chain) in enumerate(zip(STARTS, trace, strict=True)):
        label = f"{start} start" if start not in STARTS[:number] else None
        dashes = ":" if start == "true" else "-"
        axes.plot(at[some], chain[some], dashes, color=STYLES[start], linewidth=0.7, label=label)
    shown = trace[:, round(SHOWN * trace.shape[1]) :]
    low, high = shown.min(), shown.max()
    margin = 0.05 * (high - low) or 1.0
    axes.set_ylim(low - margin, high + margin)
    axes.tick_params(labelsize=8)
    axes.ticklabel_format(useOffset=False)


def _place(label: str) -> int:
    """Return where a data set stands in the paper's figure."""
    return [*(f"n = {n}" for n in ROWS), "DREAM4"].index(label)


EXPERIMENT = Experiment(
    "figure1", "Log posteriors along chains from different starts", plan, conclude, needs="dream4/size10"
)

"""Figure 2: edge probabilities of one run against those of another, from the runs of Figure 1.

The two runs from random orders and the two from MMHC make six pairs. If chains have mixed, all points lie on the
diagonal, whatever the pair.
"""

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from . import figure1
from .experiment import COLOURS, Check, Experiment, Section, make_figure, save_figure
from .figure1 import ROWS, SAMPLERS, STARTS
from .pieces import Piece
from .simulations import METHODS

PAIRS = [
    (one, other)
    for one, other in combinations(range(len(STARTS)), 2)
    if STARTS[one] != "true" and STARTS[other] != "true"
]
"""The runs that are compared, as in the paper: all but the one from the true order."""

MARKS = {"minimal-imap": ("x", COLOURS[1]), "defaults": ("x", COLOURS[3]), "order": ("o", COLOURS[0]),
         "partition": ("+", COLOURS[2])}  # fmt: skip
"""As in the paper, in colours that can be told apart."""


def plan(quick: bool, data: Path | None) -> list[Piece]:
    """Return the pieces of Figure 1 that are about simulated data."""
    return [piece for piece in figure1.plan(quick, data) if "network" not in piece.settings["source"]]


def correlate_pairs(directed: np.ndarray) -> dict[str, float]:
    """Return the mean correlation of edge probabilities for each kind of pair, from those of all chains."""
    correlation = np.corrcoef(directed)
    kinds: dict[str, list[float]] = {}
    for one, other in PAIRS:
        kinds.setdefault(f"{STARTS[one]} and {STARTS[other]}", []).append(float(correlation[one, other]))
    means = {kind: float(np.mean(values)) for kind, values in kinds.items()}
    return {**means, "all pairs": float(np.mean([correlation[pair] for pair in PAIRS]))}


def conclude(results: Mapping[str, dict[str, Any]], directory: Path) -> Section:
    """Draw the scatter, and compute the correlations."""
    found = {(result["data"], result["method"]): np.array(result["directed"]) for result in results.values()}
    labels = [f"n = {n}" for n in ROWS]
    figure = make_figure(2.6 * len(SAMPLERS), 5.4)
    grid = figure.subplots(len(labels), len(SAMPLERS), squeeze=False, sharex=True, sharey=True)
    rows = []
    for row, label in enumerate(labels):
        for column, method in enumerate(SAMPLERS):
            directed = found[label, method]
            means = correlate_pairs(directed)
            rows.append({"data": label, "method": METHODS[method].label, **means})
            mark, colour = MARKS[method]
            axes = grid[row, column]
            axes.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=0.8)
            for one, other in PAIRS:
                # As thousands of single shapes, the points would make a file of a megabyte.
                axes.plot(
                    directed[one], directed[other], mark, color=colour, markersize=3, fillstyle="none", rasterized=True
                )
            axes.set(aspect="equal", xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
            axes.set_title(f"{METHODS[method].label}, {label}\ncorrelation {means['all pairs']:.3f}", fontsize=9)
    figure.supxlabel("probability of a directed edge in one run", fontsize=9)
    figure.supylabel("in another", fontsize=9)
    table = pd.DataFrame(rows).set_index(["data", "method"])
    overall = table["all pairs"]
    iterations = next(iter(results.values()))["iterations"]
    few, many = (overall.loc[label] for label in labels)
    return Section(
        name=EXPERIMENT.name,
        title=EXPERIMENT.title,
        text=(
            f"The runs of Figure 1, {iterations:,} iterations each, without their first fifth; six pairs of the two "
            "from random orders and the two from MMHC.",
            "The paper sees higher correlations for n = 100 than for n = 1000 in all samplers, and for n = 1000 vastly "
            "different probabilities in order and partition MCMC but high correlations in minimal I-MAP MCMC. Here, "
            "for n = 100, they are "
            f"{_list(few)}; for n = 1000, {_list(many)}. It is one data set of each kind, and the correlation of "
            "a chain that is caught now and then depends on the seeds; Table 3 has many.",
        ),
        tables={"Mean correlation of the probabilities of directed edges between runs": table},
        figures=(save_figure(figure, directory / "scatter.svg"),),
        checks=(
            Check(
                "For n = 1000, runs of our minIMAP from different starts correlate at .99 or more.",
                bool(many[METHODS["defaults"].label] >= 0.99),
            ),
        ),
    )


def _list(values: "pd.Series[float]") -> str:
    return ", ".join(f"{value:.3f} ({label})" for label, value in values.items())


EXPERIMENT = Experiment("figure2", "Edge probabilities of one run against another", plan, conclude)

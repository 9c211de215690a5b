"""Table 3: agreement between chains that start at the truth and at MMHC's DAG.

For each of many simulated data sets, every sampler runs twice: from the true order, and from an order of the DAG that
MMHC learns. The measure is the correlation between the two runs' probabilities of directed edges.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pandas as pd

from .experiment import COLOURS, Check, Experiment, Section, make_figure, save_figure
from .pieces import Piece
from .simulations import (
    FULL,
    LONGER,
    METHODS,
    QUICK,
    P,
    choose_method,
    make_data_set,
    mean_and_error,
    mmhc_orders,
    sample,
)

PUBLISHED = {"minimal-imap": (0.977, 0.004), "order": (0.928, 0.007), "partition": (0.784, 0.006)}
"""The paper's Table 3: mean correlations and their standard errors."""

ROWS = 1000
"""Observations of a data set, as in the paper."""

SETS = 200
"""Data sets, as in the paper."""

QUICK_SCALE = replace(QUICK, iterations=5000)
QUICK_SETS = 80
"""Where time is short, many short runs: a chain is either caught or not, so that single correlations say little. With
60 data sets, order MCMC was ahead of partition MCMC by .052, with a standard error of .016."""

QUICK_SETS_OF_OURS = 10
"""Data sets for what the paper does not have, where time is short: these correlations hardly vary."""


def compare_starts(seed: int, method: str, iterations: int, max_parents: int) -> dict[str, Any]:
    """Return the correlation between a run from the true order and one from MMHC's, for one data set."""
    data_set = make_data_set({"n": ROWS, "seed": seed})
    starts = [data_set.order, *mmhc_orders(data_set.data, 1, seed=seed)]
    chosen = choose_method(method, max_parents)
    posterior = sample(chosen, data_set.data, starts=starts, iterations=iterations, seed=seed)
    correlation = posterior.chain_agreement().to_numpy()[0, 1]
    return {
        "method": method,
        "seed": seed,
        "iterations": iterations,
        "max_parents": max_parents,
        "correlation": float(correlation),
    }


def plan(quick: bool, data: Path | None) -> list[Piece]:
    """Return a piece for each data set and sampler, those that take longest first."""
    scale = QUICK_SCALE if quick else FULL
    quick_sets = {method: QUICK_SETS if method in PUBLISHED else QUICK_SETS_OF_OURS for method in METHODS}
    return [
        Piece(f"set{seed:03}-{method}", compare_starts, {"seed": seed, "method": method, **asdict(scale)})
        for method in reversed(METHODS)
        for seed in range(1, (quick_sets[method] if quick else SETS) + 1)
    ]


def conclude(results: Mapping[str, dict[str, Any]], directory: Path) -> Section:
    """Set mean correlations beside the paper's."""
    found = pd.DataFrame(list(results.values()))
    by_method = {name: found.loc[found["method"] == name, "correlation"].to_numpy() for name in METHODS}
    rows = []
    for name, values in by_method.items():
        mean, error = mean_and_error(values)
        published = PUBLISHED.get(name, (float("nan"), float("nan")))
        rows.append((METHODS[name].label, *published, mean, error, values.min(), len(values)))
    columns = ["method", "paper", "paper's error", "ours", "standard error", "lowest", "data sets"]
    table = pd.DataFrame(rows, columns=columns).set_index("method")
    mean_of = {name: float(values.mean()) for name, values in by_method.items()}
    first = next(iter(results.values()))
    checks = [
        Check(
            "The mean correlation between starts is higher for minimal I-MAP MCMC than for order MCMC.",
            mean_of["minimal-imap"] > mean_of["order"],
        ),
        Check(
            "The mean correlation between starts is higher for order MCMC than for partition MCMC.",
            mean_of["order"] > mean_of["partition"],
        ),
    ]
    least, _ = PUBLISHED["minimal-imap"]
    if first["iterations"] == FULL.iterations:
        reaches = mean_of["minimal-imap"] >= least
        checks.append(Check(f"The mean correlation of minimal I-MAP MCMC is at least the paper's, {least}.", reaches))
    return Section(
        name=EXPERIMENT.name,
        title=EXPERIMENT.title,
        text=(
            f"{len(by_method['minimal-imap'])} data sets of {P} variables and {ROWS} rows; {first['iterations']:,} "
            f"iterations, of which the first fifth is left out, {LONGER} times as many in the row that says so.",
            _compare(mean_of, first["max_parents"]),
        ),
        tables={
            "Correlation of directed edges between runs from the true order and from MMHC": table,
            "Mean correlation by the most parents of a variable in the true DAG": split_by_parents(found),
        },
        figures=(_draw(by_method, directory),),
        checks=tuple(checks),
    )


def split_by_parents(found: pd.DataFrame) -> pd.DataFrame:
    """Return the mean correlations of data sets whose truth order and partition MCMC can hold, and of the others."""
    most = {seed: make_data_set({"n": ROWS, "seed": seed}).truth.sum(axis=0).max() for seed in set(found["seed"])}
    limit = found["max_parents"].iloc[0]
    fits = found["seed"].map(most) <= limit
    columns = {}
    for name, part in ((f"up to {limit} parents", found[fits]), ("more parents", found[~fits])):
        by_method = part.groupby("method")["correlation"]
        columns[name], columns[f"data sets, {name}"] = by_method.mean(), by_method.size()
    table = pd.DataFrame(columns).reindex(list(METHODS))
    return table.rename(index={name: method.label for name, method in METHODS.items()}).rename_axis("method")


def _compare(mean_of: Mapping[str, float], max_parents: int) -> str:
    """Say how ours compare with the paper's, and what is behind the difference."""
    compared = ", ".join(
        f"{METHODS[name].label} {mean_of[name]:.3f} (paper {published:.3f})"
        for name, (published, _) in PUBLISHED.items()
    )
    return (
        f"{compared}. An iteration is one proposal here, an exchange of two neighbours for minimal I-MAP MCMC; the "
        "paper does not say how many an iteration of its program has. Our order and partition MCMC have swaps and "
        "relocations besides, which the paper's may have lacked. They allow "
        f"{max_parents} parents, where the paper tells no number, and most simulated DAGs have a variable with more: a "
        "model that cannot hold the truth may have several modes instead. The second table has both kinds of data sets "
        "by themselves."
    )


def _draw(by_method: Mapping[str, Any], directory: Path) -> Path:
    """Draw the correlation of every data set."""
    figure = make_figure(6, 2.8)
    axes = figure.subplots()
    for number, (name, values) in enumerate(by_method.items()):
        spread = [number + 0.6 * (place / max(len(values) - 1, 1) - 0.5) for place in range(len(values))]
        axes.plot(sorted(values), spread, ".", markersize=3, color=COLOURS[number])
        if name in PUBLISHED:
            axes.plot(PUBLISHED[name][0], number, "|", markersize=22, color="black")
    axes.set_yticks(range(len(by_method)), [METHODS[name].label for name in by_method])
    axes.invert_yaxis()
    axes.set_xlabel("correlation of each data set; bars are the paper's means")
    return save_figure(figure, directory / "correlations.svg")


EXPERIMENT = Experiment("table3", "Agreement between starts at the truth and at MMHC", plan, conclude)

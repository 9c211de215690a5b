"""The pictures of a posterior: what each of them shows, for :mod:`edgewise.report` to draw."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd

from edgewise import report
from edgewise.arguments import check_threshold, is_whole
from edgewise.data import find_columns
from edgewise.errors import ArgumentError
from edgewise.graphs import topological_order
from edgewise.report import GraphFigure, Picture

from .summaries import consensus, orient_pairs

if TYPE_CHECKING:
    from .posterior import Kind, Posterior

Variables: TypeAlias = str | int | Sequence[str | int]
"""A variable by name or by column number, or several."""

LEAST_DRAWN = 0.05
"""The least threshold of a page: pairs less probable have no say in the order of the variables."""


def draw_graph(
    posterior: "Posterior", threshold: float, highlight: Variables | None, *, neighbourhood: bool
) -> GraphFigure:
    """Draw the pairs that are probably joined; see :meth:`edgewise.Posterior.plot_graph`."""
    pairs, nodes = drawn_pairs(posterior), posterior.nodes
    shown = pairs[pairs["joined"] >= check_threshold(threshold)]
    order = order_pairs(len(nodes), pairs, min(threshold, LEAST_DRAWN))
    chosen = [] if highlight is None else _find_variables(nodes, highlight)
    if neighbourhood and not chosen:
        raise ArgumentError("neighbourhood=True needs highlight, the variable whose neighbourhood is to be drawn.")
    members = sorted(report.find_neighbours(chosen, shown)) if neighbourhood else list(range(len(nodes)))
    number = {v: k for k, v in enumerate(members)}
    within = shown[shown["source"].isin(members) & shown["target"].isin(members)]
    drawing = report.draw_layers(
        [nodes[v] for v in members],
        within.assign(**{end: within[end].map(number).astype(int) for end in ("source", "target")}),
        [number[v] for v in order if v in number],
        chosen=[number[v] for v in chosen],
    )
    return GraphFigure(drawing, f"Pairs of variables that are joined with a probability of {threshold:g} or more")


def draw_trace(posterior: "Posterior") -> Picture:
    """Draw the log posterior along each chain; see :meth:`edgewise.Posterior.plot_trace`."""
    log_posterior = posterior.log_posterior
    schedule = posterior.info.get("schedule", {"burn_in": 0, "thin": 1})
    iterations = schedule["burn_in"] + schedule["thin"] * np.arange(1, log_posterior.shape[1] + 1)
    return report.draw_trace(log_posterior, iterations)


def draw_edges(posterior: "Posterior", kind: "Kind") -> Picture:
    """Draw the probabilities of all edges as a heat map; see :meth:`edgewise.Posterior.plot_edges`."""
    order = order_pairs(len(posterior.nodes), drawn_pairs(posterior))
    return report.draw_edges(posterior.nodes, posterior.edge_probabilities(kind).to_numpy(), order)


def draw_agreement(posterior: "Posterior", first: int | None, second: int | None) -> Picture:
    """Draw edge probabilities of one chain against another's; see :meth:`edgewise.Posterior.plot_agreement`."""
    chosen = _choose_chains(posterior, first, second)
    return report.draw_agreement(posterior.nodes, posterior.directed_by_chain, chosen)


def draw_experiments(experiments: pd.DataFrame) -> Picture:
    """Draw what experiments would tell; see :meth:`edgewise.Posterior.plot_next_experiments`."""
    directions = experiments["directions"].to_numpy() if "directions" in experiments else None
    return report.draw_experiments(experiments["target"].tolist(), experiments["bits_beyond"].to_numpy(), directions)


def drawn_pairs(posterior: "Posterior") -> pd.DataFrame:
    """Return the pairs that were ever joined, as they are drawn: see :func:`.summaries.orient_pairs`."""
    return orient_pairs(posterior.numbered_pairs)


def order_pairs(p: int, pairs: pd.DataFrame, least: float = LEAST_DRAWN) -> list[int]:
    """Return the variables, probable causes first: along this order, pairs are drawn downwards.

    Pairs that are joined with at least the probability ``least`` count, each in its more probable direction. Where
    these directions form a cycle, the less probable of them give way.
    """
    counted = pairs[pairs["joined"] >= least]
    weight = np.zeros((p, p))
    weight[counted["source"], counted["target"]] = counted["probability"]
    order: list[int] = topological_order(consensus(weight, 0.0)).tolist()
    return order


def _find_variables(nodes: Sequence[str], variables: Variables) -> list[int]:
    return find_columns(nodes, [variables] if isinstance(variables, str | int) else variables)


def _choose_chains(posterior: "Posterior", first: int | None, second: int | None) -> tuple[int, int]:
    """Check two chains; by default they are the two that agree least."""
    chains = len(posterior.directed_by_chain)
    if chains < 2:
        raise ArgumentError(
            "The posterior has a single chain, which cannot be compared with another: sample with more."
        )
    if first is None and second is None:
        agreement = posterior.chain_agreement().to_numpy() + 2 * np.eye(chains)
        least = int(np.argmin(np.nan_to_num(agreement, nan=-2.0)))
        return least // chains, least % chains
    return _check_chain(first, chains), _check_chain(second, chains)


def _check_chain(chain: int | None, chains: int) -> int:
    if chain is None or not (is_whole(chain) and 0 <= chain < chains):
        raise ArgumentError(
            f"first and second must be whole numbers from 0 to {chains - 1}, since the posterior's chains are counted "
            f"from 0, but {chain!r} was given."
        )
    return int(chain)

"""The pictures of a posterior: what each of them shows, for :mod:`edgewise.report` to draw."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from edgewise import report
from edgewise.arguments import check_threshold, is_whole
from edgewise.errors import ArgumentError
from edgewise.report import Layout, Picture, lay_out

from .summaries import PROBABLE, consensus, orient_pairs

if TYPE_CHECKING:
    from .posterior import Kind, Posterior


def draw_graph(posterior: "Posterior", threshold: float) -> Picture:
    """Draw the pairs that are probably joined; see :meth:`edgewise.Posterior.plot_graph`."""
    pairs = drawn_pairs(posterior)
    shown = pairs[pairs["joined"] >= check_threshold(threshold)]
    return report.draw_graph(posterior.nodes, shown, lay_out_pairs(len(posterior.nodes), pairs, threshold))


def draw_trace(posterior: "Posterior") -> Picture:
    """Draw the log posterior along each chain; see :meth:`edgewise.Posterior.plot_trace`."""
    log_posterior = posterior.log_posterior
    schedule = posterior.info.get("schedule", {"burn_in": 0, "thin": 1})
    iterations = schedule["burn_in"] + schedule["thin"] * np.arange(1, log_posterior.shape[1] + 1)
    return report.draw_trace(log_posterior, iterations)


def draw_edges(posterior: "Posterior", kind: "Kind") -> Picture:
    """Draw the probabilities of all edges as a heat map; see :meth:`edgewise.Posterior.plot_edges`."""
    layout = lay_out_pairs(len(posterior.nodes), drawn_pairs(posterior), PROBABLE)
    return report.draw_edges(posterior.nodes, posterior.edge_probabilities(kind).to_numpy(), layout)


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


def lay_out_pairs(p: int, pairs: pd.DataFrame, threshold: float) -> Layout:
    """Place the variables by the pairs that are joined with some probability, in their more probable directions.

    Where these directions form a cycle, the less probable of them give way.
    """
    shown = pairs[pairs["joined"] >= threshold]
    weight = np.zeros((p, p))
    weight[shown["source"], shown["target"]] = shown["probability"]
    return lay_out(consensus(weight, 0.0))


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

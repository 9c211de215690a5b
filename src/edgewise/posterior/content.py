"""What a report of a posterior says: the numbers, and the judgements that depend on them, are found here once.

They are handed to :mod:`edgewise.report` as plain data.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from edgewise.errors import DataError
from edgewise.report import Content, draw_edges, summarize, write_page

from .accounts import describe_data, describe_model
from .diagnostics import DISAGREE, LARGEST_DIFFERENCE, count_round_trips
from .effects import pair_effects
from .pictures import LEAST_DRAWN, draw_agreement, draw_experiments, draw_trace, drawn_pairs, order_pairs
from .summaries import PROBABLE, count_disagreed, headline

if TYPE_CHECKING:
    from .posterior import Posterior

MOST_EDGES = 20_000
"""Rows of the tables of pairs and of edges: the most probable ones. So many take 2 MB and sort at once."""

MOST_DAGS = 10

MOST_EXPERIMENTS = 10
"""Experiments that are shown: the best."""

NORMAL_95 = 1.96
"""Standard errors to either side that hold 95 % of a normal distribution."""


def write_report(posterior: "Posterior", path: str | os.PathLike[str]) -> None:
    """Write the report; see :meth:`edgewise.Posterior.report`."""
    diagnostics, pairs = posterior.silent_diagnostics, posterior.numbered_pairs
    chains, draws = posterior.weights.shape
    order = order_pairs(len(posterior.nodes), drawn_pairs(posterior))
    pictures = {"trace": draw_trace(posterior)}
    if chains > 1:
        pictures["agreement"] = draw_agreement(posterior, None, None)
    pictures["edges"] = draw_edges(posterior.nodes, posterior.edge_probabilities().to_numpy(), order)
    experiments = posterior.quick_experiments.head(MOST_EXPERIMENTS) if posterior.advice else pd.DataFrame()
    if posterior.advice:
        pictures["next"] = draw_experiments(experiments)
    content = Content(
        nodes=posterior.nodes,
        chains=chains,
        draws=draws,
        info=posterior.info,
        moments=posterior.moments,
        verdict=diagnostics.verdict,
        is_converged=diagnostics.is_converged,
        r_hat=diagnostics.r_hat,
        ess=diagnostics.ess,
        weight_ess=diagnostics.weight_ess,
        moving=diagnostics.edges,
        acceptance=diagnostics.acceptance,
        round_trips=count_round_trips(posterior),
        agreement=diagnostics.least_agreement,
        difference=diagnostics.difference,
        apart=diagnostics.apart,
        largest_difference=LARGEST_DIFFERENCE,
        disagreed=count_disagreed(pairs),
        disagreement=DISAGREE,
        effective_draws=diagnostics.effective_draws,
        headline=headline(pairs),
        account=describe_data(posterior.info),
        model=describe_model(posterior.info),
        told_by="the data" if posterior.knowledge is None else "data and constraints",
        probable=PROBABLE,
        joined=len(pairs),
        pairs=with_intervals(posterior),
        edges=edge_table(posterior),
        least_drawn=LEAST_DRAWN,
        order=order,
        blankets=posterior.markov_blanket_probabilities().to_numpy(),
        dags=_top_dag_rows(posterior),
        advice=posterior.advice,
        experiments=experiments,
        pictures=pictures,
    )
    write_page(content, Path(path))


def summarize_posterior(posterior: "Posterior") -> str:
    """Return a few lines of HTML for a notebook."""
    return summarize(
        about=repr(posterior),
        verdict=posterior.silent_diagnostics.verdict,
        headline=headline(posterior.numbered_pairs),
        pairs=posterior.pairs(),
        graph=posterior.plot_graph().svg,
    )


def with_intervals(posterior: "Posterior") -> pd.DataFrame:
    """Return the pairs that are joined most probably, by column number, with the interval that the draws leave open.

    See :func:`monte_carlo_interval`.
    """
    pairs = posterior.numbered_pairs.head(MOST_EDGES)
    joined, mcse = pairs["joined"].to_numpy(), pairs["mcse"].to_numpy()
    if posterior.conditionals is None:
        lower, upper = monte_carlo_interval(joined, mcse, posterior.silent_diagnostics.ess)
    else:
        # These probabilities are no shares of draws, but means of numbers that vary little.
        lower, upper = np.clip([joined - NORMAL_95 * mcse, joined + NORMAL_95 * mcse], 0, 1)
    return pairs.drop(columns="mcse").assign(lower=lower, upper=upper)


def edge_table(posterior: "Posterior") -> pd.DataFrame:
    """Return the most probable edges, by column number, with total effects.

    These are of the draws that have a directed path, and there if the posterior has the statistics of the data, and if
    double precision can hold them.
    """
    edges = posterior.edges().head(MOST_EDGES)[["source", "target", "probability"]]
    names = pd.Index(posterior.nodes)
    for column in ("source", "target"):
        edges[column] = names.get_indexer(pd.Index(edges[column]))
    if (posterior.moments is None and posterior.grouped is None) or edges.empty:
        return edges
    try:
        # The seed is fixed, so that a report made anew from the same posterior is the same.
        effects = pair_effects(posterior, edges["source"].to_numpy(), edges["target"].to_numpy(), seed=0)
    except DataError:
        return edges
    return edges.join(effects.rename(columns={"mean": "effect", "lower": "effect_lower", "upper": "effect_upper"}))


def monte_carlo_interval(probability: np.ndarray, mcse: np.ndarray, ess: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of 95 % intervals that the finite number of draws leaves for probabilities.

    They are Wilson's, with the number of independent draws that the Monte Carlo error stands for. Where a pair is
    joined in every draw there is no error to go by, but there still are only so many draws: those of the log posterior
    count.

    Parameters
    ----------
    probability, mcse
        Of each pair or edge.
    ess
        Effective draws of the log posterior.

    Examples
    --------
    >>> lower, upper = monte_carlo_interval(np.array([0.5, 1.0]), np.array([0.05, 0.0]), 100.0)
    >>> np.round(lower, 3), np.round(upper, 3)
    (array([0.404, 0.963]), array([0.596, 1.   ]))
    """
    square = NORMAL_95**2
    with np.errstate(divide="ignore", invalid="ignore"):
        draws = np.where(mcse > 0, probability * (1 - probability) / mcse**2, ess)
    middle = (probability + square / (2 * draws)) / (1 + square / draws)
    half = NORMAL_95 / (1 + square / draws) * np.sqrt(probability * (1 - probability) / draws + square / (4 * draws**2))
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)


def _top_dag_rows(posterior: "Posterior") -> list[dict[str, Any]]:
    """Return the most probable DAGs, each with its differences from the first."""
    ranked = posterior.top_dags(MOST_DAGS, as_array=True)
    return [
        {
            "share": one.probability,
            "log_posterior": one.log_posterior,
            "edges": int(one.graph.sum()),
            "changes": list(_changes(ranked[0].graph, one.graph, posterior.nodes)),
        }
        for one in ranked
    ]


def _changes(first: np.ndarray, dag: np.ndarray, names: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """Yield what turns the first DAG into another: a word, and the two variables of an edge."""
    for i, j in np.argwhere(dag & ~first).tolist():
        yield ("reversed to" if first[j, i] else "with"), names[i], names[j]
    for i, j in np.argwhere(first & ~dag & ~dag.T).tolist():
        yield "without", names[i], names[j]

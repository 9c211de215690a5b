"""What a report says, as plain data: the numbers, and the judgements that depend on them, are made here once."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from edgewise.errors import DataError
from edgewise.posterior.effects import pair_effects
from edgewise.posterior.summaries import PROBABLE, consensus, pair_table

from .layout import Layout, lay_out

if TYPE_CHECKING:
    from edgewise.posterior import Posterior

MOST_EDGES = 20_000
"""Rows of the table of edges: the most probable ones. So many take 2 MB and sort at once."""

SMALLEST_SHARE = 0.05
"""Members of a Markov blanket less probable than this are not listed."""

MOST_DAGS = 10

MOST_CHANGES = 12
"""Differences of a DAG from the most probable one that are spelt out; of more, only the number is told."""

NORMAL_95 = 1.96
"""Standard errors to either side that hold 95 % of a normal distribution."""


def graph_content(posterior: "Posterior") -> dict[str, Any]:
    """Return what the interactive part of the page needs: variables with their places, edges, Markov blankets."""
    pairs = pair_table(posterior)
    layout = lay_out_pairs(posterior, pairs)
    blanket = posterior.markov_blanket_probabilities().to_numpy()
    return {
        "nodes": list(posterior.nodes),
        "across": np.round(layout.across, 3).tolist(),
        "down": layout.down.tolist(),
        "bends": [[i, j, *np.round(places, 3).tolist()] for (i, j), places in layout.bends.items()],
        "pairs": _columns(pairs.head(MOST_EDGES)),
        "edges": _columns(edge_table(posterior)),
        "blankets": [
            [[int(v), round(float(row[v]), 4)] for v in np.argsort(-row, kind="stable") if row[v] >= SMALLEST_SHARE]
            for row in blanket
        ],
    }


def _columns(table: pd.DataFrame) -> dict[str, list[Any]]:
    """Return a table as lists; what is not a number is None."""
    return {str(name): [None if pd.isna(value) else value for value in table[name].tolist()] for name in table}


def lay_out_pairs(posterior: "Posterior", pairs: pd.DataFrame, threshold: float = PROBABLE) -> Layout:
    """Place the variables by the pairs that are joined with some probability, in their more probable directions.

    Where these directions form a cycle, the less probable of them give way.
    """
    shown = pairs[pairs["joined"] >= threshold]
    weight = np.zeros((len(posterior.nodes), len(posterior.nodes)))
    weight[shown["source"], shown["target"]] = shown["probability"]
    return lay_out(consensus(weight, 0.0))


def edge_table(posterior: "Posterior") -> pd.DataFrame:
    """Return the most probable edges, by column number, with intervals of their probabilities, and total effects.

    The interval of a probability says how far the draws leave it open; see :func:`monte_carlo_interval`. Effects are
    those of the draws that have a directed path; they are there if the posterior knows the moments of the data, and if
    double precision can hold them.
    """
    edges = posterior.edges().head(MOST_EDGES)
    names = pd.Index(posterior.nodes)
    for column in ("source", "target"):
        edges[column] = names.get_indexer(pd.Index(edges[column]))
    lower, upper = monte_carlo_interval(
        edges["probability"].to_numpy(), edges["mcse"].to_numpy(), posterior.silent_diagnostics.ess
    )
    edges.insert(3, "lower", lower)
    edges.insert(4, "upper", upper)
    if posterior.moments is None or edges.empty:
        return edges
    try:
        # The seed is fixed, so that a report made anew from the same posterior is the same.
        effects = pair_effects(posterior, edges["source"].to_numpy(), edges["target"].to_numpy(), seed=0)
    except DataError:
        return edges
    return edges.join(effects.rename(columns={"mean": "effect", "lower": "effect_lower", "upper": "effect_upper"}))


def monte_carlo_interval(probability: np.ndarray, mcse: np.ndarray, ess: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of 95 % intervals that the finite number of draws leaves for probabilities.

    They are Wilson's, with the number of independent draws that the Monte Carlo error stands for. Where an edge is in
    every draw there is no error to go by, but there still are only so many draws: those of the log posterior count.

    Parameters
    ----------
    probability, mcse
        Of each edge.
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


def edge_rows(edges: pd.DataFrame, number: int) -> list[dict[str, Any]]:
    """Return the first edges of a table, each with its columns by name."""
    return [{str(column): value for column, value in row.items()} for row in edges.head(number).to_dict("records")]


def top_dag_rows(posterior: "Posterior") -> list[dict[str, Any]]:
    """Return the most probable DAGs, each with its differences from the first."""
    ranked = posterior.top_dags(MOST_DAGS)
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


def setting_rows(info: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the record of a run as pairs of a label and a value, nested ones with dots between their names."""
    rows: list[tuple[str, str]] = []
    for name, value in info.items():
        if isinstance(value, dict):
            rows += [(f"{name}.{inner}", text) for inner, text in setting_rows(value)]
        else:
            rows.append((name, "none" if value is None else str(value)))
    return rows

"""What a report says, as plain data: the page shows it, and computes nothing."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from edgewise.errors import DataError
from edgewise.posterior.effects import pair_effects

from .layout import lay_out

if TYPE_CHECKING:
    from edgewise.posterior import Posterior

MOST_EDGES = 20_000
"""Rows of the table of edges: the most probable ones. All are in edges.csv; so many take 2 MB and sort at once."""

SMALLEST_SHARE = 0.05
"""Members of a Markov blanket less probable than this are not listed."""

MOST_DAGS = 10

MOST_CHANGES = 12
"""Differences of a DAG from the most probable one that are spelt out; of more, only the number is told."""

NORMAL_95 = 1.96
"""Standard errors to either side that hold 95 % of a normal distribution."""


def graph_content(posterior: "Posterior") -> dict[str, Any]:
    """Return what the interactive part of the page needs: variables with their places, edges, Markov blankets."""
    layout = lay_out(posterior.consensus_dag())
    edges = edge_table(posterior)
    number = {name: column for column, name in enumerate(posterior.nodes)}
    columns: dict[str, list[Any]] = {}
    for name in map(str, edges):
        values = edges[name].map(number) if name in ("source", "target") else edges[name]
        columns[name] = [None if pd.isna(value) else value for value in values.tolist()]
    blanket = posterior.markov_blanket_probabilities().to_numpy()
    return {
        "nodes": list(posterior.nodes),
        "across": np.round(layout.across, 3).tolist(),
        "down": layout.down.tolist(),
        "bends": [[i, j, *np.round(places, 3).tolist()] for (i, j), places in layout.bends.items()],
        "edges": columns,
        "blankets": [
            [[int(v), round(float(row[v]), 4)] for v in np.argsort(-row, kind="stable") if row[v] >= SMALLEST_SHARE]
            for row in blanket
        ],
    }


def edge_table(posterior: "Posterior") -> pd.DataFrame:
    """Return the most probable edges with intervals of their probabilities, and total effects with theirs.

    The interval of a probability says how far the draws leave it open: 95 %, from the Monte Carlo error. Effects are
    there if the posterior knows the moments of the data, and if double precision can hold them.
    """
    edges = posterior.edges().head(MOST_EDGES)
    half = NORMAL_95 * edges["mcse"]
    edges.insert(3, "lower", (edges["probability"] - half).clip(0, 1))
    edges.insert(4, "upper", (edges["probability"] + half).clip(0, 1))
    if posterior.moments is None or edges.empty:
        return edges
    names = pd.Index(posterior.nodes)
    source, target = (names.get_indexer(pd.Index(edges[column])) for column in ("source", "target"))
    try:
        # The seed is fixed, so that a report made anew from the same posterior is the same.
        effects = pair_effects(posterior, source, target, seed=0)
    except DataError:
        return edges
    return edges.join(effects.rename(columns={"mean": "effect", "lower": "effect_lower", "upper": "effect_upper"}))


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

"""The pictures of a posterior, from the numbers that they show.

A picture is what plotly.js takes, a dictionary of ``data`` and ``layout``: a page needs no more of plotly than that,
and is made without waiting for its Python classes. Backgrounds are transparent and lines are coloured so that they
stand out on white and on black, for readers who see all colours and for those who do not (the palette of Okabe & Ito).
Names of variables may be any text: plotly would take some of it as markup, so it is escaped.
"""

import html
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from edgewise.wording import shorten

Picture = dict[str, Any]
"""What plotly.js, or ``plotly.graph_objects.Figure``, takes."""

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
"""One for each chain, in turn."""

MOST_POINTS = 1000
"""Points of a trace: about as many as a screen has pixels across."""

MOST_LABELS = 60
"""Variables from which on there is no room for their names along an axis; they show on hovering."""

SMALLEST_SHOWN = 0.01
"""Edges that two chains both find less probable stand at the origin of their scatter, by the thousand: left out."""


def draw_trace(log_posterior: np.ndarray, iterations: np.ndarray) -> Picture:
    """Draw the log posterior, shape (chain, draw), along each chain; ``iterations`` are those of the draws."""
    draws = len(iterations)
    shown = np.unique(np.linspace(0, draws - 1, min(draws, MOST_POINTS)).astype(int))
    lines = [
        {
            "type": "scatter",
            "x": iterations[shown],
            "y": np.round(chain[shown], 3),
            "mode": "lines",
            "name": f"chain {number + 1}",
            "line": {"color": COLOURS[number % len(COLOURS)], "width": 1},
        }
        for number, chain in enumerate(log_posterior)
    ]
    return _picture(
        lines,
        xaxis={"title": {"text": "iteration"}},
        yaxis={"title": {"text": "log posterior"}, "tickformat": ",.7~g"},
        height=340,
        legend={"orientation": "h", "y": 1.1},
        showlegend=len(lines) <= len(COLOURS),
    )


def draw_edges(nodes: Sequence[str], probability: np.ndarray, order: Sequence[int]) -> Picture:
    """Draw the probabilities of all edges, shape (p, p), as a heat map; ``order`` has the variables' numbers."""
    p = len(nodes)
    probability = probability[np.ix_(order, order)]
    # Nothing that is not certain is rounded to certainty.
    percent = np.where(probability < 1, np.minimum(np.round(100 * probability), 99), 100).astype(np.uint8)
    cells = {
        "type": "heatmap",
        "z": percent,
        "zmin": 0,
        "zmax": 100,
        "colorscale": [[0, "rgba(86, 180, 233, 0.06)"], [0.5, "rgba(30, 136, 204, 0.6)"], [1, "rgb(0, 114, 178)"]],
        "colorbar": {"title": {"text": "%"}, "thickness": 12},
        "hovertemplate": "%{y} → %{x}: %{z} %<extra></extra>",
        "xgap": 1 if p <= MOST_LABELS else 0,
        "ygap": 1 if p <= MOST_LABELS else 0,
    }
    axis = {
        # Numbered, since two names may become the same when they are shortened.
        "tickmode": "array",
        "tickvals": list(range(p)),
        "ticktext": [label(nodes[v], 20) for v in order],
        "showticklabels": p <= MOST_LABELS,
        "showgrid": False,
    }
    return _picture(
        [cells],
        xaxis={"title": {"text": "to"}, "constrain": "domain", **axis},
        yaxis={"title": {"text": "from"}, "autorange": "reversed", "scaleanchor": "x", **axis},
        height=int(np.clip(22 * p + 160, 380, 800)),
    )


def draw_agreement(nodes: Sequence[str], by_chain: np.ndarray, chains: tuple[int, int]) -> Picture:
    """Draw the edge probabilities of one chain against those of another; ``by_chain`` has shape (chain, p, p)."""
    first, second = chains
    one, other = by_chain[first], by_chain[second]
    source, target = np.nonzero(np.maximum(one, other) >= SMALLEST_SHOWN)
    diagonal = {
        "type": "scatter",
        "x": [0, 1],
        "y": [0, 1],
        "mode": "lines",
        "line": {"color": "#999999", "width": 1},
        "hoverinfo": "skip",
    }
    dots = {
        "type": "scatter",
        "x": np.round(one[source, target], 4),
        "y": np.round(other[source, target], 4),
        "mode": "markers",
        "marker": {"color": COLOURS[0], "size": 7, "opacity": 0.5},
        "text": [
            f"{label(nodes[i])} → {label(nodes[j])}" for i, j in zip(source.tolist(), target.tolist(), strict=True)
        ],
        "hovertemplate": "%{text}<br>%{x:.3f} and %{y:.3f}<extra></extra>",
    }
    span = [-0.03, 1.03]
    return _picture(
        [diagonal, dots],
        xaxis={
            "title": {"text": f"probability of an edge in chain {first + 1}"},
            "range": span,
            "constrain": "domain",
        },
        yaxis={"title": {"text": f"in chain {second + 1}"}, "range": span, "scaleanchor": "x"},
        showlegend=False,
        height=420,
    )


def draw_experiments(targets: Sequence[str], bits: np.ndarray, directions: np.ndarray | None) -> Picture:
    """Draw what setting each of some variables would tell, in bits, as bars, the first on top.

    ``directions`` are the expected numbers of directions that it tells, if they are known; they show on hovering.
    """
    places = list(range(len(targets)))
    more = "<extra></extra>" if directions is None else "<br>%{customdata:.1f} directions<extra></extra>"
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": np.round(bits, 4),
        "y": places,
        "customdata": np.zeros(len(places)) if directions is None else np.round(directions, 2),
        "marker": {"color": COLOURS[0]},
        "hovertext": [label(name) for name in targets],
        "hovertemplate": "%{hovertext}: %{x:.2f} bits" + more,
    }
    return _picture(
        [bars],
        xaxis={"title": {"text": "bits"}, "rangemode": "tozero"},
        yaxis={
            # Numbered, since two names may become the same when they are shortened.
            "tickmode": "array",
            "tickvals": places,
            "ticktext": [label(name, 20) for name in targets],
            "autorange": "reversed",
        },
        height=110 + 26 * max(len(places), 4),
    )


def draw_intervals(means: pd.DataFrame, deviation: np.ndarray, *, title: str) -> Picture:
    """Draw the means of variables after an intervention, with intervals, in standard deviations from those before.

    Parameters
    ----------
    means
        A row for each variable, by name: ``mean`` with its interval from ``lower`` to ``upper``, the ``change`` that
        led there, ``probability_rising`` and ``probability_falling``.
    deviation
        The standard deviation of each variable.
    title
        What the intervention is.
    """
    before = means["mean"] - means["change"]
    middle, lower, upper = ((means[name] - before) / deviation for name in ("mean", "lower", "upper"))
    is_reached = means["probability_rising"] + means["probability_falling"] > 0
    number = list(range(len(means)))
    dots = {
        "type": "scatter",
        "x": middle.to_numpy(),
        "y": number,
        "mode": "markers",
        "error_x": {
            "type": "data",
            "symmetric": False,
            # A mean can lie outside of the interval, where few draws are far from all others.
            "array": np.maximum(upper - middle, 0).to_numpy(),
            "arrayminus": np.maximum(middle - lower, 0).to_numpy(),
            "color": COLOURS[0],
            "thickness": 2,
        },
        "marker": {"size": 8, "color": [COLOURS[0] if reached else "#999999" for reached in is_reached]},
        "text": [
            f"{label(name)}: {row['mean']:.4g} ({row['lower']:.4g} to {row['upper']:.4g}), without intervention "
            f"{row['mean'] - row['change']:.4g}<br>rising with probability {row['probability_rising']:.3f}, "
            f"falling with {row['probability_falling']:.3f}"
            for name, row in zip(means.index, means.to_dict("records"), strict=True)
        ],
        "hoverinfo": "text",
    }
    line = {"color": "#999999", "width": 2, "dash": "dot"}
    return _picture(
        [dots],
        xaxis={"title": {"text": "mean, in standard deviations of each variable from that without intervention"}},
        yaxis={
            "tickmode": "array",
            "tickvals": number,
            "ticktext": [label(name, 20) for name in means.index],
            "range": [len(means) - 0.5, -0.5],
        },
        title={"text": label(title, 100), "font": {"size": 15}, "x": 0.01, "xanchor": "left"},
        shapes=[{"type": "line", "x0": 0, "x1": 0, "y0": 0, "y1": 1, "yref": "paper", "line": line}],
        showlegend=False,
        height=22 * len(means) + 160,
    )


def label(name: str, longest: int = 40) -> str:
    """Return a name for a picture: cut if it is long, and with nothing that plotly takes for markup.

    Examples
    --------
    >>> label("<b>Raf</b>")
    '&lt;b&gt;Raf&lt;/b&gt;'
    """
    return html.escape(shorten(name, longest), quote=False)


def _picture(data: list[dict[str, Any]], *, xaxis: dict[str, Any], yaxis: dict[str, Any], **layout: Any) -> Picture:
    """Put a picture together, in the style that all share."""
    grid = {"automargin": True, "gridcolor": "rgba(128, 128, 128, 0.25)", "zeroline": False}
    for axis in (xaxis, yaxis):
        axis |= grid
        axis["title"] = {**axis.get("title", {}), "standoff": 14}
    return {
        "data": data,
        "layout": {
            "paper_bgcolor": "rgba(0, 0, 0, 0)",
            "plot_bgcolor": "rgba(0, 0, 0, 0)",
            "margin": {"l": 60, "r": 20, "t": 30, "b": 50},
            "hovermode": "closest",
            "xaxis": xaxis,
            "yaxis": yaxis,
            **layout,
        },
    }

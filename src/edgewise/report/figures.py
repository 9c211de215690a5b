"""The pictures of a posterior, as plotly figures.

Backgrounds are transparent and lines are coloured so that they stand out on white and on black, for readers who see
all colours and for those who do not (the palette of Okabe & Ito). Names of variables may be any text: plotly would take
some of it as markup, so it is escaped.
"""

import html
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from edgewise.arguments import check_threshold, is_whole
from edgewise.errors import ArgumentError
from edgewise.posterior.summaries import pair_table
from edgewise.wording import shorten

from .content import lay_out_pairs
from .layout import Layout

if TYPE_CHECKING:
    from edgewise.posterior import Posterior
    from edgewise.posterior.posterior import Kind

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
"""One for each chain, in turn."""

SETTLED, OPEN = COLOURS[0], COLOURS[5]
"""Pairs whose direction the data can tell, and others."""

MOST_POINTS = 1000
"""Points of a trace: about as many as a screen has pixels across."""

MOST_LABELS = 60
"""Variables from which on there is no room for their names along an axis; they show on hovering."""

SMALLEST_SHOWN = 0.01
"""Edges that two chains both find less probable stand at the origin of their scatter, by the thousand: left out."""


def plot_graph(posterior: "Posterior", threshold: float = 0.5) -> go.Figure:
    """Draw the pairs that are probably joined; see :meth:`edgewise.Posterior.plot_graph`."""
    pairs = pair_table(posterior)
    layout = lay_out_pairs(posterior, pairs, check_threshold(threshold))
    figure = go.Figure()
    for pair in pairs[pairs["joined"] >= threshold].to_dict("records"):
        across, down = _curve(layout, pair["source"], pair["target"])
        colour = SETTLED if pair["is_settled"] else OPEN
        head = 14 if pair["is_clear"] else 0
        source, target = (label(posterior.nodes[v]) for v in (pair["source"], pair["target"]))
        figure.add_scatter(
            x=across,
            y=down,
            mode="lines+markers",
            line={"color": colour, "width": 1 + 4 * pair["joined"], "dash": "solid" if pair["is_settled"] else "dot"},
            marker={
                "symbol": "arrow",
                "size": [*[0] * (len(across) - 1), head],
                "angleref": "previous",
                "color": colour,
            },
            opacity=0.2 + 0.8 * pair["joined"],
            text=f"{source} → {target}: {pair['probability']:.3f}<br>{target} → {source}: {pair['reverse']:.3f}",
            hoverinfo="text",
        )
    figure.add_scatter(
        x=layout.across,
        y=layout.down,
        mode="markers+text",
        marker={"size": 18, "color": "#999999", "line": {"color": "#666666", "width": 1}},
        text=[label(name, 16) for name in posterior.nodes],
        hovertext=[label(name) for name in posterior.nodes],
        hoverinfo="text",
        textposition="top center",
    )
    figure.update_layout(showlegend=False, height=max(300, 90 * (int(layout.down.max()) + 2)))
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False, autorange="reversed")
    return _finished(figure)


def plot_trace(posterior: "Posterior") -> go.Figure:
    """Draw the log posterior along each chain; see :meth:`edgewise.Posterior.plot_trace`."""
    log_posterior = posterior.log_posterior
    draws = log_posterior.shape[1]
    schedule = posterior.info.get("schedule", {"burn_in": 0, "thin": 1})
    shown = np.unique(np.linspace(0, draws - 1, min(draws, MOST_POINTS)).astype(int))
    figure = go.Figure()
    for number, chain in enumerate(log_posterior):
        figure.add_scatter(
            x=schedule["burn_in"] + schedule["thin"] * (shown + 1),
            y=np.round(chain[shown], 3),
            mode="lines",
            name=f"chain {number + 1}",
            line={"color": COLOURS[number % len(COLOURS)], "width": 1},
        )
    figure.update_layout(height=340, legend={"orientation": "h", "y": 1.1}, showlegend=len(figure.data) <= len(COLOURS))
    figure.update_xaxes(title="iteration")
    figure.update_yaxes(title="log posterior", tickformat=",.7~g")
    return _finished(figure)


def plot_edges(posterior: "Posterior", kind: "Kind" = "directed") -> go.Figure:
    """Draw the probabilities of all edges as a heat map; see :meth:`edgewise.Posterior.plot_edges`."""
    p = len(posterior.nodes)
    layout = lay_out_pairs(posterior, pair_table(posterior))
    order = np.lexsort((layout.across, layout.down))
    probability = posterior.edge_probabilities(kind).to_numpy()[np.ix_(order, order)]
    # Nothing that is not certain is rounded to certainty.
    percent = np.where(probability < 1, np.minimum(np.round(100 * probability), 99), 100).astype(np.uint8)
    figure = go.Figure(
        go.Heatmap(
            z=percent,
            zmin=0,
            zmax=100,
            colorscale=[[0, "rgba(86, 180, 233, 0.06)"], [0.5, "rgba(30, 136, 204, 0.6)"], [1, "rgb(0, 114, 178)"]],
            colorbar={"title": {"text": "%"}, "thickness": 12},
            hovertemplate="%{y} → %{x}: %{z} %<extra></extra>",
            xgap=1 if p <= MOST_LABELS else 0,
            ygap=1 if p <= MOST_LABELS else 0,
        )
    )
    # The axes are numbered, since two names may become the same when they are shortened.
    ticks = {
        "tickmode": "array",
        "tickvals": list(range(p)),
        "ticktext": [label(posterior.nodes[v], 20) for v in order],
    }
    figure.update_layout(height=int(np.clip(22 * p + 160, 380, 800)))
    figure.update_xaxes(title="to", showticklabels=p <= MOST_LABELS, constrain="domain", showgrid=False, **ticks)
    figure.update_yaxes(title="from", showticklabels=p <= MOST_LABELS, autorange="reversed", scaleanchor="x", **ticks)
    figure.update_yaxes(showgrid=False)
    return _finished(figure)


def plot_agreement(posterior: "Posterior", first: int | None = None, second: int | None = None) -> go.Figure:
    """Draw edge probabilities of one chain against another's; see :meth:`edgewise.Posterior.plot_agreement`."""
    by_chain = posterior.directed_by_chain
    first, second = _choose_chains(posterior, first, second)
    one, other = by_chain[first], by_chain[second]
    source, target = np.nonzero(np.maximum(one, other) >= SMALLEST_SHOWN)
    figure = go.Figure()
    figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", line={"color": "#999999", "width": 1}, hoverinfo="skip")
    figure.add_scatter(
        x=np.round(one[source, target], 4),
        y=np.round(other[source, target], 4),
        mode="markers",
        marker={"color": COLOURS[0], "size": 7, "opacity": 0.5},
        text=[
            f"{label(posterior.nodes[i])} → {label(posterior.nodes[j])}"
            for i, j in zip(source.tolist(), target.tolist(), strict=True)
        ],
        hovertemplate="%{text}<br>%{x:.3f} and %{y:.3f}<extra></extra>",
    )
    figure.update_layout(showlegend=False, height=420)
    figure.update_xaxes(title=f"probability of an edge in chain {first + 1}", range=[-0.03, 1.03], constrain="domain")
    figure.update_yaxes(title=f"in chain {second + 1}", range=[-0.03, 1.03], scaleanchor="x")
    return _finished(figure)


def label(name: str, longest: int = 40) -> str:
    """Return a name for a picture: cut if it is long, and with nothing that plotly takes for markup.

    Examples
    --------
    >>> label("<b>Raf</b>")
    '&lt;b&gt;Raf&lt;/b&gt;'
    """
    return html.escape(shorten(name, longest), quote=False)


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


def _curve(layout: Layout, i: int, j: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points along an edge: from bend to bend, vertical in each, and ending short of its variable."""
    bends = layout.bends.get((i, j), [])
    across = np.array([layout.across[i], *bends, layout.across[j]])
    down = np.linspace(layout.down[i], layout.down[j], len(across))
    steps = np.linspace(0, len(across) - 1, 12 * (len(across) - 1) + 1)[:-1]
    part = steps.astype(int)
    within = steps - part
    smooth = within**2 * (3 - 2 * within)
    return across[part] + np.diff(across)[part] * smooth, down[part] + np.diff(down)[part] * within


def _finished(figure: go.Figure) -> go.Figure:
    figure.update_layout(
        template="none",
        paper_bgcolor="rgba(0, 0, 0, 0)",
        plot_bgcolor="rgba(0, 0, 0, 0)",
        margin={"l": 60, "r": 20, "t": 30, "b": 50},
        hovermode="closest",
    )
    axis = {"automargin": True, "gridcolor": "rgba(128, 128, 128, 0.25)", "zeroline": False, "title_standoff": 14}
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    return figure

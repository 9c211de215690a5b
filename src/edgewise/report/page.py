"""The report: one HTML file that needs nothing else, to be looked at, printed and mailed.

The template escapes every value it is given. What the page's own script works with is handed over as JSON, in which no
mark of HTML is left, and the script only ever makes text of it. A content security policy keeps the page from asking
the network for anything.
"""

import base64
import json
import math
import re
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment
from plotly.offline import get_plotlyjs

from edgewise.data import Moments
from edgewise.files import new_file
from edgewise.wording import shorten

from .drawing import label_of, width_of
from .figures import SMALLEST_SHOWN, Picture
from .settings import describe_date, describe_run
from .templates import make_environment, read_parts

MOST_ROWS = 10
"""Rows of the small tables: enough to see what is the matter."""

SMALLEST_SHARE = 0.05
"""Members of a Markov blanket less probable than this are not listed."""

ARROWS = {"->": "→", "<-": "←", "-": "–", "?": "?"}
"""How the direction of a pair is shown; the last where chains disagree."""

MOST_CHANGES = 12
"""Differences of a DAG from the most probable one that are spelt out; of more, only the number is told."""


@dataclass(frozen=True, eq=False)
class Content:
    """What a report says: every number, and every judgement that depends on one.

    Attributes
    ----------
    nodes
        The variables' names.
    chains, draws
        How many chains, and draws of each.
    info
        The record of the run.
    moments
        The means and standard deviations of the data, if they are known.
    verdict, is_converged
        Whether the run can be trusted.
    r_hat, ess
        Of the log posterior.
    weight_ess
        How many equally weighted draws the weights leave.
    moving
        A row for each edge that comes and goes, ``source``, ``target``, ``r_hat`` and ``ess``, the worst first.
    acceptance
        A row for each kind of move: ``proposed``, ``share`` and ``accepted``.
    round_trips
        How many round trips of tempered chains began and how many ended; None where chains are not tempered.
    agreement
        The least correlation of edge probabilities between two chains.
    difference
        The largest difference of a printed probability between two chains.
    apart, largest_difference
        How many pairs have probabilities that differ between chains, and by more than what.
    disagreed, disagreement
        On how many pairs chains disagree, and by how much their probabilities then differ at least.
    effective_draws
        How many independent draws the run is worth, for the probabilities of edges.
    headline, told_by
        How many pairs are joined, and of how many the direction can be told; and what tells it.
    account, model
        Sentences on how the data were taken, and what the score takes graphs for.
    probable
        From which probability on pairs count as joined.
    joined
        How many pairs were ever joined.
    pairs
        The most probable of these: ``a`` and ``b`` (column numbers), ``joined`` with its interval from ``lower`` to
        ``upper``, ``forward``, ``backward``, ``told_forward``, ``told_backward`` and ``direction``.
    edges
        The most probable edges: ``source`` and ``target`` (column numbers), ``probability`` and, where effects are
        known, ``effect``, ``effect_lower`` and ``effect_upper``.
    least_drawn
        The least probability from which on pairs can be drawn.
    order
        Column numbers, probable causes first: pairs are drawn downwards along it.
    blankets
        The probability that each variable is in the Markov blanket of each other, shape (p, p).
    dags
        The most probable DAGs: ``share``, ``log_posterior``, the number of ``edges``, and ``changes`` against the
        first, each a word and two variables.
    advice, experiments
        Which experiment would tell most about open directions, None if there is nothing to say; and the best of them:
        ``target``, ``bits_beyond`` and ``directions``.
    pictures
        By name: ``trace``, ``edges``, with several chains ``agreement``, and with advice ``next``.
    """

    nodes: tuple[str, ...]
    chains: int
    draws: int
    info: dict[str, Any]
    moments: Moments | None
    verdict: str
    is_converged: bool
    r_hat: float
    ess: float
    weight_ess: float
    moving: pd.DataFrame
    acceptance: pd.DataFrame
    round_trips: tuple[int, int] | None
    agreement: float
    difference: float
    apart: int
    largest_difference: float
    disagreed: int
    disagreement: float
    effective_draws: float
    headline: str
    told_by: str
    account: list[str]
    model: str
    probable: float
    joined: int
    pairs: pd.DataFrame
    edges: pd.DataFrame
    least_drawn: float
    order: list[int]
    blankets: np.ndarray
    dags: list[dict[str, Any]]
    advice: str | None
    experiments: pd.DataFrame
    pictures: dict[str, Picture]


def write_page(content: Content, path: Path) -> None:
    """Write a report."""
    page = (
        _environment()
        .get_template("page.html")
        .render(
            vars(content),
            has_effects="effect" in content.edges,
            settings=describe_run(content.info),
            date=describe_date(content.info),
            most_rows=MOST_ROWS,
            most_changes=MOST_CHANGES,
            smallest_shown=SMALLEST_SHOWN,
            made_with=version("edgewise"),
            style=read_parts("base.css", "page.css"),
            script=read_parts("layout.js", "page.js"),
            plotly=get_plotlyjs(),
            graph=as_script_data(_graph_data(content)),
            figures=as_script_data(content.pictures),
        )
    )
    # A name may hold half of a surrogate pair, which no file can.
    with new_file(path) as unfinished:
        unfinished.write_text(page, encoding="utf-8", errors="replace")


def summarize(*, about: str, verdict: str, headline: str, pairs: pd.DataFrame, graph: str) -> str:
    """Return a few lines of HTML for a notebook: what was sampled, the verdict, the most probable pairs.

    Parameters
    ----------
    about, verdict, headline
        A few words, and a sentence each.
    pairs
        Pairs by name, as :meth:`edgewise.Posterior.pairs` has them.
    graph
        A picture of the graph as an SVG element, whose text must be escaped already.
    """
    return (
        _environment()
        .get_template("summary.html")
        .render(
            about=about,
            verdict=verdict,
            headline=headline,
            graph=graph,
            pairs=pairs.head(MOST_ROWS).to_dict("records"),
        )
    )


def as_script_data(value: Any) -> str:
    r"""Return JSON that can stand inside a script element, whatever text is in it.

    Examples
    --------
    >>> as_script_data(["</script>"])
    '["\\u003c/script\\u003e"]'
    """
    text = json.dumps(value, allow_nan=False, separators=(",", ":"), default=_as_typed_array)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _as_typed_array(array: np.ndarray) -> dict[str, str]:
    """Return an array as plotly.js reads it: its bytes, which take less room and time than digits."""
    if array.dtype == np.int64:  # which JavaScript has no array of
        array = array.astype(np.int32 if abs(array).max(initial=0) < 2**31 else np.float64)
    data = base64.b64encode(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).data).decode()
    return {"dtype": array.dtype.str[1:], "bdata": data, "shape": ",".join(map(str, array.shape))}


def _graph_data(content: Content) -> dict[str, Any]:
    """Return what the interactive part of the page needs: variables with their boxes, edges, Markov blankets."""
    labels = [label_of(name) for name in content.nodes]
    return {
        "threshold": content.probable,
        "file": f"{_stem(content.info)}-graph",
        "nodes": list(content.nodes),
        "labels": labels,
        "widths": [width_of(label) for label in labels],
        "order": content.order,
        "pairs": _columns(content.pairs),
        "edges": _columns(content.edges),
        "blankets": [
            [[int(v), round(float(row[v]), 4)] for v in np.argsort(-row, kind="stable") if row[v] >= SMALLEST_SHARE]
            for row in content.blankets
        ],
    }


def _columns(table: pd.DataFrame) -> dict[str, list[Any]]:
    """Return a table as lists; what is not a number is None."""
    return {str(name): [None if pd.isna(value) else value for value in table[name].tolist()] for name in table}


def _stem(info: dict[str, Any]) -> str:
    """Return what files of saved pictures begin with: the name of the data, as far as any system takes it."""
    name = str((info.get("data") or {}).get("name") or "edgewise").split(".")[0]
    return re.sub(r"[^\w-]+", "_", name)[:40].strip("_") or "edgewise"


def _number(value: float, digits: int = 3) -> str:
    """Return a number with so many digits after the point, or a dash if it is none."""
    return f"{value:,.{digits}f}" if math.isfinite(value) else ("∞" if math.isinf(value) else "–")


@cache
def _environment() -> Environment:
    return make_environment("report", number=_number, shorten=shorten, arrow=ARROWS.__getitem__)

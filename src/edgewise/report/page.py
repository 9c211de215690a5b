"""The report: one HTML file that needs nothing else, to be looked at, printed and mailed.

The template escapes every value it is given. What the page's own script works with is handed over as JSON, in which no
mark of HTML is left, and the script only ever makes text of it. A content security policy keeps the page from asking
the network for anything.
"""

import json
import math
import os
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment
from plotly.offline import get_plotlyjs

from edgewise.files import new_file
from edgewise.posterior.diagnostics import SMALLEST_DIFFERENCE
from edgewise.posterior.summaries import PROBABLE, pair_table
from edgewise.wording import shorten

from .content import MOST_CHANGES, MOST_EDGES, edge_rows, graph_content, setting_rows, top_dag_rows
from .figures import SMALLEST_SHOWN, plot_agreement, plot_edges, plot_trace
from .templates import make_environment

if TYPE_CHECKING:
    from edgewise.posterior import Posterior

MOST_ROWS = 10
"""Rows of the small tables: enough to see what is the matter."""


def write_report(posterior: "Posterior", path: str | os.PathLike[str]) -> None:
    """Write the report; see :meth:`edgewise.Posterior.report`."""
    graph = graph_content(posterior)
    template = _environment().get_template("page.html")
    page = template.render(
        **_shared(posterior),
        draws=posterior.weights.shape[1],
        has_effects="effect" in graph["edges"],
        info=posterior.info,
        settings=setting_rows(posterior.info),
        moments=posterior.moments,
        dags=top_dag_rows(posterior),
        most_changes=MOST_CHANGES,
        most_edges=MOST_EDGES,
        smallest_shown=SMALLEST_SHOWN,
        smallest_difference=SMALLEST_DIFFERENCE,
        made_with=version("edgewise"),
        style=_read("page.css"),
        script=_read("page.js"),
        plotly=get_plotlyjs(),
        graph=as_script_data({"threshold": PROBABLE, **graph}),
        figures=as_script_data(_figures(posterior)),
    )
    # A name may hold half of a surrogate pair, which no file can.
    with new_file(Path(path)) as unfinished:
        unfinished.write_text(page, encoding="utf-8", errors="replace")


def summarize(posterior: "Posterior") -> str:
    """Return a few lines of HTML for a notebook: what was sampled, the verdict, the most probable edges."""
    return _environment().get_template("summary.html").render(**_shared(posterior), about=repr(posterior))


def as_script_data(value: Any) -> str:
    r"""Return JSON that can stand inside a script element, whatever text is in it.

    Examples
    --------
    >>> as_script_data(["</script>"])
    '["\\u003c/script\\u003e"]'
    """
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _shared(posterior: "Posterior") -> dict[str, Any]:
    """Return what the report and the summary in a notebook both say."""
    edges, pairs = posterior.edges(), pair_table(posterior)
    found = pairs[pairs["joined"] >= PROBABLE]
    return {
        "nodes": posterior.nodes,
        "chains": posterior.weights.shape[0],
        "diagnostics": posterior.silent_diagnostics,
        "drawn": len(edges),
        "joined": len(found),
        "clear": int(found["is_clear"].sum()),
        "probable": PROBABLE,
        "top_edges": edge_rows(edges, MOST_ROWS),
        "most_rows": MOST_ROWS,
    }


def _figures(posterior: "Posterior") -> dict[str, Any]:
    figures = {"trace": plot_trace(posterior)}
    if len(posterior.weights) > 1:
        figures["agreement"] = plot_agreement(posterior)
    figures["edges"] = plot_edges(posterior)
    return {name: json.loads(figure.to_json()) for name, figure in figures.items()}


def _number(value: float, digits: int = 3) -> str:
    """Return a number with so many digits after the point, or a dash if it is none."""
    return f"{value:,.{digits}f}" if math.isfinite(value) else ("∞" if math.isinf(value) else "–")


@cache
def _environment() -> Environment:
    return make_environment("report", number=_number, shorten=shorten)


def _read(name: str) -> str:
    return files("edgewise.report").joinpath(name).read_text(encoding="utf-8")

"""The command that draws the graph for a paper."""

from pathlib import Path
from typing import Annotated

import typer

from edgewise.wording import printable

from .options import FLAG, OUTPUT, NoColor


def figure(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where edgewise fit wrote its results.")],
    out: Annotated[
        Path, typer.Option(rich_help_panel=OUTPUT, help="File to write, whose name ends in .svg, .pdf or .png.")
    ],
    threshold: Annotated[
        float, typer.Option(help="Leave out pairs that are joined with a lower probability than this.")
    ] = 0.5,
    highlight: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Let this variable stand out; repeat for more.")
    ] = None,
    neighbourhood: Annotated[
        bool, typer.Option("--neighbourhood", metavar=FLAG, help="Draw only the neighbourhood of what is highlighted.")
    ] = False,
    no_color: NoColor = False,
) -> None:
    """Draw the graph as in the report, for a paper: lines and letters as SVG or PDF, or dots as PNG.

    A line has an arrowhead only where the direction can be told. PDF and PNG need matplotlib.
    """
    from .results import load_results

    load_results(directory).plot_graph(threshold, highlight or None, neighbourhood=neighbourhood, path=out)
    typer.echo(f"Wrote {printable(str(out))}.")

"""The command that tells what an intervention would do."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgewise.errors import ArgumentError
from edgewise.wording import printable, quote

from .options import FLAG, OUTPUT, NoColor

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

    import edgewise as ew

ENDINGS = (".csv", ".html")

NUMBERS = {
    "mean": "mean",
    "lower": "from",
    "upper": "to",
    "before": "before",
    "probability_rising": "rising",
    "probability_falling": "falling",
}
"""Columns of the table in the terminal, the most important first, with their headings."""

NAMES = 14
"""Columns of a terminal that a name should have; where numbers leave less, the last of these are left out."""


def effect(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where edgewise fit wrote its results.")],
    values: Annotated[
        list[str],
        typer.Option("--set", metavar="NAME=VALUE", help="Set a variable to a value; repeat to set more together."),
    ],
    interval: Annotated[float, typer.Option(help="Posterior probability of the intervals.")] = 0.9,
    draws: Annotated[int, typer.Option(help="Pairs of a DAG and its parameters behind means and intervals.")] = 1000,
    seed: Annotated[int, typer.Option(help="Another seed makes other draws.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(rich_help_panel=OUTPUT, help="File to write: the whole table (.csv), or a picture of it (.html)."),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", metavar=FLAG, rich_help_panel=OUTPUT, help="Print the table as JSON, and nothing else."),
    ] = False,
    no_color: NoColor = False,
) -> None:
    """Tell what the means of all other variables would be if some were set to values: an experiment, in advance.

    Means and intervals are over DAGs and their parameters, in the units of the data, under a linear Gaussian model. The
    intervals are those of means, not of single measurements.
    """
    from .reading import read_values
    from .results import load_results

    setting = read_values(values)
    if out is not None and out.suffix.lower() not in ENDINGS:
        raise ArgumentError(f"--out must be a file whose name ends in .csv or .html, but {quote(str(out))} was given.")
    posterior = load_results(directory)
    settings: dict[str, Any] = {"interval": interval, "draws": draws, "seed": seed}
    table = posterior.intervene(setting, **settings)
    if out is not None:
        _write(out, posterior, setting, settings, table)
    diagnostics = posterior.silent_diagnostics
    if as_json:
        described = {
            "set": setting,
            **settings,
            "verdict": diagnostics.verdict,
            "is_converged": diagnostics.is_converged,
            "means": table.reset_index().to_dict("records"),
        }
        sys.stdout.write(json.dumps(described, indent=2, allow_nan=False) + "\n")
    else:
        _show(table, setting, interval, is_ranked=(posterior.info.get("data") or {}).get("transform") == "ranks")
        if out is not None:
            typer.echo(f"Wrote {printable(str(out))}.")
    if not diagnostics.is_converged:
        sys.stderr.write(f"edgewise: note: {printable(diagnostics.verdict)}\n")


def _write(
    out: Path, posterior: "ew.Posterior", setting: dict[str, float], settings: dict[str, Any], table: "pd.DataFrame"
) -> None:
    """Write the table, or the picture, by the ending of the file's name."""
    from edgewise.files import new_file
    from edgewise.posterior.exports import write_csv

    with new_file(out) as unfinished:
        if out.suffix.lower() == ".csv":
            write_csv(unfinished, posterior.nodes, table.reset_index())
        else:
            page = posterior.plot_intervention(setting, **settings).to_html(
                include_plotlyjs=True, config={"displaylogo": False}
            )
            unfinished.write_text(page, encoding="utf-8", errors="replace")


def _show(table: "pd.DataFrame", setting: dict[str, float], interval: float, *, is_ranked: bool) -> None:
    """Print the most changed variables, and what the numbers are."""
    from rich.text import Text

    from edgewise.posterior.interventions import describe_values

    from .summary import SHOWN, open_console

    console = open_console()
    shown = table.head(SHOWN).assign(before=lambda means: means["mean"] - means["change"])
    console.print(_table(shown, printable(f"Means when {describe_values(setting)}"), console.width))
    if len(table) > SHOWN:
        console.print(Text(f"These are the {SHOWN} most changed of {len(table)} variables; --out FILE.csv has all."))
    console.print(
        Text(
            f"From and to hold the mean with a probability of {interval:g}, over DAGs and their parameters; single "
            "measurements spread more. Before is the mean without setting anything; rising and falling are the "
            "probabilities that it does so, under a linear Gaussian model."
        )
    )
    if is_ranked:
        console.print(Text("All values are normal scores, since the run took the ranks of measurements."))


def _table(means: "pd.DataFrame", title: str, width: int) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("variable", overflow="fold", min_width=8)
    shown = list(NUMBERS)
    while len(shown) > 1 and NAMES + 11 * len(shown) > width:
        shown.pop()
    for name in shown:
        table.add_column(NUMBERS[name], justify="right", no_wrap=True)
    for variable, row in zip(means.index, means.to_dict("records"), strict=True):
        numbers = (f"{row[name]:.3f}" if name.startswith("probability") else f"{row[name]:.4g}" for name in shown)
        table.add_row(Text(printable(variable)), *numbers)
    return table

"""The command that tells which experiment to do next."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from edgewise.errors import ArgumentError
from edgewise.wording import printable, quote

from .options import FLAG, OUTPUT, NoColor

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 15
"""Experiments in the table: what fits on a screen."""

HEADS = {
    "bits": ("bits", 2),
    "bits_beyond": ("beyond", 2),
    "mcse": ("±", 2),
    "marginal_bits": ("added", 2),
    "directions": ("directions", 1),
    "cost": ("cost", 2),
    "bits_per_cost": ("bits / cost", 3),
}
"""Columns of the table in the terminal, and their decimals."""


def next_experiments(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where edgewise fit wrote its results.")],
    about: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT",
            help="What to learn about: edges, parents=ERK or path=RAF,ERK; by default the whole DAG.",
        ),
    ] = None,
    batch: Annotated[int, typer.Option(help="How many experiments to choose before looking at data again.")] = 1,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A variable that cannot be set; repeat for more.")
    ] = None,
    costs: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE|NAME=COST",
            help="Costs of setting variables, by default 1: a YAML or JSON file, or one by one.",
        ),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(help="Count what so many rows would tell, by simulation; for 20 variables at most."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Makes the simulation of --rows repeatable.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", metavar=FLAG, rich_help_panel=OUTPUT, help="Print JSON, and nothing else.")
    ] = False,
    no_color: NoColor = False,
) -> None:
    """Tell which variable to set next: what that would tell about the DAG, in bits, the best experiment first."""
    from .results import load_results

    posterior = load_results(directory)
    question = _read_about(about, posterior.nodes)
    table = posterior.next_experiments(
        question, batch=batch, exclude=exclude or (), costs=_read_costs(costs), rows=rows, seed=seed
    )
    if as_json:
        told = {"about": about, **table.attrs, "experiments": table.to_dict("records")}
        sys.stdout.write(json.dumps(told, indent=2, allow_nan=False) + "\n")
    else:
        is_plain = about is None and batch == 1 and rows is None and not exclude and not costs
        _show(table, posterior.advice if is_plain else None, rows)


def _read_about(about: str | None, nodes: Sequence[str]) -> str | tuple[str, ...] | None:
    """Return a question as Python takes it."""
    if about is None:
        return None
    kind, equals, rest = about.partition("=")
    if not equals:
        return "directed edges" if kind == "edges" else kind
    if kind != "path":
        return kind, rest
    # A name may have commas: of all ways to take the text apart, one should give two names.
    parts = rest.split(",")
    ways = [(",".join(parts[:k]), ",".join(parts[k:])) for k in range(1, len(parts))]
    if not ways:
        raise ArgumentError(f"--about must be like path=RAF,ERK, with two variables, but {quote(about)} was given.")
    return kind, *next((way for way in ways if {*way} <= {*nodes}), ways[0])


def _read_costs(given: Sequence[str] | None) -> dict[str, float] | None:
    """Return costs by name, from a file, and from texts like ``"Mek=2"``."""
    from edgewise.priors.reading import read_mapping

    found: dict[str, str] = {}
    for text in given or ():
        name, equals, cost = text.rpartition("=")
        if not equals or Path(text).is_file():
            found |= read_mapping(text, what="costs", keys="variables as keys")
        else:
            found[name] = cost
    return {name: _as_cost(name, cost) for name, cost in found.items()} or None


def _as_cost(name: str, text: str) -> float:
    try:
        return float(text)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"The cost of {quote(name)} must be a number, but it is {quote(text)}.") from error


def _show(table: "pd.DataFrame", advice: str | None, rows: int | None) -> None:
    """Print the best experiments, and what is assumed."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from .summary import open_console

    console = open_console()
    shown = Table(title="Experiments", title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    shown.add_column("set", overflow="fold", min_width=6)
    columns = [name for name in HEADS if name in table]
    for name in columns:
        shown.add_column(HEADS[name][0], justify="right", no_wrap=True)
    for row in table.head(SHOWN).to_dict("records"):
        numbers = (f"{row[name]:.{HEADS[name][1]}f}" for name in columns)
        shown.add_row(Text(printable(row["target"])), *numbers)
    console.print(shown)
    if len(table) > SHOWN:
        console.print(Text(f"The JSON also has the other {len(table) - SHOWN}."))
    if not (table["bits_beyond"] > 0).any():
        console.print(Text("No experiment would tell more than further rows of the present kind."))
    elif advice:
        console.print(Text(printable(advice)))
    console.print(Text(_assumed(rows)))


def _assumed(rows: int | None) -> str:
    """Say what the numbers suppose, and what they are compared with."""
    number, others = ("many", "no more rows") if rows is None else (f"{rows:,}", "as many rows")
    meant = "would tell" if rows is None else "would not tell"
    return (
        f"Assumed are perfect interventions, {number} rows, and no missing common cause. beyond: bits that {others} of "
        f"the present kind {meant}."
    )

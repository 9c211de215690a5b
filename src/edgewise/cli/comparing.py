"""The command that compares two runs."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from edgewise.wording import printable

from .options import OUTPUT, Json, NoColor, Overwrite, Quiet
from .translating import translate

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

    from edgewise.posterior import Comparison

PAGE, TABLE, SUMMARY = "comparison.html", "pairs.csv", "comparison.json"
"""What is written."""


def compare(
    first: Annotated[Path, typer.Argument(metavar="DIR1", help="Where edgewise fit wrote the results of one run.")],
    second: Annotated[Path, typer.Argument(metavar="DIR2", help="The same of another run, with the same variables.")],
    out: Annotated[Path, typer.Option(rich_help_panel=OUTPUT, help="Directory for the results; made if need be.")],
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    as_json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Compare two runs over the same variables; write comparison.html, pairs.csv and comparison.json.

    The runs may be of two conditions, seeds or priors. Differences are those of DIR2 from DIR1. Which of them are more
    than Monte Carlo error is told with all pairs taken into account: runs that differ in nothing but their seeds are
    said to differ in any pair once in a hundred comparisons.
    """
    import json
    import sys

    import edgewise as ew
    from edgewise.errors import ArgumentError
    from edgewise.wording import quote

    from .results import check_directory, load_results, new_files

    check_directory(out, overwrite=overwrite)
    if out.resolve() in (first.resolve(), second.resolve()):
        raise ArgumentError(
            f"--out is {quote(str(out))}, one of the two runs, whose {TABLE} would be lost: choose another directory."
        )
    comparison = ew.compare(load_results(first), load_results(second), names=_call(first, second))
    summary = json.dumps(_describe(comparison, first, second), indent=2, allow_nan=False) + "\n"
    with new_files(out) as directory:
        comparison.report(directory / PAGE)
        comparison.write(directory / TABLE)
        (directory / SUMMARY).write_text(summary, encoding="utf-8", errors="replace")
    if as_json:
        sys.stdout.write(summary)
    elif not quiet:
        _show(comparison, out)
    if as_json or quiet:
        for note in comparison.notes:
            sys.stderr.write(f"edgewise: note: {printable(translate(note))}\n")


def _call(first: Path, second: Path) -> tuple[str, str]:
    """Return names for two directories: their own, with those of as many parents as tell them apart."""
    one, other = (Path(os.path.abspath(path)).parts[1:] or ("/",) for path in (first, second))
    for depth in range(1, max(len(one), len(other)) + 1):
        names = "/".join(one[-depth:]), "/".join(other[-depth:])
        if names[0] != names[1]:
            return names
    return one[-1], f"{other[-1]} (again)"


def _describe(comparison: "Comparison", first: Path, second: Path) -> dict[str, Any]:
    """Return a comparison as what JSON can hold: no number is None."""
    from .summary import SHOWN, without_nan

    pairs = comparison.numbered_pairs
    described = {
        "first": str(first),
        "second": str(second),
        "names": list(comparison.names),
        "headline": comparison.headline,
        "notes": [translate(note) for note in comparison.notes],
        "agreement": comparison.agreement,
        "variables": len(comparison.nodes),
        "beyond_error": int(pairs["beyond_error"].sum()),
        "large": int(pairs["is_large"].sum()),
        "critical": comparison.critical,
        "false_alarms": comparison.false_alarms,
        "settings": [setting._asdict() for setting in comparison.settings],
        "same": list(comparison.same),
        "top_pairs": comparison.pairs.head(SHOWN).to_dict("records"),
    }
    plain: dict[str, Any] = without_nan(described)
    return plain


def _show(comparison: "Comparison", out: Path) -> None:
    """Print the pairs that differ, where everything is, and what to be careful about."""
    from rich.text import Text

    from .summary import SHOWN, open_console

    console = open_console()
    pairs = comparison.pairs
    large = pairs[pairs["is_large"]]
    if len(large):
        console.print(_tabulate(large.head(SHOWN), comparison.names))
    console.print(Text(printable(comparison.headline)))
    if len(large) and "data" in {setting.setting for setting in comparison.settings}:
        console.print(Text("That is not yet a difference in nature: other rows of the same kind also change them."))
    console.print(
        Text(
            f"Agreement: {comparison.agreement:.2f}, the share of the joined pairs expected in either that both expect."
        )
    )
    if comparison.settings:
        differing = ", ".join(setting.setting for setting in comparison.settings)
        console.print(Text(f"The runs differ in: {differing}."))
    console.print()
    # A path must not be broken, so that it can be copied.
    console.print(Text(f"Open {printable(str(out / PAGE))} in a browser."), soft_wrap=True)
    console.print(Text(f"Beside it are {SUMMARY} and {TABLE}."))
    for note in comparison.notes:
        console.print()
        console.print(Text.assemble(("Note: ", "bold red"), printable(translate(note))))


def _tabulate(pairs: "pd.DataFrame", names: tuple[str, str]) -> "Table":
    """Return the pairs that differ, each in the probability in which it differs most."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from edgewise.wording import shorten

    signs = {"joined": "-", "forward": "->", "backward": "<-", "told_forward": "told ->", "told_backward": "told <-"}
    table = Table(title="Largest differences", title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column, width in (("a", 6), ("", 2), ("b", 6)):
        table.add_column(column, overflow="fold", min_width=width)
    for column in (*(shorten(name, 16) for name in names), "±"):
        table.add_column(Text(printable(column)), justify="right", no_wrap=True)
    for pair in pairs.to_dict("records"):
        what = pair["differs_in"]
        words = (Text(printable(text)) for text in (pair["a"], signs[what], pair["b"]))
        table.add_row(*words, *(f"{pair[f'{what}_{end}']:.3f}" for end in ("first", "second", "mcse")))
    return table

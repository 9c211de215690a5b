"""The command that repeats the experiments of the paper."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from edgewise.wording import printable

from .options import FLAG, INTERRUPTED, OUTPUT, NoColor, Quiet


def reproduce(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="table1 to table3, figure1 to figure4, theorem, or all."),
    ],
    out: Annotated[
        Path, typer.Option(rich_help_panel=OUTPUT, help="Directory for the results; a former run in it goes on.")
    ],
    quick: Annotated[
        bool, typer.Option("--quick", metavar=FLAG, help="Few data sets and short chains: three minutes.")
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option(envvar="EDGEWISE_DATA", help="Directory with the folders dream4 and egfr."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes to run beside each other; by default one for each core.")
    ] = None,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Repeat the tables and figures of the paper; write CSV files, pictures and index.html.

    Ctrl-C stops; the same command goes on where it was. Exit code 1 says that a result is not of the shape it must be.
    """
    from edgewise.experiments.reproducing import PAGE, choose, missing_data
    from edgewise.experiments.reproducing import reproduce as run

    choose(names)
    for sentence in missing_data(names, data):
        sys.stderr.write(f"edgewise: note: {sentence}\n")
    try:
        sections = run(names, out, data=data, quick=quick, workers=workers, progress=not quiet)
    except KeyboardInterrupt as interrupt:
        typer.echo(
            "edgewise: interrupted; what was finished is kept, and the same command goes on from there.", err=True
        )
        raise typer.Exit(INTERRUPTED) from interrupt
    failed = [(section, check) for section in sections for check in section.checks if not check.holds]
    for section, check in failed:
        sys.stderr.write(f"edgewise: {section.name} fails a check: {check.statement}\n")
    if not quiet:
        held = sum(check.holds for section in sections for check in section.checks)
        typer.echo(f"{held} of {held + len(failed)} checks hold. Open {printable(str(out / PAGE))} in a browser.")
    if failed:
        raise typer.Exit(1)

"""What several commands have in common: options, and the panels of the help text that these stand in."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from .summary import Summary

INTERRUPTED = 130
EXIT_CODES = {"keyboard": INTERRUPTED, "termination signal": 143, "hangup signal": 129}
"""Exit codes after Ctrl-C and other signals: 128 plus the number of the signal."""

BAD_VERDICT = 3
"""The exit code of --strict after a bad verdict: 1 and 2 are those of failures and errors."""

CHAINS, MODEL, TABLE, OUTPUT = "Chains", "Model", "Data", "Output"
"""The panels."""

FLAG = ""
"""What a switch takes, for help texts that would have it take a <bool>."""


def _leave_out_colours(wanted: bool) -> None:
    if wanted:
        os.environ["NO_COLOR"] = "1"


NoColor = Annotated[
    bool,
    typer.Option(
        "--no-color",
        callback=_leave_out_colours,
        is_eager=True,
        metavar=FLAG,
        rich_help_panel=OUTPUT,
        help="Show no colours.",
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", metavar=FLAG, rich_help_panel=OUTPUT, help="Show no progress and no summary.")
]
Iterations = Annotated[
    int | None,
    typer.Option(
        rich_help_panel=CHAINS,
        help="Steps of each chain, burn-in included; by default 100,000, or as many as --time-budget allows.",
    ),
]
BurnIn = Annotated[
    float,
    typer.Option(rich_help_panel=CHAINS, help="Part to leave out: below 1 a share, else a number of iterations."),
]
Thin = Annotated[
    int | None,
    typer.Option(
        rich_help_panel=CHAINS, help="Iterations from one draw to the next; by default for 4000 draws or fewer."
    ),
]
Chains = Annotated[int, typer.Option(rich_help_panel=CHAINS, help="How many chains to run.")]
Dask = Annotated[
    str | None,
    typer.Option(rich_help_panel=CHAINS, metavar="ADDRESS", help="Dask scheduler to run on, like tcp://host:8786."),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", metavar=FLAG, rich_help_panel=OUTPUT, help="Replace the files in --out.")
]
Strict = Annotated[
    bool,
    typer.Option("--strict", metavar=FLAG, rich_help_panel=OUTPUT, help="End with exit code 3 if the verdict is bad."),
]
Json = Annotated[
    bool,
    typer.Option("--json", metavar=FLAG, rich_help_panel=OUTPUT, help="Print the summary as JSON, and nothing else."),
]


def examples(*commands: str) -> str:
    """Return the end of a help text; an empty line is one that is not joined to the next."""
    return "\n\n".join(["Examples:", *commands])


def end_as(summary: "Summary", *, is_strict: bool) -> None:
    """End with the exit code of an interrupted command if the run was interrupted, or else with that of the verdict."""
    if summary.info["stopped_by"] in EXIT_CODES:
        raise typer.Exit(EXIT_CODES[summary.info["stopped_by"]])
    if is_strict and not summary.diagnostics.is_converged:
        raise typer.Exit(BAD_VERDICT)

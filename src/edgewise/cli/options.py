"""What several commands have in common: options, and the panels of the help text that these stand in."""

import os
from typing import Annotated

import typer

INTERRUPTED = 130
EXIT_CODES = {"keyboard": INTERRUPTED, "termination signal": 143, "hangup signal": 129}
"""Exit codes after Ctrl-C and other signals: 128 plus the number of the signal."""

CHAINS, MODEL, TABLE, OUTPUT = "Chains", "Model", "Data", "Output"
"""The panels."""


def _leave_out_colours(wanted: bool) -> None:
    if wanted:
        os.environ["NO_COLOR"] = "1"


NoColor = Annotated[
    bool,
    typer.Option(
        "--no-color", callback=_leave_out_colours, is_eager=True, rich_help_panel=OUTPUT, help="Show no colours."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", rich_help_panel=OUTPUT, help="Show no progress and no summary.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", rich_help_panel=OUTPUT, help="Replace the files in --out.")]
Json = Annotated[
    bool, typer.Option("--json", rich_help_panel=OUTPUT, help="Print the summary as JSON, and nothing else.")
]

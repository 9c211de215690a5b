"""What the commands say of a run at its end, to people and to programs."""

import json
import math
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from edgewise.posterior.accounts import describe_data
from edgewise.posterior.diagnostics import Diagnostics
from edgewise.posterior.summaries import count_disagreed, count_pairs, headline
from edgewise.wording import enumerate_items, printable

from .translating import translate

if TYPE_CHECKING:
    from edgewise.experiments import Accuracy

REPORT = "report.html"

SHOWN = 15
"""Pairs in a summary: what fits on a screen."""

UNLIMITED = 10_000
"""Columns where there is no terminal: more than any line needs, so that none is folded or cut."""


@dataclass(frozen=True)
class Summary:
    """A run in short.

    Attributes
    ----------
    edges
        All edges that were ever drawn, the most probable first.
    pairs
        All pairs that were ever joined, the most probable first.
    diagnostics
        Whether the chains converged.
    info
        The record of the run.
    files
        Names of the files with the results.
    advice
        Which experiment would tell most about open directions, if any would.
    accuracy
        How well the truth was found, where it is known.
    """

    edges: pd.DataFrame
    pairs: pd.DataFrame
    diagnostics: Diagnostics
    info: dict[str, Any]
    files: list[str]
    advice: str | None = None
    accuracy: "Accuracy | None" = None

    @property
    def findings(self) -> list[dict[str, Any]] | None:
        """What is unusual about the data; None where there are none to look at."""
        found: list[dict[str, Any]] | None = (self.info["data"] or {}).get("findings")
        return found


def tell(summary: Summary, out: Path, *, quiet: bool, as_json: bool) -> None:
    """Say how a run ended: in JSON, in words, or only if it should not be trusted."""
    if as_json:
        sys.stdout.write(json.dumps(describe(summary, out), indent=2, allow_nan=False) + "\n")
    elif not quiet:
        show(summary, out)
    if (as_json or quiet) and not summary.diagnostics.is_converged:
        sys.stderr.write(f"edgewise: note: {printable(translate(summary.diagnostics.verdict))}\n")
    if as_json or quiet:
        for finding in summary.findings or ():
            sys.stderr.write(f"edgewise: note: {printable(translate(finding['sentence']))}\n")


def describe(summary: Summary, out: Path) -> dict[str, Any]:
    """Return a summary as what JSON can hold: no number is None."""
    joined, told = count_pairs(summary.pairs)
    described = {
        "version": summary.info["versions"]["edgewise"],
        "out": str(out),
        "files": summary.files,
        "verdict": translate(summary.diagnostics.verdict),
        "is_converged": summary.diagnostics.is_converged,
        "findings": summary.findings,
        "stopped_by": summary.info["stopped_by"],
        "stopped_note": summary.info["stopped_note"],
        "iterations_done": summary.info["iterations_done"],
        "seed": summary.info["seed"],
        "seconds": summary.info["seconds"],
        "largest_difference": summary.diagnostics.difference,
        "effective_draws": summary.diagnostics.effective_draws,
        "agreement": summary.diagnostics.least_agreement,
        "joined_pairs": joined,
        "told_directions": told,
        "disagreed_pairs": count_disagreed(summary.pairs),
        "advice": summary.advice,
        "top_pairs": summary.pairs.head(SHOWN).to_dict("records"),
        "top_edges": summary.edges.head(SHOWN).to_dict("records"),
    }
    if summary.accuracy is not None:
        described["accuracy"] = asdict(summary.accuracy)
    plain: dict[str, Any] = without_nan(described)
    return plain


def without_nan(value: Any) -> Any:
    """Return a value as JSON can hold it, with None for what is not a number."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def open_console() -> Console:
    """Return a console that neither folds nor cuts lines where there is no terminal."""
    console = Console()
    return console if console.is_terminal else Console(width=UNLIMITED)


def show(summary: Summary, out: Path) -> None:
    """Print the most probable pairs, where everything is, and the verdict."""
    console = open_console()
    if len(summary.pairs):
        console.print(_table(summary.pairs.head(SHOWN), console.width))
    console.print(Text(f"{headline(summary.pairs)} {_method(summary.info)}"))
    if summary.advice:
        console.print(Text(printable(summary.advice)))
    for sentence in describe_data(summary.info):
        console.print(Text(printable(sentence)))
    if summary.accuracy is not None:
        console.print(Text(_compared(summary.accuracy)))
    console.print()
    # A path must not be broken, so that it can be copied.
    console.print(Text(f"Open {printable(str(out / REPORT))} in a browser."), soft_wrap=True)
    console.print(Text(f"Beside it are {enumerate_items([file for file in summary.files if file != REPORT])}."))
    console.print()
    word, style = ("good", "bold green") if summary.diagnostics.is_converged else ("bad", "bold red")
    console.print(Text.assemble("Verdict: ", (word, style), f". {printable(translate(summary.diagnostics.verdict))}"))
    if not summary.diagnostics.is_converged and summary.info["chains"] > 1 and (out / "checkpoint").is_dir():
        command = f"edgewise resume {printable(str(out))}"
        if summary.info["stopped_by"] is None:
            command += f" --iterations {5 * summary.info['iterations_done']}"
        console.print(Text(f"To let the chains go on: {command}"), soft_wrap=True)
    if summary.findings is not None:
        _show_findings(console, summary.findings)


def _show_findings(console: Console, findings: list[dict[str, Any]]) -> None:
    """Print what is unusual about the data, as a second verdict beside that on the chains."""
    word, style = ("look again", "bold red") if findings else ("nothing unusual", "bold green")
    console.print(Text.assemble("Data: ", (word, style), "."))
    for finding in findings:
        console.print(Padding(Text(f"- {printable(translate(finding['sentence']))}"), (0, 0, 0, 2), expand=False))


DRAWN = {
    "OrderMCMC": "a chain over orders",
    "PartitionMCMC": "a chain over partitions, each DAG counted once",
    "StructureMCMC": "a chain over DAGs, each counted once",
}
"""How samplers that limit the number of parents draw."""


def _method(info: dict[str, Any]) -> str:
    """Say what was sampled."""
    if info["data"] is None:
        return "DAGs were drawn from the prior alone, without data."
    sampler, score = info["sampler"], info["score"]["name"]
    if sampler["name"] == "DagMCMC":
        by = f" by {info['engine']}" if info.get("engine") else ""
        return f"DAGs were drawn from their posterior{by}, each DAG counted once, with the score {score}."
    if sampler["name"] in DRAWN:
        most = f"at most {sampler['max_parents']} parents of each variable"
        return f"DAGs were drawn by {DRAWN[sampler['name']]}, with {most} and the score {score}."
    by = f"the score {score}" if sampler["criterion"] == "score" else "tests of independence"
    return f"Orders were drawn, each standing for one DAG, whose parents were found by {sampler['parents']}, with {by}."


def _compared(accuracy: "Accuracy") -> str:
    return (
        f"Against the true DAG, the area under the ROC curve is {accuracy.undirected:.3f} for adjacencies, "
        f"{accuracy.directed:.3f} for directed edges and {accuracy.compelled:.3f} for compelled ones."
    )


NUMBERS = {
    "joined": "joined",
    "mcse": "±",
    "forward": "->",
    "backward": "<-",
    "told_forward": "told ->",
    "told_backward": "told <-",
}
"""Columns of the table in the terminal, the most important first."""

NAMES = 20
"""Columns of a terminal that a pair should have; where numbers leave less, the last of these are left out."""


def _table(pairs: pd.DataFrame, width: int) -> Table:
    table = Table(title="Most probable pairs", title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column in ("a", "", "b"):
        table.add_column(column, overflow="fold", min_width=6 if column else 2)
    shown = list(NUMBERS)
    while len(shown) > 1 and NAMES + sum(max(len(NUMBERS[name]), 5) + 2 for name in shown) > width:
        shown.pop()
    for name in shown:
        table.add_column(NUMBERS[name], justify="right", no_wrap=True)
    for pair in pairs.to_dict("records"):
        names = (Text(printable(pair[part])) for part in ("a", "direction", "b"))
        table.add_row(*names, *(f"{pair[name]:.3f}" for name in shown))
    return table

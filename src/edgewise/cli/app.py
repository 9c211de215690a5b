"""The commands of the command line.

Heavy imports are inside the commands, so that ``edgewise --help`` answers at once.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from edgewise.wording import printable

from .comparing import compare
from .decisions import next_experiments
from .effects import effect
from .figures import figure
from .fitting import fit
from .options import (
    CHAINS,
    EXIT_CODES,
    FLAG,
    INTERRUPTED,
    OUTPUT,
    Dask,
    Iterations,
    Json,
    NoColor,
    Overwrite,
    Quiet,
    Strict,
    end_as,
    examples,
)
from .reproducing import reproduce


class Commands(TyperGroup):
    """All commands; an interrupted one says so, and ends with the exit code that shells expect."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        with _signals_as_interrupts() as received:
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt as interrupt:
                left = str(interrupt) or "nothing was written"
                typer.echo(f"edgewise: interrupted; {printable(left)}.", err=True)
                raise typer.Exit(128 + received[0] if received else _find_code(interrupt)) from interrupt


def _find_code(interrupt: KeyboardInterrupt) -> int:
    """Return the exit code of a run that was told to stop, and had nothing to show for it."""
    causes = [getattr(one, "cause", None) for one in (interrupt, interrupt.__cause__)]
    return next((EXIT_CODES[cause] for cause in causes if cause in EXIT_CODES), INTERRUPTED)


@contextmanager
def _signals_as_interrupts() -> Iterator[list[int]]:
    """Have signals to end interrupt a command as Ctrl-C does, and provide the numbers of those that came.

    While chains run, a first one stops these instead, with results.
    """
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        received.append(number)
        raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    is_told = threading.current_thread() is threading.main_thread()
    ours = [number for number in numbers if is_told and signal.getsignal(number) == signal.SIG_DFL]
    for number in ours:
        signal.signal(number, interrupt)
    try:
        yield received
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


app = typer.Typer(
    name="edgewise",
    cls=Commands,
    epilog=examples("edgewise demo", "edgewise fit measurements.csv --out results", "edgewise fit --help"),
    pretty_exceptions_enable=False,
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"edgewise {version('edgewise')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", metavar=FLAG, callback=_tell_version, is_eager=True, help="Tell the version.")
    ] = False,
    no_color: NoColor = False,
) -> None:
    """Which variable acts on which, and how sure one can be: posterior probabilities for the edges of causal DAGs."""


app.command(
    epilog=examples(
        "edgewise fit measurements.csv --out results",
        "edgewise fit measurements.csv --out results --constraints known.yaml",
        "edgewise fit measurements.csv --out results --time-budget 600 --json",
        "edgewise fit cohort.csv --out results --drop patient --kinds grade=ordinal --missing em",
        "edgewise fit screen.csv --out results --interventions condition --targets targets.yaml",
        "edgewise fit 'plates/*.csv' --out results",
    )
)(fit)


@app.command(epilog=examples("edgewise resume results", "edgewise resume results --iterations 1000000"))
def resume(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where edgewise fit was to write its results.")],
    iterations: Annotated[
        int | None,
        typer.Option(rich_help_panel=CHAINS, help="Let the chains go on until each has so many steps in all."),
    ] = None,
    dask: Dask = None,
    strict: Strict = False,
    quiet: Quiet = False,
    as_json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Go on with a run that was killed or stopped, to the same draws; or let one that has ended go on."""
    import edgewise as ew
    from edgewise.running.checkpoints import open_checkpoint

    from .clusters import connected
    from .results import CHECKPOINT, DRAWS, new_files, tidy_up, write_results
    from .summary import tell

    open_checkpoint(directory / CHECKPOINT)
    tidy_up(directory)
    settings: dict[str, Any] = {"progress": not quiet}
    with connected(dask) as settings["executor"], new_files(directory) as place:
        settings["store"] = place / DRAWS
        if iterations is None:
            posterior = ew.resume(directory / CHECKPOINT, **settings)
        else:
            posterior = ew.extend(directory / CHECKPOINT, iterations=iterations, **settings)
        summary = write_results(posterior, place)
    tell(summary, directory, quiet=quiet, as_json=as_json)
    end_as(summary, is_strict=strict)


@app.command(epilog=examples("edgewise simulate --out simulated", "edgewise simulate --p 10 --n 200 --out small"))
def simulate(
    out: Annotated[Path, typer.Option(rich_help_panel=OUTPUT, help="Directory for data.csv and true_edges.csv.")],
    p: Annotated[int, typer.Option(help="Number of variables.")] = 30,
    n: Annotated[int, typer.Option(help="Number of rows.")] = 1000,
    neighbours: Annotated[float, typer.Option(help="Mean number of neighbours of a variable.")] = 3.0,
    seed: Annotated[int | None, typer.Option(help="Makes the result repeatable.")] = None,
    overwrite: Overwrite = False,
    no_color: NoColor = False,
) -> None:
    """Simulate data from a random linear Gaussian DAG, as in the paper."""
    import edgewise as ew

    from .results import check_directory, new_files, write_simulation

    check_directory(out, overwrite=overwrite)
    simulation = ew.simulate(p, n, neighbours=neighbours, seed=seed)
    with new_files(out) as directory:
        write_simulation(simulation, directory)
    typer.echo(f"Wrote data.csv and true_edges.csv to {printable(str(out))}.")


@app.command(epilog=examples("edgewise demo", "edgewise demo --n 100 --seed 2 --out few-rows"))
def demo(
    out: Annotated[Path, typer.Option(rich_help_panel=OUTPUT, help="Directory for the results.")] = Path(
        "edgewise-demo"
    ),
    n: Annotated[int, typer.Option(help="Number of rows.")] = 1000,
    iterations: Iterations = None,
    seed: Annotated[int, typer.Option(rich_help_panel=CHAINS, help="Seed of the simulation and the chains.")] = 1,
    overwrite: Overwrite = False,
    strict: Strict = False,
    quiet: Quiet = False,
    as_json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Simulate the paper's network of 30 variables, sample DAGs, and compare them with the truth.

    The results of a former demo are replaced.
    """
    from dataclasses import replace

    import edgewise as ew
    from edgewise.experiments import measure_accuracy

    from .results import DRAWS, check_directory, is_demo, new_files, write_results, write_simulation
    from .summary import tell

    check_directory(out, overwrite=overwrite or is_demo(out))
    simulation = ew.simulate(30, n, seed=seed)
    with new_files(out) as directory:
        write_simulation(simulation, directory)
        posterior = ew.sample(
            simulation.data, iterations=iterations, seed=seed, store=directory / DRAWS, progress=not quiet
        )
        summary = write_results(posterior, directory)
        summary = replace(summary, accuracy=measure_accuracy(posterior, simulation.dag))
    tell(summary, out, quiet=quiet, as_json=as_json)
    end_as(summary, is_strict=strict)


@app.command(epilog=examples("edgewise report results"))
def report(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where edgewise fit wrote its results.")],
    no_color: NoColor = False,
) -> None:
    """Write report.html, pairs.csv, edges.csv and run.json anew, from the posterior.nc in the same directory."""
    from .results import rebuild_results

    typer.echo(f"Wrote {printable(str(rebuild_results(directory)))}: open it in a browser.")


app.command(
    "next",
    epilog=examples(
        "edgewise next results",
        "edgewise next results --about parents=ERK --exclude dose",
        "edgewise next results --batch 3 --costs costs.yaml",
    ),
)(next_experiments)

app.command(
    epilog=examples(
        "edgewise effect results --set MEK=0",
        "edgewise effect results --set MEK=0 --set Raf=1.5 --out effect.html",
        "edgewise effect results --set MEK=0 --json",
    )
)(effect)

app.command(
    epilog=examples(
        "edgewise compare control treated --out comparison", "edgewise compare run1 run2 --out comparison --json"
    )
)(compare)

app.command(
    epilog=examples("edgewise figure results --out graph.pdf", "edgewise figure results --out mek.svg --highlight Mek")
)(figure)

app.command(
    epilog=examples("edgewise reproduce all --out reproduced --quick", "edgewise reproduce table1 --out reproduced")
)(reproduce)

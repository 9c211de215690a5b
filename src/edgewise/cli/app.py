"""The commands of the command line.

Heavy imports are inside the commands, so that ``edgewise --help`` answers at once.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from edgewise.wording import printable

from .figures import figure
from .options import CHAINS, EXIT_CODES, INTERRUPTED, MODEL, OUTPUT, TABLE, NoColor, Quiet
from .reproducing import reproduce


class Commands(TyperGroup):
    """All commands; an interrupted one says so, and ends with the exit code that shells expect."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            left = str(interrupt) or "nothing was written"
            typer.echo(f"edgewise: interrupted; {printable(left)}.", err=True)
            raise typer.Exit(INTERRUPTED) from interrupt


def _examples(*commands: str) -> str:
    """Return the end of a help text; an empty line is one that is not joined to the next."""
    return "\n\n".join(["Examples:", *commands])


app = typer.Typer(
    name="edgewise",
    cls=Commands,
    epilog=_examples("edgewise demo", "edgewise fit measurements.csv --out results", "edgewise fit --help"),
    pretty_exceptions_enable=False,
)


class ScoreName(StrEnum):
    """Scores by name."""

    bge = "bge"
    bic = "bic"
    bdeu = "bdeu"
    degenerate = "degenerate-gaussian"


class MissingName(StrEnum):
    """What to do about missing values."""

    error = "error"
    drop = "drop"
    em = "em"


class UntilName(StrEnum):
    """When to stop."""

    good = "good"


def _tell_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"edgewise {version('edgewise')}")
        raise typer.Exit


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
Overwrite = Annotated[bool, typer.Option("--overwrite", rich_help_panel=OUTPUT, help="Replace the files in --out.")]
Json = Annotated[
    bool, typer.Option("--json", rich_help_panel=OUTPUT, help="Print the summary as JSON, and nothing else.")
]


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Tell the version.")
    ] = False,
    no_color: NoColor = False,
) -> None:
    """Which variable acts on which, and how sure one can be: posterior probabilities for the edges of causal DAGs."""


@app.command(
    epilog=_examples(
        "edgewise fit measurements.csv --out results",
        "edgewise fit measurements.csv --out results --constraints known.yaml",
        "edgewise fit measurements.csv --out results --time-budget 600 --json",
        "edgewise fit cohort.csv --out results --drop patient --kinds grade=ordinal --missing em",
        "edgewise fit screen.csv --out results --interventions condition --targets targets.yaml",
        "edgewise fit 'plates/*.csv' --out results",
    )
)
def fit(
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA",
            help="CSV, TSV or Parquet file: a row per observation, named columns. Or several, or a pattern in quotes.",
        ),
    ],
    out: Annotated[Path, typer.Option(rich_help_panel=OUTPUT, help="Directory for the results; made if need be.")],
    iterations: Iterations = None,
    burn_in: BurnIn = 0.2,
    thin: Thin = None,
    chains: Chains = 4,
    seed: Annotated[int | None, typer.Option(rich_help_panel=CHAINS, help="Makes the result repeatable.")] = None,
    time_budget: Annotated[
        float | None,
        typer.Option(rich_help_panel=CHAINS, help="Seconds to sample; with --iterations, those after which to stop."),
    ] = None,
    until: Annotated[
        UntilName | None,
        typer.Option(rich_help_panel=CHAINS, help="good: go on beyond --iterations until the verdict is good."),
    ] = None,
    dask: Dask = None,
    jobs: Annotated[
        int | None,
        typer.Option(rich_help_panel=CHAINS, help="Several files: processes to run; by default one for each core."),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(
            rich_help_panel=MODEL, help="Run the paper's chain over orders, with tests at this level of significance."
        ),
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(
            rich_help_panel=MODEL,
            help="Sparsity of the prior, exp(-gamma * number of edges); by default to suit the columns.",
        ),
    ] = None,
    score: Annotated[
        ScoreName | None,
        typer.Option(rich_help_panel=MODEL, help="Score of DAGs; by default the one that fits the columns."),
    ] = None,
    constraints: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=MODEL, help="YAML or JSON file of what is known for certain about edges, order and paths."
        ),
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=TABLE,
            metavar="COLUMN=KIND",
            help="What a column measures: continuous, ordinal, binary or categorical. May be repeated.",
        ),
    ] = None,
    ranks: Annotated[
        bool,
        typer.Option("--ranks", rich_help_panel=TABLE, help="Replace measurements by normal scores of their ranks."),
    ] = False,
    missing: Annotated[
        MissingName,
        typer.Option(
            rich_help_panel=TABLE, help="Refuse missing values, leave out their rows, or use what is known (em)."
        ),
    ] = MissingName.error,
    interventions: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=TABLE,
            metavar="COLUMN|FILE",
            help="Column with the condition of each row, with --targets; or a file with 1 for each cell that was set.",
        ),
    ] = None,
    targets: Annotated[
        Path | None,
        typer.Option(rich_help_panel=TABLE, help="YAML or JSON file of the variables set under each condition."),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(rich_help_panel=TABLE, metavar="COLUMN", help="Use this column; repeat for more."),
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(rich_help_panel=TABLE, metavar="COLUMN", help="Leave this column out; repeat.")
    ] = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    as_json: Json = False,
    no_color: NoColor = False,
) -> None:
    """Sample DAGs given a table of measurements; write report.html, pairs.csv, edges.csv, posterior.nc and run.json.

    Ctrl-C stops early and keeps what was drawn; during burn-in, a few draws are made first. If the run is killed,
    edgewise resume goes on with it.

    Of several files, each has its own folder in --out, named after it, and summary.csv has a row for each. One that
    fails does not stop the others, but makes the exit code 1. The same command again does what is not done yet.
    """
    import edgewise as ew

    from .clusters import connected
    from .many import fit_many, is_many
    from .reading import read_interventions, read_kinds
    from .results import CHECKPOINT, DRAWS, check_directory, new_files, write_results
    from .summary import tell

    scores = {
        ScoreName.bge: ew.BGe,
        ScoreName.bic: ew.GaussianBIC,
        ScoreName.bdeu: ew.BDeu,
        ScoreName.degenerate: ew.DegenerateGaussian,
    }
    is_one = not is_many(data, jobs)
    if is_one:
        check_directory(out, overwrite=overwrite)
    reading = read_interventions(interventions, targets)
    reading |= {
        "kinds": read_kinds(kinds),
        "transform": "ranks" if ranks else None,
        "missing": missing.value,
        "columns": columns or None,
        "drop": drop or None,
    }
    arguments: dict[str, Any] = {
        "sampler": None if alpha is None else ew.MinimalIMAP(alpha=alpha, criterion="test"),
        "score": None if score is None else scores[score](),
        "prior": ew.Sparsity("auto" if gamma is None else gamma),
        "constraints": None if constraints is None else ew.Constraints.read(constraints),
        "iterations": iterations,
        "burn_in": burn_in,
        "thin": thin,
        "chains": chains,
        "until": None if until is None else "good",
        "time_budget": time_budget,
        **reading,
    }
    if not is_one:
        output: dict[str, Any] = {"overwrite": overwrite, "quiet": quiet, "as_json": as_json}
        fit_many(data, out, arguments, seed=seed, jobs=jobs, dask=dask, **output)
        return
    with connected(dask) as executor, new_files(out, anew=True) as directory:
        posterior = ew.sample(
            data[0],
            seed=seed,
            store=directory / DRAWS,
            checkpoint=out / CHECKPOINT,
            executor=executor,
            progress=not quiet,
            **arguments,
        )
        summary = write_results(posterior, directory)
    tell(summary, out, quiet=quiet, as_json=as_json)
    _end(summary.info)


@app.command(epilog=_examples("edgewise resume results", "edgewise resume results --iterations 1000000"))
def resume(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where edgewise fit was to write its results.")],
    iterations: Annotated[
        int | None,
        typer.Option(rich_help_panel=CHAINS, help="Let the chains go on until each has so many steps in all."),
    ] = None,
    dask: Dask = None,
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
    _end(summary.info)


@app.command(epilog=_examples("edgewise simulate --out simulated", "edgewise simulate --p 10 --n 200 --out small"))
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


@app.command(epilog=_examples("edgewise demo", "edgewise demo --n 100 --seed 2 --out few-rows"))
def demo(
    out: Annotated[Path, typer.Option(rich_help_panel=OUTPUT, help="Directory for the results.")] = Path(
        "edgewise-demo"
    ),
    n: Annotated[int, typer.Option(help="Number of rows.")] = 1000,
    iterations: Iterations = None,
    seed: Annotated[int, typer.Option(rich_help_panel=CHAINS, help="Seed of the simulation and the chains.")] = 1,
    overwrite: Overwrite = False,
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
    _end(summary.info)


@app.command(epilog=_examples("edgewise report results"))
def report(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where edgewise fit wrote its results.")],
    no_color: NoColor = False,
) -> None:
    """Write report.html, pairs.csv, edges.csv and run.json anew, from the posterior.nc in the same directory."""
    from .results import rebuild_results

    typer.echo(f"Wrote {printable(str(rebuild_results(directory)))}: open it in a browser.")


app.command(
    epilog=_examples("edgewise figure results --out graph.pdf", "edgewise figure results --out mek.svg --highlight Mek")
)(figure)

app.command(
    epilog=_examples("edgewise reproduce all --out reproduced --quick", "edgewise reproduce table1 --out reproduced")
)(reproduce)


def _end(info: dict[str, Any]) -> None:
    """End with the exit code of an interrupted command, if the run was interrupted."""
    if info["stopped_by"] in EXIT_CODES:
        raise typer.Exit(EXIT_CODES[info["stopped_by"]])

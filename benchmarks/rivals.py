"""Time and accuracy of the paper's rivals, order and partition MCMC.

    python benchmarks/rivals.py [--iterations 100000] [--repeats 3] [--rows 1000]

p = 30 variables with 3 neighbours on average, up to 4 parents, one chain from a random order. Prints the seconds for
the tables of parent sets, and for the whole run with them, the least of several; and the area under the ROC curve of
the edge probabilities against the DAG that generated the data, with Minimal I-MAP MCMC beside them.
"""

import argparse
import json
import time
from pathlib import Path

import edgewise as ew
from edgewise.data import load_data
from edgewise.experiments import measure_accuracy
from edgewise.samplers.order_mcmc import OrderMCMC
from edgewise.samplers.partition_mcmc import PartitionMCMC

RESULTS = Path(__file__).parent / "results"


def run(sampler: object, data: object, iterations: int, seed: int) -> ew.Posterior:
    return ew.sample(data, sampler=sampler, iterations=iterations, chains=1, start="random", seed=seed, progress=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rows", type=int, default=1000)
    arguments = parser.parse_args()
    simulation = ew.simulate(30, arguments.rows, seed=1)

    results = []
    print(f"{'':>14} {'tables s':>9} {'total s':>8} {'undirected':>11} {'compelled':>10} {'directed':>9}")
    for name, sampler in (
        ("OrderMCMC", OrderMCMC(max_parents=4)),
        ("PartitionMCMC", PartitionMCMC(max_parents=4)),
        ("MinimalIMAP", ew.MinimalIMAP()),
    ):
        run(sampler, ew.simulate(6, 100, seed=1).data, 1000, seed=1)  # compiles
        tables = total = float("inf")
        for repeat in range(arguments.repeats):
            began = time.perf_counter()
            sampler.prepare(load_data(simulation.data), ew.BGe(), ew.Sparsity(1.0), None)
            tables = min(tables, time.perf_counter() - began)
            began = time.perf_counter()
            posterior = run(sampler, simulation.data, arguments.iterations, seed=repeat)
            total = min(total, time.perf_counter() - began)
        accuracy = measure_accuracy(posterior, simulation.dag)
        areas = (accuracy.undirected, accuracy.compelled, accuracy.directed)
        print(f"{name:>14} {tables:9.2f} {total:8.2f} {areas[0]:11.4f} {areas[1]:10.4f} {areas[2]:9.4f}", flush=True)
        results.append({"sampler": name, "tables_seconds": tables, "total_seconds": total, "auroc": areas})
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "rivals.json").write_text(json.dumps({"settings": vars(arguments), "results": results}, indent=2))


if __name__ == "__main__":
    main()

"""What order, partition and structure MCMC cost, and how well they do.

    python benchmarks/rivals.py

One simulated data set of 30 variables (n = 1000, 3 neighbours on average): seconds of one chain of 100,000 iterations,
tables of parent sets included (at most 4 parents), and the area under the ROC curve for undirected, compelled and
directed edges; Minimal I-MAP MCMC beside them. What is compiled is compiled before.
"""

import time
import warnings

import edgewise as ew
from edgewise.experiments import measure_accuracy


def main() -> None:
    warnings.simplefilter("ignore", ew.ConvergenceWarning)
    simulation = ew.simulate(30, 1000, seed=1)
    samplers = {
        "minimal I-MAP": ew.MinimalIMAP(),
        "order, at most 4 parents": ew.OrderMCMC(max_parents=4),
        "partition, at most 4 parents": ew.PartitionMCMC(max_parents=4),
        "structure, at most 3 parents": ew.StructureMCMC(max_parents=3),
    }
    for name, sampler in samplers.items():
        settings = {"sampler": sampler, "chains": 1, "seed": 1, "progress": False}
        ew.sample(simulation.data, iterations=200, thin=10, **settings)
        began = time.perf_counter()
        posterior = ew.sample(simulation.data, iterations=100_000, **settings)
        seconds = time.perf_counter() - began
        accuracy = measure_accuracy(posterior, simulation.dag)
        print(
            f"{name}: {seconds:.1f} s; undirected {accuracy.undirected:.4f}, compelled {accuracy.compelled:.4f}, "
            f"directed {accuracy.directed:.4f}"
        )


if __name__ == "__main__":
    main()

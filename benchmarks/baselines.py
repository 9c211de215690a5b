"""The rivals and the exact posteriors: how near to the truth, and how long they take.

    python benchmarks/baselines.py [--sets 20] [--oracles 50]

Prints, for simulated data with 3 neighbours on average,

- the mean structural Hamming distance between the CPDAGs of the truth and of MMHC, hill climbing and greedy SP, for
  p = 30 and n = 1000;
- the time of a bootstrap of 100 replicates of MMHC on such data, the best of three;
- the share of random DAGs that greedy SP recovers up to Markov equivalence from their exact covariance matrix;
- the time of exact posteriors.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

import edgewise as ew
from edgewise.baselines import bootstrap, exact_posterior, greedy_sp, hill_climb, mmhc
from edgewise.graphs import is_markov_equivalent

ORACLE = 10**18
"""Rows with which partial correlations count from 3e-9 on: all true ones, and no rounding errors."""


def compare_distances(sets: int) -> None:
    learners: dict[str, Callable] = {
        **{f"mmhc, alpha {alpha}": lambda data, alpha=alpha: mmhc(data, alpha=alpha) for alpha in (0.1, 0.05, 0.01)},
        **{
            f"hill climbing, gamma {gamma}": lambda data, gamma=gamma: hill_climb(data, prior=ew.Sparsity(gamma))
            for gamma in (0.0, 1.0, 2.0)
        },
        **{
            f"greedy SP, alpha {alpha}": lambda data, alpha=alpha: greedy_sp(data, alpha=alpha, seed=1)
            for alpha in (0.01, 0.001)
        },
    }
    simulations = [ew.simulate(30, 1000, seed=seed) for seed in range(sets)]
    truths = [ew.cpdag(simulation.dag) for simulation in simulations]
    print(f"Structural Hamming distance to the true CPDAG, p = 30, n = 1000, mean of {sets} sets:")
    for name, learn in learners.items():
        found = [
            ew.structural_hamming_distance(ew.cpdag(learn(simulation.data)), truth)
            for simulation, truth in zip(simulations, truths, strict=True)
        ]
        print(f"  {name:26} {np.mean(found):5.2f} ± {np.std(found, ddof=1) / np.sqrt(sets):.2f}")


def best_time(function: Callable[[], object], times: int = 3) -> float:
    """Seconds of the fastest of several calls, the first of which may compile and does not count."""
    function()
    seconds = []
    for _ in range(times):
        began = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def time_bootstrap() -> None:
    data = ew.simulate(30, 1000, seed=0).data
    seconds = best_time(lambda: bootstrap(mmhc, data, 100, seed=1))
    print(f"Bootstrap of mmhc, 100 replicates, p = 30, n = 1000: {seconds:.2f} s")


def recover_from_oracles(number: int) -> None:
    for p in (10, 30):
        began = time.perf_counter()
        found = 0
        for seed in range(number):
            simulation = ew.simulate(p, 10, seed=seed)
            dag = greedy_sp(ew.Covariance(simulation.covariance, n=ORACLE), seed=1)
            found += is_markov_equivalent(dag, simulation.dag)
        seconds = time.perf_counter() - began
        print(f"Greedy SP, exact covariance, p = {p}: {found} of {number} recovered, {seconds:.1f} s")


def time_exact() -> None:
    for p in (5, 8, 10, 12, 14):
        data = ew.simulate(p, 200, seed=1).data
        seconds = best_time(lambda data=data: exact_posterior(data, over="dags"), times=1)
        print(f"Exact posterior over DAGs, p = {p}: {seconds:.3f} s")
    for p in (8, 12, 16, 18):
        data = ew.simulate(p, 200, seed=1).data
        for max_parents in (3, None):
            seconds = best_time(
                lambda data=data, most=max_parents: exact_posterior(data, over="orders", max_parents=most), times=1
            )
            print(f"Exact edge probabilities over orders, p = {p}, at most {max_parents} parents: {seconds:.3f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--oracles", type=int, default=50)
    arguments = parser.parse_args()
    compare_distances(arguments.sets)
    time_bootstrap()
    recover_from_oracles(arguments.oracles)
    time_exact()


if __name__ == "__main__":
    main()

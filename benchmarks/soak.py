"""Chains of a billion steps: rounding errors do not add up, and memory does not grow.

Chains keep up their scores, and full conditioning its factor, from one step to the next. Here they are compared with
the same computed afresh, every so often, together with the memory of the process. The chain itself goes on from what it
kept, so that errors could add up. Ends with an error if anything drifts by more than 1e-8.

A step is a move; an iteration of the default sampler has several.

    python benchmarks/soak.py                     # a billion steps of each chain
    python benchmarks/soak.py 100000000           # fewer
    python benchmarks/soak.py 1000000000 DagMCMC  # of one chain alone
"""

import os
import sys
import time
from pathlib import Path

import numpy as np

import edgewise as ew
from edgewise.samplers import Schedule
from edgewise.samplers.dag_mcmc import moves_per_iteration

STEPS = 10**9
REPORTS = 10
MOST_DRIFT = 1e-8
P, N = 10, 200

SAMPLERS = {
    "MinimalIMAP, grow-shrink": ew.MinimalIMAP(),
    "MinimalIMAP, full": ew.MinimalIMAP(parents="full", alpha=0.05),
    "DagMCMC": ew.DagMCMC(),
}

MOVES = {"DagMCMC": moves_per_iteration(P)}
"""Steps of an iteration, where these are several."""

KEPT_UP = ("state.found.W", "state.found.C", "state.log_weight", "state.log_order")
"""The factor of full conditioning; the scores of families and the estimate of the number of orders of DagMCMC."""


def resident():
    """Return the megabytes that the process has in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def find_drift(chain):
    """Return by how much the log posterior, and what else is kept up, differ from the same computed afresh.

    The rows of a factor are the same but for their signs.
    """
    snapshot = chain.snapshot()
    kept = chain.log_posterior
    assert chain._renew()
    fresh = chain.snapshot().arrays
    score = abs(kept - chain.log_posterior)
    others = 0.0
    for name in KEPT_UP:
        if name in fresh:
            others = max(others, float(np.abs(np.abs(snapshot.arrays[name]) - np.abs(fresh[name])).max()))
    chain.restore(snapshot)
    return score, others


def soak(name, sampler, steps):
    dataset = ew.load_data(ew.simulate(P, N, seed=1).data)
    model = sampler.resolve(dataset).prepare(dataset, ew.BGe(), ew.Sparsity(1.0))
    moves = MOVES.get(name, 1)
    iterations = steps // moves
    # A hundred thousand draws, whatever the length, so that the record of families is in use too.
    chain = model.start(np.arange(P), np.random.default_rng(1), Schedule(iterations, 0, max(iterations // 10**5, 1)))
    chain.advance(min(10**5, iterations // 100))
    at_first, began, done = resident(), time.process_time(), chain.iteration
    worst = 0.0
    for report in range(1, REPORTS + 1):
        # Just before the factor is computed afresh, where it has drifted most.
        goal = iterations * report // REPORTS
        goal -= 1 if goal % 10**6 == 0 else 0
        while chain.iteration < goal:
            chain.advance(min(10**6, goal - chain.iteration))
        score, others = find_drift(chain)
        worst = max(worst, score, others)
        nanoseconds = 1e9 * (time.process_time() - began) / (moves * (chain.iteration - done))
        print(
            f"{name:26} {moves * chain.iteration:>13,} steps  {nanoseconds:4,.0f} ns each  score off by {score:.1e}  "
            f"factor off by {others:.1e}  {resident():7.1f} MB ({resident() - at_first:+.1f})",
            flush=True,
        )
    return worst


def main():
    steps = int(float(sys.argv[1])) if len(sys.argv) > 1 else STEPS
    chosen = sys.argv[2:] or list(SAMPLERS)
    print(f"{P} variables, {N} rows")
    worst = max(soak(name, SAMPLERS[name], steps) for name in chosen)
    print(f"largest drift {worst:.1e}")
    assert worst <= MOST_DRIFT


if __name__ == "__main__":
    main()

"""Chains of a billion steps: rounding errors do not add up, and memory does not grow.

Chains keep up their scores, and full conditioning its factor, from one step to the next. Here they are compared with
the same computed afresh, every so often, together with the memory of the process. The chain itself goes on from what it
kept, so that errors could add up. Ends with an error if anything drifts by more than 1e-8.

    python benchmarks/soak.py               # a billion steps of each chain: hours
    python benchmarks/soak.py 100000000     # fewer
"""

import os
import sys
import time
from pathlib import Path

import numpy as np

import edgewise as ew
from edgewise.samplers import Schedule

STEPS = 10**9
REPORTS = 10
MOST_DRIFT = 1e-8
P, N = 10, 200

SAMPLERS = {
    "MinimalIMAP, grow-shrink": ew.MinimalIMAP(),
    "MinimalIMAP, full": ew.MinimalIMAP(parents="full", alpha=0.05),
    "DagMCMC": ew.DagMCMC(),
}


def resident():
    """Return the megabytes that the process has in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def find_drift(chain):
    """Return by how much the log posterior, and the squares of the factor, differ from those computed afresh."""
    snapshot = chain.snapshot()
    kept = chain.log_posterior
    assert chain._renew()
    fresh = chain.snapshot().arrays
    score = abs(kept - chain.log_posterior)
    factor = 0.0
    for name in ("state.found.W", "state.found.C"):
        if name in fresh:
            factor = max(factor, float(np.abs(np.abs(snapshot.arrays[name]) - np.abs(fresh[name])).max()))
    chain.restore(snapshot)
    return score, factor


def soak(name, sampler, steps):
    dataset = ew.load_data(ew.simulate(P, N, seed=1).data)
    model = sampler.resolve(dataset).prepare(dataset, ew.BGe(), ew.Sparsity(1.0))
    # A hundred thousand draws, whatever the length, so that the record of families is in use too.
    chain = model.start(np.arange(P), np.random.default_rng(1), Schedule(steps, 0, max(steps // 10**5, 1)))
    chain.advance(min(10**5, steps))
    at_first, began, done = resident(), time.perf_counter(), chain.iteration
    worst = 0.0
    for report in range(1, REPORTS + 1):
        # Just before the factor is computed afresh, where it has drifted most.
        goal = steps * report // REPORTS
        goal -= 1 if goal % 10**6 == 0 else 0
        while chain.iteration < goal:
            chain.advance(min(10**6, goal - chain.iteration))
        score, factor = find_drift(chain)
        worst = max(worst, score, factor)
        rate = (chain.iteration - done) / (time.perf_counter() - began)
        print(
            f"{name:26} {chain.iteration:>13,} steps  {rate:>9,.0f}/s  score off by {score:.1e}  "
            f"factor off by {factor:.1e}  {resident():7.1f} MB ({resident() - at_first:+.1f})",
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

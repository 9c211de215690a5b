"""Time and memory of one step of the chain, as ratios measured in one run.

    python benchmarks/step_time.py [--quick]

Prints, for p from 10 to 1000, the nanoseconds of a step of the paper's chain (one thread, compiled, thinning 100), of
a bare in-place rotation of two rows of length p, and their ratio; the exponent of step time in p; the memory that a
chain adds to the process; and the ratio to the slow twin, the paper's Algorithms 1 and 2 in NumPy. Steps and rotations
are timed in turns, and each figure is the least of many, so that other work on the machine disturbs little.

Writes results/step_time.json and results/step_time.png.
"""

import argparse
import json
import sys
import time
import tracemalloc
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numba
import numpy as np

import edgewise as ew
from edgewise.data import load_data
from edgewise.samplers import MinimalIMAP, Schedule

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from naive.chain import NaiveChain

SIZES = (10, 25, 30, 50, 80, 100, 200, 400, 1000)
FITTED = (25, 400)
RESULTS = Path(__file__).parent / "results"


@numba.njit(error_model="numpy")
def rotate_bare(W, times):
    c, s = 0.6, 0.8
    for i in range(times):
        k = i % (W.shape[0] - 1)
        for v in range(W.shape[1]):
            x, y = W[k, v], W[k + 1, v]
            W[k, v] = c * x + s * y
            W[k + 1, v] = c * y - s * x


def make_chain(p):
    simulation = ew.simulate(p, max(1000, 2 * p), seed=1)
    model = MinimalIMAP(parents="full", moves="adjacent").prepare(
        load_data(simulation.data), ew.BGe(), ew.Sparsity(1.0)
    )
    rng = np.random.default_rng(1)
    return model.start(rng.permutation(p), rng, Schedule(10**12, 0, 100)), simulation


def time_steps(p, repeats):
    """Return the seconds of a step and of a bare rotation, timed in turns."""
    chain, _ = make_chain(p)
    steps = max(10_000_000 // (p + 50), 2000)
    chain.advance(5 * steps)
    matrix = np.random.default_rng(1).standard_normal((p, p))
    rotate_bare(matrix, 1)
    best = [np.inf, np.inf]
    for _ in range(repeats):
        for which, work in enumerate((lambda: chain.advance(steps), lambda: rotate_bare(matrix, steps))):
            began = time.perf_counter()
            work()
            best[which] = min(best[which], (time.perf_counter() - began) / steps)
    return best


def time_naive(p, steps):
    """Return the seconds of a step of the slow twin."""
    chain, simulation = make_chain(p)
    naive = NaiveChain(simulation.data.to_numpy(), chain.state.order)
    uniforms = np.random.default_rng(1).random((steps, 2))
    began = time.perf_counter()
    for choice, uniform in uniforms:
        naive.step(choice, uniform)
    return (time.perf_counter() - began) / steps


def measure_memory(p):
    """Return the most bytes that a chain of 100,000 iterations, and its record, hold beyond the data and the model."""
    simulation = ew.simulate(p, max(1000, 2 * p), seed=1)
    model = MinimalIMAP(parents="full", moves="adjacent").prepare(
        load_data(simulation.data), ew.BGe(), ew.Sparsity(1.0)
    )
    rng = np.random.default_rng(1)
    tracemalloc.start()
    chain = model.start(rng.permutation(p), rng, Schedule(100_000, 20_000, 100))
    blocks = chain.advance(100_000)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(len(block.family) for block in blocks) == 800
    return most


def plot(rows, exponent):
    mpl.use("Agg")
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    p = np.array([row["p"] for row in rows])
    step = np.array([row["step_ns"] for row in rows])
    axes.loglog(p, step, "o-", label=f"a step: exponent {exponent:.2f} between p = {FITTED[0]} and {FITTED[1]}")
    axes.loglog(p, [row["rotation_ns"] for row in rows], "s-", label="a bare rotation of two rows")
    axes.loglog(p, step[0] * (p / p[0]) ** 3, ":", color="gray", label="the paper's observed $p^3$")
    axes.set_ylim(1, 10 * step.max())
    axes.set(xlabel="number of variables p", ylabel="nanoseconds", title="Minimal I-MAP MCMC, one thread")
    axes.legend()
    figure.savefig(RESULTS / "step_time.png", dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repeats, p up to 400")
    quick = parser.parse_args().quick

    rows = []
    print(f"{'p':>5} {'step ns':>9} {'rotation ns':>12} {'ratio':>6} {'chain MB':>9}")
    for p in SIZES[: -1 if quick else None]:
        step, rotation = time_steps(p, 5 if quick else 25)
        memory = measure_memory(p)
        row = {
            "p": p,
            "step_ns": step * 1e9,
            "rotation_ns": rotation * 1e9,
            "ratio": step / rotation,
            "bytes": memory,
        }
        rows.append(row)
        print(f"{p:5} {step * 1e9:9.1f} {rotation * 1e9:12.1f} {step / rotation:6.1f} {memory / 1e6:9.1f}")

    fitted = [row for row in rows if FITTED[0] <= row["p"] <= FITTED[1]]
    exponent = np.polyfit(np.log([row["p"] for row in fitted]), np.log([row["step_ns"] for row in fitted]), 1)[0]
    print(f"exponent of step time in p between {FITTED[0]} and {FITTED[1]}: {exponent:.2f}")
    naive = time_naive(30, 20 if quick else 200)
    speedup = naive * 1e9 / next(row["step_ns"] for row in rows if row["p"] == 30)
    print(f"slow twin at p = 30: {naive * 1e3:.2f} ms a step, {speedup:,.0f} times as long")

    RESULTS.mkdir(exist_ok=True)
    summary = {"rows": rows, "exponent": exponent, "naive_seconds_p30": naive, "speedup_p30": speedup}
    (RESULTS / "step_time.json").write_text(json.dumps(summary, indent=2))
    plot(rows, exponent)


if __name__ == "__main__":
    main()

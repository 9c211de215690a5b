"""Time of counting, drawing and estimating linear extensions of sparse random DAGs.

    python benchmarks/linear_extensions.py [--quick]

DAGs have 3 neighbours a node on average. Prints, for p = 20 to 50 and many seeds, the milliseconds of an exact count (a
whole number) and of its logarithm as a float: median, 90 % and largest; then, for p up to 200, the standard error and
time of an estimate with the default number of particles, and the time of a draw; and how close the hook estimate is at
p = 30. Up to p = 40 each time is the least of three, so that other work on the machine disturbs little.

Writes results/linear_extensions.json.
"""

import argparse
import json
import math
import time
from pathlib import Path

import numpy as np

import edgewise as ew
from edgewise.errors import ArgumentError
from edgewise.graphs.linear_extensions import (
    count_linear_extensions,
    estimate_linear_extensions,
    hook_estimate,
    log_linear_extensions,
    sample_linear_extensions,
)

RESULTS = Path(__file__).parent / "results"


def sparse_dag(p, seed):
    return ew.simulate(p, 10, neighbours=3, seed=seed).dag


def timed(work, repeats=3):
    """Return the least time of a few calls, in milliseconds, and what the last one returned."""
    best = math.inf
    for _ in range(repeats):
        began = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - began)
    return 1e3 * best, result


def count_or_none(dag):
    try:
        return count_linear_extensions(dag)
    except ArgumentError:
        return None


def spread(values):
    return {"median": float(np.median(values)), "90%": float(np.quantile(values, 0.9)), "max": float(np.max(values))}


def time_counts(p, seeds):
    exact, logs, refused = [], [], 0
    for seed in range(seeds):
        dag = sparse_dag(p, seed)
        milliseconds, count = timed(lambda: count_or_none(dag), repeats=1 if p > 40 else 3)  # noqa: B023
        exact.append(milliseconds)
        refused += count is None
        milliseconds, log_count = timed(lambda: log_linear_extensions(dag, max_states=5_000_000), 1 if p > 40 else 3)  # noqa: B023
        logs.append(milliseconds)
        if count is not None:
            assert math.isclose(log_count, math.log(count), rel_tol=1e-12)
    return {"p": p, "seeds": seeds, "count_ms": spread(exact), "log_ms": spread(logs), "refused": refused}


def time_sampling(p, seed):
    dag = sparse_dag(p, seed)
    estimate_ms, estimate = timed(lambda: estimate_linear_extensions(dag, seed=1, max_states=1), 2)
    recursion_ms = timed(lambda: sample_linear_extensions(dag, 1000, seed=1), 2)[0] / 1000 if p <= 30 else None
    coupled_ms = timed(lambda: sample_linear_extensions(dag, 4, seed=1, max_states=1), 1)[0] / 4
    return {
        "p": p,
        "log_count": estimate.log_count,
        "standard_error": estimate.standard_error,
        "estimate_ms": estimate_ms,
        "draw_by_recursion_ms": recursion_ms,
        "draw_coupled_ms": coupled_ms,
    }


def compare_hooks(seeds):
    """Return the mean and standard deviation of what the hook estimate is off by, and the deviation of the count."""
    dags = [sparse_dag(30, seed) for seed in range(seeds)]
    exact = log_linear_extensions(np.array(dags))
    off = np.array([hook_estimate(dag) for dag in dags]) - exact
    return {"mean": float(off.mean()), "deviation": float(off.std()), "deviation_of_count": float(exact.std())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="p = 30 only, and fewer seeds")
    quick = parser.parse_args().quick

    time_counts(12, 1)  # compiles
    time_sampling(12, 1)
    counts, sampling = [], []
    print("milliseconds of an exact count and of its logarithm: median, 90 %, largest")
    for p, seeds in [(30, 20)] if quick else [(20, 100), (30, 100), (40, 40), (50, 20)]:
        row = time_counts(p, seeds)
        counts.append(row)
        exact, logs = (
            " ".join(f"{row[what][share]:9.2f}" for share in ("median", "90%", "max"))
            for what in ("count_ms", "log_ms")
        )
        print(f"p = {p:3}: {exact} | {logs} | refused {row['refused']} of {seeds}")
    print("standard error and seconds of an estimate; milliseconds of a draw by recursion, and coupled")
    for p in (30, 60) if quick else (30, 60, 100, 200):
        row = time_sampling(p, 1)
        sampling.append(row)
        by_recursion = row["draw_by_recursion_ms"]
        print(
            f"p = {p:3}: {row['standard_error']:.3f} {row['estimate_ms'] / 1e3:6.2f} s; "
            f"{'-' if by_recursion is None else f'{by_recursion:.4f}'} {row['draw_coupled_ms']:9.1f}"
        )
    hooks = compare_hooks(20 if quick else 100)
    print(
        f"hook estimate at p = 30: low by {-hooks['mean']:.2f} on average, standard deviation {hooks['deviation']:.2f} "
        f"where the log count varies by {hooks['deviation_of_count']:.2f}"
    )
    RESULTS.mkdir(exist_ok=True)
    summary = {"counts": counts, "sampling": sampling, "hook_estimate": hooks}
    (RESULTS / "linear_extensions.json").write_text(json.dumps(summary, indent=2))


if __name__ == "__main__":
    main()

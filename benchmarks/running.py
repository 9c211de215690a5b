"""What checkpoints and clusters cost, as ratios measured in one run.

    python benchmarks/running.py [checkpoints] [dask] [--turns 5]

Checkpoints: the same run with and without one, in turns, and the share of a run's time that is spent on its checkpoint.
Dask: two workers, each a process on this machine, beside two threads and two processes, for chains of ten seconds and
more. Scheduler and client count too. A cluster talks to itself also when it has nothing to do; where the clock runs
long because of other work, that adds up, and so the ratio is also given without it.

Other work on the machine disturbs the time on the clock, and less that of the quickest turns; the load tells how much
there was. It does not disturb what the cores did for the run, which is given beside: where cores are free, the clock
shows the same, except that it also shows how long one waits for the disk.
"""

import argparse
import multiprocessing
import os
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median

import edgewise as ew
from cores import core_seconds, used_since
from edgewise.running.checkpoints import Checkpoint

SIZES = {30: 300_000, 300: 20_000}
"""Iterations by number of variables: some seconds for each chain."""

DASK_ITERATIONS = 2_600_000
IDLE = 20
"""Seconds for which an idle cluster is looked at."""


def timed(function):
    """Return a function that notes the seconds it takes, on the clock and of the cores, and the list of them."""
    spent = []

    def call(*arguments, **settings):
        began, worked = time.perf_counter(), time.thread_time()
        try:
            return function(*arguments, **settings)
        finally:
            spent.append((time.perf_counter() - began, time.thread_time() - worked))

    return call, spent


def measure(data, **settings):
    """Return the seconds of a run on the clock, and those of the cores."""
    before, began = core_seconds(), time.perf_counter()
    ew.sample(data, chains=2, seed=1, progress=False, **settings)
    return time.perf_counter() - began, used_since(before)


def show(name, numbers):
    """Print the median of some numbers, and their range."""
    print(f"    {name} {median(numbers):.4f} ({min(numbers):.4f} to {max(numbers):.4f})", flush=True)


def measure_checkpoints(turns):
    kept = {name: getattr(Checkpoint, name) for name in ("begin", "note")}
    for p, iterations in SIZES.items():
        data = ew.simulate(p, 1000, seed=1).data
        measure(data, iterations=1000)
        seconds, shares = {"without": [], "with": []}, []
        for turn in range(turns):
            for kind in ("without", "with") if turn % 2 else ("with", "without"):
                if kind == "without":
                    seconds[kind].append(measure(data, iterations=iterations))
                    continue
                spent = []
                for name, function in kept.items():
                    call, calls = timed(function)
                    spent.append(calls)
                    setattr(Checkpoint, name, call)
                with tempfile.TemporaryDirectory(dir=Path.cwd()) as directory:
                    took = measure(data, iterations=iterations, checkpoint=Path(directory) / "kept")
                    files = list((Path(directory) / "kept").iterdir())
                    size = sum(file.stat().st_size for file in files)
                for name, function in kept.items():
                    setattr(Checkpoint, name, function)
                seconds[kind].append(took)
                shares.append([sum(call[way] for calls in spent for call in calls) / took[way] for way in (0, 1)])
        quickest = [min(seconds[kind]) for kind in ("with", "without")]
        print(
            f"p = {p}: {quickest[1][0]:.1f} s without a checkpoint, {len(files)} files, {size / 2**20:.1f} MB, "
            f"quickest with / quickest without {quickest[0][0] / quickest[1][0]:.3f}"
        )
        for way, name in enumerate(("clock", "cores")):
            pairs = zip(seconds["with"], seconds["without"], strict=True)
            show(f"{name}: with / without", [one[way] / other[way] for one, other in pairs])
            show(f"{name}: share spent on the checkpoint", [share[way] for share in shares])


def measure_dask(turns):
    from distributed import LocalCluster

    data = ew.simulate(30, 1000, seed=1).data
    spawn = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(2, mp_context=spawn) as processes,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        cluster.get_client() as client,
    ):
        kinds = {"threads": None, "processes": processes, "dask": client}
        for executor in kinds.values():
            measure(data, iterations=20_000, executor=executor)
        before, began = core_seconds(), time.perf_counter()
        time.sleep(IDLE)
        idle = used_since(before) / (time.perf_counter() - began)
        print(f"an idle cluster takes {idle:.3f} of a core")
        seconds = {kind: [] for kind in kinds}
        for _ in range(turns):
            for kind, executor in kinds.items():
                seconds[kind].append(measure(data, iterations=DASK_ITERATIONS, executor=executor))
    for kind in ("threads", "processes"):
        quickest = [min(seconds[one]) for one in ("dask", kind)]
        print(
            f"dask against {kind}, which take {quickest[1][0]:.1f} s, {min(one[1] for one in seconds[kind]):.1f} s of "
            f"the cores: quickest / quickest {quickest[0][0] / quickest[1][0]:.3f}"
        )
        for way, name in enumerate(("clock", "cores")):
            pairs = zip(seconds["dask"], seconds[kind], strict=True)
            show(name, [one[way] / other[way] for one, other in pairs])
        worked = {one: [used - idle * clock for clock, used in seconds[one]] for one in kinds}
        show("cores, less an idle cluster", [a / b for a, b in zip(worked["dask"], worked[kind], strict=True)])
        print(f"    the same, least / least {min(worked['dask']) / min(worked[kind]):.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wanted", nargs="*", help="checkpoints, dask, or by default both")
    parser.add_argument("--turns", type=int, default=5)
    options = parser.parse_args()
    if not options.wanted or "checkpoints" in options.wanted:
        measure_checkpoints(options.turns)
    if not options.wanted or "dask" in options.wanted:
        measure_dask(options.turns)
    print(f"load {os.getloadavg()[1]:.1f} on {os.cpu_count()} cores in the last five minutes")


if __name__ == "__main__":
    main()

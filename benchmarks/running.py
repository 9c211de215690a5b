"""What checkpoints and clusters cost, as ratios measured in one run.

    python benchmarks/running.py [checkpoints] [dask]

Checkpoints: the same run with and without one, in turns, and the share of a run's time that is spent on its checkpoint.
Dask: two workers, each a process on this machine, beside two threads and two processes, for chains of ten seconds and
more. Other work on the machine disturbs all of them; medians of several turns are what to look at.
"""

import multiprocessing
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median

import edgewise as ew
from edgewise.running.checkpoints import Checkpoint

TURNS = 5
SIZES = {30: 300_000, 300: 20_000}
"""Iterations by number of variables: some seconds for each chain."""

DASK_ITERATIONS = 2_000_000


def timed(function):
    """Return a function that adds up the seconds it takes, and the list that it adds them to."""
    spent = []

    def call(*arguments, **settings):
        began = time.perf_counter()
        try:
            return function(*arguments, **settings)
        finally:
            spent.append(time.perf_counter() - began)

    return call, spent


def measure(data, **settings):
    began = time.perf_counter()
    ew.sample(data, chains=2, seed=1, progress=False, **settings)
    return time.perf_counter() - began


def measure_checkpoints():
    kept = {name: getattr(Checkpoint, name) for name in ("begin", "note")}
    for p, iterations in SIZES.items():
        data = ew.simulate(p, 1000, seed=1).data
        measure(data, iterations=1000)
        ratios, shares = [], []
        for turn in range(TURNS):
            seconds = {}
            for kind in ("without", "with") if turn % 2 else ("with", "without"):
                if kind == "without":
                    seconds[kind] = measure(data, iterations=iterations)
                    continue
                spent = {}
                for name, function in kept.items():
                    call, spent[name] = timed(function)
                    setattr(Checkpoint, name, call)
                with tempfile.TemporaryDirectory(dir=Path.cwd()) as directory:
                    seconds[kind] = measure(data, iterations=iterations, checkpoint=Path(directory) / "kept")
                    files = list((Path(directory) / "kept").iterdir())
                    size = sum(file.stat().st_size for file in files)
                shares.append(sum(map(sum, spent.values())) / seconds[kind])
            ratios.append(seconds["with"] / seconds["without"])
        print(
            f"p = {p:3}: {seconds['without']:5.1f} s without, ratio with a checkpoint {median(ratios):.3f} "
            f"({min(ratios):.3f} to {max(ratios):.3f}), share of the time spent on it {100 * median(shares):.2f} % "
            f"(at most {100 * max(shares):.2f} %), {len(files)} files, {size / 2**20:.1f} MB",
            flush=True,
        )
    for name, function in kept.items():
        setattr(Checkpoint, name, function)


def measure_dask():
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
        seconds = {kind: [] for kind in kinds}
        for _ in range(TURNS):
            for kind, executor in kinds.items():
                seconds[kind].append(measure(data, iterations=DASK_ITERATIONS, executor=executor))
    for kind in ("threads", "processes"):
        ratios = [one / other for one, other in zip(seconds["dask"], seconds[kind], strict=True)]
        print(
            f"dask against {kind}: {median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}), "
            f"where {kind} take {median(seconds[kind]):.1f} s"
        )


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["checkpoints", "dask"]
    if "checkpoints" in wanted:
        measure_checkpoints()
    if "dask" in wanted:
        measure_dask()

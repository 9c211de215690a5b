"""Many small data sets on one worker and on two.

    python benchmarks/many.py [--sets 200] [--rounds 10] [--dask]

Samples DAGs given 200 data sets of 8 variables and 100 rows, on processes or, with --dask, on those of local clusters,
and prints how many times as fast two workers are as one. The sets are done in rounds, by one and by two in turns.

Other work on the machine disturbs the ratio of the sums, and less that of the quickest rounds; the load tells how much
there was. It does not disturb what the cores did for a set, nor much the share of the time that workers had a set. From
both follows how many times as fast two workers are where each has a core: twice, less what they are without a set, and
less what sets take more of the cores.
"""

import argparse
import os
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

import edgewise as ew
from cores import core_seconds, used_since
from edgewise.tasks import processes

P, ROWS, ITERATIONS = 8, 100, 10_000


def make_files(sets, folder):
    """Return the paths of simulated data sets."""
    files = [folder / f"set{number:04d}.csv" for number in range(sets)]
    for number, file in enumerate(files):
        ew.simulate(P, ROWS, seed=number).data.to_csv(file, index=False)
    return files


@contextmanager
def cluster_of(workers):
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


def run(files, out, executor):
    """Return the posteriors of some files, and the seconds that they took, on the clock and of the cores."""
    before, began = core_seconds(), time.perf_counter()
    many = ew.sample_many(files, iterations=ITERATIONS, seed=1, out=out, executor=executor, progress=False)
    assert not many.failed, many.failed
    return many, time.perf_counter() - began, used_since(before)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--dask", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory, ExitStack() as stack:
        files = make_files(options.sets, Path(directory))
        start = cluster_of if options.dask else processes
        executors = {workers: stack.enter_context(start(workers)) for workers in (1, 2)}
        for workers, executor in executors.items():
            # Compiles, and has the workers load what is compiled.
            run(files[: 2 * workers], Path(directory) / f"first{workers}", executor)
        clock, cores, had_a_set = ({1: [], 2: []} for _ in range(3))
        for number in range(options.rounds):
            found = {}
            for workers in (1, 2) if number % 2 else (2, 1):
                out = Path(directory) / f"on{workers}"
                found[workers], took, used = run(files[number :: options.rounds], out, executors[workers])
                clock[workers].append(took)
                cores[workers].append(used)
                had_a_set[workers].append(found[workers].table["seconds"].sum() / workers)
            assert all(np.array_equal(found[1][name].dags(), found[2][name].dags()) for name in found[1])
            print(f"round {number + 1}: {clock[1][-1]:.1f} s and {clock[2][-1]:.1f} s", flush=True)
    for name, figure in (("all rounds", sum), ("the quickest round", min)):
        one, two = figure(clock[1]), figure(clock[2])
        print(f"{name}: {one:.1f} s on one, {two:.1f} s on two, {one / two:.2f} times as fast")
    busy = {workers: sum(had_a_set[workers]) / sum(clock[workers]) for workers in (1, 2)}
    used = {workers: sum(cores[workers]) / options.sets for workers in (1, 2)}
    for workers in (1, 2):
        print(
            f"on {workers}: {used[workers]:.3f} s of the cores for a set, workers had one {100 * busy[workers]:.1f} %"
        )
    print(f"with a core for each worker: {2 * busy[2] / busy[1] * used[1] / used[2]:.2f} times as fast")
    print(f"load {os.getloadavg()[1]:.1f} on {os.cpu_count()} cores in the last five minutes")


if __name__ == "__main__":
    main()

"""Many small data sets on one worker and on two.

    python benchmarks/many.py [--sets 200] [--dask] [--quick]

Samples DAGs given 200 data sets of 8 variables and 100 rows, on processes that ew.sample_many starts or, with --dask,
on the processes of a local cluster, and prints how many times as fast two workers are as one. Workers begin anew each
time, and that counts. Other work on the machine disturbs the ratio: the CPU time of the workers, which is printed
beside it, tells what two of them would do on a machine of their own, and the load how much else there was.
"""

import argparse
import os
import resource
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import edgewise as ew

P, ROWS, ITERATIONS = 8, 100, 10_000


def make_files(sets, folder):
    for number in range(sets):
        ew.simulate(P, ROWS, seed=number).data.to_csv(folder / f"set{number:04d}.csv", index=False)


@contextmanager
def workers_of(number, *, dask):
    """Provide the arguments that ask for so many workers."""
    if not dask:
        yield {"workers": number}
        return
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=number, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield {"executor": client}


def used():
    """Return the CPU seconds of processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(folder, number, *, dask):
    """Return the posteriors, and the seconds and CPU seconds that they took."""
    began, before = time.perf_counter(), used()
    with workers_of(number, dask=dask) as where:
        many = ew.sample_many(
            str(folder / "*.csv"), iterations=ITERATIONS, seed=1, out=folder / f"on{number}", progress=False, **where
        )
        seconds = time.perf_counter() - began
    assert not many.failed, many.failed
    return many, seconds, used() - before


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--quick", action="store_true", help="20 sets")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        make_files(20 if options.quick else options.sets, folder)
        ew.sample(folder / "set0000.csv", iterations=ITERATIONS, seed=1, progress=False)  # compiles
        found = {}
        for number in (1, 2):
            many, seconds, cpu = found[number] = run(folder, number, dask=options.dask)
            load = os.getloadavg()[0]
            print(
                f"{len(many)} sets on {number}: {seconds:.1f} s, {cpu:.1f} s of CPU, load {load:.1f} on "
                f"{os.cpu_count()} cores",
                flush=True,
            )
        one, two = found[1], found[2]
        assert all(np.array_equal(one[0][name].dags(), two[0][name].dags()) for name in one[0])
    print(f"Two are {one[1] / two[1]:.2f} times as fast as one; by their CPU time {2 * one[2] / two[2]:.2f} times.")


if __name__ == "__main__":
    main()

"""A million draws: size on disk, memory and time to write and to summarise them.

    python benchmarks/posterior_size.py [--draws 1000000]

p = 30, n = 1000, one draw every 10 iterations on 4 chains, written to a file while they are made. Memory is what the
process holds beyond what it held before, at its peak, as the operating system counts it.
"""

import argparse
import json
import tempfile
import threading
import time
from pathlib import Path

import edgewise as ew

RESULTS = Path(__file__).parent / "results"


class MemoryWatch:
    """Notes the largest resident size of this process while the block runs."""

    def __enter__(self):
        self.before = self.most = self.resident()
        self.running = True
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def watch(self):
        while self.running:
            self.most = max(self.most, self.resident())
            time.sleep(0.005)

    def __exit__(self, *_):
        self.running = False
        self.thread.join()
        self.megabytes = (self.most - self.before) / 1e6

    @staticmethod
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def measure(name, work, rows):
    began = time.perf_counter()
    with MemoryWatch() as memory:
        result = work()
    seconds = time.perf_counter() - began
    rows.append({"what": name, "seconds": seconds, "megabytes": memory.megabytes})
    print(f"{name:45} {seconds:7.2f} s {memory.megabytes:8.0f} MB more ({memory.most / 1e6:.0f} MB in all)")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1_000_000)
    draws = parser.parse_args().draws

    simulation = ew.simulate(30, 1000, seed=1)
    settings = {"thin": 10, "burn_in": 10_000, "chains": 4, "seed": 1, "progress": False}
    ew.sample(simulation.data, sampler=ew.MinimalIMAP(), iterations=20_000, **settings).edges()
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "posterior.nc"
        iterations = 10_000 + 10 * draws // 4
        measure(
            f"sample {draws:,} draws into a file",
            lambda: ew.sample(simulation.data, sampler=ew.MinimalIMAP(), iterations=iterations, store=path, **settings),
            rows,
        )
        print(f"{'size of the file':45} {path.stat().st_size / 1e6:9.1f} MB")
        posterior = measure("load", lambda: ew.load(path), rows)
        measure("edge probabilities", posterior.edge_probabilities, rows)
        measure("table of edges", posterior.edges, rows)
        measure("save again", lambda: posterior.save(Path(directory) / "again.nc"), rows)
        size = path.stat().st_size
    RESULTS.mkdir(exist_ok=True)
    summary = {"draws": draws, "p": 30, "file_bytes": size, "rows": rows}
    (RESULTS / "posterior_size.json").write_text(json.dumps(summary, indent=2))


if __name__ == "__main__":
    main()

"""Fuzzing at length: ``python -m fuzz`` in the directory of the tests, or ``make fuzz``.

Files are read by processes of their own, so that a crash, a hang or a hunger for memory can be counted. Such a process
goes from seed to seed and says how each file ended; where it ends itself, another goes on after that seed. A file is
made again by its seed: ``python -m fuzz --first 1234 --number 1``.
"""

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from fuzz.kinds import KINDS, spoil
from fuzz.outcomes import BAD, GOOD, Outcome, read, run

MEMORY = 2**31
"""Bytes that the reading of a file may take, beside what the process has when it begins."""

PATIENCE = 60
"""Seconds of work after which the reading of a file will not end any more. One is usual where kernels are compiled, and
half a minute where they are not."""

STUCK = 1800
"""Seconds after which it will not end, if it does nothing, however busy the machine is."""

AT_ONCE = 250
"""Files that a process reads before another takes over, as what it leaves in memory adds up."""

BETWEEN_COMMANDS = 20
"""Of so many files of a kind, one goes through the command line."""


def main():
    """Read files, print how they ended, and end with exit code 1 if some did not end well."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Read files from strangers.")
    parser.add_argument("--number", type=int, default=2000, help="how many files to read")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first of them")
    parser.add_argument("--here", action="store_true", help="read them in this process, and print a line on each")
    given = parser.parse_args()
    seeds = range(given.first, given.first + given.number)
    if given.here:
        _read_files(seeds)
        return 0
    ended = [outcome for start in seeds[::AT_ONCE] for outcome in _watch(seeds[start - given.first :][:AT_ONCE])]
    _show(Counter((name, outcome.word) for _, name, outcome in ended))
    bad = [(seed, name, outcome) for seed, name, outcome in ended if outcome.word in BAD]
    for seed, name, outcome in bad:
        _say(f"\nseed {seed}, {name}, {outcome.word}: {outcome.said}")
    return 1 if bad else 0


def _watch(seeds):
    """Yield each seed with the kind of its file and how it ended, whatever happens to the processes that read them."""
    while seeds:
        command = [sys.executable, "-m", "fuzz", "--here", "--first", str(seeds[0]), "--number", str(len(seeds))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
            for line in process.stdout:
                word, said = line.rstrip("\n").split("\t", 1)
                yield seeds[0], _kind_of(seeds[0]), Outcome(word, said.encode().decode("unicode_escape"))
                seeds = seeds[1:]
        if seeds:
            word = "hang" if -process.returncode in (signal.SIGPROF, signal.SIGALRM) else "crash"
            yield seeds[0], _kind_of(seeds[0]), Outcome(word, f"exit code {process.returncode}")
            seeds = seeds[1:]


def _read_files(seeds):
    """Read files, and print a line on each: the outcome, and what was said."""
    for kind in KINDS.values():
        kind.good(np.random.default_rng(0))  # what makes good files may take long, and memory
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))
    for seed in seeds:
        signal.setitimer(signal.ITIMER_PROF, PATIENCE)
        signal.alarm(STUCK)
        outcome = read_seed(seed)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        _say(f"{outcome.word}\t{outcome.said.encode('unicode_escape').decode()}")


def read_seed(seed):
    """Make the file of a seed, read it, and return how that ended."""
    kind = KINDS[_kind_of(seed)]
    name, content = spoil(kind, np.random.default_rng(seed))
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / name
        path.write_bytes(content)
        if seed // len(KINDS) % BETWEEN_COMMANDS == 0:
            return run(kind.command, path)
        return read(kind.use, path)


def _kind_of(seed):
    return list(KINDS)[seed % len(KINDS)]


def _show(counts):
    """Print a table of the outcomes of each kind of file."""
    words = (*GOOD, *BAD)
    _say("".join(["files".ljust(16), *(word.rjust(11) for word in words)]))
    for name in (*KINDS, "all"):
        numbers = [sum(counts[each, word] for each in KINDS if name in (each, "all")) for word in words]
        _say("".join([name.ljust(16), *(str(number).rjust(11) for number in numbers)]))


def _say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())

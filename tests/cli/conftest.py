import io
import os
import shutil
import subprocess
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pexpect
import pytest

import edgewise as ew
from edgewise.cli import main

COLOURS = ("NO_COLOR", "FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "CLICOLOR_FORCE", "TTY_COMPATIBLE")
"""Variables of the environment that would decide about colours."""

TABLE = "measurements.csv"

QUICK = ("--iterations", "2000", "--thin", "10", "--seed", "1")

STUCK = 1800
"""Seconds after which a command will not end any more, however busy the machine is."""


@dataclass
class Finished:
    code: int
    out: str
    err: str


def plain_environment():
    """Return the environment without what would decide about colours or, as xdist has it, about the width."""
    return {name: value for name, value in os.environ.items() if name not in (*COLOURS, "COLUMNS", "LINES")}


class Pipe(io.TextIOWrapper):
    """What a command writes, as it would be read at the other end."""

    def __init__(self, encoding="utf-8"):
        super().__init__(io.BytesIO(), encoding=encoding, write_through=True)

    def getvalue(self):
        return self.buffer.getvalue().decode(self.encoding)


class Screen(Pipe):
    """What is shown on a terminal."""

    def isatty(self):
        return True


def call(patched, *arguments, columns=100, encoding="utf-8", screen=None):
    """Run a command in this process, where the environment is restored by whoever has ``patched``.

    Its output goes to two pipes or, as it is written, to a screen.
    """
    for name in COLOURS:
        patched.setenv(name, "")  # so that it is restored if a command sets it
        patched.delenv(name)
    patched.setenv("COLUMNS", str(columns))
    patched.setattr(sys, "argv", ["edgewise", *map(str, arguments)])
    out, err = screen or Pipe(encoding), screen or Pipe(encoding)
    with (
        warnings.catch_warnings(),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    return Finished(ended.value.code or 0, out.getvalue(), err.getvalue())


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run a command in this process, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return partial(call, monkeypatch)


@pytest.fixture
def show(monkeypatch, tmp_path):
    """Run a command in this process as if in a terminal of some width, and return its exit code and what it showed."""
    monkeypatch.chdir(tmp_path)

    def show(*arguments, columns=120, term="xterm"):
        monkeypatch.setenv("TERM", term)
        done = call(monkeypatch, *arguments, columns=columns, screen=Screen())
        return done.code, done.out

    return show


@dataclass
class Fitted(Finished):
    folder: Path

    def copy_to(self, out):
        shutil.copytree(self.folder / "out", out)


@pytest.fixture(scope="session")
def fit_apart(tmp_path_factory):
    """Fit the good table in a directory of its own; return what was said, and the directory."""

    def fit(*options):
        folder = tmp_path_factory.mktemp("fitted")
        write_table(folder)
        with pytest.MonkeyPatch.context() as patched:
            patched.chdir(folder)
            done = call(patched, "fit", TABLE, "--out", "out", *options)
        return Fitted(done.code, done.out, done.err, folder)

    return fit


@pytest.fixture(scope="session")
def fitted(fit_apart):
    """One fit for all who only look at its results."""
    return fit_apart(*QUICK)


@pytest.fixture
def run_alone(tmp_path):
    """Run a command in a process of its own, in an empty directory."""

    def run(*arguments, **environment):
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-m", "edgewise", *map(str, arguments)],
            cwd=tmp_path,
            env={**plain_environment(), **environment},
            capture_output=True,
            text=True,
            timeout=STUCK,
            check=False,
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def terminal(tmp_path):
    """Run a command in a terminal, in an empty directory."""
    started = []

    def start(*arguments, columns=120, **environment):
        screen = pexpect.spawn(
            sys.executable,
            ["-m", "edgewise", *map(str, arguments)],
            cwd=str(tmp_path),
            env={**plain_environment(), "TERM": "xterm", "LC_ALL": "C.UTF-8", **environment},
            dimensions=(40, columns),
            timeout=STUCK,
            encoding="utf-8",
        )
        started.append(screen)
        return screen

    yield start
    for screen in started:
        screen.close(force=True)


def write_table(folder):
    data = ew.simulate(5, 200, seed=8).data.set_axis(["Raf", "Mek", "Erk", "Akt", "Jnk"], axis=1)
    data.to_csv(folder / TABLE, index=False)
    return folder / TABLE


@pytest.fixture
def table(tmp_path):
    """A good CSV file."""
    return write_table(tmp_path)

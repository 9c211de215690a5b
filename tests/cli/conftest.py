import os
import subprocess
import sys
import warnings
from dataclasses import dataclass

import pexpect
import pytest

import edgewise as ew
from edgewise.cli import main

COLOURS = ("NO_COLOR", "FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "CLICOLOR_FORCE")
"""Variables of the environment that would decide about colours."""


@dataclass
class Finished:
    code: int
    out: str
    err: str


def plain_environment():
    """Return the environment without what would decide about colours or, as xdist has it, about the width."""
    return {name: value for name, value in os.environ.items() if name not in (*COLOURS, "COLUMNS", "LINES")}


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run a command in this process, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name in COLOURS:
        monkeypatch.setenv(name, "")  # also so that it is restored if a command sets it

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["edgewise", *map(str, arguments)])
        capsys.readouterr()
        with warnings.catch_warnings(), pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return Finished(ended.value.code or 0, captured.out, captured.err)

    return run


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
            timeout=120,
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
            timeout=180,  # a first run compiles
            encoding="utf-8",
        )
        started.append(screen)
        return screen

    yield start
    for screen in started:
        screen.close(force=True)


@pytest.fixture
def table(tmp_path):
    """A good CSV file."""
    path = tmp_path / "measurements.csv"
    data = ew.simulate(5, 60, seed=1).data.set_axis(["Raf", "Mek", "Erk", "Akt", "Jnk"], axis=1)
    data.to_csv(path, index=False)
    return path

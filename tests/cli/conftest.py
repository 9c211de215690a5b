import os
import subprocess
import sys
import warnings
from dataclasses import dataclass

import pytest

import edgewise as ew
from edgewise.cli import main


@dataclass
class Finished:
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run a command in this process, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

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
            cwd=tmp_path, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        return Finished(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def table(tmp_path):
    """A good CSV file."""
    path = tmp_path / "measurements.csv"
    data = ew.simulate(5, 60, seed=1).data.set_axis(["Raf", "Mek", "Erk", "Akt", "Jnk"], axis=1)
    data.to_csv(path, index=False)
    return path

"""What people install: the source distribution, the wheel built from it, and both commands and Python outside the tree.

``EDGEWISE_PYTHONS`` names more interpreters to try, parted by colons. An index of packages must be within reach.
"""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PYTHONS = [sys.executable, *filter(None, os.environ.get("EDGEWISE_PYTHONS", "").split(":"))]

LARGEST = 3_000_000
"""Bytes of a source distribution, most of which are pictures and reference values."""

SMOKE = """
import edgewise as ew

data = ew.simulate(5, 200, seed=1).data
posterior = ew.sample(data, iterations=2000, seed=1, progress=False)
assert posterior.pairs().shape[1] == 9
posterior.report("page.html")
"""


def run(*words, cwd):
    """Run a program that does not see this tree, and return what it printed."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "NUMBA_CACHE_DIR")}
    done = subprocess.run(  # noqa: S603
        [str(word) for word in words],
        cwd=cwd,
        env={**environment, "NUMBA_CACHE_DIR": str(cwd / "numba")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel, built from the source distribution as ``build`` does it, and that."""
    folder = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, source


@pytest.mark.slow
def test_contents(built):
    wheel, source = built
    names = zipfile.ZipFile(wheel).namelist()
    assert {"edgewise/py.typed", "edgewise/report/page.html", "edgewise/report/page.js"} <= set(names)
    assert not [name for name in names if name.startswith(("tests", "docs", "benchmarks"))]
    with tarfile.open(source) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "tests/conftest.py",
        "tests/reference/reference.json",
        "docs/pages.py",
        "mkdocs.yml",
        "CITATION.cff",
    } <= inside
    assert not [name for name in inside if name.startswith((".venv", ".cache")) or name.endswith(".pyc")]
    assert source.stat().st_size < LARGEST


@pytest.mark.slow
@pytest.mark.parametrize("python", PYTHONS)
def test_installed(built, tmp_path, python):
    run(python, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    commands = tmp_path / "venv" / "bin"
    run(commands / "python", "-m", "pip", "install", "--quiet", built[0], cwd=tmp_path)
    assert run(commands / "edgewise", "--version", cwd=tmp_path).startswith("edgewise 0.")
    run(commands / "edgewise", "simulate", "--p", 6, "--n", 200, "--seed", 1, "--out", "simulated", cwd=tmp_path)
    words = ("fit", "simulated/data.csv", "--out", "results", "--iterations", 2000, "--seed", 1, "--quiet")
    run(commands / "edgewise", *words, cwd=tmp_path)
    assert {"report.html", "pairs.csv", "edges.csv", "posterior.nc", "run.json"} <= set(
        os.listdir(tmp_path / "results")
    )
    run(commands / "python", "-W", "error", "-c", SMOKE, cwd=tmp_path)

"""Kernels do the same whether they are compiled or not, and hardly a line of them is never run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

TESTS = Path(__file__).parent
LEAST_COVERED = 90
"""Per cent of the lines and branches of kernels that must run; what does not is mostly full tables and bad luck."""


def collect(path, **environment):
    finished = subprocess.run(  # noqa: S603
        [sys.executable, str(TESTS / "uncompiled.py"), str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS.parent / "src"), str(TESTS)]), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return np.load(path), finished.stdout


@pytest.mark.slow
def test_uncompiled_kernels_give_the_same_and_are_covered(tmp_path):
    compiled, _ = collect(tmp_path / "compiled.npz")
    plain, printed = collect(tmp_path / "plain.npz", NUMBA_DISABLE_JIT="1")
    assert len(compiled.files) > 100
    assert compiled.files == plain.files
    for name in compiled.files:
        if compiled[name].dtype == bool:
            np.testing.assert_array_equal(plain[name], compiled[name], err_msg=name)
        else:
            np.testing.assert_allclose(plain[name], compiled[name], rtol=1e-8, atol=1e-8, err_msg=name)
    (covered,) = re.findall(r"^TOTAL.* (\d+)%", printed, re.M)
    assert int(covered) >= LEAST_COVERED

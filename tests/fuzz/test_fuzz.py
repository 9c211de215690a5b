"""Files from strangers end in a result or in a sentence; ``make fuzz`` reads two thousand of them."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.cases import CASES
from fuzz.kinds import KINDS, spoil
from fuzz.outcomes import GOOD, read, run


def end(name, file, how=read):
    """Use a file of a kind, and return how that ended."""
    kind = KINDS[name]
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / file[0]
        path.write_bytes(file[1])
        return how(kind.use if how is read else kind.command, path)


@pytest.mark.parametrize("name", KINDS)
def test_good_files_end_in_a_result(name):
    file = KINDS[name].good(np.random.default_rng(1))
    assert end(name, file).word == "result"
    assert end(name, file, run).word == "result"


@pytest.mark.parametrize(
    ("name", "make"), [pytest.param(name, make, id=f"{name}: {what}") for name, what, make in CASES]
)
def test_former_faults(name, make):
    outcome = end(name, make())
    assert outcome.word in GOOD, outcome.said


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=10, derandomize=True, database=None)
@given(seed=st.integers(0, 2**32))
def test_changed_files(name, seed):
    outcome = end(name, spoil(KINDS[name], np.random.default_rng(seed)))
    assert outcome.word in GOOD, outcome.said


@pytest.mark.parametrize("name", KINDS)
def test_changed_files_on_the_command_line(name):
    for seed in range(2):
        outcome = end(name, spoil(KINDS[name], np.random.default_rng(seed)), run)
        assert outcome.word in GOOD, outcome.said

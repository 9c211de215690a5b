"""Numba's compiler, with shortcuts that nobody else may notice."""

import numba
import numpy as np
import pytest
from numba.core import errors, event
from numba.core.base import BaseContext
from numba.core.compiler import Flags
from numba.core.cpu import CPUContext
from numba.core.postproc import PostProcessor
from numba.core.targetconfig import TargetConfig
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import Context

from edgewise._kernels.compilers import _shortcuts
from edgewise._kernels.compiling import IS_UNCOMPILED, in_place, inner, kernel

pytestmark = pytest.mark.skipif(IS_UNCOMPILED, reason="kernels run as Python")

REPLACED = (
    (BaseFunction, "get_call_type"),
    (BaseContext, "get_abi_sizeof"),
    (CPUContext, "load_additional_registries"),
    (Context, "load_additional_registries"),
    (PostProcessor, "run"),
    (TargetConfig, "__eq__"),
    (TargetConfig, "__hash__"),
    (event, "install_timer"),
    *([(errors.HighlightColorScheme, "_markup")] if hasattr(errors, "HighlightColorScheme") else []),
)


@inner
def double(x):
    return 2 * x


@inner
def quadruple(x):
    return double(double(x))


@in_place
def add_to(total, x):
    total[0] += quadruple(x)
    return total[0] - quadruple(x)


@kernel
def combine(a, b):
    return a + 2 * b - a.sum()


@inner
def call_nothing_known(x):
    return x.no_such_thing


@in_place
def fail(x):
    return call_nothing_known(x)


def test_parts_of_parts_are_linked():
    total = np.array([1.0])
    assert add_to(total, 3.0) == 1.0
    assert total == 13.0


def test_whole_arrays_are_added():
    a, b = np.array([1.0, 2.0]), np.array([3.0, 5.0])
    np.testing.assert_array_equal(combine(a, b), a + 2 * b - 3)


def test_shortcuts_are_taken_back_even_if_nothing_comes_of_it():
    before = [getattr(owner, name) for owner, name in REPLACED]
    with pytest.raises(errors.TypingError, match="no_such_thing"):
        fail(np.zeros(2))
    assert [getattr(owner, name) for owner, name in REPLACED] == before


def test_there_are_no_other_shortcuts():
    known = {owner: dict(vars(owner)) for owner, _ in REPLACED}
    with _shortcuts():
        changed = {(owner, name) for owner in known for name in known[owner] if vars(owner)[name] != known[owner][name]}
    assert changed == set(REPLACED)
    assert {owner: dict(vars(owner)) for owner in known} == known


def test_others_compile_as_before():
    with pytest.raises(errors.TypingError):
        fail(np.zeros(2))

    @numba.njit
    def largest(values):
        best = max(values[0], 0.0)
        for value in values + values**2:
            best = max(best, value)
        return best

    assert largest(np.array([1.0, 3.0, 2.0])) == 12.0


def test_options_are_equal_and_hashed_as_numba_does():
    sets = [Flags() for _ in range(5)]
    sets[1].nrt = True
    sets[2].nrt = False  # the default, but set
    sets[3].nrt = sets[3].release_gil = True
    sets[4].fastmath = True
    equal = [[one == other for other in sets] for one in sets]
    hashes = [hash(one) for one in sets]
    with _shortcuts():
        assert [[one == other for other in sets] for one in sets] == equal
        assert [hash(one) for one in sets] == hashes
        assert sets[0] != "options"
    assert equal[0] == [True, False, True, False, False]

"""How entries hand NamedTuples over to their parts."""

import sys
from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest
from numba import types

from edgewise._kernels.compiling import IS_UNCOMPILED, in_place, inner
from edgewise._kernels.tables import Tables

pytestmark = pytest.mark.skipif(IS_UNCOMPILED, reason="kernels run as Python")


class Inside(NamedTuple):
    weight: np.ndarray
    is_doubled: bool


class Outside(NamedTuple):
    inside: Inside
    total: np.ndarray
    rows: np.ndarray


class Alike(NamedTuple):
    first: np.ndarray
    second: np.ndarray


@inner
def add_up(outside, alike, place):
    factor = 2.0 if outside.inside.is_doubled else 1.0
    for row in range(outside.rows.shape[0]):
        outside.total[place] += factor * outside.inside.weight[row] * outside.rows[row, place]
    first, second = alike
    return first[place] - second[place]


@in_place
def work(outside, alike, several):
    return add_up(outside, alike, 0) + 10 * add_up(outside, alike, 1) + 100 * several[1].weight[0]


@pytest.fixture
def arguments(rng):
    inside = Inside(rng.random(3), True)
    outside = Outside(inside, np.zeros(2), rng.random((3, 2)))
    return outside, Alike(np.array([5, 7]), np.array([1, 2])), (outside, inside)


def test_members_are_found_at_their_address(arguments):
    outside, _, _ = arguments
    assert work(*arguments) == pytest.approx(54 + 100 * outside.inside.weight[0])
    np.testing.assert_allclose(outside.total, 2 * outside.inside.weight @ outside.rows)


def test_every_named_tuple_is_handed_over_by_address(arguments):
    work(*arguments)
    (signature,) = work.signatures
    outside, alike, several = signature
    assert all(isinstance(kind, Tables) for kind in (outside, alike, *several, outside.types[0]))


def test_no_reference_is_kept(arguments):
    outside, alike, _ = arguments
    arrays = (outside.inside.weight, outside.total, outside.rows, *alike)
    work(*arguments)
    before = [sys.getrefcount(array) for array in arrays]
    for _ in range(3):
        work(*arguments)
    assert [sys.getrefcount(array) for array in arrays] == before


def test_a_part_is_compiled_once_for_all_numbers(arguments):
    work(*arguments)
    assert len(add_up.overloads) == 1


def test_names_in_compiled_code_are_those_of_module_class_and_fields():
    """Compiled functions of one name are taken for one another, and their names are made of these."""
    known = [
        namedtuple("Namesake", field, module=module)
        for module, field in [("here", "weight"), ("elsewhere", "weight"), ("here", "height")]
    ]
    names = [Tables((types.float64,), cls).name for cls in known]
    assert len(set(names)) == 3
    assert names[0] == Tables((types.float64,), namedtuple("Namesake", "weight", module="here")).name

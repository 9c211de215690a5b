import dataclasses
import hashlib
import struct

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from edgewise.data import Moments, load_data
from edgewise.errors import DataError


def test_moments_equal_numpys(table):
    moments = load_data(table).moments
    values = table.to_numpy()
    np.testing.assert_allclose(moments.mean, values.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(moments.scale, values.std(axis=0, ddof=1), rtol=1e-13)
    np.testing.assert_allclose(moments.correlation, np.corrcoef(values.T), rtol=0, atol=1e-14)
    np.testing.assert_allclose(moments.scatter, 39 * np.cov(values.T), rtol=1e-12, atol=1e-13)


@settings(max_examples=60)
@given(
    arrays(np.float64, (7, 3), elements=st.floats(-100, 100, width=32), unique=True),
    st.integers(-300, 300),
    st.floats(-1e6, 1e6),
)
def test_moments_follow_a_change_of_units(values, exponent, shift):
    moments = Moments.from_values(values)
    scaled = Moments.from_values(np.ldexp(values, exponent))
    np.testing.assert_array_equal(scaled.scale, np.ldexp(moments.scale, exponent))
    np.testing.assert_array_equal(scaled.correlation, moments.correlation)
    rounding = np.spacing(np.abs(values + shift).max(axis=0))
    shifted = Moments.from_values(values + shift)
    np.testing.assert_array_less(np.abs(shifted.scale - moments.scale), 10 * rounding)


def test_correlation_is_exactly_symmetric_with_unit_diagonal():
    values = np.random.default_rng(2).normal(size=(30, 12)) * np.logspace(-9, 9, 12) + 1e5
    correlation = load_data(values).moments.correlation
    np.testing.assert_array_equal(correlation, correlation.T)
    np.testing.assert_array_equal(np.diag(correlation), 1.0)


def test_huge_mean_keeps_the_digits_that_the_data_have():
    noise = np.random.default_rng(3).integers(-500, 500, size=(200, 3)) / 8
    plain = load_data(noise).moments
    shifted = load_data(noise + 1e9).moments  # exact in double precision
    np.testing.assert_allclose(shifted.scale, plain.scale, rtol=1e-13)
    np.testing.assert_allclose(shifted.correlation, plain.correlation, rtol=0, atol=1e-13)


def test_extreme_scales_have_good_correlations_but_no_scatter(table):
    values = table.to_numpy()
    moments = load_data(values * [1e-200, 1e200, 1.0, 1e-300, 1e300]).moments
    np.testing.assert_allclose(moments.correlation, np.corrcoef(values.T), rtol=0, atol=1e-14)
    np.testing.assert_allclose(moments.scale[:2], values.std(axis=0, ddof=1)[:2] * [1e-200, 1e200], rtol=1e-13)
    with pytest.raises(DataError, match="other units"):
        _ = moments.scatter


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_scatter_is_refused_when_too_small_or_too_large(table, factor):
    moments = load_data(table.assign(Raf=table["Raf"] * factor)).moments
    with pytest.raises(DataError, match="standard deviations"):
        _ = moments.scatter


def test_single_precision_is_widened(table):
    narrow = table.astype(np.float32)
    dataset = load_data(narrow)
    assert dataset.values.dtype == np.float64
    np.testing.assert_array_equal(dataset.values, narrow.to_numpy(dtype=np.float64))


def test_arrays_are_read_only_copies(table):
    values = np.array(table, order="F")
    dataset = load_data(values)
    before = dataset.values[0, 0]
    values[0, 0] += 1
    assert dataset.values[0, 0] == before
    assert dataset.values.flags.c_contiguous
    moments = dataset.moments
    for array in (dataset.values, moments.mean, moments.scale, moments.correlation, moments.scatter):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0


def test_dataset_is_frozen_and_describes_itself(table):
    dataset = load_data(table)
    assert (dataset.n, dataset.p, dataset.kind) == (40, 5, "continuous")
    assert dataset.names == tuple(table.columns)
    assert load_data(dataset) is dataset
    with pytest.raises(dataclasses.FrozenInstanceError):
        dataset.names = ("a",)


def test_fingerprint_covers_every_cell(table):
    seen = {load_data(table).fingerprint}
    for row in range(len(table)):
        for column in range(table.shape[1]):
            changed = table.copy()
            changed.iloc[row, column] = np.nextafter(changed.iloc[row, column], np.inf)
            seen.add(load_data(changed).fingerprint)
    assert len(seen) == 1 + table.size


def test_fingerprint_covers_names_order_and_shape(table):
    variants = [
        table,
        table.rename(columns={"Raf": "raf"}),
        table.rename(columns={"Raf": "Mek", "Mek": "Raf"}),
        table[["Mek", "Raf", "Erk", "Akt", "Jnk"]],
        table.iloc[::-1],
        table.iloc[:-1],
        table.iloc[:, :-1],
    ]
    assert len({load_data(variant).fingerprint for variant in variants}) == len(variants)


def test_fingerprint_does_not_confuse_boundaries_of_names():
    values = np.random.default_rng(4).normal(size=(10, 2))
    first = load_data(pd.DataFrame(values, columns=["a", "b', 'c"]))
    second = load_data(pd.DataFrame(values, columns=["a', 'b", "c"]))
    assert first.fingerprint != second.fingerprint


def test_fingerprint_ignores_the_sign_of_zero_and_the_storage(table):
    table.iloc[0, 0] = 0.0
    negative = table.copy()
    negative.iloc[0, 0] = -0.0
    reference = load_data(table).fingerprint
    assert load_data(negative).fingerprint == reference
    assert load_data(table.astype(object)).fingerprint == reference
    assert load_data(table.astype("Float64")).fingerprint == reference
    assert load_data(table.set_index(pd.Index(range(100, 140)))).fingerprint == reference


def test_fingerprint_is_the_same_on_every_machine():
    values = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, -3.0], [3.0, 0.25]])
    content = b'[["X0", "X1"], [[4, 2]]]' + struct.pack("<8d", 0, 1, 1, 0.5, 2, -3, 3, 0.25)
    assert load_data(values).fingerprint == hashlib.sha256(content).hexdigest()


def test_variables_are_found_by_name_and_by_number(table):
    dataset = load_data(table)
    assert dataset.positions(["Jnk", 0]).tolist() == [4, 0]
    assert dataset.positions("Erk").tolist() == dataset.positions(2).tolist() == [2]

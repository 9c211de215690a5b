import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise.data import Moments, load_data
from edgewise.data.missing import effective_rows, em_moments
from edgewise.errors import ArgumentError, DataError, DataWarning
from naive.missing import em


def make_gaps():
    """Sixty rows of five related columns in other units, a tenth of whose cells are missing."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(60, 5)) @ rng.normal(size=(5, 5)) * [1, 10, 0.1, 1e3, 1] + [0, 5, 100, -1e4, 1]
    values[rng.random(values.shape) < 0.1] = np.nan
    return values


@pytest.fixture
def gaps():
    return make_gaps()


@cache
def fill_slowly():
    return em(make_gaps(), 100)


def test_em_agrees_with_the_slow_twin(gaps):
    moments = em_moments(gaps)
    mean, covariance = fill_slowly()
    scale = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose((moments.mean - mean) / scale, 0, atol=1e-6)
    np.testing.assert_allclose(moments.correlation, covariance / np.outer(scale, scale), atol=1e-6)
    np.testing.assert_allclose(moments.scale, scale * np.sqrt(60 / 59), rtol=1e-6)


def test_em_of_complete_data_is_the_plain_estimate(gaps):
    complete = gaps[np.isfinite(gaps).all(axis=1)]
    plain, found = Moments.from_values(complete), em_moments(complete)
    for name in ("n", "mean", "scale", "correlation"):
        np.testing.assert_array_equal(getattr(found, name), getattr(plain, name))


def test_em_ends_where_the_likelihood_has_no_slope(gaps):
    """One more round of the twin changes nothing."""
    moments = em_moments(gaps)
    once = fill_slowly()
    again = em(gaps, 1, start=once)
    np.testing.assert_allclose(once[1], again[1], rtol=1e-9)
    assert moments.n == int(effective_rows(np.isfinite(gaps)))


def test_em_works_with_fewer_rows_than_columns():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(12, 20))
    values[rng.random(values.shape) < 0.05] = np.nan
    moments = em_moments(values)
    assert np.isfinite(moments.correlation).all()
    assert np.linalg.eigvalsh(moments.correlation)[0] > -1e-8


def test_an_empty_row_says_nothing_of_the_others(gaps):
    with_empty = np.vstack([gaps, np.full(5, np.nan)])
    np.testing.assert_allclose(em_moments(with_empty).correlation, em_moments(gaps).correlation, atol=1e-6)


def test_the_default_names_columns_counts_and_ways(gaps, refusal):
    message = refusal(pd.DataFrame(gaps, columns=list("abcde")))
    for words in ("Columns 'a', 'b', 'c', 'd' and 'e' have", "missing values", "missing='drop'", "missing='em'"):
        assert words in message


def test_dropped_rows_are_counted(gaps):
    kept = np.isfinite(gaps).all(axis=1)
    with pytest.warns(DataWarning, match=rf"^{(~kept).sum()} rows of 60 with missing values were left out"):
        dataset = load_data(gaps, missing="drop")
    np.testing.assert_array_equal(dataset.values, gaps[kept])
    assert dataset.record()["dropped_rows"] == (~kept).sum()


def test_nothing_is_said_where_nothing_is_missing(gaps):
    complete = gaps[np.isfinite(gaps).all(axis=1)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for missing in ("drop", "em", "error"):
            dataset = load_data(complete, missing=missing)
            assert dataset.treatment == {}
            assert dataset.fingerprint == load_data(complete).fingerprint


def test_what_is_known_states_what_it_is_worth(gaps):
    dataset = load_data(gaps, missing="em")
    worth = int(effective_rows(np.isfinite(gaps)))
    assert dataset.n == 60
    assert dataset.moments.n == worth < 60
    assert dataset.record()["effective_rows"] == worth
    assert dataset.record()["missing_cells"] == np.isnan(gaps).sum()


def test_em_of_a_chain_finds_the_chain():
    rng = np.random.default_rng(5)
    x = rng.normal(size=400)
    y = x + rng.normal(size=400)
    table = np.stack([x, y, y + rng.normal(size=400)], axis=1)
    table[rng.random(table.shape) < 0.1] = np.nan
    joined = ew.exact_posterior(table, missing="em").edge_probabilities("undirected").to_numpy()
    assert joined[0, 1] > 0.99
    assert joined[1, 2] > 0.99
    assert joined[0, 2] < 0.3


def test_gaps_in_discrete_columns_are_passed_over():
    rng = np.random.default_rng(5)
    x = rng.integers(0, 3, 400)
    y = np.where(rng.random(400) < 0.8, x, rng.integers(0, 3, 400))
    table = pd.DataFrame({"x": x, "y": y, "z": rng.integers(0, 2, 400)}).astype(object)
    table[rng.random(table.shape) < 0.1] = None
    kinds = dict.fromkeys(table, "categorical")
    joined = ew.exact_posterior(table, missing="em", kinds=kinds).edge_probabilities("undirected")
    assert joined.loc["x", "y"] > 0.99
    assert joined.loc["x", "z"] < 0.3


def test_ranks_of_a_column_with_gaps_are_those_of_its_values(gaps):
    dataset = load_data(gaps, missing="em", transform="ranks")
    known = np.isfinite(gaps[:, 0])
    assert (np.isnan(dataset.values[:, 0]) == ~known).all()
    assert (np.argsort(dataset.values[known, 0]) == np.argsort(gaps[known, 0])).all()


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"missing": "ignore"}, ArgumentError, "missing must be 'error', 'drop' or 'em'"),
        ({"transform": "log"}, ArgumentError, "transform must be 'ranks'"),
        ({"columns": "X0"}, ArgumentError, "columns must be a list of column names"),
        ({"columns": ["X0", 1]}, ArgumentError, "columns must be a list of column names, but ['X0', 1]"),
        ({"drop": 5}, ArgumentError, "drop must be a list of column names, but 5"),
        ({"drop": ["nobody"]}, ArgumentError, "'nobody'"),
        ({"columns": ["nobody"]}, ArgumentError, "'nobody'"),
        ({"targets": {}}, ArgumentError, "targets needs interventions"),
    ],
)
def test_wrong_settings_are_refused(gaps, settings, error, words):
    with pytest.raises(error) as caught:
        load_data(gaps, **settings)
    assert words in str(caught.value)


def test_too_many_gaps_are_refused():
    values = np.random.default_rng(1).normal(size=(8, 3))
    values[:6, 0] = np.nan
    values[3:, 1] = np.nan
    with pytest.raises(DataError, match="Too many values are missing"):
        load_data(values, missing="em")


def test_an_empty_column_is_refused(gaps, refusal):
    gaps[:, 2] = np.nan
    with pytest.raises(DataError, match=r"Column 'X2' has no value in any row: remove it\."):
        load_data(gaps, missing="em")
    assert load_data(gaps, missing="em", drop=["X2"]).names == ("X0", "X1", "X3", "X4")

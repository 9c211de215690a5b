import numpy as np
import pandas as pd
import pytest

from edgewise.data import Covariance, load_data
from edgewise.errors import DataError
from sentences import check_sentence


@pytest.fixture
def matrix():
    return np.array([[4.0, 1.0, 0.5], [1.0, 2.0, -0.3], [0.5, -0.3, 1.0]])


def test_covariance_gives_the_moments_of_the_data(table):
    dataset = load_data(table)
    summary = load_data(Covariance(table.cov(), n=40, mean=table.mean()))
    assert summary.names == dataset.names
    assert summary.values is None
    assert (summary.n, summary.p, summary.kind) == (40, 5, "continuous")
    np.testing.assert_allclose(summary.moments.scatter, dataset.moments.scatter, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(summary.moments.correlation, dataset.moments.correlation, rtol=0, atol=1e-14)
    np.testing.assert_allclose(summary.moments.mean, dataset.moments.mean, rtol=1e-12)


def test_defaults_are_numbered_names_and_zero_means(matrix):
    dataset = load_data(Covariance(matrix.tolist(), 10))
    assert dataset.names == ("X0", "X1", "X2")
    np.testing.assert_array_equal(dataset.moments.mean, 0.0)
    np.testing.assert_allclose(dataset.moments.scatter, 9 * matrix, rtol=1e-15)
    assert load_data(Covariance(pd.DataFrame(matrix), 10, names=list("abc"))).names == ("a", "b", "c")


def test_fingerprint_covers_matrix_mean_names_and_n(matrix):
    other = matrix.copy()
    other[0, 2] = other[2, 0] = np.nextafter(0.5, 1)
    variants = [
        Covariance(matrix, 10),
        Covariance(matrix, 11),
        Covariance(other, 10),
        Covariance(matrix, 10, names=["a", "b", "c"]),
        Covariance(matrix, 10, mean=[0.0, 0.0, 1e-300]),
    ]
    assert len({load_data(variant).fingerprint for variant in variants}) == len(variants)
    assert load_data(Covariance(matrix, 10)).fingerprint == load_data(variants[0]).fingerprint


def test_single_precision_is_symmetric_enough(matrix):
    root = np.linalg.cholesky(matrix).astype(np.float32)
    rounded = (root @ root.T).astype(np.float32)
    rounded[0, 1] = np.nextafter(rounded[0, 1], np.float32(2))
    correlation = load_data(Covariance(rounded, 10)).moments.correlation
    np.testing.assert_array_equal(correlation, correlation.T)


def test_fewer_rows_than_columns_are_accepted():
    values = np.random.default_rng(5).normal(size=(6, 10))
    assert load_data(Covariance(np.cov(values.T), 6)).p == 10


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"matrix": np.ones((2, 3))}, ["square", "(2, 3)"]),
        ({"matrix": np.ones(3)}, ["square", "(3,)"]),
        ({"matrix": [["a", "b"], ["c", "d"]]}, ["covariance matrix", "numbers"]),
        ({"names": ["a", "b"]}, ["3 columns", "2 names"]),
        ({"names": ["a", "b", "a"]}, ["'a'", "its own name"]),
        ({"names": ["a", "", "c"]}, ["Column 2", "no name"]),
        ({"mean": [0.0, 1.0]}, ["3 columns", "(2,)"]),
        ({"mean": ["x", "y", "z"]}, ["means", "numbers"]),
        ({"mean": [0.0, np.nan, 1.0]}, ["'Mek'", "missing or infinite"]),
        ({"n": 3}, ["3 rows", "at least 4"]),
        ({"n": 10.5}, ["whole number", "10.5"]),
        ({"n": True}, ["whole number", "True"]),
    ],
)
def test_bad_arguments_are_refused(matrix, refusal, change, said):
    arguments = {"matrix": matrix, "n": 10, "names": ["Raf", "Mek", "Erk"]} | change
    message = refusal(Covariance(arguments.pop("matrix"), **arguments))
    for words in said:
        assert words in message


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({(0, 1): 0.9}, ["not symmetric", "'Raf'", "'Mek'", "0.9"]),
        ({(1, 1): 0.0}, ["'Mek'", "variance of zero"]),
        ({(1, 1): -2.0}, ["'Mek'", "variance of zero"]),
        ({(0, 2): np.nan, (2, 0): np.nan}, ["'Raf' and 'Erk'", "missing or infinite"]),
        ({(2, 2): np.inf}, ["'Erk'", "missing or infinite"]),
        ({(0, 1): 5.0, (1, 0): 5.0}, ["not positive definite", "eigenvalue"]),
        (
            {(0, 1): 8**0.5, (1, 0): 8**0.5, (0, 2): 0.0, (2, 0): 0.0, (1, 2): 0.0, (2, 1): 0.0},
            ["'Raf' = 'Mek'"],
        ),
    ],
)
def test_bad_matrices_are_refused(matrix, refusal, cells, said):
    for cell, value in cells.items():
        matrix[cell] = value
    message = refusal(Covariance(matrix, 10, names=["Raf", "Mek", "Erk"]))
    for words in said:
        assert words in message


def test_a_linear_combination_is_named(table, refusal):
    table["total"] = table["Raf"] + 2 * table["Jnk"]
    message = refusal(Covariance(table.cov(), 40))
    assert "'total' is an exact linear combination of 'Raf' and 'Jnk'" in message


def test_rows_in_another_order_than_columns_are_refused(table, refusal):
    covariance = table.cov()
    assert "different names" in refusal(Covariance(covariance.iloc[::-1], 40))


def test_a_covariance_has_no_rows(matrix):
    with pytest.raises(DataError, match="give the table of measurements itself") as caught:
        _ = load_data(Covariance(matrix, 10)).rows
    check_sentence(str(caught.value))

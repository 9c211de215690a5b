import re

import numpy as np
import pytest

import edgewise as ew
from edgewise.graphs import is_acyclic
from edgewise.imap import factorize
from naive.imap import NaiveIMAP
from sentences import check_sentence


@pytest.mark.parametrize(("n", "p"), [(5, 2), (50, 7), (9, 7), (1000, 12)])
def test_equals_the_naive_imap(rng, n, p):
    for _ in range(10):
        values = rng.standard_normal((n, p)) @ (np.eye(p) + 0.7 * rng.standard_normal((p, p)))
        order = rng.permutation(p)
        naive = NaiveIMAP(np.corrcoef(values.T), n, 0.05).dag(tuple(order))
        np.testing.assert_array_equal(ew.minimal_imap(values, order, 0.05), naive)


def test_one_inverse_decides_as_one_test_at_a_time(rng):
    """The naive twin against itself: all predecessors from one inverse, and each from its own."""
    values = rng.standard_normal((20, 6)) @ rng.standard_normal((6, 6))
    naive = NaiveIMAP(np.corrcoef(values.T), 20, 0.1)
    for node in range(6):
        before = frozenset(range(6)) - {node}
        one_by_one = {v for v in before if naive.is_dependent(node, v, sorted(before - {v}))}
        assert naive.parents(node, before) == one_by_one


def test_void_tests_give_no_edges_and_are_counted(rng):
    values = rng.standard_normal((8, 12)) @ rng.standard_normal((12, 12))
    order = rng.permutation(12)
    with pytest.warns(ew.VoidTestWarning, match="51 of the 66"):
        dag = ew.minimal_imap(values, order, alpha=0.5, as_array=True)
    np.testing.assert_array_equal(dag, NaiveIMAP(np.corrcoef(values.T), 8, 0.5).dag(tuple(order)))
    assert not dag[:, order[6:]].any()
    assert dag.any()


def test_the_true_order_recovers_the_true_dag():
    """With the exact covariance and almost infinite n the minimal I-MAP of a topological order is the DAG itself."""
    for seed in range(10):
        sim = ew.simulate(10, 10, seed=seed)
        oracle = ew.Covariance(sim.covariance, n=10**9)
        np.testing.assert_array_equal(ew.minimal_imap(oracle, sim.order, alpha=1e-6), sim.dag)
        reverse = ew.minimal_imap(oracle, sim.order[::-1], alpha=1e-6, as_array=True)
        assert is_acyclic(reverse)
        assert reverse.sum() >= sim.dag.sum()


def test_orders_may_be_names(rng):
    sim = ew.simulate(5, 100, seed=1)
    names = [sim.data.columns[i] for i in sim.order]
    np.testing.assert_array_equal(ew.minimal_imap(sim.data, names), ew.minimal_imap(sim.data, sim.order))


def test_relabelling_variables_relabels_the_imap(rng):
    values = rng.standard_normal((60, 6)) @ rng.standard_normal((6, 6))
    order, relabel = rng.permutation(6), rng.permutation(6)
    moved = ew.minimal_imap(values[:, relabel], np.argsort(relabel)[order], as_array=True)
    np.testing.assert_array_equal(moved, ew.minimal_imap(values, order, as_array=True)[np.ix_(relabel, relabel)])


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 2, float("nan"), "0.05"])
def test_alpha_must_be_a_level(rng, alpha):
    with pytest.raises(ew.ArgumentError, match="alpha is a significance level"):
        ew.minimal_imap(rng.standard_normal((20, 3)), [0, 1, 2], alpha)


@pytest.mark.parametrize(
    ("order", "word"),
    [([0, 1], "'X2' is missing"), ([0, 1, 1], "more than once"), ([0, 1, 3], "no variable 3")],
)
def test_an_order_must_be_a_permutation(rng, order, word):
    with pytest.raises(ew.ArgumentError, match=word):
        ew.minimal_imap(rng.standard_normal((20, 3)), order)


def test_a_dependence_among_few_rows_is_an_error(rng):
    """With n <= p + 1 no check beforehand can tell an exact sum from the dependence that all columns have."""
    values = rng.standard_normal((8, 12))
    values[:, 2] = values[:, 0] + values[:, 1]
    with (
        pytest.warns(ew.VoidTestWarning),
        pytest.raises(ew.DataError, match="'X2' is an exact linear combination of 'X0' and 'X1'"),
    ):
        ew.minimal_imap(values, range(12))


@pytest.mark.parametrize("correlation", [1.0, 1 - 1e-12])
def test_columns_that_determine_each_other_have_no_factor(correlation):
    matrix = np.array([[1.0, correlation], [correlation, 1.0]])
    assert not factorize(matrix, np.arange(2), np.empty((2, 2)))
    assert factorize(matrix, np.arange(2), np.empty((1, 2)))


@pytest.mark.parametrize("argument", ["parents", "criterion"])
def test_ways_of_finding_parents_are_named(rng, argument):
    with pytest.raises(ew.ArgumentError) as error:
        ew.minimal_imap(rng.standard_normal((20, 3)), [0, 1, 2], **{argument: "best"})
    assert re.fullmatch(rf"{argument} must be '.*', but 'best' was given\.", check_sentence(str(error.value)))

"""Every step of the compiled chain against its slow twin."""

import warnings

import numpy as np
import pytest

import edgewise as ew
from edgewise.imap import factorize
from naive import scores
from naive.chain import NaiveChain
from naive.imap import NaiveIMAP
from naive.stepping import FlatScore, by_swaps, choose, drive, make_chain


def well_behaved(rng, n, p):
    return ew.simulate(p, n, neighbours=min(3, p - 1), seed=rng).data.to_numpy().copy()


def nearly_collinear(rng, n, p):
    """Columns that others determine up to one part in 10^4: unexplained shares of variance near 1e-8."""
    values = well_behaved(rng, n, p)
    values[:, 1] = values[:, 0] + 1e-4 * rng.standard_normal(n)
    if p > 3:
        values[:, 3] = values[:, 2] - values[:, 0] + 1e-4 * rng.standard_normal(n)
    return values


@by_swaps
@pytest.mark.parametrize(
    ("make", "n", "p"),
    [
        (well_behaved, 50, 2),
        (well_behaved, 100, 3),
        (well_behaved, 200, 9),
        (well_behaved, 500, 30),
        (well_behaved, 300, 60),
        (nearly_collinear, 200, 10),
        (nearly_collinear, 300, 30),
        (well_behaved, 32, 30),
        (well_behaved, 33, 30),
        (well_behaved, 62, 60),
        (well_behaved, 4, 6),
        (well_behaved, 12, 20),
        (well_behaved, 31, 30),
    ],
)
def test_the_imap_equals_the_naive_one_after_every_swap(rng, make, n, p, number):
    """Random swaps, all accepted, wrap-arounds included; with n < p + 2 some positions are not tested."""
    values = make(rng, n, p)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ew.VoidTestWarning)
        chain = make_chain(values, rng.permutation(p), score=FlatScore(), gamma=0.0)
    swaps = rng.integers(p, size=number)
    expected = list(chain.state.order)
    dags, orders, _ = drive(chain, np.column_stack([choose(chain, swaps), np.full(number, 0.5)]))
    naive = NaiveIMAP(np.corrcoef(values.T), n, 0.01)
    for k, dag, order in zip(swaps, dags, orders, strict=True):
        j = (k + 1) % p
        expected[k], expected[j] = expected[j], expected[k]
        assert order.tolist() == expected
        np.testing.assert_array_equal(dag, naive.dag(expected))
    assert (swaps == p - 1).any()


@pytest.mark.parametrize(("n", "p"), [(200, 2), (200, 6), (40, 12), (10, 14)])
def test_the_chain_equals_algorithms_1_and_2(rng, n, p):
    """The same random numbers give the same orders, DAGs and log posteriors as the paper's algorithms as printed."""
    values = well_behaved(rng, n, p)
    order = rng.permutation(p)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ew.VoidTestWarning)
        chain = make_chain(values, order, laziness=0.1)
    naive = NaiveChain(values, order, laziness=0.1)
    rows = rng.random((500, 2))
    accepted = 0
    for dag, order, log_posterior, (choice, uniform) in zip(*drive(chain, rows), rows, strict=True):
        before = list(naive.order)
        naive.step(choice, uniform)
        accepted += before != naive.order
        assert order.tolist() == naive.order
        np.testing.assert_array_equal(dag, naive.dag)
        np.testing.assert_allclose(log_posterior, naive.log_posterior, rtol=1e-10)
    assert 0 < accepted < 500


def test_scores_of_draws_are_those_of_their_dags(rng):
    """After many steps with a small cache's worth of forgetting, no score belongs to another family."""
    values = well_behaved(rng, 60, 15)
    chain = make_chain(values, rng.permutation(15), gamma=0.5)
    dags, orders, log_posterior = drive(chain, rng.random((20_000, 2)))
    for i in rng.integers(len(dags), size=80):
        total = scores.total(scores.bge, values, dags[i]) - 0.5 * dags[i].sum()
        np.testing.assert_allclose(log_posterior[i], total, rtol=1e-10)
        np.testing.assert_array_equal(dags[i], ew.minimal_imap(values, orders[i]))


def test_a_swap_undone_restores_the_state(rng):
    values = well_behaved(rng, 100, 12)
    chain = make_chain(values, rng.permutation(12), score=FlatScore(), gamma=0.0)
    order, family, (W, C, *_) = chain.state.order.copy(), chain.state.family.copy(), map(np.copy, chain.state.found)
    for k in range(12):
        drive(chain, np.column_stack([choose(chain, [k, k]), [0.5, 0.5]]))
        np.testing.assert_array_equal(chain.state.order, order)
        np.testing.assert_array_equal(chain.state.family, family)
        np.testing.assert_allclose(chain.state.found.W**2, W**2, rtol=0, atol=1e-12)
        np.testing.assert_allclose(chain.state.found.C, C, rtol=0, atol=1e-12)


def drift(chain):
    """Return the largest difference of W and C from their values computed from scratch, relative to the row."""
    W = np.empty_like(chain.state.found.W)
    factorize(chain.model.target.way.correlation, chain.state.order, W)
    C = np.cumsum(W**2, axis=0)
    scale = np.abs(W).max(axis=1, keepdims=True)
    in_w = (np.abs(chain.state.found.W) - np.abs(W)) / scale
    in_c = (chain.state.found.C[1:] - C) / scale**2
    return max(np.abs(in_w).max(), np.abs(in_c).max())


def take_swaps(chain, rng, number):
    """Accept random swaps without ever refactoring."""
    for done in range(0, number, 100_000):
        steps = min(100_000, number - done)
        chain.iteration = 1
        swaps = rng.integers(chain.model.p, size=steps)
        drive(chain, np.column_stack([choose(chain, swaps), np.full(steps, 0.5)]))


@pytest.mark.parametrize(("make", "bound"), [(well_behaved, 1e-11), (nearly_collinear, 1e-4)])
def test_the_factor_drifts_slowly(rng, make, bound):
    """Errors grow like sqrt(swaps) * 1e-16 times the condition number, which is 1e8 for nearly collinear data."""
    chain = make_chain(make(rng, 500, 20), rng.permutation(20), score=FlatScore(), gamma=0.0)
    take_swaps(chain, rng, 200_000)
    assert 0 < drift(chain) < bound


@pytest.mark.slow
@pytest.mark.parametrize(("n", "p"), [(500, 10), (500, 30), (500, 60)])
def test_the_factor_drifts_below_1e_8_in_ten_million_swaps(rng, n, p):
    chain = make_chain(well_behaved(rng, n, p), rng.permutation(p), score=FlatScore(), gamma=0.0)
    take_swaps(chain, rng, 10_000_000)
    found = drift(chain)
    assert found < 1e-8, found


def test_refreshing_changes_nothing_but_rounding(rng):
    chain = make_chain(well_behaved(rng, 100, 12), rng.permutation(12))
    drive(chain, rng.random((5000, 2)))
    order, family, W = chain.state.order.copy(), chain.state.family.copy(), chain.state.found.W.copy()
    chain.refresh()
    np.testing.assert_array_equal(chain.state.order, order)
    np.testing.assert_array_equal(chain.state.family, family)
    np.testing.assert_allclose(np.abs(chain.state.found.W), np.abs(W), rtol=0, atol=1e-11)


def test_a_dependence_met_on_the_way_is_an_error(rng):
    """X2 = X0 + X1 in a few rows: harmless while one of the three is beyond the tested positions."""
    values = rng.standard_normal((8, 12))
    values[:, 2] = values[:, 0] + values[:, 1]
    with pytest.warns(ew.VoidTestWarning):
        chain = make_chain(values, [0, 1, *range(3, 12), 2], score=FlatScore(), gamma=0.0)
    with pytest.raises(ew.DataError, match="'X2' is an exact linear combination of 'X0' and 'X1'"):
        drive(chain, np.column_stack([choose(chain, range(10, 4, -1)), np.full(6, 0.5)]))


def test_a_dependence_at_the_start_is_an_error(rng):
    values = rng.standard_normal((8, 12))
    values[:, 2] = values[:, 0] + values[:, 1]
    with (
        pytest.warns(ew.VoidTestWarning),
        pytest.raises(ew.DataError, match="'X2' is an exact linear combination of 'X0' and 'X1'"),
    ):
        make_chain(values, range(12), score=FlatScore(), gamma=0.0)

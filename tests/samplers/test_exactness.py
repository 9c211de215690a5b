"""The chain leaves its target unchanged, and reaches it."""

import inspect
import itertools
import warnings

import numba
import numpy as np
import pytest
from scipy.stats import norm

import edgewise as ew
from edgewise._kernels import minimal_imap as kernels
from edgewise.samplers import minimal_imap as sampler
from exact.orders import ExactOrders
from naive.stepping import choose, drive, make_chain


def acceptance(chain, start, k):
    """Return where a chain goes from ``start`` when it proposes swap k, and with what probability it accepts.

    The probability is found by bisection: it is the largest random number with which the chain still moves.
    """

    def destination(uniform):
        chain.state.order[:] = start
        chain.refresh()
        _, orders, _ = drive(chain, [[choose(chain, k), uniform]])
        return tuple(orders[0].tolist())

    proposed = list(start)
    j = (k + 1) % len(start)
    proposed[k], proposed[j] = proposed[j], proposed[k]
    proposed = tuple(proposed)
    low, high = 0.0, 1.0
    if destination(np.nextafter(1.0, 0.0)) == proposed:
        return proposed, 1.0
    for _ in range(52):
        middle = (low + high) / 2
        if destination(middle) == proposed:
            low = middle
        else:
            high = middle
    return proposed, low


def transition_matrix(values, *, gamma, alpha, laziness=0.1):
    p = values.shape[1]
    orders = list(itertools.permutations(range(p)))
    number = {order: i for i, order in enumerate(orders)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ew.VoidTestWarning)
        chain = make_chain(values, range(p), gamma=gamma, alpha=alpha, laziness=laziness)
    matrix = np.zeros((len(orders), len(orders)))
    for order in orders:
        for k in range(p):
            proposed, probability = acceptance(chain, order, k)
            matrix[number[order], number[proposed]] += (1 - laziness) / p * probability
    return matrix + np.diag(1 - matrix.sum(axis=1))


@pytest.mark.parametrize(("p", "n"), [(2, 20), (3, 15), (4, 30), (4, 5), (4, 4)])
def test_the_transition_matrix_leaves_the_target_unchanged(rng, p, n):
    values = rng.standard_normal((n, p)) @ (np.eye(p) + 0.6 * rng.standard_normal((p, p)))
    target = ExactOrders(values, gamma=0.7, alpha=0.2)
    matrix = transition_matrix(values, gamma=0.7, alpha=0.2)
    np.testing.assert_allclose(target.probability @ matrix, target.probability, rtol=0, atol=1e-12)
    assert (np.diag(matrix) > 0).all()
    assert (np.linalg.matrix_power(matrix, 40) > 0).all()
    if p > 2:  # both orders of a pair have the same score, so that nothing is ever rejected
        assert target.probability.max() > 2 * target.probability.min(), "the target should not be trivial"


@pytest.mark.parametrize("laziness", [0.01, 0.5])
def test_the_chain_is_idle_as_often_as_it_should_be(rng, laziness):
    """100,000 iterations: five standard deviations, a false alarm in a million."""
    posterior = ew.sample(
        rng.standard_normal((50, 4)),
        sampler=ew.MinimalIMAP(laziness=laziness),
        iterations=100_000,
        chains=1,
        seed=1,
        progress=False,
    )
    proposed = {kind: number for kind, (number, _) in posterior.moves[0].items()}
    for number, share in ((sum(proposed.values()), 1 - laziness), (proposed["wrap-around"], (1 - laziness) / 4)):
        assert abs(number - 1e5 * share) < 5 * np.sqrt(1e5 * share * (1 - share))


BOUND = norm.isf(1e-4 / 40)
"""20 edges, two sides: all z-scores are within this bound but for one run in 10,000."""


def largest_z_score(values, seed):
    """Sample, and return the largest |observed - exact| / Monte Carlo error of the 20 edge probabilities."""
    exact = ExactOrders(values, alpha=0.05).edge_probabilities()
    assert ((exact > 0.01) & (exact < 0.99)).sum() >= 6
    posterior = ew.sample(
        values,
        sampler=ew.MinimalIMAP(alpha=0.05),
        iterations=400_000,
        burn_in=0.05,
        thin=20,
        chains=2,
        seed=seed,
        progress=False,
    )
    observed = posterior.edge_probabilities().to_numpy()
    # An edge that is drawn a few times in a run, or never, has no useful error of its own: allow it one in a thousand.
    error = np.maximum(posterior._monte_carlo_error, 1e-3)
    return np.abs((observed - exact) / error).max()


def five_variables():
    return ew.simulate(5, 60, seed=3).data.to_numpy()


def test_edge_probabilities_agree_with_enumeration():
    assert largest_z_score(five_variables(), seed=1) < BOUND


def test_a_wrong_acceptance_rule_is_caught(monkeypatch):
    """The same check on the same chain, but for an acceptance probability of the square root of the ratio."""
    right, wrong = "is_rejected(log_ratio, uniform)", "is_rejected(0.5 * log_ratio, uniform)"
    source = inspect.getsource(kernels.run.py_func)
    assert source.count(right) == 1
    scope = vars(kernels) | {"in_place": numba.njit(error_model="numpy", _nrt=False)}
    exec(source.replace(right, wrong), scope)  # noqa: S102
    monkeypatch.setattr(sampler, "run", scope["run"])
    assert largest_z_score(five_variables(), seed=1) > BOUND

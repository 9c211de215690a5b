"""The chain leaves its target unchanged, and reaches it."""

import numpy as np
import pytest
from scipy.stats import norm

import edgewise as ew
from compiled import altered
from edgewise._kernels.full_conditioning.moves import exchange_neighbours
from edgewise._kernels.full_conditioning.neighbours import exchange_tested
from edgewise._kernels.orders.loop import run, work
from edgewise.samplers import order_chains
from exact.orders import ExactOrders
from exact.transitions import transition_matrix
from naive.stepping import PAPER


@pytest.mark.parametrize(("p", "n"), [(2, 20), (3, 15), (4, 30), (4, 5), (4, 4)])
def test_the_transition_matrix_leaves_the_target_unchanged(rng, p, n):
    values = rng.standard_normal((n, p)) @ (np.eye(p) + 0.6 * rng.standard_normal((p, p)))
    target = ExactOrders(values, gamma=0.7, alpha=0.2)
    matrix = transition_matrix(values, target.orders, gamma=0.7, alpha=0.2)
    np.testing.assert_allclose(target.probability @ matrix, target.probability, rtol=0, atol=1e-12)
    assert (np.diag(matrix) > 0).all()
    assert (np.linalg.matrix_power(matrix, 40) > 0).all()
    if p > 2:  # both orders of a pair have the same score, so that nothing is ever rejected
        assert target.probability.max() > 2 * target.probability.min(), "the target should not be trivial"


@pytest.mark.parametrize("laziness", [0.01, 0.5])
@pytest.mark.parametrize("parents", ["full", "grow-shrink"])
@pytest.mark.parametrize(("moves", "relocations"), [("adjacent", 0.0), ("auto", 0.2), ("relocate", 1.0)])
def test_each_kind_of_move_is_as_frequent_as_it_should_be(rng, laziness, parents, moves, relocations):
    """100,000 iterations: five standard deviations, a false alarm in a million."""
    posterior = ew.sample(
        rng.standard_normal((50, 4)),
        sampler=ew.MinimalIMAP(parents=parents, moves=moves, laziness=laziness),
        iterations=100_000,
        chains=1,
        seed=1,
        progress=False,
    )
    proposed = {kind: number for kind, (number, _) in posterior.moves[0].items()}
    for number, share in (
        (sum(proposed.values()), 1 - laziness),
        (proposed["relocation"], (1 - laziness) * relocations),
        (proposed["wrap-around"], (1 - laziness) * (1 - relocations) / 4),
    ):
        assert abs(number - 1e5 * share) <= 5 * np.sqrt(1e5 * share * (1 - share))


BOUND = norm.isf(1e-4 / 40)
"""20 edges, two sides: all z-scores are within this bound but for one run in 10,000."""


def largest_z_score(values, seed):
    """Sample, and return the largest |observed - exact| / Monte Carlo error of the 20 edge probabilities."""
    exact = ExactOrders(values, alpha=0.05).edge_probabilities()
    assert ((exact > 0.01) & (exact < 0.99)).sum() >= 6
    posterior = ew.sample(
        values,
        sampler=ew.MinimalIMAP(**PAPER, alpha=0.05),
        prior=ew.Sparsity(1.0),
        iterations=400_000,
        burn_in=0.05,
        thin=20,
        chains=2,
        seed=seed,
        progress=False,
    )
    observed = posterior.edge_probabilities(rao_blackwell=False).to_numpy()
    # An edge that is drawn a few times in a run, or never, has no useful error of its own: allow it one in a thousand.
    error = np.maximum(posterior._monte_carlo_error, 1e-3)
    return np.abs((observed - exact) / error).max()


def five_variables():
    return ew.simulate(5, 60, seed=3).data.to_numpy()


def test_edge_probabilities_agree_with_enumeration():
    assert largest_z_score(five_variables(), seed=1) < BOUND


@pytest.mark.slow
def test_a_wrong_acceptance_rule_is_caught(monkeypatch):
    """The same check on the same chain, but for an acceptance probability of the square root of the ratio."""
    broken = altered(
        [exchange_tested, exchange_neighbours, run, work],
        right="is_rejected(log_ratio, uniform)",
        wrong="is_rejected(0.5 * log_ratio, uniform)",
    )
    monkeypatch.setattr(order_chains, "work", broken["work"])
    assert largest_z_score(five_variables(), seed=1) > BOUND

"""Effective draws, R-hat and Monte Carlo errors of any numbers against ArviZ, which takes them one by one."""

import numpy as np
import pytest
from arviz_stats.base import array_stats

from edgewise.data.ranks import normal_scores
from edgewise.posterior.monte_carlo import count_effective, find_r_hat, monte_carlo_error, split_chains

AXES = {"chain_axis": 0, "draw_axis": 1}


def autoregressive(rng, shape, persistence):
    """Draws that hold on to so much of the one before; with less than nothing, they alternate."""
    values = rng.normal(size=shape)
    for draw in range(1, shape[1]):
        values[:, draw] += persistence * values[:, draw - 1]
    return values


@pytest.fixture(params=[-0.9, 0.0, 0.5, 0.99], ids="persistence {}".format)
def make(request, rng):
    """Return a function that makes smooth numbers, indicators and counts, of chains that differ a little."""

    def make(chains, draws):
        smooth = autoregressive(rng, (chains, draws, 6), request.param) + rng.normal(size=(chains, 1, 6)) / 10
        return np.concatenate([smooth, smooth > 1, np.round(smooth), 1e-200 * smooth, 1e150 * smooth], axis=2)

    return make


@pytest.mark.parametrize("chains", [1, 2, 5])
@pytest.mark.parametrize("draws", [4, 5, 6, 7, 8, 9, 50, 301])
def test_all_quantities_have_the_numbers_of_arviz(make, chains, draws):
    values = make(chains, draws)
    values = values[..., (np.ptp(values, axis=1) > 0).all(axis=0)]
    halves = split_chains(values)
    scores = np.dstack([normal_scores(halves[..., number]) for number in range(halves.shape[2])])
    compared = {"rtol": 1e-9, "atol": 0}
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(count_effective(scores), array_stats.ess(values, **AXES), **compared)
        spread = np.ptp(values, axis=(0, 1))  # ArviZ takes what varies by less than 1e-15 for a constant
        np.testing.assert_allclose(
            monte_carlo_error(values), spread * array_stats.mcse(values / spread, **AXES), **compared
        )
        if chains > 1:
            expected = array_stats.rhat(values, method="z_scale", **AXES)
            np.testing.assert_allclose(find_r_hat(scores), expected, **compared)


def test_quantities_do_not_mix(make):
    values = make(3, 100)
    together = monte_carlo_error(values)
    for number in range(values.shape[2]):
        alone = monte_carlo_error(values[..., number : number + 1])
        np.testing.assert_allclose(together[number], alone[0], rtol=1e-12, equal_nan=True)


def test_independent_draws_are_worth_themselves(rng):
    """The number found has a relative error of a few per cent; 0.15 is more than five times that."""
    found = count_effective(rng.normal(size=(4, 5000, 20)))
    np.testing.assert_allclose(found, 20_000, rtol=0.15)


def test_weights_make_it_the_error_of_a_ratio(rng):
    """Of independent draws it is the root of the sum of (w (x - mean))^2, whatever the mean; 0.15 is as above."""
    values = rng.normal([-3.0, 0.0, 20.0], size=(4, 2000, 3))
    weights = rng.random((4, 2000)) ** 2
    weights /= weights.sum()
    mean = np.einsum("cd,cdq->q", weights, values)
    expected = np.sqrt(((weights[..., None] * (values - mean)) ** 2).sum(axis=(0, 1)))
    np.testing.assert_allclose(monte_carlo_error(values, weights, mean), expected, rtol=0.15)

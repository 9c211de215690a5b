import numpy as np
import pytest

import edgewise as ew
from sentences import check_sentence


@pytest.mark.parametrize("gamma", [0, 0.0, 1, 2.5, np.float32(0.5), np.int64(3)])
def test_gamma_is_a_number(gamma):
    prior = ew.Sparsity(gamma)
    assert prior.gamma == gamma
    assert type(prior.gamma) is float


@pytest.mark.parametrize("gamma", [-1, -1e-9, np.nan, np.inf, "strong", None, True, [1.0]])
def test_gamma_is_not_negative(gamma):
    with pytest.raises(ew.ArgumentError) as caught:
        ew.Sparsity(gamma)
    assert "gamma of Sparsity must be" in check_sentence(str(caught.value))


def test_the_prior_is_recorded_with_each_draw():
    data = ew.simulate(4, 50, seed=1).data
    posterior = ew.sample(data, prior=ew.Sparsity(1.5), iterations=500, thin=10, seed=1, progress=False)
    edges = posterior.dags().sum(axis=(2, 3))
    assert len(np.unique(edges)) > 1
    np.testing.assert_allclose(posterior.draws.log_prior, -1.5 * edges, rtol=1e-12, atol=0)


def test_a_stronger_prior_means_fewer_edges():
    data = ew.simulate(6, 50, seed=2).data
    edges = [
        ew.sample(data, prior=ew.Sparsity(gamma), iterations=20_000, seed=1, progress=False)
        .edge_probabilities()
        .to_numpy()
        .sum()
        for gamma in (0, 3, 30)
    ]
    assert edges[0] > edges[1] > edges[2]

from decimal import Decimal, localcontext
from math import comb

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


@pytest.mark.parametrize("p", [10, 30, 100, 1000])
def test_auto_expects_two_and_a_half_neighbours_given_an_order(p):
    """Given an order, each of the p (p - 1) / 2 possible edges is there with the odds of the prior."""
    gamma = ew.Sparsity("auto").penalty(p)
    assert (p - 1) / (1 + np.exp(gamma)) == pytest.approx(2.5, rel=1e-12)
    np.testing.assert_array_equal(ew.Sparsity("auto").terms([f"X{v}" for v in range(p)]).edge, -gamma)


@pytest.mark.parametrize(("p", "neighbours"), [(10, 3.24), (30, 3.65), (60, 3.80)])
def test_auto_expects_about_four_where_each_dag_counts_once(p, neighbours):
    """Robinson's recursion for the sum over all DAGs, each edge with a weight, and its derivative."""
    with localcontext() as context:
        context.prec = 120
        step = Decimal(10) ** -20

        def log_sum(weight):
            total = [Decimal(1)]
            for n in range(1, p + 1):
                total.append(
                    sum(
                        (-1) ** (k + 1) * comb(n, k) * (1 + weight) ** (k * (n - k)) * total[n - k]
                        for k in range(1, n + 1)
                    )
                )
            return total[p].ln()

        weight = (-Decimal(ew.Sparsity("auto").penalty(p))).exp()
        edges = (log_sum(weight * (1 + step)) - log_sum(weight * (1 - step))) / (2 * step)
    assert 2 * float(edges) / p == pytest.approx(neighbours, abs=0.005)


@pytest.mark.parametrize("p", range(1, 7))
def test_auto_has_no_opinion_on_few_variables(p):
    assert ew.Sparsity("auto").penalty(p) == 0


def test_auto_is_the_default():
    data = ew.simulate(12, 50, seed=1).data
    settings = {"iterations": 500, "thin": 10, "seed": 1, "progress": False}
    default, auto = (ew.sample(data, **given, **settings) for given in ({}, {"prior": ew.Sparsity("auto")}))
    np.testing.assert_array_equal(default.draws.log_prior, auto.draws.log_prior)
    assert default.info["prior"] == {"name": "Sparsity", "gamma": "auto"}


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

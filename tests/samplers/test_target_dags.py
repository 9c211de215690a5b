"""Target "dags": each DAG counts once, and the weights of the draws say so."""

import numpy as np
import pytest
from scipy.stats import norm

import edgewise as ew
from edgewise.data import load_data
from edgewise.graphs import hook_estimate
from edgewise.samplers import multiplicity
from exact.orders import ExactOrders
from exact.transitions import transition_matrix
from naive.graphs import random_dag
from naive.stepping import PAPER, drive, make_chain


class ExactDags(ExactOrders):
    """The same DAGs as under the target "orders", each once."""

    def __init__(self, values, **settings):
        super().__init__(values, **settings)
        _, first = np.unique(self.dags.reshape(len(self.dags), -1), axis=0, return_index=True)
        weight = np.exp(self.log_posterior[first] - self.log_posterior.max())
        self.dag_probability = weight / weight.sum()
        self.distinct = self.dags[first]

    def edge_probabilities(self):
        return np.tensordot(self.dag_probability, self.distinct, axes=1)


BOUND = norm.isf(1e-4 / 40)
"""20 edges, two sides: all z-scores are within this bound but for one run in 10,000."""


def largest_z_score(values, exact, **settings):
    sampler = ew.MinimalIMAP(**PAPER, alpha=0.05, target=settings.pop("target", "dags"))
    posterior = ew.sample(
        values,
        sampler=sampler,
        prior=ew.Sparsity(1.0),
        iterations=300_000,
        thin=20,
        chains=2,
        seed=1,
        progress=False,
        **settings,
    )
    error = np.maximum(posterior._monte_carlo_error, 1e-3)
    return np.abs((posterior.edge_probabilities(rao_blackwell=False).to_numpy() - exact) / error).max()


@pytest.mark.parametrize(("p", "seed"), [(4, 1), (5, 3), (5, 8)])
def test_edge_probabilities_agree_with_enumeration(p, seed):
    values = ew.simulate(p, 60, seed=seed).data.to_numpy()
    target = ExactDags(values, alpha=0.05)
    assert largest_z_score(values, target.edge_probabilities()) < BOUND


def test_the_two_targets_differ():
    """Each sampler agrees with its own target, and not with the other's."""
    values = ew.simulate(5, 60, seed=3).data.to_numpy()
    dags, orders = ExactDags(values, alpha=0.05), ExactOrders(values, alpha=0.05)
    assert np.abs(dags.edge_probabilities() - orders.edge_probabilities()).max() > 0.05
    assert largest_z_score(values, orders.edge_probabilities(), target="orders") < BOUND
    assert largest_z_score(values, orders.edge_probabilities(), target="dags") > BOUND
    assert largest_z_score(values, dags.edge_probabilities(), target="orders") > BOUND


def test_constraints_restrict_the_orders_that_are_counted():
    values = ew.simulate(5, 60, seed=3).data.to_numpy()
    constraints = ew.Constraints(tiers=[[0, 1], [2, 3]], ancestors=[(1, 4)])
    knowledge = constraints.resolve([f"X{i}" for i in range(5)])
    exact = ExactDags(values, alpha=0.05, knowledge=knowledge).edge_probabilities()
    assert largest_z_score(values, exact, constraints=constraints) < BOUND


def test_the_chain_has_the_estimate_in_its_target(rng):
    values = rng.standard_normal((30, 4)) @ (np.eye(4) + 0.6 * rng.standard_normal((4, 4)))

    def log_prior(dag, order):
        return -0.7 * dag.sum() + multiplicity.sum_relatives(dag[None])[0]

    target = ExactOrders(values, alpha=0.2, log_prior=log_prior)
    matrix = transition_matrix(values, target.orders, alpha=0.2, gamma=0.7, target="dags")
    np.testing.assert_allclose(target.probability @ matrix, target.probability, rtol=0, atol=1e-12)


def test_relatives_are_counted_right_after_each_step(rng):
    chain = make_chain(ew.simulate(20, 60, seed=1).data, rng.permutation(20), alpha=0.3, target="dags")
    for _ in range(200):
        (dag,), _, _ = drive(chain, rng.random((1, 2)))
        assert chain.structure.value[0, 2] == pytest.approx(multiplicity.sum_relatives(dag[None])[0], abs=1e-10)


def test_the_estimate_in_the_chain_is_a_share_of_the_hook_length_estimate(rng):
    for _ in range(50):
        dag = random_dag(7, rng)
        whole = np.log(np.arange(1, 8)).sum() - hook_estimate(dag)
        assert multiplicity.sum_relatives(dag[None])[0] == pytest.approx(multiplicity.HOOK_SHARE * whole)


def test_many_variables_are_weighed_by_the_orders_they_agree_with():
    data = ew.simulate(12, 200, seed=1).data
    posterior = ew.sample(
        data, sampler=ew.MinimalIMAP(target="dags"), iterations=5000, thin=10, chains=2, seed=1, progress=False
    )
    dags = posterior.dags()[0]
    expected = [-np.log(ew.count_linear_extensions(dag)) - multiplicity.sum_relatives(dag[None])[0] for dag in dags]
    np.testing.assert_allclose(posterior.draws.log_weight[0], expected, rtol=1e-9)
    with pytest.warns(ew.ConvergenceWarning):
        assert posterior.diagnostics().weight_ess < posterior.weights.size


def test_weights_are_stored(tmp_path):
    data = ew.simulate(5, 100, seed=1).data
    settings = {"sampler": ew.MinimalIMAP(target="dags"), "iterations": 3000, "thin": 5, "seed": 1, "progress": False}
    posterior = ew.sample(data, **settings)
    stored = ew.sample(data, **settings, store=tmp_path / "posterior.nc")
    assert len(np.unique(posterior.weights)) > 1
    np.testing.assert_array_equal(stored.weights, posterior.weights)
    np.testing.assert_array_equal(ew.load(tmp_path / "posterior.nc").weights, posterior.weights)


@pytest.mark.parametrize("prior", [ew.TierOrder([[0], [1]]), ew.LogPrior(lambda dag, order: 0.0)])
def test_priors_on_orders_have_no_place(prior):
    with pytest.raises(ew.ArgumentError, match=r"cannot use a (prior on orders|function of the order)"):
        ew.sample(ew.simulate(4, 50, seed=1).data, sampler=ew.MinimalIMAP(target="dags"), prior=prior, progress=False)


def test_draws_can_be_given_other_weights():
    posterior = ew.sample(ew.simulate(4, 50, seed=1).data, iterations=2000, thin=10, seed=1, progress=False)
    only = np.full(posterior.weights.shape, -np.inf)
    only[1, 5] = 3.0
    one = posterior.reweighted(only)
    np.testing.assert_array_equal(one.edge_probabilities().to_numpy(), posterior.dags()[1, 5])
    with pytest.raises(ew.ArgumentError, match="log_weight must have a number for each draw"):
        posterior.reweighted(only[0])


def test_orders_of_dags_that_the_prior_excludes_are_not_counted():
    dataset = load_data(ew.simulate(4, 100, neighbours=2.0, seed=1).data)
    sampler = ew.MinimalIMAP(**PAPER, target="dags").resolve(dataset)
    excluding = ew.LogPrior(lambda dag: -np.inf if dag[0, 1] else 0.0)
    every, some = (sampler.prepare(dataset, ew.BGe(), prior).count_orders() for prior in (ew.Sparsity(0), excluding))
    assert sum(every.values()) == 24
    has_edge = {dag: np.frombuffer(dag, bool).reshape(4, 4)[0, 1] for dag in every}
    assert some == {dag: number for dag, number in every.items() if not has_edge[dag]}
    assert 0 < len(some) < len(every)


def test_a_direction_that_the_data_leave_open():
    """A DAG of few orders against one of many: each once, they are equally probable, as they are among all DAGs."""
    data = ew.simulate(5, 1000, neighbours=2.0, seed=20).data
    prior = ew.Sparsity(1.0)
    found = {
        target: ew.sample(data, sampler=ew.MinimalIMAP(target=target), prior=prior, seed=1, progress=False)
        .edge_probabilities()
        .loc["X3", "X0"]
        for target in ("orders", "dags")
    }
    assert found == {"orders": pytest.approx(0.29, abs=0.02), "dags": pytest.approx(0.49, abs=0.02)}
    assert ew.exact_posterior(data, prior=prior).edge_probabilities().loc["X3", "X0"] == pytest.approx(0.49, abs=0.005)


@pytest.mark.parametrize("sampler", [ew.MinimalIMAP(target="dags"), ew.OrderMCMC(bias_correction="partial")], ids=repr)
def test_dags_whose_orders_nobody_can_count_do_not_lose_a_run(monkeypatch, sampler):
    """The draws are there, and what correction the chain itself makes with them."""

    def refuse(dag, seed):
        raise ew.ArgumentError("too varied to estimate")

    monkeypatch.setattr(multiplicity, "log_linear_extensions", lambda dags: np.full(len(dags), np.nan))
    monkeypatch.setattr(multiplicity, "estimate_linear_extensions", refuse)
    data = ew.simulate(9, 100, seed=1).data
    with pytest.warns(ew.ConvergenceWarning, match="equal weights"):
        posterior = ew.sample(data, sampler=sampler, iterations=500, thin=10, seed=1, progress=False)
    assert np.ptp(posterior.weights) == 0

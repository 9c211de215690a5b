"""The chain with priors over whole DAGs and orders: the right target, kept up step by step."""

import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from scipy.stats import norm

import edgewise as ew
from edgewise.graphs import ancestors
from edgewise.scores.scoring import local_scores
from exact.orders import ExactOrders
from exact.transitions import transition_matrix
from marks import with_few_rows
from naive import priors as naive
from naive.stepping import PAPER, by_swaps, drive, make_chain

LOG_ODDS = np.random.default_rng(3).normal(size=(4, 4)) * 2
TIERS = [[2], [0, 3], [1]]

CASES = {
    "sparsity": (ew.Sparsity(0.7), lambda dag, order: naive.sparsity(dag, 0.7)),
    "edges": (ew.EdgeBeliefs(log_odds=LOG_ODDS), lambda dag, order: naive.edge_beliefs(dag, LOG_ODDS)),
    "tiers": (ew.TierOrder(TIERS), lambda dag, order: naive.tier_order(order, TIERS)),
    "paths": (ew.Paths([0, 2], [1, 3], 2.0), lambda dag, order: naive.paths(dag, [0, 2], [1, 3], 2.0)),
    "ancestors": (ew.Ancestors([(3, 0), (1, 2)], 3.0), lambda dag, order: naive.ancestors(dag, [(3, 0), (1, 2)], 3.0)),
    "all": (
        ew.Sparsity(0.7) + ew.EdgeBeliefs(log_odds=LOG_ODDS) + ew.TierOrder(TIERS, 0.8) + ew.Paths([0], [1, 3]),
        lambda dag, order: (
            naive.sparsity(dag, 0.7)
            + naive.edge_beliefs(dag, LOG_ODDS)
            + naive.tier_order(order, TIERS, 0.8)
            + naive.paths(dag, [0], [1, 3])
        ),
    ),
}
by_case = pytest.mark.parametrize(("prior", "definition"), CASES.values(), ids=CASES)


def four_variables(rng, n=30):
    return rng.standard_normal((n, 4)) @ (np.eye(4) + 0.6 * rng.standard_normal((4, 4)))


@by_case
@pytest.mark.parametrize("n", [30, 5, 4])
def test_the_transition_matrix_leaves_the_target_unchanged(rng, prior, definition, n):
    values = four_variables(rng, n)
    target = ExactOrders(values, log_prior=definition, alpha=0.2)
    matrix = transition_matrix(values, target.orders, prior=prior, alpha=0.2)
    np.testing.assert_allclose(target.probability @ matrix, target.probability, rtol=0, atol=1e-12)


@by_case
def test_a_python_function_is_asked_about_the_right_dag_and_order(rng, prior, definition):
    values = four_variables(rng)
    target = ExactOrders(values, log_prior=definition, alpha=0.2)
    chain = make_chain(values, target.orders[0], prior=ew.LogPrior(definition), alpha=0.2)
    dags, orders, log_posterior = drive(chain, rng.random((500, 2)))
    number = {order: i for i, order in enumerate(target.orders)}
    at = [number[tuple(order)] for order in orders.tolist()]
    np.testing.assert_array_equal(dags, target.dags[at])
    np.testing.assert_allclose(log_posterior, target.log_posterior[at], rtol=1e-12)


BOUND = norm.isf(1e-4 / 24)
"""12 edges, two sides: all z-scores are within this bound but for one run in 10,000."""


def largest_z_score(prior, definition):
    values = ew.simulate(4, 40, seed=5).data.to_numpy()
    exact = ExactOrders(values, log_prior=definition, alpha=0.1).edge_probabilities()
    posterior = ew.sample(
        values,
        sampler=ew.MinimalIMAP(**PAPER, alpha=0.1),
        prior=prior,
        iterations=200_000,
        thin=20,
        chains=2,
        seed=2,
        progress=False,
    )
    error = np.maximum(posterior._monte_carlo_error, 1e-3)
    return np.abs((posterior.edge_probabilities(rao_blackwell=False).to_numpy() - exact) / error).max()


@with_few_rows
@by_case
def test_edge_probabilities_agree_with_enumeration(prior, definition):
    assert largest_z_score(prior, definition) < BOUND


@with_few_rows
def test_a_path_prior_of_another_strength_is_caught():
    """The same check, when the sampler believes in half the strength of what the definition says."""
    _, definition = CASES["paths"]
    assert largest_z_score(ew.Paths([0, 2], [1, 3], 1.0), definition) > BOUND


@by_swaps
def test_the_path_prior_is_right_after_each_step(rng, number):
    """Of 20 variables, 10 are sources and 8 targets; every draw's log prior against a fresh search for paths."""
    p, sources, targets = 20, range(10), range(10, 18)
    data = ew.simulate(p, 60, seed=1).data
    prior = ew.Paths(sources, targets, 0.8) + ew.Ancestors([(19, 3), (18, 3)], 2.0) + ew.TierOrder([sources, targets])
    chain = make_chain(data, rng.permutation(p), prior=prior, alpha=0.3)
    dags, orders, log_posterior = drive(chain, rng.random((number, 2)))
    tables = ew.BGe().prepare(chain.model.dataset)
    of_dag = {}
    for dag, order, found in zip(dags, orders, log_posterior, strict=True):
        key = dag.tobytes()
        if key not in of_dag:
            log_score = local_scores(dag, tables).sum()
            paths = naive.paths(dag, sources, targets, 0.8) + naive.ancestors(dag, [(19, 3), (18, 3)], 2.0)
            of_dag[key] = log_score + paths
        assert found == pytest.approx(of_dag[key] + naive.tier_order(order, [sources, targets]), abs=1e-8)
    assert len(of_dag) > 0.05 * number


SAMPLERS = [
    ew.MinimalIMAP(**PAPER, alpha=0.05),
    ew.MinimalIMAP(parents="full", alpha=0.05),
    ew.MinimalIMAP(criterion="test", alpha=0.05),
    ew.MinimalIMAP(criterion="score"),
]


def draw(data, prior, *, sampler=SAMPLERS[0], **settings):
    settings = {"iterations": 3000, "thin": 3, "chains": 2, "seed": 4, "progress": False} | settings
    return ew.sample(data, sampler=sampler, prior=prior, **settings)


@by_case
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_built_in_prior_and_the_same_one_in_python_give_the_same_draws(prior, definition, sampler):
    data = ew.simulate(4, 60, seed=2).data
    built_in, python = (draw(data, given, sampler=sampler) for given in (prior, ew.LogPrior(definition)))
    np.testing.assert_array_equal(built_in.dags(), python.dags())
    np.testing.assert_array_equal(built_in.orders(), python.orders())
    np.testing.assert_allclose(built_in.log_posterior, python.log_posterior, rtol=0, atol=1e-10)


def test_many_variables_with_a_python_prior_give_the_same_draws():
    data = ew.simulate(70, 200, seed=2).data
    groups = range(30), range(30, 60)

    def log_prior(dag):
        return 0.5 * ancestors(dag)[:30, 30:60].any(axis=1).sum() - dag.sum()

    settings = {"iterations": 1500, "chains": 1, "start": "random"}
    built_in = draw(data, ew.Sparsity(1) + ew.Paths(*groups, 0.5), **settings)
    python = draw(data, ew.LogPrior(log_prior), **settings)
    np.testing.assert_array_equal(built_in.dags(), python.dags())


def test_a_python_function_is_called_once_for_each_new_dag():
    data = ew.simulate(6, 100, seed=1).data
    seen = []

    def log_prior(dag):
        seen.append(dag.tobytes())
        return 0.0

    posterior = draw(data, ew.LogPrior(log_prior), start="random", chains=1, thin=1, burn_in=0)
    assert len(seen) - len(set(seen)) <= 1, "only the start is not remembered"
    assert len(seen) < 3000
    assert {dag.tobytes() for dag in posterior.dags()[0]} <= set(seen)


def test_a_python_function_cannot_change_the_dag():
    def log_prior(dag):
        dag[0, 1] = True
        return 0.0

    with pytest.raises(ValueError, match="read-only"):
        draw(ew.simulate(4, 60, seed=2).data, ew.LogPrior(log_prior))


@pytest.mark.parametrize("value", [None, np.nan, np.inf, "text", np.zeros(2)])
def test_a_python_function_must_return_a_number(value):
    with pytest.raises(ew.ArgumentError, match="must return a number below infinity"):
        draw(ew.simulate(4, 60, seed=2).data, ew.LogPrior(lambda dag: value))


def test_impossible_dags_are_never_drawn():
    data = ew.simulate(5, 500, seed=1).data

    def log_prior(dag):
        return -np.inf if dag[0].any() else 0.0

    posterior = draw(data, ew.LogPrior(log_prior))
    assert not posterior.dags()[:, :, 0].any()


def test_a_prior_that_excludes_everything_is_refused():
    with pytest.raises(ew.ArgumentError, match=r"No start was found.* let the prior and the constraints exclude fewer"):
        draw(ew.simulate(4, 60, seed=2).data, ew.LogPrior(lambda dag: -np.inf))


def named(dag):
    return -0.3 * dag.sum()


def test_functions_travel_to_other_processes_or_are_refused():
    data = ew.simulate(4, 60, seed=2).data
    with pytest.raises(ew.ArgumentError, match="cannot be sent to other processes"):
        draw(data, ew.LogPrior(lambda dag: 0.0), executor=ProcessPoolExecutor(1))
    assert pickle.loads(pickle.dumps(ew.LogPrior(named))) == ew.LogPrior(named)  # noqa: S301


def test_the_record_names_the_parts_of_the_prior():
    data = ew.simulate(4, 60, seed=2).data
    prior = ew.Sparsity(2) + ew.TierOrder([["X0"], ["X1"]]) + ew.LogPrior(named) + ew.EdgeBeliefs(log_odds=LOG_ODDS)
    info = draw(data, prior).info["prior"]
    assert [part["name"] for part in info["parts"]] == ["Sparsity", "TierOrder", "LogPrior", "EdgeBeliefs"]
    assert info["parts"][2]["function"] == "named"
    assert np.shape(info["parts"][3]["log_odds"]) == (4, 4)

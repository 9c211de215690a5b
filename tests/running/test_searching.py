"""The MAP search."""

from itertools import permutations

import numpy as np
import pytest

import edgewise as ew
from edgewise.data import load_data
from edgewise.samplers import MinimalIMAP, Schedule
from sentences import check_sentence


def all_orders(data, sampler, prior, constraints=None):
    """Return the log posteriors and DAGs of all orders that are allowed."""
    dataset = load_data(data)
    knowledge = None if constraints is None else constraints.resolve(dataset.names)
    model = sampler.prepare(dataset, ew.BGe(), prior, knowledge)
    chain = model.start(np.arange(dataset.p), np.random.default_rng(1), Schedule(1, 0, 1))
    found = []
    for order in permutations(range(dataset.p)):
        position = np.argsort(order)
        if knowledge is None or (position[:, None] < position)[knowledge.before].all():
            chain.state.order[:] = order
            if chain.refresh():
                found.append((chain.log_posterior, chain.dag()))
    return found


@pytest.mark.parametrize("parents", ["full", "grow-shrink"])
@pytest.mark.parametrize("seed", range(4))
def test_it_finds_the_best_of_all_orders(parents, seed):
    data = ew.simulate(5, 50, seed=seed).data
    sampler = MinimalIMAP(parents=parents)
    prior = ew.Sparsity(1.0)
    best = max(log_posterior for log_posterior, _ in all_orders(data, sampler, prior))
    dag = ew.map_search(data, sampler=sampler, prior=prior, restarts=100, seed=seed, as_array=True)
    assert ew.score(dag, data) - dag.sum() == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("parents", ["full", "grow-shrink"])
def test_beliefs_about_paths_and_constraints_count(parents):
    data = ew.simulate(5, 50, seed=7).data
    prior = ew.Sparsity(1.0) + ew.Paths(["X0"], ["X3"], strength=4.0) + ew.TierOrder([["X1"], ["X0", "X2"]])
    constraints = ew.Constraints(required=[("X4", "X2")], not_ancestors=[("X1", "X2")])
    sampler = MinimalIMAP(parents=parents)
    found = all_orders(data, sampler, prior, constraints)
    best = max(log_posterior for log_posterior, _ in found)
    dag = ew.map_search(
        data, sampler=sampler, prior=prior, constraints=constraints, restarts=100, seed=1, as_array=True
    )
    ways = [log_posterior for log_posterior, other in found if (other == dag).all()]
    assert max(ways) == pytest.approx(best, rel=1e-12)
    assert dag[4, 2]


@pytest.mark.parametrize("seed", range(4))
def test_a_heavy_penalty_finds_the_sparsest_permutation(seed):
    data = ew.simulate(5, 200, seed=seed).data
    fewest = min(ew.minimal_imap(data, order, as_array=True).sum() for order in permutations(range(5)))
    dag = ew.map_search(data, sampler=MinimalIMAP(parents="full"), prior=ew.Sparsity(1e6), seed=1, as_array=True)
    assert dag.sum() == fewest


def test_a_seed_makes_it_repeatable_and_restarts_do_not_harm():
    data = ew.simulate(12, 60, seed=3).data
    one, other = (ew.map_search(data, seed=5, as_array=True) for _ in range(2))
    np.testing.assert_array_equal(one, other)
    penalty = ew.Sparsity("auto").penalty(12)
    worth = [
        ew.score(dag, data) - penalty * dag.sum()
        for dag in (ew.map_search(data, restarts=restarts, seed=5, as_array=True) for restarts in (0, 1, 10))
    ]
    assert worth == sorted(worth)


def test_it_is_a_learner_for_the_bootstrap():
    data = ew.simulate(4, 100, seed=1).data
    assert ew.bootstrap(lambda rows: ew.map_search(rows, restarts=0, seed=1), data, 5, seed=1).dags().shape[1] == 5


def test_two_variables():
    values = np.random.default_rng(1).standard_normal((30, 2))
    assert ew.map_search(values, prior=ew.Sparsity(100.0), seed=1, as_array=True).sum() == 0
    values[:, 1] += 10 * values[:, 0]
    assert ew.map_search(values, seed=1, as_array=True).sum() == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"restarts": -1}, "restarts must be a whole number"),
        ({"sampler": ew.OrderMCMC()}, "map_search needs a sampler such as MinimalIMAP()"),
        ({"prior": 3}, "prior must be an object"),
        ({"seed": "x"}, "seed must be"),
    ],
)
def test_bad_arguments_are_refused_in_a_sentence(arguments, words):
    with pytest.raises(ew.ArgumentError) as caught:
        ew.map_search(ew.simulate(3, 30, seed=1).data, **arguments)
    assert words in check_sentence(str(caught.value))

import numpy as np
import pytest

import edgewise as ew
from compiled import entry
from edgewise._kernels.learners.hill_climbing import ClimbingRoom, Families, Landscape, climb, has_path
from edgewise._kernels.scores.interface import new_room
from edgewise.baselines import hill_climb, mmhc
from edgewise.baselines.edges import edge_weights, name_edges
from edgewise.baselines.hill_climbing import climb_hill
from edgewise.data import load_data
from edgewise.graphs import ancestors, is_acyclic
from edgewise.scores import local_scores
from naive import hill_climbing as naive
from naive.graphs import random_dag
from naive.knowledge import faults
from sentences import check_sentence


def random_values(rng, n, p):
    return rng.standard_normal((n, p)) @ (np.eye(p) + 0.7 * rng.standard_normal((p, p)))


def none(p):
    return np.zeros((p, p), dtype=bool)


def log_posterior(tables, weights):
    return lambda dag: local_scores(dag, tables).sum() + weights[dag].sum()


@pytest.mark.parametrize(("n", "p"), [(20, 2), (10, 3), (100, 5), (7, 6), (1000, 6)])
@pytest.mark.parametrize("score", [ew.BGe(), ew.GaussianBIC()])
def test_equals_the_naive_climb(rng, n, p, score):
    for _ in range(4):
        tables = score.prepare(load_data(random_values(rng, n, p)))
        weights = rng.normal(-1, 1, (p, p))
        expected = naive.climb(log_posterior(tables, weights), ~none(p), none(p))
        found = climb_hill(tables, weights, allowed=~none(p), required=none(p), names=range(p))
        np.testing.assert_array_equal(found, expected)


def test_equals_the_naive_climb_within_bounds(rng):
    p = 5
    for _ in range(8):
        tables = ew.BGe().prepare(load_data(random_values(rng, 60, p)))
        weights = np.full((p, p), -0.5)
        required = random_dag(p, rng, density=0.2)
        allowed = (rng.random((p, p)) < 0.6) & ~np.eye(p, dtype=bool)
        dag = climb_hill(tables, weights, allowed=allowed, required=required, names=range(p))
        np.testing.assert_array_equal(dag, naive.climb(log_posterior(tables, weights), allowed, required))
        assert (dag | ~required).all()
        assert not (dag & ~allowed & ~required).any()


def test_the_result_is_a_local_maximum_and_its_gain_is_right(rng):
    p = 10
    tables = ew.BGe().prepare(load_data(random_values(rng, 200, p)))
    weights = np.full((p, p), -1.0)
    dag, fault = none(p), np.zeros(2, int)
    landscape = Landscape(tables, weights, ~none(p), none(p))
    gain = climb(landscape, dag, name_edges(p), 100, 15, new_room(tables, p), fault)
    assert fault.tolist() == [-1, -1]
    height = log_posterior(tables, weights)
    assert is_acyclic(dag)
    np.testing.assert_allclose(gain, height(dag) - height(none(p)), rtol=0, atol=1e-8)
    others = [other for other in naive.neighbours(dag, ~none(p), none(p)) if is_acyclic(other)]
    assert max(height(other) for other in others) <= height(dag) + 1e-9


def test_going_on_for_the_worse_finds_better_dags():
    """Without patience the climb ends at the first local maximum; with it, higher on these data, and never lower."""
    better = 0
    for seed in range(10):
        dataset = load_data(ew.simulate(15, 500, seed=seed).data)
        tables, p = ew.BGe().prepare(dataset), dataset.p
        landscape = Landscape(tables, np.full((p, p), -1.0), ~none(p), none(p))
        first, last = (
            climb(landscape, none(p), name_edges(p), 100, patience, new_room(tables, p), np.empty(2, int))
            for patience in (1, 15)
        )
        assert last >= first - 1e-9
        better += last > first + 1e-6
    assert better >= 3


def test_paths_other_than_the_edge_itself(rng):
    p = 7
    find_path = entry(has_path)
    room = np.empty(p, np.int64), (), np.empty(p), np.empty(p, np.int64), np.empty(p, bool), np.empty(2, np.int64)
    scratch = ClimbingRoom(*room)
    for _ in range(20):
        dag = random_dag(p, rng, density=0.4)
        families = Families(np.zeros((p, p), np.int64), dag.sum(axis=0), np.zeros(p))
        for j in range(p):
            parents = np.flatnonzero(dag[:, j])
            families.parents[j, : len(parents)] = parents
        for i in range(p):
            for j in range(p):
                without = dag.copy()
                without[i, j] = False
                assert i == j or find_path(families, i, j, scratch) == ancestors(without)[i, j]


def test_an_almost_infinite_sample_comes_to_an_end():
    """Scores of 1e16 leave no digits for differences of 1: rounding must not look like progress for ever."""
    sim = ew.simulate(10, 10, seed=1)
    assert is_acyclic(hill_climb(ew.Covariance(sim.covariance, n=10**15)))


def test_the_prior_counts(rng):
    values = random_values(rng, 100, 6)
    assert not hill_climb(values, prior=ew.Sparsity(1e6), as_array=True).any()
    assert (
        hill_climb(values, prior=ew.Sparsity(0), as_array=True).sum()
        >= hill_climb(values, prior=ew.Sparsity(5), as_array=True).sum()
    )


def test_defaults_are_bge_and_the_prior_of_sample(rng):
    values = random_values(rng, 100, 15)
    np.testing.assert_array_equal(hill_climb(values), hill_climb(values, score=ew.BGe(), prior=ew.Sparsity("auto")))


def test_another_prior_is_refused(rng):
    with pytest.raises(ew.ArgumentError) as error:
        edge_weights("sparse", ["a", "b"], by="hill_climb")
    check_sentence(str(error.value))


@pytest.mark.parametrize("learn", [hill_climb, mmhc])
def test_constraints_on_edges_are_kept_to(learn):
    data = ew.simulate(8, 300, seed=3).data
    free = learn(data, as_array=True)
    source, target = np.argwhere(free)[0].tolist()
    other = next(int(j) for j in range(8) if not free[target, j] and not free[j, target] and j != target)
    constraints = ew.Constraints(forbidden=[(source, target)], required=[(target, other)], leaves=[other])
    dag = learn(data, constraints=constraints, as_array=True)
    assert not faults(dag, constraints, data.columns)
    with pytest.raises(ew.ArgumentError, match="not on ancestors"):
        learn(data, constraints=ew.Constraints(ancestors=[(0, 1)]))
    with pytest.raises(ew.ArgumentError, match="constraints must be an object"):
        learn(data, constraints={"required": []})
    with pytest.raises(ew.ArgumentError, match="cannot use a prior on orders"):
        learn(data, prior=ew.TierOrder([[0], [1]]))

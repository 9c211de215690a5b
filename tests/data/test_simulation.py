import networkx as nx
import numpy as np
import pytest

from edgewise.data import load_data, simulate
from edgewise.errors import ArgumentError


def test_same_seed_same_data():
    first, second, other = (simulate(6, 20, seed=seed) for seed in (1, np.random.default_rng(1), 2))
    np.testing.assert_array_equal(first.data, second.data)
    np.testing.assert_array_equal(first.weights, second.weights)
    assert not np.array_equal(first.data, other.data)
    assert not np.array_equal(simulate(6, 20).data, simulate(6, 20).data)


def test_shapes_and_names():
    simulation = simulate(7, 11, seed=1)
    assert simulation.data.shape == (11, 7)
    assert list(simulation.data.columns) == [f"X{i}" for i in range(7)]
    assert simulation.dag.dtype == np.bool_
    assert sorted(simulation.order) == list(range(7))


@pytest.mark.parametrize("seed", range(5))
def test_edges_follow_the_order(seed):
    simulation = simulate(15, 2, neighbours=5, seed=seed)
    assert nx.is_directed_acyclic_graph(nx.from_numpy_array(simulation.dag, create_using=nx.DiGraph))
    position = np.argsort(simulation.order)
    sources, targets = np.nonzero(simulation.dag)
    assert sources.size > 0
    assert (position[sources] < position[targets]).all()


def test_orders_are_uniform():
    rng = np.random.default_rng(1)
    first = np.bincount([simulate(4, 1, seed=rng).order[0] for _ in range(2000)], minlength=4)
    # chi-squared with 3 degrees of freedom exceeds 16.3 with probability 0.001
    assert ((first - 500) ** 2 / 500).sum() < 16.3


@pytest.mark.parametrize(("p", "neighbours"), [(10, 3.0), (30, 3.0), (8, 0.5)])
def test_mean_number_of_neighbours(p, neighbours):
    rng = np.random.default_rng(2)
    runs = 300
    edges = sum(int(simulate(p, 1, neighbours=neighbours, seed=rng).dag.sum()) for _ in range(runs))
    pairs = runs * p * (p - 1) / 2
    probability = neighbours / (p - 1)
    deviation = np.sqrt(pairs * probability * (1 - probability))
    # four standard deviations: a false alarm with probability 6e-5
    assert abs(edges - runs * p * neighbours / 2) < 4 * deviation


def test_extreme_numbers_of_neighbours():
    assert not simulate(6, 3, neighbours=0, seed=1).dag.any()
    assert simulate(6, 3, neighbours=5, seed=1).dag.sum() == 15
    assert simulate(2, 1, neighbours=1, seed=1).dag.sum() == 1


def test_weights_fill_both_halves_of_their_range():
    simulation = simulate(60, 1, neighbours=59, seed=3)
    weights = simulation.weights[simulation.dag]
    np.testing.assert_array_equal(simulation.dag, simulation.weights != 0)
    size = np.abs(weights)
    assert 0.25 <= size.min() < 0.26
    assert 0.99 < size.max() <= 1.0
    # 1770 edges: four standard deviations of the mean of a uniform, and of a fair coin
    assert abs(size.mean() - 0.625) < 4 * 0.75 / np.sqrt(12 * 1770)
    assert abs((weights > 0).mean() - 0.5) < 4 * 0.5 / np.sqrt(1770)
    assert np.unique(np.abs(simulate(5, 1, weights=(2, 2), seed=1).weights)).tolist() == [0.0, 2.0]


def test_regression_on_the_parents_recovers_weights_and_noise():
    simulation = simulate(8, 20_000, seed=4)
    values = simulation.data.to_numpy()
    for child in range(8):
        parents = np.flatnonzero(simulation.dag[:, child])
        design = np.column_stack([np.ones(len(values)), values[:, parents]])
        estimate = np.linalg.lstsq(design, values[:, child], rcond=None)[0]
        expected = np.concatenate([[0.0], simulation.weights[parents, child]])
        np.testing.assert_allclose(estimate, expected, rtol=0, atol=0.05)
        assert np.std(values[:, child] - design @ estimate) == pytest.approx(1.0, abs=0.03)


def test_covariance_is_that_of_the_equations():
    simulation = simulate(9, 50_000, neighbours=4, seed=5)
    sample = np.cov(simulation.data.to_numpy().T)
    scale = np.sqrt(np.diag(simulation.covariance))
    np.testing.assert_allclose(
        sample / np.outer(scale, scale), simulation.covariance / np.outer(scale, scale), atol=0.03
    )
    residual = np.eye(9) - simulation.weights
    np.testing.assert_allclose(residual.T @ simulation.covariance @ residual, np.eye(9), atol=1e-12)


def test_simulated_data_can_be_loaded():
    simulation = simulate(5, 50, seed=6)
    assert load_data(simulation.data).n == 50


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"p": 1}, "p"),
        ({"p": 2.5}, "p"),
        ({"p": True}, "p"),
        ({"n": 0}, "n"),
        ({"n": "10"}, "n"),
        ({"neighbours": -0.1}, "neighbours"),
        ({"neighbours": 4.1}, "neighbours"),
        ({"neighbours": float("nan")}, "neighbours"),
        ({"weights": (1.0, 0.5)}, "weights"),
        ({"weights": (-0.5, 0.5)}, "weights"),
        ({"weights": (0.5, float("inf"))}, "weights"),
        ({"weights": (0.5, float("nan"))}, "weights"),
        ({"weights": (0.5,)}, "weights"),
        ({"weights": 0.5}, "weights"),
        ({"seed": -1}, "seed"),
        ({"seed": "one"}, "seed"),
    ],
)
def test_bad_arguments_are_refused(arguments, name):
    complete = {"p": 5, "n": 10} | arguments
    with pytest.raises(ArgumentError, match=rf"^{name} must be .*\.$"):
        simulate(complete.pop("p"), complete.pop("n"), **complete)


def test_a_whole_number_may_be_written_as_1e2():
    np.testing.assert_array_equal(simulate(5.0, 1e2, seed=1).data, simulate(5, 100, seed=1).data)

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise.experiments.simulations import (
    DRAWS,
    FULL,
    METHODS,
    NETWORKS,
    QUICK,
    Method,
    choose_method,
    make_data_set,
    mean_and_error,
    mmhc_orders,
    read_dream4,
    sample,
)


def is_along(order, dag):
    position = np.argsort(order)
    return bool((position[:, None] < position)[dag].all())


def test_a_simulated_data_set_comes_with_its_truth():
    data_set = make_data_set({"n": 50, "seed": 3})
    simulation = ew.simulate(30, 50, seed=3)
    pd.testing.assert_frame_equal(data_set.data, simulation.data)
    assert (data_set.truth == simulation.dag).all()
    assert (data_set.compelled == ew.compelled_edges(simulation.dag)).all()
    assert is_along(data_set.order, data_set.truth)


@pytest.fixture
def folder(tmp_path):
    """a -> b, b <-> c, and the cycle b -> d -> e -> b."""
    rng = np.random.default_rng(1)
    data = pd.DataFrame(rng.random((8, 5)), columns=list("abcde"))
    data.to_csv(tmp_path / "insilico_size10_1_multifactorial.csv", index=False)
    edges = pd.DataFrame(["ab", "bc", "cb", "bd", "de", "eb"])[0].str.extract("(?P<source>.)(?P<target>.)")
    edges.to_csv(tmp_path / "insilico_size10_1_goldstandard_edges.csv", index=False)
    return tmp_path


def test_a_network_with_cycles(folder):
    data_set = read_dream4(folder, 1)
    a, b, c, d, e = range(5)
    assert set(zip(*np.nonzero(data_set.truth), strict=True)) == {(a, b), (b, c), (c, b), (b, d), (d, e), (e, b)}
    assert set(zip(*np.nonzero(data_set.compelled), strict=True)) == {(a, b), (b, d), (d, e), (e, b)}
    # Row by row, c -> b and e -> b come last: they close the cycles.
    assert data_set.order == [a, b, c, d, e]
    again = make_data_set({"folder": str(folder), "network": 1})
    assert (again.truth == data_set.truth).all()


def test_the_networks_of_dream4(public_data):
    networks = [read_dream4(public_data / "dream4" / "size10", number) for number in NETWORKS]
    assert [int(network.truth.sum()) for network in networks] == [15, 16, 15, 13, 12]
    for network in networks:
        assert not nx.is_directed_acyclic_graph(nx.from_numpy_array(network.truth, create_using=nx.DiGraph))
        assert sorted(network.order) == list(range(10))


def test_chains_begin_where_they_should_and_draws_are_as_many_whatever_the_length():
    data = ew.simulate(5, 200, seed=1).data
    starts = [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0]]
    chosen = Method("any", ew.MinimalIMAP(parents="full", moves="adjacent", laziness=0.999), ew.Sparsity(1.0))
    posterior = sample(chosen, data, starts=starts, iterations=DRAWS, seed=1, burn_in=0)
    assert posterior.orders().shape == (2, DRAWS, 5)
    assert posterior.orders()[:, 0].tolist() == starts  # hardly ever does such a chain move
    longer = sample(METHODS["longer"], data, starts=starts, iterations=2 * DRAWS, seed=1)
    assert longer.info["schedule"] == {"iterations": 60 * DRAWS, "burn_in": 12 * DRAWS, "thin": 60}
    assert longer.orders().shape == (2, DRAWS * 4 // 5, 5)


def test_orders_of_mmhc_are_along_its_dag():
    data = ew.simulate(8, 500, seed=2).data
    dag = ew.mmhc(data, as_array=True)
    orders = mmhc_orders(data, 3, seed=1)
    assert len(orders) == 3
    assert dag.any()
    assert all(is_along(order, dag) for order in orders)
    assert orders == mmhc_orders(data, 3, seed=1)


@pytest.mark.parametrize("name", METHODS)
def test_only_samplers_with_tables_have_a_number_of_parents(name):
    chosen = choose_method(name, QUICK.max_parents)
    if name in ("order", "partition"):
        assert chosen.sampler.max_parents == QUICK.max_parents != FULL.max_parents
    else:
        assert chosen is METHODS[name]


def test_a_single_value_has_no_error():
    mean, error = mean_and_error([0.5])
    assert mean == 0.5
    assert np.isnan(error)

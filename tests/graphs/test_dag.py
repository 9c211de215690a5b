from itertools import permutations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from edgewise.errors import GraphError
from edgewise.graphs import ancestors, as_dag, is_acyclic, to_networkx, topological_order
from naive import graphs as naive

FULL = np.triu(np.ones((6, 6), dtype=bool), 1)
RANDOM_DAGS = [naive.random_dag(1 + seed % 6, np.random.default_rng(seed)) for seed in range(200)]


@pytest.mark.parametrize(("p", "count"), [(1, 1), (2, 3), (3, 25), (4, 543), (5, 29281)])
def test_the_enumeration_has_the_known_number_of_distinct_dags(p, count):
    dags = naive.all_dags(p)
    assert dags.shape == (count, p, p)
    assert dags.dtype == np.bool_
    assert len(np.unique(dags.reshape(count, -1), axis=0)) == count


def test_acyclic_graphs_are_told_from_cyclic_ones_among_all_on_three_nodes():
    cells = [(i, j) for i in range(3) for j in range(3)]
    for number in range(2 ** len(cells)):
        graph = np.zeros((3, 3), dtype=bool)
        for k, cell in enumerate(cells):
            graph[cell] = number >> k & 1
        assert is_acyclic(graph) == naive.are_acyclic(graph[None])[0]


def test_is_acyclic_reads_weights_of_either_sign():
    assert is_acyclic(pd.DataFrame(FULL * -0.5).iloc[::-1])
    assert is_acyclic(FULL * -0.5)
    assert not is_acyclic((FULL | FULL.T).astype(int))
    cycle_with_weights_that_cancel = np.array([[0, 1, 0], [1, 0, 0], [-1, 0, 0]])
    assert not is_acyclic(cycle_with_weights_that_cancel)


@pytest.mark.parametrize("p", [1, 2, 5])
def test_empty_and_full_graphs_are_dags(p):
    empty = np.zeros((p, p), dtype=bool)
    np.testing.assert_array_equal(as_dag(empty), empty)
    np.testing.assert_array_equal(as_dag(FULL[:p, :p]), FULL[:p, :p])


@pytest.mark.parametrize(
    ("graph", "cycles"),
    [
        (np.array([[0, 1], [1, 0]]), ["0 -> 1 -> 0", "1 -> 0 -> 1"]),
        (
            nx.DiGraph([("Raf", "Mek"), ("Mek", "Erk"), ("Erk", "Raf"), ("Mek", "Akt"), ("PKC", "Raf")]),
            ["Raf -> Mek -> Erk -> Raf", "Mek -> Erk -> Raf -> Mek", "Erk -> Raf -> Mek -> Erk"],
        ),
    ],
)
def test_a_cycle_is_named(graph, cycles):
    with pytest.raises(GraphError) as caught:
        as_dag(graph)
    assert any(f"has a cycle, {cycle}; remove or turn" in str(caught.value) for cycle in cycles)
    with pytest.raises(GraphError, match="has a cycle"):
        to_networkx(graph)


def test_the_topological_order_is_the_lowest_of_all():
    for dag in [*naive.all_dags(3), *RANDOM_DAGS]:
        orders = permutations(range(len(dag)))
        lowest = next(order for order in orders if not np.tril(dag[np.ix_(order, order)]).any())
        order = topological_order(dag)
        assert order.dtype == np.intp
        assert tuple(order) == lowest


def test_ancestors_equal_repeated_squaring():
    for dag in [*naive.all_dags(4), *RANDOM_DAGS, FULL, np.zeros((6, 6), dtype=bool)]:
        before = dag.copy()
        np.testing.assert_array_equal(ancestors(dag), naive.ancestors(dag))
        np.testing.assert_array_equal(dag, before)


def test_ancestors_of_a_long_chain():
    chain = np.eye(50, k=1, dtype=bool)
    np.testing.assert_array_equal(ancestors(chain), np.triu(np.ones((50, 50), dtype=bool), 1))
    np.testing.assert_array_equal(ancestors(chain.T), np.tril(np.ones((50, 50), dtype=bool), -1))


def test_ancestors_are_labelled_like_the_dag():
    dag = pd.DataFrame([[0, 0, 0], [1, 0, 0], [0, 1, 0]], index=["A", "B", "C"], columns=["A", "B", "C"])
    closure = ancestors(dag)
    assert closure.loc["C", "A"]
    assert not closure.loc["A", "C"]
    assert isinstance(ancestors(to_networkx(dag)), np.ndarray)


def test_relabelling_nodes_relabels_ancestors():
    rng = np.random.default_rng(3)
    for dag in RANDOM_DAGS:
        names = rng.permutation(len(dag))
        np.testing.assert_array_equal(ancestors(naive.relabel(dag, names)), naive.relabel(ancestors(dag), names))


def test_networkx_and_back_is_the_same_dag():
    for dag in RANDOM_DAGS:
        graph = to_networkx(dag)
        assert list(graph.nodes) == list(range(len(dag)))
        np.testing.assert_array_equal(as_dag(graph), dag)


def test_networkx_graphs_carry_the_names():
    dag = np.array([[0, 1], [0, 0]])
    assert set(to_networkx(dag, nodes=["A", "B"]).edges) == {("A", "B")}
    frame = pd.DataFrame(dag, index=["A", "B"], columns=["A", "B"])
    assert set(to_networkx(frame).edges) == {("A", "B")}
    assert list(to_networkx(frame, nodes=["B", "A"]).nodes) == ["B", "A"]
    assert set(to_networkx(frame, nodes=["B", "A"]).edges) == {("A", "B")}

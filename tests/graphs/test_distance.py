import networkx as nx
import numpy as np
import pandas as pd
import pytest

from edgewise.errors import GraphError
from edgewise.graphs import cpdag, structural_hamming_distance
from naive import graphs as naive


def test_dags_and_cpdags_agree_with_the_double_loop():
    rng = np.random.default_rng(2)
    for _ in range(300):
        p = int(rng.integers(1, 7))
        a, b = (naive.random_dag(p, rng, density=rng.random()) for _ in range(2))
        for first, second in ((a, b), (cpdag(a), cpdag(b)), (cpdag(a), b)):
            distance = structural_hamming_distance(first, second)
            assert isinstance(distance, int)
            assert distance == naive.structural_hamming_distance(first, second)


def test_every_kind_of_difference_counts_one():
    nothing, forward, backward = (np.array(m) for m in ([[0, 0], [0, 0]], [[0, 1], [0, 0]], [[0, 0], [1, 0]]))
    kinds = [nothing, forward, backward, forward + backward]
    for i, a in enumerate(kinds):
        for j, b in enumerate(kinds):
            assert structural_hamming_distance(a, b) == (i != j)


@pytest.mark.parametrize("p", [1, 2, 6])
def test_the_distance_of_the_empty_to_the_full_graph_is_the_number_of_pairs(p):
    empty, full = np.zeros((p, p)), np.triu(np.ones((p, p)), 1)
    assert structural_hamming_distance(empty, full) == p * (p - 1) // 2
    assert structural_hamming_distance(full, full) == 0
    assert structural_hamming_distance(full, full.T) == p * (p - 1) // 2


def test_equivalent_dags_have_distance_zero_between_cpdags_only():
    chain = np.eye(4, k=1, dtype=bool)
    assert structural_hamming_distance(cpdag(chain), cpdag(chain.T)) == 0
    assert structural_hamming_distance(chain, chain.T) == 3


def test_it_is_a_metric():
    dags = naive.all_dags(3)
    table = np.array([[structural_hamming_distance(a, b) for b in dags] for a in dags])
    np.testing.assert_array_equal(table, table.T)
    np.testing.assert_array_equal(table == 0, np.eye(25, dtype=bool))
    assert (table[:, :, None] <= table[:, None, :] + table.T[None, :, :]).all()


def test_relabelling_both_graphs_keeps_the_distance():
    rng = np.random.default_rng(9)
    for _ in range(50):
        a, b = naive.random_dag(8, rng), naive.random_dag(8, rng)
        names = rng.permutation(8)
        relabelled = naive.relabel(a, names), naive.relabel(b, names)
        assert structural_hamming_distance(*relabelled) == structural_hamming_distance(a, b)


def test_graphs_with_names_are_matched_by_name():
    frame = pd.DataFrame([[0, 1], [0, 0]], index=["A", "B"], columns=["A", "B"])
    assert structural_hamming_distance(frame, frame.loc[["B", "A"], ["B", "A"]]) == 0
    assert structural_hamming_distance(frame, nx.DiGraph([("B", "A")])) == 1
    assert structural_hamming_distance(cpdag(frame), nx.DiGraph([("B", "A"), ("A", "B")])) == 0


def test_graphs_on_different_nodes_are_refused():
    with pytest.raises(GraphError, match="3 nodes and the second has 2"):
        structural_hamming_distance(np.zeros((3, 3)), np.zeros((2, 2)))
    with pytest.raises(GraphError, match="no node called A"):
        structural_hamming_distance(nx.DiGraph([("A", "B")]), nx.DiGraph([("C", "B")]))

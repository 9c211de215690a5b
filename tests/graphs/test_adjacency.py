import networkx as nx
import numpy as np
import pandas as pd
import pytest

from edgewise.errors import EdgewiseError, GraphError
from edgewise.graphs import as_dag, label_like, structural_hamming_distance
from edgewise.graphs.adjacency import align, list_names, read_adjacency

CHAIN = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)  # A -> B -> C
NAMES = ["A", "B", "C"]
REVERSED_NAMES = NAMES[::-1]
CHAIN_REVERSED = CHAIN[::-1, ::-1]


def frame(matrix=CHAIN, names=NAMES):
    return pd.DataFrame(matrix, index=names, columns=names)


@pytest.mark.parametrize("dtype", [bool, int, float, np.uint8, object])
def test_arrays_and_frames_of_any_number_type_give_the_same_matrix(dtype):
    for graph in (CHAIN.astype(dtype), frame().astype(dtype)):
        matrix = as_dag(graph)
        assert matrix.dtype == np.bool_
        np.testing.assert_array_equal(matrix, CHAIN)


def test_pandas_nullable_booleans_are_read():
    np.testing.assert_array_equal(as_dag(frame().astype("boolean")), CHAIN)


def test_the_result_is_never_a_view_of_the_input():
    given = CHAIN.copy()
    as_dag(given)[0, 2] = True
    np.testing.assert_array_equal(given, CHAIN)
    given = frame()
    as_dag(given)[0, 2] = True
    np.testing.assert_array_equal(given.to_numpy(), CHAIN)


def test_the_result_is_in_c_order():
    for graph in (CHAIN.T, CHAIN[::-1, ::-1], frame(), frame(CHAIN.T), nx.DiGraph([("A", "B"), ("B", "C")])):
        assert as_dag(graph).flags.c_contiguous
    assert as_dag(frame(CHAIN.T), nodes=REVERSED_NAMES).flags.c_contiguous


def test_a_frame_is_reordered_by_name():
    np.testing.assert_array_equal(as_dag(frame(), nodes=REVERSED_NAMES), CHAIN_REVERSED)


def test_columns_in_another_order_than_rows_are_matched_by_name():
    np.testing.assert_array_equal(as_dag(frame()[["C", "A", "B"]]), CHAIN)


def test_a_frame_without_row_names_takes_those_of_its_columns():
    unnamed = pd.DataFrame(CHAIN, columns=NAMES)
    assert read_adjacency(unnamed).nodes == NAMES
    np.testing.assert_array_equal(as_dag(unnamed, nodes=REVERSED_NAMES), CHAIN_REVERSED)
    assert list(label_like(CHAIN, unnamed).index) == NAMES


def test_numbered_columns_in_another_order_are_matched_by_number():
    np.testing.assert_array_equal(as_dag(frame(names=[0, 1, 2])[[2, 0, 1]]), CHAIN)


def test_networkx_keeps_its_order_or_takes_the_given_one():
    graph = nx.DiGraph([("B", "C"), ("A", "B")])  # node order B, C, A
    assert read_adjacency(graph).nodes == ["B", "C", "A"]
    np.testing.assert_array_equal(as_dag(graph), [[0, 1, 0], [0, 0, 0], [1, 0, 0]])
    np.testing.assert_array_equal(as_dag(graph, nodes=NAMES), CHAIN)


def test_networkx_edges_count_once_whatever_their_weight():
    weighted = nx.DiGraph()
    weighted.add_weighted_edges_from([("A", "B", 0.0), ("B", "C", -2.5)])
    np.testing.assert_array_equal(as_dag(weighted), CHAIN)
    parallel = nx.MultiDiGraph([("A", "B"), ("A", "B"), ("B", "C")])
    np.testing.assert_array_equal(as_dag(parallel), CHAIN)


def test_results_are_labelled_like_the_graph():
    numbers = np.arange(9.0).reshape(3, 3)
    labelled = label_like(numbers, frame()[["C", "A", "B"]])
    pd.testing.assert_frame_equal(labelled, pd.DataFrame(numbers, index=NAMES, columns=NAMES))
    assert label_like(numbers, CHAIN) is numbers
    assert label_like(numbers, nx.DiGraph([("A", "B"), ("B", "C")])) is numbers


@pytest.mark.parametrize(
    ("graph", "nodes", "message"),
    [
        (np.zeros((2, 3)), None, r"square matrix .* shape \(2, 3\)\."),
        (np.zeros(4), None, r"square matrix .* shape \(4,\)\."),
        (frame().iloc[:2], None, r"square matrix .* shape \(2, 3\)\."),
        (np.zeros((0, 0)), None, "has no nodes"),
        (nx.DiGraph(), None, "has no nodes"),
        (CHAIN * 0.5, None, r"from 0 to 1 is 0\.5, but entries must be 0 or 1"),
        (CHAIN * -1, None, "from 0 to 1 is -1, but"),
        (np.where(CHAIN, np.nan, 0), NAMES, "from A to B is nan, but"),
        (frame(CHAIN * 2), REVERSED_NAMES, "from A to B is 2, but"),
        (frame().astype("boolean").mask(CHAIN), None, "from A to B is nan, but"),
        (np.where(CHAIN, "yes", "no"), None, "from 0 to 0 is no, but"),
        (frame(CHAIN | np.diag([False, True, False])), None, "an edge from B to itself"),
        (nx.DiGraph([("A", "B"), ("B", "B")]), None, "an edge from B to itself"),
        (CHAIN, ["A", "B"], "has 3 rows but 2 node names were given"),
        (CHAIN, ["A", "B", "A"], "node name A occurs more than once"),
        (frame(), ["A", "B", "X"], "has no node called X; its nodes are A, B, C"),
        (frame(), ["A", "B"], "has a node called C, which is not among the expected nodes A, B"),
        (frame(), [*NAMES, "D"], "has no node called D"),
        (frame(), ["A", "B", "B"], "node name B occurs more than once"),
        (nx.DiGraph([("A", "B")]), NAMES, "has no node called C; its nodes are A, B"),
        (frame(names=["A", "B", "B"]), None, "node name B occurs more than once"),
        (frame().rename(columns={"C": "D"}), None, "name different nodes: C is a row but not a column"),
        (nx.Graph([("A", "B")]), None, "is undirected"),
    ],
)
def test_what_is_not_a_graph_is_refused_in_a_sentence(graph, nodes, message):
    with pytest.raises(GraphError, match=message) as caught:
        as_dag(graph, nodes=nodes)
    assert isinstance(caught.value, EdgewiseError)
    assert str(caught.value).endswith(".")


def test_long_lists_of_names_are_cut():
    assert list_names([f"gene{i}" for i in range(8)]).endswith("gene6, gene7")
    assert list_names([f"gene{i}" for i in range(200)]).endswith("gene6, gene7 and 192 more")


def test_graphs_with_names_are_aligned_by_name():
    first, second = align(frame(), frame().loc[REVERSED_NAMES, REVERSED_NAMES])
    np.testing.assert_array_equal(second.matrix, CHAIN)
    assert first.nodes == second.nodes == NAMES
    _, second = align(frame(), nx.DiGraph([("B", "C"), ("A", "B")]))
    np.testing.assert_array_equal(second.matrix, CHAIN)


def test_arrays_are_aligned_by_position():
    for pair in ((CHAIN, frame(names=REVERSED_NAMES)), (frame(names=REVERSED_NAMES), CHAIN), (CHAIN, CHAIN)):
        first, second = align(*pair)
        np.testing.assert_array_equal(first.matrix, second.matrix)
        assert first.nodes == second.nodes


def test_a_networkx_graph_on_numbers_is_aligned_with_an_array_by_number():
    graph = nx.DiGraph([(1, 2), (0, 1)])  # node order 1, 2, 0
    assert structural_hamming_distance(graph, CHAIN) == 0
    assert structural_hamming_distance(CHAIN, graph) == 0


def test_graphs_on_different_nodes_cannot_be_aligned():
    with pytest.raises(GraphError, match="first graph has 3 nodes and the second has 2"):
        align(CHAIN, np.zeros((2, 2)))
    with pytest.raises(GraphError, match="has no node called A, B"):
        align(frame(), frame(names=["X", "Y", "C"]))


def test_gaps_in_a_table_of_objects_are_refused():
    """pandas gives out such a table as it is, read-only, and then cannot write the gap that it finds into it."""
    graph = pd.DataFrame([[0, None], [0, 0]], dtype=object)
    with pytest.raises(GraphError, match="from 0 to 1 is nan"):
        read_adjacency(graph)

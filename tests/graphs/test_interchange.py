"""Graphs of other programs are taken everywhere, and made."""

import sys
from collections import namedtuple
from enum import Enum
from types import ModuleType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from pgmpy.base import DAG, PDAG
from pgmpy.models import DiscreteBayesianNetwork

import edgewise as ew
from edgewise.graphs import as_dag
from edgewise.graphs.adjacency import read_adjacency
from sentences import check_sentence

NAMES = ["A", "B", "C", "D"]


def random_dag(rng, p=4):
    order = rng.permutation(p)
    dag = np.zeros((p, p), bool)
    dag[np.ix_(order, order)] = np.triu(rng.random((p, p)) < 0.5, 1)
    return pd.DataFrame(dag, index=NAMES[:p], columns=NAMES[:p])


class Marked:
    """What a graph of causal-learn looks like: a matrix of marks at the ends of edges, -1 a tail and 1 an arrowhead."""

    def __init__(self, marks, names):
        self.graph = np.array(marks)
        self._names = names

    def get_node_names(self):
        return self._names


def mark(graph):
    """Return a DAG or CPDAG as causal-learn would hold it."""
    matrix = graph.to_numpy()
    joined = matrix | matrix.T
    marks = np.where(matrix, -1, np.where(joined, 1, 0))
    return Marked(marks, list(graph.columns))


def test_model_strings_come_back(rng):
    for _ in range(30):
        dag = random_dag(rng)
        text = ew.to_model_string(dag)
        pd.testing.assert_frame_equal(ew.from_model_string(text).loc[NAMES, NAMES], dag)
        assert text.count("[") == 4


def test_model_strings_are_those_of_bnlearn():
    """The network ``learning.test`` of bnlearn's manual."""
    text = "[A][C][F][B|A][D|A:C][E|B:F]"
    dag = ew.from_model_string(text)
    assert set(ew.to_networkx(dag).edges) == {("A", "B"), ("A", "D"), ("C", "D"), ("B", "E"), ("F", "E")}
    assert list(dag.columns) == ["A", "C", "F", "B", "D", "E"]
    assert ew.to_model_string(dag.loc[sorted(dag), sorted(dag)]) == text
    assert ew.from_model_string("[one name]\n[ B|one name]").columns.tolist() == ["one name", " B"]


@pytest.mark.parametrize("name", ["a[b", "a]", "a|b", "a:b", ""])
def test_names_that_part_a_model_string_are_refused(name):
    with pytest.raises(ew.GraphError) as caught:
        ew.to_model_string(pd.DataFrame([[0, 1], [0, 0]], columns=["x", name], index=["x", name]))
    assert "without brackets, bars and colons" in check_sentence(str(caught.value))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must be like '[A][B|A][C|A:B]'"),
        ("A->B", "must be like"),
        ("[A][B|]", "must be like"),
        ("[A][B|A:]", "must be like"),
        ("[A]x[B]", "must be like"),
        (None, "must be like"),
        ("[A][A]", "has 'A' more than once"),
        ("[B|A]", "has 'A' as a parent of 'B', but no brackets for it: add '[A]'"),
        ("[A|B][B|A]", "has a cycle"),
    ],
)
def test_other_texts_are_refused(text, words):
    with pytest.raises(ew.GraphError) as caught:
        ew.from_model_string(text)
    assert words in check_sentence(str(caught.value))


def test_graphs_of_pgmpy_are_taken_and_made(rng):
    for _ in range(10):
        dag = random_dag(rng)
        made = ew.to_pgmpy(dag)
        assert isinstance(made, DAG)
        np.testing.assert_array_equal(as_dag(made, NAMES), dag)
        assert ew.structural_hamming_distance(made, dag) == 0
    network = DiscreteBayesianNetwork([("A", "B"), ("B", "C")])
    assert ew.to_model_string(network) == "[A][B|A][C|B]"
    half = PDAG(directed_ebunch=[("A", "B")], undirected_ebunch=[("B", "C")])
    chain = ew.cpdag(ew.from_model_string("[A][B|A][C|B]"))
    assert ew.structural_hamming_distance(half, chain) == 1


def test_graphs_of_causal_learn_are_taken(rng):
    for _ in range(10):
        dag = random_dag(rng)
        np.testing.assert_array_equal(as_dag(mark(dag), NAMES), dag)
        assert ew.structural_hamming_distance(mark(ew.cpdag(dag)), ew.cpdag(dag)) == 0
        assert ew.structural_hamming_distance(SimpleNamespace(G=mark(dag)), dag) == 0
    assert read_adjacency(mark(dag)).nodes == NAMES
    assert ew.structural_hamming_distance(mark(dag), dag.iloc[::-1, ::-1]) == 0


class GeneralGraph:
    """A graph of causal-learn, as far as one is made here: made of nodes, it marks the ends of edges that are added."""

    def __init__(self, nodes):
        self.nodes = nodes
        self.graph = np.zeros((len(nodes), len(nodes)), int)

    def add_edge(self, edge):
        first, second = self.nodes.index(edge.node1), self.nodes.index(edge.node2)
        self.graph[first, second], self.graph[second, first] = edge.end1.value, edge.end2.value

    def get_node_names(self):
        return [node.name for node in self.nodes]


@pytest.fixture
def causal_learn(monkeypatch):
    """The parts of causal-learn that make graphs, which need not be installed."""
    parts = {
        "Edge": namedtuple("Edge", ["node1", "node2", "end1", "end2"]),
        "Endpoint": Enum("Endpoint", {"TAIL": -1, "ARROW": 1}),
        "GeneralGraph": GeneralGraph,
        "GraphNode": namedtuple("GraphNode", ["name"]),
    }
    for name, part in parts.items():
        monkeypatch.setitem(sys.modules, f"causallearn.graph.{name}", SimpleNamespace(**{name: part}))
    for package in ("causallearn", "causallearn.graph"):
        monkeypatch.setitem(sys.modules, package, ModuleType(package))


@pytest.mark.usefixtures("causal_learn")
def test_graphs_of_causal_learn_are_made(rng):
    for _ in range(10):
        dag = random_dag(rng)
        for graph in (dag, ew.cpdag(dag)):
            made = ew.to_causal_learn(graph)
            np.testing.assert_array_equal(made.graph, mark(graph).graph)
            assert made.get_node_names() == NAMES
            assert ew.structural_hamming_distance(made, graph) == 0


@pytest.mark.parametrize("marks", [[[0, 1], [1, 0]], [[0, 2], [1, 0]]])
def test_hidden_causes_are_refused(marks):
    with pytest.raises(ew.GraphError) as caught:
        as_dag(Marked(marks, ["A", "B"]))
    assert "edge between A and B stands for a hidden cause" in check_sentence(str(caught.value))


def test_libraries_that_are_not_there_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pgmpy.base", None)
    monkeypatch.setitem(sys.modules, "causallearn.graph.Edge", None)
    for make, words in ((ew.to_pgmpy, "pip install pgmpy"), (ew.to_causal_learn, "pip install causal-learn")):
        with pytest.raises(ew.GraphError) as caught:
            make(np.zeros((2, 2)))
        assert words in check_sentence(str(caught.value))

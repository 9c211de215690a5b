from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from edgewise.errors import GraphError
from edgewise.graphs import is_d_separated
from naive import graphs as naive

SPRINKLER = nx.DiGraph([("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")])


def subsets(nodes):
    return [subset for size in range(len(nodes) + 1) for subset in combinations(nodes, size)]


def test_single_nodes_agree_with_the_moral_graph_on_all_dags_with_three_nodes():
    for dag in naive.all_dags(3):
        for x, y in combinations(range(3), 2):
            for given in subsets([v for v in range(3) if v not in (x, y)]):
                expected = naive.is_d_separated(dag, {x}, {y}, given)
                assert is_d_separated(dag, x, y, given) == expected
                assert is_d_separated(dag, y, x, given) == expected


def test_sets_agree_with_the_moral_graph_on_random_dags():
    rng = np.random.default_rng(5)
    answers = []
    for _ in range(400):
        p = int(rng.integers(2, 8))
        dag = naive.random_dag(p, rng, density=0.35)
        nodes = rng.permutation(p).tolist()
        first, second = sorted(rng.choice(np.arange(1, p + 1), size=2, replace=False)) if p > 2 else (1, 2)
        x, y = nodes[:first], nodes[first:second]
        given = [v for v in nodes[second:] if rng.random() < 0.5]
        answers.append(is_d_separated(dag, x, y, given))
        assert answers[-1] == naive.is_d_separated(dag, x, y, given)
    assert 40 < sum(answers) < 360


def test_an_edge_is_never_separated_and_an_empty_graph_always():
    assert not is_d_separated(np.array([[0, 1], [0, 0]]), 0, 1)
    assert is_d_separated(np.zeros((2, 2)), 0, 1)
    full = np.triu(np.ones((4, 4)), 1)
    assert not is_d_separated(full, 0, 3, given=[1, 2])


def test_relabelling_nodes_does_not_change_the_answer():
    rng = np.random.default_rng(7)
    for _ in range(100):
        dag = naive.random_dag(6, rng, density=0.4)
        names = rng.permutation(6)
        x, y, given = 0, 1, [2, 3]
        expected = is_d_separated(dag, x, y, given)
        assert is_d_separated(naive.relabel(dag, names), names[x], names[y], names[given]) == expected


@pytest.mark.parametrize("form", ["networkx", "frame"])
def test_nodes_are_called_by_name(form):
    graph = SPRINKLER if form == "networkx" else nx.to_pandas_adjacency(SPRINKLER)
    assert is_d_separated(graph, "rain", "sprinkler")
    assert not is_d_separated(graph, "rain", "sprinkler", given="slippery")
    assert is_d_separated(graph, {"rain", "sprinkler"}, "slippery", given=("wet",))


def test_a_name_may_be_a_tuple_or_a_string_of_other_names():
    graph = nx.DiGraph([(("TP53", 1), ("TP53", 2)), (("TP53", 2), ("TP53", 3)), ("AB", "A"), ("AB", "B")])
    assert is_d_separated(graph, ("TP53", 1), ("TP53", 3), given=("TP53", 2))
    assert is_d_separated(graph, "A", "B", given="AB")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rain", "snow"), "`y` names snow, which is not in the graph; its nodes are rain, wet"),
        ((["rain", "hail"], "wet"), "`x` names hail,"),
        (("rain", "wet", [0]), "`given` names 0,"),
        (("rain", "rain"), "rain is both in `x` and in `y`"),
        (("rain", "wet", ["sprinkler", "wet"]), "wet is both in `y` and in `given`"),
        (("rain", "wet", "rain"), "rain is both in `x` and in `given`"),
        (([], "wet"), "`x` names no node"),
        (("rain", ()), "`y` names no node"),
    ],
)
def test_questions_that_make_no_sense_are_refused_in_a_sentence(arguments, message):
    with pytest.raises(GraphError, match=message) as caught:
        is_d_separated(SPRINKLER, *arguments)
    assert str(caught.value).endswith(".")


def test_numbers_outside_an_array_and_on_a_named_frame_are_refused():
    with pytest.raises(GraphError, match="`y` names -1"):
        is_d_separated(np.zeros((2, 2)), 0, -1)
    with pytest.raises(GraphError, match="`x` names 0"):
        is_d_separated(pd.DataFrame([[0, 0], [0, 0]], columns=["A", "B"]), 0, 1)


def test_cyclic_graphs_are_refused():
    with pytest.raises(GraphError, match="has a cycle"):
        is_d_separated(np.array([[0, 1], [1, 0]]), 0, 1)

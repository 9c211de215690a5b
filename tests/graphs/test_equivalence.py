import json
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from compiled import altered, entry
from edgewise._kernels.graphs.equivalence import compelled_weighted_sum, label, label_compelled, new_lists
from edgewise._kernels.graphs.orientation import apply_rules, exclude, follows, orient_alone
from edgewise._kernels.graphs.reaching import Required, can_go, can_turn, find_ways, orient_to_reach
from edgewise.errors import ArgumentError, GraphError
from edgewise.graphs import compelled_edges, cpdag, is_markov_equivalent
from edgewise.graphs.equivalence import told_by
from edgewise.priors import Constraints
from naive import graphs as naive
from naive.knowledge import faults
from sentences import check_sentence

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "reference.json").read_text())
COLLIDER_WITH_TAIL = np.array([[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]], dtype=bool)


@cache
def all_classes(p):
    """Return the Markov equivalence classes of all DAGs with p nodes."""
    classes = {}
    for dag in naive.all_dags(p):
        skeleton = (dag | dag.T).tobytes()
        classes.setdefault((skeleton, naive.v_structures(dag)), []).append(dag)
    return [np.array(members) for members in classes.values()]


def matrix_of(edges, p):
    matrix = np.zeros((p, p), dtype=bool)
    for i, j in edges:
        matrix[i, j] = True
    return matrix


# The numbers of classes are those of Gillispie & Perlman (2001).
@pytest.mark.parametrize(("p", "n_classes"), [(1, 1), (2, 2), (3, 11), (4, 185)])
def test_every_small_dag_has_the_cpdag_of_its_enumerated_class(p, n_classes):
    classes = all_classes(p)
    assert len(classes) == len({members.any(axis=0).tobytes() for members in classes}) == n_classes
    for members in classes:
        for member in members:
            np.testing.assert_array_equal(compelled_edges(member), members.all(axis=0))
            np.testing.assert_array_equal(cpdag(member), members.any(axis=0))


def test_the_kernel_is_right_on_every_dag_with_five_nodes():
    classes = all_classes(5)
    assert len(classes) == 8782
    for members in classes:
        compelled = members.all(axis=0)
        for member in members:
            assert label_compelled(member).tobytes() == compelled.tobytes()


@pytest.mark.parametrize("density", [0.2, 0.4, 0.6])
def test_random_dags_with_six_nodes_have_the_cpdag_of_their_enumerated_class(density):
    rng = np.random.default_rng(6)
    for _ in range(20):
        dag = naive.random_dag(6, rng, density)
        np.testing.assert_array_equal(compelled_edges(dag), naive.compelled_edges(dag))
        np.testing.assert_array_equal(cpdag(dag), naive.cpdag(dag))


@pytest.mark.parametrize("name", ["p10_n100_s3_seed1", "p30_n1000_s3_seed1"])
def test_cpdags_equal_those_of_bnlearn(name):
    case = REFERENCE[name]
    p = case["p"]
    dag = matrix_of(case["dags"][0]["edges"], p)
    directed = matrix_of(case["cpdag_directed"], p)
    undirected = matrix_of(case["cpdag_undirected"], p)
    np.testing.assert_array_equal(cpdag(dag), directed | undirected | undirected.T)
    np.testing.assert_array_equal(compelled_edges(dag), directed)


def test_dags_are_equivalent_exactly_when_skeleton_and_v_structures_agree():
    dags = naive.all_dags(3)
    for a in dags:
        for b in dags:
            same_skeleton = np.array_equal(a | a.T, b | b.T)
            expected = same_skeleton and naive.v_structures(a) == naive.v_structures(b)
            assert is_markov_equivalent(a, b) == expected


@pytest.mark.parametrize("p", [1, 2, 7])
def test_empty_and_full_graphs_compel_nothing(p):
    empty = np.zeros((p, p), dtype=bool)
    full = np.triu(~empty, 1)
    np.testing.assert_array_equal(cpdag(empty), empty)
    np.testing.assert_array_equal(compelled_edges(full), empty)
    np.testing.assert_array_equal(cpdag(full), full | full.T)
    assert is_markov_equivalent(full, full.T)
    assert is_markov_equivalent(full, empty) == (p == 1)


def test_relabelling_nodes_relabels_the_result():
    rng = np.random.default_rng(8)
    for _ in range(200):
        dag = naive.random_dag(12, rng, density=rng.uniform(0.1, 0.7))
        names = rng.permutation(12)
        relabelled = naive.relabel(dag, names)
        np.testing.assert_array_equal(cpdag(relabelled), naive.relabel(cpdag(dag), names))
        np.testing.assert_array_equal(compelled_edges(relabelled), naive.relabel(compelled_edges(dag), names))


def test_turning_a_covered_edge_keeps_the_class_and_another_edge_does_not():
    """Chickering (1995), Lemma 1: x -> y may be turned exactly when pa(y) = pa(x) + x."""
    rng = np.random.default_rng(4)
    turned = {True: 0, False: 0}
    for _ in range(200):
        dag = naive.random_dag(10, rng, density=0.4)
        x, y = rng.permutation(np.argwhere(dag))[0]
        neighbour = dag.copy()
        neighbour[x, y], neighbour[y, x] = False, True
        if not naive.are_acyclic(neighbour[None])[0]:
            continue
        covered = np.array_equal(np.flatnonzero(neighbour[:, y]), np.flatnonzero(dag[:, x]))
        assert is_markov_equivalent(dag, neighbour) == covered
        turned[covered] += 1
    assert min(turned.values()) > 10


def test_one_dag_leaves_no_trace_in_the_next():
    dags = np.array([COLLIDER_WITH_TAIL, np.zeros((4, 4), dtype=bool), COLLIDER_WITH_TAIL])
    np.testing.assert_array_equal(compelled_weighted_sum(dags, np.array([1.0, 2.0, 4.0])), 5.0 * COLLIDER_WITH_TAIL)


@pytest.mark.parametrize("p", [1, 2, 9])
def test_the_weighted_sum_adds_up_single_dags(p):
    rng = np.random.default_rng(p)
    dags = np.array([naive.random_dag(p, rng, density=0.3) for _ in range(50)])
    weights = rng.dirichlet(np.ones(50))
    expected = sum(weight * compelled_edges(dag) for weight, dag in zip(weights, dags, strict=True))
    np.testing.assert_allclose(compelled_weighted_sum(dags, weights), expected, rtol=1e-12, atol=0)


def test_the_weighted_sum_of_no_dags_is_zero():
    total = compelled_weighted_sum(np.zeros((0, 3, 3), dtype=bool), np.zeros(0))
    np.testing.assert_array_equal(total, np.zeros((3, 3)))


def test_frames_give_frames_and_other_graphs_arrays():
    names = ["A", "B", "C", "D"]
    frame = pd.DataFrame(COLLIDER_WITH_TAIL, index=names, columns=names)
    for function in (cpdag, compelled_edges):
        pd.testing.assert_frame_equal(function(frame), frame)
        # Columns in another order: the result has rows and columns in the order of the rows.
        pd.testing.assert_frame_equal(function(frame[["D", "A", "C", "B"]]), frame)
        assert isinstance(function(nx.DiGraph([("A", "B")])), np.ndarray)


def test_equivalence_matches_nodes_by_name():
    a = nx.DiGraph([("A", "B"), ("B", "C")])
    b = nx.DiGraph([("C", "B"), ("B", "A")])
    c = nx.DiGraph([("B", "A"), ("A", "C")])
    assert is_markov_equivalent(a, b)
    assert not is_markov_equivalent(a, c)


def test_cyclic_graphs_are_refused_with_their_names():
    cyclic = nx.DiGraph([("A", "B"), ("B", "A")])
    for ask in (cpdag, compelled_edges, lambda graph: is_markov_equivalent(nx.DiGraph([("A", "B")]), graph)):
        with pytest.raises(GraphError, match=r"cycle, (A -> B -> A|B -> A -> B);"):
            ask(cyclic)


# With knowledge: the equivalent DAGs that agree with it are listed.


def random_constraints(p, dag, rng):
    """Some of everything that a DAG agrees with; tiers often leave variables out."""
    path = naive.ancestors(dag)
    absent = [(i, j) for i in range(p) for j in range(p) if i != j and not dag[i, j]]
    never = [pair for pair in absent if not path[pair]]

    def choose(items, rates):
        rate = rng.choice(rates)
        return [item for item in items if rng.random() < rate]

    depth = path.sum(axis=0)
    cut = rng.integers(0, p) if rng.random() < 0.5 else p
    tiers = [choose(np.flatnonzero(which).tolist(), [0.6, 1.0]) for which in (depth <= cut, depth > cut)]
    return Constraints(
        required=choose([(int(i), int(j)) for i, j in np.argwhere(dag)], [0, 0.15, 0.4]),
        forbidden=choose(absent, [0, 0.1, 0.3]),
        tiers=tiers if all(tiers) else (),
        roots=choose(np.flatnonzero(~dag.any(axis=0)).tolist(), [0, 0.3]),
        leaves=choose(np.flatnonzero(~dag.any(axis=1)).tolist(), [0, 0.3]),
        ancestors=choose([(int(i), int(j)) for i, j in np.argwhere(path)], [0, 0.1, 0.3]),
        not_ancestors=choose(never, [0, 0.05, 0.2]),
    )


def check_knowledge(dag, members, constraints, targets=()):
    """Compare with the members of a class that agree with constraints; return whether knowledge has added anything."""
    names = [f"X{i}" for i in range(len(dag))]
    seen = naive.skeletons_where_set(dag, targets)
    left = np.array(
        [
            member
            for member in members
            if not faults(member, constraints, names) and naive.skeletons_where_set(member, targets) == seen
        ]
    )
    found = compelled_edges(dag, constraints, targets)
    np.testing.assert_array_equal(found, left.all(axis=0))
    np.testing.assert_array_equal(cpdag(dag, constraints, targets), left.any(axis=0))
    return (found != compelled_edges(dag, targets=targets)).any()


def test_knowledge_compels_what_it_does_among_all_dags_with_four_nodes():
    rng = np.random.default_rng(4)
    changed = [
        check_knowledge(dag, members, random_constraints(4, dag, rng)) for members in all_classes(4) for dag in members
    ]
    assert np.mean(changed) > 0.3


@pytest.mark.parametrize(
    ("p", "number"),
    [
        (5, 100),
        (6, 20),
        (7, 10),
        *(pytest.param(p, n, marks=pytest.mark.slow) for p, n in [(5, 600), (6, 80), (7, 20)]),
    ],
)
def test_knowledge_compels_what_it_does_among_equivalent_dags(p, number):
    rng = np.random.default_rng(p)
    changed = []
    for _ in range(number):
        dag = naive.random_dag(p, rng, density=rng.choice([0.3, 0.5, 0.7]) if p < 7 else 0.4)
        changed.append(check_knowledge(dag, naive.equivalence_class(dag), random_constraints(p, dag, rng)))
    assert np.mean(changed) > 0.3


def chain_of(*nodes, p):
    return matrix_of(pairwise(nodes), p)


@pytest.mark.parametrize(
    ("constraints", "compelled"),
    [
        ({"required": [(1, 2)]}, [(1, 2), (2, 3)]),
        ({"forbidden": [(2, 1)]}, [(1, 2), (2, 3)]),
        ({"roots": [0]}, [(0, 1), (1, 2), (2, 3)]),
        ({"leaves": [3]}, [(2, 3)]),
        ({"leaves": [0]}, None),
        ({"tiers": [[0, 1], [2, 3]]}, [(1, 2), (2, 3)]),
        # Nothing is known of 1, but 2 -> 1 would lead on to 0, which comes before 2.
        ({"tiers": [[0], [2]]}, [(1, 2), (2, 3)]),
        ({"not_ancestors": [(3, 0)]}, [(2, 3)]),
        ({"ancestors": [(0, 2)]}, [(0, 1), (1, 2), (2, 3)]),
        ({"ancestors": [(1, 3)]}, [(1, 2), (2, 3)]),
        ({"forbidden": [(0, 2)]}, []),
    ],
)
def test_knowledge_of_a_chain(constraints, compelled):
    """The DAG 0 -> 1 -> 2 -> 3, of which no direction can be told."""
    chain = chain_of(0, 1, 2, 3, p=4)
    if compelled is None:
        with pytest.raises(ArgumentError):
            compelled_edges(chain, Constraints(**constraints))
        return
    np.testing.assert_array_equal(compelled_edges(chain, Constraints(**constraints)), matrix_of(compelled, 4))


def test_meeks_third_and_fourth_rule():
    """The two graphs of Meek's Figure 1 that the first two rules leave as they are."""
    # 0 - 1, 0 - 2, 0 - 3, 1 -> 3 <- 2: the v-structure compels 0 -> 3, also without knowledge.
    kite = matrix_of([(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)], 4)
    np.testing.assert_array_equal(compelled_edges(kite), matrix_of([(0, 3), (1, 3), (2, 3)], 4))
    # 0 - 1, 0 - 2, 0 - 3, and 1 -> 2 -> 3 known: 3 -> 0 would make a cycle, or the v-structure 1 -> 0 <- 3.
    fan = matrix_of([(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)], 4)
    known = Constraints(required=[(1, 2), (2, 3)])
    np.testing.assert_array_equal(compelled_edges(fan, known), matrix_of([(0, 3), (1, 2), (2, 3)], 4))


@cache
def cases_of_paths():
    """Return DAGs, what is known of each, and the edges that it compels.

    They are all DAGs with four nodes, each with some of its paths, and two that are hard to get right.
    """
    rng = np.random.default_rng(14)
    cases = []
    for dag in naive.all_dags(4):
        paths = [pair for pair in np.argwhere(naive.ancestors(dag)).tolist() if rng.random() < 0.4]
        cases.append((dag, Constraints(ancestors=paths)))
    # The first is one of few that need all compelled edges to be kept, the second one that needs all v-structures.
    edges = [(2, 1), (2, 3), (2, 4), (3, 0), (3, 1), (3, 4), (4, 0), (4, 1)]
    cases.append((matrix_of(edges, 5), Constraints(ancestors=[(2, 0), (4, 1)], required=[(3, 4)])))
    edges = [(0, 2), (2, 1), (2, 4), (3, 0), (3, 1), (3, 2), (3, 4)]
    cases.append((matrix_of(edges, 5), Constraints(ancestors=[(0, 4), (2, 1)])))
    compelled = []
    for dag, constraints in cases:
        names = [f"X{i}" for i in range(len(dag))]
        known = constraints.resolve(names).tell_apart()
        if isinstance(known, Required):
            left = [member for member in naive.equivalence_class(dag) if not faults(member, constraints, names)]
            compelled.append((dag, known, np.all(left, axis=0)))
    return compelled


def count_faults_of_paths(labels):
    """Return how often labels are not those of the enumerated class where paths are required."""
    return sum((labels(dag, known) != compelled).any() for dag, known, compelled in cases_of_paths())


def test_required_paths_compel_what_they_do_among_all_dags_with_four_nodes():
    assert count_faults_of_paths(label_compelled) == 0


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        pytest.param(
            "is_turned[x, y] or can_turn(",
            "is_turned[x, y] or True or can_turn(",
            id="no search",
            marks=pytest.mark.slow,
        ),
        pytest.param("(v != y or gone[x] >= 0) and ", "", id="either way", marks=pytest.mark.slow),
        pytest.param("if out[v, w]:", "if False:", id="edges turned", marks=pytest.mark.slow),
        pytest.param("gone[u] < 0 and u != w", "False", id="v-structures"),
        pytest.param("if not has_path:", "if False:", id="paths forgotten"),
        pytest.param("(dag[x, a] and not out[x, a])", "False", id="ways forgotten"),
        pytest.param("gone[w] < gone[v]", "True", id="all turned", marks=pytest.mark.slow),
    ],
)
def test_a_broken_search_for_required_paths_is_caught(right, wrong):
    broken = altered([find_ways, can_go, can_turn, orient_to_reach], right=right, wrong=wrong)
    assert count_faults_of_paths(label_with(broken["orient_to_reach"])) > 0


def label_with(part):
    """Return what finds the compelled edges of a DAG by a part of a kernel in the place of ``orient``."""

    def find(dag, known):
        out, lists = np.zeros_like(dag), new_lists(len(dag))
        entry(label)(dag, out, lists)
        entry(part)(known, dag, out, lists)
        return out

    return find


def test_required_edges_need_no_search():
    names = [f"X{i}" for i in range(4)]
    edges = Constraints(required=[(0, 1), (1, 2)])
    for ancestors, is_searched in (([], False), ([(0, 2)], False), ([(0, 3)], True)):
        known = replace(edges, ancestors=ancestors).resolve(names).tell_apart()
        assert isinstance(known, Required) == is_searched


def test_knowledge_is_matched_by_name():
    graph = nx.DiGraph([("dose", "weight"), ("weight", "mood")])
    constraints = Constraints(required=[("dose", "weight")])
    frame = pd.DataFrame(nx.to_numpy_array(graph), index=list(graph), columns=list(graph))[["mood", "weight", "dose"]]
    np.testing.assert_array_equal(compelled_edges(graph, constraints), nx.to_numpy_array(graph))
    assert compelled_edges(frame, constraints).loc["weight", "mood"]
    assert not cpdag(frame, constraints).loc["mood", "weight"]


@pytest.mark.parametrize(
    "constraints", [Constraints(not_ancestors=[(0, 1)]), Constraints(ancestors=[(0, 1)], not_ancestors=[(2, 3)])]
)
def test_knowledge_leaves_no_trace_in_the_next_dag(constraints):
    rng = np.random.default_rng(3)
    dags = np.array([chain_of(*rng.permutation(6), p=6) for _ in range(30)])
    agree = [not faults(dag, constraints, range(6)) for dag in dags]
    known = constraints.resolve([f"X{i}" for i in range(6)]).tell_apart()
    weights = np.array([agree, np.arange(30) * np.array(agree)], float)
    found = compelled_weighted_sum(dags[agree], np.ascontiguousarray(weights[:, agree]), known)
    single = np.array([compelled_edges(dag, constraints) for dag in dags[agree]])
    np.testing.assert_allclose(found, np.tensordot(weights[:, agree], single, axes=1), rtol=1e-12)


@pytest.mark.parametrize(
    ("constraints", "words"),
    [
        ({"required": [(1, 0)]}, "lacks the edge '1' -> '0'"),
        ({"forbidden": [(0, 1)]}, "has the edge '0' -> '1'"),
        ({"ancestors": [(2, 0)]}, "lacks a path from '2' to '0'"),
        ({"ancestors": [(0, 3)]}, "lacks a path from '0' to '3'"),
        ({"not_ancestors": [(0, 2)]}, "has a path from '0' to '2'"),
    ],
)
def test_a_dag_that_does_not_agree_is_refused(constraints, words):
    dag = chain_of(0, 1, 2, p=4)
    for ask in (cpdag, compelled_edges):
        with pytest.raises(ArgumentError) as caught:
            ask(dag, Constraints(**constraints))
        assert words in check_sentence(str(caught.value))


def test_constraints_must_be_constraints():
    with pytest.raises(ArgumentError, match="constraints must be an object such as"):
        compelled_edges(COLLIDER_WITH_TAIL, [("A", "B")])


# With interventions: the equivalent DAGs that they cannot tell apart are listed.


def all_targets(p):
    """Return all families of one or two sets of variables that were set together."""
    sets = [together for size in range(1, p + 1) for together in combinations(range(p), size)]
    return [*combinations(sets, 1), *combinations(sets, 2)]


def random_targets(p, rng):
    sets = [np.flatnonzero(rng.random(p) < rng.choice([0.2, 0.5])).tolist() for _ in range(rng.integers(1, 3))]
    return [together for together in sets if together]


def split_by_targets(members, targets):
    """Return the parts of a Markov equivalence class that interventions tell apart."""
    parts = {}
    for member in members:
        parts.setdefault(naive.skeletons_where_set(member, targets), []).append(member)
    return [np.array(part) for part in parts.values()]


def count_faults(p, *, every=1, tell=told_by, labels=label_compelled):
    """Return of how many DAGs with p nodes, and targets, the labels are not those of the enumerated class; and all."""
    number, wrong = 0, 0
    classes = all_classes(p)
    for targets in all_targets(p)[::every]:
        excluded = exclude(told=tell(targets, p))
        for part in (part for members in classes for part in split_by_targets(members, targets)):
            found = np.array([labels(member, excluded) for member in part])
            wrong += (found != part.all(axis=0)).any(axis=(1, 2)).sum()
            number += len(part)
    return wrong, number


@pytest.mark.parametrize(
    ("p", "every", "number"),
    [
        (1, 1, 1),
        (2, 1, 3 * 6),
        (3, 1, 25 * 28),
        (4, 5, 543 * 24),
        pytest.param(4, 1, 543 * 120, marks=pytest.mark.slow),
    ],
)
def test_targets_compel_what_they_do_among_all_small_dags(p, every, number):
    assert count_faults(p, every=every) == (0, number)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("has_targets and excluded.told[x, y]", "has_targets and False"),
        ("out[w, x] and not dag[w, y]", "False"),
        ("if out[x, w]:", "if False:"),
    ],
    ids=["not told", "without Meek's first rule", "without Meek's second rule"],
)
def test_a_broken_rule_is_caught(right, wrong):
    broken = altered([follows, apply_rules, orient_alone], right=right, wrong=wrong)
    assert count_faults(3, labels=label_with(broken["orient_alone"]))[0] > 0


@pytest.mark.parametrize("tell", [np.logical_or.outer, np.logical_and.outer], ids=["either is set", "both are set"])
def test_telling_what_is_not_told_is_caught(tell):
    def tell_wrongly(targets, p):
        are_set = [np.isin(np.arange(p), together) for together in targets]
        return np.any([tell(is_set, is_set) for is_set in are_set], axis=0)

    assert count_faults(3, tell=tell_wrongly)[0] > 0


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_targets_and_knowledge_compel_together_among_dags_with_four_nodes(every):
    rng = np.random.default_rng(44)
    changed = [
        check_knowledge(dag, members, random_constraints(4, dag, rng), random_targets(4, rng))
        for members in all_classes(4)[::every]
        for dag in members
    ]
    assert np.mean(changed) > 0.1


@pytest.mark.parametrize(
    ("p", "number"), [(5, 100), (6, 20), *(pytest.param(p, n, marks=pytest.mark.slow) for p, n in [(5, 400), (6, 80)])]
)
def test_targets_and_knowledge_compel_together_among_equivalent_dags(p, number):
    rng = np.random.default_rng(p + 40)
    changed = []
    for _ in range(number):
        dag = naive.random_dag(p, rng, density=rng.choice([0.3, 0.5, 0.7]))
        members = naive.equivalence_class(dag)
        changed.append(check_knowledge(dag, members, random_constraints(p, dag, rng), random_targets(p, rng)))
    assert np.mean(changed) > 0.1


@pytest.mark.parametrize(
    ("nodes", "targets", "compelled"),
    [
        ("XYZ", ["Y"], ["XY", "YZ"]),
        ("XYZ", ["X"], ["XY", "YZ"]),
        ("XYZ", ["Z"], ["YZ"]),
        # Z -> Y -> X: that Y -> X is told says nothing of Z.
        ("ZYX", ["X"], ["YX"]),
        ("XYZ", [["X", "Y"]], ["YZ"]),
        ("XYZ", [{"X", "Z"}], ["XY", "YZ"]),
        ("XYZ", [["X", "Y", "Z"]], []),
        ("XYZ", [[]], []),
        ("XYZ", [], []),
        # Two that are set together, and one of them also alone.
        ("XYZ", [("Y", "Z"), "Z"], ["XY", "YZ"]),
    ],
)
def test_targets_in_a_chain(nodes, targets, compelled):
    chain = nx.DiGraph(pairwise(nodes))
    names, dag = list(chain), nx.to_numpy_array(chain).astype(bool)
    expected = matrix_of([(names.index(a), names.index(b)) for a, b in compelled], 3)
    numbers = [names.index(one) if isinstance(one, str) else [names.index(name) for name in one] for one in targets]
    np.testing.assert_array_equal(compelled_edges(chain, targets=targets), expected)
    np.testing.assert_array_equal(compelled_edges(dag, targets=numbers), expected)
    np.testing.assert_array_equal(cpdag(chain, targets=targets), dag | (dag & ~expected).T)


def test_where_nothing_was_set_nothing_is_looked_at():
    for told in (None, np.zeros((4, 4), bool), told_by([], 4), told_by([range(4)], 4)):
        assert all(array.size == 0 for array in exclude(told=told))


@pytest.mark.parametrize("p", [1, 2, 5])
def test_told_is_where_one_of_two_is_set(p):
    rng = np.random.default_rng(p)
    for _ in range(20):
        targets = random_targets(p, rng)
        told = told_by(targets, p)
        for i in range(p):
            for j in range(p):
                assert told[i, j] == any((i in together) != (j in together) for together in targets)


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        ("dose", "targets must be a list of the sets of variables"),
        (0, "but 0 was given"),
        ({"condition": ["dose"]}, "targets must be a list"),
        (pd.DataFrame({"dose": [True], "weight": [False]}), "but a table was given"),
        (["height"], "There is no variable 'height' to be a target; the graph has 'dose' and 'weight'"),
        ([["dose", "height"]], "no variable 'height'"),
        ([2], "no variable 2 "),
        ([-1], "no variable -1 "),
        ([[True, False]], "no variable True "),
        ([None], "no variable None "),
    ],
)
def test_targets_must_be_sets_of_variables(targets, words):
    graph = nx.DiGraph([("dose", "weight")])
    for ask in (cpdag, compelled_edges):
        with pytest.raises(ArgumentError) as caught:
            ask(graph, targets=targets)
        assert words in check_sentence(str(caught.value))

import json
import os
from dataclasses import asdict
from itertools import permutations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgewise.errors import ArgumentError
from edgewise.priors import contradictions
from edgewise.priors.constraints import Constraints
from naive import graphs as naive
from sentences import check_sentence

NAMES = ["A", "B", "C", "D"]
MATRICES = ("required", "forbidden", "before", "ancestors", "not_ancestors")


def refusal(names=NAMES, **given):
    with pytest.raises(ArgumentError) as caught:
        Constraints(**given).resolve(names)
    return check_sentence(str(caught.value))


def pairs_of(matrix, names=NAMES):
    return {names[i] + names[j] for i, j in np.argwhere(matrix)}


# The twin: go through all DAGs.


class AllDags:
    def __init__(self, p):
        self.dags = naive.all_dags(p)
        self.ancestors = np.array([naive.ancestors(dag) for dag in self.dags])
        self.p = p
        self.tries = {2: 100, 3: 200}.get(p, 400)  # sets of constraints; few variables have few different ones

    def satisfying(self, constraints):
        """Return which DAGs satisfy constraints on variables that are given by column number."""
        dags, ancestors = self.dags, self.ancestors
        satisfied = np.ones(len(dags), dtype=bool)
        for i, j in constraints.required:
            satisfied &= dags[:, i, j]
        for i, j in constraints.forbidden:
            satisfied &= ~dags[:, i, j]
        for i, j in constraints.ancestors:
            satisfied &= ancestors[:, i, j]
        for i, j in constraints.not_ancestors:
            satisfied &= ~ancestors[:, i, j]
        for root in constraints.roots:
            satisfied &= ~dags[:, :, root].any(axis=1)
        for leaf in constraints.leaves:
            satisfied &= ~dags[:, leaf].any(axis=1)
        for number, later in enumerate(constraints.tiers):
            for earlier in constraints.tiers[:number]:
                for i in later:
                    for j in earlier:
                        satisfied &= ~ancestors[:, i, j]
        return satisfied


@pytest.fixture(scope="module", params=[2, 3, 4])
def all_dags(request):
    return AllDags(request.param)


def random_constraints(p, rng):
    """Some of everything, so that about half of the sets are contradictory at p = 4."""
    pairs = [(i, j) for i in range(p) for j in range(p) if i != j]

    def choose(items, rates):
        rate = rng.choice(rates)
        return [item for item in items if rng.random() < rate]

    tier = rng.integers(-1, 3, size=p) if rng.random() < 0.4 else np.full(p, -1)
    tiers = [np.flatnonzero(tier == number).tolist() for number in range(3)]
    return Constraints(
        required=choose(pairs, [0, 0.04, 0.1]),
        forbidden=choose(pairs, [0, 0.1, 0.3, 0.7]),
        tiers=[variables for variables in tiers if variables],
        roots=choose(range(p), [0, 0.2]),
        leaves=choose(range(p), [0, 0.2]),
        ancestors=choose(pairs, [0, 0.08, 0.2]),
        not_ancestors=choose(pairs, [0, 0.08, 0.2]),
    )


def random_paths(p, rng):
    """Many required paths along an order, of which few edges are permitted: what only a search can decide."""
    order = rng.permutation(p)
    forward = {(int(order[i]), int(order[j])) for i in range(p) for j in range(i + 1, p)}
    ancestors = {pair for pair in sorted(forward) if rng.random() < rng.choice([0.1, 0.4])}
    others = [(i, j) for i in range(p) for j in range(p) if i != j and (i, j) not in ancestors]
    return Constraints(
        ancestors=ancestors,
        not_ancestors=[pair for pair in others if rng.random() < rng.choice([0.05, 0.3])],
        forbidden=[pair for pair in others if rng.random() < 0.5] + [pair for pair in ancestors if rng.random() < 0.9],
    )


def resolved_or_refused(constraints, p):
    try:
        return constraints.resolve([f"X{column}" for column in range(p)])
    except ArgumentError as error:
        check_sentence(str(error))
        return None


@pytest.mark.parametrize("make", [random_constraints, random_paths])
def test_constraints_are_refused_exactly_when_no_dag_satisfies_them(all_dags, make, rng):
    outcomes = set()
    for _ in range(all_dags.tries):
        constraints = make(all_dags.p, rng)
        accepted = resolved_or_refused(constraints, all_dags.p) is not None
        assert accepted == all_dags.satisfying(constraints).any(), constraints
        outcomes.add(accepted)
    assert outcomes == {True, False}


@pytest.mark.slow
def test_constraints_on_five_variables_are_refused_exactly_when_no_dag_satisfies_them(rng):
    five = AllDags(5)
    for make in (random_constraints, random_paths):
        for _ in range(3000):
            constraints = make(5, rng)
            accepted = resolved_or_refused(constraints, 5) is not None
            assert accepted == five.satisfying(constraints).any(), constraints


def test_knowledge_holds_for_every_dag_that_satisfies_the_constraints(all_dags, rng):
    for _ in range(all_dags.tries):
        constraints = random_constraints(all_dags.p, rng)
        knowledge = resolved_or_refused(constraints, all_dags.p)
        if knowledge is None:
            continue
        satisfied = all_dags.satisfying(constraints)
        dags, ancestors = all_dags.dags[satisfied], all_dags.ancestors[satisfied]
        assert (dags | ~knowledge.required).all()
        assert not (dags & knowledge.forbidden).any()
        assert (ancestors | ~knowledge.ancestors).all()
        assert not (ancestors & knowledge.not_ancestors).any()
        # A DAG agrees with an order that satisfies `before` when the two together have no cycle.
        assert naive.are_acyclic(dags | knowledge.before).all(), constraints


def test_a_dag_with_what_is_known_satisfies_the_constraints(all_dags, rng):
    """So that a sampler needs nothing but the knowledge."""
    for _ in range(300):
        constraints = random_constraints(all_dags.p, rng)
        knowledge = resolved_or_refused(constraints, all_dags.p)
        if knowledge is None:
            continue
        kept = (
            (all_dags.dags | ~knowledge.required).all(axis=(1, 2))
            & ~(all_dags.dags & knowledge.forbidden).any(axis=(1, 2))
            & (all_dags.ancestors | ~knowledge.ancestors).all(axis=(1, 2))
            & ~(all_dags.ancestors & knowledge.not_ancestors).any(axis=(1, 2))
            & naive.are_acyclic(all_dags.dags | knowledge.before)
        )
        np.testing.assert_array_equal(kept, all_dags.satisfying(constraints))


def test_matrices_are_closed_and_agree_with_each_other(rng):
    for p in (1, 2, 4, 7):
        for _ in range(200):
            knowledge = resolved_or_refused(random_constraints(p, rng), p)
            if knowledge is None:
                continue
            for name in MATRICES:
                matrix = getattr(knowledge, name)
                assert matrix.shape == (p, p)
                assert matrix.dtype == np.bool_
                assert matrix.flags.c_contiguous
                assert not matrix.flags.writeable
                assert not matrix.diagonal().any()
            before, known = knowledge.before.astype(int), knowledge.ancestors.astype(int)
            excluded = knowledge.not_ancestors.astype(int)
            assert not ((before @ before > 0) & ~knowledge.before).any()
            assert not ((known @ known > 0) & ~knowledge.ancestors).any()
            assert not ((excluded @ known.T > 0) & ~knowledge.not_ancestors).any()
            assert not ((known.T @ excluded > 0) & ~knowledge.not_ancestors).any()
            assert not (knowledge.required & ~knowledge.ancestors).any()
            assert not (knowledge.ancestors & ~knowledge.before).any()
            assert not (knowledge.required & knowledge.forbidden).any()
            assert not ((knowledge.before.T | knowledge.not_ancestors) & ~knowledge.forbidden).any()


def test_columns_in_another_order_give_the_same_knowledge(rng):
    for _ in range(200):
        constraints = random_constraints(4, rng)
        by_name = Constraints(**relabel_variables(asdict(constraints), NAMES))
        new_names = rng.permutation(4)
        shuffled = [NAMES[column] for column in np.argsort(new_names)]
        knowledge = resolved_or_refused(constraints, 4)
        if knowledge is None:
            with pytest.raises(ArgumentError):
                by_name.resolve(shuffled)
            continue
        moved = by_name.resolve(shuffled)
        for name in MATRICES:
            expected = naive.relabel(getattr(knowledge, name), new_names)
            np.testing.assert_array_equal(getattr(moved, name), expected)


def relabel_variables(given, names):
    return {key: [[names[i] for i in item] if isinstance(item, tuple) else names[item] for item in given[key]]
            for key in given}  # fmt: skip


def test_a_search_that_takes_too_long_accepts(monkeypatch):
    impossible = {"ancestors": [("A", "B")], "forbidden": [(name, "B") for name in "ACD"]}
    assert "every such path" in refusal(**impossible)
    monkeypatch.setattr(contradictions, "MOST_EXAMINED", 0)
    Constraints(**impossible).resolve(NAMES)


def test_the_search_draws_all_conclusions_at_once(rng):
    """Pair by pair it must know what the whole set of pairs implies."""
    refused = 0
    for _ in range(100):
        order = rng.permutation(7)
        excluded = rng.random((7, 7)) < 0.05
        np.fill_diagonal(excluded, False)
        known = contradictions._Known(np.zeros((7, 7), dtype=bool), excluded)
        for i, j in np.sort(rng.integers(7, size=(8, 2)), axis=1):
            if i == j:
                continue
            added = known.ancestors.copy()
            added[order[i], order[j]] = True
            implied = naive.ancestors(added)
            extended = known.with_ancestor(order[i], order[j])
            assert (extended is None) == (implied & excluded).any()
            if extended is None:
                refused += 1
                continue
            known = extended
            np.testing.assert_array_equal(known.ancestors, implied)
            expected = contradictions.exclude_paths(excluded | implied.T, implied)
            np.testing.assert_array_equal(known.excluded, expected)
    assert refused > 20


def test_paths_through_many_variables_are_found():
    """Each of 24 variables may cause its neighbours in a ring only; every other one is an ancestor of the next."""
    names = [f"X{column}" for column in range(24)]
    ring = {(names[i], names[(i + step) % 24]) for i in range(24) for step in (-1, 1)}
    forbidden = [pair for pair in permutations(names, 2) if pair not in ring]
    ancestors = [(names[i], names[i + 2]) for i in range(0, 20, 2)]
    Constraints(forbidden=forbidden, ancestors=ancestors).resolve(names)
    Constraints(forbidden=forbidden, ancestors=[*ancestors, ("X0", "X23")]).resolve(names)
    Constraints(forbidden=forbidden, ancestors=[("X14", "X16")], leaves=["X15"]).resolve(names)  # the long way
    message = refusal(names, forbidden=forbidden, ancestors=ancestors, leaves=["X15"])
    assert "'X14' must be an ancestor of 'X16', but such paths together are excluded" in message
    assert message.count("must be an ancestor") == 2


# What follows from what.


def test_nothing_follows_from_nothing():
    knowledge = Constraints().resolve(NAMES)
    assert not any(getattr(knowledge, name).any() for name in MATRICES)


def test_consequences_of_required_edges_and_paths():
    knowledge = Constraints(required=[("A", "B")], ancestors=[("B", "C")], not_ancestors=[("A", "D")]).resolve(NAMES)
    assert pairs_of(knowledge.required) == {"AB"}
    assert pairs_of(knowledge.ancestors) == {"AB", "BC", "AC"}
    assert pairs_of(knowledge.before) == {"AB", "BC", "AC"}
    assert pairs_of(knowledge.not_ancestors) == {"AD", "BD", "CD"}
    assert pairs_of(knowledge.forbidden) == {"BA", "CB", "CA", "AD", "BD", "CD"}


def test_tiers_are_an_order_in_time():
    knowledge = Constraints(tiers=[["B"], ["A", "D"]]).resolve(NAMES)
    assert pairs_of(knowledge.before) == {"BA", "BD"}
    assert pairs_of(knowledge.forbidden) == {"AB", "DB"}


def test_roots_come_first_and_leaves_last():
    knowledge = Constraints(roots=["A"], leaves=["D"]).resolve(NAMES)
    assert pairs_of(knowledge.before) == {"AB", "AC", "AD", "BD", "CD"}
    assert pairs_of(knowledge.forbidden) == {"BA", "CA", "DA", "DB", "DC"}


def test_several_roots_are_in_no_order():
    knowledge = Constraints(roots=["A", "B"]).resolve(NAMES)
    assert pairs_of(knowledge.before) == {"AC", "AD", "BC", "BD"}
    assert pairs_of(knowledge.forbidden) == {"BA", "CA", "DA", "AB", "CB", "DB"}


def test_a_root_in_a_later_tier_comes_first_in_its_tier():
    knowledge = Constraints(tiers=[["A"], ["B", "C"]], roots=["B"]).resolve(["A", "B", "C"])
    assert pairs_of(knowledge.before) == {"AB", "AC", "BC"}


def test_roots_in_several_tiers_come_before_a_variable_in_none():
    knowledge = Constraints(tiers=[["A"], ["B"]], roots=["A", "B"]).resolve(["A", "B", "C"])
    assert pairs_of(knowledge.before) == {"AB", "AC", "BC"}


def test_a_root_in_a_later_tier_does_not_separate_variables_that_may_cause_each_other():
    """If B came before C because it is a root, A before C would follow, and C -> A would be lost."""
    knowledge = Constraints(tiers=[["A"], ["B"]], roots=["B"]).resolve(["A", "B", "C"])
    assert pairs_of(knowledge.before) == {"AB"}
    assert pairs_of(knowledge.forbidden) == {"BA", "AB", "CB"}


def test_a_leaf_in_an_earlier_tier_does_not_separate_variables_that_may_cause_each_other():
    knowledge = Constraints(tiers=[["B"], ["A"]], leaves=["B"]).resolve(["A", "B", "C"])
    assert pairs_of(knowledge.before) == {"BA"}


def test_a_variable_that_is_root_and_leaf_has_no_edges_and_no_place():
    knowledge = Constraints(roots=["A", "B"], leaves=["B"]).resolve(["A", "B", "C"])
    assert pairs_of(knowledge.before) == {"AC"}
    assert pairs_of(knowledge.forbidden) == {"BA", "BC", "AB", "CB", "CA"}


@pytest.mark.parametrize("names", [["A"], ["A", "B"]])
def test_all_may_be_roots_and_leaves(names):
    knowledge = Constraints(roots=names, leaves=names).resolve(names)
    assert not knowledge.before.any()
    np.testing.assert_array_equal(knowledge.forbidden, ~np.eye(len(names), dtype=bool))


def test_many_variables():
    p = 300
    names = [f"X{column}" for column in range(p)]
    constraints = Constraints(tiers=[names[:100], names[100:200]], roots=names[::3], leaves=names[1::3])
    knowledge = constraints.resolve(names)
    assert knowledge.before[:100, 100:200].all()
    assert knowledge.before[201::3, 202::3].all()
    assert knowledge.forbidden[:, ::3].sum() == 100 * (p - 1)


# Contradictions, in the words of the user.


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"required": [("A", "B")], "forbidden": [("A", "B")]}, "The edge 'A' -> 'B' is both required and forbidden"),
        ({"required": [("A", "B")], "roots": ["B"]}, "'A' -> 'B' is required, but 'B' is among the roots"),
        ({"required": [("A", "B")], "leaves": ["A"]}, "'A' -> 'B' is required, but 'A' is among the leaves"),
        (
            {"required": [("A", "B")], "tiers": [["B", "C"], ["A"]]},
            "'A' -> 'B' is required, but 'B' stands in an earlier tier than 'A'",
        ),
        (
            {"required": [("A", "B")], "not_ancestors": [("A", "B")]},
            "'A' -> 'B' is required, but 'A' must not be an ancestor of 'B'",
        ),
        (
            {"ancestors": [("A", "B")], "roots": ["B"]},
            "'A' must be an ancestor of 'B', but 'B' is among the roots, which have no parents; drop one of the two",
        ),
        (
            {"ancestors": [("A", "B")], "leaves": ["A"]},
            "'A' must be an ancestor of 'B', but 'A' is among the leaves, which have no children",
        ),
        (
            {"ancestors": [("A", "B")], "tiers": [["B"], ["C"], ["A"]]},
            "'A' must be an ancestor of 'B', but 'B' stands in an earlier tier than 'A'",
        ),
        (
            {"ancestors": [("A", "B")], "not_ancestors": [("A", "B")]},
            "'A' must be an ancestor of 'B', but 'A' must not be an ancestor of 'B'",
        ),
        (
            {"required": [("A", "B")], "ancestors": [("B", "C")], "not_ancestors": [("A", "C")]},
            "'A' must not be an ancestor of 'C', but 'A' -> 'B' is required and 'B' must be an ancestor of 'C'",
        ),
        (
            {"ancestors": [("A", "B")], "forbidden": [("A", "B"), ("C", "B"), ("D", "B")]},
            "'A' must be an ancestor of 'B', but every such path is excluded by forbidden edges",
        ),
        (
            {"ancestors": [("A", "B"), ("C", "D")], "forbidden": [("A", "B"), ("A", "C"), ("A", "D")]},
            "'A' must be an ancestor of 'B', but every such path is excluded",
        ),
        (
            {"ancestors": [("A", "B")], "forbidden": [("A", "B")], "roots": ["C"], "leaves": ["D"]},
            "'A' must be an ancestor of 'B', but every such path is excluded",
        ),
        (  # all paths from A go by C
            {"ancestors": [("A", "B"), ("B", "C"), ("A", "D")], "forbidden": [("A", "B"), ("A", "D")]},
            "'A' must be an ancestor of 'B' and 'B' must be an ancestor of 'C', but such paths together are excluded",
        ),
    ],
)  # fmt: skip
def test_contradictions_are_named(given, expected):
    assert expected in refusal(**given)


def test_the_shortest_cycle_is_named_with_the_reason_for_each_step():
    message = refusal(
        list("ABCDEFG"),
        required=[("D", "E"), ("E", "F"), ("A", "B"), ("F", "G")],
        ancestors=[("G", "D"), ("B", "C"), ("C", "D")],
        tiers=[["C"], ["A"]],
    )
    steps = ["'A' -> 'B' is required", "'B' must be an ancestor of 'C'", "'C' stands in an earlier tier than 'A'"]
    assert any(
        f"Some constraints form a cycle: {first}, {second} and {third}; drop or change one of them." == message
        for first, second, third in (steps, steps[1:] + steps[:1], steps[2:] + steps[:2])
    )


@pytest.mark.parametrize("length", [2, 3, 9])
def test_cycles_of_any_length_are_one_sentence(length):
    names = [f"X{column}" for column in range(length)]
    edges = list(zip(names, [*names[1:], names[0]], strict=True))
    message = refusal(names, required=edges)
    assert message.count("is required") == min(length, 5)
    assert ("and 4 more" in message) == (length == 9)


def test_a_cycle_through_tiers_and_a_variable_in_none():
    message = refusal(["A", "B", "C"], tiers=[["A"], ["B"]], required=[("B", "C")], ancestors=[("C", "A")])
    for step in ("'B' -> 'C' is required", "'C' must be an ancestor of 'A'", "'A' stands in an earlier tier than 'B'"):
        assert step in message


@pytest.mark.parametrize("field", ["required", "forbidden", "ancestors", "not_ancestors"])
def test_pairs_are_of_two_known_variables(field):
    assert f"{field} pairs the variable 'B' with itself" in refusal(**{field: [("A", "B"), ("B", "B")]})
    assert f"{field} pairs the variable 'B' with itself" in refusal(**{field: [("B", 1)]})
    assert f"In {field} of the constraints: There is no variable 'Z'" in refusal(**{field: [("A", "Z")]})
    assert "There is no variable 4" in refusal(**{field: [(0, 4)]})
    assert "There is no variable -1" in refusal(**{field: [(0, -1)]})


@pytest.mark.parametrize("field", ["roots", "leaves"])
def test_single_variables_are_known(field):
    assert f"In {field} of the constraints: There is no variable 'Z'" in refusal(**{field: ["A", "Z"]})


def test_each_variable_is_in_one_tier():
    assert "'B' stands in tiers 1 and 3" in refusal(tiers=[["A", "B"], ["C"], [1]])
    assert "Tier 2 of tiers is empty" in refusal(tiers=[["A"], []])
    assert "In tiers of the constraints: There is no variable 'Z'" in refusal(tiers=[["A"], ["Z"]])


# What constraints may be made of.


@pytest.mark.parametrize("field", ["required", "forbidden", "ancestors", "not_ancestors"])
@pytest.mark.parametrize("ends", [("from", "to"), ("source", "target")])
def test_pairs_may_be_the_rows_of_a_table(field, ends):
    """Names and numbers, in columns among others, and a table with two rows, which is no single pair."""
    table = pd.DataFrame({"why": ["known", "seen"], ends[1]: ["B", "C"], ends[0]: ["A", "A"]}, index=[7, 7])
    constraints = Constraints(**{field: table})
    assert constraints == Constraints(**{field: [("A", "B"), ("A", "C")]})
    numbered = Constraints(**{field: pd.DataFrame({ends[0]: [0, 0], ends[1]: [1, 2]})})
    assert getattr(numbered, field) == ((0, 1), (0, 2))
    json.dumps(asdict(numbered))
    assert Constraints(**{field: table.iloc[:0]}) == Constraints()


@pytest.mark.parametrize("field", ["required", "forbidden", "ancestors", "not_ancestors"])
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("A", "B"), "it is the single pair ['A', 'B']: write [['A', 'B']]"),
        ([0, 1], "it is the single pair [0, 1]: write [[0, 1]]"),
        ("A -> B", "it is 'A -> B'"),
        (["A -> B"], "one of them is 'A -> B'"),
        (["AB"], "one of them is 'AB'"),
        ([("A", "B", "C")], "one of them is ('A', 'B', 'C')"),
        ([("A", "B"), ("C",)], "one of them is ('C',)"),
        ([("A", None)], "one of them is ('A', None)"),
        ([("A", 1.0)], "one of them is ('A', 1.0)"),
        ([("A", True)], "one of them is ('A', True)"),
        ([{"A", "B"}], "one of them is {"),
        ({"A": "B"}, "it is {'A': 'B'}"),
        (None, "it is None"),
        (3, "it is 3"),
        (pd.DataFrame({"cause": ["A"], "to": ["B"]}), "or 'source' and 'target', but it has 'cause' and 'to'"),
        (pd.DataFrame(), "but it has no columns"),
        (pd.DataFrame({"from": ["A", "B"], "to": ["B", np.nan]}), "one of them is ('B', nan)"),
        (nx.DiGraph([("A", "B"), ("B", "C")]), "one of them is 'A'"),
    ],
)
def test_pairs_of_the_wrong_form_are_refused(field, given, expected):
    with pytest.raises(ArgumentError) as caught:
        Constraints(**{field: given})
    message = check_sentence(str(caught.value))
    assert message.startswith(f"{field} must be a list of pairs")
    assert expected in message


@pytest.mark.parametrize(
    ("field", "given", "expected"),
    [
        ("roots", "A", "roots must be a list of variables, such as ['Raf'], but it is 'A'"),
        ("leaves", 1, "leaves must be a list of variables, such as ['Raf'], but it is 1"),
        ("roots", [["A"]], "one of them is ['A']"),
        ("leaves", [1.5], "one of them is 1.5"),
        ("tiers", "A", "tiers must be a list of tiers, each a list of variables"),
        ("tiers", ["A", "B"], "one of them is 'A'"),
        ("tiers", [0, 1], "one of them is 0"),
        ("tiers", [["A"], None], "each tier of tiers must be a list of variables, such as ['Raf'], but it is None"),
        ("tiers", [["A"], [["B"]]], "one of them is ['B']"),
        ("tiers", {"first": ["A"]}, "but it is {'first': ['A']}"),
    ],
)
def test_lists_of_the_wrong_form_are_refused(field, given, expected):
    with pytest.raises(ArgumentError) as caught:
        Constraints(**{field: given})
    assert expected in check_sentence(str(caught.value))


def test_constraints_are_kept_as_tuples_of_plain_names_and_numbers():
    constraints = Constraints(
        required=np.array([["A", "B"]]),
        forbidden={("B", "A")},
        ancestors=zip("A", "C", strict=True),
        tiers=pd.DataFrame([["A", "B"]]).to_numpy(),
        roots=pd.Index(["A"]),
        leaves={"D", "C"},
        not_ancestors=[[np.int64(3), 0]],
    )
    assert constraints == Constraints(
        required=[("A", "B")],
        forbidden=[("B", "A")],
        ancestors=[("A", "C")],
        tiers=[["A", "B"]],
        roots=["A"],
        leaves=["C", "D"],
        not_ancestors=[(3, 0)],
    )
    assert constraints.required == (("A", "B"),)
    assert type(constraints.required[0][0]) is str
    assert type(constraints.not_ancestors[0][0]) is int
    assert hash(constraints) == hash(Constraints(**asdict(constraints)))
    assert constraints != Constraints()


variables = st.one_of(st.text(max_size=5), st.integers(0, 10))
pairs = st.lists(st.tuples(variables, variables), max_size=3)
constraint_sets = st.builds(
    Constraints,
    required=pairs,
    forbidden=pairs,
    tiers=st.lists(st.lists(variables, max_size=3), max_size=3),
    roots=st.lists(variables, max_size=3),
    leaves=st.lists(variables, max_size=3),
    ancestors=pairs,
    not_ancestors=pairs,
)


@settings(max_examples=100)
@given(constraint_sets)
def test_a_record_in_json_brings_the_same_constraints_back(constraints):
    record = json.loads(json.dumps(asdict(constraints)))
    assert Constraints(**record) == constraints
    assert eval(repr(constraints)) == constraints  # noqa: S307


# Files.


@pytest.fixture
def write(tmp_path):
    def write_file(content, name="known.yaml"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


def unreadable(path):
    with pytest.raises(ArgumentError) as caught:
        Constraints.read(path)
    return check_sentence(str(caught.value))


YAML = """
# What we know
tiers:
  - [age, sex]
  - [NO, 1, 2020-01-01, 'on', 1.50]
required:
  - [age, "NO"]
  - - sex
    - ~
roots: [age]
leaves:
  # - sex
not_ancestors: []
"""


def test_names_in_files_are_text(write):
    expected = Constraints(
        tiers=[["age", "sex"], ["NO", "1", "2020-01-01", "on", "1.50"]],
        required=[("age", "NO"), ("sex", "~")],
        roots=["age"],
    )
    assert Constraints.read(write(YAML)) == expected
    assert Constraints.read(str(write(YAML, "known"))) == expected
    assert Constraints.read(write("\ufeff" + YAML.replace("\n", "\r\n"), "known.YML")) == expected


@pytest.mark.parametrize("indent", [None, 2, "\t"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_json_files(write, indent, ascii_only):
    given = {"tiers": [["α", "😀"], [1, 2.50, "x\ty"]], "roots": ["α"], "leaves": None}
    path = write(json.dumps(given, indent=indent, ensure_ascii=ascii_only), "known.JSON")
    assert Constraints.read(path) == Constraints(tiers=[["α", "😀"], ["1", "2.5", "x\ty"]], roots=["α"])


@settings(max_examples=100)
@given(constraint_sets)
def test_what_is_written_as_json_is_read_back(tmp_path_factory, constraints):
    path = tmp_path_factory.mktemp("known") / "known.json"
    path.write_text(json.dumps(asdict(constraints)), encoding="utf-8")
    as_text = {key: turn_into_text(value) for key, value in asdict(constraints).items()}
    assert Constraints.read(path) == Constraints(**as_text)


def turn_into_text(value):
    return tuple(map(turn_into_text, value)) if isinstance(value, tuple) else str(value)


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        (b"roots: [\xe9]", "k.yaml", "is not encoded in UTF-8"),
        (b"roots: [\xe9]", "k.json", "is not encoded in UTF-8"),
        ("", "k.yaml", "holds no constraints"),
        ("# nothing yet\n", "k.yaml", "holds no constraints"),
        ("- [A, B]\n", "k.yaml", "holds no constraints"),
        ("A -> B\n", "k.yaml", "holds no constraints"),
        ('[{"roots": []}]', "k.json", "holds no constraints"),
        ("roots: [A]\nrequires: [[A, B]]\n", "k.yaml", "has the key 'requires', but only these are known: required, "),
        ('{"Roots": ["A"]}', "k.json", "has the key 'Roots', but only these are known: required, forbidden, tiers"),
        ("[a, b]: c", "k.yaml", "has the key \"['a', 'b']\", but only"),
        ("roots: [A]\nleaves: [B]\nroots: [C]\n", "k.yaml", "has the key 'roots' 2 times"),
        ('{"roots": ["A"], "roots": ["C"]}', "k.json", "has the key 'roots' 2 times"),
        ("roots: [A]\nleaves: [B\n", "k.yaml", "is not valid YAML, see line 3"),
        ("roots: [A]\n\tleaves: [B]\n", "k.yaml", "is not valid YAML, see line 2"),
        ("roots: [A]\n---\nroots: [B]\n", "k.yaml", "is not valid YAML, see line 2"),
        ("roots: [A]\nleaves: [\x07]\n", "k.yaml", "is not valid YAML, see line 2"),
        ("roots: [A]\nleaves: [*B]\n", "k.yaml", "is not valid YAML, see line 2"),
        ('{"roots": ["A"],\n"leaves": [B]}', "k.json", "is not valid JSON, see line 2"),
        ("", "k.json", "is not valid JSON, see line 1"),
        ("roots: " + "[" * 5000 + "]" * 5000, "k.yaml", "lists within lists without end"),
        ("roots: A\n", "k.yaml", "cannot be used: roots must be a list of variables, such as ['Raf'], but it is 'A'"),
        ("roots: &all [*all]\n", "k.yaml", "is not valid YAML, see line 1"),
        ("required: [A, B]\n", "k.yaml", "cannot be used: required must be a list of pairs, but it is the single pair"),
        ("required:\n  A: B\n", "k.yaml", "cannot be used: required must be a list of pairs of variables"),
        ("required:\n  - A -> B\n", "k.yaml", "one of them is 'A -> B'"),
        ("tiers: [A, B]\n", "k.yaml", "cannot be used: tiers must be a list of tiers"),
        ('{"roots": [true]}', "k.json", "one of them is True"),
        ('{"roots": [{"name": "A"}]}', "k.json", "one of them is {'name': 'A'}"),
    ],
)
def test_files_that_cannot_be_read_are_told_why(write, content, name, expected):
    assert expected in unreadable(write(content, name))


def test_paths_that_lead_nowhere(tmp_path):
    assert "There is no file" in unreadable(tmp_path / "missing.yaml")
    assert "cannot be read (Is a directory)" in unreadable(tmp_path)
    assert "read from the path of a file, but it is 3" in unreadable(3)


def test_what_has_no_end_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")
    assert "is not an ordinary file" in unreadable(tmp_path / "pipe.yaml")


def test_long_files_are_read_as_json_only(write):
    names = [f"variable {number}" for number in range(60_000)]
    assert "write it as JSON" in unreadable(write(json.dumps({"roots": names})))
    assert Constraints.read(write(json.dumps({"roots": names}), "known.json")).roots == tuple(names)


def test_aliases_are_not_spelt_out(write):
    """The file is short, and its key a list of 10^9 names."""
    lines = ["roots: &a0 [A]", *[f"x{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]]
    assert "has the key" in unreadable(write("\n".join([*lines, "? *a9\n: [A]"])))

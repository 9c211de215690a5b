"""Tables of parent sets: sums against their slow twins, and what is refused."""

import itertools
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax

import edgewise as ew
from compiled import entry
from edgewise._kernels.rivals import parent_sets as kernels
from edgewise.data import load_data
from edgewise.samplers.order_mcmc import OrderMCMC
from edgewise.samplers.parent_sets import count_sets, estimate_memory
from edgewise.samplers.partition_mcmc import PartitionMCMC
from exact.intervals import measure_outcomes
from marks import with_few_rows
from naive import parent_sets as naive
from naive import scores
from sentences import check_sentence

ask_afresh, choose, list_parents, log_sum, name_sum = map(
    entry, (kernels.ask_afresh, kernels.choose, kernels.list_parents, kernels.log_sum, kernels.name_sum)
)

BOTH = pytest.mark.parametrize("sampler", [OrderMCMC, PartitionMCMC])


def make_target(data, *, prior=None, constraints=None, score=None, **settings):
    dataset = load_data(data)
    knowledge = None if constraints is None else constraints.resolve(dataset.names)
    sampler = OrderMCMC(**settings)
    return sampler.make_target(dataset, score or ew.BGe(), prior or ew.Sparsity(1.0), knowledge)


def ask(target, inside, needed=None):
    """Return a workspace that asks for the sets inside some variables that meet others."""
    p = len(target.edge)
    workspace = kernels.new_workspace(target.score, p)
    ask_afresh(workspace.asked, p)
    for v in inside:
        workspace.asked[kernels.OUTSIDE, v // 64] &= ~np.uint64(1 << v % 64)
    if needed is not None:
        workspace.asked[kernels.NEEDED] = 0
        for v in needed:
            workspace.asked[kernels.NEEDED, v // 64] |= np.uint64(1 << v % 64)
    return workspace


def list_table(table, node, p):
    """Return all sets of a variable with their log weights."""
    found = {}
    for window in range(table.node_window[node], table.node_window[node + 1]):
        start, end = (int(table.run_start[table.window_run[w]]) for w in (window, window + 1))
        for s in range(start, end):
            members = tuple(v for v in range(p) if int(table.sets[v // 64, s]) >> (v % 64) & 1)
            assert int(table.sets[p // 64, s]) >> (p % 64) & 1
            assert members not in found
            found[members] = table.window_top[window] + np.log(table.weight[s])
    return found


def moderate(rng, n, p):
    return ew.simulate(p, n, neighbours=min(3, p - 1), seed=rng).data.to_numpy().copy()


def nearly_collinear(rng, n, p):
    """Log weights that differ by thousands, so that those relative to the best cannot be written as numbers."""
    values = moderate(rng, n, p)
    values[:, 1] = values[:, 0] + 1e-4 * rng.standard_normal(n)
    values[:, 3] = values[:, 2] - values[:, 0] + 1e-4 * rng.standard_normal(n)
    return values


@pytest.mark.parametrize(("make", "n", "p", "max_parents"), [
    (moderate, 20, 2, 1),
    (moderate, 20, 2, 3),
    (moderate, 30, 5, 4),
    (moderate, 1000, 7, 3),
    (moderate, 6, 8, 2),
    (nearly_collinear, 500, 7, 4),
    (moderate, 40, 63, 1),
    (moderate, 40, 64, 1),
    (moderate, 200, 70, 2),
    (moderate, 200, 130, 1),
])  # fmt: skip
def test_sums_equal_naive_ones(rng, make, n, p, max_parents):
    values = make(rng, n, p)
    target = make_target(values, max_parents=max_parents)
    for _ in range(40 if p < 10 else 4):
        node, *others = rng.permutation(p).tolist()
        inside = others[: rng.integers(min(p, 20))]
        needed = inside[: rng.integers(1, 4)]
        workspace = ask(target, inside)
        total = naive.log_sum(values, node, inside, max_parents=max_parents)
        np.testing.assert_allclose(log_sum(target.table, node, workspace), total, rtol=1e-12)
        workspace = ask(target, inside, needed)
        total = naive.log_sum(values, node, inside, max_parents=max_parents, needed=needed)
        np.testing.assert_allclose(log_sum(target.table, node, workspace), total, rtol=1e-12)
    if make is nearly_collinear:
        log_weight = list_table(target.table, 1, p).values()
        assert max(log_weight) - min(log_weight) > 1000


def test_tables_hold_every_allowed_set_with_its_weight(rng):
    values = moderate(rng, 50, 6)
    edge = rng.normal(size=(6, 6))
    np.fill_diagonal(edge, 0)
    candidates = rng.random((6, 6)) < 0.8
    np.fill_diagonal(candidates, False)
    candidates[2, 0] = False
    constraints = ew.Constraints(required=[("X2", "X0")], forbidden=[("X1", "X0")], tiers=[["X4"], ["X5"]])
    knowledge = constraints.resolve([f"X{v}" for v in range(6)])
    target = make_target(
        values, prior=ew.EdgeBeliefs(log_odds=edge), constraints=constraints, max_parents=3, candidates=candidates
    )
    for node in range(6):
        found = list_table(target.table, node, 6)
        expected = {
            parents: scores.bge(values, node, parents) + edge[list(parents), node].sum()
            for parents in naive.parent_sets(
                node,
                range(6),
                max_parents=3,
                required=np.flatnonzero(knowledge.required[:, node]).tolist(),
                possible=(candidates & ~knowledge.forbidden) | knowledge.required,
            )
        }
        assert found.keys() == expected.keys()
        for parents, log_weight in expected.items():
            np.testing.assert_allclose(found[parents], log_weight, rtol=1e-12)


@pytest.mark.parametrize("p", [7, 66])
def test_sets_are_chosen_by_their_weights(rng, p):
    values = moderate(rng, 30, p)
    target = make_target(values, max_parents=2)
    node, inside, needed = 3, [0, 1, 4, 5, p - 1], [1, p - 1]
    for wanted in (None, needed):
        workspace = ask(target, inside, wanted)
        log_total = log_sum(target.table, node, workspace)

        def chosen(uniform, workspace=workspace, log_total=log_total):
            s = choose(target.table, node, workspace, log_total, uniform)
            size = list_parents(target.table, s, workspace.members)
            return tuple(workspace.members[:size].tolist())

        sets = list(naive.parent_sets(node, inside, max_parents=2, needed=wanted))
        expected = softmax([scores.bge(values, node, parents) - len(parents) for parents in sets])
        share = measure_outcomes(chosen)
        assert set(share) <= set(sets)
        np.testing.assert_allclose([share.get(parents, 0.0) for parents in sets], expected, rtol=0, atol=1e-10)


def test_rounding_errors_never_choose_a_set_that_was_not_asked_for(rng):
    values = nearly_collinear(rng, 200, 6)
    target = make_target(values, max_parents=3)
    workspace = ask(target, [0, 2], [2])
    log_total = log_sum(target.table, 1, workspace)
    for slip in (0.0, 1e-9):  # a total that is a little too large leaves room at the end
        for uniform in (0.0, 0.5, np.nextafter(1.0, 0.0)):
            s = choose(target.table, 1, workspace, log_total + slip, uniform)
            size = list_parents(target.table, s, workspace.members)
            assert 2 in workspace.members[:size]
            assert set(workspace.members[:size]) <= {0, 2}


def test_sums_have_names_of_their_own():
    """All 7 variables, all sets inside and all that are needed: 7 x 2^7 x 2^7 names."""
    asked = np.zeros((2, 1), np.uint64)
    names = set()
    for node in range(7):
        for inside, needed in itertools.product(range(2**7), repeat=2):
            asked[:, 0] = ~np.uint64(inside), needed
            names.add(int(name_sum(node, asked)))
    assert len(names) == 7 * 2**14


@BOTH
def test_priors_beyond_families_are_refused(rng, sampler):
    values = moderate(rng, 30, 4)
    for prior in (ew.Paths(["X0"], ["X1"]), ew.LogPrior(lambda dag: 0.0)):
        with pytest.raises(ew.ArgumentError, match="MinimalIMAP or StructureMCMC") as error:
            ew.sample(values, sampler=sampler(), prior=ew.Sparsity() + prior, progress=False)
        check_sentence(str(error.value))
        assert sampler.__name__ in str(error.value)


@with_few_rows
@BOTH
def test_ancestor_constraints_are_refused_unless_they_say_nothing_more(rng, sampler):
    values = moderate(rng, 30, 4)
    run = {"iterations": 200, "thin": 10, "chains": 1, "seed": 1, "progress": False}
    for field in ("ancestors", "not_ancestors"):
        with pytest.raises(ew.ArgumentError, match=f"cannot use {field} of the constraints") as error:
            ew.sample(values, sampler=sampler(), constraints=ew.Constraints(**{field: [("X0", "X1")]}), **run)
        check_sentence(str(error.value))
    implied = ew.Constraints(
        required=[("X0", "X1"), ("X1", "X2")], ancestors=[("X0", "X2")], not_ancestors=[("X2", "X0")]
    )
    assert ew.sample(values, sampler=sampler(), constraints=implied, **run).dags()[..., 0, 1].all()


@BOTH
def test_settings_are_checked(sampler):
    for settings, message in (
        ({"max_parents": 0}, "max_parents must be a whole number, at least 1, but 0 was given."),
        ({"max_parents": 1.5}, "max_parents must be a whole number"),
        ({"candidates": 0.0}, "candidates must be a whole number, at least 1, but 0.0 was given."),
        ({"candidates": True}, "candidates must be a whole number, at least 1, but True was given."),
        ({"memory_limit": 0}, "memory_limit must be a positive number of gigabytes"),
        ({"memory_limit": "2GB"}, "memory_limit must be a positive number of gigabytes"),
    ):
        with pytest.raises(ew.ArgumentError, match=message) as error:
            sampler(**settings)
        check_sentence(str(error.value))
    for whole in (2, 2.0, np.float64(2), np.int8(2)):
        plain = sampler(max_parents=whole, candidates=whole)
        assert (type(plain.max_parents), type(plain.candidates)) == (int, int)


@BOTH
def test_tables_that_are_too_large_are_refused_before_they_are_made(rng, sampler):
    values = rng.standard_normal((20, 200))
    with pytest.raises(ew.ArgumentError, match=r"would need 540.5 GB .* 12,940,970,200 parent sets") as error:
        sampler(max_parents=4, candidates=None).make_target(load_data(values), ew.BGe(), ew.Sparsity(), None)
    check_sentence(str(error.value))
    with pytest.raises(ew.ArgumentError, match=r"memory_limit is 0\.001 GB"):
        sampler(max_parents=2, memory_limit=1e-3, candidates=None).make_target(
            load_data(values), ew.BGe(), ew.Sparsity(), None
        )


@pytest.mark.parametrize(
    ("p", "max_parents", "number"), [(30, 3, None), (100, 3, 39), (200, 3, 31), (200, 1, None), (1000, 3, 18)]
)
@BOTH
def test_candidates_are_as_many_as_a_million_sets_allow(sampler, p, max_parents, number):
    dataset = SimpleNamespace(p=p)
    assert sampler(max_parents=max_parents).resolve(dataset).candidates == number


@BOTH
@with_few_rows
def test_many_variables_are_no_reason_to_refuse(sampler, monkeypatch):
    monkeypatch.setattr("edgewise.samplers.parent_sets.MOST_SETS", 400)
    sim = ew.simulate(20, 40, seed=1)
    posterior = ew.sample(sim.data, sampler=sampler(), iterations=200, thin=10, seed=1, progress=False)
    number = posterior.info["sampler"]["candidates"]
    assert number == 4
    assert posterior.dags().any(axis=(0, 1)).sum(axis=0).max() <= number


def test_the_memory_estimate_is_close(rng):
    for p, max_parents in ((30, 3), (70, 2)):
        target = make_target(rng.standard_normal((50, p)), max_parents=max_parents)
        sizes = count_sets(target.possible, target.required, max_parents)
        assert sum(sizes) == target.table.sets.shape[1]
        used = sum(array.nbytes for array in target.table)
        assert used < estimate_memory(sizes, p) < 1.5 * used


def test_required_parents_must_fit(rng):
    constraints = ew.Constraints(required=[("X0", "X2"), ("X1", "X2")])
    with pytest.raises(ew.ArgumentError, match="require 2 parents of 'X2', but max_parents is 1") as error:
        make_target(rng.standard_normal((20, 3)), constraints=constraints, max_parents=1)
    check_sentence(str(error.value))


def test_candidates_have_several_forms(rng):
    values = rng.standard_normal((20, 4))
    names = [f"X{v}" for v in range(4)]
    matrix = np.array([[0, 1, 1, 0], [0, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]], bool)
    frame = pd.DataFrame(matrix, index=names, columns=names)
    shuffled = frame.loc[["X2", "X0", "X3", "X1"], ["X1", "X2", "X3", "X0"]]
    listed = {"X0": ["X2"], 1: ["X0", 2], "X2": ["X0", "X1"], "X3": []}
    graph = nx.from_pandas_adjacency(frame, nx.DiGraph)
    for candidates in (matrix, matrix.astype(int), frame, shuffled, graph, listed):
        np.testing.assert_array_equal(make_target(values, candidates=candidates).possible, matrix)
    assert make_target(values, candidates={"X0": []}).possible.sum() == 9
    required = make_target(values, candidates={"X0": []}, constraints=ew.Constraints(required=[("X1", "X0")]))
    np.testing.assert_array_equal(required.possible[:, 0], [False, True, False, False])


@pytest.mark.parametrize("candidates", [
    np.ones((4, 4)), np.zeros((3, 3)), {"X9": []}, {"X0": ["X9"]}, {"X0": "X1"}, {"X0": 1},
])  # fmt: skip
def test_candidates_that_make_no_sense_are_refused(rng, candidates):
    with pytest.raises(ew.ArgumentError, match="candidates cannot be used") as error:
        make_target(rng.standard_normal((20, 4)), candidates=candidates)
    check_sentence(str(error.value))


@pytest.mark.parametrize("sampler", [ew.OrderMCMC, ew.PartitionMCMC])
def test_candidates_are_no_other_word_than_auto(sampler):
    with pytest.raises(ew.ArgumentError) as error:
        sampler(candidates="all")
    assert "'auto', a number, a matrix or lists, but 'all' was given" in check_sentence(str(error.value))


def test_families_that_fit_exactly_have_no_place_in_the_tables(rng):
    """With four rows, BIC has no likelihood for three parents; and columns that determine each other are refused."""
    values = rng.standard_normal((4, 6))
    target = make_target(values, score=ew.GaussianBIC(), max_parents=4)
    assert max(map(len, list_table(target.table, 0, 6))) == 2
    constraints = ew.Constraints(required=[("X1", "X0"), ("X2", "X0"), ("X3", "X0")])
    with pytest.raises(ew.ArgumentError, match="With 4 rows, the score gives no likelihood to 'X0'") as error:
        make_target(values, score=ew.GaussianBIC(), constraints=constraints)
    check_sentence(str(error.value))
    values = rng.standard_normal((5, 8))
    values[:, 6] = values[:, 1] - values[:, 4]
    with pytest.raises(ew.DataError, match=r"'X[164]' is an exact linear combination of"):
        make_target(values, score=ew.GaussianBIC(), max_parents=2)
    make_target(values, max_parents=2)  # BGe's prior makes it well defined

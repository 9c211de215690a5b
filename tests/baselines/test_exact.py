from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from compiled import altered
from edgewise._kernels.dags import order_sums
from edgewise._kernels.learners import exact as kernels
from edgewise.baselines import bootstrap, mmhc
from edgewise.baselines.exact import Families, all_dags, list_dags, sum_orders
from edgewise.data import load_data
from exact.dags import ExactDags
from naive import graphs, scores
from naive.knowledge import faults
from naive.stepping import FlatScore
from sentences import check_sentence

TOLERANCE = {"rtol": 0, "atol": 1e-9}


def random_values(rng, n, p):
    return rng.standard_normal((n, p)) @ (np.eye(p) + 0.7 * rng.standard_normal((p, p)))


exact_posterior = partial(ew.exact_posterior, prior=ew.Sparsity(1.0))
"""With the prior of the enumeration in these tests, where they name no other."""


def prepare(values, weights, *, required=None, forbidden=None, max_parents=None, score=None):
    dataset = load_data(values)
    none = np.zeros((dataset.p, dataset.p), dtype=bool)
    return Families(
        (score or ew.BGe()).prepare(dataset),
        weights,
        required=none if required is None else required,
        forbidden=none if forbidden is None else forbidden,
        max_parents=max_parents,
    )


def test_all_dags_are_listed_once():
    for p in (1, 2, 3, 4):
        listed = {dag.tobytes() for dag in all_dags(p)}
        assert len(listed) == len(all_dags(p))
        assert listed == {dag.tobytes() for dag in graphs.all_dags(p)}
    assert len(all_dags(5)) == 29281


@pytest.mark.parametrize("over", ["dags", "orders"])
@pytest.mark.parametrize("max_parents", [None, 1, 2])
@pytest.mark.parametrize(("n", "p"), [(10, 2), (5, 3), (30, 4), (1000, 4)])
def test_equals_enumeration(rng, n, p, over, max_parents):
    values = random_values(rng, n, p)
    exact = ExactDags(values, over=over, max_parents=max_parents)
    found = exact_posterior(values, over=over, max_parents=max_parents)
    np.testing.assert_allclose(found.edge_probabilities(), exact.edge_probabilities(), **TOLERANCE)
    np.testing.assert_allclose(found.log_evidence, exact.log_evidence, rtol=1e-12)
    assert found.over == over


@pytest.mark.parametrize("over", ["dags", "orders"])
@pytest.mark.parametrize("max_parents", [None, 2])
def test_equals_enumeration_of_five(over, max_parents):
    values = ew.simulate(5, 60, seed=3).data.to_numpy()
    exact = ExactDags(values, over=over, max_parents=max_parents, edge_log_prior=-0.5)
    found = exact_posterior(values, over=over, max_parents=max_parents, prior=ew.Sparsity(0.5))
    np.testing.assert_allclose(found.edge_probabilities(), exact.edge_probabilities(), **TOLERANCE)
    np.testing.assert_allclose(found.log_evidence, exact.log_evidence, rtol=1e-12)


@pytest.mark.parametrize("over", ["dags", "orders"])
def test_any_weights_of_edges_and_bounds(rng, over):
    p = 4
    for _ in range(5):
        values = random_values(rng, 40, p)
        weights = rng.normal(-1, 2, (p, p))
        required = graphs.random_dag(p, rng, density=0.2)
        forbidden = (rng.random((p, p)) < 0.2) & ~required
        bounds = {"required": required, "forbidden": forbidden, "max_parents": 3}
        exact = ExactDags(values, over=over, edge_log_prior=weights, **bounds)
        families = prepare(values, weights, **bounds)
        found = (list_dags if over == "dags" else sum_orders)(families, tuple("abcd"))
        np.testing.assert_allclose(found.directed, exact.edge_probabilities(), **TOLERANCE)
        np.testing.assert_allclose(found.log_evidence, exact.log_evidence, rtol=1e-12)
        np.testing.assert_allclose(found.directed[required], 1, **TOLERANCE)
        assert (found.directed[forbidden] == 0).all()


def test_a_sum_that_forgets_orders_is_caught(rng, monkeypatch):
    """The same check on a kernel that starts every order with the first variable or the second."""
    broken = altered(
        [order_sums.sum_orders],
        right="if np.int64(earlier[v, 0]) & ~others == 0:",
        wrong="if np.int64(earlier[v, 0]) & ~others == 0 and (others & 3 or members < 3):",
    )
    values = random_values(rng, 30, 4)
    right = exact_posterior(values, over="orders")
    monkeypatch.setattr(kernels, "sum_orders", broken["sum_orders"])
    assert abs(exact_posterior(values, over="orders").log_evidence - right.log_evidence) > 1e-6


def test_weights_far_apart_do_not_vanish():
    """With 10^5 rows, a variable without parents costs more than a double can show, and every DAG has one."""
    sim = ew.simulate(4, 100_000, neighbours=3, weights=(0.8, 1.0), seed=1)
    weights = prepare(sim.data, np.full((4, 4), -1.0)).log_posterior()
    assert (weights[:, 0] < weights.max(axis=1) - 1000).all()  # exp(-1000) is zero in double precision
    exact = ExactDags(sim.data, over="orders")
    found = exact_posterior(sim.data, over="orders")
    np.testing.assert_allclose(found.edge_probabilities(), exact.edge_probabilities(), rtol=0, atol=1e-6)
    assert np.isfinite(found.log_evidence)


def test_bic_with_few_rows_has_impossible_families(rng):
    values = random_values(rng, 4, 4)
    for over in ("dags", "orders"):
        exact = ExactDags(values, over=over, local=scores.bic, max_parents=2)
        found = exact_posterior(values, over=over, score=ew.GaussianBIC())
        np.testing.assert_allclose(found.edge_probabilities(), exact.edge_probabilities(), **TOLERANCE)


def test_two_variables_by_hand(rng):
    """One DAG without an edge, two with, of equal scores: the odds are 2 exp(log Bayes factor - gamma)."""
    values = random_values(rng, 30, 2)
    edge, empty = np.array([[0, 1], [0, 0]]), np.zeros((2, 2))
    odds = 2 * np.exp(ew.score(edge, values) - ew.score(empty, values) - 1)
    joined = exact_posterior(values).edge_probabilities("undirected").to_numpy()[0, 1]
    np.testing.assert_allclose(joined, odds / (1 + odds), **TOLERANCE)


def test_relabelling_variables_relabels_the_probabilities(rng):
    values = random_values(rng, 50, 8)
    relabel = rng.permutation(8)
    found = exact_posterior(values, over="orders").directed
    moved = exact_posterior(values[:, relabel], over="orders").directed
    np.testing.assert_allclose(moved, found[np.ix_(relabel, relabel)], **TOLERANCE)


def test_without_effect_of_the_data_only_the_prior_is_left(rng):
    """With a flat score, p = 6, the probabilities are those of the prior, equal for all edges."""
    found = exact_posterior(random_values(rng, 50, 6), over="orders", score=FlatScore())
    off_diagonal = found.directed[~np.eye(6, dtype=bool)]
    np.testing.assert_allclose(found.log_evidence, 0, **TOLERANCE)
    # Given the order, each of 15 pairs is joined with odds exp(-1), in the direction of the order.
    np.testing.assert_allclose(off_diagonal, np.exp(-1) / (1 + np.exp(-1)) / 2, **TOLERANCE)


@pytest.fixture(scope="module")
def values():
    return ew.simulate(4, 50, seed=2).data


@pytest.fixture(scope="module")
def posterior(values):
    return exact_posterior(values, over="dags")


def test_probabilities_add_up(posterior):
    np.testing.assert_allclose(posterior.probabilities.sum(), 1, **TOLERANCE)
    assert repr(posterior) == "<ExactPosterior of 4 variables, over dags>"


def test_edges_are_a_table_like_that_of_a_posterior(posterior, values):
    table = posterior.edges(0.1)
    assert table.columns.tolist() == bootstrap(mmhc, values, 5, seed=1).edges().columns.tolist()
    assert table["probability"].is_monotonic_decreasing
    assert (table["probability"] >= 0.1).all()
    assert (table["mcse"] == 0).all()
    for row in table.itertuples():
        for kind, found in (
            ("directed", row.probability),
            ("undirected", row.undirected),
            ("compelled", row.compelled),
        ):
            assert posterior.edge_probabilities(kind).loc[row.source, row.target] == found


@pytest.mark.parametrize(
    ("method", "feature"),
    [
        (lambda one: one.edge_probabilities("compelled"), graphs.compelled_edges),
        (lambda one: one.path_probabilities(), graphs.ancestors),
    ],
)
def test_features_are_averages_over_dags(posterior, method, feature):
    expected = sum(weight * feature(dag) for weight, dag in zip(posterior.probabilities, posterior.dags, strict=True))
    np.testing.assert_allclose(method(posterior), expected, **TOLERANCE)


def test_markov_blankets(posterior):
    inside = posterior.probability(lambda dag: dag[0, 1] or dag[1, 0] or (dag[0] & dag[1]).any())
    found = posterior.markov_blanket_probabilities()
    np.testing.assert_allclose(found.iloc[0, 1], inside, **TOLERANCE)
    np.testing.assert_array_equal(found, found.T)


def test_expectations(posterior):
    edges = posterior.expectation(lambda dag: dag.sum())
    np.testing.assert_allclose(edges, posterior.directed.sum(), **TOLERANCE)
    assert edges.mcse == 0
    assert posterior.expectation(lambda graph: graph.number_of_edges(), networkx=True) == pytest.approx(edges)
    with pytest.raises(ew.ArgumentError, match="one finite number") as error:
        posterior.expectation(lambda dag: None)
    check_sentence(str(error.value))


def test_top_dags(posterior, values):
    best = posterior.top_dags(5, as_array=True)
    assert len(best) == 5
    np.testing.assert_array_equal(best[0].graph, posterior.map_dag(as_array=True))
    np.testing.assert_allclose([one.probability for one in best], np.sort(posterior.probabilities)[:-6:-1])
    for one in best:
        expected = ew.score(one.graph, values) - one.graph.sum()
        np.testing.assert_allclose(one.log_posterior, expected, rtol=0, atol=1e-8)
    with pytest.raises(ew.ArgumentError, match="whole number"):
        posterior.top_dags(0)


def test_consensus(posterior):
    np.testing.assert_array_equal(posterior.consensus_dag(0.6), posterior.directed >= 0.6)


def test_over_orders_only_edges_are_known(values):
    edges = exact_posterior(values, over="orders")
    assert repr(edges) == "<ExactEdges of 4 variables, over orders>"
    assert edges.edges().columns.tolist() == ["source", "target", "probability", "mcse", "undirected"]
    undirected = edges.edge_probabilities("undirected").to_numpy()
    np.testing.assert_allclose(undirected, edges.directed + edges.directed.T, **TOLERANCE)
    for kind in ("compelled", "sideways"):
        with pytest.raises(ew.ArgumentError) as error:
            edges.edge_probabilities(kind)
        check_sentence(str(error.value))


def test_thresholds_are_probabilities(posterior):
    with pytest.raises(ew.ArgumentError, match="threshold is a probability"):
        posterior.edges(2)


@pytest.mark.parametrize("settings", [{"over": "graphs"}, {"max_parents": 0}, {"max_parents": 1.5}, {"prior": 1.0}])
def test_bad_settings_are_refused(rng, settings):
    with pytest.raises(ew.ArgumentError) as error:
        exact_posterior(rng.standard_normal((20, 3)), **settings)
    check_sentence(str(error.value))


def test_too_many_variables_are_refused(rng):
    with pytest.raises(ew.ArgumentError, match=r"515\.4 GB") as error:
        exact_posterior(rng.standard_normal((50, 30)), over="orders")
    check_sentence(str(error.value))


def test_bounds_that_leave_no_dag_are_refused(rng):
    cycle = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=bool)
    families = prepare(rng.standard_normal((20, 3)), np.zeros((3, 3)), required=cycle)
    for make in (list_dags, sum_orders):
        with pytest.raises(ew.ArgumentError, match="No DAG is left") as error:
            make(families, tuple("abc"))
        check_sentence(str(error.value))


def test_constraints_leave_the_dags_that_agree_with_them(rng):
    values = rng.standard_normal((40, 4)) @ (np.eye(4) + 0.5 * rng.standard_normal((4, 4)))
    constraints = ew.Constraints(required=[(0, 1)], ancestors=[(2, 3)], not_ancestors=[(1, 3)], forbidden=[(3, 0)])
    names = [f"X{i}" for i in range(4)]
    whole = exact_posterior(values, over="dags")
    kept = np.array([not faults(dag, constraints, names) for dag in whole.dags])
    found = exact_posterior(values, over="dags", constraints=constraints)
    np.testing.assert_array_equal(found.dags, whole.dags[kept])
    np.testing.assert_allclose(found.probabilities, whole.probabilities[kept] / whole.probabilities[kept].sum())
    with pytest.raises(ew.ArgumentError, match="only over DAGs"):
        exact_posterior(values, over="orders", constraints=constraints)


def test_constraints_compel_edges(rng):
    """Of the tiers, the variable 1 is in none: that 2 -> 1 -> 0 is excluded follows from the order alone."""
    values = rng.standard_normal((40, 4)) @ (np.eye(4) + 0.5 * rng.standard_normal((4, 4)))
    constraints = ew.Constraints(tiers=[[0], [2]], required=[(1, 3)])
    found = exact_posterior(values, over="dags", constraints=constraints)
    assert not any(faults(dag, constraints, [f"X{i}" for i in range(4)]) for dag in found.dags)
    labels = np.array([ew.compelled_edges(dag, constraints) for dag in found.dags])
    expected = np.tensordot(found.probabilities, labels, axes=1)
    np.testing.assert_allclose(found.edge_probabilities("compelled"), expected, rtol=0, atol=1e-12)
    assert found.edge_probabilities("compelled").loc["X1", "X3"] == 1


def test_a_required_path_tells_the_directions_of_a_chain(rng):
    """Of the DAGs equivalent to a -> b -> c, this is the only one in which a is an ancestor of c."""
    a, b, c = rng.standard_normal((3, 500))
    data = pd.DataFrame({"a": a, "b": a + b, "c": a + b + c})
    constraints = ew.Constraints(ancestors=[("a", "c")])
    exact = ew.exact_posterior(data, over="dags", constraints=constraints)
    chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], bool)
    (probability,) = exact.probabilities[(exact.dags == chain).all(axis=(1, 2))]
    told = exact.edge_probabilities("compelled")
    assert told.loc["a", "b"] == told.loc["b", "c"] == pytest.approx(probability)
    assert probability > 0.8
    sampled = ew.sample(data, constraints=constraints, iterations=4000, seed=1, progress=False)
    np.testing.assert_allclose(sampled.edge_probabilities("compelled"), told, rtol=0, atol=0.03)
    assert sampled.pairs()["direction"].tolist()[:2] == ["->", "->"]


@pytest.mark.parametrize("constraints", [None, ew.Constraints(tiers=[[0], [2]])])
def test_interventions_compel_edges(rng, constraints):
    values = rng.standard_normal((40, 4)) @ (np.eye(4) + 0.5 * rng.standard_normal((4, 4)))
    targets = ((1,), (1, 3))
    found = exact_posterior(values, over="dags", constraints=constraints)
    told = replace(found, targets=targets)
    labels = np.array([ew.compelled_edges(dag, constraints, targets) for dag in found.dags])
    expected = np.tensordot(found.probabilities, labels, axes=1)
    np.testing.assert_allclose(told.edge_probabilities("compelled"), expected, rtol=0, atol=1e-12)
    # Exactly one of X1 and any other is set in some rows: if there is an edge, its direction is told.
    np.testing.assert_allclose(told.edge_probabilities("compelled").loc["X1"], found.edge_probabilities().loc["X1"])
    assert (told.edges()["compelled"] > found.edges()["compelled"] + 0.01).any()


def test_the_targets_are_those_of_the_data(rng):
    is_set = np.zeros((40, 3), bool)
    is_set[20:, [0, 2]] = True
    found = exact_posterior(rng.standard_normal((40, 3)), over="dags", interventions=is_set)
    assert found.targets == ((0, 2),)
    assert exact_posterior(rng.standard_normal((40, 3)), over="dags").targets == ()


def test_beliefs_about_edges_are_a_prior(rng):
    values = rng.standard_normal((40, 3))
    log_odds = rng.normal(size=(3, 3))
    found = exact_posterior(values, over="dags", prior=ew.EdgeBeliefs(log_odds=log_odds))
    flat = exact_posterior(values, over="dags", prior=ew.Sparsity(0))
    weight = flat.probabilities * np.exp((flat.dags * (log_odds * ~np.eye(3, dtype=bool))).sum(axis=(1, 2)))
    np.testing.assert_allclose(found.probabilities, weight / weight.sum(), rtol=1e-9)
    with pytest.raises(ew.ArgumentError, match="cannot use a prior on paths"):
        exact_posterior(values, prior=ew.Paths([0], [1]))

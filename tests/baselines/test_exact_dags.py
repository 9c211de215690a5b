"""The posterior over all DAGs, each counted once, without listing them."""

from fractions import Fraction
from functools import partial
from math import floor, log

import numpy as np
import pytest

import edgewise as ew
from compiled import altered
from edgewise._kernels.learners import exact_dags as kernels
from edgewise.baselines import exact
from edgewise.baselines.exact import Families
from edgewise.data import load_data
from naive import dag_sums
from naive.knowledge import faults
from naive.stepping import FlatScore
from sentences import check_sentence

LISTED = {"rtol": 0, "atol": 1e-10}
CLOSE = {"rtol": 0, "atol": 1e-9}


@pytest.fixture
def sum_up(monkeypatch):
    """The posterior of few variables by the way for many."""

    def sum_up(*args, **settings):
        with monkeypatch.context() as patched:
            patched.setattr(exact, "MOST_LISTED", 0)
            found = ew.exact_posterior(*args, over="dags", **settings)
        assert type(found) is exact.ExactEdges
        return found

    return sum_up


list_up = partial(ew.exact_posterior, over="dags")


def check_equal(found, listed, **tolerance):
    np.testing.assert_allclose(found.directed, listed.directed, **tolerance)
    np.testing.assert_allclose(found.log_evidence, listed.log_evidence, rtol=1e-12, atol=1e-10)
    if found.paths is not None:
        np.testing.assert_allclose(found.paths, listed.paths, **tolerance)


def log_weights(data, gamma=1.0):
    """The log weights of all families."""
    dataset = load_data(data)
    none = np.zeros((dataset.p, dataset.p), dtype=bool)
    prior = np.full((dataset.p, dataset.p), -gamma)
    families = Families(ew.BGe().prepare(dataset), prior, required=none, forbidden=none, max_parents=None)
    return families.log_posterior()


def flat_weights(p):
    """Weights under which all DAGs are equal."""
    return np.array([[-np.inf if parents >> j & 1 else 0.0 for parents in range(1 << p)] for j in range(p)])


def sum_with(family, sum_over_dags=kernels.sum_over_dags, find_paths=kernels.find_paths):
    """The log total and the probabilities of edges and of paths, from kernels."""
    p = len(family)
    sums = kernels.new_sums(p)
    edges, paths = np.empty((2, p, p))
    total = sum_over_dags(family, np.zeros(p, np.int64), sums)
    kernels.find_edges(sums, edges)
    find_paths(sums, paths)
    return total, edges, paths


def test_the_prior_is_that_of_sample(rng):
    values = rng.standard_normal((30, 11))
    expected = ew.exact_posterior(values, prior=ew.Sparsity("auto")).directed
    np.testing.assert_array_equal(ew.exact_posterior(values).directed, expected)
    assert abs(ew.exact_posterior(values, prior=ew.Sparsity(0)).directed - expected).max() > 1e-3


@pytest.mark.parametrize("n", [20, 100, 1000, 10_000])
@pytest.mark.parametrize("p", [2, 4, 5])
def test_equals_the_list(sum_up, n, p):
    data = ew.simulate(p, n, neighbours=1.5 if p > 2 else 1, seed=n).data
    check_equal(sum_up(data), list_up(data), **LISTED)


LOG_ODDS = np.arange(25.0).reshape(5, 5) % 7 - 4


@pytest.mark.parametrize(
    "settings",
    [
        {"prior": ew.Sparsity(2.0)},
        {"prior": ew.EdgeBeliefs(log_odds=LOG_ODDS)},
        {"prior": ew.Sparsity(0.5) + ew.EdgeBeliefs(log_odds=3 * LOG_ODDS), "max_parents": 2},
        {"max_parents": 1},
        {"score": ew.GaussianBIC()},
        {"constraints": ew.Constraints(required=[(0, 1), (1, 2)], forbidden=[(3, 4), (4, 0)])},
        {"constraints": ew.Constraints(roots=[2], leaves=[0, 4])},
        {"constraints": ew.Constraints(tiers=[[3], [0, 1], [2, 4]], required=[(3, 4)]), "max_parents": 2},
    ],
    ids=str,
)
def test_priors_bounds_and_constraints(sum_up, settings):
    data = ew.simulate(5, 60, neighbours=2, seed=8).data
    found = sum_up(data, **settings)
    assert found.paths is not None
    check_equal(found, list_up(data, **settings), **LISTED)


def random_constraints(rng, p):
    """Some of everything but ancestors, along a random order, so that there is no contradiction."""
    order = rng.permutation(p).tolist()
    forward = [(order[i], order[j]) for i in range(p) for j in range(i + 1, p)]
    backward = [(j, i) for i, j in forward]
    in_tiers = [v for v in order if rng.random() < 0.6]
    cuts = sorted(rng.integers(0, len(in_tiers) + 1, size=2))
    tiers = [tier for tier in np.split(np.array(in_tiers, dtype=int), cuts) if len(tier)]
    required = [pair for pair in forward if rng.random() < 0.1]
    return ew.Constraints(
        required=required,
        forbidden=[pair for pair in forward + backward if rng.random() < 0.1 and pair not in required],
        tiers=[tier.tolist() for tier in tiers],
        roots=[v for v in order[:2] if rng.random() < 0.2 and all(v != j for _, j in required)],
    )


@pytest.mark.parametrize("p", [4, 5])
def test_any_constraints_on_edges_and_tiers(sum_up, p):
    rng = np.random.default_rng(p)
    data = ew.simulate(p, 30, neighbours=2, seed=p).data
    names = list(data.columns)
    are_paths_known = set()
    for _ in range(20):
        constraints = random_constraints(rng, p)
        listed = list_up(data, constraints=constraints)
        if p == 4:
            expected = [dag for dag in list_up(data).dags if not faults(dag, constraints, names)]
            np.testing.assert_array_equal(listed.dags, expected)
        found = sum_up(data, constraints=constraints)
        check_equal(found, listed, **LISTED)
        are_paths_known.add(found.paths is not None)
    assert are_paths_known == {True, False}


def test_tiers_exclude_paths_through_variables_in_no_tier(sum_up):
    data = ew.simulate(4, 40, neighbours=2, seed=1).data
    constraints = ew.Constraints(tiers=[["X3"], ["X0"]])
    assert list_up(data, constraints=constraints).path_probabilities().loc["X0", "X3"] == 0
    found = sum_up(data, constraints=constraints)
    assert found.directed[0, 1] > 0.01
    assert found.directed[1, 3] > 0.01
    only_edges = ew.Constraints(forbidden=[("X0", "X3")])
    assert abs(found.directed - sum_up(data, constraints=only_edges).directed).max() > 1e-3
    with pytest.raises(ew.ArgumentError, match="tiers leave some of them out") as error:
        found.path_probabilities()
    check_sentence(str(error.value))


@pytest.mark.parametrize(("p", "n"), [(5, 2000), (6, 30), (7, 100), pytest.param(8, 50, marks=pytest.mark.slow)])
def test_equals_a_sum_over_layers(p, n):
    family = log_weights(ew.simulate(p, n, neighbours=3, seed=p + n).data)
    total, edges, paths = sum_with(family)
    expected = dag_sums.log_sums(family)[0]
    np.testing.assert_allclose(total, expected, rtol=1e-12)
    pairs = np.argwhere(~np.eye(p, dtype=bool)).tolist()
    for i, j in pairs if p < 7 else pairs[10:40:20]:
        np.testing.assert_allclose(edges[i, j], np.exp(dag_sums.log_sum_with(family, i, j) - expected), **CLOSE)
    for source in range(p) if p < 7 else ():
        np.testing.assert_allclose(paths[source], dag_sums.path_probabilities(family, source), **CLOSE)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("-step[begin + k] * weight", "step[begin + k] * weight"),  # nothing is subtracted
        ("needed[j] & ~members == 0", "members != 1"),  # nothing is added to the first variable alone
    ],
)
def test_a_broken_sum_is_caught(right, wrong):
    family = log_weights(ew.simulate(5, 30, seed=1).data)
    broken = altered([kernels.weigh_steps, kernels.sum_over_dags], right=right, wrong=wrong)["sum_over_dags"]
    expected = dag_sums.log_sums(family)[0]
    np.testing.assert_allclose(sum_with(family)[0], expected, rtol=1e-12)
    assert not abs(sum_with(family, broken)[0] - expected) < 1e-3


def test_paths_that_begin_anywhere_are_caught():
    family = log_weights(ew.simulate(5, 30, seed=1).data)
    broken = altered(
        [kernels.sum_reached, kernels.find_paths], right="1.0 - share(sums, j, outside, members)", wrong="1.0"
    )["find_paths"]
    np.testing.assert_allclose(np.diag(sum_with(family)[2]), 1, **LISTED)
    assert (np.diag(sum_with(family, find_paths=broken)[2]) > 1.1).any()


def as_whole_numbers(family):
    """Weights as whole numbers, in a unit for each variable below the least."""
    weights = []
    for row in family - family.max(axis=1, keepdims=True):
        units = 60 - floor(row[row > -np.inf].min() / log(2))
        powers = [floor(x / log(2)) if x > -np.inf else 0 for x in row]
        weights.append(
            [
                int(np.exp(x - power * log(2)) * 2**60) << (units + power - 60)
                for x, power in zip(row, powers, strict=True)
            ]
        )
    return weights


@pytest.mark.parametrize(
    ("n", "neighbours", "gamma"), [(1000, 7, 1.0), (200, 0.5, 6.0)], ids=["strong", "without edges"]
)
def test_little_is_lost_by_rounding(n, neighbours, gamma):
    """The same sum in whole numbers. Weights differ by e^1000, or the DAG without edges counts most: 2^8 times."""
    p = 8
    family = log_weights(ew.simulate(p, n, neighbours=neighbours, weights=(0.5, 1.0), seed=2).data, gamma)
    edges = sum_with(family)[1]
    weights = as_whole_numbers(family)
    total = dag_sums.exact_total(weights)
    for i, j in np.argwhere(~np.eye(p, dtype=bool))[::5].tolist():
        only = [weight if parents >> i & 1 else 0 for parents, weight in enumerate(weights[j])]
        expected = float(Fraction(dag_sums.exact_total([*weights[:j], only, *weights[j + 1 :]]), total))
        np.testing.assert_allclose(edges[i, j], expected, rtol=0, atol=1e-14)


def test_weights_far_apart_do_not_vanish(sum_up):
    """With 10^5 rows, a variable without parents costs more than a double can show, and every DAG has one."""
    sim = ew.simulate(5, 100_000, neighbours=4, weights=(0.8, 1.0), seed=1)
    assert np.ptp(log_weights(sim.data)[0, [0, 30]]) > 1000
    np.testing.assert_allclose(sum_up(sim.data).directed, list_up(sim.data).directed, rtol=0, atol=1e-8)


# A003024 of the OEIS.
NUMBERS = {1: 1, 6: 3781503, 12: 521939651343829405020504063, 14: 1439428141044398334941790719839535103}


@pytest.mark.parametrize("p", NUMBERS)
def test_all_dags_are_counted(p):
    total, edges, paths = sum_with(flat_weights(p))
    np.testing.assert_allclose(total, log(NUMBERS[p]), rtol=0, atol=1e-11)
    np.testing.assert_allclose(edges[~np.eye(p, dtype=bool)], edges[0, -1], **LISTED)
    np.testing.assert_allclose(paths[~np.eye(p, dtype=bool)], paths[0, -1], **LISTED)


@pytest.fixture(scope="module")
def twelve():
    return ew.simulate(12, 1000, neighbours=4, seed=5).data


@pytest.fixture(scope="module")
def found(twelve):
    return ew.exact_posterior(twelve)


def test_relabelling_variables_relabels_the_probabilities(rng, twelve, found):
    relabel = rng.permutation(12)
    moved = ew.exact_posterior(twelve.iloc[:, relabel])
    for name in ("directed", "paths"):
        expected = getattr(found, name)[np.ix_(relabel, relabel)]
        np.testing.assert_allclose(getattr(moved, name), expected, **CLOSE)
    np.testing.assert_allclose(moved.log_evidence, found.log_evidence, rtol=1e-12)


@pytest.mark.parametrize("n", [50, 1000])
def test_the_expected_number_of_edges_is_a_derivative(n):
    """Of the log evidence by the penalty of an edge: the expected number before the data less that after."""
    data = ew.simulate(12, n, seed=6).data
    step = 1e-4
    more, less = (ew.exact_posterior(data, prior=ew.Sparsity(1.0 + sign * step)).log_evidence for sign in (1, -1))
    after = ew.exact_posterior(data, prior=ew.Sparsity(1.0)).directed.sum()
    before = ew.exact_posterior(data, prior=ew.Sparsity(1.0), score=FlatScore()).directed.sum()
    np.testing.assert_allclose((more - less) / (2 * step), before - after, rtol=0, atol=1e-6)


def test_a_chain_may_begin_anywhere():
    """The twelve DAGs of a long chain are equivalent, and its two ends alike."""
    p = 12
    away = abs(np.arange(p)[:, None] - np.arange(p))
    found = ew.exact_posterior(ew.Covariance(0.7**away, n=10_000), prior=ew.Sparsity(12.0))
    forward = np.diagonal(found.directed, 1)
    np.testing.assert_allclose(forward, np.arange(1, p) / p, rtol=0, atol=1e-4)
    np.testing.assert_allclose(np.diagonal(found.directed, -1), forward[::-1], **CLOSE)
    np.testing.assert_allclose(found.edge_probabilities("undirected").to_numpy()[away == 1], 1, rtol=0, atol=1e-4)
    np.testing.assert_allclose(found.path_probabilities().iloc[0, -1], 1 / p, rtol=0, atol=1e-4)
    for one in (found.directed, found.paths):
        np.testing.assert_allclose(one[::-1, ::-1], one, **CLOSE)


def test_what_is_known_of_many_variables(found):
    assert repr(found) == "<ExactEdges of 12 variables, over dags>"
    assert np.isfinite(found.log_evidence)
    paths = found.path_probabilities().to_numpy()
    assert (paths >= found.edge_probabilities().to_numpy() - 1e-9).all()
    assert found.edges(0.5)["probability"].is_monotonic_decreasing
    assert not found.edges().empty
    assert found.consensus_dag(as_array=True).any()
    with pytest.raises(ew.ArgumentError, match="up to five variables") as error:
        found.edge_probabilities("compelled")
    check_sentence(str(error.value))


def test_auto_counts_each_dag_once_as_long_as_it_can(rng):
    for p, over in [(5, "dags"), (6, "dags"), (15, "orders")]:
        assert ew.exact_posterior(rng.standard_normal((20, p))).over == over


def test_what_cannot_be_summed_over_is_refused(rng):
    for p, settings, words in [
        (15, {"over": "dags"}, "14 variables at most, and the data have 15"),
        (15, {"constraints": ew.Constraints(roots=[1])}, "at most 14 variables"),
        (6, {"constraints": ew.Constraints(ancestors=[(0, 1)])}, "more than 5 variables, .* not on ancestors"),
        (6, {"constraints": ew.Constraints(not_ancestors=[(0, 1)])}, "not on ancestors"),
    ]:
        with pytest.raises(ew.ArgumentError, match=words) as error:
            ew.exact_posterior(rng.standard_normal((40, p)), **settings)
        check_sentence(str(error.value))
    over_orders = ew.exact_posterior(rng.standard_normal((40, 6)), over="orders")
    with pytest.raises(ew.ArgumentError, match="known over DAGs only") as error:
        over_orders.path_probabilities()
    check_sentence(str(error.value))


def test_bounds_that_leave_no_dag_are_refused(rng):
    cycle = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=bool)
    none = np.zeros((3, 3), dtype=bool)
    tables = ew.BGe().prepare(load_data(rng.standard_normal((20, 3))))
    families = Families(tables, np.zeros((3, 3)), required=cycle, forbidden=none, max_parents=None)
    with pytest.raises(ew.ArgumentError, match="No DAG is left"):
        exact.sum_dags(families, tuple("abc"))


@pytest.mark.parametrize("p", [5, 6])
def test_a_score_that_leaves_no_dag_is_refused(rng, p):
    """Four parents are too many for BIC with as many rows."""
    constraints = ew.Constraints(required=[(i, 4) for i in range(4)])
    with pytest.raises(ew.ArgumentError, match="or the score allow") as error:
        ew.exact_posterior(rng.standard_normal((4, p)), score=ew.GaussianBIC(), constraints=constraints)
    check_sentence(str(error.value))


def test_odds_beyond_measure_are_kept_to(sum_up):
    data = ew.simulate(4, 50, seed=2).data
    prior = ew.EdgeBeliefs(log_odds=np.where(np.arange(4)[:, None] > np.arange(4), -1e30, -1e5))
    found = sum_up(data, prior=prior)
    check_equal(found, list_up(data, prior=prior), **LISTED)

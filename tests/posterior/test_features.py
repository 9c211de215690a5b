"""Features of a posterior: kernels against slow twins, means over draws against plain sums, and the exact target."""

import copy
import pickle
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
from arviz_stats.base import array_stats
from scipy.stats import norm

import edgewise as ew
from edgewise._kernels.graphs.features import (
    blankets_weighted_sum,
    count_v_structures,
    list_v_structures,
    paths_weighted_sum,
)
from edgewise.graphs import ancestors
from edgewise.posterior import draws as draws_module
from edgewise.posterior.draws import DrawTable
from edgewise.posterior.features import Estimate
from exact.orders import ExactOrders
from naive import features as naive
from naive.graphs import all_dags, random_dag
from naive.stepping import PAPER
from records import make_posterior, plain
from sentences import check_sentence


def random_dags(p, *, number=12):
    """DAGs from empty to complete."""
    rng = np.random.default_rng(p)
    return np.array([random_dag(p, rng, density=density) for density in np.linspace(0, 1, number)])


DAGS = {"all of p = 4": lambda: all_dags(4)} | {
    f"p = {p}": lambda p=p: random_dags(p, number=6 if p > 10 else 12) for p in (1, 2, 10, 64, 65, 70)
}


@pytest.fixture(scope="module", params=DAGS.values(), ids=DAGS.keys())
def dags(request):
    return request.param()


@pytest.mark.parametrize(
    ("kernel", "twin"), [(paths_weighted_sum, naive.paths), (blankets_weighted_sum, naive.blankets)]
)
def test_matrix_kernels_equal_their_twins(dags, kernel, twin):
    weights = np.random.default_rng(1).random(len(dags))
    np.testing.assert_allclose(
        kernel(dags, weights), naive.weighted_sum(twin, dags, weights), rtol=1e-12, atol=1e-12 * weights.sum()
    )
    for dag in dags[:: max(len(dags) // 50, 1)]:
        np.testing.assert_array_equal(kernel(dag[None], np.ones(1)), twin(dag))


def test_v_structures_equal_their_twins(dags):
    expected = [(number, *triple) for number, dag in enumerate(dags) for triple in naive.v_structures(dag)]
    found = [tuple(row) for row in list_v_structures(dags).tolist()]
    assert sorted(found) == sorted(expected)
    for dag in dags:
        assert count_v_structures(dag) == len(naive.v_structures(dag))


def test_the_transitive_closure_needs_no_order():
    """A path whose nodes have falling, rising and mixed numbers, past the end of a word of bits."""
    rng = np.random.default_rng(4)
    for order in (np.arange(130), np.arange(130)[::-1], rng.permutation(130)):
        dag = np.zeros((1, 130, 130), dtype=bool)
        dag[0, order[:-1], order[1:]] = True
        place = np.argsort(order)
        np.testing.assert_array_equal(paths_weighted_sum(dag, np.ones(1)), place[:, None] < place)


def made(p=5, shape=(3, 40), *, distinct=9):
    """Draws among a few DAGs, so that most come again, in the same chain and in others."""
    rng = np.random.default_rng(p)
    few = np.array([random_dag(p, rng, density=min(0.5, 6 / p)) for _ in range(distinct)])
    names = [f"gene {node}" for node in range(p)]
    return make_posterior(few[rng.integers(len(few), size=shape)], nodes=names)


def weigh(posterior, seed=5):
    """Return the posterior with weights that differ by orders of magnitude."""
    weights = np.random.default_rng(seed).random(posterior.weights.shape) ** 3
    fresh = ew.Posterior(posterior.nodes, posterior.draws, posterior.moves)
    fresh.__dict__["weights"] = weights / weights.sum()
    return fresh


POSTERIORS = {
    "p = 5": made,
    "p = 5, weighted": lambda: weigh(made()),
    "p = 1": lambda: made(1, distinct=1),
    "p = 2": lambda: weigh(made(2, distinct=3)),
    "one draw": lambda: made(4, (1, 1)),
    "p = 66, weighted": lambda: weigh(made(66, (2, 20))),
}


@pytest.fixture(scope="module", params=POSTERIORS.values(), ids=POSTERIORS.keys())
def posterior(request):
    return request.param()


@pytest.fixture(params=[2**22, 30], ids=["at once", "in parts"])
def parts(request, monkeypatch):
    monkeypatch.setattr(draws_module, "ENTRIES_AT_ONCE", request.param)


def draws_of(posterior):
    p = len(posterior.nodes)
    return posterior.dags().reshape(-1, p, p), posterior.weights.ravel()


def fresh_copy(posterior):
    fresh = ew.Posterior(posterior.nodes, posterior.draws, posterior.moves)
    fresh.__dict__["weights"] = posterior.weights
    return fresh


MATRICES = {
    "directed": (lambda posterior: posterior.edge_probabilities(), lambda dag: dag),
    "undirected": (lambda posterior: posterior.edge_probabilities("undirected"), lambda dag: dag | dag.T),
    "compelled": (lambda posterior: posterior.edge_probabilities("compelled"), ew.compelled_edges),
    "paths": (lambda posterior: posterior.path_probabilities(), naive.paths),
    "blankets": (lambda posterior: posterior.markov_blanket_probabilities(), naive.blankets),
}


@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize("name", MATRICES)
def test_matrices_are_weighted_means_over_draws(posterior, name):
    method, feature = MATRICES[name]
    found = method(fresh_copy(posterior))
    np.testing.assert_allclose(found, naive.weighted_sum(feature, *draws_of(posterior)), rtol=0, atol=1e-12)
    assert tuple(found.index) == tuple(found.columns) == posterior.nodes
    assert found.to_numpy().min() >= 0
    assert found.to_numpy().max() <= 1


@pytest.mark.usefixtures("parts")
def test_the_table_of_v_structures_is_a_weighted_mean_over_draws(posterior):
    expected = defaultdict(float)
    for dag, weight in zip(*draws_of(posterior), strict=True):
        for triple in naive.v_structures(dag):
            expected[tuple(posterior.nodes[node] for node in triple)] += weight
    table = posterior.v_structures()
    assert list(table.columns) == ["parent", "child", "other_parent", "probability"]
    assert table["probability"].is_monotonic_decreasing
    assert table.index.tolist() == list(range(len(table)))
    found = {(row.parent, row.child, row.other_parent): row.probability for row in table.itertuples()}
    assert len(found) == len(table)
    assert found == pytest.approx(dict(expected), rel=0, abs=1e-12)


@pytest.mark.usefixtures("parts")
def test_edge_counts_are_weighted_means_over_draws(posterior):
    expected = defaultdict(float)
    for dag, weight in zip(*draws_of(posterior), strict=True):
        expected[naive.number_of_edges(dag)] += weight
    found = posterior.edge_counts()
    assert found.index.is_monotonic_increasing
    assert (found.index.name, found.name) == ("edges", "probability")
    assert found.to_dict() == pytest.approx(dict(expected), rel=0, abs=1e-12)
    assert found.sum() == pytest.approx(1)


@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize("direction", ["in", "out"])
def test_degrees_are_weighted_means_over_draws(posterior, direction):
    dags, weights = draws_of(posterior)
    p = len(posterior.nodes)
    expected = np.zeros((p, p))
    for dag, weight in zip(dags, weights, strict=True):
        for node in range(p):
            expected[node, naive.degree(dag, node, direction)] += weight
    most = np.flatnonzero(expected.any(axis=0)).max()
    found = posterior.degrees(direction)
    assert tuple(found.index) == posterior.nodes
    assert found.columns.tolist() == list(range(most + 1))
    np.testing.assert_allclose(found, expected[:, : most + 1], rtol=0, atol=1e-12)
    if direction == "in":
        assert found.equals(posterior.degrees())


@pytest.mark.parametrize("direction", ["both", None, 0])
def test_directions_are_known_by_name(direction):
    with pytest.raises(ew.ArgumentError) as caught:
        made().degrees(direction)
    assert "direction must be 'in' or 'out'" in check_sentence(str(caught.value))


def test_a_million_weights_add_up_to_one():
    """A millionth, added a million times, is one but for 1e-11: probabilities must not show it."""
    few = np.zeros((1, 2, 3, 3), dtype=bool)
    few[:, :, 0, 1] = True
    few[:, 0, 2, 1] = True
    table = make_posterior(few).draws

    def repeat(array):
        return np.repeat(np.asarray(array), 500_000, axis=1)

    many = DrawTable(
        repeat(table.family),
        repeat(table.order),
        repeat(table.log_score),
        repeat(table.log_prior),
        table.family_node,
        table.family_parents,
    )
    posterior = ew.Posterior(("a", "b", "c"), many, ({},))
    for method, _ in MATRICES.values():
        assert set(method(posterior).to_numpy().ravel().tolist()) <= {0.0, 0.5, 1.0}
    assert posterior.edges(threshold=1)["source"].tolist() == ["a"]
    assert posterior.edge_counts().to_dict() == {1: 0.5, 2: 0.5}
    assert posterior.v_structures()["probability"].tolist() == [0.5]
    assert posterior.degrees().loc["b"].tolist() == [0, 0.5, 0.5]
    assert posterior.expectation(lambda dag: dag[0, 1]) == 1
    assert [one.probability for one in posterior.top_dags()] == [0.5, 0.5]
    assert [one.probability for one in posterior.top_cpdags()] == [0.5, 0.5]


# Any function of the DAG


def agrees(posterior, function, built_in, *, abs=1e-12):  # noqa: A002
    assert posterior.expectation(function) == pytest.approx(built_in, rel=0, abs=abs)
    return True


@pytest.mark.parametrize("make", [lambda: made(4), lambda: weigh(made(4)), lambda: weigh(made(4, (1, 7)))])
def test_expectation_agrees_with_every_built_in_feature(make):
    posterior = make()
    p = len(posterior.nodes)
    matrices = {name: method(posterior).to_numpy() for name, (method, _) in MATRICES.items()}
    for i, j in permutations(range(p), 2):
        assert agrees(posterior, lambda dag, i=i, j=j: dag[i, j], matrices["directed"][i, j])
        assert agrees(posterior, lambda dag, i=i, j=j: dag[i, j] or dag[j, i], matrices["undirected"][i, j])
        assert agrees(posterior, lambda dag, i=i, j=j: ew.compelled_edges(dag)[i, j], matrices["compelled"][i, j])
        assert agrees(posterior, lambda dag, i=i, j=j: ancestors(dag)[i, j], matrices["paths"][i, j])
        assert agrees(
            posterior,
            lambda dag, i=i, j=j: dag[i, j] or dag[j, i] or (dag[i] & dag[j]).any(),
            matrices["blankets"][i, j],
        )
    for matrix in matrices.values():
        np.testing.assert_array_equal(np.diag(matrix), 0)
    table = posterior.v_structures().set_index(["parent", "child", "other_parent"])["probability"]
    for a, b in combinations(range(p), 2):
        for c in set(range(p)) - {a, b}:
            triple = tuple(posterior.nodes[node] for node in (a, c, b))
            assert agrees(
                posterior,
                lambda dag, a=a, b=b, c=c: dag[a, c] and dag[b, c] and not (dag[a, b] or dag[b, a]),
                table.get(triple, 0.0),
            )
    counts = posterior.edge_counts()
    assert agrees(posterior, np.count_nonzero, (counts * counts.index).sum())
    for number in range(7):
        assert agrees(posterior, lambda dag, number=number: dag.sum() == number, counts.get(number, 0.0))
    for axis, direction in enumerate(["in", "out"]):
        degrees = posterior.degrees(direction)
        for node, name in enumerate(posterior.nodes):
            assert agrees(
                posterior,
                lambda dag, axis=axis, node=node: dag.sum(axis=axis)[node],
                (degrees.loc[name] * degrees.columns).sum(),
            )
            for number in range(p):
                assert agrees(
                    posterior,
                    lambda dag, axis=axis, node=node, number=number: dag.sum(axis=axis)[node] == number,
                    degrees.loc[name].get(number, 0.0),
                )


def test_functions_are_called_once_for_each_distinct_dag():
    rng = np.random.default_rng(2)
    few = all_dags(3)[:20]
    draws = make_posterior(few[None]).draws
    chosen = rng.integers(len(few), size=(4, 25_000))
    rows = np.asarray(draws.family)[0]
    many = DrawTable(
        rows[chosen],
        rows[chosen],
        draws.log_score[0, chosen],
        draws.log_prior[0, chosen],
        draws.family_node,
        draws.family_parents,
    )
    posterior = ew.Posterior(("a", "b", "c"), many, ({},) * 4)
    calls = Counter()

    def function(dag):
        calls[dag.tobytes()] += 1
        return dag.sum()

    found = posterior.expectation(function)
    assert len(calls) == len(few)
    assert set(calls.values()) == {1}
    assert found == pytest.approx(few[chosen].sum(axis=(2, 3)).mean(), rel=1e-12)


def test_functions_are_given_arrays_of_their_own():
    posterior = made(4)
    before = posterior.dags()

    def function(dag):
        assert isinstance(dag, np.ndarray)
        assert dag.dtype == bool
        assert dag.shape == (4, 4)
        dag[:] = True
        return 1

    assert posterior.expectation(function) == 1
    np.testing.assert_array_equal(posterior.dags(), before)


def test_functions_are_given_networkx_graphs_if_wanted():
    posterior = weigh(made(4))

    def function(graph):
        assert type(graph) is nx.DiGraph
        assert list(graph) == list(posterior.nodes)
        return nx.has_path(graph, "gene 0", "gene 3")

    expected = posterior.path_probabilities().loc["gene 0", "gene 3"]
    assert 0 < expected < 1
    for method in (posterior.expectation, posterior.probability):
        assert method(function, networkx=True) == pytest.approx(expected, rel=0, abs=1e-12)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.zeros(3), "an array of shape (3,)"),
        (np.zeros((1, 1)), "an array of shape (1, 1)"),
        ([1, 2], "a value of type list"),
        ({}, "a value of type dict"),
        ("much", "a value of type str"),
        ("1", "a value of type str"),
        (1j, "a value of type complex"),
        (None, "None"),
        (np.nan, "nan"),
        (-np.inf, "-inf"),
    ],
)
def test_functions_must_return_one_number(value, words):
    with pytest.raises(ew.ArgumentError) as caught:
        made().expectation(lambda dag: value)
    assert check_sentence(str(caught.value)).endswith(f"one finite number for each DAG, but it returned {words}.")


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.int8(2), np.array(2), np.array(2.0)])
def test_numbers_of_any_type_will_do(value):
    found = made().expectation(lambda dag: value)
    assert type(found) is Estimate
    assert (found, found.mcse) == (2, 0)


@pytest.mark.parametrize("value", [True, np.True_, np.array(True), 3, "yes"])
def test_probability_takes_what_is_true_or_false(value):
    assert made().probability(lambda dag: value) == 1
    assert made().probability(lambda dag: not value) == 0


@pytest.mark.parametrize("value", [np.array([True]), np.array([True, False]), [], None])
def test_probability_refuses_what_must_be_a_mistake(value):
    with pytest.raises(ew.ArgumentError, match="must return one finite number"):
        made().probability(lambda dag: value)


def test_probability_is_the_expectation_of_an_indicator():
    posterior = weigh(made())
    one, other = posterior.probability(lambda dag: dag.sum() % 3), posterior.expectation(lambda dag: dag.sum() % 3 > 0)
    assert (one, one.mcse) == (other, other.mcse)
    assert 0 < one < 1


def test_errors_of_the_function_reach_the_user():
    class OwnError(Exception):
        pass

    def function(dag):
        raise OwnError

    for networkx in (False, True):
        with pytest.raises(OwnError):
            made().expectation(function, networkx=networkx)
        with pytest.raises(OwnError):
            made().probability(function, networkx=networkx)


@pytest.mark.parametrize("factor", [1e-300, 1e-15, 1e-3, 1e9])
def test_small_and_large_numbers_keep_their_digits(factor):
    posterior = weigh(made())
    plain = posterior.expectation(lambda dag: dag.sum())
    scaled = posterior.expectation(lambda dag: factor * dag.sum())
    assert scaled / factor == pytest.approx(plain, rel=1e-12)
    assert scaled.mcse / factor == pytest.approx(plain.mcse, rel=1e-10)


# Estimates and their Monte Carlo errors


def test_estimates_are_numbers_with_an_error():
    estimate = Estimate(0.25, 0.01)
    assert isinstance(estimate, float)
    assert estimate + 1 == 1.25
    assert estimate.mcse == 0.01
    assert repr(estimate) == "Estimate(0.25, mcse=0.01)"
    for twin in (copy.copy(estimate), copy.deepcopy(estimate), pickle.loads(pickle.dumps(estimate))):  # noqa: S301
        assert type(twin) is Estimate
        assert (twin, twin.mcse) == (0.25, 0.01)


def with_edge(indicator):
    """A posterior of two variables whose draws have the edge 0 -> 1 where the indicator (chains, draws) is true."""
    dags = np.zeros((*indicator.shape, 2, 2), dtype=bool)
    dags[..., 0, 1] = indicator
    return make_posterior(dags)


def edge(dag):
    return dag[0, 1]


@pytest.mark.parametrize("probability", [0.1, 0.5, 0.8])
def test_the_error_of_independent_draws_is_binomial(probability):
    indicator = np.random.default_rng(6).random((4, 1000)) < probability
    found = with_edge(indicator).expectation(edge)
    assert found == pytest.approx(indicator.mean(), rel=0, abs=1e-12)
    assert found.mcse == pytest.approx(np.sqrt(probability * (1 - probability) / 4000), rel=0.3)


def test_the_error_is_that_of_the_table_of_edges():
    posterior = weigh(made())
    for row in posterior.edges().itertuples():
        i, j = posterior.nodes.index(row.source), posterior.nodes.index(row.target)
        found = posterior.expectation(lambda dag, i=i, j=j: dag[i, j])
        assert found == pytest.approx(row.probability, rel=0, abs=1e-12)
        assert found.mcse == pytest.approx(row.mcse, rel=1e-9)


@pytest.mark.parametrize("offset", [0, 1e6])
@pytest.mark.parametrize("shape", [(1, 4), (1, 300), (3, 41), (4, 500)])
def test_the_error_is_that_of_arviz(shape, offset):
    """Draws that repeat the one before four times out of five, so that draws are not independent."""
    rng = np.random.default_rng(9)
    indicator = rng.random(shape) < 0.5
    for draw in range(1, shape[1]):
        indicator[:, draw] = np.where(rng.random(shape[0]) < 0.8, indicator[:, draw - 1], indicator[:, draw])
    indicator[0, :2] = True, False
    found = with_edge(indicator).expectation(lambda dag: offset + 3.0 * dag[0, 1])
    expected = array_stats.mcse(3.0 * indicator, chain_axis=0, draw_axis=1)
    assert found.mcse == pytest.approx(expected, rel=1e-9)
    assert found == pytest.approx(offset + 3 * indicator.mean(), rel=1e-12)


def test_the_error_of_three_draws_is_unknown():
    assert np.isnan(with_edge(np.array([[True, False, True]])).expectation(edge).mcse)


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_chains_in_different_places_have_the_error_between_them(noise):
    rng = np.random.default_rng(7)
    indicator = np.repeat([[False], [True], [False], [True]], 1000, axis=1) ^ (rng.random((4, 1000)) < noise)
    means = indicator.mean(axis=1)
    found = with_edge(indicator).expectation(edge)
    assert found.mcse == pytest.approx(means.std(ddof=1) / 2, rel=0.2)
    # Within each chain there is next to no doubt.
    assert with_edge(indicator[:1]).expectation(edge).mcse < 0.01


@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (3, 19), (2, 1000)])
@pytest.mark.parametrize("value", [0, 1, 0.1, -1 / 3, 1e-20])
def test_what_never_varies_has_no_error(shape, value):
    found = weigh(with_edge(np.ones(shape, dtype=bool))).expectation(lambda dag: value)
    assert found == pytest.approx(value, rel=1e-12)
    assert found.mcse == 0


def test_the_error_of_a_single_draw_is_unknown():
    found = made(4, (1, 1)).expectation(np.sum)
    assert found == made(4, (1, 1)).dags().sum()
    assert np.isnan(found.mcse)


# The exact target


def five_variables():
    return ew.simulate(5, 60, seed=3).data.to_numpy()


@cache
def sample_five():
    posterior = ew.sample(
        five_variables(),
        sampler=ew.MinimalIMAP(**PAPER, alpha=0.05),
        prior=ew.Sparsity(1.0),
        iterations=400_000,
        burn_in=0.05,
        thin=20,
        chains=2,
        seed=1,
        progress=False,
    )
    return plain(posterior)


@cache
def exact_five():
    return ExactOrders(five_variables(), alpha=0.05)


def remembered(function):
    """Return the function of a DAG, but for what is known already."""
    known = {}

    def recall(dag):
        content = dag.tobytes()
        if content not in known:
            known[content] = function(dag)
        return known[content]

    return recall


def scalar_features(p):
    """Yield all features of DAGs with p nodes as (name, where, function of a DAG)."""
    matrices = {name: remembered(feature) for name, (_, feature) in MATRICES.items()}
    v_structures = remembered(naive.v_structures)
    for i, j in permutations(range(p), 2):
        for name, feature in matrices.items():
            if name in {"directed", "compelled", "paths"} or i < j:
                yield name, (i, j), lambda dag, feature=feature, i=i, j=j: feature(dag)[i, j]
    for a, b in combinations(range(p), 2):
        for c in set(range(p)) - {a, b}:
            yield "v-structure", (a, c, b), lambda dag, triple=(a, c, b): triple in v_structures(dag)
    for number in range(p * (p - 1) // 2 + 1):
        yield "edges", (number,), lambda dag, number=number: naive.number_of_edges(dag) == number
    for direction in ("in", "out"):
        for node in range(p):
            for number in range(p):
                yield (
                    direction,
                    (node, number),
                    lambda dag, direction=direction, node=node, number=number: (
                        naive.degree(dag, node, direction) == number
                    ),
                )


def built_in_features(posterior):
    """Return the built-in probability of each feature, by name and place; what is not listed has probability zero."""
    built_in = {}
    for name, (method, _) in MATRICES.items():
        built_in |= {(name, where): value for where, value in np.ndenumerate(method(posterior).to_numpy())}
    for row in posterior.v_structures().itertuples():
        where = tuple(posterior.nodes.index(name) for name in (row.parent, row.child, row.other_parent))
        built_in["v-structure", where] = row.probability
    built_in |= {("edges", (number,)): value for number, value in posterior.edge_counts().items()}
    for direction in ("in", "out"):
        table = posterior.degrees(direction).to_numpy()
        built_in |= {(direction, where): value for where, value in np.ndenumerate(table)}
    return built_in


def largest_z_score(posterior, exact, features):
    """Return the largest |mean over draws - exact| / Monte Carlo error, after checking that built-ins are the means."""
    built_in = built_in_features(posterior)
    largest = 0.0
    for name, where, function in features:
        found = posterior.expectation(function)
        assert found == pytest.approx(built_in.get((name, where), 0.0), rel=0, abs=1e-12), (name, where)
        truth = sum(p for dag, p in zip(exact.dags, exact.probability, strict=True) if function(dag))
        # What is drawn a few times in a run, or never, has no useful error of its own: allow it one in a thousand.
        largest = max(largest, abs(found - truth) / max(found.mcse, 1e-3))
    return largest


def bound(features):
    """Two sides of each feature: all z-scores are within this bound but for one run in 10,000."""
    return norm.isf(1e-4 / (2 * len(features)))


def test_every_feature_agrees_with_enumeration():
    features = list(scalar_features(5))
    assert len(features) == 3 * 20 + 2 * 10 + 30 + 11 + 50
    exact = exact_five()
    doubtful = Counter(
        name
        for name, _, function in features
        if 0.01 < sum(p for dag, p in zip(exact.dags, exact.probability, strict=True) if function(dag)) < 0.99
    )
    assert set(doubtful) == {name for name, _, _ in features}, "the target should leave every kind in doubt"
    assert largest_z_score(sample_five(), exact, features) < bound(features)


@pytest.mark.slow
def test_a_target_that_is_slightly_off_is_caught():
    """The same check against the target with half the sparsity."""
    features = list(scalar_features(5))
    exact = ExactOrders(five_variables(), alpha=0.05, gamma=0.5)
    assert largest_z_score(sample_five(), exact, features) > bound(features)

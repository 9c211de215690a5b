"""Graphs that stand for a posterior: against brute force over its draws, and against definitions."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import edgewise as ew
from edgewise.graphs import ancestors, is_acyclic
from edgewise.posterior.summaries import RankedGraph, consensus, inclusion_threshold
from naive.features import paths
from naive.graphs import all_dags, cpdag, equivalence_class, random_dag
from records import collect, make_posterior, make_record
from sentences import check_sentence

# The most probable graphs


def made(*, p=4, shape=(3, 60), distinct=15, weighted=False):
    """Draws among a few DAGs, some of them equivalent, each with a log score of its own."""
    rng = np.random.default_rng(p)
    few = [random_dag(p, rng, density=0.6) for _ in range(distinct)]
    few = np.array([member for dag in few for member in equivalence_class(dag)[:3]])
    log_score = {dag.tobytes(): number for dag, number in zip(few, rng.normal(size=len(few)), strict=True)}
    chains = few[rng.integers(len(few), size=shape)]
    posterior = collect(
        [make_record(chain, log_score=np.array([log_score[dag.tobytes()] for dag in chain])) for chain in chains]
    )
    if weighted:
        weights = rng.random(shape) ** 2
        posterior.__dict__["weights"] = weights / weights.sum()
    return posterior


POSTERIORS = {
    "p = 4": made,
    "p = 4, weighted": lambda: made(weighted=True),
    "many ties": lambda: made(shape=(2, 6)),
    "p = 1": lambda: made(p=1, distinct=1),
    "p = 2, weighted": lambda: made(p=2, distinct=3, weighted=True),
    "one draw": lambda: made(p=3, shape=(1, 1)),
    "sampled": lambda: ew.sample(
        ew.simulate(4, 50, seed=2).data, iterations=2000, thin=10, chains=2, seed=1, progress=False
    ),
}


@pytest.fixture(scope="module", params=POSTERIORS.values(), ids=POSTERIORS.keys())
def posterior(request):
    return request.param()


def brute_force(posterior, graph_of):
    """Return all graphs as [weight, log posterior] by their bytes, from a loop over the draws."""
    found = defaultdict(lambda: [0.0, -np.inf])
    for chain, weights, log_posterior in zip(posterior.dags(), posterior.weights, posterior.log_posterior, strict=True):
        for dag, weight, value in zip(chain, weights, log_posterior, strict=True):
            entry = found[graph_of(dag).tobytes()]
            entry[0] += weight
            entry[1] = max(entry[1], value)
    return found


@pytest.mark.parametrize("kind", ["dag", "cpdag"])
def test_top_graphs_equal_brute_force_over_draws(posterior, kind):
    top = posterior.top_dags if kind == "dag" else posterior.top_cpdags
    expected = brute_force(posterior, cpdag if kind == "cpdag" else lambda dag: dag)
    ranked = top(10_000, as_array=True)
    assert len(ranked) == len(expected)
    for one in ranked:
        assert type(one) is RankedGraph
        assert one.graph.dtype == bool
        assert one.graph.shape == (len(posterior.nodes),) * 2
        assert [one.probability, one.log_posterior] == pytest.approx(expected[one.graph.tobytes()], rel=1e-12)
    assert len(expected) == len(ranked), "a graph that was never drawn"
    assert len({one.graph.tobytes() for one in ranked}) == len(ranked)
    assert sum(one.probability for one in ranked) == pytest.approx(1, rel=1e-12)
    keys = [(round(one.probability, 9), round(one.log_posterior, 9)) for one in ranked]
    assert keys == sorted(keys, reverse=True)


def same(one, other):
    return len(one) == len(other) and all(
        a.graph.equals(b.graph) and a[1:] == b[1:] for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("name", ["top_dags", "top_cpdags"])
def test_top_graphs_are_the_first_of_all(posterior, name):
    top = getattr(posterior, name)
    every = top(10_000)
    assert [list(graph.columns) for graph, *_ in every] == [list(posterior.nodes)] * len(every)
    for number in (1, 2, 5, np.int64(7), 1e3):
        assert same(top(number), every[: int(number)])
    assert same(top(), every[:10])


def test_the_most_probable_graphs_are_the_first(posterior):
    assert posterior.map_dag().equals(posterior.top_dags(1)[0].graph)
    assert posterior.map_cpdag().equals(posterior.top_cpdags(1)[0].graph)


def test_graphs_have_the_names_of_the_variables_or_are_arrays(posterior):
    """Names are on both sides of a DataFrame of booleans, and the same array is in it that can be had by itself."""
    pairs = []
    for find in (posterior.map_dag, posterior.map_cpdag, posterior.consensus_dag):
        pairs.append((find(), find(as_array=True)))
    for rank in (posterior.top_dags, posterior.top_cpdags):
        pairs += [(a.graph, b.graph) for a, b in zip(rank(3), rank(3, as_array=True), strict=True)]
    for labelled, array in pairs:
        assert list(labelled.index) == list(labelled.columns) == list(posterior.nodes)
        assert labelled.to_numpy().dtype == bool
        assert isinstance(array, np.ndarray)
        np.testing.assert_array_equal(labelled.to_numpy(), array)


def test_where_every_dag_was_drawn_once_the_highest_posterior_wins():
    dags = all_dags(3)
    log_posterior = np.random.default_rng(8).permutation(len(dags)).astype(float)
    record = make_record(dags, log_score=log_posterior + dags.sum(axis=(1, 2)))
    ranked = collect([record]).top_dags(len(dags), as_array=True)
    np.testing.assert_array_equal([one.graph for one in ranked], dags[np.argsort(-log_posterior)])


def test_weights_can_outweigh_numbers():
    dags = np.zeros((1, 4, 2, 2), dtype=bool)
    dags[0, 3, 0, 1] = True
    posterior = make_posterior(dags)
    assert posterior.map_dag(as_array=True).sum() == 0
    weighted = make_posterior(dags)
    weighted.__dict__["weights"] = np.array([[0.1, 0.1, 0.1, 0.7]])
    assert weighted.map_dag(as_array=True).tolist() == [[False, True], [False, False]]
    assert [one.probability for one in weighted.top_dags()] == pytest.approx([0.7, 0.3])


def test_a_class_can_outweigh_the_most_probable_dag():
    """Two equivalent DAGs with two draws each outweigh an empty one with three."""
    dags = np.zeros((1, 7, 2, 2), dtype=bool)
    dags[0, :2, 0, 1] = True
    dags[0, 2:4, 1, 0] = True
    posterior = make_posterior(dags)
    assert not posterior.map_dag(as_array=True).any()
    assert posterior.map_cpdag(as_array=True).tolist() == [[False, True], [True, False]]
    assert [one.probability for one in posterior.top_cpdags()] == pytest.approx([4 / 7, 3 / 7])


@pytest.mark.parametrize("number", [0, -1, 1.5, "all", None, True, np.nan])
@pytest.mark.parametrize("name", ["top_dags", "top_cpdags"])
def test_numbers_of_graphs_are_whole(name, number):
    with pytest.raises(ew.ArgumentError) as caught:
        getattr(made(), name)(number)
    assert "number must be a whole number, at least 1" in check_sentence(str(caught.value))


# The consensus


def greedy(probability, threshold):
    """Take the edges one by one, the most probable first, and keep each that leaves the graph acyclic."""
    p = len(probability)
    dag = np.zeros((p, p), dtype=bool)
    edges = [(-probability[i, j], i, j) for i in range(p) for j in range(p) if i != j]
    for negative, i, j in sorted(edges):
        if -negative >= threshold and negative < 0:
            dag[i, j] = True
            if paths(dag).diagonal().any():
                dag[i, j] = False
    return dag


def check_consensus(probability, threshold):
    dag = consensus(probability, threshold)
    assert dag.dtype == bool
    assert is_acyclic(dag)
    wanted = (probability >= threshold) & (probability > 0)
    assert not dag[~wanted].any()
    if is_acyclic(wanted):
        np.testing.assert_array_equal(dag, wanted)
    for i, j in np.argwhere(wanted & ~dag):
        at_least_as_probable = dag & (probability >= probability[i, j])
        assert ancestors(at_least_as_probable)[j, i], "left out although it closes no cycle with more probable edges"
    return dag


@st.composite
def probabilities(draw):
    p = draw(st.integers(1, 6))
    steps = draw(st.sampled_from([3, 100]))  # with few values there are many ties
    whole = draw(arrays(np.int64, (p, p), elements=st.integers(0, steps)))
    return np.where(np.eye(p, dtype=bool), 0, whole / steps)


@settings(max_examples=150, derandomize=True)
@given(probabilities(), st.floats(0, 1))
def test_the_consensus_is_acyclic_and_greedy(probability, threshold):
    np.testing.assert_array_equal(check_consensus(probability, threshold), greedy(probability, threshold))


@pytest.mark.parametrize("threshold", [0, 0.3, 0.9, 1])
def test_the_consensus_of_forty_variables(threshold):
    rng = np.random.default_rng(40)
    probability = rng.random((40, 40)) ** 3
    np.fill_diagonal(probability, 0)
    probability[rng.random((40, 40)) < 0.02] = 0
    dag = check_consensus(probability, threshold)
    if threshold == 0.9:
        np.testing.assert_array_equal(dag, greedy(probability, threshold))
    if threshold == 0:
        assert dag.sum() > 700, "nearly all of the 780 pairs are joined"


def test_the_consensus_breaks_a_cycle_at_its_least_probable_edge():
    """Three DAGs, each with two edges of the cycle 0 -> 1 -> 2 -> 0: every edge has a probability of two thirds."""
    cycle = [(0, 1), (1, 2), (2, 0)]
    dags = np.zeros((1, 7, 3, 3), dtype=bool)
    for draw in range(7):
        for number, (i, j) in enumerate(cycle):
            dags[0, draw, i, j] = draw % 3 != number
    posterior = make_posterior(dags)
    directed = posterior.edge_probabilities().to_numpy()
    assert [directed[edge] for edge in cycle] == pytest.approx([4 / 7, 5 / 7, 5 / 7])
    dag = posterior.consensus_dag(as_array=True)
    np.testing.assert_array_equal(np.argwhere(dag), [(1, 2), (2, 0)])


@pytest.mark.parametrize("threshold", [0, 0.2, 0.5, 1])
def test_the_consensus_of_a_posterior(posterior, threshold):
    expected = greedy(posterior.edge_probabilities().to_numpy(), threshold)
    np.testing.assert_array_equal(posterior.consensus_dag(threshold), expected)
    if threshold == 0.5:
        np.testing.assert_array_equal(posterior.consensus_dag(), expected)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, np.nan, "high", None, True])
def test_thresholds_are_probabilities(threshold):
    with pytest.raises(ew.ArgumentError) as caught:
        made().consensus_dag(threshold)
    assert "threshold is a probability" in check_sentence(str(caught.value))


# The inclusion threshold


def area(pairs, share):
    """The area between the distribution function of the pairs and each with a `share` at 0 and the rest at 1."""
    ends = np.unique([0.0, 1.0, *pairs])
    heights = np.array([np.mean(pairs <= start) for start in ends[:-1]])
    return np.diff(ends) @ np.abs(np.subtract.outer(heights, share))


def symmetric(pairs, p):
    matrix = np.zeros((p, p))
    matrix[np.triu_indices(p, 1)] = pairs
    return matrix + matrix.T


@settings(max_examples=150, derandomize=True)
@given(st.data())
def test_the_inclusion_threshold_minimises_the_area(data):
    """Scutari & Nagarajan (2013): the share t minimises the area, and the threshold is the quantile of t."""
    p = data.draw(st.integers(2, 6))
    steps = data.draw(st.sampled_from([4, 5, 1000]))
    number = p * (p - 1) // 2
    pairs = np.array(data.draw(st.lists(st.integers(0, steps), min_size=number, max_size=number))) / steps
    threshold = inclusion_threshold(symmetric(pairs, p))
    share = np.mean(pairs <= threshold)
    grid = np.union1d(np.linspace(0, 1, 101), np.arange(number + 1) / number)
    assert area(pairs, share) <= area(pairs, grid).min() + 1e-12
    # The quantile of the share is the least number that has this share at or below it.
    assert threshold == min(value for value in [0.0, *pairs] if np.mean(pairs <= value) >= share)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([0, 0, 0], 0),
        ([1, 1, 1], 0),
        ([0.9, 0.8, 0.7], 0),
        ([0.1, 0.2, 0.9], 0.2),
        ([0.1, 0.5, 0.9], 0.5),
        ([0.3, 0.4, 0.45], 0.45),
    ],
)
def test_inclusion_thresholds_by_hand(pairs, expected):
    assert inclusion_threshold(symmetric(pairs, 3)) == expected


def test_the_inclusion_threshold_of_a_posterior(posterior):
    undirected = posterior.edge_probabilities("undirected").to_numpy()
    found = posterior.inclusion_threshold()
    assert type(found) is float
    assert found == inclusion_threshold(undirected)
    assert ((undirected > found) == (undirected > 0.5)).all()

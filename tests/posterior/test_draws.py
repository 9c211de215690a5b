"""The table of draws against brute force, with one and with several words per parent set."""

from collections import defaultdict

import numpy as np
import pytest

from edgewise.posterior import draws as draws_module
from naive.graphs import random_dag
from records import collect, make_posterior, make_record

SHAPES = [(2, 30, 2), (3, 40, 5), (2, 20, 8), (2, 15, 64), (2, 15, 65), (1, 12, 130)]


@pytest.fixture(params=SHAPES, ids=lambda shape: f"p={shape[2]}")
def dags(request):
    """Draws among a few DAGs, so that many come again, within a chain and in others."""
    chains, draws, p = request.param
    rng = np.random.default_rng(p)
    few = np.array([random_dag(p, rng, density=min(0.5, 4 / p)) for _ in range(6)])
    return few[rng.integers(len(few), size=(chains, draws))]


@pytest.fixture(params=[2**24, 70], ids=["at once", "in parts"])
def parts(request, monkeypatch):
    monkeypatch.setattr(draws_module, "ENTRIES_AT_ONCE", request.param)


def test_collecting_keeps_every_draw(dags):
    records = [make_record(chain) for chain in dags]
    table = collect(records).draws
    np.testing.assert_array_equal(table.dags(table.family), dags)
    np.testing.assert_array_equal(table.order, [record.draws.order for record in records])
    np.testing.assert_array_equal(table.log_score, [record.draws.log_score for record in records])
    np.testing.assert_array_equal(table.log_prior, [record.draws.log_prior for record in records])
    assert table.p == dags.shape[-1]


def test_collecting_numbers_each_family_once(dags):
    table = collect([make_record(chain) for chain in dags]).draws
    expected = {
        (node, tuple(np.flatnonzero(dag[:, node]).tolist()))
        for dag in dags.reshape(-1, *dags.shape[2:])
        for node in range(dags.shape[-1])
    }
    parents = table.parents(np.arange(len(table.family_node)))
    found = [
        (int(node), tuple(np.flatnonzero(row).tolist())) for node, row in zip(table.family_node, parents, strict=True)
    ]
    assert len(found) == len(expected)
    assert set(found) == expected


def test_collecting_cuts_chains_to_the_shortest(dags):
    lengths = [len(dags[0]) - 3 * chain for chain in range(len(dags))]
    table = collect([make_record(chain[:length]) for chain, length in zip(dags, lengths, strict=True)]).draws
    np.testing.assert_array_equal(table.dags(table.family), dags[:, : min(lengths)])
    assert table.order.shape == table.family.shape
    assert table.log_score.shape == table.log_prior.shape == table.family.shape[:2]


def test_distinct_dags_are_counted_with_their_weights(dags, parts, rng):
    table = collect([make_record(chain) for chain in dags]).draws
    weights = rng.random(dags.shape[:2])
    expected = defaultdict(float)
    for dag, weight in zip(dags.reshape(-1, *dags.shape[2:]), weights.ravel(), strict=True):
        expected[dag.tobytes()] += weight
    found = list(table.distinct_dags(weights))
    heaviest_first = np.concatenate([weight for _, weight in found])
    assert (np.diff(heaviest_first) <= 0).all()
    by_dag = {dag.tobytes(): weight for part in found for dag, weight in zip(*part, strict=True)}
    assert len(by_dag) == len(heaviest_first) == len(expected)
    for dag, weight in expected.items():
        assert by_dag[dag] == pytest.approx(weight, rel=1e-12)


def test_sums_over_families_equal_sums_over_draws(dags, parts, rng):
    table = collect([make_record(chain) for chain in dags]).draws
    weights = rng.normal(size=dags.shape[:2])
    expected = sum(
        weights[chain, draw] * dags[chain, draw] for chain in range(len(dags)) for draw in range(dags.shape[1])
    )
    found = sum(table.sum_parents(table.weigh_families(weights, chain)) for chain in range(len(dags)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_sum_parents_adds_up_the_families_that_contain_an_edge(dags, parts, rng):
    table = collect([make_record(chain) for chain in dags]).draws
    weight = rng.normal(size=len(table.family_node)) * (rng.random(len(table.family_node)) < 0.7)
    expected = np.zeros(dags.shape[2:])
    for family, node in enumerate(table.family_node):
        for parent in np.flatnonzero(table.parents(np.array([family]))[0]):
            expected[parent, node] += weight[family]
    np.testing.assert_allclose(table.sum_parents(weight), expected, rtol=0, atol=1e-12)


def test_a_posterior_of_more_than_64_variables(rng):
    dags = np.array([[random_dag(70, rng, density=0.05) for _ in range(8)]])
    posterior = make_posterior(dags)
    np.testing.assert_array_equal(posterior.dags(), dags)
    np.testing.assert_allclose(posterior.edge_probabilities(), dags[0].mean(axis=0), rtol=0, atol=1e-12)

import numpy as np
import pytest

import edgewise as ew
from compiled import altered, entry
from edgewise._kernels.learners import greedy_sp as kernels
from edgewise.baselines import greedy_sp
from edgewise.baselines.edges import name_edges
from edgewise.baselines.sparsest_permutation import sparse_order
from edgewise.graphs import is_acyclic, is_markov_equivalent
from edgewise.imap import factorize
from edgewise.independence import FisherZ
from naive import greedy_sp as naive
from naive.graphs import random_dag
from naive.imap import NaiveIMAP
from sentences import check_sentence

ORACLE = 10**18
"""Rows with which partial correlations count from 3e-9 on: all true ones, and no rounding errors."""


def random_values(rng, n, p):
    return rng.standard_normal((n, p)) @ (np.eye(p) + 0.7 * rng.standard_normal((p, p)))


def sparse_values(rng, n, p):
    """From a sparse DAG, so that I-MAPs have edges to lose."""
    return ew.simulate(p, n, neighbours=min(2, p - 1), seed=rng).data.to_numpy()


def make_stage(correlation, order, tau, levels=1):
    p = len(order)
    stage = kernels.Stage(
        np.zeros((levels, p), np.int64),
        np.zeros((levels, p, p)),
        np.zeros((levels, p + 1, p)),
        np.zeros((levels, p, p), bool),
    )
    stage.order[0] = order
    assert factorize(correlation, np.asarray(order), stage.W[0])
    entry(kernels.retest)(stage, 0, 0, p - 1, tau)
    return stage


def search(correlation, order, tau, depth):
    p = len(order)
    W = np.empty((p, p))
    assert factorize(correlation, np.asarray(order), W)
    return kernels.find_sparser(np.asarray(order), W, tau, name_edges(p), depth)


def differing_turns(rng, turn):
    """Turn every covered edge of some I-MAPs; return how often the result is not the I-MAP of the new order."""
    wrong, turned = 0, 0
    for n, p in [(30, 4), (60, 6), (300, 7), (9, 7)]:
        for _ in range(10):
            correlation = np.corrcoef(sparse_values(rng, n, p), rowvar=False)
            tau = FisherZ().thresholds(n, p, 0.1)
            imap = NaiveIMAP(correlation, n, 0.1)
            order = tuple(rng.permutation(p).tolist())
            for i, j in naive.covered_edges(imap.dag(order)):
                stage = make_stage(correlation, order, tau)
                turn(stage, 0, i, j, tau)
                moved = naive.turn(order, i, j)
                assert tuple(stage.order[0]) == moved
                wrong += bool((stage.dag[0] != imap.dag(moved)).any())
                turned += 1
    assert turned > 50
    return wrong


def test_a_turned_edge_gives_the_imap_of_the_new_order(rng):
    assert differing_turns(rng, entry(kernels.turn)) == 0


def test_tests_with_the_old_conditioning_sets_are_caught(rng):
    """The same check on a kernel that turns the edge and tests nothing anew."""
    broken = altered(
        [kernels.turn],
        right="retest(stage, level, first, last, tau)",
        wrong="stage.dag[level, i, j] = False\n    stage.dag[level, j, i] = True",
    )
    assert differing_turns(rng, entry(broken["turn"])) > 0


def test_covered_edges(rng):
    for _ in range(20):
        dag = random_dag(6, rng)
        edges = np.zeros((36, 2), np.int64)
        number = entry(kernels.list_covered)(dag, edges)
        assert [tuple(edge) for edge in edges[:number].tolist()] == naive.covered_edges(dag)


@pytest.mark.parametrize(("n", "p"), [(10, 2), (30, 4), (60, 6), (9, 7), (500, 7), (ORACLE, 6)])
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_the_search_equals_the_naive_one(rng, n, p, depth):
    for _ in range(4):
        if n == ORACLE:
            covariance = ew.simulate(p, 10, neighbours=2, seed=rng).covariance
            correlation = covariance / np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
        else:
            correlation = np.corrcoef(sparse_values(rng, n, p), rowvar=False)
        imap = NaiveIMAP(correlation, n, 0.05)
        order = tuple(rng.permutation(p).tolist())
        expected = imap.dag(naive.find_sparser(order, imap.dag, depth))
        np.testing.assert_array_equal(search(correlation, order, FisherZ().thresholds(n, p, 0.05), depth), expected)
        assert expected.sum() <= imap.dag(order).sum()


@pytest.mark.parametrize("p", [10, 30])
def test_an_oracle_leads_to_the_truth(p):
    found = 0
    for seed in range(20):
        sim = ew.simulate(p, 10, seed=seed)
        dag = greedy_sp(ew.Covariance(sim.covariance, n=ORACLE), seed=100 + seed, as_array=True)
        found += is_markov_equivalent(dag, sim.dag)
    assert found >= 19


def test_a_greater_depth_finds_sparser_dags():
    edges = {1: 0, 4: 0}
    for seed in range(10):
        sim = ew.simulate(20, 10, seed=seed)
        for depth in edges:
            edges[depth] += greedy_sp(
                ew.Covariance(sim.covariance, n=ORACLE), depth=depth, restarts=1, seed=1, as_array=True
            ).sum()
    assert edges[4] < edges[1]


def test_more_starts_are_no_denser():
    sim = ew.simulate(20, 200, seed=3)
    few, many = (greedy_sp(sim.data, restarts=restarts, seed=1, as_array=True) for restarts in (1, 10))
    assert is_acyclic(many)
    assert many.sum() <= few.sum()


def test_of_equally_sparse_dags_the_best_score_is_kept(rng):
    values = random_values(rng, 100, 6)
    best = greedy_sp(values, restarts=10, seed=1, as_array=True)
    generator = np.random.default_rng(1)
    single = [greedy_sp(values, restarts=1, seed=generator, as_array=True) for _ in range(10)]
    keys = [(-dag.sum(), ew.score(dag, values)) for dag in single]
    assert (-best.sum(), ew.score(best, values)) == max(keys)


@pytest.mark.parametrize(("n", "p"), [(20, 2), (50, 6), (500, 9)])
def test_sparse_orders_end_with_the_fewest_dependences(rng, n, p):
    correlation = np.corrcoef(sparse_values(rng, n, p), rowvar=False)
    order = sparse_order(correlation, FisherZ().thresholds(n, p, 0.05), rng)
    assert sorted(order) == list(range(p))
    imap = NaiveIMAP(correlation, n, 0.05)
    for place in range(p - 1, 0, -1):
        before = frozenset(order[: place + 1].tolist())
        degrees = {v: len(imap.parents(v, before - {v})) for v in before}
        assert degrees[order[place]] == min(degrees.values())


def test_same_seed_same_dag():
    sim = ew.simulate(15, 100, seed=2)
    np.testing.assert_array_equal(greedy_sp(sim.data, seed=7), greedy_sp(sim.data, seed=7))


def test_just_enough_rows(rng):
    assert is_acyclic(greedy_sp(rng.standard_normal((7, 5)), seed=1))
    with pytest.raises(ew.DataError, match="two rows more than variables") as error:
        greedy_sp(rng.standard_normal((6, 5)), seed=1)
    check_sentence(str(error.value))


@pytest.mark.parametrize("settings", [{"alpha": 1}, {"depth": 0}, {"restarts": 0.5}, {"restarts": None}, {"seed": "x"}])
def test_bad_settings_are_refused(rng, settings):
    with pytest.raises(ew.ArgumentError) as error:
        greedy_sp(rng.standard_normal((20, 3)), **settings)
    check_sentence(str(error.value))

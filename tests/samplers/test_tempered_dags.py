"""Ladders of heated chains over DAGs: exchanges against the target; whole runs are in ``test_dag_mcmc.py``."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache
from itertools import permutations
from multiprocessing import get_context

import numpy as np
import pytest

import edgewise as ew
from edgewise.data import load_data
from edgewise.priors import Paths, Sparsity
from edgewise.samplers import DagMCMC, Schedule, tempered_dags, trials
from edgewise.samplers.dag_target import COST_OF_OUTSIDERS
from edgewise.samplers.tempered_dags import exchange_states, log_ratios, space_heats, temper
from edgewise.samplers.trials import Trial
from exact.modular import all_dags
from marks import with_few_rows
from naive import scores

pytestmark = with_few_rows

HEATS = np.array([1.0, 0.6, 0.3])


@cache
def few_values(p):
    return ew.simulate(p, 15, neighbours=2.0, weights=(0.1, 0.5), seed=4).data.to_numpy()


@cache
def make_cold(p, candidates=1):
    sampler = DagMCMC(candidates=candidates, tempering=False)
    return sampler.prepare(load_data(few_values(p)), ew.BGe(), Sparsity(0.5) + Paths([0, 1], [2], 0.7))


def put(replica, order, dag):
    replica.state.order[:] = order
    assert replica.put(dag)


def log_target(model, values, dag):
    """The log density of a replica at a DAG, but for q, from the slow twins: heated, and less for each outsider."""
    target = model.target
    log_weight = scores.total(scores.bge, values, dag) - 0.5 * dag.sum()
    outsiders = sum(target.sets.place[v, u] < 0 for u, v in np.argwhere(dag))
    paths = (np.linalg.matrix_power(dag + np.eye(len(dag)), len(dag)) > 0) & ~np.eye(len(dag), dtype=bool)
    cost = COST_OF_OUTSIDERS * np.log(target.heat) * outsiders
    return target.heat * log_weight + cost + 0.7 * paths[:2, 2].sum()


def draw_pair(p, rng):
    """Return an order and a DAG that agrees with it."""
    order = rng.permutation(p)
    dag = np.zeros((p, p), bool)
    dag[np.ix_(order, order)] = np.triu(rng.random((p, p)) < 0.5, 1)
    return order, dag


@pytest.mark.parametrize("p", [3, 4])
def test_an_exchange_is_as_probable_as_the_targets_say(p, rng):
    """Of any two pairs, in both directions: the exchange leaves the joint target unchanged."""
    model = temper(make_cold(p), HEATS)
    chain = model.start(np.arange(p), np.random.default_rng(1), Schedule(10, 0, 1))
    for _ in range(300):
        pairs = [draw_pair(p, rng) for _ in HEATS]
        for replica, pair in zip(chain.replicas, pairs, strict=True):
            put(replica, *pair)
        dags = [dag for _, dag in pairs]
        own = [[log_target(one, few_values(p), dag) for dag in dags] for one in model.replicas]
        expected = [own[k][k + 1] + own[k + 1][k] - own[k][k] - own[k + 1][k + 1] for k in range(len(HEATS) - 1)]
        np.testing.assert_allclose(log_ratios(chain.replicas), expected, rtol=0, atol=1e-8)


def test_a_ratio_without_what_outsiders_cost_is_caught(rng):
    model = temper(make_cold(4), HEATS)
    free = [replace(one, target=one.target._replace(outside=0.0)) for one in model.replicas]
    chain = model.start(np.arange(4), np.random.default_rng(1), Schedule(10, 0, 1))
    differs = False
    for _ in range(50):
        for replica in chain.replicas:
            put(replica, *draw_pair(4, rng))
        right = log_ratios(chain.replicas)
        for replica, one in zip(chain.replicas, free, strict=True):
            replica.model = one
        differs |= not np.allclose(log_ratios(chain.replicas), right)
        for replica, one in zip(chain.replicas, model.replicas, strict=True):
            replica.model = one
    assert differs


def test_exchanged_states_are_those_of_the_other_heat(rng):
    """All that is kept up is what follows from order and DAG at the new heat."""
    model = temper(make_cold(5), HEATS)
    chain = model.start(np.arange(5), np.random.default_rng(1), Schedule(10, 0, 1))
    one, other = chain.replicas[0], chain.replicas[2]
    for _ in range(20):
        pairs = [draw_pair(5, rng) for _ in range(2)]
        put(one, *pairs[0])
        put(other, *pairs[1])
        exchange_states(one, other)
        for replica, (order, dag) in zip((one, other), reversed(pairs), strict=True):
            np.testing.assert_array_equal(replica.state.order, order)
            np.testing.assert_array_equal(replica.dag, dag)
            replica.check()


@pytest.mark.parametrize("p", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_exchanges_leave_the_joint_target_unchanged(p):
    """Rounds of exchanges alone, from draws of the joint target over all pairs of two DAGs."""
    dags, values = all_dags(p), few_values(p)
    model = temper(make_cold(p), HEATS[:2])
    orders = [next(o for o in permutations(range(p)) if not np.tril(dag[np.ix_(o, o)]).any()) for dag in dags]
    density = [np.exp([log_target(one, values, dag) for dag in dags]) for one in model.replicas]
    joint = np.outer(*(each / each.sum() for each in density))
    chain = model.start(np.arange(p), np.random.default_rng(1), Schedule(10, 0, 1))
    moved = np.zeros_like(joint)
    for i, j in np.ndindex(joint.shape):
        put(chain.replicas[0], orders[i], dags[i])
        put(chain.replicas[1], orders[j], dags[j])
        accepted = min(np.exp(log_ratios(chain.replicas)[0]), 1.0)
        moved[j, i] += joint[i, j] * accepted
        moved[i, j] += joint[i, j] * (1 - accepted)
    np.testing.assert_allclose(moved, joint, rtol=0, atol=1e-12)


def test_heats_are_spaced_by_how_often_exchanges_are_rejected():
    heats = np.geomspace(1, 0.1, 5)
    spaced = space_heats(heats, np.array([0.9, 0.9, 0.1, 0.1]))
    assert spaced[0] == 1.0
    assert spaced[-1] == pytest.approx(0.1)
    assert (np.diff(spaced) < 0).all()
    assert (spaced > heats[2]).sum() > (spaced < heats[2]).sum()


def test_round_trips_are_counted():
    """Those states that were last in the hottest replica, and come to the first."""
    model = temper(make_cold(4), HEATS)
    chain = model.start(np.arange(4), np.random.default_rng(1), Schedule(4000, 0, 10))
    trips, walker, was_hot = 0, np.arange(3), np.zeros(3, bool)
    while chain.iteration < 4000:
        before = chain._walker.copy()
        chain.advance(tempered_dags.EXCHANGE_EVERY)
        assert sorted(chain._walker) == [0, 1, 2]
        assert (np.abs(np.argsort(chain._walker) - np.argsort(before)) <= 1).all()
        walker = chain._walker
        was_hot[walker[-1]] = True
        trips += was_hot[walker[0]]
        was_hot[walker[0]] = False
    begun, ended = chain.moves()[tempered_dags.ROUND_TRIPS]
    assert ended == trips > 5
    assert begun >= ended


def test_chains_are_apart_where_pairs_of_variables_are():
    share = np.zeros((4, 20, 20))
    assert not Trial(share, None, []).is_apart
    path = np.arange(trials.FEWEST_FAR)
    share[0, path, path + 1] = 1.0
    assert Trial(share, None, []).is_apart
    share[0, 0, 1] = 0.0
    assert not Trial(share, None, []).is_apart
    share[1:, 1, 0] = share[0, 0, 1] = 1.0
    share[1:, path + 1, path] = 1.0
    assert not Trial(share, None, []).is_apart, "only directions differ"


def sample_hot(iterations, **settings):
    return ew.sample(
        few_values(5), sampler=DagMCMC(candidates=1, tempering=True), iterations=iterations, burn_in=200, thin=10,
        chains=2, seed=1, progress=False, **settings,
    )  # fmt: skip


def test_ladders_go_on_where_they_were(tmp_path):
    """All replicas do, and their exchanges."""
    whole = sample_hot(1200)
    longer = ew.extend(sample_hot(600, checkpoint=tmp_path / "run"), iterations=1200, progress=False)
    np.testing.assert_array_equal(whole.dags(), longer.dags())
    np.testing.assert_array_equal(whole.log_posterior, longer.log_posterior)
    assert whole.moves == longer.moves
    assert whole.info["engine"].startswith("local moves in ")


@pytest.mark.slow
def test_ladders_are_the_same_in_processes():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        there = sample_hot(600, executor=executor)
    np.testing.assert_array_equal(there.dags(), sample_hot(600).dags())


def test_chains_that_agree_are_not_tempered():
    sim = ew.simulate(30, 300, seed=1)
    model = DagMCMC().prepare(ew.load_data(sim.data), ew.BGe(), ew.Sparsity("auto"))
    assert not isinstance(model, tempered_dags.TemperedDagModel)
    assert "local moves" in DagMCMC().describe_engine(model)


def test_tempering_is_true_false_or_auto():
    with pytest.raises(ew.ArgumentError, match="tempering must be True, False or 'auto'"):
        DagMCMC(tempering="yes")

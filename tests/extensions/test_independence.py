"""A test of another kind runs wherever parents or neighbours are found by tests."""

import numpy as np
import pytest

import edgewise as ew
from extensions.oracle import Oracle
from marks import with_few_rows
from naive.stepping import make_chain
from sentences import check_sentence


@pytest.mark.parametrize("seed", range(5))
def test_the_truth_is_found_along_its_order_and_around_each_variable(seed):
    sim = ew.simulate(6, 10, neighbours=2, seed=seed)
    oracle = Oracle(sim.dag)
    along = ew.minimal_imap(sim.data, sim.order, parents="grow-shrink", criterion="test", test=oracle, as_array=True)
    np.testing.assert_array_equal(along, sim.dag)
    learned = ew.mmhc(
        sim.data, test=oracle, max_given=6, prior=ew.EdgeBeliefs(log_odds=np.full((6, 6), 1e3)), as_array=True
    )
    np.testing.assert_array_equal(learned | learned.T, sim.dag | sim.dag.T)


@with_few_rows
def test_chains_take_parents_from_it():
    sim = ew.simulate(6, 10, neighbours=2, seed=3)
    sampler = ew.MinimalIMAP(criterion="test", test=Oracle(sim.dag))
    posterior = ew.sample(sim.data, sampler=sampler, iterations=2000, thin=10, chains=1, seed=1, progress=False)
    for order, dag in zip(posterior.orders()[0][::40], posterior.dags()[0][::40], strict=True):
        found = ew.minimal_imap(
            sim.data, order, parents="grow-shrink", criterion="test", test=Oracle(sim.dag), as_array=True
        )
        np.testing.assert_array_equal(dag, found)


def test_full_conditioning_and_greedy_sp_want_partial_correlations():
    sim = ew.simulate(4, 50, neighbours=2, seed=3)
    for refused in (
        lambda: ew.minimal_imap(sim.data, sim.order, test=Oracle(sim.dag)),
        lambda: ew.greedy_sp(sim.data, test=Oracle(sim.dag)),
        lambda: (
            make_chain(sim.data, sim.order).model
            and ew.MinimalIMAP(parents="full", test=Oracle(sim.dag)).prepare(
                ew.load_data(sim.data), ew.BGe(), ew.Sparsity(1.0), None
            )
        ),
    ):
        with pytest.raises(ew.ArgumentError, match=r"Oracle has no thresholds, which .* needs: find parents") as error:
            refused()
        check_sentence(str(error.value))


@pytest.mark.parametrize("learn", [ew.mmhc, ew.greedy_sp, lambda data, test: ew.MinimalIMAP(test=test)])
def test_what_is_no_test_is_refused(learn):
    with pytest.raises(ew.ArgumentError, match=r"test must be an object such as FisherZ\(\)"):
        learn(ew.simulate(4, 50, seed=1).data, test="z")

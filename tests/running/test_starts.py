"""Where chains start."""

import numpy as np
import pytest

import edgewise as ew
from edgewise.data import load_data
from edgewise.samplers import Schedule
from marks import with_few_rows
from sentences import check_sentence

LAZY = ew.MinimalIMAP(laziness=1 - 1e-12)
ONCE = {"iterations": 1, "burn_in": 0, "thin": 1, "seed": 1, "progress": False}


def test_mmhc_starts_are_orders_of_its_dag_and_differ():
    data = ew.simulate(10, 200, seed=4).data
    orders = ew.sample(data, sampler=LAZY, start="mmhc", chains=4, **ONCE).orders()[:, 0]
    dag = ew.mmhc(data, as_array=True)
    assert dag.any()
    for order in orders:
        position = np.argsort(order)
        assert (position[:, None] < position)[dag].all()
    assert len(np.unique(orders, axis=0)) > 1


def test_automatic_starts_cannot_be_bettered_by_one_relocation_and_differ():
    data = ew.simulate(12, 100, seed=4).data
    posterior = ew.sample(data, sampler=LAZY, chains=4, **ONCE)
    orders = posterior.orders()[:, 0].tolist()
    assert len({tuple(order) for order in orders}) > 1
    best, order = posterior.log_posterior[0, 0], orders[0]
    model = LAZY.prepare(load_data(data), ew.BGe(), ew.Sparsity("auto"))
    chain = model.start(np.array(order), np.random.default_rng(1), Schedule(1, 0, 1))
    assert chain.log_posterior == pytest.approx(best, rel=1e-12)
    for k in range(12):
        rest = order[:k] + order[k + 1 :]
        for place in range(12):
            chain.state.order[:] = [*rest[:place], order[k], *rest[place:]]
            chain.refresh()
            assert chain.log_posterior <= best + 1e-8


@pytest.mark.parametrize("parents", ["full", "grow-shrink"])
def test_automatic_starts_keep_to_what_is_known(parents):
    data = ew.simulate(6, 100, seed=4).data
    known = ew.Constraints(tiers=[["X5", "X3"], ["X0", "X1"]], ancestors=[("X5", "X0")])
    sampler = ew.MinimalIMAP(parents=parents, laziness=1 - 1e-12)
    orders = ew.sample(data, sampler=sampler, constraints=known, chains=3, **ONCE).orders()[:, 0]
    position = np.argsort(orders, axis=1)
    assert (position[:, [5, 3]].max(axis=1) < position[:, [0, 1]].min(axis=1)).all()


@pytest.mark.parametrize("sampler", [ew.OrderMCMC(), ew.PartitionMCMC(), ew.StructureMCMC()])
def test_other_samplers_start_anywhere(sampler):
    data = ew.simulate(4, 100, seed=4).data
    for start in ("auto", "random", "mmhc"):
        assert ew.sample(data, sampler=sampler, start=start, chains=1, **ONCE).dags().shape == (1, 1, 4, 4)


def test_without_data_there_is_no_dag_to_learn():
    with pytest.raises(ew.ArgumentError) as caught:
        ew.sample(None, nodes=["a", "b"], start="mmhc", **ONCE)
    assert "start='mmhc' needs data" in check_sentence(str(caught.value))


@with_few_rows
def test_an_unknown_start_is_refused():
    with pytest.raises(ew.ArgumentError) as caught:
        ew.sample(ew.simulate(3, 30, seed=1).data, start="somewhere", **ONCE)
    assert "'mmhc'" in check_sentence(str(caught.value))

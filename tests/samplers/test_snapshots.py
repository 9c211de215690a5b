"""A chain that goes on from a snapshot draws what it would have drawn, to the last bit."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from discrete import draw_codes
from edgewise.running.frames import HEAD, Frame, decode, encode
from edgewise.samplers import Schedule, prepare_prior, snapshots
from edgewise.samplers.snapshots import Snapshot
from edgewise.scores import default_score
from sentences import check_sentence

P = 8
SCHEDULE = Schedule(iterations=6000, burn_in=1000, thin=7)
NAMES = [f"X{number}" for number in range(P)]

SAMPLERS = {
    "dags": ew.DagMCMC(),
    "few candidates": ew.DagMCMC(candidates=2),
    "grow-shrink": ew.MinimalIMAP(),
    "full": ew.MinimalIMAP(parents="full", alpha=0.05),
    "target dags": ew.MinimalIMAP(target="dags"),
    "tempered": ew.MinimalIMAP(temperatures=3),
    "tempered, full": ew.MinimalIMAP(parents="full", alpha=0.05, temperatures=(1, 2, 4)),
    "order": ew.OrderMCMC(max_parents=2),
    "partition": ew.PartitionMCMC(max_parents=2),
    "structure": ew.StructureMCMC(),
}

PRIORS = {
    "paths": ew.Sparsity(0.5) + ew.Paths([0, 2], [1, 3], 2.0) + ew.Ancestors([(3, 0)], 1.0),
    "function": ew.Sparsity(0.5) + ew.LogPrior(lambda dag: -0.1 * float(dag[0].sum()) ** 2),
}

CASES = [
    *((sampler, "plain") for sampler in SAMPLERS),
    *((sampler, prior) for sampler in SAMPLERS if sampler not in ("order", "partition") for prior in PRIORS),
    *((sampler, "levels") for sampler in SAMPLERS if "full" not in sampler),
    *((sampler, "mixed") for sampler in ("dags", "grow-shrink", "order", "structure")),
    *((sampler, "interventions") for sampler in ("dags", "grow-shrink", "partition", "structure")),
]
by_case = pytest.mark.parametrize(
    ("sampler", "case"),
    [
        # What no other test compiles.
        pytest.param(*case, marks=[pytest.mark.slow] * (case == ("target dags", "levels")), id=" - ".join(case))
        for case in CASES
    ],
)


@cache
def load(case):
    rng = np.random.default_rng(5)
    table = ew.simulate(P, 100, seed=3).data
    if case == "levels":
        codes = pd.DataFrame(draw_codes(rng, 100, [2, 3, 2, 2, 4, 2, 3, 2]), columns=NAMES)
        return ew.load_data(codes, kinds=dict.fromkeys(NAMES, "categorical"))
    if case == "mixed":
        table["X1"] = (table["X1"] > 0).astype(int)
        return ew.load_data(table, kinds={"X1": "binary"})
    if case == "interventions":
        is_set = np.zeros((100, P), bool)
        is_set[60:80, 1] = True
        is_set[70:, 4] = True
        return ew.load_data(table, interventions=is_set)
    return ew.load_data(table)


@cache
def prepare(sampler, case):
    dataset = load(case)
    prior = PRIORS.get(case, ew.Sparsity(0.5))
    return SAMPLERS[sampler].resolve(dataset).prepare(dataset, default_score(dataset), prior)


def start(model, *, seed=1, schedule=SCHEDULE):
    return model.start(np.arange(P), np.random.default_rng(seed), schedule)


def travel(snapshot):
    """Send a snapshot through the bytes of a frame and, with them, through JSON."""
    arrays, numbers = decode(encode(Frame(snapshot.arrays, snapshot.numbers))[HEAD.size :])
    numbers = json.loads(json.dumps(numbers))
    return Snapshot(arrays, numbers["generators"], numbers["iteration"], Schedule(**numbers["schedule"]))


def advance(chain, steps):
    """Return all about the draws of the next steps, families by what they are and not by their numbers."""
    blocks = chain.advance(steps)
    node, parents = chain.families()
    family = np.concatenate([block.family for block in blocks])
    rest = [np.concatenate([getattr(block, name) for block in blocks]) for name in ("order", "log_score", "log_prior")]
    return [node[family], parents[family], *rest]


def is_same(first, second):
    return all(one.tobytes() == other.tobytes() for one, other in zip(first, second, strict=True))


def go_on(model, at, steps=2000):
    """Return what a chain draws beyond an iteration, and what another draws that takes its place there."""
    chain, other = start(model), start(model, seed=2)
    chain.advance(at)
    other.advance(50)
    other.restore(travel(chain.snapshot()))
    return advance(chain, steps), advance(other, steps), chain, other


@by_case
def test_a_chain_goes_on_to_the_same_bits(sampler, case):
    for at in (1, 950, 3001):
        drawn, again, chain, other = go_on(prepare(sampler, case), at)
        assert len(drawn[0]) > 100
        assert is_same(drawn, again)
        assert chain.iteration == other.iteration
        assert chain.moves() == other.moves()
        assert chain.log_posterior == other.log_posterior


def test_a_chain_without_data_goes_on_to_the_same_bits():
    drawn, again, *_ = go_on(prepare_prior(NAMES, ew.Sparsity(0.5) + ew.Paths([0], [1], 1.0), None), 1500)
    assert is_same(drawn, again)


@pytest.mark.parametrize("at", [100, 950, 999])
def test_a_tempered_chain_goes_on_with_what_it_has_learnt_in_burn_in(at):
    chain, other = start(prepare("tempered", "plain")), start(prepare("tempered", "plain"), seed=2)
    chain.advance(at)
    learnt = chain.temperatures.copy()
    assert (learnt != other.temperatures).any()
    other.restore(travel(chain.snapshot()))
    np.testing.assert_array_equal(other.temperatures, learnt)
    assert is_same(advance(chain, 3000), advance(other, 3000))
    np.testing.assert_array_equal(other.temperatures, chain.temperatures)


def test_a_factor_goes_on_across_its_renewal(monkeypatch):
    """The factor is kept up to rounding errors, and these too must be the same."""
    model = prepare("full", "plain")
    monkeypatch.setattr(type(start(model)), "pause_every", 500)
    drawn, again, *_ = go_on(model, at=1499, steps=3000)
    assert is_same(drawn, again)


def test_many_snapshots_in_a_row_make_no_difference():
    model = prepare("dags", "plain")
    drawn = advance(start(model), 5000)
    parts = []
    snapshot = start(model).snapshot()
    for steps in (1, 2, 997, 1000, 3000):
        chain = start(model, seed=9)
        chain.restore(travel(snapshot))
        parts.append(advance(chain, steps))
        snapshot = chain.snapshot()
    assert is_same(drawn, [np.concatenate(columns) for columns in zip(*parts, strict=True)])


def test_a_snapshot_does_not_change_with_its_chain():
    chain = start(prepare("grow-shrink", "plain"))
    chain.advance(100)
    snapshot = chain.snapshot()
    before = {name: array.copy() for name, array in snapshot.arrays.items()}
    chain.advance(1000)
    assert all((snapshot.arrays[name] == array).all() for name, array in before.items())


FORGOTTEN = {
    "the order": ("grow-shrink", lambda name: name == "state.order"),
    "scores": ("full", lambda name: name == "state.family"),
    "the factor": ("full", lambda name: name == "state.found.W"),
    "random numbers": ("order", lambda name: name == "rng"),
    "random numbers of draws": ("partition", lambda name: name == "dag_rng"),
    "random numbers of exchanges": ("tempered", lambda name: name == "_rng"),
    "a heated replica": ("tempered", lambda name: name.startswith("replicas[2].state")),
    "heats": ("tempered", lambda name: name == "_heats"),
    "the weights of families": ("dags", lambda name: name == "state.log_weight"),
    "parents": ("structure", lambda name: name in ("state.parents", "_structure.parents")),
}


@pytest.mark.parametrize(("sampler", "is_forgotten"), FORGOTTEN.values(), ids=FORGOTTEN)
def test_these_tests_would_notice_what_is_forgotten(monkeypatch, sampler, is_forgotten):
    leaves = snapshots._leaves

    def forget(part, name=""):
        for found, leaf in leaves(part, name):
            if name or not is_forgotten(found):
                yield found, leaf

    assert any(is_forgotten(name) for name, _ in leaves(start(prepare(sampler, "plain"))))
    monkeypatch.setattr(snapshots, "_leaves", forget)
    at = 950 if sampler == "tempered" else 3001
    try:
        drawn, again, *_ = go_on(prepare(sampler, "plain"), at)
    except ew.DataError:
        return  # A factor of another order makes no sense of the columns.
    assert not is_same(drawn, again)


def test_these_tests_would_notice_a_field_that_is_taken_for_a_memory(monkeypatch):
    monkeypatch.setattr(snapshots, "REMEMBERED", (*snapshots.REMEMBERED, "log_weight"))
    drawn, again, *_ = go_on(prepare("dags", "plain"), at=3001)
    assert not is_same(drawn, again)


def refusal(chain, snapshot):
    before = advance(start(prepare("grow-shrink", "plain")), 500)
    with pytest.raises(ew.StorageError) as caught:
        chain.restore(snapshot)
    assert is_same(advance(chain, 500), before)
    return check_sentence(str(caught.value))


def test_a_snapshot_of_another_chain_is_refused():
    model = prepare("grow-shrink", "plain")
    good = start(model).snapshot()
    others = [
        start(prepare("full", "plain")).snapshot(),
        start(prepare("dags", "plain")).snapshot(),
        replace(good, arrays={name: array for name, array in good.arrays.items() if name != "state.moves"}),
        replace(good, arrays={**good.arrays, "state.more": np.zeros(3)}),
        replace(good, arrays={**good.arrays, "state.order": np.arange(P + 1, dtype=np.uint32)}),
        replace(good, arrays={**good.arrays, "state.order": np.arange(P, dtype=np.int64)}),
        replace(good, generators={}),
        replace(good, generators={**good.generators, "more": good.generators["rng"]}),
    ]
    for other in others:
        assert "does not fit the run" in refusal(start(model), other)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        "PCG64",
        {"bit_generator": "MT19937", "state": {}},
        {"bit_generator": "PCG64", "state": {"state": -1, "inc": 1}, "has_uint32": 0, "uinteger": 0},
        {"bit_generator": "PCG64", "state": {"state": "many", "inc": 1}, "has_uint32": 0, "uinteger": 0},
    ],
)
def test_random_numbers_that_make_no_sense_are_refused(wrong):
    chain = start(prepare("grow-shrink", "plain"))
    snapshot = chain.snapshot()
    assert "does not fit the run" in refusal(chain, replace(snapshot, generators={"rng": wrong}))


def resume(chain, snapshot):
    chain.restore(snapshot)
    chain.check()


WRONG = {
    "an order that is no permutation": ("grow-shrink", "state.order", lambda order: np.zeros_like(order)),
    "an order beyond the variables": ("full", "state.order", lambda order: order + np.uint32(1)),
    "an order to sum over that is no permutation": ("order", "state.order", lambda order: np.zeros_like(order)),
    "a replica without order": ("tempered", "replicas[1].state.order", lambda order: np.zeros_like(order)),
    "positions": ("grow-shrink", "state.found.position", lambda position: position + 10**6),
    "candidates that are none": ("dags", "state.chosen", lambda chosen: chosen + 2**40),
    "allowed ones that are none": ("dags", "state.allowed", lambda allowed: allowed - 1),
    "parents that were not chosen": ("dags", "state.parents", lambda parents: ~parents),
    "elements": ("partition", "state.present.elements", lambda elements: elements + 10**6),
    "cuts": ("partition", "state.present.cut", lambda cut: cut - 5),
    "too many parents": ("structure", "_structure.parents", lambda parents: ~parents),
    "a cycle": ("structure", "_structure.parents", lambda parents: np.roll(2 ** np.arange(P), 1)[:, None].astype("u8")),
    "sizes": ("structure", "state.size", lambda size: size + 10**6),
    "scores": ("grow-shrink", "state.family", lambda family: np.zeros_like(family)),
    "a sum": ("order", "state.log_sum", lambda log_sum: log_sum + 1.0),
    "no number": ("dags", "state.log_weight", lambda weight: weight * np.nan),
    "heats": ("tempered", "_heats", lambda heats: heats + 1.0),
    "a factor without numbers": ("full", "state.found.W", lambda factor: np.full_like(factor, np.nan)),
}


@pytest.mark.parametrize(("sampler", "name", "change"), WRONG.values(), ids=WRONG)
def test_a_state_that_no_chain_can_be_in_is_refused(sampler, name, change):
    """Compiled code trusts its arrays, so that a wrong number in them could end the process."""
    model = prepare(sampler, "plain")
    chain = start(model)
    chain.advance(500)
    snapshot = travel(chain.snapshot())
    wrong = replace(snapshot, arrays={**snapshot.arrays, name: change(snapshot.arrays[name])})
    with pytest.raises(ew.StorageError, match="does not fit the run"):
        resume(start(model), wrong)


@by_case
def test_a_state_that_a_chain_has_been_in_is_taken_as_it_is(sampler, case):
    chain, other = start(prepare(sampler, case)), start(prepare(sampler, case), seed=2)
    chain.advance(1777)
    snapshot = chain.snapshot()
    resume(other, travel(snapshot))
    taken = other.snapshot()
    assert taken.numbers == snapshot.numbers
    assert all(array.tobytes() == snapshot.arrays[name].tobytes() for name, array in taken.arrays.items())

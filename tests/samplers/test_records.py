"""What chains write down, beyond one word of parents and beyond the room they start with."""

import numpy as np

import edgewise as ew
from compiled import entry
from edgewise._kernels.basics import recorder as kernels
from edgewise._kernels.basics.recorder import enlarge, new_recorder
from edgewise._kernels.families.cache import CACHE_BITS
from edgewise.samplers import Schedule
from naive.stepping import PAPER, make_chain

add_family, find = entry(kernels.add_family), entry(kernels.find)


def test_draws_beyond_64_variables_are_their_orders_imaps(rng):
    sim = ew.simulate(70, 400, seed=1)
    sampler = ew.MinimalIMAP(**PAPER)
    posterior = ew.sample(sim.data, sampler=sampler, iterations=20_000, thin=500, chains=2, seed=1, progress=False)
    dags, orders = posterior.dags(), posterior.orders()
    for chain in range(2):
        for draw in range(0, dags.shape[1], 8):
            np.testing.assert_array_equal(dags[chain, draw], ew.minimal_imap(sim.data, orders[chain, draw].tolist()))


def test_a_recorder_keeps_its_families_when_it_grows(rng):
    recorder = new_recorder(100, capacity=4)
    members = np.arange(100)
    known = []
    for node in range(60):
        parents = np.sort(rng.choice(np.delete(members, node), size=node % 7, replace=False))
        key = rng.integers(2**64, dtype=np.uint64)
        while recorder.used[0] == len(recorder.key):
            recorder = enlarge(recorder)
        where = find(recorder, key)
        assert recorder.slot[where] == -1
        number = add_family(recorder, where, key, np.append(parents, node), len(parents))
        known.append((key, number, node, parents))
    for key, number, node, parents in known:
        assert recorder.slot[find(recorder, key)] == number
        assert recorder.node[number] == node
        bits = np.unpackbits(recorder.parents[number].astype("<u8").view(np.uint8), bitorder="little")
        np.testing.assert_array_equal(np.flatnonzero(bits), parents)


def test_blocks_of_any_size_give_the_same_draws(rng):
    sim = ew.simulate(10, 100, seed=1)
    schedule = Schedule(iterations=5000, burn_in=333, thin=7)

    def draws(*steps):
        chain = make_chain(sim.data, range(10), schedule=schedule)
        blocks = [block for number in steps for block in chain.advance(number)]
        family, order, log_score, _ = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
        return order, log_score, chain.families()[1][family]

    whole = draws(5000)
    assert len(whole[0]) == schedule.draws(after=5000) == 666
    for steps in ([1] * 400 + [4600], [333, 7, 6, 1, 4653], [17] * 294 + [2]):
        for one, other in zip(whole, draws(*steps), strict=True):
            np.testing.assert_array_equal(one, other)


def test_forgetting_scores_changes_nothing(rng, monkeypatch):
    """A cache whose every entry was overwritten by another family gives the same chain."""
    sim = ew.simulate(12, 50, seed=1)
    chains = [make_chain(sim.data, range(12)) for _ in range(2)]
    records = []
    for number, chain in enumerate(chains):
        blocks = []
        for _ in range(200):
            blocks += chain.advance(25)
            if number:
                chain.state.cache.family[:] = np.zeros_like(chain.state.cache.family)
        records.append([np.concatenate(arrays) for arrays in zip(*blocks, strict=True)])
    assert len(chain.state.cache.family) == 2**CACHE_BITS
    for one, other in zip(*records, strict=True):
        np.testing.assert_array_equal(one, other)

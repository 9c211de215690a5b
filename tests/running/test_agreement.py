"""The agreement of chains while they run is that of the paper, from the draws so far."""

import numpy as np
import pytest

import edgewise as ew
from edgewise._kernels.basics.recorder import Draws
from edgewise.running.agreement import ENTRIES_PER_BLOCK, Agreement


def block(rows):
    return Draws(family=rows, order=rows, log_score=np.zeros(len(rows)), log_prior=np.zeros(len(rows)))


@pytest.mark.parametrize("p", [2, 6, 70])
def test_it_is_the_least_of_the_pairs_when_every_draw_is_taken(p):
    data = ew.simulate(p, 100, neighbours=min(p - 1, 3), seed=p).data
    posterior = ew.sample(data, iterations=600, burn_in=0.5, thin=5, chains=3, seed=1, start="random", progress=False)
    family, parents = np.asarray(posterior.draws.family[:]), posterior.draws.parent_words()
    agreement = Agreement(3, p)
    at_once = max(ENTRIES_PER_BLOCK // p**2, 1)
    for chain in range(3):
        for first in range(0, family.shape[1], at_once):
            rows = family[chain, first : first + at_once]
            agreement.add(chain, [block(rows[:7]), block(rows[7:])], parents)
    expected = posterior.chain_agreement().to_numpy()
    np.testing.assert_allclose(agreement.least(), expected.min(), rtol=0, atol=1e-12)
    assert p == 2 or expected.min() < expected[0, 1] or expected.min() < expected[1, 2]


def test_of_many_draws_evenly_spaced_ones_are_taken():
    rng = np.random.default_rng(1)
    p, draws = 100, 200
    parents = rng.integers(2**36, size=(500, 2), dtype=np.uint64)
    family = rng.integers(500, size=(2, draws, p)).astype(np.int32)
    spaced, counted, first = Agreement(2, p), Agreement(2, p), Agreement(2, p)
    for chain in range(2):
        spaced.add(chain, [block(family[chain])], parents)
        for draw in range(0, draws, 20):
            counted.add(chain, [block(family[chain, draw : draw + 1])], parents)
        first.add(chain, [block(family[chain, :10])], parents)
    assert spaced.least() == counted.least()
    assert spaced.least() != first.least()


def test_there_is_none_before_all_chains_have_drawn_edges():
    parents = np.array([[0], [0], [0], [0b001], [0b011]], np.uint64)
    empty, chain_graph, other = (block(np.array([rows], np.int32)) for rows in ([0, 1, 2], [0, 3, 2], [0, 1, 4]))
    agreement = Agreement(2, 3)
    assert np.isnan(agreement.least())
    agreement.add(0, [block(np.empty((0, 3), np.int32))], parents)
    agreement.add(1, [chain_graph], parents)
    assert np.isnan(agreement.least())
    agreement.add(0, [empty], parents)
    assert np.isnan(agreement.least())
    agreement.add(0, [other], parents)
    assert -1 <= agreement.least() < 1
    single = Agreement(1, 3)
    single.add(0, [chain_graph], parents)
    assert np.isnan(single.least())

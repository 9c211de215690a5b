"""Parallel tempering: every replica keeps its own target, and the cold one gets over what stops a single chain."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from scipy.stats import chi2, t

import edgewise as ew
from edgewise.data import load_data
from edgewise.samplers import MinimalIMAP, Schedule, beliefs, order_chains, tempering
from edgewise.samplers.tempering import EXCHANGE_EVERY, TemperedChain, check_temperatures, make_ladder
from exact.orders import ExactOrders
from naive import bimodal
from naive import priors as naive
from naive.bimodal import enumerate_orders, normalise
from naive.stepping import ALWAYS
from sentences import check_sentence


def prepare(data, prior=None, **settings):
    by_score = {} if settings.get("parents") == "full" else {"criterion": "score"}
    sampler = MinimalIMAP(**{**by_score, **settings})
    return sampler.prepare(load_data(data), ew.BGe(), prior or ew.Sparsity(1.0), None)


def temper(model, temperatures, *, order=None, seed=0, schedule=ALWAYS):
    rng = np.random.default_rng(seed)
    return TemperedChain(model, np.arange(model.p) if order is None else order, rng, schedule, temperatures)


def correlated(rng, p):
    return rng.standard_normal((30, p)) @ (np.eye(p) + 0.6 * rng.standard_normal((p, p)))


# What may be said of temperatures.


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        (None, None),
        ("auto", "auto"),
        (2, 2),
        (5.0, 5),
        (np.int64(3), 3),
        ([1, 2], (1.0, 2.0)),
        (np.array([1, 1.5, 4.0]), (1.0, 1.5, 4.0)),
    ],
)
def test_temperatures_have_a_plain_form(given, plain):
    assert check_temperatures(given) == plain
    assert check_temperatures(plain) == plain


@pytest.mark.parametrize(
    "given",
    [
        *("hot", "", "12", 1, 0, -3, 2.5, True, np.nan, np.inf, {1: 2}, np.array(3.0), np.ones((2, 2))),
        *([], [1], [2, 4], [1, 1], [1, 3, 2], [1, np.nan], [1, np.inf], [1, "2"], [1, [2, 3]], [1, True]),
    ],
)
def test_other_temperatures_are_refused(given):
    with pytest.raises(ew.EdgewiseError, match="temperatures must be None, 'auto', a number of replicas") as caught:
        check_temperatures(given)
    if not isinstance(given, np.ndarray):  # whose text has lines
        check_sentence(str(caught.value))


@pytest.mark.parametrize(("p", "replicas"), [(1, 2), (2, 2), (5, 2), (10, 3), (30, 5), (100, 8), (1000, 22)])
def test_ladders_go_from_one_down(p, replicas):
    assert len(make_ladder("auto", p)) == replicas
    for temperatures in ("auto", 2, 7, (1.0, 1.5, 9.0)):
        heats = make_ladder(temperatures, p)
        assert heats[0] == 1
        assert heats[-1] > 0
        assert (np.diff(heats) < 0).all()
    np.testing.assert_allclose(make_ladder(6, p)[1:] / make_ladder(6, p)[:-1], 10**-0.2, rtol=1e-12)
    np.testing.assert_allclose(make_ladder((1.0, 1.5, 9.0), p), [1, 2 / 3, 1 / 9], rtol=1e-15)


# The rule of exchanges.


def test_exchanges_are_in_balance(rng):
    """By the formula: the joint density times the probability to exchange is the same on both sides."""
    for _ in range(100):
        heats = np.array([1.0, rng.random()])
        log_score, log_prior = rng.normal(size=(2, 2)) * 10
        flow = []
        for states in ([0, 1], [1, 0]):
            log_density = (heats * log_score[states] + log_prior[states]).sum()
            flow.append(log_density + np.log(tempering.exchange_probabilities(heats, log_score[states])[0]))
        np.testing.assert_allclose(flow[0], flow[1], rtol=1e-12)


def test_impossible_states_give_way():
    probability = tempering.exchange_probabilities(
        np.array([1, 0.5, 0.2, 0.1]), np.array([-np.inf, -np.inf, -5, -np.inf])
    )
    np.testing.assert_array_equal(probability, [1, 1, 0])


class Constant:
    """Stands in for the random numbers of exchanges: always the same number."""

    def __init__(self, number):
        self.number = number

    def random(self, size):
        return np.full(size, self.number)


@pytest.mark.parametrize("parents", ["full", "grow-shrink"])
def test_a_round_of_exchanges_leaves_the_joint_distribution_unchanged(rng, parents):
    """All 36 pairs of orders of three variables, with a strong prior; the random number decides at its probability."""
    values = correlated(rng, 3)
    prior = ew.Sparsity(0.5) + ew.Paths([0], [1], 4.0)
    model = prepare(values, prior, parents=parents, alpha=0.3)
    orders, log_score, log_prior = enumerate_orders(model.start(np.arange(3), rng, ALWAYS))
    chain = temper(model, (1.0, 3.0))
    heats = 1 / chain.temperatures
    joint = np.array([normalise(heat * log_score + log_prior) for heat in heats])
    number = {tuple(order): i for i, order in enumerate(orders.tolist())}
    matrix = np.zeros((36, 36))
    for x, y in product(range(6), repeat=2):

        def destination(uniform, x=x, y=y):
            for replica, order in zip(chain.replicas, (x, y), strict=True):
                replica.state.order[:] = orders[order]
                assert replica.refresh()
            chain._rng = Constant(uniform)
            chain._exchange(1)
            return tuple(number[tuple(replica.state.order.tolist())] for replica in chain.replicas)

        probability = min(1, np.exp((heats[0] - heats[1]) * (log_score[y] - log_score[x])))
        assert destination(probability * (1 - 1e-9)) == (y, x)
        assert probability == 1 or destination(probability * (1 + 1e-9)) == (x, y)
        matrix[6 * x + y, 6 * y + x] += probability
        matrix[6 * x + y, 6 * x + y] += 1 - probability
    target = np.outer(*joint).ravel()
    np.testing.assert_allclose(target @ matrix, target, rtol=0, atol=1e-14)
    assert 0.01 < (np.diag(matrix) * target).sum() < 0.99


def last_edge(dag, order):
    return 1.5 * dag[:, order[-1]].any()


PRIORS = {
    "sparsity": ew.Sparsity(0.7),
    "paths": ew.Sparsity(0.2) + ew.Paths([0, 2], [1, 3], 2.0),
    "tiers": ew.TierOrder([[2], [0, 3], [1]]),
    "function": ew.LogPrior(last_edge),
}


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
@pytest.mark.parametrize("parents", ["full", "grow-shrink"])
def test_an_exchange_moves_the_state_and_nothing_else(rng, parents, prior):
    chain = temper(prepare(correlated(rng, 4), prior, parents=parents), (1.0, 2.0), order=[2, 0, 1, 3])
    chain.advance(EXCHANGE_EVERY - 1)
    one, other = chain.replicas
    before = [
        (replica.state.order.tolist(), replica.dag(), replica.log_posterior, replica.log_score)
        for replica in chain.replicas
    ]
    assert before[0][0] != before[1][0]
    moves, rngs = [replica.moves() for replica in chain.replicas], [replica.rng for replica in chain.replicas]
    tempering.exchange_states(one, other)
    for replica, (order, dag, *values) in zip((other, one), before, strict=True):
        assert replica.state.order.tolist() == order
        np.testing.assert_array_equal(replica.dag(), dag)
        assert [replica.log_posterior, replica.log_score] == values
        replica.refresh()
        np.testing.assert_array_equal(replica.dag(), dag)
        np.testing.assert_allclose([replica.log_posterior, replica.log_score], values, rtol=1e-12)
    assert [replica.moves() for replica in chain.replicas] == moves
    assert [replica.rng for replica in chain.replicas] == rngs
    assert [replica.target.heat for replica in chain.replicas] == [1, 0.5]


# Every replica has its own target.

ROUNDS = {"sparsity": 2500, "paths": 1000}
"""With so many, more than five orders are expected often enough to count by themselves, also in the cold replica."""

TEMPERATURES = (1.0, 3.0, 10.0)
FOUR_VARIABLES = ew.simulate(4, 300, neighbours=3, seed=4).data.to_numpy()


def largest_excess(model, orders, log_score, log_prior, *, rounds, seed):
    """Compare the orders of all replicas with their exact distributions; return the largest chi^2 / its bound.

    Orders are looked at after every round of exchanges, where a wrong rule would show most. One hundred iterations
    with four variables lie between two looks, which are as good as independent. The bound holds for all three replicas
    but for one run in 10,000.
    """
    chain = temper(model, TEMPERATURES, seed=seed, schedule=Schedule(10**9, 0, 10**9))
    number = {tuple(order): i for i, order in enumerate(np.asarray(orders).tolist())}
    seen = np.zeros((len(TEMPERATURES), len(orders)))
    for _ in range(rounds):
        chain.advance(EXCHANGE_EVERY)
        for replica, row in zip(chain.replicas, seen, strict=True):
            row[number[tuple(replica.state.order.tolist())]] += 1
    assert (chain._exchanges[:, 0] == rounds // 2).all()
    assert (chain._exchanges[:, 1] > rounds / 10).all()
    excess = []
    for temperature, observed in zip(TEMPERATURES, seen, strict=True):
        expected = rounds * normalise(log_score / temperature + log_prior)
        # Rare orders count together, so that the distribution of chi^2 is what it should be.
        group = np.where(expected < 5, 0, np.arange(1, len(expected) + 1))
        _, group = np.unique(group, return_inverse=True)
        observed, expected = np.bincount(group, observed), np.bincount(group, expected)
        assert len(expected) > 5
        excess.append(((observed - expected) ** 2 / expected).sum() / chi2.isf(1e-4 / 3, len(expected) - 1))
    return max(excess)


def paths(dag, order):
    return naive.sparsity(dag, 0.3) + naive.paths(dag, [1, 2], [3], 2.0)


CASES = {
    "sparsity": (ew.Sparsity(0.7), lambda dag, order: naive.sparsity(dag, 0.7)),
    "paths": (ew.Sparsity(0.3) + ew.Paths([1, 2], [3], 2.0), paths),
}


def full_conditioning(case):
    """Return a model and its target, enumerated without any of the code of the chain."""
    prior, definition = CASES[case]
    exact = ExactOrders(FOUR_VARIABLES, log_prior=definition, alpha=0.2)
    log_prior = np.array([definition(dag, order) for dag, order in zip(exact.dags, exact.orders, strict=True)])
    model = prepare(FOUR_VARIABLES, prior, parents="full", alpha=0.2)
    return model, exact.orders, exact.log_posterior - log_prior, log_prior


@pytest.mark.parametrize("case", CASES)
def test_all_replicas_agree_with_enumeration(case):
    assert largest_excess(*full_conditioning(case), rounds=ROUNDS[case], seed=1) < 1


def test_all_replicas_agree_with_enumeration_with_grow_shrink(rng):
    model = prepare(FOUR_VARIABLES, CASES["paths"][0])
    target = enumerate_orders(model.start(np.arange(4), rng, ALWAYS))
    assert largest_excess(model, *target, rounds=ROUNDS["paths"], seed=1) < 1


def exchange_by_log_posterior(monkeypatch):
    def log_posterior(chain):
        total = chain.state.family["log_score"].sum() + chain.state.family["log_prior"].sum()
        return total + beliefs.weigh_beyond_families(chain.model.beliefs, chain.structure)

    monkeypatch.setattr(order_chains.OrderChain, "log_score", property(log_posterior))


def exchange_with_the_wrong_sign(monkeypatch):
    right = tempering.exchange_probabilities
    monkeypatch.setattr(tempering, "exchange_probabilities", lambda heats, log_scores: right(heats, -log_scores))


def exchange_without_a_rule(monkeypatch):
    monkeypatch.setattr(tempering, "exchange_probabilities", lambda heats, log_scores: np.full(len(heats) - 1, 0.5))


def heat_the_prior_too(monkeypatch):
    """Not the exchange but the replicas are wrong: the target of the heated ones."""
    right = TemperedChain._heat

    def heat(chain):
        right(chain)
        for replica in chain.replicas:
            replica.target = replica.target._replace(edge=replica.target.heat * replica.target.edge)

    monkeypatch.setattr(TemperedChain, "_heat", heat)


@pytest.mark.parametrize(
    "break_it",
    [exchange_by_log_posterior, exchange_with_the_wrong_sign, exchange_without_a_rule, heat_the_prior_too],
)
@pytest.mark.slow
def test_a_wrong_rule_is_caught(monkeypatch, break_it):
    settings = full_conditioning("paths")
    break_it(monkeypatch)
    assert largest_excess(*settings, rounds=ROUNDS["paths"], seed=1) > 1


# The ladder.


def rates(chain, rounds):
    """Advance, and return how often neighbours exchanged meanwhile."""
    before = chain._exchanges.copy()
    chain.advance(rounds * EXCHANGE_EVERY)
    proposed, accepted = (chain._exchanges - before).T
    return accepted / proposed


@pytest.mark.slow
def test_the_ladder_settles_where_neighbours_exchange_equally_often():
    """From a ladder that is crowded at its cold end.

    Rates of 1500 proposals have a standard error of .015, and the ladder itself scatters as much: among twelve seeds,
    the largest difference of two rates was .10.
    """
    model = prepare(ew.simulate(10, 100, seed=1).data)
    burn_in = 1500 * EXCHANGE_EVERY
    chain = temper(model, 5, schedule=Schedule(10**9, burn_in, 10**9))
    crowded = (1.0, 1.1, 1.2, 1.3, 10.0)
    chain._heats = 1 / np.array(crowded)
    chain._heat()
    chain.advance(burn_in)
    settled = chain.temperatures
    assert settled[0] == 1
    np.testing.assert_allclose(settled[-1], 10, rtol=1e-12)
    assert np.ptp(rates(chain, 3000)) < 0.15
    np.testing.assert_array_equal(chain.temperatures, settled)

    given = temper(model, crowded, schedule=Schedule(10**9, burn_in, 10**9))
    assert np.ptp(rates(given, 300)) > 0.5
    np.testing.assert_allclose(given.temperatures, crowded, rtol=1e-15)


def test_the_ladder_is_final_when_burn_in_ends():
    model = prepare(ew.simulate(6, 100, seed=1).data)
    chain = temper(model, 4, schedule=Schedule(10**9, 7 * EXCHANGE_EVERY, 10**9))
    ladders = []
    for _ in range(12):
        chain.advance(EXCHANGE_EVERY)
        ladders.append(chain.temperatures)
        assert [replica.target.heat for replica in chain.replicas] == chain._heats.tolist()
    assert [(a != b).any() for a, b in pairwise(ladders)] == [True] * 6 + [False] * 5
    for ladder in ladders:
        assert (np.diff(ladder) > 0).all()

    without_burn_in = temper(model, 4)
    without_burn_in.advance(5 * EXCHANGE_EVERY)
    np.testing.assert_allclose(without_burn_in.temperatures, 10 ** (np.arange(4) / 3), rtol=1e-12)


# A chain like any other.


def joined(blocks):
    return [np.concatenate(arrays) for arrays in zip(*blocks, strict=True)]


def assert_same(chains, draws):
    first = draws[0]
    for other in draws[1:]:
        for a, b in zip(first, other, strict=True):
            np.testing.assert_array_equal(a, b)
    for chain in chains[1:]:
        assert chain.moves() == chains[0].moves()
        assert chain.log_posterior == chains[0].log_posterior
        np.testing.assert_array_equal(chain.temperatures, chains[0].temperatures)
        for a, b in zip(chain.families(), chains[0].families(), strict=True):
            np.testing.assert_array_equal(a, b)


SCHEDULE = Schedule(iterations=3500, burn_in=1050, thin=7)
MODELS = {
    "full": {"parents": "full"},
    "full, paths": {"parents": "full", "prior": PRIORS["paths"]},
    "full, adjacent, too few rows": {"parents": "full", "moves": "adjacent"},
    "grow-shrink": {},
    "grow-shrink, function": {"prior": PRIORS["function"]},
    "grow-shrink, dags": {"target": "dags"},
}


def six_variables(name):
    with pytest.warns() if "few rows" in name else nullcontext():
        return prepare(ew.simulate(6, 5 if "few rows" in name else 60, seed=1).data, **MODELS[name])


@pytest.mark.parametrize("name", MODELS)
def test_where_blocks_end_makes_no_difference(name):
    model = six_variables(name)
    chains, draws = [], []
    one_by_one = [980, *[1] * 140, 2380]  # past two exchanges, the end of burn-in and twenty draws
    for pieces in ([3500], one_by_one, [7] * 500, [1000, 1000, 1000, 500]):
        chain = temper(model, 3, schedule=SCHEDULE)
        blocks = chain.advance(0)
        for steps in pieces:
            blocks += chain.advance(steps)
        chains.append(chain)
        draws.append(joined(blocks))
    assert len(draws[0][0]) == SCHEDULE.draws(after=3500)
    assert_same(chains, draws)
    assert (chains[0]._exchanges[:, 1] > 0).all()


@pytest.mark.parametrize("name", MODELS)
def test_pickling_on_the_way_makes_no_difference(name):
    model = six_variables(name)
    chains = [temper(model, 3, schedule=SCHEDULE) for _ in range(2)]
    draws = [joined(chains[0].advance(3500))]
    blocks = []
    for steps in (30, 970, 1111, 1389):
        blocks += chains[1].advance(steps)
        chains[1] = pickle.loads(pickle.dumps(chains[1]))  # noqa: S301
    assert_same(chains, [*draws, joined(blocks)])


def test_chains_on_threads_do_not_disturb_each_other():
    model = six_variables("grow-shrink, function")
    alone = [temper(model, 3, schedule=SCHEDULE, seed=seed) for seed in range(4)]
    draws = [joined(chain.advance(3500)) for chain in alone]
    together = [temper(model, 3, schedule=SCHEDULE, seed=seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        blocks = list(pool.map(lambda chain: chain.advance(3500), together))
    for chain, other, expected, found in zip(alone, together, draws, blocks, strict=True):
        assert_same([chain, other], [expected, joined(found)])


@pytest.mark.parametrize("name", MODELS)
def test_draws_are_the_dags_of_their_orders(name):
    """What the recorder remembers of the last draw is true for a state from another replica too."""
    model = six_variables(name)
    chain = temper(model, 3, schedule=replace(SCHEDULE, burn_in=0, thin=3))
    family, order, log_score, _ = joined(chain.advance(3500))
    assert (chain._exchanges[:, 1] > 1).all()
    node, parents = chain.families()
    assert (node[family] == np.arange(6)).all()
    twin = model.start(np.arange(6), np.random.default_rng(0), ALWAYS)
    orders, which = np.unique(order, axis=0, return_inverse=True)
    dags, log_scores = [], []
    for one in orders:
        twin.state.order[:] = one
        assert twin.refresh()
        dags.append(twin.dag())
        log_scores.append(twin.log_score)
    bits = parents[family, 0][..., None] >> np.arange(6, dtype=np.uint64) & np.uint64(1)
    np.testing.assert_array_equal(bits.swapaxes(1, 2), np.array(dags)[which])
    np.testing.assert_allclose(log_score, np.array(log_scores)[which], rtol=1e-10)


def test_before_the_first_exchange_the_cold_replica_is_the_chain_itself():
    model = six_variables("grow-shrink")
    chain = model.start(np.arange(6), np.random.default_rng(0), ALWAYS)
    tempered = temper(model, 3)
    for a, b in zip(joined(chain.advance(EXCHANGE_EVERY)), joined(tempered.advance(EXCHANGE_EVERY)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_all_replicas_start_where_a_search_ends():
    model = prepare(ew.simulate(15, 300, seed=1).data, PRIORS["paths"])
    chain = temper(model, 3, order=np.random.default_rng(2).permutation(15))
    before = chain.log_posterior
    chain.seek()
    assert chain.log_posterior > before + 1
    for replica in chain.replicas:
        np.testing.assert_array_equal(replica.state.order, chain.replicas[0].state.order)
        np.testing.assert_array_equal(replica.dag(), chain.replicas[0].dag())
        assert replica.log_posterior == chain.log_posterior


def test_only_the_cold_replica_draws():
    chain = temper(six_variables("grow-shrink"), 4, schedule=SCHEDULE)
    chain.advance(3500)
    assert len(chain.families()[0]) > 6
    assert [len(replica.families()[0]) for replica in chain.replicas[1:]] == [0, 0, 0]
    assert [replica.iteration for replica in chain.replicas] == [chain.iteration] * 4


def test_exchanges_are_counted_among_the_moves():
    """Pairs take turns; a single pair has no other to wait for. The counts of other moves are the cold replica's."""
    model = six_variables("grow-shrink")
    for replicas, proposed in ((2, [11]), (3, [6, 5]), (4, [6, 5, 6])):
        chain = temper(model, replicas)
        chain.advance(11 * EXCHANGE_EVERY + 50)
        moves = chain.moves()
        kinds = [f"swap {k} / {k + 1}" for k in range(1, replicas)]
        assert list(moves) == [*order_chains.MOVES, *kinds]
        assert [moves[kind][0] for kind in kinds] == proposed
        assert all(0 <= accepted <= number for number, accepted in moves.values())
        assert 1100 <= sum(moves[kind][0] for kind in order_chains.MOVES) <= chain.iteration
        assert chain.log_posterior == chain.replicas[0].log_posterior


@pytest.mark.parametrize("parents", ["full", "grow-shrink"])
def test_two_variables_always_exchange(rng, parents):
    """Both orders of a pair have the same score."""
    chain = temper(prepare(correlated(rng, 2), parents=parents), "auto", schedule=SCHEDULE)
    assert len(joined(chain.advance(3500))[0]) == SCHEDULE.draws(after=3500)
    assert chain.moves()["swap 1 / 2"] == (35, 35)


# Two modes.

ROWS = 10_000


def start_in_two_modes():
    model = prepare(bimodal.two_groups(ROWS), bimodal.lopsided_prior())
    return model.start(np.arange(8), np.random.default_rng(0), ALWAYS)


@pytest.mark.slow
def test_different_orders_stand_for_all():
    chain = start_in_two_modes()
    different, orders = (enumerate_orders(chain, some) for some in (bimodal.different_orders(), None))
    which = np.searchsorted(bimodal.name_orders(different[0]), bimodal.name_orders(orders[0]))
    assert (np.bincount(which) == 96).all()
    for found, expected in zip(different[1:], orders[1:], strict=True):
        np.testing.assert_allclose(found[which], expected, rtol=0, atol=1e-8)


@pytest.fixture(scope="module")
def share():
    """The exact probability of the orders with the second group last."""
    orders, log_score, log_prior = enumerate_orders(start_in_two_modes(), bimodal.different_orders())
    is_second = bimodal.has_second_last(orders)
    assert bimodal.depth(orders, log_score + log_prior, is_second) > 18
    share = normalise(log_score + log_prior)[is_second].sum()
    assert 0.7 < share < 0.76
    return share


def modes_seen(chain, iterations):
    return bimodal.has_second_last(joined(chain.advance(iterations))[1])


@pytest.mark.parametrize(
    ("parents", "moves"), [pytest.param("full", "adjacent", marks=pytest.mark.slow), ("grow-shrink", "auto")]
)
@pytest.mark.slow
def test_tempering_visits_both_modes_in_the_right_proportion(share, parents, moves):
    """A single chain stays in the mode where it starts. Of eight tempered chains, half start in each.

    The bound is that of a t-test at level 1e-4.
    """
    model = prepare(bimodal.two_groups(ROWS), bimodal.lopsided_prior(), parents=parents, moves=moves)
    schedule = Schedule(60_000, 10_000, 10)
    found = []
    for seed in range(8):
        is_second = seed % 2 == 1
        order = bimodal.SECOND_LAST if is_second else bimodal.FIRST_LAST
        single = model.start(order, np.random.default_rng(seed), schedule)
        assert (modes_seen(single, 60_000) == is_second).all()
        tempered = temper(model, "auto", order=order, seed=seed, schedule=schedule)
        found.append(modes_seen(tempered, 60_000).mean())
    error = np.std(found, ddof=1) / np.sqrt(8)
    assert error < 0.03
    assert abs(np.mean(found) - share) < t.isf(0.5e-4, 7) * error


@pytest.mark.slow
def test_a_whole_run_may_be_tempered():
    """Chains of 120,000 iterations scatter by .03; five standard deviations of the mean of four."""
    share = bimodal.compare_tempering(n=ROWS)
    assert share["single"] == 1
    assert abs(share["tempered"] - share["exact"]) < 5 * 0.03 / 2


def test_diagnostics_of_a_run_show_the_exchanges():
    """Chains adapt to different temperatures, but their exchanges have the same names."""
    data = ew.simulate(6, 60, seed=1).data
    sampler = ew.MinimalIMAP(temperatures=3)
    posterior = ew.sample(data, sampler=sampler, iterations=5000, thin=5, chains=2, seed=1, progress=False)
    table = posterior.diagnostics().acceptance
    assert table["proposed"].loc[["swap 1 / 2", "swap 2 / 3"]].tolist() == [50, 50]
    assert table["accepted"].between(0, 1).all()

"""Order MCMC leaves its target unchanged, and reaches it."""

import itertools
import pickle

import numpy as np
import pytest
from scipy.stats import norm

import edgewise as ew
from compiled import altered
from edgewise._kernels.rivals import order_mcmc as kernels
from edgewise.samplers import Schedule
from edgewise.samplers import order_mcmc as sampler
from edgewise.samplers.order_mcmc import OrderMCMC
from exact.intervals import Ends, measure_outcomes
from exact.modular import ExactModular, list_tiers, weigh_tiers
from marks import with_few_rows
from naive import parent_sets as naive
from naive.parent_sets import make_chain, read_draws, take_step
from naive.stepping import FlatScore

TIERS = ew.TierOrder([["X0"], ["X2"], ["X1"]], strength=0.7)
BELIEFS = ew.EdgeBeliefs(log_odds=np.arange(16).reshape(4, 4) / 8 - 1)


def few_variables(p=4):
    return ew.simulate(p, 30, neighbours=min(2, p - 1), weights=(0.5, 1.0), seed=3).data


def chosen_rows(chain):
    """Yield the first two random numbers of each proposal that a chain can make, and the proposal's probability."""
    p, (adjacent, swap, relocate) = chain.p, chain._shares
    for kind, number, share in (
        (relocate / 2, p, relocate),
        (relocate + swap / 2, p * (p - 1) // 2, swap),
        (1 - adjacent / 2, p - 1, adjacent),
    ):
        for which in range(number):
            yield (kind, (which + 0.5) / number), share / number


def move_to(chain, order):
    chain.state.order[:] = order
    chain.refresh()


def transition_matrix(chain, orders):
    number = {tuple(order): i for i, order in enumerate(orders)}
    matrix, ends = np.zeros((len(orders), len(orders))), Ends()
    for order in orders:
        for choice, probability in chosen_rows(chain):

            def destination(uniform, order=order, choice=choice):
                move_to(chain, order)
                take_step(chain, [*choice, uniform])
                return number[tuple(chain.state.order.tolist())]

            for reached, share in measure_outcomes(destination, ends=ends).items():
                matrix[number[order], reached] += probability * share
    return matrix


@pytest.mark.parametrize(("p", "settings"), [
    (2, {}),
    (3, {}),
    (3, {"prior": ew.Sparsity(0.5) + TIERS, "constraints": ew.Constraints(required=[("X2", "X1")])}),
    (4, {}),
    (4, {"prior": BELIEFS + TIERS + ew.TierOrder([["X3"], ["X1"]])}),
    (4, {"constraints": ew.Constraints(tiers=[["X3"], ["X0"]], forbidden=[("X1", "X2")], roots=["X3"])}),
])  # fmt: skip
def test_the_transition_matrix_leaves_the_target_unchanged(p, settings):
    values = few_variables(p)
    exact = ExactModular(values, max_parents=2, **settings)
    orders, probability = exact.orders()
    chain = make_chain(OrderMCMC(max_parents=2), values, orders[0], **settings)
    matrix = transition_matrix(chain, orders)
    np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=0, atol=1e-10)
    np.testing.assert_allclose(probability @ matrix, probability, rtol=0, atol=1e-10)
    assert (np.diag(matrix) > 0).all()
    assert (np.linalg.matrix_power(matrix, 12) > 0).all()
    if p > 2:  # both orders of a pair have the same sum
        assert probability.max() > 2 * probability.min(), "the target should not be trivial"


def test_every_pair_and_every_variable_is_proposed_equally_often():
    """Without data every exchange is accepted, so that where the chain goes shows what was proposed."""
    p = 5
    chain = make_chain(OrderMCMC(), few_variables(p), range(p), score=FlatScore(), prior=ew.Sparsity(0.0))
    found = []
    for choice, _ in chosen_rows(chain):
        move_to(chain, range(p))
        take_step(chain, [*choice, 0.0])
        found.append(tuple(chain.state.order.tolist()))
    relocated, swapped, adjacent = found[:p], found[p : p + 10], found[p + 10 :]
    assert relocated == [(v, *(u for u in range(p) if u != v)) for v in range(p)]  # to the first position

    def exchanged(i, j):
        order = list(range(p))
        order[i], order[j] = order[j], order[i]
        return tuple(order)

    assert sorted(swapped) == sorted(exchanged(i, j) for i, j in itertools.combinations(range(p), 2))
    assert adjacent == [exchanged(i, i + 1) for i in range(p - 1)]


def test_kinds_of_moves_are_as_frequent_as_they_should_be(rng):
    """100,000 iterations: five standard deviations, a false alarm in half a million."""
    posterior = ew.sample(
        rng.standard_normal((50, 4)), sampler=OrderMCMC(), iterations=100_000, chains=1, seed=1, progress=False
    )
    shares = sampler.choose_shares(4)
    assert shares.sum() == pytest.approx(1, abs=1e-15)
    for (proposed, accepted), share in zip(posterior.moves[0].values(), shares, strict=True):
        assert abs(proposed - 1e5 * share) < 5 * np.sqrt(1e5 * share * (1 - share))
        assert 0 < accepted <= proposed
    assert list(posterior.moves[0]) == ["adjacent", "swap", "relocate"]


BOUND = norm.isf(1e-4 / 40)
"""20 edges, two sides: all z-scores are within this bound but for one run in 10,000."""


def five_variables():
    return ew.simulate(5, 100, seed=3).data


def largest_z_score(*, over="orders", **settings):
    """Sample, and return the largest |observed - exact| / Monte Carlo error of the 20 edge probabilities."""
    values = five_variables()
    settings.setdefault("prior", ew.Sparsity(1.0))
    exact = ExactModular(values, **settings).edge_probabilities(over=over)
    assert ((exact > 0.01) & (exact < 0.99)).sum() >= 6
    posterior = ew.sample(
        values,
        sampler=OrderMCMC(max_parents=4),
        iterations=200_000,
        burn_in=0.05,
        thin=20,
        chains=2,
        seed=1,
        progress=False,
        **settings,
    )
    observed = posterior.edge_probabilities().to_numpy()
    # An edge that is drawn a few times in a run, or never, has no useful error of its own: allow it one in a thousand.
    error = np.maximum(posterior._monte_carlo_error, 1e-3)
    return np.abs((observed - exact) / error).max()


def test_edge_probabilities_agree_with_enumeration_over_orders():
    assert largest_z_score() < BOUND


def test_edge_probabilities_do_not_agree_with_enumeration_over_dags():
    """The bias that bias_correction is there for."""
    assert largest_z_score(over="dags") > BOUND


def test_edge_probabilities_agree_with_enumeration_under_constraints_and_an_order_prior():
    constraints = ew.Constraints(required=[("X1", "X3")], forbidden=[("X0", "X2")], tiers=[["X4"], ["X0"]])
    tiers = ew.TierOrder([["X3"], ["X0", "X2"]], strength=0.8)
    assert largest_z_score(prior=ew.Sparsity(0.5) + tiers, constraints=constraints) < BOUND


@pytest.mark.parametrize(("function", "right", "wrong"), [
    pytest.param(
        "exchange", "is_rejected(log_ratio, uniform)", "is_rejected(0.5 * log_ratio, uniform)", marks=pytest.mark.slow
    ),
    ("relocate", "passed += scratch.without[j] - scratch.within[j]", "passed += scratch.without[j]"),
])  # fmt: skip
def test_a_wrong_step_is_caught(monkeypatch, function, right, wrong):
    broken = altered([vars(kernels)[name] for name in (function, "step", "run")], right=right, wrong=wrong)
    monkeypatch.setattr(sampler.OrderMCMCChain, "_run", staticmethod(broken["run"]))
    assert largest_z_score() > BOUND


@pytest.mark.parametrize("p", [8, 70])
def test_draws_are_what_they_claim_to_be(rng, p):
    """Orders agree with DAGs, scores are those of the DAGs, and the chain's sums are those of its order."""
    sim = ew.simulate(p, 60, seed=1)
    values = sim.data.to_numpy()
    prior = ew.Sparsity(0.5) + ew.TierOrder([["X1", "X2"], ["X3"], ["X0"]], strength=1.5)
    constraints = ew.Constraints(required=[("X3", "X5")], forbidden=[("X5", "X6")], leaves=["X0"])
    knowledge = constraints.resolve(list(sim.data.columns))
    chain = make_chain(
        OrderMCMC(max_parents=2), values, rng.permutation(p), prior=prior, constraints=constraints,
        schedule=Schedule(3000, 0, 150),
    )  # fmt: skip
    tiers = list_tiers(prior, list(sim.data.columns))
    dags, orders, log_score, log_prior = read_draws(chain, chain.advance(3000))
    assert len(dags) == 20
    assert len({order.tobytes() for order in orders}) > 10
    for dag, order, score, prior_of_dag in zip(dags, orders, log_score, log_prior, strict=True):
        position = np.argsort(order)
        assert (position[np.nonzero(dag)[0]] < position[np.nonzero(dag)[1]]).all()
        assert not any(knowledge.before[later, first] for first, later in itertools.combinations(order.tolist(), 2))
        assert (dag | ~knowledge.required).all()
        assert not (dag & knowledge.forbidden).any()
        assert dag.sum(axis=0).max() <= 2
        np.testing.assert_allclose(score, ew.score(dag, values), rtol=1e-12)
        beyond = weigh_tiers(tiers, [(v,) for v in order.tolist()])
        np.testing.assert_allclose(prior_of_dag, -0.5 * dag.sum() + beyond, rtol=1e-12)
    order = chain.state.order.tolist()
    for j in range(p):
        if p < 10 or j < 12:
            total = naive.log_sum(
                values, order[j], order[:j], max_parents=2, edge=np.full((p, p), -0.5),
                required=[3] if order[j] == 5 else [], possible=~knowledge.forbidden,
            )  # fmt: skip
            np.testing.assert_allclose(chain.state.log_sum[order[j]], total, rtol=1e-12)
    before = chain.log_posterior
    chain.refresh()
    assert chain.log_posterior == before
    np.testing.assert_allclose(
        before, chain.state.log_sum.sum() + weigh_tiers(tiers, [(v,) for v in order]), rtol=1e-12
    )


def make_draws(*steps, forget=False, copy=False):
    chain = make_chain(
        OrderMCMC(max_parents=2), ew.simulate(9, 50, seed=1).data, range(9), schedule=Schedule(3000, 333, 7)
    )
    blocks = []
    for number in steps:
        blocks += chain.advance(number)
        if forget:
            chain._scratch.workspace.memo[:] = 0
        if copy:
            chain = pickle.loads(pickle.dumps(chain))  # noqa: S301
    return read_draws(chain, blocks)


def test_blocks_of_any_size_give_the_same_draws():
    whole = make_draws(3000)
    assert len(whole[0]) == Schedule(3000, 333, 7).draws(after=3000) == 381
    for steps in ([1] * 400 + [2600], [333, 7, 6, 1, 2653], [17] * 176 + [8]):
        for one, other in zip(whole, make_draws(*steps), strict=True):
            np.testing.assert_array_equal(one, other)


def test_forgetting_sums_and_copying_chains_change_nothing():
    whole = make_draws(3000)
    for settings in ({"forget": True}, {"copy": True}):
        for one, other in zip(whole, make_draws(*[30] * 100, **settings), strict=True):
            np.testing.assert_array_equal(one, other)


def test_the_orders_visited_do_not_depend_on_when_draws_are_taken():
    chains = [
        make_chain(OrderMCMC(), few_variables(), range(4), schedule=Schedule(500, 0, thin)) for thin in (1, 7, 500)
    ]
    for chain in chains:
        chain.advance(500)
    assert len({chain.state.order.tobytes() for chain in chains}) == 1
    assert len({chain.log_posterior for chain in chains}) == 1


@with_few_rows
def test_same_seed_same_draws():
    values = few_variables()
    run = {"sampler": OrderMCMC(), "iterations": 2000, "thin": 10, "chains": 2, "progress": False}
    one, same, other = (ew.sample(values, seed=seed, **run) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.dags(), same.dags())
    np.testing.assert_array_equal(one.orders(), same.orders())
    assert (one.dags() != other.dags()).any()
    assert one.info["sampler"] == {
        "name": "OrderMCMC", "max_parents": 3, "bias_correction": "none", "candidates": None, "memory_limit": 2.0,
    }  # fmt: skip


@with_few_rows
def test_candidates_may_have_the_numbers_of_numpy_as_keys():
    candidates = {number: [0] for number in np.arange(1, 3)}
    posterior = ew.sample(
        few_variables(), sampler=OrderMCMC(candidates=candidates), iterations=100, thin=10, seed=1, progress=False
    )
    assert posterior.info["sampler"]["candidates"] == {"1": [0], "2": [0]}


def test_a_start_against_the_knowledge_is_mended(rng):
    constraints = ew.Constraints(tiers=[["X3"], ["X1"], ["X0"]])
    chain = make_chain(OrderMCMC(), few_variables(), [0, 1, 2, 3], constraints=constraints)
    order = chain.state.order.tolist()
    assert order.index(3) < order.index(1) < order.index(0)


def test_bias_correction_is_checked():
    assert OrderMCMC(bias_correction="full").bias_correction == "full"
    with pytest.raises(ew.ArgumentError, match="bias_correction must be 'none', 'partial' or 'full', but 'some'"):
        OrderMCMC(bias_correction="some")

"""Relocation: the right conditional for every way of finding parents, prior and rule, and a climb that ends on top."""

import warnings
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

import edgewise as ew
from compiled import altered
from edgewise._kernels.grow_shrink.relocation import relocate, relocate_walking
from edgewise._kernels.orders.loop import run, work
from edgewise._kernels.orders.relocation import choose_position
from edgewise.samplers import multiplicity, order_chains
from exact.orders import ExactOrders
from exact.transitions import relocated, transition_matrices, transition_matrix
from naive import priors as naive
from naive import scores
from naive.grow_shrink import NaiveGrowShrink
from naive.imap import NaiveIMAP
from naive.knowledge import constrained_dag
from naive.stepping import choose_relocation, drive, make_chain

ALPHA = 0.2
"""Level of significance: high, so that few rows give many edges."""

NAMES = ["X0", "X1", "X2", "X3"]

FINDERS = {
    "full": {"parents": "full"},
    "score": {"parents": "grow-shrink", "criterion": "score"},
    "test": {"parents": "grow-shrink", "criterion": "test"},
}
"""The ways of finding parents, as settings of the sampler."""

by_finder = pytest.mark.parametrize("finder", FINDERS)


def slow_finder(finder, values, knowledge=None):
    """Return the slow twin of a way of finding parents."""
    n = len(values)
    if finder == "full":
        return NaiveIMAP(np.corrcoef(values.T), n, ALPHA)
    return NaiveGrowShrink(
        values,
        criterion=finder,
        alpha=ALPHA,
        required=None if knowledge is None else knowledge.required,
        forbidden=None if knowledge is None else knowledge.forbidden,
    )


def four_variables(rng, n):
    return rng.standard_normal((n, 4)) @ (np.eye(4) + 0.6 * rng.standard_normal((4, 4)))


LOG_ODDS = np.random.default_rng(3).normal(size=(4, 4))
TIERS = [[2], [0, 3], [1]]


def opinion(dag, order):
    """Return a log prior of DAGs and orders that excludes some between others that are possible."""
    is_excluded = list(order).index(1) == 2 or dag[0, 3]
    return -np.inf if is_excluded else 0.7 * dag[0].sum() - 0.4 * list(order).index(2) - 0.5 * dag.sum()


PRIORS = {
    "plain": (ew.Sparsity(0.7), lambda dag, order: naive.sparsity(dag, 0.7)),
    "edges": (
        ew.Sparsity(0.7) + ew.EdgeBeliefs(log_odds=LOG_ODDS),
        lambda dag, order: naive.sparsity(dag, 0.7) + naive.edge_beliefs(dag, LOG_ODDS),
    ),
    "structure": (
        ew.Sparsity(0.5) + ew.TierOrder(TIERS, 0.8) + ew.Paths([0, 2], [1, 3], 1.5),
        lambda dag, order: (
            naive.sparsity(dag, 0.5) + naive.tier_order(order, TIERS, 0.8) + naive.paths(dag, [0, 2], [1, 3], 1.5)
        ),
    ),
    "function": (ew.LogPrior(opinion), opinion),
}


def check_balance(values, finder, prior, log_prior, *, constraints=None, heat=1.0, target="orders"):
    """Exchanges and relocations, each by themselves, are in detailed balance with the enumerated target."""
    knowledge = None if constraints is None else constraints.resolve(NAMES[: values.shape[1]])
    exact = ExactOrders(
        values,
        log_prior=log_prior,
        knowledge=knowledge,
        imap=slow_finder(finder, values, knowledge),
        heat=heat,
    )
    assert len(np.unique(exact.dags, axis=0)) > 4, "the target should not be trivial"
    assert exact.probability.max() > 2 * exact.probability.min()
    found = transition_matrices(
        values,
        exact.orders,
        alpha=ALPHA,
        prior=prior,
        constraints=constraints,
        moves="auto",
        target=target,
        heat=heat,
        **FINDERS[finder],
    )
    assert len(found) == 2
    for _, matrix in found:
        flow = exact.probability[:, None] * matrix
        np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=0, atol=1e-10)
        np.testing.assert_allclose(flow, flow.T, rtol=0, atol=1e-10)
        np.testing.assert_allclose(exact.probability @ matrix, exact.probability, rtol=0, atol=1e-10)


@by_finder
@pytest.mark.parametrize("case", ["edges", "structure", "function"])
def test_the_target_is_left_unchanged(rng, finder, case):
    check_balance(four_variables(rng, 25), finder, *PRIORS[case])


@pytest.mark.parametrize(
    ("finder", "case", "n", "heat"),
    [
        ("full", "edges", 5, 0.4),
        ("full", "edges", 4, 1.0),
        ("full", "structure", 5, 0.4),
        ("full", "structure", 4, 1.0),
        ("score", "edges", 5, 0.4),
        ("score", "structure", 4, 0.4),
        ("test", "structure", 5, 0.4),
    ],
)
def test_the_target_is_left_unchanged_with_few_rows_or_heat(rng, finder, case, n, heat):
    """With 5 or 4 rows, full conditioning has no tests for the last one or two positions."""
    check_balance(four_variables(rng, n), finder, *PRIORS[case], heat=heat)


CONSTRAINTS = {
    "order": ew.Constraints(required=[(2, 0)], tiers=[[3], [1]], forbidden=[(0, 1)]),
    "ancestors": ew.Constraints(ancestors=[(3, 0), (1, 2)], not_ancestors=[(0, 1)]),
    "indirect": ew.Constraints(ancestors=[(3, 0)], forbidden=[(3, 0)]),
}


@by_finder
@pytest.mark.parametrize(("case", "prior"), [("order", "edges"), ("ancestors", "structure"), ("indirect", "edges")])
def test_the_target_is_left_unchanged_among_what_is_known(rng, finder, case, prior):
    check_balance(four_variables(rng, 40), finder, *PRIORS[prior], constraints=CONSTRAINTS[case])


@by_finder
def test_the_target_with_each_dag_once_is_left_unchanged(rng, finder):
    def log_prior(dag, order):
        return -0.7 * dag.sum() + multiplicity.sum_relatives(dag[None])[0]

    check_balance(four_variables(rng, 25), finder, ew.Sparsity(0.7), log_prior, target="dags")


@by_finder
@pytest.mark.parametrize("moves", ["adjacent", "relocate", "auto"])
@pytest.mark.parametrize("n", [20, 4])
def test_all_orders_are_reached_and_their_probabilities_kept(rng, finder, moves, n):
    """Also where full conditioning has untested positions, which relocations alone would not reach."""
    values = four_variables(rng, n)[:, :3]
    prior = ew.Sparsity(0.7)
    exact = ExactOrders(values, gamma=0.7, imap=slow_finder(finder, values))
    matrix = transition_matrix(values, exact.orders, alpha=ALPHA, prior=prior, moves=moves, **FINDERS[finder])
    np.testing.assert_allclose(exact.probability @ matrix, exact.probability, rtol=0, atol=1e-10)
    assert (np.linalg.matrix_power(matrix, 20) > 0).all()


@pytest.mark.slow
def test_a_wrong_conditional_is_caught(rng, monkeypatch):
    """The same check, when positions are drawn with the square roots of their weights."""
    broken = altered(
        [choose_position, relocate_walking, relocate, run, work],
        right="np.exp(log_weight[i] - log_weight[best])",
        wrong="np.exp(0.5 * (log_weight[i] - log_weight[best]))",
    )
    values = four_variables(rng, 25)
    check_balance(values, "score", *PRIORS["plain"])
    monkeypatch.setattr(order_chains, "work", broken["work"])
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        check_balance(values, "score", *PRIORS["plain"])


BOUND = norm.isf(1e-4 / 40)
"""20 edges, two sides: all z-scores are within this bound but for one run in 10,000."""


@pytest.mark.parametrize(("finder", "moves"), [("full", "auto"), ("score", "auto"), ("test", "relocate")])
def test_edge_probabilities_agree_with_enumeration(finder, moves):
    values = ew.simulate(5, 60, seed=3).data.to_numpy()
    prior = ew.Sparsity(1.0)
    exact = ExactOrders(values, imap=slow_finder(finder, values)).edge_probabilities()
    assert ((exact > 0.01) & (exact < 0.99)).sum() >= 6
    posterior = ew.sample(
        values,
        sampler=ew.MinimalIMAP(alpha=ALPHA, moves=moves, **FINDERS[finder]),
        prior=prior,
        iterations=200_000,
        thin=10,
        chains=2,
        seed=1,
        progress=False,
    )
    # An edge that is drawn a few times in a run, or never, has no useful error of its own: allow it one in a thousand.
    error = np.maximum(posterior._monte_carlo_error, 1e-3)
    assert np.abs((posterior.edge_probabilities(rao_blackwell=False).to_numpy() - exact) / error).max() < BOUND


def many_variables():
    return ew.simulate(20, 100, seed=4).data.to_numpy()


@by_finder
@pytest.mark.parametrize("steps", [1000, pytest.param(5000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "prior", [ew.Sparsity(1.0), ew.Sparsity(1.0) + ew.Paths(range(8), range(8, 16), 0.5) + ew.TierOrder([[0, 1], [2]])]
)
def test_after_each_relocation_all_is_as_if_computed_afresh(rng, finder, prior, steps):
    """Relocations in a row, of each variable about 50 times."""
    p = 20
    settings = {"prior": prior, "alpha": ALPHA, **FINDERS[finder]}
    chain = make_chain(many_variables(), rng.permutation(p), moves="relocate", **settings)
    fresh = make_chain(many_variables(), range(p), **settings)
    before = chain.state.order.tolist()
    chosen = rng.integers(p, size=steps)
    draws = drive(chain, np.column_stack([choose_relocation(chain, chosen), rng.random(steps)]))
    moved = 0
    for k, dag, order, log_posterior in zip(chosen, *draws, strict=True):
        order = order.tolist()
        moved += order != before
        assert [v for v in order if v != before[k]] == [v for v in before if v != before[k]]
        fresh.state.order[:] = before = order
        assert fresh.refresh()
        np.testing.assert_array_equal(dag, fresh.dag())
        assert log_posterior == pytest.approx(fresh.log_posterior, rel=0, abs=1e-9)
    assert chain.moves()["relocation"] == (steps, moved)
    assert steps / 10 < moved < steps
    np.testing.assert_array_equal(chain.state.family["key"], fresh.state.family["key"])
    for name in ("log_score", "log_prior"):
        np.testing.assert_allclose(chain.state.family[name], fresh.state.family[name], rtol=0, atol=1e-9)
    assert chain.log_posterior == pytest.approx(fresh.log_posterior, rel=0, abs=1e-9)


class SlowPosterior:
    """The log posterior of orders, minus infinity where an order is excluded, from slow twins."""

    def __init__(self, values, finder, prior, log_prior, constraints):
        p = values.shape[1]
        self.log_prior = log_prior
        self.knowledge = None if constraints is None else constraints.resolve([f"X{i}" for i in range(p)])
        self.imap = slow_finder(finder, values, self.knowledge)
        self.local = cache(lambda node, parents: scores.bge(values, node, parents))
        self.of_order = cache(self._of_order)

    def _of_order(self, order):
        dag = self.imap.dag(order)
        if self.knowledge is not None:
            if any(self.knowledge.before[late, early] for early, late in combinations(order, 2)):
                return -np.inf
            dag = constrained_dag(self.imap, order, self.knowledge)
        if dag is None:
            return -np.inf
        families = ((node, tuple(np.flatnonzero(dag[:, node]).tolist())) for node in range(len(dag)))
        return sum(self.local(*family) for family in families) + self.log_prior(dag, order)

    def within_reach(self, order, k):
        """Return the log posteriors at the positions that can be reached from k without passing an excluded one.

        By full conditioning, relocations end with the last tested position.
        """
        values = [self.of_order(other) for other in relocated(order, k)]
        last = min(len(order), self.imap.n - 2) - 1 if isinstance(self.imap, NaiveIMAP) else len(order) - 1
        low, high = k, k
        while 0 < low <= last and values[low - 1] > -np.inf:
            low -= 1
        while high < last and values[high + 1] > -np.inf:
            high += 1
        return values[low : high + 1]


class One:
    """Stands in for a random generator that puts one variable in order."""

    def __init__(self, variable):
        self.variable = variable

    def permutation(self, number):
        return np.array([self.variable])


@by_finder
@pytest.mark.parametrize(
    ("n", "prior", "constraints"),
    [
        (80, "plain", None),
        (6, "plain", None),
        (6, "structure", None),
        (80, "structure", None),
        (80, "function", None),
        (80, "plain", ew.Constraints(required=[(5, 6)], forbidden=[(6, 2)], tiers=[[3, 1], [0]])),
        (80, "structure", ew.Constraints(ancestors=[(3, 0), (6, 5)], not_ancestors=[(1, 4)], forbidden=[(3, 0)])),
    ],
)
def test_a_climb_takes_each_variable_to_its_best_position(rng, finder, n, prior, constraints):
    """And ends where no single relocation is an improvement."""
    p = 7
    values = ew.simulate(p, n, seed=5).data.to_numpy()
    prior, log_prior = PRIORS[prior]
    slow = SlowPosterior(values, finder, prior, log_prior, constraints)
    moves = 0
    for _ in range(4):
        start = rng.permutation(p)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ew.VoidTestWarning)
            chain = make_chain(values, start, prior=prior, constraints=constraints, alpha=ALPHA, **FINDERS[finder])
        moved = True
        while moved:
            moved = False
            for variable in rng.permutation(p).tolist():
                before = tuple(chain.state.order.tolist())
                chain.rng = One(variable)
                found = chain.climb()
                after = tuple(chain.state.order.tolist())
                best = max(slow.within_reach(before, before.index(variable)))
                assert found == (before != after)
                assert chain.log_posterior == pytest.approx(slow.of_order(after), rel=0, abs=1e-8)
                assert slow.of_order(after) == pytest.approx(best, rel=0, abs=1e-8)
                if found:
                    assert slow.of_order(after) > slow.of_order(before)
                moves += found
                moved |= bool(found)
        chain.rng = np.random.default_rng(1)
        assert chain.climb() == 0
    assert moves > 0

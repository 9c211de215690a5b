"""Grow-shrink as the chain does it, by walks in a tree of greedy paths, against its slow twin."""

from functools import cache
from itertools import accumulate, combinations

import numpy as np
import pytest

import edgewise as ew
from edgewise._kernels.compiling import in_place
from edgewise._kernels.grow_shrink import tree as growth
from marks import with_few_rows
from naive import scores
from naive.grow_shrink import NaiveGrowShrink
from naive.knowledge import constrained_dag, faults
from naive.stepping import FlatScore, by_swaps, choose, drive, make_chain

by_criterion = pytest.mark.parametrize("criterion", ["score", "test"])


def well_behaved(rng, n, p):
    return ew.simulate(p, n, neighbours=min(3, p - 1), seed=rng).data.to_numpy().copy()


def nearly_collinear(rng, n, p):
    """Columns that others determine up to one part in 10^4: unexplained shares of variance near 1e-8."""
    values = well_behaved(rng, n, p)
    values[:, 1] = values[:, 0] + 1e-4 * rng.standard_normal(n)
    if p > 3:
        values[:, 3] = values[:, 2] - values[:, 0] + 1e-4 * rng.standard_normal(n)
    return values


def misleading(rng, n, p):
    """Sums of two variables, each with a less exact copy, which is found first and then no longer needed."""
    values = rng.standard_normal((n, p))
    for a in range(0, p - 3, 4):
        total = values[:, a] + values[:, a + 1]
        values[:, a + 2] = total + 0.5 * rng.standard_normal(n)
        values[:, a + 3] = total + 0.3 * rng.standard_normal(n)
    return values


def grown_chain(values, order, criterion, **settings):
    """Return a chain that, with its second random numbers zero, accepts whatever is possible.

    With a flat score the criterion "score" would grow nothing.
    """
    flat = {"score": FlatScore(), "gamma": 0.0} if criterion == "test" else {"gamma": 0.5}
    return make_chain(values, order, parents="grow-shrink", criterion=criterion, **flat, **settings)


def exchanged(order, k):
    """Return an order with position k and the next exchanged, the first being next to the last."""
    order, h = list(order), (k + 1) % len(order)
    order[k], order[h] = order[h], order[k]
    return tuple(order)


def found_by(naive, orders):
    """Return the greedy paths and the parents of all variables in some orders."""
    return [naive.search(node, frozenset(order[:j])) for order in orders.tolist() for j, node in enumerate(order)]


def take_swaps(chain, rng, number):
    """Propose random swaps and accept what is possible; return the swaps, the DAGs and the orders."""
    swaps = rng.integers(chain.model.p, size=number)
    dags, orders, _ = drive(chain, np.column_stack([choose(chain, swaps), np.zeros(number)]))
    return swaps, dags, orders


CASES = [
    (well_behaved, 300, 3),
    (well_behaved, 200, 9),
    (well_behaved, 12, 14),
    (well_behaved, 11, 10),
    (well_behaved, 6, 10),
    (well_behaved, 4, 6),
    (misleading, 60, 9),
    (nearly_collinear, 30, 2),
    (nearly_collinear, 200, 10),
    (nearly_collinear, 12, 9),
]
by_case = pytest.mark.parametrize(("make", "n", "p"), CASES)


@by_swaps
@by_criterion
@by_case
def test_the_dag_equals_the_naive_one_after_every_swap(rng, make, n, p, criterion, number):
    """Random swaps, all accepted, wrap-arounds included."""
    values = make(rng, n, p)
    chain = grown_chain(values, rng.permutation(p), criterion, alpha=0.05)
    order = tuple(chain.state.order.tolist())
    swaps, dags, orders = take_swaps(chain, rng, number)
    expected = list(accumulate(swaps.tolist(), exchanged, initial=order))[1:]
    np.testing.assert_array_equal(orders, expected)
    naive = NaiveGrowShrink(values, criterion=criterion, alpha=0.05)
    np.testing.assert_array_equal(dags, [naive.dag(order) for order in expected])
    assert (swaps == p - 1).any()
    assert len(np.unique(dags, axis=0)) > 1
    if make is misleading:
        shrunk = sum(len(parents) < len(path) for path, parents in found_by(naive, orders[:: number // 100]))
        assert shrunk > 20, "the case should be one where sets shrink"


CONSTRAINTS = {
    "edges": ew.Constraints(required=[(0, 1), (5, 1)], forbidden=[(3, 4), (4, 3), (2, 0), (2, 5)]),
    "order": ew.Constraints(required=[(4, 0)], tiers=[[3, 1], [2]], roots=[1], leaves=[5]),
    "ancestors": ew.Constraints(
        required=[(2, 0)], forbidden=[(0, 3), (5, 4)], ancestors=[(2, 1), (4, 5)], not_ancestors=[(3, 1), (1, 3)]
    ),
    "indirect": ew.Constraints(forbidden=[(4, 5)], ancestors=[(4, 5)]),
}


@by_swaps
@by_criterion
@pytest.mark.parametrize(
    ("case", "n"),
    [("edges", 60), ("edges", 5), ("order", 60), ("order", 4), ("ancestors", 60), ("ancestors", 5), ("indirect", 60)],
)
def test_the_dag_keeps_to_what_is_known_after_every_swap(rng, criterion, case, n, number):
    """Swaps that the knowledge allows are made, others not."""
    p = 6
    constraints = CONSTRAINTS[case]
    values = well_behaved(rng, n, p)
    knowledge = constraints.resolve([f"X{i}" for i in range(p)])
    chain = grown_chain(values, rng.permutation(p), criterion, alpha=0.2, constraints=constraints)
    naive = NaiveGrowShrink(
        values,
        criterion=criterion,
        alpha=0.2,
        required=knowledge.required,
        forbidden=knowledge.forbidden,
    )

    @cache
    def dag_of(order):
        if any(knowledge.before[late, early] for early, late in combinations(order, 2)):
            return None
        return constrained_dag(naive, order, knowledge)

    def exchanged_if_allowed(order, k):
        proposed = exchanged(order, k)
        return order if dag_of(proposed) is None else proposed

    order = tuple(chain.state.order.tolist())
    swaps, dags, orders = take_swaps(chain, rng, number)
    expected = list(accumulate(swaps.tolist(), exchanged_if_allowed, initial=order))
    np.testing.assert_array_equal(orders, expected[1:])
    np.testing.assert_array_equal(dags, [dag_of(order) for order in expected[1:]])
    refused = sum(order == before for order, before in zip(expected[1:], expected[:-1], strict=True))
    assert 0.01 * number < refused < 0.9 * number
    assert not any(faults(dag, constraints, range(p)) for dag in np.unique(dags, axis=0))


@by_criterion
@pytest.mark.parametrize(("make", "n", "p"), [(misleading, 100, 12), (well_behaved, 12, 20), (nearly_collinear, 50, 8)])
def test_a_walk_in_the_tree_is_the_greedy_path(rng, make, n, p, criterion):
    values = make(rng, n, p)
    chain = grown_chain(values, rng.permutation(p), criterion, alpha=0.05)
    naive = NaiveGrowShrink(values, criterion=criterion, alpha=0.05)
    tree = chain.state.found.tree
    steps = 0
    for _ in range(50):
        order = rng.permutation(p)
        for limit, node in enumerate(order.tolist()):
            state = find_state(tree, chain.target, node, np.argsort(order), limit)
            path, parents = naive.search(node, frozenset(order[:limit].tolist()))
            assert follow_back(tree, state) == list(path)
            first, size = tree.state[state]["start"], tree.state[state]["length"]
            assert tree.candidate[first : first + size].tolist() == sorted(parents)
            steps += len(path)
    assert steps > 200


@in_place
def find_state(tree, target, node, position, limit):
    return growth.walk(tree, target, node, position, limit)


def follow_back(tree, state):
    """Return the variables that lead from the root to a state, the first first."""
    path = []
    while tree.state[state]["parent"] >= 0:
        path.insert(0, tree.state[state]["added"])
        state = tree.state[state]["parent"]
    return path


@by_criterion
@pytest.mark.parametrize("prior", [ew.Sparsity(0.5), ew.Sparsity(0.5) + ew.Paths([0, 1], [5, 6])])
def test_forgetting_the_tree_changes_nothing(rng, monkeypatch, prior, criterion):
    """A tree with room for one path and no more is emptied all the time."""
    p = 15
    values = well_behaved(rng, 60, p)
    rows, order = rng.random((3000, 2)), rng.permutation(p)
    found = []
    for states in (growth.STATES, p + 1):
        monkeypatch.setattr(growth, "STATES", states)
        chain = make_chain(values, order, parents="grow-shrink", criterion=criterion, moves="auto", prior=prior)
        found.append(drive(chain, rows))
        assert (chain.state.found.tree.used[growth.STATES_USED] > p + 1) == (states > p + 1)
    for large, small in zip(*found, strict=True):
        np.testing.assert_array_equal(large, small)


@by_criterion
@pytest.mark.parametrize(("n", "p"), [(60, 12), (10, 14)])
def test_scores_and_priors_of_draws_are_those_of_their_dags(rng, n, p, criterion):
    """With a prior that has an opinion of each edge, and moves of every kind."""
    values = well_behaved(rng, n, p)
    log_odds = rng.normal(size=(p, p))
    settings = {"parents": "grow-shrink", "criterion": criterion, "moves": "auto", "alpha": 0.1}
    prior = ew.Sparsity(0.5) + ew.EdgeBeliefs(log_odds=log_odds)
    chain = make_chain(values, rng.permutation(p), prior=prior, **settings)
    dags, orders, log_posterior = drive(chain, rng.random((5000, 2)))
    naive = NaiveGrowShrink(values, criterion=criterion, alpha=0.1)
    for i in rng.integers(len(dags), size=100):
        np.testing.assert_array_equal(dags[i], naive.dag(orders[i].tolist()))
        log_prior = (log_odds - 0.5)[dags[i]].sum()
        expected = scores.total(scores.bge, values, dags[i]) + log_prior
        np.testing.assert_allclose(log_posterior[i], expected, rtol=1e-10)
    assert len(np.unique(dags, axis=0)) > 100


@pytest.mark.parametrize(("n", "p"), [(100, 8), (7, 9)])
def test_another_score_is_grown_by_its_own_gains(rng, n, p):
    """The BIC, under which a family that fits all rows exactly is impossible."""
    values = well_behaved(rng, n, p)

    def bic(values, node, parents):
        return scores.bic(values, node, parents) if len(parents) < n - 1 else -np.inf

    chain = make_chain(values, rng.permutation(p), parents="grow-shrink", score=ew.GaussianBIC(), gamma=0.5)
    _, dags, orders = take_swaps(chain, rng, 1000)
    naive = NaiveGrowShrink(values, criterion="score", local=bic)
    np.testing.assert_array_equal(dags, [naive.dag(order) for order in orders.tolist()])
    assert dags.sum(axis=1).max() > 2


@with_few_rows
@by_criterion
def test_columns_that_others_determine_do_not_break_the_scores(criterion):
    """With no more rows than variables, such a dependence is not refused beforehand, and no score of it is defined."""
    values = np.random.default_rng(0).normal(size=(30, 40))
    values[:, 3] = values[:, 0] + values[:, 1]
    posterior = ew.sample(
        values,
        score=ew.GaussianBIC(),
        sampler=ew.MinimalIMAP(criterion=criterion),
        iterations=2000,
        thin=10,
        chains=2,
        seed=1,
        progress=False,
    )
    assert np.isfinite(posterior.log_posterior).all()
    probability = posterior.edge_probabilities(rao_blackwell=True).to_numpy()
    assert ((probability >= 0) & (probability <= 1)).all()


@with_few_rows
def test_more_required_parents_than_a_score_allows_are_refused():
    values = np.random.default_rng(0).normal(size=(6, 10))
    required = [(f"X{v}", "X9") for v in range(8)]
    with pytest.raises(ew.ArgumentError, match="more required parents than the rows of the data allow"):
        ew.sample(values, score=ew.GaussianBIC(), constraints=ew.Constraints(required=required), progress=False)

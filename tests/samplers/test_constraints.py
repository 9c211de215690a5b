"""Every draw agrees with what is known for certain, and the chain has the right target among such DAGs."""

import warnings

import numpy as np
import pytest
from scipy.stats import norm

import edgewise as ew
from exact.orders import ExactOrders
from exact.transitions import transition_matrix
from marks import with_few_rows
from naive.imap import NaiveIMAP
from naive.knowledge import constrained_dag, faults
from naive.stepping import PAPER, FlatScore, drive, make_chain

NAMES = ["X0", "X1", "X2", "X3"]

CASES = {
    "required": ew.Constraints(required=[(2, 0), (0, 3)]),
    "forbidden": ew.Constraints(forbidden=[(0, 1), (1, 0), (2, 3)]),
    "tiers": ew.Constraints(tiers=[[3, 1], [0]]),
    "roots and leaves": ew.Constraints(roots=[2], leaves=[1]),
    "ancestors": ew.Constraints(ancestors=[(3, 0), (1, 2)]),
    "not ancestors": ew.Constraints(not_ancestors=[(0, 1), (1, 0), (2, 3)]),
    "indirect": ew.Constraints(ancestors=[(3, 0)], forbidden=[(3, 0)]),
    "all": ew.Constraints(
        required=[(2, 0)], forbidden=[(0, 3)], ancestors=[(2, 1)], not_ancestors=[(3, 1)], tiers=[[2], [0, 1]]
    ),
}
by_case = pytest.mark.parametrize("constraints", CASES.values(), ids=CASES)


def four_variables(rng, n=30):
    return rng.standard_normal((n, 4)) @ (np.eye(4) + 0.6 * rng.standard_normal((4, 4)))


@by_case
@pytest.mark.parametrize("n", [40, 5])
def test_the_transition_matrix_leaves_the_target_unchanged(rng, constraints, n):
    values = four_variables(rng, n)
    target = ExactOrders(values, alpha=0.2, knowledge=constraints.resolve(NAMES))
    assert len(target.orders) > 1
    matrix = transition_matrix(values, target.orders, constraints=constraints, alpha=0.2)
    np.testing.assert_allclose(target.probability @ matrix, target.probability, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", [0, 7])
def test_the_link_to_a_required_ancestor_is_the_same_however_the_order_was_reached(seed):
    """Weak data, where no test finds a parent: which link completes the path has to be looked at after each move."""
    values = np.random.default_rng(seed).standard_normal((40, 4))
    values[:, 1:3] += 0.5 * values[:, 3:]
    constraints = CASES["indirect"]
    target = ExactOrders(values, alpha=0.2, knowledge=constraints.resolve(NAMES))
    matrix = transition_matrix(values, target.orders, constraints=constraints, alpha=0.2)
    np.testing.assert_allclose(target.probability @ matrix, target.probability, rtol=0, atol=1e-12)


@by_case
def test_with_an_order_prior_the_target_is_still_right(rng, constraints):
    values = four_variables(rng, 40)
    knowledge = constraints.resolve(NAMES)

    def log_prior(dag, order):
        return -0.5 * dag.sum() + 2.0 * (list(order).index(3) == 0)

    prior = ew.Sparsity(0.5) + ew.TierOrder([[3], [0, 1, 2]], 2.0)
    target = ExactOrders(values, alpha=0.2, knowledge=knowledge, log_prior=log_prior)
    matrix = transition_matrix(values, target.orders, constraints=constraints, prior=prior, alpha=0.2)
    np.testing.assert_allclose(target.probability @ matrix, target.probability, rtol=0, atol=1e-12)


BOUND = norm.isf(1e-4 / 24)
"""12 edges, two sides: all z-scores are within this bound but for one run in 10,000."""


@by_case
def test_edge_probabilities_agree_with_enumeration(rng, constraints):
    values = four_variables(rng, 60)
    exact = ExactOrders(values, alpha=0.1, knowledge=constraints.resolve(NAMES)).edge_probabilities()
    posterior = ew.sample(
        values,
        sampler=ew.MinimalIMAP(**PAPER, alpha=0.1),
        prior=ew.Sparsity(1.0),
        constraints=constraints,
        iterations=100_000,
        thin=20,
        chains=2,
        seed=2,
        progress=False,
    )
    error = np.maximum(posterior._monte_carlo_error, 1e-3)
    assert np.abs((posterior.edge_probabilities(rao_blackwell=False).to_numpy() - exact) / error).max() < BOUND
    for dag in posterior.dags().reshape(-1, 4, 4)[::100]:
        assert not faults(dag, constraints, NAMES)


def test_after_each_step_the_dag_is_that_of_the_order_alone(rng):
    """10 variables and rules of every kind: the compiled map from orders to DAGs against the slow one."""
    p = 10
    data = ew.simulate(p, 60, seed=4).data
    constraints = ew.Constraints(
        required=[(0, 1)],
        forbidden=[(2, 3), (5, 9)],
        tiers=[[0, 4], [1, 7]],
        leaves=[8],
        ancestors=[(6, 2), (4, 7), (5, 9)],
        not_ancestors=[(3, 5), (5, 3), (1, 6)],
    )
    knowledge = constraints.resolve(data.columns)
    imap = NaiveIMAP(np.corrcoef(data.to_numpy().T), 60, 0.2)
    chain = make_chain(data, rng.permutation(p), constraints=constraints, score=FlatScore(), gamma=0.0, alpha=0.2)
    dags, orders, _ = drive(chain, rng.random((800, 2)))
    assert len(np.unique(dags, axis=0)) > 100
    for dag, order in zip(dags, orders.tolist(), strict=True):
        np.testing.assert_array_equal(dag, constrained_dag(imap, order, knowledge))


def random_constraints(rng, p):
    def pairs(most):
        drawn = rng.integers(0, p, size=(rng.integers(0, most + 1), 2)).tolist()
        return [(a, b) for a, b in drawn if a != b]

    order = rng.permutation(p).tolist()
    cut = sorted(rng.integers(1, p, size=2).tolist())
    tiers = [t for t in (order[: cut[0]], order[cut[0] : cut[1]], order[cut[1] :]) if t] if rng.random() < 0.3 else []
    return ew.Constraints(
        required=pairs(2),
        forbidden=pairs(4),
        tiers=[tier[: rng.integers(1, len(tier) + 1)] for tier in tiers],
        roots=order[:1] if rng.random() < 0.2 else [],
        leaves=order[-1:] if rng.random() < 0.2 else [],
        ancestors=pairs(2),
        not_ancestors=pairs(3),
    )


@with_few_rows
@pytest.mark.parametrize("sets", [40, pytest.param(500, marks=pytest.mark.slow)])
def test_every_draw_of_random_constraints_and_data_agrees_with_them(sets):
    """What is accepted is kept to, and what is refused is refused before the run, with a reason."""
    rng = np.random.default_rng(17)
    accepted = refused = 0
    for number in range(sets):
        p = int(rng.integers(2, 9))
        n = int(rng.integers(4, 60))
        constraints = random_constraints(rng, p)
        data = ew.simulate(p, n, neighbours=min(2.0, p - 1), seed=number).data
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ew.VoidTestWarning)
                posterior = ew.sample(
                    data, constraints=constraints, iterations=400, burn_in=0, thin=1, chains=2, seed=number,
                    progress=False,
                )  # fmt: skip
        except ew.ArgumentError as error:
            refused += 1
            if "No start was found" in str(error):
                knowledge = constraints.resolve(data.columns)
                assert (knowledge.ancestors & knowledge.forbidden).any(), (number, constraints)
            else:
                with pytest.raises(ew.ArgumentError):
                    constraints.resolve(data.columns)
            continue
        accepted += 1
        for dag in np.unique(posterior.dags().reshape(-1, p, p), axis=0):
            assert not faults(dag, constraints, data.columns), (number, constraints)
    assert accepted > 0.3 * sets
    assert refused > 0.2 * sets


def test_a_required_edge_between_independent_variables_is_there(rng):
    data = rng.standard_normal((200, 3))
    constraints = ew.Constraints(required=[("X2", "X0")])
    posterior = ew.sample(data, constraints=constraints, iterations=2000, thin=2, seed=1, progress=False)
    assert posterior.edge_probabilities().loc["X2", "X0"] == 1


def test_a_forbidden_edge_between_dependent_variables_is_not_there(rng):
    cause = rng.standard_normal(200)
    data = np.column_stack([cause, cause + 0.5 * rng.standard_normal(200)])
    constraints = ew.Constraints(forbidden=[("X0", "X1")])
    posterior = ew.sample(data, constraints=constraints, iterations=2000, thin=2, seed=1, progress=False)
    assert posterior.edge_probabilities().loc["X0", "X1"] == 0
    assert posterior.edge_probabilities().loc["X1", "X0"] > 0.9


@pytest.mark.parametrize("start", ["random", ["X3", "X2", "X1", "X0"], ["X0", "X1", "X2", "X3"]])
def test_a_run_may_start_anywhere(start):
    data = ew.simulate(4, 50, seed=1).data
    constraints = ew.Constraints(tiers=[["X0"], ["X1", "X2"]], ancestors=[("X1", "X3")], roots=["X0"])
    posterior = ew.sample(
        data, constraints=constraints, start=start, iterations=300, burn_in=0, thin=1, seed=1, progress=False
    )
    assert not any(faults(dag, constraints, data.columns) for dag in posterior.dags().reshape(-1, 4, 4))


def test_an_ancestor_that_no_path_can_reach_is_refused_before_the_run(rng):
    """Three independent variables: with the direct edge forbidden, no order has a path."""
    constraints = ew.Constraints(ancestors=[("X0", "X1")], forbidden=[("X0", "X1")])
    with pytest.raises(ew.ArgumentError, match=r"No start was found.* allow the direct edge"):
        ew.sample(
            rng.standard_normal((500, 3)),
            sampler=ew.MinimalIMAP(),
            constraints=constraints,
            iterations=100,
            thin=1,
            progress=False,
        )


def test_constraints_are_recorded():
    data = ew.simulate(4, 50, seed=1).data
    constraints = ew.Constraints(required=[("X0", "X1")], roots=["X0"])
    info = ew.sample(data, constraints=constraints, iterations=200, thin=1, seed=1, progress=False).info
    assert info["constraints"]["required"] == [["X0", "X1"]]
    assert info["constraints"]["roots"] == ["X0"]


@pytest.mark.parametrize("constraints", [{"required": []}, ew.Constraints, [("X0", "X1")]])
def test_constraints_must_be_constraints(constraints):
    with pytest.raises(ew.ArgumentError, match="constraints must be an object such as Constraints"):
        ew.sample(ew.simulate(4, 50, seed=1).data, constraints=constraints, progress=False)

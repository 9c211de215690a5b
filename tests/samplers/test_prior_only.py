"""A run without data shows what the prior says."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import norm

import edgewise as ew
from naive import priors as naive
from naive.graphs import all_dags
from naive.knowledge import faults

NAMES = ["A", "B", "C", "D"]


def exact(log_prior, p, constraints=None):
    """Return the edge probabilities over all pairs of a DAG and an order that agree with each other."""
    total, edges = 0.0, np.zeros((p, p))
    for dag in all_dags(p):
        if constraints is not None and faults(dag, constraints, NAMES[:p]):
            continue
        for order in permutations(range(p)):
            position = np.argsort(order)
            if any(position[i] > position[j] for i, j in np.argwhere(dag)):
                continue
            if constraints is not None:
                before = constraints.resolve(NAMES[:p]).before
                if any(position[i] > position[j] for i, j in np.argwhere(before)):
                    continue
            weight = np.exp(log_prior(dag, order))
            total += weight
            edges += weight * dag
    return edges / total


LOG_ODDS = np.array([[0, 1, -1, 0], [0.5, 0, 2, 0], [0, 0, 0, 0], [0, -2, 0, 0.0]])

CASES = {
    "sparsity": (ew.Sparsity(1), lambda dag, order: naive.sparsity(dag), None),
    "edges": (ew.EdgeBeliefs(log_odds=LOG_ODDS), lambda dag, order: naive.edge_beliefs(dag, LOG_ODDS), None),
    "tiers": (ew.TierOrder([[2], [0], [1]], 2), lambda dag, order: naive.tier_order(order, [[2], [0], [1]], 2), None),
    "paths": (ew.Paths([0, 1], [3], 2), lambda dag, order: naive.paths(dag, [0, 1], [3], 2), None),
    "function": (ew.LogPrior(naive.sparsity), lambda dag, order: naive.sparsity(dag), None),
    "constraints": (
        ew.Sparsity(1) + ew.Paths([0], [1]),
        lambda dag, order: naive.sparsity(dag) + naive.paths(dag, [0], [1]),
        ew.Constraints(required=[(2, 3)], not_ancestors=[(0, 3)], ancestors=[(1, 3)], forbidden=[(1, 3)]),
    ),
}

BOUND = norm.isf(1e-4 / 24)
"""12 edges, two sides: all z-scores are within this bound but for one run in 10,000."""


@pytest.mark.parametrize(("prior", "log_prior", "constraints"), CASES.values(), ids=CASES)
def test_edge_probabilities_agree_with_enumeration(prior, log_prior, constraints):
    posterior = ew.sample(
        None,
        nodes=NAMES,
        prior=prior,
        constraints=constraints,
        iterations=200_000,
        thin=20,
        chains=2,
        seed=1,
        progress=False,
    )
    error = np.maximum(posterior._monte_carlo_error, 1e-3)
    z = np.abs((posterior.edge_probabilities().to_numpy() - exact(log_prior, 4, constraints)) / error)
    assert z.max() < BOUND
    if constraints is not None:
        assert not any(faults(dag, constraints, NAMES) for dag in posterior.dags().reshape(-1, 4, 4)[::50])
    order, dags = posterior.orders(), posterior.dags()
    for row, dag in zip(order[0, ::500], dags[0, ::500], strict=True):
        assert not np.tril(dag[np.ix_(row, row)]).any()


def test_the_log_prior_is_recorded():
    posterior = ew.sample(None, nodes=NAMES, prior=ew.Sparsity(2), iterations=500, thin=1, seed=1, progress=False)
    np.testing.assert_allclose(posterior.draws.log_prior, -2.0 * posterior.dags().sum(axis=(2, 3)), atol=1e-12)
    assert not np.any(posterior.draws.log_score)
    assert posterior.info["data"] is None


def test_prior_and_posterior_are_shown_side_by_side():
    data = ew.simulate(4, 100, seed=1).data
    prior = ew.Sparsity(1) + ew.Ancestors([("X0", "X1")], 3)
    posterior = ew.sample(data, prior=prior, iterations=2000, thin=5, seed=1, progress=False)
    alone = ew.sample(None, nodes=data.columns, prior=prior, iterations=2000, thin=5, seed=1, progress=False)
    table = posterior.edges(prior=alone)
    assert table.columns.tolist()[:4] == ["source", "target", "probability", "prior"]
    expected = alone.edge_probabilities()
    for row in table.itertuples():
        assert row.prior == expected.loc[row.source, row.target]
    turned = ew.sample(None, nodes=data.columns[::-1], prior=prior, iterations=2000, thin=5, seed=1, progress=False)
    again = posterior.edges(prior=turned)
    assert again["prior"].tolist() == [turned.edge_probabilities().loc[r.source, r.target] for r in again.itertuples()]
    with pytest.raises(ew.ArgumentError, match="other variables"):
        posterior.edges(prior=ew.sample(None, nodes=["a", "b"], iterations=100, thin=1, progress=False))
    with pytest.raises(ew.ArgumentError, match="run without data"):
        posterior.edges(prior=prior)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "needs nodes"),
        ({"nodes": "AB"}, "needs nodes"),
        ({"nodes": []}, "needs nodes"),
        ({"nodes": ["A", "A"]}, "More than one"),
        ({"nodes": NAMES, "sampler": ew.MinimalIMAP()}, "neither a sampler nor a score"),
        ({"nodes": NAMES, "score": ew.BGe()}, "neither a sampler nor a score"),
    ],
)
def test_what_a_run_without_data_needs(settings, message):
    with pytest.raises(ew.EdgewiseError, match=message):
        ew.sample(None, **settings, progress=False)


def test_nodes_and_data_do_not_go_together():
    with pytest.raises(ew.ArgumentError, match="without data only"):
        ew.sample(ew.simulate(4, 50, seed=1).data, nodes=NAMES, progress=False)


def test_two_variables_are_enough():
    prior = ew.Sparsity(1.0)
    posterior = ew.sample(None, nodes=["A", "B"], prior=prior, iterations=20_000, thin=1, seed=1, progress=False)
    exact = np.exp(-1) / (2 + 2 * np.exp(-1))
    np.testing.assert_allclose(posterior.edge_probabilities().to_numpy()[[0, 1], [1, 0]], exact, atol=0.02)

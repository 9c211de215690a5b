"""A run without data shows what the prior says."""

from fractions import Fraction
from itertools import permutations
from math import comb

import numpy as np
import pytest
from scipy.stats import norm, t

import edgewise as ew
from edgewise.samplers import prior_only
from keyboard import ctrl_c
from naive import priors as naive
from naive.graphs import all_dags
from naive.knowledge import faults
from sentences import check_sentence

NAMES = ["A", "B", "C", "D"]


def exact(log_prior, constraints=None, *, copies=lambda dag: 1):
    """Return the edge probabilities over all DAGs of four variables, each counted once or some number of times."""
    total, edges = 0.0, np.zeros((4, 4))
    for dag in all_dags(4):
        if constraints is None or not faults(dag, constraints, NAMES):
            weight = np.exp(log_prior(dag)) * copies(dag)
            total += weight
            edges += weight * dag
    return edges / total


def count_orders(dag):
    return sum(not np.tril(dag[np.ix_(order, order)]).any() for order in permutations(range(len(dag))))


LOG_ODDS = np.array([[0, 1, -1, 0], [0.5, 0, 2, 0], [0, 0, 0, 0], [0, -2, 0, 0.0]])

CASES = {
    "sparsity": (ew.Sparsity(1), naive.sparsity, None),
    "edges": (ew.EdgeBeliefs(log_odds=LOG_ODDS), lambda dag: naive.edge_beliefs(dag, LOG_ODDS), None),
    "tiers": (ew.TierOrder([[2], [0], [1]], 2), lambda dag: naive.tier_layers(dag, [[2], [0], [1]], 2), None),
    "paths": (ew.Paths([0, 1], [3], 2), lambda dag: naive.paths(dag, [0, 1], [3], 2), None),
    "function": (ew.LogPrior(naive.sparsity), naive.sparsity, None),
    "rules": (
        ew.Sparsity(1),
        naive.sparsity,
        ew.Constraints(required=[(2, 3)], forbidden=[(1, 3)], tiers=[[0], [1]]),
    ),
    "constraints": (
        ew.Sparsity(1) + ew.Paths([0], [1]),
        lambda dag: naive.sparsity(dag) + naive.paths(dag, [0], [1]),
        ew.Constraints(required=[(2, 3)], not_ancestors=[(0, 3)], ancestors=[(1, 3)], forbidden=[(1, 3)]),
    ),
}

BOUND = norm.isf(1e-4 / 24)
"""12 edges, two sides: all z-scores are within this bound but for one run in 10,000."""


def draw(prior, constraints=None):
    return ew.sample(
        None, nodes=NAMES, prior=prior, constraints=constraints, iterations=40_000, thin=8, chains=2, seed=1,
        progress=False,
    )  # fmt: skip


def largest_z_score(posterior, expected):
    error = np.maximum(posterior._monte_carlo_error, 1e-3)
    return np.abs((posterior.edge_probabilities().to_numpy() - expected) / error).max()


@pytest.mark.parametrize("candidates", [1, 3])
@pytest.mark.parametrize(("prior", "log_prior", "constraints"), CASES.values(), ids=CASES)
def test_edge_probabilities_agree_with_enumeration(monkeypatch, prior, log_prior, constraints, candidates):
    """With one candidate for each variable, as good as with all."""
    monkeypatch.setattr(prior_only, "CANDIDATES", candidates)
    posterior = draw(prior, constraints)
    assert largest_z_score(posterior, exact(log_prior, constraints)) < BOUND
    if constraints is not None:
        assert not any(faults(dag, constraints, NAMES) for dag in posterior.dags().reshape(-1, 4, 4)[::50])
    order, dags = posterior.orders(), posterior.dags()
    for row, dag in zip(order[0, ::500], dags[0, ::500], strict=True):
        assert not np.tril(dag[np.ix_(row, row)]).any()


@pytest.mark.parametrize("label", ["sparsity", "tiers", "paths"])
@pytest.mark.slow
def test_counting_a_dag_once_for_each_order_would_be_caught(label):
    prior, log_prior, _ = CASES[label]
    assert largest_z_score(draw(prior), exact(log_prior, copies=count_orders)) > BOUND


def expected_edges(p, weight):
    """Return how many edges DAGs of p variables have on average, where each edge multiplies a DAG's weight by a factor.

    The sum of all weights, by the sets of variables that can be roots, by inclusion and exclusion (Robinson 1973); and
    its derivative by the factor.
    """
    total, slope = [Fraction(1)], [Fraction(0)]
    for n in range(1, p + 1):
        total.append(Fraction(0))
        slope.append(Fraction(0))
        for k in range(1, n + 1):
            sign, edges = (-1) ** (k + 1) * comb(n, k), k * (n - k)
            some = (1 + weight) ** edges
            total[n] += sign * some * total[n - k]
            slope[n] += sign * (some * slope[n - k] + edges * some / (1 + weight) * total[n - k])
    return float(weight * slope[p] / total[p])


def test_the_expected_number_of_edges_by_enumeration():
    dags = all_dags(4)
    edges = np.array([dag.sum() for dag in dags])
    assert expected_edges(4, Fraction(1, 3)) == pytest.approx(np.average(edges, weights=3.0**-edges), rel=1e-12)


def deviate(values, expected):
    """Return by how many standard errors draws of four chains, in 20 batches, are off on average."""
    batches = values.reshape(20, -1).mean(axis=1)
    return (batches.mean() - expected) / (batches.std(ddof=1) / np.sqrt(len(batches)))


def test_thirty_variables_have_as_many_neighbours_as_theory_says():
    """They are those next to them as often as others, though only the former are candidates.

    Batches of draws are nearly independent: fewer than one run in 1000 fails.
    """
    p = 30
    names = [f"V{i}" for i in range(p)]
    prior = ew.Sparsity(np.log(10))
    posterior = ew.sample(None, nodes=names, prior=prior, iterations=100_000, thin=40, seed=1, progress=False)
    place = prior_only.prepare_prior(names, prior, None).target.sets.place
    is_candidate = (place >= 0).T
    assert (is_candidate.sum(axis=0) == prior_only.CANDIDATES).all()
    assert (is_candidate.sum(axis=1) == prior_only.CANDIDATES).all()
    dags = posterior.dags()
    edges, inside = dags.sum(axis=(2, 3)), (dags & is_candidate).sum(axis=(2, 3))
    bound = t.isf(1e-4 / 4, 19)
    assert abs(deviate(edges, expected_edges(p, Fraction(1, 10)))) < bound
    assert abs(deviate(inside - edges * prior_only.CANDIDATES / (p - 1), 0.0)) < bound
    probability = posterior.edge_probabilities().to_numpy()[~np.eye(p, dtype=bool)]
    assert probability.std() < 0.1 * probability.mean()


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
        ({"nodes": 5}, "needs nodes"),
        ({"nodes": ["A", "A"]}, "More than one"),
        ({"nodes": NAMES, "sampler": ew.MinimalIMAP()}, "neither a sampler nor a score"),
        ({"nodes": NAMES, "score": ew.BGe()}, "neither a sampler nor a score"),
        ({"nodes": NAMES, "missing": "em", "header": True}, "takes no missing and header"),
    ],
)
def test_what_a_run_without_data_needs(settings, message):
    with pytest.raises(ew.EdgewiseError, match=message):
        ew.sample(None, **settings, progress=False)


def test_nodes_and_data_do_not_go_together():
    with pytest.raises(ew.ArgumentError, match="without data only"):
        ew.sample(ew.simulate(4, 50, seed=1).data, nodes=NAMES, progress=False)


def test_a_function_of_the_order_is_refused():
    with pytest.raises(ew.ArgumentError, match="A run without data cannot use a function of the order") as error:
        ew.sample(None, nodes=NAMES, prior=ew.LogPrior(lambda dag, order: 0.0), progress=False)
    check_sentence(str(error.value))


def test_ctrl_c_keeps_what_was_drawn():
    settings = {"nodes": NAMES, "thin": 10, "chains": 2, "seed": 1, "progress": False}
    with ctrl_c(chains=2, at=500), pytest.warns(ew.StoppedEarlyWarning, match="by the keyboard"):
        posterior = ew.sample(None, iterations=10**9, burn_in=100, **settings)
    whole = ew.sample(None, iterations=500, burn_in=100, **settings)
    np.testing.assert_array_equal(posterior.dags()[:, :40], whole.dags())


def test_one_variable_has_no_edges():
    posterior = ew.sample(None, nodes=["A"], iterations=1000, thin=10, seed=1, progress=False)
    assert not posterior.dags().any()


def test_two_variables_are_enough():
    prior = ew.Sparsity(1.0)
    posterior = ew.sample(None, nodes=["A", "B"], prior=prior, iterations=20_000, thin=1, seed=1, progress=False)
    exact = np.exp(-1) / (1 + 2 * np.exp(-1))
    np.testing.assert_allclose(posterior.edge_probabilities().to_numpy()[[0, 1], [1, 0]], exact, atol=0.02)

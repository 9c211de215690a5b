"""Rao-Blackwellised edge probabilities."""

from dataclasses import replace

import numpy as np
import pytest

import edgewise as ew
from edgewise.running import conditionals
from marks import with_few_rows
from naive.conditionals import conditional_edges
from sentences import check_sentence

QUICK = {"iterations": 600, "thin": 10, "chains": 2, "seed": 1, "progress": False}


def naive_mean(posterior, values, log_prior, **rules):
    """Return the weighted mean over draws of what the slow twin says, shape (2, p, p)."""
    total = 0.0
    for weights, dags, orders in zip(posterior.weights, posterior.dags(), posterior.orders(), strict=True):
        for weight, dag, order in zip(weights, dags, orders, strict=True):
            total = total + weight * np.array(conditional_edges(values, dag, order.tolist(), log_prior, **rules))
    return total


def check(posterior, values, log_prior, **rules):
    directed, compelled = naive_mean(posterior, values, log_prior, **rules)
    for kind, expected in (("directed", directed), ("compelled", compelled), ("undirected", directed + directed.T)):
        found = posterior.edge_probabilities(kind, rao_blackwell=True).to_numpy()
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


@with_few_rows
@pytest.mark.parametrize(("p", "n"), [(2, 20), (5, 40), (8, 6), (7, 400)])
@pytest.mark.parametrize("parents", ["full", "grow-shrink"])
@pytest.mark.filterwarnings("ignore::edgewise.VoidTestWarning")
def test_they_equal_those_of_the_slow_twin(p, n, parents):
    """Stored in single precision, hence the tolerance."""
    data = ew.simulate(p, n, neighbours=min(3, p - 1), seed=p).data
    posterior = ew.sample(data, sampler=ew.MinimalIMAP(parents=parents), prior=ew.Sparsity(0.8), **QUICK)
    check(posterior, data.to_numpy(), np.full((p, p), -0.8))


@pytest.mark.parametrize(
    "constraints",
    [
        ew.Constraints(required=[(0, 1)], forbidden=[(2, 3)]),
        ew.Constraints(tiers=[[2], [0, 4]], roots=[3]),
    ],
)
def test_a_prior_on_edges_and_rules_for_them_count(constraints):
    data = ew.simulate(5, 60, seed=2).data
    names = list(data)
    log_odds = np.full((5, 5), 0.3)
    log_odds[3, 4] = 2.0
    prior = ew.Sparsity(0.5) + ew.EdgeBeliefs(log_odds=log_odds)
    posterior = ew.sample(data, sampler=ew.MinimalIMAP(), prior=prior, constraints=constraints, **QUICK)
    log_prior = prior.terms(names).edge
    check(posterior, data.to_numpy(), log_prior, constraints=constraints)


def with_targets(posterior, targets):
    """Return the posterior as it were had the data had interventions."""
    return replace(posterior, info={**posterior.info, "data": {**posterior.info["data"], "targets": targets}})


@pytest.mark.parametrize("constraints", [None, ew.Constraints(required=[(0, 3)])])
@pytest.mark.parametrize("targets", [[[1]], [[0, 2], [2, 3, 4]]], ids=str)
def test_what_interventions_tell_counts(constraints, targets):
    data = ew.simulate(5, 60, seed=2).data
    settings = {"sampler": ew.MinimalIMAP(), "prior": ew.Sparsity(0.5), "constraints": constraints}
    posterior = ew.sample(data, **settings, **QUICK)
    names = [[f"X{v}" for v in together] for together in targets]
    model = ew.MinimalIMAP().prepare(
        ew.load_data(data), ew.BGe(), ew.Sparsity(0.5), constraints and constraints.resolve(list(data))
    )
    found = conditionals.condition(with_targets(posterior, names), model.target)
    check(found, data.to_numpy(), np.full((5, 5), -0.5), constraints=constraints, targets=targets)
    without = posterior.edge_probabilities("compelled")
    assert (found.edge_probabilities("compelled") - without).to_numpy().max() > 0.01


def test_weights_count():
    data = ew.simulate(4, 50, seed=5).data
    posterior = ew.sample(data, sampler=ew.MinimalIMAP(target="dags"), prior=ew.Sparsity(1.0), **QUICK)
    assert np.ptp(posterior.weights) > 0
    check(posterior, data.to_numpy(), np.full((4, 4), -1.0))


def test_with_many_draws_some_are_left_out(monkeypatch):
    data = ew.simulate(5, 60, seed=2).data
    every = ew.sample(data, **QUICK)
    monkeypatch.setattr(conditionals, "MOST_ENTRIES", 25 * 10)
    some = ew.sample(data, **QUICK)
    found, expected = (posterior.edge_probabilities(rao_blackwell=True).to_numpy() for posterior in (some, every))
    assert 0 < np.abs(found - expected).max() < 0.2


def test_errors_are_those_of_the_draws_that_are_left(monkeypatch):
    """Batches of the 480 draws of a chain have 9 or 10 each, of which 3 or 4 are looked at: every third."""
    data = ew.simulate(5, 60, seed=2).data
    every = ew.sample(data, **{**QUICK, "iterations": 6000})
    monkeypatch.setattr(conditionals, "MOST_ENTRIES", 25 * 480 // 3)
    some = ew.sample(data, **{**QUICK, "iterations": 6000})
    off_diagonal = ~np.eye(5, dtype=bool)
    ratio = some.conditional_errors[:, off_diagonal] / every.conditional_errors[:, off_diagonal]
    assert 1 < np.median(ratio) < 3


def test_with_much_data_they_are_shares_of_draws():
    simulation = ew.simulate(6, 100_000, neighbours=2, weights=(0.5, 1.0), seed=1)
    posterior = ew.sample(simulation.data, prior=ew.Sparsity(1.0), **QUICK)
    for kind in ("directed", "undirected", "compelled"):
        plain = posterior.edge_probabilities(kind).to_numpy()
        better = posterior.edge_probabilities(kind, rao_blackwell=True).to_numpy()
        np.testing.assert_allclose(better, plain, rtol=0, atol=0.03)


def test_they_survive_storage(tmp_path):
    data = ew.simulate(5, 60, seed=2).data
    posterior = ew.sample(data, **QUICK)
    posterior.save(tmp_path / "posterior.nc")
    stored = ew.sample(data, store=tmp_path / "other.nc", **QUICK)
    for other in (ew.load(tmp_path / "posterior.nc"), stored, ew.load(tmp_path / "other.nc")):
        np.testing.assert_array_equal(other.conditionals, posterior.conditionals)


@pytest.mark.parametrize(
    "arguments",
    [
        {"prior": ew.Sparsity(1.0) + ew.Paths(["X0"], ["X3"])},
        {"prior": ew.LogPrior(lambda dag: -float(dag.sum()))},
        {"constraints": ew.Constraints(ancestors=[("X0", "X3")])},
        {"sampler": ew.OrderMCMC()},
    ],
)
def test_where_an_edge_cannot_be_judged_alone_there_are_none(arguments):
    posterior = ew.sample(ew.simulate(4, 60, seed=2).data, **arguments, **QUICK)
    with pytest.raises(ew.ArgumentError) as caught:
        posterior.edge_probabilities(rao_blackwell=True)
    assert "MinimalIMAP()" in check_sentence(str(caught.value))


def test_other_weights_leave_none():
    posterior = ew.sample(ew.simulate(4, 60, seed=2).data, **QUICK)
    assert posterior.conditionals is not None
    assert posterior.reweighted(np.zeros_like(posterior.weights)).conditionals is None

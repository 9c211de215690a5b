from itertools import islice

import numpy as np
import pytest

import edgewise as ew
from edgewise.experiments.theorem import (
    BOUND,
    EXPERIMENT,
    KINDS,
    METHODS,
    cancelling_data,
    faithful_data,
    measure_errors,
    restricted_posteriors,
    weakest_correlation,
)

pytestmark = pytest.mark.usefixtures("undrawn")


def made_up(p, kind, n):
    """Errors that fall like 1 / n, but not where paths cancel, nor over orders."""
    error = 0.3 if kind == "cancelling" else 5 / n
    errors = {method: [0.2, 0.21] if "orders" in method else [error, 1.1 * error] for method in METHODS}
    return {"directed": errors, "undirected": errors}


def results_of(pieces, make=made_up):
    return {piece.name: make(piece.settings["p"], piece.settings["kind"], piece.settings["n"]) for piece in pieces}


def test_the_plan_has_all_sizes():
    pieces = EXPERIMENT.plan(False, None)
    assert len({piece.name for piece in pieces}) == len(pieces) == 20
    assert {piece.settings["n"] for piece in pieces} == {20, 100, 500, 2000, 20_000}
    assert {piece.settings["kind"] for piece in pieces} == set(KINDS)


def test_errors_that_fall_pass_the_checks(tmp_path):
    section = EXPERIMENT.conclude(results_of(EXPERIMENT.plan(True, None)), tmp_path)
    assert [check.holds for check in section.checks] == [True, True, True]
    directed, _, standard_error = section.tables.values()
    assert directed.loc[(4, "faithful", METHODS[0]), 20] == pytest.approx(0.2625, rel=1e-9)
    assert standard_error.loc[(4, "faithful", METHODS[0]), 20] == pytest.approx(0.0125, rel=1e-9)
    assert section.figures[0].is_file()
    assert "0.263 and 0.0003 with 4 variables" in section.text[1]


def test_checks_can_fail(tmp_path):
    def stays(p, kind, n):
        errors = {method: [0.1, 0.1] for method in METHODS}
        return {"directed": errors, "undirected": errors}

    section = EXPERIMENT.conclude(results_of(EXPERIMENT.plan(True, None), stays), tmp_path)
    assert [check.holds for check in section.checks] == [False, False, False]


def test_the_weakest_correlation_is_that_of_a_chain():
    """In 0 -> 1 -> 2 with unit variances, 0 and 2 correlate by the product, and not given 1."""
    covariance = np.array([[1, 0.5, 0.4], [0.5, 1, 0.8], [0.4, 0.8, 1]])
    # Given 2, 0 and 1 have (0.5 - 0.32) / sqrt((1 - 0.16) (1 - 0.64)).
    assert weakest_correlation(covariance) == pytest.approx(0.18 / np.sqrt(0.84 * 0.36), rel=1e-9)
    assert weakest_correlation(np.eye(3)) == np.inf


def test_data_are_of_their_kind():
    few = next(cancelling_data(4, 200_000))
    correlation = np.corrcoef(few.T)
    assert abs(correlation[0, 1]) > 0.4
    assert 0.02 < abs(correlation[0, 2]) < BOUND / 2
    one, other = islice(faithful_data(4, 10), 2)
    assert one.shape == (10, 4)
    assert not np.allclose(one, other)


def test_data_below_the_bound_are_passed_over():
    made = [ew.simulate(4, 10, neighbours=2.0, seed=seed) for seed in range(8)]
    kept = [simulation.data for simulation in made if weakest_correlation(simulation.covariance) >= BOUND]
    assert 1 < len(kept) < len(made)
    np.testing.assert_array_equal(list(islice(faithful_data(4, 10), len(kept))), kept)


def test_restricted_posteriors_are_what_the_sampler_samples():
    data = ew.simulate(4, 60, neighbours=2.0, seed=3).data
    moments = ew.Covariance(np.cov(data.to_numpy().T), len(data))
    listed = restricted_posteriors(moments, 4, 0.05)
    for target, name in (("orders", "orders"), ("dags", "each DAG once")):
        sampler = ew.MinimalIMAP(alpha=0.05, parents="full", moves="adjacent", target=target)
        posterior = ew.sample(
            moments, sampler=sampler, prior=ew.Sparsity(1.0), iterations=200_000, thin=10, chains=1, seed=1,
            progress=False,
        )  # fmt: skip
        sampled = posterior.edge_probabilities().to_numpy()
        assert sampled == pytest.approx(listed[name], abs=0.03)
    assert not np.allclose(listed["orders"], listed["each DAG once"], atol=0.03)


@pytest.mark.filterwarnings("ignore::edgewise.EdgewiseWarning")
def test_errors_are_measured_for_every_method():
    errors = measure_errors(kind="faithful", p=4, n=100, sets=2)
    for feature in ("directed", "undirected"):
        assert set(errors[feature]) == set(METHODS)
        assert all(len(values) == 2 and 0 <= min(values) <= max(values) < 1 for values in errors[feature].values())

"""Summaries of a posterior against plain means over its draws."""

import numpy as np
import pytest

import edgewise as ew
from edgewise.data import load_data
from edgewise.posterior import draws as draws_module
from marks import with_few_rows
from naive.graphs import random_dag
from records import make_posterior, plain
from sentences import check_sentence

COLUMNS = ["source", "target", "probability", "mcse", "undirected", "compelled"]


def sampled():
    data = ew.simulate(5, 60, seed=4).data.set_axis(list("edcba"), axis=1)
    return plain(ew.sample(data, iterations=3000, thin=10, chains=3, seed=2, progress=False))


def made(p=6, shape=(2, 50)):
    rng = np.random.default_rng(p)
    return make_posterior(np.array([[random_dag(p, rng) for _ in range(shape[1])] for _ in range(shape[0])]))


@pytest.fixture(scope="module", params=[sampled, made, lambda: made(2), lambda: made(3, (1, 1))])
def posterior(request):
    return request.param()


def plain_means(posterior):
    dags = posterior.dags().reshape(-1, len(posterior.nodes), len(posterior.nodes))
    return {
        "directed": np.mean(dags, axis=0),
        "undirected": np.mean([dag | dag.T for dag in dags], axis=0),
        "compelled": np.mean([ew.compelled_edges(dag) for dag in dags], axis=0),
    }


@pytest.mark.parametrize("at_once", [2**24, 60])
def test_edge_probabilities_are_means_over_draws(posterior, monkeypatch, at_once):
    monkeypatch.setattr(draws_module, "ENTRIES_AT_ONCE", at_once)
    fresh = ew.Posterior(posterior.nodes, posterior.draws, posterior.moves)
    for kind, expected in plain_means(posterior).items():
        found = fresh.edge_probabilities(kind)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
        assert tuple(found.index) == tuple(found.columns) == posterior.nodes
        assert found.to_numpy().min() >= 0
        assert found.to_numpy().max() <= 1
    assert fresh.edge_probabilities().equals(fresh.edge_probabilities("directed"))


def test_rows_are_sources():
    dags = np.zeros((1, 4, 3, 3), dtype=bool)
    dags[:, :, 0, 2] = True
    dags[:, :3, 1, 2] = True
    posterior = make_posterior(dags, nodes=["smoking", "gene", "cancer"])
    directed = posterior.edge_probabilities()
    assert directed.loc["smoking", "cancer"] == 1
    assert directed.loc["gene", "cancer"] == 0.75
    assert directed.loc["cancer", "smoking"] == 0
    assert posterior.edge_probabilities("undirected").loc["cancer", "gene"] == 0.75
    compelled = posterior.edge_probabilities("compelled")
    assert compelled.loc["smoking", "cancer"] == compelled.loc["gene", "cancer"] == 0.75


def test_edges_are_compelled_as_the_constraints_of_the_run_have_it(tmp_path):
    data = ew.simulate(5, 60, seed=4).data
    constraints = ew.Constraints(tiers=[[3], [1, 4]], required=[(0, 2)])
    posterior = plain(
        ew.sample(data, constraints=constraints, iterations=2000, thin=10, chains=2, seed=2, progress=False)
    )
    dags = posterior.dags().reshape(-1, 5, 5)
    expected = np.mean([ew.compelled_edges(dag, constraints) for dag in dags], axis=0)
    assert (expected > np.mean([ew.compelled_edges(dag) for dag in dags], axis=0)).any()
    posterior.save(tmp_path / "posterior.nc")
    for one in (posterior, ew.load(tmp_path / "posterior.nc"), posterior.reweighted(np.zeros_like(posterior.weights))):
        np.testing.assert_allclose(one.edge_probabilities("compelled"), expected, rtol=0, atol=1e-12)
        assert one.edges().set_index(["source", "target"]).loc[("X0", "X2"), "compelled"] == 1


def test_the_table_of_edges_agrees_with_the_matrices(posterior):
    edges = posterior.edges()
    assert list(edges.columns) == COLUMNS
    assert edges.index.tolist() == list(range(len(edges)))
    means = plain_means(posterior)
    assert len(edges) == np.count_nonzero(means["directed"])
    assert not edges.duplicated(["source", "target"]).any()
    assert edges["probability"].is_monotonic_decreasing
    for row in edges.itertuples():
        place = posterior.nodes.index(row.source), posterior.nodes.index(row.target)
        assert row.probability == pytest.approx(means["directed"][place], abs=1e-12)
        assert row.undirected == pytest.approx(means["undirected"][place], abs=1e-12)
        assert row.compelled == pytest.approx(means["compelled"][place], abs=1e-12)


@pytest.mark.parametrize("threshold", [0, 0.1, 0.5, 1])
def test_the_threshold_leaves_out_less_probable_edges(posterior, threshold):
    every = posterior.edges()
    expected = every[every["probability"] >= threshold].reset_index(drop=True)
    assert posterior.edges(threshold=threshold).equals(expected)


def test_edges_at_the_threshold_stay():
    dags = np.zeros((1, 4, 2, 2), dtype=bool)
    dags[:, :2, 0, 1] = True
    posterior = make_posterior(dags)
    assert len(posterior.edges(threshold=0.5)) == 1
    assert len(posterior.edges(threshold=0.51)) == 0
    assert list(posterior.edges(threshold=1).columns) == COLUMNS


@pytest.mark.parametrize("threshold", [-0.1, 1.1, np.nan, "high", None])
def test_thresholds_are_probabilities(posterior, threshold):
    with pytest.raises(ew.ArgumentError) as caught:
        posterior.edges(threshold=threshold)
    assert "threshold is a probability" in check_sentence(str(caught.value))


@pytest.mark.parametrize("kind", ["both", None, 3])
def test_kinds_of_edges_are_known_by_name(posterior, kind):
    with pytest.raises(ew.ArgumentError) as caught:
        posterior.edge_probabilities(kind)
    assert "kind must be 'directed', 'undirected' or 'compelled'" in check_sentence(str(caught.value))


def test_weights_and_traces(posterior):
    chains, draws = posterior.log_posterior.shape
    assert posterior.weights.shape == (chains, draws)
    assert posterior.weights.sum() == pytest.approx(1)
    np.testing.assert_array_equal(posterior.log_posterior, posterior.draws.log_score + posterior.draws.log_prior)
    np.testing.assert_array_equal(np.sort(posterior.orders(), axis=2), np.broadcast_to(
        np.arange(len(posterior.nodes)), posterior.orders().shape
    ))  # fmt: skip


def mcse(posterior):
    p = len(posterior.nodes)
    errors = np.zeros((p, p))
    for row in posterior.edges().itertuples():
        errors[posterior.nodes.index(row.source), posterior.nodes.index(row.target)] = row.mcse
    return errors


@with_few_rows
def test_the_monte_carlo_error_is_the_spread_of_independent_runs():
    """Root mean square errors of 60 runs against the standard deviation over the runs.

    The latter has a relative standard error of 1 / sqrt(2 * 59) = 9 %, so that a right error is outside the
    limits with a probability below 1e-3 per edge. The chain is lazy, so that an error that takes its draws for
    independent is far outside.
    """
    data = ew.simulate(3, 30, neighbours=1.5, seed=8).data
    lazy = ew.MinimalIMAP(laziness=0.9)
    settings = {"iterations": 6000, "burn_in": 100, "thin": 1, "chains": 2, "progress": False}
    runs = [plain(ew.sample(data, sampler=lazy, seed=seed, **settings)) for seed in range(60)]
    probability = np.array([run.edge_probabilities().to_numpy() for run in runs])
    uncertain = np.abs(probability.mean(axis=0) - 0.5) < 0.45
    assert uncertain.sum() >= 2
    spread = probability.std(axis=0, ddof=1)[uncertain]
    stated = np.sqrt(np.mean([mcse(run) ** 2 for run in runs], axis=0))[uncertain]
    np.testing.assert_array_less(stated / spread, 1.4)
    np.testing.assert_array_less(spread / stated, 1.4)
    mean = probability.mean(axis=0)[uncertain]
    independent = np.sqrt(mean * (1 - mean) / (2 * 5900))
    assert (spread / independent > 2).all()


def test_the_monte_carlo_error_of_independent_draws_is_binomial():
    rng = np.random.default_rng(3)
    dags = np.zeros((4, 1000, 2, 2), dtype=bool)
    dags[..., 0, 1] = rng.random((4, 1000)) < 0.3
    error = mcse(make_posterior(dags))[0, 1]
    # Relative standard error 1 / sqrt(2 * 79) = 8 %.
    assert error == pytest.approx(np.sqrt(0.3 * 0.7 / 4000), rel=0.3)


@pytest.mark.parametrize("draws", [2, 19, 21, 977])
def test_an_edge_in_every_draw_has_no_monte_carlo_error(draws):
    dags = np.zeros((3, draws, 3, 3), dtype=bool)
    dags[..., 0, 1] = True
    dags[:, ::2, 2, 1] = True
    error = mcse(make_posterior(dags))
    assert error[0, 1] == 0
    assert error[2, 1] > 0 or draws < 4


def test_one_draw_has_no_known_error():
    dags = np.zeros((1, 1, 2, 2), dtype=bool)
    dags[..., 0, 1] = True
    assert np.isnan(make_posterior(dags).edges()["mcse"]).all()


# What is kept, and what is found once


def test_new_weights_keep_the_moments_of_the_data():
    posterior = sampled()
    assert posterior.moments.n == 60
    changed = posterior.reweighted(np.zeros(posterior.weights.shape))
    assert changed.moments is posterior.moments
    # The runs that are given weights, or conditional probabilities, at their end.
    data = ew.simulate(4, 60, seed=4).data
    for settings in ({"sampler": ew.MinimalIMAP(target="dags")}, {"sampler": ew.StructureMCMC()}):
        run = ew.sample(data, iterations=1000, thin=10, chains=2, seed=2, progress=False, **settings)
        np.testing.assert_array_equal(run.moments.scale, load_data(data).moments.scale)


def test_diagnostics_are_found_once_and_warn_every_time():
    dags = np.zeros((2, 100, 2, 2), dtype=bool)
    dags[0, :, 0, 1] = dags[1, :, 1, 0] = True
    posterior = make_posterior(dags)
    silent = posterior.silent_diagnostics
    assert not silent.is_converged
    for _ in range(2):
        with pytest.warns(ew.ConvergenceWarning, match="Do not trust") as caught:
            assert posterior.diagnostics() is silent
        assert [warning.filename for warning in caught] == [__file__]
    other = posterior.reweighted(np.repeat([[0.0], [-np.inf]], 100, axis=1))
    assert other.silent_diagnostics is not silent

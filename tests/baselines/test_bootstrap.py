from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import edgewise as ew
from edgewise.baselines import bootstrap, hill_climb, mmhc
from edgewise.baselines.bootstrapping import as_draws
from edgewise.data import load_data
from naive.graphs import random_dag
from sentences import check_sentence


@pytest.fixture(scope="module")
def sim():
    return ew.simulate(6, 100, seed=1)


@pytest.fixture(scope="module")
def replicated(sim):
    return bootstrap(mmhc, sim.data, 30, seed=5)


def test_probabilities_are_shares_of_what_the_learner_says(sim):
    learned = []

    def learner(data):
        learned.append((data, mmhc(data, as_array=True)))
        return learned[-1][1]

    posterior = bootstrap(learner, sim.data, 25, seed=5)
    dags = np.array([dag for _, dag in learned])
    np.testing.assert_array_equal(posterior.dags()[0], dags)
    np.testing.assert_allclose(posterior.edge_probabilities(), dags.mean(axis=0), rtol=0, atol=1e-12)
    rows = {tuple(row) for row in sim.data.to_numpy().tolist()}
    for data, _ in learned:
        assert data.shape == sim.data.shape
        assert data.columns.tolist() == sim.data.columns.tolist()
        assert data.index.tolist() == list(range(len(data)))
        assert {tuple(row) for row in data.to_numpy().tolist()} < rows


def score_counts(counts):
    """Return the largest of 40 z-scores: of how often each of 20 rows is drawn, and in how many replicates it is not.

    ``counts`` has a row for each replicate.
    """
    number, missing = len(counts), (1 - 1 / 20) ** 20
    z_counts = (counts.sum(axis=0) - number) / np.sqrt(number * 20 * (1 / 20) * (19 / 20))
    z_missing = ((counts == 0).sum(axis=0) - number * missing) / np.sqrt(number * missing * (1 - missing))
    return np.abs([z_counts, z_missing]).max()


LARGEST = norm.isf(1e-4 / 80)
"""What the largest score exceeds in one run of 10,000."""


def test_rows_are_drawn_evenly_and_independently():
    """1,000 draws of each of 20 rows."""
    data = pd.DataFrame({"number": np.arange(20.0), "noise": np.random.default_rng(1).standard_normal(20)})
    counts = []

    def learner(resampled):
        counts.append(np.bincount(resampled["number"].astype(int), minlength=20))
        return np.zeros((2, 2), dtype=bool)

    bootstrap(learner, data, 1000, seed=3)
    assert score_counts(np.array(counts)) < LARGEST


def test_uneven_and_dependent_rows_are_caught(rng):
    """One row a fifth more often than the others; and rows that come at most twice."""
    share = np.full(20, 1.0)
    share[7] = 1.2
    assert score_counts(rng.multinomial(20, share / share.sum(), size=1000)) > LARGEST
    assert score_counts(rng.multivariate_hypergeometric([2] * 20, 20, size=1000)) > LARGEST


def test_it_reads_like_any_posterior(sim, replicated, tmp_path):
    assert replicated.nodes == tuple(sim.data.columns)
    assert replicated.info["method"] == "bootstrap"
    assert replicated.info["learner"] == "mmhc"
    assert replicated.info["seed"] == 5
    assert replicated.edges(0.5)["probability"].is_monotonic_decreasing
    assert replicated.consensus_dag().shape == (6, 6)
    assert replicated.edge_probabilities("compelled").shape == (6, 6)
    assert 0 <= replicated.probability(lambda dag: dag.any()) <= 1
    assert len(replicated.total_effects(sim.data, draws=50, seed=1)) > 0
    assert replicated.to_arviz()
    replicated.save(tmp_path / "bootstrap.nc")
    same = ew.load(tmp_path / "bootstrap.nc")
    np.testing.assert_array_equal(same.dags(), replicated.dags())
    assert same.info == replicated.info


def test_scores_and_orders_belong_to_the_dags(sim, replicated):
    for dag, order, log_score in zip(
        replicated.dags()[0], replicated.orders()[0], replicated.log_posterior[0], strict=True
    ):
        np.testing.assert_allclose(log_score, ew.score(dag, sim.data), rtol=0, atol=1e-8)
        assert not np.tril(dag[np.ix_(order, order)]).any()
    other = bootstrap(mmhc, sim.data, 30, seed=5, score=ew.GaussianBIC())
    np.testing.assert_array_equal(other.dags(), replicated.dags())
    assert (other.log_posterior != replicated.log_posterior).all()
    assert other.info["score"] == {"name": "GaussianBIC"}


@pytest.mark.parametrize("p", [2, 8, 9, 20])
def test_draws_hold_any_dags(rng, p):
    dags = np.array([random_dag(p, rng) for _ in range(12)] * 2)
    table = as_draws(dags, np.zeros(24))
    np.testing.assert_array_equal(table.dags(np.asarray(table.family))[0], dags)
    family = (table.family_node, table.family_parents)
    names = {(int(node), parents.tobytes()) for node, parents in zip(*family, strict=True)}
    assert len(names) == len(table.family_node)


def test_same_seed_same_draws_wherever_they_are_made(sim, replicated):
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(1) as processes:
        for executor in (None, threads, processes):
            again = bootstrap(mmhc, sim.data, 30, seed=5, executor=executor)
            np.testing.assert_array_equal(again.dags(), replicated.dags())
    assert (bootstrap(mmhc, sim.data, 30, seed=6).dags() != replicated.dags()).any()


def test_a_chosen_seed_is_noted(sim):
    chosen = bootstrap(hill_climb, sim.data, 3)
    again = bootstrap(hill_climb, sim.data, 3, seed=chosen.info["seed"])
    np.testing.assert_array_equal(again.dags(), chosen.dags())


def test_learners_may_return_graphs_with_names(sim):
    def as_frame(data):
        return mmhc(data).iloc[::-1, ::-1]

    def as_array(data):
        return mmhc(data, as_array=True)

    def as_networkx(data):
        return ew.to_networkx(mmhc(data))

    expected = bootstrap(mmhc, sim.data, 5, seed=1).dags()
    for learner in (as_frame, as_array, as_networkx):
        np.testing.assert_array_equal(bootstrap(learner, sim.data, 5, seed=1).dags(), expected)


def test_a_covariance_has_no_rows(sim):
    with pytest.raises(ew.ArgumentError, match="a Covariance has none") as error:
        bootstrap(mmhc, ew.Covariance(sim.covariance, n=100), 10)
    check_sentence(str(error.value))


def test_a_replicate_that_cannot_be_learned_from_is_named(rng):
    values = rng.standard_normal((30, 3))
    values[:, 2] = 0.0
    values[0, 2] = 1.0  # constant in about a third of the replicates
    with pytest.raises(
        ew.DataError, match=r"^Replicate \d+ of the bootstrap, 30 rows .*same value in every row"
    ) as error:
        bootstrap(mmhc, values, 100, seed=1)
    check_sentence(str(error.value))


def test_an_answer_that_is_no_dag_is_named(sim):
    cycle = nx.DiGraph([("X0", "X1"), ("X1", "X0")])
    cycle.add_nodes_from(sim.data.columns)
    with pytest.raises(
        ew.DataError, match=r"Replicate 1 of the bootstrap.*gave no DAG \(The graph has a cycle"
    ) as error:
        bootstrap(lambda data: cycle, sim.data, 3)
    check_sentence(str(error.value))


def test_other_errors_of_a_learner_are_its_own(sim):
    def learner(data):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        bootstrap(learner, sim.data, 3)


@pytest.mark.parametrize("reading", [{"missing": "em"}, {"interventions": np.eye(100, 6, dtype=bool)}])
def test_what_a_learner_would_not_know_of_is_refused(sim, reading):
    data = load_data(sim.data.mask(np.eye(100, 6, dtype=bool)) if "missing" in reading else sim.data, **reading)
    with pytest.raises(ew.ArgumentError, match="not know of interventions or missing values") as error:
        bootstrap(mmhc, data, 3)
    check_sentence(str(error.value))


@pytest.mark.parametrize(
    "settings",
    [{"learner": "mmhc"}, {"replicates": 0}, {"replicates": 2.5}, {"seed": -1}, {"seed": "one"}, {"executor": 4}],
)
def test_bad_settings_are_refused(sim, settings):
    with pytest.raises(ew.ArgumentError) as error:
        bootstrap(**({"learner": mmhc, "data": sim.data, "replicates": 2} | settings))
    check_sentence(str(error.value))

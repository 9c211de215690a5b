"""What a number of rows would tell, by simulation."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise.posterior import finite_rows
from edgewise.posterior.finite_rows import (
    divergence,
    draw_parameters,
    list_families,
    read_prior,
    score_families,
    simulate_rows,
)
from naive.graphs import all_dags
from reports import data_of, sample
from sentences import check_sentence

NAMES = ["X1", "X2", "X3"]


@pytest.fixture(scope="module")
def chain():
    """A chain X1 - X2 - X3 whose three members have nearly all the mass."""
    return sample(data_of([(0, 1), (1, 2)], 3), prior=ew.Sparsity(6.0))


@pytest.mark.parametrize("target", [-1, 0, 2])
@pytest.mark.parametrize("standardize", [False, True])
def test_dags_are_weighed_by_the_score_of_old_and_new_rows(standardize, target):
    """The difference of two scores of whole tables, the second with interventions, is the log ratio of each DAG."""
    rng = np.random.default_rng(1)
    old = pd.DataFrame(rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3)) + [1.0, 0.0, -2.0], columns=NAMES)
    new = pd.DataFrame(rng.normal(size=(25, 3)) + 0.5, columns=NAMES)
    nu = [0.5, 0.0, 1.0]
    posterior = sample(old, score=ew.BGe(nu=nu, alpha_mu=2.0, alpha_w=7.0, standardize=standardize))
    prior = read_prior(posterior)
    # In the units that the score has, which more rows do not change.
    unit = old.std() if standardize else 1.0
    plain = ew.BGe(nu=list(np.array(nu) / np.asarray(unit)), alpha_mu=2.0, alpha_w=7.0, standardize=False)
    is_set = np.zeros((85, 3), bool)
    if target >= 0:
        is_set[60:, target] = True
    both = pd.concat([old / unit, new / unit], ignore_index=True)
    dags = all_dags(3)
    families, of_dag = list_families(dags)
    ratio = (score_families(prior.score((new / unit).to_numpy()), families) - score_families(prior.score(), families))[
        of_dag
    ]
    if target >= 0:
        ratio[:, target] = 0.0
    for dag, found in zip(dags, ratio.sum(axis=1), strict=True):
        settings = {"interventions": is_set} if target >= 0 else {}
        expected = ew.score(dag, both, plain, **settings) - ew.score(dag, old / unit, plain)
        assert found == pytest.approx(expected, abs=1e-8)


def test_simulated_rows_are_those_of_the_data(chain):
    """With 500 rows parameters are known to a few hundredths, and a million rows have the covariances of the data.

    Each of 9 entries may be off by 5 standard errors of about .1, with a false alarm rate below 1e-5.
    """
    prior, rng = read_prior(chain), np.random.default_rng(1)
    dag = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], bool)
    found = [
        np.cov(simulate_rows(dag, *draw_parameters(dag, prior, rng), rng.standard_normal((20_000, 3)), -1, prior).T)
        for _ in range(20)
    ]
    np.testing.assert_allclose(np.mean(found, axis=0), chain.moments.correlation, atol=0.08)


def test_a_variable_that_is_set_has_no_causes(chain):
    prior, rng = read_prior(chain), np.random.default_rng(1)
    dag = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], bool)
    rows = simulate_rows(dag, *draw_parameters(dag, prior, rng), rng.standard_normal((100_000, 3)), 1, prior)
    correlation = np.corrcoef(rows.T)
    assert abs(correlation[0, 1]) < 0.02  # six standard errors
    assert correlation[1, 2] > 0.5
    assert rows[:, 1].std() == pytest.approx(1.0, abs=0.02)


def test_many_rows_tell_what_is_told_without_counting_them(chain):
    many = chain.next_experiments().set_index("target")
    counted = chain.next_experiments(rows=5000, seed=1).set_index("target")
    np.testing.assert_allclose(counted["bits_beyond"], many.loc[counted.index, "bits_beyond"], atol=0.15)
    assert counted.index[0] == "X2"


def test_few_rows_tell_less(chain):
    bits = [chain.next_experiments(rows=rows, seed=1).set_index("target")["bits"]["X2"] for rows in (2, 20, 2000)]
    assert bits[0] < bits[1] - 0.1 < bits[2] - 0.2


@pytest.mark.parametrize("about", ["directed edges", ("parents", "X1"), ("path", "X1", "X3"), lambda dag: dag.sum()])
def test_questions_can_be_asked(chain, about):
    table = chain.next_experiments(about, rows=50, seed=1, exclude=["X3"], costs={"X1": 2})
    assert sorted(table["target"]) == ["X1", "X2"]
    assert table.columns.tolist() == ["target", "bits", "bits_beyond", "mcse", "cost", "bits_per_cost"]
    assert (table["bits"] >= 0).all()
    pd.testing.assert_frame_equal(
        table, chain.next_experiments(about, rows=50, seed=1, exclude=["X3"], costs={"X1": 2})
    )


def test_the_divergence_is_that_of_the_label():
    label = np.array([0, 0, 1])
    weight, log_ratio = np.array([0.25, 0.25, 0.5]), np.log([1.0, 3.0, 4.0])
    new = np.array([1, 2]) / 3
    assert divergence([label], weight, log_ratio) == pytest.approx((new * np.log2(new / 0.5)).sum())
    assert divergence([label, label], weight, log_ratio + 1000) == pytest.approx(2 * (new * np.log2(new / 0.5)).sum())


def test_many_draws_are_sampled(chain, monkeypatch):
    monkeypatch.setattr(finite_rows, "MOST_HYPOTHESES", 2)
    assert len(chain.next_experiments(rows=10, seed=1)) == 3


@pytest.mark.parametrize("rows", [0, -1, 1.5, "many", True])
def test_rows_must_be_a_number_of_rows(chain, rows):
    with pytest.raises(ew.ArgumentError) as error:
        chain.next_experiments(rows=rows)
    assert "rows must be a whole number" in check_sentence(str(error.value))


def test_what_cannot_be_simulated_is_refused(chain):
    is_set = np.zeros((60, 3), bool)
    is_set[:20, 0] = True
    data = ew.simulate(3, 60, seed=1).data
    cases = [
        (chain, {"batch": 2}, "rows and batch cannot be combined"),
        (sample(data, interventions=is_set), {}, "these data have interventions"),
        (sample(None, nodes=NAMES), {}, "A run without data"),
        (replace(chain, moments=None), {}, "does not hold the means and correlations"),
        (sample(ew.simulate(21, 60, seed=1).data, iterations=200), {}, "20 variables at most, and there are 21"),
    ]
    for posterior, arguments, words in cases:
        with pytest.raises(ew.ArgumentError) as error:
            posterior.next_experiments(rows=10, **arguments)
        assert words in check_sentence(str(error.value))

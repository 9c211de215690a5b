"""Means after an intervention: against covariance matrices and means from the normal-Wishart posterior, against plain
regressions of each family, and against total effects; and what is no intervention.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import edgewise as ew
from edgewise.posterior import draws as draws_module
from edgewise.posterior import interventions as interventions_module
from edgewise.posterior import parameters as parameters_module
from edgewise.posterior.interventions import draw_means
from naive import interventions as naive
from naive.graphs import all_dags, ancestors
from records import make_posterior
from sentences import check_sentence

COLUMNS = ["mean", "lower", "upper", "change", "probability_rising", "probability_falling", "observed"]

PRIORS = [
    {"alpha_mu": 1.0, "alpha_w": 6.0, "nu": None, "standardize": True},
    {"alpha_mu": 2.5, "alpha_w": 9.5, "nu": [1.0, -2.0, 0.5, 0.0], "standardize": True},
    {"alpha_mu": 0.5, "alpha_w": 7.0, "nu": [0.3, 0.0, 1.0, 4.0], "standardize": False},
]
ORDER = [2, 0, 3, 1]
COMPLETE = np.zeros((4, 4), bool)
COMPLETE[np.ix_(ORDER, ORDER)] = np.triu(np.ones((4, 4), bool), 1)
SPARSE = np.array([[0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 0, 0]], bool)

DRAWS = 50_000

FALSE_ALARM = 1e-6
"""Of each Kolmogorov-Smirnov test; there are fewer than 100 of them."""


def few_rows(p=4, n=6):
    """So few rows that the number of prior rows makes a difference."""
    rng = np.random.default_rng(5)
    return rng.standard_normal((n, p)) @ rng.standard_normal((p, p)) * [1.0, 5.0, 0.2, 1.0][:p] + [1.0, -3, 2, 0][:p]


def only(dag, *, nodes=None):
    return make_posterior(dag[None, None], nodes=nodes)


def weighted(dags, weights, **settings):
    """Make a posterior of one chain whose draws have given weights."""
    posterior = make_posterior(dags[None], **settings)
    vars(posterior)["weights"] = np.asarray(weights, dtype=float)[None]
    return posterior


def drawn_means(posterior, setting, values, *, draws=DRAWS, seed=3, **prior):
    """Return draws of the means without and with an intervention, in the units of the data, by column number."""
    named = {posterior.nodes[column]: value for column, value in setting.items()}
    found = draw_means(posterior, named, values, score=ew.BGe(**prior), draws=draws, seed=seed)
    observed, unit = (array[found.others] for array in (found.parameters.observed, found.parameters.unit))
    before, after = (observed + unit * array for array in (found.before, found.before + found.change))
    assert found.others.tolist() == [v for v in range(len(posterior.nodes)) if v not in setting]
    return before, after


def smallest(one, other):
    """Return the smallest p-value of all columns of two samples."""
    return min(stats.ks_2samp(a, b, method="asymp").pvalue for a, b in zip(one.T, other.T, strict=True))


def are_alike(one, other):
    """Whether two samples are of one distribution, column by column, and whether means and covariances agree.

    The latter within six standard errors, in which a normal number is with a probability above 1 - 1e-8.
    """
    centred = [sample - sample.mean(axis=0) for sample in (one, other)]
    products = [np.einsum("di,dj->dij", sample, sample).reshape(len(sample), -1) for sample in centred]
    is_near = True
    for first, second in ((one, other), products):
        error = np.sqrt(first.var(axis=0) / len(first) + second.var(axis=0) / len(second))
        is_near &= (np.abs(first.mean(axis=0) - second.mean(axis=0)) < 6 * error).all()
    return is_near and smallest(one, other) > FALSE_ALARM


# The posterior of the means given a DAG


def without_mean_uncertainty(monkeypatch):
    prepare = parameters_module.prepare_parameters
    monkeypatch.setattr(
        interventions_module,
        "prepare_parameters",
        lambda *a, **k: replace(found := prepare(*a, **k), size=found.size * 1e12),
    )


def with_one_row_more(monkeypatch):
    prepare = parameters_module.prepare_parameters
    monkeypatch.setattr(
        interventions_module,
        "prepare_parameters",
        lambda *a, **k: replace(found := prepare(*a, **k), size=found.size + 1),
    )


def with_edges_left(monkeypatch):
    """Do not cut the edges into targets: sums over paths of the whole DAG."""
    calls = []

    def sum_paths(weights):
        calls.append(weights)
        real(weights)
        if len(calls) % 2 == 0:
            weights[...] = calls[-2]

    real = interventions_module.sum_paths
    monkeypatch.setattr(interventions_module, "sum_paths", sum_paths)


@pytest.mark.parametrize("prior", PRIORS, ids=["default", "prior mean", "units"])
@pytest.mark.parametrize("setting", [{0: 2.5}, {3: -1.0, 0: 0.5}, {1: 0.0}], ids=["one", "two", "a leaf"])
def test_means_under_a_complete_dag_are_those_of_sampled_covariance_matrices(prior, setting):
    """Whole matrices and means of the normal-Wishart posterior, regressed; 24 columns in nine settings."""
    values = few_rows()
    _, after = drawn_means(only(COMPLETE), setting, values, **prior)
    expected = naive.complete_means(values, ORDER, setting, DRAWS, np.random.default_rng(4), **prior)
    assert are_alike(after, np.delete(expected, list(setting), axis=1))


@pytest.mark.parametrize("broken", [without_mean_uncertainty, with_one_row_more, with_edges_left])
def test_the_comparison_catches_faults(monkeypatch, broken):
    values, setting, prior = few_rows(), {3: -1.0, 0: 0.5}, PRIORS[0]
    expected = naive.complete_means(values, ORDER, setting, DRAWS, np.random.default_rng(4), **prior)
    broken(monkeypatch)
    _, after = drawn_means(only(COMPLETE), setting, values, **prior)
    assert not are_alike(after, np.delete(expected, list(setting), axis=1))


@pytest.mark.parametrize("prior", PRIORS, ids=["default", "prior mean", "units"])
def test_means_under_a_sparse_dag_are_those_of_regressions(prior):
    """Before and after, three columns each: 18 tests."""
    values, setting, rng = few_rows(), {0: 2.5}, np.random.default_rng(6)
    found = drawn_means(only(SPARSE), setting, values, **prior)
    both = naive.regressed_means(values, SPARSE, setting, DRAWS, rng, **prior)
    for one, other in zip(found, both, strict=True):
        assert are_alike(one, other[:, 1:])


@pytest.mark.parametrize("is_broken", [False, True])
def test_the_mixture_over_dags_is_that_of_the_exact_posterior(monkeypatch, is_broken):
    """All 25 DAGs of three variables by their exact posterior, means and interval ends by direct Monte Carlo.

    Six tests at 1e-6. A fault that is to be caught: intervals without the uncertainty of the means.
    """
    values, setting, prior = few_rows(3, 12), {1: 4.0}, {**PRIORS[0], "alpha_w": 5.0}
    dags = all_dags(3)
    log_score = np.array([ew.score(dag, values, score=ew.BGe(**prior)) for dag in dags])
    weights = np.exp(log_score - log_score.max())
    weights /= weights.sum()
    exact = ew.exact_posterior(values, score=ew.BGe(**prior), prior=ew.Sparsity(0.0))
    share = np.tensordot(weights, dags, axes=1)
    np.testing.assert_allclose(exact.edge_probabilities(), share, rtol=0, atol=1e-9)
    rng = np.random.default_rng(7)
    counts = rng.multinomial(DRAWS, weights)
    both = [naive.regressed_means(values, dag, setting, k, rng, **prior) for dag, k in zip(dags, counts, strict=True)]
    before, after = np.concatenate(both, axis=1)[:, :, [0, 2]]
    chosen = np.repeat(np.arange(25), counts)
    if is_broken:
        without_mean_uncertainty(monkeypatch)
    found_before, found_after = drawn_means(weighted(dags, weights), setting, values, **prior)
    assert (are_alike(found_before, before) and are_alike(found_after, after)) != is_broken
    if not is_broken:
        table = weighted(dags, weights).intervene({"X1": 4.0}, values, score=ew.BGe(**prior), draws=20_000, seed=1)
        changes, reached = after - before, np.array([ancestors(dag)[1, [0, 2]] for dag in dags])
        for number, name in enumerate(["X0", "X2"]):
            row, few = table.loc[name], after[:, number]
            assert row["mean"] == pytest.approx(few.mean(), abs=5 * few.std() / np.sqrt(20_000))
            # The ends are those of 20,000 draws: a standard deviation of .0025.
            assert ((few > row["lower"]) & (few < row["upper"])).mean() == pytest.approx(0.9, abs=0.0125)
            moved = np.where(reached[chosen, number], changes[:, number], 0)
            assert row["probability_rising"] == pytest.approx((moved > 0).mean(), abs=0.02)
            assert row["probability_falling"] == pytest.approx((moved < 0).mean(), abs=0.02)
            path = weights @ reached[:, number]
            assert row["probability_rising"] + row["probability_falling"] == pytest.approx(path, abs=1e-4)


# The table


@pytest.fixture(scope="module")
def sampled():
    data = ew.simulate(5, 60, seed=4).data.set_axis(list("edcba"), axis=1) * [1.0, 20.0, 0.1, 3.0, 1.0] + 7
    return ew.sample(data, iterations=3000, thin=10, chains=3, seed=2, progress=False), data


def test_the_table_is_a_summary_of_the_draws(sampled):
    posterior, data = sampled
    table = posterior.intervene({"c": 7.3, "a": 8.0}, draws=300, interval=0.8, seed=6)
    assert table.columns.tolist() == COLUMNS
    assert table.index.name == "variable"
    assert sorted(table.index) == ["b", "d", "e"]
    before, after = drawn_means(posterior, {2: 7.3, 4: 8.0}, data, draws=300, seed=6)
    for number, name in enumerate(["e", "d", "b"]):
        row, few, change = table.loc[name], after[:, number], (after - before)[:, number]
        assert row["mean"] == pytest.approx(few.mean(), rel=1e-12)
        assert row[["lower", "upper"]].tolist() == pytest.approx(np.quantile(few, [0.1, 0.9]), rel=1e-12)
        assert row["change"] == pytest.approx(change.mean(), abs=1e-12)
        assert row["observed"] == pytest.approx(data[name].mean(), rel=1e-12)
    size = table["change"].abs() / data.std()[table.index]
    assert size.is_monotonic_decreasing


@pytest.mark.parametrize("target", list("edcba"))
def test_a_unit_more_changes_means_by_the_total_effect(sampled, target):
    """With the same seed both are of the same draws, and the difference is one of rounding."""
    posterior, _ = sampled
    at, above = (posterior.intervene({target: x}, draws=200, seed=3) for x in (5.0, 6.0))
    effects = posterior.total_effects(draws=200, seed=3)
    effects = effects[effects["source"] == target].set_index("target")["mean"]
    np.testing.assert_allclose(above["mean"] - at["mean"], effects[at.index.union(above.index)], rtol=0, atol=1e-9)


def test_what_no_path_reaches_does_not_change():
    values = few_rows(4, 200)
    table = only(SPARSE).intervene({"X1": 3.0}, values, draws=4000, seed=1)
    assert table.index.tolist() == ["X3", "X0", "X2"]
    still = table.loc[["X0", "X2"]]
    assert (still[["change", "probability_rising", "probability_falling"]] == 0).all(axis=None)
    assert (table.loc["X3", ["probability_rising", "probability_falling"]].sum()) == 1
    # Without parents, the mean has a t distribution about that of the data: wide by 1.653 standard errors either way.
    error = values[:, 2].std(ddof=1) / np.sqrt(201)
    assert (still.loc["X2", "upper"] - still.loc["X2", "lower"]) / 2 == pytest.approx(1.653 * error, rel=0.05)
    assert still.loc["X2", "mean"] == pytest.approx(values[:, 2].mean(), abs=0.1 * error)


def test_a_target_downstream_shields_what_is_below_it():
    """X2 -> X0 -> X1 -> X3: with X0 and X2 set, X1 follows X0 alone; and X3, with X1 set too, that."""
    values, posterior = few_rows(4, 200), only(SPARSE)
    alone = posterior.intervene({"X0": 2.0}, values, draws=100, seed=1)
    for other in (-9.0, 9.0):
        both = posterior.intervene({"X2": other, "X0": 2.0}, values, draws=100, seed=1)
        pd.testing.assert_frame_equal(both.loc[["X1", "X3"]], alone.loc[["X1", "X3"]], rtol=1e-12)
        three = posterior.intervene({"X2": other, "X0": 3 * other, "X1": 1.0}, values, draws=100, seed=1)
        expected = posterior.intervene({"X1": 1.0}, values, draws=100, seed=1).loc["X3", ["mean", "lower", "upper"]]
        assert three.loc["X3", ["mean", "lower", "upper"]].tolist() == pytest.approx(expected.tolist(), rel=1e-12)


def test_means_are_in_the_units_of_the_data():
    values, units = few_rows(4, 30), np.array([2.0**300, 1, 2.0**-200, 2.0])
    ordinary = only(COMPLETE).intervene({"X2": 3.0}, values, draws=50, seed=1)
    extreme = only(COMPLETE).intervene({"X2": 3.0 * units[2]}, values * units, draws=50, seed=1)
    assert extreme.index.tolist() == ordinary.index.tolist()
    factor = pd.Series(units, index=["X0", "X1", "X2", "X3"])[ordinary.index].to_numpy()[:, None]
    for names, by in (([*COLUMNS[:4], "observed"], factor), (COLUMNS[4:6], 1)):
        np.testing.assert_allclose(extreme[names], ordinary[names] * by, rtol=1e-12, atol=0)


def test_the_data_are_not_needed_again(sampled, tmp_path):
    posterior, data = sampled
    posterior.save(tmp_path / "posterior.nc")
    table = posterior.intervene({"b": 1.0}, data, draws=50, seed=1)
    for kept in (posterior, ew.load(tmp_path / "posterior.nc")):
        pd.testing.assert_frame_equal(kept.intervene({"b": 1.0}, draws=50, seed=1), table, check_exact=True)
    same = posterior.intervene({"b": 1.0}, draws=50, seed=np.random.default_rng(1))
    pd.testing.assert_frame_equal(same, table, check_exact=True)
    assert not posterior.intervene({"b": 1.0}, draws=50, seed=2).equals(table)


@pytest.mark.parametrize("at_once", [1, 75, 25 * 49])
def test_draws_do_not_depend_on_how_many_are_made_at_a_time(sampled, monkeypatch, at_once):
    expected = sampled[0].intervene({"b": 1.0}, draws=50, seed=1)
    monkeypatch.setattr(draws_module, "ENTRIES_AT_ONCE", at_once)
    found = sampled[0].intervene({"b": 1.0}, draws=50, seed=1)
    pd.testing.assert_frame_equal(found, expected, rtol=1e-12)


# The picture


def test_the_picture_has_each_interval_in_standard_deviations(sampled):
    posterior, data = sampled
    table = posterior.intervene({"c": 7.3}, draws=300, seed=6)
    figure = posterior.plot_intervention({"c": 7.3}, draws=300, seed=6)
    (dots,) = figure.data
    deviation, before = data.std()[table.index], table["mean"] - table["change"]
    np.testing.assert_allclose(dots.x, table["change"] / deviation, atol=1e-9)
    np.testing.assert_allclose(dots.x + dots.error_x.array, (table["upper"] - before) / deviation, atol=1e-9)
    np.testing.assert_allclose(dots.x - dots.error_x.arrayminus, (table["lower"] - before) / deviation, atol=1e-9)
    assert list(figure.layout.yaxis.ticktext) == table.index.tolist()
    assert "standard deviations of each variable" in figure.layout.xaxis.title.text
    assert figure.layout.title.text == "Means when c is set to 7.3"
    assert figure.layout.shapes[0].x0 == figure.layout.shapes[0].x1 == 0


def test_names_are_no_markup_in_the_picture():
    figure = only(COMPLETE, nodes=["<b>", "x&y", "</script>", "d"]).plot_intervention(
        {"<b>": 1.0}, pd.DataFrame(few_rows(4, 30), columns=["<b>", "x&y", "</script>", "d"]), draws=20, seed=1
    )
    assert figure.layout.title.text == "Means when &lt;b&gt; is set to 1"
    assert set(figure.layout.yaxis.ticktext) == {"x&amp;y", "&lt;/script&gt;", "d"}
    assert all("<" not in text.replace("<br>", "") for text in figure.data[0].text)


# Errors


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "as in {'MEK': 0.0}, but {} was given"),
        (None, "but None was given"),
        ([("a", 1.0)], "but [('a', 1.0)] was given"),
        ({"MEK": 0.0}, "There is no variable 'MEK'"),
        ({7: 0.0}, "There is no variable 7"),
        ({"a": np.nan}, "'a' must be set to a finite number, but nan was given"),
        ({"a": np.inf}, "'a' must be set to a finite number, but inf was given"),
        ({"a": "high"}, "'a' must be set to a finite number, but 'high' was given"),
        ({"a": None}, "'a' must be set to a finite number, but None was given"),
        ({"a": True}, "'a' must be set to a finite number, but True was given"),
        ({"a": 10**400}, "'a' must be set to a finite number"),
        ({"a": 1.0, 4: 2.0}, "'a' is set more than once"),
        (dict.fromkeys("abcde", 1.0), "All variables are set"),
    ],
    ids=lambda given: str(given)[:30],
)
def test_what_is_no_intervention_is_named(sampled, values, words):
    for ask in (sampled[0].intervene, sampled[0].plot_intervention):
        with pytest.raises(ew.ArgumentError) as caught:
            ask(values)
        assert words in check_sentence(str(caught.value))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"draws": 0}, "draws must be a whole number"),
        ({"draws": 10**9}, "take at most 12,500,000 draws, not 1,000,000,000"),
        ({"interval": 1}, "interval is a probability"),
        ({"seed": -1}, "seed must be"),
        ({"score": ew.GaussianBIC()}, "score must be an object such as BGe()"),
        ({"data": few_rows(4, 30)}, "not the data that the posterior was sampled from"),
    ],
)
def test_bad_arguments_are_named(sampled, arguments, words):
    for ask in (sampled[0].intervene, sampled[0].plot_intervention):
        with pytest.raises(ew.ArgumentError) as caught:
            ask({"a": 1.0}, **arguments)
        assert words in check_sentence(str(caught.value))


def test_a_value_beyond_all_bounds(sampled):
    with pytest.raises(ew.DataError) as caught:
        sampled[0].intervene(dict.fromkeys("abc", 1e308))
    assert "do not fit into double precision" in check_sentence(str(caught.value))


def test_a_posterior_without_statistics_needs_the_data(sampled):
    posterior, data = sampled
    with pytest.raises(ew.ArgumentError) as caught:
        replace(posterior, moments=None).intervene({"a": 1.0})
    assert "effects need the data" in check_sentence(str(caught.value))
    replace(posterior, moments=None).intervene({"a": 1.0}, data, draws=10)


def test_a_run_without_data_has_no_effects():
    prior = ew.sample(None, nodes=list("abc"), iterations=1000, thin=10, seed=1, progress=False)
    with pytest.raises(ew.ArgumentError) as caught:
        prior.intervene({"a": 1.0})
    assert "has no effects" in check_sentence(str(caught.value))


def test_levels_have_no_means():
    info = {"data": {"kinds": dict.fromkeys(["X0", "X1", "X2", "X3"], "binary"), "levels": {}}}
    with pytest.raises(ew.ArgumentError) as caught:
        make_posterior(SPARSE[None, None], info=info).intervene({"X0": 1.0})
    assert "these data have levels or grades" in check_sentence(str(caught.value))


# Data with interventions


@pytest.fixture(scope="module")
def experiment():
    """Chain 0 -> 1 -> 2 -> 3; of 60 rows, 1 was set in 10, 2 and 3 in 10 others: the values, and what was set."""
    rng = np.random.default_rng(7)
    is_set = np.zeros((60, 4), bool)
    is_set[40:50, 1] = is_set[50:, 2:] = True
    values = rng.standard_normal((60, 4))
    for v in range(1, 4):
        values[:, v] = np.where(is_set[:, v], 3 * values[:, v] + 6, 0.8 * values[:, v - 1] + values[:, v] + 1)
    return values * [1, 10, 100, 1000], is_set


@pytest.fixture(scope="module")
def from_experiment(experiment):
    values, is_set = experiment
    settings = {"iterations": 2000, "thin": 10, "chains": 2, "seed": 1, "progress": False}
    return ew.sample(values, interventions=is_set, prior=ew.Sparsity(0.0), **settings)


CHAIN = np.eye(4, k=1, dtype=bool)
TWO = CHAIN | (np.eye(4, k=2) == 1)


@pytest.mark.parametrize("prior", PRIORS, ids=["default", "prior mean", "units"])
@pytest.mark.parametrize("dag", [TWO, SPARSE, COMPLETE], ids=["true", "sparse", "complete"])
def test_families_are_judged_by_the_rows_in_which_they_were_free(experiment, prior, dag):
    """One regression for each family, of its own rows: 54 tests."""
    values, is_set = experiment
    data, setting = ew.load_data(values, interventions=is_set), {2: 300.0}
    found = drawn_means(only(dag), setting, data, **prior)
    rng = np.random.default_rng(6)
    both = naive.regressed_means(values, dag, setting, DRAWS, rng, is_set=is_set, **prior)
    for one, other in zip(found, both, strict=True):
        assert are_alike(one, other[:, [0, 1, 3]])
    ignoring = naive.regressed_means(values, dag, setting, DRAWS, rng, **prior)
    assert not are_alike(found[1], ignoring[1][:, [0, 1, 3]])


def test_effects_are_those_of_the_rows_in_which_variables_were_free(experiment):
    """The same seed, and the same draws: a unit more changes means by the total effect."""
    values, is_set = experiment
    data = ew.load_data(values, interventions=is_set)
    effects = only(TWO).total_effects(data, draws=100, seed=2).set_index(["source", "target"])["mean"]
    at, above = (only(TWO).intervene({"X1": x}, data, draws=100, seed=2) for x in (50.0, 51.0))
    for name in ("X2", "X3"):
        difference = above.loc[name, "mean"] - at.loc[name, "mean"]
        assert difference == pytest.approx(effects["X1", name], rel=1e-9)
    assert at["observed"].to_dict() == pytest.approx(
        {f"X{v}": values[~is_set[:, v], v].mean() for v in (0, 2, 3)}, rel=1e-12
    )


def test_a_posterior_keeps_what_it_needs(experiment, from_experiment, tmp_path):
    values, is_set = experiment
    data = ew.load_data(values, interventions=is_set)
    assert from_experiment.moments is None
    from_experiment.save(tmp_path / "posterior.nc")
    loaded = ew.load(tmp_path / "posterior.nc")
    for name in ("first", "width", "group", "n", "mean", "scale", "scatter"):
        one, other = (getattr(posterior.grouped, name) for posterior in (from_experiment, loaded))
        np.testing.assert_array_equal(one, other, strict=True)
    expected = from_experiment.intervene({"X1": 0.0}, data, draws=50, seed=1)
    effects = from_experiment.total_effects(data, draws=50, seed=1)
    for posterior in (from_experiment, loaded):
        pd.testing.assert_frame_equal(posterior.intervene({"X1": 0.0}, draws=50, seed=1), expected, check_exact=True)
        pd.testing.assert_frame_equal(posterior.total_effects(draws=50, seed=1), effects, check_exact=True)
    from_experiment.report(tmp_path / "report.html")
    assert "Effects are shown where the direction is told" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("data", [None, "the table alone"])
def test_without_its_statistics_what_was_set_is_needed_again(experiment, from_experiment, data):
    values, is_set = experiment
    without = replace(from_experiment, grouped=None)
    for ask in (without.total_effects, lambda data: without.intervene({"X1": 0.0}, data)):
        with pytest.raises(ew.ArgumentError) as caught:
            ask(None if data is None else values)
        assert "with what was set: data=ew.load_data(table, interventions=...)" in check_sentence(str(caught.value))
    without.intervene({"X1": 0.0}, ew.load_data(values, interventions=is_set), draws=5)


def test_very_many_statistics_are_not_kept(experiment, monkeypatch):
    monkeypatch.setattr("edgewise.running.plan.MOST_KEPT", 47)
    values, is_set = experiment
    settings = {"iterations": 200, "thin": 10, "chains": 2, "seed": 1, "progress": False}
    assert ew.sample(values, interventions=is_set, **settings).grouped is None


def test_statistics_that_no_data_have_are_refused(from_experiment):
    scatter = np.array(from_experiment.grouped.scatter)
    scatter[1, 0, 1] = scatter[1, 1, 0] = 1e9
    forged = replace(from_experiment, grouped=replace(from_experiment.grouped, scatter=scatter))
    for ask in (forged.total_effects, lambda: forged.intervene({"X1": 0.0})):
        with pytest.raises(ew.DataError) as caught:
            ask()
        assert "not those of any data" in check_sentence(str(caught.value))

"""What can be asked of edgewise.sample, and what comes of it."""

import threading
import warnings

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise._kernels.compiling import compilation_announced
from naive.stepping import PAPER
from sentences import check_sentence

QUICK = {"iterations": 1000, "thin": 10, "chains": 2, "seed": 1, "progress": False}


@pytest.fixture(scope="module")
def data():
    table = ew.simulate(5, 80, seed=3).data
    return table.set_axis(["Raf", "Mek", "Erk", "Akt", "Jnk"], axis=1)


def first_orders(data, start, **settings):
    """The order of each chain after one iteration that does nothing."""
    settings = {**QUICK, "iterations": 1, "burn_in": 0, "thin": 1, **settings}
    lazy = ew.MinimalIMAP(laziness=1 - 1e-12)
    return ew.sample(data, sampler=lazy, start=start, **settings).orders()[:, 0].tolist()


def refusal(data, **arguments):
    with pytest.raises(ew.ArgumentError) as caught:
        ew.sample(data, **{**QUICK, **arguments})
    return check_sentence(str(caught.value))


def test_every_kind_of_data_gives_the_same_draws(data, tmp_path):
    path = tmp_path / "data.csv"
    data.to_csv(path, index=False)
    covariance = ew.Covariance(data.cov(), n=len(data), mean=data.mean())
    expected = ew.sample(data, **QUICK)
    for other in (data.to_numpy(), path, str(path), covariance):
        posterior = ew.sample(other, **QUICK)
        np.testing.assert_array_equal(posterior.dags(), expected.dags())
        np.testing.assert_array_equal(posterior.orders(), expected.orders())
        np.testing.assert_allclose(posterior.log_posterior, expected.log_posterior, rtol=1e-10, atol=0)
        assert posterior.info["data"]["n"] == 80
        names = [f"X{number}" for number in range(5)] if isinstance(other, np.ndarray) else list(data)
        assert list(posterior.nodes) == names
    assert ew.sample(path, **QUICK).info["data"] == expected.info["data"] | {"name": "data.csv"}


def test_each_draw_is_the_minimal_imap_of_its_order_with_its_score(data):
    posterior = ew.sample(data, prior=ew.Sparsity(0.7), sampler=ew.MinimalIMAP(**PAPER, alpha=0.05), **QUICK)
    for chain in range(2):
        for draw in range(0, 80, 9):
            dag = posterior.dags()[chain, draw]
            order = posterior.orders()[chain, draw]
            np.testing.assert_array_equal(dag, ew.minimal_imap(data, order, alpha=0.05))
            expected = ew.score(dag, data) - 0.7 * dag.sum()
            assert posterior.log_posterior[chain, draw] == pytest.approx(expected, rel=1e-10)


def test_scores_are_exchanged(data):
    posterior = ew.sample(data, score=ew.GaussianBIC(), **QUICK)
    dag = posterior.dags()[1, -1]
    assert posterior.draws.log_score[1, -1] == pytest.approx(ew.score(dag, data, ew.GaussianBIC()), rel=1e-10)
    assert posterior.info["score"] == {"name": "GaussianBIC"}


@pytest.mark.parametrize(
    ("settings", "draws"),
    [
        ({"iterations": 1000, "burn_in": 0.2, "thin": 10}, 80),
        ({"iterations": 1000, "burn_in": 200, "thin": 10}, 80),
        ({"iterations": 1000, "burn_in": 0, "thin": 10}, 100),
        ({"iterations": 1000, "burn_in": 995, "thin": 5}, 1),
        ({"iterations": 1000, "burn_in": 0.999, "thin": 1}, 1),
        ({"iterations": 1003, "burn_in": 0.5, "thin": 100}, 5),
        ({"iterations": 1e3, "burn_in": 1, "thin": np.int64(1)}, 999),
        ({"iterations": 1, "burn_in": 0, "thin": 1}, 1),
    ],
)
def test_the_number_of_draws(data, settings, draws):
    posterior = ew.sample(data, **{**QUICK, **settings})
    assert posterior.dags().shape == (2, draws, 5, 5)
    assert posterior.orders().shape == (2, draws, 5)
    assert posterior.log_posterior.shape == posterior.weights.shape == (2, draws)
    assert posterior.info["iterations_done"] == settings["iterations"]
    assert posterior.info["stopped_by"] is None


def test_burn_in_and_thin_choose_among_the_same_iterations(data):
    every = ew.sample(data, **{**QUICK, "burn_in": 0, "thin": 1}).orders()
    assert every.shape[1] == 1000
    for burn_in, first in ((0, 0), (100, 100), (0.1, 100), (0.333, 333)):
        for thin in (1, 7, 100):
            orders = ew.sample(data, **{**QUICK, "burn_in": burn_in, "thin": thin}).orders()
            np.testing.assert_array_equal(orders, every[:, first + thin - 1 :: thin])


def test_a_start_is_an_order_by_name_or_number_for_all_chains_or_for_each(data):
    reverse = ["Jnk", "Akt", "Erk", "Mek", "Raf"]
    for start in (
        reverse,
        tuple(reverse),
        np.arange(5)[::-1],
        pd.Index(reverse),
        pd.Series(reverse),
        [4, 3, "Erk", 1, 0],
    ):
        assert first_orders(data, start) == [[4, 3, 2, 1, 0]] * 2
    for starts in ([reverse, range(5)], np.array([[4, 3, 2, 1, 0], [0, 1, 2, 3, 4]])):
        assert first_orders(data, starts) == [[4, 3, 2, 1, 0], [0, 1, 2, 3, 4]]
    assert first_orders(data, [[4, 3, 2, 1, 0]], chains=1) == [[4, 3, 2, 1, 0]]


def test_automatic_starts_are_no_worse_than_random_ones(data):
    lazy = {"sampler": ew.MinimalIMAP(laziness=1 - 1e-12), **QUICK, "chains": 20}
    found, drawn = (ew.sample(data, start=start, **lazy).log_posterior[:, 0] for start in ("auto", "random"))
    assert (found >= drawn - 1e-9).all()
    assert (found > drawn + 1).any()


def test_random_starts_differ_and_are_spread(data):
    orders = np.array(first_orders(data, "random", chains=200))
    for position in range(5):
        # Each count is binomial with mean 40 and standard deviation 5.7: four of them are exceeded once in 600 runs.
        assert np.abs(np.bincount(orders[:, position], minlength=5) - 40).max() < 23


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("best", "start must be 'auto', 'random'"),
        (None, "start must be 'auto', 'random'"),
        (3, "start must be 'auto', 'random'"),
        ([], "'Raf' and 4 more are missing"),
        (["Raf", "Mek", "Erk", "Akt"], "'Jnk' is missing"),
        (["Raf", "Mek", "Erk", "Akt", "Akt"], "'Akt' is given more than once"),
        (["Raf", "Mek", "Erk", "Akt", "PKC"], "no variable 'PKC'"),
        ([0, 1, 2, 3, 5], "no variable 5"),
        ([0, 1, 2, 3, -1], "no variable -1"),
        ([0.0, 1.0, 2.0, 3.0, 4.5], "no variable"),
        ([[0, 1, 2, 3, 4]], "1 orders for 2 chains"),
        ([[0, 1, 2, 3, 4]] * 3, "3 orders for 2 chains"),
        ([[0, 1, 2, 3, 4], [0, 1, 2, 3]], "'Jnk' is missing"),
        ([[0, 1, 2, 3, 4], "Raf"], "start mixes"),
    ],
)
def test_wrong_starts_are_refused(data, start, words):
    assert words in refusal(data, start=start)


@pytest.mark.parametrize("name", ["iterations", "thin", "chains"])
@pytest.mark.parametrize("value", [0, -1, 2.5, np.nan, np.inf, "many", "10", True])
def test_wrong_counts_are_refused(data, name, value):
    assert f"{name} must be a whole number" in refusal(data, **{name: value})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"iterations": 10**400}, "iterations must be a whole number from 1 to 1e+15"),
        ({"thin": 10**400}, "thin must be a whole number"),
        ({"burn_in": -0.1}, "burn_in must be"),
        ({"burn_in": 1.5}, "burn_in must be"),
        ({"burn_in": np.nan}, "burn_in must be"),
        ({"burn_in": np.inf}, "burn_in must be"),
        ({"burn_in": "half"}, "burn_in must be"),
        ({"burn_in": None}, "burn_in must be"),
        ({"burn_in": 1000}, "nothing would be drawn"),
        ({"burn_in": 991, "thin": 10}, "nothing would be drawn"),
        ({"thin": 801}, "nothing would be drawn"),
        ({"seed": -1}, "seed must be"),
        ({"seed": 0.5}, "seed must be"),
        ({"seed": "one"}, "seed must be"),
        ({"seed": [1, 2]}, "seed must be"),
        ({"time_budget": 0}, "time_budget must be"),
        ({"time_budget": -1}, "time_budget must be"),
        ({"time_budget": np.nan}, "time_budget must be"),
        ({"time_budget": "long"}, "time_budget must be"),
        ({"executor": 4}, "executor must be"),
        ({"sampler": "minimal_imap"}, "sampler must be"),
        ({"sampler": ew.MinimalIMAP}, "sampler must be"),
        ({"score": "bge"}, "score must be"),
        ({"score": ew.BGe}, "score must be"),
        ({"prior": 1.0}, "prior must be"),
        ({"prior": ew.Sparsity}, "prior must be"),
        ({"score": ew.BGe(alpha_w=3)}, "alpha_w of BGe must be a number greater"),
        ({"score": ew.BGe(nu=[0, 0])}, "nu of BGe must hold one number"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(data, arguments, words):
    assert words in refusal(data, **arguments)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"alpha": 0}, "alpha is a significance level"),
        ({"alpha": 1}, "alpha is a significance level"),
        ({"alpha": -0.5}, "alpha is a significance level"),
        ({"alpha": np.nan}, "alpha is a significance level"),
        ({"alpha": "small"}, "alpha is a significance level"),
        ({"laziness": 0}, "laziness must"),
        ({"laziness": 1}, "laziness must"),
        ({"laziness": np.nan}, "laziness must"),
        ({"parents": "some"}, "parents must be 'auto' or 'full'"),
        ({"moves": "fast"}, "moves must be 'auto' or 'adjacent'"),
        ({"target": "truth"}, "target must be 'orders'"),
    ],
)
def test_wrong_settings_of_the_sampler_are_refused(settings, words):
    with pytest.raises(ew.ArgumentError) as caught:
        ew.MinimalIMAP(**settings)
    assert words in check_sentence(str(caught.value))


def test_data_of_no_kind_are_refused():
    with pytest.raises(ew.EdgewiseError) as caught:
        ew.sample([[1, 2], [3, 4]], **QUICK)
    assert "must be a DataFrame" in check_sentence(str(caught.value))


def test_it_runs_beside_the_main_thread(data):
    expected = ew.sample(data, **QUICK)
    found = []
    thread = threading.Thread(target=lambda: found.append(ew.sample(data, **QUICK)))
    thread.start()
    thread.join()
    np.testing.assert_array_equal(found[0].orders(), expected.orders())


def test_the_run_is_described(data):
    posterior = ew.sample(
        data,
        sampler=ew.MinimalIMAP(alpha=0.02),
        score=ew.BGe(nu=np.arange(5), alpha_mu=np.float32(0.5)),
        prior=ew.Sparsity(np.int64(2)),
        **QUICK,
    )
    info = posterior.info
    assert info["sampler"] == {
        "name": "MinimalIMAP", "alpha": 0.02, "parents": "grow-shrink", "criterion": "test", "moves": "auto",
        "target": "orders", "test": None, "laziness": 0.01, "temperatures": None,
    }  # fmt: skip
    assert info["score"]["nu"] == [0, 1, 2, 3, 4]
    assert info["score"]["alpha_mu"] == 0.5
    assert info["prior"] == {"name": "Sparsity", "gamma": 2.0}
    assert info["schedule"] == {"iterations": 1000, "burn_in": 200, "thin": 10}
    assert (info["chains"], info["seed"], info["start"]) == (2, 1, "auto")
    assert len(info["data"]["fingerprint"]) == 64
    assert {"python", "edgewise", "numpy", "numba"} == set(info["versions"])
    for chain in posterior.moves:
        proposed = sum(count for count, _ in chain.values())
        # One iteration in a hundred does nothing: binomial with mean 10, so 30 are never reached.
        assert 970 < proposed <= 1000


def test_a_score_of_ones_own_is_named(data):
    class Mine(ew.Score):
        def prepare(self, dataset):
            return ew.BGe().prepare(dataset)

    posterior = ew.sample(data, score=Mine(), **QUICK)
    assert posterior.info["score"] == {"name": "Mine"}
    np.testing.assert_array_equal(posterior.orders(), ew.sample(data, **QUICK).orders())


def test_nothing_is_compiled_twice(data):
    ew.sample(data, **QUICK)
    announced = []
    with compilation_announced(lambda: announced.append(True)):
        ew.sample(data, prior=ew.Sparsity(2), **QUICK)
        ew.sample(data, prior=ew.Sparsity(np.float32(0.5)), sampler=ew.MinimalIMAP(alpha=0.5), **QUICK)
        ew.sample(data, score=ew.BGe(alpha_mu=2, alpha_w=10, nu=[0] * 5), **QUICK)
        ew.sample(data, score=ew.GaussianBIC(), start=range(5), **{**QUICK, "thin": np.int16(3)})
        ew.sample(data.iloc[:, :2].astype(np.float32), **QUICK)
        ew.sample(ew.Covariance(data.cov(), n=50), **QUICK)
    assert not announced


def test_unusual_data_are_warned_of_and_recorded(data, tmp_path):
    with pytest.warns(ew.DataWarning) as caught:
        posterior = ew.sample(np.exp(data).assign(id=range(80)), **QUICK)
    findings = posterior.info["data"]["findings"]
    assert [finding["kind"] for finding in findings] == ["identifier", "skewed"]
    assert [finding["columns"] for finding in findings] == [["id"], list(data)]
    said = [str(warning.message) for warning in caught if issubclass(warning.category, ew.DataWarning)]
    assert said == [finding["sentence"] for finding in findings]
    assert {warning.filename for warning in caught} == {__file__}
    posterior.save(tmp_path / "posterior.nc")
    assert ew.load(tmp_path / "posterior.nc").info == posterior.info


BAD = {"iterations": 60, "thin": 3, "chains": 2, "seed": 1, "progress": False}
GOOD = {"iterations": 4000, "thin": 4, "chains": 2, "seed": 1, "progress": False}


def warned(function, *arguments, **settings):
    """Return the posterior of a run that must raise one warning, with its verdict and at this line."""
    with pytest.warns(ew.ConvergenceWarning) as caught:
        posterior = function(*arguments, **settings)
    assert [str(warning.message) for warning in caught] == [posterior.silent_diagnostics.verdict]
    assert caught[0].filename == __file__
    assert check_sentence(str(caught[0].message)).startswith("Do not trust this run yet: ")
    return posterior


def test_a_bad_verdict_is_warned_of(data, tmp_path):
    first = warned(ew.sample, data, checkpoint=tmp_path / "run", **BAD)
    warned(ew.resume, tmp_path / "run", progress=False)
    warned(ew.extend, tmp_path / "run", iterations=70, progress=False)
    warned(ew.extend, warned(ew.sample, data, **BAD), iterations=70, progress=False)
    warned(ew.sample, None, nodes=["a", "b", "c"], **BAD)
    warned(ew.sample, data, store=tmp_path / "draws.nc", **BAD)
    with pytest.warns(ew.ConvergenceWarning):
        first.diagnostics()


def test_a_good_verdict_is_not(data, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        posterior = ew.sample(data, checkpoint=tmp_path / "run", **GOOD)
        ew.resume(tmp_path / "run", progress=False)
        ew.extend(posterior, iterations=5000, progress=False)
    assert posterior.silent_diagnostics.is_converged


@pytest.mark.parametrize("workers", [1, 2])
def test_the_table_of_many_runs_has_their_verdicts_and_none_is_warned_of(data, workers):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        many = ew.sample_many([data, data], workers=workers, **BAD)
    assert many.table["verdict"].str.startswith("Do not trust this run yet: ").all()


def test_only_a_run_looks_at_the_data(data):
    ew.map_search(np.exp(data), restarts=1, seed=1)
    ew.mmhc(ew.load_data(np.exp(data)))
    assert ew.sample(data, **QUICK).info["data"]["findings"] == []


def test_void_tests_are_counted_once():
    with (
        pytest.warns(ew.DataWarning, match="There are only 6 rows for 8 columns"),
        pytest.warns(ew.VoidTestWarning, match="With 6 rows and 8 variables, 22 of the 28") as caught,
    ):
        ew.sample(np.random.default_rng(1).normal(size=(6, 8)), sampler=ew.MinimalIMAP(**PAPER), **QUICK)
    assert [warning.category for warning in caught].count(ew.VoidTestWarning) == 1


def test_until_good_within_a_time_budget(data):
    """The budget is a limit, not the length of the run."""
    posterior = ew.sample(data, until="good", time_budget=600, seed=1, progress=False)
    assert posterior.diagnostics().is_converged
    assert posterior.info["stopped_by"] is None
    assert posterior.info["iterations_done"] < 1_000_000

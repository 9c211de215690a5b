"""Comparisons of posteriors against plain means over the draws, and the rate of false alarms of their rule.

Draws made at random, independent of each other, are posteriors whose Monte Carlo errors are known.
"""

import math
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import edgewise as ew
from edgewise.posterior import differences
from edgewise.posterior.comparison_content import draw_pairs
from edgewise.posterior.contrasts import contrast_runs
from edgewise.posterior.differences import FEW, PLACES, Beliefs, combine_errors, critical_deviate, read_beliefs
from edgewise.posterior.edge_errors import least_error, told_error
from edgewise.posterior.monte_carlo import monte_carlo_error
from naive.graphs import random_dag
from records import make_posterior
from reports import sample
from sentences import check_sentence

NODES = ("Raf", "Mek", "Erk", "Akt", "Jnk")


def draw(seed, *, p=5, shape=(2, 60), density=0.4, nodes=NODES, info=None):
    """Return a posterior of random DAGs, independent of each other."""
    rng = np.random.default_rng(seed)
    dags = [[random_dag(p, rng, density) for _ in range(shape[1])] for _ in range(shape[0])]
    return make_posterior(np.array(dags), nodes=nodes[:p], info=info)


@cache
def flat(posterior, nodes):
    """Return the DAGs, and their compelled edges, with the variables in some order."""
    where = [posterior.nodes.index(name) for name in nodes]
    dags = posterior.dags().reshape(-1, len(nodes), len(nodes))
    told = np.array([ew.compelled_edges(dag) for dag in dags])
    return dags[:, where][:, :, where], told[:, where][:, :, where]


def shares(posterior, nodes, weights, a, b):
    """Return the five probabilities of a pair as weighted means over the draws."""
    dags, told = flat(posterior, nodes)
    i, j = nodes.index(a), nodes.index(b)
    values = {
        "joined": dags[:, i, j] | dags[:, j, i],
        "forward": dags[:, i, j],
        "backward": dags[:, j, i],
        "told_forward": told[:, i, j],
        "told_backward": told[:, j, i],
    }
    return {name: float(np.dot(weights, value)) for name, value in values.items()}


# The table


@pytest.fixture(scope="module", params=["even", "weights"])
def two(request):
    """Two posteriors, the second with its variables in another order."""
    one, other = draw(1), draw(2, density=0.6, nodes=NODES[::-1])
    if request.param == "weights":
        rng = np.random.default_rng(3)
        one, other = (posterior.reweighted(rng.normal(size=(2, 60))) for posterior in (one, other))
    return one, other


def test_differences_are_those_of_means_over_draws(two):
    comparison = ew.compare(*two)
    assert comparison.nodes == NODES
    pairs = comparison.pairs
    assert len(pairs) == 10
    assert pairs["difference"].abs().is_monotonic_decreasing
    for pair in pairs.to_dict("records"):
        assert NODES.index(pair["a"]) < NODES.index(pair["b"])
        first, second = (shares(one, NODES, one.weights.ravel(), pair["a"], pair["b"]) for one in two)
        for name in PLACES:
            assert pair[f"{name}_first"] == pytest.approx(first[name], abs=1e-11)
            assert pair[f"{name}_second"] == pytest.approx(second[name], abs=1e-11)
            assert pair[f"{name}_difference"] == pytest.approx(second[name] - first[name], abs=1e-11)
        for name, prefix in (("joined", ""), ("forward", "forward_"), ("backward", "backward_")):
            assert pair[f"{prefix}only_first"] == pytest.approx(first[name] * (1 - second[name]), abs=1e-11)
            assert pair[f"{prefix}only_second"] == pytest.approx(second[name] * (1 - first[name]), abs=1e-11)
        assert pair["difference"] == pair[f"{pair['differs_in']}_difference"]
        assert pair["mcse"] == pair[f"{pair['differs_in']}_mcse"]
        for posterior, which, found in zip(two, ("first", "second"), (first, second), strict=True):
            enough = 0.75 * found["joined"]
            arrow = "->" if found["told_forward"] >= enough else "<-" if found["told_backward"] >= enough else "-"
            i, j = posterior.nodes.index(pair["a"]), posterior.nodes.index(pair["b"])
            assert pair[f"direction_{which}"] == ("?" if posterior.disagreement[i, j] else arrow)


def test_only_one_has_a_pair_as_often_as_in_pairs_of_draws():
    one, other = draw(4, shape=(1, 12)), draw(5, shape=(1, 15))
    pairs = ew.compare(one, other).pairs.set_index(["a", "b"])
    dags, others = (flat(posterior, NODES)[0] for posterior in (one, other))
    for i, j in zip(*np.triu_indices(5, 1), strict=True):
        joined = [(found[:, i, j] | found[:, j, i]) for found in (dags, others)]
        lost = np.mean([x and not y for x in joined[0] for y in joined[1]])
        assert pairs.loc[(NODES[i], NODES[j]), "only_first"] == pytest.approx(lost, abs=1e-12)


def test_errors_are_combined_from_both(two):
    pairs = ew.compare(*two).pairs
    weights = [None if one.draws.log_weight is None else one.weights for one in two]
    for pair in pairs.to_dict("records"):
        squares = 0.0
        for posterior, weight in zip(two, weights, strict=True):
            dags, _ = flat(posterior, NODES)
            i, j = NODES.index(pair["a"]), NODES.index(pair["b"])
            values = (dags[:, i, j] | dags[:, j, i]).reshape(2, 60, 1)
            mean = float((values[:, :, 0] * posterior.weights).sum())
            squares += float(monte_carlo_error(values, weight, mean)[0]) ** 2
        draws = [posterior.silent_diagnostics.effective_draws for posterior in two]
        total = 1 / draws[0] + 1 / draws[1]
        both = (pair["joined_first"] * draws[0] + pair["joined_second"] * draws[1]) / sum(draws)
        least = np.sqrt(min(both, 1 - both, 10 * total / 2) * total)
        assert pair["joined_mcse"] == pytest.approx(max(np.sqrt(squares), least), rel=1e-6)


@pytest.mark.parametrize(("draws", "common"), [((np.inf, 100), 0.02), ((100, np.inf), 0.2), ((100, 300), 0.155)])
def test_rare_events_have_the_error_of_the_probability_that_both_would_share(draws, common):
    """An exact posterior says what it is; of two runs each counts by its draws."""
    none = np.zeros((2, 2))
    first, second = (
        Beliefs(("A", "B"), {"joined": np.full((2, 2), share)}, {"joined": none}, number, None, {}, "", none > 0)
        for share, number in zip((0.02, 0.2), draws, strict=True)
    )
    variance = sum(1 / number for number in draws)
    expected = np.sqrt(min(common, FEW * variance / 2) * variance)
    np.testing.assert_allclose(combine_errors(first, second, "joined"), expected, rtol=1e-12)


def test_a_pair_is_beyond_error_by_the_rule(two):
    comparison = ew.compare(*two)
    pairs = comparison.pairs
    assert comparison.critical == pytest.approx(critical_deviate(5))
    sizes = np.array([pairs[f"{name}_difference"].abs() for name in PLACES])
    limits = np.array([comparison.critical * pairs[f"{name}_mcse"] for name in PLACES])
    is_claimed = (pairs[["direction_first", "direction_second"]] != "?").all(axis=1).to_numpy()
    assert 0 < is_claimed.sum() < 10
    beyond = (sizes > np.maximum(limits, 0.0005)) & is_claimed
    assert pairs["beyond_error"].tolist() == beyond.any(axis=0).tolist()
    assert pairs["is_large"].tolist() == (beyond & (sizes > 0.1)).any(axis=0).tolist()


def test_no_difference_is_claimed_where_chains_disagree():
    """A -> B in all draws of one, and in three chains of four of the other; C -> B only in the other."""
    dags = np.zeros((2, 4, 400, 3, 3), bool)
    dags[0, ..., 0, 1] = dags[1, 1:, :, 0, 1] = dags[1, ..., 2, 1] = True
    comparison = ew.compare(*(make_posterior(one, nodes="ABC") for one in dags))
    pairs = comparison.pairs.set_index(["a", "b"])
    assert pairs["direction_first"].to_dict() == {("A", "B"): "-", ("B", "C"): "-"}
    assert pairs.loc[("A", "B"), "direction_second"] == "?"
    assert not pairs.loc[("A", "B"), "beyond_error"]
    assert "The chains of b disagree on 2 pairs of variables, of which no difference counts" in comparison.notes[-1]
    assert comparison.headline == (
        "No pair of variables differs between a and b beyond Monte Carlo error; chains disagree on 2 pairs."
    )
    drawn = draw_pairs(comparison.numbered_pairs, comparison.critical)
    assert drawn["kind"].tolist() == ["disagreed", "disagreed"]
    assert drawn["direction"].tolist() == ["?", "?"]


def test_all_pairs_are_taken_into_account():
    """The deviate is that of one of five differences for each pair, joined or not, at one in a hundred over all."""
    for p in (2, 10, 100):
        tests = 5 * p * (p - 1) / 2
        assert math.erfc(critical_deviate(p) / math.sqrt(2)) * tests == pytest.approx(0.01, rel=1e-9)


def test_the_same_posterior_agrees_with_itself(two):
    for posterior in two:
        comparison = ew.compare(posterior, posterior)
        assert comparison.agreement == 1
        assert (comparison.pairs["difference"] == 0).all()
        assert not comparison.pairs["beyond_error"].any()
        assert comparison.headline.startswith("No pair of variables differs between a and b beyond Monte Carlo error")
        disagreed = np.triu(posterior.disagreement).sum()
        assert ("; chains disagree on " in comparison.headline) == (disagreed > 0)
        assert comparison.settings == ()


def test_swapped_posteriors_have_opposite_differences(two):
    keys = ["a", "b"]
    there, back = ew.compare(*two).pairs, ew.compare(*two[::-1]).pairs
    # The second has its variables in the reverse order.
    turned = {"forward": "backward", "backward": "forward", "told_forward": "told_backward"}
    turned |= {"told_backward": "told_forward", "joined": "joined"}
    back = back.rename(columns={"a": "b", "b": "a"}).set_index(keys)
    there = there.set_index(keys)
    back = back.loc[there.index]
    for name in PLACES:
        np.testing.assert_allclose(there[f"{name}_difference"], -back[f"{turned[name]}_difference"], atol=1e-12)
        np.testing.assert_allclose(there[f"{name}_mcse"], back[f"{turned[name]}_mcse"], rtol=1e-9)
        np.testing.assert_array_equal(there[f"{name}_first"], back[f"{turned[name]}_second"])
    np.testing.assert_array_equal(there["beyond_error"], back["beyond_error"])
    np.testing.assert_allclose(there["only_first"], back["only_second"], atol=1e-12)
    assert ew.compare(*two).agreement == pytest.approx(ew.compare(*two[::-1]).agreement)


def test_agreement_is_the_share_in_common(two):
    joined = [one.edge_probabilities("undirected").loc[list(NODES), list(NODES)].to_numpy() for one in two]
    pairs = list(zip(*np.triu_indices(5, 1), strict=True))
    common = sum(min(joined[0][pair], joined[1][pair]) for pair in pairs)
    either = sum(max(joined[0][pair], joined[1][pair]) for pair in pairs)
    assert ew.compare(*two).agreement == pytest.approx(common / either)
    assert 0 < common / either < 1


def constant(*edges, p=4):
    dag = np.zeros((p, p), bool)
    for i, j in edges:
        dag[i, j] = True
    return make_posterior(np.broadcast_to(dag, (2, 100, p, p)))


def test_agreement_reaches_both_ends():
    assert ew.compare(constant((0, 1), (1, 2)), constant((2, 3))).agreement == 0
    assert ew.compare(constant((0, 1), (1, 2)), constant((0, 1))).agreement == 0.5
    assert ew.compare(constant(), constant()).agreement == 1
    assert ew.compare(constant((0, 1)), constant((1, 0))).agreement == 1  # joined, in whatever direction


def test_the_headline_names_the_three_largest():
    one, other = constant((0, 1), (1, 2)), constant((2, 3), (1, 2))
    comparison = ew.compare(one, other, names=("before", "after"))
    assert check_sentence(comparison.headline) == (
        "2 of 6 pairs of variables differ between before and after by more than 0.1 and beyond Monte Carlo error; they "
        "are X0 - X1 (1.00 and 0.00) and X2 - X3 (0.00 and 1.00)."
    )
    assert repr(comparison) == "<Comparison of before and after, 4 variables: 2 of 6 pairs differ, agreement 0.333>"
    single = ew.compare(constant((0, 1)), constant(), names=("before", "after"))
    assert check_sentence(single.headline).endswith("error; it is X0 - X1 (1.00 and 0.00).")
    many = ew.compare(constant((0, 1), (0, 2), (0, 3), (1, 2)), constant())
    assert len(re.findall(r"X\d - X\d", check_sentence(many.headline))) == 3
    assert "most of all" in many.headline
    turned = ew.compare(constant((0, 1), (2, 1)), constant((0, 1), (0, 2), (2, 1)))
    assert check_sentence(turned.headline).startswith("3 of 6 pairs")
    assert "X0 -> X1 (told with 1.00 and 0.00)" in turned.headline
    assert "X0 - X2 (0.00 and 1.00)" in turned.headline


def test_pairs_that_neither_joins_are_left_out():
    comparison = ew.compare(constant((0, 1)), constant((0, 1), (1, 2)))
    assert comparison.pairs[["a", "b"]].to_numpy().tolist() == [["X1", "X2"], ["X0", "X1"]]
    nothing = ew.compare(constant(), constant())
    assert nothing.pairs.empty
    assert list(nothing.pairs.columns) == list(comparison.pairs.columns)


def test_exact_posteriors_are_compared_without_error():
    data = ew.simulate(4, 60, seed=2).data
    exact, other = ew.exact_posterior(data), ew.exact_posterior(data, score=ew.GaussianBIC())
    pairs = ew.compare(exact, other).pairs
    assert (pairs.filter(like="mcse") == 0).all(axis=None)
    assert pairs["beyond_error"].tolist() == (pairs["difference"].abs() > 0.0005).tolist()
    assert pairs["beyond_error"].any()
    sampled = sample(data, iterations=20_000)
    comparison = ew.compare(sampled, exact, names=("sampled", "exact"))
    assert not comparison.pairs["beyond_error"].any()
    assert comparison.agreement > 0.97
    assert {setting.setting for setting in comparison.settings} >= {"draws"}


def test_directions_that_are_not_told_are_not_compared():
    data = ew.simulate(6, 60, seed=2).data
    exact = ew.exact_posterior(data)
    comparison = ew.compare(exact, sample(data, iterations=20_000), names=("exact", "sampled"))
    assert comparison.pairs["told_forward_difference"].isna().all()
    assert not comparison.pairs["beyond_error"].any()
    assert any("not known of exact" in check_sentence(note) for note in comparison.notes)


def test_a_bootstrap_is_compared_with_a_note():
    data = ew.simulate(4, 200, seed=1).data
    found = ew.bootstrap(ew.hill_climb, data, 100, seed=1)
    comparison = ew.compare(sample(data), found, names=("sampled", "resampled"))
    assert any(
        check_sentence(note).startswith("The probabilities of resampled are shares") for note in comparison.notes
    )
    assert not ew.compare(found, found).notes


def test_a_run_without_data_is_compared_with_one_that_has_them():
    data = ew.simulate(4, 500, seed=1).data
    prior = sample(None, nodes=list(data.columns), iterations=20_000)
    comparison = ew.compare(prior, sample(data, iterations=20_000), names=("prior", "posterior"))
    assert comparison.pairs["is_large"].any()
    (about,) = [setting for setting in comparison.settings if setting.setting == "data"]
    assert (about.first, about.second) == ("none: the prior alone", "500 rows")


def test_a_bad_verdict_is_a_note():
    good, bad = draw(1, shape=(4, 400)), draw(1, shape=(1, 400))
    assert ew.compare(good, good).notes == ()
    (note,) = ew.compare(good, bad, names=("control", "treated")).notes
    assert note.startswith("Differences may be due to the chains of treated: Do not trust this run yet: one chain")


def test_unknown_errors_are_no_alarms():
    one, other = draw(1, shape=(1, 1)), draw(2, shape=(1, 1))
    comparison = ew.compare(one, other)
    assert not comparison.pairs["beyond_error"].any()
    assert any("errors of a are not all known" in note for note in comparison.notes)


# Errors and alarms


def test_the_error_of_what_is_told_is_that_of_the_share():
    """The error of 400 independent draws is sqrt(q (1 - q) / 400); its estimate, from batches, is within a third."""
    posterior = draw(7, shape=(4, 400), density=0.5)
    _, told = flat(posterior, NODES)
    share = told.mean(axis=0)
    expected = np.sqrt(share * (1 - share) / 1600)
    moving = share > 0.02
    ratio = told_error(posterior)[moving] / expected[moving]
    assert moving.sum() > 10
    assert 0.8 < ratio.mean() < 1.2
    assert ratio.min() > 0.6
    assert ratio.max() < 1.5


def test_few_draws_that_agree_have_an_error():
    """Of a short run: rare edges are in few draws or none, all of which may agree on whether they are compelled."""
    posterior = sample(ew.simulate(8, 100, seed=1).data, iterations=400)
    directed = posterior.edge_probabilities("directed").to_numpy()
    given = posterior.compelled_share / np.where(posterior.directed_share > 0, posterior.directed_share, 1.0)
    agree = (directed > 0) & ((posterior.directed_share == 0) | (given == 0) | (given == 1))
    assert agree.sum() > 5
    assert (told_error(posterior)[agree] > 0).all()
    # Of an edge that no draw has, whether it is compelled may be anything.
    unseen = (directed > 0) & (posterior.directed_share == 0)
    np.testing.assert_allclose(told_error(posterior)[unseen], directed[unseen] * stats.beta(0.5, 0.5).std(), rtol=1e-6)


@pytest.mark.parametrize(("number", "compelled"), [(0, 0), (1, 1), (3, 0), (10, 10), (40, 13)])
def test_the_least_error_is_that_of_independent_draws(number, compelled):
    """``number`` of 100 independent draws have an edge, ``compelled`` of them a compelled one."""
    share, given = number / 100, compelled / max(number, 1)
    error = np.sqrt(share * (1 - share) / 100)
    found = least_error(np.array([given]), np.array([share]), np.array([error]), 100)
    assert found == pytest.approx(stats.beta(compelled + 0.5, number - compelled + 0.5).std())


def test_the_error_of_what_is_told_knows_weights():
    """Draws without weight might as well not be there."""
    posterior = draw(8, shape=(2, 400), density=0.5)
    log_weight = np.zeros((2, 400))
    log_weight[:, 100:] = -np.inf
    weighted = told_error(posterior.reweighted(log_weight))
    plain = told_error(draw(8, shape=(2, 400), density=0.5))
    moving = plain > 0.01
    assert moving.sum() > 5
    assert 1.5 < np.median(weighted[moving] / plain[moving]) < 2.7


@cache
def draw_alike(number):
    """Return independent draws of one posterior, twice."""
    return draw([1, number]), draw([2, number])


def compare_alike(number):
    return ew.compare(*draw_alike(number)).pairs


@pytest.fixture(scope="module")
def alike():
    return [compare_alike(number) for number in range(60)]


def test_independent_draws_of_one_posterior_seldom_differ(alike):
    """With one false alarm in a hundred comparisons, four or more in sixty have a probability of .003."""
    assert sum(pairs["beyond_error"].any() for pairs in alike) <= 3


def test_an_error_that_is_too_small_is_found(monkeypatch):
    """The test above fails for errors that are divided by three, as it must."""
    monkeypatch.setattr(differences, "combine_errors", lambda *given: combine_errors(*given) / 3)
    assert sum(compare_alike(number)["beyond_error"].any() for number in range(15)) > 3


def test_differences_are_as_large_as_their_errors_say(alike):
    """About one in twenty is beyond 1.96 errors: 30 of 600 pairs, and by chance from 12 to 50 of them (.999)."""
    outside = [abs(pair.joined_difference) > 1.96 * pair.joined_mcse for pairs in alike for pair in pairs.itertuples()]
    assert len(outside) == 600
    assert 12 <= sum(outside) <= 50


def test_runs_that_differ_in_their_seeds_do_not_differ():
    data = ew.simulate(8, 100, seed=3).data
    comparison = ew.compare(*(sample(data, iterations=20_000, seed=seed) for seed in (1, 2)))
    assert not comparison.pairs["beyond_error"].any()
    assert comparison.agreement > 0.95
    assert [setting.setting for setting in comparison.settings] == ["seed"]


# Settings


def test_settings_that_differ_are_told():
    data = ew.simulate(4, 100, seed=3).data
    constraints = ew.Constraints(required=[("X1", "X2")])
    one = sample(data)
    other = sample(
        data.head(90), score=ew.GaussianBIC(), prior=ew.Sparsity(2.0), constraints=constraints, iterations=3000, seed=4
    )
    found = {setting.setting: setting[1:] for setting in ew.compare(one, other).settings}
    assert found["data"] == ("100 rows", "90 rows")
    assert found["score"][1] == "GaussianBIC"
    assert found["prior"] == ("Sparsity (gamma auto)", "Sparsity (gamma 2.0)")
    assert found["constraints"] == ("none", "required: X1 X2")
    assert found["iterations"] == ("4,000", "3,000")
    assert found["seed"] == ("1", "4")
    assert "sampler" in ew.compare(one, other).same
    resampled = replace(one, info={**one.info, "data": {**one.info["data"], "fingerprint": "other"}})
    (about,) = ew.compare(one, resampled).settings
    assert about == ("data", "100 rows", "100 rows, but others")


@pytest.mark.parametrize(
    "info",
    [{}, {"data": None}, {"prior": ["<b>", {"name": None}], "seed": {"x": [1]}}, {"constraints": {}, "seed": None}],
)
def test_any_record_can_be_put_into_words(info):
    beliefs = read_beliefs(draw(1, info=info))
    other = read_beliefs(draw(2, info={"prior": "x" * 1000, "seed": 3, "schedule": {"burn_in": 1, "thin": 2}}))
    differing, same = contrast_runs(beliefs, other)
    assert all(isinstance(text, str) and len(text) <= 300 for setting in differing for text in setting)
    assert "draws" in same


# Files


def test_the_table_is_written(two, tmp_path):
    comparison = ew.compare(*two)
    comparison.write(tmp_path / "pairs.csv")
    read = pd.read_csv(tmp_path / "pairs.csv")
    pd.testing.assert_frame_equal(read, comparison.pairs, check_dtype=False)
    with pytest.raises(ew.StorageError, match="make the directory first") as error:
        comparison.write(tmp_path / "none" / "pairs.csv")
    check_sentence(str(error.value))


# Bad input


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (lambda one: ew.compare(one, draw(1, p=4)), "but only a has 'Jnk'."),
        (
            lambda one: ew.compare(one, draw(1, nodes=("Raf", "Mek", "Erk", "Akt", "Src")), names=("old", "new")),
            "but only old has 'Jnk' and only new has 'Src'.",
        ),
        (lambda one: ew.compare(one, 3), "but 'b' is of the type int."),
        (lambda one: ew.compare(one.pairs(), one), "but 'a' is of the type DataFrame."),
        (lambda one: ew.compare(one, ew.Posterior), "but 'b' is of the type type."),
        (lambda one: ew.compare(one, None), "but 'b' is of the type NoneType."),
        (lambda one: ew.compare(one, one, names=("a", "a")), "names must be two different texts"),
        (lambda one: ew.compare(one, one, names="ab"), "names must be two different texts"),
        (lambda one: ew.compare(one, one, names=("a", "")), "names must be two different texts"),
        (lambda one: ew.compare(one, one, names=("a", 2)), "names must be two different texts"),
        (lambda one: ew.compare(one, one, names=("a", "b", "c")), "names must be two different texts"),
    ],
)
def test_what_cannot_be_compared(given, words):
    with pytest.raises(ew.ArgumentError) as error:
        given(draw(1))
    assert words in check_sentence(str(error.value))

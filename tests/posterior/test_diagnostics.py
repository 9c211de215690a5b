"""Diagnostics against ArviZ, and against chains that are known to be good or bad."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from arviz_stats.base import array_stats
from scipy.stats import norm, rankdata

import edgewise as ew
from edgewise.posterior import diagnostics as diagnostics_module
from edgewise.posterior import draws as draws_module
from edgewise.samplers.tempered_dags import ROUND_TRIPS
from naive.graphs import all_dags
from naive.stepping import PAPER
from records import collect, make_posterior, make_record, plain
from sentences import check_sentence


def posterior_of(dags, *, seed=0):
    """A posterior of DAGs (chains, draws, p, p) whose log posterior differs between DAGs, and is good otherwise."""
    rng = np.random.default_rng(seed)
    score = rng.normal(size=dags.shape[-2:])
    # What distinguishes DAGs here: each edge adds its own number; the prior of make_record is taken off again.
    log_score = ((score + 1) * dags).sum(axis=(2, 3))
    return collect([make_record(chain, log_score=values) for chain, values in zip(dags, log_score, strict=True)])


def independent(shape, *, p=4, seed=1, among=None):
    """Independent draws from the same few DAGs in every chain."""
    rng = np.random.default_rng(seed)
    few = all_dags(p)[rng.integers(len(all_dags(p)), size=among or 12)]
    return few[rng.integers(len(few), size=shape)]


def correlated(shape, *, stay, seed=2):
    """Draws that repeat the one before with probability ``stay``."""
    rng = np.random.default_rng(seed)
    dags = independent(shape, seed=seed)
    for chain in dags:
        for draw in np.flatnonzero(rng.random(shape[1]) < stay):
            if draw:
                chain[draw] = chain[draw - 1]
    return dags


def sampled(iterations=20_000):
    data = ew.simulate(5, 60, seed=4).data
    return plain(ew.sample(data, iterations=iterations, thin=10, chains=3, seed=2, progress=False))


def diagnose(posterior):
    """Return the diagnostics, whether or not there is a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ew.ConvergenceWarning)
        return posterior.diagnostics()


def diagnose_bad(posterior):
    """Return the diagnostics of a run that must raise the warning, once, with the verdict and at this line."""
    with pytest.warns(ew.ConvergenceWarning) as caught:
        found = posterior.diagnostics()
    assert [str(one.message) for one in caught] == [found.verdict]
    assert caught[0].filename == __file__
    assert found.is_converged is False
    assert check_sentence(found.verdict).startswith("Do not trust this run yet: ")
    return found


def diagnose_good(posterior):
    """Return the diagnostics of a run that must raise no warning: warnings are errors here."""
    found = posterior.diagnostics()
    assert found.is_converged is True
    check_sentence(found.verdict)
    return found


# R-hat and effective sample sizes


def split_r_hat(values):
    """Vehtari et al. (2021): the larger of the rank-normalised split R-hats of the values and of the folded ones."""
    half = values.shape[1] // 2
    halves = np.concatenate([values[:, :half], values[:, -half:]])

    def r_hat(parts):
        scores = norm.ppf((rankdata(parts).reshape(parts.shape) - 3 / 8) / (parts.size + 1 / 4))
        within = scores.var(axis=1, ddof=1).mean()
        return np.sqrt((half - 1) / half + scores.mean(axis=1).var(ddof=1) / within)

    folded = np.abs(halves - np.median(halves))
    return max(r_hat(parts) for parts in (halves, folded) if np.ptp(parts))


RUNS = {
    "sampled": sampled,
    "independent": lambda: posterior_of(independent((4, 300))),
    "odd number of draws": lambda: posterior_of(independent((2, 201))),
    "slow": lambda: posterior_of(correlated((3, 400), stay=0.97)),
    "short": lambda: posterior_of(independent((2, 4), among=5)),
}


@pytest.fixture(scope="module", params=RUNS.values(), ids=RUNS.keys())
def posterior(request):
    return request.param()


def test_the_log_posterior_has_the_numbers_of_arviz(posterior):
    found = diagnose(posterior)
    values = posterior.to_arviz()["sample_stats/lp"].to_numpy()
    assert found.r_hat == pytest.approx(array_stats.rhat(values, chain_axis=0, draw_axis=1), rel=1e-12)
    assert found.ess == pytest.approx(array_stats.ess(values, chain_axis=0, draw_axis=1), rel=1e-12)
    assert found.r_hat == pytest.approx(split_r_hat(values), rel=1e-9)


@pytest.mark.parametrize("at_once", [2**22, 1])
def test_edges_have_the_numbers_of_arviz(posterior, monkeypatch, at_once):
    monkeypatch.setattr(draws_module, "ENTRIES_AT_ONCE", at_once)
    found = diagnose(posterior).edges
    assert list(found.columns) == ["source", "target", "probability", "r_hat", "ess", "lowest", "highest"]
    assert found["r_hat"].is_monotonic_decreasing
    assert found.index.tolist() == list(range(len(found)))
    indicators = posterior.to_arviz()["posterior/edge"]
    means = indicators.mean(("chain", "draw")).to_numpy()
    assert len(found) == ((means > 0) & (means < 1)).sum() > 0
    assert not found.duplicated(["source", "target"]).any()
    for row in found.itertuples():
        values = indicators.sel(source=row.source, target=row.target).to_numpy().astype(float)
        by_chain = values.mean(axis=1)
        assert row.probability == pytest.approx(values.mean(), rel=0, abs=1e-12)
        assert (row.lowest, row.highest) == pytest.approx((by_chain.min(), by_chain.max()), rel=0, abs=1e-12)
        if np.ptp(values, axis=1).any():
            with np.errstate(all="ignore"):
                expected = array_stats.rhat(values, chain_axis=0, draw_axis=1)
                assert row.r_hat == pytest.approx(1.0 if np.isnan(expected) else expected, rel=1e-12)
                assert row.ess == pytest.approx(array_stats.ess(values, chain_axis=0, draw_axis=1), rel=1e-12)
            if len(values[0]) > 4:
                assert row.r_hat == pytest.approx(split_r_hat(values), rel=1e-9)
        else:
            assert (row.r_hat, row.ess) == (np.inf, len(values))


def test_slow_chains_are_worth_fewer_draws():
    """A draw that repeats the one before with probability 0.9 is worth (1 - 0.9) / (1 + 0.9) of an independent one."""
    fast = diagnose(posterior_of(correlated((4, 2000), stay=0.0))).ess
    slow = diagnose(posterior_of(correlated((4, 2000), stay=0.9))).ess
    assert fast == pytest.approx(8000, rel=0.2)
    assert slow == pytest.approx(8000 * 0.1 / 1.9, rel=0.4)


# Good and bad runs


def test_a_well_mixing_sample_raises_no_warning():
    found = diagnose_good(sampled())
    most = np.ceil(100 * found.difference) / 100
    assert found.verdict == (
        f"The 3 chains agree: no probability differs by more than {most:.2f} between them, and the draws "
        f"are worth {found.effective_draws:,.0f} independent ones."
    )
    assert found.r_hat < 1.05
    assert found.ess > 100


@pytest.mark.parametrize("seed", range(5))
def test_independent_draws_raise_no_warning(seed):
    found = diagnose_good(posterior_of(independent((4, 2000), seed=seed)))
    assert found.effective_draws == pytest.approx(8000, rel=0.2)


@pytest.mark.parametrize("still", [True, False])
def test_chains_in_different_modes_raise_the_warning(still):
    """The modes differ in two edges that are turned around: four directed edges. A third one moves freely."""
    dags = np.zeros((2, 500, 4, 4), dtype=bool)
    dags[0, :, 0, 1] = dags[0, :, 1, 2] = True
    dags[1, :, 1, 0] = dags[1, :, 2, 1] = True
    if not still:
        dags[..., 0, 3] = np.random.default_rng(3).random((2, 500)) < 0.5
    found = diagnose_bad(posterior_of(dags))
    assert found.verdict.startswith(
        "Do not trust this run yet: chains disagree on 2 pairs of variables (most on X0 -> X1, with probabilities from "
        "0.00 to 1.00); "
    )
    assert (found.difference, found.apart) == (1, 2)
    apart = found.edges[np.isinf(found.edges["r_hat"])]
    assert set(zip(apart["source"], apart["target"], strict=True)) == {
        ("X0", "X1"), ("X1", "X2"), ("X1", "X0"), ("X2", "X1"),
    }  # fmt: skip
    assert (apart["ess"] == 2).all()
    assert found.agreement.loc[1, 2] < 0.5


def test_the_least_agreement_is_not_that_of_a_chain_with_itself():
    dags = np.zeros((2, 400, 3, 3), dtype=bool)
    dags[1, :, 0, 1] = True
    assert np.isnan(diagnose_bad(make_posterior(dags)).least_agreement)
    assert np.isnan(diagnose_bad(make_posterior(dags[1:])).least_agreement)


def test_one_edge_is_enough():
    dags = np.zeros((3, 400, 4, 4), dtype=bool)
    dags[:2, :, 0, 1] = True
    dags[..., 2, 3] = np.random.default_rng(5).random((3, 400)) < 0.5
    found = diagnose_bad(make_posterior(dags))
    assert found.verdict == (
        "Do not trust this run yet: chains disagree on 1 pair of variables (most on X0 - X1, with probabilities from "
        f"0.00 to 1.00); the draws are worth only {found.effective_draws:.0f} independent ones; run longer "
        "(edgewise.extend), or from better starts."
    )


def test_what_is_told_must_agree_as_well():
    """Two edges are each in half of the draws of both chains: of one chain in the same half, of the other not."""
    dags = np.zeros((2, 2000, 3, 3), dtype=bool)
    dags[..., 0, 2] = np.random.default_rng(6).random((2, 2000)) < 0.5
    dags[0, :, 1, 2] = dags[0, :, 0, 2]
    dags[1, :, 1, 2] = ~dags[1, :, 0, 2]
    posterior = make_posterior(dags)
    assert np.ptp(posterior.directed_by_chain, axis=0).max() < 0.1
    found = diagnose_bad(posterior)
    assert "chains disagree on 2 pairs of variables (most on X0 -> X2 being told, with prob" in found.verdict
    found = diagnose_bad(make_posterior(dags[..., ::-1, ::-1]))  # the other way round, below the diagonal
    assert "chains disagree on 2 pairs of variables (most on X1 -> X0 being told, with prob" in found.verdict
    assert found.apart == 2


def test_chains_that_visit_both_modes_but_seldom_raise_the_warning():
    dags = np.zeros((2, 1000, 2, 2), dtype=bool)
    turned = np.zeros((2, 1000), dtype=bool)
    turned[0, :100] = turned[1, :800] = True
    dags[turned, 1, 0] = True
    dags[~turned, 0, 1] = True
    found = diagnose_bad(posterior_of(dags))
    assert found.apart == 1
    assert found.difference == pytest.approx(0.7)
    assert found.edges[["lowest", "highest"]].to_numpy().ravel().tolist() == pytest.approx([0.2, 0.9, 0.1, 0.8])


def test_edges_that_hardly_move_raise_the_warning_whatever_their_r_hat():
    """Four chains, each with a few long stays: R-hat is small because all vary as much within as between."""
    dags = independent((4, 400), seed=11)
    dags[..., 3, :] = dags[..., :, 3] = False
    for chain, length in enumerate([55, 60, 70, 80]):
        dags[chain, np.arange(400) // length % 2 == chain % 2, 0, 3] = True
    free = make_record(dags[0]).draws.log_score  # a log posterior that says nothing of the edge
    rng = np.random.default_rng(1)
    posterior = collect(
        [make_record(chain, log_score=rng.permutation(free) + chain.sum(axis=(1, 2))) for chain in dags]
    )
    found = diagnose_bad(posterior)
    edge = found.edges.set_index(["source", "target"]).loc[("X0", "X3")]
    assert edge["r_hat"] < 1.1
    assert edge["ess"] < 100
    assert found.apart == 1
    assert "for 1 pair of variables (most of all for X0 - X3," in found.verdict


def test_a_sample_stopped_before_it_mixes_raises_the_warning():
    """Two chains from random starts on strong data, long before they have met."""
    data = ew.simulate(12, 5000, neighbours=4, seed=6).data
    run = {"sampler": ew.MinimalIMAP(**PAPER), "start": "random", "iterations": 400, "burn_in": 0, "thin": 1}
    posterior = ew.sample(data, **run, chains=2, seed=3, progress=False)
    found = diagnose_bad(posterior)
    assert f"the chains are too short for {found.apart} pairs of variables" in found.verdict
    apart = found.edges[found.edges["highest"] - found.edges["lowest"] > 0.1]
    assert found.apart >= len({frozenset(pair) for pair in zip(apart["source"], apart["target"], strict=True)}) > 10


def test_rare_edges_raise_no_false_alarm():
    """An edge that one chain drew a few times and the other never is no disagreement to speak of."""
    dags = independent((2, 2000), seed=7)
    dags[..., 3, :] = dags[..., :, 3] = False
    dags[0, 800:992, 0, 3] = True
    found = diagnose_good(posterior_of(dags))
    rare = found.edges.set_index(["source", "target"]).loc[("X0", "X3")]
    assert (rare["lowest"], rare["highest"]) == (0, 0.096)
    assert rare["r_hat"] > 1.1


def test_a_log_posterior_that_is_slow_raises_no_false_alarm():
    """Chains of many variables can agree on every probability long before the sum over all of them has settled."""
    dags = independent((2, 2000), seed=8)
    records = [make_record(chain, log_score=np.arange(2000.0) + chain.sum(axis=(1, 2))) for chain in dags]
    found = diagnose_good(collect(records))
    assert found.r_hat > 1.5
    assert found.ess < 100


def test_too_few_effective_draws_raise_the_warning():
    dags = np.zeros((2, 40, 2, 2), dtype=bool)
    dags[:, ::2, 0, 1] = True
    found = diagnose_bad(make_posterior(dags[:, np.random.default_rng(1).permutation(40)]))
    assert found.difference == 0
    assert found.verdict == (
        f"Do not trust this run yet: the draws are worth only {found.effective_draws:.0f} independent ones; run longer "
        "(edgewise.extend)."
    )


@pytest.mark.parametrize("difference", [0.08, 0.1, 0.12, 0.5])
@pytest.mark.parametrize("chains", [2, 3, 8])
def test_no_run_is_good_whose_chains_differ_by_more_than_a_tenth(difference, chains):
    """However many draws there are; half a tenth to either side of 0.3, and as exact as can be."""
    shares = np.linspace(0.3, 0.3 + difference, chains)
    dags = np.zeros((chains, 1000, 2, 2), dtype=bool)
    for chain, share in zip(dags, shares, strict=True):
        chain[np.random.default_rng(3).permutation(1000)[: round(1000 * share)], 0, 1] = True
    posterior = make_posterior(dags)
    found = diagnose_good(posterior) if difference <= 0.1 else diagnose_bad(posterior)
    assert found.difference == pytest.approx(difference)
    assert found.apart == (difference > 0.1)


def test_what_chance_explains_is_no_disagreement():
    """Four chains of 60 independent draws each: probabilities differ by 0.2 or so, and chains are too short."""
    found = diagnose_bad(posterior_of(independent((4, 60), seed=3)))
    assert found.difference > 0.1
    assert re.search(r"the chains are too short for \d+ pairs of variables \(most of all for X", found.verdict)
    assert found.verdict.endswith("; run longer (edgewise.extend).")


@pytest.mark.parametrize(
    ("difference", "words"), [(0.12, "the chains are too short for 1 pair"), (0.17, "chains disagree on 1 pair")]
)
def test_chance_goes_as_far_as_four_standard_errors_of_a_difference(difference, words):
    """Two chains of 400 independent draws, shares near a half: these differ by .14, or four errors, by chance."""
    rng = np.random.default_rng(3)
    dags = np.zeros((2, 400, 2, 2), dtype=bool)
    for chain, share in enumerate((0.5 - difference / 2, 0.5 + difference / 2)):
        dags[chain, :, 0, 1] = rng.permutation(400) < round(400 * share)
    found = diagnose_bad(posterior_of(dags))
    assert found.difference == pytest.approx(difference)
    assert words in found.verdict


def test_a_verdict_never_calls_it_agreement_when_chains_differ():
    rng = np.random.default_rng(8)
    for seed in range(30):
        shape = int(rng.integers(1, 5)), int(rng.integers(1, 300))
        found = diagnose(posterior_of(correlated(shape, stay=rng.choice([0, 0.5, 0.95]), seed=seed)))
        assert found.is_converged == (shape[0] > 1 and found.difference <= 0.1 and found.effective_draws >= 100), (
            found.verdict
        )
        assert found.verdict.startswith(f"The {shape[0]} chains agree") == found.is_converged


# Awkward runs


def test_one_chain_has_no_r_hat():
    found = diagnose_bad(posterior_of(independent((1, 1000))))
    assert found.verdict == ("Do not trust this run yet: one chain cannot be compared with others; run several.")
    assert np.isnan(found.difference)
    assert np.isnan(found.r_hat)
    assert found.edges["r_hat"].isna().all()
    assert len(found.edges)
    assert found.ess == pytest.approx(1000, rel=0.3)
    assert found.agreement.to_numpy().tolist() == [[1.0]]


def test_one_chain_that_drifts_raises_the_warning():
    dags = np.zeros((1, 1000, 2, 2), dtype=bool)
    dags[0, 500:, 0, 1] = True
    found = diagnose_bad(posterior_of(dags))
    assert "the draws are worth only" in found.verdict
    assert "R-hat" not in found.verdict


@pytest.mark.parametrize("chains", [1, 2])
@pytest.mark.parametrize("draws", [1, 3, 4, 5])
def test_few_draws_raise_the_warning(chains, draws):
    found = diagnose_bad(posterior_of(independent((chains, draws), seed=draws)))
    assert "the draws are worth only" in found.verdict
    assert "nan" not in found.verdict
    assert 0 < found.ess < 100


def test_a_single_draw():
    found = diagnose_bad(posterior_of(independent((1, 1))))
    assert found.verdict == (
        "Do not trust this run yet: one chain cannot be compared with others; the draws are worth only 1 independent "
        "one; run several, and longer."
    )
    assert len(found.edges) == 0


@pytest.mark.parametrize("p", [1, 3])
@pytest.mark.parametrize("chains", [2, 3])
def test_chains_that_never_move_and_agree_are_good(p, chains):
    dags = np.zeros((chains, 200, p, p), dtype=bool)
    if p > 1:
        dags[..., 0, 1] = True
    found = diagnose_good(posterior_of(dags))
    assert found.ess == chains * 200
    assert found.r_hat == 1
    assert len(found.edges) == 0
    np.testing.assert_array_equal(found.agreement, np.ones((chains, chains)))


def test_what_varies_only_in_the_middle_draw_is_no_cause_for_alarm():
    """R-hat splits each chain in halves, and leaves out the middle draw of an odd number."""
    dags = independent((2, 2001), seed=4)
    dags[..., 3, :] = dags[..., :, 3] = False
    dags[1, 1000, 0, 3] = True
    found = diagnose_good(posterior_of(dags))
    rare = found.edges.set_index(["source", "target"]).loc[("X0", "X3")]
    assert rare["r_hat"] == 1


# Agreement and acceptance


def test_agreement_is_the_correlation_of_edge_probabilities(posterior):
    chains, _, p, _ = posterior.dags().shape
    means = posterior.dags().mean(axis=1)
    flat = [[mean[i, j] for i in range(p) for j in range(p) if i != j] for mean in means]
    found = posterior.chain_agreement()
    np.testing.assert_allclose(found, np.corrcoef(flat), rtol=0, atol=1e-12)
    assert found.index.tolist() == found.columns.tolist() == list(range(1, chains + 1))
    assert diagnose(posterior).agreement.equals(found)


def test_identical_chains_agree():
    dags = independent((1, 50))
    found = posterior_of(np.concatenate([dags, dags, dags])).chain_agreement()
    np.testing.assert_array_equal(found, np.ones((3, 3)))


def test_agreement_with_a_chain_without_edges_is_undefined():
    dags = independent((2, 50))
    dags[1] = False
    found = posterior_of(dags).chain_agreement().to_numpy()
    np.testing.assert_array_equal(np.isnan(found), [[False, True], [True, False]])
    np.testing.assert_array_equal(found.diagonal(), 1)


def test_verdicts_state_only_numbers():
    """One chain without edges, one with very few: they agree, and their correlation is undefined."""
    dags = np.zeros((2, 400, 3, 3), dtype=bool)
    dags[1, ::40, 0, 1] = True
    found = diagnose_good(posterior_of(dags))
    assert "nan" not in found.verdict


def test_acceptance_adds_up_the_moves_of_all_chains():
    made = posterior_of(independent((3, 20)))
    moves = (
        {"adjacent": (100, 31), "wrap-around": (7, 2), "tempering": (0, 0)},
        {"adjacent": (50, 9), "wrap-around": (3, 3), "tempering": (0, 0)},
        {"adjacent": (0, 0), "wrap-around": (1, 0), "tempering": (0, 0)},
    )
    found = diagnose(ew.Posterior(made.nodes, made.draws, moves)).acceptance
    assert found.index.tolist() == ["adjacent", "wrap-around", "tempering"]
    assert found["proposed"].tolist() == [150, 11, 0]
    np.testing.assert_allclose(found["accepted"], [40 / 150, 5 / 11, np.nan], rtol=1e-12)


def test_acceptance_of_a_sample():
    posterior = sampled(iterations=2000)
    found = diagnose(posterior).acceptance
    for kind in posterior.moves[0]:
        proposed, accepted = np.sum([chain[kind] for chain in posterior.moves], axis=0)
        assert found.loc[kind, "proposed"] == proposed
        if proposed:
            assert found.loc[kind, "accepted"] == pytest.approx(accepted / proposed)


@pytest.mark.parametrize("ended", [0, 1])
def test_tempered_chains_must_have_made_a_round_trip(ended):
    """Without any, chains that agree are still where they began."""
    assert diagnostics_module.ROUND_TRIPS == ROUND_TRIPS
    made = posterior_of(independent((3, 400)))
    moves = [{"turn": (300, 30), "exchange 1 / 2": (100, 40), ROUND_TRIPS: (n, 0)} for n in (4, 0, 2)]
    moves[0][ROUND_TRIPS] = 4, ended
    found = (diagnose_good if ended else diagnose_bad)(replace(made, moves=tuple(moves)))
    if not ended:
        assert found.verdict == (
            "Do not trust this run yet: no chain has come back from the hottest of its replicas, so that each is still "
            "where it began; run longer (edgewise.extend)."
        )
    table = found.acceptance
    assert table.loc[ROUND_TRIPS, ["proposed", "accepted"]].tolist() == [6, ended / 6]
    np.testing.assert_allclose(table["share"], [0.75, 0.25, np.nan], rtol=1e-12)


def test_chains_that_are_not_tempered_make_no_round_trips():
    made = posterior_of(independent((3, 400)))
    assert diagnostics_module.count_round_trips(made) is None
    assert diagnose_good(made).acceptance["share"].sum() == pytest.approx(1)


@pytest.mark.parametrize("by_chain", [[0.2, 0.2, 0.5, 0.5], [0.1, 0.1, 0.1, 0.4], [0.3, 0.6]])
def test_chains_with_different_probabilities_disagree_whatever_their_r_hat(by_chain):
    """R-hat of an indicator can be near 1 while chains differ by 0.3."""
    rng = np.random.default_rng(5)
    dags = np.zeros((len(by_chain), 800, 2, 2), dtype=bool)
    dags[..., 0, 1] = rng.random(dags.shape[:2]) < np.array(by_chain)[:, None]
    with pytest.warns(ew.ConvergenceWarning, match="chains disagree on 1 pair "):
        assert not make_posterior(dags).diagnostics().is_converged


@pytest.mark.parametrize(
    ("replicates", "verdict"),
    [
        (400, "400 independent replicates, with shares that have a standard error of 0.03 at most."),
        (
            25,
            "Do not trust this run yet: only 25 independent replicates, with shares that have a standard error of "
            "0.10; draw more.",
        ),
    ],
)
def test_replicates_of_a_bootstrap_are_no_chain(replicates, verdict):
    made = make_posterior(independent((1, replicates)), info={"method": "bootstrap"})
    found = diagnose_good(made) if replicates >= 100 else diagnose_bad(made)
    assert found.verdict == verdict


def test_a_limit_on_parents_that_decides_is_a_fault():
    """Five causes of one variable, of which order MCMC may take two: the chains agree, on what is wrong."""
    rng = np.random.default_rng(1)
    causes = rng.normal(size=(300, 5))
    data = np.column_stack([causes, causes.sum(axis=1) + rng.normal(size=300)])
    settings = {"iterations": 20_000, "thin": 10, "seed": 1, "progress": False}
    capped = ew.sample(data, sampler=ew.OrderMCMC(max_parents=2), **settings).silent_diagnostics
    assert not capped.is_converged
    assert "X5 has 2 parents, the most that max_parents allows, in 95% of the draws" in capped.verdict
    assert "or use DagMCMC()" in capped.verdict
    assert ew.sample(data, sampler=ew.OrderMCMC(max_parents=5), **settings).silent_diagnostics.is_converged
    assert ew.sample(data, **settings).silent_diagnostics.is_converged


@pytest.mark.parametrize("stay", [0.0, 0.999])
def test_they_are_shown_by_their_verdict(stay):
    diagnostics = posterior_of(correlated((2, 400), stay=stay)).silent_diagnostics
    assert repr(diagnostics) == f"<Diagnostics: {diagnostics.verdict}>"


@pytest.mark.parametrize(("iterations", "is_told"), [(4000, True), (60, False)])
def test_few_draws_do_not_show_that_chains_are_stuck(iterations, is_told):
    """An edge that is in 30 % fewer of the draws than would follow from the rest of them may be so by chance."""
    data = ew.simulate(3, 50, seed=1).data
    posterior = ew.sample(data, iterations=iterations, burn_in=0, thin=4, chains=2, seed=1, progress=False)
    conditionals = posterior.conditionals.copy()
    conditionals[:, 0, 0, 1] = np.clip(posterior.share_by_chain[:, 0, 1] + 0.3, 0, 1)
    found = diagnose_bad(replace(posterior, conditionals=conditionals))
    assert ("the chains seem stuck, as X0 -> X1 is in" in found.verdict) == is_told

"""Pairs of variables against plain means over the draws, and the sentences on directions that can, or cannot, be told.

The correlations of the data are exactly those of a DAG, so that what is told depends on no luck.
"""

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise.posterior import edge_errors
from edgewise.posterior.content import with_intervals
from edgewise.posterior.summaries import count_pairs, headline, orient_pairs
from naive.graphs import random_dag
from records import make_posterior
from reports import data_of
from sentences import check_sentence

COLUMNS = ["a", "b", "joined", "mcse", "forward", "backward", "told_forward", "told_backward", "direction"]


def made(p=6, shape=(2, 50), density=0.5):
    rng = np.random.default_rng(p)
    dags = [[random_dag(p, rng, density) for _ in range(shape[1])] for _ in range(shape[0])]
    return make_posterior(np.array(dags))


@pytest.fixture(scope="module", params=[made, lambda: made(2), lambda: made(3, (1, 1)), lambda: made(5, density=0.2)])
def posterior(request):
    return request.param()


def naive_disagreement(posterior, i, j):
    """Whether any of the five probabilities of a pair differs by more than .2 between two chains."""
    by_chain = []
    for dags in posterior.dags():
        told = np.mean([ew.compelled_edges(dag) for dag in dags], axis=0)
        forward, backward = dags[:, i, j].mean(), dags[:, j, i].mean()
        by_chain.append([forward + backward, forward, backward, told[i, j], told[j, i]])
    return np.ptp(by_chain, axis=0).max() > 0.2 + 1e-12


def apart(shares, draws=100):
    """A posterior whose chains have X0 -> X1 in such shares of their draws, and X2 -> X1 <- X3 in all."""
    dags = np.zeros((len(shares), draws, 4, 4), bool)
    for chain, share in zip(dags, shares, strict=True):
        chain[: round(share * draws), 0, 1] = True
    dags[..., [2, 3], 1] = True
    return make_posterior(dags)


# The table


def test_pairs_are_means_over_draws(posterior):
    dags = posterior.dags().reshape(-1, len(posterior.nodes), len(posterior.nodes))
    told = np.mean([ew.compelled_edges(dag) for dag in dags], axis=0)
    pairs = posterior.pairs()
    assert list(pairs.columns) == COLUMNS
    assert pairs.index.tolist() == list(range(len(pairs)))
    assert pairs["joined"].is_monotonic_decreasing
    assert len(pairs) == np.triu((dags | dags.swapaxes(1, 2)).any(axis=0)).sum()
    for pair in pairs.itertuples():
        i, j = posterior.nodes.index(pair.a), posterior.nodes.index(pair.b)
        assert i < j
        assert pair.joined == pytest.approx((dags[:, i, j] | dags[:, j, i]).mean(), abs=1e-12)
        assert (pair.forward, pair.backward) == pytest.approx((dags[:, i, j].mean(), dags[:, j, i].mean()), abs=1e-12)
        assert (pair.told_forward, pair.told_backward) == pytest.approx((told[i, j], told[j, i]), abs=1e-12)
        expected = "->" if told[i, j] >= 0.75 * pair.joined else "<-" if told[j, i] >= 0.75 * pair.joined else "-"
        assert pair.direction == ("?" if naive_disagreement(posterior, i, j) else expected)


@pytest.mark.parametrize("threshold", [0, 0.3, 0.9, 1])
def test_the_threshold_leaves_out_less_probable_pairs(posterior, threshold):
    every = posterior.pairs()
    expected = every[every["joined"] >= threshold].reset_index(drop=True)
    assert posterior.pairs(threshold).equals(expected)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, np.nan, "high", None])
def test_thresholds_are_probabilities(posterior, threshold):
    with pytest.raises(ew.ArgumentError) as caught:
        posterior.pairs(threshold)
    assert "threshold is a probability" in check_sentence(str(caught.value))


def test_the_error_is_that_of_being_joined():
    """The pair is always joined, in either direction: each has an error, but that they are joined has none."""
    rng = np.random.default_rng(3)
    dags = np.zeros((4, 1000, 3, 3), dtype=bool)
    turned = rng.random((4, 1000)) < 0.5
    dags[..., 0, 1], dags[..., 1, 0] = turned, ~turned
    some = rng.random((4, 1000)) < 0.3
    dags[..., 0, 2], dags[..., 2, 0] = some & ~turned, some & turned
    posterior = make_posterior(dags)
    pairs = posterior.pairs().set_index(["a", "b"])
    assert (posterior.edges()["mcse"] > 0).all()
    assert pairs.loc[("X0", "X1"), "mcse"] == 0
    # Relative standard error 8 %, as of the error of an edge.
    assert pairs.loc[("X0", "X2"), "mcse"] == pytest.approx(np.sqrt(0.3 * 0.7 / 4000), rel=0.3)
    weighted = posterior.reweighted(np.zeros_like(posterior.weights)).pairs().set_index(["a", "b"])
    assert weighted.loc[("X0", "X2"), "mcse"] == pytest.approx(pairs.loc[("X0", "X2"), "mcse"], rel=1e-6)


@pytest.mark.parametrize("shares", [[0.999, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0005]])
def test_no_error_is_shown_as_zero_where_chains_differ(shares):
    posterior = apart(shares, draws=2000)
    pairs = posterior.pairs().set_index(["a", "b"])["mcse"]
    edges = posterior.edges().set_index(["source", "target"])["mcse"]
    assert 0 < edge_errors._joined_error(posterior)[0, 1] < 0.0005
    assert pairs.get(("X0", "X1"), 0.0005) == edges.get(("X0", "X1"), 0.0005) == 0.0005
    assert pairs["X1", "X2"] == edges["X2", "X1"] == 0
    lower, upper = with_intervals(posterior).query("a == 0")[["lower", "upper"]].to_numpy().T
    assert (upper - lower > 0.0005).all()


def test_what_is_kept_with_seven_digits_differs_only_from_there_on():
    posterior = apart([1.0, 1.0])
    errors = np.zeros((2, 4, 4), np.float32)
    for difference, expected in ((1e-7, 0.0), (1e-5, 0.0005)):
        conditionals = posterior.share_by_chain[:, None].astype(np.float32)
        conditionals[0, 0, 0, 1] -= difference
        changed = replace(posterior, conditionals=conditionals, conditional_errors=errors)
        assert changed.pairs().set_index(["a", "b"]).loc[("X0", "X1"), "mcse"] == expected


@pytest.mark.parametrize("shares", [[0.2, 0.8], [0.1, 0.2, 0.3, 0.9]])
@pytest.mark.parametrize("weights", [False, True])
def test_chains_in_different_places_have_the_error_of_a_mean_of_so_many_numbers(shares, weights):
    """Though each chain by itself is as exact as can be: errors of their mean that say so are replaced."""
    posterior = apart(shares)
    if weights:
        posterior = posterior.reweighted(np.repeat(np.log([1.0, 3.0, 2.0, 2.0][: len(shares)]), 100).reshape(-1, 100))
    weight = posterior.weights.sum(axis=1)
    mean = weight @ shares
    between = np.sqrt((weight**2 @ (np.array(shares) - mean) ** 2) * len(shares) / (len(shares) - 1))
    if not weights:
        assert between == pytest.approx(np.std(shares, ddof=1) / np.sqrt(len(shares)))
    small = np.full((2, 4, 4), 0.01, np.float32)
    changed = replace(posterior, conditionals=posterior.share_by_chain[:, None], conditional_errors=small)
    for table in (changed.pairs().set_index(["a", "b"]), changed.edges().set_index(["source", "target"])):
        assert table.loc[("X0", "X1"), "mcse"] == pytest.approx(between)
    large = replace(changed, conditional_errors=np.full((2, 4, 4), 0.6))
    assert large.pairs().set_index(["a", "b"]).loc[("X0", "X1"), "mcse"] == 0.6


def test_errors_of_chains_that_agree_are_left_as_they_are():
    """Of 4 x 1000 independent draws; one error in a thousand is more than doubled by chance."""
    rng = np.random.default_rng(5)
    dags = np.zeros((4, 1000, 20, 20), bool)
    i, j = np.triu_indices(20, 1)
    dags[..., i, j] = rng.random((4, 1000, len(i))) < rng.uniform(0.1, 0.9, len(i))
    posterior = make_posterior(dags)
    ratio = edge_errors.directed_error(posterior)[i, j] / edge_errors._directed_error(posterior)[i, j]
    assert (ratio >= 1).all()
    assert ratio.mean() < 1.01


def test_a_direction_is_told_with_three_quarters_of_the_probability_that_the_pair_is_joined():
    dags = np.zeros((1, 8, 3, 3), dtype=bool)
    dags[:, :4, 0, 2] = True
    dags[:, :3, 1, 2] = True
    assert make_posterior(dags).pairs()["direction"].tolist() == ["->", "->"]
    dags[:, 4, 0, 2] = True
    pairs = make_posterior(dags).pairs().set_index(["a", "b"])
    assert pairs.loc[("X0", "X2"), ["joined", "told_forward"]].tolist() == [5 / 8, 3 / 8]
    assert pairs["direction"].to_dict() == {("X0", "X2"): "-", ("X1", "X2"): "->"}
    turned = make_posterior(np.ascontiguousarray(dags[..., ::-1, ::-1])).pairs().set_index(["a", "b"])
    assert turned["direction"].to_dict() == {("X0", "X2"): "-", ("X0", "X1"): "<-"}


def test_pictures_have_pairs_in_their_more_probable_direction(posterior):
    pairs = posterior.numbered_pairs
    for pair, drawn in zip(pairs.itertuples(), orient_pairs(pairs).itertuples(), strict=True):
        assert {drawn.source, drawn.target} == {pair.a, pair.b}
        assert {drawn.probability, drawn.reverse} == {pair.forward, pair.backward}
        assert drawn.probability >= drawn.reverse
        assert drawn.joined == pair.joined
        assert drawn.is_told == (pair.direction in ("->", "<-"))
        assert drawn.is_disagreed == (pair.direction == "?")
        if drawn.is_told:
            assert (drawn.source < drawn.target) == (pair.direction == "->")


# Where chains disagree


@pytest.mark.parametrize(
    ("shares", "direction"),
    [([1, 0.8], "->"), ([1, 0.79], "?"), ([0.9, 0.8, 1.0], "->"), ([0, 0, 0, 1], "?"), ([1], "->"), ([0.3, 0.5], "->")],
)
def test_chains_disagree_on_a_pair_from_a_difference_of_a_fifth_on(shares, direction):
    posterior = apart(shares)
    pairs = posterior.pairs().set_index(["a", "b"])["direction"]
    assert pairs["X0", "X1"] == direction
    assert posterior.disagreement.tolist() == posterior.disagreement.T.tolist()
    assert posterior.disagreement[0, 1] == naive_disagreement(posterior, 0, 1) == (direction == "?")


def test_chains_may_agree_that_a_pair_is_joined_and_disagree_on_its_direction():
    dags = np.zeros((2, 100, 3, 3), bool)
    dags[..., [0, 2], 1] = True
    dags[1, :30, 0, 1], dags[1, :30, 1, 0] = False, True
    assert make_posterior(dags).pairs().set_index(["a", "b"])["direction"].to_dict() == {
        ("X0", "X1"): "?", ("X1", "X2"): "?",  # X2 -> X1 <- X0 or X2 -> X1 -> X0, which tells nothing of X2 -> X1
    }  # fmt: skip


def test_a_chain_without_weight_has_no_say():
    posterior = apart([1, 1, 0])
    log_weight = np.zeros_like(posterior.weights)
    log_weight[2] = -np.inf
    assert posterior.disagreement.any()
    assert not posterior.reweighted(log_weight).disagreement.any()


def test_nothing_is_claimed_where_chains_disagree(tmp_path):
    posterior = apart([1, 0.6])
    assert headline(posterior.numbered_pairs) == (
        "2 pairs of variables are joined with probability 0.5 or more; the direction can be told in all of them; "
        "chains disagree on 1 more."
    )
    assert count_pairs(posterior.numbered_pairs) == (2, 2)
    lines = {(line.source, line.target): line for line in posterior.plot_graph().drawing.lines}
    assert lines[0, 1].head is None
    assert lines[0, 1].is_disagreed
    assert lines[2, 1].head is not None
    assert not lines[2, 1].is_disagreed
    edges = posterior.to_networkx().edges
    assert [edges[edge]["told"] for edge in (("X0", "X1"), ("X2", "X1"))] == [False, True]
    assert [edges[edge]["disagreed"] for edge in (("X0", "X1"), ("X2", "X1"))] == [True, False]
    posterior.export(tmp_path / "graph.dot")
    dot = (tmp_path / "graph.dot").read_text()
    assert '"X0" -> "X1" [label="0.80", penwidth=2.50, dir=none, style=dotted];' in dot
    assert '"X2" -> "X1" [label="1.00", penwidth=3.00];' in dot
    assert '<td title="chains disagree">?</td>' in posterior._repr_html_()


def test_no_experiment_is_advised_where_chains_disagree():
    dags = np.zeros((2, 200, 2, 2), bool)
    dags[..., 0, 1] = True
    info = {"sampler": {"name": "DagMCMC"}, "prior": {"name": "Sparsity"}}
    agreed = make_posterior(dags, info=info)
    dags[1, :100] = False
    assert agreed.pairs()["direction"].tolist() == ["-"]
    assert agreed.advice is not None
    assert make_posterior(dags, info=info).advice is None


# The sentences


@pytest.mark.parametrize(
    ("joined", "directions", "sentence"),
    [
        ([], [], "No two variables are joined with probability 0.0005 or more."),
        ([0.4], ["->"], "No two variables are joined with probability 0.5 or more."),
        ([0.5], ["-"], "1 pair of variables is joined with probability 0.5 or more; its direction cannot be told."),
        (
            [1, 0.1],
            ["<-", "->"],
            "1 pair of variables is joined with probability 0.5 or more; its direction can be told.",
        ),
        (
            [1, 0.6],
            ["-", "-"],
            "2 pairs of variables are joined with probability 0.5 or more; no direction can be told.",
        ),
        (
            [1, 0.9, 0.8],
            ["->", "-", "<-"],
            "3 pairs of variables are joined with probability 0.5 or more; the direction can be told in 2 of them.",
        ),
        (
            [1, 0.9],
            ["->", "->"],
            "2 pairs of variables are joined with probability 0.5 or more; the direction can be told in all of them.",
        ),
        (
            [1, 0.9, 0.8, 0.1],
            ["->", "-", "?", "?"],
            "2 pairs of variables are joined with probability 0.5 or more; the direction can be told in 1 of them; "
            "chains disagree on 2 more.",
        ),
        (
            [0.9, 0.4],
            ["?", "-"],
            "No two variables are joined with probability 0.5 or more; chains disagree on 1 pair.",
        ),
    ],
)
def test_the_headline(joined, directions, sentence):
    pairs = pd.DataFrame({"joined": joined, "direction": directions})
    assert headline(pairs) == check_sentence(sentence)


CHAIN = list(pairwise(range(12)))
CASES = {
    "chain": (CHAIN, 12, None, "11 pairs", "no direction can be told", set()),
    "star": ([(0, v) for v in range(1, 6)], 6, None, "5 pairs", "no direction can be told", set()),
    "fork": ([(0, 1), (0, 2)], 3, None, "2 pairs", "no direction can be told", set()),
    "collider": ([(0, 2), (1, 2)], 3, None, "2 pairs", "the direction can be told in all of them", {(0, 2), (1, 2)}),
    "known": (
        CHAIN,
        12,
        ew.Constraints(required=[("X4", "X5")]),
        "11 pairs",
        "the direction can be told in 8 of them",
        set(CHAIN[3:]),
    ),
    "root": (
        CHAIN,
        12,
        ew.Constraints(roots=["X1"]),
        "11 pairs",
        "the direction can be told in all of them",
        set(CHAIN),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_only_directions_that_can_be_told_are_called_so(case):
    """Partition MCMC counts each DAG once, so that it has the posterior over DAGs."""
    edges, p, known, pairs, directions, told = case
    posterior = ew.sample(
        data_of(edges, p), sampler=ew.PartitionMCMC(max_parents=3), constraints=known,
        iterations=20_000, thin=20, seed=1, progress=False,
    )  # fmt: skip
    found = posterior.numbered_pairs
    assert headline(found) == f"{pairs} of variables are joined with probability 0.5 or more; {directions}."
    joined = found[found["joined"] >= 0.5]
    assert set(zip(joined["a"], joined["b"], strict=True)) == set(edges)
    assert set(zip(*(joined[joined["direction"] == "->"][end] for end in "ab"), strict=True)) == told
    assert (joined["direction"] != "<-").all()
    # With an arrowhead, and only then, it is drawn so: in pictures, and for Graphviz.
    assert sum(line.head is not None for line in posterior.plot_graph().drawing.lines) == len(told)


@pytest.mark.parametrize("name", ["chain", "star", "fork", "collider"])
def test_the_default_sampler_calls_nothing_told_that_is_not(name):
    edges, p, known, pairs, directions, _ = CASES[name]
    posterior = ew.sample(data_of(edges, p), constraints=known, iterations=20_000, thin=20, seed=1, progress=False)
    assert headline(posterior.numbered_pairs).startswith(
        f"{pairs} of variables are joined with probability 0.5 or more"
    )
    assert headline(posterior.numbered_pairs).endswith(f"; {directions}.")


@pytest.mark.parametrize("name", ["fork", "collider"])
def test_the_exact_posterior_says_the_same(name):
    edges, p, _, _, _, told = CASES[name]
    exact = ew.exact_posterior(data_of(edges, p), over="dags")
    share = exact.edge_probabilities("compelled") / exact.edge_probabilities("undirected")
    assert {edge for edge in edges if share.iloc[edge] >= 0.75} == told


@pytest.mark.parametrize("name", ["chain", "collider"])
def test_a_report_and_a_notebook_say_so_too(name, tmp_path):
    edges, p, _, pairs, directions, _ = CASES[name]
    posterior = ew.sample(data_of(edges, p), iterations=20_000, thin=20, seed=1, progress=False)
    posterior.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    sentence = f"{pairs} of variables are joined with probability 0.5 or more; {directions}."
    assert re.search(r'<p class="lead" id="headline">(.*)</p>', page).group(1) == sentence
    assert f"<p>{sentence}</p>" in posterior._repr_html_()

"""Priors from files say what the same priors say in Python."""

import json
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise.priors import reading
from edgewise.priors.prior_files import _make
from sentences import check_sentence

NAMES = ["EGF", "EGFR", "RAS", "7"]

EVERYTHING = """
sparsity: 1.5
tier_order: {tiers: [[EGF], [EGFR], [RAS, 7]], strength: 2}
paths:
  - {sources: [EGF], targets: [EGFR, RAS]}
  - {sources: [EGFR], targets: [7], strength: -1}
ancestors: {pairs: [[EGF, 7]], strength: 3}
edge_beliefs:
  - {source: EGF, target: EGFR, probability: 0.9}
  - {source: RAS, target: 7, log_odds: -2}
"""


@pytest.fixture
def read(tmp_path):
    def read_text(text, name="beliefs.yaml", **settings):
        (tmp_path / name).write_text(text)
        return ew.read_prior(tmp_path / name, **settings)

    return read_text


@pytest.fixture
def refusal(read):
    def refuse(text, name="beliefs.yaml", **settings):
        with pytest.raises(ew.ArgumentError) as caught:
            read(text, name, **settings)
        return check_sentence(str(caught.value))

    return refuse


def assert_same(one, other):
    """Compare what two priors say of edges, and of all else."""
    first, second = one.terms(NAMES), other.terms(NAMES)
    np.testing.assert_allclose(first.edge, second.edge, rtol=1e-12)
    assert repr(first.beyond) == repr(second.beyond)


def test_all_that_can_be_believed(read):
    probable = pd.DataFrame({"source": ["EGF"], "target": ["EGFR"], "probability": [0.9]})
    odds = pd.DataFrame({"source": ["RAS"], "target": ["7"], "log_odds": [-2.0]})
    expected = (
        ew.Sparsity(1.5)
        + ew.TierOrder([["EGF"], ["EGFR"], ["RAS", "7"]], strength=2)
        + ew.Paths(["EGF"], ["EGFR", "RAS"])
        + ew.Paths(["EGFR"], ["7"], strength=-1)
        + ew.Ancestors([("EGF", "7")], strength=3)
        + ew.EdgeBeliefs(probabilities=probable)
        + ew.EdgeBeliefs(log_odds=odds)
    )
    assert_same(read(EVERYTHING), expected)


def test_json_says_the_same(read):
    content = {"sparsity": "auto", "ancestors": {"pairs": [["EGF", "RAS"]], "strength": 0.5}}
    assert_same(read(json.dumps(content), "beliefs.json"), ew.Sparsity("auto") + ew.Ancestors([("EGF", "RAS")], 0.5))


def test_sparsity_is_as_without_a_file_unless_it_is_said(read, refusal):
    assert read("paths:\n") == ew.Sparsity("auto")
    assert read("sparsity: 0\n") == ew.Sparsity(0.0)
    assert read("paths:\n", gamma=2.0) == ew.Sparsity(2.0)
    assert "has the key sparsity, and gamma is given too" in refusal("sparsity: 1\n", gamma=2.0)


@pytest.mark.parametrize(("belief", "argument"), [("probability", "probabilities"), ("log_odds", "log_odds")])
def test_beliefs_about_edges_of_one_kind(read, belief, argument):
    table = pd.DataFrame({"source": ["RAS"], "target": ["7"], belief: [0.25]})
    text = f"sparsity: 0\nedge_beliefs: {{source: RAS, target: 7, {belief}: 0.25}}\n"
    assert_same(read(text), ew.Sparsity(0) + ew.EdgeBeliefs(**{argument: table}))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tiers: [[EGF]]\n", "only these are known: sparsity, tier_order, paths, ancestors, edge_beliefs"),
        ("sparsity: much\n", "sparsity must be a number, but it is 'much'"),
        ("sparsity: [1]\n", "sparsity must be a number, but it is ['1']"),
        ("sparsity: -1\n", "gamma of Sparsity must be zero, a positive number"),
        ("tier_order: [[EGF], [RAS]]\n", "tier_order must have tiers and strength below it, but it has ['EGF']"),
        ("tier_order: {tiers: [[EGF]]}\n", "at least two lists"),
        ("tier_order: {tiers: [[EGF], [RAS]], strength: strong}\n", "strength of tier_order must be a number"),
        ("paths: {sources: [EGF]}\n", "paths has no targets: add it"),
        (
            "paths: {sources: [EGF], targets: [RAS], weight: 2}\n",
            "paths has 'weight', but it takes only sources, targets",
        ),
        ("paths: {sources: EGF, targets: [RAS]}\n", "sources of Paths must be a list of variables"),
        ("ancestors: {pairs: [EGF, RAS]}\n", "pairs of Ancestors must be a list of pairs"),
        ("edge_beliefs: [{source: EGF, target: RAS}]\n", "either a probability or log_odds"),
        (
            "edge_beliefs: [{source: EGF, target: RAS, probability: 1, log_odds: 2}]\n",
            "either a probability or log_odds",
        ),
        ("edge_beliefs: [EGF, RAS]\n", "but one of them is 'EGF'"),
        ("edge_beliefs: {source: EGF, target: RAS, probability: 1}\n", "must be finite"),
        ("edge_beliefs: {source: EGF, target: RAS, probability: 3}\n", "must lie between 0 and 1"),
        ("edge_beliefs: {source: EGF, target: RAS, log_odds: high}\n", "log_odds of edge_beliefs must be a number"),
        ("[1, 2]\n", "holds no prior: it must have keys such as sparsity or tier_order"),
        ("sparsity: 1\nsparsity: 2\n", "has the key 'sparsity' 2 times"),
    ],
)
def test_what_has_another_form_is_refused(refusal, text, words):
    assert words in refusal(text)


def test_numbers_of_a_prior_from_outside_are_read_whatever_they_are_called():
    @dataclass(frozen=True)
    class OutDegree:
        limit: int
        strength: float = 1.0

    assert _make("out_degree", OutDegree, {"limit": "2", "strength": "1.5"}) == OutDegree(2, 1.5)
    with pytest.raises(ew.ArgumentError, match="limit of out_degree must be a number, but it is 'two'"):
        _make("out_degree", OutDegree, {"limit": "two"})


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ew.ArgumentError, match="There is no file"):
        ew.read_prior(tmp_path / "nowhere.yaml")


def test_a_file_that_is_too_long(tmp_path):
    with (tmp_path / "long.json").open("wb") as file:
        file.truncate(2 * reading.MOST_JSON)
    with pytest.raises(ew.ArgumentError) as caught:
        ew.read_prior(tmp_path / "long.json")
    assert check_sentence(str(caught.value)).endswith("has 200 MB, but at most 100 are read.")

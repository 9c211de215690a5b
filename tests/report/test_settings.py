"""The record of a run in words, whatever is in it."""

import json

import pytest

import edgewise as ew
from edgewise.report.settings import describe_date, describe_run
from reports import sample


def runs():
    data = ew.simulate(4, 60, seed=1).data
    yield {}
    yield {"sampler": ew.MinimalIMAP(alpha=0.05, criterion="test"), "start": "random"}
    yield {"sampler": ew.PartitionMCMC(), "score": ew.GaussianBIC()}
    yield {"prior": ew.Sparsity(2.0) + ew.TierOrder([["X0"], ["X1", "X2", "X3"]])}
    yield {"constraints": ew.Constraints(required=[("X0", "X1")], forbidden=[("X2", "X3"), ("X3", "X2")])}
    yield {"start": list(data.columns)}


@pytest.mark.parametrize("settings", list(runs()), ids=lambda settings: "-".join(settings) or "default")
def test_there_are_no_raw_keys_and_nothing_is_none(settings):
    posterior = sample(ew.simulate(4, 60, seed=1).data, iterations=500, **settings)
    rows = dict(describe_run(posterior.info))
    assert {"Sampled", "Score", "Prior", "Iterations", "Burn-in", "Chains", "Seed", "Started from", "Ended by"} <= set(
        rows
    )
    text = json.dumps(rows)
    for raw in ("None", "none", "null", "_", "{", "stopped", "alpha"):
        assert raw not in text.removeprefix("{")
    assert rows["Iterations"] == "500"
    assert rows["Seed"] == "1"
    assert ("Known for certain" in rows) == ("constraints" in settings)
    if "constraints" in settings:
        assert rows["Known for certain"] == "1 required edge and 2 forbidden edges"


def test_the_default_prior_is_not_said_to_prefer_few_edges_where_it_does_not():
    rows = dict(describe_run({"prior": {"name": "Sparsity", "gamma": "auto"}}))
    assert (
        rows["Prior"]
        == "a price for each edge; log odds against each edge: by the number of variables, 0 up to 6 of them"
    )
    assert [ew.Sparsity("auto").penalty(p) > 0 for p in (2, 6, 7)] == [False, False, True]


def test_what_ended_a_run_is_told():
    about = {"schedule": {"burn_in": 1, "thin": 1}, "stopped_by": "keyboard"}
    assert dict(describe_run(about))["Ended by"] == "the keyboard"
    assert dict(describe_run({**about, "stopped_by": None}))["Ended by"] == "the last iteration"


def test_dates():
    assert describe_date({"date": "2026-03-01T23:30:00+02:00"}) == "1 March 2026, 21:30 UTC"
    for other in ({}, {"date": "yesterday"}, {"date": ""}, {"date": 5}, {"date": "0001-01-01T00:00:00+23:00"}):
        assert describe_date(other) == ""


@pytest.mark.parametrize(
    "value",
    [None, True, 3, 1.5, "text", [], {}, [[["deep"]]], {"name": 5}, {"name": None, "x": {"name": []}}, {"parts": 3},
     {"parts": [None, 3, {"name": "Sparsity"}]}],
)  # fmt: skip
def test_a_record_may_hold_anything_that_nothing_depends_on(value):
    info = dict.fromkeys(("prior", "constraints", "seed", "start", "seconds", "stopped_by", "chains", "method"), value)
    for rows in (describe_run(info), describe_run({**info, "versions": {"numpy": value}, "method": "bootstrap"})):
        assert all(isinstance(text, str) for row in rows for text in row)

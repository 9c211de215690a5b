import numpy as np
import pytest

from edgewise.experiments.figure1 import EXPERIMENT, SAMPLERS, STARTS, measure_spread, run_from_starts

pytestmark = pytest.mark.usefixtures("undrawn")


def traces(shift):
    """Five chains around the same level, the first of them shifted."""
    rng = np.random.default_rng(1)
    values = rng.standard_normal((len(STARTS), 200))
    values[0] += shift
    return values.tolist()


def conclude(directory, labels, shift=0.0):
    results = {
        f"{label}-{method}": {
            "data": label,
            "method": method,
            "iterations": 200,
            "max_parents": 2,
            "trace": traces(shift if method == "defaults" else 0.0),
        }
        for label in labels
        for method in SAMPLERS
    }
    return EXPERIMENT.conclude(results, directory)


def test_the_plan_with_and_without_dream4(empty_data):
    assert len(EXPERIMENT.plan(False, None)) == 2 * len(SAMPLERS)
    pieces = EXPERIMENT.plan(True, empty_data)
    assert len({piece.name for piece in pieces}) == len(pieces) == 3 * len(SAMPLERS)
    assert {piece.settings["label"] for piece in pieces} == {"n = 100", "n = 1000", "DREAM4"}


def test_a_piece():
    result = run_from_starts({"n": 100, "seed": 1}, "n = 100", "minimal-imap", iterations=2000, max_parents=2)
    assert np.shape(result["trace"]) == (len(STARTS), 1000)
    assert np.shape(result["directed"]) == (len(STARTS), 30 * 29)
    assert 0 <= np.min(result["directed"]) < np.max(result["directed"]) <= 1
    # The beginning is there, and random starts are far from where they lead to.
    trace = np.array(result["trace"])
    assert (trace[:2, 0] < trace[:2, -1] - 10).all()


def test_spread_between_and_within_chains():
    trace = np.array([[100.0, 1.0, 3.0, 1.0, 3.0], [0.0, 5.0, 5.0, 5.0, 5.0]])  # a fifth is left out
    assert measure_spread(trace) == (3.0, 0.5)


def test_the_section(tmp_path):
    section = conclude(tmp_path, ["DREAM4", "n = 1000", "n = 100"])
    (table,) = section.tables.values()
    assert table.index.unique("data").tolist() == ["n = 100", "n = 1000", "DREAM4"]
    assert [check.holds for check in section.checks] == [True]
    assert "200 iterations" in section.text[0]
    assert section.figures[0].exists()


def test_without_dream4_and_with_a_chain_apart(tmp_path):
    section = conclude(tmp_path, ["n = 100", "n = 1000"], shift=5.0)
    (table,) = section.tables.values()
    assert table.loc[("n = 100", "our minIMAP"), "between chains"] == pytest.approx(5, abs=0.5)
    assert [check.holds for check in section.checks] == [False]


def test_chains_that_never_move(tmp_path):
    results = {
        f"{label}-{method}": {
            "data": label,
            "method": method,
            "iterations": 10,
            "max_parents": 2,
            "trace": [[float(label == "n = 1000" and start == 0)] * 10 for start in range(len(STARTS))],
        }
        for label in ("n = 100", "n = 1000")
        for method in SAMPLERS
    }
    (table,) = EXPERIMENT.conclude(results, tmp_path).tables.values()
    assert table.loc[("n = 100", "minIMAP"), "ratio"] == 0
    assert table.loc[("n = 1000", "minIMAP"), "ratio"] == np.inf

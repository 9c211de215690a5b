import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise.experiments import table1
from edgewise.experiments.roc import RATES
from edgewise.experiments.simulations import choose_method, sample
from edgewise.experiments.table1 import (
    BETTER,
    EXPERIMENT,
    FIGURE4,
    FLOOR,
    KINDS,
    LABELS,
    PUBLISHED,
    correct_bias,
    rate_method,
)
from marks import with_few_rows

pytestmark = pytest.mark.usefixtures("undrawn")


def made_up(area):
    return {"auroc": area, "curve": RATES.tolist()}


def results_of(pieces, area=0.999):
    """An area for every data set and row, a little lower for even numbers."""
    rows = {
        "order": [label for label in LABELS if label.startswith("Order")],
        "partition": ["Partition"],
        "bootstrap": ["MMHC-Boot"],
        "longer": [LABELS[1]],
        "defaults": [LABELS[2], BETTER],
        "posterior": [LABELS[4]],
        "minimal-imap": ["minIMAP"],
    }
    results = {}
    for piece in pieces:
        source, method = piece.settings["source"], piece.settings["method"]
        number = source.get("seed", source.get("network"))
        here = made_up(area - 0.002 * (number % 2 == 0))
        found = {label: dict.fromkeys(KINDS, here) for label in rows.get(method, [])} or {FLOOR: {"undirected": here}}
        results[piece.name] = {
            "data": piece.settings["label"],
            "set": number,
            "rows": found,
            **{name: piece.settings[name] for name in ("iterations", "max_parents", "replicates")},
        }
    return results


@pytest.fixture
def with_dream4(tmp_path):
    """A directory with a few rows of five variables, and a truth with a cycle, in place of each network."""
    folder = tmp_path / "dream4" / "size10"
    folder.mkdir(parents=True)
    for network in range(1, 6):
        ew.simulate(5, 40, seed=network).data.to_csv(
            folder / f"insilico_size10_{network}_multifactorial.csv", index=False
        )
        edges = pd.DataFrame({"source": ["X0", "X1", "X2", "X3"], "target": ["X1", "X2", "X0", "X4"]})
        edges.to_csv(folder / f"insilico_size10_{network}_goldstandard_edges.csv", index=False)
    return tmp_path


def test_the_plan_with_and_without_dream4(with_dream4):
    without = EXPERIMENT.plan(False, None)
    assert len({piece.name for piece in without}) == len(without) == 2 * 20 * 8
    pieces = EXPERIMENT.plan(False, with_dream4)
    assert len(pieces) == len(without) + 5 * 8
    assert [piece.file for piece in FIGURE4.plan(False, with_dream4)] == [piece.file for piece in pieces]
    assert len(EXPERIMENT.plan(True, None)) < len(without)


@with_few_rows
def test_pieces(with_dream4):
    """All methods at once, on data with five variables."""
    found = {}
    for piece in EXPERIMENT.plan(True, with_dream4):
        if piece.name.startswith("dream4-1-"):
            with np.errstate(all="raise"):
                result = rate_method(**{**piece.settings, "iterations": 500, "replicates": 3})
            assert (result["data"], result["set"]) == ("DREAM4", 1)
            found |= result["rows"]
    assert set(found) == set(LABELS)
    for label, rates in found.items():
        assert set(rates) >= ({"undirected"} if label == FLOOR else set(KINDS))
        assert all(0 <= rate["auroc"] <= 1 and len(rate["curve"]) == len(RATES) for rate in rates.values())


def test_one_run_gives_all_corrections():
    """As the sampler itself weighs the same draws."""
    data = ew.simulate(6, 50, seed=1).data
    corrections = {}
    for correction in ("none", "partial", "full"):
        method = choose_method("order", 2)
        method = type(method)(method.label, ew.OrderMCMC(max_parents=2, bias_correction=correction), method.prior)
        corrections[correction] = sample(method, data, starts=[[0, 1, 2, 3, 4, 5]], iterations=2000, seed=1)
    found = correct_bias(corrections["full"])
    for label, correction in (("Order-NBC", "none"), ("Order-PBC", "partial"), ("Order-FBC", "full")):
        assert found[label].weights == pytest.approx(corrections[correction].weights)
        assert found[label].edge_probabilities().to_numpy() == pytest.approx(
            corrections[correction].edge_probabilities().to_numpy(), abs=1e-9
        )
    assert np.ptp(found["Order-PBC"].weights) < np.ptp(found["Order-FBC"].weights)


def test_areas_stand_beside_the_papers(tmp_path, with_dream4):
    section = EXPERIMENT.conclude(results_of(EXPERIMENT.plan(False, with_dream4)), tmp_path)
    table = section.tables["AUROC, compelled edges"]
    row = table.loc[("n = 1000", "Order-PBC")]
    assert row["paper"] == PUBLISHED["Order-PBC"][3] == 0.393
    assert (row["one data set"], row["mean"], row["data sets"]) == pytest.approx((0.999, 0.998, 20))
    assert row["standard error"] == pytest.approx(0.001 / 19**0.5)
    assert (("DREAM4", FLOOR) in table.index, ("DREAM4", FLOOR) in section.tables["AUROC, undirected edges"].index) == (
        False,
        True,
    )
    by_network = section.tables["AUROC, undirected edges, DREAM4 by network"]
    assert by_network.columns.tolist() == [1, 2, 3, 4, 5, "mean"]
    assert by_network.loc["minIMAP", "mean"] == pytest.approx(0.999 - 2 * 0.002 / 5)
    assert [check.holds for check in section.checks] == [True, True]


@pytest.mark.parametrize(("area", "holds"), [(0.98, [False, True]), (0.95, [False, False])])
def test_checks_can_fail(tmp_path, area, holds):
    section = EXPERIMENT.conclude(results_of(EXPERIMENT.plan(True, None), area), tmp_path)
    assert [check.holds for check in section.checks] == holds
    assert not any("DREAM4" in caption for caption in section.tables)


def test_curves_with_dream4(tmp_path, with_dream4):
    section = FIGURE4.conclude(results_of(FIGURE4.plan(True, with_dream4)), tmp_path)
    assert [path.name for path in section.figures] == ["roc-one-data-set.svg", "roc-mean.svg"]
    assert all(path.exists() for path in section.figures)
    assert "0.300 (minIMAP)" in section.text[1]  # the mean of the rates from 0 to .6, on the diagonal


def test_curves_without_dream4(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(table1, "save_figure", lambda figure, path: drawn.append(figure))
    section = FIGURE4.conclude(results_of(FIGURE4.plan(True, None)), tmp_path)
    assert len(section.text) == 1
    assert [len(figure.axes) for figure in drawn] == [4, 4]

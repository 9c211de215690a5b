import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise.experiments.roc import RATES
from edgewise.experiments.table2 import (
    EXPERIMENT,
    NEITHER,
    ORDER,
    PATH_AND_ORDER,
    PUBLISHED,
    rate_prior,
    read_network,
    simulate,
)

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture
def data(tmp_path):
    """Two ligands, each with its receptor, and a cytosolic protein that both act on."""
    folder = tmp_path / "egfr"
    folder.mkdir()
    nodes = {"node": ["L1", "L2", "R1", "R2", "C"], "class": ["ligand"] * 2 + ["receptor"] * 2 + ["cytosolic"]}
    pd.DataFrame(nodes).to_csv(folder / "nodes.csv", index=False)
    edges = {"source": ["L1", "L2", "R1", "R2"], "target": ["R1", "R2", "C", "C"]}
    pd.DataFrame(edges).to_csv(folder / "edges.csv", index=False)
    return tmp_path


def results_of(pieces, gains=(0.02, 0.01)):
    """Areas that rise from data set to data set; the order prior adds the first gain, the path prior the second."""
    over_none = {ORDER: gains[0], PATH_AND_ORDER: sum(gains)}
    results = {}
    for piece in pieces:
        seed, row = piece.settings["seed"], piece.settings["row"]
        rates = {"auroc": 0.9 + 0.001 * (seed % 5) + over_none.get(row, 0.0), "curve": RATES.tolist()}
        settings = {name: piece.settings[name] for name in ("seed", "iterations", "max_parents", "replicates")}
        results[piece.name] = {**settings, "rows": {row: rates}}
    return results


def test_the_network_as_reconstructed(public_data):
    network = read_network(public_data / "egfr")
    assert [len(members) for members in network.classes] == [4, 4, 6]
    assert network.dag.sum() == 17
    assert network.dag[network.names.index("EGF"), network.names.index("EGFR")]


def test_without_the_network_there_is_nothing_to_do():
    assert EXPERIMENT.plan(False, None) == []


def test_the_plan(data):
    pieces = EXPERIMENT.plan(False, data)
    assert len({piece.name for piece in pieces}) == len(pieces) == 50 * 9
    assert all(" " not in piece.name and "/" not in piece.name for piece in pieces)
    quick = EXPERIMENT.plan(True, data)
    # The gain of the path prior needs all data sets to be seen.
    assert sum(piece.settings["row"] == PATH_AND_ORDER for piece in quick) == 50
    assert len(quick) < len(pieces) / 2


def test_data_follow_the_network(data):
    network = read_network(data / "egfr")
    data_set = simulate(network, seed=3)
    again = simulate(network, seed=3)
    pd.testing.assert_frame_equal(data_set.data, again.data)
    assert data_set.data.shape == (100, 5)
    assert data_set.data.columns.tolist() == network.names
    correlation = data_set.data.corr().abs()
    assert correlation.loc["L1", "R1"] > 0.2 > correlation.loc["L1", "L2"]
    assert (data_set.compelled == ew.compelled_edges(network.dag)).all()


def test_pieces(data):
    """Every row once, on a few draws; only our minIMAP without paths have Rao-Blackwellised probabilities besides."""
    found = {}
    for piece in EXPERIMENT.plan(True, data):
        if piece.settings["seed"] == 1:
            found |= rate_prior(**{**piece.settings, "iterations": 500, "replicates": 3})["rows"]
    assert set(PUBLISHED) < set(found)
    assert {row for row in found if "Rao" in row} == {
        "our minIMAP w/ order prior, Rao-Blackwellised",
        "our minIMAP w/o either, Rao-Blackwellised",
    }
    assert all(0.3 < rates["auroc"] <= 1 for rates in found.values())


def test_gains_are_paired(tmp_path, data):
    section = EXPERIMENT.conclude(results_of(EXPERIMENT.plan(True, data)), tmp_path)
    table, gains = section.tables.values()
    assert table.loc[ORDER, ["paper", "ours"]].tolist() == pytest.approx([0.917, 0.922])
    assert table.index[:3].tolist() == [PATH_AND_ORDER, ORDER, NEITHER]
    assert table.loc["MMHC-Boot", "data sets"] == 3
    assert gains["gain"].tolist() == pytest.approx([0.01, 0.02])
    assert gains["standard error"].tolist() == pytest.approx([0, 0], abs=1e-12)
    assert "+0.0100 beyond the order prior (paper +0.012)" in section.text[2]
    assert "reconstruction" in section.text[0]
    assert [check.holds for check in section.checks] == [True, True]
    assert section.figures[0].exists()


@pytest.mark.parametrize(
    ("gains", "holds"), [((0.02, -0.001), [False, True]), ((-0.001, 0.02), [True, False]), ((0.0, 0.0), [True, True])]
)
def test_checks_can_fail(tmp_path, data, gains, holds):
    section = EXPERIMENT.conclude(results_of(EXPERIMENT.plan(True, data), gains), tmp_path)
    assert [bool(check.holds) for check in section.checks] == holds
    assert all(isinstance(check.holds, bool | np.bool_) for check in section.checks)

import numpy as np
import pytest

from edgewise.experiments import figure1
from edgewise.experiments.figure2 import EXPERIMENT, correlate_pairs

pytestmark = pytest.mark.usefixtures("undrawn")


def results_of(noise):
    rng = np.random.default_rng(1)
    probability = rng.random(100)
    return {
        piece.name: {
            "data": piece.settings["label"],
            "method": piece.settings["method"],
            "iterations": 200,
            "directed": (
                probability + (noise if piece.settings["method"] == "defaults" else 0.1) * rng.standard_normal((5, 100))
            ).tolist(),
        }
        for piece in EXPERIMENT.plan(True, None)
    }


def test_it_shares_the_pieces_of_figure_1(empty_data):
    own = {piece.file for piece in EXPERIMENT.plan(True, empty_data)}
    others = {piece.file for piece in figure1.EXPERIMENT.plan(True, empty_data)}
    assert own < others


def test_correlations_by_kind_of_pair():
    # The two random starts agree, as do the two of MMHC; across, they are opposed. The true start has no part.
    up = np.array([0.0, 0.5, 1.0])
    found = correlate_pairs(np.array([up, up, 1 - up, 1 - up, [0.0, 1.0, 0.0]]))
    assert found == pytest.approx(
        {"random and random": 1, "random and MMHC": -1, "MMHC and MMHC": 1, "all pairs": (1 + 1 - 4) / 6}
    )


def test_the_section(tmp_path):
    section = EXPERIMENT.conclude(results_of(0.01), tmp_path)
    (table,) = section.tables.values()
    assert table.index.unique("data").tolist() == ["n = 100", "n = 1000"]
    assert table.loc[("n = 1000", "our minIMAP"), "all pairs"] > table.loc[("n = 1000", "Order"), "all pairs"]
    assert [check.holds for check in section.checks] == [True]
    assert section.figures[0].exists()


def test_the_check_can_fail(tmp_path):
    assert [check.holds for check in EXPERIMENT.conclude(results_of(0.3), tmp_path).checks] == [False]

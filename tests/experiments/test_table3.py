import pytest

from edgewise.experiments.simulations import FULL, METHODS
from edgewise.experiments.table3 import EXPERIMENT, PUBLISHED, compare_starts

pytestmark = pytest.mark.usefixtures("undrawn")

MADE_UP = {
    "minimal-imap": 0.98,
    "longer": 0.999,
    "defaults": 0.998,
    "posterior": 0.9985,
    "order": 0.93,
    "partition": 0.79,
}


def conclude(directory, *, quick=True, **changes):
    """Conclude from correlations that are those of MADE_UP on average, with changes."""
    values = {**MADE_UP, **{name.replace("_", "-"): value for name, value in changes.items()}}
    results = {
        piece.name: {
            **piece.settings,
            "correlation": values[piece.settings["method"]] + (0.001 if piece.settings["seed"] % 2 else -0.001),
        }
        for piece in EXPERIMENT.plan(quick, None)
    }
    return EXPERIMENT.conclude(results, directory)


def test_the_plan():
    pieces = EXPERIMENT.plan(False, None)
    assert len({piece.name for piece in pieces}) == len(pieces) == 200 * len(METHODS)
    assert {piece.settings["iterations"] for piece in pieces} == {FULL.iterations}
    quick = EXPERIMENT.plan(True, None)
    assert len(quick) < len(pieces)
    assert {piece.settings["method"] for piece in quick} == set(METHODS)


def test_a_piece():
    result = compare_starts(seed=1, method="minimal-imap", iterations=2000, max_parents=2)
    assert result["method"] == "minimal-imap"
    assert 0.5 < result["correlation"] <= 1
    assert result == compare_starts(seed=1, method="minimal-imap", iterations=2000, max_parents=2)


def test_means_and_errors_stand_beside_the_papers(tmp_path):
    section = conclude(tmp_path)
    table, by_parents = section.tables.values()
    assert by_parents["up to 2 parents"].dropna().between(0.7, 1).all()
    numbers = by_parents.filter(like="data sets").sum(axis=1)
    assert numbers.tolist() == table["data sets"].tolist()
    assert table["ours"].tolist() == pytest.approx([MADE_UP[name] for name in METHODS])
    assert table.loc["Order", ["paper", "paper's error"]].tolist() == list(PUBLISHED["order"])
    assert table.loc["our minIMAP", "paper"] != table.loc["our minIMAP", "paper"]
    assert table["standard error"].tolist() == pytest.approx(0.001 / (table["data sets"] - 1) ** 0.5)
    assert "minIMAP 0.980 (paper 0.977), Order 0.930 (paper 0.928)" in section.text[1]
    assert [check.holds for check in section.checks] == [True, True]
    (figure,) = section.figures
    assert figure.exists()
    assert figure.with_suffix(".png").exists()


@pytest.mark.parametrize(
    ("changes", "holds"),
    [
        ({}, [True, True, True]),
        ({"minimal_imap": 0.976}, [True, True, False]),
        ({"order": 0.985}, [False, True, True]),
        ({"partition": 0.94}, [True, False, True]),
    ],
)
def test_checks_can_fail(tmp_path, changes, holds):
    assert [check.holds for check in conclude(tmp_path, quick=False, **changes).checks] == holds

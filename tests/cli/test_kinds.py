"""Tables with levels, gaps and interventions, from the command line."""

import json

import numpy as np
import pandas as pd
import pytest

import edgewise as ew

QUICK = ("--iterations", "4000", "--thin", "10", "--seed", "1")


@pytest.fixture
def cohort(tmp_path):
    rng = np.random.default_rng(4)
    n = 200
    smoker = rng.choice(["yes", "no"], n)
    grade = np.where(smoker == "yes", rng.integers(2, 6, n), rng.integers(1, 5, n))
    table = pd.DataFrame({"patient": np.arange(n) + 100, "smoker": smoker, "grade": grade})
    table["marker"] = 0.8 * grade + rng.normal(size=n)
    table.loc[rng.random(n) < 0.1, "marker"] = np.nan
    table.to_csv(tmp_path / "cohort.csv", index=False)
    return tmp_path / "cohort.csv"


def test_levels_and_gaps(run, cohort, tmp_path):
    options = ("--drop", "patient", "--kinds", "grade=ordinal", "--missing", "em")
    done = run("fit", cohort, "--out", "out", *QUICK, *options)
    assert done.code == 0
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["score"]["name"] == "DegenerateGaussian"
    assert record["data"]["kinds"] == {"smoker": "binary", "grade": "ordinal", "marker": "continuous"}
    assert "with the score DegenerateGaussian." in done.out
    assert "Of 3 columns, 1 is binary, 1 is ordinal and 1 is continuous." in done.out
    assert f"what is known is worth {record['data']['effective_rows']} of the 200 rows." in done.out
    page = (tmp_path / "out" / "report.html").read_text()
    assert "1 is binary, 1 is ordinal and 1 is continuous." in page
    assert "where a level is a number, 0 or 1" in page
    for words in ('<td class="text">binary</td>', "no, yes"):
        assert words in page
    again = run("report", "out")
    assert again.code == 0


def test_gaps_are_refused_with_the_ways_on(run, cohort):
    done = run("fit", cohort, "--out", "out", "--drop", "patient", *QUICK)
    assert done.code == 2
    assert "Column 'marker' has" in done.err
    assert "--missing em" in done.err


def test_conditions(run, tmp_path):
    rng = np.random.default_rng(6)
    raf = rng.normal(size=300)
    condition = np.repeat(["control", "inhibitor"], [200, 100])
    mek = np.where(condition == "inhibitor", rng.normal(size=300), raf + rng.normal(size=300))
    table = pd.DataFrame({"Raf": raf, "Mek": mek, "condition": condition})
    table.to_csv(tmp_path / "screen.csv", index=False)
    (tmp_path / "targets.yaml").write_text("control: []\ninhibitor: [Mek]\n")
    done = run("fit", "screen.csv", "--out", "out", "--interventions", "condition", "--targets", "targets.yaml", *QUICK)
    assert done.code == 0
    assert (
        "Rows were measured under 2 conditions: 'control' (200 rows) and 'inhibitor' (100 rows, set: Mek)." in done.out
    )
    assert "its direction can be told" in done.out
    pairs = pd.read_csv(tmp_path / "out" / "pairs.csv")
    assert pairs.loc[0, ["a", "direction", "b"]].tolist() == ["Raf", "->", "Mek"]


def test_a_file_says_which_cells_were_set(run, tmp_path):
    sim = ew.simulate(3, 60, seed=1)
    sim.data.to_csv(tmp_path / "data.csv", index=False)
    pd.DataFrame({"X1": [0] * 40 + [1] * 20, "X2": [0] * 60}).to_csv(tmp_path / "set.csv", index=False)
    done = run("fit", "data.csv", "--out", "out", "--interventions", "set.csv", *QUICK, "--quiet")
    assert done.code == 0
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["data"]["targets"] == [["X1"]]
    assert [condition["rows"] for condition in record["data"]["conditions"]] == [40, 20]


def test_ranks(run, tmp_path):
    sim = ew.simulate(3, 100, seed=1)
    np.exp(sim.data).to_csv(tmp_path / "data.csv", index=False)
    done = run("fit", "data.csv", "--out", "out", "--ranks", *QUICK)
    assert done.code == 0
    assert "Data: nothing unusual." in done.out
    assert "Measurements were replaced by the normal scores of their ranks" in done.out

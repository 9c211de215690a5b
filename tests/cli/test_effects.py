"""The command that tells what an intervention would do: in a terminal, as JSON, as files; and what it refuses."""

import json
import os
import re

import pandas as pd
import pytest

import edgewise as ew
from edgewise.cli import effects as effects_module
from records import make_posterior
from sentences import check_sentence

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
NAMES = ["Raf", "Mek", "Erk", "Akt", "Jnk"]


def refused(done):
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("edgewise: ")
    assert done.err.count("\n") == 1
    return check_sentence(done.err.removeprefix("edgewise: ").rstrip("\n"))


@pytest.fixture
def means(fitted):
    posterior = ew.load(fitted.folder / "out" / "posterior.nc")
    return posterior.intervene({"Mek": 0.5}, seed=1)


def rows_of(shown):
    """Return the rows of the table that was shown, by variable."""
    rows = [line.split() for line in CONTROL.sub("", shown).splitlines()]
    return {row[0]: row[1:] for row in rows if row and row[0] in NAMES}


@pytest.mark.parametrize(("columns", "number"), [(120, 6), (66, 4), (30, 1)])
def test_a_terminal_shows_a_table(show, fitted, means, columns, number):
    code, shown = show("effect", fitted.folder / "out", "--set", "Mek=0.5", columns=columns)
    assert code == 0
    plain = CONTROL.sub("", shown)
    assert "Means when Mek is set to 0.5" in " ".join(plain.split())
    assert max(map(len, plain.splitlines())) <= columns
    rows = rows_of(shown)
    assert list(rows) == means.index.tolist()
    for name, row in means.iterrows():
        expected = [
            *(f"{number:.4g}" for number in (*row[["mean", "lower", "upper"]], row["mean"] - row["change"])),
            *(f"{row[f'probability_{way}']:.3f}" for way in ("rising", "falling")),
        ]
        assert rows[name] == expected[:number]
    assert "single measurements spread more" in " ".join(plain.split())


def test_a_pipe_gets_the_same_without_colours(run, fitted, means):
    done = run("effect", fitted.folder / "out", "--set", "Mek=0.5", columns=30)
    assert (done.code, done.err) == (0, "")
    assert "\x1b" not in done.out
    assert list(rows_of(done.out)) == means.index.tolist()
    assert all(len(row) == 6 for row in rows_of(done.out).values())


def test_json_has_everything(run, fitted, means, tmp_path):
    options = ("--set", "Mek=0.5", "--set", "Erk=-1e-1", "--interval", "0.5", "--draws", "200", "--seed", "4")
    done = run("effect", fitted.folder / "out", *options, "--json")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    posterior = ew.load(fitted.folder / "out" / "posterior.nc")
    expected = posterior.intervene({"Mek": 0.5, "Erk": -0.1}, interval=0.5, draws=200, seed=4)
    pd.testing.assert_frame_equal(pd.DataFrame(found["means"]).set_index("variable"), expected, check_exact=True)
    assert found["set"] == {"Mek": 0.5, "Erk": -0.1}
    assert (found["interval"], found["draws"], found["seed"]) == (0.5, 200, 4)
    assert found["verdict"] == posterior.silent_diagnostics.verdict
    assert found["is_converged"] is posterior.silent_diagnostics.is_converged
    assert os.listdir(tmp_path) == []


def test_files_hold_the_table_or_the_picture(run, fitted, means, tmp_path):
    for ending in ("csv", "html"):
        done = run("effect", fitted.folder / "out", "--set", "Mek=0.5", "--out", f"effect.{ending}")
        assert (done.code, done.err) == (0, "")
        assert done.out.endswith(f"Wrote effect.{ending}.\n")
    assert sorted(os.listdir(tmp_path)) == ["effect.csv", "effect.html"]
    found = pd.read_csv(tmp_path / "effect.csv", index_col="variable")
    pd.testing.assert_frame_equal(found, means, rtol=1e-12)
    page = (tmp_path / "effect.html").read_text(encoding="utf-8")
    assert "Means when Mek is set to 0.5" in page
    assert "plotly" in page


def test_of_many_variables_the_most_changed_are_shown(run, fitted, means, monkeypatch):
    monkeypatch.setattr("edgewise.cli.summary.SHOWN", 3)
    done = run("effect", fitted.folder / "out", "--set", "Mek=0.5")
    assert list(rows_of(done.out)) == means.index.tolist()[:3]
    assert "These are the 3 most changed of 4 variables; --out FILE.csv has all." in done.out


def test_a_bad_run_and_ranks_are_told(run, table):
    run("fit", table.name, "--out", "out", "--ranks", "--iterations", "60", "--thin", "10", "--seed", "1")
    done = run("effect", "out", "--set", "Mek=0.5")
    assert done.code == 0
    assert "All values are normal scores" in done.out
    assert done.err.startswith("edgewise: note: ")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "--set"),
        (["--set", "Mek"], "--set must be like MEK=0, a variable and its value, but 'Mek' was given"),
        (["--set", "Mek="], "--set must give 'Mek' a number, but '' was given"),
        (["--set", "Mek=high"], "--set must give 'Mek' a number, but 'high' was given"),
        (["--set", "Mek=nan"], "'Mek' must be set to a finite number"),
        (["--set", "Mek=-inf"], "'Mek' must be set to a finite number"),
        (["--set", "MEK=0"], "There is no variable 'MEK'"),
        (["--set", "=0"], "There is no variable ''"),
        (["--set", "Mek=0", "--set", "Mek=1"], "--set has 'Mek' more than once"),
        ([option for name in NAMES for option in ("--set", f"{name}=0")], "All variables are set"),
        (["--set", "Mek=0", "--interval", "90"], "interval is a probability"),
        (["--set", "Mek=0", "--draws", "0"], "draws must be a whole number"),
        (["--set", "Mek=0", "--seed", "-1"], "seed must be"),
        (["--set", "Mek=0", "--out", "effect.pdf"], "--out must be a file whose name ends in .csv or .html"),
        (["--set", "Mek=0", "--out", "none/effect.csv"], "make the directory first"),
    ],
    ids=lambda given: " ".join(given)[:40] if isinstance(given, list) else "",
)
def test_bad_input_is_a_sentence(run, fitted, tmp_path, options, words):
    assert words in refused(run("effect", fitted.folder / "out", *options))
    assert os.listdir(tmp_path) == []


def test_a_directory_without_results(run, tmp_path):
    assert "There is no posterior.nc in 'none'" in refused(run("effect", "none", "--set", "Mek=0"))


@pytest.mark.parametrize(
    ("info", "words"),
    [
        ({}, "effects need the data"),
        ({"data": None}, "has no effects"),
        ({"data": {"kinds": {"X0": "binary", "X1": "binary"}, "levels": {}}}, "these data have levels or grades"),
    ],
    ids=["no statistics", "prior", "levels"],
)
def test_a_posterior_without_effects(run, tmp_path, info, words):
    posterior = make_posterior(pd.DataFrame([[0, 1], [0, 0]]).to_numpy(bool)[None, None], info=info)
    posterior.save(tmp_path / "posterior.nc")
    assert words in refused(run("effect", ".", "--set", "X0=0"))


def test_the_headings_are_those_of_the_table(means):
    assert {*effects_module.NUMBERS} - {"before"} < {*means.columns}

"""The command that compares two runs: what it writes, says and refuses."""

import json
import os
import re
import shutil

import pandas as pd
import pytest

import edgewise as ew
from reports import sample
from sentences import check_sentence

FILES = ["comparison.html", "comparison.json", "pairs.csv"]


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """A directory with the draws of two conditions, of another seed, of other variables and of a poor run."""
    folder = tmp_path_factory.mktemp("runs")
    names = ["Raf", "Mek", "Erk", "Akt", "Jnk"]
    control, treated = (ew.simulate(5, 200, seed=seed).data.set_axis(names, axis=1) for seed in (8, 2))
    for name, data, settings in (
        ("control", control, {}),
        ("again", control, {"seed": 2}),
        ("treated", treated, {}),
        ("others", ew.simulate(4, 200, seed=1).data, {}),
        ("poor", control, {"iterations": 200}),
    ):
        (folder / name).mkdir()
        sample(data, **{"iterations": 20_000, **settings}).save(folder / name / "posterior.nc")
    return folder


def refused(done):
    """Check that there is one sentence on standard error and nothing else, and return it."""
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    return check_sentence(done.err.removeprefix("edgewise: ").rstrip("\n"))


@pytest.fixture
def here(runs, tmp_path):
    """The same in a directory of the test's own."""
    shutil.copytree(runs, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_two_conditions_are_compared(run, here):
    done = run("compare", "control", "treated", "--out", "out")
    assert (done.code, done.err) == (0, "")
    assert sorted(os.listdir(here / "out")) == FILES
    comparison = ew.compare(
        *(ew.load(here / name / "posterior.nc") for name in ("control", "treated")), names=("control", "treated")
    )
    assert comparison.pairs["is_large"].any()
    assert comparison.headline in done.out
    assert f"Agreement: {comparison.agreement:.2f}, " in done.out
    assert "not yet a difference in nature" in done.out
    assert "The runs differ in: data." in done.out
    assert "Open out/comparison.html in a browser." in done.out
    table = pd.read_csv(here / "out" / "pairs.csv")
    pd.testing.assert_frame_equal(table, comparison.pairs, check_dtype=False)
    first = comparison.pairs.iloc[0]
    assert re.search(rf"{first['a']} +\S+.* {first['b']} .*0\.\d{{3}}|1\.000", done.out)
    page = (here / "out" / "comparison.html").read_text(encoding="utf-8")
    assert "What differs between" in page
    assert "<script" not in page


def test_runs_that_differ_in_their_seeds(run, here):
    done = run("compare", "control", "again", "--out", "out")
    assert done.code == 0
    assert done.out.startswith("No pair of variables differs between control and again beyond Monte Carlo error.\n")
    assert "The runs differ in: seed." in done.out


def test_json_is_all_there_is_on_standard_output(run, here):
    done = run("compare", "control", "treated", "--out", "out", "--json")
    assert (done.code, done.err) == (0, "")
    told = json.loads(done.out)
    assert told == json.loads((here / "out" / "comparison.json").read_text())
    table = pd.read_csv(here / "out" / "pairs.csv", engine="python")
    assert told["names"] == ["control", "treated"]
    assert told["large"] == table["is_large"].sum() > 0
    assert told["beyond_error"] == table["beyond_error"].sum()
    assert told["false_alarms"] == 0.01
    assert told["top_pairs"] == table.head(15).to_dict("records")
    assert 0 < told["agreement"] < 1
    assert told["settings"] == [{"setting": "data", "first": "200 rows", "second": "200 rows, but others"}]


def test_quiet_says_nothing_but_what_is_wrong(run, here):
    assert run("compare", "control", "treated", "--out", "out", "--quiet").out == ""
    done = run("compare", "control", "poor", "--out", "out", "--quiet", "--overwrite")
    assert done.out == ""
    assert done.err.startswith(
        "edgewise: note: Differences may be due to the chains of poor: Do not trust this run yet"
    )
    shown = run("compare", "control", "poor", "--out", "out", "--overwrite")
    assert "Note: Differences may be due to the chains of poor" in shown.out
    assert "run longer (edgewise resume with --iterations)" in shown.out


def test_a_run_is_compared_with_itself(run, here):
    done = run("compare", "control", "control", "--out", "out")
    assert done.code == 0
    assert "No pair of variables differs between control and control (again)" in done.out
    assert "Agreement: 1.00" in done.out


def test_what_fit_wrote_is_taken_and_left_alone(run, fitted, tmp_path):
    fitted.copy_to(tmp_path / "one")
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "one").iterdir()}
    assert run("compare", "one", fitted.folder / "out", "--out", "out", "--quiet").code == 0
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / "one").iterdir()} == before
    assert sorted(os.listdir(tmp_path / "out")) == FILES


def test_directories_of_the_same_name_are_told_apart(run, here):
    for name in ("control", "treated"):
        (here / "of" / name).mkdir(parents=True)
        (here / name).rename(here / "of" / name / "out")
    done = run("compare", "of/control/out", "of/treated/../treated/out", "--out", "new", "--json")
    assert json.loads(done.out)["names"] == ["control/out", "treated/out"]


def test_in_a_terminal(show, here):
    for columns in (60, 120):
        code, shown = show("compare", "control", "treated", "--out", "out", "--overwrite", columns=columns)
        assert code == 0
        assert "Largest differences" in shown
        assert "Open out/comparison.html in a browser." in shown
        plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
        assert max(map(len, plain.splitlines())) <= columns


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["control", "others", "--out", "out"], "must be of the same variables, in any order, but only control has"),
        (["control", "nowhere", "--out", "out"], "There is no posterior.nc in 'nowhere'"),
        (["empty", "control", "--out", "out"], "There is no posterior.nc in 'empty'"),
        (["control", "broken", "--out", "out"], "'broken/posterior.nc'"),
        (["control", "again", "--out", "treated"], "'treated', which is not empty"),
        (["control", "again", "--out", "control", "--overwrite"], "one of the two runs, whose pairs.csv would be lost"),
        (["control", "again", "--out", "broken/posterior.nc"], "is a file"),
        (["control", "again"], "--out"),
        (["control", "--out", "out"], "DIR2"),
    ],
)
def test_what_is_refused(run, here, arguments, words):
    (here / "empty").mkdir()
    (here / "broken").mkdir()
    (here / "broken" / "posterior.nc").write_bytes(b"no posterior")
    assert words in refused(run("compare", *arguments))
    assert not (here / "out").exists()
    assert os.listdir(here / "treated") == ["posterior.nc"]

"""Many files in one command."""

import json
import shutil

import pandas as pd
import pytest

import edgewise as ew
from edgewise.cli import many as module
from edgewise.running import many as running
from edgewise.tasks import run_tasks
from sentences import check_sentence

QUICK = ("--iterations", "1000", "--thin", "10", "--chains", "2")
FILES = ["checkpoint", "done.json", "edges.csv", "pairs.csv", "posterior.nc", "report.html", "run.json"]


def write_plates(folder):
    """Write three tables, of which one is too small."""
    folder.mkdir()
    for number in range(3):
        table = ew.simulate(4, 60, seed=number).data
        table.head(2 if number == 1 else 60).to_csv(folder / f"plate{number}.csv", index=False)


@pytest.fixture
def plates(tmp_path):
    write_plates(tmp_path / "plates")
    return tmp_path / "plates"


@pytest.fixture
def here(monkeypatch):
    """Compute in this process, since workers take seconds to begin; list how many were asked for."""
    asked = []

    def run(work, tasks, workers, *, is_over):
        asked.append(workers)
        return run_tasks(running.do_set, tasks, is_over=is_over)

    monkeypatch.setattr(running, "run_in_processes", run)
    return asked


def test_each_file_has_its_results_and_the_same_command_goes_on(run, here, plates, tmp_path):
    done = run("fit", "plates/*.csv", "--out", "out", *QUICK, "--quiet")
    assert done.code == 1
    assert done.out == ""
    assert done.err == "edgewise: plate1 failed. The data have only 2 rows, but at least 4 rows are needed.\n"
    out = tmp_path / "out"
    assert sorted(path.name for path in out.iterdir()) == ["many.json", "plate0", "plate2", "summary.csv"]
    assert sorted(path.name for path in (out / "plate2").iterdir()) == FILES
    written = {path: path.stat().st_mtime_ns for path in out.glob("plate*/report.html")}
    before = pd.read_csv(out / "summary.csv").set_index("name")

    shutil.copy(plates / "plate0.csv", plates / "plate1.csv")
    done = run("fit", "plates/*.csv", "--out", "out", *QUICK, "--jobs", "3")
    assert done.code == 0
    assert "3 of 3 data sets are done" in done.out
    assert "All are in out/summary.csv." in done.out
    assert "open out/plate0/report.html in a browser" in done.out
    assert {path: path.stat().st_mtime_ns for path in written} == written
    after = pd.read_csv(out / "summary.csv").set_index("name")
    pd.testing.assert_frame_equal(after.loc[["plate0", "plate2"]], before.loc[["plate0", "plate2"]], check_dtype=False)
    assert after["error"].isna().all()
    assert here[1] == 3

    assert run("resume", "out/plate0", "--iterations", "1500", "--quiet").code == 0
    assert ew.load(out / "plate0" / "posterior.nc").info["iterations_done"] == 1500


def test_one_bad_verdict_is_enough_for_a_strict_command(run, here, plates):
    (plates / "plate1.csv").unlink()
    short = ("--iterations", "60", "--thin", "3", "--chains", "2")
    assert run("fit", "plates/*.csv", "--out", "out", *short, "--strict", "--quiet").code == 3
    assert run("fit", "plates/*.csv", "--out", "out", *short, "--quiet").code == 0
    done = run("fit", "plates/*.csv", "--out", "good", "--iterations", "20000", "--seed", "1", "--strict", "--quiet")
    assert (done.code, done.err) == (0, "")


def test_files_that_the_shell_has_found_and_a_summary_for_programs(run, here, plates):
    files = sorted(plates.glob("*.csv"))
    done = run("fit", *files, "--out", "out", *QUICK, "--seed", "1", "--json")
    assert done.code == 1
    told = json.loads(done.out)
    assert told["out"] == "out"
    assert told["stopped_by"] is None
    assert [one["name"] for one in told["sets"]] == ["plate0", "plate1", "plate2"]
    assert told["sets"][1]["joined_pairs"] is None
    assert told["sets"][0]["error"] == ""
    mixed = run("fit", files[0], "plates/plate[12].csv", "--out", "mixed", *QUICK, "--seed", "1", "--json")
    without = [[{**one, "seconds": None} for one in json.loads(done.out)["sets"]] for done in (done, mixed)]
    assert without[0] == without[1]


def test_a_long_table_is_cut(run, here, plates, monkeypatch):
    monkeypatch.setattr(module, "SHOWN", 2)
    done = run("fit", "plates/*.csv", "--out", "out", *QUICK)
    rows = [line.split() for line in done.out.splitlines()]
    assert ["plate1", "failed"] in rows
    assert ["and", "1", "more"] in rows
    assert not any(row[:1] == ["plate2"] for row in rows)
    assert done.err.startswith("0 of 3 data sets are done.\n")


def test_one_file_is_fitted_as_ever(run, plates, tmp_path):
    shutil.copy(plates / "plate0.csv", tmp_path / "plate[0].csv")
    assert run("fit", "plate[0].csv", "--out", "out", *QUICK, "--quiet").code == 0
    assert (tmp_path / "out" / "report.html").is_file()
    assert not (tmp_path / "out" / "summary.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("nothing/*.csv",), "No file matches 'nothing/*.csv'"),
        (("plates/plate0.csv", "plates/plate0.csv"), "must differ"),
        (("plates/plate0.csv", "plates/plate9.csv"), "There is no file 'plates/plate9.csv'"),
        (("plates/plate0.csv", "--jobs", "2"), "--jobs is for several files"),
        (("plates/*.csv", "--jobs", "0"), "at least 1, but 0"),
        (("plates/*.csv", "--jobs", "2", "--dask", "tcp://nowhere:1"), "give one of both"),
        (("plates/*.csv", "--chains", "0"), "chains must be"),
        (("plates/*.csv", "--out", "plates"), "which is not empty"),
        (("plates/*.csv", "--out", "plates/plate0.csv"), "is a file"),
    ],
)
def test_bad_input_is_one_sentence(run, plates, tmp_path, arguments, match):
    done = run("fit", "--out", "out", *arguments)
    assert done.code == 2
    assert match in check_sentence(done.err.removeprefix("edgewise: ").rstrip("\n"))
    assert done.out == ""
    assert not (tmp_path / "out").exists()


@pytest.mark.filterwarnings("ignore:.*forkpty.*:DeprecationWarning")
@pytest.mark.slow
def test_ctrl_c_in_a_terminal_ends_with_what_is_done(terminal, plates, tmp_path):
    """The first set would take hours, and has begun when its checkpoint is there."""
    screen = terminal(
        "fit", "plates/*.csv", "--out", "out", "--iterations", "1000000000", "--chains", "1", "--jobs", "1"
    )
    screen.expect("data sets")
    while not (tmp_path / "out" / "plate0" / "checkpoint").is_dir() and screen.isalive():
        screen.expect([r"\d of 3", r"\d:\d"])
    screen.sendintr()
    screen.expect("stopped by the keyboard, with 0 of 3 data sets done")
    screen.wait()
    assert screen.exitstatus == 130
    assert "posterior.nc" not in [path.name for path in (tmp_path / "out" / "plate0").iterdir()]
    assert (tmp_path / "out" / "summary.csv").is_file()

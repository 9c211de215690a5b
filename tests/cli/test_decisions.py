"""Which experiment to do next, on the command line."""

import json

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from records import make_posterior
from reports import data_of
from sentences import check_sentence


@pytest.fixture(scope="module")
def chain(tmp_path_factory):
    """The results of a fit of a chain X1 - X2 - X3, whose directions no data can tell."""
    folder = tmp_path_factory.mktemp("chain")
    posterior = ew.sample(
        data_of([(0, 1), (1, 2)], 3), iterations=4000, thin=10, seed=1, prior=ew.Sparsity(3.0), progress=False
    )
    posterior.save(folder / "posterior.nc")
    return folder


def test_the_best_experiment_comes_first(run, chain):
    done = run("next", chain)
    table = ew.load(chain / "posterior.nc").next_experiments()
    assert (done.code, done.err) == (0, "")
    rows = [line.split() for line in done.out.splitlines() if line.startswith(" X")]
    assert rows == [
        [row.target, f"{row.bits:.2f}", f"{row.bits_beyond:.2f}", f"{row.directions:.1f}"] for row in table.itertuples()
    ]
    assert rows[0][0] == "X2"
    assert (
        "2 of 2 directions stay open; setting X2 would tell most about them (1.6 bits that more rows would not tell)."
        in done.out.splitlines()
    )
    assert "perfect interventions, many rows" in done.out.splitlines()[-1]


def test_json_has_all_numbers(run, chain):
    done = run("next", chain, "--json")
    table = ew.load(chain / "posterior.nc").next_experiments()
    told = json.loads(done.out)
    assert done.err == ""
    assert told["about"] is None
    assert told["open_directions"] == table.attrs["open_directions"]
    pd.testing.assert_frame_equal(pd.DataFrame(told["experiments"]), table)


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        (["--about", "edges"], {"about": "directed edges"}),
        (["--about", "directed edges"], {"about": "directed edges"}),
        (["--about", "parents=X2"], {"about": ("parents", "X2")}),
        (["--about", "path=X1,X3"], {"about": ("path", "X1", "X3")}),
        (["--batch", "2"], {"batch": 2}),
        (["--rows", "50", "--seed", "1"], {"rows": 50, "seed": 1}),
        (["--exclude", "X2", "--exclude", "X1"], {"exclude": ["X1", "X2"]}),
        (["--costs", "X2=3", "--costs", "X1=0.5"], {"costs": {"X2": 3, "X1": 0.5}}),
        (["--costs", "costs.yaml"], {"costs": {"X2": 3, "X1": 0.5}}),
        (["--costs", "costs.json", "--costs", "X1=4"], {"costs": {"X2": 3, "X1": 4}}),
    ],
)
def test_options_reach_the_posterior(run, chain, tmp_path, options, arguments):
    (tmp_path / "costs.yaml").write_text("X2: 3\nX1: 0.5\n")
    (tmp_path / "costs.json").write_text('{"X2": 3, "X1": 0.5}')
    done = run("next", chain, "--json", *options)
    expected = ew.load(chain / "posterior.nc").next_experiments(**arguments)
    pd.testing.assert_frame_equal(pd.DataFrame(json.loads(done.out)["experiments"]), expected)
    shown = run("next", chain, *options)
    assert (shown.code, shown.err) == (0, "")
    assert expected["target"].iloc[0] in shown.out
    assert "stay open" not in shown.out


def test_names_may_have_commas(run, tmp_path):
    posterior = ew.sample(
        data_of([(0, 1)], 2).set_axis(["a,b", "c,d"], axis=1), iterations=1000, seed=1, progress=False
    )
    posterior.save(tmp_path / "posterior.nc")
    done = run("next", ".", "--json", "--about", "path=a,b,c,d")
    assert json.loads(done.out)["experiments"][0]["target"] in posterior.nodes


def test_the_fit_advises_where_directions_stay_open(run, tmp_path):
    for name, edges, p in (("chain", [(0, 1), (1, 2)], 3), ("collider", [(0, 2), (1, 2)], 3), ("pair", [(0, 1)], 2)):
        data_of(edges, p).to_csv(tmp_path / f"{name}.csv", index=False)
    quick = ("--iterations", "4000", "--thin", "10", "--seed", "1", "--gamma", "4")
    advice = {
        "chain": (
            "2 of 2 directions stay open; setting X2 would tell most about them (1.6 bits that more rows would not "
            "tell)."
        ),
        "collider": None,
        "pair": "The direction stays open; setting X1 would tell it (1.0 bits that more rows would not tell).",
    }
    for name, sentence in advice.items():
        done = run("fit", f"{name}.csv", "--out", name, *quick)
        assert ("open" in done.out.replace("Open", "")) == (sentence is not None)
        assert sentence is None or sentence in done.out.splitlines()
        told = run("fit", f"{name}.csv", "--out", name, *quick, "--json", "--overwrite")
        assert json.loads(told.out)["advice"] == sentence
        page = (tmp_path / name / "report.html").read_text(encoding="utf-8")
        assert ("Which experiment next?" in page) == (sentence is not None)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--about", "nonsense"], "about must be None"),
        (["--about", "parents=Raf"], "no variable 'Raf'"),
        (["--about", "path=X1"], "--about must be like path=RAF,ERK"),
        (["--about", "path=X1,Raf"], "no variable 'Raf'"),
        (["--batch", "0"], "batch must be a whole number"),
        (["--batch", "4"], "batch is 4, but 3 variables can be set"),
        (["--batch", "many"], "Invalid value for '--batch'"),
        (["--rows", "0"], "rows must be a whole number"),
        (["--rows", "10", "--batch", "2"], "rows and batch cannot be combined"),
        (["--exclude", "Raf"], "no variable 'Raf'"),
        (["--costs", "X1=cheap"], "The cost of 'X1' must be a number, but it is 'cheap'"),
        (["--costs", "X1=0"], "The cost of 'X1' must be a positive number"),
        (["--costs", "X1=nan"], "The cost of 'X1' must be a positive number"),
        (["--costs", "Raf=1"], "no variable 'Raf'"),
        (["--costs", "none.yaml"], "There is no file 'none.yaml'"),
        (["--costs", "listed.yaml"], "The cost of 'X1' must be a number"),
    ],
)
def test_bad_options_are_refused(run, chain, tmp_path, options, words):
    (tmp_path / "listed.yaml").write_text("X1: [1, 2]")
    done = run("next", chain, *options)
    assert (done.code, done.out) == (2, "")
    assert words in check_sentence(done.err.removeprefix("edgewise: ").rstrip("\n"))


def test_a_directory_without_results_is_refused(run, tmp_path):
    done = run("next", tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "There is no posterior.nc in" in check_sentence(done.err.removeprefix("edgewise: ").rstrip("\n"))


def test_a_run_that_was_killed_is_to_be_gone_on_with(run, fitted, tmp_path):
    fitted.copy_to(tmp_path / "out")
    (tmp_path / "out" / "posterior.nc").unlink()
    done = run("next", "out")
    assert (done.code, done.out) == (2, "")
    assert done.err == "edgewise: The run in 'out' has not ended: edgewise resume out goes on with it.\n"


def test_nothing_to_tell_is_said(run, tmp_path):
    ew.sample(data_of([(0, 2), (1, 2)], 3), iterations=2000, prior=ew.Sparsity(9.0), seed=1, progress=False).save(
        tmp_path / "posterior.nc"
    )
    assert "No experiment would tell more than further rows of the present kind." in run("next", ".").out


def test_the_best_of_many_experiments_are_shown(run, tmp_path):
    make_posterior(np.zeros((1, 20, 17, 17), bool)).save(tmp_path / "posterior.nc")
    done = run("next", tmp_path)
    assert sum(line.startswith(" X") for line in done.out.splitlines()) == 15
    assert "The JSON also has the other 2." in done.out.splitlines()
    assert len(json.loads(run("next", tmp_path, "--json").out)["experiments"]) == 17

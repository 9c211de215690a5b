"""Summaries for programs, reports made anew, help that helps, and completion."""

import json
import os
import re
import shlex
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise.experiments import reproducing
from reports import count_pairs
from sentences import check_sentence

QUICK = ("--iterations", "2000", "--thin", "10", "--seed", "1")
FILES = ["edges.csv", "pairs.csv", "posterior.nc", "report.html", "run.json"]


def test_json_is_all_there_is_on_standard_output(run, table, tmp_path):
    done = run("fit", table, "--out", "out", *QUICK, "--iterations", "20000", "--json")
    assert done.code == 0
    told = json.loads(done.out)
    posterior = ew.load(tmp_path / "out" / "posterior.nc")
    edges, pairs = (pd.read_csv(tmp_path / "out" / name, engine="python") for name in ("edges.csv", "pairs.csv"))
    diagnostics = posterior.diagnostics()
    joined, told_directions = count_pairs(edges)
    assert 0 < told_directions <= joined
    assert told == {
        "version": posterior.info["versions"]["edgewise"],
        "out": "out",
        "files": FILES,
        "verdict": diagnostics.verdict,
        "is_converged": True,
        "findings": [],
        "stopped_by": None,
        "stopped_note": None,
        "iterations_done": 20_000,
        "seed": 1,
        "seconds": posterior.info["seconds"],
        "largest_difference": diagnostics.difference,
        "effective_draws": diagnostics.effective_draws,
        "agreement": diagnostics.agreement.to_numpy().min(),
        "joined_pairs": joined,
        "told_directions": told_directions,
        "disagreed_pairs": 0,
        "advice": posterior.advice,
        "top_pairs": pairs.head(15).to_dict("records"),
        "top_edges": edges.head(15).to_dict("records"),
    }
    # Progress is elsewhere.
    assert done.err.startswith("Sampling DAGs of 5 variables")


@pytest.mark.parametrize("option", ["--json", "--quiet"])
def test_a_bad_verdict_is_not_kept_quiet(run, table, tmp_path, option):
    done = run("fit", table, "--out", "out", "--iterations", "200", "--thin", "10", "--seed", "1", option)
    assert done.code == 0
    verdict = json.loads((tmp_path / "out" / "run.json").read_text())["verdict"]
    assert verdict.startswith("Do not trust this run yet")
    assert done.err.endswith(f"edgewise: note: {verdict}\n")
    assert done.err.count(verdict) == 1
    if option == "--json":
        assert json.loads(done.out)["is_converged"] is False
    else:
        assert done.out == ""


def refuse_constant(name):
    raise AssertionError(f"{name} is no JSON")


def test_what_is_not_a_number_is_null(run, table):
    once = ("--iterations", "10", "--burn-in", "0", "--thin", "10", "--chains", "1", "--seed", "1")
    done = run("fit", table, "--out", "out", *once, "--json", "--quiet")
    assert done.code == 0
    told = json.loads(done.out, parse_constant=refuse_constant)
    assert told["agreement"] is told["largest_difference"] is None
    assert {edge["mcse"] for edge in told["top_edges"]} == {None}


def test_chains_without_edges_have_no_agreement(run, tmp_path):
    values = np.random.default_rng(1).normal(size=(50, 3))
    pd.DataFrame(values, columns=list("abc")).to_csv(tmp_path / "noise.csv", index=False)
    done = run("fit", "noise.csv", "--out", "out", *QUICK, "--alpha", "1e-6", "--json", "--quiet")
    told = json.loads(done.out, parse_constant=refuse_constant)
    assert max(pair["joined"] for pair in told["top_pairs"]) < 0.5
    assert (told["joined_pairs"], told["told_directions"]) == (0, 0)


def test_json_of_the_demo_tells_how_near_the_truth_is(run):
    done = run("demo", "--iterations", "500", "--json", "--quiet")
    told = json.loads(done.out)
    assert set(told["accuracy"]) == {"undirected", "directed", "compelled"}
    assert all(0.5 < area <= 1 for area in told["accuracy"].values())
    assert told["files"] == sorted([*FILES, "data.csv", "true_edges.csv"])


def test_json_does_not_replace_an_error(run):
    done = run("fit", "none.csv", "--out", "out", "--json")
    assert (done.code, done.out) == (2, "")
    check_sentence(done.err.removeprefix("edgewise: ").rstrip("\n"))


def test_a_report_can_be_made_anew(run, fitted, tmp_path):
    fitted.copy_to(tmp_path / "out")
    report = tmp_path / "out" / "report.html"
    before = report.read_bytes()
    for spoil in (report.unlink, lambda: report.write_text("old")):
        spoil()
        done = run("report", "out")
        assert (done.code, done.err) == (0, "")
        assert done.out == "Wrote out/report.html: open it in a browser.\n"
        assert report.read_bytes() == before
    assert sorted(os.listdir(tmp_path / "out")) == ["checkpoint", *FILES]


@pytest.mark.parametrize(("directory", "words"), [("none", "'none'"), ("empty", "'empty'"), ("a\x1bb", "'a\\x1bb'")])
def test_a_report_of_nothing_is_refused(run, tmp_path, directory, words):
    (tmp_path / "empty").mkdir()
    done = run("report", directory)
    assert (done.code, done.out) == (2, "")
    message = check_sentence(done.err.removeprefix("edgewise: ").rstrip("\n"))
    assert f"There is no posterior.nc in {words}" in message
    assert os.listdir(tmp_path) == ["empty"]


def test_a_report_of_something_else_is_refused(run, tmp_path):
    (tmp_path / "posterior.nc").write_text("nonsense")
    done = run("report", ".")
    assert (done.code, done.out) == (2, "")
    assert "is not an Edgewise posterior" in check_sentence(done.err.removeprefix("edgewise: ").rstrip("\n"))
    assert os.listdir(tmp_path) == ["posterior.nc"]


COMMANDS = ("fit", "resume", "simulate", "demo", "report", "next", "effect", "compare", "figure", "reproduce")


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_examples_in_the_help_are_understood(run, table, tmp_path, monkeypatch, command):
    def understand(*_, **__):
        raise ew.DataError("understood.")

    shown = run(*([] if command is None else [command]), "--help").out
    examples = re.findall(r"^ *(edgewise .*?) *$", shown.split("Examples:")[1], re.M)
    assert examples
    (tmp_path / "known.yaml").write_text("roots: [Jnk]")
    (tmp_path / "targets.yaml").write_text("control: []")
    monkeypatch.setattr(ew, "sample", understand)
    monkeypatch.setattr(reproducing, "reproduce", understand)
    for example in examples:
        done = run(*shlex.split(example)[1:])
        if "simulate" in example or "--help" in example:
            assert (done.code, done.err) == (0, "")
        elif any(word in example for word in ("report", "next", "effect", "compare", "figure")):
            assert "There is no posterior.nc in" in done.err
        elif "resume" in example:
            assert "There is no checkpoint in" in done.err
        elif "*" in example:
            assert "No file matches 'plates/*.csv'" in done.err
        else:
            assert done.err.splitlines()[-1] == "edgewise: understood."


OFFERED = {
    "edgewise ": set(COMMANDS),
    "edgewise f": {"fit", "figure"},
    "edgewise fit --ch": {"--chains"},
    "edgewise fit --score ": {"bge", "bic", "bdeu", "degenerate-gaussian"},
    "edgewise --no": {"--no-color"},
    "edgewise x": set(),
}
"""What the shell is offered for the last of some words."""

OPTIONS = "edgewise fit --"

COMPLETE = """
import contextlib, io, json, os, sys
from edgewise.cli import main
offered = {}
for words in sys.argv[1:]:
    os.environ.update(COMP_WORDS=words, COMP_CWORD=str(len(words.split(" ")) - 1))
    sys.argv = ["edgewise"]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            main()
        except SystemExit as ended:
            assert not ended.code
    offered[words] = out.getvalue().split()
print(json.dumps([offered, list(sys.modules)]))
"""


@pytest.fixture(scope="module")
def completed():
    """What the shell is offered for the last of some words, and the modules that were imported for it."""
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", COMPLETE, *OFFERED, OPTIONS],
        env={**os.environ, "_EDGEWISE_COMPLETE": "complete_bash"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.mark.parametrize("words", OFFERED)
def test_the_shell_can_complete_words(completed, words):
    found, modules = completed
    assert set(found[words]) == OFFERED[words]
    assert not {"numpy", "numba", "scipy", "pandas", "xarray", "networkx", "plotly"} & set(modules)


def test_the_shell_can_complete_options(completed):
    found, _ = completed
    assert {"--out", "--iterations", "--json", "--no-color", "--help"} <= set(found[OPTIONS])


def test_completion_can_be_shown(run_alone):
    shown = run_alone("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert shown.code == 0
    assert "_EDGEWISE_COMPLETE=complete_bash" in shown.out

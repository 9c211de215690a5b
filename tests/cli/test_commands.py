"""What the commands write, show and return."""

import csv
import json
import os
import re
import subprocess
import sys
import warnings
from importlib.metadata import version
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import typer

import edgewise as ew
from edgewise.cli import results
from edgewise.cli.options import end_as
from edgewise.data import load_data
from reports import count_pairs, data_of

QUICK = ("--iterations", "2000", "--thin", "10", "--seed", "1")
COMMANDS = ("reproduce", "fit", "simulate", "demo", "report", "next", "effect", "compare", "figure")
FILES = ["edges.csv", "pairs.csv", "posterior.nc", "report.html", "run.json"]

HEAVY = {"numpy", "numba", "scipy", "pandas", "xarray", "networkx", "h5py", "matplotlib", "plotly"}


def test_help_names_the_commands(run):
    for arguments in (("--help",), ()):
        shown = run(*arguments)
        assert (shown.code, shown.err) == (0, "")
        for command in COMMANDS:
            assert command in shown.out


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("fit", ["--out", "--iterations", "--burn-in", "--thin", "--chains", "--seed", "--alpha", "--gamma", "--score",
                 "--constraints", "--time-budget", "--kinds", "--ranks", "--missing", "--interventions", "--targets",
                 "--columns", "--drop", "--overwrite", "--quiet", "--json", "--no-color"]),
        ("simulate", ["--out", "--p", "--n", "--neighbours", "--seed", "--overwrite", "--no-color"]),
        ("demo", ["--out", "--n", "--iterations", "--seed", "--overwrite", "--quiet", "--json", "--no-color"]),
        ("report", ["DIR", "--no-color"]),
        ("next", ["DIR", "--about", "--batch", "--exclude", "--costs", "--rows", "--seed", "--json", "--no-color"]),
        ("compare", ["DIR1", "DIR2", "--out", "--overwrite", "--quiet", "--json", "--no-color"]),
    ],
)  # fmt: skip
def test_help_names_the_options(run, command, options):
    shown = run(command, "--help")
    assert (shown.code, shown.err) == (0, "")
    for option in options:
        assert option in shown.out


def test_the_version(run):
    assert run("--version").out == f"edgewise {version('edgewise')}\n"


def test_help_imports_nothing_heavy():
    script = """
import sys
from edgewise.cli import main
for arguments in (["--help"], ["fit", "--help"], ["demo", "--help"], ["report", "--help"], ["next", "--help"]):
    sys.argv = ["edgewise", *arguments]
    try:
        main()
    except SystemExit as ended:
        assert not ended.code
sys.stderr.write(" ".join(sorted(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.count("Usage:") == 5
    assert not HEAVY & set(done.stderr.split())


@pytest.mark.parametrize("module", ["edgewise.errors", "typer"])
def test_ctrl_c_while_modules_are_imported_ends_quietly(module):
    script = f"""
import sys
before = set(sys.modules)
from edgewise.cli import main
assert "typing" not in set(sys.modules) - before
class Interrupter:
    def find_spec(name, path, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupter)
sys.argv = ["edgewise", "--version"]
main()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)  # noqa: S603
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_a_run_that_compiles_nothing_does_not_prepare_for_it(fitted, table, tmp_path):
    assert fitted.code == 0  # and has compiled whatever is needed
    script = f"""
import sys
from edgewise.cli import main
sys.argv = ["edgewise", "fit", {str(table)!r}, "--out", {str(tmp_path / "second")!r}, *{QUICK!r}]
main()
sys.stderr.write(" ".join(sorted(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert not {"scipy.linalg", "scipy.special", "numba.np.arraymath"} & set(done.stderr.split())


def test_the_installed_command_is_the_module():
    entry = os.path.join(os.path.dirname(sys.executable), "edgewise")
    done = subprocess.run([entry, "--help"], capture_output=True, text=True, check=True)  # noqa: S603
    assert "Usage: edgewise" in done.stdout


def test_what_a_file_is_taken_for_is_said_once(run, table):
    pd.read_csv(table).to_csv("indexed.csv")
    done = run("fit", "indexed.csv", "--out", "out", *QUICK, "--quiet")
    assert done.code == 0
    assert done.err.count("has no name and was taken as row names") == 1


def test_fit_writes_its_results(run, table, tmp_path):
    done = run("fit", table.name, "--out", "results/first", *QUICK, "--alpha", "0.05", "--gamma", "2")
    assert done.code == 0
    assert "Traceback" not in done.err
    assert "Most probable pairs" in done.out
    out = tmp_path / "results" / "first"
    assert sorted(os.listdir(out)) == ["checkpoint", *FILES]
    posterior = ew.load(out / "posterior.nc")
    expected = ew.sample(
        table,
        sampler=ew.MinimalIMAP(alpha=0.05, criterion="test"),
        prior=ew.Sparsity(2),
        iterations=2000,
        thin=10,
        seed=1,
        progress=False,
    )
    np.testing.assert_array_equal(posterior.dags(), expected.dags())
    pd.testing.assert_frame_equal(pd.read_csv(out / "edges.csv"), posterior.edges())
    pd.testing.assert_frame_equal(pd.read_csv(out / "pairs.csv"), posterior.pairs())
    about = json.loads((out / "run.json").read_text())
    assert about["nodes"] == ["Raf", "Mek", "Erk", "Akt", "Jnk"]
    assert about["sampler"]["alpha"] == 0.05
    assert about["prior"] == {"name": "Sparsity", "gamma": 2.0}
    assert about["schedule"] == {"iterations": 2000, "burn_in": 400, "thin": 10}
    assert len(about["moves"]) == 4


def test_the_options_of_fit_reach_the_sampler(run, table, tmp_path):
    (tmp_path / "out").mkdir()  # An empty directory is as good as a new one.
    options = ("--burn-in", "100", "--chains", "2", "--score", "bic", "--time-budget", "300", "--quiet")
    done = run("fit", table, "--out", "out", *QUICK, *options)
    assert (done.code, done.out, done.err) == (0, "", "")
    expected = ew.sample(
        table, score=ew.GaussianBIC(), burn_in=100, iterations=2000, thin=10, chains=2, seed=1, progress=False
    )
    posterior = ew.load(tmp_path / "out" / "posterior.nc")
    np.testing.assert_array_equal(posterior.dags(), expected.dags())
    assert posterior.info["score"] == {"name": "GaussianBIC"}


def test_the_summary_shows_the_most_probable_pairs(fitted):
    assert fitted.code == 0
    edges, pairs = (pd.read_csv(fitted.folder / "out" / name) for name in ("edges.csv", "pairs.csv"))
    lines = fitted.out.splitlines()
    numbers = ["joined", "mcse", "forward", "backward", "told_forward", "told_backward"]
    shown = [line.split() for line in lines if re.search(r" (->|<-|-) .*\d\.\d\d\d", line)]
    assert shown == [
        [pair["a"], pair["direction"], pair["b"], *(f"{pair[number]:.3f}" for number in numbers)]
        for pair in pairs.head(15).to_dict("records")
    ]
    joined, told = count_pairs(edges)
    assert 0 < told < joined
    assert lines[-8:-2] == [
        f"{joined} pairs of variables are joined with probability 0.5 or more; the direction can be told in {told} of "
        "them. DAGs were drawn from their posterior by jumps from the sum over all orders and local moves, with all "
        "parent sets, each DAG counted once, with the score BGe.",
        ew.load(fitted.folder / "out" / "posterior.nc").advice,
        "",
        "Open out/report.html in a browser.",
        "Beside it are edges.csv, pairs.csv, posterior.nc and run.json.",
        "",
    ]
    assert lines[-2].startswith("Verdict: ")
    assert lines[-1] == "Data: nothing unusual."


def test_a_good_run_is_called_good(run, table, tmp_path):
    done = run("fit", table, "--out", "out", "--iterations", "20000", "--thin", "10", "--seed", "1")
    verdict = json.loads((tmp_path / "out" / "run.json").read_text())["verdict"]
    assert verdict.startswith("The 4 chains agree: no probability differs by more than 0.0")
    assert done.out.splitlines()[-2] == f"Verdict: good. {verdict}"


def test_one_chain_is_not_called_good(run, table):
    done = run("fit", table, "--out", "out", "--iterations", "20000", "--thin", "10", "--seed", "1", "--chains", "1")
    verdict = "Do not trust this run yet: one chain cannot be compared with others; run several."
    assert done.out.splitlines()[-2] == f"Verdict: bad. {verdict}"


@pytest.mark.parametrize(
    ("edges", "sentence"),
    [
        (
            list(pairwise(range(12))),
            "11 pairs of variables are joined with probability 0.5 or more; no direction can be told.",
        ),
        (
            [(0, 2), (1, 2)],
            "2 pairs of variables are joined with probability 0.5 or more; the direction can be told in all of them.",
        ),
    ],
    ids=["chain", "collider"],
)
def test_the_summary_speaks_of_directions_only_where_they_are_told(run, tmp_path, edges, sentence):
    p = 1 + max(target for _, target in edges)
    data_of(edges, p).to_csv(tmp_path / "data.csv", index=False)
    done = run("fit", "data.csv", "--out", "out", "--iterations", "20000", "--thin", "20", "--seed", "1")
    assert any(line.startswith(f"{sentence} ") for line in done.out.splitlines())
    rows = [line.split() for line in done.out.splitlines() if re.search(r" (->|<-|-) .*\d\.\d\d\d", line)]
    probable = [row for row in rows if float(row[3]) >= 0.5]
    assert len(probable) == len(edges)
    assert {row[1] for row in probable} == ({"->"} if p == 3 else {"-"})


def test_a_bad_run_is_called_bad_once(run, table, tmp_path):
    done = run("fit", table, "--out", "out", "--iterations", "200", "--thin", "10", "--seed", "1")
    assert done.code == 0
    verdict = json.loads((tmp_path / "out" / "run.json").read_text())["verdict"]
    assert verdict.startswith("Do not trust this run yet")
    assert done.out.splitlines()[-3:-1] == [
        f"Verdict: bad. {verdict}",
        "To let the chains go on: edgewise resume out --iterations 1000",
    ]
    assert verdict not in done.err


def test_only_the_verdict_is_not_said_as_a_note(run, table, monkeypatch):
    """Another warning of the same kind, as of draws with equal weights, is said nowhere else."""
    write = results.write_results

    def warn_and_write(*arguments):
        warnings.warn("Draws have equal weights.", ew.ConvergenceWarning, stacklevel=2)
        return write(*arguments)

    monkeypatch.setattr(results, "write_results", warn_and_write)
    done = run("fit", table, "--out", "out", "--iterations", "200", "--thin", "10", "--seed", "1")
    assert "Verdict: bad." in done.out
    assert done.err.count("note:") == done.err.count("edgewise: note: Draws have equal weights.\n") == 1


def write_unusual(folder):
    """Write skewed data with a row number."""
    data = np.exp(ew.simulate(4, 60, seed=1).data).assign(id=range(60))
    data.to_csv(folder / "unusual.csv", index=False)


@pytest.mark.parametrize("options", [(), ("--quiet",), ("--json",)])
def test_a_bad_run_ends_strictly_with_3_and_its_results(run, table, tmp_path, options):
    short = ("--iterations", "60", "--thin", "3", "--chains", "2", "--seed", "1")
    done = run("fit", table, "--out", "out", *short, "--strict", *options)
    assert done.code == 3
    lax = run("fit", table, "--out", "lax", *short, *options)
    assert lax.code == 0
    for file in ("edges.csv", "pairs.csv"):
        assert (tmp_path / "out" / file).read_bytes() == (tmp_path / "lax" / file).read_bytes()
    assert "ConvergenceWarning" not in done.err
    assert done.err.count("Do not trust this run yet") == (1 if options else 0)
    again = run("resume", "out", "--strict", *options)
    assert again.code == 3
    assert run("resume", "out", *options).code == 0
    assert run("resume", "out", "--iterations", "20000", "--strict", *options).code == 0


@pytest.mark.parametrize(("cause", "code"), [("keyboard", 130), ("termination signal", 143), ("time budget", 3)])
def test_a_run_that_was_interrupted_says_so_by_its_code_even_if_its_verdict_is_bad(cause, code):
    summary = SimpleNamespace(info={"stopped_by": cause}, diagnostics=SimpleNamespace(is_converged=False))
    with pytest.raises(typer.Exit) as ended:
        end_as(summary, is_strict=True)
    assert ended.value.exit_code == code


def test_a_good_run_ends_strictly_with_0(run, table):
    assert run("fit", table, "--out", "out", "--iterations", "20000", "--seed", "1", "--strict", "--quiet").code == 0


def test_what_is_unusual_about_the_data_is_told_once(run, tmp_path):
    write_unusual(tmp_path)
    done = run("fit", "unusual.csv", "--out", "out", *QUICK)
    assert done.code == 0
    findings = json.loads((tmp_path / "out" / "run.json").read_text())["data"]["findings"]
    assert [finding["kind"] for finding in findings] == ["identifier", "skewed"]
    assert [finding["columns"] for finding in findings] == [["id"], ["X0", "X1", "X2", "X3"]]
    lines = done.out.splitlines()
    assert any(line.startswith("Verdict: ") for line in lines[-5:-3])  # a bad one is followed by what to do
    assert lines[-3:] == ["Data: look again.", *(f"  - {finding['sentence']}" for finding in findings)]
    assert not any(finding["sentence"] in done.err for finding in findings)


@pytest.mark.parametrize("option", ["--json", "--quiet"])
def test_what_is_unusual_about_the_data_is_not_kept_quiet(run, tmp_path, option):
    write_unusual(tmp_path)
    done = run("fit", "unusual.csv", "--out", "out", *QUICK, option)
    findings = json.loads((tmp_path / "out" / "run.json").read_text())["data"]["findings"]
    for finding in findings:
        assert done.err.count(f"edgewise: note: {finding['sentence']}\n") == 1
    if option == "--json":
        assert json.loads(done.out)["findings"] == findings
    else:
        assert done.out == ""


def test_variables_without_any_edge(run, tmp_path):
    values = np.random.default_rng(1).normal(size=(50, 3))
    pd.DataFrame(values, columns=list("abc")).to_csv(tmp_path / "noise.csv", index=False)
    done = run("fit", "noise.csv", "--out", "out", *QUICK, "--alpha", "1e-6")
    assert done.code == 0
    assert (
        "No two variables are joined with probability 0.5 or more. Orders were drawn, each standing for one DAG, whose "
        "parents were found by grow-shrink, with tests of independence."
    ) in done.out.splitlines()
    assert pd.read_csv(tmp_path / "out" / "pairs.csv")["joined"].max() < 0.1


def test_results_are_not_replaced_unasked(run, table, fitted, tmp_path):
    fitted.copy_to(tmp_path / "out")
    before = (tmp_path / "out" / "posterior.nc").read_bytes()
    refused = run("fit", table, "--out", "out", *QUICK, "--seed", "2")
    assert refused.code == 2
    assert refused.out == ""
    assert refused.err.count("\n") == 1
    assert "--overwrite" in refused.err
    assert (tmp_path / "out" / "posterior.nc").read_bytes() == before
    assert run("fit", table, "--out", "out", *QUICK, "--seed", "2", "--overwrite", "--quiet").code == 0
    assert ew.load(tmp_path / "out" / "posterior.nc").info["seed"] == 2
    assert sorted(os.listdir(tmp_path / "out")) == ["checkpoint", *FILES]


def test_a_failed_run_leaves_former_results(run, table, fitted, tmp_path):
    fitted.copy_to(tmp_path / "out")

    def read():
        return {path.name: path.is_file() and path.read_bytes() for path in (tmp_path / "out").rglob("*")}

    before = read()
    assert "chain-1" in before
    assert run("fit", table, "--out", "out", "--overwrite", "--alpha", "7").code == 2
    assert read() == before


def fail_to_export(monkeypatch, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(ew.Posterior, "export", fail)


def test_a_write_that_fails_leaves_nothing_behind_but_the_run(run, table, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        fail_to_export(patched, OSError(28, "No space left on device"))
        done = run("fit", table, "--out", "new/out", *QUICK, "--quiet")
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "cannot be written to 'new/out' (No space left on device)" in done.err
    assert os.listdir(tmp_path / "new" / "out") == ["checkpoint"]
    assert run("resume", "new/out", "--quiet").code == 0
    assert sorted(os.listdir(tmp_path / "new" / "out")) == ["checkpoint", *FILES]


def test_ctrl_c_before_there_are_draws_leaves_nothing_behind(run, table, tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(ew, "sample", interrupt)
    done = run("fit", table, "--out", "new/out", *QUICK)
    assert (done.code, done.out, done.err) == (130, "", "edgewise: interrupted; nothing was written.\n")
    assert not (tmp_path / "new").exists()


def test_ctrl_c_while_results_are_made_keeps_the_draws(run, table, fitted, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        fail_to_export(patched, KeyboardInterrupt())
        done = run("fit", table, "--out", "out", *QUICK, "--quiet")
    assert done.code == 130
    assert done.err == ("edgewise: interrupted; the draws are in 'out', and edgewise report makes the rest of them.\n")
    assert sorted(os.listdir(tmp_path / "out")) == ["checkpoint", "posterior.nc"]
    assert run("report", "out").code == 0
    assert sorted(os.listdir(tmp_path / "out")) == ["checkpoint", *FILES]
    pd.testing.assert_frame_equal(*(pd.read_csv(folder / "out" / "edges.csv") for folder in (tmp_path, fitted.folder)))


def test_fewer_rows_than_columns_are_enough(run, tmp_path):
    values = np.random.default_rng(1).normal(size=(6, 8))
    pd.DataFrame(values, columns=list("abcdefgh")).to_csv(tmp_path / "few.csv", index=False)
    done = run("fit", "few.csv", "--out", "out", *QUICK, "--quiet")
    assert done.code == 0
    assert all(line.startswith("edgewise: note: ") for line in done.err.splitlines())
    assert "conditional-independence" not in done.err
    assert (tmp_path / "out" / "edges.csv").exists()


def test_a_time_budget_is_noted(run, table):
    done = run("fit", table, "--out", "out", "--iterations", "1000000000", "--burn-in", "0", "--thin", "100",
               "--time-budget", "0.2", "--quiet")  # fmt: skip
    assert done.code == 0
    assert done.err.startswith("edgewise: note: The run was stopped by the time budget after")
    # On a busy machine there may be so few draws that the verdict is noted, too.
    assert all(line.startswith("edgewise: note: ") for line in done.err.splitlines())


def test_simulate_writes_what_fit_reads(run, tmp_path):
    done = run("simulate", "--p", "6", "--n", "50", "--neighbours", "2", "--seed", "3", "--out", "sim")
    assert (done.code, done.err) == (0, "")
    assert done.out == "Wrote data.csv and true_edges.csv to sim.\n"
    expected = ew.simulate(6, 50, neighbours=2, seed=3)
    written = load_data(tmp_path / "sim" / "data.csv")
    assert written.names == tuple(expected.data)
    np.testing.assert_array_equal(written.values, expected.data)
    weights = np.zeros((6, 6))
    with open(tmp_path / "sim" / "true_edges.csv", newline="", encoding="utf-8") as file:
        for edge in csv.DictReader(file):
            weights[int(edge["source"][1:]), int(edge["target"][1:])] = float(edge["weight"])
    np.testing.assert_array_equal(weights, expected.weights)
    assert run("fit", "sim/data.csv", "--out", "fit", *QUICK, "--quiet").code == 0
    assert run("simulate", "--out", "sim").code == 2
    assert run("simulate", "--p", "5", "--out", "sim", "--overwrite").code == 0


def test_simulate_without_edges(run, tmp_path):
    assert run("simulate", "--p", "4", "--n", "50", "--neighbours", "0", "--out", "sim").code == 0
    assert (tmp_path / "sim" / "true_edges.csv").read_text() == "source,target,weight\n"


def test_demo_needs_nothing(run, tmp_path):
    done = run("demo", "--iterations", "500", "--quiet")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("edgewise: note: Do not trust this run yet: ")
    assert sorted(os.listdir(tmp_path / "edgewise-demo")) == sorted([*FILES, "data.csv", "true_edges.csv"])
    posterior = ew.load(tmp_path / "edgewise-demo" / "posterior.nc")
    assert len(posterior.nodes) == 30
    # Once more: a former demo is replaced, and this time compared with the truth.
    done = run("demo", "--iterations", "500")
    assert done.code == 0
    assert "the area under the ROC curve is " in done.out
    assert "Verdict: bad. Do not trust this run yet" in done.out
    assert "Beside it are data.csv, edges.csv, pairs.csv, posterior.nc, run.json and true_edges.csv." in done.out
    assert np.array_equal(ew.load(tmp_path / "edgewise-demo" / "posterior.nc").dags(), posterior.dags())


def test_demo_does_not_touch_the_files_of_others(run, table, tmp_path):
    before = table.read_bytes()
    (tmp_path / "data.csv").write_text("mine")
    done = run("demo", "--out", ".", "--iterations", "1000", "--quiet")
    assert done.code == 2
    assert "not empty" in done.err
    assert table.read_bytes() == before
    assert (tmp_path / "data.csv").read_text() == "mine"


HOSTILE = [
    "[bold]x[/nope]", "[/]", 'say "hi"', "it's", "two\nlines", "a,b", "=1+1", "<script>alert(1)</script>", "蛋白 µ 🧬",
    "\x1b[31mred", "{task.description}", "%s", "a" * 300, "padded in between",
]  # fmt: skip


def test_hostile_names_survive(run, tmp_path):
    data = ew.simulate(len(HOSTILE), 200, seed=1).data.set_axis(HOSTILE, axis=1)
    data.to_csv(tmp_path / "hostile.csv", index=False)
    done = run("fit", "hostile.csv", "--out", "[bold]out[/nope]", "--iterations", "3000", "--seed", "1")
    assert done.code == 0
    assert "\x1b[31m" not in done.out
    assert "Open [bold]out[/nope]/report.html in a browser." in done.out
    assert "\\x1b[31mred" in done.out
    assert "a" * 300 in done.out
    assert not [character for character in done.out + done.err if ord(character) < 32 and character != "\n"]
    out = tmp_path / "[bold]out[/nope]"
    with open(out / "edges.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["source"] for row in rows} | {row["target"] for row in rows} == set(HOSTILE)
    assert json.loads((out / "run.json").read_text())["nodes"] == HOSTILE
    assert list(ew.load(out / "posterior.nc").nodes) == HOSTILE


def test_an_old_terminal_shows_what_it_can(run, tmp_path):
    data = ew.simulate(4, 50, seed=1).data.set_axis(["µ", "蛋", "c", "d"], axis=1)
    data.to_csv(tmp_path / "data.csv", index=False)
    done = run("fit", "data.csv", "--out", "out", *QUICK, encoding="ascii")
    assert done.code == 0, done.err
    assert "Traceback" not in done.err
    assert "Open out/report.html in a browser." in done.out


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("known.yaml", "required:\n  - [Jnk, Akt]\nroots: [Jnk]\n"),
        pytest.param("known.json", '{"required": [["Jnk", "Akt"]], "roots": ["Jnk"]}', marks=pytest.mark.slow),
    ],
)
def test_fit_keeps_to_constraints(run, table, tmp_path, name, content):
    (tmp_path / name).write_text(content)
    done = run("fit", table, "--out", "results", "--constraints", name, *QUICK, "--quiet")
    assert done.code == 0
    posterior = ew.load(tmp_path / "results" / "posterior.nc")
    probability = posterior.edge_probabilities()
    assert probability.loc["Jnk", "Akt"] == 1
    assert not probability["Jnk"].any()
    assert json.loads((tmp_path / "results" / "run.json").read_text())["constraints"]["roots"] == ["Jnk"]

"""Bad input is one sentence on standard error and exit code 2, and leaves nothing behind."""

import os

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from sentences import check_sentence

RNG = np.random.default_rng(5)
GOOD = pd.DataFrame(RNG.normal(size=(30, 3)), columns=["Raf", "Mek", "Erk"])


def refused(done):
    assert done.code == 2
    assert done.out == ""
    assert done.err.endswith("\n")
    assert done.err.count("\n") == 1
    assert done.err.startswith("edgewise: ")
    return check_sentence(done.err.removeprefix("edgewise: ").rstrip("\n"))


def with_cell(value):
    return GOOD.astype(object).assign(Mek=[value, *GOOD["Mek"][1:]])


BAD_TABLES = {
    "missing value": (with_cell(np.nan), "'Mek' has 1 missing value"),
    "text": (with_cell("high"), "'Mek' holds text ('high' in row 1)"),
    "infinite value": (with_cell("inf"), "'Mek' has 1 infinite value"),
    "constant column": (GOOD.assign(Akt=3.0), "'Akt' has the same value in every row"),
    "identical columns": (GOOD.assign(Akt=GOOD["Raf"]), "'Raf' = 'Akt'"),
    "proportional columns": (GOOD.assign(Akt=5 - 2 * GOOD["Raf"]), "'Raf' = 'Akt'"),
    "linear combination": (GOOD.assign(Sum=GOOD["Raf"] + GOOD["Mek"] - 3), "combination of 'Raf' and 'Mek'"),
    "three rows": (GOOD.head(3), "only 3 rows, but at least 4"),
    "no rows": (GOOD.head(0), "no rows"),
    "one column": (GOOD[["Raf"]], "only the column 'Raf'"),
    "duplicate names": (GOOD.set_axis(["Raf", "Mek", "Raf"], axis=1), "More than one column is called 'Raf'"),
    "no name": (GOOD.set_axis(["Raf", " ", "Erk"], axis=1), "Column 2 of the data has no name"),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_tables(run, tmp_path, name):
    table, words = BAD_TABLES[name]
    table.to_csv(tmp_path / "bad.csv", index=False)
    assert words in refused(run("fit", "bad.csv", "--out", "out"))
    assert os.listdir(tmp_path) == ["bad.csv"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "'bad.csv' is empty"),
        (b"\n\n", "'bad.csv' is empty"),
        (b"a,b\n1,2\n3\n", "Row 2 of 'bad.csv' has 1 field"),
        (b"1,2\n3,4\n", "say --header yes if they are, and --header no if the file has no names"),
        (b"a,b\n\xff\xfe,1\n", "not encoded in UTF-8"),
    ],
)
def test_bad_files(run, tmp_path, content, words):
    (tmp_path / "bad.csv").write_bytes(content)
    assert words in refused(run("fit", "bad.csv", "--out", "out"))
    assert os.listdir(tmp_path) == ["bad.csv"]


def test_a_file_that_is_not_there(run, tmp_path):
    assert "There is no file 'none.csv'" in refused(run("fit", "none.csv", "--out", "out"))
    assert "There is no file 'two\\nlines.csv'" in refused(run("fit", "two\nlines.csv", "--out", "out"))
    assert os.listdir(tmp_path) == []


def test_a_directory_in_place_of_data(run, tmp_path):
    assert "is a directory" in refused(run("fit", ".", "--out", "out"))
    assert os.listdir(tmp_path) == []


def test_a_file_of_no_known_kind(run, tmp_path):
    (tmp_path / "data.xlsx").write_bytes(b"PK")
    assert "no known kind" in refused(run("fit", "data.xlsx", "--out", "out"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--alpha", "0"], "--alpha is a significance level"),
        (["--alpha", "1"], "--alpha is a significance level"),
        (["--alpha", "1.5"], "--alpha is a significance level"),
        (["--alpha", "-0.1"], "--alpha is a significance level"),
        (["--alpha", "nan"], "--alpha is a significance level"),
        (["--alpha", "small"], "--alpha"),
        (["--gamma", "-1"], "--gamma must be"),
        (["--gamma", "inf"], "--gamma must be"),
        (["--iterations", "0"], "--iterations must be a whole number"),
        (["--iterations", "1e"], "--iterations"),
        (["--iterations", "10", "--thin", "10"], "nothing would be drawn"),
        (["--thin", "0"], "thin must be a whole number"),
        (["--chains", "0"], "chains must be a whole number"),
        (["--burn-in", "-1"], "--burn-in must be"),
        (["--seed", "-1"], "seed must be"),
        (["--time-budget", "0"], "--time-budget must be"),
        (["--score", "aic"], "--score"),
        (["--score", "bdeu"], "BDeu takes levels, but columns"),
        (["--kinds", "Raf"], "--kinds must be like grade=ordinal"),
        (["--kinds", "Raf=nominal"], "The kind of column 'Raf' must be"),
        (["--missing", "guess"], "--missing"),
        (["--drop", "nobody"], "--drop has 'nobody'"),
        (["--targets", "t.yaml"], "--targets needs --interventions"),
        (["--interventions", "drug"], "there is no such file"),
        (["--interventions", "drug", "--targets", "nowhere.yaml"], "There is no file"),
        (["--speed", "9"], "--speed"),
        (["extra.csv"], "extra.csv"),
    ],
)
def test_bad_options(run, table, tmp_path, options, words):
    assert words in refused(run("fit", table.name, "--out", "out", *options))
    assert os.listdir(tmp_path) == [table.name]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit"], "DATA"),
        (["fit", "measurements.csv"], "--out'; see edgewise fit --help"),
        (["sample"], "sample"),
        (["--alpha", "0.1"], "--alpha"),
        (["simulate", "--p", "1", "--out", "out"], "p must be a whole number, at least 2"),
        (["simulate", "--n", "0", "--out", "out"], "n must be a whole number, at least 1"),
        (["simulate", "--p", "5", "--neighbours", "5", "--out", "out"], "neighbours must be between 0 and p - 1 = 4"),
        (["simulate", "--seed", "-3", "--out", "out"], "seed must be"),
        (["simulate"], "--out"),
        (["demo", "--iterations", "0"], "iterations must be"),
        (["demo", "--n", "3"], "only 3 rows"),
        (["demo", "--out", "measurements.csv"], "'measurements.csv' is a file"),
    ],
)
def test_bad_commands(run, table, tmp_path, arguments, words):
    assert words.lower() in refused(run(*arguments)).lower()
    assert os.listdir(tmp_path) == [table.name]


def test_an_out_that_is_a_file(run, table, tmp_path):
    before = table.read_bytes()
    assert f"'{table.name}' is a file" in refused(run("fit", table.name, "--out", table.name))
    assert "--out cannot be" in refused(run("fit", table.name, "--out", f"{table.name}/below/it", "--overwrite"))
    assert os.listdir(tmp_path) == [table.name]
    assert table.read_bytes() == before


def test_an_out_with_an_impossible_name(run, table, tmp_path):
    refused(run("fit", table.name, "--out", "x" * 5000))
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    assert "'dangling' is a file" in refused(run("fit", table.name, "--out", "dangling"))


def test_an_out_that_may_not_be_written_to(run, table, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    assert "you may not write to" in refused(run("fit", table.name, "--out", "new/out"))


def test_nothing_is_sampled_before_out_is_known_to_be_good(run, table, monkeypatch):
    def fail(*_, **__):
        raise AssertionError("work was begun")

    monkeypatch.setattr(ew, "sample", fail)
    refused(run("fit", table.name, "--out", table.name))
    refused(run("demo", "--out", table.name))


@pytest.mark.slow
def test_a_bad_table_in_a_process_of_its_own(run_alone, tmp_path):
    table, words = BAD_TABLES["linear combination"]
    table.to_csv(tmp_path / "bad.csv", index=False)
    assert words in refused(run_alone("fit", "bad.csv", "--out", "out"))
    assert os.listdir(tmp_path) == ["bad.csv"]


def test_a_defect_is_not_hidden(run, table, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(ew, "sample", fail)
    with pytest.raises(ZeroDivisionError):
        run("fit", table.name, "--out", "out")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "known.yaml"),
        ("required: [[Raf, Mek]]\nforbidden: [[Raf, Mek]]", "'Raf' -> 'Mek'"),
        ("required: [[Raf, Mek], [Mek, Raf]]", "'Mek'"),
        ("requird: []", "requird"),
        ("required: [Raf, Mek]", "pair"),
        ("roots: [Nobody]", "Nobody"),
        ("a: [", "known.yaml"),
    ],
)
def test_bad_constraints(run, table, tmp_path, content, words):
    if content is not None:
        (tmp_path / "known.yaml").write_text(content)
    done = run("fit", table, "--out", "results", "--constraints", "known.yaml")
    assert (done.code, done.out) == (2, "")
    assert words in check_sentence(done.err.removeprefix("edgewise: ").rstrip("\n"))
    assert not (tmp_path / "results").exists()

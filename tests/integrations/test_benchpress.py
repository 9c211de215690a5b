"""The module for Benchpress reads its data and writes what it reads."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import edgewise as ew

SCRIPT = Path(__file__).parents[2] / "integrations" / "benchpress" / "edgewise_benchpress.py"


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        files = ("--data", "data.csv", "--adjmat", "adjmat.csv")
        monkeypatch.setattr(sys, "argv", [str(SCRIPT), *files, "--iterations", "2000", "--seed", "3", *arguments])
        runpy.run_path(str(SCRIPT), run_name="__main__")
        return pd.read_csv("adjmat.csv")

    return call


@pytest.mark.parametrize("graph", ["consensus", "map"])
def test_the_matrix_is_the_graph_and_the_trajectory_the_first_chain(run, tmp_path, graph):
    data = ew.simulate(4, 300, seed=1).data
    data.to_csv("data.csv", index=False)
    found = run("--graph", graph, "--trajectory", "seqgraph.csv", "--time", "time.txt")
    posterior = ew.sample(data, iterations=2000, seed=3, progress=False)
    expected = posterior.map_dag() if graph == "map" else posterior.consensus_dag()
    assert list(found.columns) == list(data.columns)
    np.testing.assert_array_equal(found.to_numpy(), expected.to_numpy().astype(int))
    posterior.write_trajectory("expected.csv")
    assert (tmp_path / "seqgraph.csv").read_text() == (tmp_path / "expected.csv").read_text()
    assert float((tmp_path / "time.txt").read_text()) > 0


def test_the_second_row_of_discrete_data_holds_numbers_of_levels(run, tmp_path):
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 200)
    b = np.where(rng.random(200) < 0.9, a, 1 - a)
    c = rng.integers(0, 3, 200)
    rows = [["A", "B", "C"], [2, 2, 3], *np.stack([a, b, c], axis=1).tolist()]
    (tmp_path / "data.csv").write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    found = run("--discrete")
    assert found.loc[0, "B"] + found.loc[1, "A"] == 1
    assert found["C"].sum() + found.iloc[2].sum() == 0


def test_bad_data_end_in_a_sentence(run, tmp_path):
    (tmp_path / "data.csv").write_text("a,b\n1,2\n")
    with pytest.raises(SystemExit, match="at least 4 rows are needed"):
        run()
    assert not (tmp_path / "adjmat.csv").exists()

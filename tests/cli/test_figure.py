"""The command that draws the graph for a paper."""

import pytest

from sentences import check_sentence


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_it_writes_what_it_is_asked_for(fitted, run, tmp_path, ending):
    out = tmp_path / f"graph.{ending}"
    done = run("figure", fitted.folder / "out", "--out", out, "--threshold", "0.2")
    assert done.code == 0
    assert f"graph.{ending}" in done.out
    assert out.stat().st_size > 500


def test_bad_input_is_a_sentence(fitted, run, tmp_path):
    for arguments, said in (
        ((fitted.folder / "out", "--out", tmp_path / "graph.jpg"), ".svg, .pdf or .png"),
        ((fitted.folder / "out", "--out", tmp_path / "graph.svg", "--threshold", "2"), "threshold is a probability"),
        ((fitted.folder / "out", "--out", tmp_path / "graph.svg", "--highlight", "nobody"), "no variable 'nobody'"),
        ((tmp_path, "--out", tmp_path / "graph.svg"), "There is no posterior.nc"),
    ):
        done = run("figure", *arguments)
        assert done.code == 2
        assert said in check_sentence(done.err.removeprefix("edgewise: ").strip())
    assert not list(tmp_path.iterdir())

"""Figures for papers: the pairs that are shown, drawn by rule, in files that stand alone."""

import re
import sys
import warnings
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise.posterior.pictures import drawn_pairs
from edgewise.report.drawing import HEIGHT, label_of, width_of
from naive.graphs import random_dag
from records import make_posterior
from reports import HOSTILE, sample
from sentences import check_sentence

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.9])
def test_the_graph_shows_pairs_that_are_joined(simulated, threshold):
    drawing = simulated.plot_graph(threshold).drawing
    pairs = drawn_pairs(simulated).query("joined >= @threshold")
    assert [box.name for box in drawing.boxes] == list(simulated.nodes)
    assert len(drawing.lines) == len(pairs)
    for line, pair in zip(drawing.lines, pairs.itertuples(), strict=True):
        assert (line.source, line.target, line.head is not None) == (pair.source, pair.target, pair.is_told)
        assert line.width == pytest.approx(1 + 3.5 * pair.joined)
        source, target = drawing.boxes[line.source], drawing.boxes[line.target]
        assert source.y < target.y
        assert line.stops[0][1] == source.y + HEIGHT / 2
        assert line.stops[-1][3] == target.y - HEIGHT / 2 - (9 if pair.is_told else 0)
        assert abs(line.stops[0][0] - source.x) < source.width / 2
        assert abs(line.stops[-1][2] - target.x) < target.width / 2
    assert set(pairs["is_told"]) == {True, False}


def test_the_svg_has_an_arrowhead_only_where_a_direction_is_told(simulated):
    figure = simulated.plot_graph(0.2)
    root = ElementTree.fromstring(figure.svg)  # noqa: S314, our own text
    lines = [group for group in root.iter(f"{SVG}g") if group.get("class") == "line"]
    pairs = drawn_pairs(simulated).query("joined >= 0.2")
    assert len(lines) == len(pairs)
    for line, pair in zip(reversed(lines), pairs.itertuples(), strict=True):
        assert len(line.findall(f"{SVG}polygon")) == pair.is_told
        assert (line.find(f"{SVG}path").get("stroke-dasharray") is None) == pair.is_told
        arrow = "→" if pair.is_told else "–"
        assert line.find(f"{SVG}title").text == f"{simulated.nodes[pair.source]} {arrow} {simulated.nodes[pair.target]}"
    assert figure._repr_svg_() == figure.svg
    assert figure.svg in figure._repr_html_()


def test_open_directions_have_no_arrow():
    """Two correlated variables have two DAGs, between which no data can tell."""
    rng = np.random.default_rng(1)
    first = rng.normal(size=500)
    data = pd.DataFrame({"a": first, "b": first + rng.normal(size=500)})
    for seed in range(3):
        posterior = sample(data, seed=seed)
        assert posterior.pairs()[["joined", "direction"]].to_numpy().tolist() == [[1, "-"]]
        assert [line.head for line in posterior.plot_graph().drawing.lines] == [None]


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_pairs_on_which_chains_disagree_are_dotted(tmp_path, ending):
    """X0 -> X2 <- X1 in all draws, but for a chain without X0 -> X2."""
    dags = np.zeros((2, 4, 100, 3, 3), bool)
    dags[..., [0, 1], 2] = True
    dags[1, 0, :, 0, 2] = False
    agreed, disagreed = (make_posterior(one).plot_graph() for one in dags)
    assert [line.head is None for line in disagreed.drawing.lines] == [True, True]
    assert (agreed.svg.count('stroke-dasharray="2 4"'), disagreed.svg.count('stroke-dasharray="2 4"')) == (0, 2)
    assert "<title>X0 ? X2</title>" in disagreed.svg
    disagreed.save(tmp_path / f"graph.{ending}")


def test_a_highlighted_variable_stands_out(simulated):
    drawing = simulated.plot_graph(0.3, "X5").drawing
    assert [box.name for box in drawing.boxes if box.is_chosen] == ["X5"]
    plain = simulated.plot_graph(0.3).drawing
    for line, before in zip(drawing.lines, plain.lines, strict=True):
        faded = 1 if 5 in (line.source, line.target) else 0.3
        assert line.opacity == pytest.approx(faded * before.opacity)
    several = simulated.plot_graph(0.3, ["X5", 7]).drawing
    assert [box.name for box in several.boxes if box.is_chosen] == ["X5", "X7"]
    near = simulated.plot_graph(0.3, "X5", neighbourhood=True).drawing
    assert {box.name for box in near.boxes} == {box.name for box in drawing.boxes if not box.is_faint}
    assert 1 < len(near.boxes) < 12


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_files_stand_alone_and_are_the_same_each_time(simulated, tmp_path, ending):
    paths = [tmp_path / f"{name}.{ending}" for name in ("one", "other")]
    for path in paths:
        simulated.plot_graph(path=path)
    one, other = (path.read_bytes() for path in paths)
    assert one == other
    assert one.startswith({"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG"}[ending])
    assert one.count(b"http") == (1 if ending == "svg" else one.count(b"http"))  # the name of the format, no address


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_names_are_text(tmp_path, ending):
    names = [*HOSTILE, "bell\x07", "two\nlines", "$\\frac", "&lt;", " "]
    rng = np.random.default_rng(1)
    dags = np.array([[random_dag(len(names), rng, density=0.3) for _ in range(5)]])
    figure = make_posterior(dags, nodes=names).plot_graph(0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure.save(tmp_path / f"graph.{ending}")
    if ending == "svg":
        root = ElementTree.parse(tmp_path / "graph.svg").getroot()  # noqa: S314, our own file
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
            "svg", "title", "rect", "g", "path", "polygon", "text",
        }  # fmt: skip
        titles = [group.find(f"{SVG}title").text for group in root.iter(f"{SVG}g") if group.get("class") == "node"]
        assert titles == [re.sub("\x07", "\ufffd", name) for name in names]


def test_boxes_are_as_wide_as_their_names():
    assert width_of(label_of("Raf")) < width_of(label_of("concentration")) < width_of(label_of("W" * 13))
    assert width_of("蛋白质") > width_of("abc")
    assert width_of("e\u0301tat re\u0301el") == width_of("etat reel")  # accents that stand over the letter before
    assert len(label_of("long " * 40)) <= 20
    assert label_of("two\nlines") == "two lines"
    assert label_of("half \ud800") == "half \ufffd"


@pytest.mark.parametrize("name", ["graph", "graph.jpg", "graph.svg.gz", ".pdf"])
def test_the_ending_says_the_format(simulated, tmp_path, name):
    with pytest.raises(ew.ArgumentError) as caught:
        simulated.plot_graph(path=tmp_path / name)
    assert ".svg, .pdf or .png" in check_sentence(str(caught.value))
    assert not list(tmp_path.iterdir())


def test_variables_that_are_not_there(simulated):
    with pytest.raises(ew.ArgumentError) as caught:
        simulated.plot_graph(highlight="nobody")
    assert "no variable 'nobody'" in check_sentence(str(caught.value))
    with pytest.raises(ew.ArgumentError) as caught:
        simulated.plot_graph(neighbourhood=True)
    assert "needs highlight" in check_sentence(str(caught.value))
    with pytest.raises(ew.ArgumentError) as caught:
        simulated.plot_graph(1.5)
    assert "threshold is a probability" in check_sentence(str(caught.value))


@pytest.mark.parametrize("ending", ["pdf", "png"])
def test_without_matplotlib_there_is_svg(simulated, tmp_path, monkeypatch, ending):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ew.ArgumentError) as caught:
        simulated.plot_graph(path=tmp_path / f"graph.{ending}")
    assert "install edgewise[figures]" in check_sentence(str(caught.value))
    assert not list(tmp_path.iterdir())
    simulated.plot_graph(path=tmp_path / "graph.svg")
    assert (tmp_path / "graph.svg").is_file()


def test_a_directory_that_is_not_there(simulated, tmp_path):
    with pytest.raises(ew.StorageError) as caught:
        simulated.plot_graph(path=tmp_path / "no" / "graph.svg")
    assert "make the directory first" in check_sentence(str(caught.value))

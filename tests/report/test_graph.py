"""The graph in a real browser: no line runs through a box, whatever is shown, and what is saved is what is seen."""

import re
import struct
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise.graphs import topological_order
from edgewise.posterior.pictures import drawn_pairs, order_pairs
from edgewise.report.drawing import draw_layers, find_neighbours
from records import make_posterior
from reports import HOSTILE

SACHS = ("Raf", "Mek", "Plcg", "PIP2", "PIP3", "Erk", "Akt", "PKA", "PKC", "P38", "Jnk")

CROSSED = """(air) => {
  const boxes = [...document.querySelectorAll("#picture .node")].map((node) => {
    const place = node.transform.baseVal[0].matrix, box = node.querySelector("rect");
    return { v: node.dataset.node, x: place.e + box.x.baseVal.value, y: place.f + box.y.baseVal.value,
      width: box.width.baseVal.value, height: box.height.baseVal.value };
  });
  const crossed = [], overlapping = [];
  for (const line of document.querySelectorAll("#picture .line")) {
    const ends = line.dataset.ends.split(" "), edge = line.querySelector(".edge"), length = edge.getTotalLength();
    const steps = Math.ceil(length / 8), half = Number(edge.getAttribute("stroke-width")) / 2 + air;
    const others = boxes.filter((box) => !ends.includes(box.v));
    for (let k = 0; k <= steps; k++) {
      const { x, y } = edge.getPointAtLength(length * k / steps);
      for (const box of others) {
        if (x > box.x - half && x < box.x + box.width + half && y > box.y && y < box.y + box.height) {
          crossed.push([...ends, box.v]);
        }
      }
    }
    for (const [end, k] of [[ends[0], 0], [ends[1], length]]) {
      const { x, y } = edge.getPointAtLength(k), box = boxes.find((one) => one.v === end);
      if (Math.abs(y - box.y - box.height / 2) > box.height / 2 + 9.2 || x < box.x || x > box.x + box.width) {
        crossed.push([...ends, "is not joined to", end]);
      }
    }
  }
  boxes.forEach((one, number) => boxes.slice(0, number).forEach((other) => {
    if (one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height &&
        other.y < one.y + one.height) overlapping.push([one.v, other.v]);
  }));
  return [crossed, overlapping];
}"""
"""Points along every line that are in, or nearly in, a box of another variable, and boxes that overlap."""


def hub_dag(p):
    """Return three hubs with dozens of children each, which also have other parents."""
    rng = np.random.default_rng(p)
    dag = np.zeros((p, p), dtype=bool)
    for child in range(3, p):
        dag[rng.choice(3, size=rng.integers(1, 3), replace=False), child] = True
        dag[rng.integers(3, child) if child > 3 else 0, child] = True
    return dag


def wavering(dag, nodes=None, draws=20):
    """Return a posterior in which the edges of a DAG, and others, come and go, and parts of it are turned round."""
    p = len(dag)
    rng = np.random.default_rng(p)
    keeps = rng.beta(0.7, 0.5, size=(p, p))
    place = np.argsort(topological_order(dag))
    more = (rng.random((p, p)) < 1.5 / p) & (place[:, None] < place)
    dags = np.array(
        [
            [(dag & (rng.random((p, p)) < keeps)) | (more & (rng.random((p, p)) < 0.2)) for _ in range(draws)]
            for _ in range(2)
        ]
    )
    dags[:, : draws // 2] = dags[:, : draws // 2].swapaxes(-1, -2)
    return make_posterior(dags, nodes=nodes)


MAKERS = {
    "p11": lambda: wavering(ew.simulate(11, 2, seed=1).dag, nodes=SACHS),
    "p46": lambda: wavering(ew.simulate(46, 2, neighbours=2, seed=1).dag),
    "p107": lambda: wavering(hub_dag(107), nodes=[f"a gene of number {v}"[: 6 + v % 14] + f"{v}" for v in range(107)]),
    "p200": lambda: wavering(ew.simulate(200, 2, neighbours=2, seed=1).dag),
}


@cache
def make(size):
    """Return the same posterior each time, so that its report is written once."""
    return MAKERS[size]()


def show(page, threshold=None, chosen=None, *, near=False):
    if threshold is not None:
        page.locator("#threshold").fill(f"{threshold}")
    page.evaluate("([v, near]) => { state.near = near; choose(v); drawGraph({ fit: true }); }", [chosen, near])


ON_SCREENS = pytest.mark.parametrize(
    ("size", "viewport"),
    [
        pytest.param(size, viewport, id=f"{viewport}-{size}", marks=[pytest.mark.slow] * (size not in quick))
        for viewport, quick in {"desktop": ("p11", "p200"), "phone": ("p11",)}.items()
        for size in MAKERS
    ],
)

HEAT_MAP = """() => {
  const chart = document.querySelector("#chart-edges"), cells = chart.querySelector(".heatmaplayer image, .hm image");
  const names = [...chart.querySelectorAll(".ytick text")].map((text) => text.getBoundingClientRect());
  names.sort((one, other) => one.top - other.top);
  return { height: chart.getBoundingClientRect().height, width: chart.getBoundingClientRect().width,
    cells: cells.getBoundingClientRect().height, names: names.length,
    pitch: Math.min(...names.slice(1).map((name, k) => name.top - names[k].top)) };
}"""


@ON_SCREENS
def test_the_heat_map_has_names_only_where_there_is_room(size, open_with_charts, viewport):
    """It used to keep the height of a desktop on a phone, with names on top of each other beside a small square."""
    posterior = make(size)
    found = open_with_charts(posterior, viewport).evaluate(HEAT_MAP)
    assert found["cells"] > 0.5 * found["height"]
    assert found["height"] <= found["width"]
    assert found["names"] in (0, len(posterior.nodes))
    assert found["names"] == 0 or found["pitch"] >= 10
    assert (found["names"] > 0) == (len(posterior.nodes) <= {"desktop": 60, "phone": 15}[viewport])


@ON_SCREENS
def test_no_line_runs_through_a_box(size, open_page, screenshot, viewport):
    posterior = make(size)
    page = open_page(posterior, viewport)
    assert page.locator("[data-node]").count() == len(posterior.nodes)  # it opens on the whole
    assert page.locator("#near").is_checked() is False
    screenshot(page, f"graph-{viewport}-{size}")
    seen = set()
    for threshold in (0.3, 0.5, 0.9):
        show(page, threshold)
        seen.add(page.locator("#picture .line").count())
        assert page.evaluate(CROSSED, 3) == [[], []]
    assert len(seen) == 3
    if viewport == "phone":  # it lays out as a desktop does, and shows less of it at a time
        return
    p = len(posterior.nodes)
    for threshold, chosen in ((0.5, 0), (0.2, p // 2), (0.05, p - 1)):
        show(page, threshold, chosen, near=True)
        assert page.evaluate(CROSSED, 3) == [[], []]


def test_a_line_through_a_box_would_be_seen(open_page):
    page = open_page(wavering(ew.simulate(11, 2, seed=1).dag))
    page.evaluate("document.querySelector('#picture .edge').setAttribute('d', 'M-900 16H900')")
    crossed, _ = page.evaluate(CROSSED, 3)
    assert crossed


@pytest.mark.parametrize("size", MAKERS)
def test_the_page_draws_what_figures_draw(size, open_page):
    """The page lays out by itself, and figures are laid out in Python: number by number the same."""
    posterior = make(size)
    page = open_page(posterior)
    pairs = drawn_pairs(posterior)
    for threshold, chosen in ((0.05, None), (0.5, None), (0.7, 3), (0.3, 5)):
        show(page, threshold, chosen, near=chosen is not None)
        figure = posterior.plot_graph(threshold, chosen, neighbourhood=chosen is not None)
        lines = page.locator("#picture .line").evaluate_all(
            "all => all.map(line => [line.querySelector('.edge').getAttribute('d'), "
            "line.querySelector('.head') !== null, Number(line.getAttribute('opacity'))])"
        )
        boxes = page.locator("#picture .node").evaluate_all(
            "all => all.map(node => [node.getAttribute('aria-label'), node.getAttribute('transform'), "
            "node.querySelector('text').textContent, node.classList.contains('chosen')])"
        )
        expected = [[line.path, line.head is not None, pytest.approx(line.opacity)] for line in figure.drawing.lines]
        assert lines == expected[::-1]
        places = dict(re.findall(r'transform="(translate\([^"]*\))"><title>([^<]*)', figure.svg))
        assert {place: name for name, place, *_ in boxes} == places
        assert sorted([name, label, chosen] for name, _, label, chosen in boxes) == sorted(
            [box.name, box.label, box.is_chosen] for box in figure.drawing.boxes
        )
    assert set(pairs["is_told"]) == {True, False}


def test_directions_against_the_order_point_upwards():
    """Where the directions that are told form a cycle, one of the arrows has to lead up."""
    pairs = pd.DataFrame(
        {
            "source": [0, 1, 2, 3],
            "target": [1, 2, 0, 0],
            "joined": [1.0, 0.9, 0.8, 0.7],
            "is_told": [True, True, True, False],
            "is_disagreed": False,
        }
    ).assign(probability=[1.0, 0.9, 0.8, 0.7])
    assert order_pairs(4, pairs) == [3, 0, 1, 2]
    drawing = draw_layers(list("abcd"), pairs, [3, 0, 1, 2])
    boxes = drawing.boxes
    upwards = [boxes[line.source].y > boxes[line.target].y for line in drawing.lines]
    assert upwards == [False, False, True, False]
    line = drawing.lines[2]
    assert line.head is not None
    assert line.stops[0][1] == boxes[2].y - 16
    assert line.head[2][1] == boxes[0].y + 16
    assert [one.head is None for one in drawing.lines] == [False, False, False, True]


def parse(text):
    """Return the boxes and lines of a picture: names, places, widths; names, paths and whether there is a head."""
    root = ElementTree.fromstring(text)  # noqa: S314, our own file
    at = "{http://www.w3.org/2000/svg}"
    groups = [
        (group, group.find(f"{at}title").text) for group in root.iter(f"{at}g") if group.find(f"{at}title") is not None
    ]
    boxes = [
        (name, group.get("transform"), group.find(f"{at}rect").get("width"))
        for group, name in groups
        if "node" in group.get("class")
    ]
    lines = [
        (name, group.get("opacity"), [path.get("d") for path in group.iter(f"{at}path")])
        for group, name in groups
        if "line" in group.get("class")
    ]
    return root, boxes, lines


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_the_saved_picture_is_what_is_seen(open_page, tmp_path, scheme):
    posterior = wavering(ew.simulate(20, 2, seed=1).dag)
    page = open_page(posterior, color_scheme=scheme)
    for number, (threshold, chosen, near) in enumerate(((0.5, None, False), (0.2, 4, False), (0.2, 4, True))):
        show(page, threshold, chosen, near=near)
        with page.expect_download() as waiting:
            page.locator("#save-svg").click()
        path = tmp_path / f"{number}.svg"
        waiting.value.save_as(path)
        assert waiting.value.suggested_filename == "edgewise-graph.svg"
        root, boxes, lines = parse(path.read_text(encoding="utf-8"))
        seen = page.evaluate(
            "[[...document.querySelectorAll('#picture .node')].map(n => [n.querySelector('title').textContent, "
            "n.getAttribute('transform'), n.querySelector('rect').getAttribute('width')]), "
            "[...document.querySelectorAll('#picture .line')].map(l => [l.querySelector('title').textContent, "
            "l.getAttribute('opacity'), [...l.querySelectorAll('path')].map(p => p.getAttribute('d'))])]"
        )
        assert [list(box) for box in boxes] == seen[0]
        assert [list(line) for line in lines] == seen[1]
        assert len(lines) > 3
        left, top, width, height = map(float, root.get("viewBox").split())
        view = [float(part) for part in page.locator("#picture").get_attribute("viewBox").split()]
        assert left <= view[0] + 0.1
        assert top <= view[1] + 0.1
        assert width >= view[2] - 0.1
        assert height >= view[3] - 0.1
        text = path.read_text(encoding="utf-8")
        assert "var(" not in text  # it needs no style sheet
        for element in root.iter():
            if (element.get("class") or "").startswith("edge"):
                assert element.get("stroke") in ("#0072b2", "#c14f00", "#5b6472")
                assert element.get("fill") == "none"


def test_the_saved_picture_has_dots_too(open_page, tmp_path):
    page = open_page(wavering(ew.simulate(11, 2, seed=1).dag))
    with page.expect_download() as waiting:
        page.locator("#save-png").click()
    waiting.value.save_as(tmp_path / "graph.png")
    content = (tmp_path / "graph.png").read_bytes()
    assert content.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", content[16:24])
    box = page.locator("#picture").bounding_box()
    assert width / height == pytest.approx(box["width"] / box["height"], rel=0.02)
    assert width >= 2 * box["width"]


def test_names_are_text_in_saved_pictures(open_page, tmp_path):
    names = [*HOSTILE, "bell\x07", "nul\x00", "two\nlines", "]]>", "&lt;"]
    page = open_page(wavering(ew.simulate(len(names), 2, seed=1).dag, nodes=names))
    with page.expect_download() as waiting:
        page.locator("#save-svg").click()
    waiting.value.save_as(tmp_path / "graph.svg")
    root, boxes, _ = parse((tmp_path / "graph.svg").read_text(encoding="utf-8"))
    assert sorted(name for name, *_ in boxes) == sorted(re.sub("[\x00\x07]", "\ufffd", name) for name in names)
    assert not [element for element in root.iter() if element.tag.endswith(("script", "img", "b"))]
    with page.expect_download() as waiting:
        page.locator("#save-png").click()
    waiting.value.save_as(tmp_path / "graph.png")
    assert (tmp_path / "graph.png").stat().st_size > 10_000


def test_one_comes_from_the_whole_to_a_neighbourhood_and_back(open_page):
    posterior = wavering(ew.simulate(60, 2, neighbours=2, seed=1).dag)
    page = open_page(posterior)
    shown = drawn_pairs(posterior).query("joined >= 0.5")
    page.locator('[data-node="7"]').click()
    assert page.locator("[data-node]").count() == 60
    page.locator("#panel button", has_text="Show only its neighbourhood").click()
    assert page.locator("[data-node]").count() == len(find_neighbours([7], shown)) < 60
    assert page.locator("#near").is_checked()
    page.locator("#panel button", has_text="Show the whole graph").click()
    assert page.locator("[data-node]").count() == 60
    page.locator('[data-node="21"]').dblclick()
    assert page.locator("[data-node]").count() == len(find_neighbours([21], shown)) > 1
    page.locator("#panel button", has_text="Clear selection").click()
    assert page.locator("[data-node]").count() == 60


def test_a_small_variable_is_magnified_under_the_pointer(open_page):
    page = open_page(make("p200"))
    node = page.locator('[data-node="50"]')
    assert node.bounding_box()["height"] < 20
    node.hover()
    lens = page.locator("#picture .lens")
    assert lens.locator("title").text_content() == "X50"
    assert lens.bounding_box()["height"] > 24
    lit = page.locator("#picture .line.lit").evaluate_all("all => all.map(line => line.dataset.ends.split(' '))")
    assert all("50" in ends for ends in lit)
    page.mouse.move(2, 2)
    assert lens.count() == 0

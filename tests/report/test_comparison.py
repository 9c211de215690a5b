"""The page of a comparison in a real browser: what it shows, in any screen, and what it never does."""

import re
from itertools import count

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise.posterior.comparison_content import draw_pairs
from edgewise.report.comparison import ARROWS
from records import make_posterior
from reports import HOSTILE, data_of, sample

CHAIN = [(0, 1), (1, 2), (2, 3), (4, 3), (4, 5), (6, 5)]
OTHER = [(0, 1), (1, 2), (4, 3), (4, 5), (6, 5), (0, 6), (2, 5)]
NAMES = ("control", "treated")


@pytest.fixture(scope="module")
def comparison():
    """Two conditions: X3 -> X4 is lost, X1 - X7 and X3 -> X6 are gained, and nothing else is chance."""
    return ew.compare(*(sample(data_of(edges, 8)) for edges in (CHAIN, OTHER)), names=NAMES)


@pytest.fixture
def open_page(open_file, tmp_path):
    """Return a function that writes a page and opens it."""
    numbers = count()

    def open_page(comparison, width=1280, **options):
        path = tmp_path / f"comparison-{next(numbers)}.html"
        comparison.report(path)
        return open_file(path, viewport={"width": width, "height": 900}, **options)

    return open_page


def luminance(colour):
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def read_table(page):
    rows = page.evaluate(
        "[...document.querySelectorAll('#pair-table tbody tr')].map(row => [...row.cells].map(cell => cell.innerText))"
    )
    columns = ["pair", "first", "second", "->first", "->second", "in", "by", "error", "beyond", "lost", "gained"]
    return pd.DataFrame(rows, columns=columns)


def test_lines_are_common_gained_and_lost(comparison, open_page):
    page = open_page(comparison)
    titles = {
        kind: page.locator(f"#picture .pair.{kind} > title").all_text_contents() for kind in ("both", "first", "second")
    }
    found = {
        kind: {frozenset(re.match(r"(\S+) – (\S+)\n", title).groups()) for title in texts}
        for kind, texts in titles.items()
    }
    assert found["first"] == {frozenset({"X3", "X4"})}
    assert found["second"] == {frozenset({"X1", "X7"}), frozenset({"X3", "X6"})}
    assert found["both"] == {frozenset({f"X{i + 1}", f"X{j + 1}"}) for i, j in CHAIN if (i, j) in OTHER}
    for kind, number in (("both", 5), ("second", 2), ("first", 1)):
        assert f"({number})" in page.locator(f".legend li:has(.line.{kind})").first.inner_text()
    assert page.locator("#picture .badge.second text").all_text_contents() == ["+", "+"]
    assert page.locator("#picture .badge.first text").all_text_contents() == ["−"]
    assert "X8" in page.locator("#alone").inner_text()
    assert page.locator("#picture .node").count() == 7


def test_lines_differ_without_their_colours(comparison, open_page):
    page = open_page(comparison)

    def style(kind, name):
        return page.locator(f"#picture .line.{kind}").first.evaluate(f"line => getComputedStyle(line).{name}")

    assert style("first", "strokeDasharray") != style("both", "strokeDasharray") == style("second", "strokeDasharray")
    assert float(style("second", "strokeWidth")[:-2]) > 1.5 * float(style("both", "strokeWidth")[:-2])


def test_arrowheads_are_where_a_direction_is_told(comparison, open_page):
    page = open_page(comparison)
    drawn = draw_pairs(comparison.numbered_pairs, comparison.critical)
    places = page.locator("#picture .node").evaluate_all(
        "all => all.map(node => [node.querySelector('title').textContent, node.transform.baseVal[0].matrix.f])"
    )
    down = dict(places)
    lines = page.locator("#picture .pair").evaluate_all(
        "all => all.map(pair => [pair.querySelector('title').textContent, "
        "...['start', 'end'].map(end => pair.querySelector('.line').hasAttribute(`marker-${end}`))])"
    )
    assert {*drawn["direction"]} >= {"->", "-"}
    for title, start, end in lines:
        a, b = re.match(r"(\S+) – (\S+)\n", title).groups()
        (pair,) = drawn[
            (drawn["a"] == comparison.nodes.index(a)) & (drawn["b"] == comparison.nodes.index(b))
        ].itertuples()
        heads = [name for name, has in ((min(a, b, key=down.get), start), (max(a, b, key=down.get), end)) if has]
        assert heads == {"->": [b], "<-": [a], "-": []}[pair.direction]


def test_a_direction_that_is_told_otherwise_is_marked(open_page):
    """X1 -> X3 <- X2 against X1 - X3 - X2: the same lines, but no direction is told in the second."""
    dags = np.zeros((2, 1, 3, 3), bool)
    dags[0, 0, [0, 1], [2, 2]] = True
    dags[1, 0, [0, 2], [2, 1]] = True
    one, other = (make_posterior(np.broadcast_to(dag, (2, 200, 3, 3))) for dag in dags)
    page = open_page(ew.compare(one, other))
    assert page.locator("#picture .badge text").all_text_contents() == ["⇄", "⇄"]
    assert page.locator("#picture [marker-start], #picture [marker-end]").count() == 0
    assert "the other way round (2)" in page.locator(".legend").inner_text()


def test_a_pair_on_which_chains_disagree_is_marked_and_has_no_arrowhead(open_page, screenshot):
    """X1 -> X3 <- X2 in all draws, but one chain of the second has no X1 -> X3."""
    dags = np.zeros((2, 4, 400, 3, 3), bool)
    dags[..., [0, 1], 2] = True
    dags[1, 0, :, 0, 2] = False
    page = open_page(ew.compare(*map(make_posterior, dags)))
    assert page.locator("#picture .badge.disagreed text").all_text_contents() == ["?", "?"]
    assert page.locator("#picture [marker-start], #picture [marker-end]").count() == 0
    assert "chains disagree in one of them or both (2)" in page.locator(".legend").inner_text()
    titles = page.locator('#pair-table td[title="chains disagree"]')
    assert titles.all_text_contents() == ["?", "?"]
    assert {*read_table(page)["->first"]} == {"→"}
    screenshot(page, "comparison-disagreed")


def test_the_numbers_are_those_of_the_comparison(comparison, open_page):
    page = open_page(comparison)
    shown, pairs = read_table(page), comparison.pairs
    pairs = pairs.head(len(shown))
    assert len(shown) >= pairs["beyond_error"].sum()
    assert shown["pair"].tolist() == [f"{a} – {b}" for a, b in zip(pairs["a"], pairs["b"], strict=True)]
    for title, column in (("first", "joined_first"), ("second", "joined_second"), ("error", "mcse")):
        np.testing.assert_allclose(shown[title].astype(float), pairs[column], rtol=0, atol=5.001e-4)
    for title, column in (("lost", "only_first"), ("gained", "only_second")):
        np.testing.assert_allclose(shown[title].astype(float), pairs[column], rtol=0, atol=5.001e-4)
    by = shown["by"].str.replace("−", "-").astype(float)
    np.testing.assert_allclose(by, pairs["difference"], rtol=0, atol=5.001e-4)
    assert shown["->first"].tolist() == pairs["direction_first"].map(ARROWS).tolist()
    assert (shown["beyond"] == "yes").tolist() == pairs["is_large"].tolist()
    assert (shown["beyond"] != "no").tolist() == pairs["beyond_error"].tolist()
    assert page.locator("#headline").inner_text() == comparison.headline
    assert f"Agreement {comparison.agreement:.2f}" in page.locator("#agreement").inner_text()


def test_the_settings_that_differ_are_shown(comparison, open_page):
    text = open_page(comparison).locator("#runs").inner_text()
    assert "500 rows, but others" in text
    assert "The same in both: score, prior, constraints, sampler" in text


@pytest.mark.parametrize("width", [1280, 390])
def test_hostile_names_are_shown_as_text(hostile, open_page, screenshot, width):
    other = sample(ew.simulate(len(HOSTILE), 300, seed=4).data.set_axis(list(HOSTILE), axis=1))
    page = open_page(ew.compare(hostile, other, names=(HOSTILE[0], HOSTILE[3])), width)
    assert page.locator("script, main img, main b").count() == 0
    assert "<script>window.hacked = true</script>" in page.locator("h1").inner_text()
    assert "\u202e" not in page.locator("header").inner_text()  # nothing turns the rest of a sentence
    titles = page.locator("#picture .node title").all_text_contents()
    assert set(titles) <= set(HOSTILE)
    assert len(titles) > 3
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    screenshot(page, f"comparison-hostile-{width}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_the_screen(comparison, open_page, screenshot, width, scheme):
    page = open_page(comparison, width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    labels = page.locator("#picture .node text").evaluate_all(
        "all => all.map(text => [text.getBBox().width, text.previousElementSibling.getBBox().width])"
    )
    assert all(text < box for text, box in labels)
    for line in ("--gained", "--lost", "--both"):
        colours = [
            page.evaluate(f"getComputedStyle(document.documentElement).getPropertyValue('{name}').trim()")
            for name in (line, "--paper")
        ]
        lighter, darker = sorted(map(luminance, colours), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 3, line
    screenshot(page, f"comparison-{width}-{scheme}")


def test_long_names_stay_in_their_boxes(open_page):
    names = ["W" * 200, "W" * 199 + "B", "Raf", "Mek", "Erk", "Akt", "MMMMMMMMMMMMM", "蛋白质" * 9]
    one, other = (sample(data_of(edges, 8).set_axis(names, axis=1)) for edges in (CHAIN, OTHER))
    page = open_page(ew.compare(one, other, names=("x" * 300, "y" * 300)), 390)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    overlaps = page.locator("#picture .node").evaluate_all(
        "all => all.filter(node => ['text', 'rect'].map(part => node.querySelector(part).getBBox().width)"
        ".reduce((text, box) => text > box)).map(node => node.textContent)"
    )
    assert overlaps == []


def test_a_policy_keeps_scripts_and_the_network_out(comparison, open_page):
    page = open_page(comparison)
    policy = page.locator("meta[http-equiv]").get_attribute("content")
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
    assert page.locator("script").count() == 0


def test_it_prints(comparison, open_page):
    page = open_page(comparison, color_scheme="dark")
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf().startswith(b"%PDF")


def test_nothing_joined_is_said(open_page):
    nothing = make_posterior(np.zeros((2, 50, 3, 3), bool))
    page = open_page(ew.compare(nothing, nothing))
    assert page.locator("#empty").is_visible()
    assert page.locator("#picture, #pair-table").count() == 0
    assert "Agreement 1.00" in page.locator("#agreement").inner_text()


def test_the_file_is_small_and_replaced_whole(comparison, tmp_path):
    comparison.report(tmp_path / "page.html")
    comparison.report(tmp_path / "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert (tmp_path / "page.html").stat().st_size < 100_000

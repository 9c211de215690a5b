"""The report in a real browser: what it shows, what it does, and what it never does."""

import json
import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import skew

import edgewise as ew
from edgewise.posterior.content import edge_table
from edgewise.posterior.effects import effect_draws
from edgewise.posterior.pictures import drawn_pairs
from edgewise.samplers.tempered_dags import ROUND_TRIPS
from records import make_posterior
from reports import HOSTILE, data_of, sample

READ_TABLE = """() => {
  const more = document.querySelector("#more"), texts = (cells) => [...cells].map((cell) => cell.innerText);
  while (more.offsetParent) more.click();
  return [texts(document.querySelectorAll("#pair-table th button")),
    [...document.querySelectorAll("#pair-table tbody tr")].map((row) => texts(row.cells))];
}"""


def read_table(page):
    """Return the table of pairs as it is on the page, all of it."""
    heads, rows = page.evaluate(READ_TABLE)
    return pd.DataFrame(rows, columns=[re.sub(r"\s*[▾▴]", "", head) for head in heads])


def panel_lists(page):
    """Return the lists of the panel by their headings: names and what stands beside them."""
    return page.evaluate(
        """Object.fromEntries([...document.querySelectorAll('#panel h4')].map(title => [title.innerText.split(':')[0],
        [...(title.nextElementSibling.querySelectorAll('li') ?? [])].map(item =>
            [item.querySelector('button').title, item.querySelector('.value').innerText])]))"""
    )


def named_edges(posterior):
    """Return what the panel of a variable should show, with names."""
    edges = edge_table(posterior)
    return edges.assign(**{end: edges[end].map(lambda v: posterior.nodes[v]) for end in ("source", "target")})


def move_slider(page, threshold):
    page.locator("#threshold").fill(f"{threshold}")


ON_SCREENS = pytest.mark.parametrize("viewport", ["desktop", pytest.param("phone", marks=pytest.mark.slow)])


@ON_SCREENS
def test_the_slider_changes_the_number_of_edges_shown(simulated, open_page, viewport):
    page = open_page(simulated, viewport)
    joined = np.triu(simulated.edge_probabilities("undirected").to_numpy(), 1)
    seen = set()
    for threshold in (0.5, 0.05, 0.3, 0.9, 1):
        move_slider(page, threshold)
        expected = int((joined >= threshold).sum())
        assert page.evaluate(
            "[document.querySelectorAll('#picture path.edge').length, "
            "...['#count', '#threshold-value'].map(part => document.querySelector(part).innerText)]"
        ) == [expected, f"{expected} pair{'s' if expected != 1 else ''} shown", f"{threshold:.2f}"]
        seen.add(expected)
    assert len(seen) >= 3


@ON_SCREENS
def test_clicking_a_node_fills_its_panel(simulated, open_page, viewport):
    page = open_page(simulated, viewport)
    assert "No variable is selected" in page.locator("#panel").inner_text()
    edges, blankets = named_edges(simulated), simulated.markov_blanket_probabilities()
    for v in (0, 5, 11):
        page.locator(f'[data-node="{v}"]').click()
        name = simulated.nodes[v]
        assert page.locator("#panel h3").inner_text() == name
        lists = panel_lists(page)
        parents = edges[(edges["target"] == name) & (edges["probability"] >= 0.01)].head(8)
        assert [item[0] for item in lists["Most probable parents"]] == parents["source"].tolist()
        for item, edge in zip(lists["Most probable parents"], parents.itertuples(), strict=True):
            probability, effect = re.fullmatch(r"(\S+), effect (\S+)", item[1]).groups()
            assert probability == f"{edge.probability:.3f}"
            assert float(effect) == pytest.approx(edge.effect, rel=5e-3)
        blanket = {name: float(text) for name, text in lists["Markov blanket"]}
        assert blanket == {
            other: pytest.approx(share, abs=6e-4) for other, share in blankets.loc[name].items() if share >= 0.05
        }
    page.locator("#panel button", has_text="Clear selection").click()
    assert "No variable is selected" in page.locator("#panel").inner_text()


def test_the_keyboard_reaches_the_variables(simulated, open_page):
    page = open_page(simulated)
    page.locator("#zoom-fit").focus()
    page.keyboard.press("Tab")
    focused = "document.activeElement.dataset.node"
    first = page.evaluate(focused)
    assert first is not None
    page.keyboard.press("ArrowRight")
    second = page.evaluate(focused)
    assert second not in (None, first)
    page.keyboard.press("Enter")
    assert page.evaluate(focused) == second
    assert page.locator("#panel h3").inner_text() == simulated.nodes[int(second)]
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(focused) == first
    page.keyboard.press("Escape")
    assert page.evaluate(focused) == first
    assert page.locator("#panel h3").count() == 0
    for control in ("#threshold", "#search", "#near", "#filter", "#pair-table th button >> nth=0"):
        page.locator(control).focus()
        assert page.locator(control).evaluate("element => element === document.activeElement")


def test_the_focus_is_not_lost(simulated, open_page):
    page = open_page(simulated)
    page.locator("#pair-table .link >> nth=0").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.matches('#panel h3')")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.matches('#panel h3')")
    page.locator("#panel button", has_text="Clear selection").press("Enter")
    assert page.evaluate("document.activeElement.closest('#panel') !== null")


def test_names_that_differ_in_case_only_are_both_found(open_page):
    page = open_page(
        sample(ew.simulate(3, 100, seed=1).data.set_axis(["Raf", "RAF", "two\nlines"], axis=1)), has_charts=True
    )
    for typed, found in (("Raf", "Raf"), ("RAF", "RAF"), ("raf", "Raf"), ("twolines", "two\nlines")):
        page.locator("#search").fill(typed)
        assert page.locator("#panel h3").text_content() == found


def test_search_finds_a_variable_by_its_name(simulated, open_page):
    page = open_page(simulated)
    page.locator("#search").fill("x7")
    assert page.locator("#panel h3").inner_text() == "X7"
    page.locator("#search").fill("11")
    page.locator("#search").press("Enter")
    assert page.locator("#panel h3").inner_text() == "X11"
    page.locator("#search").fill("nobody")
    page.locator("#search").press("Enter")
    assert page.locator("#search").evaluate("element => element.validationMessage") == "No variable has such a name."
    assert page.locator("#panel h3").inner_text() == "X11"


def test_a_large_graph_shows_the_neighbourhood_of_what_is_selected(large, open_page, screenshot):
    page = open_page(large)
    assert page.locator("[data-node]").count() == 60
    page.locator("#near").check()
    edges = drawn_pairs(large).query("joined >= 0.5").replace({"source": dict(enumerate(large.nodes))})
    edges["target"] = edges["target"].map(dict(enumerate(large.nodes)))
    for name in (page.locator("#panel h3").inner_text(), "X3", "X50"):
        page.locator("#search").fill(name)
        children = set(edges["target"][edges["source"] == name])
        expected = {name, *children, *edges["source"][edges["target"].isin({name, *children})]}
        shown = {
            large.nodes[int(v)] for v in page.locator("[data-node]").evaluate_all("all => all.map(n => n.dataset.node)")
        }
        assert shown == expected
        assert page.locator("#picture .chosen title").text_content() == name
    screenshot(page, "p60-neighbourhood")
    page.locator("#near").uncheck()
    assert page.locator("[data-node]").count() == 60
    assert page.locator("#picture path.edge").count() == len(edges)
    screenshot(page, "p60-whole")


def test_one_can_zoom_and_move_the_graph(simulated, open_page):
    page = open_page(simulated)

    def view():
        return [float(number) for number in page.locator("#picture").get_attribute("viewBox").split()]

    fitted = view()
    page.locator("#zoom-in").click()
    assert view()[2] == pytest.approx(0.8 * fitted[2])
    page.locator("#picture").scroll_into_view_if_needed()
    box = page.locator("#picture").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 80, box["y"] + 40)
    page.mouse.up()
    moved = view()
    assert moved[0] < fitted[0] + 0.1 * fitted[2]
    # A click that is no drag, and not made by a pointer, as screen readers make them.
    page.locator('[data-node="3"]').dispatch_event("click")
    assert page.locator("#panel h3").inner_text() == simulated.nodes[3]
    page.locator("#zoom-fit").click()
    assert view() == pytest.approx(fitted)
    page.evaluate("for (let k = 0; k < 4; k++) document.querySelector('#zoom-in').click()")
    for name in simulated.nodes:
        page.locator("#search").fill(name)
        left, top, width, height, x, y = page.locator("#picture .chosen").evaluate(
            "node => { const { e, f } = node.transform.baseVal[0].matrix; "
            "return [...node.ownerSVGElement.getAttribute('viewBox').split(' ').map(Number), e, f]; }"
        )
        assert left < x < left + width
        assert top < y < top + height


SORT_BY = """(number) => {
  const table = document.querySelector("#pair-table"), head = table.querySelectorAll("th")[number];
  const button = head.querySelector("button");
  button.scrollIntoView({ behavior: "instant", block: "center" });
  const { x, y, width, height } = button.getBoundingClientRect();
  if (!button.contains(document.elementFromPoint(x + width / 2, y + height / 2))) throw new Error("It is covered.");
  button.click();
  return [head.getAttribute("aria-sort"), [...table.tBodies[0].rows].map((row) => row.cells[number].innerText)];
}"""
"""Clicks on the head of a column, which nothing may cover; returns how its cells are sorted now, and what they say."""


def test_the_table_sorts_by_every_column(simulated, open_page):
    page = open_page(simulated)
    table = read_table(page)
    assert table["joined"].astype(float).is_monotonic_decreasing
    page.locator("#pair-table th button", has_text="joined").click()
    assert read_table(page)["joined"].astype(float).is_monotonic_increasing
    for number, title in enumerate(table.columns):
        orders = []
        for _ in range(2):
            order, cells = page.evaluate(SORT_BY, number)
            orders.append(order)
            assert sorted(cells) == sorted(table[title])
            first = pd.Series(cells).str.extract(r"^(\S+)")[0]
            if title == "direction":
                key = first.map({"–": 0, "→": 1, "←": 2})
            else:
                key = first.str[1:].astype(int) if title in ("a", "b") else first.replace("–", "-inf").astype(float)
            assert key.is_monotonic_increasing if order == "ascending" else key.is_monotonic_decreasing
        assert sorted(orders) == ["ascending", "descending"]


def test_the_table_filters_by_name(simulated, open_page):
    page = open_page(simulated, has_charts=True)
    whole = read_table(page)
    page.locator("#filter").fill("x1")
    kept = read_table(page)
    expected = whole[whole["a"].str.startswith("X1") | whole["b"].str.startswith("X1")]
    assert 0 < len(kept) == len(expected) < len(whole)
    assert page.locator("#row-count").inner_text() == f"{len(kept)} of {len(kept)} pairs listed"
    page.locator("#filter").fill("no such name")
    assert read_table(page).empty


NUMBERS = {
    "joined": "joined",
    "→": "forward",
    "←": "backward",
    "told →": "told_forward",
    "told ←": "told_backward",
}
"""Columns of the table on the page, and of the table of pairs."""


def test_the_numbers_are_those_of_the_posterior(simulated, medium, open_page):
    for posterior in (simulated, medium):
        page = open_page(posterior)
        shown, pairs = read_table(page), posterior.pairs()
        assert len(shown) == len(pairs)
        assert shown["a"].tolist() == pairs["a"].tolist()
        assert shown["b"].tolist() == pairs["b"].tolist()
        arrows = {"->": "→", "<-": "←", "-": "–", "?": "?"}
        assert shown["direction"].tolist() == pairs["direction"].map(arrows).tolist()
        for title, column in NUMBERS.items():
            np.testing.assert_allclose(shown[title].astype(float), pairs[column], rtol=0, atol=5.001e-4)
        ends = shown["Monte Carlo interval"].str.extract(r"^(\S+) – (\S+)$").astype(float)
        expected = np.clip([pairs["joined"] - 1.96 * pairs["mcse"], pairs["joined"] + 1.96 * pairs["mcse"]], 0, 1)
        for end in (0, 1):
            np.testing.assert_allclose(ends[end], expected[end], rtol=0, atol=5.001e-4)
        held = json.loads(page.locator("#graph-data").text_content())
        for column in NUMBERS.values():
            assert held["pairs"][column] == pairs[column].tolist()


def test_effects_are_those_of_the_draws_with_a_path_where_the_direction_is_told(simulated, open_page):
    shown = read_table(open_page(simulated))
    drawn = effect_draws(simulated, seed=0)
    assert set(shown["direction"]) == {"→", "←", "–"}
    for row in shown.itertuples():
        if row.direction == "–":
            assert row.effect == row[-1] == "–"
            continue
        i, j = (simulated.nodes.index(name) for name in ((row.a, row.b) if row.direction == "→" else (row.b, row.a)))
        effects = drawn[:, i, j][drawn[:, i, j] != 0]
        ends = re.fullmatch(r"(\S+) to (\S+)", row[-1]).groups()
        expected = [effects.mean(), *np.quantile(effects, [0.05, 0.95])]
        np.testing.assert_allclose([float(row.effect), *map(float, ends)], expected, rtol=6e-3)


def test_a_pair_is_drawn_as_its_direction_allows(simulated, open_page):
    page = open_page(simulated)
    move_slider(page, 0.05)
    lines = page.locator("#picture path.edge").evaluate_all(
        "all => all.map(line => [line.parentNode.querySelector('title').textContent, line.classList.contains('told'), "
        "line.parentNode.querySelector('.head') !== null, line.getPointAtLength(0).x, line.getPointAtLength(0).y])"
    )
    places = page.locator("#picture .node").evaluate_all(
        "all => all.map(node => [node.dataset.node, node.transform.baseVal[0].matrix.e])"
    )
    across = {simulated.nodes[int(v)]: x for v, x in places}
    pairs = simulated.pairs(0.05).set_index(["a", "b"])
    seen = set()
    for title, is_told, has_head, x, _ in lines:
        a, arrow, b = re.match(r"(\S+) (→|←|–) (\S+)\n", title).groups()
        pair = pairs.loc[(a, b)]
        assert arrow == {"->": "→", "<-": "←", "-": "–"}[pair["direction"]]
        assert is_told == has_head == (arrow != "–")
        assert f"joined: {pair['joined']:.3f}\n→ {pair['forward']:.3f}, told {pair['told_forward']:.3f}\n" in title
        if has_head:  # It leads from the cause.
            assert abs(across[a if arrow == "→" else b] - x) < 60
        seen.add(arrow)
    assert seen == {"→", "←", "–"}


CHOOSE_EACH = """(number) => [...Array(number).keys()].map((v) => {
  const node = document.querySelector(`[data-node="${v}"]`);
  node.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  return [node.querySelector("title").textContent, node.getAttribute("aria-label"),
    document.querySelector("#panel h3").textContent];
})"""
"""Clicks on every variable; returns its title and its label in the graph, and the heading of the panel."""


@pytest.mark.parametrize("viewport", ["desktop", "phone"])
def test_hostile_names_are_shown_as_text(hostile, open_with_charts, screenshot, viewport):
    page = open_with_charts(hostile, viewport)
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("document.querySelectorAll('main img, main b, main script, header script').length") == 0
    shown = page.evaluate(CHOOSE_EACH, len(HOSTILE))
    assert shown == [[name] * 3 for name in HOSTILE]
    page.locator('[data-node="0"]').click()
    assert page.locator("#panel h3").text_content() == HOSTILE[0]
    names = page.locator("#pair-table td.text button").evaluate_all("all => all.map(button => button.title)")
    assert set(names) <= set(HOSTILE)
    assert len(set(names)) > 3
    ticks = page.locator("#chart-edges .ytick").all_text_contents()
    assert any(tick.startswith("<script>wind") for tick in ticks)
    assert any("back\\slash" in tick for tick in ticks)
    data = page.locator("#settings").inner_text()
    assert "<script>window.hacked = true</script>" in data
    assert "${7*7} {{ 7*7 }}" in data
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("window.hacked") is None
    screenshot(page, f"hostile-{viewport}")


def test_many_chains_and_long_words_do_not_run_over_each_other(open_with_charts):
    names = ["A" * 200, "A" * 199 + "B", "Raf", "Mek", "Erk", "Akt"]
    data = ew.simulate(len(names), 200, seed=1).data.set_axis(names, axis=1)
    page = open_with_charts(sample(data, chains=12), "phone")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    wide = page.evaluate(
        "[...document.querySelectorAll('td, th')].filter(c => c.scrollWidth > c.clientWidth + 1).length"
    )
    assert wide == 0
    labels = page.locator("#picture .node text").all_text_contents()
    assert len(set(labels)) == len(names)


@pytest.mark.parametrize(
    ("viewport", "scheme"),
    [
        ("desktop", "light"),
        ("phone", "dark"),
        pytest.param("desktop", "dark", marks=pytest.mark.slow),
        pytest.param("phone", "light", marks=pytest.mark.slow),
    ],
)
def test_the_page_fits_the_screen(simulated, open_with_charts, screenshot, viewport, scheme):
    page = open_with_charts(simulated, viewport, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for part in ("#verdict", *(f"#chart-{chart} .main-svg" for chart in ("trace", "agreement", "edges"))):
        assert page.locator(part).first.is_visible()
    screenshot(page, f"{viewport}-{scheme}")


PAIRS = (
    ("--ink", "--paper"),
    ("--soft", "--paper"),
    ("--accent", "--paper"),
    ("--ink", "--panel"),
    ("--ink", "--node"),
    ("--good-ink", "--good"),
    ("--bad-ink", "--bad"),
    ("--chosen-ink", "--chosen"),
)


def luminance(colour):
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_background(simulated, open_page, scheme):
    """Contrast of 4.5 to 1, as the accessibility guidelines ask for text, and 3 to 1 for lines."""
    page = open_page(simulated, color_scheme=scheme)

    names = {name for pair in PAIRS for name in pair} | {"--told", "--open"}
    colours = page.evaluate(
        "names => { const style = getComputedStyle(document.documentElement); "
        "return Object.fromEntries(names.map(name => [name, style.getPropertyValue(name).trim()])); }",
        sorted(names),
    )

    def contrast(*pair):
        lighter, darker = sorted((luminance(colours[name]) for name in pair), reverse=True)
        return (lighter + 0.05) / (darker + 0.05)

    for pair in PAIRS:
        assert contrast(*pair) >= 4.5, pair
    for line in ("--told", "--open"):
        assert contrast(line, "--paper") >= 3, line


def test_it_prints(simulated, open_page):
    page = open_page(simulated, has_charts=True, color_scheme="dark")
    page.emulate_media(media="print")
    for hidden in ("#threshold", "#more", "#panel", "#zoom-in"):
        assert not page.locator(hidden).is_visible()
    assert page.locator("#pair-table").is_visible()
    assert page.locator("#row-count").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    # All at once, since charts are drawn anew when the width of the page changes.
    fills = page.locator(".chart text").evaluate_all("all => all.map(text => getComputedStyle(text).fill)")
    assert set(fills) == {"rgb(0, 0, 0)"}
    assert page.pdf().startswith(b"%PDF")


def test_charts_are_drawn_when_they_come_near_or_are_printed(simulated, open_page):
    drawn = "[...document.querySelectorAll('.chart')].map(chart => chart.querySelector('.main-svg') !== null)"
    height = "document.documentElement.scrollHeight"
    page = open_page(simulated, has_charts=True)
    assert not any(page.evaluate(drawn))
    assert page.evaluate("window.Plotly") is None
    before = page.evaluate(height)
    page.locator("nav a[href='#heat-map']").click()
    page.wait_for_selector("#chart-edges .heatmaplayer")
    assert page.evaluate(height) == before  # what is below does not move away from the reader
    page = open_page(simulated, has_charts=True)
    page.pdf()
    assert all(page.evaluate(drawn))


def test_a_policy_keeps_the_page_off_the_network(simulated, tab, write_report):
    tab.goto(write_report(simulated).as_uri())
    assert tab.locator("meta[http-equiv]").get_attribute("content").startswith("default-src 'none'")
    assert tab.evaluate("fetch('https://example.org').then(() => 'answered', () => 'refused')") == "refused"
    tab.goto("about:blank")


NOISE = pd.DataFrame(np.random.default_rng(1).normal(size=(100, 3)), columns=list("abc"))


UNUSUAL = {
    "no edge": lambda: sample(NOISE, sampler=ew.MinimalIMAP(alpha=1e-6, criterion="test")),
    "one chain": lambda: sample(ew.simulate(4, 100, seed=1).data, chains=1),
    "no data": lambda: sample(None, nodes=["a", "b", "c"]),
    "one draw": lambda: sample(ew.simulate(2, 100, seed=1).data, iterations=10, thin=1, burn_in=9),
}
MORE_UNUSUAL = {
    "weights": lambda: sample(ew.simulate(4, 100, seed=1).data, sampler=ew.MinimalIMAP(target="dags")),
    "partition": lambda: sample(ew.simulate(4, 100, seed=1).data, sampler=ew.PartitionMCMC()),
    "extreme units": lambda: sample(ew.simulate(3, 100, seed=1).data * [1e-180, 1.0, 1e180]),
    "bootstrap": lambda: ew.bootstrap(ew.hill_climb, ew.simulate(4, 100, seed=1).data, 20, seed=1),
}


@pytest.mark.parametrize(
    "make",
    [
        *(pytest.param(make, id=name) for name, make in UNUSUAL.items()),
        *(pytest.param(make, id=name, marks=pytest.mark.slow) for name, make in MORE_UNUSUAL.items()),
    ],
)
def test_unusual_posteriors_have_reports(make, open_with_charts):
    posterior = make()
    page = open_with_charts(posterior)
    assert page.locator("#verdict").inner_text().endswith(posterior.silent_diagnostics.verdict)
    assert page.locator("[data-node]").count() == len(posterior.nodes)
    assert len(read_table(page)) == len(posterior.pairs())


@ON_SCREENS
def test_what_is_unusual_about_the_data_is_told(open_page, screenshot, viewport):
    data = np.exp(ew.simulate(len(HOSTILE), 100, seed=1).data.set_axis(HOSTILE, axis=1)).assign(id=range(100))
    with pytest.warns(ew.DataWarning):
        posterior = sample(data)
    page = open_page(posterior, viewport)
    told = page.locator("#data-verdict li").all_inner_texts()
    sentences = [finding["sentence"] for finding in posterior.info["data"]["findings"]]
    assert [" ".join(text.split()) for text in told] == [" ".join(sentence.split()) for sentence in sentences]
    assert len(told) == 2
    assert "look again" in page.locator("#data-verdict").inner_text()
    assert "findings" not in page.locator("#settings").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("window.hacked") is None
    screenshot(page, f"unusual-{viewport}")


def test_data_without_fault_are_called_so(simulated, open_page, write_report):
    verdict = open_page(simulated).locator("#data-verdict")
    assert verdict.inner_text().endswith("Data: nothing unusual.")
    about = {name: value for name, value in simulated.info["data"].items() if name != "findings"}
    for unknown in (replace(simulated, info={**simulated.info, "data": about}), sample(None, nodes=["a", "b"])):
        assert 'id="data-verdict"' not in write_report(unknown).read_text()


def test_a_run_that_was_stopped_says_so(simulated, open_page, write_report):
    note = (
        "The run was stopped by the keyboard after 1,234 of 4,000 iterations; the posterior holds the draws until then."
    )
    page = open_page(replace(simulated, info={**simulated.info, "stopped_by": "keyboard", "stopped_note": note}))
    assert page.locator("#stopped").inner_text().endswith(note)
    assert 'id="stopped"' not in write_report(simulated).read_text()


@ON_SCREENS
def test_pairs_on_which_chains_disagree_are_dotted_and_have_a_question_mark(open_page, screenshot, viewport):
    """X1 -> X3 <- X2 in all draws, but for a chain without X1 -> X3; and X4 -> X6 <- X5 in all."""
    dags = np.zeros((4, 200, 6, 6), bool)
    dags[..., [0, 1], 2] = dags[..., [3, 4], 5] = True
    dags[0, :, 0, 2] = False
    page = open_page(make_posterior(dags, nodes=[f"X{v}" for v in range(1, 7)]), viewport)
    assert page.locator("#headline").inner_text().endswith("; chains disagree on 2 more.")
    assert page.locator("#picture path.edge.disagreed").count() == 2
    assert page.locator("#picture path.head").count() == 2
    titles = "".join(page.locator("#picture .line title").all_text_contents())
    assert titles.count("chains disagree") == 2
    assert "X1 ? X3\nchains disagree\njoined: 0.750\n" in titles
    assert [text.strip() for text in page.locator(".legend li").all_inner_texts()][2:] == ["chains disagree"]
    shown = read_table(page).set_index(["a", "b"])["direction"]
    assert shown.to_dict() == {("X1", "X3"): "?", ("X2", "X3"): "?", ("X4", "X6"): "→", ("X5", "X6"): "→"}
    assert page.locator('#pair-table td[title="chains disagree"]').all_inner_texts() == ["?", "?"]
    assert "A question mark stands where chains disagree" in page.locator("#pairs").inner_text()
    screenshot(page, f"disagreed-{viewport}")


def test_where_chains_agree_nothing_is_said_of_disagreement(simulated, open_page):
    page = open_page(simulated)
    assert page.locator(".legend li").count() == 2
    assert page.locator(".disagreed").count() == 0
    assert "question mark" not in page.locator("#pairs").inner_text()


@pytest.mark.parametrize("ended", [0, 3])
def test_round_trips_are_told(open_page, ended):
    dags = np.zeros((2, 200, 3, 3), bool)
    moves = ({"turn": (300, 30), ROUND_TRIPS: (0, 0)}, {"turn": (100, 10), ROUND_TRIPS: (4, ended)})
    page = open_page(replace(make_posterior(dags), moves=moves), has_charts=True)
    text = page.locator("#trust").inner_text()
    assert f"4 began in all chains, and {ended} ended" in text
    rows = page.locator("#trust tr:has(th:text('round trip'))").locator("td").all_inner_texts()
    assert rows == ["4", "–", f"{100 * ended / 4:.1f} %"]
    assert page.locator("#verdict.bad").count() == (ended == 0)


@ON_SCREENS
def test_the_next_experiment_is_told_where_directions_are_open(hostile, open_with_charts, screenshot, viewport):
    page = open_with_charts(hostile, viewport)
    best = hostile.quick_experiments.head(10)
    assert page.locator("#advice").inner_text().split() == hostile.advice.split()
    rows = page.locator("#next tbody tr").evaluate_all(
        "all => all.map(row => [row.querySelector('bdi').title, "
        "...[...row.querySelectorAll('td')].map(cell => cell.innerText)])"
    )
    assert rows == [[one.target, f"{one.bits_beyond:.2f}", f"{one.directions:.1f}"] for one in best.itertuples()]
    assert page.locator("#chart-next .bars .point").count() == len(best)
    assert "perfect intervention" in page.locator("#next").inner_text()
    assert page.locator("nav a[href='#next']").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    screenshot(page, f"next-{viewport}")


def test_where_no_direction_is_open_there_is_no_experiment(open_page):
    posterior = sample(data_of([(0, 2), (1, 2)], 3), prior=ew.Sparsity(9.0))
    assert posterior.advice is None
    page = open_page(posterior)
    assert page.locator("#next").count() == page.locator("nav a[href='#next']").count() == 0


def test_the_page_says_what_it_is_about(open_page, write_report, tmp_path):
    path = tmp_path / "<b>cells & genes.csv"
    ew.simulate(4, 100, seed=1).data.round(1).to_csv(path.with_name("cells.csv"), index=False)
    posterior = sample(path.with_name("cells.csv"))
    about = {**posterior.info["data"], "name": path.name}
    page = open_page(replace(posterior, info={**posterior.info, "data": about, "date": "2026-03-01T12:00:00+00:00"}))
    assert page.locator("h1").inner_text() == path.name
    assert page.title().startswith(path.name)
    assert page.locator("#about").inner_text() == "100 rows of 4 variables; sampled on 1 March 2026, 12:00 UTC."
    assert "<h1><bdi>cells.csv</bdi></h1>" in write_report(posterior).read_text()


def test_the_table_of_the_data_tells_skewness_and_different_values(open_page, tmp_path):
    data = ew.simulate(4, 100, seed=1).data.round(1)
    data["X3"] = np.exp(data["X3"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ew.DataWarning)
        posterior = sample(data)
    rows = (
        open_page(posterior)
        .locator("#settings .compact tbody tr")
        .evaluate_all("all => all.map(row => [...row.cells].map(cell => cell.innerText))")
    )
    for row, name in zip(rows, data, strict=True):
        assert row[0] == name
        assert float(row[3]) == pytest.approx(skew(data[name]), abs=0.006)
        assert int(row[4]) == data[name].nunique()
    # A file from before has neither, and its report has all the rest.
    old = {key: value for key, value in posterior.info["data"].items() if key not in ("skewness", "distinct", "name")}
    info = {key: value for key, value in posterior.info.items() if key != "date"}
    replace(posterior, info={**info, "data": old}).save(tmp_path / "old.nc")
    page = open_page(ew.load(tmp_path / "old.nc"))
    assert page.locator("#settings .compact thead th").count() == 3
    assert page.locator("#about").inner_text() == "100 rows of 4 variables."


def test_nothing_is_cut_on_a_phone(simulated, large, open_page, screenshot):
    """Every cell of the tables of pairs, of DAGs and of the data is on the screen, and its words are whole."""
    for posterior in (simulated, large):
        page = open_page(posterior, "phone")
        for cells in ("#pair-table td", "#dags td", "#dags tbody th", "#settings td", "#settings th"):
            beyond = page.locator(cells).evaluate_all(
                "all => all.filter(cell => { const box = cell.getBoundingClientRect(); "
                "return box.width > 0 && (box.left < 0 || box.right > innerWidth + 0.5); }).length"
            )
            assert beyond == 0, cells
        broken = page.locator("#dags .changes bdi").evaluate_all(
            "all => all.filter(name => name.getClientRects().length > 1).length"
        )
        assert broken == 0
    screenshot(page, "phone-tables")

import os
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

import edgewise as ew
from reports import HOSTILE, sample

SCREENSHOTS = Path(__file__).parents[2] / ".cache" / "screenshots"

QUIET = (
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Options that keep the browser itself from asking the network for anything."""

STUCK = 1_800_000
"""Milliseconds after which a browser will not answer any more, however busy the machine is."""

VIEWPORTS = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 800}}


@pytest.fixture(scope="session")
def browser():
    """Debian's chromium, or that of EDGEWISE_BROWSER, which must then be there."""
    promised = os.environ.get("EDGEWISE_BROWSER")
    found = promised or shutil.which("chromium")
    if found is None:
        pytest.skip("there is no chromium; EDGEWISE_BROWSER can name one")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=QUIET, timeout=STUCK)
        yield started
        started.close()


@pytest.fixture(scope="session")
def tab(browser):
    """Where all pages are shown: what has shown a report shows the next in a tenth of the time."""
    context = browser.new_context()
    context.set_default_timeout(STUCK)
    return context.new_page()


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """Where every page is when it is opened: the browser has then compiled its scripts before, if they are the same."""
    return tmp_path_factory.mktemp("opened") / "page.html"


@pytest.fixture
def open_file(tab, address):
    """Return a function that shows a file, in place of the last; none may complain or ask the network for anything."""
    opened, complaints, requests = [], [], []
    listeners = {
        "console": lambda message: complaints.append(message.text),
        "pageerror": lambda error: complaints.append(str(error)),
        "request": lambda request: requests.append(request.url),
    }
    for event, listener in listeners.items():
        tab.on(event, listener)

    def leave():
        tab.mouse.move(0, 0)
        tab.goto("about:blank")

    def open_file(path, *, viewport, color_scheme="light"):
        if opened:
            leave()
        opened.append(path)
        tab.set_viewport_size(viewport)
        tab.emulate_media(media="null", color_scheme=color_scheme)
        shutil.copyfile(path, address)
        tab.goto(address.as_uri())
        return tab

    yield open_file
    for event, listener in listeners.items():
        tab.remove_listener(event, listener)
    leave()
    assert complaints == []
    assert len(requests) == len(opened)


@pytest.fixture(scope="session")
def write_report(tmp_path_factory):
    """Return a function that writes the report of a posterior, each only once."""
    folder, written = tmp_path_factory.mktemp("reports"), {}

    def write(posterior):
        if id(posterior) not in written:
            path = folder / f"report-{len(written)}.html"
            posterior.report(path)
            written[id(posterior)] = posterior, path  # the former stays, so that no other has its id
        return written[id(posterior)][1]

    return write


PLOTLY = re.compile('(?<=<script type="text/plain" id="plotly">).*?(?=</script>)', re.DOTALL)
"""What draws charts, in a report: nine tenths of it, and half of the time that it takes to open one."""


@pytest.fixture
def open_page(open_file, write_report):
    """Return a function that opens the report of a posterior; where a chart is to be drawn, it must have charts."""

    def open_page(posterior, viewport="desktop", *, has_charts=False, **options):
        path = write_report(posterior)
        if not (has_charts or SCREENSHOTS.exists()):
            without = path.with_suffix(".without.html")
            if not without.exists():
                without.write_text(PLOTLY.sub("", path.read_text(encoding="utf-8")), encoding="utf-8")
            path = without
        return open_file(path, viewport=VIEWPORTS[viewport], **options)

    return open_page


SHOW_CHARTS = """async () => {
  for (const chart of document.querySelectorAll(".chart")) {
    chart.scrollIntoView({ behavior: "instant" });
    while (!chart.querySelector(".main-svg")) await new Promise(requestAnimationFrame);
  }
  scrollTo({ top: 0, behavior: "instant" });
}"""
"""Scrolls to each chart of a report, and waits until it is drawn."""


@pytest.fixture
def open_with_charts(open_page):
    """Return a function that opens the report of a posterior and has all of its charts drawn."""

    def open_with_charts(posterior, viewport="desktop", **options):
        page = open_page(posterior, viewport, has_charts=True, **options)
        page.evaluate(SHOW_CHARTS)
        return page

    return open_with_charts


@pytest.fixture
def screenshot():
    """Return a function that takes a picture of a page, to be looked at, where there is a folder for pictures."""

    def take(page, name):
        if SCREENSHOTS.exists():
            page.evaluate(SHOW_CHARTS)
            page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)

    return take


@pytest.fixture(scope="session")
def simulated():
    return sample(ew.simulate(12, 60, seed=3).data)


@pytest.fixture(scope="session")
def medium():
    """One whose table has more rows than are shown at first."""
    return sample(ew.simulate(30, 100, seed=3).data)


@pytest.fixture(scope="session")
def hostile():
    return sample(ew.simulate(len(HOSTILE), 300, seed=3).data.set_axis(list(HOSTILE), axis=1))


@pytest.fixture(scope="session")
def large():
    return sample(ew.simulate(60, 300, seed=1).data)

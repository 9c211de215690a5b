import os
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


@pytest.fixture
def open_page(browser, tmp_path):
    """Return a function that writes a report and opens it; no page may complain or ask the network for anything."""
    contexts, complaints, requests = [], [], []

    def open_page(posterior, viewport="desktop", **options):
        path = tmp_path / f"report-{len(contexts)}.html"
        posterior.report(path)
        context = browser.new_context(viewport=VIEWPORTS[viewport], **options)
        context.set_default_timeout(STUCK)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("#chart-edges .heatmaplayer")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
    assert len(requests) == len(contexts)


@pytest.fixture
def screenshot(request):
    """Return a function that takes a picture of a page, to be looked at."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)

    def take(page, name):
        page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)

    return take


@pytest.fixture(scope="session")
def simulated():
    return sample(ew.simulate(12, 60, seed=3).data)


@pytest.fixture(scope="session")
def hostile():
    return sample(ew.simulate(len(HOSTILE), 300, seed=3).data.set_axis(list(HOSTILE), axis=1))


@pytest.fixture(scope="session")
def large():
    return sample(ew.simulate(100, 300, seed=1).data, iterations=20_000, thin=100)

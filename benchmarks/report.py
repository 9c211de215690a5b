"""Size of reports, and the time until a browser shows one and answers.

Usage: python benchmarks/report.py [--sachs FILE]. Needs chromium, or EDGEWISE_BROWSER. "Answers" is the time from the
beginning of navigation until the graph has reacted to its slider; "complete" until the charts are drawn as well.
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time
import warnings
from pathlib import Path

from playwright.sync_api import sync_playwright

import edgewise as ew

REPEATS = 5

MOVE_SLIDER = """
const slider = document.getElementById("threshold");
slider.value = 0.9;
slider.dispatchEvent(new Event("input"));
performance.mark("answered");
"""
"""Appended to the page's own script, so that it runs as soon as a reader's hand could."""

DRAW, DRAW_AND_MARK = "drawCharts();</script>", "drawCharts().then(() => performance.mark('complete'));</script>"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sachs", type=Path, help="the file sachs_observational_853x11.csv")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ew.EdgewiseWarning)
    sources = {f"p = {p}": ew.simulate(p, max(1000, 2 * p), seed=1).data for p in (11, 30, 100, 400)}
    if arguments.sachs is not None:
        sources = {"Sachs": arguments.sachs, **sources}
    print(f"{'':10} {'MB':>6} {'written, s':>11} {'answers, s':>11} {'complete, s':>12}")
    browser_path = os.environ.get("EDGEWISE_BROWSER") or shutil.which("chromium")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as directory:
        browser = playwright.chromium.launch(executable_path=browser_path)
        for name, source in sources.items():
            posterior = ew.sample(source, seed=1, progress=False)
            path = Path(directory) / "report.html"
            began = time.perf_counter()
            posterior.report(path)
            seconds = time.perf_counter() - began
            answers, complete = time_loading(browser, path)
            size = path.stat().st_size / 1e6
            print(f"{name:10} {size:6.2f} {seconds:11.2f} {answers:11.2f} {complete:12.2f}", flush=True)
        browser.close()


def time_loading(browser, path):
    """Return the median seconds until the graph answers, and until all is drawn."""
    page_text = path.read_text(encoding="utf-8")
    marked = page_text.replace("\nbuildTable();\n", f"\nbuildTable();\n{MOVE_SLIDER}")
    marked = marked.replace(DRAW, DRAW_AND_MARK)
    assert MOVE_SLIDER in marked
    assert DRAW_AND_MARK in marked
    timed = path.with_name("timed.html")
    timed.write_text(marked, encoding="utf-8")
    times = []
    for _ in range(REPEATS):
        page = browser.new_page()
        page.goto(timed.as_uri())
        page.wait_for_function("performance.getEntriesByName('complete').length")
        times.append([page.evaluate(f"performance.getEntriesByName('{name}')[0].startTime / 1000")
                      for name in ("answered", "complete")])  # fmt: skip
        page.close()
    return [statistics.median(column) for column in zip(*times, strict=True)]


if __name__ == "__main__":
    main()

"""Take the picture of a report that the README shows: python docs/picture.py edgewise-demo/report.html.

Needs chromium, or EDGEWISE_BROWSER. The variable with the most neighbours in the demo is selected.
"""

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

report = Path(sys.argv[1]).absolute()
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=os.environ.get("EDGEWISE_BROWSER") or shutil.which("chromium"))
    page = browser.new_page(viewport={"width": 1220, "height": 1090})
    page.goto(report.as_uri())
    page.locator("#search").fill("X11")
    page.locator("#search").blur()
    page.mouse.move(0, 0)
    page.screenshot(path=Path(__file__).with_name("report.png"))
    browser.close()

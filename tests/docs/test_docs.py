"""The code of README and of all pages runs, with short chains; what it shows at full length is what the pages show."""

import doctest
import json
import re
import subprocess
import sys
import tomllib
import warnings
from dataclasses import replace

import pytest
import yaml

import edgewise as ew
import pages
import roles
from commands import PAGE, describe
from edgewise.running import lengths, sampling
from pages import find_blocks
from scenes import MissingDataError

ITERATIONS = 600
"""Of each chain, where a page says nothing."""

PAGES = [
    path
    for path in pages.find_pages()
    if any(b.language in ("python", "bash", "") for b in pages.find_blocks(path.read_text()))
]


def name(path):
    return path.relative_to(pages.ROOT).as_posix()


def run(path):
    try:
        return list(pages.run_page(path))
    except MissingDataError as missing:
        pytest.skip(str(missing))


def find_short_blocks(page):
    """Return the blocks of a page, with a fiftieth of the iterations where it asks for very many."""

    def shorten(found):
        return str(max(int(found[0]) // 50, ITERATIONS))

    return [
        replace(block, text=re.sub(r"(?<=iterations[= ])\d[\d_]*", shorten, block.text)) for block in find_blocks(page)
    ]


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_code_runs(path, monkeypatch):
    for module in (lengths, sampling):
        monkeypatch.setattr(module, "ITERATIONS", ITERATIONS)
    monkeypatch.setattr(pages, "find_blocks", find_short_blocks)
    for block, shown in run(path):
        assert "Traceback" not in shown, block.text


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in PAGES if "```text" in path.read_text()], ids=name)
def test_outputs_are_those_of_a_run(path):
    page = path.read_text()
    assert pages.with_outputs(page, run(path)) == page


def test_every_command_is_known_and_so_are_its_options():
    """Of commands that are only parsed, and that a mistake is found."""
    for path in pages.find_pages():
        for block in pages.find_blocks(path.read_text()):
            for words in pages.find_commands(block):
                if not pages.is_run(words):
                    pages.run_command(words)
    with pytest.raises(Exception, match="No such option"):
        pages.run_command(["reproduce", "all", "--out", "x", "--quickly"])


def test_code_that_fails_is_found(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    page.write_text("```python\nimport edgewise as ew\n```\n\n```python\new.smaple\n```\n")
    with pytest.raises(AttributeError, match="smaple"):
        list(pages.run_page(page))
    page.write_text("```bash\nedgewise fit nothing.csv --out out\n```\n")
    with pytest.raises(RuntimeError, match="ended with 2"):
        list(pages.run_page(page))


def test_outputs_are_written_below_the_code(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    page.write_text("```python\n1 + 1\n```\n\n```text\nold\n```\n\n```python\nx = 2\n```\n\n```text\nkept\n```\n")
    pages.write_outputs(page)
    assert [block.text for block in pages.find_blocks(page.read_text())] == ["1 + 1\n", "2\n", "x = 2\n", "kept\n"]


def test_notebook_runs(tmp_path, monkeypatch):
    for module in (lengths, sampling):
        monkeypatch.setattr(module, "ITERATIONS", ITERATIONS)
    monkeypatch.chdir(tmp_path)
    content = json.loads((pages.ROOT / "docs" / "tutorials" / "quickstart.ipynb").read_text())
    cells = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    namespace = {"__name__": "notebook"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for cell in cells:
            pages.run_python("".join(cell["source"]), namespace)
    assert (tmp_path / "report.html").exists()
    assert content["nbformat"] == 4
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)


def test_examples_of_the_scripts():
    for script in (pages, roles):
        assert doctest.testmod(script) == (0, doctest.testmod(script).attempted)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "integrations/benchpress/README.md"])
def test_links_outside_the_site_lead_somewhere(page):
    path = pages.ROOT / page
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text()):
        assert "://" in target or (path.parent / target).exists(), target


def test_versions_are_the_same():
    project = tomllib.loads((pages.ROOT / "pyproject.toml").read_text())["project"]
    citation = yaml.safe_load((pages.ROOT / "CITATION.cff").read_text())
    assert citation["version"] == project["version"]
    assert citation["license"] == project["license"]
    latest = next(line for line in (pages.ROOT / "CHANGELOG.md").read_text().splitlines() if line.startswith("## "))
    assert latest in (f"## {project['version']} ({citation['date-released']})", "## Unreleased")


def test_reference_has_every_public_name():
    reference = "".join(path.read_text() for path in (pages.ROOT / "docs" / "api").glob("*.md"))
    found = {line.removeprefix("::: edgewise.") for line in reference.splitlines() if line.startswith("::: ")}
    assert found == set(ew.__all__)


def test_commands_are_those_of_the_page():
    """If not: python docs/commands.py."""
    assert PAGE.read_text() == describe()


@pytest.mark.slow
def test_site_is_built_without_a_warning_and_needs_no_network(tmp_path, monkeypatch):
    """Links, names and the reference, by --strict; and nothing is loaded from elsewhere."""
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    built = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)],
        cwd=pages.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    loaded = re.compile(
        r"""<(?:script|img|iframe)[^>]*\ssrc=["']?https?:|<link[^>]*rel=["']?(?:stylesheet|icon)[^>]*https?:"""
    )
    for page in tmp_path.rglob("*.html"):
        assert not loaded.search(page.read_text()), page.name

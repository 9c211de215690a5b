import pandas as pd
import pytest

from edgewise.experiments.experiment import Check, Section, make_figure, save_figure
from edgewise.experiments.page import Run, write_page, write_tables

RUN = Run("edgewise reproduce all --out DIR", "2024-05-01", "1.2.3", "quick", "2.0 minutes", ("The data are missing.",))


@pytest.fixture
def section(tmp_path):
    """Provide a section with everything that a section can have."""
    figure = make_figure(2, 1)
    figure.subplots().plot([0, 1], [0, 1], label="<line>")
    table = pd.DataFrame(
        {"method": ["<b>minIMAP</b>", "order"], "ours": [0.98765, float("nan")], "sets": [2000, 3]}
    ).set_index("method")
    return Section(
        name="table1",
        title="Areas & curves",
        text=("A paragraph with <i>marks</i>.",),
        tables={"Area under the curve, n = 100": table},
        figures=(save_figure(figure, tmp_path / "curves.svg"),),
        checks=(Check("Ours is higher.", True), Check("Theirs is <lower>.", False)),
    )


def test_the_page_shows_everything_and_escapes_it(section, tmp_path):
    path = tmp_path / "index.html"
    write_page(path, RUN, [section])
    page = path.read_text(encoding="utf-8")
    for shown in (
        RUN.command, RUN.date, "Edgewise 1.2.3", RUN.settings, RUN.duration, "The data are missing.",
        "Table 1: Areas &amp; curves", "A paragraph with &lt;i&gt;marks&lt;/i&gt;.", "Area under the curve, n = 100",
        "&lt;b&gt;minIMAP&lt;/b&gt;", "0.988", "–", "2,000", "Holds: Ours is higher.",
        "Fails: Theirs is &lt;lower&gt;.", "Table 1 fails a check: Theirs is &lt;lower&gt;.",
    ):  # fmt: skip
        assert shown in page
    assert "<i>marks" not in page
    assert "Table 1 fails a check: Ours" not in page


def test_the_page_needs_nothing_else(section, tmp_path):
    path = tmp_path / "index.html"
    write_page(path, RUN, [section])
    page = path.read_text(encoding="utf-8")
    assert page.count('src="') == page.count('src="data:image/svg+xml;base64,') == 1
    assert "<script" not in page
    assert "http-equiv" in page
    assert "http://" not in page
    assert "https://" not in page


def test_tables_are_written_with_all_digits(section, tmp_path):
    write_tables(section, tmp_path)
    written = pd.read_csv(tmp_path / "area-under-the-curve-n-100.csv")
    assert list(written.columns) == ["method", "ours", "sets"]
    assert written["ours"][0] == pytest.approx(0.98765, abs=1e-12)


def test_a_table_without_row_names_has_no_column_for_them(section, tmp_path):
    table = pd.DataFrame({"p": [4, 5], "error": [0.1, 0.2]})
    write_tables(Section("theorem", "", (), {"Errors": table}, (), ()), tmp_path)
    assert (tmp_path / "errors.csv").read_text().splitlines() == ["p,error", "4,0.1", "5,0.2"]


def test_the_same_figure_gives_the_same_files(tmp_path):
    contents = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        figure = make_figure(2, 1)
        figure.subplots().plot([0, 1], [1, 0])
        path = save_figure(figure, tmp_path / name / "figure.svg")
        contents.append((path.read_bytes(), path.with_suffix(".png").read_bytes()))
    assert contents[0] == contents[1]

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from edgewise.cli.reproducing import reproduce as command
from edgewise.errors import ArgumentError, StorageError
from edgewise.experiments import pieces, reproducing
from edgewise.experiments.experiment import SOURCES, Check, Experiment, Section, find_data, make_figure, save_figure
from edgewise.experiments.pieces import Piece
from edgewise.experiments.reproducing import EXPERIMENTS, PAGE, choose, missing_data, reproduce
from sentences import check_sentence


def square(number):
    return {"square": number**2}


def made_up(name, numbers, *, least=0, needs=None):
    """Return an experiment that squares numbers, and wants each square to be large enough."""

    def plan(quick, data):
        if needs and not find_data(data, needs):
            return []
        return [Piece(f"n{number}", square, {"number": number}) for number in numbers[: 1 if quick else None]]

    def conclude(results, directory):
        figure = make_figure(2, 1)
        figure.subplots().plot([result["square"] for result in results.values()])
        table = pd.DataFrame({"piece": list(results), "square": [result["square"] for result in results.values()]})
        return Section(
            name, "Squares", (f"{len(results)} numbers.",), {"Squares": table},
            (save_figure(figure, directory / "squares.svg"),),
            (Check(f"Squares are at least {least}.", bool((table["square"] >= least).all())),),
        )  # fmt: skip

    return Experiment(name, "Squares", plan, conclude, needs)


@pytest.fixture
def computed(monkeypatch):
    """Replace the experiments by made-up ones, computed in this process; provide the names of computed pieces."""
    experiments = [
        made_up("table1", [1, 2]), made_up("figure1", [2, 3], least=5), made_up("table2", [4], needs="egfr"),
    ]  # fmt: skip
    monkeypatch.setattr(reproducing, "EXPERIMENTS", {each.name: each for each in experiments})
    names = []

    def compute(wanted, workers):
        for piece in wanted:
            names.append(piece.name)
            yield piece, pieces._work(piece)

    monkeypatch.setattr(pieces, "_compute", compute)
    return names


@pytest.fixture
def run(monkeypatch):
    """Run the command; it stands alone in a program here, and finds no data by itself."""
    monkeypatch.delenv("EDGEWISE_DATA", raising=False)
    program = typer.Typer()
    program.command()(command)
    return lambda *words: CliRunner().invoke(program, [str(word) for word in words])


def test_everything_is_written(computed, tmp_path):
    sections = reproduce(["all"], tmp_path / "out", progress=False)
    assert [section.name for section in sections] == ["table1", "figure1"]
    written = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*")}
    assert {name for name in written if not name.startswith("pieces/")} == {
        "index.html",
        *(f"{name}/squares.{ending}" for name in ("table1", "figure1") for ending in ("csv", "svg", "png")),
    }
    page = (tmp_path / "out" / PAGE).read_text(encoding="utf-8")
    assert "edgewise reproduce all --out DIR" in page
    assert "Figure 1 fails a check: Squares are at least 5." in page
    assert "The protein network was not found" in page
    assert str(tmp_path) not in page


def test_pieces_are_shared_and_kept(computed, tmp_path):
    reproduce(["table1", "figure1"], tmp_path, progress=False)
    assert [name.split("/")[1] for name in computed] == ["n1", "n2", "n3"]
    again = reproduce(["figure1"], tmp_path, progress=False)
    assert len(computed) == 3
    assert again[0].tables["Squares"]["square"].tolist() == [4, 9]


def test_quick_plans_less(computed, tmp_path):
    (section,) = reproduce(["table1"], tmp_path, quick=True, progress=False)
    assert section.text == ("1 numbers.",)
    assert "--quick" in (tmp_path / PAGE).read_text(encoding="utf-8")


def test_data_that_are_there_are_used(computed, tmp_path, empty_data):
    sections = reproduce(["table2"], tmp_path / "out", data=empty_data, progress=False)
    assert [section.name for section in sections] == ["table2"]
    assert missing_data(["table2"], empty_data) == ()
    assert missing_data(["table1"], None) == ()


def test_a_single_missing_file_is_missing_data(computed, empty_data):
    (empty_data / "egfr" / "nodes.csv").unlink()
    assert missing_data(["table2"], empty_data) == (SOURCES["egfr"],)


@pytest.mark.parametrize("sentence", SOURCES.values(), ids=SOURCES)
def test_where_to_get_data_is_a_sentence(sentence):
    check_sentence(sentence)


def test_bad_arguments_are_refused_before_any_work(computed, tmp_path):
    for names, settings in ((["table9"], {}), ([], {}), (["table1"], {"workers": 0})):
        with pytest.raises(ArgumentError) as caught:
            reproduce(names, tmp_path / "out", progress=False, **settings)
        check_sentence(str(caught.value))
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError) as caught:
        reproduce(["table1"], tmp_path / "file", progress=False)
    check_sentence(str(caught.value))
    assert not computed
    assert not (tmp_path / "out").exists()


def test_matplotlib_is_missed_before_any_work(computed, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(ArgumentError, match=r"install edgewise\[reproduce\]") as caught:
        reproduce(["table1"], tmp_path / "out", progress=False)
    check_sentence(str(caught.value))
    assert not computed


def test_the_command_says_what_fails_and_what_is_missing(computed, run, tmp_path):
    done = run("all", "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert "edgewise: figure1 fails a check: Squares are at least 5.\n" in done.stderr
    assert f"edgewise: note: {SOURCES['egfr']}\n" in done.stderr
    assert "3 of 3 pieces are done." in done.stderr
    assert done.stdout == f"1 of 2 checks hold. Open {tmp_path / 'out' / PAGE} in a browser.\n"


def test_the_command_is_content_if_all_checks_hold(computed, run, tmp_path):
    done = run("table1", "--out", tmp_path / "out", "--quiet")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")


def test_an_interrupted_command_says_how_to_go_on(computed, run, tmp_path, monkeypatch):
    def interrupt(pieces, workers):
        raise KeyboardInterrupt

    monkeypatch.setattr(pieces, "_compute", interrupt)
    done = run("table1", "--out", tmp_path / "out")
    assert done.exit_code == 130
    assert "the same command goes on from there" in done.stderr


def test_all_experiments_of_the_paper_are_there():
    assert [experiment.name for experiment in choose(["all"])] == list(EXPERIMENTS)
    assert set(EXPERIMENTS) == {
        "table1", "table2", "table3", "figure1", "figure2", "figure3", "figure4", "theorem",
    }  # fmt: skip
    for experiment in EXPERIMENTS.values():
        assert experiment.needs is None or experiment.needs in SOURCES


@pytest.mark.parametrize("quick", [True, False])
def test_all_plans_can_be_made_without_data(quick):
    for name, experiment in EXPERIMENTS.items():
        planned = experiment.plan(quick, None)
        assert len({piece.name for piece in planned}) == len(planned)
        assert planned or experiment.needs, name

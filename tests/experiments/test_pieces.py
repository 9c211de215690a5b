import json
import os
import signal
import subprocess
import sys
import time

import pytest

from edgewise.errors import ArgumentError
from edgewise.experiments import pieces as module
from edgewise.experiments.pieces import Piece, run_pieces
from edgewise.tasks import THREADS

WORK = """
import os
import time
import warnings
from pathlib import Path

from edgewise.errors import ArgumentError, DataWarning


def double(number, log):
    with Path(log).open("a") as file:
        file.write(f"{number}\\n")
    warnings.warn("nobody should see this", DataWarning, stacklevel=1)
    return {"doubled": 2 * number}


def look(names):
    return {name: os.environ.get(name) for name in names}


def fail(number):
    raise ArgumentError("There is no such number.")


def note_times():
    began = time.monotonic()
    time.sleep(0.1)
    return {"began": began, "ended": time.monotonic()}


def wait(mark):
    Path(mark).touch()
    time.sleep(3600)
    return {}
"""
"""Functions in a module that workers can import; the modules of tests are none."""


@pytest.fixture
def work(tmp_path, monkeypatch):
    """Provide a module with functions for pieces."""
    folder = tmp_path / "modules"
    folder.mkdir()
    name = f"work_of_{tmp_path.name}".replace("-", "_")
    (folder / f"{name}.py").write_text(WORK)
    monkeypatch.syspath_prepend(folder)
    yield __import__(name)
    del sys.modules[name]


@pytest.fixture
def here(monkeypatch):
    """Compute in this process, since workers take seconds to begin."""
    monkeypatch.setattr(module, "_compute", lambda pieces, workers: ((piece, module._work(piece)) for piece in pieces))


def doubles(work, numbers, log):
    return [Piece(f"double-{number}", work.double, {"number": number, "log": str(log)}) for number in numbers]


def test_results_are_kept_and_what_has_changed_is_computed_again(work, here, tmp_path):
    log, kept = tmp_path / "log", tmp_path / "kept"
    seen = []
    first = run_pieces(doubles(work, [1, 2], log), kept, workers=2, watch=lambda *now: seen.append(now))
    assert first == {"double-1": {"doubled": 2}, "double-2": {"doubled": 4}}
    assert seen == [(0, 2), (1, 2), (2, 2)]
    assert sorted(log.read_text().split()) == ["1", "2"]

    assert run_pieces(doubles(work, [1, 2], log), kept, workers=1) == first
    assert len(log.read_text().split()) == 2

    one, two = doubles(work, [1, 2], log)
    changed = Piece(two.name, two.work, {**two.settings, "number": 5})
    seen.clear()
    again = run_pieces([one, changed], kept, workers=1, watch=lambda *now: seen.append(now))
    assert again == {"double-1": {"doubled": 2}, "double-2": {"doubled": 10}}
    assert seen == [(1, 2), (2, 2)]
    assert log.read_text().split()[2:] == ["5"]

    (record,) = (json.loads(path.read_text()) for path in kept.glob("double-1-*.json"))
    assert record["settings"] == {"number": 1, "log": str(log)}
    assert record["seconds"] >= 0


def test_another_version_computes_again(work, tmp_path, monkeypatch):
    piece = doubles(work, [1], tmp_path)[0]
    before = piece.file
    assert piece.file == before
    monkeypatch.setattr("edgewise.experiments.pieces.version", lambda name: "2000.0")
    assert piece.file != before


def test_a_damaged_file_is_computed_again(work, here, tmp_path):
    log = tmp_path / "log"
    pieces = doubles(work, [3], log)
    (tmp_path / pieces[0].file).write_text('{"result": {"doub')
    assert run_pieces(pieces, tmp_path) == {"double-3": {"doubled": 6}}
    assert json.loads((tmp_path / pieces[0].file).read_text())["result"] == {"doubled": 6}


def test_equal_pieces_of_two_experiments_are_computed_once(work, here, tmp_path):
    log = tmp_path / "log"
    (piece,) = doubles(work, [4], log)
    pieces = [Piece(f"{experiment}/{piece.name}", piece.work, piece.settings) for experiment in ("figure1", "figure2")]
    results = run_pieces(pieces, tmp_path / "kept")
    assert results == {"figure1/double-4": {"doubled": 8}, "figure2/double-4": {"doubled": 8}}
    assert log.read_text().split() == ["4"]


def test_names_must_differ(work, tmp_path):
    with pytest.raises(ValueError, match="different names"):
        run_pieces(doubles(work, [1, 1], tmp_path), tmp_path)


@pytest.mark.slow
def test_workers_have_one_thread_and_those_that_must_run_alone_do(work, tmp_path, monkeypatch):
    monkeypatch.setenv(THREADS[0], "7")
    monkeypatch.delenv(THREADS[1], raising=False)
    pieces = [Piece(f"p{number}", work.note_times, {}, alone=number > 0) for number in range(3)]
    found = run_pieces([*pieces, Piece("look", work.look, {"names": list(THREADS)})], tmp_path, workers=2)
    assert found.pop("look") == dict.fromkeys(THREADS, "1")
    assert os.environ[THREADS[0]] == "7"
    assert THREADS[1] not in os.environ
    for name in ("p1", "p2"):
        for other in set(found) - {name}:
            assert found[other]["began"] >= found[name]["ended"] or found[other]["ended"] <= found[name]["began"]


def test_an_error_names_the_piece_and_leaves_no_file(work, tmp_path):
    pieces = [*doubles(work, [1], tmp_path / "log"), Piece("bad", work.fail, {"number": 9})]
    with pytest.raises(ArgumentError, match="no such number") as caught:
        run_pieces(pieces, tmp_path / "kept", workers=1)
    assert "in the piece bad with {'number': 9}" in caught.value.__notes__
    assert [path.name for path in (tmp_path / "kept").iterdir()] == [pieces[0].file]


@pytest.mark.slow
def test_an_interrupt_ends_the_workers_and_leaves_only_finished_pieces(work, tmp_path):
    """Two pieces, one short and one that would take an hour: interrupted when one is kept and the other has begun."""
    kept, mark, log = tmp_path / "kept", tmp_path / "mark", tmp_path / "log"
    script = tmp_path / "script.py"
    script.write_text(
        "import signal\nimport sys\nfrom pathlib import Path\n"
        # Where the tests themselves run in the background of a shell, Ctrl-C is ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"sys.path.insert(0, {str(tmp_path / 'modules')!r})\n"
        f"import {work.__name__} as work\n"
        "from edgewise.experiments.pieces import Piece, run_pieces\n"
        "if __name__ == '__main__':\n"
        f"    pieces = [Piece('short', work.double, {{'number': 1, 'log': {str(log)!r}}}),\n"
        f"              Piece('long', work.wait, {{'mark': {str(mark)!r}}})]\n"
        f"    run_pieces(pieces, Path({str(kept)!r}), workers=1)\n"
    )
    with subprocess.Popen([sys.executable, script], stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
        while not (mark.exists() and list(kept.glob("short-*.json"))) and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=1800)  # less than the piece takes, and enough for a busy machine
    assert "KeyboardInterrupt" in errors
    assert [path.name.rsplit("-", 1)[0] for path in kept.iterdir()] == ["short"]

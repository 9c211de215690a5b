"""Commands that are killed, stopped or run out of disk, and go on."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest

import edgewise as ew
from edgewise.cli import clusters, results
from edgewise.running import checkpoints, engines, plan, runs
from edgewise.running.frames import read_frames
from sentences import check_sentence

TABLE = "measurements.csv"
QUICK = ("--iterations", "2000", "--thin", "10", "--seed", "1")
LONG = ("--iterations", "150000", "--thin", "50", "--chains", "2", "--seed", "1", "--quiet")

STUCK = 1800
"""Seconds after which a command will not end any more, however busy the machine is."""

PROGRAM = """
import sys
from edgewise.cli import main
from edgewise.running import checkpoints, engines
checkpoints.SECONDS = checkpoints.SHARE = 0.0
engines.Threads.block_seconds = 0.02
sys.argv = ["edgewise", *sys.argv[1:]]
main()
"""
"""The command, but for the time between two frames, which would make tests long."""


@pytest.fixture
def often(monkeypatch):
    monkeypatch.setattr(checkpoints, "SECONDS", 0.0)
    monkeypatch.setattr(checkpoints, "SHARE", 0.0)
    monkeypatch.setattr(engines.Threads, "block_seconds", 0.02)


def start(folder, *arguments):
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def drawn(out):
    """Return how many bytes the chains in a checkpoint have."""
    return sum(path.stat().st_size for path in (out / "checkpoint").glob("chain-*"))


def least_iteration(out, chains):
    """Return how far the last of some chains has come, by its checkpoint."""
    frames = [read_frames(out / "checkpoint" / f"chain-{number}")[0] for number in range(1, chains + 1)]
    return min(kept[-1].numbers["iteration"] if kept else 0 for kept in frames)


def wait_for(process, condition):
    end = time.monotonic() + STUCK
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.001)


def assert_same(first, second):
    first, second = ew.load(first / "posterior.nc"), ew.load(second / "posterior.nc")
    np.testing.assert_array_equal(first.dags(), second.dags())
    np.testing.assert_array_equal(first.orders(), second.orders())
    np.testing.assert_array_equal(first.log_posterior, second.log_posterior)
    assert first.moves == second.moves


def hidden(out):
    return [path.name for path in out.iterdir() if path.name.startswith(".")]


@pytest.fixture(scope="module")
def whole(fit_apart):
    """The results of a command that nothing has disturbed."""
    done = fit_apart(*LONG)
    assert done.code == 0
    return done.folder / "out"


@pytest.fixture
def undisturbed(whole, table):
    """The same, with the table it is about at hand."""
    return whole


def kill_and_resume(run, folder, undisturbed, moments):
    """Kill the command when its checkpoint has some part of the bytes it will have; go on in this process."""
    size = drawn(undisturbed)
    for number, moment in enumerate(moments):
        out = folder / f"out-{number}"
        command = start(folder, "fit", TABLE, "--out", out.name, *LONG)
        wait_for(
            command,
            lambda out=out, moment=moment: (out / "checkpoint" / "run.json").exists() and drawn(out) >= moment * size,
        )
        command.kill()
        command.communicate()
        assert command.returncode == -signal.SIGKILL
        assert not (out / "posterior.nc").exists()
        done = run("resume", out.name, "--quiet")
        assert done.code == 0, done.err
        assert_same(undisturbed, out)
        assert hidden(out) == []


@pytest.mark.slow
def test_a_command_may_be_killed_at_any_moment(run, often, undisturbed, tmp_path):
    kill_and_resume(run, tmp_path, undisturbed, np.random.default_rng(1).random(20))


@pytest.mark.slow
def test_a_command_that_is_killed_again_and_again_goes_on(run, often, undisturbed, tmp_path):
    out = tmp_path / "out"
    for words in (("fit", TABLE, "--out", "out", *LONG), ("resume", "out", "--quiet")):
        before = drawn(out)
        command = start(tmp_path, *words)
        wait_for(command, lambda before=before: drawn(out) > before)
        command.kill()
        assert command.communicate()[1] == ""
        assert command.returncode == -signal.SIGKILL
        assert not (out / "posterior.nc").exists()
    assert run("resume", "out", "--quiet").code == 0
    assert_same(undisturbed, out)
    assert hidden(out) == []


@pytest.mark.parametrize(
    ("number", "code", "cause"),
    [
        (signal.SIGTERM, 143, "termination signal"),
        pytest.param(signal.SIGHUP, 129, "hangup signal", marks=pytest.mark.slow),
    ],
)
def test_a_command_that_is_told_to_stop_writes_its_results(run, often, table, tmp_path, number, code, cause):
    out = tmp_path / "out"
    settings = ("--iterations", "100000000", "--burn-in", "1000", "--thin", "100", "--chains", "2", "--seed", "1")
    command = start(tmp_path, "fit", TABLE, "--out", "out", "--quiet", *settings)
    # A chain that is still burning in would stop doing so, and its draws would not be those of the whole run.
    wait_for(command, lambda: drawn(out) > 20_000 and least_iteration(out, 2) > 5000)
    command.send_signal(number)
    said = command.communicate(timeout=STUCK)[1]
    assert command.returncode == code
    assert f"stopped by the {cause}" in said
    assert json.loads((out / "run.json").read_text())["stopped_by"] == cause
    early = ew.load(out / "posterior.nc").orders()
    assert early.shape[1] > 0
    assert (out / "report.html").exists()
    length = 100 * early.shape[1] + 200_000
    assert run("resume", "out", "--iterations", length, "--quiet").code == 0
    later = ew.load(out / "posterior.nc").orders()
    assert later.shape[1] == (length - 1000) // 100
    np.testing.assert_array_equal(later[:, : early.shape[1]], early)


@pytest.mark.parametrize(
    ("during", "number", "code"),
    [
        ("summing up", signal.SIGTERM, 143),
        ("writing", signal.SIGHUP, 129),
        pytest.param("summing up", signal.SIGHUP, 129, marks=pytest.mark.slow),
        pytest.param("writing", signal.SIGTERM, 143, marks=pytest.mark.slow),
    ],
)
def test_a_command_that_is_told_to_end_when_its_draws_are_made_keeps_them(
    run, table, tmp_path, monkeypatch, number, code, during
):
    owner, name = (plan.Plan, "complete") if during == "summing up" else (results, "write_results")
    with monkeypatch.context() as patched:
        patched.setattr(owner, name, lambda *_: signal.raise_signal(number))
        done = run("fit", TABLE, "--out", "out", *QUICK)
    assert done.code == code
    assert done.err.splitlines()[-1].startswith("edgewise: interrupted; the draws are in 'out'")
    assert signal.getsignal(number) == signal.SIG_DFL
    assert hidden(tmp_path / "out") == []
    assert ew.load(tmp_path / "out" / "posterior.nc").weights.shape == (4, 160)
    assert run("resume", "out", "--quiet").code == 0
    assert (tmp_path / "out" / "report.html").exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_command_that_is_told_twice_to_end_before_it_has_draws_says_by_what(run, table, monkeypatch, number, code):
    monkeypatch.setattr(runs, "find_starts", lambda *_: [signal.raise_signal(number) for _ in range(2)])
    done = run("fit", TABLE, "--out", "out", *QUICK)
    assert done.code == code
    assert done.err.splitlines()[-1] == "edgewise: interrupted; nothing was written."


def test_a_finished_run_goes_on(run, table, tmp_path):
    assert run("fit", TABLE, "--out", "out", *QUICK).code == 0
    assert run("fit", TABLE, "--out", "longer", *QUICK[:1], "4000", *QUICK[2:], "--burn-in", "400").code == 0
    done = run("resume", "out", "--iterations", "4000")
    assert done.code == 0
    assert "report.html" in done.out
    assert_same(tmp_path / "longer", tmp_path / "out")
    assert run("resume", "out", "--quiet").code == 0
    assert_same(tmp_path / "longer", tmp_path / "out")


def refusal(done):
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("edgewise: ")
    return check_sentence(done.err.strip().removeprefix("edgewise: "))


def test_a_directory_that_holds_a_run_is_not_begun_anew_by_mistake(run, fitted, table, tmp_path):
    fitted.copy_to(tmp_path / "out")
    message = refusal(run("fit", TABLE, "--out", "out", *QUICK))
    assert "which holds a run: edgewise resume goes on with it, and --overwrite begins anew" in message
    before = (tmp_path / "out" / "checkpoint" / "run.json").read_text()
    assert run("fit", TABLE, "--out", "out", "--overwrite", "--quiet", *QUICK[:-1], "2").code == 0
    assert (tmp_path / "out" / "checkpoint" / "run.json").read_text() != before


def test_what_a_killed_command_left_is_tidied_up(run, fitted, tmp_path):
    fitted.copy_to(tmp_path / "out")
    left = tmp_path / "out" / ".edgewise-abc"
    left.mkdir()
    (left / "posterior.nc.part").write_text("half")
    assert run("resume", "out", "--quiet").code == 0
    assert hidden(tmp_path / "out") == []


def test_a_command_that_was_killed_before_its_run_began_is_simply_repeated(run, table, tmp_path):
    left = tmp_path / "out" / ".edgewise-abc"
    left.mkdir(parents=True)
    (tmp_path / "out" / "checkpoint").mkdir()
    message = refusal(run("resume", "out"))
    assert "There is no checkpoint" in message
    done = run("fit", TABLE, "--out", "out", "--quiet", *QUICK)
    assert done.code == 0, done.err
    assert hidden(tmp_path / "out") == []


@pytest.mark.parametrize("given", ["nothing", "a file", "an empty directory"])
def test_there_must_be_something_to_go_on_with(run, tmp_path, given):
    if given == "a file":
        (tmp_path / "out").write_text("mine")
    elif given == "an empty directory":
        (tmp_path / "out").mkdir()
    before = sorted(tmp_path.rglob("*"))
    assert "There is no checkpoint in" in refusal(run("resume", "out"))
    assert "There is no checkpoint in" in refusal(run("resume", "out", "--iterations", "10"))
    assert sorted(tmp_path.rglob("*")) == before


def test_a_run_in_use_is_not_taken_up(run, fitted, tmp_path):
    fitted.copy_to(tmp_path / "out")
    held = checkpoints.hold(tmp_path / "out" / "checkpoint" / "lock")
    unfinished = tmp_path / "out" / ".edgewise-abc"
    unfinished.mkdir()
    assert "is used by another run" in refusal(run("resume", "out"))
    assert "is used by another run" in refusal(run("fit", fitted.folder / TABLE, "--out", "out", "--overwrite"))
    assert unfinished.exists()
    held.close()


@pytest.fixture
def given(monkeypatch):
    """Let runs fail before their first step; list the arguments they were given."""
    calls = []

    def fail(*_, **arguments):
        calls.append(arguments)
        raise ew.DataError("The data are gone.")

    monkeypatch.setattr(ew, "sample", fail)
    return calls


@pytest.mark.parametrize(("error", "is_left"), [(None, False), (PermissionError, False), (ProcessLookupError, True)])
def test_what_is_unfinished_is_in_use_as_long_as_its_command(run, table, tmp_path, monkeypatch, given, error, is_left):
    def ask(process, signal):
        assert (process, signal) == (4711, 0)
        if error is not None:
            raise error

    unfinished = tmp_path / "out" / ".edgewise-4711-abc"
    unfinished.mkdir(parents=True)
    monkeypatch.setattr("os.kill", ask)
    message = refusal(run("fit", TABLE, "--out", "out"))
    assert ("'out', which is not empty" in message) == (not is_left)
    assert unfinished.exists() == (not is_left)
    assert len(given) == is_left


def test_an_error_before_there_is_another_run_brings_the_former_one_back(run, fitted, tmp_path, given):
    fitted.copy_to(tmp_path / "out")
    assert refusal(run("fit", fitted.folder / TABLE, "--out", "out", "--overwrite")) == "The data are gone."
    before, after = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (fitted.folder / "out", tmp_path / "out")
    )
    assert after == before
    assert len(given) == 1


@pytest.mark.parametrize(
    ("nodes", "said"),
    [(["A", "B"], "1 pair of variables is joined"), (["A"], "No two variables are joined with probability 0.0005")],
)
def test_a_run_without_data_goes_on(run, tmp_path, nodes, said):
    settings = {"iterations": 200, "thin": 10, "seed": 1, "progress": False}
    ew.sample(None, nodes=nodes, checkpoint=tmp_path / "out" / "checkpoint", **settings)
    done = run("resume", "out")
    assert done.code == 0
    assert said in done.out
    assert "DAGs were drawn from the prior alone, without data." in done.out
    assert ("Most probable pairs" in done.out) == (len(nodes) > 1)
    assert "nothing unusual" not in done.out


def test_a_cluster_is_left_whatever_happens(run, table, monkeypatch, given):
    pool = ThreadPoolExecutor(1)
    asked = []

    def connect(address, timeout):
        asked.append(address)
        return pool

    monkeypatch.setattr("distributed.Client", connect)
    assert refusal(run("fit", TABLE, "--out", "out", "--dask", "tcp://host:8786")) == "The data are gone."
    assert asked == ["tcp://host:8786"]
    assert given[0]["executor"] is pool
    with pytest.raises(RuntimeError, match="after shutdown"):
        pool.submit(len, "")


def test_a_cluster_needs_dask(run, table, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    message = refusal(run("fit", TABLE, "--out", "out", "--dask", "tcp://host:8786", *QUICK))
    assert "--dask needs the package distributed: pip install 'edgewise[dask]'" in message
    assert not (tmp_path / "out").exists()


def test_a_cluster_must_answer(run, table, tmp_path, monkeypatch):
    monkeypatch.setattr(clusters, "SECONDS", 0.5)
    for address in ("tcp://127.0.0.1:1", "127.0.0.1:1", "no address"):
        message = refusal(run("fit", TABLE, "--out", "out", "--dask", address, *QUICK))
        assert "No Dask scheduler answers at" in message
        assert not (tmp_path / "out").exists()


def test_a_command_goes_on_until_the_verdict_is_good(run, table, tmp_path):
    short = ("--iterations", "60", "--thin", "2", "--seed", "5")
    assert run("fit", TABLE, "--out", "out", "--until", "good", "--quiet", *short).code == 0
    posterior = ew.load(tmp_path / "out" / "posterior.nc")
    assert posterior.silent_diagnostics.is_converged
    assert posterior.info["iterations_done"] > 60
    assert "'good'" in refusal(run("fit", TABLE, "--out", "more", "--until", "best"))


# Disks.


@contextmanager
def mounted(folder, size):
    """Mount a small disk, where that is allowed."""
    folder.mkdir()
    done = subprocess.run(  # noqa: S603
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],  # noqa: S607
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip("only the superuser can mount a small disk, and not everywhere")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)  # noqa: S603, S607


def remount(folder, *options):
    subprocess.run(["mount", "-o", ",".join(["remount", *options]), str(folder)], check=True)  # noqa: S603, S607


def test_a_full_disk_is_told_of_and_what_was_there_goes_on(run, often, undisturbed, tmp_path):
    with mounted(tmp_path / "small", "400k") as disk:
        message = refusal(run("fit", TABLE, "--out", disk / "out", *LONG))
        assert "(No space left on device)" in message
        assert hidden(disk / "out") == []
        kept = drawn(disk / "out")
        assert kept > 0
        again = refusal(run("resume", disk / "out", "--quiet"))
        assert "(No space left on device)" in again
        assert drawn(disk / "out") >= kept
        remount(disk, "size=60m")
        assert run("resume", disk / "out", "--quiet").code == 0
        assert_same(undisturbed, disk / "out")


@pytest.mark.parametrize("size", ["4k", "24k", *(pytest.param(size, marks=pytest.mark.slow) for size in ("8k", "16k"))])
def test_a_disk_that_is_full_from_the_beginning_is_told_of(run, table, tmp_path, size):
    with mounted(tmp_path / "tiny", size) as disk:
        assert "No space left on device" in refusal(run("fit", TABLE, "--out", disk / "out", "--quiet", *QUICK))
        remount(disk, "size=60m")
        done = run("resume", disk / "out", "--quiet")
        if done.code != 0:
            assert "There is no checkpoint" in refusal(done)
            assert run("fit", TABLE, "--out", disk / "out", "--quiet", *QUICK).code == 0


def test_a_disk_that_cannot_be_written_to_is_told_of(run, fitted, table, tmp_path):
    with mounted(tmp_path / "disk", "60m") as disk:
        fitted.copy_to(disk / "out")
        remount(disk, "ro")
        assert "Read-only file system" in refusal(run("resume", disk / "out"))
        assert "you may not write" in refusal(run("fit", TABLE, "--out", disk / "new", *QUICK))
        remount(disk, "rw")
        assert run("resume", disk / "out", "--quiet").code == 0


@pytest.mark.slow
def test_a_directory_that_vanishes_is_told_of(run, often, table, tmp_path):
    out = tmp_path / "out"
    command = start(tmp_path, "fit", TABLE, "--out", "out", "--iterations", "1000000000", "--quiet")
    wait_for(command, lambda: (out / "checkpoint" / "run.json").exists() and drawn(out) > 0)
    os.rename(out, tmp_path / "gone")
    subprocess.run(["rm", "-rf", str(tmp_path / "gone")], check=True)  # noqa: S603, S607
    said = command.communicate(timeout=STUCK)[1]
    assert command.returncode == 2
    message = check_sentence(said.strip().splitlines()[-1].removeprefix("edgewise: "))
    assert "No such file or directory" in message
    assert not out.exists()

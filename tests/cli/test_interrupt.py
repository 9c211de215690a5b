"""Ctrl-C in a terminal."""

import os
import re
import sys

import pexpect
import pytest

import edgewise as ew

pytestmark = pytest.mark.filterwarnings("ignore:.*forkpty.*:DeprecationWarning")


@pytest.fixture
def terminal(tmp_path, table):
    """Start a long fit in a terminal."""

    started = []

    def start(*options):
        environment = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
        arguments = ["-m", "edgewise", "fit", table.name, "--out", "out", "--iterations", "1000000000", *options]
        screen = pexpect.spawn(
            sys.executable,
            arguments,
            cwd=str(tmp_path),
            env=environment,
            dimensions=(40, 120),
            timeout=60,
            encoding="utf-8",
        )
        started.append(screen)
        return screen

    yield start
    for screen in started:
        screen.close(force=True)


def test_ctrl_c_keeps_what_was_drawn(terminal, tmp_path):
    screen = terminal("--burn-in", "1000", "--thin", "1000", "--chains", "2")
    for chain in (1, 2):
        # A bar with the rate, the time left and the log posterior.
        screen.expect(rf"chain {chain} [^\r\n]*\d[\d,]* it/s[^\r\n]*\d:\d\d:\d\d[^\r\n]*log posterior -?\d")
    screen.sendintr()
    screen.expect(pexpect.EOF)
    screen.close()
    assert screen.exitstatus == 130
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.before)
    assert "edgewise: note: The run was stopped by the keyboard after" in shown
    assert "Most probable edges" in shown
    assert "Traceback" not in shown
    assert sorted(os.listdir(tmp_path / "out")) == ["edges.csv", "posterior.nc", "run.json"]
    posterior = ew.load(tmp_path / "out" / "posterior.nc")
    assert posterior.info["stopped_by"] == "keyboard"
    chains, draws = posterior.log_posterior.shape
    assert chains == 2
    assert draws == (posterior.info["iterations_done"] - 1000) // 1000 > 0


def test_ctrl_c_before_anything_was_drawn(terminal, tmp_path):
    screen = terminal("--burn-in", "0.99")
    screen.expect("it/s")
    screen.sendintr()
    screen.expect(pexpect.EOF)
    screen.close()
    assert screen.exitstatus == 130
    assert "edgewise: interrupted; nothing was written." in screen.before
    assert "Traceback" not in screen.before
    assert not (tmp_path / "out").exists()

"""The command line in a terminal, and in none.

Four tests have a real terminal: of what the keyboard does, and of what a terminal says about itself. The others have
something in this process that passes for one.
"""

import json
import os
import re

import pexpect
import pytest

import edgewise as ew
from edgewise.running import chains
from keyboard import ctrl_c

pytestmark = pytest.mark.filterwarnings("ignore:.*forkpty.*:DeprecationWarning")

QUICK = ("--iterations", "2000", "--thin", "10", "--seed", "1")
ENDLESS = ("--iterations", "1000000000", "--chains", "2")
FILES = ["edges.csv", "pairs.csv", "posterior.nc", "report.html", "run.json"]
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9\d|10\d)(?:;\d+)*m")


def finish(screen, code):
    """Wait for the end of a command, check its exit code, and return what was shown since, without control codes."""
    screen.expect(pexpect.EOF)
    screen.close()
    assert screen.exitstatus == code
    assert "Traceback" not in screen.before
    return CONTROL.sub("", screen.before)


@pytest.fixture
def endless(terminal, table):
    """Start a fit that would take hours."""

    def start(*options, columns=120):
        return terminal("fit", table.name, "--out", "out", *ENDLESS, *options, columns=columns)

    return start


def check_stopped(tmp_path, shown):
    """Check that a run was stopped by the keyboard, left its results, and says so; return the posterior."""
    assert "edgewise: note: The run was stopped by the keyboard after" in shown
    assert "Most probable pairs" in shown
    assert "Open out/report.html in a browser." in shown
    assert sorted(os.listdir(tmp_path / "out")) == ["checkpoint", *FILES]
    assert "stopped by the keyboard" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "out" / "run.json").read_text())["stopped_by"] == "keyboard"
    posterior = ew.load(tmp_path / "out" / "posterior.nc")
    assert posterior.info["stopped_by"] == "keyboard"
    return posterior


def test_progress_appears_and_ctrl_c_keeps_what_was_drawn(endless, tmp_path):
    screen = endless("--burn-in", "1000", "--thin", "1000")
    for chain in (1, 2):
        # A bar with the rate, the time left and the log posterior.
        screen.expect(rf"chain {chain} [^\r\n]*\d[\d,]* it/s[^\r\n]*\d:\d\d:\d\d[^\r\n]*log posterior -?\d")
    screen.expect(r"agreement of chains so far -?[01]\.\d\d\d")
    screen.sendintr()
    posterior = check_stopped(tmp_path, finish(screen, 130))
    chains, draws = posterior.log_posterior.shape
    assert chains == 2
    assert draws == (posterior.info["iterations_done"] - 1000) // 1000 > 0


@pytest.mark.slow
def test_ctrl_c_during_burn_in_makes_some_draws_and_keeps_them(endless, tmp_path):
    screen = endless("--burn-in", "0.99")
    screen.expect("it/s")
    screen.expect("agreement of chains so far -[\r\n\x1b]")
    screen.sendintr()
    shown = finish(screen, 130)
    assert "a few more are made now, without further burn-in" in " ".join(shown.split())
    posterior = check_stopped(tmp_path, shown)
    assert "in place of a burn-in of 990,000,000." in shown
    assert posterior.info["schedule"]["burn_in"] < posterior.info["iterations_done"] < 10**9
    assert posterior.log_posterior.shape[1] > 0


def test_a_second_ctrl_c_leaves_at_once(endless, tmp_path):
    screen = endless("--burn-in", "0.5", "--thin", "400000000")
    screen.expect("it/s")
    screen.sendintr()
    screen.expect("with no results")
    screen.sendintr()
    assert "edgewise: interrupted; edgewise resume out goes on with the run." in finish(screen, 130)
    assert os.listdir(tmp_path / "out") == ["checkpoint"]


@pytest.mark.slow
def test_a_narrow_terminal_shows_whole_lines(terminal, table):
    # Enough iterations for several blocks: one by itself has no rate.
    screen = terminal("fit", table.name, "--out", "out", *QUICK, "--iterations", "100000", columns=60)
    shown = finish(screen, 0)
    assert COLOUR.search(screen.before)
    lines = [line.rstrip() for line in re.split(r"[\r\n]+", shown)]
    for chain in range(1, 5):
        whole = rf"chain {chain} 100% +[\d,]+ it/s \d:\d\d:\d\d log posterior -?[\d,]+\.\d"
        assert any(re.fullmatch(whole, line) for line in lines)
    assert any(re.fullmatch(r"agreement of chains so far \d\.\d\d\d", line) for line in lines)
    assert [line.split() for line in lines if "joined  " in line] == [
        ["a", "b", "joined", "±", "->", "<-", "told", "->"]
    ]
    assert all(len(line) <= 60 for line in lines)


def test_ctrl_c_that_leaves_no_draw_leaves_the_run(run, table, tmp_path, monkeypatch):
    monkeypatch.setattr(chains, "LAST_SECONDS", 0.1)
    with ctrl_c(chains=2):
        done = run("fit", table.name, "--out", "out", *ENDLESS, "--burn-in", "0.5", "--thin", "400000000", "--quiet")
    assert (done.code, done.out) == (130, "")
    assert done.err.splitlines()[-1] == "edgewise: interrupted; edgewise resume out goes on with the run."
    assert os.listdir(tmp_path / "out") == ["checkpoint"]


@pytest.mark.parametrize(
    ("columns", "heads"),
    [
        (50, 6),
        pytest.param(44, 5, marks=pytest.mark.slow),
        pytest.param(36, 4, marks=pytest.mark.slow),
        (30, 3),
    ],
)
def test_a_very_narrow_terminal_keeps_the_names(show, table, columns, heads):
    code, shown = show("fit", table.name, "--out", "out", *QUICK, columns=columns)
    assert code == 0
    lines = CONTROL.sub("", shown).splitlines()
    head = next(line.split() for line in lines if re.match(" *a +b ", line))
    assert head == ["a", "b", "joined", "±", "->", "<-"][:heads]
    row = r" *(Raf|Mek|Erk|Akt|Jnk) +(->|<-|-) +(Raf|Mek|Erk|Akt|Jnk) +\d\.\d\d\d"
    assert any(re.match(row, line) for line in lines)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((), ()),
        (("--no-color",), ()),
        ((), ("--no-color",)),
        pytest.param(("--no-color",), ("--no-color",), marks=pytest.mark.slow),
    ],
)
def test_colours_can_be_left_out(show, table, before, after):
    code, shown = show(*before, "fit", table.name, "--out", "out", *QUICK, *after)
    assert code == 0
    assert "chain 4" in shown
    assert "Verdict: " in shown
    assert bool(COLOUR.search(shown)) == (not before and not after)


@pytest.mark.parametrize(("before", "is_coloured"), [((), True), (("--no-color",), False)])
def test_help_without_colours(show, before, is_coloured):
    code, shown = show(*before, "--help")
    assert code == 0
    assert "Usage: " in CONTROL.sub("", shown)
    assert bool(COLOUR.search(shown)) == is_coloured


def test_a_dumb_terminal_gets_plain_lines(show, table):
    code, shown = show("fit", table.name, "--out", "out", *QUICK, term="dumb")
    assert code == 0
    assert "Sampling DAGs of 5 variables: 4 chains of 2,000 iterations." in shown
    assert "Verdict: " in shown
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", shown)


def test_pipes_get_neither_control_codes_nor_bars(run, tmp_path, monkeypatch):
    names = ["Raf", "phosphorylated Erk1/2 (T202/Y204), normalised to total Erk", "Akt", "p38", "Jnk"]
    data = ew.simulate(5, 60, seed=1).data.set_axis(names, axis=1)
    data.to_csv(tmp_path / "data.csv", index=False)
    monkeypatch.setenv("TERM", "xterm")
    done = run("fit", "data.csv", "--out", "out", *QUICK)
    assert done.code == 0
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", done.out + done.err)
    lines = done.err.splitlines()
    assert lines[0] == "Sampling DAGs of 5 variables: 4 chains of 2,000 iterations."
    assert re.fullmatch(r"Sampling ended after [\d.]+ seconds; summing up the draws\.", lines[-1])
    assert "it/s" not in done.err
    # A long name stays in one piece, and all rows of the table have the same width.
    rows = [line for line in done.out.splitlines() if re.search(r"( +\d\.\d\d\d){6} *$", line)]
    assert any(names[1] in row for row in rows)
    assert len({len(row) for row in rows}) == 1

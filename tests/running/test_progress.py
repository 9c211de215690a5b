"""What is shown while chains run, and where."""

import io
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

import edgewise as ew
from edgewise.running import progress, stopping
from edgewise.running.stopping import Stop
from edgewise.samplers import Schedule
from edgewise.samplers.schedule import MOST_ITERATIONS

RUN = {"iterations": 3000, "burn_in": 1000, "thin": 50, "chains": 3, "seed": 1}


@pytest.fixture(scope="module")
def data():
    return ew.simulate(6, 60, seed=1).data


@pytest.fixture(scope="module", autouse=True)
def compiled(data):
    ew.sample(data, **RUN, progress=False)


@pytest.fixture
def terminal(monkeypatch):
    """Let standard error be a terminal of some width, and return what appears on it."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("COLUMNS", raising=False)

    def pretend(width):
        screen = io.StringIO()
        console = Console(file=screen, force_terminal=True, force_jupyter=False, width=width)
        monkeypatch.setattr(progress, "Console", lambda stderr: console)
        return screen

    return pretend


def lines_of(screen):
    """Return the lines of the last picture, without control codes."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue()).replace("\r", "\n").splitlines()


def test_bars_show_rate_log_posterior_and_agreement(data, terminal):
    screen = terminal(100)
    posterior = ew.sample(data, **RUN)
    *bars, agreement, last = lines_of(screen)[-5:]
    assert last == "Summing up the draws."
    for number, line in enumerate(bars, start=1):
        assert re.fullmatch(rf"chain {number} ━+ 100% +[\d,]+ it/s \d:\d\d:\d\d log posterior -?[\d,]+\.\d *", line)
    # All 40 draws of each chain were taken.
    assert agreement.rstrip() == f"agreement of chains so far {posterior.chain_agreement().to_numpy().min():.3f}"


def test_watching_does_not_change_what_is_drawn(data, terminal):
    terminal(100)
    watched = ew.sample(data, **RUN)
    unwatched = ew.sample(data, **RUN, progress=False)
    np.testing.assert_array_equal(watched.orders(), unwatched.orders())
    np.testing.assert_array_equal(watched.dags(), unwatched.dags())


def test_one_chain_agrees_with_nobody(data, terminal):
    screen = terminal(100)
    ew.sample(data, **{**RUN, "chains": 1})
    assert "chain 1" in screen.getvalue()
    assert "agreement" not in screen.getvalue()


@pytest.mark.parametrize(("width", "bar"), [(60, 0), (71, 0), (80, 16), (120, 40), (300, 40)])
def test_lines_fit_the_terminal(data, terminal, width, bar):
    screen = terminal(width)
    ew.sample(data, **RUN)
    lines = lines_of(screen)
    assert all(len(line) <= width for line in lines)
    assert re.search(r"log posterior -?[\d,]+\.\d$", lines[-5].rstrip())
    assert lines[-5].count("━") == bar


@pytest.mark.parametrize(("seconds", "looks_again"), [(3600.0, False), (0.0, True)])
def test_agreement_is_looked_at_now_and_then(monkeypatch, data, terminal, seconds, looks_again):
    looks = []

    class Counted(progress.Agreement):
        def least(self):
            looks.append(1)
            return super().least()

    monkeypatch.setattr(progress, "Agreement", Counted)
    monkeypatch.setattr(progress, "AGREEMENT_EVERY", seconds)
    monkeypatch.setattr(progress, "AGREEMENT_SHARE", 1e9)
    terminal(100)
    ew.sample(data, **RUN)
    # At the first block of all and at the end; each of the three chains has at least two blocks.
    assert (len(looks) > 2) == looks_again
    assert len(looks) >= 2


def test_looking_takes_a_small_part_of_the_time(monkeypatch):
    clock = iter([10.0, 12.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    looks = progress._Looks(2, 3)
    looks.look()
    assert looks._next == 12.0 + 2.0 / progress.AGREEMENT_SHARE


@pytest.mark.parametrize("show", [True, False])
def test_without_a_terminal_nothing_is_computed_and_only_lines_are_written(monkeypatch, capsys, data, show):
    def fail(*_):
        raise AssertionError("the agreement was computed")

    monkeypatch.setattr(progress, "Agreement", fail)
    ew.sample(data, **RUN, progress=show)
    shown = capsys.readouterr()
    assert shown.out == ""
    if show:
        first, last = shown.err.splitlines()
        assert first == "Sampling DAGs of 6 variables: 3 chains of 3,000 iterations."
        assert re.fullmatch(r"Sampling ended after \d+\.\d seconds; summing up the draws\.", last)
    else:
        assert shown.err == ""


def test_a_terminal_that_cannot_move_its_cursor_gets_lines(monkeypatch, data, terminal):
    screen = terminal(60)
    monkeypatch.setenv("TERM", "dumb")
    ew.sample(data, **{**RUN, "chains": 1})
    assert "\x1b" not in screen.getvalue()
    assert "\r" not in screen.getvalue()
    first, _ = screen.getvalue().splitlines()
    assert first == "Sampling DAGs of 6 variables: 1 chain of 3,000 iterations."


@pytest.fixture
def notebook(monkeypatch, capsys):
    """Let this be a notebook without ipywidgets; return what reads standard error."""
    monkeypatch.setattr(progress, "Console", lambda stderr: Console(file=io.StringIO(), force_jupyter=True))
    monkeypatch.setattr(progress, "LINE_EVERY", 0.0)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    return lambda: capsys.readouterr().err


def test_a_notebook_has_one_line_of_plain_text_that_changes(data, notebook):
    posterior = ew.sample(data, **RUN)
    written = notebook()
    *states, last = written.rstrip("\n").split("\r")[1:]
    assert re.fullmatch(r"Sampling ended after [\d.]+ seconds; summing up the draws\. *", last)
    shares = []
    for state in states:
        found = re.fullmatch(
            r"3 chains: (\d+)% done(, about [\d,]+ s left)?(, agreement of chains so far -?[\d.]+)? *", state
        )
        assert found, state
        shares.append(int(found[1]))
    assert shares == sorted(shares)
    assert shares[-1] == 100
    assert "\x1b" not in written
    np.testing.assert_array_equal(posterior.dags(), ew.sample(data, **RUN, progress=False).dags())


def test_a_shorter_state_leaves_nothing_of_a_longer_one(notebook):
    """What is written over is as wide as what was there."""
    line = progress._Line(1, 3, Stop(None), Schedule(100, 0, 1))
    line.show()
    line.message("Done.")
    first, second = notebook().split("\r")[1:]
    assert len(second.rstrip("\n")) >= len(first)


def stand_in(iteration, iterations):
    """Return what is shown of a chain."""
    return SimpleNamespace(iteration=iteration, schedule=Schedule(iterations, 0, 1), log_posterior=0.0)


def test_the_time_left_is_that_of_chains_which_go_on_or_have_become_longer(notebook, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    line = progress._Line(1, 3, Stop(None), Schedule(100, 0, 1))
    now[0] = 5.0  # until the chain is where it was
    line.begin([stand_in(80, 100)])
    for now[0], chain in ((15.0, stand_in(90, 100)), (25.0, stand_in(100, 100)), (35.0, stand_in(110, 150))):
        line.chain(0, chain, [], None)
    assert notebook().split("\r")[1:] == [
        "1 chain: 90% done, about 10 s left",
        "1 chain: 100% done, about 0 s left",
        "1 chain: 73% done, about 40 s left",
    ]


def test_a_line_does_not_change_with_every_block(notebook, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(progress, "LINE_EVERY", 10.0)
    line = progress._Line(1, 3, Stop(None), Schedule(100, 0, 1))
    for now[0], iteration in ((1.0, 10), (10.0, 20), (11.0, 30)):
        line.chain(0, stand_in(iteration, 100), [], None)
    assert [state.partition(" done")[0] for state in notebook().split("\r")[1:]] == ["1 chain: 10%", "1 chain: 30%"]


def test_bars_go_with_chains_that_go_on_or_have_become_longer():
    bars = progress._Bars(Console(file=io.StringIO()), 1, 3, Stop(None), Schedule(100, 0, 1))
    bars.begin([stand_in(80, 100)])
    shares = [bars.tasks[0].percentage]
    for chain in (stand_in(100, 100), stand_in(120, 150), stand_in(150, 150)):
        bars.chain(0, chain, [], None)
        shares.append(bars.tasks[0].percentage)
    assert shares == [80, 100, 80, 100]


def test_bars_go_with_the_time_where_only_that_is_given(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(stopping, "time", SimpleNamespace(monotonic=lambda: now[0]))
    bars = progress._Bars(Console(file=io.StringIO()), 1, 3, Stop(40.0), Schedule(MOST_ITERATIONS, MOST_ITERATIONS, 1))
    bars.begin([stand_in(80, MOST_ITERATIONS)])
    shares = [bars.tasks[0].percentage]
    for now[0] in (110.0, 130.0, 150.0):
        bars.chain(0, stand_in(90, MOST_ITERATIONS), [], None)
        shares.append(bars.tasks[0].percentage)
    assert shares == [0, 25, 75, 100]


@pytest.mark.parametrize(
    ("total", "told"), [(3, [0, 1, 2, 3]), (25, [*range(0, 25, 2), 25]), (1000, range(0, 1001, 100))]
)
def test_a_log_has_a_line_for_each_tenth(capsys, total, told):
    with progress.counting(True, "piece") as watch:
        for done in range(total + 1):
            watch(done, total)
    assert capsys.readouterr().err.splitlines() == [f"{done} of {total} pieces are done." for done in told]


@pytest.mark.filterwarnings("ignore::edgewise.StoppedEarlyWarning")
def test_a_notebook_goes_with_the_time_where_only_that_is_given(data, notebook):
    ew.sample(data, chains=1, time_budget=0.5, seed=1)
    assert re.search(r"\r1 chain: \d+% done", notebook())


def test_a_notebook_is_told_nothing_if_it_shall_not_be(data, notebook):
    ew.sample(data, **RUN, progress=False)
    assert notebook() == ""

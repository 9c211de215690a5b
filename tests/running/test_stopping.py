"""Runs that end early keep their draws."""

import os
import signal
import time
import warnings
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest

import edgewise as ew
from edgewise.running import chains, engines, lengths
from edgewise.running.chains import FEW_DRAWS
from edgewise.running.stopping import Stop
from edgewise.samplers.schedule import draws_for
from keyboard import ctrl_c
from sentences import check_sentence

ENDLESS = {"iterations": 10**9, "thin": 100, "chains": 3, "seed": 1, "progress": False}


@pytest.fixture(scope="module")
def data():
    return ew.simulate(6, 60, seed=1).data


@pytest.fixture(scope="module", autouse=True)
def compiled(data):
    ew.sample(data, **{**ENDLESS, "iterations": 100, "thin": 1})


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Let a stopped run make the draws that it should, however busy the machine is."""
    monkeypatch.setattr(chains, "LAST_SECONDS", 3600.0)


def check_stopped(posterior, data, cause, *, burn_in=1000):
    done = posterior.info["iterations_done"]
    assert posterior.info["stopped_by"] == cause
    assert 0 < done < 10**9
    chains, draws, _ = posterior.orders().shape
    assert chains == 3
    assert draws == (done - burn_in) // 100 > 0
    assert posterior.dags().shape == (3, draws, 6, 6)
    assert posterior.log_posterior.shape == (3, draws)
    # The same as far as a run gets that was never stopped.
    short = ew.sample(data, **{**ENDLESS, "iterations": burn_in + 4000, "burn_in": burn_in})
    np.testing.assert_array_equal(posterior.orders()[:, :40], short.orders()[:, :draws])


def test_ctrl_c_keeps_what_was_drawn(data):
    with ctrl_c(chains=3, at=5000), pytest.warns(ew.StoppedEarlyWarning, match="by the keyboard") as caught:
        posterior = ew.sample(data, burn_in=1000, time_budget=3600, **ENDLESS)
    (warning,) = (one for one in caught if one.category is ew.StoppedEarlyWarning)
    check_sentence(str(warning.message))
    assert warning.filename == __file__
    check_stopped(posterior, data, "keyboard")


@pytest.mark.parametrize(
    "sampler",
    [ew.MinimalIMAP(), ew.MinimalIMAP(temperatures=3), ew.OrderMCMC(), ew.PartitionMCMC(), ew.StructureMCMC()],
)
def test_ctrl_c_during_burn_in_ends_it_and_makes_some_draws(data, sampler):
    settings = {**ENDLESS, "chains": 1, "sampler": sampler, "start": "random"}
    with ctrl_c(chains=1), pytest.warns(ew.StoppedEarlyWarning, match="by the keyboard") as caught:
        posterior = ew.sample(data, burn_in=0.9, **settings)
    info = posterior.info
    burn_in, done = info["schedule"]["burn_in"], info["iterations_done"]
    assert info["stopped_by"] == "keyboard"
    assert 0 < burn_in < done < 10**8
    draws = (done - burn_in) // 100
    assert posterior.log_posterior.shape == (1, draws)
    assert draws >= FEW_DRAWS
    message = check_sentence(str(caught[0].message))
    assert f"after {done:,} of 1,000,000,000 iterations" in message
    assert f"only {draws:,} draws of each chain, made after {burn_in:,} iterations" in message
    assert "in place of a burn-in of 900,000,000" in message
    # The same as if this had been the burn-in from the start.
    again = ew.sample(data, **{**settings, "iterations": burn_in + 2000, "burn_in": burn_in})
    np.testing.assert_array_equal(posterior.orders()[:, :20], again.orders())
    np.testing.assert_array_equal(posterior.dags()[:, :20], again.dags())


def test_burn_in_ends_in_each_chain_where_it_is(data):
    with ctrl_c(chains=3), pytest.warns(ew.StoppedEarlyWarning):
        posterior = ew.sample(data, burn_in=0.9, **ENDLESS)
    assert posterior.log_posterior.shape[0] == 3
    assert posterior.log_posterior.shape[1] >= FEW_DRAWS
    assert posterior.info["schedule"]["burn_in"] < posterior.info["iterations_done"]


def test_ctrl_c_after_few_draws_waits_for_some_more(data):
    """No chain starts its burn-in anew."""
    settings = {**ENDLESS, "thin": 3000}
    with ctrl_c(chains=3), pytest.warns(ew.StoppedEarlyWarning, match="holds the draws until then"):
        posterior = ew.sample(data, burn_in=0, **settings)
    assert posterior.info["schedule"]["burn_in"] == 0
    assert posterior.log_posterior.shape[1] == posterior.info["iterations_done"] // 3000 >= FEW_DRAWS


def test_without_a_single_draw_ctrl_c_is_an_ordinary_interrupt(data, monkeypatch):
    monkeypatch.setattr(chains, "LAST_SECONDS", 0.1)
    with ctrl_c(chains=3), pytest.raises(KeyboardInterrupt):
        ew.sample(data, burn_in=0.5, **{**ENDLESS, "iterations": 10**12, "thin": 10**11})


def test_a_second_ctrl_c_does_not_wait_for_draws(data, monkeypatch):
    """The second is pressed when the first has been noticed, and draws are counted."""
    fewest_draws = chains.fewest_draws

    def press_again(running):
        os.kill(os.getpid(), signal.SIGINT)
        return fewest_draws(running)

    monkeypatch.setattr(chains, "fewest_draws", press_again)
    with ctrl_c(chains=3), pytest.raises(KeyboardInterrupt):
        ew.sample(data, burn_in=0.5, **{**ENDLESS, "iterations": 10**12, "thin": 10**11})


class Stuck(Executor):
    """Workers that never finish, and a user who presses Ctrl-C until the prompt is back."""

    def submit(self, function, /, *arguments):
        os.kill(os.getpid(), signal.SIGINT)
        return Future()


def test_a_second_ctrl_c_does_not_wait_for_workers(data):
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        ew.sample(data, burn_in=0, executor=Stuck(), **ENDLESS)
    assert signal.getsignal(signal.SIGINT) is before


class Interrupted(Executor):
    """Worker processes that get the terminal's Ctrl-C as well, and die of it."""

    def __init__(self, error, after):
        self.error = error
        self.left = after

    def submit(self, function, /, *arguments):
        future = Future()
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGINT)
        if self.left > 0:
            future.set_result(function(*arguments))
        else:
            future.set_exception(self.error)
        return future


@pytest.fixture
def short_blocks(monkeypatch):
    """Let workers come back sooner than they would have to make up for a journey."""
    monkeypatch.setattr(engines.Elsewhere, "block_seconds", 0.02)


@pytest.mark.usefixtures("short_blocks")
@pytest.mark.parametrize("error", [KeyboardInterrupt(), BrokenProcessPool()])
def test_workers_that_die_of_ctrl_c_leave_the_draws_before(data, error):
    with pytest.warns(ew.StoppedEarlyWarning, match="by the keyboard"):
        posterior = ew.sample(data, burn_in=1000, executor=Interrupted(error, after=24), **ENDLESS)
    check_stopped(posterior, data, "keyboard")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), BrokenProcessPool()])
def test_workers_that_die_of_ctrl_c_during_burn_in_are_replaced(data, error):
    with pytest.warns(ew.StoppedEarlyWarning, match="by the keyboard"):
        posterior = ew.sample(data, burn_in=0.9, executor=Interrupted(error, after=8), **ENDLESS)
    assert posterior.info["stopped_by"] == "keyboard"
    assert posterior.log_posterior.shape[1] >= FEW_DRAWS


def test_workers_that_die_of_something_else_are_an_error(data):
    class Dying(Executor):
        def submit(self, function, /, *arguments):
            future = Future()
            future.set_exception(BrokenProcessPool("out of memory"))
            return future

    with pytest.raises(ew.EdgewiseError, match="processes of the executor have died") as caught:
        ew.sample(data, burn_in=0, executor=Dying(), **ENDLESS)
    check_sentence(str(caught.value))
    assert str(caught.value.__cause__) == "out of memory"


def test_an_executor_that_takes_no_work_is_told_of(data):
    with ProcessPoolExecutor(1) as closed:
        pass
    with pytest.raises(ew.EdgewiseError, match="executor was shut down") as caught:
        ew.sample(data, executor=closed, **ENDLESS)
    check_sentence(str(caught.value))
    with pytest.raises(ew.ArgumentError, match="executor must be a"):
        ew.sample(data, executor=ProcessPoolExecutor, **ENDLESS)


@pytest.mark.parametrize("name", ["SIGHUP", "SIGTERM"])
def test_a_signal_that_is_to_be_ignored_is_ignored(name):
    number = getattr(signal, name)
    before = signal.signal(number, signal.SIG_IGN)  # as nohup does
    try:
        stop = Stop(None)
        with stop.listening():
            signal.raise_signal(number)
            assert stop.find_cause() is None
        assert signal.getsignal(number) == signal.SIG_IGN
    finally:
        signal.signal(number, before)


def test_a_time_budget_ends_a_run(data):
    began = time.monotonic()
    with pytest.warns(ew.StoppedEarlyWarning, match="by the time budget") as caught:
        posterior = ew.sample(data, burn_in=100, time_budget=0.3, **ENDLESS)
    assert time.monotonic() - began > 0.3
    check_sentence(str(caught[0].message))
    check_stopped(posterior, data, "time budget", burn_in=100)


def test_a_time_budget_that_suffices_is_not_mentioned(data):
    posterior = ew.sample(data, time_budget=600, **{**ENDLESS, "iterations": 1000})
    assert posterior.info["stopped_by"] is None


def test_a_time_budget_that_ends_in_burn_in_keeps_some_draws(data):
    with pytest.warns(ew.StoppedEarlyWarning, match="by the time budget"):
        posterior = ew.sample(data, burn_in=0.9, time_budget=0.05, **ENDLESS)
    assert posterior.weights.shape[1] >= chains.FEW_DRAWS


def test_a_time_budget_too_short_for_a_draw_is_refused(data, monkeypatch):
    monkeypatch.setattr(chains, "LAST_SECONDS", 0.0)
    with pytest.raises(ew.ArgumentError) as caught:
        ew.sample(data, time_budget=0.05, **{**ENDLESS, "thin": 10**8})
    message = check_sentence(str(caught.value))
    assert "time_budget of 0.05 seconds ended after" in message
    assert "before the first draw" in message


def sample_in_time(data, **settings):
    """Return a run as long as its time budget, or a longer one if the machine is too busy for its burn-in."""
    for seconds in (0.5, 5.0, 50.0, 500.0):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ew.StoppedEarlyWarning)
            posterior = ew.sample(data, time_budget=seconds, chains=2, seed=1, progress=False, **settings)
        if posterior.info["stopped_by"] is None:
            return posterior
    pytest.fail("no time budget suffices")


def test_a_time_budget_alone_is_the_length_of_a_run(data):
    posterior = sample_in_time(data)
    schedule = posterior.info["schedule"]
    assert schedule["iterations"] == posterior.info["iterations_done"]
    assert 0 < schedule["burn_in"] < schedule["iterations"]
    # Chains need not go at the same pace all the time.
    assert draws_for(data.shape[1]) / 4 < posterior.weights.shape[1] < draws_for(data.shape[1]) * 4


@pytest.mark.parametrize("burn_in", [0, 500])
def test_a_time_budget_makes_no_draw_of_every_iteration_if_burn_in_is_a_number(data, burn_in, monkeypatch):
    """With ten draws wanted, however busy the machine is when the pace is taken."""
    monkeypatch.setattr(lengths, "draws_for", lambda p: 10)
    posterior = sample_in_time(data, burn_in=burn_in)
    assert posterior.info["schedule"]["burn_in"] >= burn_in
    assert posterior.info["schedule"]["thin"] > 1


TIMED = {"thin": 10, "chains": 2, "seed": 1, "progress": False}


@pytest.mark.parametrize(("burn_in", "meant"), [(0.2, "20% of the time"), (10**9, "1,000,000,000")])
def test_ctrl_c_during_the_burn_in_of_a_time_budget_says_so(data, burn_in, meant):
    with ctrl_c(chains=2), pytest.warns(ew.StoppedEarlyWarning) as caught:
        posterior = ew.sample(data, time_budget=3600, burn_in=burn_in, **TIMED)
    done, first = posterior.info["iterations_done"], posterior.info["schedule"]["burn_in"]
    assert posterior.info["stopped_note"] == check_sentence(str(caught[0].message))
    assert posterior.info["stopped_note"] == (
        f"The run was stopped by the keyboard after {done:,} iterations; the posterior holds only "
        f"{posterior.weights.shape[1]:,} draws of each chain, made after {first:,} iterations in place of a burn-in of "
        f"{meant}."
    )


def test_ctrl_c_after_the_burn_in_of_a_time_budget_keeps_the_draws(data):
    with ctrl_c(chains=2, at=5000), pytest.warns(ew.StoppedEarlyWarning) as caught:
        posterior = ew.sample(data, time_budget=3600, burn_in=100, **TIMED)
    assert str(caught[0].message) == (
        f"The run was stopped by the keyboard after {posterior.info['iterations_done']:,} iterations; the posterior "
        "holds the draws until then."
    )


def test_a_time_budget_that_is_shorter_than_burn_in_is_told_of(data):
    with pytest.warns(ew.StoppedEarlyWarning, match="by the time budget .* in place of a burn-in of 1,000,000,000"):
        posterior = ew.sample(data, time_budget=0.05, burn_in=10**9, **TIMED)
    assert posterior.info["stopped_by"] == "time budget"
    assert posterior.info["schedule"]["thin"] == 10

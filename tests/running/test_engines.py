"""Same seed, same draws, wherever chains run: threads, processes, executors of others, and a Dask cluster."""

import json
import os
import threading
import time
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from distributed import Client

import edgewise as ew
from edgewise.running import checkpoints, engines
from edgewise.running.engines import Elsewhere, advance_elsewhere, count_workers
from edgewise.running.threads import one_thread
from edgewise.samplers import Schedule
from sentences import check_sentence
from serving import forked, start_dask

SETTINGS = {"iterations": 4000, "burn_in": 500, "thin": 7, "chains": 3, "seed": 5, "progress": False}
STUCK = 600
"""Seconds after which a cluster will not answer any more, however busy the machine is."""


@pytest.fixture(scope="module")
def data():
    return ew.simulate(6, 60, seed=1).data


@pytest.fixture(scope="module")
def expected(data):
    return ew.sample(data, **SETTINGS)


@pytest.fixture(autouse=True)
def short_blocks(monkeypatch):
    monkeypatch.setattr(Elsewhere, "block_seconds", 0.02)


def assert_same(first, second):
    np.testing.assert_array_equal(first.dags(), second.dags())
    np.testing.assert_array_equal(first.orders(), second.orders())
    np.testing.assert_array_equal(first.draws.log_score, second.draws.log_score)
    assert first.moves == second.moves


@pytest.mark.parametrize("threads", [1, 4])
def test_threads_draw_the_same(data, expected, threads):
    with ThreadPoolExecutor(threads) as executor:
        assert_same(expected, ew.sample(data, executor=executor, **SETTINGS))


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, mp_context=forked) as executor:
        yield executor


@pytest.mark.parametrize(
    "sampler",
    [ew.DagMCMC(), ew.MinimalIMAP(temperatures=3), ew.MinimalIMAP(parents="full", alpha=0.05), ew.StructureMCMC()],
)
def test_processes_draw_the_same(data, processes, sampler):
    settings = {**SETTINGS, "sampler": sampler}
    assert_same(ew.sample(data, **settings), ew.sample(data, executor=processes, **settings))


def test_processes_leave_the_same_checkpoint(data, expected, processes, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "SECONDS", 0.0)
    ew.sample(data, executor=processes, checkpoint=tmp_path / "kept", **SETTINGS)
    assert len(checkpoints.read_frames(tmp_path / "kept" / "chain-1")[0]) > 2
    assert_same(expected, ew.resume(tmp_path / "kept", progress=False))
    longer = ew.extend(tmp_path / "kept", iterations=6000, executor=processes, progress=False)
    assert_same(ew.sample(data, **{**SETTINGS, "iterations": 6000}), longer)


class Promise:
    """A future that has nothing but what is asked of one."""

    def __init__(self):
        self._value = None
        self._is_done = threading.Event()
        self._call = None

    def add_done_callback(self, call):
        self._call = call
        self._is_done.set()

    def keep(self, value):
        self._is_done.wait()
        self._value = value
        self._call(self)

    def result(self):
        return self._value


class Clerks:
    """An executor of somebody else, with a thread for each task."""

    def __init__(self):
        self.tasks = 0

    def submit(self, function, *arguments):
        self.tasks += 1
        promise = Promise()
        threading.Thread(target=lambda: promise.keep(function(*arguments))).start()
        return promise


def test_a_run_beside_others_has_one_worker():
    assert count_workers(None) == os.cpu_count()
    with one_thread():
        assert count_workers(None) == 1


def test_an_executor_may_have_futures_of_its_own(data, expected):
    clerks = Clerks()
    assert_same(expected, ew.sample(data, executor=clerks, **SETTINGS))
    assert clerks.tasks > 6


@pytest.mark.parametrize(
    ("said", "error", "words"),
    [
        ("cannot schedule new futures after shutdown", ew.EdgewiseError, "The executor was shut down: start it anew"),
        ("no licence", RuntimeError, "^no licence$"),
    ],
)
def test_what_an_executor_says_is_its_own_unless_it_was_shut_down(data, said, error, words):
    class Refusing(Clerks):
        def submit(self, function, *arguments):
            raise RuntimeError(said)

    with pytest.raises(error, match=words):
        ew.sample(data, executor=Refusing(), **SETTINGS)


class Lossy:
    """A client of a cluster in which every block ends with the same error."""

    def __init__(self, error):
        self.error = error
        self.sent = 0

    def ncores(self):
        return {"worker": 1}

    def scatter(self, template, **_):
        self.sent += 1
        return template

    def submit(self, *_, **__):
        future = Future()
        future.set_exception(self.error)
        return future


def test_what_chains_share_is_not_sent_for_ever(data):
    client = Lossy(CancelledError())
    with pytest.raises(ew.EdgewiseError, match="has lost its workers again and again") as caught:
        ew.sample(data, executor=client, **SETTINGS)
    check_sentence(str(caught.value))
    assert client.sent == 1 + engines.RETRIES


def test_an_error_of_a_block_in_a_cluster_is_its_own(data):
    client = Lossy(ZeroDivisionError("mine"))
    with pytest.raises(ZeroDivisionError, match="mine"):
        ew.sample(data, executor=client, **SETTINGS)
    assert client.sent == 1


def test_a_worker_asks_for_what_chains_share_once(data, monkeypatch):
    monkeypatch.setattr(engines, "_templates", {})
    sent = []

    class Counting(Clerks):
        def submit(self, function, key, template, snapshot, steps):
            sent.append(template is not None)
            return super().submit(function, key, template, snapshot, steps)

    ew.sample(data, executor=Counting(), **{**SETTINGS, "chains": 1})
    assert sent[:3] == [False, True, False]
    assert sum(sent) == 1


def test_a_worker_keeps_few_runs(data, monkeypatch):
    monkeypatch.setattr(engines, "_templates", {})
    monkeypatch.setattr(engines, "_idle", {})
    dataset = ew.load_data(data)
    model = ew.MinimalIMAP().resolve(dataset).prepare(dataset, ew.BGe(), ew.Sparsity(1.0))
    chain = model.start(np.arange(6), np.random.default_rng(1), Schedule(1000, 0, 10))
    for number in range(10):
        snapshot, advanced = advance_elsewhere(f"run {number}", chain, chain.snapshot(), 20)
        assert snapshot.iteration == 20
        assert advanced.is_numbered_anew
    assert len(engines._templates) == len(engines._idle) == engines.MOST_TEMPLATES
    assert advance_elsewhere("run 0", None, chain.snapshot(), 20) is None


class Envied(list):
    """Idle chains, each of which another thread takes as soon as it is there."""

    def append(self, chain):
        super().append(chain)
        chain.advance(20)


def test_a_chain_is_idle_only_when_it_is_known_where_it_went(data, monkeypatch):
    monkeypatch.setattr(engines, "_templates", {})
    monkeypatch.setattr(engines, "_idle", {"run": Envied()})
    dataset = ew.load_data(data)
    model = ew.MinimalIMAP().resolve(dataset).prepare(dataset, ew.BGe(), ew.Sparsity(1.0))
    chain = model.start(np.arange(6), np.random.default_rng(1), Schedule(1000, 0, 10))
    reached, _ = advance_elsewhere("run", chain, chain.snapshot(), 20)
    chain.advance(20)
    assert reached.iteration == 20
    np.testing.assert_equal(reached.arrays, chain.snapshot().arrays)


def test_threads_of_a_worker_do_not_share_a_chain(data, expected, monkeypatch):
    """Many runs at the same time, in one worker."""
    monkeypatch.setattr(engines, "_templates", {})
    found = []
    runs = [
        threading.Thread(target=lambda: found.append(ew.sample(data, executor=Clerks(), **SETTINGS))) for _ in range(6)
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert len(found) == 6
    for posterior in found:
        assert_same(expected, posterior)


# A cluster.


class Cluster:
    """A Dask scheduler and two workers, each a process of its own."""

    def __init__(self, folder):
        self.file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show")
        self.workers = []
        self.add_workers(2)
        self._wait_for(self.file.exists)
        # The file is written in pieces.
        self._wait_for(lambda: self.file.read_text().rstrip().endswith("}"))
        self.address = json.loads(self.file.read_text())["address"]

    def _start(self, kind, *arguments):
        return start_dask(kind, ["--scheduler-file", str(self.file), *arguments])

    def _wait_for(self, condition):
        end = time.monotonic() + STUCK
        while not condition():
            assert time.monotonic() < end
            assert self.scheduler.is_alive()
            time.sleep(0.05)

    def add_workers(self, number):
        options = "--no-nanny", "--nthreads", "1", "--host", "127.0.0.1", "--no-dashboard"
        self.workers += [self._start("worker", *options) for _ in range(number)]

    def kill_workers(self, number):
        for _ in range(number):
            end(self.workers.pop(0))

    def close(self):
        self.kill_workers(len(self.workers))
        end(self.scheduler)


def end(process):
    process.kill()
    process.join()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """One for all tests, since each of its processes takes seconds to begin."""
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.close()


@pytest.fixture
def client(cluster):
    """A client of two workers; those that another test has killed are replaced."""
    cluster.add_workers(2 - len(cluster.workers))
    with Client(cluster.address, timeout=STUCK) as client:
        client.wait_for_workers(2, timeout=STUCK)
        yield client


def test_a_cluster_draws_the_same(data, expected, client):
    assert count_workers(client) == 2
    assert_same(expected, ew.sample(data, executor=client, **SETTINGS))


def test_a_cluster_draws_the_same_with_replicas(data, client):
    settings = {**SETTINGS, "sampler": ew.MinimalIMAP(temperatures=3)}
    assert_same(ew.sample(data, **settings), ew.sample(data, executor=client, **settings))


def test_a_run_goes_on_in_a_cluster_and_elsewhere(data, expected, client, tmp_path):
    ew.sample(data, checkpoint=tmp_path / "kept", **SETTINGS)
    longer = ew.extend(tmp_path / "kept", iterations=6000, executor=client, progress=False)
    assert_same(ew.sample(data, **{**SETTINGS, "iterations": 6000}), longer)
    assert_same(longer, ew.resume(tmp_path / "kept", progress=False))


def test_functions_without_a_name_are_not_sent_to_a_cluster(data, client, processes):
    prior = ew.LogPrior(lambda dag: -float(dag.sum()))
    for executor in (client, processes, Clerks()):
        with pytest.raises(ew.ArgumentError) as caught:
            ew.sample(data, prior=prior, executor=executor, **SETTINGS)
        assert "<lambda> of LogPrior cannot be sent to other processes" in check_sentence(str(caught.value))


def disturb(monkeypatch, what):
    """Have something happen when a client takes its fifth block; return the iterations at which it took blocks."""
    take, taken = engines.OnDask.take, []

    def take_disturbed(self, number, chain, future):
        taken.append(chain.iteration)
        if len(taken) == 5:
            what()
        return take(self, number, chain, future)

    monkeypatch.setattr(engines.OnDask, "take", take_disturbed)
    return taken


def test_a_run_survives_a_worker_and_another_takes_its_place(data, expected, cluster, client, monkeypatch):
    with monkeypatch.context() as patched:
        taken = disturb(patched, lambda: cluster.kill_workers(1))
        assert_same(expected, ew.sample(data, executor=client, **SETTINGS))
    assert len(taken) > 8
    cluster.add_workers(1)
    client.wait_for_workers(2, timeout=STUCK)
    assert_same(expected, ew.sample(data, executor=client, **SETTINGS))


def test_a_run_survives_all_of_its_workers(data, expected, cluster, client, monkeypatch):
    """What chains share is lost with the last worker that had it, and is sent again."""

    def replace_all():
        cluster.kill_workers(2)
        cluster.add_workers(1)

    disturb(monkeypatch, replace_all)
    assert_same(expected, ew.sample(data, executor=client, **SETTINGS))


@pytest.mark.slow
def test_a_cluster_that_is_lost_is_an_error_and_the_run_goes_on_elsewhere(data, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "SECONDS", 0.0)
    cluster = Cluster(tmp_path)
    try:
        # For so long the client waits for the scheduler to come back.
        client = Client(cluster.address, timeout=20)
        client.wait_for_workers(2, timeout=STUCK)
        disturb(monkeypatch, cluster.close)
        with pytest.raises(ew.EdgewiseError) as caught:
            ew.sample(data, executor=client, checkpoint=tmp_path / "kept", **SETTINGS)
        assert "The Dask cluster no longer answers" in check_sentence(str(caught.value))
        client.close(timeout=1)
    finally:
        cluster.close()
    assert_same(expected, ew.resume(tmp_path / "kept", progress=False))

"""Same seed, same draws: for any number of threads, in other processes, and wherever blocks end."""

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import edgewise as ew
from edgewise.arithmetic import one_order_of_sums
from edgewise.running import engines

SETTINGS = {"iterations": 3000, "burn_in": 500, "thin": 7, "chains": 3, "progress": False}


@pytest.fixture(scope="module")
def data():
    return ew.simulate(6, 60, seed=1).data


@pytest.fixture(scope="module")
def expected(data):
    return ew.sample(data, seed=5, **SETTINGS)


def assert_same(first, second):
    np.testing.assert_array_equal(first.dags(), second.dags())
    np.testing.assert_array_equal(first.orders(), second.orders())
    np.testing.assert_array_equal(first.draws.log_score, second.draws.log_score)
    np.testing.assert_array_equal(first.draws.log_prior, second.draws.log_prior)
    assert first.moves == second.moves


def test_the_chains_move(expected):
    assert len(np.unique(expected.orders().reshape(-1, 6), axis=0)) > 50
    for chain in expected.moves:
        assert 0 < chain["relocate"][1] < chain["relocate"][0]


@pytest.mark.parametrize("threads", [None, 1, 2, 4])
def test_the_number_of_threads_makes_no_difference(data, expected, threads):
    if threads is None:
        return assert_same(expected, ew.sample(data, seed=5, **SETTINGS))
    with ThreadPoolExecutor(threads) as executor:
        return assert_same(expected, ew.sample(data, seed=5, executor=executor, **SETTINGS))


def test_other_processes_draw_the_same(data, expected):
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        assert_same(expected, ew.sample(data, seed=5, executor=executor, **SETTINGS))


@pytest.fixture(scope="module")
def short(data):
    return ew.sample(data, seed=5, **{**SETTINGS, "iterations": 600, "burn_in": 100})


@pytest.mark.parametrize("seconds", [1e-12, 1e-4, 100.0])
def test_where_blocks_end_makes_no_difference(data, short, monkeypatch, seconds):
    monkeypatch.setattr(engines.Threads, "block_seconds", seconds)
    assert_same(short, ew.sample(data, seed=5, **{**SETTINGS, "iterations": 600, "burn_in": 100}))


@pytest.mark.parametrize("seed", [np.int64(5), np.uint8(5), 5.0])
def test_a_seed_may_be_any_whole_number(data, expected, seed):
    posterior = ew.sample(data, seed=seed, **SETTINGS)
    assert_same(expected, posterior)
    assert posterior.info["seed"] == 5
    assert type(posterior.info["seed"]) is int


def test_other_seeds_draw_otherwise(data, expected):
    other = ew.sample(data, seed=6, **SETTINGS)
    assert (other.orders() != expected.orders()).any(axis=(1, 2)).all()


def test_the_seed_that_was_chosen_is_noted(data):
    first = ew.sample(data, **SETTINGS)
    assert_same(first, ew.sample(data, seed=first.info["seed"], **SETTINGS))
    assert ew.sample(data, **SETTINGS).info["seed"] != first.info["seed"]


def test_chains_draw_differently(expected):
    orders = expected.orders()
    for i in range(3):
        for j in range(i):
            assert (orders[i] != orders[j]).any(axis=1).mean() > 0.9


def test_more_chains_leave_the_first_ones_as_they_are(data, expected):
    more = ew.sample(data, seed=5, **{**SETTINGS, "chains": 5})
    np.testing.assert_array_equal(more.orders()[:3], expected.orders())


def test_chains_from_the_same_start_part(data):
    orders = ew.sample(data, seed=1, start=range(6), **SETTINGS).orders()
    assert (orders[0] != orders[1]).any()
    assert (orders[0] != orders[2]).any()


@pytest.fixture(scope="module")
def gappy():
    """Data whose statistics, by EM, differ in the last bits with the number of threads that find them."""
    rng = np.random.default_rng(1)
    data = ew.simulate(160, 300, seed=1).data
    return data.mask(rng.random(data.shape) < 0.0005)


@pytest.mark.slow
@pytest.mark.parametrize("parents", ["grow-shrink", "full"])
def test_threads_of_linear_algebra_make_no_difference(gappy, tmp_path, parents):
    settings = {
        "sampler": ew.MinimalIMAP(parents=parents), "missing": "em", "burn_in": 50, "thin": 5, "chains": 2, "seed": 1,
        "progress": False,
    }  # fmt: skip
    with threadpool_limits(1, user_api="blas"):
        alone = ew.sample(gappy, iterations=400, **settings)
        ew.sample(gappy, iterations=200, checkpoint=tmp_path / "kept", **settings)
    with threadpool_limits(2, user_api="blas"):
        assert_same(alone, ew.sample(gappy, iterations=400, **settings))
        assert_same(alone, ew.extend(tmp_path / "kept", iterations=400, progress=False))
    np.testing.assert_array_equal(alone.conditionals, ew.resume(tmp_path / "kept", progress=False).conditionals)


def test_simulated_data_are_the_same_with_any_number_of_threads():
    with threadpool_limits(1, user_api="blas"):
        alone = ew.simulate(300, 1000, seed=1).data
    with threadpool_limits(2, user_api="blas"):
        assert ew.simulate(300, 1000, seed=1).data.equals(alone)


def test_threads_of_linear_algebra_come_back():
    def threads():
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    with threadpool_limits(2, user_api="blas"):
        before = threads()
        with ThreadPoolExecutor(2) as pool, one_order_of_sums():
            with one_order_of_sums():
                assert set(threads()) == {1}
            assert set(threads()) == {1}
            assert set(pool.submit(threads).result()) == {1}
        assert threads() == before


def test_a_library_that_is_loaded_meanwhile_is_told_too():
    script = """
from threadpoolctl import threadpool_info
from edgewise.arithmetic import one_order_of_sums
def threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]
import numpy
with one_order_of_sums():
    import scipy.linalg
    assert sorted(threads()) == [1, 2]
    with one_order_of_sums():
        assert threads() == [1, 1]
    assert threads() == [1, 1]
assert threads() == [2, 2]
"""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)  # noqa: S603

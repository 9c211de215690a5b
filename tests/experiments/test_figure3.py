import numpy as np
import pytest

import edgewise as ew
from edgewise.experiments.figure3 import (
    EXPERIMENT,
    LIMIT,
    METHODS,
    Algorithm2,
    measure_memory,
    table_memory,
    time_iterations,
)

pytestmark = pytest.mark.usefixtures("undrawn")


def results_of(pieces, exponents):
    """Times that grow with given powers of p."""
    results = {"memory": {"minimal I-MAP": 4_500_000, "order MCMC": 49_000_000_000}}
    for piece in pieces:
        if piece.name != "memory":
            method, p = piece.settings["method"], piece.settings["p"]
            results[piece.name] = {"method": method, "p": p, "seconds": 1e-6 * p ** exponents[method]}
    return results


EXPONENTS = {"ours": 0.7, "algorithm2": 2.5, "order-k2": 2.0, "order-k3": 3.0, "order-k4": 4.0}


def test_the_plan_times_alone_and_keeps_to_the_limit():
    pieces = EXPERIMENT.plan(False, None)
    assert {piece.name for piece in pieces if not piece.alone} == {"memory"}
    assert {piece.settings["method"] for piece in pieces if piece.alone} == set(METHODS)
    orders = [piece.settings for piece in pieces if piece.name.startswith("order")]
    assert all(table_memory(each["p"], int(each["method"][-1])) <= LIMIT * 1e9 for each in orders)
    assert {each["p"] for each in orders if each["method"] == "order-k4"} < {25, 35, 50, 70}  # 70 need more


def test_exponents_are_found(tmp_path):
    section = EXPERIMENT.conclude(results_of(EXPERIMENT.plan(False, None), EXPONENTS), tmp_path)
    times, exponents, memory = section.tables.values()
    assert exponents["ours"].tolist() == pytest.approx(list(EXPONENTS.values()), abs=1e-9)
    assert (times.loc[times["p"] == 25, "relative"] == 1).all()
    assert memory["megabytes"].tolist() == [4.5, 49_000]
    assert [check.holds for check in section.checks] == [True]
    assert section.figures[0].is_file()
    assert "49 GB" in section.text[-1]


def test_the_check_can_fail(tmp_path):
    slow = {**EXPONENTS, "ours": 3.5}
    section = EXPERIMENT.conclude(results_of(EXPERIMENT.plan(True, None), slow), tmp_path)
    assert [check.holds for check in section.checks] == [False]


@pytest.mark.parametrize("place", [0, 3, 5])
def test_algorithm_2_gives_the_minimal_imap(place):
    p = 6
    data = ew.simulate(p, 80, seed=2).data
    algorithm = Algorithm2(data.to_numpy())
    before = list(range(p))
    dag = algorithm.update(np.zeros((p, p), bool), before, p - 1)
    assert (dag == ew.minimal_imap(data, before, as_array=True)).all()
    after = list(before)
    other = (place + 1) % p
    after[place], after[other] = after[other], after[place]
    assert (algorithm.update(dag, after, place) == ew.minimal_imap(data, after, as_array=True)).all()


@pytest.mark.parametrize("method", ["ours", "algorithm2", "order-k2"])
def test_times_are_measured(method, monkeypatch):
    monkeypatch.setattr("edgewise.experiments.figure3.WARM_UP", 0.01)
    monkeypatch.setattr("edgewise.experiments.figure3.SHORTEST", 0.001)
    measured = time_iterations(method=method, p=8, repeats=3)
    assert (measured["method"], measured["p"]) == (method, 8)
    assert measured["seconds"] > 0


def test_memory_is_that_of_a_chain_and_of_the_tables():
    memory = measure_memory(p=20, max_parents=3)
    assert 1e5 < memory["minimal I-MAP"] < 1e7
    assert memory["order MCMC"] == table_memory(20, 3)
    with pytest.raises(ew.ArgumentError, match=f"{table_memory(80, 5) / 1e9:.1f} GB"):
        ew.sample(
            ew.simulate(80, 100, seed=1).data, sampler=ew.OrderMCMC(max_parents=5, candidates=None), progress=False
        )

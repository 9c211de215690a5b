"""Runs that are kept on disk go on as if nothing had happened."""

import copy
import errno
import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import count
from pathlib import Path
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise.running import chains, checkpoints, engines, frames, lengths, requests, runs, stopping
from edgewise.running.frames import Frame, FrameFile, encode, read_frames
from edgewise.samplers.schedule import MOST_ITERATIONS
from keyboard import ctrl_c
from sentences import check_sentence

NAMES = ["Raf", "Mek", "Erk", "Akt", "Jnk"]
SETTINGS = {"iterations": 3000, "thin": 7, "chains": 2, "progress": False}


@pytest.fixture(scope="module")
def data():
    return ew.simulate(5, 80, seed=3).data.set_axis(NAMES, axis=1)


@pytest.fixture(scope="module")
def expected(data):
    return ew.sample(data, seed=5, **SETTINGS)


@pytest.fixture(scope="module")
def longer(data):
    """The same run with more iterations, and burn-in as before."""
    return ew.sample(data, seed=5, **{**SETTINGS, "iterations": 5000, "burn_in": 600})


@contextmanager
def frames_often(block_seconds=1e-3):
    """Let blocks be short, and a frame follow each of them."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(checkpoints, "SECONDS", 0.0)
        patched.setattr(checkpoints, "SHARE", 0.0)
        patched.setattr(engines.Threads, "block_seconds", block_seconds)
        yield


@pytest.fixture(autouse=True)
def often():
    with frames_often():
        yield


@pytest.fixture
def place(tmp_path):
    return tmp_path / "checkpoint"


@pytest.fixture(scope="module")
def kept(data, tmp_path_factory):
    """The checkpoint of a run that was killed."""
    place = tmp_path_factory.mktemp("kept") / "checkpoint"
    with frames_often():
        interrupt(data, place)
    return place


@pytest.fixture
def killed_place(kept, place):
    """A copy of this checkpoint."""
    return shutil.copytree(kept, place)


def assert_same(first, second):
    np.testing.assert_array_equal(first.dags(), second.dags())
    np.testing.assert_array_equal(first.orders(), second.orders())
    np.testing.assert_array_equal(first.draws.log_score, second.draws.log_score)
    np.testing.assert_array_equal(first.draws.log_prior, second.draws.log_prior)
    assert first.moves == second.moves
    assert first.nodes == second.nodes
    assert first.silent_diagnostics.verdict == second.silent_diagnostics.verdict


class Killed(BaseException):
    """The end of a process, as far as files are concerned."""


@contextmanager
def killed(*, after):
    """Let the process die when some frames have been written."""
    append, left = FrameFile.append, [after]

    def append_or_die(file, frame):
        left[0] -= 1
        if left[0] < 0:
            raise Killed
        append(file, frame)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(FrameFile, "append", append_or_die)
        with pytest.raises(Killed):
            yield


def interrupt(data, place, *, after=6, **settings):
    """Leave a checkpoint behind of a run that was killed."""
    with killed(after=after):
        ew.sample(data, checkpoint=place, **{"seed": 5, **SETTINGS, **settings})


def refusal(function, *arguments, error=ew.StorageError, **settings):
    with pytest.raises(error) as caught:
        function(*arguments, **{"progress": False, **settings})
    return check_sentence(str(caught.value))


def test_a_checkpoint_makes_no_difference(data, expected, place):
    assert_same(expected, ew.sample(data, seed=5, checkpoint=place, **SETTINGS))
    assert_same(expected, ew.resume(place, progress=False))


@pytest.mark.parametrize("after", [0, 1, 2, 3, 7])
def test_a_killed_run_goes_on_to_the_same_draws(data, expected, place, after):
    interrupt(data, place, after=after)
    assert_same(expected, ew.resume(place, progress=False))


def test_a_run_that_is_killed_again_and_again_goes_on(data, expected, place):
    interrupt(data, place, after=3)
    before = 0
    for _ in range(3):
        with killed(after=2):
            ew.resume(place, progress=False)
        size = sum(path.stat().st_size for path in place.glob("chain-*"))
        assert size > before
        before = size
    assert_same(expected, ew.resume(place, progress=False))


def test_the_same_call_again_goes_on(data, expected, killed_place):
    before = killed_place.joinpath("chain-1").read_bytes()
    assert_same(expected, ew.sample(data, seed=5, checkpoint=killed_place, **SETTINGS))
    assert killed_place.joinpath("chain-1").read_bytes().startswith(before)


def test_the_same_call_without_a_seed_takes_that_of_the_run(data, place):
    with killed(after=6):
        ew.sample(data, checkpoint=place, **SETTINGS)
    posterior = ew.sample(data, checkpoint=place, **SETTINGS)
    assert_same(posterior, ew.sample(data, seed=posterior.info["seed"], **SETTINGS))


@pytest.mark.parametrize("seed", [None, -1])
def test_a_run_whose_seed_is_lost_begins_anew(data, place, seed):
    interrupt(data, place, after=2)
    about = json.loads((place / "run.json").read_text())
    (place / "run.json").write_text(json.dumps({**about, "seed": seed}))
    assert "has no seed: begin the run anew" in refusal(ew.sample, data, checkpoint=place, **SETTINGS)


class Mortal:
    """Dies at the n-th of the calls of the operating system that change what is on the disk."""

    def __init__(self, patched, lives):
        self.left = lives
        self.calls = 0
        for owner, name in ((os, "fsync"), (Path, "replace"), (Path, "mkdir"), (Path, "open")):
            patched.setattr(owner, name, self.wrap(getattr(owner, name)))

    def wrap(self, function):
        def call(*arguments, **settings):
            if "checkpoint" in str(arguments[0]) or isinstance(arguments[0], int):
                self.calls += 1
                if self.calls > self.left:
                    raise Killed
            return function(*arguments, **settings)

        return call


def test_a_run_may_die_between_any_two_calls_of_the_system(data, tmp_path, monkeypatch):
    settings = {**SETTINGS, "sampler": ew.OrderMCMC(), "iterations": 400, "seed": 5}
    expected = ew.sample(data, **settings)
    gc.freeze()  # so that what the dead leave behind is found quickly
    for lives in range(200):
        place = tmp_path / f"checkpoint-{lives}"
        with monkeypatch.context() as patched:
            # Two frames of each chain, one at the beginning and one at the end.
            patched.setattr(checkpoints, "SECONDS", 1e9)
            mortal = Mortal(patched, lives)
            try:
                ew.sample(data, checkpoint=place, **settings)
            except Killed:
                pass
            else:
                break
        gc.collect()
        assert_same(expected, ew.sample(data, checkpoint=place, **settings))
    assert 15 < mortal.calls == lives


# Longer runs.


def test_a_run_in_memory_goes_on_beyond_its_end(data):
    short = ew.sample(data, seed=5, **SETTINGS)
    longer = ew.extend(short, iterations=5000, progress=False)
    expected = ew.sample(data, seed=5, **{**SETTINGS, "iterations": 5000, "burn_in": 600})
    assert_same(expected, longer)
    assert_same(ew.extend(longer, iterations=6000, progress=False), ew.extend(short, iterations=6000, progress=False))
    assert longer.info["schedule"]["iterations"] == 5000


@pytest.mark.parametrize("by", ["directory", "posterior"])
def test_a_run_on_disk_goes_on_beyond_its_end(data, longer, place, by):
    short = ew.sample(data, seed=5, checkpoint=place, **SETTINGS)
    found = ew.extend(str(place) if by == "directory" else short, iterations=5000, progress=False)
    assert_same(longer, found)
    assert_same(longer, ew.resume(place, progress=False))


def test_a_killed_run_can_be_extended(longer, killed_place):
    assert_same(longer, ew.extend(killed_place, iterations=5000, progress=False))


def test_a_run_that_was_killed_before_its_first_frame_can_be_extended(data, place):
    interrupt(data, place, after=0, iterations=300)
    longer = ew.extend(place, iterations=700, progress=False)
    assert_same(ew.sample(data, seed=5, **{**SETTINGS, "iterations": 700}), longer)


def test_a_killed_extension_goes_on(data, longer, place):
    ew.sample(data, seed=5, checkpoint=place, **SETTINGS)
    with killed(after=3):
        ew.extend(place, iterations=5000, progress=False)
    assert_same(longer, ew.resume(place, progress=False))


def test_a_run_may_die_while_it_is_made_longer(data, longer, place, monkeypatch):
    short = ew.sample(data, seed=5, checkpoint=place, **SETTINGS)
    replace_file, written = checkpoints.replace_file, []

    def replace_or_die(path, content):
        if written:
            raise Killed
        written.append(path.name)
        replace_file(path, content)

    with monkeypatch.context() as patched:
        patched.setattr(checkpoints, "replace_file", replace_or_die)
        with pytest.raises(Killed):
            ew.extend(place, iterations=5000, progress=False)
    assert written == ["request"]
    assert short.info["schedule"]["iterations"] == json.loads((place / "run.json").read_text())["iterations"] == 3000
    assert_same(longer, ew.resume(place, progress=False))
    assert json.loads((place / "run.json").read_text())["iterations"] == 5000


def test_thinning_stays_as_it_was(data):
    short = ew.sample(data, seed=5, iterations=20_000, chains=1, progress=False)
    longer = ew.extend(short, iterations=40_000, progress=False)
    thin = short.info["schedule"]["thin"]
    assert thin == longer.info["schedule"]["thin"] == 4
    np.testing.assert_array_equal(longer.orders()[:, :4000], short.orders())


def test_weighted_draws_are_weighed_anew(data):
    settings = {**SETTINGS, "sampler": ew.MinimalIMAP(target="dags"), "burn_in": 600, "seed": 5}
    longer = ew.extend(ew.sample(data, **settings), iterations=5000, progress=False)
    expected = ew.sample(data, **{**settings, "iterations": 5000})
    np.testing.assert_array_equal(longer.weights, expected.weights)


def test_a_run_is_not_made_shorter(data, place):
    posterior = ew.sample(data, seed=5, checkpoint=place, **SETTINGS)
    for given in (posterior, place):
        assert "3,000 iterations already" in refusal(ew.extend, given, iterations=2999, error=ew.ArgumentError)
    assert_same(posterior, ew.extend(place, iterations=3000, progress=False))


@pytest.mark.parametrize("iterations", [0, -1, 2.5, "many", None])
def test_a_length_is_a_number(expected, iterations):
    assert "at least 1" in refusal(ew.extend, expected, iterations=iterations, error=ew.ArgumentError)


def test_only_posteriors_of_this_session_are_extended(expected, tmp_path):
    expected.save(tmp_path / "posterior.nc")
    loaded = ew.load(tmp_path / "posterior.nc")
    assert "in this session" in refusal(ew.extend, loaded, iterations=5000, error=ew.ArgumentError)


@pytest.mark.parametrize("given", [None, 5, "", ["kept"]])
def test_a_checkpoint_is_in_a_directory(data, given):
    assert "must be the path of a directory" in refusal(ew.resume, given, error=ew.ArgumentError)
    assert "or a posterior" in refusal(ew.extend, given, iterations=5000, error=ew.ArgumentError)
    if given is not None:
        settings = {"error": ew.ArgumentError, **SETTINGS}
        assert "checkpoint must be" in refusal(ew.sample, data, checkpoint=given, **settings)
        assert "store must be the path of a file" in refusal(ew.sample, data, store=given, **settings)


def test_a_run_is_found_from_another_directory(data, longer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    posterior = ew.sample(data, seed=5, checkpoint="kept", **SETTINGS)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert_same(longer, ew.extend(posterior, iterations=5000, progress=False))


# What a run is told apart by.


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 6}, "seed (5 there, 6 here)"),
        ({"iterations": 4000}, "iterations (3000 there, 4000 here)"),
        ({"thin": 8}, "thin (7 there, 8 here)"),
        ({"burn_in": 0.3}, "burn_in (0.2 there, 0.3 here)"),
        ({"chains": 3}, "chains (2 there, 3 here)"),
        ({"start": "random"}, 'start ("auto" there, "random" here)'),
        ({"until": "good"}, 'until (null there, "good" here)'),
        ({"time_budget": 100}, "time_budget (null there, 100 here)"),
        ({"sampler": ew.MinimalIMAP()}, "sampler"),
        ({"score": ew.GaussianBIC()}, "score name"),
        ({"prior": ew.Sparsity(2.0)}, "prior"),
        ({"constraints": ew.Constraints(required=[("Raf", "Mek")])}, "constraints"),
        ({"drop": ["Jnk"]}, "data"),
        ({"transform": "ranks"}, "data"),
    ],
)
def test_another_run_is_refused_by_what_is_different(data, killed_place, change, named):
    before = {path.name: path.read_bytes() for path in killed_place.iterdir()}
    message = refusal(ew.sample, data, checkpoint=killed_place, **{"seed": 5, **SETTINGS, **change})
    assert "is of another run: it differs in" in message
    assert named in message
    assert {path.name: path.read_bytes() for path in killed_place.iterdir()} == before


def test_other_data_are_refused(data, killed_place):
    changed = data.copy()
    changed.iloc[3, 2] += 1e-9
    assert "data fingerprint" in refusal(ew.sample, changed, seed=5, checkpoint=killed_place, **SETTINGS)
    renamed = data.rename(columns={"Raf": "raf"})
    assert "differs in" in refusal(ew.sample, renamed, seed=5, checkpoint=killed_place, **SETTINGS)


def test_other_versions_are_refused(data, killed_place, monkeypatch):
    version = requests.find_version
    monkeypatch.setattr(requests, "find_version", lambda name: "99.0" if name == "numba" else version(name))
    assert 'versions numba ("' in refusal(ew.resume, killed_place)
    assert "go on with that version, or another directory" in refusal(ew.extend, killed_place, iterations=9000)
    assert '"99.0" here' in refusal(ew.sample, data, seed=5, checkpoint=killed_place, **SETTINGS)


# What is brought back, and what is not.


def test_a_function_of_the_prior_is_given_again(data, place):
    def few_children(dag):
        return -float(max(dag[i].sum() for i in range(len(dag)))) * 0.3

    prior = ew.Sparsity(0.5) + ew.LogPrior(few_children)
    interrupt(data, place, prior=prior)
    message = refusal(ew.resume, place)
    assert "cannot bring back the prior of its run" in message
    assert "call edgewise.sample again" in message
    expected = ew.sample(data, seed=5, prior=prior, **SETTINGS)
    assert_same(expected, ew.sample(data, seed=5, prior=prior, checkpoint=place, **SETTINGS))


def make_function(name, body):
    """Compile a function anew, as another process would."""
    found = {}
    exec(f"def {name}(dag):\n    return {body}\n", found)  # noqa: S102
    return found[name]


def test_another_function_of_the_same_name_is_another_run(data, place):
    body = "-0.1 * max([float(row.sum()) for row in dag if 1 in {1, 2}])"
    prior = ew.LogPrior(make_function("weigh", body))
    interrupt(data, place, prior=prior)
    same = ew.LogPrior(make_function("weigh", body))
    for other in ("row.max()", "row.sum() + 1"):
        changed = ew.LogPrior(make_function("weigh", body.replace("row.sum()", other)))
        assert "functions" in refusal(ew.sample, data, seed=5, prior=changed, checkpoint=place, **SETTINGS)
    assert_same(
        ew.sample(data, seed=5, prior=prior, **SETTINGS),
        ew.sample(data, seed=5, prior=same, checkpoint=place, **SETTINGS),
    )


def weigh(dag, weights=1.0, *, by=None):
    return -float((dag * weights).sum()) * (1 if by is None else by["edge"])


def enclose(weights):
    return lambda dag: weigh(dag, weights)


@pytest.mark.parametrize(
    ("make", "one", "other"),
    [
        (lambda given: partial(weigh, weights=given), 1.0, 2.0),
        (lambda given: partial(weigh, by=given), {"edge": 1.0}, {"edge": 2.0}),
        (enclose, np.eye(5), 1 - np.eye(5)),
        (enclose, np.ones(1000), np.where(np.arange(1000) == 500, 2.0, 1.0)),
    ],
    ids=["arguments beforehand", "dictionaries", "arrays", "arrays that are printed alike"],
)
def test_what_a_function_works_with_tells_it_from_others(make, one, other):
    def outline(given):
        (found,) = requests._hash_functions(ew.LogPrior(make(given)))
        return found

    assert outline(copy.deepcopy(one)) == outline(one)
    assert outline(other) != outline(one)


def test_a_class_of_somebody_else_is_not_taken_for_ours(data, place):
    class Sparsity(ew.Sparsity):
        pass

    interrupt(data, place, prior=Sparsity(0.7))
    assert "cannot bring back the prior" in refusal(ew.resume, place)


BELIEFS = pd.DataFrame({"source": ["Raf"], "target": ["Mek"], "probability": [0.9]})
LOG_ODDS = np.random.default_rng(3).normal(size=(5, 5))
CANDIDATES = pd.DataFrame(np.triu(np.ones((5, 5), bool), 1), index=NAMES, columns=NAMES)

PARTS = {
    "sums": {"prior": ew.Sparsity(0.5) + ew.Ancestors([("Raf", "Erk")], 1.0) + ew.TierOrder([["Raf"], NAMES[1:]])},
    "paths": {"prior": ew.Paths(["Raf", "Mek"], ["Erk"], 2.0)},
    "a table of beliefs": {"prior": ew.EdgeBeliefs(probabilities=BELIEFS)},
    "a matrix of beliefs": {"prior": ew.EdgeBeliefs(log_odds=LOG_ODDS)},
    "candidates": {"sampler": ew.OrderMCMC(candidates=CANDIDATES, max_parents=2)},
    "candidates by name": {"sampler": ew.PartitionMCMC(candidates={"Raf": ["Mek", "Akt"]}, max_parents=2)},
    "a matrix of candidates": {"sampler": ew.OrderMCMC(candidates=CANDIDATES.to_numpy(), max_parents=2)},
    "tests": {"sampler": ew.MinimalIMAP(test=ew.FisherZ(), parents="full", alpha=0.05)},
    "temperatures": {"sampler": ew.MinimalIMAP(temperatures=[1, 2, 4])},
    "scores": {"score": ew.BGe(alpha_mu=0.5), "sampler": ew.StructureMCMC(max_parents=3)},
    "constraints": {
        "constraints": ew.Constraints(required=[("Raf", "Mek")], tiers=[["Raf"], ["Mek", 2]], leaves=("Jnk",))
    },
    "a start": {"start": range(5)},
    "names at the start": {"start": pd.Index(NAMES[::-1])},
    "a start for each chain": {"start": (np.arange(5), NAMES)},
    "a start that is used up": {"start": iter(NAMES)},
    "columns": {"columns": tuple(NAMES[:4])},
    "the best start": {"start": "mmhc"},
    "kinds": {"kinds": {"Raf": "continuous"}, "transform": "ranks", "missing": "em"},
}


@pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)
def test_all_parts_of_a_run_come_back(data, place, parts):
    parts = {
        name: list(part) if name == "start" and not isinstance(part, str) else part for name, part in parts.items()
    }
    expected = ew.sample(data, seed=5, **SETTINGS, **parts)
    interrupt(data, place, **parts)
    assert_same(expected, ew.resume(place, progress=False))


def test_a_start_that_can_be_read_once_is_read_once(data, place):
    expected = ew.sample(data, seed=5, start=NAMES, **SETTINGS)
    with killed(after=6):
        ew.sample(data, seed=5, start=iter(NAMES), checkpoint=place, **SETTINGS)
    assert_same(expected, ew.resume(place, progress=False))


def make_table():
    """Numbers, text, levels and ordered levels, each with something missing."""
    rng = np.random.default_rng(1)
    numbers = rng.normal(size=(90, 3))
    numbers[3, 0] = np.nan
    text = np.where(numbers[:, 1] + rng.normal(size=90) > 0, "high", "löw").astype(object)
    text[5] = None
    grade = pd.cut(numbers[:, 2], 3, labels=["a", "b", "c"])
    grade = pd.Series(grade).where(np.arange(90) != 7)
    return pd.DataFrame(
        {
            "n": numbers[:, 0],
            "count": rng.integers(0, 50, 90),
            "is": rng.random(90) > 0.5,
            "text": text,
            "grade": grade,
            "kind": pd.Categorical(text, categories=["löw", "high", "never"][:2]),
        }
    )


def make_forms(data, folder):
    data.to_csv(folder / "data.csv", index=False)
    make_table().to_csv(folder / "mixed.csv", index=False)
    data.to_parquet(folder / "data.parquet")
    is_set = np.zeros((80, 5), bool)
    is_set[60:, 1] = True
    conditions = data.assign(condition=np.where(is_set[:, 1], "knockout", "none"))
    return {
        "a table": (data, {}),
        "a path": (folder / "data.csv", {}),
        "the text of a path": (str(folder / "data.csv"), {}),
        "a Parquet file": (folder / "data.parquet", {}),
        "an array": (data.to_numpy(), {}),
        "an array of small numbers": (data.to_numpy().astype(np.float32), {}),
        "a covariance": (ew.Covariance(data.cov(), n=80), {}),
        "a covariance with means": (ew.Covariance(data.cov().to_numpy(), n=80, names=NAMES, mean=data.mean()), {}),
        "a mixed table": (make_table(), {"missing": "em"}),
        "a mixed table without rows": (make_table(), {"missing": "drop"}),
        "a mixed file": (folder / "mixed.csv", {"missing": "em", "kinds": {"grade": "categorical"}}),
        "cells that were set": (data, {"interventions": is_set}),
        "a table of cells": (data, {"interventions": pd.DataFrame(is_set, columns=NAMES)}),
        "a list of cells": (data, {"interventions": is_set.tolist()}),
        "conditions": (
            conditions,
            {"interventions": "condition", "targets": {"knockout": ["Mek"], "none": []}, "drop": ["Jnk"]},
        ),
        "no data": (None, {"nodes": pd.Index(NAMES)[:4].tolist()}),
        "extension types": (data.assign(Raf=data["Raf"].astype("Float64")), {}),
        "numbers as names": (data.set_axis(range(5), axis=1), {}),
        "ranges as levels": (data.assign(Raf=pd.cut(data["Raf"], 2)), {}),
    }


FORMS = (
    "a table", "a path", "the text of a path", "a Parquet file", "an array", "an array of small numbers",
    "a covariance", "a covariance with means", "a mixed table", "a mixed table without rows", "a mixed file",
    "cells that were set", "a table of cells", "a list of cells", "conditions", "no data",
)  # fmt: skip


@pytest.mark.filterwarnings("ignore::edgewise.DataWarning")
@pytest.mark.parametrize("form", FORMS)
def test_all_forms_of_data_come_back(data, tmp_path, place, form):
    given, reading = make_forms(data, tmp_path)[form]
    expected = ew.sample(given, seed=5, **SETTINGS, **reading)
    interrupt(given, place, **reading)
    for path in (tmp_path / "data.csv", tmp_path / "mixed.csv", tmp_path / "data.parquet"):
        path.unlink()
    again = ew.resume(place, progress=False)
    assert_same(expected, again)
    assert again.info["data"] == expected.info["data"]


@pytest.mark.parametrize("form", ["extension types", "numbers as names", "ranges as levels"])
def test_forms_of_data_that_no_file_can_hold_are_given_again(data, tmp_path, place, form):
    given, _ = make_forms(data, tmp_path)[form]
    settings = {**SETTINGS, "iterations": 700, "seed": 5}
    interrupt(given, place, after=2, **settings)
    assert "cannot bring back the data of its run" in refusal(ew.resume, place)
    assert_same(ew.sample(given, **settings), ew.sample(given, checkpoint=place, **settings))


CONDITIONS = {
    "numbers of NumPy": ([1, 2], {np.int64(1): [], np.int64(2): ["Mek"]}),
    "true and false": ([False, True], {False: [], True: {"Mek"}}),
    "decimals": ([0.0, 1.0], {0.0: (), 1.0: np.array(["Mek"])}),
}


@pytest.mark.parametrize(("values", "targets"), CONDITIONS.values(), ids=CONDITIONS)
def test_conditions_come_back_whatever_they_are_called(data, values, targets):
    table = data.assign(condition=np.repeat(values, [60, 20]))
    reading = {"interventions": "condition", "targets": MappingProxyType(targets), "drop": {"Jnk"}}
    back = requests.unpack_request(through_a_file(requests.Request(table, reading=reading)))
    assert ew.load_data(back.data, **back.reading).record() == ew.load_data(table, **reading).record()


def test_columns_come_back_in_their_order(data):
    reading = {"columns": {"Erk", "Raf", "Mek"}}
    back = requests.unpack_request(through_a_file(requests.Request(data, reading=reading)))
    assert ew.load_data(back.data, **back.reading).names == ew.load_data(data, **reading).names
    assert requests.unpack_request(through_a_file(requests.Request(None, nodes=data.columns))).nodes == NAMES


def test_conditions_that_no_file_can_hold_are_given_again(data, place):
    """Such as Python's decimal numbers, which name conditions all the same."""
    table = data.assign(condition=np.repeat(["1", "2"], [60, 20]))
    reading = {"interventions": "condition", "targets": {Decimal(1): [], Decimal(2): ["Mek"]}}
    interrupt(table, place, **reading)
    assert "cannot bring back the targets of its run" in refusal(ew.resume, place)
    assert_same(
        ew.sample(table, seed=5, **SETTINGS, **reading),
        ew.sample(table, seed=5, checkpoint=place, **SETTINGS, **reading),
    )


def through_a_file(request):
    """Return a request as it is packed, written and read."""
    frame = requests.pack_request(request)
    assert frame.numbers["missing"] is None
    return Frame(frame.arrays, json.loads(json.dumps(frame.numbers)))


def test_a_dataset_is_given_again(data, expected, place):
    dataset = ew.load_data(data)
    interrupt(dataset, place)
    assert "cannot bring back the data of its run" in refusal(ew.resume, place)
    assert_same(expected, ew.sample(dataset, seed=5, checkpoint=place, **SETTINGS))
    assert_same(expected, ew.sample(data, seed=5, checkpoint=place, **SETTINGS))


# The end of a run.


def test_a_stored_run_goes_on_in_a_file(data, expected, place, tmp_path):
    store = tmp_path / "draws.nc"
    with killed(after=6):
        ew.sample(data, seed=5, checkpoint=place, store=store, **SETTINGS)
    assert list(tmp_path.glob("draws.nc*")) == []
    assert_same(expected, ew.resume(place, store=store, progress=False))
    assert_same(expected, ew.load(store))
    longer = ew.extend(place, iterations=5000, store=store, progress=False)
    assert_same(longer, ew.load(store))


def test_a_stored_run_in_memory_is_extended_into_its_own_file(data, longer, tmp_path):
    store = tmp_path / "draws.nc"
    short = ew.sample(data, seed=5, store=store, **SETTINGS)
    assert_same(longer, ew.extend(short, iterations=5000, store=store, progress=False))
    assert_same(longer, ew.load(store))


@contextmanager
def signalled(number, *, at):
    """Send a signal when both chains have made some iterations."""
    advance, lock, there = engines._advance, threading.Lock(), set()

    def advance_and_send(chain, steps):
        back = advance(chain, steps)
        with lock:
            if len(there) < 2 and chain.iteration >= at:
                there.add(id(chain))
                if len(there) == 2:
                    os.kill(os.getpid(), number)
        return back

    before = signal.getsignal(number)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(engines, "_advance", advance_and_send)
        yield
    assert len(there) == 2
    assert signal.getsignal(number) is before


LONG = {**SETTINGS, "iterations": 20_000, "burn_in": 4000, "thin": 20, "seed": 5}


@pytest.fixture(scope="module")
def long(data):
    return ew.sample(data, **LONG)


@pytest.mark.parametrize(
    ("number", "cause"),
    [(signal.SIGINT, "keyboard"), (signal.SIGTERM, "termination signal"), (signal.SIGHUP, "hangup signal")],
)
@pytest.mark.parametrize("at", [1, 8000])
def test_a_run_that_was_told_to_stop_goes_on(data, long, place, monkeypatch, number, cause, at):
    monkeypatch.setattr(chains, "LAST_SECONDS", 3600.0)
    with signalled(number, at=at), pytest.warns(ew.StoppedEarlyWarning, match=f"by the {cause}"):
        early = ew.sample(data, checkpoint=place, **LONG)
    assert early.info["stopped_by"] == cause
    assert early.weights.shape[1] >= chains.FEW_DRAWS
    if at > 4000:
        number = early.weights.shape[1]
        np.testing.assert_array_equal(early.orders(), long.orders()[:, :number])
    assert_same(long, ew.resume(place, progress=False))


def test_a_run_that_was_stopped_in_burn_in_is_extended_from_there(data, place, monkeypatch):
    monkeypatch.setattr(chains, "LAST_SECONDS", 3600.0)
    settings = {**SETTINGS, "iterations": 10**7, "burn_in": 5000, "thin": 100, "seed": 5}
    with ctrl_c(chains=2), pytest.warns(ew.StoppedEarlyWarning):
        early = ew.sample(data, checkpoint=place, **settings)
    with pytest.raises(ew.ArgumentError, match="nothing would be drawn"):
        ew.extend(place, iterations=5000, progress=False)
    expected = ew.sample(data, **{**settings, "iterations": 10_000})
    assert_same(expected, ew.extend(early, iterations=10_000, progress=False))


def test_a_stopped_run_in_memory_goes_on_if_its_chains_are_equally_far(data):
    settings = {**SETTINGS, "iterations": 10**8, "burn_in": 0, "chains": 1, "thin": 100, "seed": 5}
    with ctrl_c(chains=1, at=5000), pytest.warns(ew.StoppedEarlyWarning):
        early = ew.sample(data, **settings)
    length = early.info["iterations_done"] + 10_000
    assert_same(
        ew.sample(data, **{**settings, "iterations": length}), ew.extend(early, iterations=length, progress=False)
    )


def test_a_stopped_run_in_memory_cannot_go_on_if_one_chain_is_behind(data, monkeypatch):
    advance, slow = engines._advance, {}

    def advance_or_lag(chain, steps):
        return advance(chain, 1 if slow.setdefault("chain", chain) is chain else steps)

    monkeypatch.setattr(engines, "_advance", advance_or_lag)
    monkeypatch.setattr(chains, "LAST_SECONDS", 3600.0)
    settings = {**SETTINGS, "iterations": 10**8, "burn_in": 0, "thin": 1, "seed": 5}
    with ctrl_c(chains=1, at=5000), pytest.warns(ew.StoppedEarlyWarning):
        early = ew.sample(data, **settings)
    message = refusal(ew.extend, early, iterations=10**8, error=ew.ArgumentError)
    assert "its chains were not equally far" in message
    assert "only with a checkpoint" in message


def test_ctrl_c_while_candidates_are_sought_leaves_no_chain_behind(data, expected, place, monkeypatch):
    """Chains of a target that is not finished must not go on with another one."""
    make_plan = runs.make_plan

    def press(*arguments, **settings):
        os.kill(os.getpid(), signal.SIGINT)
        return make_plan(*arguments, **settings)

    with monkeypatch.context() as patched:
        patched.setattr(runs, "make_plan", press)
        with pytest.warns(ew.StoppedEarlyWarning):
            ew.sample(data, seed=5, checkpoint=place, **SETTINGS)
    assert not any(path.stat().st_size for path in place.glob("chain-*"))
    assert_same(expected, ew.resume(place, progress=False))


def test_ctrl_c_while_candidates_are_sought_again_changes_nothing(expected, killed_place, monkeypatch):
    before = {path.name: path.read_bytes() for path in killed_place.iterdir()}
    make_plan = runs.make_plan

    def press(*arguments, **settings):
        os.kill(os.getpid(), signal.SIGINT)
        return make_plan(*arguments, **settings)

    with monkeypatch.context() as patched:
        patched.setattr(runs, "make_plan", press)
        with pytest.raises(KeyboardInterrupt):
            ew.resume(killed_place, progress=False)
    assert {path.name: path.read_bytes() for path in killed_place.iterdir()} == before
    assert_same(expected, ew.resume(killed_place, progress=False))


@contextmanager
def time_ends(*, after):
    """Let the time of a run end when all of its chains have so many iterations; provide how many each has."""
    note, iterations = chains.Work.note, []

    def note_and_look(work, *arguments):
        note(work, *arguments)
        iterations[:] = [mine.iteration for mine in work.running]
        if min(iterations) >= after:
            work.stop._deadline = 0.0

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(chains.Work, "note", note_and_look)
        with pytest.warns(ew.StoppedEarlyWarning, match="time budget"):
            yield iterations


def test_a_time_budget_begins_anew(data, place):
    settings = {**SETTINGS, "iterations": 10**9, "burn_in": 1000, "thin": 100, "seed": 5, "time_budget": 1e6}
    with time_ends(after=10_000):
        early = ew.sample(data, checkpoint=place, **settings)
    number = early.weights.shape[1]
    with time_ends(after=early.info["iterations_done"] + 10_000) as iterations:
        later = ew.resume(place, progress=False)
    assert 90 <= number <= later.weights.shape[1] - 100
    np.testing.assert_array_equal(early.orders(), later.orders()[:, :number])
    ended = ew.extend(place, iterations=max(iterations) + 10**4, progress=False)
    assert ended.info["stopped_by"] is None
    np.testing.assert_array_equal(later.orders(), ended.orders()[:, : later.weights.shape[1]])


class Clock:
    """Goes on by a millisecond whenever somebody looks at it, however busy the machine is."""

    def __init__(self):
        self._looks = count()

    def monotonic(self):
        return 1e-3 * next(self._looks)


@pytest.fixture
def clock(monkeypatch):
    """The clock of the next runs."""
    clock = Clock()
    monkeypatch.setattr(chains, "time", clock)
    monkeypatch.setattr(stopping, "time", clock)


def test_a_run_as_long_as_its_time_goes_on(data, place, clock):
    settings = {"chains": 2, "seed": 5, "time_budget": 0.15, "progress": False}
    early = ew.sample(data, checkpoint=place, **settings)
    later = ew.resume(place, progress=False)
    number = early.weights.shape[1]
    assert number < later.weights.shape[1]
    assert later.info["schedule"]["thin"] == early.info["schedule"]["thin"]
    np.testing.assert_array_equal(early.orders(), later.orders()[:, :number])


def test_a_run_as_long_as_its_time_draws_as_it_is_told(data, place, clock):
    settings = {"chains": 2, "seed": 5, "burn_in": 100, "thin": 3, "progress": False}
    posterior = ew.sample(data, time_budget=0.1, checkpoint=place, **settings)
    done = posterior.info["iterations_done"]
    assert posterior.info["schedule"] == {"iterations": done, "burn_in": 100, "thin": 3}
    assert posterior.weights.shape[1] == (done - 100) // 3
    furthest = max(read_frames(place / f"chain-{number}")[0][-1].numbers["iteration"] for number in (1, 2))
    length = furthest + 3000
    assert_same(ew.sample(data, iterations=length, **settings), ew.extend(place, iterations=length, progress=False))


def test_a_run_as_long_as_its_time_may_be_killed_when_some_chains_have_burnt_in(data, place, clock):
    """How often chains draw is settled when they have burnt in, and must then be the same for all."""
    settings = {"chains": 2, "seed": 5, "time_budget": 0.15, "progress": False}
    ew.sample(data, checkpoint=place, **settings)
    kept, at = read_frames(place / "chain-1")[0], 0
    for frame in kept:
        if frame.numbers["schedule"]["burn_in"] < MOST_ITERATIONS:
            break
        at += len(encode(frame))
    assert 0 < at < (place / "chain-1").stat().st_size
    os.truncate(place / "chain-1", at)
    thin = read_frames(place / "chain-2")[0][-1].numbers["schedule"]["thin"]
    posterior = ew.resume(place, progress=False)
    assert posterior.info["schedule"]["thin"] == thin
    assert posterior.weights.shape[1] > 0


def test_iterations_of_an_earlier_session_say_nothing_about_the_pace(monkeypatch):
    """A hundred iterations a second: 2000 of burn-in, and 8000 draws to choose from."""
    now = [0.0]
    for module in (chains, stopping):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    schedule = runs.Schedule(MOST_ITERATIONS, MOST_ITERATIONS, 1)
    mine = chains.RunningChain(SimpleNamespace(iteration=10**6, schedule=schedule), 10**6, next_steps=100)

    class Regular(engines.Threads):
        def submit(self, number, chain, steps):
            chain.iteration += steps
            now[0] += 1.0
            return self._pool.submit(int)

    def note(number, back, seconds):
        mine.iteration = mine.chain.iteration

    with ThreadPoolExecutor(1) as pool:
        cause = chains._burn_in([mine], Regular(pool), note, stopping.Stop(100.0), lengths.Timed(0.2, 4000, None))
    assert cause is None
    assert mine.chain.schedule == runs.Schedule(MOST_ITERATIONS, 10**6 + 2000, 2)


def test_a_run_as_long_as_its_time_that_died_in_burn_in_can_be_given_a_length(data, place):
    with killed(after=4):
        ew.sample(data, chains=2, seed=5, time_budget=3600, checkpoint=place, progress=False)
    posterior = ew.extend(place, iterations=20_000, progress=False)
    assert posterior.info["schedule"]["iterations"] == 20_000
    assert posterior.weights.shape[1] > 1000


# Until the verdict is good.


UNTIL = {"iterations": 300, "thin": 5, "chains": 4, "seed": 5, "progress": False}


@pytest.fixture(scope="module")
def good(data):
    return ew.sample(data, until="good", **UNTIL)


def test_a_run_goes_on_until_it_is_good(data, good):
    short = ew.sample(data, **UNTIL)
    assert not short.silent_diagnostics.is_converged
    assert good.silent_diagnostics.is_converged
    done = good.info["iterations_done"]
    assert 300 < done == good.info["schedule"]["iterations"] <= 30_000
    assert good.info["schedule"]["burn_in"] == 60
    assert_same(ew.sample(data, **{**UNTIL, "iterations": done, "burn_in": 60}), good)
    before = ew.sample(data, **{**UNTIL, "iterations": int(np.ceil(done / 1.5)), "burn_in": 60})
    assert not before.silent_diagnostics.is_converged


@pytest.mark.parametrize("after", [4, 9, 17])
def test_a_run_until_it_is_good_goes_on_in_the_middle(data, good, place, after):
    with killed(after=after):
        ew.sample(data, until="good", checkpoint=place, **UNTIL)
    assert_same(good, ew.resume(place, progress=False))
    assert_same(good, ew.resume(place, progress=False))


def test_a_run_until_it_is_good_is_stored(data, good, tmp_path):
    assert_same(good, ew.sample(data, until="good", store=tmp_path / "draws.nc", **UNTIL))
    assert_same(good, ew.load(tmp_path / "draws.nc"))


def test_a_run_that_does_not_become_good_ends(data, monkeypatch):
    monkeypatch.setattr(lengths, "LONGEST", 3)
    posterior = ew.sample(data, until="good", **{**UNTIL, "iterations": 40, "thin": 20})
    assert posterior.info["iterations_done"] == 120
    assert not posterior.silent_diagnostics.is_converged


def test_a_run_until_it_is_good_ends_with_its_time(data):
    settings = {**UNTIL, "iterations": 10**8, "thin": 1000, "burn_in": 0}
    with pytest.warns(ew.StoppedEarlyWarning, match="time budget"):
        ew.sample(data, until="good", time_budget=0.2, **settings)


def test_a_run_until_it_is_good_ends_with_its_time_between_two_looks(data, place):
    # All steps are in the first block, after which the time is over and the chains are at their end.
    settings = {**UNTIL, "iterations": 8, "thin": 1, "burn_in": 0}
    with pytest.warns(ew.StoppedEarlyWarning, match="by the time budget after 8 of 12 iterations"):
        posterior = ew.sample(data, until="good", time_budget=1e-3, checkpoint=place, **settings)
    assert posterior.info["stopped_by"] == "time budget"
    with pytest.warns(ew.StoppedEarlyWarning, match="by the time budget after 8 of 12 iterations"):
        assert_same(posterior, ew.resume(place, progress=False))
    longer = ew.extend(place, iterations=5000, progress=False)
    np.testing.assert_array_equal(longer.orders()[:, :8], posterior.orders())


def test_nothing_else_is_waited_for(data):
    assert "until must be 'good' or None" in refusal(ew.sample, data, until="best", error=ew.ArgumentError)


# Damage.


def test_a_torn_last_block_is_dropped_with_a_message(expected, killed_place, capsys):
    file = killed_place / "chain-2"
    os.truncate(file, file.stat().st_size - 1)
    assert_same(expected, ew.resume(killed_place, progress=True))
    said = capsys.readouterr().err
    assert "The last block of chain 2 in the checkpoint was not complete" in said
    assert "chain 1" not in said


def test_a_block_that_has_changed_is_dropped_with_all_after_it(data, expected, place):
    interrupt(data, place, after=10)
    file = place / "chain-1"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert_same(expected, ew.resume(place, progress=False))


@pytest.mark.parametrize("name", ["chain-1", "chain-2"])
def test_a_chain_whose_file_is_lost_begins_anew(expected, killed_place, name):
    (killed_place / name).unlink()
    assert_same(expected, ew.resume(killed_place, progress=False))


@pytest.mark.parametrize("name", ["request", "run.json"])
@pytest.mark.parametrize("content", [None, b"", b"{", b"[1, 2]", bytes(1000)])
def test_a_checkpoint_that_is_no_good_is_refused(killed_place, name, content):
    (killed_place / name).unlink()
    if content is not None:
        (killed_place / name).write_bytes(content)
    message = refusal(ew.resume, killed_place)
    assert str(killed_place) in message


def reseal(path, change):
    """Change the last frame of a file, and give it the right checksum."""
    found, _, _ = read_frames(path)
    path.write_bytes(b"".join(map(encode, [*found[:-1], change(found[-1])])))


def put(**changes):
    return lambda frame: Frame(
        {**frame.arrays, **{name: make(frame.arrays) for name, make in changes.items()}}, frame[1]
    )


def set_number(**changes):
    return lambda frame: Frame(frame.arrays, {**frame.numbers, **changes})


HOSTILE = {
    "draws of a family beyond": put(family=lambda arrays: arrays["family"] + np.int32(1000)),
    "draws of another variable": put(family=lambda arrays: arrays["family"][:, ::-1].copy()),
    "an order that is none": put(order=lambda arrays: np.zeros_like(arrays["order"])),
    "an order of objects": put(order=lambda arrays: arrays["order"].astype(float)),
    "parents beyond the variables": put(family_parents=lambda arrays: ~arrays["family_parents"]),
    "fewer scores": put(log_score=lambda arrays: arrays["log_score"][1:]),
    "fewer draws": put(
        **{name: lambda arrays, name=name: arrays[name][1:] for name in ("family", "order", "log_score", "log_prior")}
    ),
    "a state that is no order": put(**{"state state.order": lambda arrays: arrays["state state.order"] * 0}),
    "a schedule without thinning": set_number(schedule={"iterations": 3000, "burn_in": 600, "thin": 0}),
    "a schedule that makes no sense": set_number(schedule={"iterations": "many"}),
    "an iteration that is not yet": set_number(iteration=10**6),
    "an iteration before the first": set_number(iteration=-1),
    "no random numbers": set_number(generators={}),
    "random numbers that are a number": set_number(generators=1.5),
    "other random numbers": set_number(generators={"rng": {"bit_generator": "MT19937"}}),
    "nothing": lambda frame: Frame({}, {}),
}


@pytest.fixture(scope="module")
def ended(data, tmp_path_factory):
    """The checkpoint of a run that has ended, with draws in the last frame."""
    place = tmp_path_factory.mktemp("ended") / "checkpoint"
    with frames_often(block_seconds=100.0):
        ew.sample(data, seed=5, checkpoint=place, **SETTINGS)
    return place


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_what_no_run_can_have_written_is_refused(ended, place, change):
    shutil.copytree(ended, place)
    reseal(place / "chain-1", change)
    assert "begin" in refusal(ew.resume, place)


def test_a_request_that_makes_no_sense_is_refused(killed_place):
    for change in (
        set_number(sampler={"name": "system", "settings": {}}),
        set_number(sampler={"name": "Knowledge", "settings": {}}),
        set_number(data={"kind": "table"}),
        set_number(seed="five"),
        set_number(seed=-1),
        set_number(chains=None),
        set_number(chains=-1),
        set_number(chains=3),
        set_number(chains=2**34),
        set_number(time_budget="long"),
        set_number(until="best"),
        set_number(reading=5),
        set_number(reading={"colour": "red"}),
        lambda frame: Frame({}, {}),
    ):
        before = (killed_place / "request").read_bytes()
        reseal(killed_place / "request", change)
        assert "is damaged" in refusal(ew.resume, killed_place)
        (killed_place / "request").write_bytes(before)


@pytest.mark.parametrize("kind", ["nothing", "a file", "an empty directory", "a directory of something else"])
def test_what_is_no_checkpoint_cannot_go_on(tmp_path, kind):
    place = tmp_path / "place"
    if kind == "a file":
        place.write_text("mine")
    elif kind != "nothing":
        place.mkdir()
        if kind == "a directory of something else":
            (place / "thesis.tex").write_text("mine")
    assert "There is no checkpoint in" in refusal(ew.resume, place)
    assert "There is no checkpoint in" in refusal(ew.extend, place, iterations=10)


def test_a_checkpoint_is_not_made_among_other_files(data, tmp_path):
    (tmp_path / "file").write_text("mine")
    assert "(File exists)" in refusal(ew.sample, data, checkpoint=tmp_path / "file")
    assert "(Not a directory)" in refusal(ew.sample, data, checkpoint=tmp_path / "file" / "below")
    (tmp_path / "chain-1").write_text("mine")
    message = refusal(ew.sample, data, checkpoint=tmp_path)
    assert "has other files, such as 'chain-1'" in message
    assert (tmp_path / "chain-1").read_text() == "mine"


def test_the_disk_may_be_full_at_any_moment(data, expected, place, monkeypatch):
    fsync = os.fsync
    for lives in (0, 1, 2, 5, 9, 14):
        left = [lives]

        def sync(descriptor, left=left):
            left[0] -= 1
            if left[0] < 0:
                raise OSError(28, "No space left on device")
            fsync(descriptor)

        with monkeypatch.context() as patched:
            patched.setattr(frames.os, "fsync", sync)
            assert "No space left on device" in refusal(ew.sample, data, seed=5, checkpoint=place, **SETTINGS)
        assert not list(place.glob("*.part"))
    assert_same(expected, ew.resume(place, progress=False))


def test_a_checkpoint_that_vanishes_is_missed(data, place, monkeypatch):
    note = checkpoints.Checkpoint.note

    def note_and_remove(self, number, chain, back, **settings):
        note(self, number, chain, back, **settings)
        if chain.iteration > 100 and place.exists():
            place.rename(place.with_name("elsewhere"))
            for path in place.with_name("elsewhere").iterdir():
                path.unlink()

    monkeypatch.setattr(checkpoints.Checkpoint, "note", note_and_remove)
    assert "No such file" in refusal(ew.sample, data, seed=5, checkpoint=place, **SETTINGS)


# Others.


def test_a_checkpoint_has_few_files(data, place):
    ew.sample(data, seed=5, checkpoint=place, **{**SETTINGS, "iterations": 20_000})
    assert sorted(path.name for path in place.iterdir()) == ["chain-1", "chain-2", "lock", "request", "run.json"]
    assert len(read_frames(place / "chain-1")[0]) > 10


def test_frames_become_rarer_as_a_run_gets_longer(data, place, monkeypatch):
    monkeypatch.setattr(checkpoints, "SECONDS", 2.0)
    monkeypatch.setattr(checkpoints, "SHARE", 0.01)
    run = checkpoints.Checkpoint(place, requests.Request(data, chains=1))
    pending = checkpoints._Pending(-1)
    run._pending = [pending]
    written = []

    class File:
        def append(self, frame):
            written.append(pending.total)

    run._files = [File()]
    plan = runs.make_plan(data, None, sampler=None, score=None, prior=None, constraints=None)
    chain = plan.model.start(np.arange(5), np.random.default_rng(1), runs.Schedule(10**9, 0, 1000))
    for _ in range(20_000):
        chain.iteration += 1
        back = engines.Advanced([], chain.families(), False, 1.0)
        pending.add(back._replace(blocks=[]))
        pending.groups = []
        run.note(0, chain, None)
    gaps = np.diff(written)
    assert gaps.min() >= 2.0
    assert gaps[-1] > 150
    assert len(written) < 700


def test_two_runs_cannot_use_one_checkpoint(data, killed_place):
    """Another process, that holds the lock as this one would."""
    program = """
        import sys
        from pathlib import Path
        from edgewise.running.locks import hold
        held = hold(Path(sys.argv[1]) / "lock")
        print("held", flush=True)
        sys.stdin.read()
    """
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", textwrap.dedent(program), str(killed_place)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout.readline() == "held\n"
        assert "is used by another run at this moment" in refusal(ew.resume, killed_place)
        assert "is used by another run" in refusal(ew.extend, killed_place, iterations=5000)
        assert "is used by another run" in refusal(ew.sample, data, seed=5, checkpoint=killed_place, **SETTINGS)
        other.kill()
    assert ew.resume(killed_place, progress=False).info["schedule"]["iterations"] == 3000


def test_two_runs_of_one_process_cannot_use_one_checkpoint(data, place):
    run = checkpoints.Checkpoint(place, requests.Request(data, chains=1))
    interrupt(data, place)
    run._lock = checkpoints.hold(place / "lock")
    assert "is used by another run" in refusal(ew.resume, place.parent / "." / place.name)
    run.close()
    ew.resume(place, progress=False)


def test_where_there_are_no_locks_a_process_still_knows_its_own_runs(place, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.lockf", fail)
    place.mkdir()
    held = checkpoints.hold(place / "lock")
    with pytest.raises(ew.StorageError, match="is used by another run"):
        checkpoints.hold(place / "lock")
    held.close()
    checkpoints.hold(place / "lock").close()


def test_an_error_lets_go_of_the_checkpoint(killed_place):
    """Also as long as somebody looks at the error."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(FrameFile, "append", lambda file, frame: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed) as caught:
            ew.resume(killed_place, progress=False)
    ew.resume(killed_place, progress=False)
    assert caught.value is not None


def test_what_was_asked_for_can_be_read_by_people(data, place):
    ew.sample(data, seed=5, checkpoint=place, **SETTINGS)
    about = json.loads((place / "run.json").read_text())
    assert about["seed"] == 5
    assert about["nodes"] == NAMES
    assert about["sampler"]["name"] == "DagMCMC"


def test_a_request_is_what_was_asked_for(data):
    request = requests.Request(data, start=[0, 1], seed=3, thin=None, prior=ew.Sparsity("auto"))
    back = requests.unpack_request(requests.pack_request(request))
    pd.testing.assert_frame_equal(back.data, data, check_column_type=False)
    assert replace(back, data=None) == replace(request, data=None)


def test_a_run_that_goes_on_keeps_the_name_of_its_data(data, place, tmp_path):
    path = tmp_path / "cells.csv"
    data.to_csv(path, index=False)
    settings = {"iterations": 200, "thin": 10, "chains": 2, "seed": 1, "progress": False}
    posterior = ew.sample(path, checkpoint=place, **settings)
    path.replace(tmp_path / "renamed.csv")
    again = ew.sample(tmp_path / "renamed.csv", checkpoint=place, **settings)  # the same data, by whatever name
    longer = ew.extend(place, iterations=400, progress=False)
    names = [one.info["data"]["name"] for one in (posterior, again, longer)]
    assert names == ["cells.csv", "renamed.csv", "cells.csv"]
    assert ew.sample(data, **settings).info["data"].get("name") is None

"""What is saved is loaded; what was not saved, or not like this, is refused in one sentence."""

import io
import json
import os
import pickle
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import h5netcdf
import h5py
import numpy as np
import pytest
import xarray as xr

import edgewise as ew
from edgewise.data import load_data
from edgewise.posterior import draws, storage
from edgewise.posterior.record import as_plain, describe_part
from edgewise.posterior.storage import DRAWN, EXTRAS, FAMILIES, GROUPED, MOMENTS, DrawFile
from edgewise.running.plan import Plan
from naive.graphs import random_dag
from records import collect, make_posterior, make_record
from sentences import check_sentence

NAMES = [
    '"Raf"',
    "it's",
    "two\nlines",
    "Größe µ 蛋白 🧬",
    "<script>alert(1)</script>",
    "a,b;c\td",
    "\\",
    "\x00\x1b[31m",
    " ",
]


def make(nodes=NAMES, shape=(2, 40)):
    """Return a posterior, the same one for the same names."""
    return make_once(tuple(nodes), shape)


@cache
def make_once(nodes, shape):
    rng = np.random.default_rng(7)
    dags = np.array([[random_dag(len(nodes), rng) for _ in range(shape[1])] for _ in range(shape[0])])
    info = {"seed": 2**80, "share": 0.1, "none": None, "yes": True, "nested": {"list": [1, "ü\n"]}}
    return make_posterior(dags, nodes=nodes, info=info)


def assert_identical(first, second):
    assert first.nodes == second.nodes
    assert json.dumps([first.info, first.moves]) == json.dumps([second.info, second.moves])  # in the same order, too
    for name in (*DRAWN, *FAMILIES):
        one, other = (np.asarray(getattr(posterior.draws, name)) for posterior in (first, second))
        assert one.dtype == other.dtype, name
        np.testing.assert_array_equal(one, other)
    assert (first.moments is None) == (second.moments is None)
    if first.moments is not None:
        assert type(first.moments.n) is type(second.moments.n) is int
        assert first.moments.n == second.moments.n
        for name in MOMENTS:
            np.testing.assert_array_equal(getattr(first.moments, name), getattr(second.moments, name), strict=True)
    assert (first.grouped is None) == (second.grouped is None)
    if first.grouped is not None:
        for name in vars(first.grouped):
            np.testing.assert_array_equal(getattr(first.grouped, name), getattr(second.grouped, name), strict=True)
    assert first.edges().equals(second.edges())


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """What is in the file of the posterior that was made by hand."""
    path = tmp_path_factory.mktemp("saved") / "posterior.nc"
    make().save(path)
    return path.read_bytes()


@pytest.fixture
def saved(tmp_path, content):
    path = tmp_path / "posterior.nc"
    path.write_bytes(content)
    return path


def refusal(path):
    with pytest.raises(ew.StorageError) as caught:
        ew.load(path)
    return check_sentence(str(caught.value))


def test_a_posterior_made_by_hand_comes_back(saved):
    assert_identical(ew.load(saved), make())
    assert_identical(ew.load(str(saved)), make())
    assert os.listdir(saved.parent) == ["posterior.nc"]


def test_a_sampled_posterior_comes_back(tmp_path):
    data = ew.simulate(5, 100, seed=1).data
    posterior = ew.sample(
        data, score=ew.BGe(nu=(1, 2, 3, 4, 5)), iterations=2000, thin=10, seed=np.int32(1), progress=False
    )
    posterior.save(tmp_path / "p")
    assert_identical(ew.load(tmp_path / "p"), posterior)
    assert posterior.moments.n == 100
    np.testing.assert_allclose(posterior.moments.mean, data.mean(), rtol=1e-12)


def test_names_may_fill_more_than_an_hdf5_header(tmp_path):
    posterior = make([f"{number} {'long ' * 20_000}" for number in range(5)])
    posterior.save(tmp_path / "p.nc")
    assert_identical(ew.load(tmp_path / "p.nc"), posterior)


@pytest.mark.parametrize("shape", [(1, 1), (1, 300), (5, 2)])
def test_any_number_of_chains_and_draws(tmp_path, shape):
    posterior = make(["a", "b"], shape)
    posterior.save(tmp_path / "p.nc")
    assert_identical(ew.load(tmp_path / "p.nc"), posterior)


def test_saving_replaces_a_former_file(saved):
    other = make(["a", "b", "c"])
    other.save(saved)
    assert_identical(ew.load(saved), other)


def test_the_file_is_open_to_other_tools(saved):
    with xr.open_dataset(saved, engine="h5netcdf") as dataset:
        assert dataset["order"].dims == ("chain", "draw", "position")
        assert dataset["log_score"].shape == (2, 40)


@pytest.mark.parametrize("name", ["p.pkl", "p.pickle", "p.json", "run.v2"])
def test_other_kinds_of_files_are_refused(tmp_path, name):
    with pytest.raises(ew.ArgumentError) as caught:
        make().save(tmp_path / name)
    assert "let it end in .nc" in check_sentence(str(caught.value))
    assert not os.listdir(tmp_path)


def test_a_directory_that_is_not_there(tmp_path):
    with pytest.raises(ew.StorageError) as caught:
        make().save(tmp_path / "nowhere" / "p.nc")
    assert "make the directory first" in check_sentence(str(caught.value))
    assert not os.listdir(tmp_path)


def test_a_directory_in_place_of_a_file_to_write(tmp_path):
    with pytest.raises(ew.StorageError) as caught:
        make().save(tmp_path)
    assert "is a directory" in check_sentence(str(caught.value))


def test_a_file_in_place_of_a_directory(saved):
    with pytest.raises(ew.StorageError) as caught:
        make().save(saved / "p.nc")
    check_sentence(str(caught.value))
    assert_identical(ew.load(saved), make())


def test_a_write_that_fails_leaves_the_former_file(saved, monkeypatch):
    def fail(*_, **__):
        raise OSError(28, "No space\nleft")

    with monkeypatch.context() as patch:
        patch.setattr(storage, "_checksum", fail)
        with pytest.raises(ew.StorageError) as caught:
            make(["a", "b"]).save(saved)
    assert "No space left on device" in check_sentence(str(caught.value))
    assert os.listdir(saved.parent) == ["posterior.nc"]
    assert_identical(ew.load(saved), make())


@pytest.mark.parametrize("step", ["write", "truncate"])
def test_a_full_disk_leaves_the_former_file(saved, monkeypatch, step):
    def fail(*_):
        raise OSError(28, "No space left on device")

    class Full(storage._Draft, type("Disk", (io.FileIO,), {step: fail})):
        pass

    with monkeypatch.context() as patch:
        patch.setattr(storage, "_Draft", Full)
        with pytest.raises(ew.StorageError) as caught:
            make(["a", "b"]).save(saved)
    assert "No space left on device" in check_sentence(str(caught.value))
    assert os.listdir(saved.parent) == ["posterior.nc"]
    assert_identical(ew.load(saved), make())


def test_no_file(tmp_path):
    assert "There is no file" in refusal(tmp_path / "none.nc")
    assert "There is no file" in refusal(tmp_path / "two\nlines.nc")


def test_a_directory_in_place_of_a_file(tmp_path):
    assert "is a directory" in refusal(tmp_path)


@pytest.mark.parametrize("content", [b"", b"source,target\na,b\n", b"\x89HDF\r\n\x1a\n", b"\0" * 5000])
def test_a_file_of_another_kind(tmp_path, content):
    path = tmp_path / "p.nc"
    path.write_bytes(content)
    assert "not an Edgewise posterior" in refusal(path)


def test_a_file_cut_off_anywhere(saved, content):
    for length in np.linspace(1, len(content) - 1, 25).astype(int):
        saved.write_bytes(content[:length])
        assert "cut off" in refusal(saved)


def test_a_flipped_bit_anywhere_is_noticed_or_harmless(saved, content, rng):
    refused = 0
    for place in rng.integers(len(content), size=40):
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(rng.integers(8))
        saved.write_bytes(damaged)
        try:
            assert_identical(ew.load(saved), make())
        except ew.StorageError as error:
            check_sentence(str(error))
            refused += 1
    assert refused > 5


def test_a_netcdf_file_of_others(tmp_path):
    path = tmp_path / "p.nc"
    with h5netcdf.File(path, "w") as file:  # xarray would write by a client of Dask, if a test before left one behind
        file.dimensions = {"time": 2}
        file.create_variable("temperature", ("time",), data=np.array([1.0, 2.0]))
    assert "not an Edgewise posterior" in refusal(path)


@pytest.mark.parametrize("name", [*DRAWN, *FAMILIES])
def test_a_changed_number(saved, name):
    with h5py.File(saved, "r+") as file:
        values = file[name][...]
        values.reshape(-1).view(np.uint8)[0] ^= 1
        file[name][...] = values
    assert "damaged" in refusal(saved)


def test_a_missing_variable(saved):
    with h5py.File(saved, "r+") as file:
        del file["log_prior"]
    assert "not an Edgewise posterior" in refusal(saved)


@pytest.mark.parametrize(
    ("name", "value"), [("about", '{"nodes": []}'), ("about", 3), ("sha256", "0" * 64), ("sha256", 1)]
)
def test_a_changed_attribute(saved, name, value):
    with h5py.File(saved, "r+") as file:
        file.attrs[name] = value
    assert "posterior.nc" in refusal(saved)


@pytest.mark.parametrize("value", [2, 99, "next"])
def test_a_layout_of_the_future(saved, value):
    with h5py.File(saved, "r+") as file:
        file.attrs["edgewise_format"] = value
    message = refusal(saved)
    assert f"layout {value}" in message
    assert "newer Edgewise" in message


class Bomb:
    def __reduce__(self):
        return os.putenv, ("EDGEWISE_BOMB", "exploded")


def test_nothing_is_unpickled(saved, tmp_path, monkeypatch):
    def explode(*_, **__):
        raise AssertionError("something was unpickled")

    bomb = tmp_path / "bomb.nc"
    bomb.write_bytes(pickle.dumps(Bomb()))
    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, explode)
    assert "not an Edgewise posterior" in refusal(bomb)
    assert_identical(ew.load(saved), make())


def test_saving_what_was_loaded_gives_the_same_file(saved, tmp_path):
    again = tmp_path / "again.nc"
    ew.load(saved).save(again)
    assert_identical(ew.load(again), ew.load(saved))
    assert (
        xr.open_dataset(again, engine="h5netcdf").attrs["sha256"]
        == xr.open_dataset(saved, engine="h5netcdf").attrs["sha256"]
    )


def test_draws_left_in_the_file_are_summarised_alike(saved, monkeypatch):
    in_memory = ew.load(saved)
    monkeypatch.setattr(storage, "MOST_IN_MEMORY", 0)
    monkeypatch.setattr(draws, "ENTRIES_AT_ONCE", 50)
    in_file = ew.load(saved)
    assert isinstance(in_file.draws.family, h5py.Dataset)
    assert_identical(in_file, in_memory)
    np.testing.assert_array_equal(in_file.dags(), in_memory.dags())
    np.testing.assert_array_equal(in_file.orders(), in_memory.orders())
    for summary in ("path_probabilities", "markov_blanket_probabilities", "v_structures", "edge_counts", "degrees"):
        assert getattr(in_file, summary)().equals(getattr(in_memory, summary)())


@pytest.mark.parametrize("per_chunk", [1, 7, 15, 100], ids="{} draws a chunk".format)
def test_draws_written_in_blocks_equal_those_in_memory(tmp_path, monkeypatch, per_chunk):
    """Blocks of 15, 13 and 11 draws; chains of 30, 26 and 22, of which 22 are kept."""
    monkeypatch.setattr(storage, "ENTRIES_PER_CHUNK", 5 * per_chunk)
    rng = np.random.default_rng(1)
    dags = np.array([[random_dag(5, rng) for _ in range(30)] for _ in range(3)])
    records = [make_record(chain[: 30 - 4 * number]) for number, chain in enumerate(dags)]
    with DrawFile(tmp_path / "p.nc", 3, 5) as file:
        written = collect(records, keeper=file)
    assert_identical(written, collect(records))
    assert os.listdir(tmp_path) == ["p.nc"]


def test_a_file_that_is_never_finished_leaves_nothing(tmp_path):
    with pytest.raises(RuntimeError), DrawFile(tmp_path / "p.nc", 1, 5):
        raise RuntimeError
    assert not os.listdir(tmp_path)


def test_sampling_into_a_file_draws_the_same(tmp_path):
    sim = ew.simulate(6, 100, seed=1)
    settings = {"iterations": 5000, "thin": 5, "chains": 2, "seed": 3, "progress": False}
    stored = ew.sample(sim.data, store=tmp_path / "p.nc", **settings)
    kept = ew.sample(sim.data, **settings)
    np.testing.assert_array_equal(stored.dags(), kept.dags())
    np.testing.assert_array_equal(stored.log_posterior, kept.log_posterior)
    assert stored.edges().equals(kept.edges())
    assert stored.total_effects(draws=20, seed=1).equals(kept.total_effects(sim.data, draws=20, seed=1))
    assert os.listdir(tmp_path) == ["p.nc"]


def count_calls(monkeypatch, owner, name):
    """Return a list that grows with every call of a function."""
    calls, function = [], getattr(owner, name)

    def counted(*args, **kwargs):
        calls.append(name)
        return function(*args, **kwargs)

    monkeypatch.setattr(owner, name, counted)
    return calls


@pytest.mark.parametrize("sampler", [ew.MinimalIMAP(), ew.MinimalIMAP(target="dags")], ids=["plain", "weighted"])
@pytest.mark.parametrize("left_in_the_file", [False, True])
def test_a_run_writes_and_checks_its_file_once(tmp_path, monkeypatch, sampler, left_in_the_file):
    """What needs the target, weights and Rao-Blackwellised probabilities, is added before the file is closed."""
    if left_in_the_file:
        monkeypatch.setattr(storage, "MOST_IN_MEMORY", 0)
    settings = {"sampler": sampler, "iterations": 2000, "thin": 10, "seed": 3, "progress": False}
    data = ew.simulate(5, 100, seed=1).data
    written = count_calls(monkeypatch, storage.h5netcdf, "File")
    checked = count_calls(monkeypatch, storage, "_checksum")
    stored = ew.sample(data, store=tmp_path / "p.nc", **settings)
    assert (len(written), len(checked)) == (1, 1)
    assert isinstance(stored.draws.family, h5py.Dataset) == left_in_the_file
    loaded, kept = ew.load(tmp_path / "p.nc"), ew.sample(data, **settings)
    assert_identical(loaded, stored)
    np.testing.assert_array_equal(stored.dags(), kept.dags())
    for posterior in (stored, loaded):
        np.testing.assert_allclose(posterior.weights, kept.weights, rtol=1e-9)
        np.testing.assert_allclose(posterior.conditionals, kept.conditionals, rtol=1e-6)


def test_ctrl_c_while_a_posterior_is_completed_keeps_its_draws(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    settings = {"iterations": 2000, "thin": 10, "seed": 3, "progress": False}
    data = ew.simulate(5, 100, seed=1).data
    kept = ew.sample(data, **settings)
    monkeypatch.setattr(Plan, "complete", interrupt)
    with pytest.raises(KeyboardInterrupt):
        ew.sample(data, store=tmp_path / "p.nc", **settings)
    found = ew.load(tmp_path / "p.nc")
    np.testing.assert_array_equal(found.dags(), kept.dags())
    assert found.conditionals is None
    assert os.listdir(tmp_path) == ["p.nc"]


def forge(path, change):
    """Change a file and make its checksum fit again."""
    with h5py.File(path, "r+") as file:
        change(file)
        variables = {name: file[name] for name in (*DRAWN, *FAMILIES, *EXTRAS) if name in file}
        file.attrs["sha256"] = storage._checksum(file.attrs["about"], variables)


def set_family(file, value):
    file["family"][0, 0, 0] = value


@dataclass(frozen=True)
class FromFile(ew.Prior):
    """A prior of somebody else."""

    path: Path

    def _add_to(self, terms, names):
        pass


def test_a_record_has_lists_and_text_for_whatever_was_given():
    parts = {"score": ew.BGe(nu=range(3)), "prior": FromFile(Path("beliefs") / "mine.yaml")}
    found = as_plain({name: describe_part(part) for name, part in parts.items()})
    assert found["score"]["nu"] == [0, 1, 2]
    assert found["prior"] == {"name": "FromFile", "path": os.path.join("beliefs", "mine.yaml")}


def store_in_one_piece(file, name):
    values = file[name][:]
    del file[name]
    file[name] = values


def test_a_checksum_that_fits_is_accepted(saved):
    forge(saved, lambda file: None)
    assert_identical(ew.load(saved), make())


@pytest.mark.parametrize(
    "change",
    [
        lambda file: set_family(file, 10**6),
        lambda file: set_family(file, -1),
        lambda file: set_family(file, file["family"][0, 0, 1]),
        lambda file: file.attrs.modify("about", file.attrs["about"].replace('"moves"', '"removes"')),
        lambda file: file.attrs.modify("about", '{"nodes": ["a"], "moves": [], "info": {}}'),
        lambda file: store_in_one_piece(file, "log_score"),
    ],
    ids=["no such family", "negative", "family of another variable", "no moves", "too few names", "in one piece"],
)
def test_a_forged_file_is_refused(saved, change):
    forge(saved, change)
    assert "not an Edgewise posterior" in refusal(saved)


# The sufficient statistics of the data


@pytest.fixture
def with_moments(tmp_path):
    posterior = replace(make(list("abcde")), moments=load_data(ew.simulate(5, 30, seed=1).data * 3 + 1).moments)
    posterior.save(tmp_path / "posterior.nc")
    return tmp_path / "posterior.nc", posterior


def change_about(file, change):
    about = json.loads(file.attrs["about"])
    change(about)
    file.attrs.modify("about", json.dumps(about))


def set_moment(file, name, value):
    file[name][(0,) * file[name].ndim] = value


def test_moments_come_back(with_moments, tmp_path):
    path, posterior = with_moments
    assert_identical(ew.load(path), posterior)
    ew.load(path).save(tmp_path / "again.nc")
    assert_identical(ew.load(tmp_path / "again.nc"), posterior)


def test_statistics_of_groups_of_rows_come_back(tmp_path):
    is_set = np.eye(30, 5, -3, dtype=bool)
    data = load_data(ew.simulate(5, 30, seed=1).data * 3 + 1, interventions=is_set)
    posterior = replace(make(list("abcde")), grouped=data.blocks)
    posterior.save(tmp_path / "posterior.nc")
    assert_identical(ew.load(tmp_path / "posterior.nc"), posterior)
    with xr.open_dataset(tmp_path / "posterior.nc", engine="h5netcdf") as dataset:
        assert set(dataset) == {*DRAWN, *FAMILIES, *GROUPED}
        assert dataset["grouped_scatter"].sizes == {"row_group": 5, "node": 5, "node_to": 5}


def test_files_from_before_moments_were_kept_are_read(with_moments):
    """Such a file has neither the arrays nor the number of rows, which :func:`make` shows to be all that differs."""
    path, posterior = with_moments

    def remove(file):
        for name in MOMENTS:
            del file[name]
        change_about(file, lambda about: about.pop("rows"))

    forge(path, remove)
    assert_identical(ew.load(path), replace(posterior, moments=None))
    make(list("abcde")).save(path)
    with xr.open_dataset(path, engine="h5netcdf") as dataset:
        assert set(dataset) == {*DRAWN, *FAMILIES}
        assert set(json.loads(dataset.attrs["about"])) == {"nodes", "moves", "info"}


@pytest.mark.parametrize("name", MOMENTS)
def test_a_changed_moment(with_moments, name):
    path, _ = with_moments
    with h5py.File(path, "r+") as file:
        set_moment(file, name, 0.25)
    assert "damaged" in refusal(path)


def test_a_checksum_of_moments_that_fits_is_accepted(with_moments):
    path, posterior = with_moments
    forge(path, lambda file: set_moment(file, "mean", posterior.moments.mean[0]))
    assert_identical(ew.load(path), posterior)


@pytest.mark.parametrize(
    "change",
    [
        lambda file: set_moment(file, "mean", np.nan),
        lambda file: set_moment(file, "correlation", np.inf),
        lambda file: set_moment(file, "scale", 0.0),
        lambda file: set_moment(file, "scale", -1.0),
        lambda file: file.pop("scale"),
        lambda file: (file.pop("mean"), file.create_dataset("mean", data=np.zeros((5, 1)))),
        lambda file: change_about(file, lambda about: about.pop("rows")),
        lambda file: change_about(file, lambda about: about.update(rows=0)),
        lambda file: change_about(file, lambda about: about.update(rows="many")),
        lambda file: [file.pop(name) for name in MOMENTS],
    ],
    ids=["no number", "infinite", "constant", "negative", "no scale", "shape", "no n", "n of zero", "words", "only n"],
)
def test_forged_moments_are_refused(with_moments, change):
    path, _ = with_moments
    forge(path, change)
    assert "not an Edgewise posterior" in refusal(path)

"""Many data sets in one call."""

import json
import os
import signal
import threading
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise.running import chains, engines, one_set
from edgewise.running import many as module
from edgewise.running.one_set import do_set_apart
from edgewise.running.seeds import choose_seed_of
from edgewise.running.threads import count_threads
from keyboard import ctrl_c
from sentences import check_sentence

QUICK = {"iterations": 400, "thin": 4, "chains": 2, "progress": False}


@pytest.fixture(scope="module")
def data():
    """Data sets by name, of which one is too small."""
    made = {f"plate{number}": ew.simulate(4, 60, seed=number).data for number in range(3)}
    return {**made, "plate1": made["plate1"].head(2)}


@pytest.fixture(scope="module")
def found(data):
    return ew.sample_many(data, seed=1, **QUICK)


@pytest.fixture
def files(data, tmp_path):
    """The same as files."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name, table in data.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.fixture
def begun(monkeypatch):
    """List the data of runs that begin."""
    began = []

    def sample_and_note(data, **settings):
        began.append(data)
        return ew.sample(data, **settings)

    monkeypatch.setattr(one_set, "sample", sample_and_note)
    return began


def check_same(one, other):
    assert list(one) == list(other)
    for name in one:
        np.testing.assert_array_equal(one[name].dags(), other[name].dags())
    columns = one.table.columns.drop("seconds")
    pd.testing.assert_frame_equal(one.table[columns], other.table[columns])


def test_one_that_fails_does_not_stop_the_others(found):
    assert list(found) == ["plate0", "plate2"]
    assert len(found) == 2
    assert repr(found) == "<Many: 2 posteriors of 3 data sets>"
    assert found.stopped_by is None
    assert list(found.failed) == ["plate1"]
    assert "only 2 rows" in check_sentence(found.failed["plate1"])
    for error in (ew.ArgumentError, KeyError):
        with pytest.raises(error, match=r"^There is no posterior of 'plate1': The data have only 2 rows"):
            found["plate1"]
    with pytest.raises(KeyError):
        found["plate9"]
    for missing in ("plate1", "plate9", 5):
        assert missing not in found
        assert found.get(missing) is None
    assert found.get("plate0") is found["plate0"]
    assert "plate1" not in dict(found)


def test_sets_in_files_are_found_from_another_directory_and_not_read_to_see_that_they_are(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    many = ew.sample_many({"plate0": data["plate0"]}, out="out", **QUICK)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert many["plate0"].nodes == tuple(data["plate0"].columns)
    monkeypatch.setattr(module, "load", None)
    assert "plate0" in many


def test_the_table_says_what_the_posteriors_say(found):
    table = found.table.set_index("name")
    assert table.index.tolist() == ["plate0", "plate1", "plate2"]
    assert table.loc["plate1"].drop("error").isna().sum() == 5
    for name, posterior in found.items():
        row, diagnostics = table.loc[name], posterior.silent_diagnostics
        pairs = posterior.pairs()
        assert row["is_converged"] == diagnostics.is_converged
        assert row["verdict"] == diagnostics.verdict
        assert row["joined_pairs"] == (pairs["joined"] >= 0.5).sum()
        assert row["told_directions"] == ((pairs["joined"] >= 0.5) & (pairs["direction"] != "-")).sum()
        assert row["findings"] == len(posterior.info["data"]["findings"])
        assert row["seconds"] > 0
        assert row["error"] == ""


def test_a_set_is_what_sample_makes_of_it(data, found):
    own = choose_seed_of("plate2", 1)
    assert found["plate2"].info["seed"] == own < 2**53
    alone = ew.sample(data["plate2"], seed=own, **QUICK)
    np.testing.assert_array_equal(alone.dags(), found["plate2"].dags())


def test_neither_other_sets_nor_their_order_change_what_is_drawn(data, found):
    few = ew.sample_many({"another": data["plate0"], "plate2": data["plate2"]}, seed=1, **QUICK)
    np.testing.assert_array_equal(few["plate2"].dags(), found["plate2"].dags())
    assert (ew.sample_many({"plate2": data["plate2"]}, seed=2, **QUICK)["plate2"].dags() != few["plate2"].dags()).any()


def test_the_same_on_threads(data, found):
    with ThreadPoolExecutor(2) as threads:
        check_same(found, ew.sample_many(data, seed=1, executor=threads, **QUICK))


@pytest.mark.parametrize("workers", [2.0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("is_kept", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_the_same_on_workers(data, found, workers, is_kept, tmp_path):
    out = tmp_path / "out" if is_kept else None
    check_same(found, ew.sample_many(data, seed=1, workers=workers, out=out, **QUICK))


def test_the_same_on_dask(data, found):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0", protocol="inproc://"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        check_same(found, ew.sample_many(data, seed=1, executor=client, **QUICK))
        dags = [ew.bootstrap(ew.mmhc, data["plate0"], 5, seed=1, executor=place).dags() for place in (None, client)]
    np.testing.assert_array_equal(*dags)


def test_a_worker_has_one_thread_and_leaves_signals_alone(data, monkeypatch):
    seen = []

    def look(**settings):
        seen.append((count_threads(), threading.current_thread() is threading.main_thread()))
        return ew.sample(**settings)

    monkeypatch.setattr(one_set, "sample", look)
    task = one_set.Task("plate0", {"data": data["plate0"], "seed": 1, "iterations": 50, "chains": 1})
    assert do_set_apart(task).row["error"] == ""
    assert seen == [(1, False)]
    assert count_threads() == os.cpu_count()


def test_files_by_a_pattern_and_what_is_written(files, data, found, tmp_path):
    out = tmp_path / "out"
    many = ew.sample_many(str(files / "*.csv"), seed=1, out=out, **QUICK)
    check_same(found, many)
    assert sorted(path.name for path in out.iterdir()) == ["many.json", "plate0", "plate2", "summary.csv"]
    assert sorted(path.name for path in (out / "plate0").iterdir()) == ["checkpoint", "done.json", "posterior.nc"]
    written = pd.read_csv(out / "summary.csv")
    assert written["name"].tolist() == list(data)
    assert written["error"].isna().tolist() == [True, False, True]
    longer = ew.extend(out / "plate0" / "checkpoint", iterations=800, progress=False)
    assert longer.weights.shape == (2, 180)


def test_what_is_done_is_not_done_again_and_what_failed_is(files, data, found, begun, tmp_path):
    settings = {**QUICK, "out": tmp_path / "out"}
    first = ew.sample_many(str(files / "*.csv"), **settings)
    assert len(begun) == 3
    data["plate0"].to_csv(files / "plate1.csv", index=False)
    begun.clear()
    again = ew.sample_many(str(files / "*.csv"), **settings)  # with the seed that was chosen
    assert [path.name for path in begun] == ["plate1.csv"]
    assert not again.failed
    for name in first:
        np.testing.assert_array_equal(again[name].dags(), first[name].dags())
    assert again.table.loc[0].equals(first.table.loc[0])

    (tmp_path / "out" / "plate0" / "posterior.nc").unlink()
    (tmp_path / "out" / "plate2" / "done.json").write_text('{"row": ')
    begun.clear()
    check_same(again, ew.sample_many(str(files / "*.csv"), **settings))
    assert [path.name for path in begun] == ["plate0.csv", "plate2.csv"]


def test_names_in_a_table_may_be_the_nodes_of_sets_without_data(begun, tmp_path):
    for _ in range(2):
        many = ew.sample_many(None, nodes=pd.Index(["a", "b"]), out=tmp_path / "out", **QUICK)
        assert many["data"].nodes == ("a", "b")
    assert begun == [None]


def test_results_of_another_run_are_refused_or_overwritten(data, begun, tmp_path):
    one = {"plate0": data["plate0"]}
    ew.sample_many(one, seed=1, out=tmp_path / "out", **QUICK)
    begun.clear()
    other = {
        "iterations": ew.sample_many(one, seed=1, out=tmp_path / "out", **{**QUICK, "iterations": 500}),
        "data n": ew.sample_many({"plate0": data["plate0"].head(50)}, seed=1, out=tmp_path / "out", **QUICK),
        "prior name": ew.sample_many(one, seed=1, out=tmp_path / "out", prior=ew.Sparsity(1.0), **QUICK),
    }
    for what, many in other.items():
        assert f"are of another run: it differs in {what.split()[0]}" in check_sentence(many.failed["plate0"])
    assert begun == []
    longer = ew.sample_many(one, seed=3, out=tmp_path / "out", overwrite=True, **{**QUICK, "iterations": 500})
    assert longer["plate0"].info["schedule"]["iterations"] == 500
    assert json.loads((tmp_path / "out" / "many.json").read_text()) == {"seed": 3}


def test_all_sets_in_a_directory_have_one_seed(data, begun, tmp_path):
    one, out = {"plate0": data["plate0"]}, tmp_path / "out"
    ew.sample_many(one, seed=1, out=out, **QUICK)
    with pytest.raises(ew.ArgumentError, match="the seed of all data sets is 1, but 2 was given") as error:
        ew.sample_many({**one, "plate2": data["plate2"]}, seed=2, out=out, **QUICK)
    check_sentence(str(error.value))
    assert len(begun) == 1
    for damage in ("{", "[]", '{"seed": -1}'):
        (out / "many.json").write_text(damage)
        with pytest.raises(ew.StorageError, match="has no seed: give one"):
            ew.sample_many(one, out=out, **QUICK)
    ew.sample_many(one, seed=1, out=out, **QUICK)
    assert not ew.sample_many(one, out=out, **QUICK).failed
    assert len(begun) == 1


def test_settings_and_replicates_are_crossed_with_data(data):
    table = data["plate0"]
    many = ew.sample_many(
        {"a": table, "b": data["plate2"]},
        settings={"sparse": {"prior": ew.Sparsity(4.0)}, "dense": {"prior": ew.Sparsity(0.1), "seed": 5}},
        replicates=2,
        **QUICK,
    )
    assert many.table["name"].tolist() == [
        f"{name}-{kind}-000{number}" for name in "ab" for kind in ("sparse", "dense") for number in (1, 2)
    ]
    assert many["a-dense-0001"].info["seed"] == 5
    assert many["a-sparse-0001"].info["prior"]["gamma"] == 4.0
    prints = {posterior.info["data"]["fingerprint"] for posterior in many.values()}
    assert len(prints) == 8
    assert ew.load_data(table).fingerprint not in prints
    (single,) = ew.sample_many(table, settings=[{"iterations": 100}], **QUICK)
    assert single == "0001"
    assert list(ew.sample_many([table, table], **QUICK)) == ["0001", "0002"]
    assert list(ew.sample_many(None, nodes=["a", "b"], **QUICK)) == ["data"]


def test_replicates_draw_rows_of_the_table(tmp_path):
    rows = pd.DataFrame({"number": np.arange(50.0), "noise": np.random.default_rng(1).standard_normal(50)})
    drawn = one_set._draw_rows({"data": rows}, 7)
    pd.testing.assert_frame_equal(drawn, one_set._draw_rows({"data": rows}, 7))
    assert drawn.index.tolist() == list(range(50))
    assert 20 < drawn["number"].nunique() < 45
    assert set(map(tuple, drawn.to_numpy())) <= set(map(tuple, rows.to_numpy()))
    np.testing.assert_array_equal(one_set._draw_rows({"data": rows.to_numpy()}, 7), drawn.to_numpy())
    rows.to_csv(tmp_path / "rows.csv", index=False)
    pd.testing.assert_frame_equal(one_set._draw_rows({"data": tmp_path / "rows.csv"}, 7), drawn)
    rows.to_csv(tmp_path / "bare.csv", index=False, header=False)
    bare = one_set._draw_rows({"data": str(tmp_path / "bare.csv"), "header": False}, 7)
    np.testing.assert_array_equal(bare, drawn)


def test_replicates_need_rows(data):
    covariance = ew.Covariance(np.cov(data["plate0"].T), n=60)
    cells = np.zeros(data["plate0"].shape, bool)
    many = ew.sample_many({"covariance": covariance}, replicates=1, **QUICK)
    assert "have none to draw from" in check_sentence(many.failed["covariance-0001"])
    many = ew.sample_many(data["plate0"], replicates=1, interventions=cells, **QUICK)
    assert "cell by cell" in check_sentence(many.failed["0001"])


def test_files_of_the_same_name_are_told_apart(files, data, tmp_path):
    (files / "other").mkdir()
    data["plate2"].to_csv(files / "other" / "plate2.csv", index=False)
    many = ew.sample_many(str(files / "**" / "plate2.csv"), **QUICK)
    assert sorted(many) == ["other-plate2", "plate2"]
    data["plate2"].to_csv(files / "plate2.tsv", index=False, sep="\t")
    assert sorted(ew.sample_many(str(files / "plate2.*"), **QUICK)) == ["plate2.csv", "plate2.tsv"]
    assert list(ew.sample_many(files / "plate0.csv", **QUICK)) == ["plate0"]


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"data": "nothing/*.csv"}, "No file matches 'nothing/"),
        ({"data": []}, "There are no data"),
        ({"data": {"a/b": 1}}, "'a/b' of a data set cannot be that of a directory"),
        ({"data": {"..": 1}}, "cannot be that of a directory"),
        ({"data": {"summary.csv": 1}}, "cannot be that of a directory"),
        ({"data": {"a": 1, "A": 2}}, "must differ, but there are several 'a' and 'A'"),
        ({"data": {1: 1, "1": 2}}, "must differ, but there are several '1'"),
        ({"data": ["x.csv", "x.csv"]}, "The files must differ"),
        ({"data": 5}, "of type int"),
        ({"settings": {"b-c": {}, "c": {}}, "data": {"a": 1, "a-b": 1}}, "several 'a-b-c'"),
        ({"settings": {"a": 5}}, "dictionaries of arguments"),
        ({"settings": [{"store": "x"}]}, "'store' cannot be chosen"),
        ({"checkpoint": "x"}, "'checkpoint' cannot be chosen"),
        ({"nonsense": 1}, "'nonsense' cannot be chosen"),
        ({"chains": 0}, "chains must be"),
        ({"settings": [{"burn_in": -1}]}, "burn_in must be"),
        ({"replicates": 0}, "replicates must be"),
        ({"workers": 0}, "workers must be"),
        ({"executor": 5}, "executor must be"),
        ({"workers": 1, "executor": ThreadPoolExecutor(1)}, "give one of both"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_bad_arguments_are_refused_before_anything_is_done(given, match, begun, tmp_path):
    with pytest.raises(ew.ArgumentError, match=match) as error:
        ew.sample_many(**{"data": {"a": 1}, "out": tmp_path / "out", **given})
    if "cannot be chosen" not in match:  # which lists all arguments
        check_sentence(str(error.value))
    assert begun == []
    assert not (tmp_path / "out").exists()


def test_a_directory_of_something_else_is_refused(data, tmp_path):
    (tmp_path / "thesis.txt").write_text("all of it")
    with pytest.raises(ew.ArgumentError, match="which is not empty") as error:
        ew.sample_many(data, out=tmp_path, **QUICK)
    check_sentence(str(error.value))
    (tmp_path / "many.json").write_text("{}")
    with pytest.raises(ew.StorageError, match="has no seed") as error:
        ew.sample_many(data, out=tmp_path, **QUICK)
    check_sentence(str(error.value))


def test_an_error_of_the_program_fails_its_set_only(data, monkeypatch):
    def fail(data, **settings):
        if len(data) == 2:
            raise ZeroDivisionError("division by zero")
        return ew.sample(data, **settings)

    monkeypatch.setattr(one_set, "sample", fail)
    many = ew.sample_many(data, seed=1, **QUICK)
    assert list(many) == ["plate0", "plate2"]
    assert many.failed["plate1"] == check_sentence(
        "The run ended with an error of the program, ZeroDivisionError: division by zero."
    )


class Scripted(Executor):
    """Fails with one thing after the other."""

    def __init__(self, *errors):
        self.errors = list(errors)

    def submit(self, work, task):
        future = Future()
        future.set_exception(self.errors.pop(0))
        return future


def test_workers_that_say_nothing_have_failed(data):
    lost = Scripted(BrokenExecutor("gone"), TypeError("cannot pickle 'module' object"), OSError())
    many = ew.sample_many(data, executor=lost, **QUICK)
    first, second, _ = (check_sentence(sentence) for sentence in many.failed.values())
    assert "died" in first
    assert "TypeError: cannot pickle 'module' object" in second
    assert many.stopped_by is None


def test_ctrl_c_that_a_worker_meets_ends_the_work(data):
    workers = Scripted(OSError(), *(KeyboardInterrupt() for _ in range(2)))
    with pytest.warns(ew.StoppedEarlyWarning, match="by the keyboard, with 0 of 3 data sets done"):
        many = ew.sample_many(data, executor=workers, **QUICK)
    assert many.stopped_by == "keyboard"
    first, *others = (check_sentence(sentence) for sentence in many.failed.values())
    assert "OSError" in first
    assert all("stopped by the keyboard before this set was done" in sentence for sentence in others)


def test_ctrl_c_ends_with_what_is_done_and_the_same_call_goes_on(data, tmp_path, monkeypatch):
    """Pressed when the chains of the second set are under way: it is not done, but goes on to the same draws."""
    sets = {"first": data["plate0"], "second": data["plate2"]}
    settings = {**QUICK, "settings": {"short": {}, "long": {"iterations": 3000}}}
    whole = ew.sample_many(sets, seed=1, **settings)
    with monkeypatch.context() as patched:
        patched.setattr(engines.Threads, "block_seconds", 3e-4)  # so that no block goes from there to the end
        with (
            ctrl_c(chains=2, at=450),
            pytest.warns(ew.StoppedEarlyWarning, match="with 1 of 4 data sets done") as caught,
        ):
            many = ew.sample_many(sets, seed=1, out=tmp_path / "out", **settings)
    assert caught[0].filename == __file__
    assert many.stopped_by == "keyboard"
    assert list(many) == ["first-short"]
    assert len(many.failed) == 3
    assert "the same call again goes on" in check_sentence(many.failed["first-long"])
    assert not (tmp_path / "out" / "first-long" / "posterior.nc").exists()
    assert pd.read_csv(tmp_path / "out" / "summary.csv")["error"].notna().sum() == 3
    check_same(whole, ew.sample_many(sets, seed=1, out=tmp_path / "out", **settings))


def test_a_signal_before_there_are_draws_is_not_taken_for_the_keyboard(data, monkeypatch):
    advance, sent = engines._advance, []

    def advance_and_end(chain, steps):
        if not sent:
            sent.append(os.kill(os.getpid(), signal.SIGTERM))
        return advance(chain, steps)

    monkeypatch.setattr(engines, "_advance", advance_and_end)
    monkeypatch.setattr(chains, "LAST_SECONDS", 0.0)
    settings = {**QUICK, "iterations": 10**12, "thin": 10**11}
    with pytest.warns(ew.StoppedEarlyWarning, match="by the termination signal, with 0 of 1"):
        many = ew.sample_many({"plate0": data["plate0"]}, **settings)
    assert many.stopped_by == "termination signal"


def test_a_signal_does_not_wait_for_the_workers_of_an_executor(data, monkeypatch):
    """One worker holds on to the first set until all is over."""
    over = threading.Event()

    def hold(task):
        os.kill(os.getpid(), signal.SIGTERM)
        over.wait()

    monkeypatch.setattr(module, "do_set_apart", hold)
    with ThreadPoolExecutor(1) as pool:
        with pytest.warns(ew.StoppedEarlyWarning, match="termination signal, with 0 of 3"):
            many = ew.sample_many(data, executor=pool, **QUICK)
        over.set()
    assert many.stopped_by == "termination signal"
    assert len(many) == 0


def test_progress_counts_the_sets(data, capsys):
    ew.sample_many({"plate0": data["plate0"]}, **{**QUICK, "progress": True})
    assert capsys.readouterr().err == "0 of 1 data sets are done.\n1 of 1 data sets are done.\n"

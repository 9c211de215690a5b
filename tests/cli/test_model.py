"""The command line can do what Python can: samplers, priors, starts, headers."""

import json

import pytest

import edgewise as ew
from sentences import check_sentence

QUICK = ("--iterations", "2000", "--thin", "10", "--seed", "1")


@pytest.fixture
def asked(run, table, monkeypatch):
    """Return with what arguments ``ew.sample`` is called."""

    def ask(*options):
        found = {}

        def sample(data, **arguments):
            found.update(arguments)
            raise ew.ArgumentError("Enough.")

        monkeypatch.setattr(ew, "sample", sample)
        done = run("fit", table.name, "--out", "out", *options)
        assert done.err == "edgewise: Enough.\n", done.err
        return found

    return ask


def refused(done):
    assert (done.code, done.out) == (2, "")
    return check_sentence(done.err.removeprefix("edgewise: ").rstrip("\n"))


@pytest.mark.parametrize(
    ("options", "sampler"),
    [
        ([], None),
        (["--sampler", "dag"], ew.DagMCMC()),
        (["--sampler", "minimal-imap"], ew.MinimalIMAP()),
        (["--alpha", "0.05"], ew.MinimalIMAP(alpha=0.05, criterion="test")),
        (["--sampler", "minimal-imap", "--alpha", "0.05"], ew.MinimalIMAP(alpha=0.05, criterion="test")),
        (["--sampler", "minimal-imap", "--temperatures", "auto"], ew.MinimalIMAP(temperatures="auto")),
        (["--sampler", "minimal-imap", "--temperatures", "4"], ew.MinimalIMAP(temperatures=4)),
        (["--sampler", "minimal-imap", "--temperatures", "1,2,4"], ew.MinimalIMAP(temperatures=(1, 2, 4))),
        (["--sampler", "order"], ew.OrderMCMC()),
        (["--sampler", "partition", "--max-parents", "4"], ew.PartitionMCMC(max_parents=4)),
        (["--sampler", "structure", "--max-parents", "2"], ew.StructureMCMC(max_parents=2)),
    ],
)
def test_samplers(asked, options, sampler):
    assert repr(asked(*options)["sampler"]) == repr(sampler)


def test_starts(asked, tmp_path):
    assert asked()["start"] == "auto"
    assert asked("--start", "mmhc")["start"] == "mmhc"
    (tmp_path / "start.yaml").write_text("order: [Raf, Mek, Erk, Akt, 7]\n")
    assert asked("--start", "start.yaml")["start"] == ["Raf", "Mek", "Erk", "Akt", "7"]
    (tmp_path / "start.json").write_text(json.dumps({"orders": [["a", "b"], ["b", "a"]]}))
    assert asked("--start", "start.json")["start"] == [["a", "b"], ["b", "a"]]


def test_priors(asked, tmp_path):
    assert asked()["prior"] == ew.Sparsity("auto")
    assert asked("--gamma", "2")["prior"] == ew.Sparsity(2.0)
    (tmp_path / "beliefs.yaml").write_text("paths: {sources: [Raf], targets: [Erk]}\n")
    believed = ew.Paths(["Raf"], ["Erk"])
    assert asked("--prior", "beliefs.yaml")["prior"] == ew.Sparsity("auto") + believed
    assert asked("--prior", "beliefs.yaml", "--gamma", "2")["prior"] == ew.Sparsity(2.0) + believed


def test_headers(asked):
    assert [asked(*given)["header"] for given in ([], ["--header", "yes"], ["--header", "no"])] == ["auto", True, False]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--sampler", "dag", "--alpha", "0.1"], "--alpha is for --sampler minimal-imap, but dag was given"),
        (["--temperatures", "4"], "--temperatures is for --sampler minimal-imap, but none was given"),
        (["--alpha", "0.1", "--max-parents", "2"], "--max-parents is for --sampler order or partition or structure"),
        (["--sampler", "order", "--max-parents", "0"], "--max-parents must be a whole number"),
        (["--sampler", "minimal-imap", "--temperatures", "hot"], "--temperatures must be auto, a number of replicas"),
        (["--sampler", "minimal-imap", "--temperatures", "2,1"], "such as 1,2,4, but"),
        (["--sampler", "gibbs"], "--sampler"),
        (["--start", "warm"], "--start must be auto, random, mmhc or a file"),
        (["--start", "bad.yaml"], "must have one key, order with a list of all variables"),
        (["--start", "odd.yaml"], "must have lists of variables, but it has 'Raf'"),
        (["--start", "short.yaml"], "order"),
        (["--prior", "nowhere.yaml"], "There is no file 'nowhere.yaml'"),
        (["--prior", "sparse.yaml", "--gamma", "1"], "has the key sparsity, and --gamma is given too"),
        (["--prior", "paths.yaml", "--sampler", "partition"], "--sampler partition cannot use"),
        (["--header", "maybe"], "--header"),
    ],
)
def test_what_cannot_be_is_refused(run, table, tmp_path, options, words):
    (tmp_path / "bad.yaml").write_text("first: [Raf, Mek]\n")
    (tmp_path / "odd.yaml").write_text("order: Raf\n")
    (tmp_path / "short.yaml").write_text("order: [Raf]\n")
    (tmp_path / "sparse.yaml").write_text("sparsity: 1\n")
    (tmp_path / "paths.yaml").write_text("paths: {sources: [Raf], targets: [Mek]}\n")
    assert words in refused(run("fit", table.name, "--out", "out", *options))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("sampler", "words"),
    [
        ("minimal-imap", "Orders were drawn, each standing for one DAG"),
        ("order", "DAGs were drawn by a chain over orders, with at most 3 parents"),
        ("partition", "DAGs were drawn by a chain over partitions"),
        ("structure", "DAGs were drawn by a chain over DAGs"),
    ],
)
def test_every_sampler_runs_to_its_summary(run, table, tmp_path, sampler, words):
    done = run("fit", table.name, "--out", "out", "--sampler", sampler, "--start", "random", *QUICK)
    assert done.code == 0, done.err
    assert words in done.out
    assert (tmp_path / "out" / "report.html").exists()


def test_numbers_for_names_and_no_names(run, tmp_path):
    """The doubt is told in the words of the command line, and both answers are taken, also after a resumption."""
    data = ew.simulate(4, 60, seed=1).data.set_axis(["2019", "2020", "7", "8"], axis=1)
    data.to_csv(tmp_path / "t.csv", index=False)
    assert "say --header yes if they are" in refused(run("fit", "t.csv", "--out", "out", *QUICK))
    assert run("fit", "t.csv", "--out", "named", "--header", "yes", *QUICK).code == 0
    assert run("fit", "t.csv", "--out", "unnamed", "--header", "no", *QUICK).code == 0
    names = [json.loads((tmp_path / out / "run.json").read_text())["nodes"] for out in ("named", "unnamed")]
    assert names == [["2019", "2020", "7", "8"], ["X0", "X1", "X2", "X3"]]
    assert run("resume", "named", "--iterations", "3000").code == 0
    assert ew.load(tmp_path / "named" / "posterior.nc").nodes == ("2019", "2020", "7", "8")

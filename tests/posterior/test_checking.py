"""What is refused of a file whose checksum is right, and why; ``tests/fuzz`` has many more such files."""

import json

import h5py
import numpy as np
import pytest

import edgewise as ew
from edgewise.posterior import storage
from fuzz.cases import POSTERIORS, forge
from sentences import check_sentence

REASONS = {
    "a cycle": "a draw has a cycle",
    "a variable that is its own parent": "a draw has a cycle",
    "a parent beyond the last variable": "a member that is no variable",
    "a child that is not there": "a member that is no variable",
    "a family that is not there": "no family for one of the variables",
    "an order with a variable twice": "does not agree with its order",
    "an order with a variable that is not there": "a variable that is not there",
    "families as floats": "family has numbers of another type",
    "parents as words": "family_parents has numbers of another type",
    "fewer orders": "the shape of order does not fit",
    "families in a row": "right dimensions",
    "nothing for families": "family is no array",
    "2^34 means": "the shape of mean does not fit",
    "2^34 draws": "larger than it is",
    "a chunk with too much room": "larger than it is",
    "chunks that are missing": "larger than it is",
    "a group": "family is no array",
    "a link to a device": "no order of its own",
    "a score that is no number": "a log posterior is no number",
    "a scale of zero": "a mean or a scale",
    "a correlation of five": "not those of any data",
    "groups of rows without a scale": "a part of the summary of groups of rows",
    "a group of no rows": "a number of rows is none",
    "more groups than variables": "grouped_rows has the wrong dimensions",
    "rows of groups in a table": "grouped_rows has the wrong dimensions",
    "a group that is not there": "a variable belongs to no group of rows",
    "a group of nobody": "a variable belongs to no group of rows",
    "groups as floats": "grouped_by has numbers of another type",
    "means of one group": "the shape of grouped_mean does not fit",
    "a scale of groups of zero": "a mean or a scale",
    "a negative sum of squares": "sums of squares",
    "sums of products that are not symmetric": "sums of squares",
    "two directions with .9 each": "not between 0 and 1",
    "an infinite error": "negative or infinite",
    "names that are repeated": "the same name",
    "half of a character": "not valid text",
    "one text for all names": "does not name all variables",
    "more moves accepted than proposed": "moves of each chain",
    "endless rows": "the summary of the data",
    "lists without end in the record": "not in its place",
    "kinds of other variables": "the kinds of all variables",
    "ragged prior means": "a prior mean",
    "a schedule in words": "something else for 'schedule'",
    "constraints of no kind": "something else for 'constraints'",
    "many texts": "no text 'about'",
}


@pytest.mark.parametrize(("what", "reason"), REASONS.items())
def test_the_reason_is_told(what, reason, tmp_path):
    path = tmp_path / "posterior.nc"
    path.write_bytes(forge(POSTERIORS[what])[1])
    with pytest.raises(ew.StorageError) as caught:
        ew.load(path)
    message = check_sentence(str(caught.value))
    assert "is not an Edgewise posterior" in message
    assert reason in message


SAMPLERS = {
    "the default": ew.DagMCMC(),
    "orders": ew.MinimalIMAP(),
    "orders and tests": ew.MinimalIMAP(criterion="test", parents="full", alpha=0.1),
    "weights": ew.MinimalIMAP(target="dags"),
    "order MCMC": ew.OrderMCMC(),
    "partition MCMC": ew.PartitionMCMC(),
    "structure MCMC": ew.StructureMCMC(),
}


@pytest.mark.parametrize("sampler", SAMPLERS.values(), ids=SAMPLERS)
@pytest.mark.parametrize("draws", [1, 3, 40])
def test_whatever_was_sampled_is_loaded(sampler, draws, tmp_path):
    data = ew.simulate(5, 200, seed=1).data
    settings = {"iterations": 2 * draws, "burn_in": draws, "thin": 1, "chains": 2, "seed": 1, "progress": False}
    posterior = ew.sample(data, sampler=sampler, store=tmp_path / "p.nc", **settings)
    np.testing.assert_array_equal(ew.load(tmp_path / "p.nc").dags(), posterior.dags())


@pytest.mark.parametrize(
    "settings",
    [
        {"score": ew.BGe(nu=[0.0] * 4, alpha_w=9.5), "prior": ew.Sparsity(1.0) + ew.TierOrder([[0], [1]], 1.0)},
        {"constraints": ew.Constraints(tiers=[["a"], ["b", "c"]], ancestors=[("a", "c")]), "kinds": {"d": "binary"}},
        {"interventions": "d", "targets": {"0": [], "1": ["a"]}},
        {"kinds": {"d": "categorical"}, "missing": "em", "score": ew.DegenerateGaussian()},
        {"transform": "ranks", "missing": "drop"},
    ],
    ids=["prior", "constraints", "interventions", "levels", "ranks"],
)
def test_whatever_a_record_says_is_loaded(settings, tmp_path):
    data = ew.simulate(4, 40, seed=1).data.set_axis(list("abcd"), axis=1).assign(d=[0, 1] * 20)
    if "missing" in settings:
        data.iloc[3, 1] = np.nan
    with pytest.warns(ew.DataWarning):
        posterior = ew.sample(data, iterations=100, seed=1, progress=False, **settings)
    posterior.save(tmp_path / "p.nc")
    loaded = ew.load(tmp_path / "p.nc")
    assert json.dumps(loaded.info) == json.dumps(posterior.info)
    assert loaded.edges().equals(posterior.edges())


def test_large_draws_are_checked_in_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "MOST_IN_MEMORY", 0)
    path = tmp_path / "posterior.nc"
    path.write_bytes(forge(lambda file: None)[1])
    assert isinstance(ew.load(path).draws.family, h5py.Dataset)
    path.write_bytes(forge(POSTERIORS["a cycle"])[1])
    with pytest.raises(ew.StorageError, match="has a cycle"):
        ew.load(path)


def test_correlations_that_no_data_have_tell_no_effects(tmp_path):
    def change(file):
        file["correlation"][...] = np.where(np.eye(3), 1.0, -0.9)

    path = tmp_path / "posterior.nc"
    path.write_bytes(forge(change)[1])
    posterior = ew.load(path)
    with pytest.raises(ew.DataError) as caught:
        posterior.total_effects()
    check_sentence(str(caught.value))
    posterior.report(tmp_path / "report.html")

"""Files that once ended in a traceback, a crash or a hang, and their relatives; each is made by a few lines."""

import gzip
import json
from functools import partial

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa

from edgewise.running.frames import Frame, encode

from . import checkpoints, posteriors, tables
from .damage import nested
from .knowledge import BOMBS

# Posteriors


def put(name, place, value):
    """Return what puts a number into a variable."""

    def change(file):
        file[name][place] = value

    return change


def retype(name, dtype):
    return lambda file: posteriors.replace(file, name, file[name][...].astype(dtype))


def reshape(name, function):
    return lambda file: posteriors.replace(file, name, function(file[name][...]))


def about(**values):
    """Return what changes the text about the run."""
    return partial(posteriors.change_about, change=lambda text: text.update(values))


def info(**values):
    """Return what changes the record of the run."""
    return partial(posteriors.change_about, change=lambda text: text["info"].update(values))


def data(**values):
    """Return what changes the record of the data."""
    return partial(posteriors.change_about, change=lambda text: text["info"]["data"].update(values))


def attribute(name, value):
    return lambda file: file.attrs.__setitem__(name, value)


def link(name, target):
    def change(file):
        del file[name]
        file[name] = target

    return change


def make_cycle(file):
    """Let all variables have all others as parents."""
    p = file["family"].shape[2]
    node = file["family_node"][...]
    file["family_parents"][:, 0] = (2**p - 1) & ~(1 << node)


def make_loop(file):
    """Let all variables be their own parents."""
    file["family_parents"][:, 0] = 1 << file["family_node"][...]


def grow(name, size):
    """Return what gives a variable a first dimension that nothing in the file stands for."""

    def change(file):
        shape, dtype = (size, *file[name].shape[1:]), file[name].dtype
        del file[name]
        file.create_dataset(name, shape, dtype, chunks=True, compression="gzip")

    return change


def grow_draws(size):
    """Return what gives all variables that number of draws."""

    def change(file):
        for name in ("family", "order", "log_score", "log_prior"):
            chains, _, *rest = file[name].shape
            dtype = file[name].dtype
            del file[name]
            file.create_dataset(name, (chains, size, *rest), dtype, chunks=True, compression="gzip")

    return change


def grow_chunk(file):
    """Keep three numbers in a chunk with room for a gigabyte."""
    del file["mean"]
    file.create_dataset("mean", (3,), "f8", maxshape=(None,), chunks=(2**27,), compression="gzip")


def scatter(file):
    """Keep each number in a chunk of its own, none of which is there."""
    shape, dtype = file["family_parents"].shape, file["family_parents"].dtype
    del file["family_parents"]
    file.create_dataset("family_parents", shape, dtype, chunks=(1, 1), compression="gzip")


def repeat_names(file):
    posteriors.change_about(file, lambda text: text.update(nodes=["Raf"] * 3))


def grouped(**changes):
    """Return what adds the statistics of two groups of rows, Mek having been set in some, with something else in one.

    All but that would be accepted.
    """
    values = {
        "by": np.array([0, 1, 0], "<i4"),
        "rows": np.array([40.0, 30.0]),
        "mean": np.zeros((2, 3)),
        "scale": np.ones(3),
        "scatter": np.array([39 * np.eye(3), 29 * np.eye(3)]),
        **changes,
    }

    def change(file):
        for name, array in values.items():
            if array is not None:
                file.create_dataset(f"grouped_{name}", data=array, chunks=True, compression="gzip")
        posteriors.change_about(file, lambda text: text["info"]["data"].update(targets=[["Mek"]]))

    return change


POSTERIORS = {
    "a cycle": make_cycle,
    "a variable that is its own parent": make_loop,
    "a parent beyond the last variable": put("family_parents", (0, 0), 128),
    "a family that is not there": put("family", (0, 0, 0), 10**6),
    "a negative family": put("family", (0, 0, 0), -1),
    "a child that is not there": put("family_node", 0, 77),
    "an order with a variable twice": put("order", (0, 0), 1),
    "an order with a variable that is not there": put("order", (0, 0, 0), 200),
    "an order of floats": retype("order", "f8"),
    "families as floats": retype("family", "f8"),
    "families as long integers": retype("family", "i8"),
    "families from the other end": retype("family", ">i4"),
    "parents as signed bytes": retype("family_parents", "i1"),
    "parents as words": retype("family_parents", "u8"),
    "scores as text": retype("log_score", "S8"),
    "scores as complex numbers": retype("log_score", "c16"),
    "scores in single precision": retype("log_score", "f4"),
    "families in a row": reshape("family", np.ravel),
    "no draws": reshape("family", lambda values: values[:, :0]),
    "no chains": reshape("family", lambda values: values[:0]),
    "a number for families": reshape("family", lambda values: values[0, 0, 0]),
    "nothing for families": reshape("family", lambda values: h5py.Empty(values.dtype)),
    "fewer orders": reshape("order", lambda values: values[:, :-1]),
    "fewer parents": reshape("family_parents", lambda values: values[:-1]),
    "wider parents": reshape("family_parents", lambda values: np.repeat(values, 3, axis=1)),
    "scores of another shape": reshape("log_score", np.transpose),
    "2^34 families": grow("family_node", 2**34),
    "2^34 rows of parents": grow("family_parents", 2**34),
    "2^34 means": grow("mean", 2**34),
    "2^34 chains": grow("family", 2**34),
    "2^26 draws": grow_draws(2**26),
    "2^34 draws": grow_draws(2**34),
    "2^40 draws": grow_draws(2**40),
    "a chunk with too much room": grow_chunk,
    "chunks that are missing": scatter,
    "a group": lambda file: (file.pop("family"), file.create_group("family")),
    "a link to another variable": link("order", h5py.SoftLink("/family")),
    "a link to itself": link("order", h5py.SoftLink("/order")),
    "a link to a device": link("order", h5py.ExternalLink("/dev/zero", "order")),
    "a score that is no number": put("log_score", (0, 0), np.nan),
    "an infinite score": put("log_score", (0, 0), np.inf),
    "a score beyond all bounds": put("log_score", (0, 0), 1e308),
    "a mean that is no number": put("mean", 0, np.nan),
    "a scale of zero": put("scale", 0, 0.0),
    "a scale that hardly is one": put("scale", 0, 5e-324),
    "correlations that are not symmetric": put("correlation", (0, 1), 0.3),
    "a correlation of five": put("correlation", [0, 1], 5.0),
    "groups of rows without a scale": grouped(scale=None),
    "groups of rows without rows": grouped(rows=None),
    "a group of no rows": grouped(rows=np.array([40.0, 0.0])),
    "a group of endless rows": grouped(rows=np.array([40.0, np.inf])),
    "more groups than variables": grouped(rows=np.full(2**20, 40.0)),
    "rows of groups in a table": grouped(rows=np.full((2, 1), 40.0)),
    "a group that is not there": grouped(by=np.array([0, 2, 0], "<i4")),
    "a group before the first": grouped(by=np.array([0, -1, 1], "<i4")),
    "a group of nobody": grouped(by=np.zeros(3, "<i4")),
    "groups as floats": grouped(by=np.array([0.0, 1.0, 0.0])),
    "a mean of a group that is no number": grouped(mean=np.full((2, 3), np.nan)),
    "means of one group": grouped(mean=np.zeros((1, 3))),
    "a scale of groups of zero": grouped(scale=np.array([1.0, 0.0, 1.0])),
    "an infinite sum of squares": grouped(scatter=np.full((2, 3, 3), np.inf)),
    "a negative sum of squares": grouped(scatter=-np.ones((2, 3, 3))),
    "sums of products that are not symmetric": grouped(scatter=np.arange(18.0).reshape(2, 3, 3)),
    "sums of products that no data have": grouped(scatter=np.full((2, 3, 3), 1e6) - 1e6 * np.eye(3)),
    "sums of squares beyond all bounds": grouped(scatter=np.full((2, 3, 3), 1e308)),
    "good groups of rows": grouped(),
    "a negative probability": put("conditionals", (0, 0, 0, 1), -0.5),
    "a probability of two": put("conditionals", (0, 0, 0, 1), 2.0),
    "a probability that is no number": put("conditionals", (0, 0, 0, 1), np.nan),
    "two directions with .9 each": put("conditionals", (slice(None), 0), 0.9),
    "a negative error": put("conditional_errors", (0, 0, 1), -1.0),
    "an infinite error": put("conditional_errors", (0, 0, 1), np.inf),
    "names that are repeated": repeat_names,
    "names as numbers": about(nodes=[1, 2, 3]),
    "a name without letters": about(nodes=["", "Mek", "Erk"]),
    "half of a character": about(nodes=["\ud800", "Mek", "Erk"]),
    "one text for all names": about(nodes="abc"),
    "a dictionary of names": about(nodes={"a": 1, "b": 2, "c": 3}),
    "no names": about(nodes=None),
    "moves as a list": about(moves=[[], []]),
    "moves of one chain": about(moves=[{"turn": [1, 1]}]),
    "moves of different kinds": about(moves=[{"turn": [1, 1]}, {"jump": [1, 1]}]),
    "moves in words": about(moves=[{"turn": ["many", "few"]}] * 2),
    "a move and a half": about(moves=[{"turn": [1, 0.5]}] * 2),
    "more moves accepted than proposed": about(moves=[{"turn": [1, 3]}] * 2),
    "endless moves": about(moves=[{"turn": [10**400, 1]}] * 2),
    "endless rows": about(rows=10**400),
    "rows that are true": about(rows=True),
    "a record that is a list": about(info=[]),
    "lists without end": about(more=nested(900)),
    "lists without end in the record": info(more=nested(450)),
    "dictionaries without end": info(more=json.loads('{"a":' * 400 + "1" + "}" * 400)),
    "data in words": info(data="none"),
    "kinds that are numbers": data(kinds={"Raf": 1, "Mek": [], "Erk": {}}, levels={}),
    "kinds of other variables": data(kinds={"x": "binary"}, levels={}),
    "kinds without levels": data(kinds={"Raf": "binary", "Mek": "binary", "Erk": "binary"}),
    "a number of rows in words": data(n="many"),
    "a name that is a number": data(name=5),
    "skewness in words": data(skewness=["much", 1.0, 2.0]),
    "skewness of two columns": data(skewness=[1.0, 2.0]),
    "half a value": data(distinct=[1, 2, 0.5]),
    "values of four columns": data(distinct=[1, 2, 3, 4]),
    "a date that is a number": info(date=2026),
    "no number of missing cells": data(effective_rows=3),
    "rows left out, in words": data(dropped_rows="some"),
    "conditions without names": data(conditions=[{"rows": 3}]),
    "targets that are numbers": data(targets=[1, 2]),
    "targets that are not there": data(targets=[["nobody"]]),
    "findings in words": data(findings=["look"]),
    "a sampler in words": info(sampler="DagMCMC"),
    "a limit in words": info(sampler={"name": "DagMCMC", "max_parents": "few"}),
    "a score in words": info(score="BGe"),
    "a score that is a number": info(score={"name": 7}),
    "ragged prior means": info(score={"name": "BGe", "nu": [[1], [1, 2], 3]}),
    "a prior sample size in words": info(score={"name": "BGe", "alpha_mu": "much"}),
    "an infinite prior sample size": info(score={"name": "BGe", "alpha_w": float("inf")}),
    "a schedule in words": info(schedule="long"),
    "an empty schedule": info(schedule={}),
    "a schedule without end": info(schedule={"burn_in": 10**400, "thin": 1}),
    "constraints of no kind": info(constraints={"friends": [["Raf", "Mek"]]}),
    "constraints in words": info(constraints="none"),
    "constraints that contradict each other": info(constraints={"required": [["Raf", "Mek"], ["Mek", "Raf"]]}),
    "constraints on somebody else": info(constraints={"roots": ["nobody"]}),
    "versions in words": info(versions="1.0"),
    "no version": info(versions={}),
    "a note that is a number": info(stopped_note=3),
    "no text": attribute("about", "[]"),
    "a text that ends early": attribute("about", '{"nodes": ['),
    "a number of 5000 digits": attribute("about", "1" * 5000),
    "many texts": attribute("about", ["{}"] * 3),
    "a text of bytes": attribute("about", np.bytes_(b"{}")),
    "several layouts": attribute("edgewise_format", np.array([1, 1])),
    "a layout of many lines": attribute("edgewise_format", "next\n" * 300),
    "a checksum of numbers": attribute("sha256", np.arange(4)),
}


# Tables


def csv(text):
    return "table.csv", text.encode("utf-8", "surrogatepass")


def with_header(*names):
    return csv(",".join(names) + "\n1,2,3\n2,1,4\n5,3,3\n4,4,1\n0,2,9\n")


def with_column(values):
    """Return a Parquet file in which one column is replaced."""
    table = pa.Table.from_pandas(tables.measurements().drop(columns="sex"))
    return "table.parquet", tables.write_parquet(table.set_column(1, "Mek", values))


def with_note(note):
    """Return a Parquet file with something else for pandas."""
    table = pa.Table.from_pandas(tables.measurements())
    return "table.parquet", tables.write_parquet(table.replace_schema_metadata({b"pandas": note}))


def with_label(label):
    """Return a Parquet file of a table whose first column has a label that is no text."""
    frame = tables.measurements().drop(columns="sex").set_axis([label, 1.0, 2.0], axis=1)
    return "table.parquet", tables.write_parquet(pa.Table.from_pandas(frame))


N = len(tables.measurements())

TABLES = {
    "a header that is no number": with_header("NaN", "a", "b"),
    "a header of controls": with_header("\x1b", "\x07", "\x08"),
    "a header with a zero": with_header("a", "b\x00", "c"),
    "a header with half of a character": with_header("a", "\ud800", "c"),
    "a header with one name": with_header("a", "a", "a"),
    "a header with a long name": with_header("a" * 200_000, "b", "c"),
    "a header without end": csv('"' + "a" * 200_000),
    "many columns": csv("\n".join([",".join(f"v{i}" for i in range(6000)), *[",".join("12345" * 1200)] * 4])),
    "many columns of text": csv("\n".join([",".join(f"v{i}" for i in range(6000)), *[",".join("abcde" * 1200)] * 4])),
    "a cell at the end of double precision": csv(
        "a,b,c\n-1.9,-1.1,1.6\n.2,.3,1.8\n-1.1,-.9,3.3\n.6,1,-1.4\n-1.6,-.7,1.7\n.9,.8,-1.8\n.7,-.1,1e308\n-1,.4,.7\n"
    ),
    "one cell of a megabyte": csv("a,b\n" + "1" * 10**6 + ",2\n1,2\n2,3\n3,3\n"),
    "a packed file in a packed file": ("table.csv.gz", gzip.compress(gzip.compress(b"a,b\n1,2\n"))),
    "a packed file that is none": ("table.csv.xz", b"a,b\n1,2\n"),
    "no Parquet": ("table.parquet", b"PAR1" * 3),
    "a Parquet file with lists": with_column(pa.array([[1.0]] * N)),
    "a Parquet file with records": with_column(pa.array([{"x": 1.0}] * N)),
    "a Parquet file with bytes": with_column(pa.array([b"\xff"] * N)),
    "a Parquet file with nothing": with_column(pa.nulls(N)),
    "a Parquet file with times": with_column(pa.array(pd.to_datetime(np.arange(N), unit="D"))),
    "a label that is no number": with_label(float("nan")),
    "a note for pandas that is no JSON": with_note(b"{"),
    "a note for pandas that is a list": with_note(b"[]"),
    "a note for pandas that is empty": with_note(b"{}"),
    "a note for pandas with an index that is not there": with_note(b'{"index_columns": ["x"], "columns": []}'),
    "a note for pandas with a range of words": with_note(b'{"index_columns": [{"kind": "range"}], "columns": []}'),
    "a note for pandas with columns in words": with_note(b'{"index_columns": [], "columns": "all"}'),
    "a note for pandas with strange types": with_note(
        json.dumps(
            {
                "index_columns": [],
                "columns": [
                    {"name": "Raf", "field_name": "Raf", "pandas_type": "x", "numpy_type": "x", "metadata": None}
                ],
                "column_indexes": [{"name": None, "field_name": None, "pandas_type": "x", "numpy_type": "x"}],
            }
        ).encode()
    ),
}


def forge(change):
    """Return the file of a posterior after a change."""
    return "posterior.nc", posteriors.forged(posteriors.examples()[0], change)


# Checkpoints


def reseal(name, **numbers):
    """Return a file of a checkpoint whose frames say something else."""
    frames = checkpoints.frames_of(checkpoints.examples()[0][name])
    changed = [Frame(arrays, {**before, **numbers}) for arrays, before in frames]
    return f"0 {name}", b"".join(map(encode, changed))


CHECKPOINTS = {
    "random numbers that are a number": ("chain-1", {"generators": 1.5}),
    "2^34 chains": ("request", {"chains": 2**34}),
    "fewer chains than none": ("request", {"chains": -1}),
    "a time in words": ("request", {"time_budget": "long"}),
    "a seed below zero": ("request", {"seed": -1}),
    "a table that is read by a number": ("request", {"reading": 5}),
    "a table that is read by its colour": ("request", {"reading": {"colour": "red"}}),
    "a score of brackets": ("request", {"score": nested(300)}),
    "a sampler that is a score": ("request", {"sampler": {"name": "BGe", "settings": {}}}),
    "a score with no such setting": ("request", {"score": {"name": "BGe", "settings": {"alpha_mu": nested(300)}}}),
    "a start of brackets": ("request", {"start": nested(300)}),
    "variables of brackets": ("request", {"nodes": nested(300)}),
}


CASES = (
    *(("posterior", what, partial(forge, change)) for what, change in POSTERIORS.items()),
    *(("text table", what, lambda file=file: file) for what, file in TABLES.items()),
    *(("checkpoint", what, partial(reseal, name, **numbers)) for what, (name, numbers) in CHECKPOINTS.items()),
    *(("constraints", str(bomb[:30]), partial(lambda bomb: ("known.yaml", bomb), bomb)) for bomb in BOMBS),
    *(("constraints", f"{bomb[:30]} as JSON", partial(lambda bomb: ("known.json", bomb), bomb)) for bomb in BOMBS),
)
"""For each case its kind, what is the matter with it, and what makes its file, the name and the content."""

"""Tables: text files, packed or not, and Parquet files."""

import bz2
import gzip
import io
import json
import lzma
from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import edgewise as ew

from .damage import NOT_NUMBERS, NUMBERS, WORDS, choose, strange_value
from .using import QUICK, use_posterior

PACKERS = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


@cache
def measurements():
    """Return a good table: three columns of numbers and one of levels."""
    table = ew.simulate(3, 12, seed=1).data.set_axis(["Raf", "Mek", "Erk"], axis=1).round(3)
    return table.assign(sex=["f", "m", "m"] * 4)


def good_text(rng):
    """Return a text file, of numbers alone or with levels."""
    table = measurements() if rng.random() < 0.3 else measurements().drop(columns="sex")
    delimiter, ending = choose(rng, ((",", ".csv"), ("\t", ".tsv"), (";", ".txt")))
    return f"table{ending}", table.to_csv(sep=delimiter, index=bool(rng.random() < 0.2)).encode()


def forge_text(file, rng):
    """Return a text file with another cell, name, row or column, or packed."""
    name, content = file
    if content[:1] not in (b",", b"\t", b";", b"R", b'"'):
        return name, content
    delimiter = {"csv": ",", "tsv": "\t", "txt": ";"}[name.split(".")[1]]
    rows = [line.split(delimiter) for line in content.decode(errors="replace").splitlines()]
    way = int(rng.integers(9))
    row = rows[0] if rng.random() < 0.4 else choose(rng, rows)
    place = int(rng.integers(max(len(row), 1)))
    if way <= 3:
        row[place : place + 1] = [_cell(rng)]
    elif way == 4:
        row[place:place] = row[place : place + 1]
    elif way == 5:
        for each in rows:
            del each[place : place + 1]
    elif way == 6:
        for each in rows:
            each.append(each[place] if place < len(each) else "")
    elif way == 7:
        rows = rows[: int(rng.integers(len(rows) + 1))] + rows[: int(rng.integers(3))]
    text = "\n".join(delimiter.join(each) for each in rows).encode("utf-8", "surrogatepass")
    if way == 8 and name.count(".") == 1:
        ending = choose(rng, tuple(PACKERS))
        return name + ending, PACKERS[ending](text)
    return name, text


def _cell(rng):
    """Return a word or a number, perhaps in quotes."""
    word = choose(rng, WORDS) if rng.random() < 0.6 else repr(choose(rng, (*NUMBERS, *NOT_NUMBERS)))
    return '"' + word.replace('"', '""') + '"' if rng.random() < 0.3 else word


def good_parquet(rng):
    """Return a Parquet file."""
    table = measurements() if rng.random() < 0.3 else measurements().drop(columns="sex")
    return "table.parquet", write_parquet(pa.Table.from_pandas(table))


def write_parquet(table):
    """Return a table as the content of a Parquet file."""
    stream = io.BytesIO()
    pq.write_table(table, stream, compression="none")
    return stream.getvalue()


def forge_parquet(file, rng):
    """Return a Parquet file with another column, name or note for pandas."""
    name, content = file
    try:
        table = pq.read_table(io.BytesIO(content))
        way = int(rng.integers(4))
        if way == 0:
            return name, write_parquet(table.append_column(choose(rng, WORDS), _strange_column(rng, len(table))))
        if way == 1:
            place = int(rng.integers(table.num_columns))
            return name, write_parquet(
                table.set_column(place, table.column_names[place], _strange_column(rng, len(table)))
            )
        if way == 2:
            names = table.column_names
            names[int(rng.integers(len(names)))] = choose(rng, WORDS)
            return name, write_parquet(table.rename_columns(names))
        return name, write_parquet(table.replace_schema_metadata({b"pandas": _strange_note(table, rng)}))
    except (pa.ArrowException, UnicodeError, ValueError, OSError, RecursionError):
        return name, content


def _strange_column(rng, n):
    """Return a column of a type that tables seldom have."""
    numbers = rng.normal(size=n)
    return choose(
        rng,
        (
            lambda: pa.array([[x] for x in numbers]),
            lambda: pa.array([{"x": x} for x in numbers]),
            lambda: pa.array(pd.to_datetime(np.arange(n), unit="D")),
            lambda: pa.array([b"\xff\xfe"] * n),
            lambda: pa.nulls(n),
            lambda: pa.array(numbers.astype(np.float16)),
            lambda: pa.array([choose(rng, WORDS[:-1]).replace("\ud800", "") for _ in range(n)]).dictionary_encode(),
            lambda: pa.array([choose(rng, WORDS[:-1]).replace("\ud800", "") for _ in range(n)]),
            lambda: pa.array([choose(rng, (*NUMBERS[:11], None)) for _ in range(n)], pa.float64()),
            lambda: pa.array([choose(rng, NOT_NUMBERS) for _ in range(n)]),
            lambda: pa.array((numbers * 1e6).astype(int)).cast(pa.decimal128(38, 3)),
            lambda: pa.array((numbers * 1e6).astype(int)).cast(pa.duration("ns")),
            lambda: pa.array([2**63 + int(x * 100) for x in numbers], pa.uint64()),
            lambda: pa.array([bool(x > 0) for x in numbers]),
        ),
    )()


def _strange_note(table, rng):
    """Return what pandas writes beside its tables, with something else in it."""
    note = json.loads((table.schema.metadata or {}).get(b"pandas", b"{}")) or {"columns": [{}]}
    note = note if isinstance(note, dict) else {}
    target = choose(rng, (note, *[each for each in note.get("columns", ()) if isinstance(each, dict)]))
    keys = (*target, "index_columns", "column_indexes", "pandas_type", "numpy_type", "metadata", "name", "field_name")
    target[choose(rng, keys)] = choose(rng, (strange_value(rng), "datetime", "categorical", "object", ["Raf"], "M8[D]"))
    return json.dumps(note).encode("utf-8", "replace")


def use_table(path):
    """Read a table, draw a few DAGs, and make all that is made of them."""
    use_posterior(ew.sample(path, missing="drop", **QUICK))


def fit_table(path, out):
    """Return the command that does the same."""
    return ["fit", path, "--out", out, "--iterations", "40", "--thin", "4", "--chains", "2", "--seed", "1", "--quiet"]

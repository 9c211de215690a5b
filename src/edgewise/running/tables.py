"""Data in a checkpoint, so that a run can go on where the file it came from is not at hand."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from edgewise.data import Covariance, Data
from edgewise.data.files import Header, read_table

from .frames import Frame


def pack_data(data: Data, header: Header = "auto") -> Frame | None:
    """Return data as arrays; None for those that cannot be told by numbers and text alone.

    ``header`` is how a text file is read.
    """
    if isinstance(data, str | os.PathLike):
        data = read_table(Path(data), header)
    if isinstance(data, np.ndarray):
        return None if data.dtype.hasobject else Frame({"values": data}, {"kind": "array"})
    if isinstance(data, Covariance):
        return _pack_covariance(data)
    return _pack_frame(data) if isinstance(data, pd.DataFrame) else None


def unpack_data(frame: Frame) -> Data:
    """Return the data that were packed.

    Raises
    ------
    ValueError, KeyError, TypeError
        If there are none in it.
    """
    arrays, about = frame
    if about["kind"] == "array":
        return arrays["values"]
    if about["kind"] == "covariance":
        return Covariance(arrays["matrix"], int(about["n"]), names=about["names"], mean=arrays["mean"])
    columns = [_unpack_column(arrays, str(number), about) for number in range(len(about["names"]))]
    table = pd.DataFrame(dict(enumerate(columns)))
    table.columns = pd.Index(about["names"], dtype=object)
    return table


def _pack_covariance(data: Covariance) -> Frame:
    names = data.names
    if names is None and isinstance(data.matrix, pd.DataFrame):
        names = [str(name) for name in data.matrix.columns]
    matrix = np.asarray(data.matrix, float)
    mean = np.zeros(len(matrix)) if data.mean is None else np.asarray(data.mean, float)
    about = {"kind": "covariance", "n": int(data.n), "names": None if names is None else list(names)}
    return Frame({"matrix": matrix, "mean": mean}, about)


def _pack_frame(table: pd.DataFrame) -> Frame | None:
    """Return the columns, those of numbers as they are, and text as text; None if there is anything else."""
    if not all(isinstance(name, str) for name in table.columns):
        return None
    arrays: dict[str, np.ndarray] = {}
    ordered: dict[str, bool] = {}
    for number in range(table.shape[1]):
        column = table.iloc[:, number]
        if isinstance(column.dtype, pd.CategoricalDtype):
            levels = _pack_values(column.cat.categories.to_series())
            if levels is None:
                return None
            ordered[str(number)] = bool(column.cat.ordered)
            arrays[f"{number} levels"] = levels
            arrays[str(number)] = column.cat.codes.to_numpy()
        else:
            values = _pack_values(column)
            if values is None:
                return None
            arrays[str(number)] = values
            if values.dtype.kind == "U":
                arrays[f"{number} missing"] = column.isna().to_numpy()
    return Frame(arrays, {"kind": "table", "names": list(table.columns), "ordered": ordered})


def _pack_values(column: "pd.Series[Any]") -> np.ndarray | None:
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        return column.to_numpy()
    known = column[~column.isna()]
    if all(isinstance(value, str) for value in known):
        return column.fillna("").to_numpy(dtype=str)
    return None


def _unpack_column(arrays: dict[str, np.ndarray], name: str, about: dict[str, Any]) -> Any:
    values = arrays[name]
    if name in about["ordered"]:
        levels = pd.Index(arrays[f"{name} levels"].tolist())
        return pd.Categorical.from_codes(values, levels, ordered=about["ordered"][name])
    if values.dtype.kind != "U":
        return values
    text = values.astype(object)
    text[arrays[f"{name} missing"]] = None
    return text

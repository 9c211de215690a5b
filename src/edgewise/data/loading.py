"""One entrance for data of every form: whatever comes in, a checked :class:`Dataset` comes out."""

import os
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from edgewise.data import validation
from edgewise.data.dataset import Covariance, Dataset, FloatArray, Moments, default_names, fingerprint
from edgewise.data.dependence import check_definite, check_independent
from edgewise.data.files import read_table
from edgewise.errors import ArgumentError, DataError
from edgewise.wording import count

Data: TypeAlias = Dataset | pd.DataFrame | npt.NDArray[np.generic] | Covariance | str | os.PathLike[str]


def load_data(data: Data) -> Dataset:
    """Read and check data.

    Parameters
    ----------
    data
        A DataFrame, a two-dimensional array (its columns are called X0, X1, ...), a :class:`Covariance`, or
        the path of a CSV, TSV, TXT or Parquet file. Rows are observations; the first row of a text file
        holds the column names. A Dataset is returned as it is.

    Returns
    -------
    Dataset
        The names, the values, the sufficient statistics and the fingerprint.

    Raises
    ------
    DataError
        If the data cannot be analysed as they are: text, missing or infinite values, constant columns,
        columns that are a linear combination of others, repeated names, fewer than 2 columns or 4 rows, or
        a file that cannot be read.

    Warns
    -----
    DataWarning
        If the first column of a file was taken as row names.

    Examples
    --------
    >>> dataset = load_data(pd.DataFrame({"Raf": [1.0, 2.0, 4.0, 3.0], "Mek": [0.5, 0.1, 0.2, 0.9]}))
    >>> dataset.names, dataset.n
    (('Raf', 'Mek'), 4)
    >>> load_data(pd.DataFrame({"Raf": [1.0, 2.0], "Mek": [0.5, 0.1]}))
    Traceback (most recent call last):
    ...
    edgewise.errors.DataError: The data have only 2 rows, but at least 4 rows are needed.
    """
    if isinstance(data, Dataset):
        return data
    if isinstance(data, Covariance):
        return _from_covariance(data)
    if isinstance(data, str | os.PathLike):
        return _from_frame(read_table(Path(data)))
    if isinstance(data, pd.DataFrame):
        return _from_frame(data)
    if isinstance(data, np.ndarray):
        return _from_array(data)
    raise ArgumentError(
        "The data must be a DataFrame, a two-dimensional NumPy array, a Covariance or the path of a file, "
        f"but they are of type {type(data).__name__}."
    )


def _from_array(array: npt.NDArray[np.generic]) -> Dataset:
    if array.ndim != 2:
        raise DataError(
            f"The array has {count(array.ndim, 'dimension')}, but it must have 2: observations in rows and "
            "variables in columns."
        )
    return _from_frame(pd.DataFrame(array, columns=list(default_names(array.shape[1]))))


def _from_frame(frame: pd.DataFrame) -> Dataset:
    names = tuple(str(name) for name in frame.columns)
    validation.check_names(names)
    validation.check_shape(len(frame), names)
    validation.check_numeric(frame, names)
    values = np.empty(frame.shape)
    for column, (_, series) in enumerate(frame.items()):
        values[:, column] = series.to_numpy(dtype=np.float64, na_value=np.nan)
    values += 0.0  # turns -0.0 into 0.0, so that equal tables have equal fingerprints
    validation.check_finite(values, names)
    validation.check_varying(values, names)
    moments = Moments.from_values(values)
    validation.check_magnitude(moments.scale, names)
    check_independent(moments, names)
    values.setflags(write=False)
    return Dataset(names, values, moments, fingerprint(names, values))


def _from_covariance(data: Covariance) -> Dataset:
    matrix = _numbers(data.matrix, "covariance matrix")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"The covariance matrix must be square, but its shape is {matrix.shape}.")
    names = _covariance_names(data, matrix.shape[0])
    mean = np.zeros(matrix.shape[0]) if data.mean is None else _numbers(data.mean, "means")
    validation.check_covariance(matrix, data.n, mean=mean, names=names)
    moments = Moments.from_covariance(matrix, int(data.n), mean=mean)
    check_definite(moments.correlation)
    check_independent(moments, names)
    return Dataset(names, None, moments, fingerprint(names, matrix, mean, np.array(float(data.n))))


def _covariance_names(data: Covariance, p: int) -> tuple[str, ...]:
    if data.names is not None:
        return tuple(str(name) for name in data.names)
    if not isinstance(data.matrix, pd.DataFrame):
        return default_names(p)
    rows, columns = data.matrix.index, data.matrix.columns
    if not isinstance(rows, pd.RangeIndex) and list(rows) != list(columns):
        raise DataError(
            "The rows and the columns of the covariance matrix have different names: give them the same "
            "names in the same order."
        )
    return tuple(str(name) for name in columns)


def _numbers(given: npt.ArrayLike | pd.DataFrame, what: str) -> FloatArray:
    try:
        return np.array(given, dtype=np.float64) + 0.0
    except (TypeError, ValueError) as error:
        raise DataError(f"The {what} must hold numbers only: remove or correct what is no number.") from error

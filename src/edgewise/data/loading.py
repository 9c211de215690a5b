"""One entrance for data of every form: whatever comes in, a checked :class:`Dataset` comes out."""

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, Unpack, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import is_scalar

from edgewise.data import validation
from edgewise.data.columns import find_missing_codes
from edgewise.data.conditions import Interventions, Targets, read_conditions, read_mask, sum_up
from edgewise.data.dataset import Covariance, Dataset, fingerprint
from edgewise.data.dependence import check_definite, check_independent
from edgewise.data.files import Header, read_table
from edgewise.data.kinds import Column, read_columns
from edgewise.data.missing import em_moments
from edgewise.data.moments import FloatArray, Moments
from edgewise.data.naming import default_names
from edgewise.data.ranks import normal_scores
from edgewise.errors import ArgumentError, DataError, DataWarning
from edgewise.wording import count, enumerate_names, quote

Data: TypeAlias = Dataset | pd.DataFrame | npt.NDArray[np.generic] | Covariance | str | os.PathLike[str]

Transform = Literal["ranks"]
Missing = Literal["error", "drop", "em"]

WAYS = (
    "fill in what is missing, leave out columns with gaps, take missing='drop' to leave out rows with gaps, or "
    "missing='em' to use what is known of them"
)
"""What can be done about missing values."""

ALIKE = 0.8
"""How alike a misspelt name and the right one are, at least: target and targets have .92. With .73, iteration is not
taken for interventions, since those who hand on arguments may have iterations of their own."""


class Reading(TypedDict, total=False):
    """How a table is to be read, wherever data are given; described at :func:`load_data`."""

    kinds: Mapping[str, str] | None
    transform: Transform | None
    missing: Missing
    interventions: Interventions | None
    targets: Targets | None
    columns: Sequence[str] | None
    drop: Sequence[str] | None
    header: Header


def load_data(data: Data, **reading: Unpack[Reading]) -> Dataset:
    """Read and check data.

    Parameters
    ----------
    data
        A DataFrame, a two-dimensional array (its columns are called X0, X1, ...), a :class:`Covariance`, or
        the path of a CSV, TSV, TXT or Parquet file. Rows are observations; the first row of a text file
        holds the column names. A Dataset is returned as it is.
    kinds
        What columns measure, by name: ``"continuous"``, ``"ordinal"``, ``"binary"`` or ``"categorical"``. By default
        numbers are continuous; booleans, text and categories are binary or categorical, ordered categories ordinal.
    transform
        ``"ranks"`` replaces the values of each continuous column by the normal scores of their ranks (a Gaussian
        copula), for skewed and heavy-tailed columns.
    missing
        What to do about missing values: ``"error"``, the default, refuses them. ``"drop"`` leaves out their rows.
        ``"em"`` uses all cells that are known: the moments of numbers are found by EM, with the effective number of
        rows; the families of columns with levels are judged by the rows in which they are known, each as if it were
        known in the effective number.
    interventions
        Which variables the experimenter set, in which rows: true or false for each cell, as an array of the shape of
        the data or a DataFrame with columns for some variables. Or the name of the column that has the condition of
        each row, which is then no variable, together with ``targets``.
    targets
        The variables that were set under each condition, like ``{"control": [], "inhibitor": ["Mek"]}``.
    columns, drop
        The columns to use, or to leave out, of a table; by default all are used.
    header
        Whether the first row of a text file holds the names of the columns. ``"auto"``, the default: it does, and a
        file whose first row holds only numbers is refused, since these may be names or not. True: it does, whatever it
        holds. False: it does not, and the columns are called X0, X1, ...

    Returns
    -------
    Dataset
        The names, the values, the sufficient statistics and the fingerprint. Everything that takes data takes it, and
        so ``load_data`` is where to say once how a table is to be read.

    Raises
    ------
    DataError
        If the data cannot be analysed as they are: dates, missing or infinite values, constant columns,
        columns that are a linear combination of others, repeated names, fewer than 2 columns or 4 rows, or
        a file that cannot be read.

    Warns
    -----
    DataWarning
        If the first column of a file was taken as row names, rows were left out, or numbers that seem to stand for
        missing values were replaced by ranks.

    Examples
    --------
    >>> dataset = load_data(pd.DataFrame({"Raf": [1.0, 2.0, 4.0, 3.0], "Mek": [0.5, 0.1, 0.2, 0.9]}))
    >>> dataset.names, dataset.n
    (('Raf', 'Mek'), 4)
    >>> load_data(pd.DataFrame({"Raf": [1.0, 2.0], "Mek": [0.5, 0.1]}))
    Traceback (most recent call last):
    ...
    edgewise.errors.DataError: The data have only 2 rows, but at least 4 rows are needed.
    >>> smokers = pd.DataFrame({"smoker": ["yes", "no", "no", "no"], "cancer": [True, False, False, True]})
    >>> load_data(smokers).kinds
    ('binary', 'binary')
    """
    settings = _check_reading(reading)
    if isinstance(data, Dataset | Covariance):
        if settings != _check_reading({}):
            raise ArgumentError(
                f"{enumerate_names(list(reading))} can be given with a table only, not with "
                f"{'data that were read already' if isinstance(data, Dataset) else 'a covariance matrix'}."
            )
        return data if isinstance(data, Dataset) else _from_covariance(data)
    if isinstance(data, str | os.PathLike):
        return _from_frame(read_table(Path(data), settings.header), settings, source=Path(data).name)
    if settings.header != "auto":
        raise ArgumentError(
            f"header={settings.header} is for text files, but the data are of type {type(data).__name__}: leave it out."
        )
    if isinstance(data, pd.DataFrame):
        return _from_frame(data, settings)
    if isinstance(data, np.ndarray):
        return _from_frame(_as_frame(data), settings)
    raise ArgumentError(
        "The data must be a DataFrame, a two-dimensional NumPy array, a Covariance or the path of a file, "
        f"but they are of type {type(data).__name__}."
    )


class _Settings(NamedTuple):
    """How a table is to be read, with defaults filled in."""

    kinds: Mapping[str, str] | None = None
    transform: Transform | None = None
    missing: Missing = "error"
    interventions: Interventions | None = None
    targets: Targets | None = None
    columns: Sequence[str] | None = None
    drop: Sequence[str] | None = None
    header: Header = "auto"


def _check_reading(reading: Reading) -> _Settings:
    _refuse_unknown(reading)
    settings = _Settings(**reading)
    settings = settings._replace(
        columns=_read_names("columns", settings.columns), drop=_read_names("drop", settings.drop)
    )
    if settings.transform not in (None, *get_args(Transform)):
        raise ArgumentError(f"transform must be 'ranks' or left out, but {settings.transform!r} was given.")
    if settings.missing not in get_args(Missing):
        raise ArgumentError(f"missing must be 'error', 'drop' or 'em', but {settings.missing!r} was given.")
    if not (isinstance(settings.header, bool) or settings.header == "auto"):
        raise ArgumentError(f"header must be true, false or 'auto', but {settings.header!r} was given.")
    if settings.targets is not None and not isinstance(settings.interventions, str):
        raise ArgumentError("targets needs interventions, the name of the column that has the condition of each row.")
    return settings


def _read_names(argument: str, given: object) -> list[str] | None:
    """Return names of columns as a list."""
    if given is None:
        return None
    if isinstance(given, Iterable) and not isinstance(given, str):
        names = list(given)
        if all(isinstance(name, str) for name in names):
            return names
    raise ArgumentError(f"{argument} must be a list of column names, but {quote(given)} was given.")


def _refuse_unknown(reading: Reading) -> None:
    """Refuse an argument that does not exist; whoever reads data hands on all that are not its own."""
    unknown = next((name for name in reading if name not in _Settings._fields), None)
    if unknown is None:
        return
    near = get_close_matches(unknown, _Settings._fields, n=1, cutoff=ALIKE)
    known = f"those that tell how data are read are {', '.join(_Settings._fields)}"
    remedy = f"perhaps {near[0]} is meant" if near else f"check its spelling, or leave it out; {known}"
    raise ArgumentError(f"There is no argument {quote(unknown)}: {remedy}.")


def _as_frame(array: npt.NDArray[np.generic]) -> pd.DataFrame:
    if array.ndim != 2:
        raise DataError(
            f"The array has {count(array.ndim, 'dimension')}, but it must have 2: observations in rows and "
            "variables in columns."
        )
    return pd.DataFrame(array, columns=list(default_names(array.shape[1])))


def _from_frame(frame: pd.DataFrame, settings: _Settings, *, source: str | None = None) -> Dataset:
    names = tuple("" if is_scalar(name) and pd.isna(name) else str(name) for name in frame.columns)
    validation.check_names(names)
    frame = frame.set_axis(list(names), axis=1)
    frame, condition = _choose_columns(frame, settings)
    names = tuple(frame.columns)
    validation.check_shape(len(frame), names)
    columns = read_columns(frame, names, settings.kinds)
    is_set, conditions = _read_interventions(condition, settings, len(frame), names)
    values = np.stack([column.values for column in columns], axis=1)
    validation.check_finite(values, names)
    kept, treatment = _treat_missing(values, names, settings)
    values, is_set = values[kept], None if is_set is None else is_set[kept]
    validation.check_shape(len(values), names)
    validation.check_varying(values, names)
    if settings.transform == "ranks":
        treatment["transform"] = "ranks"
        _warn_of_codes(values, names, columns)
        _rank(values, columns)
    if settings.kinds:
        treatment["told_kinds"] = sorted(settings.kinds)
    values.setflags(write=False)
    kinds, levels = tuple(column.kind for column in columns), tuple(column.levels for column in columns)
    about: dict[str, Any] = {} if set(kinds) == {"continuous"} else {"kinds": kinds, "levels": levels}
    about |= {name: treatment[name] for name in ("transform",) if name in treatment}
    dataset = Dataset(
        names,
        values,
        fingerprint(names, values, *([] if is_set is None else [is_set.astype(float)]), about=about),
        kinds,
        levels=levels,
        conditions=() if is_set is None else sum_up(is_set, [conditions[row] for row in np.flatnonzero(kept)], names),
        is_set=is_set,
        treatment=treatment,
        source=source,
    )
    _check_numbers(dataset)
    return dataset


def _choose_columns(frame: pd.DataFrame, settings: _Settings) -> tuple[pd.DataFrame, "pd.Series[Any] | None"]:
    """Return the columns to use, and the one with the condition of each row if there is one."""
    for name, given in (("columns", settings.columns), ("drop", settings.drop)):
        unknown = [column for column in given or () if column not in frame.columns]
        if unknown:
            raise ArgumentError(f"{name} has {enumerate_names(unknown)}, but the data have no column of that name.")
    condition = None
    if isinstance(settings.interventions, str):
        if settings.interventions not in frame.columns:
            raise ArgumentError(
                f"interventions names the column {settings.interventions!r}, but the data have none of that name."
            )
        condition = frame[settings.interventions]
    left_out = {*(settings.drop or ()), *(() if condition is None else (str(condition.name),))}
    wanted = list(frame.columns) if settings.columns is None else list(dict.fromkeys(settings.columns))
    return frame[[column for column in wanted if column not in left_out]], condition


def _read_interventions(
    condition: "pd.Series[Any] | None", settings: _Settings, n: int, names: Sequence[str]
) -> tuple[npt.NDArray[np.bool_] | None, list[str]]:
    """Return which cells were set, None if there are no interventions, and the condition of each row."""
    given = settings.interventions
    if given is None:
        return None, []
    if condition is not None:
        return read_conditions(condition, settings.targets, names)
    return read_mask(given, n, names)


def _treat_missing(
    values: FloatArray, names: Sequence[str], settings: _Settings
) -> tuple[npt.NDArray[np.bool_], dict[str, Any]]:
    """Return which rows to keep, and what was done."""
    is_gap = np.isnan(values)
    kept = np.ones(len(values), bool)
    if not is_gap.any():
        return kept, {}
    treatment: dict[str, Any] = {"missing": settings.missing, "missing_cells": int(is_gap.sum())}
    if settings.missing == "error":
        validation.check_known(values, names, WAYS)
    if settings.missing == "drop":
        kept = np.asarray(~is_gap.any(axis=1))
        dropped = int((~kept).sum())
        warnings.warn(
            f"{count(dropped, 'row')} of {len(values)} with missing values "
            f"{'was' if dropped == 1 else 'were'} left out; missing='em' would use what is known of them.",
            DataWarning,
            stacklevel=4,
        )
        treatment["dropped_rows"] = dropped
    return kept, treatment


def _warn_of_codes(values: FloatArray, names: Sequence[str], columns: Sequence[Column]) -> None:
    """Say which numbers seem to stand for missing values, which a look at ranks cannot tell."""
    numeric = [number for number, column in enumerate(columns) if column.kind == "continuous"]
    for finding in find_missing_codes(values[:, numeric], [names[number] for number in numeric]):
        warnings.warn(finding.sentence, DataWarning, stacklevel=4)


def _rank(values: FloatArray, columns: Sequence[Column]) -> None:
    """Replace the values of continuous columns by normal scores, in place."""
    for number, column in enumerate(columns):
        if column.kind == "continuous":
            values[:, number] = normal_scores(values[:, number])


def _check_numbers(dataset: Dataset) -> None:
    """Refuse columns of numbers that vary beyond double precision, or that others determine."""
    numeric = [column for column, kind in enumerate(dataset.kinds) if kind == "continuous"]
    if not numeric or dataset.values is None:
        return
    names = [dataset.names[column] for column in numeric]
    moments = dataset.moments if len(numeric) == dataset.p else em_moments(dataset.values[:, numeric])
    validation.check_magnitude(moments.scale, names)
    check_independent(moments, names)


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
    return Dataset(
        names,
        None,
        fingerprint(names, matrix, mean, np.array(float(data.n))),
        given_moments=moments,
    )


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

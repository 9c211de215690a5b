"""What the rest of Edgewise knows about the data.

A :class:`Dataset` has the names and kinds of the columns, the cells if there are any, which cells the experimenter
set, and a fingerprint by which a checkpoint or a stored posterior recognises the data it was made from. Scores and
tests take one of its *statistics*: the :class:`~edgewise.data.moments.Moments` of numbers, the
:class:`~edgewise.data.counts.Counts` of levels, the :class:`~edgewise.data.blocks.Blocks` of both, or the rows.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from edgewise.arithmetic import one_order_of_sums
from edgewise.data.blocks import Blocks, indicators, make_blocks
from edgewise.data.conditions import Condition
from edgewise.data.counts import Counts, count_rows
from edgewise.data.groups import Groups, group_rows
from edgewise.data.kinds import Kind
from edgewise.data.missing import effective_rows, em_moments
from edgewise.data.moments import FloatArray, Moments
from edgewise.data.ranks import normal_scores
from edgewise.errors import ArgumentError, DataError
from edgewise.wording import columns_that

STATISTICS = {
    "moments": "numbers",
    "counts": "levels",
    "blocks": "numbers and levels",
    "rows": "the rows themselves",
}
"""What scores and tests can take of data, and what that is in words."""

IntArray: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Data that have passed every check; made by :func:`edgewise.data.load_data`.

    Attributes
    ----------
    names
        Column names, unique.
    values
        The (n, p) table, C-contiguous and read-only: numbers, codes of levels in discrete columns, and nan where a cell
        is missing. None if the data came as a covariance matrix.
    fingerprint
        SHA-256, in hexadecimal digits, of the names, the shape and every cell (or of the names, the
        covariance matrix, the means and n), and of what else there is to know.
    kinds
        What each column measures; where nothing is given, all are continuous.
    levels
        What the codes of each discrete column stand for.
    conditions
        Under which conditions rows were measured; none without interventions.
    is_set
        Whether the experimenter set each variable in each row, shape (n, p); None without interventions.
    given_moments
        Those that came in place of a table.
    treatment
        What was done to the table: ``"transform"``, ``"missing"``, and the number of ``"missing_cells"`` and
        ``"dropped_rows"``, as far as they apply.
    source
        The name of the file that the data came from, if they did.
    """

    names: tuple[str, ...]
    values: FloatArray | None
    fingerprint: str
    kinds: tuple[Kind, ...] = ()
    levels: tuple[tuple[str, ...], ...] = ()
    conditions: tuple[Condition, ...] = ()
    is_set: npt.NDArray[np.bool_] | None = None
    given_moments: Moments | None = None
    treatment: Mapping[str, Any] = field(default_factory=dict)
    source: str | None = None

    def __post_init__(self) -> None:
        if not self.kinds:
            object.__setattr__(self, "kinds", ("continuous",) * len(self.names))
            object.__setattr__(self, "levels", ((),) * len(self.names))

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.given_moments.n if self.given_moments is not None else len(self.rows)

    @property
    def p(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def kind(self) -> Literal["continuous", "discrete", "mixed"]:
        """What the columns are together. Grades count as continuous, unless there are levels without an order."""
        if not any(kind in ("binary", "categorical") for kind in self.kinds):
            return "continuous"
        return "mixed" if "continuous" in self.kinds else "discrete"

    @property
    def is_complete(self) -> bool:
        """Whether no cell is missing."""
        return self.values is None or bool(np.isfinite(self.values).all())

    @property
    def groups(self) -> Groups | None:
        """Which rows say something about which variable; None if all do, because nothing was set."""
        return None if self.is_set is None else group_rows(self.is_set)

    @property
    def targets(self) -> tuple[tuple[int, ...], ...]:
        """The different sets of variables that were set together, without the empty one."""
        if self.is_set is None:
            return ()
        sets = {tuple(np.flatnonzero(row).tolist()) for row in np.unique(self.is_set, axis=0)}
        return tuple(sorted(sets - {()}))

    @cached_property
    def moments(self) -> Moments:
        """The sufficient statistics of all rows, of grades by their normal scores; by EM where cells are missing."""
        if self.given_moments is not None:
            return self.given_moments
        reason = self.why_not("moments")
        if reason is not None:
            raise DataError(f"These data have no means and correlations, because {reason}.")
        with one_order_of_sums():
            columns = [self._measure(column) for column in range(self.p)]
            return em_moments(np.ascontiguousarray(np.concatenate(columns, axis=1)))

    @property
    def plain_moments(self) -> Moments | None:
        """The moments, if the data are nothing but numbers of which none was set, and so say all there is to know."""
        is_plain = set(self.kinds) == {"continuous"} and self.is_set is None
        return self.moments if is_plain else None

    @property
    def plain_blocks(self) -> Blocks | None:
        """The same of data of which some were set: the statistics of each group of rows."""
        is_plain = set(self.kinds) == {"continuous"} and self.is_set is not None
        return self.blocks if is_plain else None

    def record(self) -> dict[str, Any]:
        """Return what the record of a run says of its data."""
        about: dict[str, Any] = {"n": self.n, "p": self.p, "kind": self.kind, "fingerprint": self.fingerprint}
        if set(self.kinds) != {"continuous"}:
            about["kinds"] = dict(zip(self.names, self.kinds, strict=True))
            about["levels"] = {name: list(has) for name, has in zip(self.names, self.levels, strict=True) if has}
        if self.is_set is not None:
            about["conditions"] = [asdict(condition) for condition in self.conditions]
            about["targets"] = [[self.names[column] for column in target] for target in self.targets]
        if not self.is_complete:
            about["effective_rows"] = int(effective_rows(np.isfinite(self.rows)))
        return about | dict(self.treatment)

    @cached_property
    def blocks(self) -> Blocks:
        """The sufficient statistics of blocks of columns: one for a number, several for a variable with levels."""
        with one_order_of_sums():
            columns = [self._measure(column) for column in range(self.p)]
            return make_blocks(columns, self._groups, moments=em_moments)

    @cached_property
    def counts(self) -> Counts:
        """How many rows there are of each kind."""
        codes = np.where(np.isfinite(self.rows), self.rows, -1).astype(np.int64)
        return count_rows(codes, np.array([len(levels) for levels in self.levels]), self._groups)

    @property
    def rows(self) -> FloatArray:
        """The table, where there must be one."""
        if self.values is None:
            raise DataError("Only a covariance matrix is known of these data: give the table of measurements itself.")
        return self.values

    @property
    def _groups(self) -> Groups:
        return self.groups or group_rows(np.zeros((self.n, self.p), bool))

    def _measure(self, column: int) -> FloatArray:
        """Return a column as columns of numbers that a Gaussian model can take."""
        values, kind = self.rows[:, column], self.kinds[column]
        if kind in ("binary", "categorical"):
            return indicators(np.where(np.isfinite(values), values, -1).astype(np.int64), len(self.levels[column]))
        return (normal_scores(values) if kind == "ordinal" else values)[:, None]

    def why_not(self, statistics: str) -> str | None:
        """Return why data do not have the statistics that a score or a test takes, or None if they do.

        Parameters
        ----------
        statistics
            One of ``STATISTICS``.
        """
        is_level = np.isin(self.kinds, ("binary", "categorical"))
        if self.values is None:
            return None if statistics == "moments" else "only a covariance matrix is known of these data"
        if statistics == "moments" and is_level.any():
            return self._say(is_level, "has levels", "have levels")
        if statistics == "counts" and "continuous" in self.kinds:
            return self._say(np.isin(self.kinds, "continuous"), "holds numbers", "hold numbers")
        if statistics == "rows" and not self.is_complete:
            return self._say(np.asarray(np.isnan(self.values).any(axis=0)), "has missing values", "have missing values")
        return None

    def _say(self, chosen: npt.NDArray[np.bool_], one: str, many: str) -> str:
        """Say something about columns, within a sentence."""
        names = [name for name, is_chosen in zip(self.names, chosen, strict=True) if is_chosen]
        sentence = columns_that(names, one, many)
        return sentence[0].lower() + sentence[1:]

    def to_frame(self) -> pd.DataFrame:
        """Return the table as pandas has it, with discrete columns as categories, so that it can be read again."""
        columns: dict[str, Any] = {}
        for name, values, kind, levels in zip(self.names, self.rows.T, self.kinds, self.levels, strict=True):
            codes = np.where(np.isfinite(values), values, -1).astype(int)
            columns[name] = (
                pd.Categorical.from_codes(codes, pd.Index(levels), ordered=kind == "ordinal") if levels else values
            )
        return pd.DataFrame(columns)

    def positions(self, variables: Sequence[int | str] | int | str) -> IntArray:
        """Return the column numbers of variables given by name or by column number.

        Raises
        ------
        ArgumentError
            If there is no such variable, or one is given twice.
        """
        if isinstance(variables, str | int):
            variables = [variables]
        return _find_distinct(self.names, variables)

    def order(self, variables: Sequence[int | str]) -> IntArray:
        """Return the column numbers of an order, which must hold every variable once.

        Raises
        ------
        ArgumentError
            If it is not a permutation of the variables.
        """
        return find_order(self.names, variables)


@dataclass(frozen=True, eq=False)
class Covariance:
    """A sample covariance matrix, to be used in place of the data it was computed from.

    Parameters
    ----------
    matrix
        Sample covariances with divisor n - 1, as `numpy.cov` and R's `cov` give them, shape (p, p).
    n
        Number of rows the covariances were computed from.
    names
        Column names; by default those of a DataFrame, otherwise X0, X1, ...
    mean
        Column means, shape (p,); zeros by default.

    Examples
    --------
    >>> from edgewise.data import load_data
    >>> dataset = load_data(Covariance([[2.0, 1.0], [1.0, 3.0]], n=50, names=["Raf", "Mek"]))
    >>> dataset.names, dataset.n, dataset.values
    (('Raf', 'Mek'), 50, None)
    """

    matrix: npt.ArrayLike | pd.DataFrame
    n: int
    _: KW_ONLY
    names: Sequence[str] | None = None
    mean: npt.ArrayLike | None = None


class Taker(Protocol):
    """A score or a test."""

    takes: ClassVar[str]
    uses_interventions: ClassVar[bool]


def check_fits(taker: Taker, dataset: Dataset, *, instead: str) -> None:
    """Refuse a score or a test that takes what data do not have, or that would ignore interventions.

    Parameters
    ----------
    taker
        A score or a test.
    dataset
        The data.
    instead
        What to do instead, as the end of a sentence.
    """
    name = type(taker).__name__
    if taker.takes not in STATISTICS:
        raise ArgumentError(f"{name} takes {taker.takes!r} of the data, but there are only {', '.join(STATISTICS)}.")
    reason = dataset.why_not(taker.takes)
    if reason is not None:
        raise DataError(f"{name} takes {STATISTICS[taker.takes]}, but {reason}: {instead}.")
    if dataset.is_set is not None and not taker.uses_interventions:
        raise DataError(f"{name} would ignore that some cells were set by interventions: {instead}.")


def find_columns(names: Sequence[str], variables: Iterable[int | str]) -> list[int]:
    """Return the column numbers of variables given by name or by column number.

    Raises
    ------
    ArgumentError
        If there is no such variable.

    Examples
    --------
    >>> find_columns(["Raf", "Mek", "Erk"], ["Erk", 0])
    [2, 0]
    """
    numbers = {name: number for number, name in enumerate(names)}
    columns = []
    for variable in variables:
        is_number = isinstance(variable, int | np.integer) and not isinstance(variable, bool)
        column = int(variable) if is_number else numbers.get(str(variable), -1)
        if not 0 <= column < len(names):
            raise ArgumentError(
                f"There is no variable {variable!r}; give a column's name, or its number from 0 to {len(names) - 1}."
            )
        columns.append(column)
    return columns


def find_order(names: Sequence[str], variables: Iterable[int | str]) -> IntArray:
    """Return the column numbers of an order, which must hold every variable once.

    Raises
    ------
    ArgumentError
        If it is not a permutation of the variables.

    Examples
    --------
    >>> find_order(["Raf", "Mek"], ["Mek", "Raf"])
    array([1, 0])
    """
    columns = _find_distinct(names, variables)
    if len(columns) != len(names):
        missing = sorted(set(range(len(names))) - set(columns.tolist()))
        raise ArgumentError(
            f"An order must hold each of the {len(names)} variables once, but {names[missing[0]]!r}"
            f"{f' and {len(missing) - 1} more are' if len(missing) > 1 else ' is'} missing."
        )
    return columns


def _find_distinct(names: Sequence[str], variables: Iterable[int | str]) -> IntArray:
    columns = find_columns(names, variables)
    for column in columns:
        if columns.count(column) > 1:
            raise ArgumentError(f"The variable {names[column]!r} is given more than once.")
    return np.array(columns, dtype=np.int64)


def fingerprint(names: Sequence[str], *arrays: FloatArray, about: object = None) -> str:
    """SHA-256 of the names and of the shape and every cell of the arrays, the same on every machine.

    ``about`` is anything else, as JSON can hold it, in which data with equal cells may differ.

    Examples
    --------
    >>> fingerprint(["a"], np.zeros((2, 1)))[:8] == fingerprint(["a"], np.zeros((1, 2)))[:8]
    False
    """
    digest = hashlib.sha256()
    digest.update(json.dumps([list(names), [array.shape for array in arrays]]).encode("ascii"))
    for array in arrays:
        digest.update(np.ascontiguousarray(array, dtype="<f8").data)
    if about:
        digest.update(json.dumps(about).encode("ascii"))
    return digest.hexdigest()

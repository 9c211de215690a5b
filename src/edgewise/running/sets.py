"""Which sets there are: data by name, crossed with settings and replicates.

The name of a set is that of its directory, and decides its random numbers. So neither depends on which other sets there
are: a file that is added later changes nothing about those before it, unless it is called like one of them.
"""

import glob
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from edgewise.arguments import check_whole
from edgewise.data import Covariance, Data, Dataset
from edgewise.errors import ArgumentError
from edgewise.wording import enumerate_names, quote

WILDCARDS = "*?["
"""Characters that make a path a pattern."""

NAMES = "The names of the data sets"

ALONE = "data"
"""The name of a set that needs none."""

DIGITS = 4
"""Digits of a number that serves as a name: always the same, so that a tenth set does not rename the first nine."""

Settings = Mapping[str, Mapping[str, Any]] | Sequence[Mapping[str, Any]]


def is_pattern(path: str) -> bool:
    """Return whether a path stands for several: it has a wildcard, and no file is called like that.

    Examples
    --------
    >>> is_pattern("data/*.csv"), is_pattern("data.csv")
    (True, False)
    """
    return any(character in path for character in WILDCARDS) and not os.path.lexists(path)


def find_files(pattern: str) -> list[Path]:
    """Return the files that a pattern stands for, in the order of the alphabet."""
    found = sorted(Path(path) for path in glob.glob(os.path.expanduser(pattern), recursive=True))
    files = [path for path in found if path.is_file()]
    if not files:
        raise ArgumentError(f"No file matches {quote(pattern)}: check the folder and the ending.")
    return files


def name_files(files: Sequence[Path]) -> dict[str, Path]:
    """Return files by names that differ: without folder and ending, if that is enough to tell them apart.

    Examples
    --------
    >>> list(name_files([Path("a/screen.csv"), Path("b/controls.csv")]))
    ['screen', 'controls']
    >>> list(name_files([Path("a/screen.csv"), Path("b/screen.csv")]))
    ['a-screen', 'b-screen']
    >>> list(name_files([Path("a/screen.csv"), Path("a/screen.tsv")]))
    ['screen.csv', 'screen.tsv']
    """
    files = [Path(os.path.abspath(file)) for file in files]
    common = os.path.commonpath([file.parent for file in files]) if files else ""
    below = [file.relative_to(common) for file in files]
    ways = (
        [file.stem for file in files],
        [file.name for file in files],
        ["-".join(file.with_suffix("").parts) for file in below],
        ["-".join(file.parts) for file in below],
    )
    return dict(zip(next((names for names in ways if not _repeated(names)), ways[0]), files, strict=True))


def name_data(data: Any) -> dict[str, Data | None]:
    """Return the data of all sets by name, from a pattern, a mapping, a sequence, or data of one set."""
    if isinstance(data, Mapping):
        _check_names([str(name) for name in data], NAMES)
        return {str(name): given for name, given in data.items()}
    if isinstance(data, str | os.PathLike):
        path = os.fspath(data)
        return dict(name_files(find_files(path) if is_pattern(path) else [Path(path)]))
    if data is None or isinstance(data, Dataset | Covariance | pd.DataFrame | np.ndarray):
        return {"": data}
    if not isinstance(data, Iterable):
        raise ArgumentError(
            "data must be a pattern like 'data/*.csv', a sequence, or a dictionary of data by name, but they are of "
            f"type {type(data).__name__}."
        )
    given = list(data)
    if given and all(isinstance(one, str | os.PathLike) for one in given):
        files = [Path(one) for one in given]
        _check_names([os.path.abspath(file) for file in files], "The files")
        return dict(name_files(files))
    return dict(zip(_number(len(given)), given, strict=True))


def name_settings(settings: Settings | None, allowed: set[str]) -> dict[str, dict[str, Any]]:
    """Return settings by name, having checked that each is an argument that may be given."""
    if settings is None:
        return {"": {}}
    if not isinstance(settings, Mapping):
        settings = dict(zip(_number(len(settings)), settings, strict=True))
    for name, chosen in settings.items():
        if not isinstance(chosen, Mapping):
            raise ArgumentError(
                f"settings must hold dictionaries of arguments, like {{'iterations': 1000}}, but {quote(chosen)} was "
                f"given for {quote(name)}."
            )
        check_arguments(chosen, allowed)
    return {str(name): dict(chosen) for name, chosen in settings.items()}


def check_arguments(given: Iterable[str], allowed: set[str]) -> None:
    """Refuse arguments that a run of many does not take."""
    unknown = sorted(set(given) - allowed)
    if unknown:
        raise ArgumentError(
            f"{enumerate_names(unknown)} cannot be chosen for each of many data sets: the arguments are "
            f"{', '.join(sorted(allowed))}."
        )


def name_replicates(replicates: int | None) -> list[str]:
    """Return names of replicates; an empty one where rows are not drawn anew."""
    if replicates is None:
        return [""]
    return _number(check_whole("replicates", replicates))


def join_names(*parts: str) -> str:
    """Return the name of a set, given those of its data, its settings and its replicate.

    Examples
    --------
    >>> join_names("screen", "", "0007"), join_names("", "", "")
    ('screen-0007', 'data')
    """
    return "-".join(part for part in parts if part) or ALONE


def check_names(names: Sequence[str], reserved: Sequence[str]) -> None:
    """Refuse names that are not those of different directories."""
    if not names:
        raise ArgumentError("There are no data: give at least one data set.")
    for name in names:
        if name in (".", "..", *reserved) or any(character in name for character in "/\\\0"):
            raise ArgumentError(f"The name {quote(name)} of a data set cannot be that of a directory: choose another.")
    _check_names(names, NAMES)


def _number(length: int) -> list[str]:
    """Return the numbers from 1 on, as names whose order is that of the alphabet."""
    return [f"{number:0{DIGITS}d}" for number in range(1, length + 1)]


def _repeated(names: Sequence[str]) -> list[str]:
    """Return names that occur twice, for file systems that do not tell capital letters from others, too."""
    times = Counter(name.casefold() for name in names)
    return [name for name in dict.fromkeys(names) if times[name.casefold()] > 1]


def _check_names(names: Sequence[str], what: str) -> None:
    repeated = _repeated(names)
    if repeated:
        raise ArgumentError(f"{what} must differ, but there are several {enumerate_names(repeated)}.")

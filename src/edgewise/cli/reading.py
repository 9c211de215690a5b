"""What options of the command line say about the table."""

from collections.abc import Sequence
from pathlib import Path

from edgewise.data import Reading
from edgewise.data.files import read_table
from edgewise.errors import ArgumentError
from edgewise.priors.reading import read_mapping
from edgewise.wording import quote


def read_kinds(given: Sequence[str] | None) -> dict[str, str] | None:
    """Return the kinds of columns by name, from texts like ``"grade=ordinal"``."""
    kinds: dict[str, str] = {}
    for text in given or ():
        name, equals, kind = text.rpartition("=")
        if not equals:
            raise ArgumentError(
                f"--kinds must be like grade=ordinal, a column and its kind, but {quote(text)} was given."
            )
        kinds[name] = kind
    return kinds or None


def read_values(given: Sequence[str]) -> dict[str, float]:
    """Return the values that variables are to be set to by name, from texts like ``"MEK=0"``."""
    values: dict[str, float] = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        if not equals:
            raise ArgumentError(f"--set must be like MEK=0, a variable and its value, but {quote(text)} was given.")
        if name in values:
            raise ArgumentError(f"--set has {quote(name)} more than once: give each variable one value.")
        try:
            values[name] = float(value)
        except ValueError as error:
            raise ArgumentError(f"--set must give {quote(name)} a number, but {quote(value)} was given.") from error
    return values


def read_interventions(given: str | None, targets: Path | None) -> Reading:
    """Return how interventions are told: by a column and its targets or, where that is a file, cell by cell."""
    if targets is not None:
        if given is None:
            raise ArgumentError("--targets needs --interventions, the column that has the condition of each row.")
        found = read_mapping(targets, what="targets", keys="the conditions as keys")
        return {"interventions": given, "targets": found}
    if given is None:
        return {}
    if not Path(given).is_file():
        raise ArgumentError(
            f"--interventions is {quote(given)}, and there is no such file: give --targets if it is the column that "
            "has the condition of each row."
        )
    return {"interventions": read_table(Path(given))}

"""What options of the command line stand for."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from edgewise.data import Reading
from edgewise.data.files import Header, read_table
from edgewise.errors import ArgumentError
from edgewise.priors.reading import read_mapping
from edgewise.samplers import DagMCMC, MinimalIMAP, OrderMCMC, PartitionMCMC, Sampler, StructureMCMC
from edgewise.wording import enumerate_names, quote

STARTS = ("auto", "random", "mmhc")


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


def read_header(given: str) -> Header:
    """Return whether a file has names, from a word."""
    words: dict[str, Header] = {"auto": "auto", "yes": True, "no": False}
    return words[given]


def read_start(given: str) -> Any:
    """Return where chains begin: a word, or the order or orders in a file."""
    if given in STARTS:
        return given
    if not Path(given).is_file():
        raise ArgumentError(
            f"--start must be {', '.join(STARTS)} or a file with an order of all variables, but there is no file "
            f"{quote(given)}."
        )
    found = read_mapping(Path(given), what="order", keys="the key order, or orders")
    if len(found) != 1 or not found.keys() <= {"order", "orders"}:
        raise ArgumentError(
            f"The file {quote(given)} must have one key, order with a list of all variables, or orders with such a "
            f"list for each chain, but it has {enumerate_names(list(found)) if found else 'none'}."
        )
    (orders,) = found.values()
    is_list = isinstance(orders, list) and all(isinstance(one, str if "order" in found else list) for one in orders)
    if not is_list or not orders:
        raise ArgumentError(f"The file {quote(given)} must have lists of variables, but it has {quote(orders)}.")
    return orders


def choose_sampler(
    name: str | None, *, alpha: float | None, temperatures: str | None, max_parents: int | None
) -> Sampler | None:
    """Return a sampler with its settings; None for the default.

    A level of significance alone asks for the paper's chain.
    """
    if name is None and alpha is not None:
        name = "minimal-imap"
    for option, value, fitting in (
        ("--alpha", alpha, ("minimal-imap",)),
        ("--temperatures", temperatures, ("minimal-imap",)),
        ("--max-parents", max_parents, ("order", "partition", "structure")),
    ):
        if value is not None and name not in fitting:
            took = "none was given" if name is None else f"{name} was given"
            raise ArgumentError(f"{option} is for --sampler {' or '.join(fitting)}, but {took}: leave one of them out.")
    if name is None or name == "dag":
        return None if name is None else DagMCMC()
    if name == "minimal-imap":
        settings: dict[str, Any] = {} if alpha is None else {"alpha": alpha, "criterion": "test"}
        return MinimalIMAP(**settings, temperatures=_read_temperatures(temperatures))
    samplers: dict[str, type[Sampler]] = {"order": OrderMCMC, "partition": PartitionMCMC, "structure": StructureMCMC}
    most: dict[str, Any] = {} if max_parents is None else {"max_parents": max_parents}
    return samplers[name](**most)


def _read_temperatures(given: str | None) -> Any:
    """Return a word, a number, or several; what is none of these is for the sampler to refuse."""
    if given is None:
        return None
    try:
        numbers = [float(part) for part in given.split(",")]
    except ValueError:
        return given
    return numbers[0] if len(numbers) == 1 else numbers


def read_interventions(given: str | None, targets: Path | None, header: Header = "auto") -> Reading:
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
    return {"interventions": read_table(Path(given), header)}

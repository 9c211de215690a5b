"""Refusals of a score that is no number for some family, because it is not written as it must be."""

from collections.abc import Sequence
from typing import NoReturn

from edgewise.errors import ArgumentError
from edgewise.wording import enumerate_names, quote


def refuse_family(found: float, node: int, parents: Sequence[int], names: Sequence[str]) -> NoReturn:
    """Refuse a score for what it found of the family of a variable: nan or infinity."""
    given = enumerate_names([names[parent] for parent in parents]) if parents else "no parents"
    _refuse(found, f"{quote(names[node])} given {given}")


def refuse_pair(found: float, one: int, other: int, names: Sequence[str]) -> NoReturn:
    """Refuse a score for what it found of one of two variables, with the other among its parents."""
    _refuse(found, f"{quote(names[one])} or {quote(names[other])}, given the other and perhaps more,")


def _refuse(found: float, of: str) -> NoReturn:
    raise ArgumentError(
        f"The score of {of} is {found}, but a score must be a number for each variable and its parents, or -inf where "
        "it cannot have them: correct the score, or take another such as BGe()."
    )

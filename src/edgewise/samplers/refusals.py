"""Refusals of a score that is no number for some family, which a chain came upon."""

from collections.abc import Sequence
from typing import NoReturn

from edgewise.scores.refusals import refuse_family, refuse_score
from edgewise.wording import quote

__all__ = ["refuse_edge", "refuse_family", "refuse_pair"]


def refuse_pair(found: float, one: int, other: int, names: Sequence[str]) -> NoReturn:
    """Refuse a score for what it found of one of two variables, with the other among its parents."""
    refuse_score(found, f"{quote(names[one])} or {quote(names[other])}, given the other and perhaps more,")


def refuse_edge(found: float, parent: int, child: int, names: Sequence[str]) -> NoReturn:
    """Refuse a score for what it found of a variable, with or without a parent."""
    refuse_score(found, f"{quote(names[child])}, with or without {quote(names[parent])} among its parents,")

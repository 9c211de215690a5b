"""Refusals of a score that is no number for some family, which a chain came upon."""

from collections.abc import Sequence
from typing import NoReturn

from edgewise.scores.refusals import refuse_family, refuse_score
from edgewise.wording import quote

__all__ = ["refuse_family", "refuse_pair"]


def refuse_pair(found: float, one: int, other: int, names: Sequence[str]) -> NoReturn:
    """Refuse a score for what it found of one of two variables, with the other among its parents."""
    refuse_score(found, f"{quote(names[one])} or {quote(names[other])}, given the other and perhaps more,")

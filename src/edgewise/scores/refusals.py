"""Refusals of a score that is no number for some family, because it is not written as it must be."""

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from edgewise.errors import ArgumentError
from edgewise.wording import enumerate_names, quote


def check_local_scores(scores: np.ndarray, dag: np.ndarray, names: Sequence[str]) -> None:
    """Refuse a score by what it found of the families of a DAG, if that is no number for one of them."""
    faulty = np.flatnonzero(~(scores < np.inf))
    if len(faulty):
        node = int(faulty[0])
        refuse_family(scores[node], node, np.flatnonzero(dag[:, node]).tolist(), names)


def refuse_family(found: float, node: int, parents: Sequence[int], names: Sequence[str]) -> NoReturn:
    """Refuse a score for what it found of the family of a variable: nan or infinity."""
    given = enumerate_names([names[parent] for parent in parents]) if parents else "no parents"
    refuse_score(found, f"{quote(names[node])} given {given}")


def refuse_pair(found: float, one: int, other: int, names: Sequence[str]) -> NoReturn:
    """Refuse a score for what it found of one of two variables, with the other among its parents."""
    refuse_score(found, f"{quote(names[one])} or {quote(names[other])}, given the other and perhaps more,")


def refuse_edge(found: float, parent: int, child: int, names: Sequence[str]) -> NoReturn:
    """Refuse a score for what it found of a variable, with or without a parent."""
    refuse_score(found, f"{quote(names[child])}, with or without {quote(names[parent])} among its parents,")


def refuse_score(found: float, of: str) -> NoReturn:
    """Refuse a score for what it found of something, in words."""
    raise ArgumentError(
        f"The score of {of} is {found}, but a score must be a number for each variable and its parents, or -inf where "
        "it cannot have them: correct the score, or take another such as BGe()."
    )

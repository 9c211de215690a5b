"""What compiled code knows of a score: four functions, chosen by the type of the score's tables.

Chains, tables of parent sets, exact sums and searches call :func:`local_score`, :func:`gains` and
:func:`is_determined`, and hand on the room that :func:`new_room` made. Which code stands behind these names is settled
when they are compiled, so that it costs nothing in a step. A new score is a NamedTuple of tables and its four
functions, made known by :func:`register`; see :mod:`edgewise._kernels.scores.log_det` for one.

The tables have a field ``most_parents``: families with more parents than that have no score.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..compiling import by_type, make_known


class _Score(NamedTuple):
    """The functions behind a type of tables; described at the functions of this module."""

    local_score: Callable[..., Any]
    gains: Callable[..., Any]
    is_determined: Callable[..., Any]
    new_room: Callable[..., Any]


_scores: dict[type, _Score] = {}


def register(
    tables: type,
    *,
    local_score: Callable[..., Any],
    gains: Callable[..., Any],
    is_determined: Callable[..., Any],
    new_room: Callable[..., Any],
) -> None:
    """Make a score known: the type of its tables, three compiled parts, and a Python function that makes room."""
    make_known(_scores, tables, _Score(local_score, gains, is_determined, new_room))


def is_registered(tables: Any) -> bool:
    """Return whether there are functions for such tables."""
    return type(tables) in _scores


def new_room(score: Any, p: int) -> Any:
    """Return what the functions of a score need to work in, for p variables; each chain has its own."""
    return _scores[type(score)].new_room(score, p)


@by_type(_scores)
def local_score(score, members, size, room):
    """Score the family of ``members[size]`` with parents ``members[:size]``, which are in index order."""


@by_type(_scores)
def gains(score, members, size, node, room, gain):
    """Set ``gain[x]`` to what each variable x adds to the score of ``node`` with parents ``members[:size]``.

    It is -inf where x is among them, or ``node`` itself, or has nothing to add that they do not determine.
    """


@by_type(_scores)
def is_determined(score, members, size, room):
    """Return whether the parents determine the child, in the family that was scored last in this room."""

"""What compiled code knows of a test of conditional independence: two functions, chosen by the type of its tables.

Results are *strengths*: the absolute value of the standard normal deviate that is as improbable, under independence, as
what was found. So they can be compared whatever the test and the size of the set that is conditioned on, and a test at
level alpha says "dependent" where the strength exceeds the quantile at 1 - alpha / 2.

The tables have a field ``most_given``, the size of the largest set to condition on for which the test is defined. A new
test is a NamedTuple of tables and its functions, made known by :func:`register`; see
:mod:`edgewise._kernels.independence.partial_correlations` for one.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..compiling import by_type, make_known


class _Test(NamedTuple):
    """The functions behind a type of tables; described at the functions of this module."""

    strengths: Callable[..., Any]
    strength: Callable[..., Any]
    new_room: Callable[..., Any]


_tests: dict[type, _Test] = {}


def register(
    tables: type, *, strengths: Callable[..., Any], strength: Callable[..., Any], new_room: Callable[..., Any]
) -> None:
    """Make a test known: the type of its tables, two compiled parts, and a Python function that makes room."""
    make_known(_tests, tables, _Test(strengths, strength, new_room))


def is_registered(tables: Any) -> bool:
    """Return whether there are functions for such tables."""
    return type(tables) in _tests


def new_room(test: Any, p: int) -> Any:
    """Return what the functions of a test need to work in, for p variables; each chain has its own."""
    return _tests[type(test)].new_room(test, p)


@by_type(_tests)
def strengths(test, members, size, node, room, strength):
    """Set ``strength[x]`` for ``node`` and every variable x, given ``members[:size]``.

    It is -inf where x is among them, or is ``node``, or is determined by them, or where they determine ``node``: there
    is nothing left to depend on. It is inf where they determine ``node`` together with x.
    """


@by_type(_tests)
def strength(test, members, size, node, x, room):
    """Return the strength of ``node`` and x given ``members[:size]``, all different and none determined by others."""

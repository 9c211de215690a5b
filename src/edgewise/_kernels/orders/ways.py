"""Ways of finding parents, as the loop over orders knows them: five functions, chosen by the type of a target's way.

A way keeps ``state.found`` up to date, and with it the families of the present order. ``views`` is None where families
are all that matters; else the DAG that a way finds is only a proposal, for
:mod:`edgewise._kernels.beliefs.settling` to weigh.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..compiling import by_type, make_known


class _Way(NamedTuple):
    """The functions behind a type of ways; described at the functions of this module."""

    evaluate: Callable[..., Any]
    list_found: Callable[..., Any]
    exchange_neighbours: Callable[..., Any]
    exchange_ends: Callable[..., Any]
    relocate: Callable[..., Any]


_ways: dict[type, _Way] = {}


def register(
    way: type,
    *,
    evaluate: Callable[..., Any],
    list_found: Callable[..., Any],
    exchange_neighbours: Callable[..., Any],
    exchange_ends: Callable[..., Any],
    relocate: Callable[..., Any],
) -> None:
    """Make a way of finding parents known: its type, and five compiled parts."""
    make_known(_ways, way, _Way(evaluate, list_found, exchange_neighbours, exchange_ends, relocate))


@by_type(_ways)
def evaluate(way, state, target, views):
    """Find the families of the present order anew, or with views propose them as bases."""


@by_type(_ways)
def list_found(way, state, target, j, members):
    """Fill ``members`` with the parents of the variable at position j, then that variable; return how many parents."""


@by_type(_ways, inlined=True)
def exchange_neighbours(way, state, target, views, k, uniform):
    """Propose to exchange positions k and k + 1, and do it if accepted; return the outcome and the log ratio.

    With ``uniform`` zero, whatever is possible is accepted.
    """


@by_type(_ways, inlined=True)
def exchange_ends(way, state, target, views, uniform):
    """Propose to exchange the first variable with the last, and do it if accepted; return the outcome."""


@by_type(_ways)
def relocate(way, state, target, views, k, uniform, greedy):
    """Relocate the variable at position k; return what became of it.

    To a position drawn with ``uniform`` or, if ``greedy``, to the best one.
    """

"""Where chains start."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from edgewise.data import find_order
from edgewise.errors import ArgumentError
from edgewise.wording import quote

from .plan import Plan

Order = Sequence[int | str] | np.ndarray
Start = str | Order | Sequence[Order]

STARTS = "start must be 'auto', 'random', 'mmhc' or orders of the variables"


def find_starts(start: Start, plan: Plan, rngs: list[np.random.Generator]) -> list[np.ndarray]:
    """Return an order for each chain."""
    if isinstance(start, str):
        if start == "mmhc":
            return plan.mmhc_orders(rngs)
        if start not in ("auto", "random"):
            raise ArgumentError(f"{STARTS}, but {quote(start)} was given.")
        return [rng.permutation(len(plan.names)) for rng in rngs]
    try:
        given = list(start)
    except TypeError as error:
        raise ArgumentError(f"{STARTS}, but {quote(start)} was given.") from error
    if not any(_is_order(item) for item in given):
        return [find_order(plan.names, given)] * len(rngs)
    if not all(_is_order(item) for item in given):
        raise ArgumentError("start mixes orders with single variables; give one order, or one for each chain.")
    if len(given) != len(rngs):
        raise ArgumentError(
            f"start holds {len(given)} orders for {len(rngs)} chains; give one for each chain, or just one."
        )
    return [find_order(plan.names, list(order)) for order in given]


def as_lists(start: Any) -> Any:
    """Return orders as lists, which can be looked at more than once and written down."""
    if isinstance(start, str) or not isinstance(start, Iterable):
        return start
    return [as_lists(item) for item in start]


def _is_order(item: object) -> bool:
    return isinstance(item, Iterable) and not isinstance(item, str)

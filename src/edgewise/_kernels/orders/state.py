"""Where a chain over orders is."""

from typing import Any, NamedTuple

import numpy as np

from ..compiling import new_records
from ..families.cache import FAMILY, FamilyCache, new_cache
from ..families.target import Target

ADJACENT, WRAP, RELOCATE = range(3)
"""Rows of ``OrderState.moves``: exchanges of neighbours, of first with last, and relocations."""


class OrderState(NamedTuple):
    """The order and the family that each variable has in it; ``moves[kind]`` counts proposals and acceptances.

    ``found`` is what the way of finding parents keeps up from one order to the next. ``cache`` holds families met
    before. ``log_weight`` and ``journey`` belong to :mod:`edgewise._kernels.orders.relocation`.
    """

    order: np.ndarray
    family: np.ndarray
    moves: np.ndarray
    found: Any
    cache: FamilyCache
    log_weight: np.ndarray
    journey: np.ndarray


def new_state(target: Target, order: np.ndarray, found: Any, kinds_of_moves: int) -> OrderState:
    """Return a chain at an order, before its families are known."""
    p = len(order)
    return OrderState(
        order=np.array(order, np.uint32),
        family=new_records(p, FAMILY),
        moves=np.zeros((kinds_of_moves, 2), np.int64),
        found=found,
        cache=new_cache(target.score, p),
        log_weight=np.zeros(p),
        journey=np.zeros(6, np.int64),
    )

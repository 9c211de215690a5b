"""The test for data that have none: every two variables are independent, given anything."""

from typing import NamedTuple

import numpy as np

from ..compiling import inner
from .interface import register


class NoTest(NamedTuple):
    """All that is to be known."""

    most_given: int


@inner
def strengths(test, members, size, node, room, strength):
    """Nothing depends on anything."""
    for x in range(strength.shape[0]):
        strength[x] = -np.inf


@inner
def strength(test, members, size, node, x, room):
    """Nothing depends on anything."""
    return -np.inf


register(NoTest, strengths=strengths, strength=strength, new_room=lambda test, p: ())

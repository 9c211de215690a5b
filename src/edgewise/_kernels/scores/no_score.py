"""The score without data: every family is as good as every other."""

from typing import NamedTuple

import numpy as np

from ..compiling import inner
from .interface import register


class NoScore(NamedTuple):
    """All that is to be known."""

    most_parents: int


@inner
def local_score(score, members, size, room):
    """Nothing speaks for a family, or against it."""
    return 0.0


@inner
def gains(score, members, size, node, room, gain):
    """Nothing is to be gained, but all can be added."""
    for x in range(gain.shape[0]):
        gain[x] = 0.0
    for m in range(size):
        gain[members[m]] = -np.inf
    gain[node] = -np.inf


@inner
def is_determined(score, members, size, room):
    """Without data nothing is."""
    return False


register(NoScore, local_score=local_score, gains=gains, is_determined=is_determined, new_room=lambda score, p: ())

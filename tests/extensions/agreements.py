"""A score that is not Gaussian, as a stranger would write one: it only counts rows.

For data of zeros and ones. A family is worth how often its parents, taken together, agree with the child: with k rows
of n in which the child equals the parity of its parents, the log score is that of a coin with a virtual throw each
way,

    lgamma(k + 1) + lgamma(n - k + 1) - lgamma(n + 2).
"""

from dataclasses import dataclass
from math import lgamma
from typing import ClassVar, NamedTuple

import numpy as np

from edgewise import Score
from edgewise._kernels.compiling import inner
from edgewise._kernels.scores.interface import register


class Agreements(NamedTuple):
    rows: np.ndarray
    most_parents: int


@inner
def local_score(score, members, size, room):
    if size > score.most_parents:
        return -np.inf
    n = score.rows.shape[0]
    agreeing = 0
    for t in range(n):
        parity = 0
        for m in range(size):
            parity ^= score.rows[t, members[m]]
        agreeing += parity == score.rows[t, members[size]]
    return lgamma(agreeing + 1.0) + lgamma(n - agreeing + 1.0) - lgamma(n + 2.0)


@inner
def gains(score, members, size, node, room, gain):
    for m in range(size):
        room[m] = members[m]
    room[size] = node
    present = local_score(score, room, size, room)
    room[size + 1] = node
    for x in range(gain.shape[0]):
        gain[x] = -np.inf
        is_new = x != node and size < score.most_parents
        for m in range(size):
            is_new &= members[m] != x
        if is_new:
            room[size] = x
            gain[x] = local_score(score, room, size + 1, room) - present


@inner
def is_determined(score, members, size, room):
    return False


register(
    Agreements,
    local_score=local_score,
    gains=gains,
    is_determined=is_determined,
    new_room=lambda score, p: np.zeros(p + 1, np.int64),
)


@dataclass(frozen=True)
class AgreementScore(Score):
    takes: ClassVar[str] = "rows"

    def prepare(self, dataset):
        return Agreements(dataset.values.astype(np.int64), dataset.p - 1)


def log_score(rows, dag):
    """The same in plain Python."""
    total = 0.0
    n = len(rows)
    for node in range(rows.shape[1]):
        parity = rows[:, dag[:, node]].sum(axis=1) % 2
        agreeing = int((parity == rows[:, node]).sum())
        total += lgamma(agreeing + 1) + lgamma(n - agreeing + 1) - lgamma(n + 2)
    return total

"""A test of conditional independence that knows the answer, as a stranger would write one: all of them in a table."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

import edgewise as ew
from edgewise._kernels.compiling import inner
from edgewise._kernels.independence.interface import register

STRONG = 10.0
"""The strength of a dependence: significant at any level one would choose."""


class Answers(NamedTuple):
    """``dependent[x, y, given]`` for two variables and the bits of a set."""

    dependent: np.ndarray
    most_given: int


@inner
def strength(test, members, size, node, x, room):
    given = 0
    for m in range(size):
        given |= 1 << members[m]
    if given >> node & 1 or given >> x & 1 or x == node:
        return -np.inf
    return STRONG if test.dependent[x, node, given] else 0.0


@inner
def strengths(test, members, size, node, room, strength_of):
    for x in range(strength_of.shape[0]):
        strength_of[x] = strength(test, members, size, node, x, room)


register(Answers, strengths=strengths, strength=strength, new_room=lambda test, p: ())


@dataclass(frozen=True, eq=False)
class Oracle(ew.IndependenceTest):
    dag: Any
    takes: ClassVar[str] = "moments"

    def prepare(self, dataset):
        p = dataset.p
        dependent = np.zeros((p, p, 1 << p), bool)
        for x, y, given in np.ndindex(dependent.shape):
            others = [v for v in range(p) if given >> v & 1]
            if x != y and not {x, y} & set(others):
                dependent[x, y, given] = not ew.is_d_separated(self.dag, [x], [y], others)
        return Answers(dependent, p - 2)

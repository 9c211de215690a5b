"""Draws as numbers of families.

Consecutive DAGs of a chain share most of their families, so a draw is one integer per variable, the number of its
family, and every distinct family is written down once, as a set of bits.
"""

from typing import NamedTuple

import numpy as np

from ..compiling import in_place, inner
from .bits import insert, words_for


class Recorder(NamedTuple):
    """The families met so far. Open addressing: ``slot`` holds family numbers, -1 where free, and is half empty.

    ``last_key`` and ``last_family`` remember each variable's family at the previous draw.
    """

    slot: np.ndarray
    key: np.ndarray
    node: np.ndarray
    parents: np.ndarray
    used: np.ndarray
    last_key: np.ndarray
    last_family: np.ndarray


class Draws(NamedTuple):
    """Where draws go: ``family`` and ``order`` are (draws, p); the rest have one entry per draw."""

    family: np.ndarray
    order: np.ndarray
    log_score: np.ndarray
    log_prior: np.ndarray


def new_recorder(p: int, capacity: int) -> Recorder:
    """Return an empty recorder with room for ``capacity`` families."""
    slots = 2 * (1 << int(capacity - 1).bit_length())
    return Recorder(
        slot=np.full(slots, -1, np.int32),
        key=np.zeros(capacity, np.uint64),
        node=np.zeros(capacity, np.int32),
        parents=np.zeros((capacity, words_for(p)), np.uint64),
        used=np.zeros(1, np.int64),
        last_key=np.zeros(p, np.uint64),
        last_family=np.full(p, -1, np.int32),
    )


def new_draws(draws: int, p: int) -> Draws:
    """Return room for draws of p variables."""
    return Draws(
        family=np.empty((draws, p), np.int32),
        order=np.empty((draws, p), np.min_scalar_type(p - 1)),
        log_score=np.empty(draws),
        log_prior=np.empty(draws),
    )


def enlarge(recorder: Recorder) -> Recorder:
    """Return a recorder with the same families, under the same numbers, and twice the room."""
    used = recorder.used[0]
    bigger = new_recorder(len(recorder.last_key), 2 * len(recorder.key))
    bigger.key[:used] = recorder.key[:used]
    bigger.node[:used] = recorder.node[:used]
    bigger.parents[:used] = recorder.parents[:used]
    bigger.last_key[:] = recorder.last_key
    bigger.last_family[:] = recorder.last_family
    bigger.used[0] = used
    _refill(bigger)
    return bigger


@in_place
def _refill(recorder):
    for family in range(recorder.used[0]):
        recorder.slot[find(recorder, recorder.key[family])] = family


@inner
def find(recorder, key):
    """Return the position in ``slot`` where the family ``key`` is, or belongs."""
    last = recorder.slot.shape[0] - 1
    i = np.int64(key >> np.uint64(1)) & last
    while recorder.slot[i] >= 0 and recorder.key[recorder.slot[i]] != key:
        i = (i + 1) & last
    return i


@inner
def add_family(recorder, i, key, members, size):
    """Write down the family of ``members[size]`` with parents ``members[:size]`` at position ``i`` of ``slot``."""
    family = recorder.used[0]
    recorder.used[0] = family + 1
    recorder.slot[i] = family
    recorder.key[family] = key
    recorder.node[family] = members[size]
    for m in range(size):
        insert(recorder.parents, family, members[m])
    return family


@inner
def note_family(recorder, key, members, size):
    """Return the number of the family of ``members[size]``, named ``key``, written down if it is new."""
    i = find(recorder, key)
    if recorder.slot[i] < 0:
        return add_family(recorder, i, key, members, size)
    return recorder.slot[i]

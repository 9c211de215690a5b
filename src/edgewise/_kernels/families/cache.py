"""The worth of families, kept in a table of fixed size, where a newcomer replaces whoever sits in its place.

A score is a function of the family alone (parents are taken in index order), so what is forgotten is found again to
the last bit.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiling import inner, new_records
from ..scores.interface import local_score, new_room

CACHE_BITS = 16
"""65,536 scores, 2 MB: a chain needs a few thousand at a time."""

FAMILY = np.dtype([("key", np.uint64), ("log_score", np.float64), ("log_prior", np.float64), ("unused", np.int64)])
"""What is known of a family. A power of two in size, so that it lies in one cache line."""


class FamilyCache(NamedTuple):
    """The table of families. ``members`` and ``room`` are for scoring one that is not there."""

    family: np.ndarray
    members: np.ndarray
    room: Any


def new_cache(score: Any, p: int) -> FamilyCache:
    """Return an empty cache for p variables."""
    return FamilyCache(new_records(1 << CACHE_BITS, FAMILY), np.zeros(p, np.int64), new_room(score, p))


@inner
def slot_of(key):
    """Return the place of a key in the cache."""
    return np.int64(key >> np.uint64(64 - CACHE_BITS))


@inner
def fill(cache, target, slot, key, size):
    """Put the family of ``cache.members[size]`` with parents ``cache.members[:size]`` into a slot of the cache."""
    members = cache.members
    log_prior = 0.0
    for m in range(size):
        log_prior += target.edge[members[m], members[size]]
    cache.family[slot].log_score = local_score(target.score, members, size, cache.room)
    cache.family[slot].log_prior = log_prior
    cache.family[slot].key = key


@inner
def worth(family, heat):
    """Return what a family adds to the log target."""
    return heat * family.log_score + family.log_prior

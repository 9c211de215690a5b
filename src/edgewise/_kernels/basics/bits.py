"""Sets of variables as bits, in words of 64."""

from typing import Any

import numpy as np
from numba.cpython.unsafe import numbers

from ..compiling import IS_UNCOMPILED, inner

WORD = 64
"""Bits in a word."""

trailing_zeros: Any = numbers.trailing_zeros
if IS_UNCOMPILED:
    trailing_zeros = lambda word: (int(word) & -int(word)).bit_length() - 1  # noqa: E731


@inner
def has(sets, i, member):
    """Return whether ``member`` is in row i of ``sets``."""
    return (sets[i, member // WORD] >> np.uint64(member % WORD)) & np.uint64(1) != np.uint64(0)


@inner
def insert(sets, i, member):
    """Put ``member`` into row i of ``sets``."""
    sets[i, member // WORD] |= np.uint64(1) << np.uint64(member % WORD)


@inner
def remove(sets, i, member):
    """Take ``member`` out of row i of ``sets``."""
    sets[i, member // WORD] &= ~(np.uint64(1) << np.uint64(member % WORD))


@inner
def clear(sets, i):
    """Empty row i of ``sets``."""
    for w in range(sets.shape[1]):
        sets[i, w] = np.uint64(0)


@inner
def copy(source, i, destination, j):
    """Make row j of ``destination`` equal to row i of ``source``."""
    for w in range(source.shape[1]):
        destination[j, w] = source[i, w]


@inner
def is_equal(sets, i, others, j):
    """Return whether row i of ``sets`` and row j of ``others`` hold the same."""
    for w in range(sets.shape[1]):
        if sets[i, w] != others[j, w]:
            return False
    return True


@inner
def is_empty(sets, i):
    """Return whether row i of ``sets`` holds nothing."""
    for w in range(sets.shape[1]):
        if sets[i, w] != np.uint64(0):
            return False
    return True


@inner
def meets(sets, i, others, j):
    """Return whether row i of ``sets`` and row j of ``others`` share a member."""
    for w in range(sets.shape[1]):
        if sets[i, w] & others[j, w] != np.uint64(0):
            return True
    return False


@inner
def first(word):
    """Return the number of the lowest bit in a word that is not zero."""
    return np.int64(trailing_zeros(word))


@inner
def add_closed(sets, i, w, word):
    """Add to a set the members that ``word``, the w-th of some set, stands for, and all that their own sets have."""
    while word != np.uint64(0):
        member = w * WORD + first(word)
        insert(sets, i, member)
        for j in range(sets.shape[1]):
            sets[i, j] |= sets[member, j]
        word &= word - np.uint64(1)


@inner
def list_members(sets, i, members):
    """Write the members of row i of ``sets`` into ``members``, in index order; return how many there are."""
    size = 0
    for w in range(sets.shape[1]):
        word = sets[i, w]
        while word != np.uint64(0):
            members[size] = w * WORD + first(word)
            size += 1
            word &= word - np.uint64(1)
    return size


def words_for(p: int) -> int:
    """Return how many words a set of p variables takes."""
    return -(-p // WORD)


def pack(sets: np.ndarray) -> np.ndarray:
    """Turn booleans, their last axis the members, into words."""
    width = words_for(sets.shape[-1]) * WORD
    padded = np.zeros((*sets.shape[:-1], width), bool)
    padded[..., : sets.shape[-1]] = sets
    return np.packbits(padded, axis=-1, bitorder="little").view("<u8").astype(np.uint64)


def unpack(sets: np.ndarray, p: int) -> np.ndarray:
    """Turn words into booleans for p variables, along the last axis."""
    eights = np.ascontiguousarray(sets, "<u8").view(np.uint8)
    return np.unpackbits(eights, axis=-1, bitorder="little", count=p).view(bool)

"""Arrays whose rows begin at cache lines, as the compiled loops like them."""

import math

import numpy as np

CACHE_LINE = 8
"""Numbers in a cache line. Rows are padded to whole ones."""


def padded(p: int) -> int:
    """Return p rounded up to whole cache lines."""
    return -(-p // CACHE_LINE) * CACHE_LINE


def aligned_zeros(*shape: int) -> np.ndarray:
    """Return zeros that begin at a cache line, as NumPy's own need not."""
    size = math.prod(shape)
    numbers = np.zeros(size + CACHE_LINE)
    start = -(numbers.ctypes.data // numbers.itemsize) % CACHE_LINE
    return numbers[start : start + size].reshape(shape)

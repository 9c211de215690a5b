"""How every kernel is compiled: cached on disk, without the GIL, and with C's rules for division."""

from numba import njit

kernel = njit(cache=True, nogil=True, error_model="numpy")
"""Decorator for compiled functions."""

reduction = njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc"})
"""Decorator for sums whose terms may be added in any order, so that they can be vectorised."""

inlined = njit(cache=True, nogil=True, error_model="numpy", inline="always")
"""Decorator for a part of a hot loop: handing over all its arrays would cost as much as the part."""

"""Sums that are the same to the last bit, however many threads a machine has.

Libraries of linear algebra share a product of large matrices, or a factor of one, among threads, and add up its terms
in an order that depends on their number. The last bit of a score may follow, and after many steps a draw.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_guard = threading.Lock()
_limits: list[Any] = []
"""What was changed, to be undone when the last who relies on it is done."""
_relying = 0
_knows_scipy = False


@contextmanager
def one_order_of_sums() -> Iterator[None]:
    """Have linear algebra use one thread meanwhile, in the whole process, as far as its library can be told.

    Only libraries that are loaded can be told, and SciPy has one of its own: what uses SciPy imports it first.

    Examples
    --------
    >>> import numpy as np
    >>> with one_order_of_sums():
    ...     np.ones((2, 2)) @ np.ones((2, 2))
    array([[2., 2.],
           [2., 2.]])
    """
    global _relying, _knows_scipy
    with _guard:
        _relying += 1
        if not _limits or (not _knows_scipy and "scipy.linalg" in sys.modules):
            _knows_scipy = "scipy.linalg" in sys.modules
            _limits.append(_libraries(with_scipy=_knows_scipy).limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _guard:
            _relying -= 1
            while _limits and not _relying:
                _limits.pop().restore_original_limits()


@cache
def _libraries(*, with_scipy: bool) -> Any:
    """Return the libraries that are loaded; to look for them takes longer than many a product."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()

"""Sums that are the same to the last bit, however many threads a machine has.

Libraries of linear algebra share a product of large matrices, or a factor of one, among threads, and add up its terms
in an order that depends on their number. The last bit of a score may follow, and after many steps a draw.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_guard = threading.Lock()
_limits: list[Any] = []
"""What was changed, and how often that is relied upon: all who do so at the same time have one change in common."""


@contextmanager
def one_order_of_sums() -> Iterator[None]:
    """Have linear algebra use one thread meanwhile, in the whole process, as far as its library can be told.

    Examples
    --------
    >>> import numpy as np
    >>> with one_order_of_sums():
    ...     np.ones((2, 2)) @ np.ones((2, 2))
    array([[2., 2.],
           [2., 2.]])
    """
    with _guard:
        _limits.append(_limits[0] if _limits else _limit())
    try:
        yield
    finally:
        with _guard:
            limit = _limits.pop()
            if not _limits:
                limit.restore_original_limits()


def _limit() -> Any:
    # Only libraries that are loaded can be told, and SciPy has one of its own.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, user_api="blas")

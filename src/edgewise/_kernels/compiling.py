"""How every kernel is compiled: cached on disk, without the GIL, and with C's rules for division."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from numba import njit
from numba.core import event

_compile = partial(njit, cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
_apart = partial(_compile, forceinline=False)
# Unless told otherwise, a function is compiled with the inlining and the arithmetic of the one that calls it first.

kernel = _apart(fastmath=False)
"""Decorator for compiled functions."""

in_place = _apart(_nrt=False, fastmath=False)
"""Decorator for functions that allocate nothing and only write into arrays they are given. They do without Numba's
counting of references, whose atomic operations take 200 ns in a call with many arrays, more than a step does."""

inner = _apart(_nrt=False, fastmath=False, no_cpython_wrapper=True)
"""As ``in_place``, for functions that only compiled code calls. What turns Python's arguments into theirs takes as long
to compile as they do themselves."""

inlined = _compile(_nrt=False, fastmath=False, forceinline=True, no_cpython_wrapper=True)
"""As ``inner``, for functions that are part of the step of a chain and take many arrays. A call of one that is not
inlined hands over every array with its shape and strides, and costs as much as the step itself."""

fused = _apart(_nrt=False, fastmath={"contract"})
"""As ``in_place``, for passes where a product and a sum may be one instruction with one rounding."""

reduction = _apart(_nrt=False, fastmath={"contract", "reassoc"})
"""As ``fused``, for sums whose terms may be added in any order, so that they can be vectorised."""


class _Announce(event.Listener):
    def __init__(self, announce: Callable[[], None]) -> None:
        self._announce: Callable[[], None] | None = announce

    def on_start(self, event: object) -> None:
        if self._announce is not None:
            self._announce()
            self._announce = None

    def on_end(self, event: object) -> None:
        """Nothing to say."""


@contextmanager
def compilation_announced(announce: Callable[[], None]) -> Iterator[None]:
    """Call ``announce`` once if something is compiled inside the block, rather than found in Numba's cache."""
    with event.install_listener("numba:compile", _Announce(announce)):
        yield

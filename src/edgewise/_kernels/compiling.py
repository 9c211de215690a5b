"""How every kernel is compiled: without the GIL, with C's rules for division, and quickly.

There are two kinds of compiled functions. *Entries* are called from Python, and cached on disk. *Parts* are called by
compiled code only: they are linked into entries, and optimised there.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any

import numpy as np
from numba import njit
from numba.core import config, event, types
from numba.core.caching import FunctionCache
from numba.core.runtime.nrt import rtsys
from numba.extending import overload

from edgewise.errors import ArgumentError
from edgewise.wording import quote

from .compilers import EntryCompiler, PartCompiler
from .tables import by_address

IS_UNCOMPILED: bool = getattr(config, "DISABLE_JIT")  # noqa: B009
"""Whether kernels run as Python, for a debugger or to see which of their lines are tested: NUMBA_DISABLE_JIT=1."""


class _Cache(FunctionCache):
    """Numba's cache, without code for tables of types that are defined elsewhere.

    Its index names these types, and a process that cannot import them could not read it.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for these types, or None.

        Numba would get ready to compile before it looks, which takes longer than to load all kernels of a run. What
        remains to be made ready are the functions that allocate memory.
        """
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        if not packages_behind(sig) - {__name__.split(".")[0]}:
            super().save_overload(sig, data)


def packages_behind(sig: Any) -> set[str]:
    """Return the packages, other than Numba, that define the types of arguments, or something they are made of."""
    found = set()
    for kind in getattr(sig, "args", sig):
        named = getattr(kind, "instance_class", None)
        found |= packages_behind(getattr(kind, "types", ()))
        found |= set() if named is None else {named.__module__.split(".")[0]}
    return found


_options: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "fastmath": False,
    "forceinline": False,
}
_part_options: dict[str, Any] = {**_options, "_nrt": False, "no_cpython_wrapper": True, "pipeline_class": PartCompiler}
# Unless told otherwise, a function is compiled with the inlining and the arithmetic of the one that calls it first.


def _entry(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return the decorator for a kind of entries."""

    def decorate(function: Callable[..., Any]) -> Any:
        compiled = njit(pipeline_class=EntryCompiler, **_options | options)(function)
        if not IS_UNCOMPILED:
            compiled._cache = _Cache(function)
            compiled.typeof_pyval = lambda value: by_address(type(compiled).typeof_pyval(compiled, value))
        return compiled

    return decorate


kernel = _entry()
"""Decorator for entries that allocate arrays."""

in_place = _entry(_nrt=False)
"""Decorator for entries that allocate nothing and only write into arrays they are given. They do without Numba's
counting of references, whose atomic operations take 200 ns in a call with many arrays, more than a step does."""


def _part(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return the decorator for a kind of parts."""

    def decorate(function: Callable[..., Any]) -> Any:
        compiled = njit(**_part_options | options)(function)
        if not IS_UNCOMPILED:
            # Numba would compile a part that is called with the numbers 0 and 1 for each of them by itself.
            compiled.get_call_template = lambda args, kws: type(compiled).get_call_template(
                compiled, [types.unliteral(kind) for kind in args], kws
            )
        return compiled

    return decorate


inner = _part()
"""Decorator for parts. They allocate nothing. Python must not call them: it would end at once."""

inlined = _part(forceinline=True)
"""As ``inner``, for functions that are part of the step of a chain and take many arrays. A call of one that is not
inlined hands over every array with its shape and strides, and costs as much as the step itself."""

fused = _part(fastmath={"contract"})
"""As ``inner``, for passes where a product and a sum may be one instruction with one rounding."""

reduction = _part(fastmath={"contract", "reassoc"})
"""As ``fused``, for sums whose terms may be added in any order, so that they can be vectorised."""


def compiled_as(function: Callable[..., Any], *, inlined: bool = False) -> Callable[..., Any]:
    """Decorate what chooses, given the types of arguments, the part that stands for a Python function."""
    options: Any = _part_options | {"forceinline": inlined}
    return overload(function, jit_options=options, strict=False)


_registered: dict[str, type] = {}
"""All types of tables by name, which is what Numba tells classes with the same fields by, whatever their modules."""


def make_known(choices: dict[type, Any], tables: type, parts: Any) -> None:
    """Let ``parts`` stand behind a type of tables, in the ``choices`` of :func:`by_type`.

    Raises
    ------
    ArgumentError
        If another class of this name is known: code that was compiled for one would serve the other.
    """
    name = tables.__name__
    if _registered.setdefault(name, tables) is not tables:
        raise ArgumentError(
            f"Tables named {quote(name)} are registered already, by the module {quote(_registered[name].__module__)}, "
            "and what was compiled for them would serve others of this name: give the new class another name, or start "
            "Python anew."
        )
    choices[tables] = parts


def by_type(
    choices: Mapping[type, Any], *, inlined: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function that stands for several parts, one for each type of its first argument.

    ``choices`` holds, for each such type, a named tuple in which the part has the name of the function. Which one is
    meant is settled when the caller is compiled; ``inlined`` is as for parts.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__

        @wraps(function)
        def choose(*args: Any) -> Any:
            """Serve kernels that run uncompiled."""
            return getattr(choices[type(args[0])], name)(*args)

        @compiled_as(choose, inlined=inlined)
        def choose_compiled(*args: Any) -> Any:
            part = getattr(choices[args[0].instance_class], name)
            return getattr(part, "py_func", part)

        return choose

    return decorate


def new_records(number: int, dtype: np.dtype[Any]) -> np.ndarray:
    """Return an array of records, whose fields kernels read as attributes; uncompiled ones can do so in a recarray."""
    records = np.zeros(number, dtype)
    return records.view(np.recarray) if IS_UNCOMPILED else records


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

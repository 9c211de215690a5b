"""Compiled kernels in tests: each compiled once for all processes of a run, and kernels with a mistake in them.

Numba looks for a kernel in its cache and, if it is not there, compiles it; two workers that need the same one at the
same time both do. Here the second waits for the first. Two processes are also kept from writing an index of the cache
at the same time, when one would lose what the other has written.

Kernels for tables of ``tests/extensions`` are cached, too, which the package leaves out because not everyone could read
such a cache. Their files have names of their own, and only tests look for them.
"""

import fcntl
import hashlib
import inspect
import os
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType

from numba import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, NullCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from edgewise._kernels import compiling

_compile = Dispatcher.compile
_save = IndexDataCacheFile.save
_extensions = sorted((Path(__file__).parent / "extensions").glob("[!t]*.py"))
_digest = hashlib.sha256(b"".join(path.read_bytes() for path in _extensions)).hexdigest()[:16]


class _ExtensionFiles(CompileResultCacheImpl):
    """Files named after the content of all extensions, but not of their tests."""

    def get_filename_base(self, fullname, abiflags):
        return f"{super().get_filename_base(fullname, abiflags)}.{_digest}"


class _ExtensionCache(FunctionCache):
    _impl_class = _ExtensionFiles


@contextmanager
def _locked(path):
    """Keep other processes out. The lock belongs to the process, so that it never waits for itself."""
    with open(path, "a") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        yield


def _compile_once(dispatcher, signature):
    if isinstance(dispatcher._cache, NullCache):
        return _compile(dispatcher, signature)
    types = hashlib.sha256(str(signature).encode()).hexdigest()[:16]
    # Numba's own lock comes first, or of two threads of a process each could wait for a kernel that the other compiles,
    # and take the cache that the other uses for an extension for the kernel's own. Kernels do not call each other in
    # circles, so processes do not wait for each other in circles either.
    with global_compiler_lock:
        cache = dispatcher._cache
        with _locked(f"{cache._cache_file._index_path}.{types}.lock"):
            if {"extensions"} <= compiling.packages_behind(signature) <= {"edgewise", "extensions"}:
                dispatcher._cache = _ExtensionCache(dispatcher.py_func)
            try:
                return _compile(dispatcher, signature)
            finally:
                dispatcher._cache = cache


def _save_alone(file, key, data):
    with _locked(f"{file._index_path}.lock"):
        _save(file, key, data)


def compile_once():
    """Have every kernel compiled by one process only, from now on."""
    Dispatcher.compile = _compile_once
    IndexDataCacheFile.save = _save_alone


@cache
def entry(part):
    """Return a part of a kernel as a function that Python can call, compiled once for all who ask for it."""
    name = f"entry_{part.__module__}_{part.__name__}".replace(".", "_")
    return _make(name, _ENTRY, {"kernel": compiling.kernel, "part": part})["call"]


_ENTRY = """
@kernel
def call(*args):
    return part(*args)
"""


def altered(kernels, *, right, wrong):
    """Return kernels compiled with ``wrong`` in place of ``right``, by name. Each sees those before it in the list."""
    sources = [inspect.getsource(kernel.py_func) for kernel in kernels]
    assert any(right in source for source in sources), "there should be something to alter"
    sources = [source.replace(right, wrong) for source in sources]
    digest = hashlib.sha256("\n".join(sources).encode()).hexdigest()[:16]
    found = {}
    for kernel, source in zip(kernels, sources, strict=True):
        name = kernel.py_func.__name__
        # A module of its own, since compiled functions of one module and name could be taken for one another.
        found[name] = _make(f"altered_{digest}_{name}", source, {**kernel.py_func.__globals__, **found})[name]
    return found


def _make(name, source, known):
    """Return what is in a module with such a source, which is a file beside Numba's cache.

    There it is found compiled in the next run.
    """
    module = ModuleType(name)
    path = Path(config.CACHE_DIR) / "made" / f"{name}.py"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}")
        draft.write_text(source, encoding="utf-8")
        draft.replace(path)
    vars(module).update({**known, "__name__": name})
    sys.modules[name] = module
    exec(compile(source, path, "exec"), vars(module))  # noqa: S102
    return vars(module)

"""Numba's compiler, without what is of no use here and without doing the same thing over and over.

A first run compiles more than a hundred functions, and Numba's own Python code takes most of that time. So passes over
the code for what no kernel has are left out, and while an entry is compiled, Numba is lent quicker ways to some of its
answers. They are taken back afterwards, under the lock that keeps other threads from compiling.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import cache
from typing import Any

from numba.core import errors, event, transforms, typed_passes, untyped_passes
from numba.core.base import BaseContext
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.targetconfig import TargetConfig
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import Context

from .libraries import EntryLibrary, PartLibrary

_NEEDLESS = {
    typed_passes.AnnotateTypes,
    typed_passes.DumpParforDiagnostics,
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.InlineClosureLikes,
    untyped_passes.InlineInlinables,
    untyped_passes.LiteralPropagationSubPipelinePass,
    untyped_passes.LiteralUnroll,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.WithLifting,
}
"""Passes of Numba over the code for what no kernel has: functions within functions, ``with``, messages made while an
exception is raised, loops over types, types written beside the code, and sums of whole arrays."""


class _Compiler(Compiler):
    """Numba's compiler, without these passes."""

    def define_pipelines(self) -> list[Any]:
        (manager,) = super().define_pipelines()
        manager.passes = [(each, told) for each, told in manager.passes if each not in _NEEDLESS]
        return [manager]


class EntryCompiler(_Compiler):
    """For what Python calls: the code is kept in Numba's cache."""

    def __init__(self, typingctx: Any, targetctx: Any, library: Any, *rest: Any) -> None:
        entry = EntryLibrary(targetctx.codegen(), "entry")
        entry.enable_object_caching()
        super().__init__(typingctx, targetctx, entry, *rest)

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        with global_compiler_lock, _shortcuts():
            return super().compile_extra(func)


class PartCompiler(_Compiler):
    """For what only compiled code calls."""

    def __init__(self, typingctx: Any, targetctx: Any, library: Any, *rest: Any) -> None:
        super().__init__(typingctx, targetctx, PartLibrary(targetctx.codegen(), "part"), *rest)


@contextmanager
def _shortcuts() -> Iterator[None]:
    """Let Numba find quicker, as long as this lasts, what it looks for again and again."""
    shortcuts: list[tuple[Any, str, Any]] = [
        (BaseFunction, "get_call_type", _remember_operators()),
        # It has LLVM read a module for the size of each variable.
        (BaseContext, "get_abi_sizeof", cache(BaseContext.get_abi_sizeof)),
        # It looks for what other packages may have added, before each function and at many calls.
        (CPUContext, "load_additional_registries", cache(CPUContext.load_additional_registries)),
        (Context, "load_additional_registries", cache(Context.load_additional_registries)),
        (PostProcessor, "run", _follow_variables_at_the_end()),
        (TargetConfig, "__eq__", _have_same_options),
        (TargetConfig, "__hash__", _hash_once()),
        # Each function of a stack of callers measures how long LLVM takes for the last one.
        (event, "install_timer", lambda kind, callback: nullcontext()),
    ]
    if hasattr(errors, "HighlightColorScheme"):
        # What does not fit some operator is an error within, which nobody sees, and would be coloured for the terminal.
        shortcuts.append((errors.HighlightColorScheme, "_markup", lambda scheme, text, *rest: text))
    with ExitStack() as stack:
        for owner, name, quicker in shortcuts:
            stack.callback(setattr, owner, name, getattr(owner, name))
            setattr(owner, name, quicker)
        yield


def _remember_operators() -> Callable[..., Any]:
    """Return a way to find only once what an operator returns, for each combination of types.

    Numba tries every definition of an operator in turn, those for text, sets and dates included, wherever one stands in
    the code.
    """
    resolve: Any = BaseFunction.get_call_type
    found: dict[Any, Any] = {}

    def recall(function: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or getattr(function.typing_key, "__module__", None) != "_operator":
            return resolve(function, context, args, kws)
        call = function.typing_key, tuple(args)
        if call not in found:
            found[call] = resolve(function, context, args, kws)
        return found[call]

    return recall


def _follow_variables_at_the_end() -> Callable[..., None]:
    """Return a way to find out where variables are still needed only when that is written into the code.

    Numba does so after every pass, for loops and generators that are taken out of the code, which no kernel has.
    """
    run_all: Any = PostProcessor.run

    def run(processor: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        code = processor.func_ir
        if emit_dels or code.is_generator:
            run_all(processor, emit_dels, extend_lifetimes)
        else:
            code.blocks = transforms.canonicalize_cfg(code.blocks)
            code.variable_lifetime = VariableLifetime(code.blocks)
            code.generator_info = None

    return run


def _have_same_options(one: Any, other: Any) -> Any:
    """Compare the options that either has set; all others have their defaults in both."""
    if not isinstance(other, TargetConfig):
        return NotImplemented
    return all(getattr(one, name) == getattr(other, name) for name in one._values.keys() | other._values.keys())


def _hash_once() -> Callable[[Any], int]:
    """Return a way to hash options that looks at their names, which is all that Numba does, once for each kind."""
    look: Any = TargetConfig.__hash__
    found: dict[type, int] = {}

    def recall(options: Any) -> int:
        kind = type(options)
        if kind not in found:
            found[kind] = look(options)
        return found[kind]

    return recall

"""From the code of many functions to one piece of machine code: what LLVM is asked to do, and how often.

Numba by itself has LLVM simplify each function, link it into whatever calls it, optimise that as a whole and turn it
into machine code, at every level, and then do it all again where it is called from. Here a part is only kept, as it was
written down; an entry takes all the parts that it needs, from the nearest to the farthest, and optimises them once.
"""

from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary


class PartLibrary(JITCodeLibrary):
    """Code that waits to be linked into an entry, and is not executable by itself."""

    def add_ir_module(self, ir_module: Any) -> None:
        for function in ir_module.functions:
            if not function.is_declaration:
                function.linkage = (
                    "linkonce_odr"  # Several entries may have it, and one that calls it nowhere drops it.
                )
        super().add_ir_module(ir_module)

    def add_llvm_module(self, ll_module: Any) -> None:
        self._final_module = ll_module

    def finalize(self) -> None:
        # All that Numba looks for at an address are the environments of the functions.
        environments = [v.name for v in self._final_module.global_variables if v.name.startswith("_ZN08NumbaEnv")]
        stub = llvm.parse_assembly("\n".join(f'@"{name}" = common global i8* null' for name in environments))
        self._codegen._add_module(stub)
        self._codegen._engine.finalize_object()
        self._finalized = True


class EntryLibrary(JITCodeLibrary):
    """Code that Python calls, with all that it calls in turn."""

    def add_ir_module(self, ir_module: Any) -> None:
        if ir_module.name == "wrapper":
            # What takes the arguments from Python is a third of the code of a large kernel, and runs once a call.
            for function in ir_module.functions:
                if not function.is_declaration:
                    function.attributes.add("noinline")
                    function.attributes.add("optnone")
        super().add_ir_module(ir_module)

    def finalize(self) -> None:
        found: dict[JITCodeLibrary, None] = {}
        self._collect(self._linking_libraries, found)
        self._linking_libraries = list(found)
        super().finalize()

    def _collect(self, libraries: list[JITCodeLibrary], found: dict[JITCodeLibrary, None]) -> None:
        """Add libraries and what they need to those found, callers first: a part is taken only where it is called."""
        for library in libraries:
            if library not in found:
                found[library] = None
                if isinstance(library, PartLibrary):
                    self._collect(library._linking_libraries, found)

    def _optimize_functions(self, ll_module: Any) -> None:
        """Leave single functions to the optimisation of the whole."""
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Optimise once: Numba's round before that is for the counting of references, which few kernels have."""
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)

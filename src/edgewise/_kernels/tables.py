"""NamedTuples of arrays, handed over by address.

Numba takes a NamedTuple apart where a function is called, into the shape, the strides and the address of each array,
and puts it together again where it begins: hundreds of arguments, which were more than half of the code to be compiled.
Here an entry keeps its members in one place, as long as the call lasts, and its parts are told where.
"""

import hashlib
from functools import cache
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_borrowed, lower_builtin, lower_getattr_generic
from numba.extending import NativeValue, models, register_model, unbox


class Tables(types.NamedTuple):
    """A NamedTuple that a kernel is given by its address, and does not change."""

    def __init__(self, members: tuple[Any, ...], cls: type) -> None:
        super().__init__(members, cls)
        # Compiled functions of one name are taken for one another, and their names are made of those of their types,
        # which would fill pages. What belongs here must be the same in every process, for the cache on disk.
        described = f"{cls.__module__} {cls.__qualname__} {self.fields} {self.name}"
        self.name = f"{cls.__name__} {hashlib.sha256(described.encode()).hexdigest()[:16]}"

    @property
    def key(self) -> str:
        """What tells types apart, compared all the time: Numba would look at every member and at theirs."""
        return self.name


@cache
def by_address(kind: Any) -> Any:
    """Return the type of an argument, in which every NamedTuple is given by its address."""
    is_tuple = isinstance(kind, types.BaseTuple)
    if not is_tuple:
        return kind
    members = tuple(by_address(member) for member in kind.types)
    named = getattr(kind, "instance_class", None)
    return types.Tuple(members) if named is None else Tables(members, named)


@register_model(Tables)
class _TablesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Tables) -> None:
        members = [manager.lookup(member).get_value_type() for member in kind.types]
        super().__init__(manager, kind, ir.LiteralStructType(members).as_pointer())


@lower_getattr_generic(Tables)
def _read_named(context: Any, builder: Any, kind: Tables, address: Any, name: str) -> Any:
    return _read(context, builder, kind, address, kind.fields.index(name))


@lower_builtin("static_getitem", Tables, types.IntegerLiteral)
def _read_numbered(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _read(context, builder, sig.args[0], *args)


def _read(context: Any, builder: Any, kind: Tables, address: Any, index: int) -> Any:
    value = builder.load(cgutils.gep_inbounds(builder, address, 0, index))
    # Nothing is written there during the call, so that it need not be read again after writing elsewhere.
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return impl_ret_borrowed(context, builder, kind.types[index], value)


@unbox(Tables)
def _keep(kind: Tables, obj: Any, c: Any) -> NativeValue:
    address = cgutils.alloca_once(c.builder, c.context.get_value_type(kind).pointee)
    natives = [c.unbox(member, c.pyapi.tuple_getitem(obj, i)) for i, member in enumerate(kind.types)]
    is_error = cgutils.false_bit
    for i, native in enumerate(natives):
        c.builder.store(native.value, cgutils.gep_inbounds(c.builder, address, 0, i))
        is_error = c.builder.or_(is_error, native.is_error)

    def clean_up() -> None:
        for native in reversed(natives):
            if native.cleanup is not None:
                native.cleanup()

    return NativeValue(address, cleanup=clean_up, is_error=is_error)

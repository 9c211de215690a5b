"""The variables in the file of a posterior, and whether a file has them as they must be.

Nothing is read here. What a variable is, and how large, stands apart from its values, and a few hundred bytes can claim
to hold a terabyte. So types, shapes and sizes are compared with each other and with the length of the file before any
room is made for values.
"""

import math
from typing import Any

import h5py
import numpy as np

from edgewise.wording import quote

DRAWN = {
    "family": ("chain", "draw", "node"),
    "order": ("chain", "draw", "position"),
    "log_score": ("chain", "draw"),
    "log_prior": ("chain", "draw"),
}
"""The variables of the file that grow with the draws: the fields of :class:`Draws`, with their dimensions."""

MOMENTS = {"mean": ("node",), "scale": ("node",), "correlation": ("node", "node_to")}
"""The arrays of :class:`edgewise.data.Moments`; the number of rows is with the names, as ``rows``."""

GROUPED = {
    "grouped_by": ("node",),
    "grouped_rows": ("row_group",),
    "grouped_mean": ("row_group", "node"),
    "grouped_scale": ("node",),
    "grouped_scatter": ("row_group", "node", "node_to"),
}
"""What a :class:`edgewise.data.blocks.Blocks` has of variables that are a column each: its ``group``, ``n``, ``mean``,
``scale`` and ``scatter``."""

EXTRAS = {
    "log_weight": ("chain", "draw"),
    "conditionals": ("chain", "kind", "node", "node_to"),
    "conditional_errors": ("measure", "node", "node_to"),
    **MOMENTS,
    **GROUPED,
}
"""The variables that are there only in some posteriors: weights that differ, Rao-Blackwellised probabilities, and the
sufficient statistics of the data, of all rows or of groups of them."""

FAMILIES = {"family_node": ("distinct_family",), "family_parents": ("distinct_family", "byte")}
"""The variables that say what the family numbers mean."""

TYPES = {
    "family": "<i4",
    "family_node": "<i4",
    "family_parents": "|u1",
    "conditionals": "<f4",
    "conditional_errors": "<f4",
    "grouped_by": "<i4",
}
"""Types of the numbers; those of an order are as small as can be, and all others are of double precision."""

MOST_DEFLATED = 1032
"""Bytes that one byte of a file can stand for: the most that the compression of zlib achieves."""

FILTERS = {h5py.h5z.FILTER_DEFLATE, h5py.h5z.FILTER_SHUFFLE}
"""What numbers may have gone through on their way into the file."""


class UnfitError(ValueError):
    """What a file holds is no posterior; the message is a clause that says why."""


def require(is_so: object, clause: str) -> None:
    """Refuse a file, for the reason given, unless something is so."""
    if not is_so:
        raise UnfitError(clause)


def type_of(name: str, p: int) -> np.dtype[Any]:
    """Return the type of the numbers of a variable, where there are p nodes."""
    return np.min_scalar_type(p - 1) if name == "order" else np.dtype(TYPES.get(name, "<f8"))


def find_variables(file: h5py.File, length: int) -> dict[str, h5py.Dataset]:
    """Return the variables of a posterior in a file of some length, having checked all but their values."""
    names = (*DRAWN, *FAMILIES, *(name for name in EXTRAS if name in file))
    variables = {name: _find(file, name) for name in names}
    sizes = _find_sizes(variables)
    for name, variable in variables.items():
        shape = tuple(sizes[dimension] for dimension in (DRAWN | FAMILIES | EXTRAS)[name])
        require(variable.shape == shape, f"the shape of {name} does not fit the others")
        require(variable.dtype == type_of(name, sizes["node"]), f"{name} has numbers of another type")
        require(
            _is_stored(variable, length), f"{name} is not stored as Edgewise does it, or claims to be larger than it is"
        )
    return variables


def _find(file: h5py.File, name: str) -> h5py.Dataset:
    """Return a variable, provided that it is in this very file."""
    require(isinstance(file.get(name, getlink=True), h5py.HardLink), f"it has no {name} of its own")
    variable = file[name]
    require(isinstance(variable, h5py.Dataset) and variable.shape is not None, f"{name} is no array")
    return variable


def _find_sizes(variables: dict[str, h5py.Dataset]) -> dict[str, int]:
    """Return the length of each dimension, as some variables have it."""
    family, node = variables["family"].shape, variables["family_node"].shape
    require(len(family) == 3 and min(family) >= 1 and len(node) == 1, "its draws do not have the right dimensions")
    chains, draws, p = family
    kinds = variables["conditionals"].shape[1:2] if "conditionals" in variables else (1,)
    require(kinds in ((1,), (2,)), "conditionals has the wrong dimensions")
    groups = variables["grouped_rows"].shape if "grouped_rows" in variables else (1,)
    require(len(groups) == 1 and 1 <= groups[0] <= p, "grouped_rows has the wrong dimensions")
    return {
        "chain": chains,
        "draw": draws,
        "node": p,
        "position": p,
        "node_to": p,
        "distinct_family": node[0],
        "byte": -(-p // 8),
        "kind": kinds[0],
        "measure": 2,
        "row_group": groups[0],
    }


def _is_stored(variable: h5py.Dataset, length: int) -> bool:
    """Whether all chunks of a variable are in a file of some length, and none needs more memory than that explains."""
    if variable.chunks is None:
        return False
    settings = variable.id.get_create_plist()
    filters = {settings.get_filter(number)[0] for number in range(settings.get_nfilters())}
    chunks = math.prod(-(-size // chunk) for size, chunk in zip(variable.shape, variable.chunks, strict=True))
    largest = max(variable.nbytes, math.prod(variable.chunks) * variable.dtype.itemsize)
    return (
        filters <= FILTERS
        and largest <= MOST_DEFLATED * length
        and variable.id.get_storage_size() <= length
        and variable.id.get_num_chunks() == chunks
    )


def read_text(file: h5py.File, name: str) -> str:
    """Return an attribute that is one text."""
    require(name in file.attrs and file.attrs.get_id(name).shape == (), f"it has no text {quote(name)}")
    text = file.attrs[name]
    require(isinstance(text, str), f"{quote(name)} is no text")
    return str(text)

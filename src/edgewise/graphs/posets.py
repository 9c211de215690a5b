"""Partial orders (posets): what remains of a DAG when only "is an ancestor of" matters.

For counting the orders that agree with a DAG, its partial order is taken apart. Parts are

*parallel*
    when there are no paths between them: any orders of the parts can be merged, in multinomial many ways;
*in series*
    when everything in one is an ancestor of everything in the next: orders of the parts are put one behind the other.

Both can be found as connected components, of the graph that joins related nodes and of the graph that joins unrelated
ones. Parts are taken apart in turn, until what remains is *prime*. A forest falls apart into single nodes.

Here a poset is a boolean matrix, ``reaches[v, w]`` true when v is an ancestor of w, that is, v is below w.
"""

import math
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edgewise.graphs.adjacency import BoolMatrix, Graph
from edgewise.graphs.dag import ancestors


class Part(NamedTuple):
    """A part of a poset: its elements in index order, and the numbers of the parts it consists of, lowest first."""

    members: NDArray[np.intp]
    kind: Literal["parallel", "series", "prime"]
    parts: range


def as_poset(dag: Graph) -> BoolMatrix:
    """Return the partial order of a DAG, after checking that it is one."""
    return np.asarray(ancestors(dag))


def take_apart(reaches: BoolMatrix) -> list[Part]:
    """Split a poset into parallel parts and parts in series until all are prime. Part 0 is the whole."""
    p = len(reaches)
    below = _as_integers(reaches.T)
    related = [above | below[v] for v, above in enumerate(_as_integers(reaches))]
    unrelated = [~(others | 1 << v) for v, others in enumerate(related)]
    sets = [(1 << p) - 1]
    parts: list[Part] = []
    while len(parts) < len(sets):
        members = sets[len(parts)]
        kind: Literal["parallel", "series", "prime"] = "parallel"
        found = _components(members, related)
        if len(found) == 1:
            kind = "series"
            found = _components(members, unrelated)
            # All of a part is above all of the parts before it, so that any element can speak for its part.
            found.sort(key=lambda part: (below[part.bit_length() - 1] & members & ~part).bit_count())
        if len(found) == 1:
            kind = "prime"
            found = []
        parts.append(Part(_elements(members, p), kind, range(len(sets), len(sets) + len(found))))
        sets += found
    return parts


def split_count(reaches: BoolMatrix) -> tuple[int, list[BoolMatrix]]:
    """Write the count of a poset as a number times the counts of its prime parts."""
    parts = take_apart(reaches)
    merges = 1
    for part in parts:
        if part.kind == "parallel":
            left = len(part.members)
            for inner in part.parts:
                merges *= math.comb(left, len(parts[inner].members))
                left -= len(parts[inner].members)
    primes = [part.members for part in parts if part.kind == "prime" and len(part.members) > 1]
    return merges, [turn(reaches[np.ix_(members, members)])[0] for members in primes]


def _as_integers(matrix: BoolMatrix) -> list[int]:
    """Return each row as a Python integer, element j as bit j."""
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(matrix, axis=1, bitorder="little")]


def _elements(members: int, p: int) -> NDArray[np.intp]:
    octets = np.frombuffer(members.to_bytes(-(-p // 8), "little"), np.uint8)
    return np.flatnonzero(np.unpackbits(octets, bitorder="little"))


def _components(members: int, joined: list[int]) -> list[int]:
    """Split a set into the connected components of the graph in which each v is joined to ``joined[v]``."""
    found = []
    while members:
        component = new = members & -members
        while new:
            v = new.bit_length() - 1
            more = joined[v] & members & ~component
            component |= more
            new = (new | more) & ~(1 << v)
        found.append(component)
        members &= ~component
    return found


def log_hooks(reaches: BoolMatrix) -> float:
    """Return the sum over all elements of the log of the number of elements above them, themselves included."""
    return float(np.log1p(reaches.sum(axis=1)).sum())


def turn(reaches: BoolMatrix) -> tuple[BoolMatrix, bool]:
    """Return a poset upside down if that makes the larger hook bound, and whether it was turned.

    A poset and its reverse have as many linear extensions. Measured: removing first elements of the one with the larger
    bound meets half as many sets on average, and the error of particles that start from that bound is smaller.
    """
    turned = log_hooks(reaches.T) < log_hooks(reaches)
    return (np.ascontiguousarray(reaches.T) if turned else reaches), turned

"""The members of an equivalence class, one chain component at a time.

What data leave open about directions are the undirected edges of the essential graph (CPDAG) of a class. They fall into
connected *chain components*. Each is chordal, and the members of the class are all ways to direct the components that
make no cycle and no v-structure a -> c <- b with a and b not joined, each component independently of the others
(Andersson, Madigan and Perlman 1997). The same holds for what interventions leave open (Hauser and Buehlmann 2012).

Members are listed by their *source*: a connected chordal graph, so directed, has exactly one variable without parents.
Given the source, a search through the graph finds the edges whose directions follow; what stays open are smaller
chordal graphs, again independent of each other (Wienöbst, Bannach and Liskiewicz 2021). A tree with k variables has k
members, a clique k!.

>>> list_members(((0, 1), (1, 2))).astype(int)
array([[1, 1],
       [0, 1],
       [0, 0]])
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from edgewise._kernels.graphs.equivalence import add_compelled, new_lists
from edgewise._kernels.graphs.reaching import Known
from edgewise.graphs.adjacency import BoolMatrix

MOST_MEMBERS = 10_000
"""Most members of a component to list: a clique of seven variables has 5,040. Sparse graphs hardly have more."""

REMEMBERED = 4096
"""Components, up to the names of their variables, whose members are remembered: a few megabytes of small ones."""

Edges = tuple[tuple[int, int], ...]
"""Edges i - j with i < j of a connected graph on variables 0, 1, ..."""


def label_open(dags: BoolMatrix, known: Known) -> Iterator[BoolMatrix]:
    """Yield, for each DAG, its edges that are not compelled, given what is known; shape (p, p).

    The array is the same each time, and overwritten.
    """
    p = dags.shape[1]
    compelled, total, lists, one = np.empty((p, p), bool), np.zeros((1, p, p)), new_lists(p), np.zeros((1, 1))
    for number in range(len(dags)):
        # The weight is zero, so that nothing is added up: what is wanted are the labels.
        add_compelled(dags[number : number + 1], one, known, compelled, lists, total)
        yield dags[number] & ~compelled


@lru_cache(maxsize=REMEMBERED)
def list_members(edges: Edges, most: int = MOST_MEMBERS) -> BoolMatrix | None:
    """Return all ways to direct a connected chordal graph without a cycle and without a v-structure.

    Parameters
    ----------
    edges
        The edges i - j, i < j.
    most
        Most members to list.

    Returns
    -------
    array of bool, shape (members, edges), or None
        True for i -> j; None if there are more.
    """
    ends = np.array(edges)
    neighbours = [0] * (int(ends.max()) + 1)
    for i, j in edges:
        neighbours[i] |= 1 << j
        neighbours[j] |= 1 << i
    known: dict[int, BoolMatrix | None] = {}

    def direct(variables: int) -> BoolMatrix | None:
        """Return the members of the graph on some variables, as bits; edges of others are false."""
        if variables not in known:
            known[variables] = _gather(variables)
        return known[variables]

    def _gather(variables: int) -> BoolMatrix | None:
        found, total = [], 0
        for source in _bits(variables):
            blocks = _search(variables, source, neighbours)
            rank = np.full(len(neighbours), -1)
            for position, block in enumerate(blocks):
                rank[list(_bits(block))] = position
            first, second = rank[ends[:, 0]], rank[ends[:, 1]]
            members = ((first < second) & (first >= 0))[None]
            for block in blocks:
                for component in _components(block, neighbours):
                    inner = direct(component)
                    if inner is None or len(members) * len(inner) + total > most:
                        return None
                    members = (members[:, None] | inner).reshape(-1, len(ends))
            total += len(members)
            found.append(members)
            if total > most:
                return None
        return np.concatenate(found)

    members = direct((1 << len(neighbours)) - 1)
    if members is not None:
        members.setflags(write=False)
    return members


def _search(variables: int, source: int, neighbours: list[int]) -> list[int]:
    """Return the blocks of variables, as bits, in the order in which they follow from a source.

    Edges between two blocks point from the earlier to the later one; those within a block stay open. This is a
    lexicographic breadth-first search: the first block of variables that have the same neighbours among those visited
    so far is the next, and visiting a variable splits all blocks by whether they are joined to it.
    """
    blocks, reached = [], 0
    waiting = [1 << source, variables & ~(1 << source)]
    while waiting:
        first = waiting[0]
        if not first & reached:
            blocks.append(first)
            reached |= first
        visited = first & -first
        near = neighbours[visited.bit_length() - 1]
        waiting[0] = first ^ visited
        waiting = [part for block in waiting for part in (block & near, block & ~near) if part]
    return blocks


def _components(variables: int, neighbours: list[int]) -> Iterator[int]:
    """Yield the connected components, as bits, of the graph on some variables; of two variables or more."""
    while variables:
        found, new = 0, variables & -variables
        while new:
            found |= new
            near = 0
            for v in _bits(new):
                near |= neighbours[v]
            new = near & variables & ~found
        variables &= ~found
        if found & (found - 1):
            yield found


def _bits(numbers: int) -> Iterator[int]:
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest

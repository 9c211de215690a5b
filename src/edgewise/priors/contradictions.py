"""Whether constraints can hold together, and which of them cannot.

Every constraint says one of four things of a DAG: it has an edge, it lacks an edge, it has a path, it lacks a path.
Roots and leaves lack edges, tiers lack paths: from a later tier to an earlier one. Contradictions are looked for in
this order, so that the simplest one is told:

1. one constraint against another: an edge both required and forbidden, a required edge into a root, ...;
2. a cycle: required edges and paths always point from earlier to later variables, and so do tiers;
3. paths that follow from required edges and paths, but must not exist;
4. required paths that no permitted edges make.

After the first three, required edges alone never contradict anything. Required paths may, and whether they do is hard
to tell in general (it contains the search for a path that avoids forbidden pairs of nodes, which is NP-complete); but
the relation "is an ancestor of" makes a short and complete search of it. Suppose it is known to hold for some pairs,
and take all the edges between these pairs that are not forbidden. If they make a path for every pair, they are a DAG
with just these ancestors. Otherwise some pair (a, b) has no path yet, and in whatever DAG there is, its path leaves the
nodes that a reaches so far by some edge u -> v: then u is an ancestor of v, and v of b (or b itself). Try each.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from edgewise import graphs
from edgewise.errors import ArgumentError
from edgewise.graphs import BoolMatrix
from edgewise.wording import enumerate_items, quote

MOST_EXAMINED = 5000
"""Missing paths that the search looks at before it gives up: a few seconds, and more than constraints usually take."""

MANY_WAYS = 10
"""Ways to make a path that count as many: whether there are more does not matter for where to begin."""


@dataclass(frozen=True, eq=False)
class Statements:
    """The constraints as they were given, by column number.

    Attributes
    ----------
    names
        Column names.
    required, forbidden, ancestors, not_ancestors
        The pairs that were given, each (p, p).
    earlier
        Whether i stands in an earlier tier than j, (p, p).
    roots, leaves
        Whether a variable is one, (p,).
    """

    names: Sequence[str]
    required: BoolMatrix
    forbidden: BoolMatrix
    ancestors: BoolMatrix
    not_ancestors: BoolMatrix
    earlier: BoolMatrix
    roots: npt.NDArray[np.bool_]
    leaves: npt.NDArray[np.bool_]

    @property
    def without_edge(self) -> BoolMatrix:
        """The edges that are forbidden, lead into a root, or come out of a leaf; false on the diagonal."""
        excluded = self.forbidden | self.roots | self.leaves[:, None]
        np.fill_diagonal(excluded, False)
        return excluded

    @property
    def without_path(self) -> BoolMatrix:
        """The pairs (i, j) of which i must not be an ancestor of j."""
        return self.not_ancestors | self.earlier.T

    @property
    def reached(self) -> BoolMatrix:
        """The ancestors that every DAG has, provided that there is no cycle."""
        return graphs.ancestors(self.required | self.ancestors)

    @property
    def forward(self) -> BoolMatrix:
        """The pairs (i, j) of which i was said to come before j."""
        return self.required | self.ancestors | self.earlier

    def tell(self, i: int, j: int) -> str:
        """Say why i comes before j."""
        if self.required[i, j]:
            return f"{self.edge(i, j)} is required"
        source, target = quote(self.names[i]), quote(self.names[j])
        if self.ancestors[i, j]:
            return f"{source} must be an ancestor of {target}"
        return f"{source} stands in an earlier tier than {target}"

    def edge(self, i: int, j: int) -> str:
        """Show an edge."""
        return f"{quote(self.names[i])} -> {quote(self.names[j])}"


def refuse_contradictions(stated: Statements) -> None:
    """Raise an error that names the constraints which cannot hold together, if there are any.

    Whatever is refused, no DAG satisfies. Whatever passes, some DAG satisfies, or the search for it was given up.
    """
    _refuse_opposites(stated)
    _refuse_cycles(stated)
    _refuse_excluded_paths(stated)
    _refuse_impossible_paths(stated)


def exclude_paths(excluded: BoolMatrix, reached: BoolMatrix) -> BoolMatrix:
    """Return all pairs that cannot be ancestor and descendant if the `excluded` pairs must not be.

    If x must not be an ancestor of b, nor may a descendant of x be one, nor x one of an ancestor of b.

    Parameters
    ----------
    excluded
        Pairs (x, b) of which x must not be an ancestor of b, shape (p, p).
    reached
        Pairs (i, j) of which i is an ancestor of j, shape (p, p), transitively closed and disjoint from `excluded`.

    Examples
    --------
    >>> excluded, reached = np.zeros((2, 4, 4), dtype=bool)
    >>> excluded[0, 3] = reached[0, 1] = reached[2, 3] = True
    >>> np.argwhere(exclude_paths(excluded, reached)).tolist()
    [[0, 2], [0, 3], [1, 2], [1, 3]]
    """
    back = reached.T | np.eye(len(reached), dtype=np.bool_)
    return compose(compose(back, excluded), back)


def compose(first: BoolMatrix, second: BoolMatrix) -> BoolMatrix:
    """Return the pairs (i, k) for which `first` has (i, j) and `second` has (j, k), for some j.

    Examples
    --------
    >>> step = np.eye(3, k=1, dtype=bool)
    >>> np.argwhere(compose(step, step)).tolist()
    [[0, 2]]
    """
    # As numbers, because only these are multiplied fast; sums of p ones are exact.
    composed: BoolMatrix = first.astype(np.float32) @ second.astype(np.float32) > 0
    return composed


def _refuse_opposites(stated: Statements) -> None:
    """Refuse a required edge or path that another single constraint excludes."""
    both = np.argwhere(stated.required & stated.forbidden)
    if len(both):
        raise ArgumentError(f"The edge {stated.edge(*both[0])} is both required and forbidden; drop one of the two.")
    excluded = stated.roots | stated.leaves[:, None] | stated.without_path
    for i, j in np.argwhere((stated.required | stated.ancestors) & excluded).tolist():
        source, target = quote(stated.names[i]), quote(stated.names[j])
        if stated.roots[j]:
            reason = f"{target} is among the roots, which have no parents"
        elif stated.leaves[i]:
            reason = f"{source} is among the leaves, which have no children"
        elif stated.earlier[j, i]:
            reason = f"{target} stands in an earlier tier than {source}"
        else:
            reason = f"{source} must not be an ancestor of {target}"
        raise ArgumentError(f"{stated.tell(i, j)}, but {reason}; drop one of the two.")


def _refuse_cycles(stated: Statements) -> None:
    forward = stated.forward
    if graphs.is_acyclic(forward):
        return
    # A cycle is some pair, and the shortest chain from its end back to its start.
    chain = _shortest_chain(forward, wanted=forward.T)
    links = [stated.tell(i, j) for i, j in pairwise([chain[-1], *chain])]
    raise ArgumentError(f"Some constraints form a cycle: {enumerate_items(links)}; drop or change one of them.")


def _refuse_excluded_paths(stated: Statements) -> None:
    wrong = stated.reached & stated.not_ancestors
    if not wrong.any():
        return
    chain = _shortest_chain(stated.required | stated.ancestors, wanted=wrong)
    links = [stated.tell(i, j) for i, j in pairwise(chain)]
    source, target = quote(stated.names[chain[0]]), quote(stated.names[chain[-1]])
    raise ArgumentError(
        f"{source} must not be an ancestor of {target}, but {enumerate_items(links)}; drop or change one of them."
    )


def _refuse_impossible_paths(stated: Statements) -> None:
    if _can_be_satisfied(stated):
        return
    paths = _smallest_conflict(stated)
    required = enumerate_items([stated.tell(i, j) for i, j in paths])
    reason = "every such path is" if len(paths) == 1 else "such paths together are"
    raise ArgumentError(
        f"{required}, but {reason} excluded by forbidden edges, roots, leaves, tiers or other constraints on "
        "ancestors; drop or change one of them."
    )


def _smallest_conflict(stated: Statements) -> list[tuple[int, int]]:
    """Return pairs that cannot all be ancestor and descendant, none of which could be left out."""

    def conflict(pairs: list[tuple[int, int]]) -> bool:
        ancestors = np.zeros_like(stated.ancestors)
        ancestors[tuple(np.transpose(pairs))] = True
        return not _can_be_satisfied(replace(stated, ancestors=ancestors))

    needed: list[tuple[int, int]] = []
    others = [(i, j) for i, j in np.argwhere(stated.ancestors).tolist()]
    while others and not (needed and conflict(needed)):
        # The last of the fewest that conflict cannot be left out, and those after it can.
        last = bisect_left(range(len(others) - 1), True, key=lambda last: conflict(needed + others[: last + 1]))
        needed.append(others[last])
        del others[last:]
    return sorted(needed)


def _shortest_chain(links: BoolMatrix, wanted: BoolMatrix) -> list[int]:
    """Return the shortest chain of links from i to j among all the pairs (i, j) that are wanted."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    distances, previous = shortest_path(csr_array(links), unweighted=True, return_predecessors=True)
    start, end = np.unravel_index(np.argmin(np.where(wanted, distances, np.inf)), links.shape)
    chain = [int(end)]
    while chain[-1] != start:
        chain.append(int(previous[start, chain[-1]]))
    return chain[::-1]


def _can_be_satisfied(stated: Statements) -> bool:
    """Search for a DAG; true also if the search takes too long. The constraints must have passed all other checks."""
    reached, without_edge = stated.reached, stated.without_edge
    branches = [iter([_Known(reached, exclude_paths(stated.without_path | reached.T, reached))])]
    examined = 0
    while branches and examined < MOST_EXAMINED:
        known = next(branches[-1], None)
        if known is None:
            branches.pop()
            continue
        gaps = list(_find_gaps(known, without_edge))
        if not gaps:
            return True
        # The gap with the fewest ways to close it goes first: if it has none, nothing else need be tried.
        fewest = min(gaps, key=lambda gap: sum(1 for _ in islice(_ways_to_close(gap, known, without_edge), MANY_WAYS)))
        branches.append(_close(fewest, known, without_edge))
        examined += len(gaps)
    return bool(branches)


class _Known(NamedTuple):
    """What is known on a branch of the search, with all that follows from it.

    Attributes
    ----------
    ancestors
        Pairs (i, j) of which i is an ancestor of j.
    excluded
        Pairs (i, j) of which i is not an ancestor of j.
    """

    ancestors: BoolMatrix
    excluded: BoolMatrix

    def with_ancestor(self, i: int, j: int) -> "_Known | None":
        """Add that i is an ancestor of j, or return None if it is not."""
        if self.excluded[i, j]:
            return None
        ancestors, excluded = self.ancestors.copy(), self.excluded.copy()
        above, below = ancestors[:, i].copy(), ancestors[j].copy()
        above[i] = below[j] = True
        ancestors[np.ix_(above, below)] = True
        excluded[np.ix_(below, above)] = True
        excluded[below] |= excluded[above].any(axis=0)
        excluded[:, above] |= excluded[:, below].any(axis=1, keepdims=True)
        return _Known(ancestors, excluded)


class _Gap(NamedTuple):
    """An ancestor and its descendant that no known edges connect, and the nodes that the ancestor does reach."""

    source: int
    target: int
    reached: npt.NDArray[np.bool_]


def _find_gaps(known: _Known, without_edge: BoolMatrix) -> Iterator[_Gap]:
    """Iterate over the known ancestors that have no path of edges between known pairs."""
    edges = known.ancestors & ~without_edge
    for source in np.flatnonzero((known.ancestors & without_edge).any(axis=1)).tolist():
        reached = np.zeros(len(edges), dtype=np.bool_)
        new = reached.copy()
        new[source] = True
        while new.any():
            reached |= new
            new = edges[new].any(axis=0) & ~reached
        for target in np.flatnonzero(known.ancestors[source] & ~reached).tolist():
            yield _Gap(source, target, reached)


def _ways_to_close(gap: _Gap, known: _Known, without_edge: BoolMatrix) -> Iterator[tuple[int, int]]:
    """Iterate over the edges by which a path may leave what its source reaches, those near its target first."""
    between = ~(known.excluded[gap.source] | known.excluded[:, gap.target])
    unseen = between & ~gap.reached
    # From the target backward, nearest first: the list grows while it is gone through.
    waiting = [gap.target]
    for v in waiting:
        sources = between & ~(without_edge[:, v] | known.excluded[:, v])
        for u in np.flatnonzero(sources & gap.reached).tolist():
            yield u, v
        waiting += np.flatnonzero(sources & unseen).tolist()
        unseen &= ~sources


def _close(gap: _Gap, known: _Known, without_edge: BoolMatrix) -> Iterator[_Known]:
    """Iterate over what would be known if a path left what its source reaches by one edge or another."""
    for u, v in _ways_to_close(gap, known, without_edge):
        extended = known.with_ancestor(u, v)
        if extended is not None and v != gap.target:
            extended = extended.with_ancestor(v, gap.target)
        if extended is not None:
            yield extended

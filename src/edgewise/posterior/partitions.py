"""How much an experiment tells, from tables of what stays open.

A :class:`Partition` has rows, each a way to direct some open edges with its probability, in blocks of which only one is
true. What is known so far divides the rows into groups: at first the blocks, and after experiments those rows of a
block in which the variables that were set have the same parents. One more experiment divides the groups further. What
is gained is the expected fall of the uncertainty within groups, in bits:

- of the row itself: the entropy of the new groups given the old ones;
- of a label of the row, if it is known only as far as groups tell;
- of the direction of each edge, added up.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from edgewise.graphs import BoolMatrix

from .classes import Factor
from .draws import ENTRIES_AT_ONCE

CERTAIN = 1 - 1e-9
"""From which share of a group on, but for rounding, an edge has the same direction in all of it."""


class Gain(NamedTuple):
    """What setting each variable adds, shape (p,): bits, and the expected number of directions that it tells."""

    bits: np.ndarray
    directions: np.ndarray


class Partition:
    """Rows that an experiment can tell apart, and the groups that they are in.

    Parameters
    ----------
    p
        Number of variables.
    rows
        For each row its block and its probability.
    entries
        For some rows and variables, the row, the variable and a number for its parents. A block has the same variables
        in all rows.
    edges
        Whether each edge of each row points forward, one row after the other, and the number of edges of each row; None
        if the question is not about edges.
    label
        What the question is about, as a number for each row; None if it is the row, or its edges.
    """

    def __init__(
        self,
        p: int,
        rows: tuple[np.ndarray, np.ndarray],
        entries: tuple[np.ndarray, np.ndarray, np.ndarray],
        *,
        edges: tuple[np.ndarray, np.ndarray] | None = None,
        label: np.ndarray | None = None,
    ) -> None:
        self.p = p
        self.share = rows[1]
        self._row, self._variable, self._state = entries
        self._edges, self._label = edges, label
        self._group = np.unique(rows[0], return_inverse=True)[1]

    def gain(self, *, is_about_edges: bool = False) -> Gain:
        """Return what each variable would add to what is known."""
        split = self._split()
        mass, fine = np.bincount(self._group, self.share), np.bincount(split, self.share[self._row])
        before, after = mass[self._group][self._row], fine[split]
        if self._label is not None:
            cells, cell = _number(self._group, self._label), _number(split, self._label[self._row])
            coarse = np.bincount(cells, self.share)[cells][self._row]
            each = np.log2(np.bincount(cell, self.share[self._row])[cell] / after) - np.log2(coarse / before)
        else:
            each = np.log2(before / after)
        told = np.zeros(len(each))
        if self._edges is not None:
            now, then = self._uncertainty(self._group, np.arange(len(self.share))), self._uncertainty(split, self._row)
            told = then[1][split] - now[1][self._group][self._row]
            if is_about_edges:
                each = now[0][self._group][self._row] - then[0][split]
        weight = self.share[self._row]
        bits, directions = (np.bincount(self._variable, weight * of, self.p) for of in (each, told))
        return Gain(bits, directions)

    def choose(self, variable: int) -> None:
        """Take the parents of a variable as known."""
        is_it = self._variable == variable
        parents = np.full(len(self.share), -1)
        parents[self._row[is_it]] = np.unique(self._state[is_it], return_inverse=True)[1]
        self._group = _number(self._group, parents)

    def open_bits(self) -> float:
        """Return the uncertainty of all edges, added up, as far as it is within groups."""
        bits, _ = self._uncertainty(self._group, np.arange(len(self.share)))
        return float(np.bincount(self._group, self.share) @ bits)

    def open_directions(self) -> float:
        """Return the expected number of edges whose direction is not known."""
        if self._edges is None or not len(self.share):
            return 0.0
        _, certain = self._uncertainty(self._group, np.arange(len(self.share)))
        return float(self.share @ (self._edges[1] - certain[self._group]))

    def _split(self) -> np.ndarray:
        """Return a number for each entry: that of its group once its variable has been set."""
        rng = np.random.default_rng(1)
        groups = rng.integers(2**64, size=len(self.share), dtype=np.uint64)
        variables = rng.integers(2**64, size=self.p, dtype=np.uint64)
        name = groups[self._group[self._row]] + variables[self._variable] + self._state
        return np.unique(name, return_inverse=True)[1]

    def _uncertainty(self, group: np.ndarray, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return, for each group of rows, the entropies of its edges added up, and how many edges are certain."""
        if self._edges is None or not len(row):
            return np.zeros(0), np.zeros(0)
        is_forward, number = self._edges
        groups = int(group.max()) + 1
        width = np.zeros(groups, np.int64)
        width[group] = number[row]
        first, begin = np.cumsum(width) - width, np.cumsum(number) - number
        forward = np.zeros(int(width.sum()))
        # A part has as many entries as can be in memory together.
        for part in np.array_split(np.arange(len(row)), 1 + int(number[row].sum()) // ENTRIES_AT_ONCE):
            times = number[row[part]]
            step = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
            is_so = is_forward[np.repeat(begin[row[part]], times) + step]
            place = np.repeat(first[group[part]], times) + step
            forward += np.bincount(place, is_so * np.repeat(self.share[row[part]], times), len(forward))
        of = np.repeat(np.arange(groups), width)
        chance = (forward / np.bincount(group, self.share[row])[of]).clip(0, 1)
        is_certain = (chance > CERTAIN) | (chance < 1 - CERTAIN)
        return np.bincount(of, binary_entropy(chance), groups), np.bincount(of, is_certain, groups)


def entropy(probability: np.ndarray) -> float:
    """Return the entropy of a distribution in bits.

    Examples
    --------
    >>> entropy(np.array([0.25, 0.25, 0.5]))
    1.5
    """
    positive = probability[probability > 0]
    return float(-(positive @ np.log2(positive)))


def binary_entropy(chance: np.ndarray) -> np.ndarray:
    """Return the entropy of something that is so with each of some probabilities, in bits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = -chance * np.log2(chance) - (1 - chance) * np.log2(1 - chance)
    return np.where((chance > 0) & (chance < 1), bits, 0.0)


def divide_factors(p: int, factors: Sequence[Factor], weight: np.ndarray) -> Partition:
    """Return the partition of all ways to direct all factors, which have some probabilities."""
    used = [(factor, mass) for factor, mass in zip(factors, weight, strict=True) if mass > 0]
    edges = (
        join([factor.is_forward.ravel() for factor, _ in used]).astype(bool),
        np.repeat([len(factor.edges) for factor, _ in used], [len(factor.share) for factor, _ in used]).astype(
            np.int64
        ),
    )
    return Partition(p, *_list_rows(used), edges=edges)


def divide_directions(p: int, factors: Sequence[Factor], weight: np.ndarray, is_asked: BoolMatrix) -> Partition:
    """Return the partition of the ways to direct factors, with the directions of some edges as label.

    Factors of a class are directed independently, and a variable is in one of them at most: so what it tells of these
    directions together is the sum over factors.

    Parameters
    ----------
    p
        Number of variables.
    factors, weight
        All factors, and their probabilities.
    is_asked
        Whether the question is about an edge between i and j, shape (p, p), symmetric.
    """
    used, label = [], []
    for factor, mass in zip(factors, weight, strict=True):
        asked = is_asked[factor.edges[:, 0], factor.edges[:, 1]]
        if mass > 0 and asked.any():
            used.append((factor, mass))
            label.append(np.unique(factor.is_forward[:, asked], axis=0, return_inverse=True)[1].ravel())
    return Partition(p, *_list_rows(used), label=join(label).astype(np.int64))


def _list_rows(
    used: Sequence[tuple[Factor, float]],
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return the rows of factors with their probabilities, and the entries, as a partition takes them."""
    sizes = np.array([len(factor.share) for factor, _ in used], np.int64)
    rows = np.repeat(np.arange(len(used)), sizes), join([mass * factor.share for factor, mass in used])
    return rows, make_entries((factor for factor, _ in used), np.cumsum(sizes) - sizes)


def make_entries(factors: Iterable[Factor], start: Iterable[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the entries of the rows of factors, which begin somewhere: rows, variables and states."""
    rows, variables, states = [], [], []
    for factor, begin in zip(factors, start, strict=True):
        members, width = factor.states.shape
        rows.append(np.repeat(np.arange(begin, begin + members), width))
        variables.append(np.tile(factor.vertices, members))
        states.append(factor.states.ravel())
    return join(rows).astype(np.int64), join(variables).astype(np.int64), join(states).astype(np.uint64)


def join(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Return arrays, perhaps none, one after the other."""
    return np.concatenate(arrays) if arrays else np.zeros(0)


def _number(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return a number for each pair of two numbers, from 0 on."""
    width = other.max(initial=0) + 2
    return np.unique(one * width + other + 1, return_inverse=True)[1]

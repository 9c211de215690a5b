"""Draws of DAGs, written as numbers of families, and the counts that all summaries start from.

A family is a variable with its parents. DAGs of one chain share most of their families, so a draw is one number per
variable, and each distinct family is kept once, as bits. Sums over draws become sums over families.

The two large arrays may be in a file: they are only ever read a bounded number of draws at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from edgewise._kernels.basics.bits import words_for

ENTRIES_AT_ONCE = 2**22
"""Most family numbers, or entries of adjacency matrices, to work on at a time."""

INDICATORS_AT_ONCE = 2**26
"""Most indicators of edges, a byte each, to hold at a time."""


class StoredArray(Protocol):
    """An array in memory or in a file: it has a shape, and its parts can be turned into arrays."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""

    def __getitem__(self, part: Any, /) -> Any:
        """Return a part."""


class Distinct(NamedTuple):
    """Distinct DAGs: ``rows`` of family numbers, with ``weight`` and ``log_posterior``, and ``which`` each draw is."""

    rows: np.ndarray
    weight: np.ndarray
    log_posterior: np.ndarray
    which: np.ndarray


@dataclass(frozen=True, eq=False)
class DrawTable:
    """The draws of all chains.

    Attributes
    ----------
    family : array of int32, shape (chains, draws, p)
        For each draw and variable, the number of the variable's family.
    order : array of int, shape (chains, draws, p)
        The order at each draw.
    log_score, log_prior : ndarray, shape (chains, draws)
    family_node : ndarray of int32, shape (families,)
        The child of each family.
    family_parents : ndarray of uint8, shape (families, bytes)
        Its parents; bit i of byte b is variable 8 b + i.
    log_weight : ndarray, shape (chains, draws), or None
        The log of each draw's weight, up to a constant; None where all weigh the same.
    """

    family: StoredArray
    order: StoredArray
    log_score: np.ndarray
    log_prior: np.ndarray
    family_node: np.ndarray
    family_parents: np.ndarray
    log_weight: np.ndarray | None = None

    @property
    def p(self) -> int:
        """Number of variables."""
        return self.family.shape[2]

    def rows(self, chain: int) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield the family numbers of a chain, shape (some draws, p), with the draws they belong to."""
        for part in split(0, self.family.shape[1], self.p):
            yield part, np.asarray(self.family[chain, part])

    def parents(self, families: np.ndarray | slice) -> np.ndarray:
        """Return the parents of families as booleans, shape (number of families, p)."""
        bits = np.unpackbits(self.family_parents[families], axis=1, bitorder="little", count=self.p)
        return bits.view(bool)

    def parent_words(self) -> np.ndarray:
        """Return the parents of all families as bits in words of 64, as the compiled loops take them."""
        families, width = self.family_parents.shape
        padded = np.zeros((families, words_for(self.p) * 8), np.uint8)
        padded[:, :width] = self.family_parents
        return padded.view("<u8").astype(np.uint64)

    def has_parent(self, variables: np.ndarray) -> np.ndarray:
        """Return whether each family has each of some variables as a parent, shape (families, variables)."""
        byte = self.family_parents[:, variables // 8]
        return (byte >> (variables % 8).astype(np.uint8) & 1).view(bool)

    def dags(self, rows: np.ndarray) -> np.ndarray:
        """Return the DAGs of rows of family numbers, shape (..., p), as booleans, shape (..., p, p)."""
        parents = self.parents(rows.ravel()).reshape(*rows.shape, self.p)
        return np.ascontiguousarray(parents.swapaxes(-1, -2))

    def indicators(self, source: np.ndarray, target: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield whether each draw has each edge of a list: slices of the list, and booleans (chain, draw, edge).

        A few edges at a time, since what is computed from them takes many times the memory, but from as few passes over
        the draws as the booleans themselves allow.
        """
        draws = self.log_score.size
        for block in split(0, len(source), draws, at_once=INDICATORS_AT_ONCE):
            # Edges into one variable are found together, as a row for each of its families.
            by_target = [
                (node, edges, self.has_parent(source[block][edges]))
                for node, edges in ((node, np.flatnonzero(target[block] == node)) for node in np.unique(target[block]))
            ]
            found = np.empty((*self.log_score.shape, block.stop - block.start), dtype=bool)
            for chain in range(len(found)):
                for part, rows in self.rows(chain):
                    some = found[chain, part]
                    for node, edges, has_source in by_target:
                        some[:, edges] = has_source[rows[:, node]]
            for few in split(block.start, block.stop, draws):
                yield few, found[..., few.start - block.start : few.stop - block.start]

    def weigh_families(self, weights: np.ndarray, chain: int) -> np.ndarray:
        """Return the total weight of each family in a chain; ``weights`` has shape (chains, draws)."""
        total = np.zeros(len(self.family_node))
        for part, rows in self.rows(chain):
            total += np.bincount(rows.ravel(), np.repeat(weights[chain, part], self.p), minlength=len(total))
        return total

    def sum_parents(self, weight: np.ndarray) -> np.ndarray:
        """Return the (p, p) matrix whose entry (i, j) adds up the weights of those families of j that contain i."""
        p = self.p
        total = np.zeros((p, p))
        used = np.flatnonzero(weight)
        for part in split(0, len(used), p):
            families = used[part]
            np.add.at(total, self.family_node[families], weight[families, None] * self.parents(families))
        return total.T

    def distinct(self, weights: np.ndarray) -> "Distinct":
        """Return the distinct DAGs, heaviest first, and among equals the one with the higher posterior.

        Draws are compared by the sum of a random 64-bit number per family: two of a million differing ones agree with
        probability below 1e-7.
        """
        chains, draws = self.log_score.shape
        numbers = np.random.default_rng(0).integers(2**64, size=len(self.family_node), dtype=np.uint64)
        names = np.empty((chains, draws), np.uint64)
        for chain in range(chains):
            for part, rows in self.rows(chain):
                names[chain, part] = numbers[rows].sum(axis=1)
        _, first, which = np.unique(names, return_index=True, return_inverse=True)
        weight = np.bincount(which.ravel(), weights.ravel())
        log_posterior = (self.log_score + self.log_prior).ravel()[first]
        # Equal weights, and the posteriors of Markov equivalent DAGs, must not differ by rounding.
        heaviest = np.lexsort((first, -np.round(log_posterior, 6), -np.round(weight, 12)))
        place = np.empty_like(heaviest)
        place[heaviest] = np.arange(len(heaviest))
        return Distinct(
            self._gather(first[heaviest]),
            weight[heaviest],
            log_posterior[heaviest],
            place[which].reshape(chains, draws),
        )

    def distinct_dags(self, weights: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the distinct DAGs, shape (some, p, p), with their weights, heaviest first, a few at a time."""
        distinct = self.distinct(weights)
        for part in split(0, len(distinct.rows), self.p**2):
            yield self.dags(distinct.rows[part]), distinct.weight[part]

    def _gather(self, wanted: np.ndarray) -> np.ndarray:
        """Return the rows of some draws, numbered through all chains, in the order given."""
        chains, draws = self.log_score.shape
        found = np.empty((len(wanted), self.p), np.int32)
        for chain in range(chains):
            for part, rows in self.rows(chain):
                start = chain * draws + part.start
                here = np.flatnonzero((wanted >= start) & (wanted < start + len(rows)))
                found[here] = rows[wanted[here] - start]
        return found


def split(start: int, stop: int, entries: int, *, at_once: int | None = None) -> Iterator[slice]:
    """Yield slices that cover start .. stop, each of so many items that their entries can be in memory together."""
    size = max((at_once or ENTRIES_AT_ONCE) // entries, 1)
    for first in range(start, stop, size):
        yield slice(first, min(first + size, stop))


def take_evenly(weight: np.ndarray, number: int, offset: float) -> np.ndarray:
    """Return which of some things a systematic sample has, each as often as its weight says, up to one.

    Parameters
    ----------
    weight
        Their weights.
    number
        How many to take.
    offset
        Between 0 and 1: where to start.

    Examples
    --------
    >>> take_evenly(np.array([0.5, 0.25, 0.0, 0.25]), 4, 0.5)
    array([0, 0, 1, 3])
    """
    total = np.cumsum(weight)
    points = (offset + np.arange(number)) / number * total[-1]
    # The last point may be rounded up to the total, and nothing of weight zero is wanted.
    return np.asarray(np.searchsorted(total[: np.flatnonzero(weight)[-1]], points, side="right"))

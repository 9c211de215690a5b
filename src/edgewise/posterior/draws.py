"""Draws of DAGs, written as numbers of families, and the counts that all summaries start from.

A family is a variable with its parents. DAGs of one chain share most of their families, so a draw is one
number per variable, and each distinct family is kept once, as bits. Sums over draws become sums over
families.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from edgewise.samplers import ChainRecord

DAGS_AT_ONCE = 2**24
"""Most entries of adjacency matrices that are unpacked at a time: 16 MB."""


@dataclass(frozen=True, eq=False)
class DrawTable:
    """The draws of all chains.

    Attributes
    ----------
    family : ndarray of int32, shape (chains, draws, p)
        For each draw and variable, the number of the variable's family.
    order : ndarray of int, shape (chains, draws, p)
        The order at each draw.
    log_score, log_prior : ndarray, shape (chains, draws)
    family_node : ndarray of int32, shape (families,)
        The child of each family.
    family_parents : ndarray of uint8, shape (families, bytes)
        Its parents; bit i of byte b is variable 8 b + i.
    """

    family: np.ndarray
    order: np.ndarray
    log_score: np.ndarray
    log_prior: np.ndarray
    family_node: np.ndarray
    family_parents: np.ndarray

    @property
    def p(self) -> int:
        """Number of variables."""
        return int(self.family.shape[2])

    def parents(self, families: np.ndarray) -> np.ndarray:
        """Return the parents of families as booleans, shape (len(families), p)."""
        bits = np.unpackbits(self.family_parents[families], axis=1, bitorder="little", count=self.p)
        return bits.view(bool)

    def dags(self, draws: np.ndarray) -> np.ndarray:
        """Return the DAGs of rows of family numbers, shape (..., p), as booleans, shape (..., p, p)."""
        parents = self.parents(draws.ravel()).reshape(*draws.shape, self.p)
        return np.ascontiguousarray(parents.swapaxes(-1, -2))

    def sum_families(self, family: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return, for each family, the total weight of the draws that contain it.

        Parameters
        ----------
        family
            Rows of family numbers, shape (..., p).
        weights
            A weight for each row, shape (...).
        """
        p = self.p
        rows, weights = family.reshape(-1, p), weights.ravel()
        total = np.zeros(len(self.family_node))
        for part in _parts(len(rows), p):
            total += np.bincount(rows[part].ravel(), np.repeat(weights[part], p), minlength=len(total))
        return total

    def sum_parents(self, weight: np.ndarray) -> np.ndarray:
        """Return the (p, p) matrix whose entry (i, j) is the total weight of j's families that contain i."""
        p = self.p
        total = np.zeros((p, p))
        used = np.flatnonzero(weight)
        for part in _parts(len(used), p):
            families = used[part]
            np.add.at(total, self.family_node[families], weight[families, None] * self.parents(families))
        return total.T

    def distinct(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the distinct DAGs as rows of family numbers, and their total weights, heaviest first.

        Rows are compared by the sum of a random 64-bit number per family: two of a million differing rows
        agree with probability below 1e-7.
        """
        rows = self.family.reshape(-1, self.p)
        numbers = np.random.default_rng(0).integers(2**64, size=len(self.family_node), dtype=np.uint64)
        names = np.zeros(len(rows), np.uint64)
        for column in rows.T:
            names += numbers[column]
        _, first, which = np.unique(names, return_index=True, return_inverse=True)
        weight = np.bincount(which, weights.ravel())
        heaviest = np.lexsort((first, -weight))
        return rows[first[heaviest]], weight[heaviest]

    def distinct_dags(self, weights: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the distinct DAGs, shape (some, p, p), with their weights, heaviest first, some at a time."""
        rows, weight = self.distinct(weights)
        for part in _parts(len(rows), self.p**2):
            yield self.dags(rows[part]), weight[part]


def merge(records: Sequence[ChainRecord]) -> DrawTable:
    """Put the draws of several chains into one table, cut to the number of draws that all of them have."""
    draws = min(len(record.family) for record in records)
    named = [
        np.column_stack([record.family_node.astype("<u8"), record.family_parents.astype("<u8")]) for record in records
    ]
    families, number = np.unique(np.concatenate(named), axis=0, return_inverse=True)
    start = np.cumsum([0, *(len(part) for part in named)])
    number = number.ravel().astype(np.int32)
    p = records[0].family.shape[1]
    parents = np.ascontiguousarray(families[:, 1:]).view(np.uint8)[:, : -(-p // 8)]
    return DrawTable(
        family=np.stack([number[s:][record.family[:draws]] for s, record in zip(start, records, strict=False)]),
        order=np.stack([record.order[:draws] for record in records]),
        log_score=np.stack([record.log_score[:draws] for record in records]),
        log_prior=np.stack([record.log_prior[:draws] for record in records]),
        family_node=families[:, 0].astype(np.int32),
        family_parents=np.ascontiguousarray(parents),
    )


def _parts(number: int, entries: int) -> Iterator[slice]:
    size = max(DAGS_AT_ONCE // entries, 1)
    for start in range(0, number, size):
        yield slice(start, start + size)

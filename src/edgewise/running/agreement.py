"""How well chains agree while they run.

The measure is the paper's, that of :meth:`edgewise.Posterior.chain_agreement`: the correlation of the probabilities of
directed edges between two chains, here from the draws so far. Only the least of all pairs is told. Since a correlation
does not change when one side is multiplied, sums of edges will do in place of probabilities.
"""

import numpy as np

from edgewise._kernels.basics.recorder import Draws
from edgewise.posterior.diagnostics import correlate

ENTRIES_PER_BLOCK = 10**5
"""Entries of adjacency matrices to add up for each block of draws: less than half a millisecond, where the block took a
tenth of a second. With 30 variables these are 111 draws of a block, with 100 variables 10, and always at least one:
with 1000 variables its million entries take 2 ms."""


class Agreement:
    """The edges that each chain has drawn so far, added up over evenly spaced draws of every block.

    Parameters
    ----------
    chains, p
        Numbers of chains and of variables.
    """

    def __init__(self, chains: int, p: int) -> None:
        self._sums = np.zeros((chains, p, p), np.int32)
        self._has_draws = np.zeros(chains, bool)
        self._most = max(ENTRIES_PER_BLOCK // p**2, 1)

    def add(self, number: int, blocks: list[Draws], family_parents: np.ndarray) -> None:
        """Take draws of a chain, and the parents of all families it has met so far, as bits in words of 64."""
        rows = np.concatenate([block.family for block in blocks])
        if len(rows) == 0:
            return
        rows = rows[:: -(-len(rows) // self._most)]
        p = rows.shape[1]
        words = family_parents[rows].astype("<u8")
        parents = np.unpackbits(words.view(np.uint8), axis=2, bitorder="little", count=p)
        self._sums[number] += parents.sum(axis=0, dtype=np.int32)
        self._has_draws[number] = True

    def least(self) -> float:
        """Return the least correlation between two chains.

        Not a number where there is none: with a single chain, before all have drawn, and if one has drawn no edge.
        """
        if len(self._sums) == 1 or not self._has_draws.all():
            return np.nan
        return float(correlate(self._sums).min())

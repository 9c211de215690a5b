"""From blocks of draws to a posterior.

Chains number their families each for itself; a posterior has one numbering for all of them. A :class:`Collector`
translates, and hands the draws on to whoever keeps them: :class:`InMemory`, or a
:class:`edgewise.posterior.storage.DrawFile`.
"""

from typing import Protocol

import numpy as np

from edgewise._kernels.basics.recorder import Draws

from .draws import DrawTable
from .posterior import Posterior

Families = tuple[np.ndarray, np.ndarray]
"""The children of all families, and their parents as bytes of bits: the last two fields of a :class:`DrawTable`."""


class Keeper(Protocol):
    """Whoever keeps draws while they are made."""

    def append(self, chain: int, draws: Draws) -> None:
        """Take the next draws of a chain."""

    def gather(self, draws: int, families: Families) -> DrawTable:
        """Return the first ``draws`` draws of each chain, when there are no more to come."""

    def finish(self, posterior: Posterior) -> Posterior:
        """Keep what else a posterior of these draws holds, and return it."""


class InMemory:
    """Keeps draws in memory."""

    def __init__(self, chains: int) -> None:
        self._blocks: list[list[Draws]] = [[] for _ in range(chains)]

    def append(self, chain: int, draws: Draws) -> None:
        """Take the next draws of a chain."""
        self._blocks[chain].append(draws)

    def gather(self, draws: int, families: Families) -> DrawTable:
        """Return the first ``draws`` draws of each chain."""
        arrays = {
            name: np.stack(
                [np.concatenate([getattr(block, name) for block in blocks])[:draws] for blocks in self._blocks]
            )
            for name in Draws._fields
        }
        return DrawTable(**arrays, family_node=families[0], family_parents=families[1])

    def finish(self, posterior: Posterior) -> Posterior:
        """Return the posterior, which is in memory already."""
        return posterior


class Collector:
    """Gives the families of all chains one numbering, and passes their draws on.

    Parameters
    ----------
    chains, p
        Numbers of chains and of variables.
    keeper
        Who keeps the draws.
    """

    def __init__(self, chains: int, p: int, keeper: Keeper) -> None:
        self._bytes = -(-p // 8)
        self._keeper = keeper
        self._number: dict[bytes, int] = {}
        self._translation = [np.empty(0, np.int32) for _ in range(chains)]

    def add(self, chain: int, draws: Draws, family_node: np.ndarray, family_parents: np.ndarray) -> None:
        """Take draws of a chain, and all families it has met so far, in its own numbering."""
        known = self._translation[chain]
        if len(family_node) > len(known):
            new = slice(len(known), None)
            names = np.column_stack([family_node[new].astype("<u8"), family_parents[new].astype("<u8")])
            fresh = [self._number.setdefault(name.tobytes(), len(self._number)) for name in names]
            known = self._translation[chain] = np.concatenate([known, np.array(fresh, np.int32)])
        if len(draws.family):
            self._keeper.append(chain, draws._replace(family=known[draws.family]))

    def forget(self, chain: int) -> None:
        """Expect families of a chain in a new numbering."""
        self._translation[chain] = np.empty(0, np.int32)

    def families(self) -> Families:
        """Return all families met so far."""
        names = np.frombuffer(b"".join(self._number), np.uint8).reshape(len(self._number), -1)
        node = np.ascontiguousarray(names[:, :8]).view("<u8").astype(np.int32).ravel()
        return node, np.ascontiguousarray(names[:, 8 : 8 + self._bytes])

"""Short runs before a run: whether chains from different starts agree, and which parents they find beyond candidates.

What they find decides how the run goes: which parent sets are tabulated, and whether chains need more than moves of a
few families to get from one mode of the posterior to another. They have random numbers of their own, so that all chains
of a run, whatever its seed, have the same tables.
"""

from typing import Any, NamedTuple

import numpy as np

from edgewise._kernels.basics.bits import unpack
from edgewise._kernels.basics.recorder import Draws
from edgewise._kernels.summaries.edge_odds import Judge
from edgewise.graphs import BoolMatrix
from edgewise.tasks import IsOver, never

from .candidates import SeenEdges
from .schedule import Schedule

SHORT = 4, Schedule(iterations=4_000, burn_in=1_000, thin=10)
"""Chains and what each does, from its own start, to see whether they are apart. On real tables with 20 to 54 variables,
chains that disagree after 100,000 iterations disagree after so many, too."""

LONG = 12, Schedule(iterations=15_000, burn_in=3_000, thin=30)
"""The same to see which parents are no candidates. Of one table with 24 columns, a mode with a third of all was seen by
few of these chains; with what six shorter ones had found, runs were caught in it or out of it."""

TRIAL_SEED = 1602
"""What the run finds must not depend on the seed of a run, whose chains share it."""

FAR, FEWEST_FAR = 0.5, 10
"""Chains are apart where the probabilities that two variables are adjacent differ by more than .5, for at least ten
pairs. Of nine real tables with 22 to 54 columns, on which long chains disagree, each has 13 to 200 such pairs; of 12
simulated sets with 30 to 60 variables, where chains only have not come far yet, none has more than five."""

MOST_TRIED = 60
"""Most variables of which chains are tried out and, if they are apart, tempered."""

SEEN = 0.02
"""Part of the draws of a chain from which on a parent beyond the candidates is worth a place among them."""


class Trial(NamedTuple):
    """What short runs found.

    ``share[chain, i, j]`` is the part of a chain's draws that have i -> j; ``drawn`` are the parents of all families,
    as bits, and the draws of each chain.
    """

    share: np.ndarray
    judge: Judge
    drawn: list[tuple[np.ndarray, Draws]]

    @property
    def probability(self) -> np.ndarray:
        """How probable each edge i -> j is by all draws, see :class:`.candidates.SeenEdges`."""
        seen = SeenEdges(self.judge)
        for parents, draws in self.drawn:
            seen.add(parents, draws)
        return seen.probability

    @property
    def is_apart(self) -> bool:
        """Whether the chains are in different places."""
        adjacent = self.share + self.share.swapaxes(1, 2)
        is_far = np.ptp(adjacent, axis=0) > FAR
        return int(np.triu(is_far).sum()) >= FEWEST_FAR

    def has_outsiders(self, model: Any) -> bool:
        """Whether parents are seen that are neither required nor candidates of their children."""
        outside = (model.target.sets.place.T < 0) & ~model.required
        return bool((self.share.max(axis=0)[outside] > SEEN).any())


def try_out(model: Any, look: tuple[int, Schedule], is_over: IsOver = never) -> Trial:
    """Run short chains of a model of a chain over DAGs, fewer if it is over."""
    target = model.target
    p = len(target.edge)
    chains, schedule = look
    share: list[np.ndarray] = []
    drawn: list[tuple[np.ndarray, Draws]] = []
    for rng in np.random.default_rng(TRIAL_SEED).spawn(chains):
        if not (share and is_over()):
            chain = model.start(rng.permutation(p), rng, schedule)
            chain.seek(is_over)
            blocks = chain.advance(schedule.iterations)
            node, parents = chain.families()
            drawn += [(parents, draws) for draws in blocks]
            share.append(_share(node, unpack(parents, p), np.concatenate([draws.family for draws in blocks])))
    return Trial(np.array(share), Judge(target.score, target.edge, target.rules, target.earlier), drawn)


def _share(node: np.ndarray, parents: BoolMatrix, family: np.ndarray) -> np.ndarray:
    """Return the part of a chain's draws that have i -> j; ``family`` has the numbers of those of each draw."""
    times = np.bincount(family.ravel(), minlength=len(node))
    found = np.zeros((parents.shape[1], parents.shape[1]))
    np.add.at(found, node, times[:, None] * parents)
    return found.T / max(len(family), 1)

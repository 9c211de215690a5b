"""Short runs before a run: whether chains from different starts agree, and which parents they find beyond candidates.

What they find decides how the run goes: which parent sets are tabulated, and whether chains need more than moves of a
few families to get from one mode of the posterior to another. They have random numbers of their own, so that all chains
of a run, whatever its seed, have the same tables.
"""

from typing import Any, NamedTuple

import numpy as np

from edgewise._kernels.basics.bits import unpack
from edgewise._kernels.summaries.edge_odds import Judge
from edgewise.graphs import BoolMatrix
from edgewise.tasks import IsOver, never

from .candidates import SeenEdges
from .schedule import Schedule

SHORT = Schedule(iterations=4_000, burn_in=1_000, thin=10)
"""To see whether chains are apart. On real tables with 20 to 54 variables, chains that disagree after 100,000
iterations disagree after so many, too."""

LONG = Schedule(iterations=10_000, burn_in=2_000, thin=20)
"""To see which parents are no candidates: a mode that needs them may be found by one chain in six. Of 23 variables and
107 rows, chains agreed with the candidates that this found, and hardly with those of a shorter look."""

TRIALS = 6
"""Chains, each from its own start."""

TRIAL_SEED = 1602
"""What the run finds must not depend on the seed of a run, whose chains share it."""

FAR, FEWEST_FAR = 0.5, 3
"""Chains are apart where the probabilities that two variables are adjacent differ by more than .5, for at least three
pairs. Chains that only have not come far yet differ in directions, or in a pair or two."""

MOST_TRIED = 100
"""Most variables of which chains are tried out and, if they are apart, tempered."""

SEEN = 0.02
"""Part of the draws of a chain from which on a parent beyond the candidates is worth a place among them."""


class Trial(NamedTuple):
    """What short runs found.

    ``share[chain, i, j]`` is the part of a chain's draws that have i -> j, and ``probability[i, j]`` what follows from
    all of them, see :class:`.candidates.SeenEdges`.
    """

    share: np.ndarray
    probability: np.ndarray

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


def try_out(model: Any, schedule: Schedule, is_over: IsOver = never) -> Trial:
    """Run short chains of a model of a chain over DAGs, fewer if it is over."""
    target = model.target
    p = len(target.edge)
    seen = SeenEdges(Judge(target.score, target.edge, target.rules, target.earlier))
    share: list[np.ndarray] = []
    for rng in np.random.default_rng(TRIAL_SEED).spawn(TRIALS):
        if not (share and is_over()):
            chain = model.start(rng.permutation(p), rng, schedule)
            chain.seek(is_over)
            blocks = chain.advance(schedule.iterations)
            node, parents = chain.families()
            for draws in blocks:
                seen.add(parents, draws)
            share.append(_share(node, unpack(parents, p), np.concatenate([draws.family for draws in blocks])))
    return Trial(np.array(share), seen.probability)


def _share(node: np.ndarray, parents: BoolMatrix, family: np.ndarray) -> np.ndarray:
    """Return the part of a chain's draws that have i -> j; ``family`` has the numbers of those of each draw."""
    times = np.bincount(family.ravel(), minlength=len(node))
    found = np.zeros((parents.shape[1], parents.shape[1]))
    np.add.at(found, node, times[:, None] * parents)
    return found.T / max(len(family), 1)

"""Who could be a parent of whom: found in a moment by minimal I-MAP MCMC.

Its chain over orders visits one DAG per order. How probable each edge is, given the rest of such a DAG or in the place
of another edge, tells who is worth a place in the tables of samplers that sum over parent sets.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np

from edgewise._kernels.basics.bits import pack
from edgewise._kernels.basics.recorder import Draws
from edgewise._kernels.summaries.edge_odds import Judge, add_edge_odds, new_odds_memo
from edgewise.data import Dataset
from edgewise.graphs import BoolMatrix
from edgewise.priors import Knowledge, Prior, Terms
from edgewise.scores import Score
from edgewise.scores.refusals import refuse_pair
from edgewise.tasks import IsOver, never

from .minimal_imap import MinimalIMAP, MinimalIMAPModel
from .order_chains import OrderChain
from .schedule import Schedule

PILOTS = 3
"""Chains of the pilot run, each from its own start."""

PILOT_STEPS, PILOT_THIN = 5_000, 50
"""What each of them does: with 100 draws of chains that begin at a good order, who ranks among the first dozen does not
change any more."""

STEPS_PER_VARIABLE, FEWEST_STEPS, MOST_STEPS = 100, 1_000, 100_000
"""Steps of a minimal I-MAP chain, for each variable, that lead out of traps: searches from random orders of 1000
variables ended up to 360 log units apart, 140 after 20 steps for each, and at the same DAG after 100. More would take
minutes."""

MANY_VARIABLES = 300
"""Variables from which on there is one such chain only."""

MOST_ENTRIES = 3 * 10**7
"""Most entries of p x p matrices to look at for the draws of a block: about a second's work."""

STEPS_AT_ONCE = 1_000
"""Steps before looking whether it is over: with 5000 variables, a second."""

PILOT_SEED = 2018
"""Where candidates come from must not depend on the seed of a run, whose chains share them."""


def warm_up(p: int) -> int:
    """Return how many steps a minimal I-MAP chain takes from where its search ended until it is at a good order.

    Examples
    --------
    >>> warm_up(5), warm_up(200), warm_up(5000)
    (1000, 20000, 100000)
    """
    return min(max(STEPS_PER_VARIABLE * p, FEWEST_STEPS), MOST_STEPS)


class Pilot(NamedTuple):
    """A model that finds good orders, and how probable each edge i -> j is by its draws, be it in the place of another.

    Otherwise a parent in a fifth of the posterior's DAGs can be missed, because another one that says nearly the same
    is there in all draws. It would be no candidate, and what chains are slowest in.
    """

    model: MinimalIMAPModel
    probability: np.ndarray


def explore(
    dataset: Dataset, score: Score, terms: Terms, knowledge: Knowledge | None, is_over: IsOver = never
) -> Pilot:
    """Run short chains on what families, and rules for edges and the order, say; fewer and shorter if it is over."""
    p = dataset.p
    model = _families_only(dataset, score, terms, knowledge)
    before = np.zeros((p, p), bool) if knowledge is None else knowledge.before
    seen = SeenEdges(Judge(model.target.score, model.target.edge, model.target.rules, pack(before.T)))
    burn_in = warm_up(p)
    schedule = Schedule(burn_in + PILOT_STEPS, burn_in, PILOT_THIN)
    for rng in np.random.default_rng(PILOT_SEED).spawn(PILOTS if p <= MANY_VARIABLES else 1):
        if seen.judged and is_over():
            break
        chain = cast(OrderChain, model.start(rng.permutation(p), rng, schedule))
        chain.seek(is_over)
        for draws in advance(chain, schedule.iterations, is_over):
            seen.add(chain.families()[1], draws)
    for one, other in np.argwhere(np.isnan(seen.directed))[:1].tolist():
        refuse_pair(np.nan, one, other, dataset.names)
    return Pilot(model, seen.probability)


class SeenEdges:
    """How probable each edge i -> j is, given the rest of the draws of chains, be it in the place of another."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self.directed, self._exchanged = np.zeros((2, *judge.edge.shape))
        self.judged = 0

    def add(self, parents: np.ndarray, draws: Draws) -> None:
        """Look at draws of a chain whose families have such parents, as bits."""
        p = len(self.directed)
        memo = new_odds_memo(self._judge.score, p, len(parents), exchanges=True)
        every = max(-(-len(draws.order) * p * p // MOST_ENTRIES), 1)
        family, order = np.ascontiguousarray(draws.family[::every]), draws.order[::every].astype(np.int64)
        weights = np.ones(len(order))
        add_edge_odds(self._judge, memo, family, order, weights, parents, self.directed, self._exchanged)
        self.judged += len(order)

    @property
    def probability(self) -> np.ndarray:
        """The mean over all draws, shape (p, p)."""
        return np.asarray(np.maximum(self.directed, self._exchanged).T / max(self.judged, 1))


def advance(chain: OrderChain, steps: int, is_over: IsOver) -> list[Draws]:
    """Take steps, unless it is over, and return the draws among them."""
    blocks: list[Draws] = []
    for first in range(0, steps, STEPS_AT_ONCE):
        if not is_over():
            blocks += chain.advance(min(STEPS_AT_ONCE, steps - first))
    return blocks


@dataclass(frozen=True, eq=False)
class _Edges(Prior):
    """What a prior says of single edges."""

    log_prior: np.ndarray

    def _add_to(self, terms: Terms, names: Sequence[str]) -> None:
        terms.edge += self.log_prior


def _families_only(dataset: Dataset, score: Score, terms: Terms, knowledge: Knowledge | None) -> MinimalIMAPModel:
    """Return the model of a minimal I-MAP chain that knows nothing of paths."""
    sampler = MinimalIMAP().resolve(dataset)
    if knowledge is not None:
        none = np.zeros_like(knowledge.ancestors)
        knowledge = replace(knowledge, ancestors=none, not_ancestors=none)
    return sampler.prepare(dataset, score, _Edges(terms.edge), knowledge)


COPARENTS = 0.002
"""How much less a common child makes two variables candidates of each other than an edge between them does. With ten
times as much, a hub's other parents took the places of edges that are in a twelfth of the posterior's DAGs."""


def add_coparents(probability: np.ndarray) -> np.ndarray:
    """Return how much speaks for each edge to be looked at: its probability, and that both ends have a common child.

    Where a chain is caught with an edge to the child turned around, the parents must be joined to make up for it, and
    can be parted only together with turning it back: so each must be a candidate of the other.

    Examples
    --------
    >>> add_coparents(np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]]))[0, 1]
    np.float64(0.0005)
    """
    together = np.minimum(probability @ probability.T, 1.0)
    np.fill_diagonal(together, 0.0)
    return np.asarray(probability + COPARENTS / 2 * together)


def likeliest(probability: np.ndarray, number: int) -> BoolMatrix:
    """Return, for each variable, which others are most probably joined to it, shape (p, p).

    Examples
    --------
    >>> likeliest(np.array([[0.0, 0.9, 0.1], [0.0, 0.0, 0.2], [0.3, 0.0, 0.0]]), 1).astype(int)
    array([[0, 1, 1],
           [1, 0, 0],
           [0, 0, 0]])
    """
    joined = probability + probability.T
    np.fill_diagonal(joined, -1.0)
    rank = np.argsort(np.argsort(-joined, axis=0, kind="stable"), axis=0)
    return np.asarray(rank < min(number, len(joined) - 1))

"""Who could be a parent of whom: found in a moment by minimal I-MAP MCMC.

Its chain over orders visits one DAG per order. How probable each edge is, given the rest of such a DAG, tells who is
worth a place in the tables of samplers that sum over parent sets.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from edgewise._kernels.basics.bits import pack
from edgewise._kernels.summaries.edge_odds import Judge, add_edge_odds, new_odds_memo
from edgewise.data import Dataset
from edgewise.priors import Knowledge, Prior, Terms
from edgewise.scores import Score

from .minimal_imap import MinimalIMAP, MinimalIMAPModel
from .schedule import Schedule

PILOTS = 3
"""Chains of the pilot run, each from its own start."""

PILOT = Schedule(iterations=6_000, burn_in=1_000, thin=50)
"""What each of them does: with 100 draws of chains that begin at a good order, who ranks among the first dozen does not
change any more."""

PILOT_SEED = 2018
"""Where candidates come from must not depend on the seed of a run, whose chains share them."""


class Pilot(NamedTuple):
    """A model that finds good orders, and how probable each edge i -> j is by its draws."""

    model: MinimalIMAPModel
    probability: np.ndarray


def explore(dataset: Dataset, score: Score, terms: Terms, knowledge: Knowledge | None) -> Pilot:
    """Run short chains on what families, and rules for edges and the order, say."""
    p = dataset.p
    model = _families_only(dataset, score, terms, knowledge)
    directed = np.zeros((p, p))
    before = np.zeros((p, p), bool) if knowledge is None else knowledge.before
    judge = Judge(model.target.score, model.target.edge, model.target.rules, pack(before.T))
    for rng in np.random.default_rng(PILOT_SEED).spawn(PILOTS):
        chain = model.start(rng.permutation(p), rng, PILOT)
        chain.seek()
        for draws in chain.advance(PILOT.iterations):
            _, parents = chain.families()
            memo = new_odds_memo(model.target.score, p, len(parents))
            order = draws.order.astype(np.int64)
            weights = np.full(len(order), 1 / (PILOTS * PILOT.draws(after=PILOT.iterations)))
            add_edge_odds(judge, memo, draws.family, order, weights, parents, directed)
    return Pilot(model, directed.T)


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

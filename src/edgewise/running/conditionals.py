"""Rao-Blackwellised edge probabilities of a run.

They need the score, which a posterior does not keep, so they are found at the end of a run, from its draws.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from edgewise._kernels.families.target import Target
from edgewise._kernels.graphs.orientation import exclude
from edgewise._kernels.summaries.conditionals import add_conditionals, new_memo
from edgewise.posterior import Posterior
from edgewise.posterior.draws import split

MOST_ENTRIES = 5 * 10**7
"""Most entries of p x p matrices to look at in a chain: a few seconds' work. Where the draws have more, every second,
third, ... draw is used, unless they differ in weight; these probabilities vary less than zeros and ones do."""


def condition(posterior: Posterior, target: Target) -> Posterior:
    """Return the posterior with the probabilities that its draws give each edge, where the target is ``target``."""
    draws, p = posterior.draws, len(posterior.nodes)
    parents, known = draws.parent_words(), posterior.knowledge
    every = -(-draws.log_score.shape[1] * p * p // MOST_ENTRIES) if draws.log_weight is None else 1

    def average(chain: int) -> np.ndarray:
        memo = new_memo(target.score, len(parents), p, exclude() if known is None else known.exclude())
        directed, compelled = np.zeros((2, p, p))
        for part in split(0, draws.log_score.shape[1], p):
            used = slice(part.start + -part.start % every, part.stop, every)
            order = np.asarray(draws.order[chain, used], np.uint32)
            family = np.asarray(draws.family[chain, used], np.int32)
            weights = np.ascontiguousarray(posterior.weights[chain, used])
            add_conditionals(target, memo, family, order, weights, parents, directed, compelled)
        return np.array([directed.T, compelled.T]) / (posterior.weights[chain, ::every].sum() or 1.0)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        by_chain = np.array(list(pool.map(average, range(len(draws.log_score)))), np.float32)
    return replace(posterior, conditionals=by_chain)

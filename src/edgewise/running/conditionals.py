"""Rao-Blackwellised edge probabilities of a run, with their Monte Carlo errors.

They need the score, which a posterior does not keep, so they are found at the end of a run, from its draws. Draws are
averaged in batches, whose means tell the error of the whole.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from edgewise._kernels.dags.candidates import DagTarget
from edgewise._kernels.families.target import Target
from edgewise._kernels.summaries.conditionals import add_conditionals, new_memo
from edgewise._kernels.summaries.edge_odds import Judge, add_edge_odds, new_odds_memo
from edgewise.posterior import Posterior
from edgewise.posterior.draws import split
from edgewise.posterior.edge_errors import count_batches, error_by_row
from edgewise.posterior.features import exclude_for
from edgewise.scores.refusals import refuse_edge

from .threads import count_threads

MOST_ENTRIES = 5 * 10**7
"""Most entries of p x p matrices to look at in a chain: a few seconds' work. Where the draws have more, every second,
third, ... draw is used, unless they differ in weight; these probabilities vary less than zeros and ones do."""

Add = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], None]
"""Adds up probabilities: takes families, orders and weights of draws, and sums by kind, child and parent."""


def condition(posterior: Posterior, target: Target | DagTarget) -> Posterior:
    """Return the posterior with the probabilities that its draws give each edge, where the target is ``target``.

    Raises
    ------
    ArgumentError
        If the score is not a number for a family that is looked at.
    """
    draws, p = posterior.draws, len(posterior.nodes)
    number = draws.log_score.shape[1]
    every = -(-number * p * p // MOST_ENTRIES) if draws.log_weight is None else 1
    most = count_batches(p, max(number // every, 1))
    bounds = np.linspace(0, number, most + 1).astype(int)
    kinds = 1 if isinstance(target, DagTarget) else 2

    def average(chain: int) -> tuple[np.ndarray, np.ndarray]:
        add = _given_the_rest(posterior, target) if isinstance(target, DagTarget) else _given_order(posterior, target)
        means, weight = np.zeros((most, kinds, p, p), np.float32), np.zeros(most)
        # Draws may be in a file, from which many batches are read together in the time of one.
        for few in split(0, most, -(-number // most) * p):
            read = slice(bounds[few.start], bounds[few.stop])
            family, order = (np.asarray(stored[chain, read]) for stored in (draws.family, draws.order))
            for batch in range(few.start, few.stop):
                used = slice(bounds[batch] - read.start, bounds[batch + 1] - read.start, every)
                weights = np.ascontiguousarray(posterior.weights[chain, read][used])
                weight[batch] = weights.sum()
                sums = np.zeros((kinds, p, p))
                add(family[used], order[used], weights, sums)
                means[batch] = sums.transpose(0, 2, 1) / (weight[batch] or 1.0)
        return means, weight

    with ThreadPoolExecutor(count_threads()) as pool:
        found = list(pool.map(average, range(len(draws.log_score))))
    means, weight = np.array([one for one, _ in found]), np.array([one for _, one in found])
    share = weight / np.where(weight.sum(axis=1, keepdims=True), weight.sum(axis=1, keepdims=True), 1.0)
    by_chain = np.einsum("cb,cbkij->ckij", share, means).astype(np.float32)
    _check_numbers(by_chain, posterior.nodes)
    directed = means[:, :, 0]
    errors = [_error(directed, weight), _error(directed + directed.transpose(0, 1, 3, 2), weight)]
    return replace(posterior, conditionals=by_chain, conditional_errors=np.array(errors, np.float32))


def _check_numbers(by_chain: np.ndarray, names: Sequence[str]) -> None:
    """Refuse a score that is no number for a family that no draw has, but that differs from one by an edge."""
    faulty = np.argwhere(np.isnan(by_chain[:, 0]))
    if len(faulty):
        _, parent, child = faulty[0].tolist()
        refuse_edge(np.nan, parent, child, names)


def _error(means: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the Monte Carlo errors of the weighted means of batches."""
    relative = weight / weight.sum()
    weights = None if np.allclose(weight, weight[0, 0]) else relative
    return error_by_row(means, weights, np.einsum("cb,cbij->ij", relative, means))


def _given_order(posterior: Posterior, target: Target) -> Add:
    """Return what adds up how probable edges are given the order and the other parents, and that they are compelled."""
    parents = posterior.draws.parent_words()
    memo = new_memo(target.score, len(parents), len(posterior.nodes), exclude_for(posterior))

    def add(family: np.ndarray, order: np.ndarray, weights: np.ndarray, sums: np.ndarray) -> None:
        family, order = np.ascontiguousarray(family, np.int32), np.ascontiguousarray(order, np.uint32)
        add_conditionals(target, memo, family, order, weights, parents, sums[0], sums[1])

    return add


def _given_the_rest(posterior: Posterior, target: DagTarget) -> Add:
    """Return what adds up how probable edges are given all others."""
    parents = posterior.draws.parent_words()
    memo = new_odds_memo(target.score, len(posterior.nodes), len(parents))
    judge = Judge(target.score, target.edge, target.rules, target.earlier)

    def add(family: np.ndarray, order: np.ndarray, weights: np.ndarray, sums: np.ndarray) -> None:
        family, order = np.ascontiguousarray(family, np.int32), np.ascontiguousarray(order, np.int64)
        add_edge_odds(judge, memo, family, order, weights, parents, sums[0], np.zeros((0, 0)))

    return add

"""Sums over parent sets the slow way, and chains over them driven by chosen random numbers."""

from itertools import combinations

import numpy as np
from scipy.special import logsumexp

from edgewise.data import load_data
from edgewise.priors import Sparsity
from edgewise.samplers import Schedule
from edgewise.scores import BGe
from naive import scores
from naive.stepping import Scripted

NEVER = Schedule(iterations=10**9, burn_in=10**9, thin=1)
"""No draws at all."""


def parent_sets(node, inside, *, max_parents, needed=None, required=(), possible=None):
    """List all parent sets inside a set of variables that meet another one."""
    inside = [v for v in sorted(inside) if v != node and (possible is None or possible[v, node])]
    for size in range(max_parents + 1):
        for parents in combinations(inside, size):
            if set(required) <= set(parents) and (needed is None or set(needed) & set(parents)):
                yield parents


def log_sum(values, node, inside, *, edge=None, **restrictions):
    """Return the log of the sum over parent sets of score times prior."""
    edge = np.full((values.shape[1],) * 2, -1.0) if edge is None else edge
    return logsumexp(
        [
            scores.bge(values, node, parents) + edge[list(parents), node].sum()
            for parents in parent_sets(node, inside, **restrictions)
        ]
        or [-np.inf]
    )


def make_chain(sampler, data, order, *, prior=None, constraints=None, score=None, schedule=NEVER, seed=0):
    dataset = load_data(data)
    model = sampler.prepare(
        dataset,
        BGe() if score is None else score,
        Sparsity(1.0) if prior is None else prior,
        None if constraints is None else constraints.resolve(dataset.names),
    )
    return model.start(np.asarray(order), np.random.default_rng(seed), schedule)


def take_step(chain, uniforms):
    """Take one step with given random numbers."""
    chain.rng = Scripted([uniforms])
    chain.advance(1)


def read_draws(chain, blocks):
    """Return draws as DAGs, orders, log scores and log priors."""
    family, order, log_score, log_prior = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
    node, parents = chain.families()
    bits = np.unpackbits(parents.astype("<u8").view(np.uint8), axis=1, bitorder="little", count=chain.p).astype(bool)
    assert (node[family] == np.arange(chain.p)).all()
    return bits[family].swapaxes(1, 2), order, log_score, log_prior

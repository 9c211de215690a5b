"""Chains and posteriors made by hand from DAGs."""

import numpy as np

from edgewise.posterior import Posterior
from edgewise.posterior.draws import merge
from edgewise.samplers import ChainRecord


def make_record(dags, *, log_score=None):
    """Write down DAGs, shape (draws, p, p), as a chain does: families by number, in order of appearance."""
    draws, p, _ = dags.shape
    words = -(-p // 64)
    families = {}
    family = np.empty((draws, p), np.int32)
    for draw, dag in enumerate(dags):
        for node in range(p):
            name = (node, tuple(np.flatnonzero(dag[:, node]).tolist()))
            family[draw, node] = families.setdefault(name, len(families))
    parents = np.zeros((len(families), words), np.uint64)
    for number, (_, members) in enumerate(families):
        for member in members:
            parents[number, member // 64] |= np.uint64(1 << (member % 64))
    rng = np.random.default_rng(draws)
    return ChainRecord(
        family=family,
        order=np.array([rng.permutation(p) for _ in range(draws)], np.int16),
        log_score=np.arange(draws, dtype=float) if log_score is None else log_score,
        log_prior=-dags.sum(axis=(1, 2)).astype(float),
        family_node=np.array([node for node, _ in families], np.int32),
        family_parents=parents,
        moves={"adjacent": (100, 31), "wrap-around": (7, 2)},
    )


def make_posterior(dags, *, nodes=None, info=None):
    """Make a posterior whose draws are DAGs of shape (chains, draws, p, p)."""
    records = [make_record(chain) for chain in dags]
    return Posterior(
        nodes=tuple(nodes or (f"X{node}" for node in range(dags.shape[-1]))),
        draws=merge(records),
        moves=tuple(record.moves for record in records),
        info=info or {},
    )

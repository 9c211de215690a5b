"""Draws and posteriors made by hand from DAGs."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from edgewise._kernels.basics.recorder import Draws
from edgewise.graphs.dag import ancestors_of_many
from edgewise.posterior import Posterior
from edgewise.posterior.collecting import Collector, InMemory


class Record(NamedTuple):
    """What a chain hands to a collector."""

    draws: Draws
    family_node: np.ndarray
    family_parents: np.ndarray


def make_record(dags, *, log_score=None):
    """Write down DAGs, shape (draws, p, p), as a chain does: families by number, in order of appearance."""
    dags = np.asarray(dags, bool)
    draws, p, _ = dags.shape
    bits = np.zeros((draws, p, 64 * -(-p // 64)), bool)
    bits[:, :, :p] = dags.transpose(0, 2, 1)
    parents = np.packbits(bits, axis=2, bitorder="little").view(np.uint64)
    node = np.broadcast_to(np.arange(p, dtype=np.uint64)[:, None], (draws, p, 1))
    names = np.concatenate([node, parents], axis=2).reshape(draws * p, -1)
    families, first, number = np.unique(names, axis=0, return_index=True, return_inverse=True)
    by_appearance = np.argsort(first)
    return Record(
        Draws(
            family=np.argsort(by_appearance).astype(np.int32)[number].reshape(draws, p),
            # Who has fewer ancestors comes first.
            order=np.argsort(ancestors_of_many(dags).sum(axis=1), axis=1, kind="stable").astype(
                np.min_scalar_type(p - 1)
            ),
            log_score=np.arange(draws, dtype=float) if log_score is None else log_score,
            log_prior=-dags.sum(axis=(1, 2)).astype(float),
        ),
        family_node=families[by_appearance, 0].astype(np.int32),
        family_parents=families[by_appearance, 1:],
    )


def collect(records, *, keeper=None, nodes=None, info=None):
    """Make a posterior of the records of several chains, each handed over in two blocks."""
    p = records[0].draws.family.shape[1]
    keeper = keeper or InMemory(len(records))
    collector = Collector(len(records), p, keeper)
    for chain, (draws, *families) in enumerate(records):
        half = len(draws.family) // 2
        for part in (slice(None, half), slice(half, None)):
            collector.add(chain, Draws(*(array[part] for array in draws)), *families)
    return keeper.finish(
        Posterior(
            draws=keeper.gather(min(len(record.draws.family) for record in records), collector.families()),
            nodes=tuple(nodes or (f"X{node}" for node in range(p))),
            moves=({"adjacent": (100, 31), "wrap-around": (7, 2)},) * len(records),
            info=info or {},
        )
    )


def make_posterior(dags, *, nodes=None, info=None):
    """Make a posterior whose draws are DAGs of shape (chains, draws, p, p)."""
    return collect([make_record(chain) for chain in dags], nodes=nodes, info=info)


def plain(posterior):
    """Return a posterior whose edge probabilities are shares of the draws."""
    return replace(posterior, conditionals=None, conditional_errors=None)

"""Draws and posteriors made by hand from DAGs."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from edgewise._kernels.basics.recorder import Draws
from edgewise.graphs import topological_order
from edgewise.posterior import Posterior
from edgewise.posterior.collecting import Collector, InMemory


class Record(NamedTuple):
    """What a chain hands to a collector."""

    draws: Draws
    family_node: np.ndarray
    family_parents: np.ndarray


def make_record(dags, *, log_score=None):
    """Write down DAGs, shape (draws, p, p), as a chain does: families by number, in order of appearance."""
    draws, p, _ = dags.shape
    words = -(-p // 64)
    families, known = {}, {}
    family = np.empty((draws, p), np.int32)
    for draw, dag in enumerate(dags):
        if (bits := dag.tobytes()) in known:  # most DAGs of a posterior occur again and again
            family[draw] = known[bits][0]
            continue
        for node in range(p):
            name = (node, tuple(np.flatnonzero(dag[:, node]).tolist()))
            family[draw, node] = families.setdefault(name, len(families))
        known[bits] = family[draw], topological_order(dag)
    parents = np.zeros((len(families), words), np.uint64)
    for number, (_, members) in enumerate(families):
        for member in members:
            parents[number, member // 64] |= np.uint64(1 << (member % 64))
    return Record(
        Draws(
            family=family,
            order=np.array([known[dag.tobytes()][1] for dag in dags], np.min_scalar_type(p - 1)),
            log_score=np.arange(draws, dtype=float) if log_score is None else log_score,
            log_prior=-dags.sum(axis=(1, 2)).astype(float),
        ),
        family_node=np.array([node for node, _ in families], np.int32),
        family_parents=parents,
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

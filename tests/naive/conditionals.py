"""Rao-Blackwellised edge probabilities the slow way: one score for every question."""

import math

import numpy as np

from edgewise.graphs import compelled_edges
from naive import scores


def edge_probability(values, dag, log_prior, x, v):
    """Return how probable x -> v is, given the other parents of v; ``log_prior[x, v]`` is what the edge adds."""
    others = [w for w in np.flatnonzero(dag[:, v]) if w != x]
    gain = scores.bge(values, v, [*others, x]) - scores.bge(values, v, others) + log_prior[x, v]
    return 1 / (1 + math.exp(-gain))


def conditional_edges(values, dag, order, log_prior, *, constraints=None, targets=()):
    """Return the probabilities of directed and of compelled edges that one draw gives, two (p, p) arrays."""
    known = None if constraints is None else constraints.resolve([f"X{i}" for i in range(len(dag))])
    p = len(dag)
    directed, compelled = np.zeros((2, p, p))
    joined = dag | dag.T
    is_compelled = compelled_edges(dag, constraints, targets)
    for j, v in enumerate(order):
        before = list(order[:j])
        for x in before:
            if known is not None and known.required[x, v]:
                directed[x, v] = 1
            elif known is None or not known.forbidden[x, v]:
                directed[x, v] = edge_probability(values, dag, log_prior, x, v)
        for x in before:
            share = 1.0
            is_told = any((x in together) != (v in together) for together in targets)
            if not (is_compelled[x, v] or is_told or (known is not None and known.forbidden[v, x])):
                no_reason = 1.0
                for w in before:
                    if w != x and not joined[w, x]:
                        no_reason *= 1 - directed[w, v]
                for w in range(p):
                    if not joined[w, v]:
                        no_reason *= 1 - compelled[w, x]
                share = 1 - no_reason
            compelled[x, v] = directed[x, v] * share
    return directed, compelled

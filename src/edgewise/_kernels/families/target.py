"""What a chain samples, as far as families tell: who may be parents, and what families are worth.

A family is a variable with its parents. It is named by a 64-bit Zobrist key: a random number for the child XOR another
one for each member, the child included, because a test of a variable against itself always says yes. Two of a million
families share a key with probability below 1e-7.
"""

from typing import Any, NamedTuple

import numpy as np

from ..basics.aligned import aligned_zeros, padded

NAMES_SEED = 0x1DA6
"""Seed of the random numbers that name families: any constant serves, and all chains must agree on it."""

TESTED, REQUIRED, FORBIDDEN = 0, 1, 2
"""How it is decided whether a variable is a parent: ``Rules.edge``."""


class Rules(NamedTuple):
    """What is known for certain about single edges and about the order, by child.

    The rules of ``child`` are in row ``row[child]``; where nothing is known, all share row 0. ``name[row, v]`` is what
    v leaves in the key of the child's family if a test says yes, zero where no test decides; the key starts as
    ``own[child]``, which holds the required parents. ``child`` and ``zobrist`` are the numbers of children and members
    themselves. ``before[row[a], b]`` is true where a comes before b in every order, ``bound[0, a]`` where a comes
    before some variable, ``bound[1, b]`` where some variable comes before b.
    """

    row: np.ndarray
    edge: np.ndarray
    name: np.ndarray
    own: np.ndarray
    child: np.ndarray
    zobrist: np.ndarray
    before: np.ndarray
    bound: np.ndarray


def new_rules(p: int, rows: int = 1) -> Rules:
    """Return rules that say nothing, for p variables that share one row or have one each."""
    width = padded(p)
    child, zobrist = np.random.default_rng(NAMES_SEED).integers(1, 2**64, size=(2, width), dtype=np.uint64)
    name = aligned_zeros(rows, width).view(np.uint64)
    name[:] = zobrist
    return Rules(
        row=np.zeros(p, np.int64) if rows == 1 else np.arange(p),
        edge=np.full((rows, width), TESTED, np.int8),
        name=name,
        own=child[:p].copy(),
        child=child,
        zobrist=zobrist,
        before=np.zeros((rows, width), bool),
        bound=np.zeros((2, p), bool),
    )


class Target(NamedTuple):
    """What a chain over orders or DAGs samples.

    ``score`` are the tables of a score; ``edge``, (p, p), is the log prior of each edge. ``way`` is how the parents of
    a variable are found among its predecessors, for chains over orders; the number of parents is at most
    ``most_parents``, for chains over DAGs. The likelihood is raised to the power ``heat``, below 1 in a heated chain.
    """

    score: Any
    edge: np.ndarray
    rules: Rules
    way: Any
    most_parents: int
    heat: float = 1.0

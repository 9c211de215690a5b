"""Beliefs about whole DAGs and orders: what is believed, and what a chain keeps to weigh it.

A prior that is a sum over edges is part of each family's worth. All others need to know more of the DAG than the two
families that an exchange changes:

- *tiers* look at the order: how many variables stand after all of earlier tiers and before all of later ones;
- *paths* ask who is an ancestor of whom: how many sources reach at least one target;
- a compiled *term* sees the whole DAG;
- a *function* written in Python sees the DAG, and perhaps the order. For a proposal whose value is not in the memo, the
  compiled loop writes down the question and calls ``ask``, which puts the answer there.
"""

from typing import Any, NamedTuple

import numpy as np

from ..basics.bits import clear, insert, pack
from ..compiling import inlined, inner, new_records
from ..families.cache import FAMILY

MEMO_BITS = 16
"""65,536 values of a Python function, 1 MB: as many as there are local scores in their cache."""

MEMO = np.dtype([("key", np.uint64), ("value", np.float64)])
"""The value of a Python function at the DAG (and order) named by ``key``."""

DAG, DAG_AND_ORDER = 1, 2
"""What a Python function asks for: ``Beliefs.asks``; zero where there is none."""


class Beliefs(NamedTuple):
    """What is believed, shared by all chains; rows of ``tier``, ``sources`` and ``targets`` are terms of the prior.

    ``tier[t, v]`` is the number of the tier of v, -1 in none, and ``last_tier[t]`` the last one's, whose variables do
    not count. ``sources`` and ``targets`` are sets. ``needed`` and ``excluded`` are, for each variable, who must and
    who must not be its ancestor, ``is_ruled`` whether there is either. ``log_count[k]`` is what a variable with k
    ancestors, or k descendants, adds to the log target; it is empty where the numbers do not matter. ``terms`` are
    compiled functions of the DAG. ``reach`` says whether ancestors matter at all.
    """

    tier: np.ndarray
    last_tier: np.ndarray
    tier_strength: np.ndarray
    sources: np.ndarray
    targets: np.ndarray
    path_strength: np.ndarray
    needed: np.ndarray
    excluded: np.ndarray
    is_ruled: np.ndarray
    log_count: np.ndarray
    terms: tuple[Any, ...]
    reach: bool
    asks: int


CHANGED, NEW_FAMILY, NEW_ANCESTORS = range(3)
"""Rows of ``Structure.marks``: variables whose base, family and ancestors a proposal changes."""

PATHS, FUNCTION, RELATIVES, TERMS = range(4)
"""Columns of ``Structure.value``."""

ABOVE, BELOW, NEW_ABOVE, NEW_BELOW = range(4)
"""Rows of ``Structure.relatives``."""


class Structure(NamedTuple):
    """The DAG of a chain, and the one proposed: sets of variables in rows, one for each variable.

    ``base`` and ``base_key`` are what tests and rules for edges say, ``parents`` what follows with ancestor rules.
    ``relatives`` has the numbers of ancestors and descendants of each variable, in the present and the proposed DAG.
    ``misplaced[t, v]`` counts the variables of other tiers on the wrong side of v, ``in_tier[t]`` the variables that
    count. ``value`` and ``dag_key`` have row 0 for the present and row 1 for the proposed DAG. ``question`` is the
    proposed DAG for which functions are asked, ``asked_order`` the order and ``asked_key`` the name of both, for those
    written in Python; ``reached`` is scratch.
    """

    base: np.ndarray
    base_key: np.ndarray
    parents: np.ndarray
    ancestors: np.ndarray
    new_base: np.ndarray
    new_base_key: np.ndarray
    new_parents: np.ndarray
    new_ancestors: np.ndarray
    new_family: np.ndarray
    marks: np.ndarray
    reached: np.ndarray
    relatives: np.ndarray
    misplaced: np.ndarray
    in_tier: np.ndarray
    value: np.ndarray
    dag_key: np.ndarray
    memo: np.ndarray
    question: np.ndarray
    asked_order: np.ndarray
    asked_key: np.ndarray


class Views(NamedTuple):
    """What a chain needs where not only families matter: beliefs, the DAG to weigh, and who answers for Python."""

    beliefs: Beliefs
    structure: Structure
    ask: Any


def new_structure(beliefs: Beliefs) -> Structure:
    """Return a structure before anything is known of an order: every variable is its own parent, as in no DAG."""
    p, words = beliefs.needed.shape
    sets = [np.zeros((p, words), np.uint64) for _ in range(6)]
    keys = [np.zeros(p, np.uint64) for _ in range(2)]
    return Structure(
        base=sets[0],
        base_key=keys[0],
        parents=pack(np.eye(p, dtype=bool)),
        ancestors=sets[1],
        new_base=sets[2],
        new_base_key=keys[1],
        new_parents=sets[3],
        new_ancestors=sets[4],
        new_family=new_records(p, FAMILY),
        marks=np.zeros((3, words), np.uint64),
        reached=np.zeros((1, words), np.uint64),
        relatives=np.zeros((4, p), np.int64),
        misplaced=np.zeros(beliefs.tier.shape, np.int64),
        in_tier=np.zeros(len(beliefs.tier), np.int64),
        value=np.zeros((2, 4)),
        dag_key=np.zeros(2, np.uint64),
        memo=new_records(1 << MEMO_BITS if beliefs.asks else 1, MEMO),
        question=sets[5],
        asked_order=np.zeros(p, np.int64),
        asked_key=np.zeros(1, np.uint64),
    )


@inlined
def begin_proposal(structure):
    """Forget what the last proposal would have changed."""
    clear(structure.marks, CHANGED)


@inlined
def propose_base(structure, node, key, members, size):
    """Note that ``node`` would have the base ``members[:size]``, named ``key``."""
    insert(structure.marks, CHANGED, node)
    structure.new_base_key[node] = key
    clear(structure.new_base, node)
    for m in range(size):
        insert(structure.new_base, node, members[m])


@inner
def log_prior_beyond_families(beliefs, structure):
    """Return the log prior of the present DAG and order, less what is a sum over edges."""
    total = structure.value[0, PATHS] + structure.value[0, FUNCTION] + structure.value[0, TERMS]
    for t in range(beliefs.tier.shape[0]):
        total += beliefs.tier_strength[t] * structure.in_tier[t]
    return total


@inlined
def turn(beliefs, structure, t, x, y):
    """Note that in the t-th term x now comes before y, and no longer after; return by how many more count."""
    tier = beliefs.tier
    if tier[t, x] < 0 or tier[t, y] < 0 or tier[t, x] == tier[t, y]:
        return 0
    step = -1 if tier[t, x] < tier[t, y] else 1
    more = 0
    for v in (x, y):
        before = structure.misplaced[t, v]
        structure.misplaced[t, v] = before + step
        if tier[t, v] < beliefs.last_tier[t]:
            more += int(before + step == 0) - int(before == 0)
    return more


@inlined
def exchange_tiers(order, first_position, last_position, beliefs, structure):
    """Follow the exchange of two positions, already made in ``order``; return the change of the log prior."""
    change = 0.0
    a = order[last_position]
    b = order[first_position]
    for t in range(beliefs.tier.shape[0]):
        more = turn(beliefs, structure, t, b, a)
        for j in range(first_position + 1, last_position):
            more += turn(beliefs, structure, t, b, order[j]) + turn(beliefs, structure, t, order[j], a)
        structure.in_tier[t] += more
        change += beliefs.tier_strength[t] * more
    return change


@inner
def count_tiers(order, beliefs, structure):
    """Count from scratch who is misplaced, and who counts. O(p^2)."""
    p = order.shape[0]
    for t in range(beliefs.tier.shape[0]):
        structure.in_tier[t] = 0
        for v in range(p):
            structure.misplaced[t, v] = 0
        for j in range(p):
            for i in range(j):
                tier = beliefs.tier[t, order[j]]
                if 0 <= tier < beliefs.tier[t, order[i]]:
                    structure.misplaced[t, order[i]] += 1
                    structure.misplaced[t, order[j]] += 1
        for v in range(p):
            counts = 0 <= beliefs.tier[t, v] < beliefs.last_tier[t]
            structure.in_tier[t] += counts and structure.misplaced[t, v] == 0

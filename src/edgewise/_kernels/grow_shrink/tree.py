"""Parents by grow-shrink: a greedy search among the predecessors, remembered as a tree.

The parents of a variable among a set of predecessors are found in two passes. *Grow*: starting from the required
parents, add the predecessor with the largest gain as long as one has any. *Shrink*: of the set so grown, remove the
member whose loss gains most as long as one does. What a gain is, the criterion says: of the tests, the strength of the
dependence given the set, where it is significant; of the score, the difference of local scores less a penalty for each
parent, where it is positive. The prior has no part in this: it weighs the DAGs that are found.

A gain depends on the set alone, not on the predecessors. So each set that was ever grown is a *state* that lists its
candidates, those with a gain, the best first. Who comes next is the first candidate that is a predecessor, and the way
to the parents is a walk down a tree: a handful of comparisons, and no arithmetic except at states that were never
visited. A state also remembers what it shrinks to. The tree holds a bounded number of states. When it is full it is
cleared, which changes nothing but the time: what is forgotten is found again to the last bit.

Legend
------
state
    A row of ``Tree.state``: the set grown from its ``parent`` by ``added``. Its candidates are ``count`` entries of the
    pool from ``first`` on, and its parents after shrinking ``length`` entries from ``start`` on, -1 until needed.
pool
    ``candidate`` holds variables, ``child`` the states that taking them leads to, -1 if never visited.
position
    The place of each variable in the order; predecessors are those below a limit.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiling import inlined, inner, new_records
from ..families.cache import FAMILY
from ..families.target import FORBIDDEN, REQUIRED, Target
from ..independence import interface as independence
from ..independence.interface import strength, strengths
from ..scores import interface as scores
from ..scores.interface import gains, local_score

STATE = np.dtype(
    [
        ("first", np.int32),
        ("count", np.int32),
        ("start", np.int32),
        ("length", np.int32),
        ("parent", np.int32),
        ("added", np.int32),
    ]
)

STATES = 2**17
"""Most states of a tree, with their candidates 24 MB. Of few variables there are fewer greedy paths than that."""

STATES_USED, POOL_USED = 0, 1
"""Places in ``Tree.used``."""

SCORING, TESTING = 0, 1
"""Places in ``Tree.room``."""


class GrowShrink(NamedTuple):
    """The criterion: the score, less a ``penalty`` for each parent, or else a test with its ``critical`` strength."""

    by_score: bool
    penalty: float
    test: Any
    critical: float


class Tree(NamedTuple):
    """The states visited so far, and room for adding one.

    ``ranked`` and ``gain`` are candidates with their gains; ``members`` has a row for a set, and one for the same set
    less a member; ``room`` is what scores and tests work in.
    """

    root: np.ndarray
    state: np.ndarray
    family: np.ndarray
    candidate: np.ndarray
    child: np.ndarray
    used: np.ndarray
    ranked: np.ndarray
    gain: np.ndarray
    members: np.ndarray
    room: tuple[Any, Any]


def new_tree(target: Target) -> Tree:
    """Return an empty tree."""
    p = len(target.edge)
    states = min(STATES, p * 4 ** min(p, 9))
    # An empty tree must have room for a path with all variables on it, each state listing all others as candidates.
    pool = max(16 * states, p * (p + 3))
    return Tree(
        root=np.full(p, -1, np.int32),
        state=new_records(states, STATE),
        family=new_records(states, FAMILY),
        candidate=np.zeros(pool, np.int32),
        child=np.zeros(pool, np.int32),
        used=np.zeros(2, np.int64),
        ranked=np.zeros(p, np.int32),
        gain=np.zeros((2, p)),
        members=np.zeros((2, p), np.int64),
        room=(scores.new_room(target.score, p), independence.new_room(target.way.test, p)),
    )


@inner
def forget(tree):
    """Empty the tree."""
    tree.used[STATES_USED] = 0
    tree.used[POOL_USED] = 0
    for v in range(tree.root.shape[0]):
        tree.root[v] = -1


@inner
def list_grown(tree, target, node, state):
    """Fill ``tree.members`` with the set of a state, the required parents first; return its size."""
    members = tree.members
    rules = target.rules
    size = 0
    grown = state
    while tree.state[grown].parent >= 0:
        members[0, size] = tree.state[grown].added
        size += 1
        grown = tree.state[grown].parent
    for v in range(tree.root.shape[0]):
        if rules.edge[rules.row[node], v] == REQUIRED:
            members[0, size] = v
            size += 1
    for i in range(size // 2):
        last = members[0, size - 1 - i]
        members[0, size - 1 - i] = members[0, i]
        members[0, i] = last
    return size


@inner
def rank(tree, target, node, size):
    """List the candidates for growing the set in ``tree.members`` in ``tree.ranked``, best first; return how many."""
    rules = target.rules
    rule = rules.row[node]
    way = target.way
    ranked = tree.ranked
    best = tree.gain[0]
    gain = tree.gain[1]
    if size >= target.score.most_parents:
        return 0
    limit = way.critical
    if way.by_score:
        gains(target.score, tree.members[0], size, np.int64(node), tree.room[SCORING], gain)
        limit = way.penalty
    else:
        strengths(way.test, tree.members[0], size, np.int64(node), tree.room[TESTING], gain)
    number = 0
    for x in range(gain.shape[0]):
        # A strength is infinite where the set would determine the child together with x: no score is defined then.
        if limit < gain[x] < np.inf and rules.edge[rule, x] != FORBIDDEN:
            i = number
            while i > 0 and best[i - 1] < gain[x]:
                best[i] = best[i - 1]
                ranked[i] = ranked[i - 1]
                i -= 1
            best[i] = gain[x]
            ranked[i] = x
            number += 1
    return number


@inner
def add_state(tree, target, node, parent, added):
    """Add the state that ``added`` leads to from ``parent``, -1 for a root; return its number, -1 if there is no room.

    ``tree.members`` must be free.
    """
    state = tree.used[STATES_USED]
    if state == tree.state.shape[0]:
        return np.int64(-1)
    tree.state[state].parent = parent
    tree.state[state].added = added
    size = list_grown(tree, target, node, state)
    number = rank(tree, target, node, size)
    first = tree.used[POOL_USED]
    if first + number > tree.candidate.shape[0]:
        return np.int64(-1)
    for i in range(number):
        tree.candidate[first + i] = tree.ranked[i]
        tree.child[first + i] = -1
    tree.state[state].first = first
    tree.state[state].count = number
    tree.state[state].length = -1
    tree.used[STATES_USED] = state + 1
    tree.used[POOL_USED] = first + number
    return state


@inner
def loss(tree, target, node, size, i):
    """Return what the set in ``tree.members`` loses, by the criterion, with its i-th member.

    The score of the whole set, with ``node`` behind it, must be in ``tree.gain[0, 0]``.
    """
    members = tree.members
    way = target.way
    for m in range(size - 1):
        members[1, m] = members[0, m if m < i else m + 1]
    members[1, size - 1] = node
    if way.by_score:
        part = local_score(target.score, members[1], size - 1, tree.room[SCORING])
        return tree.gain[0, 0] - part - way.penalty
    return strength(way.test, members[1], size - 1, node, members[0, i], tree.room[TESTING]) - way.critical


@inner
def shrink(tree, target, node, size):
    """Remove members from the set in ``tree.members`` as long as that is a gain; return how many are left."""
    members = tree.members
    rules = target.rules
    while size > 0:
        members[0, size] = node
        if target.way.by_score:
            tree.gain[0, 0] = local_score(target.score, members[0], size, tree.room[SCORING])
        least = -1
        least_loss = 0.0
        for i in range(size):
            if rules.edge[rules.row[node], members[0, i]] != REQUIRED:
                lost = loss(tree, target, node, size, i)
                if lost < least_loss:
                    least = i
                    least_loss = lost
        if least < 0:
            break
        size -= 1
        for m in range(least, size):
            members[0, m] = members[0, m + 1]
    return size


@inner
def finish(tree, target, node, state):
    """Find what a state shrinks to, and what that is worth; return False if there is no room."""
    size = shrink(tree, target, node, list_grown(tree, target, node, state))
    start = tree.used[POOL_USED]
    if start + size > tree.candidate.shape[0]:
        return False
    members = tree.members
    for i in range(1, size):
        member = members[0, i]
        j = i
        while j > 0 and members[0, j - 1] > member:
            members[0, j] = members[0, j - 1]
            j -= 1
        members[0, j] = member
    members[0, size] = node
    rules = target.rules
    key = rules.child[node] ^ rules.zobrist[node]
    log_prior = 0.0
    for m in range(size):
        tree.candidate[start + m] = members[0, m]
        key ^= rules.zobrist[members[0, m]]
        log_prior += target.edge[members[0, m], node]
    tree.family[state].key = key
    tree.family[state].log_score = local_score(target.score, members[0], size, tree.room[SCORING])
    tree.family[state].log_prior = log_prior
    tree.state[state].start = start
    tree.state[state].length = size
    tree.used[POOL_USED] = start + size
    return True


@inner
def enter(tree, target, node, state, entry):
    """Return the state that an entry of the pool leads to from ``state``, added if it was never visited.

    Entry -1 leads to the root. Returns -1 if there is no room.
    """
    child = np.int64(tree.root[node] if entry < 0 else tree.child[entry])
    if child < 0:
        child = add_state(tree, target, node, state, -1 if entry < 0 else tree.candidate[entry])
        if entry < 0:
            tree.root[node] = child
        else:
            tree.child[entry] = child
    return child


@inner
def explore(tree, target, node, position, limit):
    """Return the state that :func:`walk` looks for, adding what was never visited, in an emptied tree if full."""
    while True:
        state = np.int64(-1)
        child = enter(tree, target, node, state, np.int64(-1))
        while child >= 0:
            state = child
            entry = np.int64(tree.state[state].first)
            end = entry + tree.state[state].count
            while entry < end and position[tree.candidate[entry]] >= limit:
                entry += 1
            if entry == end:
                if tree.state[state].length >= 0 or finish(tree, target, node, state):
                    return state
                break
            child = enter(tree, target, node, state, entry)
        forget(tree)


@inlined
def walk(tree, target, node, position, limit):
    """Return the state of ``node`` whose predecessors are the variables with a position below ``limit``."""
    state = np.int64(tree.root[node])
    if state >= 0:
        entry = tree.state[state].first
        end = entry + tree.state[state].count
        while entry < end:
            if position[tree.candidate[entry]] < limit:
                state = np.int64(tree.child[entry])
                if state < 0:
                    break
                entry = tree.state[state].first
                end = entry + tree.state[state].count
            else:
                entry += 1
    if state < 0 or tree.state[state].length < 0:
        state = explore(tree, target, node, position, limit)
    return state


@inner
def list_shrunk(tree, node, state, members):
    """Fill ``members`` with the parents of ``node`` in index order, then ``node``; return how many parents."""
    size = tree.state[state].length
    for m in range(size):
        members[m] = tree.candidate[tree.state[state].start + m]
    members[size] = node
    return size

"""Parents by grow-shrink: a greedy search among the predecessors, remembered as a tree.

The parents of a variable among a set of predecessors are found in two passes. *Grow*: starting from the required
parents, add the predecessor with the largest gain as long as one has any. *Shrink*: of the set so grown, remove the
member whose loss gains most as long as one does. What a gain is, the criterion says: of the tests, the square of the
partial correlation given the set, where Fisher's z is significant; of the score, the difference of local scores less a
penalty for each parent, where it is positive. The prior has no part in this: it weighs the DAGs that are found.

A gain depends on the set alone, not on the predecessors. So each set that was ever grown is a *state* that lists its
candidates, those with a gain, the best first. Who comes next is the first candidate that is a predecessor, and the way
to the parents is a walk down a tree: a handful of comparisons, and no arithmetic except at states that were never
visited. A state also remembers what it shrinks to. The tree holds a bounded number of states. When it is full it is
cleared, which changes nothing but the time: what is forgotten is found again to the last bit.

Legend
------
state
    A row of ``Tree.state``: the set grown from its ``parent`` by ``added``. Its candidates are ``count`` entries of the
    pool from ``first`` on, and its parents after shrinking ``size`` entries from ``start`` on; size -1 until needed.
pool
    ``candidate`` holds variables, ``child`` the states that taking them leads to, -1 if never visited.
position
    The place of each variable in the order; predecessors are those below a limit.
"""

from typing import NamedTuple

import numpy as np

from ..compiling import in_place, inlined, inner
from ..families.families import FAMILY, FORBIDDEN, REQUIRED, factor_family, local_score
from ..full_conditioning.factor import SINGULAR
from ..scores.gains import Residuals, base_gain, gain_of_score, new_residuals, regress, squared_correlation

STATE = np.dtype(
    [
        ("first", np.int32),
        ("count", np.int32),
        ("start", np.int32),
        ("size", np.int32),
        ("parent", np.int32),
        ("added", np.int32),
    ]
)

STATES = 2**17
"""Most states of a tree, with their candidates 24 MB. Of few variables there are fewer greedy paths than that."""

STATES_USED, POOL_USED = 0, 1
"""Places in ``Tree.used``."""


class Tree(NamedTuple):
    """The states visited so far, and scratch for adding one; ``by_score`` and ``penalty`` are the criterion.

    ``ranked`` and ``gain`` are candidates with their gains; ``members`` has a row for a set, and one for the same set
    less a member.
    """

    root: np.ndarray
    state: np.ndarray
    family: np.ndarray
    candidate: np.ndarray
    child: np.ndarray
    used: np.ndarray
    residuals: Residuals
    ranked: np.ndarray
    gain: np.ndarray
    members: np.ndarray
    triangle: np.ndarray
    by_score: bool
    penalty: float


def new_tree(p: int, *, by_score: bool, penalty: float) -> Tree:
    """Return an empty tree for p variables."""
    states = min(STATES, p * 4 ** min(p, 9))
    # An empty tree must have room for a path with all variables on it, each state listing all others as candidates.
    pool = max(16 * states, p * (p + 3))
    return Tree(
        root=np.full(p, -1, np.int32),
        state=np.zeros(states, STATE),
        family=np.zeros(states, FAMILY),
        candidate=np.zeros(pool, np.int32),
        child=np.zeros(pool, np.int32),
        used=np.zeros(2, np.int64),
        residuals=new_residuals(p),
        ranked=np.zeros(p, np.int32),
        gain=np.zeros(p),
        members=np.zeros((2, p), np.int64),
        triangle=np.zeros(p * (p + 1) // 2),
        by_score=by_score,
        penalty=penalty,
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
    score = target.score
    by_score = tree.by_score
    residuals = tree.residuals
    gain = tree.gain
    if score.constant.shape[0] <= size + 1 or score.constant[size + 1] == -np.inf:
        return 0
    threshold = target.threshold[size + 1] if size + 1 < target.threshold.shape[0] else np.inf
    matrix = score.matrix if by_score else target.correlation
    log_det = regress(matrix, tree.members, 0, size, node, residuals)
    variance = residuals.variance[node]
    if not variance > SINGULAR * matrix[node, node]:
        return 0
    base = base_gain(score, size, log_det, variance) if by_score else 0.0
    for m in range(size):
        residuals.variance[tree.members[0, m]] = 0.0
    number = 0
    for x in range(gain.shape[0]):
        determined = not residuals.variance[x] > SINGULAR * matrix[x, x]
        if x == node or determined or rules.edge[rule, x] == FORBIDDEN:
            continue
        gained = squared_correlation(residuals, node, x)
        # Nor are those listed with whom the set would determine the child: no score is defined then.
        if not variance * (1.0 - gained) > SINGULAR * matrix[node, node]:
            continue
        limit = threshold
        if by_score:
            gained = gain_of_score(score, size, base, residuals.variance[x], gained) - tree.penalty
            limit = 0.0
        if gained > limit:
            i = number
            while i > 0 and gain[i - 1] < gained:
                gain[i] = gain[i - 1]
                tree.ranked[i] = tree.ranked[i - 1]
                i -= 1
            gain[i] = gained
            tree.ranked[i] = x
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
    tree.state[state].size = -1
    tree.used[STATES_USED] = state + 1
    tree.used[POOL_USED] = first + number
    return state


@inner
def weigh_set(tree, target, row, size):
    """Return the criterion of a set: its log score less the penalties, or the variance of the child that it leaves.

    Row ``row`` of ``tree.members`` holds the set and, last, the child.
    """
    members = tree.members[row]
    if not tree.by_score:
        return factor_family(target.correlation, members, size, tree.triangle)[1]
    return local_score(target.score, members, size, tree.triangle) - tree.penalty * size


@inner
def shrink(tree, target, node, size):
    """Remove members from the set in ``tree.members`` as long as that is a gain; return how many are left."""
    members = tree.members
    rules = target.rules
    while size > 0:
        members[0, size] = node
        whole = weigh_set(tree, target, 0, size)
        best = -1
        best_gain = 0.0
        if not tree.by_score and size < target.threshold.shape[0]:
            best_gain = -target.threshold[size]
        for i in range(size):
            if rules.edge[rules.row[node], members[0, i]] == REQUIRED:
                continue
            for m in range(size):
                members[1, m] = members[0, m if m < i else m + 1]
            part = weigh_set(tree, target, 1, size - 1)
            # A member's partial correlation given the others is 1 less the share of variance that it leaves.
            gain = part - whole if tree.by_score else whole / part - 1.0
            if gain > best_gain:
                best = i
                best_gain = gain
        if best < 0:
            break
        size -= 1
        for m in range(best, size):
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
    tree.family[state].log_score = local_score(target.score, members[0], size, tree.triangle)
    tree.family[state].log_prior = log_prior
    tree.state[state].start = start
    tree.state[state].size = size
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
                if tree.state[state].size >= 0 or finish(tree, target, node, state):
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
    if state < 0 or tree.state[state].size < 0:
        state = explore(tree, target, node, position, limit)
    return state


@in_place
def list_shrunk(tree, node, state, members):
    """Fill ``members`` with the parents of ``node`` in index order, then ``node``; return how many parents."""
    size = tree.state[state].size
    for m in range(size):
        members[m] = tree.candidate[tree.state[state].start + m]
    members[size] = node
    return size

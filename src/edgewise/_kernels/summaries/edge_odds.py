"""How probable each edge is given all others, averaged over DAGs that were drawn, in place of zeros and ones.

A pair of variables is joined by x -> v, by v -> x or not at all. Given the rest of the DAG, and that there is no cycle,
the odds of x -> v against no edge are

    exp(log score(v, P + x) - log score(v, P - x) + log prior of the edge)

where P are the parents of v. The average of such conditional probabilities over draws from the posterior estimates the
same as that of zeros and ones, with less noise (Rao-Blackwell), and an edge that was never drawn still has one.
"""

from typing import Any, NamedTuple

import numpy as np

from ..basics.bits import WORD, add_closed, clear, first, has, list_members, words_for
from ..compiling import in_place, inner
from ..families.target import REQUIRED, TESTED
from ..scores.interface import gains, local_score, new_room


class Judge(NamedTuple):
    """What edges are judged by: the score, the log prior of each, and rules.

    Row v of ``earlier`` is the set of variables known to come before v.
    """

    score: Any
    edge: np.ndarray
    rules: Any
    earlier: np.ndarray


MEMO_ENTRIES = 2**22
"""Log odds to remember, 32 MB."""


class OddsMemo(NamedTuple):
    """The log odds of each variable as a parent, for some families: ``family[i]`` is whose row i is, -1 if free.

    The number of rows is a power of two. ``exchange`` has as many, for the probabilities of exchanges, or none where
    these are not asked for. The rest is scratch: ``members`` has a row for a set, and one for the same set less a
    member, and ``gain`` what adding each variable to the latter gains.
    """

    family: np.ndarray
    log_odds: np.ndarray
    exchange: np.ndarray
    members: np.ndarray
    gain: np.ndarray
    parents: np.ndarray
    ancestors: np.ndarray
    room: Any


def new_odds_memo(score: Any, p: int, families: int, *, exchanges: bool = False) -> OddsMemo:
    """Return an empty memo for p variables and a number of families."""
    rows = 1 << max(min(families, MEMO_ENTRIES // p) - 1, 1).bit_length()
    return OddsMemo(
        family=np.full(rows, -1, np.int64),
        log_odds=np.zeros((rows, p)),
        exchange=np.zeros((rows if exchanges else 0, p)),
        members=np.zeros((2, p + 1), np.int64),
        gain=np.zeros(p),
        parents=np.zeros((p, words_for(p)), np.uint64),
        ancestors=np.zeros((p, words_for(p)), np.uint64),
        room=new_room(score, p),
    )


@inner
def leave_out(members, i, size):
    """Write the first row of ``members``, ``size`` parents and their child, into the second without the i-th."""
    for m in range(size):
        members[1, m] = members[0, m if m < i else m + 1]


@inner
def weigh_parents(judge, memo, row, node, size):
    """Set row ``row`` of the log odds, for the family of ``node`` with parents ``memo.members[0, :size]``."""
    log_odds = memo.log_odds
    members = memo.members
    rules = judge.rules
    gains(judge.score, members[0], size, node, memo.room, log_odds[row])
    members[0, size] = node
    whole = local_score(judge.score, members[0], size, memo.room)
    for i in range(size):
        leave_out(members, i, size)
        log_odds[row, members[0, i]] = whole - local_score(judge.score, members[1], size - 1, memo.room)
    for x in range(log_odds.shape[1]):
        rule = rules.edge[rules.row[node], x]
        log_odds[row, x] += judge.edge[x, node]
        if x != node and rule != TESTED:
            log_odds[row, x] = np.inf if rule == REQUIRED else -np.inf


@inner
def weigh_exchanges(judge, memo, row, node, size):
    """Set row ``row`` of the exchanges, for the family of ``node`` with parents ``memo.members[0, :size]``."""
    rules = judge.rules
    gain = memo.gain
    for x in range(gain.shape[0]):
        memo.exchange[row, x] = 0.0
    for i in range(size):
        w = memo.members[0, i]
        if rules.edge[rules.row[node], w] != TESTED:
            continue
        leave_out(memo.members, i, size)
        gains(judge.score, memo.members[1], size - 1, node, memo.room, gain)
        present = gain[w] + judge.edge[w, node]
        for x in range(gain.shape[0]):
            if x != node and rules.edge[rules.row[node], x] == TESTED:
                probability = 1 / (1 + np.exp(present - gain[x] - judge.edge[x, node]))
                if probability > memo.exchange[row, x]:
                    memo.exchange[row, x] = probability


@inner
def find_row(judge, memo, family, node, family_parents):
    """Return the row of the memo for a family, which is filled if need be."""
    row = family & (memo.family.shape[0] - 1)
    if memo.family[row] != family:
        memo.family[row] = family
        size = list_members(family_parents, np.int64(family), memo.members[0])
        weigh_parents(judge, memo, row, node, size)
        if memo.exchange.shape[0] > 0:
            weigh_exchanges(judge, memo, row, node, size)
    return row


@inner
def is_above_otherwise(memo, earlier, top, node):
    """Return whether a path leads from ``top`` to ``node`` other than an edge."""
    for w in range(memo.parents.shape[1]):
        word = memo.parents[node, w] | earlier[node, w]
        while word != np.uint64(0):
            u = w * WORD + first(word)
            if u != top and has(memo.ancestors, u, top):
                return True
            word &= word - np.uint64(1)
    return False


@inner
def trace(memo, order, t, earlier, family, family_parents):
    """Set the parents and the ancestors of all variables, along the order; who is known to come before counts too."""
    ancestors = memo.ancestors
    for j in range(order.shape[1]):
        v = order[t, j]
        clear(ancestors, v)
        for w in range(ancestors.shape[1]):
            memo.parents[v, w] = family_parents[family[t, v], w]
            add_closed(ancestors, v, w, memo.parents[v, w] | earlier[v, w])


@inner
def add_exchanges(memo, row, v, weight, exchanged):
    """Add for each variable how probable it is in the place of a parent of v, if it is none and not below v."""
    for x in range(exchanged.shape[0]):
        if not has(memo.parents, v, x) and not has(memo.ancestors, x, v):
            exchanged[v, x] += weight * memo.exchange[row, x]


@in_place
def add_edge_odds(judge, memo, family, order, weights, family_parents, directed, exchanged):
    """Add the weighted sums over draws of the probability of each edge: by child, parent.

    ``family`` and ``order`` have shape (draws, p): the number of each variable's family, and an order of the DAG.
    ``family_parents`` are the parents of all families, as bits. ``exchanged`` is the same for exchanges, if the memo
    has room for these.
    """
    draws, p = family.shape
    for t in range(draws):
        trace(memo, order, t, judge.earlier, family, family_parents)
        for v in range(p):
            if memo.exchange.shape[0] > 0:
                row = find_row(judge, memo, family[t, v], v, family_parents)
                add_exchanges(memo, row, v, weights[t], exchanged)
            for x in range(v):
                forward = memo.log_odds[find_row(judge, memo, family[t, v], v, family_parents), x]
                backward = memo.log_odds[find_row(judge, memo, family[t, x], x, family_parents), v]
                # An edge from the later to the earlier one must not close a cycle.
                if has(memo.ancestors, v, x):
                    if not has(memo.parents, v, x) or is_above_otherwise(memo, judge.earlier, x, v):
                        backward = -np.inf
                elif has(memo.ancestors, x, v):
                    if not has(memo.parents, x, v) or is_above_otherwise(memo, judge.earlier, v, x):
                        forward = -np.inf
                top = forward if forward > backward else backward
                if top < 0.0:
                    top = 0.0
                if top == np.inf:
                    directed[v, x] += weights[t] * (forward == np.inf)
                    directed[x, v] += weights[t] * (backward == np.inf)
                    continue
                share = weights[t] / (np.exp(-top) + np.exp(forward - top) + np.exp(backward - top))
                directed[v, x] += share * np.exp(forward - top)
                directed[x, v] += share * np.exp(backward - top)

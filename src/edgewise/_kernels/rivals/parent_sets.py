"""All possible parent sets of every variable, with their weights, and sums over those that an order allows.

The weight of a parent set is the score of the family times the prior of its edges. Order and partition MCMC need, again
and again, the sum of the weights of all sets that lie *inside* a given set of variables and meet another one, the
*needed* one. Sums are over tens of thousands of sets whose weights differ by factors like e^1000, and are exact to
double precision. Three things make them quick:

- Sets are sorted into *windows* by their weight, from the heaviest. Weights are stored relative to their window's top,
  so that a sum inside a window is a sum of ordinary numbers; and the sum ends where all windows that remain could not
  change its last digit.
- Inside a window, sets are sorted by their bits and cut into *runs*. What the sets of a run have in common is its core;
  where the core is not inside, no set of the run is. Most runs are skipped in this way.
- The results are kept in a table of fixed size, where a newcomer replaces whoever sits in its place. What is forgotten
  is found again to the last bit.

Every set has one member more than its variables, the number p, which is always inside. If it is among the needed ones
nothing else is needed.
"""

from typing import Any, NamedTuple

import numpy as np

from ..basics.bits import clear, insert, list_members, remove, words_for
from ..basics.recorder import note_family
from ..beliefs.ancestry import mix
from ..compiling import in_place, inner, kernel, new_records, reduction
from ..scores.interface import is_determined, local_score, new_room

RUN = 64
"""Sets in a run. Measured with 30 variables and up to 4 parents: 32 and 64 are about equal, and 16 are slower."""

WINDOW = 32.0
"""Logarithm of the largest ratio of weights in a window. Narrower ones have fewer sets each and so worse cores, and
wider ones end later; measured, anything from 8 to 64 is about equal, and 256 slower."""

NEGLIGIBLE = 1e-17
"""A sum ends where all that remains is below this share of it, a tenth of what a double can show."""

MEMO_BITS = 16
"""65,536 sums, 1 MB. Measured with 30 variables, 2^14 to 2^20 are alike: what is asked for again, is so soon."""

SUM = np.dtype([("key", np.uint64), ("log_sum", np.float64)])
"""A sum, and the name of the variable and the sets that it is for."""


class ParentSets(NamedTuple):
    """The parent sets of all variables, one variable after the other.

    ``sets`` are columns of bits, (words, number), and ``weight`` their weights relative to their window's top. Run r
    has the sets from ``run_start[r]`` to ``run_start[r + 1]``, and ``core``, (words, runs), is what they share. Window
    w has the runs from ``window_run[w]``, the log weight ``window_top[w]`` at its top, and ``window_rest[w]`` counts
    its sets and those of all later windows of its variable. Variable v has the windows from ``node_window[v]``.
    """

    sets: np.ndarray
    weight: np.ndarray
    run_start: np.ndarray
    core: np.ndarray
    window_run: np.ndarray
    window_top: np.ndarray
    window_rest: np.ndarray
    node_window: np.ndarray


class SetTarget(NamedTuple):
    """What a chain samples: the parent sets, the score and the log prior of single edges that made their weights.

    ``child`` and ``zobrist`` name families, as in :mod:`edgewise._kernels.families.target`. Row v of ``earlier`` is
    the set of variables that come before v in every order. ``possible[i, j]`` and ``required[i, j]`` say whether some
    DAG, and every DAG, has the edge i -> j; no variable has more than ``max_parents``. ``tier[t, v]`` is the number of
    the tier of v in the t-th order prior, -1 in none, and ``last_tier[t]`` the last one's, whose variables do not
    count.
    """

    table: ParentSets
    score: Any
    edge: np.ndarray
    child: np.ndarray
    zobrist: np.ndarray
    earlier: np.ndarray
    possible: np.ndarray
    required: np.ndarray
    max_parents: int
    tier: np.ndarray
    last_tier: np.ndarray
    tier_strength: np.ndarray


OUTSIDE, NEEDED = 0, 1
"""Rows of ``Workspace.asked``: all that is not inside, and what sets must meet."""


class Workspace(NamedTuple):
    """What a sum is asked for, the sums known so far, and room to work in."""

    asked: np.ndarray
    memo: np.ndarray
    missing: np.ndarray
    met: np.ndarray
    chosen: np.ndarray
    members: np.ndarray
    room: Any
    lowest: np.ndarray


def new_workspace(score: Any, p: int) -> Workspace:
    """Return an empty workspace for p variables."""
    words = words_for(p + 1)
    return Workspace(
        asked=np.zeros((2, words), np.uint64),
        memo=new_records(1 << MEMO_BITS, SUM),
        missing=np.zeros(RUN, np.uint64),
        met=np.zeros(RUN, np.uint64),
        chosen=np.zeros(p, np.int64),
        members=np.zeros(p + 1, np.int64),
        room=new_room(score, p),
        lowest=np.zeros(p + 1, np.int64),
    )


@kernel
def list_sets(score, edge, node, required, optional, most, room, sets, log_weight):
    """List the sets of all required and at most ``most`` optional parents in ascending order of their bits.

    ``sets`` are the columns to fill, and ``log_weight`` their weights. Returns -1 or, if the members of a set determine
    the variable, the number of that set.
    """
    p = edge.shape[0]
    bits = np.zeros((1, sets.shape[0]), np.uint64)
    members = np.empty(p + 1, np.int64)
    # Positions in ``optional``, descending: the next set has a member more at the end, or its last member is the next.
    taken = np.empty(most + 1, np.int64)
    depth = 0
    number = 0
    while True:
        clear(bits, 0)
        for parent in required:
            insert(bits, 0, parent)
        for i in range(depth):
            insert(bits, 0, optional[taken[i]])
        size = list_members(bits, 0, members)
        members[size] = node
        log_prior = 0.0
        for m in range(size):
            log_prior += edge[members[m], node]
        insert(bits, 0, p)
        for w in range(sets.shape[0]):
            sets[w, number] = bits[0, w]
        log_weight[number] = local_score(score, members, size, room) + log_prior
        if log_weight[number] != -np.inf and is_determined(score, members, size, room):
            return number
        number += 1
        if depth < most and (taken[depth - 1] if depth else optional.shape[0]) > 0:
            taken[depth] = 0
            depth += 1
        else:
            while depth and taken[depth - 1] + 1 == (taken[depth - 2] if depth > 1 else optional.shape[0]):
                depth -= 1
            if depth == 0:
                return -1
            taken[depth - 1] += 1


@inner
def ask_afresh(asked, p):
    """Ask for sets with none of the p variables inside, and nothing needed."""
    for w in range(asked.shape[1]):
        asked[OUTSIDE, w] = ~np.uint64(0)
        asked[NEEDED, w] = np.uint64(0)
    remove(asked, OUTSIDE, p)
    insert(asked, NEEDED, p)


@inner
def is_core_inside(table, run, asked):
    """Return whether what the sets of a run have in common is inside."""
    for w in range(asked.shape[1]):
        if table.core[w, run] & asked[OUTSIDE, w] != np.uint64(0):
            return False
    return True


@reduction
def sum_run(table, run, workspace):
    """Return the sum of the relative weights of a run's sets that are inside and meet what is needed."""
    sets = table.sets
    weight = table.weight
    asked = workspace.asked
    none = np.uint64(0)
    start = table.run_start[run]
    end = table.run_start[run + np.uint64(1)]
    total = 0.0
    if sets.shape[0] == 1:
        outside = asked[OUTSIDE, 0]
        needed = asked[NEEDED, 0]
        for s in range(start, end):
            inside = weight[s] if sets[0, s] & outside == none else 0.0
            total += inside if sets[0, s] & needed != none else 0.0
        return total
    # Word by word, so that each of the loops is simple enough to be vectorised.
    missing = workspace.missing
    met = workspace.met
    size = end - start
    for i in range(size):
        missing[i] = none
        met[i] = none
    for w in range(np.uint64(sets.shape[0])):
        outside = asked[OUTSIDE, w]
        needed = asked[NEEDED, w]
        for i in range(size):
            missing[i] |= sets[w, start + i] & outside
            met[i] |= sets[w, start + i] & needed
    for i in range(size):
        inside = weight[start + i] if missing[i] == none else 0.0
        total += inside if met[i] != none else 0.0
    return total


@inner
def log_sum(table, node, workspace):
    """Return the log of the sum of the weights of the sets that are asked for; -inf if there are none."""
    total = 0.0
    top = 0.0
    for window in range(table.node_window[node], table.node_window[node + 1]):
        scale = 1.0
        if total > 0.0:
            scale = np.exp(table.window_top[window] - top)
            if table.window_rest[window] * scale < NEGLIGIBLE * total:
                break
        found = 0.0
        for run in range(table.window_run[window], table.window_run[window + np.uint64(1)]):
            if is_core_inside(table, run, workspace.asked):
                found += sum_run(table, run, workspace)
        if found > 0.0 and total == 0.0:
            top = table.window_top[window]
        total += found * scale
    return top + np.log(total) if total > 0.0 else -np.inf


@inner
def name_sum(node, asked):
    """Return the key of what is asked for."""
    key = mix(np.uint64(node + 1))
    for i in range(asked.shape[0]):
        for w in range(asked.shape[1]):
            key = mix(key ^ asked[i, w])
    return key


@inner
def look_up(table, node, workspace):
    """Return the log of the sum that is asked for, computing it only if it is not known."""
    memo = workspace.memo
    key = name_sum(node, workspace.asked)
    slot = np.int64(key >> np.uint64(64 - MEMO_BITS))
    if memo[slot].key != key:
        memo[slot].log_sum = log_sum(table, node, workspace)
        memo[slot].key = key
    return memo[slot].log_sum


@inner
def is_asked_for(table, s, asked):
    """Return whether a set is inside and meets what is needed."""
    missing = np.uint64(0)
    met = np.uint64(0)
    for w in range(asked.shape[1]):
        missing |= table.sets[w, s] & asked[OUTSIDE, w]
        met |= table.sets[w, s] & asked[NEEDED, w]
    return missing == np.uint64(0) and met != np.uint64(0)


@inner
def choose_in_run(table, run, workspace, weight):
    """Return the first set of a run, of those asked for, up to which weights exceed ``weight``, or else the last."""
    chosen = np.int64(-1)
    for s in range(table.run_start[run], table.run_start[run + np.uint64(1)]):
        if is_asked_for(table, s, workspace.asked):
            chosen = np.int64(s)
            weight -= table.weight[s]
            if weight < 0.0:
                break
    return chosen


@inner
def choose(table, node, workspace, log_total, uniform):
    """Return the number of one of the sets asked for, drawn by their weights with one uniform random number.

    ``log_total`` is what :func:`log_sum` gives for them, not -inf.
    """
    left = uniform
    last_run = np.uint64(0)
    for window in range(table.node_window[node], table.node_window[node + 1]):
        scale = np.exp(table.window_top[window] - log_total)
        for run in range(table.window_run[window], table.window_run[window + np.uint64(1)]):
            if is_core_inside(table, run, workspace.asked):
                share = sum_run(table, run, workspace) * scale
                if left < share:
                    return choose_in_run(table, run, workspace, left / scale)
                if share > 0.0:
                    left -= share
                    last_run = np.uint64(run)
    # All shares together may fall short of one by rounding errors.
    return choose_in_run(table, last_run, workspace, np.inf)


@inner
def list_parents(table, s, members):
    """Write the variables of a set into ``members``, in index order; return how many there are."""
    p = table.node_window.shape[0] - 1
    size = 0
    for v in range(p):
        if (table.sets[v // 64, s] >> np.uint64(v % 64)) & np.uint64(1) != np.uint64(0):
            members[size] = v
            size += 1
    return size


@in_place
def record(target, order, workspace, log_prior, recorder, draws, row):
    """Write the DAG whose parent sets were chosen into row ``row`` of ``draws``.

    ``log_prior`` is what the prior says beyond single edges.
    """
    members = workspace.members
    log_score = 0.0
    for node in range(order.shape[0]):
        size = list_parents(target.table, workspace.chosen[node], members)
        members[size] = node
        key = target.child[node]
        for m in range(size + 1):
            key ^= target.zobrist[members[m]]
        draws.family[row, node] = note_family(recorder, key, members, size)
        draws.order[row, node] = order[node]
        log_score += local_score(target.score, members, size, workspace.room)
        for m in range(size):
            log_prior += target.edge[members[m], node]
    draws.log_score[row] = log_score
    draws.log_prior[row] = log_prior


@inner
def weigh_tiers(order, cut, elements, target, lowest):
    """Return the log prior of an ordered partition by tiers. O(p) for each order prior.

    Element e has the positions from ``cut[e]`` to ``cut[e + 1]`` of ``order``; in an order, each position is one. A
    variable counts if no variable of a later tier is in an earlier element, and none of an earlier tier in a later one.
    """
    total = 0.0
    p = order.shape[0]
    for t in range(target.tier.shape[0]):
        tier = target.tier
        last = target.last_tier[t]
        # lowest[j]: the first tier that is met at position j or later
        lowest[p] = last
        for j in range(p - 1, -1, -1):
            found = tier[t, order[j]]
            lowest[j] = lowest[j + 1] if found < 0 else min(found, lowest[j + 1])
        number = 0
        highest = 0
        for e in range(elements):
            before = highest
            for j in range(cut[e], cut[e + 1]):
                found = tier[t, order[j]]
                number += before <= found <= lowest[cut[e + 1]] and found < last and found >= 0
                highest = max(highest, found)
        total += target.tier_strength[t] * number
    return total

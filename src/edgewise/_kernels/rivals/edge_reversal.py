"""The edge reversal move (Grzegorczyk & Husmeier 2008).

An edge i -> j is drawn from the E edges of a DAG. Both i and j lose all their parents; then i is given parents, j among
them, drawn in proportion to their weight from the sets that close no cycle; and then j is given parents in the same
way. The weight of a set of parents is exp(local score + log prior of its edges).

Let B(i) and B(j) be the variables below i and j while they have no parents, and write Z(v | without S, with u) for the
sum of the weights of the sets that v may draw from, see :mod:`edgewise._kernels.rivals.parent_sets`. As i comes right
below j then, the sets of j must leave out i, B(i) and B(j), whatever was drawn for i. So the ratio of acceptance is

    E    Z(i | without B(i), with j)    Z(j | without i, B(i), B(j))
    -- * --------------------------- * ----------------------------
    E'   Z(j | without B(j), with i)    Z(i | without j, B(i), B(j))

with E' edges afterwards, times the ratio of what the prior says beyond single edges.

Sets may be drawn from some *candidates* only, where there are too many variables. Then the move is made only if it can
be undone by the same move, that is, if i and j and all their parents are candidates. So it leaves the target as it is,
whatever the candidates are.
"""

from typing import NamedTuple

import numpy as np

from ..basics.bits import clear, has, insert, list_members
from ..basics.metropolis import REJECTED
from ..beliefs.ancestry import look_up_proposed
from ..compiling import in_place, inner
from ..scores.interface import gains
from .dag_changes import BELOW, BELOW_SOURCE, BELOW_TARGET, decide, is_subset, open_change, take_back, trace
from .parent_sets import NEEDED, OUTSIDE, ParentSets, Workspace, choose, list_parents, look_up


class Reversals(NamedTuple):
    """What edge reversals draw from: all sets of parents of each variable that are among its candidates.

    ``candidates`` are sets in rows, and ``workspace`` holds the sums known so far.
    """

    table: ParentSets
    candidates: np.ndarray
    workspace: Workspace


@in_place
def weigh_additions(score, edge, node, parents, room, gain):
    """Set by how much the log weight of ``node`` with some parents is higher if each variable is added to them."""
    gains(score, parents, parents.shape[0], node, room, gain)
    for x in range(gain.shape[0]):
        gain[x] += edge[x, node]


@inner
def unite_below(chain, source, target):
    """Set the rows of ``chain.sets`` for what is below two variables."""
    sets = chain.sets
    clear(sets, BELOW_SOURCE)
    clear(sets, BELOW_TARGET)
    clear(sets, BELOW)
    insert(sets, BELOW, source)
    insert(sets, BELOW, target)
    for v in range(chain.parents.shape[0]):
        below_source = has(chain.ancestors, v, source)
        below_target = has(chain.ancestors, v, target)
        if below_source:
            insert(sets, BELOW_SOURCE, v)
        if below_target:
            insert(sets, BELOW_TARGET, v)
        if below_source or below_target:
            insert(sets, BELOW, v)


@inner
def weigh(reversals, node, sets, i, needed):
    """Return the log of the sum of the weights of ``node`` without the members of row i of ``sets``, but ``needed``.

    All sets of the table hold p; so nothing is needed if that is given.
    """
    asked = reversals.workspace.asked
    clear(asked, OUTSIDE)
    for w in range(sets.shape[1]):
        asked[OUTSIDE, w] = sets[i, w]
    clear(asked, NEEDED)
    insert(asked, NEEDED, needed)
    return look_up(reversals.table, node, reversals.workspace)


@inner
def propose_parents(chain, target, cache, reversals, node, log_total, uniform):
    """Draw parents of ``node`` from the sets last asked for, and propose them; return how many there are."""
    chosen = choose(reversals.table, node, reversals.workspace, log_total, uniform)
    size = list_parents(reversals.table, chosen, cache.members)
    clear(chain.new_parents, node)
    for m in range(size):
        insert(chain.new_parents, node, cache.members[m])
    look_up_proposed(cache, target, chain, node)
    return size


@inner
def is_undoable(chain, candidates, i, j):
    """Return whether the edge i -> j, and all parents of i and j, could be drawn again after a reversal."""
    return (
        has(candidates, i, j)
        and is_subset(chain.parents, i, candidates, i)
        and is_subset(chain.parents, j, candidates, j)
    )


@inner
def reverse_edge(chain, target, cache, reversals, views, choice, for_source, for_target, uniform):
    """Draw an edge by ``choice``, reverse it with new parents for both its ends, and decide on it."""
    edges = chain.edges[0]
    members = cache.members
    place = min(np.int64(choice * edges), edges - 1)
    if place < 0:
        return REJECTED
    j = 0
    while place >= chain.size[j]:
        place -= chain.size[j]
        j += 1
    list_members(chain.parents, j, members)
    i = members[place]
    if not is_undoable(chain, reversals.candidates, i, j):
        return REJECTED

    open_change(chain, i, j, i)
    clear(chain.parents, i)
    clear(chain.parents, j)
    trace(chain, members)
    unite_below(chain, i, j)
    p = chain.family.shape[0]
    back_j = weigh(reversals, j, chain.sets, BELOW_TARGET, i)
    back_i = weigh(reversals, i, chain.sets, BELOW, p)
    new_edges = edges - chain.size[i] - chain.size[j]
    total_i = weigh(reversals, i, chain.sets, BELOW_SOURCE, j)
    if total_i > -np.inf:
        new_edges += propose_parents(chain, target, cache, reversals, i, total_i, for_source)
    total_j = weigh(reversals, j, chain.sets, BELOW, p)
    if total_j > -np.inf:
        new_edges += propose_parents(chain, target, cache, reversals, j, total_j, for_target)
    if total_i + total_j == -np.inf:
        take_back(chain, i, j)
        return REJECTED
    log_ratio = (total_i + total_j) - (back_i + back_j) + np.log(edges / new_edges)
    return decide(chain, views, members, i, j, log_ratio, uniform)

"""Changes of single edges in a DAG, given as sets of parents, that leave the distribution of DAGs unchanged."""

import numpy as np

from ..basics.bits import WORD, clear, has, insert, list_members
from ..basics.metropolis import is_rejected
from ..compiling import inner
from ..scores.interface import local_score
from .parent_sets import list_parents, weigh_tiers
from .partitions import find_layers


@inner
def take_chosen(parents, target, workspace):
    """Make ``parents`` those of the DAG that was chosen in the workspace."""
    for node in range(parents.shape[0]):
        clear(parents, node)
        size = list_parents(target.table, workspace.chosen[node], workspace.members)
        for m in range(size):
            insert(parents, node, workspace.members[m])


@inner
def weigh_families(parents, first, second, target, workspace):
    """Return the log weight of two variables with their parents in a DAG; -inf if one has too many."""
    members = workspace.members
    log_weight = 0.0
    for node in (first, second):
        size = list_members(parents, node, members)
        if size > target.max_parents:
            return -np.inf
        members[size] = node
        log_weight += local_score(target.score, members, size, workspace.room)
        for m in range(size):
            log_weight += target.edge[members[m], node]
    return log_weight


@inner
def choose_edge(parents, which, members):
    """Return the ends of an edge chosen with a random number, and -1 twice where there are no edges."""
    edges = 0
    for child in range(parents.shape[0]):
        edges += list_members(parents, child, members)
    left = np.int64(which * edges)
    for child in range(parents.shape[0]):
        size = list_members(parents, child, members)
        if left < size:
            return members[left], child
        left -= size
    return -1, -1


@inner
def choose_pair(p, which):
    """Return an ordered pair of variables chosen with a random number."""
    number = np.int64(which * (p * (p - 1)))
    source = number // (p - 1)
    child = number % (p - 1)
    return source, child + (child >= source)


@inner
def flip(parents, source, child, is_reversed):
    """Add or remove an edge or, to reverse it, do both in turn. The same again undoes it."""
    parents[child, source // WORD] ^= np.uint64(1) << np.uint64(source % WORD)
    if is_reversed:
        parents[source, child // WORD] ^= np.uint64(1) << np.uint64(child % WORD)


@inner
def is_allowed(parents, source, child, is_reversed, target):
    """Return whether an edge may be added, removed or reversed, as far as its ends tell."""
    if has(parents, child, source):
        return not target.required[source, child] and (not is_reversed or target.possible[child, source])
    return target.possible[source, child] and not has(parents, source, child)


@inner
def change_dag(parents, target, scratch, which, uniform):
    """Change one edge of a DAG, or leave it, by the Metropolis rule; return whether it was changed.

    ``which`` is a random number. Half of the proposals add or remove an edge, for any ordered pair of variables; the
    others reverse one of the edges, of which there are as many afterwards. Both are symmetric. What the tiers say of
    the DAG is in ``scratch.proposed.log_prior``.
    """
    workspace = scratch.workspace
    proposed = scratch.proposed
    is_reversed = which >= 0.5
    if is_reversed:
        source, child = choose_edge(parents, 2.0 * which - 1.0, workspace.members)
    else:
        source, child = choose_pair(parents.shape[0], 2.0 * which)
    if child < 0 or not is_allowed(parents, source, child, is_reversed, target):
        return False
    log_prior = proposed.log_prior[0]
    log_ratio = -weigh_families(parents, source, child, target, workspace)
    flip(parents, source, child, is_reversed)
    log_ratio += weigh_families(parents, source, child, target, workspace)
    if log_ratio > -np.inf and find_layers(parents, target.earlier, scratch.placed, proposed):
        proposed.log_prior[0] = weigh_tiers(
            proposed.order, proposed.cut, proposed.elements[0], target, workspace.lowest
        )  # fmt: skip
        if not is_rejected(log_ratio + proposed.log_prior[0] - log_prior, uniform):
            return True
    flip(parents, source, child, is_reversed)
    proposed.log_prior[0] = log_prior
    return False

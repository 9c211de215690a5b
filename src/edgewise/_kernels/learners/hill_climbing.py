"""Hill climbing over DAGs: the best of all additions, deletions and reversals of an edge, again and again.

A score that is a sum over families changes only at the children of the edges that change. So the gain of every
addition and deletion is kept in one table, by (parent, child); after a change only the columns of one or two children
are computed anew. The gain of turning i -> j is that of deleting it plus that of adding j -> i, two entries of the
table.

To leave local maxima, the best change is made even where it is for the worse, unless it leads back to a DAG met
lately (Tsamardinos, Brown & Aliferis 2006, section 5). DAGs are recognised by Zobrist keys: a random 64-bit number for
each edge, and their XOR for a DAG.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiling import inner, kernel
from ..scores.interface import gains, local_score

NOISE = 1e-13
"""Log scores that differ by less than this share of their size are equal: Markov equivalent DAGs differ by rounding.
Doubles have 16 digits, and a log score is a sum of a few dozen terms."""


class Landscape(NamedTuple):
    """What is climbed.

    ``edge_log_prior[i, j]`` is what the edge i -> j adds to the log prior. Edges are added only where ``allowed``, and
    those ``required`` are never deleted or turned; all (p, p).
    """

    score: Any
    edge_log_prior: np.ndarray
    allowed: np.ndarray
    required: np.ndarray


class Families(NamedTuple):
    """The current DAG as lists: ``parents[j, :number[j]]`` are the parents of j; and the log scores of the families."""

    parents: np.ndarray
    number: np.ndarray
    log_score: np.ndarray


class ClimbingRoom(NamedTuple):
    """Room for one family, its score and its gains, and for a walk through the ancestors of a node.

    ``fault`` is the parent and the child at which a score was no number.
    """

    members: np.ndarray
    room: Any
    gain: np.ndarray
    stack: np.ndarray
    seen: np.ndarray
    fault: np.ndarray


@inner
def refresh(landscape, dag, j, families, gain, scratch):
    """Take the parents of ``j`` from ``dag``, and set column j of ``gain``: of deleting its parents, adding others.

    Returns whether all scores were numbers, or -inf. If not, ``scratch.fault`` is set to the parent that was to be
    added or deleted, or to j itself, and to j; and their entry of ``gain`` to what was found.
    """
    p = dag.shape[0]
    size = 0
    scratch.fault[1] = j
    for i in range(p):
        if dag[i, j]:
            families.parents[j, size] = i
            scratch.members[size] = i
            size += 1
    scratch.members[size] = j
    families.number[j] = size
    now = local_score(landscape.score, scratch.members, size, scratch.room)
    families.log_score[j] = now
    if not now < np.inf:
        scratch.fault[0] = j
        gain[j, j] = now
        return False
    gains(landscape.score, scratch.members, size, j, scratch.room, scratch.gain)
    for i in range(p):
        gain[i, j] = -np.inf
        if dag[i, j] and not landscape.required[i, j]:
            place = 0
            for m in range(size):
                if families.parents[j, m] != i:
                    scratch.members[place] = families.parents[j, m]
                    place += 1
            scratch.members[place] = j
            other = local_score(landscape.score, scratch.members, place, scratch.room)
            gain[i, j] = other - now - landscape.edge_log_prior[i, j]
            if not other < np.inf:
                scratch.fault[0] = i
                gain[i, j] = other
                return False
        elif not dag[i, j] and landscape.allowed[i, j] and i != j:
            gain[i, j] = scratch.gain[i] + landscape.edge_log_prior[i, j]
            if now > -np.inf and not scratch.gain[i] < np.inf:
                scratch.fault[0] = i
                return False
    return True


@inner
def has_path(families, source, target, scratch):
    """Return whether a directed path leads from ``source`` to ``target``, other than the edge between them."""
    for v in range(scratch.seen.shape[0]):
        scratch.seen[v] = False
    height = 1
    scratch.stack[0] = target
    while height:
        height -= 1
        node = scratch.stack[height]
        for m in range(families.number[node]):
            parent = families.parents[node, m]
            if parent == source:
                if node != target:
                    return True
            elif not scratch.seen[parent]:
                scratch.seen[parent] = True
                scratch.stack[height] = parent
                height += 1
    return False


@inner
def is_recent(key, recent):
    """Return whether a DAG was met lately."""
    found = False
    for known in recent:
        found |= known == key
    return found


@inner
def find_best_change(dag, gain, families, noise, key, names, recent, scratch):
    """Return the best change as (gain, i, j, whether i -> j is turned); -inf where there is none."""
    p = dag.shape[0]
    best, source, target, turned = -np.inf, 0, 0, False
    for i in range(p):
        for j in range(p):
            if gain[i, j] > best + noise and not dag[j, i]:
                is_free = not is_recent(key ^ names[i, j], recent)
                if is_free and (dag[i, j] or not has_path(families, j, i, scratch)):
                    best, source, target, turned = gain[i, j], i, j, False
            if dag[i, j] and gain[i, j] + gain[j, i] > best + noise:
                is_free = not is_recent(key ^ names[i, j] ^ names[j, i], recent)
                if is_free and not has_path(families, i, j, scratch):
                    best, source, target, turned = gain[i, j] + gain[j, i], i, j, True
    return best, source, target, turned


@kernel
def climb(landscape, dag, names, memory, patience, room, fault):
    """Climb from ``dag``, and leave the best DAG met there; return by how much it is better than the start.

    ``room`` is that of the score, and ``names`` are the edges' random numbers, (p, p). The last ``memory`` DAGs are not
    gone back to. The climb ends after ``patience`` changes without a new best DAG, by the scores of its families: they
    rise but finitely often, whatever a score says of its gains. Where a score is no number, it is returned, ``dag``
    stays as it is then, and ``fault`` becomes the parent and the child, or twice the child for a family of the DAG.
    """
    p = dag.shape[0]
    families = Families(np.empty((p, p), np.int64), np.zeros(p, np.int64), np.zeros(p))
    scratch = ClimbingRoom(
        np.empty(p, np.int64), room, np.empty(p), np.empty(p, np.int64), np.empty(p, np.bool_), fault
    )
    gain = np.empty((p, p))
    for j in range(p):
        if not refresh(landscape, dag, j, families, gain, scratch):
            return gain[fault[0], j]
    noise = NOISE * np.abs(families.log_score).sum()

    key = np.uint64(0)
    for i in range(p):
        for j in range(p):
            if dag[i, j]:
                key ^= names[i, j]
    recent = np.full(memory, key)
    oldest = 0
    height, highest = 0.0, 0.0
    best_dag = dag.copy()
    idle = 0
    while idle < patience:
        change, i, j, turned = find_best_change(dag, gain, families, noise, key, names, recent, scratch)
        if change == -np.inf:
            break
        before = families.log_score[i] + families.log_score[j]
        dag[i, j] = not dag[i, j]
        height += landscape.edge_log_prior[i, j] if dag[i, j] else -landscape.edge_log_prior[i, j]
        key ^= names[i, j]
        if turned:
            dag[j, i] = True
            height += landscape.edge_log_prior[j, i]
            key ^= names[j, i]
            if not refresh(landscape, dag, i, families, gain, scratch):
                return gain[fault[0], i]
        if not refresh(landscape, dag, j, families, gain, scratch):
            return gain[fault[0], j]
        recent[oldest] = key
        oldest = (oldest + 1) % memory
        height += families.log_score[i] + families.log_score[j] - before
        idle += 1
        if height > highest + noise:
            highest = height
            best_dag[:] = dag
            idle = 0
    fault[:] = -1
    dag[:] = best_dag
    return highest

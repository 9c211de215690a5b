"""Structure MCMC: a chain over DAGs that changes edges.

Two variables are joined in one of three ways: not at all, i -> j, or j -> i. A step (Madigan & York 1995) takes an
ordered pair (i, j) at random and proposes one of the other two ways:

    i -> j is there        delete it
    j -> i is there        turn it
    neither                add i -> j

Each way is proposed from each other way by one ordered pair of the p (p - 1), so the proposal is symmetric, and the
Metropolis rule needs no numbers of neighbours. A change that closes a cycle, or breaks a rule, is rejected. To draw
from the possible changes only would spare these rejections: a change would then be made up to p (p - 1) / N times as
often, where N is the number of possible ones. That factor is near 1 for sparse DAGs, while finding N takes as long as
many steps.

Some steps are edge reversals instead, see :mod:`edgewise._kernels.rivals.edge_reversal`.
"""

import numpy as np

from ..basics.bits import clear, copy, has, insert, list_members
from ..basics.metropolis import ACCEPTED, REJECTED, is_rejected
from ..basics.recorder import note_family
from ..beliefs.beliefs import log_prior_beyond_families
from ..compiling import in_place, inlined, inner
from ..families.target import FORBIDDEN, REQUIRED
from .dag_changes import (
    PENDING,
    decide,
    is_addable,
    is_weighed_whole,
    list_downwards,
    open_change,
    propose_toggled,
    toggle,
)
from .edge_reversal import reverse_edge

ADD, DELETE, TURN, REVERSAL = range(4)
"""Rows of ``DagState.moves``."""


@inlined
def has_longer_path(chain, source, target, members):
    """Return whether a path leads from ``source`` to ``target`` other than the edge between them."""
    size = list_members(chain.parents, target, members)
    found = False
    for m in range(size):
        found |= has(chain.ancestors, members[m], source)
    return found


@inner
def change_edge(chain, views, members, kind, i, j, log_ratio, uniform):
    """Add, delete or turn an edge so that it becomes or was i -> j, and decide on it."""
    turned = kind == TURN
    other = i if turned else j
    open_change(chain, other, j, j)
    copy(chain.parents, j, chain.new_parents, j)
    toggle(chain.new_parents, j, i)
    if turned:
        copy(chain.parents, i, chain.new_parents, i)
        toggle(chain.new_parents, i, j)
    return decide(chain, views, members, other, j, log_ratio, uniform)


@inner
def record(chain, views, members, recorder, draws, row):
    """Write the present DAG, and an order in which parents come before children, into row ``row`` of ``draws``."""
    log_score = 0.0
    log_prior = 0.0
    p = chain.family.shape[0]
    clear(chain.sets, PENDING)
    for node in range(p):
        insert(chain.sets, PENDING, node)
        key = chain.family[node].key
        if key != recorder.last_key[node] or recorder.last_family[node] < 0:
            size = list_members(chain.parents, node, members)
            members[size] = node
            recorder.last_key[node] = key
            recorder.last_family[node] = note_family(recorder, key, members, size)
        draws.family[row, node] = recorder.last_family[node]
        log_score += chain.family[node].log_score
        log_prior += chain.family[node].log_prior
    list_downwards(chain)
    for n in range(p):
        draws.order[row, n] = chain.walk[n]
    draws.log_score[row] = log_score
    draws.log_prior[row] = log_prior + log_prior_beyond_families(views.beliefs, views.structure)


@in_place
def run(chain, target, cache, reversals, views, reversal, until_draw, thin, uniforms, recorder, draws):
    """Take one step for each row of ``uniforms``: two numbers choose a change and decide it, two more draw parents.

    ``reversal`` is the probability of an edge reversal, and ``reversals`` what it draws from. Draws are as in
    :class:`edgewise._kernels.orders.loop.Pace`; the recorder must have room for p new families a draw. Returns ACCEPTED
    at the end, or ASK.
    """
    family = chain.family
    moves = chain.moves
    rules = target.rules
    p = family.shape[0]
    pairs = p * (p - 1)
    stretch = pairs / (1.0 - reversal)
    is_whole = is_weighed_whole(views.beliefs)
    row = 0
    for step in range(uniforms.shape[0]):
        if step == until_draw:
            record(chain, views, cache.members, recorder, draws, row)
            row += 1
            until_draw += thin
        choice = uniforms[step, 0]
        uniform = uniforms[step, 1]
        outcome = REJECTED
        if choice < reversal:
            kind = REVERSAL
            outcome = reverse_edge(
                chain, target, cache, reversals, views, choice / reversal, uniforms[step, 2], uniforms[step, 3], uniform
            )  # fmt: skip
        else:
            pair = min(np.int64((choice - reversal) * stretch), pairs - 1)
            i = pair // (p - 1)
            j = pair - i * (p - 1)
            j += j >= i
            rule = rules.edge[rules.row[j], i]
            if has(chain.parents, j, i):
                kind = DELETE
                is_possible = rule != REQUIRED
            elif has(chain.parents, i, j):
                kind = TURN
                is_possible = (
                    chain.size[j] < target.most_parents
                    and rule != FORBIDDEN
                    and rules.edge[rules.row[i], j] != REQUIRED
                    and not has_longer_path(chain, j, i, cache.members)
                )
            else:
                kind = ADD
                is_possible = is_addable(chain, target, i, j)
            if is_possible:
                log_ratio = propose_toggled(chain, target, cache, j, i)
                if kind == TURN:
                    log_ratio += propose_toggled(chain, target, cache, i, j)
                if is_whole or not is_rejected(log_ratio, uniform):
                    outcome = change_edge(
                        chain, views, cache.members, kind, i, j, log_ratio, uniform
                    )  # fmt: skip
        if outcome < 0:
            return outcome
        moves[kind, 0] += 1
        moves[kind, 1] += outcome
    if uniforms.shape[0] == until_draw:
        record(chain, views, cache.members, recorder, draws, row)
    return ACCEPTED

"""Partition MCMC (Kuipers & Moffa 2017): a chain over ordered partitions, each with the sum of all DAGs that have it.

Every DAG has one ordered partition (see :mod:`edgewise._kernels.rivals.partitions`), so that it counts once, where
order MCMC counts it once for every order.

A step is one of six. The first four propose, and accept by the rule of Metropolis and Hastings:

- *split*: choose one of the elements with two or more variables, a number from one to all but one, and so many of its
  variables, all with equal probability. They become an element of their own, just before the rest;
- *join*: choose two neighbouring elements, and make them one;
- *swap*: exchange any two variables. Nothing happens if they are in the same element;
- *adjacent*: choose two neighbouring elements, and exchange a variable of one with a variable of the other.

The other two need to know more:

- *relocate*: take one variable out, and put it back into an element or between two of them, drawn from all 2 m + 1
  places by their probabilities given the partition of all others. Nothing is rejected.
- *edges*: draw a DAG that has the partition, take some steps of a chain over DAGs that adds, removes and reverses
  edges, and take the partition of the result. As with the edge reversals that Kuipers & Moffa combine with their
  moves, the distribution of DAGs is left unchanged, and so is that of their partitions. By removing edges one at a
  time every DAG can become the one with required edges only, whatever constraints there are. So the chain is
  irreducible; and because a variable may be put back where it was, it is aperiodic. Drawing the DAG takes much longer
  than changing it.
"""

import math
from typing import NamedTuple

import numpy as np

from ..basics.bits import clear, insert, meets, remove
from ..basics.metropolis import draw_place, is_rejected
from ..compiling import in_place, inner
from .order_mcmc import find_pair
from .parent_sets import NEEDED, OUTSIDE, Workspace, ask_afresh, choose, look_up, record, weigh_tiers
from .partition_edges import change_dag, take_chosen
from .partitions import (
    Partition,
    ask_element,
    copy_partition,
    count_divisible,
    draw_dag,
    element_at,
    excuse,
    find_layers,
    new_partition,
    put_in,
    size_of,
    sum_element,
    sum_elements,
    take_out,
)

SPLIT, JOIN, SWAP, ADJACENT, RELOCATE, EDGES = range(6)
"""Rows of ``SummedPartition.moves``."""

KIND, WHICH, WHICH_ELSE, DECISION, FURTHER = range(5)
"""Places of the random numbers of a step: the kind of move, which of its kind by two numbers, and what becomes of it.
Then come p further ones, for who is split off or for the DAG, and two for each change of the DAG."""


NOTHING = (0, -1, 0.0)
"""What :func:`decide` is told where there is nothing to decide."""


class SummedPartition(NamedTuple):
    """Where a chain is. ``moves`` counts, for each kind, how many were proposed and accepted."""

    present: Partition
    moves: np.ndarray


class PartitionProposal(NamedTuple):
    """Room for a proposal.

    ``others`` is a partition without one variable, ``log_sums`` has four numbers for each of its elements, ``own`` and
    ``log_weight`` are for the places where the variable may go. ``parents`` are those of the DAG at hand, and
    ``placed`` are two sets.
    """

    workspace: Workspace
    proposed: Partition
    others: Partition
    log_sums: np.ndarray
    own: np.ndarray
    log_weight: np.ndarray
    parents: np.ndarray
    placed: np.ndarray


def new_proposal(p: int, workspace: Workspace) -> PartitionProposal:
    """Return room for proposals with p variables."""
    words = workspace.asked.shape[1]
    return PartitionProposal(
        workspace=workspace,
        proposed=new_partition(p),
        others=new_partition(p),
        log_sums=np.zeros((4, p)),
        own=np.zeros(p + 1),
        log_weight=np.zeros(2 * p + 1),
        parents=np.zeros((p, words), np.uint64),
        placed=np.zeros((2, words), np.uint64),
    )


@inner
def decide(chain, target, scratch, first, last, log_proposals, uniform):
    """Accept or reject the proposed partition; return whether it is now the present one.

    Only log sums of its elements from ``first`` to ``last`` may differ. ``log_proposals`` is the log ratio of the
    probabilities of proposing the way back and of proposing this; inf, if the move is already decided.
    """
    present = chain.present
    proposed = scratch.proposed
    last = min(last, proposed.elements[0] - 1)
    log_ratio = sum_elements(proposed, first, last, target, scratch.workspace)
    if log_ratio == -np.inf:
        return False
    for j in range(proposed.cut[first], proposed.cut[last + 1]):
        log_ratio -= present.log_sum[proposed.order[j]]
    log_ratio += proposed.log_prior[0] - present.log_prior[0] + log_proposals
    if is_rejected(log_ratio, uniform):
        return False
    copy_partition(proposed, present)
    return True


@inner
def log_ways(size, part):
    """Return the log of how many ways there are to split ``part`` variables off an element of a size.

    The number of variables is one of size - 1, and who they are one of binomial(size, part).
    """
    return (
        math.log(size - 1.0) + math.lgamma(size + 1.0) - math.lgamma(part + 1.0) - math.lgamma(size - part + 1.0)
    )  # fmt: skip


@inner
def split(proposed, uniforms, row):
    """Split an element; return what :func:`settle` wants to know."""
    divisible = count_divisible(proposed)
    if divisible == 0:
        return NOTHING
    left = np.int64(uniforms[row, WHICH] * divisible)
    e = -1
    while left >= 0:
        e += 1
        left -= size_of(proposed, e) > 1
    start = proposed.cut[e]
    size = size_of(proposed, e)
    part = 1 + np.int64(uniforms[row, WHICH_ELSE] * (size - 1))
    order = proposed.order
    for i in range(part):
        j = i + np.int64(uniforms[row, FURTHER + i] * (size - i))
        node = order[start + i]
        order[start + i] = order[start + j]
        order[start + j] = node
    elements = proposed.elements[0]
    for f in range(elements, e, -1):
        proposed.cut[f + 1] = proposed.cut[f]
    proposed.cut[e + 1] = start + part
    proposed.elements[0] = elements + 1
    # The way back is one of as many joins as there were elements.
    return e + 1, e + 2, math.log(divisible) + log_ways(size, part) - math.log(elements)


@inner
def join(proposed, uniforms, row):
    """Join an element with the next; return what :func:`settle` wants to know."""
    joins = proposed.elements[0] - 1
    if joins == 0:
        return NOTHING
    e = np.int64(uniforms[row, WHICH] * joins)
    part = size_of(proposed, e)
    size = part + size_of(proposed, e + 1)
    for f in range(e + 1, joins + 1):
        proposed.cut[f] = proposed.cut[f + 1]
    proposed.elements[0] = joins
    return e, e + 1, math.log(joins) - math.log(count_divisible(proposed)) - log_ways(size, part)


@inner
def swap(proposed, first, last):
    """Exchange the variables of two positions; return what :func:`settle` wants to know."""
    low = element_at(proposed, first)
    high = element_at(proposed, last)
    if low == high:
        return NOTHING
    node = proposed.order[first]
    proposed.order[first] = proposed.order[last]
    proposed.order[last] = node
    return low, high + 1, 0.0


@inner
def swap_neighbours(proposed, uniforms, row):
    """Exchange variables of two neighbouring elements; return what :func:`settle` wants to know."""
    joins = proposed.elements[0] - 1
    if joins == 0:
        return NOTHING
    e = np.int64(uniforms[row, WHICH] * joins)
    first = proposed.cut[e] + np.int64(uniforms[row, WHICH_ELSE] * size_of(proposed, e))
    last = proposed.cut[e + 1] + np.int64(uniforms[row, FURTHER] * size_of(proposed, e + 1))
    return swap(proposed, first, last)


HERE_OR_LATER, BEFORE, IN_PREVIOUS, ALONE = range(4)
"""Rows of ``Scratch.log_sums``: where the variable is, seen from an element of the others. BEFORE is before the element
just before this one, IN_PREVIOUS in it, and ALONE an element of its own between the two."""


@inner
def sum_around(node, target, scratch):
    """Sum over the parent sets of each element of the others, wherever ``node`` is, and of ``node`` at each place."""
    others = scratch.others
    workspace = scratch.workspace
    asked = workspace.asked
    for e in range(others.elements[0]):
        for where in range(4):
            if e == 0 and where in (BEFORE, IN_PREVIOUS):
                continue
            ask_element(others, e, asked)
            if where != HERE_OR_LATER:
                remove(asked, OUTSIDE, node)
            if where == ALONE:
                clear(asked, NEEDED)
            if where in (ALONE, IN_PREVIOUS):
                insert(asked, NEEDED, node)
            scratch.log_sums[where, e] = sum_element(others, e, target, workspace, others.log_sum)
    for e in range(others.elements[0] + 1):
        ask_element(others, e, asked)
        scratch.own[e] = -np.inf
        if not meets(target.earlier, node, asked, OUTSIDE):
            excuse(target, node, asked)
            scratch.own[e] = look_up(target.table, node, workspace)


@inner
def relocate(chain, target, scratch, position, uniform):
    """Draw a new place for a variable, given the partition of all others; return what :func:`settle` wants to know."""
    present = chain.present
    proposed = scratch.proposed
    others = scratch.others
    log_sums = scratch.log_sums
    log_weight = scratch.log_weight
    workspace = scratch.workspace
    node = present.order[position]
    old_place = take_out(present, position, others)
    sum_around(node, target, scratch)
    elements = others.elements[0]
    # First the elements up to the variable's place, then those after it. There are no differences of sums, because a
    # sum of no parent sets is -inf.
    total = 0.0
    for e in range(elements + 1):
        log_weight[2 * e] = total + scratch.own[e]
        if e < elements:
            total += log_sums[HERE_OR_LATER, e]
            log_weight[2 * e + 1] = total + scratch.own[e]
    total = 0.0
    for e in range(elements - 1, -1, -1):
        log_weight[2 * e] += log_sums[ALONE, e] + total
        if e > 0:
            log_weight[2 * e - 1] += log_sums[IN_PREVIOUS, e] + total
            total += log_sums[BEFORE, e]
    if target.tier.shape[0] > 0:
        for place in range(2 * elements + 1):
            put_in(others, node, place, proposed)
            log_weight[place] += weigh_tiers(
                proposed.order, proposed.cut, proposed.elements[0], target, workspace.lowest
            )  # fmt: skip
    place = draw_place(log_weight, 0, 2 * elements, uniform)
    if place == old_place:
        return NOTHING
    put_in(others, node, place, proposed)
    return 0, proposed.elements[0] - 1, np.inf


@in_place
def begin(chain, target, scratch, order, uniforms):
    """Set a chain to the partition of a DAG drawn, with one row of numbers, along an order that agrees with the rules.

    O(p^2), and a sum for each variable.
    """
    workspace = scratch.workspace
    present = chain.present
    ask_afresh(workspace.asked, order.shape[0])
    for j in range(order.shape[0]):
        node = order[j]
        log_total = look_up(target.table, node, workspace)
        workspace.chosen[node] = choose(target.table, node, workspace, log_total, uniforms[0, node])
        remove(workspace.asked, OUTSIDE, node)
    take_chosen(scratch.parents, target, workspace)
    find_layers(scratch.parents, target.earlier, scratch.placed, present)
    sum_elements(present, np.int64(0), present.elements[0] - 1, target, workspace)


@inner
def move_edges(chain, target, scratch, uniforms, row):
    """Draw a DAG and change its edges, or leave them; return what :func:`settle` wants to know."""
    proposed = scratch.proposed
    p = proposed.order.shape[0]
    draw_dag(chain.present, target, scratch.workspace, uniforms, row, np.int64(FURTHER))
    take_chosen(scratch.parents, target, scratch.workspace)
    is_changed = False
    for i in range(FURTHER + p, uniforms.shape[1], 2):
        is_changed |= change_dag(scratch.parents, target, scratch, uniforms[row, i], uniforms[row, i + 1])
    if not is_changed:
        return NOTHING
    find_layers(scratch.parents, target.earlier, scratch.placed, proposed)
    return 0, proposed.elements[0] - 1, np.inf


@inner
def step(chain, target, scratch, shares, uniforms, row):
    """Take a step with the random numbers in a row of ``uniforms``; return its kind, and whether it was accepted.

    ``shares`` are the probabilities of the kinds.
    """
    proposed = scratch.proposed
    p = proposed.order.shape[0]
    which = uniforms[row, WHICH]
    decision = uniforms[row, DECISION]
    kind = 0
    left = uniforms[row, KIND] - shares[0]
    while left >= 0.0 and kind < EDGES:
        kind += 1
        left -= shares[kind]
    copy_partition(chain.present, proposed)
    if kind == SPLIT:
        first, last, log_proposals = split(proposed, uniforms, row)
    elif kind == JOIN:
        first, last, log_proposals = join(proposed, uniforms, row)
    elif kind == SWAP:
        first, last = find_pair(np.int64(which * (p * (p - 1) // 2)))
        first, last, log_proposals = swap(proposed, first, last)
    elif kind == ADJACENT:
        first, last, log_proposals = swap_neighbours(proposed, uniforms, row)
    elif kind == RELOCATE:
        first, last, log_proposals = relocate(chain, target, scratch, np.int64(which * p), decision)
    else:
        first, last, log_proposals = move_edges(chain, target, scratch, uniforms, row)
    if last < 0:
        return kind, False
    return kind, decide(chain, target, scratch, first, last, log_proposals, decision)


@in_place
def run(chain, target, scratch, shares, until_draw, thin, uniforms, dag_uniforms, recorder, draws):
    """Take one step for each row of ``uniforms``.

    Draws are as in :class:`edgewise._kernels.orders.loop.Pace`. Each has a row of ``dag_uniforms``, and the recorder
    must have room for p new families a draw.
    """
    present = chain.present
    row = 0
    for i in range(uniforms.shape[0]):
        kind, is_accepted = step(chain, target, scratch, shares, uniforms, i)
        chain.moves[kind, 0] += 1
        chain.moves[kind, 1] += is_accepted
        if i + 1 == until_draw:
            draw_dag(present, target, scratch.workspace, dag_uniforms, row, np.int64(0))
            record(target, present.order, scratch.workspace, present.log_prior[0], recorder, draws, row)
            row += 1
            until_draw += thin

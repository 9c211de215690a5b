"""Order MCMC (Friedman & Koller 2003): a chain over orders, each with the sum of all DAGs along it.

The posterior of an order is a product over variables: the sum of the weights of all parent sets among its predecessors.
So a variable's sum changes only if its set of predecessors does. A step is one of three:

- *adjacent*: exchange two neighbours, and accept by the Metropolis rule. Two sums change.
- *swap*: the same for any two positions, and all sums from one to the other change.
- *relocate*: take one variable out, and put it back at a position drawn from its distribution given the order of all
  others. Nothing is rejected, and the step can reach every position. Each of the others has two sums, with and without
  the variable among its predecessors, and the variable has one at each position: about 2 p new sums.

All three leave the posterior unchanged. Adjacent exchanges alone connect all orders, also under constraints on who
comes before whom; and as a variable may be put back where it was, the chain is aperiodic.
"""

from typing import NamedTuple

import numpy as np

from ..basics.bits import has, insert, remove
from ..basics.metropolis import draw_place, is_rejected
from ..compiling import in_place, inner
from .parent_sets import OUTSIDE, Workspace, ask_afresh, choose, look_up, record, weigh_tiers

ADJACENT, SWAP, RELOCATE = range(3)
"""Rows of ``SummedOrder.moves``."""

KIND, WHICH, DECISION, NUMBERS = range(4)
"""Places of the random numbers of a step, and how many there are: the kind of move, which of its kind, and what becomes
of it."""


class SummedOrder(NamedTuple):
    """Where a chain is: the order, the log sum of each variable, and the log prior of the tiers.

    ``moves`` counts, for each kind, how many were proposed and accepted. ``cut`` has the places where each position
    begins, as :func:`weigh_tiers` wants it.
    """

    order: np.ndarray
    log_sum: np.ndarray
    log_prior: np.ndarray
    moves: np.ndarray
    cut: np.ndarray


class OrderProposal(NamedTuple):
    """Room for a proposal: an order, log sums by variable, and three numbers for each position."""

    workspace: Workspace
    order: np.ndarray
    log_sum: np.ndarray
    log_weight: np.ndarray
    within: np.ndarray
    without: np.ndarray


@inner
def find_pair(number):
    """Return the pair of positions i < j with a number from 0 up: (0, 1), (0, 2), (1, 2), (0, 3), ..."""
    j = np.int64((1.0 + np.sqrt(1.0 + 8.0 * number)) / 2.0)
    while j * (j - 1) // 2 > number:
        j -= 1
    while j * (j + 1) // 2 <= number:
        j += 1
    return number - j * (j - 1) // 2, j


@inner
def ask_prefix(order, position, asked):
    """Ask for sets among the first variables of an order, up to but without ``position``."""
    ask_afresh(asked, order.shape[0])
    for j in range(position):
        remove(asked, OUTSIDE, order[j])


@inner
def is_out_of_order(order, first, last, earlier):
    """Return whether one of the variables from ``first`` to ``last`` must come before one that is now before it.

    Only the variables at the two ends have moved.
    """
    for j in range(first, last + 1):
        if j < last and has(earlier, order[j], order[last]):
            return True
        if j > first and has(earlier, order[first], order[j]):
            return True
    return False


@inner
def exchange(chain, target, scratch, first, last, uniform):
    """Exchange two positions or leave them, by the Metropolis rule; return whether they were exchanged."""
    workspace = scratch.workspace
    order = chain.order
    a = order[first]
    b = order[last]
    order[first] = b
    order[last] = a
    is_accepted = False
    log_prior = chain.log_prior[0]
    if not is_out_of_order(order, first, last, target.earlier):
        log_ratio = 0.0
        ask_prefix(order, first, workspace.asked)
        for j in range(first, last + 1):
            node = order[j]
            scratch.log_sum[node] = look_up(target.table, node, workspace)
            log_ratio += scratch.log_sum[node] - chain.log_sum[node]
            remove(workspace.asked, OUTSIDE, node)
        if target.tier.shape[0] > 0:
            log_prior = weigh_tiers(order, chain.cut, order.shape[0], target, workspace.lowest)
            log_ratio += log_prior - chain.log_prior[0]
        is_accepted = not is_rejected(log_ratio, uniform)
    if is_accepted:
        chain.log_prior[0] = log_prior
        for j in range(first, last + 1):
            chain.log_sum[order[j]] = scratch.log_sum[order[j]]
    else:
        order[first] = a
        order[last] = b
    return is_accepted


@inner
def put_at(others, node, position, order):
    """Write into ``order`` the first p - 1 entries of ``others`` with ``node`` put in at ``position``."""
    for j in range(order.shape[0]):
        if j < position:
            order[j] = others[j]
        else:
            order[j] = others[j - 1] if j > position else node


@inner
def relocate(chain, target, scratch, position, uniform):
    """Draw a new position for the variable at ``position``, given the order of all others; return whether it moved.

    ``without[j]`` and ``within[j]`` are the log sums of the j-th of the others without and with the variable among its
    predecessors; ``log_weight[j]`` is first the variable's own log sum at position j.
    """
    workspace = scratch.workspace
    asked = workspace.asked
    order = chain.order
    p = order.shape[0]
    others = scratch.order
    node = order[position]
    for j in range(p - 1):
        others[j] = order[j] if j < position else order[j + 1]
    first = position
    while first > 0 and not has(target.earlier, node, others[first - 1]):
        first -= 1
    last = position
    while last < p - 1 and not has(target.earlier, others[last], node):
        last += 1

    ask_prefix(others, first, asked)
    for j in range(first, last + 1):
        scratch.log_weight[j] = look_up(target.table, node, workspace)
        if j < last:
            other = others[j]
            scratch.without[j] = chain.log_sum[other] if j < position else look_up(target.table, other, workspace)
            remove(asked, OUTSIDE, node)
            scratch.within[j] = chain.log_sum[other] if j >= position else look_up(target.table, other, workspace)
            insert(asked, OUTSIDE, node)
            remove(asked, OUTSIDE, other)
        scratch.log_sum[j] = scratch.log_weight[j]

    # Relative to the weight at the first position, each step to the right takes the variable past one of the others.
    passed = 0.0
    for j in range(first, last + 1):
        scratch.log_weight[j] += passed
        if j < last:
            passed += scratch.without[j] - scratch.within[j]
        if target.tier.shape[0] > 0:
            put_at(others, node, j, order)
            scratch.log_weight[j] += weigh_tiers(order, chain.cut, p, target, workspace.lowest)

    drawn = draw_place(scratch.log_weight, first, last, uniform)
    put_at(others, node, drawn, order)
    chain.log_sum[node] = scratch.log_sum[drawn]
    for j in range(first, last):
        chain.log_sum[others[j]] = scratch.without[j] if j < drawn else scratch.within[j]
    if target.tier.shape[0] > 0:
        chain.log_prior[0] = weigh_tiers(order, chain.cut, p, target, workspace.lowest)
    return drawn != position


@in_place
def sum_order(chain, target, workspace):
    """Compute the log sums and the log prior from the order."""
    order = chain.order
    ask_prefix(order, 0, workspace.asked)
    for j in range(order.shape[0]):
        chain.log_sum[order[j]] = look_up(target.table, order[j], workspace)
        remove(workspace.asked, OUTSIDE, order[j])
    chain.log_prior[0] = weigh_tiers(order, chain.cut, order.shape[0], target, workspace.lowest)


@inner
def draw_dag(order, log_sum, target, workspace, uniforms, row):
    """Choose parents for every variable, given the order, with the random numbers in a row of ``uniforms``."""
    ask_prefix(order, 0, workspace.asked)
    for j in range(order.shape[0]):
        node = order[j]
        workspace.chosen[node] = choose(target.table, node, workspace, log_sum[node], uniforms[row, node])
        remove(workspace.asked, OUTSIDE, node)


@inner
def step(chain, target, scratch, shares, uniforms, row):
    """Take a step with the random numbers in a row of ``uniforms``; return its kind, and whether the order changed.

    A step is a relocation with probability ``shares[RELOCATE]``, and so on.
    """
    p = chain.order.shape[0]
    which = uniforms[row, WHICH]
    decision = uniforms[row, DECISION]
    if uniforms[row, KIND] < shares[RELOCATE]:
        return RELOCATE, relocate(chain, target, scratch, np.int64(which * p), decision)
    if uniforms[row, KIND] < shares[RELOCATE] + shares[SWAP]:
        kind = SWAP
        first, last = find_pair(np.int64(which * (p * (p - 1) // 2)))
    else:
        kind = ADJACENT
        first = np.int64(which * (p - 1))
        last = first + 1
    return kind, exchange(chain, target, scratch, first, last, decision)


@in_place
def run(chain, target, scratch, shares, until_draw, thin, uniforms, dag_uniforms, recorder, draws):
    """Take one step for each row of ``uniforms``.

    Draws are as in :class:`edgewise._kernels.orders.loop.Pace`. Each has a row of ``dag_uniforms``, and the recorder
    must have room for p new families a draw.
    """
    row = 0
    for i in range(uniforms.shape[0]):
        kind, is_accepted = step(chain, target, scratch, shares, uniforms, i)
        chain.moves[kind, 0] += 1
        chain.moves[kind, 1] += is_accepted
        if i + 1 == until_draw:
            draw_dag(chain.order, chain.log_sum, target, scratch.workspace, dag_uniforms, row)
            record(target, chain.order, scratch.workspace, chain.log_prior[0], recorder, draws, row)
            row += 1
            until_draw += thin

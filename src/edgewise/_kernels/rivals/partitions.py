"""Ordered partitions of the variables, and the sums over all DAGs that have them.

Take away the variables of a DAG that have no parents, then those that have no parents left, and so on: every DAG has
one ordered partition into such elements. Given the partition, a variable's parents are in earlier elements, at least
one of them in the element just before its own; so the sum over all DAGs with a partition is a product over variables,
each with the sum of the weights of all such parent sets.

Where it is known that some variables come before others, they count as parents that need no edge: they must be in
earlier elements, and if one of them is in the element just before, no other parent need be. So every DAG that has no
cycle together with this knowledge still has one partition.
"""

from typing import NamedTuple

import numpy as np

from ..basics.bits import clear, copy, has, insert, is_equal, meets, remove
from ..compiling import in_place, inner
from .parent_sets import NEEDED, OUTSIDE, ask_afresh, choose, look_up, weigh_tiers


class Partition(NamedTuple):
    """An ordered partition: element e has the variables from position ``cut[e]`` to ``cut[e + 1]`` of ``order``.

    ``elements[0]`` is their number, ``log_sum`` has the log sum of each variable, and ``log_prior[0]`` is what the
    tiers say.
    """

    order: np.ndarray
    cut: np.ndarray
    elements: np.ndarray
    log_sum: np.ndarray
    log_prior: np.ndarray


def new_partition(p: int) -> Partition:
    """Return a partition of p variables, still without meaning."""
    return Partition(np.zeros(p, np.int64), np.zeros(p + 1, np.int64), np.zeros(1, np.int64), np.zeros(p), np.zeros(1))


@inner
def copy_partition(source, destination):
    """Make one partition equal to another."""
    destination.elements[0] = source.elements[0]
    destination.log_prior[0] = source.log_prior[0]
    for j in range(source.order.shape[0]):
        destination.order[j] = source.order[j]
        destination.log_sum[j] = source.log_sum[j]
    for e in range(source.elements[0] + 1):
        destination.cut[e] = source.cut[e]


@inner
def ask_element(partition, e, asked):
    """Ask for the parent sets of variables in element e."""
    ask_afresh(asked, partition.order.shape[0])
    for j in range(partition.cut[e]):
        remove(asked, OUTSIDE, partition.order[j])
    if e > 0:
        clear(asked, NEEDED)
        for j in range(partition.cut[e - 1], partition.cut[e]):
            insert(asked, NEEDED, partition.order[j])


@inner
def excuse(target, node, asked):
    """Need nothing if a variable known to come before this one is needed; return whether that is a change."""
    p = target.edge.shape[0]
    if has(asked, NEEDED, p) or not meets(target.earlier, node, asked, NEEDED):
        return False
    insert(asked, NEEDED, p)
    return True


@inner
def sum_element(partition, e, target, workspace, log_sum):
    """Return the sum of the log sums that are asked for over the variables of element e, and set those of each."""
    asked = workspace.asked
    total = 0.0
    for j in range(partition.cut[e], partition.cut[e + 1]):
        node = partition.order[j]
        log_sum[node] = -np.inf
        if not meets(target.earlier, node, asked, OUTSIDE):
            is_excused = excuse(target, node, asked)
            log_sum[node] = look_up(target.table, node, workspace)
            if is_excused:
                remove(asked, NEEDED, target.edge.shape[0])
        total += log_sum[node]
        if total == -np.inf:
            break
    return total


@in_place
def sum_elements(partition, first, last, target, workspace):
    """Compute the log sums of elements from ``first`` to ``last``, and the log prior; return the sum of the former."""
    total = 0.0
    for e in range(first, last + 1):
        ask_element(partition, e, workspace.asked)
        total += sum_element(partition, e, target, workspace, partition.log_sum)
        if total == -np.inf:
            return total
    partition.log_prior[0] = weigh_tiers(
        partition.order, partition.cut, partition.elements[0], target, workspace.lowest
    )  # fmt: skip
    return total


@inner
def size_of(partition, e):
    """Return the number of variables in element e."""
    return partition.cut[e + 1] - partition.cut[e]


@inner
def count_divisible(partition):
    """Return the number of elements with two or more variables."""
    number = 0
    for e in range(partition.elements[0]):
        number += size_of(partition, e) > 1
    return number


@inner
def element_at(partition, position):
    """Return the element that has a position."""
    e = 0
    while partition.cut[e + 1] <= position:
        e += 1
    return e


@inner
def take_out(partition, position, others):
    """Make ``others`` the partition without the variable at a position; return its place, as for :func:`put_in`."""
    e = element_at(partition, position)
    is_alone = size_of(partition, e) == 1
    for j in range(partition.order.shape[0] - 1):
        others.order[j] = partition.order[j] if j < position else partition.order[j + 1]
    others.elements[0] = partition.elements[0] - is_alone
    for f in range(others.elements[0] + 1):
        others.cut[f] = partition.cut[f] if f <= e else partition.cut[f + is_alone] - 1
    return 2 * e + (not is_alone)


@inner
def put_in(others, node, place, partition):
    """Make ``partition`` the others with ``node`` before element e, at place 2 e, or in it, at place 2 e + 1."""
    e = place // 2
    is_inside = place % 2
    position = others.cut[e + is_inside]
    for j in range(partition.order.shape[0]):
        if j < position:
            partition.order[j] = others.order[j]
        else:
            partition.order[j] = others.order[j - 1] if j > position else node
    elements = others.elements[0] + 1 - is_inside
    partition.elements[0] = elements
    for f in range(elements + 1):
        partition.cut[f] = others.cut[f] if f <= e else others.cut[f - 1 + is_inside] + 1


@inner
def draw_dag(partition, target, workspace, uniforms, row, start):
    """Choose parents for every variable, given the partition, with p numbers from place ``start`` of a row."""
    asked = workspace.asked
    for e in range(partition.elements[0]):
        ask_element(partition, e, asked)
        for j in range(partition.cut[e], partition.cut[e + 1]):
            node = partition.order[j]
            is_excused = excuse(target, node, asked)
            workspace.chosen[node] = choose(
                target.table, node, workspace, partition.log_sum[node], uniforms[row, start + node]
            )  # fmt: skip
            if is_excused:
                remove(asked, NEEDED, target.edge.shape[0])


@inner
def find_layers(parents, earlier, placed, partition):
    """Make ``partition`` that of a DAG and of what is known to come earlier; return False if there is a cycle."""
    p = partition.order.shape[0]
    clear(placed, 0)
    elements = 0
    position = 0
    partition.cut[0] = 0
    while position < p:
        copy(placed, 0, placed, 1)
        for v in range(p):
            if not has(placed, 1, v):
                missing = np.uint64(0)
                for w in range(placed.shape[1]):
                    missing |= (parents[v, w] | earlier[v, w]) & ~placed[1, w]
                if missing == np.uint64(0):
                    partition.order[position] = v
                    position += 1
                    insert(placed, 0, v)
        if is_equal(placed, 0, placed, 1):
            return False
        elements += 1
        partition.cut[elements] = position
    partition.elements[0] = elements
    return True

"""Sums over all DAGs, each counted once, by inclusion and exclusion over sets of variables.

Robinson (1973), "Counting labeled acyclic digraphs"; Tian & He (2009), "Computing posterior probabilities of structural
features in Bayesian networks", UAI.

Take a DAG, and from it some of the variables without children: what is left is a DAG on a set U, and the parents of
each variable in T, the set that was taken, are any within U. So the sum over all U and T has every DAG once for each
choice of T, and once in all if sets T of odd size are added, and those of even size subtracted: the sum of
(-1)^(|T| + 1) over all T but the empty set is 1.

Little is lost by the subtraction. The terms of a DAG in the sums over all U that lead to it, taken without their signs,
are fewer than 3^p times its weight. So the error is less than about 3^p roundings: 5e-10 of the total for p = 14, where
roundings are all of one sign, and thousands of times less in practice.

A set of variables is a number: bit i is variable i. Weights of families differ by thousands of powers of e. So what is
summed up for a set is kept in units of a power of two that belongs to the set, about the weight of the best DAG on it.
What then is less than a double can show is as little beside the sum over all DAGs, and taken for zero. Multiplying by a
power of two rounds nothing.

Legend
------
family : (p, 2^p)
    family[j, G] is the log weight of parents G of variable j: local score plus log prior; -inf where j is in G.
within, unit : (p, 2^p)
    within[j, S] * 2^unit[j, S] is the sum of the weights of all parents of j within S.
top : (2^p,)
    2^top[S] is the unit of sums over DAGs on S. The weight of a DAG on S is at most 2^p times that.
first, step : (2^p + 1,), (3^p,)
    From first[U] on, ``step`` has a number for every set T of variables that are not in U, as they are counted: the
    weights of all parents within U of those in T, times (-1)^(|T| + 1), in the unit of U + T over that of U. It is zero
    for the empty set.
below : (2^p,)
    below[S] is the sum over all DAGs on S.
above : (2^p,)
    above[S] is the sum over all ways to add the variables that are not in S, with parents in S and among each other.
"""

from typing import NamedTuple

import numpy as np

from ..compiling import in_place, inner

IMPOSSIBLE = -(1 << 40)
"""The unit of zero. Weights are above it: their logarithms beside the best of a variable are not so low, or count as
zero."""

SMALLEST = -1000
"""Lower powers of two count as zero; a double has them down to -1074."""


class Sums(NamedTuple):
    """All that is known of the DAGs of p variables, see the legend, and room for a number per set and per variable."""

    within: np.ndarray
    unit: np.ndarray
    top: np.ndarray
    first: np.ndarray
    step: np.ndarray
    below: np.ndarray
    above: np.ndarray
    power: np.ndarray
    product: np.ndarray
    added: np.ndarray


def new_sums(p: int) -> Sums:
    """Return room for the sums over DAGs of p variables: 8 * 3^p bytes, and 16 p 2^p and a little more."""
    sets = 1 << p
    return Sums(
        within=np.empty((p, sets)),
        unit=np.empty((p, sets), np.int64),
        top=np.empty(sets, np.int64),
        first=np.empty(sets + 1, np.int64),
        step=np.empty(3**p),
        below=np.empty(sets),
        above=np.empty(sets),
        power=np.empty(sets, np.int64),
        product=np.empty(sets),
        added=np.empty(p),
    )


@inner
def scaled(number, power):
    """Return a number times two to a power, which is not positive unless the number is zero."""
    if number == 0.0 or power < SMALLEST:
        return 0.0
    return np.ldexp(number, power)


@inner
def split_weights(family, sums):
    """Set the weights of single families, in units of each variable's best, and return the log of these units."""
    log_units = 0.0
    for j in range(family.shape[0]):
        best = -np.inf
        for parents in range(family.shape[1]):
            best = max(best, family[j, parents])
        log_units += best
        for parents in range(family.shape[1]):
            sums.within[j, parents] = 0.0
            sums.unit[j, parents] = IMPOSSIBLE
            log_weight = family[j, parents] - best
            if log_weight > IMPOSSIBLE:
                power = np.floor(log_weight / np.log(2.0))
                sums.within[j, parents] = np.exp(log_weight - power * np.log(2.0))
                sums.unit[j, parents] = int(power)
    return log_units


@inner
def add_subsets(sums):
    """Replace each weight by the sum over all subsets of its set."""
    within, unit = sums.within, sums.unit
    for j in range(within.shape[0]):
        bit = 1
        while bit < within.shape[1]:
            for members in range(within.shape[1]):
                if members & bit:
                    other = members ^ bit
                    common = max(unit[j, members], unit[j, other])
                    within[j, members] = scaled(within[j, members], unit[j, members] - common)
                    within[j, members] += scaled(within[j, other], unit[j, other] - common)
                    unit[j, members] = common
            bit <<= 1


@inner
def share(sums, j, some, members):
    """Return the share that parents of j within some members have in the weight of those within all members."""
    if sums.within[j, members] == 0.0:
        return 0.0
    power = sums.unit[j, some] - sums.unit[j, members]
    return scaled(sums.within[j, some], power) / sums.within[j, members]


@inner
def find_tops(needed, sums):
    """Set ``top``: the last variable of the best DAG on a set has the best parents among the others."""
    top, unit = sums.top, sums.unit
    top[0] = 0
    for members in range(1, top.shape[0]):
        top[members] = 2 * unit.shape[0] * IMPOSSIBLE
        for j in range(unit.shape[0]):
            others = members ^ (1 << j)
            if members >> j & 1 and needed[j] & ~others == 0:
                top[members] = max(top[members], top[others] + unit[j, others])


@inner
def weigh_steps(needed, sums):
    """Set ``step`` and ``first``."""
    step, power = sums.step, sums.power
    p, sets = sums.within.shape
    sums.first[0] = 0
    for members in range(sets):
        begin = sums.first[members]
        step[begin] = -1.0
        power[0] = sums.top[members]
        size = 1
        for j in range(p):
            if not members >> j & 1:
                weight = sums.within[j, members] if needed[j] & ~members == 0 else 0.0
                for k in range(size):
                    step[begin + size + k] = -step[begin + k] * weight
                    power[size + k] = power[k] + sums.unit[j, members]
                size *= 2
        rest = sets - 1 - members
        others = 0
        for k in range(size):
            step[begin + k] = scaled(step[begin + k], power[k] - sums.top[members | others])
            others = (others - rest) & rest
        step[begin] = 0.0
        sums.first[members + 1] = begin + size


@inner
def sum_below(sums):
    """Set ``below`` for all sets."""
    below = sums.below
    sets = below.shape[0]
    below[:] = 0.0
    below[0] = 1.0
    for members in range(sets):
        rest = sets - 1 - members
        others = 0
        for k in range(sums.first[members], sums.first[members + 1]):
            below[members | others] += sums.step[k] * below[members]
            others = (others - rest) & rest


@inner
def sum_above(sums):
    """Set ``above`` for all sets."""
    above = sums.above
    sets = above.shape[0]
    above[sets - 1] = 1.0
    for members in range(sets - 2, -1, -1):
        above[members] = 0.0  # read, but not used, with the empty set
        rest = sets - 1 - members
        total = 0.0
        others = 0
        for k in range(sums.first[members], sums.first[members + 1]):
            total += sums.step[k] * above[members | others]
            others = (others - rest) & rest
        above[members] = total


@in_place
def sum_over_dags(family, needed, sums):
    """Return the log of the total weight of all DAGs, and leave in ``sums`` what leads to it.

    ``needed[j]`` are variables that must come before j, though they need not be its parents.
    """
    log_units = split_weights(family, sums)
    add_subsets(sums)
    find_tops(needed, sums)
    weigh_steps(needed, sums)
    sum_below(sums)
    return log_units + sums.top[-1] * np.log(2.0) + np.log(sums.below[-1])


@in_place
def find_edges(sums, edges):
    """Set ``edges[i, j]`` to the probability of i -> j, given the sums; costs p 3^p."""
    sum_above(sums)
    below, added = sums.below, sums.added
    p = edges.shape[0]
    sets = below.shape[0]
    edges[:] = 0.0
    for members in range(sets):
        # For each other variable, the signed share of the DAGs in which it is among those added to these members.
        added[:] = 0.0
        rest = sets - 1 - members
        others = 0
        for k in range(sums.first[members], sums.first[members + 1]):
            amount = below[members] * sums.step[k] * sums.above[members | others] / below[sets - 1]
            for j in range(p):
                if others >> j & 1:
                    added[j] += amount
            others = (others - rest) & rest
        for i in range(p):
            if members >> i & 1:
                for j in range(p):
                    if not members >> j & 1:
                        edges[i, j] += added[j] * (1.0 - share(sums, j, members ^ (1 << i), members))


@inner
def sum_reached(outside, sums):
    """Set ``above`` for all sets that contain those outside and more.

    Here all variables that are not in a set have a parent in it, or among each other, that is not outside.
    """
    above, product = sums.above, sums.product
    p, sets = sums.within.shape
    above[sets - 1] = 1.0
    inside = sets - 1 - outside
    chosen = (inside - 1) & inside
    while chosen:
        members = outside | chosen
        product[0] = 1.0
        size = 1
        for j in range(p):
            if not members >> j & 1:
                connected = 1.0 - share(sums, j, outside, members)
                for k in range(size):
                    product[size + k] = product[k] * connected
                size *= 2
        above[members] = 0.0
        begin = sums.first[members]
        rest = sets - 1 - members
        total = 0.0
        others = 0
        for k in range(size):
            total += product[k] * sums.step[begin + k] * above[members | others]
            others = (others - rest) & rest
        above[members] = total
        chosen = (chosen - 1) & inside


@in_place
def find_paths(sums, paths):
    """Set ``paths[i, j]`` to the probability of a path from i to j, given the sums; 1 on the diagonal. Costs 4^p.

    A variable that is no descendant of i has no parents among i and its descendants. So a DAG consists of one on those
    outside, of i, which has all its parents there, and of the descendants, each with a parent that is not outside. No
    variable may be needed before another.
    """
    p = paths.shape[0]
    sets = sums.below.shape[0]
    paths[:] = 0.0
    for outside in range(sets - 1):
        sum_reached(outside, sums)
        size = 1
        for i in range(p):
            if not outside >> i & 1:
                step = sums.step[sums.first[outside] + size]
                probability = sums.below[outside] * step * sums.above[outside | 1 << i] / sums.below[sets - 1]
                for j in range(p):
                    if not outside >> j & 1:
                        paths[i, j] += probability
                size *= 2

"""A distribution over DAGs as data see it: equivalence classes, and what is open within each.

No rows tell the members of an equivalence class apart, as interventions so far divide them. Rows in which one more
variable T is set tell them apart exactly by the parents of T (see :mod:`edgewise.graphs.equivalence`), so all that an
experiment can add is about the open edges of a class. These fall into chain components, which are directed
independently of each other (:mod:`edgewise.graphs.components`). So for each component there is a table of the ways to
direct it, with their probabilities, and the same component in many classes needs one table only. How probable the ways
are is known in one of three manners:

``"uniform"``
    All members of a class that agree with the constraints are equally probable, since score and prior are the same for
    all. Whichever of them was drawn, the table lists all. This is exact, and does not need a class to be drawn twice.
``"drawn"``
    They are not, or it is not known. Then they are as probable as among all draws that have the same component, as if
    that did not depend on the rest of the graph.
``"listed"``
    DAGs and weights are the whole distribution. Then a class is taken as it is, with all its open edges in one table.

A component of more than ``MOST_MEMBERS`` members is always taken as it was drawn.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from edgewise._kernels.graphs.orientation import exclude
from edgewise.graphs import BoolMatrix
from edgewise.graphs.components import label_open, list_members
from edgewise.priors import Knowledge

from .draws import split

Way = Literal["uniform", "drawn", "listed"]


@dataclass(frozen=True, eq=False)
class WeighedDags:
    """DAGs with weights: ``take(part)`` returns some of them, shape (some, p, p).

    ``told`` is what interventions tell of directions, ``knowledge`` what constraints say, and ``way`` how probable the
    members of a class are, see the module's docstring.
    """

    p: int
    weight: np.ndarray
    take: Callable[[slice | np.ndarray], BoolMatrix]
    told: BoolMatrix
    knowledge: Knowledge | None
    way: Way

    @cached_property
    def classes(self) -> "Classes":
        """Their equivalence classes."""
        return find_classes(self)


@dataclass(frozen=True, eq=False)
class Factor:
    """Some open edges, and the ways to direct them together.

    Attributes
    ----------
    edges : ndarray, shape (edges, 2)
        The edges i - j, i < j.
    is_forward : ndarray of bool, shape (members, edges)
        Whether each way has i -> j.
    share : ndarray, shape (members,)
        Their probabilities; they add up to one.
    vertices : ndarray, shape (vertices,)
    states : ndarray of uint64, shape (members, vertices)
        A number for the parents of each variable among the others: alike where they are the same.
    """

    edges: np.ndarray
    is_forward: BoolMatrix
    share: np.ndarray
    vertices: np.ndarray
    states: np.ndarray


@dataclass(frozen=True, eq=False)
class Classes:
    """Equivalence classes with their probabilities.

    Attributes
    ----------
    weight : ndarray, shape (classes,)
    member : ndarray, shape (classes,)
        The number of a DAG of each.
    factors
        The distinct factors.
    factor_weight : ndarray, shape (factors,)
        The probability of the classes that have each.
    holder, held : ndarray
        Pairs of a DAG and a factor that it has.
    directed : ndarray, shape (p, p)
        The probability of every edge i -> j.
    """

    weight: np.ndarray
    member: np.ndarray
    factors: list[Factor]
    factor_weight: np.ndarray
    holder: np.ndarray
    held: np.ndarray
    directed: np.ndarray

    def factors_of(self, dag: int) -> list[Factor]:
        """Return the factors of the class of a DAG."""
        start, stop = np.searchsorted(self.holder, [dag, dag + 1])
        return [self.factors[number] for number in self.held[start:stop]]


class _OpenEdges(NamedTuple):
    """Edges that data leave open: of which DAG, i -> j in it, and whether constraints settle it.

    ``key`` has a number for the class of each DAG, and ``directed`` the sum of all DAGs by weight.
    """

    dag: np.ndarray
    source: np.ndarray
    target: np.ndarray
    is_settled: np.ndarray
    key: np.ndarray
    directed: np.ndarray


def find_classes(dags: WeighedDags) -> Classes:
    """Return the classes of some DAGs, and their factors."""
    # Sums of random numbers stand for sets; two of a million different ones agree with probability below 1e-7.
    names, turned = np.random.default_rng(0).integers(2**64, size=(2, dags.p, dags.p), dtype=np.uint64)
    found = _find_open(dags, names)
    weight = dags.weight / dags.weight.sum()
    _, member, of_class = np.unique(found.key, return_index=True, return_inverse=True)

    part = found.dag if dags.way == "listed" else _connect(found, dags.p)
    low, high = np.minimum(found.source, found.target), np.maximum(found.source, found.target)
    order = np.lexsort((high, low, part))
    part, low, high = part[order], low[order], high[order]
    is_forward, is_settled = (found.source == np.minimum(found.source, found.target))[order], found.is_settled[order]
    start = np.flatnonzero(np.r_[True, part[1:] != part[:-1]]) if len(part) else np.zeros(0, int)
    holder = found.dag[order][start]
    # Components are the same where they have the same edges, and constraints settle the same of these.
    same = np.zeros(len(start), np.uint64)
    ways = np.zeros(len(start), np.uint64)
    if len(start):
        directions = np.where(is_forward, turned[low, high], turned[high, low])
        ways = np.add.reduceat(directions, start)
        same = np.add.reduceat(names[low, high], start)
        if dags.way == "listed":
            same = found.key[holder]
        elif dags.way == "uniform":
            same = same + np.add.reduceat(np.where(is_settled, directions, np.uint64(0)), start)
    _, first, held = np.unique(same, return_index=True, return_inverse=True)
    stop = np.r_[start[1:], len(part)]
    members = _list_drawn(held, ways, weight[holder])
    factors, total = [], np.bincount(held, weight[holder], len(first))
    for number, one in enumerate(first):
        here = slice(start[one], stop[one])
        edges = np.stack([low[here], high[here]], axis=1)
        every = _list_all(edges, is_forward[here], is_settled[here]) if dags.way == "uniform" else None
        if every is None:
            drawn, share = members[number]
            every = np.array([is_forward[start[k] : stop[k]] for k in drawn])
            share = share / share.sum()
        else:
            share = np.full(len(every), 1 / len(every))
        factors.append(_make_factor(edges, every[share > 0], share[share > 0], turned))
    by_dag = np.argsort(holder, kind="stable")
    directed = _average(found, factors, total, weight)
    return Classes(np.bincount(of_class, weight), member, factors, total, holder[by_dag], held[by_dag], directed)


def _find_open(dags: WeighedDags, names: np.ndarray) -> _OpenEdges:
    excluded = exclude(told=dags.told)
    known = None if dags.knowledge is None else dags.knowledge.tell_apart(dags.told)
    number, places, settled = [], [], []
    key = np.empty(len(dags.weight), np.uint64)
    directed = np.zeros((dags.p, dags.p))
    for part in split(0, len(key), dags.p**2):
        stack = dags.take(part)
        directed += np.tensordot(dags.weight[part] / dags.weight.sum(), stack, axes=1)
        left = None if known is None else label_open(stack, known)
        for k, is_open in enumerate(label_open(stack, excluded)):
            place = np.flatnonzero(is_open)
            source, target = np.divmod(place, dags.p)
            there = np.concatenate([np.flatnonzero(stack[k]), target * dags.p + source])
            key[part.start + k] = names.ravel()[there].sum()
            number.append(np.full(len(place), part.start + k))
            places.append(place)
            settled.append(np.zeros(len(place), bool) if left is None else ~next(left).ravel()[place])
    source, target = np.divmod(np.concatenate(places), dags.p)
    return _OpenEdges(np.concatenate(number), source, target, np.concatenate(settled), key, directed)


def _connect(found: _OpenEdges, p: int) -> np.ndarray:
    """Return, for each edge, a number that is the same within a connected component of the open edges of a DAG."""
    one, other = found.dag * p + found.source, found.dag * p + found.target
    label = np.arange(len(found.key) * p)
    while True:
        least = np.minimum(label[one], label[other])
        if (label[one] == least).all() and (label[other] == least).all():
            return np.asarray(label[one])
        np.minimum.at(label, one, least)
        np.minimum.at(label, other, least)
        label = label[label]


def _list_drawn(held: np.ndarray, ways: np.ndarray, weight: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return, for each distinct component, an example of each way in which it was drawn, and their weights."""
    order = np.lexsort((ways, held))
    is_new = np.r_[True, (held[order][1:] != held[order][:-1]) | (ways[order][1:] != ways[order][:-1])][: len(order)]
    first = np.flatnonzero(is_new)
    share = np.add.reduceat(weight[order], first) if len(first) else np.zeros(0)
    number = held[order][first]
    starts = np.searchsorted(number, np.arange(number.max(initial=-1) + 2))
    return [(order[first[a:b]], share[a:b]) for a, b in pairwise(starts.tolist())]


def _list_all(edges: np.ndarray, is_forward: np.ndarray, is_settled: np.ndarray) -> BoolMatrix | None:
    """Return all ways to direct a component that agree with what is settled, as it is drawn; None if too many."""
    local = np.searchsorted(np.unique(edges), edges)
    members = list_members(tuple(map(tuple, local.tolist())))
    if members is None or not is_settled.any():
        return members
    return np.asarray(members[(members == is_forward)[:, is_settled].all(axis=1)])


def _make_factor(edges: np.ndarray, is_forward: BoolMatrix, share: np.ndarray, names: np.ndarray) -> Factor:
    vertices = np.unique(edges)
    low, high = edges.T
    directions = np.where(is_forward, names[low, high], names[high, low])
    touches = (vertices[:, None, None] == edges).any(axis=2)
    return Factor(edges, is_forward, share, vertices, directions @ touches.T.astype(np.uint64))


def _average(found: _OpenEdges, factors: Iterable[Factor], total: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the probability of every edge, with those that are open as probable as the factors have them."""
    directed = found.directed.copy()
    np.subtract.at(directed, (found.source, found.target), weight[found.dag])
    for factor, mass in zip(factors, total, strict=True):
        low, high = factor.edges.T
        forward = factor.share @ factor.is_forward
        directed[low, high] += mass * forward
        directed[high, low] += mass * (1 - forward)
    return directed.clip(0, 1)

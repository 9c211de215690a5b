"""What an experiment is to tell about: the DAG, its edges, or a feature of it."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from edgewise.data import find_columns
from edgewise.errors import ArgumentError
from edgewise.graphs import BoolMatrix
from edgewise.wording import quote

from .classes import Classes, Factor, WeighedDags
from .draws import split, take_evenly
from .partitions import Partition, join

About = str | tuple[str, ...] | Callable[..., Any] | None
"""A question as it is asked."""

DIRECTED = "directed edges"

MOST_CLASSES, MOST_MEMBERS = 500, 128
"""Classes, and members of each, at which a feature is looked at: a systematic sample where there are more."""


class Feature:
    """A feature of DAGs: it has a value for each DAG, and depends on some open edges only."""

    def is_touched(self, factor: Factor, graph: BoolMatrix) -> bool:
        """Return whether the feature can depend on how a factor of a class is directed; ``graph`` is its CPDAG."""
        return True

    def values(self, dags: BoolMatrix, graph: BoolMatrix) -> Sequence[Hashable]:
        """Return the feature of members of a class, shape (some, p, p)."""
        raise NotImplementedError


class Parents(Feature):
    """The parents of a variable."""

    def __init__(self, variable: int) -> None:
        self.variable = variable

    def is_touched(self, factor: Factor, graph: BoolMatrix) -> bool:
        """Only the edges of the variable count, and they are in one factor."""
        return self.variable in factor.vertices

    def values(self, dags: BoolMatrix, graph: BoolMatrix) -> Sequence[Hashable]:
        """Return the parents, as bytes."""
        return [dag[:, self.variable].tobytes() for dag in dags]


class Path(Feature):
    """Whether there is a directed path from one variable to another."""

    def __init__(self, source: int, target: int) -> None:
        self.source, self.target = source, target

    def is_touched(self, factor: Factor, graph: BoolMatrix) -> bool:
        """Only edges that can be on such a path count."""
        is_between = self._between(graph)
        return bool((is_between[factor.edges[:, 0]] & is_between[factor.edges[:, 1]]).any())

    def values(self, dags: BoolMatrix, graph: BoolMatrix) -> Sequence[Hashable]:
        """Return whether there is a path."""
        chosen = np.flatnonzero(self._between(graph))
        if not {self.source, self.target} <= {*chosen.tolist()}:
            return [False] * len(dags)
        few = dags[:, chosen[:, None], chosen].astype(np.uint8)
        reached = np.zeros((len(dags), 1, len(chosen)), np.uint8)
        reached[:, 0, np.searchsorted(chosen, self.source)] = 1
        for _ in chosen:
            further = np.minimum(reached + reached @ few, 1)
            if (further == reached).all():
                break
            reached = further
        return [bool(one) for one in reached[:, 0, np.searchsorted(chosen, self.target)]]

    def _between(self, graph: BoolMatrix) -> BoolMatrix:
        """Return which variables can be on a path, if every open edge pointed either way."""
        return np.asarray(_reach(graph, self.source) & _reach(graph.T, self.target))


class Function(Feature):
    """Whatever a function of the user returns."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def values(self, dags: BoolMatrix, graph: BoolMatrix) -> Sequence[Hashable]:
        """Return what the function returns."""
        return [self._ask(dag) for dag in dags]

    def _ask(self, dag: BoolMatrix) -> Hashable:
        try:
            value = self.function(dag.copy())
        except Exception as error:
            raise ArgumentError(
                f"The function in about failed on a DAG with {int(dag.sum())} edges "
                f"({type(error).__name__}: {quote(str(error))}): it must take a boolean array, shape (p, p)."
            ) from error
        value = value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
        if value is None or not isinstance(value, Hashable) or value != value:
            found = "None" if value is None else "nan" if isinstance(value, float) else f"a {type(value).__name__}"
            raise ArgumentError(
                f"The function in about must return a number, a text or a tuple for each DAG, but it returned {found}."
            )
        return value


def read_question(about: About, nodes: Sequence[str]) -> Feature | None:
    """Return the feature that is asked about; None if it is the DAG or its directed edges.

    Raises
    ------
    ArgumentError
        If the question is not understood.
    """
    if about is None or (isinstance(about, str) and about == DIRECTED):
        return None
    if callable(about):
        return Function(about)
    if isinstance(about, tuple | list) and len(about) >= 1 and all(isinstance(part, str | int) for part in about):
        kind, *variables = about
        if kind == "parents" and len(variables) == 1:
            return Parents(find_columns(nodes, variables)[0])
        if kind == "path" and len(variables) == 2:
            source, target = find_columns(nodes, variables)
            if source == target:
                raise ArgumentError(f"A path leads from one variable to another, but about has {quote(about)}.")
            return Path(source, target)
    raise ArgumentError(
        f"about must be None, 'directed edges', ('parents', variable), ('path', source, target) or a function of the "
        f"DAG, but {quote(about)} was given."
    )


def divide_feature(dags: WeighedDags, classes: Classes, feature: Feature) -> tuple[Partition, float]:
    """Return the partition of members of classes with a feature as label, and what the classes tell of it, in bits.

    Of many classes, and of many members of one, it is a systematic sample; classes whose open edges are in one factor
    have all their members in it.
    """
    rng = np.random.default_rng(0)
    weight, chosen = classes.weight, np.arange(len(classes.weight))
    if dags.way != "listed" and len(chosen) > MOST_CLASSES:
        chosen, times = np.unique(take_evenly(weight, MOST_CLASSES, rng.random()), return_counts=True)
        weight = times / MOST_CLASSES
    labels: dict[Hashable, int] = {}
    block, share, label, entries, begin = [], [], [], [], 0
    for part in split(0, len(chosen), dags.p**2):
        stack = dags.take(classes.member[chosen[part]])
        for number, dag in zip(range(part.start, part.stop), stack, strict=True):
            graph, factors = dag.copy(), classes.factors_of(int(classes.member[chosen[number]]))
            for factor in factors:
                graph[factor.edges[:, 1], factor.edges[:, 0]] = graph[factor.edges[:, 0], factor.edges[:, 1]] = True
            touched = [factor for factor in factors if feature.is_touched(factor, graph)]
            members, chance = _combine([factor.share for factor in touched], rng)
            values = feature.values(_direct(dag, touched, members), graph)
            label.append(np.array([labels.setdefault(value, len(labels)) for value in values]))
            block.append(np.full(len(chance), number))
            share.append(weight[number] * chance)
            for factor, which in zip(touched, members, strict=True):
                width = len(factor.vertices)
                entries.append(
                    (
                        np.repeat(np.arange(begin, begin + len(which)), width),
                        np.tile(factor.vertices, len(which)),
                        factor.states[which].ravel(),
                    )
                )
            begin += len(chance)
    rows, variables, states = (join([entry[k] for entry in entries]) for k in range(3))
    blocks, shares, found = join(block), join(share), join(label)
    given = np.unique(blocks * len(labels) + found, return_inverse=True)[1]
    in_class, in_all = np.bincount(blocks, shares)[blocks], np.bincount(found, shares)[found]
    known = float(shares @ np.log2(np.bincount(given, shares)[given] / (in_class * in_all)))
    partition = Partition(
        dags.p,
        (blocks, shares),
        (rows.astype(np.int64), variables.astype(np.int64), states.astype(np.uint64)),
        label=found,
    )
    return partition, known


def _combine(shares: list[np.ndarray], rng: np.random.Generator) -> tuple[list[np.ndarray], np.ndarray]:
    """Return members of a class: which of each factor's ways each of them has, and their probabilities."""
    if not shares:
        return [], np.ones(1)
    total = float(np.prod([float(len(share)) for share in shares]))
    if len(shares) == 1 or total <= MOST_MEMBERS:
        places = np.indices([len(share) for share in shares]).reshape(len(shares), -1)
        chance = np.ones(int(total))
        for share, which in zip(shares, places, strict=True):
            chance = chance * share[which]
        return list(places), chance
    members = [rng.permutation(take_evenly(share, MOST_MEMBERS, rng.random())) for share in shares]
    return members, np.full(MOST_MEMBERS, 1 / MOST_MEMBERS)


def _direct(dag: BoolMatrix, factors: list[Factor], members: list[np.ndarray]) -> BoolMatrix:
    """Return members of the class of a DAG, shape (some, p, p)."""
    dags = np.repeat(dag[None], len(members[0]) if members else 1, axis=0)
    for factor, which in zip(factors, members, strict=True):
        low, high = factor.edges.T
        dags[:, low, high] = factor.is_forward[which]
        dags[:, high, low] = ~factor.is_forward[which]
    return dags


def _reach(graph: BoolMatrix, start: int) -> BoolMatrix:
    reached = np.zeros(len(graph), bool)
    reached[start] = True
    while True:
        further = reached | graph[reached].any(axis=0)
        if (further == reached).all():
            return reached
        reached = further

"""Slow, obvious twins of edgewise.posterior.information: sums over listed DAGs, grouped by what data can tell."""

from collections import defaultdict
from functools import cache
from itertools import combinations

import numpy as np

from naive.graphs import ancestors, skeletons_where_set, v_structures


def class_of(dag, targets):
    """What rows with some sets of targets, and rows without, can tell of a DAG."""
    return (dag | dag.T).tobytes(), v_structures(dag), skeletons_where_set(dag, targets)


@cache
def classes_of(dags, shape, targets):
    """The classes of DAGs, given as bytes; one asks for the same ones again and again."""
    return [class_of(dag, targets) for dag in np.frombuffer(dags, bool).reshape(shape)]


def entropy(values, probabilities):
    total = defaultdict(float)
    for value, probability in zip(values, probabilities, strict=True):
        total[value] += probability
    mass = np.array([share for share in total.values() if share > 0])
    return float(-(mass * np.log2(mass)).sum())


def mutual_information(one, other, probabilities):
    both = list(zip(one, other, strict=True))
    return entropy(one, probabilities) + entropy(other, probabilities) - entropy(both, probabilities)


def features_of(dags, about):
    """The features whose information is added up: a list of lists, with a value for each DAG."""
    p = dags.shape[1]
    if about is None:
        return [[dag.tobytes() for dag in dags]]
    if about == "directed edges":
        return [[(dag[i, j], dag[j, i]) for dag in dags] for i, j in combinations(range(p), 2)]
    if callable(about):
        return [[about(dag) for dag in dags]]
    kind, *variables = about
    if kind == "parents":
        return [[dag[:, variables[0]].tobytes() for dag in dags]]
    return [[ancestors(dag)[tuple(variables)] for dag in dags]]


def information(dags, probabilities, about, targets):
    """Bits that many rows with each of some sets of targets, and rows without, give about a feature."""
    classes = classes_of(dags.tobytes(), dags.shape, tuple(targets))
    return sum(mutual_information(feature, classes, probabilities) for feature in features_of(dags, about))


def told_directions(dags, probabilities, targets, more):
    """Of how many edges the targets tell the direction, in expectation, that fewer targets leave open."""
    return _known(dags, probabilities, [*targets, *more]) - _known(dags, probabilities, targets)


def _known(dags, probabilities, targets):
    groups = defaultdict(list)
    for number, dag in enumerate(dags):
        groups[class_of(dag, targets)].append(number)
    return sum(probabilities[members].sum() * dags[members].all(axis=0).sum() for members in groups.values())

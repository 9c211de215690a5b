from itertools import combinations

import numpy as np
import pytest

from edgewise._kernels.graphs.orientation import exclude
from edgewise.graphs import cpdag
from edgewise.graphs.components import label_open, list_members
from edgewise.graphs.equivalence import told_by
from naive.graphs import equivalence_class, random_dag, skeletons_where_set


def connected(graph):
    """The connected components, as lists, of an undirected graph given as a matrix; single variables are left out."""
    left, found = set(range(len(graph))), []
    while left:
        component, new = set(), {min(left)}
        while new:
            component |= new
            new = {int(w) for v in new for w in np.flatnonzero(graph[v])} - component
        left -= component
        if len(component) > 1:
            found.append(sorted(component))
    return found


@pytest.mark.parametrize("targets", [(), ((0,),), ((1, 2), (4,))])
@pytest.mark.parametrize("p", [4, 5, 6])
def test_members_of_a_class_are_all_ways_to_direct_its_components(p, targets):
    rng = np.random.default_rng(p)
    targets = tuple(tuple(v for v in together if v < p) for together in targets)
    for _ in range(8):
        dag = random_dag(p, rng, density=rng.choice([0.3, 0.5, 0.9 if p < 6 else 0.6]))
        members = [
            member
            for member in equivalence_class(dag)
            if skeletons_where_set(member, targets) == skeletons_where_set(dag, targets)
        ]
        graph = cpdag(dag, targets=targets)
        found = {dag.tobytes(): dag}
        for component in connected(graph & graph.T):
            edges = [(i, j) for i, j in combinations(component, 2) if graph[i, j] and graph[j, i]]
            place = {v: position for position, v in enumerate(component)}
            ways = list_members(tuple((place[i], place[j]) for i, j in edges))
            assert len(np.unique(ways, axis=0)) == len(ways)
            more = {}
            for member in found.values():
                for way in ways:
                    turned = member.copy()
                    for (i, j), is_forward in zip(edges, way, strict=True):
                        turned[i, j], turned[j, i] = is_forward, not is_forward
                    more[turned.tobytes()] = turned
            found = more
        assert set(found) == {member.tobytes() for member in members}


def test_open_edges_are_those_that_are_not_compelled():
    rng = np.random.default_rng(1)
    dags = np.array([random_dag(6, rng) for _ in range(10)])
    told = told_by([[2]], 6)
    for dag, is_open in zip(dags, label_open(dags, exclude(told=told)), strict=True):
        graph = cpdag(dag, targets=[2])
        np.testing.assert_array_equal(is_open, dag & graph.T)


@pytest.mark.parametrize("k", [2, 5, 40, 100])
def test_a_tree_has_as_many_members_as_variables(k):
    rng = np.random.default_rng(k)
    edges = tuple((int(rng.integers(v)), v) for v in range(1, k))
    assert list_members(edges).shape == (k, k - 1)


def test_cliques_that_have_too_many_members_are_not_listed():
    assert list_members(tuple(combinations(range(7), 2))).shape == (5040, 21)
    assert list_members(tuple(combinations(range(8), 2))) is None
    assert list_members(tuple(combinations(range(40), 2))) is None
    assert list_members(((0, 1), (1, 2)), 2) is None

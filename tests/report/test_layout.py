from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import isotonic_regression

import edgewise as ew
from edgewise.report.layout import BEND, _rising, lay_out


def dags():
    yield np.zeros((1, 1), dtype=bool)
    yield np.zeros((20, 20), dtype=bool)
    yield np.triu(np.ones((9, 9), dtype=bool), 1)
    for seed in range(5):
        yield ew.simulate(30, 2, neighbours=3, seed=seed).dag
    yield ew.simulate(100, 2, neighbours=2, seed=1).dag


@pytest.mark.parametrize("dag", list(dags()), ids=lambda dag: f"{len(dag)}-{dag.sum()}")
def test_edges_lead_downwards_and_nothing_overlaps(dag):
    layout = lay_out(dag)
    for i, j in np.argwhere(dag).tolist():
        assert layout.down[i] < layout.down[j]
        assert len(layout.bends.get((i, j), [])) == layout.down[j] - layout.down[i] - 1
    assert set(layout.down.tolist()) == set(range(int(layout.down.max()) + 1))
    for layer in range(int(layout.down.max()) + 1):
        things = [(float(x), 1.0) for x in layout.across[layout.down == layer]]
        things += [
            (bends[layer - layout.down[i] - 1], BEND)
            for (i, _), bends in layout.bends.items()
            if 0 <= layer - layout.down[i] - 1 < len(bends)
        ]
        things.sort()
        for (left, width), (right, other) in pairwise(things):
            assert right - left >= (width + other) / 2 - 1e-9


def test_variables_without_edges_come_last():
    dag = np.zeros((4, 4), dtype=bool)
    dag[1, 3] = True
    assert lay_out(dag).down.tolist() == [2, 0, 2, 1]


def crossings(layout, dag):
    """Count the pairs of edges between the same two layers that cross."""
    spans = [
        (layout.down[i], layout.across[i], layout.across[j])
        for i, j in np.argwhere(dag).tolist()
        if layout.down[j] == layout.down[i] + 1
    ]
    return sum(
        one[0] == other[0] and (one[1] - other[1]) * (one[2] - other[2]) < 0
        for number, one in enumerate(spans)
        for other in spans[:number]
    )


def test_a_tree_is_drawn_without_crossings():
    """The variables of a tree are shuffled; drawn in the order of their columns, its edges would cross."""
    tree = nx.balanced_tree(2, 3, create_using=nx.DiGraph)
    order = np.random.default_rng(1).permutation(len(tree))
    dag = nx.to_numpy_array(tree, dtype=bool)[np.ix_(order, order)]
    layout = lay_out(dag)
    assert crossings(layout, dag) == 0
    plain = type(layout)(np.arange(len(dag), dtype=float), layout.down, {})
    assert crossings(plain, dag) > 0


def test_places_rise_as_near_to_those_wanted_as_they_can(rng):
    for size in (1, 2, 3, 10, 50):
        for wanted in (rng.normal(size=size), rng.integers(3, size=size).astype(float), -np.arange(float(size))):
            np.testing.assert_allclose(_rising(wanted), isotonic_regression(wanted).x, rtol=0, atol=1e-12)

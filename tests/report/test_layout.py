from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import isotonic_regression

import edgewise as ew
from edgewise.report.layout import BEND, _count_crossings, _rising, lay_out


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
            weight = rng.uniform(0.1, 10, size=size)
            expected = isotonic_regression(wanted, weights=weight).x
            np.testing.assert_allclose(_rising(wanted.tolist(), weight.tolist()), expected, rtol=0, atol=1e-12)


def naive_crossings(rows, below, position):
    lines = [[(position[one], position[other]) for one in row for other in below[one]] for row in rows[:-1]]
    return sum(
        (one[0] - other[0]) * (one[1] - other[1]) < 0
        for row in lines
        for number, one in enumerate(row)
        for other in row[:number]
    )


def test_crossings_are_counted_as_one_sees_them(rng):
    for size in (1, 3, 12):
        rows = [list(range(size)), list(range(size, 2 * size)), list(range(2 * size, 3 * size))]
        below = [
            sorted(rng.choice(rows[layer + 1], size=rng.integers(size + 1), replace=False).tolist())
            if layer < 2
            else []
            for layer in range(3)
            for _ in range(size)
        ]
        position = [int(number) for _ in rows for number in rng.permutation(size)]
        for row in rows:
            row.sort(key=position.__getitem__)
        assert _count_crossings(rows, below, position) == naive_crossings(rows, below, position)


def test_widths_keep_variables_apart(rng):
    dag = ew.simulate(40, 2, neighbours=3, seed=1).dag
    widths = rng.uniform(40, 200, size=40)
    layout = lay_out(dag, widths, lane=14)
    for layer in range(int(layout.down.max()) + 1):
        row = np.flatnonzero(layout.down == layer)
        row = row[np.argsort(layout.across[row])]
        for one, other in pairwise(row):
            assert layout.across[other] - layout.across[one] >= (widths[one] + widths[other]) / 2 - 1e-9


def test_parts_that_are_not_joined_do_not_mix():
    """Two chains of three, and a pair: each keeps its side, or its shelf."""
    dag = np.zeros((8, 8), dtype=bool)
    for i, j in ((0, 2), (2, 4), (1, 3), (3, 5), (6, 7)):
        dag[i, j] = True
    layout = lay_out(dag)
    assert layout.down.tolist() == [0, 0, 1, 1, 2, 2, 0, 1]
    spans = [(layout.across[part].min(), layout.across[part].max()) for part in ([0, 2, 4], [1, 3, 5], [6, 7])]
    assert all(one[1] + 1 <= other[0] + 1e-9 for one, other in pairwise(sorted(spans)))

"""Where the variables of a DAG stand in a picture: in layers, causes above effects.

The layers follow a topological order: a variable goes into the first layer below all its parents that has room. An edge
over several layers gets a bend in each layer between, which takes part in the layout like a small variable; so edges
run around the variables and not through them. Each layer is then sorted by the mean position of its neighbours in the
layer before, downwards and upwards in turn (Sugiyama, Tagawa & Toda 1981), and pulled towards these means as far as the
order and the width of what stands there allow, which is isotonic regression.
"""

from dataclasses import dataclass
from itertools import pairwise

import networkx as nx
import numpy as np

from edgewise.graphs import to_networkx

SWEEPS = 12
"""Passes over the layers. Orders hardly change after a few; all of them take milliseconds."""

BEND = 0.3
"""Width of a bend, where a variable has one: room for a few lines side by side."""


@dataclass(frozen=True)
class Layout:
    """Places of variables, in units of a variable's width and of a layer.

    Attributes
    ----------
    across, down
        Coordinates of each variable, shape (p,); ``down`` is the number of its layer.
    bends
        For an edge over several layers, by its two variables, where it crosses each layer between.
    """

    across: np.ndarray
    down: np.ndarray
    bends: dict[tuple[int, int], list[float]]


def lay_out(dag: np.ndarray) -> Layout:
    """Place the variables of a DAG; those without any edge come last, below all others.

    Examples
    --------
    >>> layout = lay_out(np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=bool))
    >>> layout.down
    array([0, 1, 2])
    >>> list(layout.bends)
    [(0, 2)]
    """
    graph = to_networkx(dag)
    widest = max(6, int(np.ceil(1.2 * np.sqrt(len(dag)))))  # a little broader than high, as screens are
    down = _choose_layers(graph, widest)
    rows, above, below = _with_bends(graph, down)
    place = dict.fromkeys(above, 0.0)
    for row in rows:
        place.update(_spread(row, [float(number) for number in range(len(row))]))
    for sweep in range(SWEEPS):
        neighbours = above if sweep % 2 == 0 else below
        for row in rows if sweep % 2 == 0 else reversed(rows):
            row.sort(key=lambda one: _mean(place, neighbours[one], place[one]))
            place.update(_spread(row, [_mean(place, neighbours[one], place[one]) for one in row]))
    for row in rows:
        place.update(_spread(row, [_mean(place, above[one] + below[one], place[one]) for one in row]))
    bends = {
        (i, j): [place[i, j, layer] for layer in range(down[i] + 1, down[j])]
        for i, j in graph.edges
        if down[j] > down[i] + 1
    }
    return Layout(np.array([place[v,] for v in graph]), np.array([down[v] for v in graph]), bends)


Vertex = tuple[int, ...]
"""A variable, (v,), or the bend of an edge in a layer, (source, target, layer)."""


def _choose_layers(graph: "nx.DiGraph[int]", widest: int) -> dict[int, int]:
    """Return the layer of each variable; no layer holds more than ``widest`` of them."""
    joined = [v for v in nx.lexicographical_topological_sort(graph) if graph.degree(v)]
    down: dict[int, int] = {}
    filled: list[int] = []
    for v in joined:
        layer = max((down[parent] + 1 for parent in graph.predecessors(v)), default=0)
        while layer < len(filled) and filled[layer] == widest:
            layer += 1
        filled += [0] * (layer + 1 - len(filled))
        filled[layer] += 1
        down[v] = layer
    for v in joined:
        # A root stands right above its first child, if there is room, and not far up where it came first.
        lower = min((down[child] for child in graph.successors(v)), default=0) - 1
        if not graph.in_degree(v) and lower > down[v] and filled[lower] < widest:
            filled[down[v]] -= 1
            filled[lower] += 1
            down[v] = lower
    alone = [v for v in graph if not graph.degree(v)]
    down.update({v: len(filled) + number // widest for number, v in enumerate(alone)})
    used = {layer: number for number, layer in enumerate(sorted(set(down.values())))}
    return {v: used[layer] for v, layer in down.items()}


def _with_bends(
    graph: "nx.DiGraph[int]", down: dict[int, int]
) -> tuple[list[list[Vertex]], dict[Vertex, list[Vertex]], dict[Vertex, list[Vertex]]]:
    """Return the rows of variables and bends, and for each of these its neighbours in the rows above and below."""
    rows: list[list[Vertex]] = [[] for _ in range(max(down.values()) + 1)]
    for v in nx.lexicographical_topological_sort(graph):
        rows[down[v]].append((v,))
    above: dict[Vertex, list[Vertex]] = {(v,): [] for v in graph}
    below: dict[Vertex, list[Vertex]] = {(v,): [] for v in graph}
    for i, j in graph.edges:
        bends: list[Vertex] = [(i, j, layer) for layer in range(down[i] + 1, down[j])]
        for bend in bends:
            rows[bend[2]].append(bend)
        path = [(i,), *bends, (j,)]
        for upper, lower in pairwise(path):
            below.setdefault(upper, []).append(lower)
            above.setdefault(lower, []).append(upper)
    return rows, above, below


def _mean(place: dict[Vertex, float], neighbours: list[Vertex], otherwise: float) -> float:
    return sum(place[one] for one in neighbours) / len(neighbours) if neighbours else otherwise


def _spread(row: list[Vertex], wanted: list[float]) -> dict[Vertex, float]:
    """Place a row, in its order, as near to the wanted places as the widths allow, by least squares."""
    if not row:
        return {}
    width = np.array([1.0 if len(one) == 1 else BEND for one in row])
    offset = np.concatenate([[0.0], np.cumsum((width[1:] + width[:-1]) / 2)])
    place = _rising(np.array(wanted) - offset) + offset
    return dict(zip(row, place.tolist(), strict=True))


def _rising(wanted: np.ndarray) -> np.ndarray:
    """Return the numbers nearest to those wanted, by least squares, none of which is below the one before.

    Neighbours that want to fall are pooled at their mean, again and again. (SciPy has this too, in a module that takes
    longer to import than all of a report takes to be written.)
    """
    pools: list[tuple[float, int]] = []
    for value in wanted.tolist():
        mean, size = value, 1
        while pools and pools[-1][0] > mean:
            before, others = pools.pop()
            mean, size = (mean * size + before * others) / (size + others), size + others
        pools.append((mean, size))
    means, sizes = zip(*pools, strict=True)
    return np.repeat(means, sizes)

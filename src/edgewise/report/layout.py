"""Where the variables of a DAG stand in a picture: in layers, causes above effects, and lanes for what runs between.

This is the method of Sugiyama, Tagawa & Toda (1981). A variable goes into the first layer below all its parents that
has room. An edge over several layers gets a *bend* in each layer between, which takes part in the layout like a narrow
variable: so it has a lane of its own there, and whatever follows the lanes runs around the variables and never through
one. Layers are sorted by the mean position of their neighbours, downwards and upwards in turn, and the order with the
fewest crossings is kept. Then each layer is pulled towards its neighbours as far as order and widths allow, which is
isotonic regression; bends pull hard, so that long edges are straight.

The page lays graphs out anew whenever the threshold or the neighbourhood changes, and does so by the same steps in
``layout.js``: what is changed here is to be changed there, and a test compares the two number by number. That is why
there are plain loops here: they add the same numbers in the same order. Libraries were looked at first. dagre
(JavaScript) lets edges run behind boxes and bounds no layer, grandalf (Python) is not kept up, and neither could serve
both pages and figures.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from edgewise.graphs import topological_order

WIDEST = 1.2
"""Variables of a layer at most, as a multiple of the root of their number: the picture is a little broader than high,
as screens are."""

FEWEST = 6
"""Variables that a layer can always hold."""

SWEEPS = 24
"""Passes over the layers that look for an order with fewer crossings; after a few, hardly any finds one."""

IDLE = 4
"""Passes without any gain after which it is over."""

PULLS = 16
"""Passes that pull variables towards their neighbours; the last few hardly move anything."""

MOST_SORTED = 20_000
"""Variables and bends up to which there are so many passes. Of more, a picture shows only the gist, and would take
seconds."""

BEND = 0.3
"""Width of a bend, where a variable has one: room for a line with some air."""

STIFF = 8, 2, 1
"""How hard an edge pulls between two bends, between a bend and a variable, and between two variables, as in Gansner et
al. (1993), section 4."""

CENTRE = 0.1
"""How hard everything is pulled to the middle: enough to draw a picture together where nothing speaks against it."""


@dataclass(frozen=True)
class Layout:
    """Places of variables.

    Attributes
    ----------
    across, down
        Coordinates of each variable, shape (p,): ``across`` in the units of the widths that were given, by default one
        for each variable, and ``down`` is the number of its layer.
    bends
        For an edge over several layers, by its upper and its lower variable, where it crosses each layer between.
    """

    across: np.ndarray
    down: np.ndarray
    bends: dict[tuple[int, int], list[float]]


def lay_out(
    dag: np.ndarray, widths: Sequence[float] | None = None, *, lane: float = BEND, order: Sequence[int] | None = None
) -> Layout:
    """Place the variables of a DAG; those without any edge come last, below all others.

    Parameters
    ----------
    dag
        ``dag[i, j]`` is true for i -> j, shape (p, p).
    widths
        The room that each variable takes, with the air around it; by default 1.
    lane
        The room that an edge takes in a layer that it crosses.
    order
        A topological order of the variables, on which the picture depends a little; by default the one in which
        variables come as early as they can, those of smaller numbers first.

    Examples
    --------
    >>> layout = lay_out(np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=bool))
    >>> layout.down
    array([0, 1, 2])
    >>> list(layout.bends)
    [(0, 2)]
    """
    p = len(dag)
    named = [int(v) for v in (topological_order(dag) if order is None else order)]
    rank = {v: number for number, v in enumerate(named)}
    edges = sorted((rank[i], rank[j]) for i, j in np.argwhere(dag).tolist())
    rooms = [1.0] * p if widths is None else [float(widths[v]) for v in named]
    down, across, bends = _place(rooms, edges, lane)
    placed = Layout(np.empty(p), np.empty(p, dtype=np.int64), {})
    placed.across[named], placed.down[named] = across, down
    for (upper, lower), places in zip(edges, bends, strict=True):
        if places:
            placed.bends[named[upper], named[lower]] = places
    return placed


def _place(
    rooms: list[float], edges: list[tuple[int, int]], lane: float
) -> tuple[list[int], list[float], list[list[float]]]:
    """Return the layer and the place of each variable, and the bends of each edge.

    Variables are numbered in a topological order, and edges sorted. Parts of the graph that are not joined are laid
    out each by itself, and then stand side by side, the largest first, in as many shelves as it takes.
    """
    p = len(rooms)
    down, across = [0] * p, [0.0] * p
    bends: list[list[float]] = [[] for _ in edges]
    limit = 0.0
    for room in rooms:
        limit += room
    limit *= max(FEWEST, WIDEST * math.sqrt(p)) / p
    shelf: list[tuple[list[int], list[int]]] = []
    layer, layers, reached = 0, 0, 0.0

    def centre() -> None:
        for variables, its_edges in shelf:
            for v in variables:
                across[v] -= reached / 2
            for edge in its_edges:
                bends[edge] = [place - reached / 2 for place in bends[edge]]

    for variables, its_edges in _find_parts(p, edges):
        number = {v: k for k, v in enumerate(variables)}
        its_rooms = [rooms[v] for v in variables]
        levels, places, chains = _place_part(
            its_rooms, [(number[edges[edge][0]], number[edges[edge][1]]) for edge in its_edges], lane
        )
        left, right = math.inf, -math.inf
        for k, place in enumerate(places):
            half = (its_rooms[k] if k < len(variables) else lane) / 2
            left, right = min(left, place - half), max(right, place + half)
        limit = max(limit, right - left)
        is_first_alone = bool(shelf) and bool(shelf[-1][1]) and not its_edges
        if shelf and (reached + right - left > limit or is_first_alone):
            centre()
            shelf, layer, layers, reached = [], layer + layers, 0, 0.0
        for k, v in enumerate(variables):
            down[v] = layer + levels[k]
            across[v] = places[k] - left + reached
            layers = max(layers, levels[k] + 1)
        for edge, chain in zip(its_edges, chains, strict=True):
            bends[edge] = [places[bend] - left + reached for bend in chain]
        reached += right - left
        shelf.append((variables, its_edges))
    centre()
    return down, across, bends


def _find_parts(p: int, edges: list[tuple[int, int]]) -> list[tuple[list[int], list[int]]]:
    """Return the variables, and the numbers of the edges, of each part that hangs together, the largest first."""
    part = list(range(p))

    def root(v: int) -> int:
        while part[v] != v:
            part[v] = part[part[v]]
            v = part[v]
        return v

    for upper, lower in edges:
        one, other = root(upper), root(lower)
        part[max(one, other)] = min(one, other)
    found: dict[int, tuple[list[int], list[int]]] = {}
    for v in range(p):
        found.setdefault(root(v), ([], []))[0].append(v)
    for number, (upper, _) in enumerate(edges):
        found[root(upper)][1].append(number)
    return sorted(found.values(), key=lambda one: -len(one[0]))


def _place_part(
    rooms: list[float], edges: list[tuple[int, int]], lane: float
) -> tuple[list[int], list[float], list[list[int]]]:
    """Return the layer and the place of each variable and bend, and the bends of each edge; bends follow variables."""
    down = _choose_layers(len(rooms), edges)
    room, chains = list(rooms), []
    above: list[list[int]] = [[] for _ in rooms]
    below: list[list[int]] = [[] for _ in rooms]
    for upper, lower in edges:
        chain = []
        last = upper
        for layer in range(down[upper] + 1, down[lower]):
            chain.append(len(room))
            room.append(lane)
            down.append(layer)
            above.append([last])
            below.append([])
            below[last].append(chain[-1])
            last = chain[-1]
        above[lower].append(last)
        below[last].append(lower)
        chains.append(chain)
    rows = _sort_rows(_first_rows(down, above, below), above, below)
    return down, _pull(rows, room, len(rooms), above, below), chains


def _choose_layers(p: int, edges: list[tuple[int, int]]) -> list[int]:
    """Return the layer of each variable; none holds more than a number of them that makes the picture fit a screen."""
    parents: list[list[int]] = [[] for _ in range(p)]
    children: list[list[int]] = [[] for _ in range(p)]
    for upper, lower in edges:
        children[upper].append(lower)
        parents[lower].append(upper)
    widest = max(FEWEST, math.ceil(WIDEST * math.sqrt(p)))
    down = [0] * p
    filled = [0] * (p + 1)
    for v in range(p):
        layer = 0
        for parent in parents[v]:
            layer = max(layer, down[parent] + 1)
        while filled[layer] >= widest:
            layer += 1
        filled[layer] += 1
        down[v] = layer
    for v in reversed(range(p)):
        # What has more children than parents goes down to them, and its edges become shorter on the whole.
        if len(children[v]) <= len(parents[v]):
            continue
        layer = min(down[child] for child in children[v]) - 1
        while layer > down[v] and filled[layer] >= widest:
            layer -= 1
        if layer > down[v]:
            filled[down[v]] -= 1
            filled[layer] += 1
            down[v] = layer
    number, kept = 0, []
    for count in filled:
        kept.append(number)
        number += count > 0
    return [kept[layer] for layer in down]


def _first_rows(down: list[int], above: list[list[int]], below: list[list[int]]) -> list[list[int]]:
    """Return the layers, each in the order in which a walk along the edges meets what is in it."""
    rows: list[list[int]] = [[] for _ in range(max(down) + 1)]
    is_met = [False] * len(down)
    for start in range(len(down)):
        stack = [start]
        while stack:
            one = stack.pop()
            if is_met[one]:
                continue
            is_met[one] = True
            rows[down[one]].append(one)
            stack += [*reversed(above[one]), *reversed(below[one])]
    return rows


def _sort_rows(rows: list[list[int]], above: list[list[int]], below: list[list[int]]) -> list[list[int]]:
    """Return the layers in an order with few crossings: each by the mean position of its neighbours, repeatedly."""
    position = [0] * len(above)
    for row in rows:
        _number(row, position)
    best, fewest, idle = [list(row) for row in rows], _count_crossings(rows, below, position), 0
    for sweep in range(SWEEPS if len(above) <= MOST_SORTED else IDLE):
        if fewest == 0 or idle == IDLE:
            break
        neighbours = above if sweep % 2 == 0 else below
        for row in rows if sweep % 2 == 0 else reversed(rows):
            mean = {one: _mean_position(neighbours[one], position, position[one]) for one in row}
            row.sort(key=mean.__getitem__)
            _number(row, position)
        crossings = _count_crossings(rows, below, position)
        idle += 1
        if crossings < fewest:
            best, fewest, idle = [list(row) for row in rows], crossings, 0
    return best


def _number(row: list[int], position: list[int]) -> None:
    for number, one in enumerate(row):
        position[one] = number


def _mean_position(neighbours: list[int], position: list[int], otherwise: int) -> float:
    if not neighbours:
        return otherwise
    total = 0
    for one in neighbours:
        total += position[one]
    return total / len(neighbours)


def _count_crossings(rows: list[list[int]], below: list[list[int]], position: list[int]) -> int:
    """Count the pairs of lines that cross, as the inversions of their lower ends (Barth, Juenger & Mutzel 2002)."""
    crossings = 0
    for row, under in pairwise(rows):
        tree = [0] * (len(under) + 1)
        seen = 0
        for one in row:
            ends = sorted(position[other] for other in below[one])
            for end in ends:
                place, before = end + 1, 0
                while place:
                    before += tree[place]
                    place -= place & -place
                crossings += seen - before
            for end in ends:
                place = end + 1
                while place < len(tree):
                    tree[place] += 1
                    place += place & -place
            seen += len(ends)
    return crossings


def _pull(
    rows: list[list[int]], room: list[float], p: int, above: list[list[int]], below: list[list[int]]
) -> list[float]:
    """Return where everything stands: near its neighbours, in the order of its row."""
    place = [0.0] * len(room)
    for row in rows:
        whole = 0.0
        for one in row:
            whole += room[one]
        edge = -whole / 2
        for one in row:
            place[one] = edge + room[one] / 2
            edge += room[one]
    for number in range(PULLS if len(room) <= MOST_SORTED else IDLE):
        downwards = number % 2 == 0
        is_last = number >= PULLS - IDLE
        for row in rows if downwards else reversed(rows):
            wanted, weight = [], []
            for one in row:
                total, stiffness = 0.0, CENTRE
                sides = (above[one], below[one]) if is_last else ((above[one],) if downwards else (below[one],))
                for side in sides:
                    for other in side:
                        pull = STIFF[(one < p) + (other < p)]
                        total += pull * place[other]
                        stiffness += pull
                wanted.append(total / stiffness if stiffness > CENTRE else place[one])
                weight.append(stiffness)
            _spread(row, wanted, weight, room, place)
    return place


def _spread(row: list[int], wanted: list[float], weight: list[float], room: list[float], place: list[float]) -> None:
    """Place a row, in its order, as near to the wanted places as the widths allow, by weighted least squares."""
    offsets, reached = [], 0.0
    for number, one in enumerate(row):
        if number:
            reached += (room[row[number - 1]] + room[one]) / 2
        offsets.append(reached)
    nearest = _rising([want - offset for want, offset in zip(wanted, offsets, strict=True)], weight)
    for one, near, offset in zip(row, nearest, offsets, strict=True):
        place[one] = near + offset


def _rising(wanted: Sequence[float], weight: Sequence[float]) -> list[float]:
    """Return the numbers nearest to those wanted, by weighted least squares, none of which is below the one before.

    Neighbours that want to fall are pooled at their mean, again and again.
    """
    means: list[float] = []
    weights: list[float] = []
    sizes: list[int] = []
    for value, its_weight in zip(wanted, weight, strict=True):
        mean, total, size = value, its_weight, 1
        while means and means[-1] > mean:
            before, others = means.pop(), weights.pop()
            mean = (mean * total + before * others) / (total + others)
            total += others
            size += sizes.pop()
        means.append(mean)
        weights.append(total)
        sizes.append(size)
    return [mean for mean, size in zip(means, sizes, strict=True) for _ in range(size)]

"""Greedy SP the slow way: every I-MAP from its order alone, and a recursive search."""

import numpy as np


def covered_edges(dag):
    return [
        (i, j)
        for i, j in np.argwhere(dag).tolist()
        if set(np.flatnonzero(dag[:, j])) == {*np.flatnonzero(dag[:, i]), i}
    ]


def turn(order, i, j):
    """Move j to just before i."""
    rest = [v for v in order if v != j]
    place = rest.index(i)
    return (*rest[:place], j, *rest[place:])


def find_sparser(order, imap, depth):
    """Return the last order that the search comes to; ``imap`` is a function from orders to DAGs."""
    while (sparser := _search(order, imap, depth, imap(order).sum(), 0, {})) is not None:
        order = sparser
    return order


def _search(order, imap, depth, fewest, level, visited):
    """Return an order with fewer edges than ``fewest``, if one is within reach."""
    for i, j in covered_edges(imap(order)):
        other = turn(order, i, j)
        dag = imap(other)
        if dag.sum() < fewest:
            return other
        if dag.sum() == fewest and level + 1 < depth and visited.get(dag.tobytes(), depth) > level + 1:
            visited[dag.tobytes()] = level + 1
            found = _search(other, imap, depth, fewest, level + 1, visited)
            if found is not None:
                return found
    return None

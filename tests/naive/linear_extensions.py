"""Slow, obvious twins of edgewise.graphs.linear_extensions, and posets whose count is known in closed form."""

import math
from functools import cache
from itertools import combinations, permutations

import numpy as np


@cache
def all_orders(p):
    return np.array(list(permutations(range(p))))


def linear_extensions(dag):
    """Every order of the nodes in which no edge points backwards."""
    orders = all_orders(len(dag))
    place = np.argsort(orders, axis=1)
    agrees = np.ones(len(orders), dtype=bool)
    for cause, effect in np.argwhere(dag):
        agrees &= place[:, cause] < place[:, effect]
    return orders[agrees]


def count_by_prefixes(dag):
    """Count by dynamic programming over the sets of nodes that can come first: no splitting, Python integers."""
    p = len(dag)
    parents = [sum(1 << int(v) for v in np.flatnonzero(dag[:, w])) for w in range(p)]
    counts = {0: 1}
    for _ in range(p):
        longer = {}
        for taken, count in counts.items():
            for v in range(p):
                if not taken >> v & 1 and parents[v] & ~taken == 0:
                    longer[taken | 1 << v] = longer.get(taken | 1 << v, 0) + count
        counts = longer
    return counts[(1 << p) - 1]


def draw_among_free(dag, rng):
    """Draw an order by taking, each time, any free node with equal probability: *not* uniform over orders."""
    left, order = set(range(len(dag))), []
    while left:
        free = [v for v in sorted(left) if not any(dag[w, v] for w in left)]
        order.append(int(rng.choice(free)))
        left.remove(order[-1])
    return order


def dag_of(edges, p):
    dag = np.zeros((p, p), dtype=bool)
    for i, j in edges:
        dag[i, j] = True
    return dag


def random_tree(p, rng):
    """Every node but the first is the child of a random earlier one."""
    return dag_of([(rng.integers(v), v) for v in range(1, p)], p)


def forest_count(dag):
    """The hook length formula, for a forest in which each node has at most one parent."""

    def size(v):
        return 1 + sum(size(w) for w in np.flatnonzero(dag[v]))

    return math.factorial(len(dag)) // math.prod(size(v) for v in range(len(dag)))


def chains(lengths):
    edges, start = [], 0
    for length in lengths:
        edges += [(v, v + 1) for v in range(start, start + length - 1)]
        start += length
    return dag_of(edges, start)


def zigzag(p):
    """0 -> 1 <- 2 -> 3 <- ..."""
    return dag_of([(v, v + 1) if v % 2 == 0 else (v + 1, v) for v in range(p - 1)], p)


def euler_number(p):
    """The number of alternating permutations, by the boustrophedon triangle of Seidel."""
    row = [1]
    for _ in range(p):
        sums = [0]
        for entry in reversed(row):
            sums.append(sums[-1] + entry)
        row = sums
    return row[-1]


def grid(rows, columns):
    """A product of two chains; its linear extensions are the standard Young tableaux of a rectangle."""
    number = np.arange(rows * columns).reshape(rows, columns)
    across = zip(number[:, :-1].flat, number[:, 1:].flat, strict=True)
    down = zip(number[:-1].flat, number[1:].flat, strict=True)
    return dag_of([*across, *down], rows * columns)


def tableaux(rows, columns):
    """The hook length formula of Frame, Robinson & Thrall (1954)."""
    hooks = [rows - i + columns - j - 1 for i in range(rows) for j in range(columns)]
    return math.factorial(rows * columns) // math.prod(hooks)


def subsets(n):
    """All subsets of n things, ordered by inclusion."""
    return dag_of([(a, b) for a, b in combinations(range(2**n), 2) if a & b == a], 2**n)

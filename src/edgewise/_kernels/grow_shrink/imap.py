"""The minimal I-MAP of one order."""

from ..compiling import in_place
from .tree import list_shrunk, walk


@in_place
def find_dag(tree, target, order, position, members, dag):
    """Set the parents of every variable among its predecessors in an order; ``dag`` is (p, p) and empty."""
    for j in range(order.shape[0]):
        position[order[j]] = j
    for j in range(order.shape[0]):
        node = order[j]
        size = list_shrunk(tree, node, walk(tree, target, node, position, j), members)
        for m in range(size):
            dag[members[m], node] = True

"""Whether draws of DAGs agree with the orders drawn beside them, and so have no cycles."""

import numpy as np

from ..basics.bits import clear, has, insert
from ..compiling import in_place


@in_place
def is_ordered(family, order, parents, seen):
    """Return whether in every draw each variable stands once in the order, and after all its parents.

    ``family`` and ``order`` are (draws, p): the number of each variable's family, and the variables, causes first. Row
    f of ``parents`` has the parents of family f as bits. ``seen`` is one such row, to work in. O(p^2 / 64) a draw.
    """
    for draw in range(order.shape[0]):
        clear(seen, 0)
        for position in range(order.shape[1]):
            variable = order[draw, position]
            number = family[draw, variable]
            unseen = np.uint64(0)
            for w in range(seen.shape[1]):
                unseen |= parents[number, w] & ~seen[0, w]
            if unseen != np.uint64(0) or has(seen, 0, variable):
                return False
            insert(seen, 0, variable)
    return True

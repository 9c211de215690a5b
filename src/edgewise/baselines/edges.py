"""Numbers for single edges: what a prior says of each, and names by which DAGs are recognised."""

from collections.abc import Sequence

import numpy as np

from edgewise.errors import ArgumentError
from edgewise.priors import Constraints, Knowledge, Prior, default_prior, usable_terms


def edge_weights(prior: Prior | None, names: Sequence[str], *, by: str) -> np.ndarray:
    """Return what each edge i -> j adds to the log prior, shape (p, p), for a method that can use nothing else.

    Examples
    --------
    >>> from edgewise.priors import Sparsity
    >>> edge_weights(Sparsity(2.0), ["Raf", "Mek"], by="hill_climb")
    array([[-2., -2.],
           [-2., -2.]])
    """
    return usable_terms(default_prior() if prior is None else prior, names, uses=(), by=by).edge


def know(constraints: Constraints | None, names: Sequence[str]) -> Knowledge:
    """Return what constraints say, and where there are none that nothing is known."""
    if constraints is not None and not isinstance(constraints, Constraints):
        raise ArgumentError(
            f"constraints must be an object such as Constraints(roots=['dose']), but {constraints!r} was given."
        )
    return (Constraints() if constraints is None else constraints).resolve(names)


def know_edges(constraints: Constraints | None, names: Sequence[str], *, by: str = "This method") -> Knowledge:
    """Return what constraints say, after checking that they speak of single edges and of the order only."""
    knowledge = know(constraints, names)
    if knowledge.needed_paths.any() or knowledge.excluded_paths.any():
        raise ArgumentError(
            f"{by} keeps to constraints on edges, tiers, roots and leaves, but not on ancestors and not_ancestors: "
            "leave those out, or use sample() with MinimalIMAP()."
        )
    return knowledge


def name_edges(p: int) -> np.ndarray:
    """Return a random 64-bit number for each edge; the XOR of those of a DAG's edges is its key.

    Two of a million DAGs share a key with probability below 1e-7. The seed is a constant: any serves.
    """
    return np.random.default_rng(0).integers(2**64, size=(p, p), dtype=np.uint64)

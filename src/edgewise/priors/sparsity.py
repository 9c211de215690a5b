"""The paper's sparsity prior."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from edgewise.arguments import is_number
from edgewise.errors import ArgumentError

from .prior import Prior, Terms


@dataclass(frozen=True)
class Sparsity(Prior):
    """A prior proportional to exp(-gamma * number of edges).

    Parameters
    ----------
    gamma
        The penalty for an edge; 0 is the uniform prior over DAGs.

    Examples
    --------
    >>> Sparsity(2.0)
    Sparsity(gamma=2.0)
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        if not (is_number(self.gamma) and math.isfinite(self.gamma) and self.gamma >= 0):
            raise ArgumentError(f"gamma of Sparsity must be zero or a positive number, but {self.gamma!r} was given.")
        object.__setattr__(self, "gamma", float(self.gamma))

    def _add_to(self, terms: Terms, names: Sequence[str]) -> None:
        """Let every edge cost gamma."""
        terms.edge -= self.gamma

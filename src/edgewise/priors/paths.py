"""The paper's path prior, and beliefs about ancestors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgewise.data import find_columns
from edgewise.errors import ArgumentError
from edgewise.wording import quote

from .prior import PathTerm, Prior, Terms, Variable, as_members, as_strength, as_variables


@dataclass(frozen=True)
class Paths(Prior):
    """A prior for DAGs with directed paths from one group of variables to another.

    The log prior is ``strength`` times the number of sources that have a directed path to at least one of the targets.
    The paper's path prior (its appendix: h_L and h_R) is ``Paths(ligands, receptors) + Paths(receptors, cytosolic)``.

    Parameters
    ----------
    sources
        Variables that are believed to act on a target.
    targets
        Variables of which at least one is acted on.
    strength
        What a source with a path adds to the log prior; the paper's is 1.

    Examples
    --------
    >>> Paths(["EGF", "NRG1"], ["EGFR"])
    Paths(sources=('EGF', 'NRG1'), targets=('EGFR',), strength=1.0)
    """

    sources: Sequence[Variable]
    targets: Sequence[Variable]
    strength: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "sources", as_variables(self.sources, "sources of Paths"))
        object.__setattr__(self, "targets", as_variables(self.targets, "targets of Paths"))
        object.__setattr__(self, "strength", as_strength(self.strength, "Paths"))

    def _add_to(self, terms: Terms, names: Sequence[str]) -> None:
        """Count sources that reach a target."""
        sources, targets = as_members(self.sources, names), as_members(self.targets, names)
        terms.beyond.append(PathTerm(sources, targets, self.strength))


@dataclass(frozen=True)
class Ancestors(Prior):
    """A prior for DAGs in which some variables are ancestors of others.

    The log prior is ``strength`` times the number of pairs whose first variable has a directed path to the second. A
    negative strength speaks against the paths.

    Parameters
    ----------
    pairs
        Pairs (ancestor, descendant).
    strength
        What a pair with a path adds to the log prior.

    Examples
    --------
    >>> Ancestors([("RAF", "ERK")], strength=2)
    Ancestors(pairs=(('RAF', 'ERK'),), strength=2.0)
    """

    pairs: Sequence[tuple[Variable, Variable]]
    strength: float = 1.0

    def __post_init__(self) -> None:
        given: Any = self.pairs
        if isinstance(given, str) or not hasattr(given, "__iter__"):
            raise ArgumentError(f"pairs of Ancestors must be a list of pairs, but {given!r} was given.")
        pairs = []
        for pair in given:
            if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
                raise ArgumentError(
                    f"pairs of Ancestors must be a list of pairs (ancestor, descendant), but {pair!r} is in it."
                )
            pairs.append(as_variables(pair, "A pair of Ancestors"))
        object.__setattr__(self, "pairs", tuple(pairs))
        object.__setattr__(self, "strength", as_strength(self.strength, "Ancestors"))

    def _add_to(self, terms: Terms, names: Sequence[str]) -> None:
        """Count the ancestors of each descendant: a path term with this one target."""
        sources: dict[int, np.ndarray] = {}
        for pair in self.pairs:
            ancestor, descendant = find_columns(names, pair)
            if ancestor == descendant:
                raise ArgumentError(f"Ancestors pairs {quote(names[ancestor])} with itself.")
            sources.setdefault(descendant, np.zeros(len(names), bool))[ancestor] = True
        for descendant, members in sources.items():
            targets = np.arange(len(names)) == descendant
            terms.beyond.append(PathTerm(members, targets, self.strength))

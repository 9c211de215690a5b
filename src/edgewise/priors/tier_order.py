"""The paper's order prior."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from edgewise.data import find_columns
from edgewise.errors import ArgumentError
from edgewise.wording import quote

from .prior import Prior, Terms, TierTerm, Variable, as_strength, as_variables


@dataclass(frozen=True)
class TierOrder(Prior):
    """A prior for orders that run through the tiers one after the other, as ligands, receptors, cytosolic proteins.

    The log prior is ``strength`` times the number of variables in place. A variable is in place if it comes after all
    variables of earlier tiers and before all of later ones; those of the last tier are not counted, as in the paper
    (appendix on path and order priors: f_L and f_R). Variables in no tier are free.

    That is so in chains over orders. :class:`edgewise.DagMCMC` and runs without data read it of the layers of a DAG,
    :class:`edgewise.PartitionMCMC` of the elements of a partition. There several variables can be in the same place: a
    variable is in place if none of an earlier tier comes after it, and none of a later one before it. Without any edge,
    all are.

    Parameters
    ----------
    tiers
        Lists of variables, the first tier first.
    strength
        What a variable in place adds to the log prior; the paper's is 1.

    Examples
    --------
    >>> TierOrder([["EGF"], ["EGFR"], ["RAS", "RAF"]])
    TierOrder(tiers=(('EGF',), ('EGFR',), ('RAS', 'RAF')), strength=1.0)
    """

    tiers: Sequence[Sequence[Variable]]
    strength: float = 1.0

    def __post_init__(self) -> None:
        if isinstance(self.tiers, str) or not hasattr(self.tiers, "__iter__"):
            raise ArgumentError(
                f"tiers of TierOrder must be a list of lists of variables, but {self.tiers!r} was given."
            )
        tiers = tuple(as_variables(tier, "Each of the tiers of TierOrder") for tier in self.tiers)
        if len(tiers) < 2:
            raise ArgumentError(
                f"tiers of TierOrder must be at least two lists of variables, but {len(tiers)} was given."
            )
        object.__setattr__(self, "tiers", tiers)
        object.__setattr__(self, "strength", as_strength(self.strength, "TierOrder"))

    def _add_to(self, terms: Terms, names: Sequence[str]) -> None:
        """Count variables in place."""
        tier = np.full(len(names), -1)
        for number, variables in enumerate(self.tiers):
            for column in find_columns(names, variables):
                if tier[column] >= 0:
                    raise ArgumentError(f"The variable {quote(names[column])} stands in the tiers of TierOrder twice.")
                tier[column] = number
        terms.beyond.append(TierTerm(tier, self.strength))

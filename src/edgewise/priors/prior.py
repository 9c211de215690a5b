"""What all priors have in common: they add up, and they can be put in terms of columns.

A prior is known up to a constant by its logarithm, a function of the DAG and perhaps of the order the chain is at. Sums
of logarithms are products of priors, so ``Sparsity(1) + Paths(...)`` is a prior again.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from edgewise.arguments import is_number
from edgewise.data import find_columns
from edgewise.errors import ArgumentError

Variable = int | str
"""A variable by name or by column number."""


class TierTerm(NamedTuple):
    """``strength`` for each variable in place; ``tier`` has the number of each variable's tier, -1 for none."""

    tier: np.ndarray
    strength: float


class PathTerm(NamedTuple):
    """``strength`` for each source with a directed path to a target; both are booleans by column."""

    sources: np.ndarray
    targets: np.ndarray
    strength: float


class FunctionTerm(NamedTuple):
    """A function of the DAG and the order, with its name; where not ``wants_order``, the order makes no difference."""

    function: Callable[[np.ndarray, np.ndarray], float]
    wants_order: bool
    name: str


@dataclass
class Terms:
    """A log prior by column number: the sum of all its terms.

    ``edge[i, j]`` is what the edge i -> j adds.
    """

    edge: np.ndarray
    tiers: list[TierTerm] = field(default_factory=list)
    paths: list[PathTerm] = field(default_factory=list)
    functions: list[FunctionTerm] = field(default_factory=list)


class Prior(ABC):
    """A prior over DAGs."""

    @abstractmethod
    def _add_to(self, terms: Terms, names: Sequence[str]) -> None:
        """Add what this prior says about the variables ``names`` to ``terms``."""

    def terms(self, names: Sequence[str]) -> Terms:
        """Return what this prior says about the variables ``names``.

        Raises
        ------
        ArgumentError
            If it speaks of other variables.
        """
        terms = Terms(np.zeros((len(names), len(names))))
        self._add_to(terms, names)
        return terms

    def __add__(self, other: "Prior") -> "PriorSum":
        if not isinstance(other, Prior):
            return NotImplemented
        return PriorSum((*_parts(self), *_parts(other)))


@dataclass(frozen=True)
class PriorSum(Prior):
    """A product of priors: their logarithms add up."""

    parts: tuple[Prior, ...]

    def _add_to(self, terms: Terms, names: Sequence[str]) -> None:
        """Add what each part says."""
        for part in self.parts:
            part._add_to(terms, names)

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.parts))


def _parts(prior: Prior) -> tuple[Prior, ...]:
    return prior.parts if isinstance(prior, PriorSum) else (prior,)


def as_strength(value: float, owner: str) -> float:
    """Return a strength as a float, after checking it."""
    if not (is_number(value) and math.isfinite(value)):
        raise ArgumentError(f"strength of {owner} must be a finite number, but {value!r} was given.")
    return float(value)


def as_variables(given: Sequence[Variable], argument: str) -> tuple[Variable, ...]:
    """Return variables as a tuple, after checking that they are a list of names or column numbers."""
    if isinstance(given, str | bytes) or not hasattr(given, "__iter__"):
        raise ArgumentError(f"{argument} must be a list of variables, but {given!r} was given.")
    variables = tuple(given)
    for variable in variables:
        if not isinstance(variable, str | int | np.integer) or isinstance(variable, bool):
            raise ArgumentError(f"{argument} must hold names or column numbers, but {variable!r} was given.")
    if not variables:
        raise ArgumentError(f"{argument} must name at least one variable, but the list is empty.")
    return variables


def as_members(variables: Sequence[Variable], names: Sequence[str]) -> np.ndarray:
    """Return which of ``names`` are among ``variables``, as booleans."""
    members = np.zeros(len(names), bool)
    members[find_columns(names, variables)] = True
    return members

"""What all priors have in common: they add up, and they can be put in terms of columns.

A prior is known up to a constant by its logarithm, a function of the DAG and perhaps of the order the chain is at. Sums
of logarithms are products of priors, so ``Sparsity(1) + Paths(...)`` is a prior again.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np

from edgewise._kernels.beliefs.terms import is_registered
from edgewise.arguments import is_number
from edgewise.data import find_columns
from edgewise.errors import ArgumentError
from edgewise.wording import quote

T = TypeVar("T")

Variable = int | str
"""A variable by name or by column number."""


class Term:
    """What a prior says beyond single edges, by column number.

    Each kind of term is a class of its own, and whoever samples or searches declares the kinds that it uses, see
    :func:`usable_terms`. ``what`` names the kind in messages, ``used_by`` who can use it.
    """

    what: ClassVar[str]
    used_by: ClassVar[str]

    def describe(self) -> str:
        """Return what this is, for a message."""
        return self.what


@dataclass(frozen=True, eq=False)
class TierTerm(Term):
    """``strength`` for each variable in place; ``tier`` has the number of each variable's tier, -1 for none."""

    what: ClassVar[str] = "a prior on orders (TierOrder)"
    used_by: ClassVar[str] = 'DagMCMC, the default, MinimalIMAP(target="orders"), OrderMCMC or PartitionMCMC'

    tier: np.ndarray
    strength: float


@dataclass(frozen=True, eq=False)
class PathTerm(Term):
    """``strength`` for each source with a directed path to a target; both are booleans by column."""

    what: ClassVar[str] = "a prior on paths (Paths, Ancestors)"
    used_by: ClassVar[str] = "DagMCMC, the default, MinimalIMAP or StructureMCMC"

    sources: np.ndarray
    targets: np.ndarray
    strength: float


@dataclass(frozen=True, eq=False)
class FunctionTerm(Term):
    """A Python function of the DAG and the order, with its name; the order makes no difference."""

    what: ClassVar[str] = "a function of the whole DAG (LogPrior)"
    used_by: ClassVar[str] = "DagMCMC, the default, MinimalIMAP or StructureMCMC"

    function: Callable[[np.ndarray, np.ndarray], float]
    name: str


@dataclass(frozen=True, eq=False)
class OrderFunctionTerm(FunctionTerm):
    """The same where the order makes a difference."""

    what: ClassVar[str] = "a function of the order (LogPrior)"
    used_by: ClassVar[str] = 'MinimalIMAP(target="orders")'


@dataclass(frozen=True, eq=False)
class DagTerm(Term):
    """A compiled function of the DAG: tables of a type that :mod:`edgewise._kernels.beliefs.terms` knows."""

    what: ClassVar[str] = "a compiled function of the whole DAG"
    used_by: ClassVar[str] = "DagMCMC, the default, MinimalIMAP or StructureMCMC"

    tables: Any

    def __post_init__(self) -> None:
        if not is_registered(self.tables):
            raise ArgumentError(
                f"No compiled function is registered for terms of a prior of the type {type(self.tables).__name__}: "
                "call register of edgewise._kernels.beliefs.terms beside the function."
            )

    def describe(self) -> str:
        """Return what this is, with the name of its tables."""
        return f"{self.what} ({type(self.tables).__name__})"


@dataclass(slots=True)
class Terms:
    """A log prior by column number: ``edge[i, j]`` is what the edge i -> j adds, and ``beyond`` are all other terms.

    It has slots, so that a name that is misspelt in an assignment is an error, and not ignored.
    """

    edge: np.ndarray
    beyond: list[Term] = field(default_factory=list)

    def of(self, kind: type[T]) -> list[T]:
        """Return the terms of a kind."""
        return [term for term in self.beyond if isinstance(term, kind)]


class Prior(ABC):
    """A prior over DAGs."""

    @abstractmethod
    def _add_to(self, terms: Terms, names: Sequence[str]) -> None:
        """Add what this prior says about the variables ``names`` to ``terms``, in place; return nothing."""

    def terms(self, names: Sequence[str]) -> Terms:
        """Return what this prior says about the variables ``names``.

        Raises
        ------
        ArgumentError
            If it speaks of other variables, or leaves something else than terms.
        """
        terms = Terms(np.zeros((len(names), len(names))))
        returned: Any = self._add_to(terms, names)
        if returned is not None:
            raise ArgumentError(
                f"{type(self).__name__}._add_to must add to the terms that it is given and return nothing, but it "
                f"returned {_show(returned)}."
            )
        _check_terms(terms, len(names), type(self).__name__)
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
        """Add what each part says, found by itself: no part sees, or could replace, what others have added."""
        for part in self.parts:
            said = part.terms(names)
            terms.edge += said.edge
            terms.beyond += said.beyond

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.parts))


def usable_terms(prior: Prior, names: Sequence[str], *, uses: Collection[type[Term]], by: str) -> Terms:
    """Return what a prior says, for someone who uses some kinds of terms beyond single edges.

    Raises
    ------
    ArgumentError
        If there is a term of another kind, which would be ignored.

    Examples
    --------
    >>> from edgewise import LogPrior, Sparsity
    >>> usable_terms(Sparsity(1.0), ["Raf", "Mek"], uses=(), by="hill_climb").beyond
    []
    """
    if not isinstance(prior, Prior) or isinstance(prior, type):
        raise ArgumentError(f"prior must be an object such as Sparsity(1.0), but {prior!r} was given.")
    terms = prior.terms(names)
    for term in terms.beyond:
        if type(term) not in uses:
            raise ArgumentError(f"{by} cannot use {term.describe()}: leave this prior out, or take {term.used_by}.")
    if not (terms.edge < np.inf).all():
        i, j = np.argwhere(~(terms.edge < np.inf))[0].tolist()
        raise ArgumentError(
            f"The log prior of the edge {names[i]} -> {names[j]} is {terms.edge[i, j]}, but must be a number below "
            "infinity: require edges in Constraints."
        )
    return terms


def _check_terms(terms: Terms, p: int, owner: str) -> None:
    """Refuse what a prior has left in place of terms."""
    edge: Any = terms.edge
    if not (isinstance(edge, np.ndarray) and edge.dtype == float and edge.shape == (p, p)):
        found = f"of shape {edge.shape} and of {edge.dtype}" if isinstance(edge, np.ndarray) else _show(edge)
        raise ArgumentError(
            f"terms.edge must stay an array of {p} x {p} floats, but what {owner}._add_to left is {found}: add to its "
            "entries, as in terms.edge += 1.0."
        )
    beyond: Any = terms.beyond
    if not isinstance(beyond, list):
        raise ArgumentError(
            f"terms.beyond must stay a list, but what {owner}._add_to left is {_show(beyond)}: append to it."
        )
    for term in beyond:
        if not isinstance(term, Term):
            raise ArgumentError(
                f"terms.beyond must hold terms such as DagTerm(tables), but {owner}._add_to put {_show(term)} there."
            )


def _show(value: Any) -> str:
    """Show what may hold arrays, which take several lines, on one."""
    return " ".join(quote(value).split())


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

"""What is known for certain about a DAG.

People know things about their variables that no test should overrule: the treatment was randomised, so nothing
causes it; what was measured on Monday is no effect of what was measured on Tuesday; the enzyme must act on its product,
if not directly then through something else. :class:`Constraints` takes such knowledge in the terms of the variables and
:class:`Knowledge` has it by column number, with all that follows from it.

A chain moves over orders of the variables, in which parents come before their children. So knowledge of who comes
before whom, ``before``, leaves out orders at once: required edges and paths point forward, and earlier tiers come
before later ones. An order that puts a variable x before a root r has no place for a dependence between the two, since
x -> r is forbidden and r -> x points backward; therefore roots come first, and leaves last. But no DAG may be lost that
way. A root that is told to come after z, by a tier, comes before those x only that come after z as well: otherwise
x -> z would be lost, which nothing speaks against. Where this is kept to, every DAG that satisfies the constraints
agrees with an order that satisfies ``before``. (For take a cycle of a DAG's edges and of pairs in ``before``, with a
step from a root r to x because of the rule. No edge leads into r, so the step into r is from some z that comes before
it, and before x as well: the cycle is there without r. Leave out all such steps, and a cycle of the DAG with required
edges, required paths and tiers remains, of which there is none.)
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from os import PathLike
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from edgewise import graphs
from edgewise._kernels.graphs.orientation import exclude
from edgewise._kernels.graphs.reaching import Known, require
from edgewise.data import find_columns
from edgewise.errors import ArgumentError
from edgewise.graphs import BoolMatrix
from edgewise.priors.contradictions import Statements, compose, exclude_paths, refuse_contradictions
from edgewise.priors.prior import Variable
from edgewise.wording import enumerate_items, quote

Pair = tuple[Variable, Variable]
Pairs = Sequence[Pair] | pd.DataFrame

ENDS = (("from", "to"), ("source", "target"))
"""Columns of a table of pairs: as bnlearn has them, and as :meth:`edgewise.Posterior.edges`."""


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What constraints say, by column number; made by :meth:`Constraints.resolve`.

    All arrays are (p, p), of bool, read-only, and false on the diagonal.

    Attributes
    ----------
    required
        Whether every DAG has the edge i -> j.
    forbidden
        Whether no DAG has the edge i -> j: because it is given, leads into a root or out of a leaf, or goes against
        `before` or `not_ancestors`.
    before
        Whether i comes before j in every order; transitively closed.
    ancestors
        Whether i is an ancestor of j in every DAG: required edges, required paths and what follows from them.
    not_ancestors
        Whether i must not be an ancestor of j: the pairs given, and what follows from them with `ancestors`. (Nor may
        it where j comes before i, whether or not the pair is here.)
    """

    required: BoolMatrix
    forbidden: BoolMatrix
    before: BoolMatrix
    ancestors: BoolMatrix
    not_ancestors: BoolMatrix

    def __post_init__(self) -> None:
        for array in (self.required, self.forbidden, self.before, self.ancestors, self.not_ancestors):
            array.setflags(write=False)

    @property
    def unreached(self) -> BoolMatrix:
        """Whether i is an ancestor of j in no DAG: `not_ancestors`, and whatever comes after j in every order."""
        return self.not_ancestors | self.before.T

    @property
    def needed_paths(self) -> BoolMatrix:
        """Whether i must be an ancestor of j although no required edges see to it."""
        return self.ancestors & ~graphs.ancestors(self.required)

    @property
    def excluded_paths(self) -> BoolMatrix:
        """Whether i must not be an ancestor of j although no order sees to it."""
        return self.not_ancestors & ~self.before.T

    def tell_apart(self, told: BoolMatrix | None = None) -> Known:
        """Return the edges and paths that no DAG has, and the paths that all have, for what finds compelled edges.

        Parameters
        ----------
        told
            Whether interventions tell the direction of an edge between i and j, shape (p, p), symmetric.
        """
        return require(exclude(self.forbidden, self.unreached, told), self.needed_paths)


@dataclass(frozen=True, kw_only=True)
class Constraints:
    """What is known for certain about the DAG.

    Variables are given by name or by column number. Pairs are lists or tuples of two, or the rows of a DataFrame that
    has the columns ``from`` and ``to``, or ``source`` and ``target``; its other columns are not looked at. All are kept
    as tuples.

    Parameters
    ----------
    required
        Pairs (a, b): every DAG has the edge a -> b.
    forbidden
        Pairs (a, b): no DAG has the edge a -> b.
    tiers
        Lists of variables, from the earliest to the latest, as in time: a variable of a later tier is never a cause of
        one of an earlier tier, neither directly nor through others. Within a tier, and for variables in no tier,
        everything is possible.
    roots
        Variables without parents.
    leaves
        Variables without children.
    ancestors
        Pairs (a, b): every DAG has a directed path from a to b.
    not_ancestors
        Pairs (a, b): no DAG has a directed path from a to b.

    Examples
    --------
    >>> constraints = Constraints(tiers=[["dose"], ["tumour", "weight"]], ancestors=[("dose", "weight")])
    >>> knowledge = constraints.resolve(["weight", "tumour", "dose"])
    >>> knowledge.forbidden.astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [0, 0, 0]])
    >>> Constraints(required=[("dose", "tumour")], roots=["tumour"]).resolve(["dose", "tumour"])
    Traceback (most recent call last):
    edgewise.errors.ArgumentError: 'dose' -> 'tumour' is required, but 'tumour' is among the roots, which have no \
parents; drop one of the two.
    """

    required: Pairs = ()
    forbidden: Pairs = ()
    tiers: Sequence[Sequence[Variable]] = ()
    roots: Sequence[Variable] = ()
    leaves: Sequence[Variable] = ()
    ancestors: Pairs = ()
    not_ancestors: Pairs = ()

    def __post_init__(self) -> None:
        for field in ("required", "forbidden", "ancestors", "not_ancestors"):
            object.__setattr__(self, field, _as_pairs(field, getattr(self, field)))
        for field in ("roots", "leaves"):
            object.__setattr__(self, field, _as_variables(field, getattr(self, field)))
        object.__setattr__(self, "tiers", _as_tiers(self.tiers))

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """Read constraints from a YAML or JSON file whose keys are the names of the parameters.

        Variables are given by name: what looks like a number is a name too.

        Parameters
        ----------
        path
            The file; if its name ends in .json it is read as JSON, otherwise as YAML.

        Raises
        ------
        ArgumentError
            If the file cannot be read, or does not have this form.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as directory:
        ...     path = Path(directory) / "known.yaml"
        ...     _ = path.write_text("{roots: [dose], required: [[dose, weight]]}")
        ...     constraints = Constraints.read(path)
        >>> constraints == Constraints(roots=["dose"], required=[("dose", "weight")])
        True
        """
        from .reading import read_mapping

        shown = quote(str(path))
        given = read_mapping(path)
        known = list(cls.__dataclass_fields__)
        for key in given:
            if key not in known:
                raise ArgumentError(
                    f"The file {shown} has the key {quote(key)}, but only these are known: {', '.join(known)}."
                )
        try:
            # A key with nothing after it, as when all its entries are commented out, says nothing.
            return cls(**{key: value for key, value in given.items() if value not in ("", None)})
        except ArgumentError as error:
            raise ArgumentError(f"The file {shown} cannot be used: {error}") from error

    def resolve(self, names: Sequence[str]) -> Knowledge:
        """Return what follows for the columns of a data set.

        Costs O(p^3) for p columns.

        Parameters
        ----------
        names
            The column names of the data.

        Raises
        ------
        ArgumentError
            If the constraints speak of other variables, or no DAG satisfies them.

        Examples
        --------
        >>> constraints = Constraints(required=[("a", "b")], not_ancestors=[("a", "c")])
        >>> constraints.resolve(["a", "b", "c"]).not_ancestors.astype(int)
        array([[0, 0, 1],
               [0, 0, 1],
               [0, 0, 0]])
        """
        stated = self._state(names)
        refuse_contradictions(stated)
        reached = stated.reached
        not_ancestors = exclude_paths(stated.not_ancestors, reached)
        before = graphs.ancestors(stated.forward)
        # A variable that is both a root and a leaf has no edges, and may stand anywhere.
        before = _put_first(before, stated.roots & ~stated.leaves, others=~stated.roots)
        before = _put_first(before.T, stated.leaves & ~stated.roots, others=~stated.leaves).T.copy()
        return Knowledge(
            required=stated.required,
            forbidden=np.ascontiguousarray(stated.without_edge | before.T | not_ancestors),
            before=before,
            ancestors=reached,
            not_ancestors=not_ancestors,
        )

    def _state(self, names: Sequence[str]) -> Statements:
        """Put what was given in terms of column numbers."""
        tier = self._number_tiers(names)
        in_tiers = tier >= 0
        return Statements(
            names=names,
            required=_mark_pairs("required", self.required, names),
            forbidden=_mark_pairs("forbidden", self.forbidden, names),
            ancestors=_mark_pairs("ancestors", self.ancestors, names),
            not_ancestors=_mark_pairs("not_ancestors", self.not_ancestors, names),
            earlier=(tier[:, None] < tier) & in_tiers[:, None] & in_tiers,
            roots=_mark("roots", self.roots, names),
            leaves=_mark("leaves", self.leaves, names),
        )

    def _number_tiers(self, names: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return the number of each variable's tier, -1 for none."""
        tiers = np.full(len(names), -1)
        for number, variables in enumerate(self.tiers):
            if not variables:
                raise ArgumentError(f"Tier {number + 1} of tiers is empty; name its variables, or leave it out.")
            for column in _find("tiers", variables, names):
                if tiers[column] not in (-1, number):
                    raise ArgumentError(
                        f"The variable {quote(names[column])} stands in tiers {tiers[column] + 1} and {number + 1} of "
                        "tiers; leave it in one of them."
                    )
                tiers[column] = number
        return tiers


def _put_first(before: BoolMatrix, first: npt.NDArray[np.bool_], *, others: npt.NDArray[np.bool_]) -> BoolMatrix:
    """Put variables without parents before all others, as far as no DAG is lost by it.

    See the module's docstring. With edges and orders turned round, it puts variables without children last.

    Parameters
    ----------
    before
        What is before what so far; transitively closed, shape (p, p).
    first
        The variables without parents that have children.
    others
        The variables that may have parents.
    """
    # [r, x]: one of the others comes before r, but not before x (or is x).
    blocked = compose((before & others[:, None]).T, ~before)
    return graphs.ancestors(before | (first[:, None] & others & ~blocked))


def _find(field: str, variables: Iterable[Variable], names: Sequence[str]) -> list[int]:
    try:
        return find_columns(names, variables)
    except ArgumentError as error:
        raise ArgumentError(f"In {field} of the constraints: {error}") from error


def _mark(field: str, variables: Sequence[Variable], names: Sequence[str]) -> npt.NDArray[np.bool_]:
    marked = np.zeros(len(names), dtype=np.bool_)
    marked[_find(field, variables, names)] = True
    return marked


def _mark_pairs(field: str, pairs: Iterable[Any], names: Sequence[str]) -> BoolMatrix:
    columns = np.array(_find(field, chain.from_iterable(pairs), names), dtype=np.intp)
    sources, targets = columns.reshape(-1, 2).T
    loops = sources[sources == targets]
    if len(loops):
        raise ArgumentError(f"{field} pairs the variable {quote(names[loops[0]])} with itself; drop this pair.")
    marked = np.zeros((len(names), len(names)), dtype=np.bool_)
    marked[sources, targets] = True
    return marked


def _as_pairs(field: str, given: Any) -> tuple[Pair, ...]:
    expected = "pairs of variables, such as [['Raf', 'Mek']]"
    pairs = _list_rows(field, given) if isinstance(given, pd.DataFrame) else _as_list(field, given, expected)
    if len(pairs) == 2 and all(_is_variable(item) for item in pairs):
        shown = quote(list(pairs))
        raise ArgumentError(f"{field} must be a list of pairs, but it is the single pair {shown}: write [{shown}].")
    for pair in pairs:
        if not (isinstance(pair, list | tuple | np.ndarray) and len(pair) == 2 and all(map(_is_variable, pair))):
            raise ArgumentError(f"{field} must be a list of {expected}, but one of them is {quote(pair)}.")
    return tuple((_tidy(source), _tidy(target)) for source, target in pairs)


def _list_rows(field: str, table: pd.DataFrame) -> list[tuple[Any, Any]]:
    """Return the pairs of a table that has one in each row."""
    for ends in ENDS:
        if set(ends) <= set(table.columns):
            source, target = (table[end].tolist() for end in ends)
            return list(zip(source, target, strict=True))
    found = enumerate_items([quote(name) for name in table.columns]) if len(table.columns) else "no columns"
    raise ArgumentError(
        f"{field} must be a list of pairs, or a table with the columns 'from' and 'to', or 'source' and 'target', but "
        f"it has {found}."
    )


def _as_tiers(given: Any) -> tuple[tuple[Variable, ...], ...]:
    expected = "tiers, each a list of variables, such as [['age', 'sex'], ['weight']]"
    tiers = _as_list("tiers", given, expected)
    for tier in tiers:
        if _is_variable(tier):
            raise ArgumentError(f"tiers must be a list of {expected}, but one of them is {quote(tier)}.")
    return tuple(_as_variables("each tier of tiers", tier) for tier in tiers)


def _as_variables(field: str, given: Any) -> tuple[Variable, ...]:
    variables = _as_list(field, given, "variables, such as ['Raf']")
    for variable in variables:
        if not _is_variable(variable):
            raise ArgumentError(
                f"{field} must be a list of variables, by name or column number, but one of them is {quote(variable)}."
            )
    return tuple(map(_tidy, variables))


def _as_list(field: str, given: Any, expected: str) -> Sequence[Any]:
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise ArgumentError(f"{field} must be a list of {expected}, but it is {quote(given)}.")
    if isinstance(given, set | frozenset):
        return sorted(given, key=str)  # the same in every run, so that records of runs can be compared
    return list(given)


def _is_variable(value: object) -> bool:
    return isinstance(value, str | int | np.integer) and not isinstance(value, bool)


def _tidy(variable: Variable) -> Variable:
    """Return a name or number as Python's own, which JSON can hold."""
    return str(variable) if isinstance(variable, str) else int(variable)

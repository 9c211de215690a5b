"""Compiled functions of the DAG as terms of a prior: one function, chosen by the type of the term's tables.

A new term is a NamedTuple of tables and a compiled part ``log_prior``, made known by :func:`register`. It is asked
about every DAG that a chain proposes, so that it should look at the DAG but once.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..compiling import by_type, compiled_as, make_known


class _Term(NamedTuple):
    """The function behind a type of tables."""

    log_prior: Callable[..., Any]


_terms: dict[type, _Term] = {}


def register(tables: type, *, log_prior: Callable[..., Any]) -> None:
    """Make a kind of terms known: the type of its tables, and a compiled part."""
    make_known(_terms, tables, _Term(log_prior))


def is_registered(tables: Any) -> bool:
    """Return whether there is a function for such tables."""
    return type(tables) in _terms


@by_type(_terms)
def log_prior(term, parents):
    """Return what a term says of a DAG, given as each variable's parents, bits in rows: a number below infinity."""


def sum_terms(terms: tuple[Any, ...], parents: Any) -> float:
    """Return what all terms say of a DAG."""
    return sum(float(log_prior(term, parents)) for term in terms)


@compiled_as(sum_terms)
def _choose_sum(terms: Any, parents: Any) -> Any:
    if len(terms) == 0:
        return lambda terms, parents: 0.0
    return lambda terms, parents: log_prior(terms[0], parents) + sum_terms(terms[1:], parents)

"""Priors and hard knowledge in the form the compiled loops want."""

from collections.abc import Sequence
from ctypes import CFUNCTYPE, c_int64
from numbers import Real
from typing import NoReturn

import numpy as np

from edgewise._kernels.basics.bits import pack, unpack
from edgewise._kernels.beliefs.beliefs import (
    DAG,
    DAG_AND_ORDER,
    FUNCTION,
    MEMO_BITS,
    PATHS,
    TERMS,
    Beliefs,
    Structure,
    Views,
)
from edgewise._kernels.families.target import FORBIDDEN, REQUIRED, TESTED, Rules, new_rules
from edgewise.errors import ArgumentError
from edgewise.priors import (
    DagTerm,
    FunctionTerm,
    Knowledge,
    OrderFunctionTerm,
    PathTerm,
    Terms,
    TierTerm,
)
from edgewise.wording import enumerate_items


def make_rules(p: int, knowledge: Knowledge | None) -> Rules:
    """Return the rules for single edges and the order; without any, all variables share one row."""
    if knowledge is None:
        return new_rules(p)
    rules = new_rules(p, rows=p)
    rules.edge[:, :p][knowledge.required.T] = REQUIRED
    rules.edge[:, :p][knowledge.forbidden.T] = FORBIDDEN
    rules.name[rules.edge != TESTED] = 0
    required = np.where(knowledge.required, rules.zobrist[:p, None], np.uint64(0))
    rules.own[:] ^= np.bitwise_xor.reduce(required, axis=0)
    rules.before[:, :p] = knowledge.before
    rules.bound[:] = knowledge.before.any(axis=1), knowledge.before.any(axis=0)
    return rules


def make_beliefs(terms: Terms, knowledge: Knowledge | None, *, log_count: np.ndarray | None = None) -> Beliefs:
    """Return all that a prior and hard knowledge say beyond single edges.

    ``log_count[k]`` is what a variable with k ancestors, or k descendants, adds to the log target.
    """
    p = len(terms.edge)
    needed, excluded = np.zeros((2, p, p), bool)
    if knowledge is not None:
        needed, excluded = knowledge.needed_paths, knowledge.excluded_paths
    tier, last_tier, tier_strength = tabulate_tiers(terms)
    paths = terms.of(PathTerm)
    sources = np.array([term.sources for term in paths], bool).reshape(-1, p)
    targets = np.array([term.targets for term in paths], bool).reshape(-1, p)
    is_ruled = np.asarray((needed | excluded).any(axis=0))
    asks = DAG if terms.of(FunctionTerm) else 0
    return Beliefs(
        tier=tier,
        last_tier=last_tier,
        tier_strength=tier_strength,
        sources=pack(sources),
        targets=pack(targets),
        path_strength=np.array([term.strength for term in paths], float),
        needed=pack(needed.T),
        excluded=pack(excluded.T),
        is_ruled=is_ruled,
        log_count=np.empty(0) if log_count is None else log_count,
        terms=tuple(term.tables for term in terms.of(DagTerm)),
        reach=bool(len(sources) or is_ruled.any() or log_count is not None),
        asks=DAG_AND_ORDER if terms.of(OrderFunctionTerm) else asks,
    )


def unless_empty(beliefs: Beliefs) -> Beliefs | None:
    """Return beliefs, or None where they say nothing, so that families are all that matters."""
    return beliefs if beliefs.reach or len(beliefs.tier) or beliefs.asks or beliefs.terms else None


def tabulate_tiers(terms: Terms) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the priors on orders, each with a row for a term: the tiers of variables, the last tier, the strength."""
    tiers = terms.of(TierTerm)
    tier = np.array([term.tier for term in tiers], np.int64).reshape(-1, len(terms.edge))
    return tier, tier.max(axis=1, initial=-1), np.array([term.strength for term in tiers], float)


def weigh_beyond_families(beliefs: Beliefs, structure: Structure) -> float:
    """Return the log prior of the present DAG and order, less what is a sum over edges."""
    beyond = structure.value[0, [PATHS, FUNCTION, TERMS]].sum() + beliefs.tier_strength @ structure.in_tier
    return float(beyond)


def agree_with(order: Sequence[int] | np.ndarray, knowledge: Knowledge | None) -> np.ndarray:
    """Return the order nearest to a given one that agrees with the knowledge.

    Again and again, the first variable is taken before which nothing is missing.
    """
    rest = [int(variable) for variable in order]
    if knowledge is None:
        return np.array(rest)
    missing = knowledge.before.sum(axis=0)
    agreed = []
    while rest:
        variable = next(v for v in rest if missing[v] == 0)
        rest.remove(variable)
        agreed.append(variable)
        missing = missing - knowledge.before[variable]
    return np.array(agreed)


def weigh_functions(
    functions: Sequence[FunctionTerm], order: np.ndarray, beliefs: Beliefs, structure: Structure
) -> bool:
    """Set what functions written in Python say of the present DAG; return whether it is possible at all."""
    _check_terms(beliefs, structure.value[0, TERMS])
    if functions:
        structure.value[0, FUNCTION] = _evaluate(functions, structure.parents, order)
    return bool(structure.value[0, FUNCTION] > -np.inf)


ASK_TYPE = CFUNCTYPE(c_int64)
"""How the compiled loop sees Python: a call without arguments, which takes the GIL, and returns 0 for failure. It costs
a fraction of a microsecond, where leaving the loop and coming back with all its arrays costs twenty."""


class Questions:
    """Answers the questions of one chain while its compiled loop runs, with the ``views`` to hand to that loop."""

    def __init__(self, functions: Sequence[FunctionTerm], beliefs: Beliefs, structure: Structure) -> None:
        self._functions = functions
        self._structure = structure
        self._failure: BaseException | None = None
        self.views = Views(beliefs, structure, ASK_TYPE(self._answer))

    def _answer(self) -> int:
        """Put what the functions say of the proposed DAG into the memo."""
        structure = self._structure
        key = structure.asked_key[0]
        try:
            value = _evaluate(self._functions, structure.question, structure.asked_order)
        except BaseException as failure:
            self._failure = failure
            return 0
        structure.memo[int(key) >> (64 - MEMO_BITS)] = key, value
        return 1

    def raise_failure(self) -> None:
        """Raise what stopped the loop, if a function or a compiled term did."""
        if self._failure is not None:
            raise self._failure
        _check_terms(self.views.beliefs, self._structure.value[1, TERMS])


def _check_terms(beliefs: Beliefs, value: float) -> None:
    """Refuse what compiled terms said of a DAG, if it is no log prior."""
    if not value < np.inf:
        refuse_terms(beliefs, value)


def refuse_terms(beliefs: Beliefs, returned: object) -> NoReturn:
    """Refuse compiled terms of a prior for what they returned, or what is known of it."""
    names = enumerate_items([type(tables).__name__ for tables in beliefs.terms])
    raise ArgumentError(
        f"The compiled function of {names} in the prior must return a number below infinity for each DAG, but it "
        f"returned {returned}."
    )


def _evaluate(functions: Sequence[FunctionTerm], parents: np.ndarray, order: np.ndarray) -> float:
    dag = unpack(parents, len(order)).T
    dag.setflags(write=False)
    total = 0.0
    for term in functions:
        value: object = term.function(dag, order.copy())
        if not isinstance(value, Real | np.bool_) or not float(value) < np.inf:
            raise ArgumentError(
                f"The function of LogPrior must return a number below infinity for each DAG, but it returned {value!r}."
            )
        total += float(value)
    return total

"""Any prior, as a function written in Python."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from edgewise.errors import ArgumentError

from .prior import FunctionTerm, OrderFunctionTerm, Prior, Terms


@dataclass(frozen=True)
class LogPrior(Prior):
    """A prior given by the logarithm of its density, any function of the DAG.

    The function is called when a step proposes another DAG, not in every step, and its values are remembered; still,
    chains with such a prior take thousands of steps a second instead of millions.

    Parameters
    ----------
    function
        Takes a DAG, a boolean array with ``dag[i, j]`` true for an edge from column i to column j, and returns a
        number, or minus infinity for a DAG that is impossible. If it has a second argument, or one called ``order``, it
        is also given the order, an array of column numbers. It must return the same value whenever it is asked.

    Examples
    --------
    >>> few_parents = LogPrior(lambda dag: -2.0 * (dag.sum(axis=0) > 3).sum())
    """

    function: Callable[..., float]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ArgumentError(f"LogPrior needs a function of the DAG, but {self.function!r} was given.")

    @property
    def name(self) -> str:
        """The function's name, with those of what it is defined in."""
        return getattr(self.function, "__qualname__", type(self.function).__qualname__)

    def _add_to(self, terms: Terms, names: Sequence[str]) -> None:
        """Call the function."""
        kind = FunctionTerm if self._parameter_for_order is None else OrderFunctionTerm
        terms.beyond.append(kind(self._evaluate, self.name))

    def _evaluate(self, dag: np.ndarray, order: np.ndarray) -> float:
        """Return the function's value, with the order if it wants it."""
        parameter = self._parameter_for_order
        if parameter is None:
            return self.function(dag)
        return self.function(dag, order=order) if parameter == "order" else self.function(dag, order)

    @cached_property
    def _parameter_for_order(self) -> str | None:
        """Return the name of the parameter that takes the order, if there is one."""
        try:
            parameters = inspect.signature(self.function).parameters
        except (TypeError, ValueError):  # some built-in functions have no signature
            return None
        by_position = [
            name
            for name, parameter in parameters.items()
            if parameter.default is parameter.empty
            and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        ]
        if "order" in parameters:
            return "order"
        return by_position[1] if len(by_position) >= 2 else None

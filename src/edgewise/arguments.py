"""What can be said of an argument before it is used."""

from numbers import Integral, Real
from typing import Any

import numpy as np

from edgewise.errors import ArgumentError
from edgewise.wording import quote


def is_number(value: object) -> bool:
    """Return whether a value is a real number: Python's, NumPy's, but not true or false.

    Examples
    --------
    >>> is_number(0.5), is_number("0.5"), is_number(True)
    (True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number, perhaps written as 1e6.

    Examples
    --------
    >>> is_whole(3), is_whole(1e6), is_whole(0.5), is_whole(float("inf"))
    (True, True, False, False)
    """
    if isinstance(value, Integral):
        return not isinstance(value, bool)
    return isinstance(value, Real) and float(value).is_integer()


def make_generator(seed: int | np.random.Generator | None) -> np.random.Generator:
    """Return the random numbers that a seed stands for.

    Examples
    --------
    >>> make_generator(1).integers(100) == make_generator(1).integers(100)
    np.True_
    """
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"seed must be a whole number of at least 0, a NumPy generator or None, but it is {seed!r}."
        ) from error


def check_threshold(threshold: float) -> float:
    """Return a probability from which on something counts, or refuse what is none."""
    if not (is_number(threshold) and 0 <= threshold <= 1):
        raise ArgumentError(f"threshold is a probability and must lie between 0 and 1, but {threshold!r} was given.")
    return threshold


def check_whole(name: str, value: float, *, least: int = 1, most: int | None = None) -> int:
    """Return the value of an argument as an integer, or refuse what is no whole number from ``least`` to ``most``.

    Examples
    --------
    >>> check_whole("chains", 4.0)
    4
    >>> check_whole("restarts", -1, least=0)
    Traceback (most recent call last):
    ...
    edgewise.errors.ArgumentError: restarts must be a whole number, at least 0, but -1 was given.
    """
    if not (is_whole(value) and value >= least and (most is None or value <= most)):
        limits = f", at least {least}" if most is None else f" from {least} to {most:,}"
        raise ArgumentError(f"{name} must be a whole number{limits}, but {quote(value)} was given.")
    return int(value)


def is_float_array(value: Any, dimensions: int) -> bool:
    """Return whether something is an array of floats with so many dimensions."""
    return isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.floating) and value.ndim == dimensions


def describe_array(value: Any) -> str:
    """Return what was found in place of an array of finite floats, for a message."""
    if not isinstance(value, np.ndarray):
        return " ".join(quote(value).split())  # a table takes several lines
    has_gaps = np.issubdtype(value.dtype, np.floating) and not np.isfinite(value).all()
    return f"of shape {value.shape} and of {value.dtype}{', with nan or infinity' if has_gaps else ''}"

"""What can be said of an argument before it is used."""

from numbers import Integral, Real


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

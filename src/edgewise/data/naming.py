"""Names for columns that came without."""


def default_names(p: int) -> tuple[str, ...]:
    """Names for p columns that came without: X0, X1, ...

    Examples
    --------
    >>> default_names(3)
    ('X0', 'X1', 'X2')
    """
    return tuple(f"X{column}" for column in range(p))

"""Names that fit."""


def shorten(name: str, longest: int) -> str:
    """Return a name or, if it is long, its beginning and its end: long names often differ only there.

    Examples
    --------
    >>> shorten("interleukin 6", 40), shorten("concentration of interleukin 6", 16)
    ('interleukin 6', 'concentrat…kin 6')
    """
    if len(name) <= longest:
        return name
    tail = (longest - 1) // 3
    return f"{name[: longest - 1 - tail]}…{name[len(name) - tail :]}"

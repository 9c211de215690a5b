"""Text that is safe to show."""


def printable(text: str) -> str:
    r"""Return a text with everything that could play tricks on a terminal written as Python would write it.

    Examples
    --------
    >>> printable("µ \x1b[31mred")
    'µ \\x1b[31mred'
    """
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)

"""The parts that messages and pages are made of."""

import re
from collections.abc import Sequence
from reprlib import Repr
from typing import Any

LISTED = 5
"""Names in a message before the rest is only counted; more are no help in finding the fault."""

UNTRUSTED = "Do not trust this run yet"
"""How each bad verdict begins, by which its warning is known."""

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""The characters that XML 1.0 (section 2.2) excludes, even in escaped form."""

_shortener = Repr()
_shortener.maxstring = _shortener.maxother = 120  # the length of a long path


def quote(value: Any) -> str:
    r"""Show a name or a cell: quoted, on one line, and shortened if very long.

    Examples
    --------
    >>> print(quote("Raf"), quote("two\nlines"))
    'Raf' 'two\nlines'
    """
    # A NumPy scalar is shown as the number that it holds; NumPy itself is not needed for that.
    return _shortener.repr(value.item() if getattr(value, "shape", None) == () else value)


def enumerate_items(items: Sequence[str]) -> str:
    """Put a list into words, with the first few items and the number of the others.

    Examples
    --------
    >>> enumerate_items(["a"]), enumerate_items(["a", "b", "c"])
    ('a', 'a, b and c')
    >>> enumerate_items(["a", "b", "c", "d", "e", "f", "g"])
    'a, b, c, d, e and 2 more'
    """
    if len(items) > LISTED + 1:  # "and 1 more" is no shorter than the item itself
        items = [*items[:LISTED], f"{len(items) - LISTED} more"]
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def enumerate_names(names: Sequence[str]) -> str:
    """Put a list of column names into words.

    Examples
    --------
    >>> print(enumerate_names(["Raf", "Mek"]))
    'Raf' and 'Mek'
    """
    return enumerate_items([quote(name) for name in names])


def columns_that(names: Sequence[str], one: str, many: str) -> str:
    """Begin a sentence with the columns it is about and the right form of the verb.

    Examples
    --------
    >>> print(columns_that(["Raf", "Mek"], "has", "have"))
    Columns 'Raf' and 'Mek' have
    """
    noun, verb = ("Column", one) if len(names) == 1 else ("Columns", many)
    return f"{noun} {enumerate_names(names)} {verb}"


def count(number: int, noun: str) -> str:
    """Give a number of things, with the noun in singular or plural.

    Examples
    --------
    >>> count(1, "row"), count(3, "row")
    ('1 row', '3 rows')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def pronoun(names: Sequence[str]) -> str:
    """Refer to columns already named: `it` or `them`.

    Examples
    --------
    >>> pronoun(["Raf"]), pronoun(["Raf", "Mek"])
    ('it', 'them')
    """
    return "it" if len(names) == 1 else "them"


def printable(text: str) -> str:
    r"""Return a text with everything that could play tricks on a terminal written as Python would write it.

    Examples
    --------
    >>> printable("µ \x1b[31mred")
    'µ \\x1b[31mred'
    """
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def writable(text: str) -> str:
    r"""Return a text with the replacement character, U+FFFD, for what no XML file can hold.

    Examples
    --------
    >>> ascii(writable("bell\x07"))
    "'bell\\ufffd'"
    """
    return NOT_IN_XML.sub("\ufffd", text)


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

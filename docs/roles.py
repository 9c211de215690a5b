"""Cross references of docstrings, :func:`edgewise.sample`, as links of the site: what mkdocstrings reads them with."""

import re

from griffe import Extension, Object

import edgewise as ew

ROLE = re.compile(r":(?:func|class|meth|attr|mod):`~?([\w.]+)`")


def link(found: re.Match[str]) -> str:
    """Return a link to a public name, or the name of something else.

    Examples
    --------
    >>> link(ROLE.match(":func:`edgewise.sample`"))
    '[`edgewise.sample`][edgewise.sample]'
    >>> link(ROLE.match(":meth:`intervene`"))
    '`intervene`'
    """
    name = found[1]
    package, _, rest = name.partition(".")
    is_public = package == "edgewise" and rest.split(".")[0] in ew.__all__
    return f"[`{name}`][{name}]" if is_public else f"`{name}`"


class Roles(Extension):
    """Replaces the roles in all docstrings."""

    def on_object(self, *, obj: Object, **_: object) -> None:
        """Replace those of one object."""
        if obj.docstring is not None:
            obj.docstring.value = ROLE.sub(link, obj.docstring.value)

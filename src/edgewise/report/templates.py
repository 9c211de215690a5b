"""Pages from templates that escape every value they are given."""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def make_environment(folder: str, **filters: Callable[..., Any]) -> Environment:
    """Return what renders the templates of a folder of this package; a value that is missing is an error."""
    environment = Environment(
        loader=PackageLoader("edgewise", folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)
    return environment


def read_parts(*names: str) -> str:
    """Return style sheets or scripts of this folder, one after the other."""
    folder = files("edgewise.report")
    return "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in names)

"""Priors from YAML and JSON files.

The keys are the names of the priors in Python, in small letters with underscores, and below them stand the names of
their parameters. All that is written down is believed at once, as priors add up in Python.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from os import PathLike
from typing import Any

import pandas as pd

from edgewise.errors import ArgumentError
from edgewise.wording import enumerate_items, quote

from .edge_beliefs import EdgeBeliefs
from .paths import Ancestors, Paths
from .prior import Prior
from .sparsity import Sparsity, default_prior
from .tier_order import TierOrder

BELIEFS = ("probability", "log_odds")
"""What can be said of an edge: one of both."""


def read_prior(path: str | PathLike[str], *, gamma: float | None = None) -> Prior:
    """Read a prior from a YAML or JSON file.

    Its keys are ``sparsity``, a number or ``auto``; ``tier_order``, with ``tiers``; ``paths``, with ``sources`` and
    ``targets``; ``ancestors``, with ``pairs``; and ``edge_beliefs``, a list of edges, each with its ``source``,
    ``target`` and ``probability`` or ``log_odds``. ``tier_order``, ``paths`` and ``ancestors`` may have a ``strength``,
    and there may be a list of several of them. Without ``sparsity``, it is ``auto``, as it is without any file.

    Variables are given by name: what looks like a number is a name too.

    Parameters
    ----------
    path
        The file; if its name ends in .json it is read as JSON, otherwise as YAML.
    gamma
        The sparsity, for a file that does not have it.

    Returns
    -------
    Prior
        The sum of all that is in it.

    Raises
    ------
    ArgumentError
        If the file cannot be read, or does not have this form.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     path = Path(directory) / "beliefs.yaml"
    ...     _ = path.write_text("{sparsity: 2, paths: {sources: [EGF], targets: [EGFR], strength: 3}}")
    ...     prior = read_prior(path)
    >>> prior
    Sparsity(gamma=2.0) + Paths(sources=('EGF',), targets=('EGFR',), strength=3.0)
    """
    from .reading import read_mapping

    shown = quote(str(path))
    given = read_mapping(path, what="prior", keys="keys such as sparsity or tier_order")
    readers: dict[str, Callable[[Any], list[Prior]]] = {
        "sparsity": lambda found: [Sparsity(found if found == "auto" else _as_number(found, "sparsity"))],
        "tier_order": lambda found: _make_all("tier_order", TierOrder, found),
        "paths": lambda found: _make_all("paths", Paths, found),
        "ancestors": lambda found: _make_all("ancestors", Ancestors, found),
        "edge_beliefs": _read_edges,
    }
    for key in given:
        if key not in readers:
            raise ArgumentError(
                f"The file {shown} has the key {quote(key)}, but only these are known: {', '.join(readers)}."
            )
    # A key with nothing after it, as when all its entries are commented out, says nothing.
    told = {key: given[key] for key in readers if given.get(key) not in ("", None)}
    if gamma is not None and "sparsity" in told:
        raise ArgumentError(f"The file {shown} has the key sparsity, and gamma is given too: leave one of them out.")
    try:
        parts: list[Prior] = [] if "sparsity" in told else [default_prior() if gamma is None else Sparsity(gamma)]
        for key, found in told.items():
            parts += readers[key](found)
    except ArgumentError as error:
        raise ArgumentError(f"The file {shown} cannot be used: {error}") from error
    total, *others = parts
    for part in others:
        total = total + part
    return total


def _make_all(key: str, kind: Any, given: Any) -> list[Prior]:
    """Return the priors that stand under a key: one, or a list of several."""
    return [_make(key, kind, one) for one in (given if isinstance(given, list) else [given])]


def _make(key: str, kind: Any, given: Any) -> Prior:
    names = [parameter.name for parameter in fields(kind)]
    if not isinstance(given, Mapping):
        raise ArgumentError(f"{key} must have {enumerate_items(names)} below it, but it has {quote(given)}.")
    for name in given:
        if name not in names:
            raise ArgumentError(f"{key} has {quote(name)}, but it takes only {enumerate_items(names)}.")
    for parameter in fields(kind):
        if parameter.default is MISSING and parameter.name not in given:
            raise ArgumentError(f"{key} has no {parameter.name}: add it.")
    # A file has text where an argument is a number; one that must be whole, but is not, is refused by the prior.
    types = {parameter.name: parameter.type for parameter in fields(kind)}
    settings = {
        name: _as_number(value, f"{name} of {key}") if types[name] in (int, float) else value
        for name, value in given.items()
    }
    made: Prior = kind(**settings)
    return made


def _read_edges(given: Any) -> list[Prior]:
    """Return beliefs about edges, from a list of them."""
    edges = given if isinstance(given, list) else [given]
    tables: dict[str, list[dict[str, Any]]] = {belief: [] for belief in BELIEFS}
    for edge in edges:
        beliefs = [belief for belief in BELIEFS if isinstance(edge, Mapping) and belief in edge]
        if len(beliefs) != 1 or set(edge) != {"source", "target", *beliefs}:
            raise ArgumentError(
                "Each edge of edge_beliefs must have a source, a target and either a probability or log_odds, but one "
                f"of them is {quote(edge)}."
            )
        (belief,) = beliefs
        tables[belief].append({**edge, belief: _as_number(edge[belief], f"{belief} of edge_beliefs")})
    made: list[Prior] = []
    if tables["probability"]:
        made.append(EdgeBeliefs(probabilities=pd.DataFrame(tables["probability"])))
    if tables["log_odds"]:
        made.append(EdgeBeliefs(log_odds=pd.DataFrame(tables["log_odds"])))
    return made


def _as_number(given: Any, what: str) -> float:
    try:
        return float(given)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{what} must be a number, but it is {quote(given)}.") from error

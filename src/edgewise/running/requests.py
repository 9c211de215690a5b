"""What was asked for: the arguments of a run, in a form that outlives it.

A checkpoint has them as JSON and arrays. Parts of this package are brought back by their name and their settings;
functions, and classes of somebody else, cannot be, and then the same call of :func:`edgewise.sample` goes on.
"""

import hashlib
import importlib.metadata
import json
from dataclasses import dataclass, field, is_dataclass
from typing import Any

import numpy as np
import pandas as pd

import edgewise.independence
import edgewise.priors
import edgewise.samplers
import edgewise.scores
from edgewise.data import Data, Reading
from edgewise.errors import EdgewiseError
from edgewise.priors import Constraints, FunctionTerm, Prior, PriorSum
from edgewise.samplers import Sampler
from edgewise.scores import Score

from .frames import Frame
from .plan import Plan, as_plain, describe
from .tables import pack_data, unpack_data

VERSIONS = ("edgewise", "numpy", "numba")
"""What the last bit of a draw may depend on."""


@dataclass(frozen=True)
class Request:
    """The arguments of :func:`edgewise.sample` that decide what is drawn."""

    data: Data | None
    nodes: Any = None
    sampler: Sampler | None = None
    score: Score | None = None
    prior: Prior | None = None
    constraints: Constraints | None = None
    iterations: int | None = None
    burn_in: float = 0.2
    thin: int | None = None
    chains: int = 4
    seed: int = 0
    start: Any = "auto"
    time_budget: float | None = None
    until: str | None = None
    reading: Reading = field(default_factory=Reading)


PARTS = ("sampler", "score", "prior", "constraints")
LENGTHS = ("iterations", "burn_in", "thin", "chains", "time_budget", "until")


def describe_request(request: Request, plan: Plan) -> dict[str, Any]:
    """Return all that decides what is drawn, as JSON gives it back."""
    functions = {
        term.name: hashlib.sha256(code.co_code + repr(code.co_consts).encode()).hexdigest()[:16]
        for term in plan.prior.terms(plan.names).of(FunctionTerm)
        if (code := getattr(term.function, "__code__", None)) is not None
    }
    return as_plain(
        {
            "versions": {name: importlib.metadata.version(name) for name in VERSIONS},
            **plan.record,
            "nodes": plan.names,
            "functions": functions,
            **{name: getattr(request, name) for name in LENGTHS},
            "seed": request.seed,
            "start": request.start,
        }
    )


def find_difference(one: Any, other: Any, name: str = "") -> str | None:
    """Return the name of the first thing in which two records differ, with both values; None if they do not."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys([*one, *other]):
            found = find_difference(one.get(key), other.get(key), f"{name} {key}".strip())
            if found:
                return found
        return None
    return None if one == other else f"{name} ({_shorten(one)} there, {_shorten(other)} here)"


def _shorten(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


CELLS = "cells "
"""What the names of the arrays begin with that say in which cells a variable was set."""


def pack_request(request: Request) -> Frame:
    """Return the arguments as a frame; ``missing`` is the name of one that cannot be brought back from it."""
    missing = None
    about: dict[str, Any] = {name: getattr(request, name) for name in (*LENGTHS, "seed")}
    packed = None if request.data is None else pack_data(request.data)
    if request.data is not None and packed is None:
        missing = "data"
    about["data"] = None if packed is None else packed.numbers
    arrays = {} if packed is None else dict(packed.arrays)
    cells = request.reading.get("interventions")
    if isinstance(cells, pd.DataFrame | np.ndarray):
        table = pack_data(cells)
        missing = missing or (None if table else "interventions")
        about["cells"] = None if table is None else table.numbers
        arrays |= {CELLS + name: array for name, array in (table.arrays if table else {}).items()}
    for name in ("reading", "start", "nodes"):
        about[name] = as_plain({"value": getattr(request, name)})["value"]
    for name in PARTS:
        part = getattr(request, name)
        about[name] = None if part is None else as_plain({"part": describe(part)})["part"]
        if part is not None and not _comes_back(part, about[name]):
            missing = missing or name
    return Frame(arrays, {"missing": missing, **as_plain(about)})


def _comes_back(part: Any, described: dict[str, Any]) -> bool:
    try:
        return bool(as_plain({"part": describe(_rebuild(described))})["part"] == described)
    except (EdgewiseError, TypeError, ValueError, KeyError, AttributeError):
        return False


def unpack_request(frame: Frame) -> Request:
    """Return the arguments that were packed.

    Raises
    ------
    ValueError, KeyError, TypeError
        If they are not in the frame.
    """
    about = frame.numbers
    settings: dict[str, Any] = {name: about[name] for name in LENGTHS}
    settings |= {name: None if about[name] is None else _rebuild(about[name]) for name in PARTS}
    reading = about["reading"]
    if "cells" in about:
        cells = {name.removeprefix(CELLS): array for name, array in frame.arrays.items() if name.startswith(CELLS)}
        reading = {**reading, "interventions": unpack_data(Frame(cells, about["cells"]))}
    return Request(
        data=None if about["data"] is None else unpack_data(Frame(frame.arrays, about["data"])),
        nodes=about["nodes"],
        start=about["start"],
        reading=reading,
        seed=int(about["seed"]),
        **settings,
    )


def _rebuild(described: dict[str, Any]) -> Any:
    """Return a part of a run, given its name and its settings."""
    settings = dict(described)
    name = settings.pop("name")
    if name == "sum":
        return PriorSum(tuple(_rebuild(part) for part in settings["parts"]))
    for module in (edgewise.samplers, edgewise.scores, edgewise.priors, edgewise.independence):
        made = getattr(module, name, None)
        if isinstance(made, type) and is_dataclass(made):
            nested = {key: _rebuild(v) if isinstance(v, dict) and "name" in v else v for key, v in settings.items()}
            return made(**nested)
    raise KeyError(name)

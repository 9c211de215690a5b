"""What was asked for: the arguments of a run, in a form that outlives it.

A checkpoint has them as JSON and arrays. Parts of this package are brought back by their name and their settings;
functions, and classes of somebody else, cannot be, and then the same call of :func:`edgewise.sample` goes on.
"""

import hashlib
import importlib.metadata
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np
import pandas as pd

import edgewise.independence
import edgewise.priors
import edgewise.samplers
import edgewise.scores
from edgewise.data import Data, Reading, load_data
from edgewise.posterior.record import as_plain, describe_part
from edgewise.priors import Constraints, LogPrior, Prior, PriorSum
from edgewise.samplers import Sampler
from edgewise.scores import Score

from .frames import Frame
from .plan import Plan
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
    source: str | None = None
    """The name of the file that data came from, where they are no longer a path."""


PARTS: dict[str, type] = {"sampler": Sampler, "score": Score, "prior": Prior, "constraints": Constraints}
LENGTHS = ("iterations", "burn_in", "thin", "chains", "time_budget", "until")


def describe_request(request: Request, plan: Plan) -> dict[str, Any]:
    """Return all that decides what is drawn, as JSON gives it back."""
    return _describe(request, plan.record, plan.names, plan.prior)


def _outline(part: Any) -> Any:
    """Return what a function does, as far as that can be seen, and not where in memory it is."""
    if isinstance(part, FunctionType):
        within = [cell.cell_contents for cell in part.__closure__ or ()]
        return [_outline(item) for item in (part.__code__, part.__defaults__, part.__kwdefaults__, within)]
    if isinstance(part, partial):
        return [_outline(item) for item in (part.func, part.args, part.keywords)]
    if isinstance(part, CodeType):
        return part.co_code.hex(), part.co_names, part.co_varnames, [_outline(constant) for constant in part.co_consts]
    if isinstance(part, np.ndarray):
        return part.dtype.str, part.shape, part.tobytes()
    if isinstance(part, frozenset | set):
        return sorted(repr(_outline(item)) for item in part)
    if isinstance(part, dict):
        return [(_outline(key), _outline(item)) for key, item in part.items()]
    if isinstance(part, tuple | list):
        return [_outline(item) for item in part]
    is_plain = part is None or part is ... or isinstance(part, bool | int | float | complex | str | bytes | np.generic)
    return repr(part) if is_plain else type(part).__qualname__


def describe_question(request: Request) -> dict[str, Any]:
    """Return all that decides what is drawn, before anything is prepared, as JSON gives it back.

    The data are read, and described as they are; parts that are left to us are None.
    """
    dataset = None if request.data is None else load_data(request.data, **request.reading)
    names = tuple(() if request.nodes is None else request.nodes) if dataset is None else dataset.names
    parts = {name: getattr(request, name) for name in PARTS}
    record = {
        "data": None if dataset is None else dataset.record(),
        **{name: None if part is None else describe_part(part) for name, part in parts.items()},
    }
    return _describe(request, record, names, request.prior)


def _describe(request: Request, record: dict[str, Any], names: tuple[str, ...], prior: Prior | None) -> dict[str, Any]:
    return as_plain(
        {
            "versions": find_versions(),
            **record,
            "nodes": names,
            "functions": [] if prior is None else _hash_functions(prior),
            **{name: getattr(request, name) for name in LENGTHS},
            "seed": request.seed,
            "start": request.start,
        }
    )


def find_versions() -> dict[str, str]:
    """Return the versions of what draws may depend on."""
    return {name: find_version(name) for name in VERSIONS}


@cache
def find_version(name: str) -> str:
    """Return the version of a package; to look it up again would take a good part of a short run."""
    return importlib.metadata.version(name)


def _hash_functions(prior: Prior) -> list[dict[str, str]]:
    """Return what tells one version of a prior's functions from another."""
    parts = prior.parts if isinstance(prior, PriorSum) else (prior,)
    return [
        {part.name: hashlib.sha256(repr(_outline(part.function)).encode()).hexdigest()[:16]}
        for part in parts
        if isinstance(part, LogPrior)
    ]


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
    if len(text) <= 60:
        return text
    return json.dumps(f"{value[:16]}…", ensure_ascii=False) if isinstance(value, str) else "something else"


CELLS = "cells "
"""What the names of the arrays begin with that say in which cells a variable was set."""


def pack_request(request: Request) -> Frame:
    """Return the arguments as a frame; ``missing`` is the name of one that cannot be brought back from it."""
    missing = None
    about: dict[str, Any] = {name: getattr(request, name) for name in (*LENGTHS, "seed", "start")}
    packed = None if request.data is None else pack_data(request.data, request.reading.get("header", "auto"))
    if request.data is not None and packed is None:
        missing = "data"
    about["data"] = None if packed is None else packed.numbers
    arrays = {} if packed is None else dict(packed.arrays)
    # What is kept is a table, and has its names.
    reading: dict[str, Any] = {name: value for name, value in request.reading.items() if name != "header"}
    if isinstance(reading.get("interventions"), pd.DataFrame | np.ndarray):
        table = pack_data(reading.pop("interventions"))
        missing = missing or (None if table else "interventions")
        about["cells"] = None if table is None else table.numbers
        arrays |= {CELLS + name: array for name, array in (table.arrays if table else {}).items()}
    about["source"] = Path(request.data).name if isinstance(request.data, str | os.PathLike) else request.source
    about["nodes"] = None if request.nodes is None else list(request.nodes)
    about["reading"], unread = _pack_parts({name: _simplify(value) for name, value in reading.items()})
    parts, unmade = _pack_parts({name: getattr(request, name) for name in PARTS})
    return Frame(arrays, {"missing": missing or unread or unmade, **as_plain(about | parts)})


def _simplify(value: Any) -> Any:
    """Return a setting of how to read a table: dictionaries and lists for whatever it has its names and targets in."""
    if isinstance(value, Mapping):
        return {key: _simplify(item) for key, item in value.items()}
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else value


def _pack_parts(parts: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """Return parts of a run as JSON can hold them, and the name of the first that it cannot, which is None there."""
    packed: dict[str, Any] = {}
    missing = None
    for name, part in parts.items():
        try:
            packed[name] = _pack_part(part)
        except _CannotBeKeptError:
            packed[name], missing = None, missing or name
    return packed, missing


class _CannotBeKeptError(Exception):
    """A setting of a part is a function, or an object of somebody else."""


def _pack_part(value: Any) -> Any:
    """Return a part of a run, or a setting of one, as JSON can hold it, so that it comes back as it was."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return {"array": value.tolist(), "type": value.dtype.str}
    if isinstance(value, tuple | list):
        return {"tuple" if isinstance(value, tuple) else "list": [_pack_part(item) for item in value]}
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dictionary": {key: _pack_part(item) for key, item in value.items()}}
    if isinstance(value, dict):
        return {"pairs": [[_pack_part(key), _pack_part(item)] for key, item in value.items()]}
    if isinstance(value, pd.DataFrame):
        columns = [_pack_part(value.iloc[:, number].tolist()) for number in range(value.shape[1])]
        return {"table": columns, "names": _pack_part(list(value.columns)), "rows": _pack_part(list(value.index))}
    name = type(value).__name__
    if is_dataclass(value) and _find_class(name) is type(value):
        settings = {setting.name: _pack_part(getattr(value, setting.name)) for setting in fields(value)}
        return {"name": name, "settings": settings}
    raise _CannotBeKeptError


def _find_class(name: str) -> Any:
    modules = (edgewise.samplers, edgewise.scores, edgewise.priors, edgewise.independence)
    return next((getattr(module, name) for module in modules if hasattr(module, name)), None)


def _unpack_part(packed: Any) -> Any:
    """Return what was packed."""
    if not isinstance(packed, dict):
        return packed
    if "array" in packed:
        return np.array(packed["array"], np.dtype(packed["type"]))
    if "table" in packed:
        columns = dict(enumerate(_unpack_part(column) for column in packed["table"]))
        return pd.DataFrame(columns, index=_unpack_part(packed["rows"])).set_axis(_unpack_part(packed["names"]), axis=1)
    for kind in ("tuple", "list"):
        if kind in packed:
            items = [_unpack_part(item) for item in packed[kind]]
            return tuple(items) if kind == "tuple" else items
    if "dictionary" in packed:
        return {key: _unpack_part(item) for key, item in packed["dictionary"].items()}
    if "pairs" in packed:
        return {_unpack_part(key): _unpack_part(item) for key, item in packed["pairs"]}
    made = _find_class(packed["name"])
    if not (isinstance(made, type) and is_dataclass(made)):
        raise KeyError(packed["name"])
    return made(**{name: _unpack_part(setting) for name, setting in packed["settings"].items()})


def unpack_request(frame: Frame) -> Request:
    """Return the arguments that were packed.

    Raises
    ------
    ValueError, KeyError, TypeError
        If they are not in the frame.
    """
    about = frame.numbers
    settings: dict[str, Any] = {name: about[name] for name in LENGTHS}
    settings |= {name: _unpack_part(about[name]) for name in PARTS}
    if not all(settings[name] is None or isinstance(settings[name], kind) for name, kind in PARTS.items()):
        raise TypeError("a part of a run is something else")
    reading: Any = {name: _unpack_part(value) for name, value in dict(about["reading"]).items()}
    if not reading.keys() <= Reading.__annotations__.keys():
        raise ValueError("a table cannot be read like that")
    if "cells" in about:
        cells = {name.removeprefix(CELLS): array for name, array in frame.arrays.items() if name.startswith(CELLS)}
        reading = {**reading, "interventions": unpack_data(Frame(cells, about["cells"]))}
    return Request(
        data=None if about["data"] is None else unpack_data(Frame(frame.arrays, about["data"])),
        nodes=about["nodes"],
        start=about["start"],
        reading=reading,
        seed=int(about["seed"]),
        source=source if isinstance(source := about.get("source"), str) else None,
        **settings,
    )

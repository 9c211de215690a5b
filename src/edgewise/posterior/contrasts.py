"""In what two runs differ by their records: data, model, chains, in words that go into a table.

A record may come from anybody's file, and most of what is in it is only shown: whatever stands there becomes a text.
"""

from typing import Any, NamedTuple

from edgewise.wording import shorten

from .accounts import describe_data
from .differences import Beliefs

LONGEST = 300
"""Letters of a setting: a prior with the beliefs of a few edges. Longer ones are cut in the middle."""

UNKNOWN = "not recorded"


class Contrast(NamedTuple):
    """A setting that is not the same in two runs.

    Attributes
    ----------
    setting
        What it is.
    first, second
        What it was in each run.
    """

    setting: str
    first: str
    second: str


def contrast_runs(first: Beliefs, second: Beliefs) -> tuple[list[Contrast], list[str]]:
    """Return the settings that differ between two runs, and the names of those that are known to be the same."""
    one, other = (_settings(beliefs) for beliefs in (first, second))
    data = [(beliefs.info.get("data") or {}).get("fingerprint") for beliefs in (first, second)]
    if data[0] != data[1] and one["data"] == other["data"] and None not in data:
        other["data"] = f"{other['data']}, but others"
    differing = [Contrast(name, one[name], other[name]) for name in one if one[name] != other[name]]
    same = [name for name in one if one[name] == other[name] != UNKNOWN]
    return differing, same


def _settings(beliefs: Beliefs) -> dict[str, str]:
    info = beliefs.info
    schedule = info.get("schedule") or {}
    return {
        "data": _data(info),
        "score": _part(info, "score"),
        "prior": _part(info, "prior"),
        "constraints": _constraints(info),
        "sampler": beliefs.about if not info else _part(info, "sampler"),
        "draws": beliefs.about,
        "iterations": _put(schedule["iterations"]) if "iterations" in schedule else UNKNOWN,
        "burn-in": _put(schedule["burn_in"]) if "burn_in" in schedule else UNKNOWN,
        "seed": _put(info["seed"]) if "seed" in info else UNKNOWN,
        "version": _put((info.get("versions") or {}).get("edgewise", UNKNOWN)),
    }


def _data(info: dict[str, Any]) -> str:
    if "data" not in info:
        return UNKNOWN
    if info["data"] is None:
        return "none: the prior alone"
    rows = info["data"].get("n")
    sentences = describe_data(info)
    return " ".join([UNKNOWN if rows is None else f"{rows:,} rows", *(f"({sentence})" for sentence in sentences)])


def _part(info: dict[str, Any], name: str) -> str:
    return _put(info[name]) if name in info else UNKNOWN


def _constraints(info: dict[str, Any]) -> str:
    """Say how many constraints of each kind there are; those of two runs seldom fit beside each other."""
    if "constraints" not in info:
        return UNKNOWN
    given = {name: value for name, value in (info["constraints"] or {}).items() if value}
    return shorten(", ".join(f"{name}: {_put(value)}" for name, value in given.items()), LONGEST) or "none"


def _put(value: Any) -> str:
    """Put a setting into words, whatever it is.

    Examples
    --------
    >>> _put({"name": "Sparsity", "gamma": "auto"}), _put(20000), _put(None), _put([["Raf", "Mek"]])
    ('Sparsity (gamma auto)', '20,000', 'none', 'Raf Mek')
    """
    if isinstance(value, dict):
        given = {name: item for name, item in value.items() if name != "name" and item is not None}
        inner = ", ".join(f"{str(name).replace('_', ' ')} {_put(item)}" for name, item in given.items())
        text = f"{value['name']} ({inner})" if "name" in value and inner else str(value.get("name", inner))
    elif isinstance(value, list):
        separator = ", " if any(isinstance(item, list | dict) for item in value) else " "
        text = separator.join(map(_put, value))
    elif value is None or isinstance(value, bool):
        text = {None: "none", True: "yes", False: "no"}[value]
    else:
        text = f"{value:,}" if isinstance(value, int) else str(value)
    return shorten(text, LONGEST)

"""The record of a run: how it is written, and whether one from a file has all that summaries and reports take from it.

A record may say anything about a run, and most of it is only shown. What something depends on is listed in
:data:`RECORD`, with what it must be.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd

from edgewise.errors import EdgewiseError
from edgewise.priors import Constraints, PriorSum
from edgewise.wording import quote

from .variables import require

Check = Callable[[Any], bool]

MOST_COUNTED = 2**63
"""Beyond any number of rows, of draws or of moves."""

DEEPEST = 50
"""Levels of lists within lists. A prior that is a sum of sums has some ten; what writes pages goes down a level with
each, and cannot go down a thousand."""


def describe_part(part: Any) -> dict[str, Any]:
    """Return a part's name and, if it is a dataclass, its settings."""
    if isinstance(part, PriorSum):
        return {"name": "sum", "parts": [describe_part(term) for term in part.parts]}
    settings = {field.name: getattr(part, field.name) for field in fields(part)} if is_dataclass(part) else {}
    return {
        "name": type(part).__name__,
        **{name: describe_part(value) if is_dataclass(value) else value for name, value in settings.items()},
    }


def as_plain(info: dict[str, Any]) -> dict[str, Any]:
    """Return a record as JSON gives it back, so that it is the same before and after storage."""

    def simplify(value: Any) -> Any:
        if isinstance(value, pd.DataFrame):
            return value.to_dict("list")
        if isinstance(value, np.ndarray | np.generic | pd.Series | pd.Index):
            return value.tolist()
        if isinstance(value, range):
            return list(value)
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        return getattr(value, "__qualname__", repr(value))

    def name(value: Any) -> Any:
        if isinstance(value, dict):
            return {key.item() if isinstance(key, np.generic) else key: name(item) for key, item in value.items()}
        return value

    plain: dict[str, Any] = json.loads(json.dumps(name(info), default=simplify))
    return plain


def is_shallow(value: Any, depth: int = DEEPEST) -> bool:
    """Whether there are not too many lists and dictionaries within each other."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth > 0 and all(is_shallow(item, depth - 1) for item in items if isinstance(item, dict | list))


def is_text(value: Any) -> bool:
    """Whether something is a text."""
    return isinstance(value, str)


def is_count(value: Any) -> bool:
    """Whether something is a number of things."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST_COUNTED


def is_list(is_right: Check) -> Check:
    """Return the check of a list by that of its entries."""
    return lambda value: isinstance(value, list) and all(map(is_right, value))


def is_dict(must: Mapping[str, Check], may: Mapping[str, Check] | None = None) -> Check:
    """Return the check of a dictionary by those of the entries that it must have, and that it may have."""
    known = {**must, **(may or {})}
    return lambda value: (
        isinstance(value, dict)
        and must.keys() <= value.keys()
        and all(known[key](item) for key, item in value.items() if key in known)
    )


def check_record(info: Any, names: list[str]) -> None:
    """Refuse the record of a run of variables with some names if something is read from it that is not there."""
    require(isinstance(info, dict), "it has no record of the run")
    for name, is_right in RECORD.items():
        require(name not in info or is_right(info[name]), f"the record of the run has something else for {quote(name)}")
    data, score = info.get("data") or {}, info.get("score") or {}
    kinds = data.get("kinds")
    require(not kinds or {*names} == kinds.keys(), "the record of the run does not have the kinds of all variables")
    for about in ("skewness", "distinct"):
        require(len(data.get(about) or names) == len(names), "the record of the run does not describe all columns")
    nu = score.get("nu") if score.get("name") == "BGe" else None
    require(nu is None or (is_list(_is_number)(nu) and len(nu) == len(names)), "a prior mean of the score is no number")


def _maybe(is_right: Check) -> Check:
    """Return the check of something that may be None."""
    return lambda value: value is None or is_right(value)


def _by_name(is_right: Check) -> Check:
    """Return the check of a dictionary by that of all its values."""
    return lambda value: isinstance(value, dict) and all(map(is_right, value.values()))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < np.inf


def _are_constraints(value: Any) -> bool:
    try:
        Constraints(**value)
    except (EdgewiseError, TypeError):
        return False
    return True


def _are_gaps(data: Any) -> bool:
    """Whether the data are without gaps, or it is said how many there are."""
    return not data.get("effective_rows") or {"missing_cells", "n"} <= data.keys()


def _are_levels(data: Any) -> bool:
    """Whether the data are without levels, or it is said which there are."""
    return not data.get("kinds") or "levels" in data


_IS_CONDITION = is_dict({"name": is_text, "rows": is_count, "targets": is_list(is_text)})

_IS_DATA = is_dict(
    {},
    {
        "n": is_count,
        "name": is_text,
        "skewness": is_list(_maybe(_is_number)),
        "distinct": is_list(is_count),
        "fingerprint": is_text,
        "kinds": _by_name(is_text),
        "levels": _by_name(is_list(is_text)),
        "transform": is_text,
        "dropped_rows": is_count,
        "missing_cells": is_count,
        "effective_rows": is_count,
        "conditions": is_list(_IS_CONDITION),
        "targets": _maybe(is_list(is_list(is_text))),
        "findings": _maybe(is_list(is_dict({"sentence": is_text}))),
    },
)

RECORD: dict[str, Check] = {
    "data": _maybe(lambda value: _IS_DATA(value) and _are_gaps(value) and _are_levels(value)),
    "sampler": is_dict({}, {"name": is_text, "max_parents": _maybe(is_count)}),
    "engine": _maybe(is_text),
    "score": _maybe(
        is_dict({}, {"name": is_text, "alpha_mu": _is_number, "alpha_w": _maybe(_is_number)}),
    ),
    "constraints": _maybe(_are_constraints),
    "schedule": is_dict({"burn_in": is_count, "thin": is_count}),
    "stopped_note": _maybe(is_text),
    "date": is_text,
    "versions": is_dict({"edgewise": is_text}),
}
"""What summaries and reports read from a record, where it is there at all."""

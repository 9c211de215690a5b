"""The record of a run in words: what was sampled, with which settings, and how it ended.

A record may come from a file, and hold anything where nothing depends on it; so everything is taken as it comes. What
was left to us, or does not apply, is not mentioned.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from edgewise.wording import count, enumerate_items, shorten

NAMES = {
    "DagMCMC": "DAGs from their posterior, each counted once (DagMCMC)",
    "MinimalIMAP": "orders, each standing for its minimal I-MAP (MinimalIMAP)",
    "OrderMCMC": "orders (OrderMCMC)",
    "PartitionMCMC": "ordered partitions (PartitionMCMC)",
    "StructureMCMC": "DAGs, edge by edge (StructureMCMC)",
    "prior only": "DAGs from the prior alone",
    "BGe": "BGe, for Gaussian variables",
    "GaussianBIC": "BIC, for Gaussian variables",
    "BDeu": "BDeu, for variables with levels",
    "DegenerateGaussian": "degenerate Gaussian, for numbers and levels",
    "Sparsity": "a price for each edge",
    "EdgeBeliefs": "beliefs about single edges",
    "TierOrder": "beliefs about the order of groups of variables",
    "Paths": "beliefs about paths",
    "Ancestors": "beliefs about ancestors",
    "LogPrior": "a function of the DAG",
    "FisherZ": "Fisher's z",
    "GSquared": "G squared",
}
"""What the parts of a run are."""

SETTINGS = {
    "candidates": "candidate parents of each variable",
    "max_parents": "parents of a variable at most",
    "memory_limit": "memory at most, in GB",
    "bias_correction": "correction for the number of orders",
    "reversal": "share of reversals among the moves",
    "alpha": "level of significance",
    "parents": "parents found by",
    "criterion": "parents chosen by",
    "moves": "moves",
    "target": "counted once each:",
    "test": "test",
    "laziness": "share of steps that rest",
    "temperatures": "temperatures",
    "equivalent_sample_size": "equivalent sample size",
    "alpha_mu": "rows that the prior mean is worth",
    "alpha_w": "degrees of freedom of the prior",
    "nu": "prior means",
    "standardize": "columns scaled to unit variance",
    "gamma": "log odds against each edge",
    "strength": "strength",
    "tiers": "groups",
    "sources": "from",
    "targets": "to",
    "pairs": "pairs",
}
"""The settings of these parts."""

BY_VARIABLES = "by the number of variables, 0 up to 6 of them"
"""What ``Sparsity("auto")`` takes."""

STARTS = {
    "auto": "what a short search finds from random orders",
    "random": "random orders",
    "mmhc": "orders of the DAG that max-min hill climbing finds",
    "given": "orders that were given",
}

CONSTRAINTS = {
    "required": "required edge",
    "forbidden": "forbidden edge",
    "tiers": "group of variables in order",
    "roots": "variable without causes",
    "leaves": "variable without effects",
    "ancestors": "required path",
    "not_ancestors": "forbidden path",
}

LONGEST = 160
"""Letters of a value that are shown: lists of pairs can be long, and the record has them all."""


def describe_run(info: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what a report says of how a run was made: pairs of a label and a text.

    Examples
    --------
    >>> describe_run({"score": {"name": "BGe", "alpha_mu": 1.0, "alpha_w": None}, "chains": 4, "stopped_by": None})
    [('Score', 'BGe, for Gaussian variables; rows that the prior mean is worth: 1'), ('Chains', '4')]
    """
    return [(label, text) for label, text in _rows(info) if text]


def describe_date(info: dict[str, Any]) -> str:
    """Return when a run ended, if its record says so, as a day and a time."""
    try:
        ended = datetime.fromisoformat(info["date"]).astimezone(UTC)
    except (KeyError, TypeError, ValueError, OverflowError):
        return ""
    return f"{ended.day} {ended:%B %Y, %H:%M} UTC"


def _rows(info: dict[str, Any]) -> Iterator[tuple[str, str]]:
    schedule = info.get("schedule") or {}
    if info.get("method") == "bootstrap":
        yield "Method", "a DAG learned from rows drawn anew, again and again (bootstrap)"
        yield "Learner", _text(info.get("learner"))
        yield "Replicates", _text(info.get("replicates"))
    yield "Sampled", _part(info.get("sampler"))
    yield "Drawn by", _text(info.get("engine"))
    yield "Score", _part(info.get("score"))
    yield "Prior", _prior(info.get("prior"))
    yield "Known for certain", _constraints(info.get("constraints"))
    yield "Iterations", _text(info.get("iterations_done", schedule.get("iterations")))
    yield "Burn-in", _text(schedule.get("burn_in"))
    yield "Kept", f"every {_text(schedule['thin'])} iterations" if schedule.get("thin") else ""
    yield "Chains", _text(info.get("chains"))
    yield "Seed", _plain(info.get("seed"))
    start = info.get("start")
    yield "Started from", STARTS.get(start, "") if isinstance(start, str) else ""
    if "stopped_by" in info and "schedule" in info:
        ended = info["stopped_by"]
        yield "Ended by", f"the {_text(ended)}" if ended else "the last iteration"
    seconds = info.get("seconds")
    yield "Took", f"{_text(seconds)} seconds" if seconds is not None else ""
    yield "On", describe_date(info)
    data = info.get("data")
    if isinstance(data, dict):
        yield "Fingerprint of the data", _plain(data.get("fingerprint"))
    versions = info.get("versions")
    if isinstance(versions, dict):
        named = {"edgewise": "Edgewise", "python": "Python", "numpy": "NumPy", "numba": "Numba"}
        known = [f"{named[name]} {_plain(value)}" for name, value in versions.items() if name in named]
        yield "With", enumerate_items(known) if known else ""


def _part(part: Any) -> str:
    """Return what a sampler, a score or a term of a prior is, and its settings."""
    if not isinstance(part, dict) or "name" not in part:
        return ""
    name = part["name"]
    said = [NAMES.get(name, name) if isinstance(name, str) else ""]
    for key, value in part.items():
        if key == "name" or value is None or value == []:
            continue
        label = SETTINGS.get(key, str(key).replace("_", " "))
        text = BY_VARIABLES if (key, value) == ("gamma", "auto") else _text(value)
        said.append(f"{label}{'' if label.endswith(':') else ':'} {text}")
    return shorten("; ".join(said), 4 * LONGEST)


def _prior(prior: Any) -> str:
    parts = prior.get("parts") if isinstance(prior, dict) else None
    return " And ".join(map(_part, parts)) if isinstance(parts, list) else _part(prior)


def _constraints(known: Any) -> str:
    if not isinstance(known, dict):
        return ""
    said = [
        count(len(known[name]), noun)
        for name, noun in CONSTRAINTS.items()
        if isinstance(known.get(name), list | tuple | dict) and known[name]
    ]
    return enumerate_items(said) if said else ""


def _text(value: Any) -> str:
    """Return a value in words."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.5g}"
    if isinstance(value, dict):
        return _part(value) if "name" in value else shorten(", ".join(map(str, value)), LONGEST)
    if isinstance(value, list | tuple):
        return shorten(", ".join(map(_text, value)), LONGEST)
    if value == "auto":
        return "to suit the data"
    return shorten(str(value), LONGEST)


def _plain(value: Any) -> str:
    """Return a number that is a name, without commas between its digits."""
    return "" if value is None else shorten(str(value), LONGEST)

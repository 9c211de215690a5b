"""What the page of a comparison says and draws, handed to :mod:`edgewise.report` as plain data."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from edgewise.report import ComparisonContent, Layout, lay_out, write_comparison

from .differences import FALSE_ALARMS, LARGE, PLACES
from .summaries import DISAGREED, PROBABLE, consensus, find_directions

if TYPE_CHECKING:
    from .comparison import Comparison


def write_report(comparison: "Comparison", path: str | os.PathLike[str]) -> None:
    """Write the page; see :meth:`edgewise.Comparison.report`."""
    drawn = draw_pairs(comparison.numbered_pairs, comparison.critical)
    joined = np.unique(drawn[["a", "b"]].to_numpy())
    content = ComparisonContent(
        nodes=comparison.nodes,
        names=comparison.names,
        headline=comparison.headline,
        notes=comparison.notes,
        agreement=comparison.agreement,
        probable=PROBABLE,
        large=LARGE,
        false_alarms=FALSE_ALARMS,
        critical=comparison.critical,
        pairs=comparison.numbered_pairs,
        drawn=drawn,
        shown=joined.tolist(),
        layout=_lay_out(drawn, joined),
        settings=list(comparison.settings),
        same=list(comparison.same),
    )
    write_comparison(content, Path(path))


def draw_pairs(pairs: pd.DataFrame, critical: float) -> pd.DataFrame:
    """Return the pairs that are joined more probably than not in either posterior, as they are drawn.

    Returns
    -------
    DataFrame
        Columns ``a`` and ``b`` (column numbers); ``kind``, ``"first"`` or ``"second"`` for a pair that is joined in one
        posterior only, where this is a large difference beyond Monte Carlo error, ``"disagreed"`` for one on which the
        chains of a posterior disagree, else ``"both"``; ``joined``, the larger of both probabilities; ``forward`` and
        ``backward``, for the layout; ``direction`` of the arrowhead, which a pair of one posterior has from that, and a
        pair of both from their mean; ``is_turned``: whether what is told of the direction differs much, so that there
        is no arrowhead; and what each posterior says by itself.
    """
    first, second = (pairs[f"joined_{which}"].to_numpy() for which in ("first", "second"))
    is_drawn = np.maximum(first, second) >= PROBABLE
    pairs, first, second = pairs[is_drawn], first[is_drawn], second[is_drawn]
    crosses = (np.minimum(first, second) < PROBABLE) & _differs_much(pairs, "joined", critical).to_numpy()
    is_disagreed = ((pairs["direction_first"] == DISAGREED) | (pairs["direction_second"] == DISAGREED)).to_numpy()
    kind = np.select([is_disagreed, crosses & (second > first), crosses], ["disagreed", "second", "first"], "both")
    mean = {name: (pairs[f"{name}_first"] + pairs[f"{name}_second"]).to_numpy() / 2 for name in PLACES}
    is_turned = (
        (kind == "both")
        & (pairs["direction_first"] != pairs["direction_second"])
        & (_differs_much(pairs, "told_forward", critical) | _differs_much(pairs, "told_backward", critical))
    )
    shared = find_directions(mean["joined"], mean["told_forward"], mean["told_backward"], disagreement=is_disagreed)
    direction = np.select(
        [kind == "first", kind == "second", is_turned],
        [pairs["direction_first"], pairs["direction_second"], "-"],
        shared,
    )
    return pd.DataFrame(
        {
            "a": pairs["a"],
            "b": pairs["b"],
            "kind": kind,
            "joined": np.maximum(first, second),
            "forward": mean["forward"],
            "backward": mean["backward"],
            "direction": direction,
            "is_turned": is_turned,
            "joined_first": first,
            "joined_second": second,
            "direction_first": pairs["direction_first"],
            "direction_second": pairs["direction_second"],
        }
    ).reset_index(drop=True)


def _differs_much(pairs: pd.DataFrame, name: str, critical: float) -> "pd.Series[bool]":
    """Return whether one of the five probabilities differs by more than .1, and beyond Monte Carlo error."""
    size = pairs[f"{name}_difference"].abs()
    return (size > LARGE) & (size > critical * pairs[f"{name}_mcse"])


def _lay_out(drawn: pd.DataFrame, shown: np.ndarray) -> Layout | None:
    """Place the variables that are joined at all, probable causes above effects; the k-th of these is shown[k]."""
    if drawn.empty:
        return None
    a, b = (np.searchsorted(shown, drawn[end].to_numpy()) for end in ("a", "b"))
    # What is told goes before what is only more probable.
    told = drawn["direction"].map({"->": 1.0, "<-": -1.0, "-": 0.0, DISAGREED: 0.0}).to_numpy()
    is_forward = told + (drawn["forward"] - drawn["backward"]).to_numpy() / 2 >= 0
    weight = np.zeros((len(shown), len(shown)))
    weight[np.where(is_forward, a, b), np.where(is_forward, b, a)] = drawn["joined"] + np.abs(told)
    dag = consensus(weight, 0.0)
    # A line that would close a cycle runs upwards, and has its bends as if it ran down.
    left_out = (weight > 0) & ~dag
    return lay_out(dag | left_out.T)

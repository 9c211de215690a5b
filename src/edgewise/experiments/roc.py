"""ROC curves: how many true features are found, against how many false ones come with them.

Features are ranked by their probabilities. The paper has three kinds: pairs of variables that are joined, directed
edges, and compelled edges, those whose direction observational data can tell. It does not say among which pairs it
ranks compelled edges. Among all ordered pairs, most of which are not joined, an area below one half is hardly possible
where joined pairs are found, yet the paper has .395 beside .949. So there is a fourth kind here: compelled edges among
the ordered pairs that are joined in truth, where an area of one half means that nothing is known about directions.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from edgewise.posterior import Posterior

from .accuracy import auroc
from .experiment import COLOURS
from .simulations import DataSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RATES = np.linspace(0, 1, 101)
"""False positive rates at which curves are kept: so they can be averaged over data sets, and a step of one percent is
not to be seen in a figure."""

DIGITS = 4
"""Digits of the points of a curve that are kept."""

DASHES = ("-", "--", "-.")
"""In turn, so that curves that lie upon each other can still be told apart."""


def roc_curve(score: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the false and the true positive rates above every threshold, from none to all; ties come together.

    Examples
    --------
    >>> false, true = roc_curve(np.array([0.9, 0.4, 0.4, 0.1]), np.array([True, True, False, False]))
    >>> false.tolist(), true.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    falling = np.argsort(-score, kind="stable")
    ends = np.append(np.diff(score[falling]) != 0, True)
    found = np.cumsum(truth[falling])[ends]
    taken = np.flatnonzero(ends) + 1
    false, true = (taken - found) / (~truth).sum(), found / truth.sum()
    return np.append(0.0, false), np.append(0.0, true)


def rate(score: np.ndarray, truth: np.ndarray) -> dict[str, Any]:
    """Return the area under the ROC curve, and the curve at :data:`RATES`, the upper end where it rises steeply."""
    if truth.all() or not truth.any():
        return {"auroc": float("nan"), "curve": [float("nan")] * len(RATES)}
    return {"auroc": auroc(score, truth), "curve": np.interp(RATES, *roc_curve(score, truth)).round(DIGITS).tolist()}


def rate_posterior(
    posterior: Posterior, truth: DataSet, *, rao_blackwell: bool | None = False
) -> dict[str, dict[str, Any]]:
    """Return the rates of all kinds of features of a posterior.

    Parameters
    ----------
    posterior
        What was found.
    truth
        The data set that it was found in.
    rao_blackwell
        Whether to take the Rao-Blackwellised probabilities.
    """
    undirected, compelled, directed = (
        posterior.edge_probabilities(kind, rao_blackwell=rao_blackwell).to_numpy()
        for kind in ("undirected", "compelled", "directed")
    )
    p = len(truth.truth)
    pairs = np.triu_indices(p, 1)
    ordered = ~np.eye(p, dtype=bool)
    joined = truth.truth | truth.truth.T
    return {
        "undirected": rate(undirected[pairs], joined[pairs]),
        "compelled": rate(compelled[ordered], truth.compelled[ordered]),
        "compelled among joined": rate(compelled[joined], truth.compelled[joined]),
        "directed": rate(directed[ordered], truth.truth[ordered]),
    }


def draw_curves(axes: "Axes", curves: Mapping[str, Sequence[Sequence[float]]], title: str) -> None:
    """Draw the mean of the curves of each method.

    Parameters
    ----------
    axes
        Where to draw.
    curves
        For each method, its curves at :data:`RATES`.
    title
        Stands above.
    """
    axes.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=0.8)
    for number, (label, several) in enumerate(curves.items()):
        colour, dashes = COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)]
        mean = np.mean(several, axis=0)
        axes.plot(np.append(0, RATES), np.append(0, mean), dashes, color=colour, linewidth=1.3, label=label)
    axes.set_title(title, fontsize=9)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xticks=[0, 0.5, 1], yticks=[0, 0.5, 1])
    axes.set(xlabel="false positive rate", ylabel="true positive rate", aspect="equal")

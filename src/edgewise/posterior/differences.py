"""Differences between two posteriors, pair by pair, and which of them are more than Monte Carlo error.

**The error of a difference** combines those of both posteriors. An error that is found from a few visits of a chain is
often too small, and zero where there was none. So where a probability, or one minus it, is that of an event which
happens in fewer than :data:`FEW` of the independent draws that the runs are worth, the error is at least that of a
share of so many draws.

**The rule.** A difference d with the error e is beyond Monte Carlo error if abs(d) > z e, and if it would not be
printed as zero. With m the number of differences between the two posteriors, five for every pair of variables whether
joined or not, z is the standard normal deviate that one of them exceeds, in either direction, with probability
:data:`FALSE_ALARMS` / m (Bonferroni). So of a hundred comparisons of runs that differ in nothing but their seeds, about
one says of any pair that it differs.

Where the chains of either posterior disagree on a pair (:mod:`edgewise.posterior.diagnostics`), no difference counts as
beyond Monte Carlo error, since few chains in different places do not tell how far off their mean is.
"""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from edgewise.errors import ArgumentError
from edgewise.graphs import BoolMatrix
from edgewise.wording import enumerate_names

from . import edge_errors
from .diagnostics import LARGEST_DIFFERENCE
from .monte_carlo import DIGITS
from .posterior import Posterior
from .summaries import SHOWN, find_directions

FALSE_ALARMS = 0.01
"""Share of comparisons without any true difference in which some pair is said to differ."""

FEW = 10
"""Events from which on their scatter can be told: the error of an error is then below a quarter of it."""

LARGE = LARGEST_DIFFERENCE
"""Differences above this are worth a word; those of chains that agree for all practical purposes are below."""

ABOUT_AS_MUCH = 0.05
"""An edge that is gone differs in being joined and in its direction alike, and the first is easier to read."""

PLACES = {
    "joined": ("joined", 1),
    "forward": ("directed", 1),
    "backward": ("directed", -1),
    "told_forward": ("told", 1),
    "told_backward": ("told", -1),
}
"""The five probabilities of a pair (a, b): of what, and 1 where it is that of a -> b, -1 where of b -> a."""


@runtime_checkable
class HasEdgeProbabilities(Protocol):
    """Whatever knows the probabilities of edges between named variables: a posterior, sampled or exact."""

    @property
    def nodes(self) -> tuple[str, ...]:
        """The variables' names."""

    def edge_probabilities(self, kind: Literal["directed", "undirected", "compelled"] = ...) -> pd.DataFrame:
        """Return the probability of every edge."""


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What a posterior says of edges, for comparisons.

    Attributes
    ----------
    nodes
        The variables' names.
    probability, error
        By ``"joined"``, ``"directed"`` and ``"told"``, each of shape (p, p). Whether directions are told is not known
        of exact sums over many DAGs; the probabilities are then not numbers.
    draws
        How many independent draws the probabilities are worth; infinite if they are exact.
    verdict
        Why the run should not be trusted, or None.
    info
        The record of the run, empty for exact results.
    about
        What it is, in a few words.
    disagreement
        Whether chains disagree on a pair, shape (p, p).
    """

    nodes: tuple[str, ...]
    probability: dict[str, np.ndarray]
    error: dict[str, np.ndarray]
    draws: float
    verdict: str | None
    info: dict[str, Any]
    about: str
    disagreement: BoolMatrix

    def arranged(self, nodes: tuple[str, ...]) -> "Beliefs":
        """Return the same with the variables in another order."""
        where = [self.nodes.index(name) for name in nodes]
        place = np.ix_(where, where)
        probability, error = (
            {name: matrix[place] for name, matrix in matrices.items()} for matrices in (self.probability, self.error)
        )
        disagreement = self.disagreement[place]
        return Beliefs(nodes, probability, error, self.draws, self.verdict, self.info, self.about, disagreement)


def read_beliefs(given: HasEdgeProbabilities) -> Beliefs:
    """Return what a posterior, sampled or exact, says of edges."""
    joined, directed = (given.edge_probabilities(kind).to_numpy() for kind in ("undirected", "directed"))
    if isinstance(given, Posterior):
        diagnostics = given.silent_diagnostics
        told = given.edge_probabilities("compelled").to_numpy()
        errors = [edge_errors.joined_error(given), edge_errors.directed_error(given), edge_errors.told_error(given)]
        draws, info = diagnostics.effective_draws, given.info
        verdict = None if diagnostics.is_converged else diagnostics.verdict
        about, disagreement = _describe_draws(given), given.disagreement
    else:
        try:
            told = given.edge_probabilities("compelled").to_numpy()
        except ArgumentError:
            told = np.full_like(directed, np.nan)
        errors = [np.zeros_like(directed)] * 3
        draws, verdict, info, about = np.inf, None, {}, "exact"
        disagreement = np.zeros(directed.shape, bool)
    names = ("joined", "directed", "told")
    return Beliefs(
        tuple(given.nodes),
        dict(zip(names, (joined, directed, told), strict=True)),
        dict(zip(names, errors, strict=True)),
        draws,
        verdict,
        info,
        about,
        disagreement,
    )


def _describe_draws(posterior: Posterior) -> str:
    chains, draws = posterior.weights.shape
    if posterior.info.get("method") == "bootstrap":
        return f"{draws:,} bootstrap replicates"
    return f"{chains} chain{'s' if chains > 1 else ''} of {draws:,} draw{'s' if draws > 1 else ''}"


def check_variables(first: tuple[str, ...], second: tuple[str, ...], names: tuple[str, str]) -> None:
    """Refuse posteriors of different variables."""
    only = [[name for name in one if name not in {*other}] for one, other in ((first, second), (second, first))]
    if any(only):
        has = [f"only {name} has {enumerate_names(left)}" for name, left in zip(names, only, strict=True) if left]
        raise ArgumentError(f"The two posteriors must be of the same variables, in any order, but {' and '.join(has)}.")


def tabulate_differences(first: Beliefs, second: Beliefs) -> pd.DataFrame:
    """Return the table of :attr:`edgewise.Comparison.pairs`, with column numbers in place of names."""
    joined = [one.probability["joined"] for one in (first, second)]
    a, b = np.nonzero(np.triu(np.maximum(*joined) >= SHOWN, 1))
    critical = critical_deviate(len(first.nodes))
    disagreement = [beliefs.disagreement[a, b] for beliefs in (first, second)]
    is_claimed = ~np.logical_or(*disagreement)
    shares, differences, errors, beyond = {}, [], [], []
    for name, (kind, sign) in PLACES.items():
        place = (a, b) if sign > 0 else (b, a)
        one, other = (beliefs.probability[kind][place] for beliefs in (first, second))
        error = combine_errors(first, second, kind)[place]
        shares[name] = one, other
        differences.append(np.round(other - one, DIGITS))
        errors.append(error)
        beyond.append((np.abs(differences[-1]) > np.maximum(critical * error, SHOWN)) & is_claimed)
    difference, error, is_beyond = np.array(differences), np.array(errors), np.array(beyond)
    size = np.nan_to_num(np.abs(difference))
    # What is more than chance comes first, however large what is not; and being joined, if it differs about as much.
    rank = np.where(is_beyond, 2 + size, size)
    rank[0] += ABOUT_AS_MUCH
    most = rank.argmax(axis=0)
    pick = most, np.arange(len(a))
    table: dict[str, Any] = {
        "a": a,
        "b": b,
        "differs_in": np.array([*PLACES])[most] if len(a) else np.array([], str),
        "difference": difference[pick],
        "mcse": error[pick],
        "beyond_error": is_beyond.any(axis=0),
        "is_large": (is_beyond & (size > LARGE)).any(axis=0),
    }
    for number, name in enumerate(PLACES):
        table[f"{name}_first"], table[f"{name}_second"] = shares[name]
        table[f"{name}_difference"], table[f"{name}_mcse"] = difference[number], error[number]
    for number, which in enumerate(("first", "second")):
        told = [shares[name][number] for name in ("joined", "told_forward", "told_backward")]
        table[f"direction_{which}"] = find_directions(*told, disagreement=disagreement[number])
    for name, prefix in (("joined", ""), ("forward", "forward_"), ("backward", "backward_")):
        one, other = shares[name]
        table[f"{prefix}only_first"], table[f"{prefix}only_second"] = one * (1 - other), other * (1 - one)
    found = pd.DataFrame(table)
    order = np.argsort(-np.abs(found["difference"].to_numpy()), kind="stable")
    return found.iloc[order].reset_index(drop=True)


def combine_errors(first: Beliefs, second: Beliefs, kind: str) -> np.ndarray:
    """Return the Monte Carlo errors of differences, shape (p, p); see the top of this module."""
    found = np.asarray(np.hypot(first.error[kind], second.error[kind]))
    variances = np.array([1 / first.draws, 1 / second.draws])
    total = float(variances.sum())
    if total == 0:
        return found
    # The probability if both posteriors are the same; where one is exact, it is that one's.
    on_first, on_second = variances[::-1] / total
    both = on_first * first.probability[kind] + on_second * second.probability[kind]
    rare = np.clip(np.minimum(both, 1 - both), 0, FEW * total / 2)
    return np.asarray(np.maximum(found, np.sqrt(rare * total)))


def critical_deviate(p: int) -> float:
    """Return how many errors a difference between two posteriors of p variables must have to be more than chance.

    Examples
    --------
    >>> round(critical_deviate(10), 2), round(critical_deviate(100), 2)
    (4.08, 5.07)
    """
    tests = len(PLACES) * p * (p - 1) / 2
    return -NormalDist().inv_cdf(FALSE_ALARMS / 2 / max(tests, 1))


def measure_agreement(first: np.ndarray, second: np.ndarray) -> float:
    """Return the share of joined pairs, by probability, that two posteriors have in common; see ``Comparison``.

    Examples
    --------
    >>> one, other = np.zeros((2, 3, 3))
    >>> one[0, 1] = other[0, 1] = one[1, 2] = 1.0
    >>> measure_agreement(one, other)
    0.5
    """
    above = np.triu_indices(len(first), 1)
    common, either = np.minimum(first, second)[above].sum(), np.maximum(first, second)[above].sum()
    return float(common / either) if either > 0 else 1.0

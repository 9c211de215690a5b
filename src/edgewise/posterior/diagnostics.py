"""Did the chains converge? R-hat, effective sample sizes, agreement between chains, and a verdict in words.

R-hat (rank-normalised, on split chains) and effective sample sizes are those of ArviZ's defaults, for the log
posterior and for the indicator of every edge that is sometimes drawn and sometimes not. Agreement is the paper's
measure: the correlation of edge probabilities between chains.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from edgewise.data.ranks import normal_scores

from .monte_carlo import DIGITS, count_effective, find_r_hat, split_chains

if TYPE_CHECKING:
    from .posterior import Posterior

LARGEST_R_HAT = 1.1
"""Gelman and Rubin's bound. The stricter 1.01 in use for smooth parameters raises false alarms for rare edges."""

SMALLEST_DIFFERENCE = 0.1
"""Chains whose probabilities of an edge lie closer than this agree on it for all practical purposes."""

SMALLEST_ESS = 100
"""Effective draws below which an R-hat cannot be trusted: it may be small because chains hardly move."""


@dataclass(frozen=True, eq=False, repr=False)
class Diagnostics:
    """What :meth:`edgewise.Posterior.diagnostics` found.

    Attributes
    ----------
    verdict
        One or two sentences.
    is_converged
        Whether nothing speaks against it.
    r_hat, ess
        Of the log posterior. A single chain has no R-hat: it is not a number.
    edges
        A row for each edge that is sometimes drawn and sometimes not: ``source``, ``target``, ``probability``,
        ``r_hat``, ``ess``, and ``lowest`` and ``highest``, its least and greatest probability in a chain; the largest
        R-hat first.
    agreement
        Correlation of edge probabilities between chains; not a number where a chain has drawn no edge at all.
    acceptance
        A row for each kind of move: how often it was proposed, its share of all proposals, and how many of them were
        accepted, over all chains.
    weight_ess
        How many equally weighted draws the weights leave: (sum of weights)^2 / sum of squares.
    """

    verdict: str
    is_converged: bool
    r_hat: float
    ess: float
    edges: pd.DataFrame
    agreement: pd.DataFrame
    acceptance: pd.DataFrame
    weight_ess: float

    def __repr__(self) -> str:
        return f"<Diagnostics: {self.verdict}>"


def diagnose(posterior: "Posterior") -> Diagnostics:
    """Return the diagnostics of a posterior."""
    r_hat, ess = (float(values[0]) for values in _r_hat_and_ess(posterior.log_posterior[:, :, None]))
    edges = _diagnose_edges(posterior)
    agreement = chain_agreement(posterior)
    weight_ess = float(1 / (posterior.weights**2).sum())
    faults = _faults(r_hat, min(ess, weight_ess), edges)
    if faults:
        verdict = f"Do not trust this run yet: {'; '.join(faults)}; run longer, or from better starts."
    else:
        verdict = _praise(posterior.directed_by_chain, r_hat, ess)
    return Diagnostics(verdict, not faults, r_hat, ess, edges, agreement, acceptance(posterior), weight_ess)


def chain_agreement(posterior: "Posterior") -> pd.DataFrame:
    """Return the correlations of directed edge probabilities between chains."""
    by_chain = posterior.directed_by_chain
    chains = pd.RangeIndex(1, len(by_chain) + 1, name="chain")
    return pd.DataFrame(correlate(by_chain), index=chains, columns=chains)


def correlate(edges: np.ndarray) -> np.ndarray:
    """Return the correlations between chains of something known of all directed edges, shape (chain, p, p)."""
    flat = edges[:, ~np.eye(edges.shape[1], dtype=bool)]
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.corrcoef(flat) if flat.size else np.nan
    same = [[np.array_equal(one, other) for other in flat] for one in flat]
    return np.where(same, 1.0, correlation)


def acceptance(posterior: "Posterior") -> pd.DataFrame:
    """Return, for each kind of move, how often it was proposed, its share, and the part that was accepted."""
    kinds = list(posterior.moves[0])
    proposed = [sum(chain[kind][0] for chain in posterior.moves) for kind in kinds]
    accepted = [sum(chain[kind][1] for chain in posterior.moves) for kind in kinds]
    table = pd.DataFrame({"proposed": proposed}, index=pd.Index(kinds, name="move"))
    table["share"] = table["proposed"] / max(sum(proposed), 1)
    table["accepted"] = [a / n if n else np.nan for a, n in zip(accepted, proposed, strict=True)]
    return table


def _diagnose_edges(posterior: "Posterior") -> pd.DataFrame:
    by_chain = posterior.directed_by_chain
    probability = posterior.edge_probabilities().to_numpy()
    mean = np.round(by_chain.mean(axis=0), DIGITS)
    source, target = np.nonzero((mean > 0) & (mean < 1))
    r_hat, ess = np.empty(len(source)), np.empty(len(source))
    for few, has_edge in posterior.draws.indicators(source, target):
        r_hat[few], ess[few] = _r_hat_and_ess(has_edge)
    names = pd.Index(posterior.nodes)
    table = pd.DataFrame(
        {
            "source": names[source],
            "target": names[target],
            "probability": probability[source, target],
            "r_hat": r_hat,
            "ess": ess,
            "lowest": by_chain[:, source, target].min(axis=0),
            "highest": by_chain[:, source, target].max(axis=0),
        }
    )
    return table.sort_values("r_hat", ascending=False, kind="stable", ignore_index=True)


def _r_hat_and_ess(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return R-hat and effective sample size along the last axis of (chain, draw, quantity): indicators, or one number.

    A quantity that is constant in each chain, but not the same, has R-hat infinity and a single effective draw per
    chain; one that never varies at all has converged. R-hat compares chains, and is not a number for a single one.
    """
    stuck = (values == values[:, :1]).all(axis=(0, 1))
    constant = (values == values[:1, :1]).all(axis=(0, 1))
    r_hat = np.where(constant, 1.0, np.inf)
    ess = np.where(constant, values.shape[0] * values.shape[1], values.shape[0]).astype(float)
    moving = ~stuck
    if moving.any() and values.shape[1] >= 4:
        halves = split_chains(values[..., moving].astype(float))
        with np.errstate(all="ignore"):
            if values.dtype == bool:
                # Normal scores of two values are one and another number, which changes neither R-hat nor the effective
                # draws; and the distance from the median is the same indicator, or its opposite, or constant.
                scores, found = halves, find_r_hat(halves)
            else:
                scores = normal_scores(halves)
                folded = normal_scores(np.abs(halves - np.median(halves)))
                found = np.fmax(find_r_hat(scores), find_r_hat(folded))
            # Only the middle draw of an odd number varies, which is in neither half.
            r_hat[moving] = np.where(np.isnan(found), 1.0, found)
            ess[moving] = count_effective(scores)
    return r_hat if len(values) > 1 else np.full_like(r_hat, np.nan), ess


def _faults(r_hat: float, ess: float, edges: pd.DataFrame) -> list[str]:
    faults = []
    unsettled = (edges["r_hat"] > LARGEST_R_HAT) | (edges["ess"] < SMALLEST_ESS)
    apart = edges[unsettled & (edges["highest"] - edges["lowest"] > SMALLEST_DIFFERENCE)]
    if len(apart):
        worst = apart.iloc[int((apart["highest"] - apart["lowest"]).to_numpy().argmax())]
        faults.append(
            f"chains disagree on {len(apart)} edge{'s' if len(apart) > 1 else ''} (most on {worst['source']} -> "
            f"{worst['target']}, with probabilities from {worst['lowest']:.2f} to {worst['highest']:.2f})"
        )
    if r_hat > LARGEST_R_HAT:
        faults.append(f"the log posterior has not settled (R-hat {r_hat:.2f})")
    if ess < SMALLEST_ESS:
        faults.append(f"the draws are worth only {ess:.0f} independent one{'s' if round(ess) != 1 else ''}")
    return faults


def _praise(by_chain: np.ndarray, r_hat: float, ess: float) -> str:
    chains = len(by_chain)
    if chains == 1:
        return (
            "Nothing speaks against this run, but one chain cannot be compared with others: the log posterior has "
            f"{ess:,.0f} effective draws."
        )
    apart = np.ptp(by_chain, axis=0).max()
    agree = "agree" if apart <= SMALLEST_DIFFERENCE else "agree as far as so few draws can"
    return (
        f"The {chains} chains {agree}: their probabilities of an edge differ by {apart:.2f} at most, and the log "
        f"posterior has R-hat {r_hat:.3f} and {ess:,.0f} effective draws."
    )

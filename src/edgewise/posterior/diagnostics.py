"""Did the chains converge? Differences between chains, R-hat, effective sample sizes, and a verdict in words.

**The rule.** What a run prints of two variables are probabilities: that they are joined, of each direction, and that a
direction is told. The run is good if another one would hardly print anything else. Chains from different starts show
that. So it is good if

1. there are several chains, for one cannot be compared with others;
2. no printed probability differs by more than .1 between any two of them;
3. the draws are worth at least 100 independent ones, for otherwise chains can agree by chance. So many leave a
   probability a standard error of .05 at most. Each edge has its number of effective draws, which is small where its
   chains differ. That of the run is a mean over edges, such that it gives the mean square error of the probabilities q:
   the sum of q (1 - q) over the sum of q (1 - q) / number;
4. where chains are tempered, some state has gone from the hottest replica to the one that draws, in any of the chains.
   Without such a round trip all of them are still where they began, and agree only if they began alike.

R-hat is shown, but does not judge. Among hundreds of edges some are always slow, and the log posterior, which sums up
all of them, is slower yet, where every probability is within .1 in all chains. Nor does the correlation of
probabilities between chains judge, the paper's measure: it can be near 1 while some of them are far apart.

Differences of more than .1 have two causes, and the verdict tells which. In a chain worth m independent draws by
itself, the probability of an edge has a standard error of sqrt(q (1 - q) / m). Differences beyond four standard errors
of a difference are no chance: the chains are in different places. Otherwise they are only too short.

Whatever the verdict, chains *disagree* on a pair of variables if any of its printed probabilities differs by more than
.2 between two of them. Nothing is claimed of such a pair: its direction is ``"?"``, and it counts neither as joined nor
as told.

R-hat (rank-normalised, on split chains) and effective sample sizes are those of ArviZ's defaults, for the log
posterior and for the indicator of every edge that is sometimes drawn and sometimes not.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from edgewise.data.ranks import normal_scores
from edgewise.graphs import BoolMatrix
from edgewise.wording import UNTRUSTED, count, shorten

from .monte_carlo import DIGITS, count_effective, find_r_hat, split_chains

if TYPE_CHECKING:
    from .posterior import Posterior

LARGEST_DIFFERENCE = 0.1
"""Chains whose probabilities lie closer than this agree for all practical purposes."""

DISAGREE = 0.2
"""Chains disagree on a pair of which a probability differs by more. Their mean is then off by more than a tenth from
what some chain says, which is more than the verdict allows between two of them."""

SMALLEST_ESS = 100
"""Effective draws below which chains can agree by chance."""

CAPPED = 0.5
"""Share of draws in which a variable has as many parents as it may, from which on the limit decides what is found."""

LONGEST_NAME = 40
"""Letters of a name in a verdict."""

CHANCE = 4.0
"""Standard errors of a difference between two chains, which chance exceeds in one of 16,000 comparisons: four chains
make six pairs, and there are hundreds of edges."""

ROUND_TRIPS = "round trip"
"""The name under which tempered chains count, among their moves, journeys from the hottest replica to the one that
draws."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Diagnostics:
    """What :meth:`edgewise.Posterior.diagnostics` found.

    Attributes
    ----------
    verdict
        A sentence.
    is_converged
        Whether the run is good: see the top of this module for the rule.
    difference
        The largest difference of a printed probability between two chains; not a number for a single chain.
    apart
        How many pairs of variables have a probability that differs by more than .1 between two chains.
    effective_draws
        How many independent draws the run is worth, for the probabilities of edges.
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
        accepted, over all chains. Of tempered chains, the row ``round trip`` has the journeys that began in the hottest
        replica, and how many of them ended in the one that draws; they are no proposals, and have no share.
    weight_ess
        How many equally weighted draws the weights leave: (sum of weights)^2 / sum of squares.
    """

    verdict: str
    is_converged: bool
    difference: float
    apart: int
    effective_draws: float
    r_hat: float
    ess: float
    edges: pd.DataFrame
    agreement: pd.DataFrame
    acceptance: pd.DataFrame
    weight_ess: float

    @property
    def least_agreement(self) -> float:
        """The least correlation of two chains; not a number if one of them is none, or there is a single chain."""
        return float(self.agreement.to_numpy().min()) if len(self.agreement) > 1 else math.nan

    def __repr__(self) -> str:
        return f"<Diagnostics: {self.verdict}>"


def diagnose(posterior: "Posterior") -> Diagnostics:
    """Return the diagnostics of a posterior."""
    r_hat, ess = (float(values[0]) for values in _r_hat_and_ess(posterior.log_posterior[:, :, None]))
    edges = _diagnose_edges(posterior)
    weight_ess = float(1 / (posterior.weights**2).sum())
    effective_draws = min(_count_effective(edges, posterior.weights.size), weight_ess)
    apart = _compare_chains(posterior)
    is_good, verdict = _judge(posterior, apart, effective_draws)
    return Diagnostics(
        verdict=verdict,
        is_converged=is_good,
        difference=apart.difference,
        apart=apart.pairs,
        effective_draws=effective_draws,
        r_hat=r_hat,
        ess=ess,
        edges=edges,
        agreement=chain_agreement(posterior),
        acceptance=acceptance(posterior),
        weight_ess=weight_ess,
    )


def chain_agreement(posterior: "Posterior") -> pd.DataFrame:
    """Return the correlations between chains of the shares of their draws that have each edge."""
    by_chain = posterior.share_by_chain
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
    table["share"] = table["proposed"].where(table.index != ROUND_TRIPS)
    table["share"] /= max(table["share"].sum(), 1)
    table["accepted"] = [a / n if n else np.nan for a, n in zip(accepted, proposed, strict=True)]
    return table


def count_round_trips(posterior: "Posterior") -> tuple[int, int] | None:
    """Return how many round trips began and how many ended, over all chains; None where these are not tempered."""
    trips = [chain[ROUND_TRIPS] for chain in posterior.moves if ROUND_TRIPS in chain]
    return (sum(begun for begun, _ in trips), sum(ended for _, ended in trips)) if trips else None


def find_disagreement(posterior: "Posterior") -> BoolMatrix:
    """Return the pairs on which chains disagree, shape (p, p), symmetric; see the top of this module."""
    # A chain whose draws have no weight at all says nothing.
    printed = _printed_by_chain(posterior)[:, posterior.weights.sum(axis=1) > 0]
    is_apart = (np.round(np.ptp(printed, axis=1), DIGITS) > DISAGREE).any(axis=0)
    return np.asarray(is_apart | is_apart.T)


def _printed_by_chain(posterior: "Posterior") -> np.ndarray:
    """Return what each chain says of i and j, shape (3, chain, p, p): they are joined, i -> j, and it is told."""
    directed = posterior.directed_by_chain
    return np.stack([directed + directed.swapaxes(1, 2), directed, posterior.compelled_by_chain])


def _diagnose_edges(posterior: "Posterior") -> pd.DataFrame:
    by_chain = posterior.directed_by_chain
    probability = posterior.edge_probabilities().to_numpy()
    mean = np.round(posterior.share_by_chain.mean(axis=0), DIGITS)
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
        halves = split_chains(values[..., moving])
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


def _count_effective(edges: pd.DataFrame, draws: int) -> float:
    """Return how many independent draws a run is worth, for the probabilities of all edges that come and go."""
    spread = edges["probability"] * (1 - edges["probability"])
    noise = float((spread / edges["ess"]).sum())
    return float(spread.sum()) / noise if noise > 0 else float(draws)


class _Apart(NamedTuple):
    """How far chains are apart in what is printed.

    Attributes
    ----------
    difference
        The largest difference of a probability; not a number for a single chain.
    pairs
        How many pairs of variables have one above ``LARGEST_DIFFERENCE``.
    most
        Where the largest is, in words.
    is_chance
        Whether none of them is more than chance allows.
    """

    difference: float
    pairs: int
    most: str
    is_chance: bool


def _compare_chains(posterior: "Posterior") -> _Apart:
    if len(posterior.weights) == 1:
        return _Apart(np.nan, 0, "", is_chance=True)
    printed = _printed_by_chain(posterior)
    lowest, highest = printed.min(axis=1), printed.max(axis=1)
    difference = np.round(highest - lowest, DIGITS)
    kind, i, j = (int(k) for k in np.unravel_index(difference.argmax(), difference.shape))
    a, b = (shorten(posterior.nodes[v], LONGEST_NAME) for v in (i, j))
    what = (f"{a} - {b}", f"{a} -> {b}", f"{a} -> {b} being told")[kind]
    is_apart = difference > LARGEST_DIFFERENCE
    either = is_apart.any(axis=0) | is_apart.any(axis=0).T
    mean = printed.mean(axis=1)
    error = np.sqrt(2 * np.clip(mean * (1 - mean), 0, None) / _count_within(posterior, either))
    return _Apart(
        difference=float(difference.max()),
        pairs=int(np.triu(either).sum()),
        most=f"{what}, with probabilities from {lowest[kind, i, j]:.2f} to {highest[kind, i, j]:.2f}",
        is_chance=not (is_apart & (difference > CHANCE * error)).any(),
    )


def _count_within(posterior: "Posterior", which: np.ndarray) -> float:
    """Return how many independent draws a chain is worth by itself, for the probabilities of some edges, (p, p)."""
    chains, draws = posterior.weights.shape
    spread = noise = 0.0
    for _, has_edge in posterior.draws.indicators(*np.nonzero(which)) if draws >= 4 else ():
        values = has_edge - has_edge.mean(axis=1, keepdims=True)
        variance = values.var(axis=(0, 1))
        moving = variance > 0
        spread += float(variance.sum())
        noise += float((variance[moving] / count_effective(split_chains(values[..., moving]))).sum())
    return spread / noise / chains if noise > 0 else float(draws)


def _find_stuck(posterior: "Posterior") -> str | None:
    """Return a clause on the edge whose odds given the rest of each draw are not those with which it is drawn.

    Both estimate the same in draws from the posterior over DAGs. Where they differ, chains would have it otherwise, but
    cannot get there.
    """
    if posterior.conditionals is None or posterior.info.get("sampler", {}).get("name") != "DagMCMC":
        return None
    share = posterior.share_by_chain.mean(axis=0)
    probability = posterior.directed_by_chain.mean(axis=0)
    difference = np.round(np.abs(share - probability), DIGITS)
    i, j = (int(k) for k in np.unravel_index(difference.argmax(), difference.shape))
    if difference[i, j] <= LARGEST_DIFFERENCE:
        return None
    a, b = (shorten(posterior.nodes[v], LONGEST_NAME) for v in (i, j))
    return (
        f"the chains seem stuck, as {a} -> {b} is in {share[i, j]:.0%} of the draws, where {probability[i, j]:.0%} "
        "would follow from the rest of them"
    )


def _find_capped(posterior: "Posterior") -> str | None:
    """Return a clause on the variable that has as many parents as its sampler allows in most draws, if there is one."""
    most = posterior.info.get("sampler", {}).get("max_parents")
    if most is None or most >= len(posterior.nodes) - 1:
        return None
    draws = posterior.draws
    weight = sum(draws.weigh_families(posterior.weights, chain) for chain in range(len(posterior.weights)))
    is_full = np.unpackbits(draws.family_parents, axis=1).sum(axis=1) >= most
    share = np.bincount(draws.family_node, weight * is_full, minlength=draws.p) / posterior.weights.sum()
    if share.max() < CAPPED:
        return None
    name = shorten(posterior.nodes[int(share.argmax())], LONGEST_NAME)
    return f"{name} has {count(most, 'parent')}, the most that max_parents allows, in {share.max():.0%} of the draws"


def _judge(posterior: "Posterior", apart: _Apart, effective_draws: float) -> tuple[bool, str]:
    """Return whether a run is good, and the verdict."""
    chains, draws = posterior.weights.shape
    if posterior.info.get("method") == "bootstrap":
        errors = f"{draws:,} independent replicates, with shares that have a standard error of {0.5 / draws**0.5:.2f}"
        is_good = draws >= SMALLEST_ESS
        return is_good, f"{errors} at most." if is_good else f"{UNTRUSTED}: only {errors}; draw more."
    faults, advice = [], "run longer (edgewise.extend)"
    if chains == 1:
        faults.append("one chain cannot be compared with others")
        advice = "run several"
    if apart.pairs:
        pairs = count(apart.pairs, "pair") + " of variables"
        if apart.is_chance:
            faults.append(f"the chains are too short for {pairs} (most of all for {apart.most})")
        else:
            faults.append(f"chains disagree on {pairs} (most on {apart.most})")
            advice = "run longer (edgewise.extend), or from better starts"
    if effective_draws < SMALLEST_ESS:
        faults.append(f"the draws are worth only {count(round(effective_draws), 'independent one')}")
        advice = "run several, and longer" if chains == 1 else advice
    else:
        stuck = _find_stuck(posterior)
        if stuck:
            faults.append(stuck)
    trips = count_round_trips(posterior)
    if trips is not None and trips[1] == 0:
        faults.append("no chain has come back from the hottest of its replicas, so that each is still where it began")
    capped = _find_capped(posterior)
    if capped:
        faults.append(capped)
        advice = "allow more parents, or use DagMCMC(), which has no limit"
    if faults:
        return False, f"{UNTRUSTED}: {'; '.join(faults)}; {advice}."
    most = np.ceil(100 * apart.difference) / 100
    return True, (
        f"The {chains} chains agree: no probability differs by more than {most:.2f} between them, and the "
        f"draws are worth {effective_draws:,.0f} independent ones."
    )

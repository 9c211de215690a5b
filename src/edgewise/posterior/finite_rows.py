"""What a given number of rows with one variable set would tell, by simulation.

With many rows an experiment tells everything it can; a hundred rows may tell little of it, where an effect is weak. So
rows are simulated: a DAG is drawn from the posterior, and its edge weights, variances and means from theirs given the
data (see :mod:`.parameters`). In the new rows the target is set to values drawn around its mean, with the spread it
has in the data. Then the drawn DAGs are weighed anew, by the marginal likelihood of old and new rows together. By BGe
that is a product over families, in which a variable is judged by the rows where nobody set it; the prior, with its
means and scales, stays that of the run. So the new weight of a DAG is

    old weight x product over v other than the target of  L(v | parents, n + N rows) / L(v | parents, n rows).

The information is the mean, over simulations, of the Kullback-Leibler divergence of the new distribution of what is
asked from the old one. All targets are tried with the same DAGs, weights and noise, and so are rows in which nothing is
set, with which they are compared.
"""

from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
import pandas as pd

from edgewise._kernels.scores.log_det import LogDetScore
from edgewise.arguments import check_whole, make_generator
from edgewise.data import Moments
from edgewise.errors import ArgumentError
from edgewise.graphs import BoolMatrix, topological_order
from edgewise.scores.bge import score_columns

from .draws import take_evenly
from .monte_carlo import DIGITS
from .parameters import score_of, statistics_of
from .questions import About, Feature

if TYPE_CHECKING:
    from .information import Choice
    from .posterior import Posterior

MOST_VARIABLES = 20
"""Above, simulations would take minutes, and too few of the DAGs that are possible would be among those weighed."""

MOST_HYPOTHESES = 500
"""Distinct DAGs that are weighed: a systematic sample of more."""

SIMULATIONS = 100
"""Simulations for each target: the mean of what they tell is then known to about a tenth of its spread."""


class Family(NamedTuple):
    """Distinct families with equally many parents: the ``child`` of each, and its ``parents``, (families, size)."""

    number: np.ndarray
    child: np.ndarray
    parents: np.ndarray


class Prior(NamedTuple):
    """What BGe starts from, in the units of its columns, and the moments of the data: n, mean and scatter."""

    alpha_mu: float
    alpha_w: float
    nu: np.ndarray
    n: int
    mean: np.ndarray
    scatter: np.ndarray

    def score(self, more: np.ndarray | None = None) -> LogDetScore:
        """Return the tables of the data and, if there are any, more rows."""
        n, mean, scatter = self.n, self.mean, self.scatter
        if more is not None:
            here = more.mean(axis=0)
            centred, apart = more - here, here - mean
            scatter = scatter + centred.T @ centred + n * len(more) / (n + len(more)) * np.outer(apart, apart)
            mean = (n * mean + len(more) * here) / (n + len(more))
            n += len(more)
        return score_columns(n, scatter.copy(), self.nu - mean, self.alpha_mu, self.alpha_w)


def simulate_experiments(
    posterior: "Posterior",
    about: About,
    feature: Feature | None,
    choice: "Choice",
    *,
    rows: int,
    seed: int | np.random.Generator | None,
) -> pd.DataFrame:
    """Rank experiments by what so many rows would tell; see :meth:`edgewise.Posterior.next_experiments`."""
    rows = check_whole("rows", rows)
    p = len(posterior.nodes)
    if p > MOST_VARIABLES:
        raise ArgumentError(
            f"Rows are simulated for {MOST_VARIABLES} variables at most, and there are {p}: leave rows out, to rank "
            "experiments by what many rows would tell."
        )
    if choice.batch > 1:
        raise ArgumentError("rows and batch cannot be combined: ask for one experiment at a time, or leave rows out.")
    rng = make_generator(seed)
    prior = read_prior(posterior)
    dags, weight = _hypotheses(posterior)
    families, of_dag = list_families(dags)
    labels = _label(about, feature, dags)
    before = score_families(prior.score(), families)
    bits = np.zeros((SIMULATIONS, 1 + len(choice.candidates)))
    for simulation, dag in enumerate(rng.permutation(take_evenly(weight, SIMULATIONS, rng.random()))):
        parameters = draw_parameters(dags[dag], prior, rng)
        noise = rng.standard_normal((rows, p))
        for number, target in enumerate((-1, *choice.candidates.tolist())):
            more = simulate_rows(dags[dag], *parameters, noise, target, prior)
            ratio = score_families(prior.score(more), families) - before
            ratio = ratio[of_dag]
            if target >= 0:
                ratio[:, target] = 0.0
            bits[simulation, number] = divergence(labels, weight, ratio.sum(axis=1))
    return _tabulate(bits, choice, posterior.nodes)


def read_prior(posterior: "Posterior") -> Prior:
    """Return what the score of a run starts from, and the moments of its data."""
    if (posterior.info.get("data") or {}).get("targets"):
        raise ArgumentError(
            "Rows are simulated beside measurements that nobody set, but these data have interventions: leave rows "
            "out, to rank experiments by what many rows would tell."
        )
    statistics_of(posterior, None)  # refuses what is not measured, or not kept
    score, moments = score_of(posterior), cast(Moments, posterior.moments)
    unit = moments.scale if score.standardize else np.ones(len(moments.scale))
    scatter = (moments.n - 1) * moments.correlation if score.standardize else moments.scatter
    mean = moments.mean / unit
    nu = mean if score.nu is None else np.asarray(score.nu, float) / unit
    alpha_w = len(mean) + 2.0 if score.alpha_w is None else float(score.alpha_w)
    return Prior(score.alpha_mu, alpha_w, nu, moments.n, mean, np.asarray(scatter))


def list_families(dags: BoolMatrix) -> tuple[list[Family], np.ndarray]:
    """Return the distinct families of DAGs by size, and the numbers of those of each DAG, shape (dags, p)."""
    m, p, _ = dags.shape
    # A family as bits: its parents and, beyond them, the number of the child.
    parents = dags.swapaxes(1, 2).reshape(m * p, p)
    name = parents @ (1 << np.arange(p)) + (np.tile(np.arange(p), m) << p)
    _, first, of_dag = np.unique(name, return_index=True, return_inverse=True)
    size = parents[first].sum(axis=1)
    families = []
    for width in np.unique(size).tolist():
        number = np.flatnonzero(size == width)
        members = np.nonzero(parents[first[number]])[1].reshape(len(number), width)
        families.append(Family(number, first[number] % p, members))
    return families, of_dag.reshape(m, p)


def score_families(score: LogDetScore, families: list[Family]) -> np.ndarray:
    """Return the local scores of all families."""
    scores = np.empty(sum(len(family.number) for family in families))
    for number, child, parents in families:
        size = parents.shape[1]
        both = np.column_stack([parents, child])
        on_parents, on_family = (
            np.linalg.slogdet(score.matrix[some[:, :, None], some[:, None, :]])[1] if some.shape[1] else 0.0
            for some in (parents, both)
        )
        scores[number] = score.constant[size] + score.on_parents[size] * on_parents + score.on_family[size] * on_family
    return scores


def draw_parameters(dag: BoolMatrix, prior: Prior, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw the weights of a DAG, (p, p), and in two rows the intercept and the standard deviation of each variable."""
    p, score = len(dag), prior.score()
    weights, rest = np.zeros((p, p)), np.zeros((2, p))
    for v in range(p):
        parents = np.flatnonzero(dag[:, v])
        freedom = -2 * score.on_family[len(parents)]
        block, cross = score.matrix[np.ix_(parents, parents)], score.matrix[parents, v]
        centre = np.linalg.solve(block, cross) if len(parents) else np.zeros(0)
        deviation = np.sqrt((score.matrix[v, v] - cross @ centre) / rng.chisquare(freedom))
        noise = rng.standard_normal(len(parents))
        if len(parents):
            centre = centre + deviation * np.linalg.solve(np.linalg.cholesky(block).T, noise)
        weights[parents, v] = centre
        rest[:, v] = deviation * rng.standard_normal() / np.sqrt(prior.n + prior.alpha_mu), deviation
    return weights, rest


def simulate_rows(
    dag: BoolMatrix, weights: np.ndarray, rest: np.ndarray, noise: np.ndarray, target: int, prior: Prior
) -> np.ndarray:
    """Return rows of a DAG, in the units of the score; ``target`` is set, unless it is -1."""
    middle = (prior.n * prior.mean + prior.alpha_mu * prior.nu) / (prior.n + prior.alpha_mu)
    found = np.zeros_like(noise)
    for v in topological_order(dag):
        found[:, v] = rest[0, v] + found @ weights[:, v] + rest[1, v] * noise[:, v]
        if v == target:
            spread = np.sqrt(prior.scatter[v, v] / max(prior.n - 1, 1))
            found[:, v] = prior.mean[v] - middle[v] + spread * noise[:, v]
    return np.asarray(found + middle)


def divergence(labels: list[np.ndarray], weight: np.ndarray, log_ratio: np.ndarray) -> float:
    """Return how far new weights move the distributions of labels of DAGs, in bits, added up."""
    new = weight * np.exp(log_ratio - log_ratio.max())
    new = new / new.sum()
    total = 0.0
    for label in labels:
        before, after = np.bincount(label, weight), np.bincount(label, new)
        some = after > 0
        total += max(float(after[some] @ np.log2(after[some] / before[some])), 0.0)
    return total


def _hypotheses(posterior: "Posterior") -> tuple[BoolMatrix, np.ndarray]:
    distinct = posterior.draws.distinct(posterior.weights)
    rows, weight = distinct.rows, distinct.weight
    if len(weight) > MOST_HYPOTHESES:
        chosen, times = np.unique(take_evenly(weight, MOST_HYPOTHESES, 0.5), return_counts=True)
        rows, weight = rows[chosen], times.astype(float)
    is_used = weight > 0
    return posterior.draws.dags(rows[is_used]), weight[is_used] / weight[is_used].sum()


def _label(about: About, feature: Feature | None, dags: BoolMatrix) -> list[np.ndarray]:
    """Return numbers for the values of what is asked, one array for each question."""
    if feature is not None:
        values = feature.values(dags, np.ones(dags.shape[1:], bool))
        known = {value: number for number, value in enumerate(dict.fromkeys(values))}
        return [np.array([known[value] for value in values])]
    if about is None:
        return [np.arange(len(dags))]
    low, high = np.triu_indices(dags.shape[1], 1)
    return list((dags[:, low, high] + 2 * dags[:, high, low]).T)


def _tabulate(bits: np.ndarray, choice: "Choice", nodes: tuple[str, ...]) -> pd.DataFrame:
    """Return the table of experiments, the best first, from what each simulation told without and with a target."""
    mean, error = bits.mean(axis=0), bits.std(axis=0, ddof=1) / np.sqrt(len(bits))
    beyond = mean[1:] - mean[0]
    worth = beyond if choice.cost is None else beyond / choice.cost
    order = np.argsort(-np.round(worth, DIGITS - 2), kind="stable")
    table = pd.DataFrame(
        {
            "target": pd.Index(nodes)[choice.candidates[order]],
            "bits": mean[1:][order],
            "bits_beyond": beyond[order],
            "mcse": error[1:][order],
        }
    )
    if choice.cost is not None:
        table["cost"] = choice.cost[order]
        table["bits_per_cost"] = worth[order]
    table.attrs = {"known_bits": float(mean[0]), "simulations": len(bits)}
    return table

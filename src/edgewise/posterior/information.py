"""Which experiment to do next: what setting a variable would tell about the DAG.

What is asked is the DAG, or a feature F of it. What many rows of the present kind tell is the equivalence class of the
DAG, as the interventions so far divide it, and rows in which T is set by perfect interventions divide it further, by
the parents of T. The information in bits that such rows give in all is the mutual information of F and the divided
class, under the posterior. Where F is the DAG, it is the entropy of the divided class:

    H(class and parents of T) = H(class) + H(parents of T | class).

The first term is the same for every T: more rows of the present kind tell it too. The second is what only setting T
adds, and what experiments are ranked by. :mod:`.classes` has the distribution of what is open in a class,
:mod:`.partitions` the sums over it. For a batch, experiments are chosen one after the other, each with the most to add
to those before it; since the gain of an experiment only falls as others are added, the batch tells at least 63 % of
what the best one of its size would (Nemhauser, Wolsey and Fisher 1978).

All this supposes that variables are set from outside without any effect of their former causes, that there are many
rows, and that no common cause is missing. :mod:`.finite_rows` counts rows.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from edgewise.arguments import check_whole, is_number
from edgewise.data import find_columns
from edgewise.errors import ArgumentError
from edgewise.graphs import BoolMatrix
from edgewise.wording import count, quote, shorten

from .classes import Classes, Way, WeighedDags
from .draws import DrawTable, take_evenly
from .monte_carlo import DIGITS
from .partitions import Partition, binary_entropy, divide_directions, divide_factors, entropy
from .questions import About, divide_feature, read_question
from .summaries import PROBABLE, count_pairs

if TYPE_CHECKING:
    from .posterior import Posterior

MOST_DAGS = 5000
"""Distinct DAGs to look at: a systematic sample of more. So many take two seconds with 200 variables."""

WORTHWHILE = 0.05
"""Bits below which nothing is advised: with one decimal they would be shown as 0.0."""

EQUIVALENT = {"BGe", "GaussianBIC", "BDeu", "DegenerateGaussian"}
"""Scores that are the same for all members of an equivalence class."""

ONCE = {"DagMCMC", "StructureMCMC", "prior only"}
"""Samplers that count each DAG once, and leave none out."""


@dataclass(frozen=True)
class Choice:
    """Which experiments can be done.

    Attributes
    ----------
    candidates
        Column numbers of the variables that can be set.
    cost
        Of each of these, or None.
    batch
        How many experiments to choose.
    """

    candidates: np.ndarray
    cost: np.ndarray | None
    batch: int


def next_experiments(
    dags: WeighedDags,
    nodes: tuple[str, ...],
    about: About = None,
    *,
    batch: int = 1,
    exclude: Collection[str] = (),
    costs: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Rank the experiments that set one variable; see :meth:`edgewise.Posterior.next_experiments`."""
    choice = read_choice(nodes, batch, exclude, costs)
    feature = read_question(about, nodes)
    classes = dags.classes
    if feature is not None:
        partition, known = divide_feature(dags, classes, feature)
    else:
        partition = divide_factors(dags.p, classes.factors, classes.factor_weight)
        known = entropy(classes.weight) if about is None else _known_of_pairs(classes, partition)
    open_directions = partition.open_directions()
    table = _rank(partition, known, choice, nodes, is_about_edges=isinstance(about, str))
    table.attrs = {"known_bits": round(max(known, 0.0), DIGITS), "dags": len(dags.weight), "members": dags.way}
    if feature is not None:
        return table.drop(columns="directions")
    table.attrs["open_directions"] = round(open_directions, DIGITS)
    return table


def weigh_draws(posterior: "Posterior", most: int = MOST_DAGS) -> WeighedDags:
    """Return the distinct DAGs of a posterior, or a systematic sample of them, with their weights."""
    distinct = posterior.draws.distinct(posterior.weights)
    rows, weight = distinct.rows, distinct.weight
    if len(weight) > most:
        chosen, times = np.unique(take_evenly(weight, most, 0.5), return_counts=True)
        rows, weight = rows[chosen], times / most
    rows, weight = rows[weight > 0], weight[weight > 0]
    return WeighedDags(
        len(posterior.nodes),
        weight,
        partial(_take, posterior.draws, rows),
        posterior.told,
        posterior.knowledge,
        find_way(posterior),
    )


def _take(draws: DrawTable, rows: np.ndarray, part: slice | np.ndarray) -> BoolMatrix:
    return draws.dags(rows[part])


def advise(posterior: "Posterior", dags: WeighedDags) -> str | None:
    """Say how many directions stay open, and which experiment would tell most about these.

    Where one stays open, it tells all about it: who sets one of two variables knows which way the edge between them
    points.

    Parameters
    ----------
    posterior
        What pairs are joined, and which directions are told.
    dags
        Its DAGs, or some of them.

    Returns
    -------
    str or None
        None where no pair that is joined more probably than not has an open direction, where no experiment would tell
        much, and without data.
    """
    pairs = posterior.numbered_pairs
    joined, told = count_pairs(pairs)
    if joined == told or posterior.info.get("data", True) is None:
        return None
    still_open = pairs[(pairs["joined"] >= PROBABLE) & (pairs["direction"] == "-")]
    is_asked = np.zeros((dags.p, dags.p), bool)
    is_asked[still_open["a"], still_open["b"]] = is_asked[still_open["b"], still_open["a"]] = True
    classes = dags.classes
    gained = divide_directions(dags.p, classes.factors, classes.factor_weight, is_asked).gain().bits
    best = _best_first(gained, None)[0]
    if gained[best] < WORTHWHILE:
        return None
    setting = f"setting {shorten(posterior.nodes[best], 40)} would tell"
    bits = f"({gained[best]:.1f} bits that more rows would not tell)"
    if joined == 1:
        return f"The direction stays open; {setting} it {bits}."
    if joined - told == 1:
        return f"1 of {joined} directions stays open; {setting} it {bits}."
    return f"{joined - told} of {joined} directions stay open; {setting} most about them {bits}."


def find_way(posterior: "Posterior") -> Way:
    """Return how probable the members of a class are: see :mod:`.classes`.

    A learner in a bootstrap takes any of them, so that they count alike. Of draws of which nothing is known but their
    weights, these are all there is to go by.
    """
    info = posterior.info
    if info.get("method") == "bootstrap":
        return "uniform"
    sampler = info.get("sampler")
    if not sampler:
        return "listed"
    score, constraints = info.get("score"), info.get("constraints") or {}
    is_once = sampler.get("name") in ONCE and sampler.get("max_parents") is None and posterior.draws.log_weight is None
    is_alike = _is_sparsity(info.get("prior")) and (score is None or score.get("name") in EQUIVALENT)
    return "uniform" if is_once and is_alike and not constraints.get("ancestors") else "drawn"


def read_choice(
    nodes: tuple[str, ...], batch: int, exclude: Collection[str], costs: Mapping[str, float] | None
) -> Choice:
    """Check which experiments can be done, and return them."""
    if isinstance(exclude, str) or not isinstance(exclude, Iterable):
        raise ArgumentError(f"exclude must be a list of variables, such as ['Akt'], but {quote(exclude)} was given.")
    left_out = {*find_columns(nodes, exclude)}
    candidates = np.array([column for column in range(len(nodes)) if column not in left_out], np.int64)
    batch = check_whole("batch", batch)
    if batch > len(candidates):
        raise ArgumentError(
            f"batch is {batch}, but {count(len(candidates), 'variable')} can be set: ask for fewer experiments, "
            "or exclude fewer variables."
        )
    return Choice(candidates, _read_costs(nodes, candidates, costs), batch)


def _read_costs(nodes: tuple[str, ...], candidates: np.ndarray, costs: Mapping[str, float] | None) -> np.ndarray | None:
    """Return the cost of setting each variable that can be set."""
    if costs is None:
        return None
    if not isinstance(costs, Mapping):
        raise ArgumentError(
            f"costs must give a cost for each variable, such as {{'Akt': 2.0, 'Mek': 1.0}}, but {quote(costs)} was "
            "given."
        )
    cost = dict(zip(find_columns(nodes, costs), costs.values(), strict=True))
    for column, value in cost.items():
        if not (is_number(value) and 0 < value < np.inf):
            raise ArgumentError(f"The cost of {quote(nodes[column])} must be a positive number, but it is {value!r}.")
    return np.array([float(cost.get(int(column), 1.0)) for column in candidates])


def _rank(
    partition: Partition, known: float, choice: Choice, nodes: tuple[str, ...], *, is_about_edges: bool
) -> pd.DataFrame:
    """Return the table of all experiments, the best first, or of a batch, in the order in which they are chosen."""
    candidates, cost = choice.candidates, choice.cost
    gain = partition.gain(is_about_edges=is_about_edges)
    if choice.batch == 1:
        bits, directions = gain.bits[candidates], gain.directions[candidates]
        chosen = _best_first(bits, cost)
        marginal = bits[chosen]
        beyond, told = marginal, directions[chosen]
    else:
        left = np.ones(len(candidates), bool)
        picked, gained, more = [], [], []
        for _ in range(choice.batch):
            order = _best_first(gain.bits[candidates], cost)
            best = int(order[left[order]][0])
            left[best] = False
            picked.append(best)
            gained.append(gain.bits[candidates[best]])
            more.append(gain.directions[candidates[best]])
            partition.choose(int(candidates[best]))
            gain = partition.gain(is_about_edges=is_about_edges)
        chosen, marginal = np.array(picked), np.array(gained)
        beyond, told = np.cumsum(marginal), np.cumsum(more)
    names = pd.Index(nodes)
    table = pd.DataFrame({"target": names[candidates[chosen]], "bits": _tidy(known + beyond)})
    table["bits_beyond"] = _tidy(beyond)
    table["directions"] = _tidy(told)
    if choice.batch > 1:
        table["marginal_bits"] = _tidy(marginal)
    if cost is not None:
        table["cost"] = cost[chosen]
        table["bits_per_cost"] = _tidy(marginal / cost[chosen])
    return table


def _best_first(bits: np.ndarray, cost: np.ndarray | None) -> np.ndarray:
    """Return the order of experiments, the most bits first, or bits for their cost; among equals, as the columns."""
    worth = bits if cost is None else bits / cost
    return np.argsort(-np.round(worth, DIGITS - 2), kind="stable")


def _known_of_pairs(classes: Classes, partition: Partition) -> float:
    """Return what classes tell of the states of all pairs, ->, <- or not joined, added up."""
    forward, backward = (matrix[np.triu_indices(len(matrix), 1)] for matrix in (classes.directed, classes.directed.T))
    joined = np.clip(forward + backward, 0, 1)
    share = np.divide(forward, joined, out=np.zeros_like(joined), where=joined > 0)
    states = float((binary_entropy(joined) + joined * binary_entropy(share.clip(0, 1))).sum())
    return states - partition.open_bits()


def _is_sparsity(prior: Any) -> bool:
    """Whether a prior, as the record of a run has it, is the same for all members of an equivalence class."""
    if not isinstance(prior, dict):
        return False
    parts = prior.get("parts") if prior.get("name") == "sum" else [prior]
    return isinstance(parts, list) and all(isinstance(part, dict) and part.get("name") == "Sparsity" for part in parts)


def _tidy(values: np.ndarray) -> np.ndarray:
    """Return bits without the rounding errors of sums."""
    return np.asarray(np.round(np.maximum(values, 0.0), DIGITS))

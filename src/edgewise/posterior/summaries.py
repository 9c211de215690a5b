"""Single graphs that stand for a posterior: the most probable ones, and those on which the draws agree."""

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from edgewise._kernels.graphs.orientation import exclude
from edgewise.errors import ArgumentError
from edgewise.graphs import BoolMatrix
from edgewise.graphs.equivalence import complete
from edgewise.wording import count

from .monte_carlo import DIGITS, as_counts

if TYPE_CHECKING:
    from .posterior import Posterior

G = TypeVar("G", BoolMatrix, pd.DataFrame)

PROBABLE = 0.5
"""Probability from which on two variables are counted as joined: more probable than not."""

SHOWN = 0.0005
"""Probability below which an edge is left out of tables: with three decimals it would be shown as zero."""

TOLD = 0.75
"""Share of a pair's probability with which its direction must be compelled to be stated: three to one."""

DISAGREED = "?"
"""What stands for the direction of a pair on which chains disagree: nothing is claimed of it."""


class RankedGraph(NamedTuple, Generic[G]):
    """A graph of a posterior.

    Attributes
    ----------
    graph : DataFrame or ndarray of bool, shape (p, p)
        A DAG, or a CPDAG, in which both (i, j) and (j, i) are true where the direction is open.
    probability : float
        Its share of the draws, by weight.
    log_posterior : float
        Its unnormalised log posterior; for a CPDAG that of its most probable DAG.
    """

    graph: G
    probability: float
    log_posterior: float


def top_dags(posterior: "Posterior", number: int) -> list[RankedGraph[BoolMatrix]]:
    """Return the most probable DAGs, heaviest first."""
    counts, total = as_counts(posterior.weights)
    distinct = posterior.draws.distinct(counts)
    return [
        RankedGraph(posterior.draws.dags(row), float(weight / total), float(log_posterior))
        for row, weight, log_posterior in zip(
            distinct.rows[:number], distinct.weight[:number], distinct.log_posterior[:number], strict=True
        )
    ]


def top_cpdags(posterior: "Posterior", number: int) -> list[RankedGraph[BoolMatrix]]:
    """Return the most probable Markov equivalence classes, as interventions divide them, heaviest first."""
    classes: dict[bytes, RankedGraph[BoolMatrix]] = {}
    excluded = exclude(told=posterior.told)
    counts, total = as_counts(posterior.weights)
    distinct = posterior.draws.distinct(counts)
    for row, weight, log_posterior in zip(distinct.rows, distinct.weight, distinct.log_posterior, strict=True):
        graph = complete(posterior.draws.dags(row), excluded)
        known = classes.get(graph.tobytes(), RankedGraph(graph, 0.0, -np.inf))
        classes[graph.tobytes()] = RankedGraph(
            graph, known.probability + float(weight), max(known.log_posterior, float(log_posterior))
        )
    ranked = sorted(classes.values(), key=lambda one: (-round(one.probability / total, DIGITS), -one.log_posterior))
    return [one._replace(probability=one.probability / total) for one in ranked[:number]]


def consensus(probability: np.ndarray, threshold: float) -> np.ndarray:
    """Return the DAG of the edges at least as probable as ``threshold``, the most probable first.

    An edge that would close a cycle with more probable ones is left out.
    """
    p = len(probability)
    dag = np.zeros((p, p), dtype=bool)
    reaches = np.eye(p, dtype=bool)
    sources, targets = np.nonzero((probability >= threshold) & (probability > 0))
    for edge in np.argsort(-probability[sources, targets], kind="stable"):
        i, j = sources[edge], targets[edge]
        if not reaches[j, i]:
            dag[i, j] = True
            reaches[reaches[:, i]] |= reaches[j]
    return dag


def inclusion_threshold(undirected: np.ndarray) -> float:
    """Return the threshold of Scutari & Nagarajan (2013) for the probabilities of all pairs.

    If the data left no doubt, every pair would be joined with probability 0 or 1, a share t of them with 0. The t that
    fits best, in the sense of the area between the two distribution functions, is the share of pairs with probability
    one half or less; the threshold is the probability that has this share at or below it. Pairs above it are kept.
    """
    pairs = undirected[np.triu_indices(len(undirected), 1)]
    return float(np.max(pairs, where=pairs <= 0.5, initial=0.0))


def tabulate_edges(
    posterior: "Posterior", threshold: float, error: np.ndarray, prior: "Posterior | None"
) -> pd.DataFrame:
    """Return the table of :meth:`Posterior.edges`; ``error`` has the Monte Carlo error of every directed edge."""
    directed = posterior.edge_probabilities().to_numpy()
    source, target = np.nonzero((directed >= threshold) & (directed >= SHOWN))
    names = pd.Index(posterior.nodes)
    table = pd.DataFrame(
        {
            "source": names[source],
            "target": names[target],
            "probability": directed[source, target],
            "mcse": error[source, target],
            "undirected": posterior.edge_probabilities("undirected").to_numpy()[source, target],
            "compelled": posterior.edge_probabilities("compelled").to_numpy()[source, target],
        }
    )
    if prior is not None:
        table.insert(3, "prior", prior_probabilities(posterior, prior)[source, target])
    return table.sort_values("probability", ascending=False, kind="stable", ignore_index=True)


def tabulate_pairs(posterior: "Posterior", error: np.ndarray) -> pd.DataFrame:
    """Return the table of :meth:`Posterior.pairs`, with column numbers in place of names.

    ``error`` has the Monte Carlo error of the probability that two variables are joined.
    """
    directed = posterior.edge_probabilities().to_numpy()
    compelled = posterior.edge_probabilities("compelled").to_numpy()
    joined = posterior.edge_probabilities("undirected").to_numpy()
    a, b = np.nonzero(np.triu(joined >= SHOWN, 1))
    table = pd.DataFrame(
        {
            "a": a,
            "b": b,
            "joined": joined[a, b],
            "mcse": error[a, b],
            "forward": directed[a, b],
            "backward": directed[b, a],
            "told_forward": compelled[a, b],
            "told_backward": compelled[b, a],
            "direction": find_directions(
                joined[a, b], compelled[a, b], compelled[b, a], disagreement=posterior.disagreement[a, b]
            ),
        }
    )
    return table.sort_values("joined", ascending=False, kind="stable", ignore_index=True)


def find_directions(
    joined: np.ndarray, forward: np.ndarray, backward: np.ndarray, *, disagreement: BoolMatrix
) -> np.ndarray:
    """Return ``"?"`` where chains disagree, ``"->"`` or ``"<-"`` where a direction is told, else ``"-"``."""
    enough = np.where(joined >= SHOWN, TOLD * joined, np.inf)
    return np.select([disagreement, forward >= enough, backward >= enough], [DISAGREED, "->", "<-"], "-")


def orient_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of :func:`tabulate_pairs` each in its more probable direction, for pictures.

    Returns
    -------
    DataFrame
        Columns ``source`` and ``target``, called as in the pairs, ``probability`` of that direction, ``reverse`` of the
        other, ``joined`` of either; ``is_told``: whether a direction is told, which then is this one; and
        ``is_disagreed``: whether chains disagree on the pair.
    """
    is_forward = pairs["forward"] >= pairs["backward"]
    return pd.DataFrame(
        {
            "source": pairs["a"].where(is_forward, pairs["b"]),
            "target": pairs["b"].where(is_forward, pairs["a"]),
            "probability": pairs["forward"].where(is_forward, pairs["backward"]),
            "reverse": pairs["backward"].where(is_forward, pairs["forward"]),
            "joined": pairs["joined"],
            "is_told": pairs["direction"].isin(["->", "<-"]),
            "is_disagreed": pairs["direction"] == DISAGREED,
        }
    )


def count_pairs(pairs: pd.DataFrame) -> tuple[int, int]:
    """Return how many pairs are more probably joined than not, and in how many of these the direction is told.

    Those on which chains disagree are not counted.
    """
    joined = pairs[(pairs["joined"] >= PROBABLE) & (pairs["direction"] != DISAGREED)]
    return len(joined), int((joined["direction"] != "-").sum())


def count_disagreed(pairs: pd.DataFrame) -> int:
    """Return on how many pairs chains disagree, however probable it is that these are joined."""
    return int((pairs["direction"] == DISAGREED).sum())


def headline(pairs: pd.DataFrame) -> str:
    """Say how many pairs are joined, of how many the direction can be told, and on how many more chains disagree."""
    disagreed = count_disagreed(pairs)
    if not disagreed:
        return f"{_count_in_words(pairs)}."
    on = count(disagreed, "pair") if count_pairs(pairs)[0] == 0 else f"{disagreed} more"
    return f"{_count_in_words(pairs)}; chains disagree on {on}."


def _count_in_words(pairs: pd.DataFrame) -> str:
    if pairs.empty:
        return f"No two variables are joined with probability {SHOWN} or more"
    joined, told = count_pairs(pairs)
    if joined == 0:
        return f"No two variables are joined with probability {PROBABLE} or more"
    if joined == 1:
        can = "can" if told else "cannot"
        return f"1 pair of variables is joined with probability {PROBABLE} or more; its direction {can} be told"
    in_which = "all" if told == joined else told
    directions = f"the direction can be told in {in_which} of them" if told else "no direction can be told"
    return f"{joined} pairs of variables are joined with probability {PROBABLE} or more; {directions}"


def prior_probabilities(posterior: "Posterior", prior: "Posterior") -> np.ndarray:
    """Return the edge probabilities of a run without data, in the order of a posterior's variables."""
    if not isinstance(prior, type(posterior)) or prior.info.get("data", True) is not None:
        raise ArgumentError("prior must be what a run without data returned: ew.sample(None, nodes=..., prior=...).")
    if set(prior.nodes) != set(posterior.nodes):
        raise ArgumentError("The run without data has other variables than this posterior.")
    nodes = list(posterior.nodes)
    return prior.edge_probabilities().loc[nodes, nodes].to_numpy()

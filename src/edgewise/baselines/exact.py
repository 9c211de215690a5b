"""Exact posteriors, without sampling, for few variables.

**Over DAGs.** Up to five variables all DAGs are listed (29,281 of five), each with its probability. Up to fourteen
they are summed over without a list, in :mod:`edgewise._kernels.learners.exact_dags`: that gives the probabilities of
edges and of paths.

**Over orders.** Order MCMC samples orders, and so a DAG once for every order that it agrees with. The sum over all
orders and all DAGs along them takes about p^2 2^p steps by the dynamic programme of Koivisto & Sood (2004), in
:mod:`edgewise._kernels.learners.exact`. It gives the probabilities of edges, but not of DAGs.
"""

from functools import cache
from itertools import combinations, product
from typing import Any, Literal, Unpack

import numpy as np

from edgewise._kernels.graphs.features import paths_weighted_sum
from edgewise._kernels.learners.exact import edge_probabilities, sum_over_orders, weigh_families
from edgewise._kernels.learners.exact_dags import find_edges, find_paths, new_sums, sum_over_dags
from edgewise._kernels.scores.interface import new_room
from edgewise.arguments import check_whole
from edgewise.data import Data, Reading, load_data
from edgewise.errors import ArgumentError
from edgewise.graphs import ancestors, ancestors_of_many
from edgewise.priors import Constraints, Knowledge, Prior
from edgewise.scores import Score, prepare_score
from edgewise.scores.refusals import refuse_family

from .edges import edge_weights, know, know_edges
from .exact_results import ExactEdges, ExactPosterior

MOST_LISTED = 5
"""Most variables whose DAGs are listed. Six have 3,781,503 DAGs, and seven more than a billion."""

MOST_SUMMED = {"dags": 14, "orders": 18}
"""Most variables to sum over DAGs and over orders of: a few seconds, and 45 and 80 MB. One more takes four times as
long and three times as much memory over DAGs, and twice as much of both over orders."""


def exact_posterior(
    data: Data,
    *,
    over: Literal["auto", "dags", "orders"] = "auto",
    score: Score | None = None,
    prior: Prior | None = None,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    **reading: Unpack[Reading],
) -> ExactEdges:
    """Compute posterior probabilities exactly, for few variables.

    Parameters
    ----------
    data
        Whatever :func:`edgewise.sample` takes.
    over
        ``"dags"``: each DAG counts once; up to 14 variables. ``"orders"``: a DAG counts once for every order of the
        variables in which its parents precede their children, which is the target of order MCMC; up to 18 variables.
        ``"auto"``: over DAGs up to 14 variables, and over orders for more.
    score
        Default: the one that fits the kinds of the columns, ``BGe()`` for numbers.
    prior
        Default: ``Sparsity("auto")``, as in :func:`edgewise.sample`. It must be a sum over edges.
    constraints
        What is known for certain; over DAGs only, and ``ancestors`` and ``not_ancestors`` only up to 5 variables.
    max_parents
        Leave out DAGs in which a variable has more parents than this. Default: none are left out.
    **reading
        How to read the table, as in :func:`edgewise.load_data`.

    Returns
    -------
    ExactPosterior or ExactEdges
        Over DAGs up to 5 variables an ExactPosterior, with the probability of every DAG, and so of everything that can
        be asked of one. Over DAGs of more, the probability of every edge and every path; over orders, of every edge.

    Notes
    -----
    Over DAGs of more than 5 variables, probabilities of edges take about p 3^p steps, those of paths 4^p, and memory
    8 * 3^p bytes: a third of a second for 12 variables, three seconds and 45 MB for 14. Weights are added and
    subtracted (Tian & He, 2009), in units by which none gets lost: the error of a probability is below 1e-9 and, on all
    data that were tried, below 1e-12. That of the scores, about 1e-16 of their size, comes on top.

    Over orders it takes about p^2 2^p steps and 16 p 2^p bytes: a second and 17 MB for 16.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(4, 100, seed=1)
    >>> posterior = exact_posterior(sim.data, over="dags")
    >>> len(posterior.dags), round(float(posterior.probabilities.sum()), 6)
    (543, 1.0)
    >>> posterior.edge_probabilities("undirected").shape
    (4, 4)
    >>> exact_posterior(ew.simulate(8, 100, seed=1).data)
    <ExactEdges of 8 variables, over dags>
    """
    if over not in ("auto", "dags", "orders"):
        raise ArgumentError(f"over must be 'auto', 'dags' or 'orders', but {over!r} was given.")
    if max_parents is not None:
        max_parents = check_whole("max_parents", max_parents)
    dataset = load_data(data, **reading)
    p = dataset.p
    if over == "auto":
        over = "dags" if p <= MOST_SUMMED["dags"] else "orders"
    _check_size(p, over)
    tables = prepare_score(score, dataset)
    if constraints is not None and over == "orders":
        raise ArgumentError(
            f"exact_posterior keeps to constraints only over DAGs, with at most {MOST_SUMMED['dags']} variables."
        )
    is_listed = over == "dags" and p <= MOST_LISTED
    if is_listed:
        knowledge = know(constraints, dataset.names)
    else:
        knowledge = know_edges(
            constraints, dataset.names, by=f"With more than {MOST_LISTED} variables, exact_posterior"
        )
    families = Families(
        tables,
        edge_weights(prior, dataset.names, by="exact_posterior"),
        required=knowledge.required,
        forbidden=knowledge.forbidden,
        max_parents=max_parents,
    )
    if over == "orders":
        return sum_orders(families, dataset.names)
    if is_listed:
        return list_dags(families, dataset.names, knowledge, dataset.targets)
    return sum_dags(families, dataset.names, knowledge)


class Families:
    """The log weights of all families of a few variables, with and without the data.

    Parameters
    ----------
    tables
        The score's tables.
    edge_log_prior : (p, p)
        What each edge i -> j adds to the log prior.
    required, forbidden : bool, (p, p)
        Edges that every DAG, and no DAG, has.
    max_parents
        Most parents of a variable.
    """

    def __init__(
        self,
        tables: Any,
        edge_log_prior: np.ndarray,
        *,
        required: np.ndarray,
        forbidden: np.ndarray,
        max_parents: int | None,
    ) -> None:
        self.p = len(edge_log_prior)
        self._tables = tables
        self._bounds = (edge_log_prior, required, forbidden, self.p if max_parents is None else max_parents)

    def log_posterior(self) -> np.ndarray:
        """Return local score plus log prior of variable j with the parents whose bits are set in G, shape (p, 2^p)."""
        return self._weigh(is_scored=True)

    def log_prior(self) -> np.ndarray:
        """Return the log prior of variable j with the parents whose bits are set in G, shape (p, 2^p)."""
        return self._weigh(is_scored=False)

    def _weigh(self, *, is_scored: bool) -> np.ndarray:
        family = np.empty((self.p, 1 << self.p))
        weigh_families(self._tables, *self._bounds, is_scored, new_room(self._tables, self.p), family)
        return family


def _weigh_numbers(families: Families, names: tuple[str, ...]) -> np.ndarray:
    """Return the log weights of all families with the data, or refuse a score that is no number for one of them."""
    weights = families.log_posterior()
    faulty = np.argwhere(~(weights < np.inf))
    if len(faulty):
        node, chosen = faulty[0].tolist()
        refuse_family(weights[node, chosen], node, [i for i in range(families.p) if chosen >> i & 1], names)
    return weights


def list_dags(
    families: Families,
    names: tuple[str, ...],
    knowledge: Knowledge | None = None,
    targets: tuple[tuple[int, ...], ...] = (),
) -> ExactPosterior:
    """Return the posterior over all DAGs that agree with the knowledge; ``targets`` as in :class:`Dataset`."""
    from scipy.special import logsumexp

    dags = all_dags(families.p)
    parents = np.tensordot(dags, 1 << np.arange(families.p), axes=(1, 0))
    nodes = np.arange(families.p)
    log_posterior = _weigh_numbers(families, names)[nodes, parents].sum(axis=1)
    log_prior = families.log_prior()[nodes, parents].sum(axis=1)
    possible = log_prior > -np.inf
    if knowledge is not None:
        paths = ancestors_of_many(dags)
        possible &= ~(knowledge.ancestors & ~paths | knowledge.unreached & paths).any(axis=(1, 2))
    dags, log_posterior, log_prior = dags[possible], log_posterior[possible], log_prior[possible]
    _check_possible(len(dags) > 0)
    total = logsumexp(log_posterior)
    _check_possible(total > -np.inf)
    probabilities = np.exp(log_posterior - total)
    return ExactPosterior(
        names,
        "dags",
        float(total - logsumexp(log_prior)),
        np.tensordot(probabilities, dags, axes=1),
        paths_weighted_sum(dags, probabilities),
        dags,
        probabilities,
        log_posterior,
        knowledge,
        targets,
    )


def sum_dags(families: Families, names: tuple[str, ...], knowledge: Knowledge | None = None) -> ExactEdges:
    """Return the probabilities of edges and paths over all DAGs that agree with the knowledge, each counted once.

    The families must agree with the knowledge of edges.
    """
    p = families.p
    before = np.zeros((p, p), dtype=np.bool_) if knowledge is None else _order_beyond_edges(knowledge)
    needed = (1 << np.arange(p)) @ before
    sums = new_sums(p)
    log_prior = sum_over_dags(families.log_prior(), needed, sums)
    _check_possible(log_prior > -np.inf)
    total = sum_over_dags(_weigh_numbers(families, names), needed, sums)
    _check_possible(total > -np.inf)
    directed, paths = np.empty((p, p)), None
    find_edges(sums, directed)
    if not before.any():
        paths = np.empty((p, p))
        find_paths(sums, paths)
        np.fill_diagonal(paths, 0.0)
        paths.clip(0, 1, out=paths)
    return ExactEdges(names, "dags", float(total - log_prior), directed.clip(0, 1), paths)


def _order_beyond_edges(knowledge: Knowledge) -> np.ndarray:
    """Return who comes before whom, or nobody if the required and forbidden edges alone see to it.

    They do not where tiers leave a variable out, through which a path may lead from a later tier to an earlier one.
    """
    paths = ancestors_of_many(~knowledge.forbidden[None])[0]
    is_open = knowledge.before & ~ancestors(knowledge.required) & paths.T
    return knowledge.before if is_open.any() else np.zeros_like(knowledge.before)


def sum_orders(families: Families, names: tuple[str, ...]) -> ExactEdges:
    """Return the edge probabilities over all orders, and all DAGs along them."""
    log_prior = sum_over_orders(families.log_prior())[0].log_sum[-1]
    _check_possible(log_prior > -np.inf)
    total, directed = edge_probabilities(_weigh_numbers(families, names))
    _check_possible(total > -np.inf)
    return ExactEdges(names, "orders", float(total - log_prior), directed, None)


@cache
def all_dags(p: int) -> np.ndarray:
    """Return all DAGs on p nodes, shape (m, p, p); p is at most five.

    Examples
    --------
    >>> [len(all_dags(p)) for p in (1, 2, 3, 4, 5)]
    [1, 3, 25, 543, 29281]
    """
    pairs = list(combinations(range(p), 2))
    joined = np.array(list(product((0, 1, 2), repeat=len(pairs))), dtype=np.int8)  # not, forward, backward
    graphs = np.zeros((len(joined), p, p), dtype=np.bool_)
    for number, (i, j) in enumerate(pairs):
        graphs[:, i, j] = joined[:, number] == 1
        graphs[:, j, i] = joined[:, number] == 2
    # Take away, p times, the nodes that have no parents left: what then remains is on or behind a cycle.
    left = np.ones((len(graphs), p), dtype=np.bool_)
    for _ in range(p):
        left &= (graphs & left[:, :, None]).any(axis=1)
    dags = graphs[~left.any(axis=1)]
    dags.setflags(write=False)
    return dags


def _check_size(p: int, over: Literal["dags", "orders"]) -> None:
    most = MOST_SUMMED[over]
    if p <= most:
        return
    if over == "dags":
        raise ArgumentError(
            f"The exact sum over all DAGs is made for {most} variables at most, and the data have {p}: take fewer "
            f"variables, or over='orders', or sample."
        )
    raise ArgumentError(
        f"The exact sum over all orders of {p} variables would need {16e-9 * p * 2.0**p:,.1f} GB of memory, and is "
        f"made for {most} variables at most: take fewer, or sample."
    )


def _check_possible(is_possible: bool) -> None:
    if not is_possible:
        raise ArgumentError(
            "No DAG is left: the required edges close a cycle, or give a variable more parents than max_parents or the "
            "score allow."
        )

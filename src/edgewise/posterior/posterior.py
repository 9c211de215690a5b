"""The posterior: what people keep after a run."""

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from edgewise._kernels.equivalence import compelled_weighted_sum
from edgewise.arguments import is_number
from edgewise.errors import ArgumentError

from .draws import DrawTable

Kind = Literal["directed", "undirected", "compelled"]

BATCHES = 20
"""Batches per chain for Monte Carlo errors: enough to estimate a variance, few enough that each outlasts the
chain's memory in a run of ordinary length."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """Draws of DAGs from a posterior distribution, and what follows from them.

    Made by :func:`edgewise.sample` or :func:`edgewise.load`.

    Attributes
    ----------
    nodes
        The variables' names.
    draws
        The draws, as numbers of families.
    moves
        For each chain, how often each kind of move was proposed and accepted.
    info
        The settings of the run, its seed, the versions of the software and the fingerprint of the data.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(4, 1000, seed=1)
    >>> posterior = ew.sample(sim.data, iterations=2000, thin=10, chains=2, seed=1, progress=False)
    >>> posterior.dags().shape
    (2, 160, 4, 4)
    >>> posterior.edge_probabilities("undirected").shape
    (4, 4)
    """

    nodes: tuple[str, ...]
    draws: DrawTable
    moves: tuple[dict[str, tuple[int, int]], ...]
    info: dict[str, Any] = field(default_factory=dict)

    @property
    def log_posterior(self) -> np.ndarray:
        """The unnormalised log posterior at each draw, shape (chain, draw)."""
        return np.asarray(self.draws.log_score + self.draws.log_prior)

    @cached_property
    def weights(self) -> np.ndarray:
        """The weight of each draw, shape (chain, draw); they add up to one."""
        return np.full(self.draws.log_score.shape, 1 / self.draws.log_score.size)

    def dags(self) -> np.ndarray:
        """Return all DAGs, booleans of shape (chain, draw, p, p); entry (i, j) is true when i -> j."""
        return self.draws.dags(self.draws.family)

    def orders(self) -> np.ndarray:
        """Return all orders as column numbers, shape (chain, draw, p)."""
        return self.draws.order

    def edge_probabilities(self, kind: Kind = "directed") -> pd.DataFrame:
        """Return the posterior probability of every edge.

        Parameters
        ----------
        kind
            ``"directed"``: that i -> j. ``"undirected"``: that i and j are joined, in either direction;
            symmetric. ``"compelled"``: that i -> j in every DAG Markov equivalent to the drawn one, so that
            observational data can tell the direction.

        Returns
        -------
        DataFrame
            Rows are sources, columns are targets.
        """
        if kind == "compelled":
            probability = self._compelled
        elif kind in ("directed", "undirected"):
            probability = self._directed if kind == "directed" else self._directed + self._directed.T
        else:
            raise ArgumentError(f"kind must be 'directed', 'undirected' or 'compelled', but {kind!r} was given.")
        # Rounding in a sum of many weights must not show as a probability above one.
        return pd.DataFrame(np.minimum(probability, 1.0), index=list(self.nodes), columns=list(self.nodes))

    def edges(self, threshold: float = 0.0) -> pd.DataFrame:
        """Return a table of edges, the most probable first.

        Parameters
        ----------
        threshold
            Leave out edges less probable than this. Edges that were never drawn are always left out.

        Returns
        -------
        DataFrame
            Columns ``source``, ``target``, ``probability``, ``mcse`` (the Monte Carlo standard error of the
            probability, by batch means within chains), ``undirected`` and ``compelled`` (the probabilities
            that the two are joined at all, and that the edge is compelled).
        """
        if not (is_number(threshold) and 0 <= threshold <= 1):
            raise ArgumentError(
                f"threshold is a probability and must lie between 0 and 1, but {threshold!r} was given."
            )
        directed = self.edge_probabilities().to_numpy()
        source, target = np.nonzero((directed >= threshold) & (directed > 0))
        names = pd.Index(self.nodes)
        table = pd.DataFrame(
            {
                "source": names[source],
                "target": names[target],
                "probability": directed[source, target],
                "mcse": self._monte_carlo_error[source, target],
                "undirected": self.edge_probabilities("undirected").to_numpy()[source, target],
                "compelled": self.edge_probabilities("compelled").to_numpy()[source, target],
            }
        )
        return table.sort_values("probability", ascending=False, kind="stable", ignore_index=True)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a NetCDF file, to be read by :func:`edgewise.load`.

        Parameters
        ----------
        path
            The file; one that exists is replaced once the new one is complete.

        Raises
        ------
        StorageError
            If the file cannot be written.
        """
        from .storage import save

        save(self, path)

    @cached_property
    def _directed(self) -> np.ndarray:
        return self._sum_edges(self.draws.family, self.weights)

    @cached_property
    def _compelled(self) -> np.ndarray:
        return sum(
            (compelled_weighted_sum(dags, weight) for dags, weight in self.draws.distinct_dags(self.weights)),
            start=np.zeros((len(self.nodes), len(self.nodes))),
        )

    @cached_property
    def _monte_carlo_error(self) -> np.ndarray:
        chains, draws, _ = self.draws.family.shape
        batches = min(BATCHES, draws)
        means = [
            self._sum_edges(family, weight) / weight.sum()
            for chain in range(chains)
            for family, weight in zip(
                np.array_split(self.draws.family[chain], batches),
                np.array_split(self.weights[chain], batches),
                strict=True,
            )
        ]
        if len(means) == 1:
            return np.full_like(means[0], np.nan)
        # Rounded, so that equal means of different sums of weights count as equal.
        return np.asarray(np.std(np.round(means, 12), axis=0, ddof=1) / np.sqrt(len(means)))

    def _sum_edges(self, family: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return self.draws.sum_parents(self.draws.sum_families(family, weights))

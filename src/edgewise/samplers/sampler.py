"""What all samplers have in common.

A sampler is a few settings. Given data, a score, a prior and hard knowledge, it prepares a model, which all chains
share; and a model starts chains. A chain advances in blocks from an explicit state, and where blocks end makes no
difference to its draws. The loop over chains, the collection of draws and everything after are the same for all.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Protocol, Self

import numpy as np

from edgewise._kernels.basics.recorder import Draws
from edgewise._kernels.dags.candidates import DagTarget
from edgewise._kernels.families.target import Target
from edgewise.data import Dataset
from edgewise.priors import Knowledge, Prior
from edgewise.scores import Score
from edgewise.tasks import IsOver, never

from .schedule import Schedule
from .snapshots import Snapshot


class Chain(Protocol):
    """One chain, at some iteration of its schedule."""

    schedule: Schedule
    iteration: int

    def advance(self, steps: int) -> list[Draws]:
        """Take ``steps`` iterations, and return the draws that fall among them.

        With no steps at all, what is still to be compiled is compiled.
        """

    def seek(self, is_over: IsOver = never) -> None:
        """Go to a better start, where the sampler knows how to find one, or to the best until it is over; else stay."""

    @property
    def log_posterior(self) -> float:
        """The unnormalised log posterior of the present state."""

    def snapshot(self) -> Snapshot:
        """Return where the chain is."""

    def restore(self, snapshot: Snapshot) -> None:
        """Go to where another chain of the same model was, and number families anew from there."""

    def check(self) -> None:
        """Refuse, with a :class:`edgewise.StorageError`, to go on from where no chain can be."""

    def families(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the families drawn so far: their children, and their parents as bits in words of 64."""

    def moves(self) -> dict[str, tuple[int, int]]:
        """Return, for each kind of move, how often it was proposed and how often accepted."""


class Model(Protocol):
    """The target of a run, shared by its chains."""

    def start(self, order: np.ndarray, rng: np.random.Generator, schedule: Schedule) -> Chain:
        """Return a chain that starts at ``order``, or at an order near it that the knowledge allows."""


class Sampler(ABC):
    """The settings of a sampler."""

    def resolve(self, dataset: Dataset) -> Self:
        """Return the same sampler with every ``"auto"`` replaced by what it stands for, given the data."""
        return self

    @abstractmethod
    def prepare(
        self,
        dataset: Dataset,
        score: Score,
        prior: Prior,
        knowledge: Knowledge | None = None,
        *,
        is_over: IsOver = never,
    ) -> Any:
        """Return the :class:`Model` that chains share; a search for candidates ends early if it ``is_over``.

        Raises
        ------
        ArgumentError
            If this sampler cannot work with such a prior or such knowledge.
        """

    @property
    def is_weighted(self) -> bool:
        """Whether draws differ in weight, so that :meth:`weigh` is called."""
        return False

    def weigh(self, model: Any, dags: Iterable[np.ndarray], which: np.ndarray) -> np.ndarray:
        """Return the log weight of every draw, up to a constant, shape (chains, draws).

        ``dags`` yields the distinct DAGs that were drawn, a stack at a time, and ``which[chain, draw]`` is the number
        of a draw's DAG among them.
        """
        raise NotImplementedError

    def describe_engine(self, model: Any) -> str | None:
        """Return what draws, in words, where that depends on the data."""
        return None

    def edge_target(self, model: Any) -> Target | DagTarget | None:
        """Return the target if an edge can be judged by its family alone, given the order or all others; else None."""
        return None

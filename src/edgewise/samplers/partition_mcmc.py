"""Partition MCMC: the compiled loop in :mod:`edgewise._kernels.rivals.partition_mcmc`, in blocks."""

from dataclasses import dataclass

import numpy as np

from edgewise._kernels.rivals.parent_sets import SetTarget, new_workspace
from edgewise._kernels.rivals.partition_mcmc import FURTHER, SummedPartition, begin, new_proposal, run
from edgewise._kernels.rivals.partitions import new_partition, sum_elements
from edgewise.data import Dataset
from edgewise.priors import Knowledge, Prior
from edgewise.scores import Score
from edgewise.tasks import IsOver, never

from .beliefs import agree_with
from .parent_sets import ParentSetChain, ParentSetSampler
from .schedule import Schedule
from .snapshots import is_order

MOVES = {"split": 0.15, "join": 0.15, "swap": 0.15, "adjacent": 0.15, "relocate": 0.1, "edges": 0.3}
"""The kinds of moves, as the compiled loop counts them, and their shares. Measured with 30 variables at equal time: if
few or single edges are changed, errors of edge probabilities are up to twice as large; and with little else, chains are
caught between modes."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PartitionMCMC(ParentSetSampler):
    """The sampler of Kuipers & Moffa (2017).

    A chain over ordered partitions of the variables. Every DAG, up to a number of parents, belongs to one partition:
    the variables without parents, then those whose parents are all among them, and so on. The probability of a
    partition is the sum over its DAGs, and each draw comes with a DAG drawn from those. So DAGs are drawn from their
    posterior itself, without the bias of order MCMC.

    Parameters
    ----------
    max_parents
        Most parents of a variable. Time and memory grow like the number of variables to this power.
    candidates
        Who may be a parent of whom. A matrix in which ``candidates[i, j]`` is true if i may be a parent of j, as an
        array, labelled DataFrame or networkx graph; or a dictionary with lists of possible parents, where variables
        that are not listed may have any. Or a number, for the likeliest that a short run of minimal I-MAP MCMC finds.
        Required edges are possible in any case. ``"auto"``: all, or as many as make a million parent sets.
    memory_limit
        Most gigabytes that the tables of parent sets may take.

    Notes
    -----
    The prior must be a product over families, such as ``Sparsity`` and ``EdgeBeliefs``. ``TierOrder`` speaks of an
    order, which a DAG does not have; here it is read as a prior on partitions: a variable is in place if none of a
    later tier is in an earlier element, and none of an earlier tier in a later one. Of the constraints, all but
    ``ancestors`` and ``not_ancestors`` can be used.

    The order of a draw lists the elements of its partition one after the other; among the variables of an element it
    means nothing.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(6, 200, seed=1)
    >>> sampler = PartitionMCMC(max_parents=2)
    >>> posterior = ew.sample(sim.data, sampler=sampler, iterations=2000, thin=10, seed=1, progress=False)
    >>> int(posterior.dags().sum(axis=-2).max())
    2
    """

    def prepare(
        self,
        dataset: Dataset,
        score: Score,
        prior: Prior,
        knowledge: Knowledge | None = None,
        *,
        is_over: IsOver = never,
    ) -> "PartitionMCMCModel":
        """Return everything about the target that chains share."""
        return PartitionMCMCModel(self.make_target(dataset, score, prior, knowledge, is_over), knowledge)


@dataclass(frozen=True)
class PartitionMCMCModel:
    """The target of a run, in the form the compiled loop wants, shared by its chains."""

    target: SetTarget
    knowledge: Knowledge | None

    def start(self, order: np.ndarray, rng: np.random.Generator, schedule: Schedule) -> "PartitionMCMCChain":
        """Return a chain that starts at the partition of a DAG drawn along ``order``.

        If the knowledge does not allow ``order``, the order nearest to it that it does allow takes its place.
        """
        return PartitionMCMCChain(self.target, agree_with(order, self.knowledge), rng, schedule)


class PartitionMCMCChain(ParentSetChain):
    """One chain over partitions."""

    kinds = MOVES
    _run = staticmethod(run)
    FOLLOWS = ("state.present.log_sum", "state.present.log_prior")

    def __init__(self, target: SetTarget, order: np.ndarray, rng: np.random.Generator, schedule: Schedule) -> None:
        # A DAG that is drawn takes a number for each variable. As many changes of it take a fraction of the time.
        super().__init__(target, rng, schedule, numbers=FURTHER + len(order) + 2 * len(order))
        self.state = SummedPartition(new_partition(self.p), np.zeros((len(MOVES), 2), np.int64))
        self._scratch = new_proposal(self.p, new_workspace(target.score, self.p))
        self._shares = np.array(list(MOVES.values()))
        begin(self.state, target, self._scratch, np.array(order, np.int64), self.dag_rng.random((1, self.p)))

    def refresh(self) -> None:
        """Compute everything anew from the partition."""
        partition = self.state.present
        sum_elements(partition, 0, partition.elements[0] - 1, self.target, self._scratch.workspace)

    def _renew(self) -> bool:
        """Find all else by the partition."""
        partition = self.state.present
        elements = int(partition.elements[0])
        if not is_order(partition.order) or not 1 <= elements <= self.p:
            return False
        cut = partition.cut[: elements + 1]
        if cut[0] != 0 or cut[-1] != self.p or not (np.diff(cut) > 0).all():
            return False
        self.refresh()
        return True

    @property
    def log_posterior(self) -> float:
        """The log of the sum over all DAGs with the present partition of score times prior."""
        return float(self.state.present.log_sum.sum() + self.state.present.log_prior[0])

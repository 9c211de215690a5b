"""Order MCMC: the compiled loop in :mod:`edgewise._kernels.rivals.order_mcmc`, in blocks."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from edgewise._kernels.rivals.order_mcmc import NUMBERS, OrderProposal, SummedOrder, run, sum_order
from edgewise._kernels.rivals.parent_sets import SetTarget, new_workspace
from edgewise.data import Dataset
from edgewise.errors import ArgumentError
from edgewise.priors import Knowledge, Prior
from edgewise.scores import Score
from edgewise.tasks import IsOver, never

from .beliefs import agree_with
from .multiplicity import count_orders, weigh_draws
from .parent_sets import ParentSetChain, ParentSetSampler
from .schedule import Schedule
from .snapshots import is_order

BIAS_CORRECTIONS = ("none", "partial", "full")
"""From Friedman & Koller's own target to the posterior over DAGs."""

MOVES = ("adjacent", "swap", "relocate")
"""The kinds of moves, as the compiled loop counts them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class OrderMCMC(ParentSetSampler):
    """The sampler of Friedman & Koller (2003).

    A chain over orders of the variables. The probability of an order is the sum over all DAGs along it, up to a number
    of parents, so that each draw comes with a DAG drawn from those. A DAG that agrees with many orders is drawn more
    often than its posterior probability alone would have it; see ``bias_correction``.

    Parameters
    ----------
    max_parents
        Most parents of a variable. Time and memory grow like the number of variables to this power.
    bias_correction
        Whether draws are weighted by one over the number of orders that their DAG agrees with: ``"none"``; ``"full"``,
        so that each DAG counts once; or ``"partial"``, with weights below the first quartile raised to it and those
        above the third lowered to it, as in the paper.
    candidates
        Who may be a parent of whom. A matrix in which ``candidates[i, j]`` is true if i may be a parent of j, as an
        array, labelled DataFrame or networkx graph; or a dictionary with lists of possible parents, where variables
        that are not listed may have any. Or a number, for the likeliest that a short run of minimal I-MAP MCMC finds.
        Required edges are possible in any case. ``"auto"``: all, or as many as make a million parent sets.
    memory_limit
        Most gigabytes that the tables of parent sets may take.

    Notes
    -----
    The prior must be a product over families, such as ``Sparsity`` and ``EdgeBeliefs``, or one over orders,
    ``TierOrder``. Of the constraints, all but ``ancestors`` and ``not_ancestors`` can be used.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(6, 200, seed=1)
    >>> sampler = OrderMCMC(max_parents=2)
    >>> posterior = ew.sample(sim.data, sampler=sampler, iterations=2000, thin=10, seed=1, progress=False)
    >>> int(posterior.dags().sum(axis=-2).max())
    2
    """

    bias_correction: Literal["none", "partial", "full"] = "none"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bias_correction not in BIAS_CORRECTIONS:
            raise ArgumentError(
                f"bias_correction must be 'none', 'partial' or 'full', but {self.bias_correction!r} was given."
            )

    def prepare(
        self,
        dataset: Dataset,
        score: Score,
        prior: Prior,
        knowledge: Knowledge | None = None,
        *,
        is_over: IsOver = never,
    ) -> "OrderMCMCModel":
        """Return everything about the target that chains share."""
        return OrderMCMCModel(self.make_target(dataset, score, prior, knowledge, is_over), knowledge)

    @property
    def is_weighted(self) -> bool:
        """Whether a correction is wanted."""
        return self.bias_correction != "none"

    def weigh(self, model: "OrderMCMCModel", dags: Iterable[np.ndarray], which: np.ndarray) -> np.ndarray:
        """Return one over the number of orders that each draw's DAG agrees with.

        Parameters
        ----------
        model
            The target of the run.
        dags
            The distinct DAGs that were drawn, a stack at a time.
        which
            For each chain and draw, the number of its DAG among them.

        Returns
        -------
        ndarray of shape (chain, draw)
            The log weights, up to a constant. All zero, with a warning, where the orders of a DAG can be neither
            counted nor estimated.
        """
        before = None if model.knowledge is None else model.knowledge.before
        log_weight = weigh_draws(dags, which, lambda stack: -count_orders(stack, before))
        if self.bias_correction == "partial":
            log_weight = np.clip(log_weight, *np.percentile(log_weight, [25, 75]))
        return np.asarray(log_weight)


@dataclass(frozen=True)
class OrderMCMCModel:
    """The target of a run, in the form the compiled loop wants, shared by its chains."""

    target: SetTarget
    knowledge: Knowledge | None

    def start(self, order: np.ndarray, rng: np.random.Generator, schedule: Schedule) -> "OrderMCMCChain":
        """Return a chain that starts at ``order``, or at the order nearest to it that the knowledge allows."""
        return OrderMCMCChain(self.target, agree_with(order, self.knowledge), rng, schedule)


def choose_shares(p: int) -> np.ndarray:
    """Return the probabilities of adjacent exchanges, swaps and relocations, so that each kind takes the same time.

    They need 2, about p / 3 and about 2 p sums. Measured with 30 variables, no kind alone is better for its time than
    the others by much, but chains without swaps were caught between modes now and then.
    """
    sums = np.array([2, (p + 1) / 3 + 1, 2 * p])
    return np.asarray(1 / sums / (1 / sums).sum())


class OrderMCMCChain(ParentSetChain):
    """One chain over orders."""

    kinds = MOVES
    _run = staticmethod(run)
    FOLLOWS = ("state.log_sum", "state.log_prior", "state.cut")

    def __init__(self, target: SetTarget, order: np.ndarray, rng: np.random.Generator, schedule: Schedule) -> None:
        super().__init__(target, rng, schedule, numbers=NUMBERS)
        p = self.p
        self.state = SummedOrder(
            order=np.array(order, np.int64),
            log_sum=np.zeros(p),
            log_prior=np.zeros(1),
            moves=np.zeros((3, 2), np.int64),
            cut=np.arange(p + 1),
        )
        self._scratch = OrderProposal(
            new_workspace(target.score, p), np.zeros(p, np.int64), *(np.zeros(p) for _ in range(4))
        )
        self._shares = choose_shares(p)
        self.refresh()

    def refresh(self) -> None:
        """Compute everything anew from the order."""
        sum_order(self.state, self.target, self._scratch.workspace)

    def _renew(self) -> bool:
        """Find all else by the order."""
        if not is_order(self.state.order):
            return False
        self.state.cut[:] = np.arange(self.p + 1)
        self.refresh()
        return True

    @property
    def log_posterior(self) -> float:
        """The log of the sum over all DAGs along the present order of score times prior."""
        return float(self.state.log_sum.sum() + self.state.log_prior[0])

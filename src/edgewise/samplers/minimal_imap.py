"""Minimal I-MAP MCMC: a chain over orders, each standing for its minimal I-MAP.

This module prepares what the compiled loop in :mod:`edgewise._kernels.minimal_imap` works on, and calls it in blocks.
Where a block ends makes no difference to the draws.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Literal, NoReturn

import numpy as np

from edgewise._kernels.beliefs import Beliefs, log_prior_beyond_families, new_structure
from edgewise._kernels.bits import unpack
from edgewise._kernels.exchanges import Chain, Scratch, evaluate
from edgewise._kernels.factor import accumulate
from edgewise._kernels.families import FAMILY, Target, new_cache
from edgewise._kernels.metropolis import SINGULAR_PREFIX
from edgewise._kernels.minimal_imap import run
from edgewise._kernels.recorder import Draws
from edgewise._kernels.settling import establish
from edgewise.arguments import is_number
from edgewise.data import Dataset, refuse_dependent
from edgewise.errors import ArgumentError
from edgewise.imap import factorize
from edgewise.independence import check_alpha, threshold_table, warn_of_void_tests
from edgewise.priors import Knowledge, Prior
from edgewise.priors.prior import FunctionTerm
from edgewise.scores import Score

from .aligned import aligned_zeros, padded
from .beliefs import Questions, agree_with, make_beliefs, make_rules, weigh_functions
from .multiplicity import count_orders, log_relatives, sum_relatives
from .recording import RecordingChain
from .sampler import Sampler
from .schedule import Schedule

REFRESH_EVERY = 1_000_000
"""Iterations between factorisations from scratch. Rounding errors of that many rotations stay near 1e-12 (times the
condition number of the correlation matrix), and even at p = 1000 the O(p^3) factorisation is a small part of the O(p)
steps between two of them."""

HIGHEST_THRESHOLD = 1 - 1e-9
"""Below 1 by more than rounding errors, so that a variable always passes the test against itself, as its family's key
wants it. Chains end with an error before any other rho^2 comes so near to 1."""

ENUMERATED = 8
"""Most variables whose orders are all looked at to count those that lead to a DAG: 40,320 take about two seconds."""

STARTS = 100
"""Orders to try for a start where many are excluded. If fewer than one in twenty were allowed, they would be found with
probability above .99; with fewer still, a chain could hardly move."""


@dataclass(frozen=True, kw_only=True)
class MinimalIMAP(Sampler):
    """The sampler of Agrawal, Broderick & Uhler (2018).

    Parameters
    ----------
    alpha
        Significance level of the conditional-independence tests that define an order's minimal I-MAP.
    parents
        How parents are found among the predecessors: ``"full"`` tests each given all others, as in the paper.
        ``"auto"`` is the same for now.
    moves
        ``"adjacent"``: exchanges of neighbours in the order, first and last counting as neighbours, as in the paper.
        ``"auto"`` is the same for now.
    target
        ``"orders"``: the posterior over orders, each with its DAG's score and prior, as Algorithm 1 samples it. A DAG
        weighs as many times as there are orders whose minimal I-MAP it is. ``"dags"``: the posterior over the same
        DAGs, each counted once. Most of the correction is made in the chain, the rest by the weights of the draws:
        exactly with up to 8 variables, with more by the number of orders that a DAG agrees with, whether or not each
        of them leads to it.
    laziness
        Probability of doing nothing in an iteration; positive, so that the chain is aperiodic.
    """

    alpha: float = 0.01
    parents: Literal["auto", "full"] = "auto"
    moves: Literal["auto", "adjacent"] = "auto"
    target: Literal["orders", "dags"] = "orders"
    laziness: float = 0.01

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        for name, allowed in (
            ("parents", ("auto", "full")),
            ("moves", ("auto", "adjacent")),
            ("target", ("orders", "dags")),
        ):
            if getattr(self, name) not in allowed:
                choices = " or ".join(repr(value) for value in allowed)
                raise ArgumentError(f"{name} must be {choices}, but {getattr(self, name)!r} was given.")
        if not (is_number(self.laziness) and 0 < self.laziness < 1):
            raise ArgumentError(f"laziness must lie between 0 and 1, but {self.laziness!r} was given.")

    def resolve(self) -> "MinimalIMAP":
        """Return the same sampler with the parents and moves that ``"auto"`` stands for."""
        return replace(self, parents="full", moves="adjacent")

    def prepare(
        self, dataset: Dataset, score: Score, prior: Prior, knowledge: Knowledge | None = None
    ) -> "MinimalIMAPModel":
        """Return everything about the target that chains share."""
        warn_of_void_tests(dataset.n, dataset.p)
        p = dataset.p
        threshold = np.minimum(threshold_table(dataset.n, p, self.alpha), HIGHEST_THRESHOLD)
        correlation = aligned_zeros(p, padded(p))
        correlation[:, :p] = dataset.moments.correlation
        terms = prior.terms(dataset.names)
        if self.target == "dags" and (terms.tiers or any(term.wants_order for term in terms.functions)):
            raise ArgumentError(
                "With target='dags' each DAG counts once, whatever the order, so that a prior on orders (TierOrder, or "
                "a LogPrior that takes the order) has no place: leave it out, or use target='orders'."
            )
        log_count = log_relatives(p) if self.target == "dags" else None
        beliefs = make_beliefs(terms, knowledge, log_count=log_count)
        return MinimalIMAPModel(
            dataset=dataset,
            target=Target(
                correlation=correlation,
                threshold=threshold,
                odds=threshold / (1 - threshold),
                score=score.prepare(dataset),
                edge=terms.edge,
                rules=make_rules(p, knowledge),
            ),
            beliefs=beliefs if beliefs.reach or len(beliefs.tier) or beliefs.asks else None,
            functions=tuple(terms.functions),
            knowledge=knowledge,
            laziness=float(self.laziness),
        )

    def weigh(self, model: "MinimalIMAPModel", dags: Iterable[np.ndarray], which: np.ndarray) -> np.ndarray | None:
        """Return weights with which each DAG counts once, if that is the target.

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
        ndarray of shape (chain, draw), or None
            The log weights, up to a constant.
        """
        if self.target == "orders":
            return None
        before = None if model.knowledge is None else model.knowledge.before
        all_orders = model.count_orders() if model.p <= ENUMERATED else None
        log_weight = []
        for stack in dags:
            if all_orders is None:
                log_orders = count_orders(stack, before)
            else:
                log_orders = np.log([all_orders[dag.tobytes()] for dag in stack])
            log_weight.append(-sum_relatives(stack) - log_orders)
        return np.asarray(np.concatenate(log_weight)[which])


@dataclass(frozen=True)
class MinimalIMAPModel:
    """The target of a run, in the form the compiled loop wants, shared by its chains.

    ``beliefs`` is None where families and edges are all that matters.
    """

    dataset: Dataset
    target: Target
    beliefs: Beliefs | None
    functions: tuple[FunctionTerm, ...]
    knowledge: Knowledge | None
    laziness: float

    @property
    def p(self) -> int:
        """The number of variables."""
        return len(self.target.correlation)

    def count_orders(self) -> Counter[bytes]:
        """Return how many orders lead to each DAG, by looking at all of them."""
        chain = MinimalIMAPChain(self, np.arange(self.p), np.random.default_rng(0), Schedule(1, 0, 1))
        found: Counter[bytes] = Counter()
        for order in permutations(range(self.p)):
            position = np.argsort(order)
            if self.knowledge is None or (position[:, None] < position)[self.knowledge.before].all():
                chain.state.order[:] = order
                if chain.refresh():
                    found[chain.dag().tobytes()] += 1
        return found

    def start(self, order: np.ndarray, rng: np.random.Generator, schedule: Schedule) -> "MinimalIMAPChain":
        """Return a chain that starts at ``order`` or, if knowledge or the prior exclude it, at one that they allow."""
        chain = MinimalIMAPChain(self, agree_with(order, self.knowledge), rng, schedule)
        for _ in range(STARTS):
            if chain.refresh():
                return chain
            chain.state.order[:] = agree_with(rng.permutation(self.p), self.knowledge)
        raise ArgumentError(
            f"No start was found: the prior, or constraints on ancestors, exclude the DAGs of {STARTS} random orders. "
            "An ancestor whose edge to its descendant is forbidden needs a path through other variables, which the "
            "data may not show; require the edges of such a path, allow the direct edge, or use the prior Ancestors, "
            "which excludes nothing."
        )


class MinimalIMAPChain(RecordingChain):
    """One chain. ``order``, ``rng`` and ``iteration`` determine all that follows after a refresh."""

    pause_every = REFRESH_EVERY

    def __init__(
        self, model: MinimalIMAPModel, order: np.ndarray, rng: np.random.Generator, schedule: Schedule
    ) -> None:
        p, tested, width = model.p, len(model.target.threshold), padded(model.p)
        super().__init__(p, rng, schedule)
        self.model = model
        self.state = Chain(
            order=np.array(order, dtype=np.uint32),
            W=aligned_zeros(tested, width),
            C=aligned_zeros(tested + 1, width),
            family=np.zeros(p, FAMILY),
            moves=np.zeros((2, 2), np.int64),
        )
        self._structure = None if model.beliefs is None else new_structure(model.beliefs)
        self._scratch = Scratch(vectors=aligned_zeros(4, width), plan=np.zeros((5, p)))
        self._cache = new_cache(p)

    def refresh(self) -> bool:
        """Recompute the factor, the DAG and its scores from the order; return False if the DAG is excluded. O(p^3)."""
        state, model = self.state, self.model
        if not factorize(model.target.correlation, state.order, state.W):
            refuse_dependent(model.dataset, state.order[: len(state.W)].tolist())
        accumulate(state.W, state.C)
        evaluate(state, model.target, self._cache, self._structure)
        if self._structure is None:
            return True
        return establish(
            state.order, state.family, model.target, self._cache, model.beliefs, self._structure
        ) and weigh_functions(model.functions, state.order, self._structure)

    def dag(self) -> np.ndarray:
        """Return the present DAG; only a chain with beliefs beyond single edges keeps it."""
        if self._structure is None:
            raise RuntimeError("this chain keeps no DAG")
        return np.ascontiguousarray(unpack(self._structure.parents, self.model.p).T)

    def _pause(self) -> None:
        self.refresh()

    def _take(self, uniforms: np.ndarray, draws: Draws, cursor: np.ndarray) -> None:
        model = self.model
        questions = None if self._structure is None else Questions(model.functions, self._structure)
        outcome = run(
            self.state, model.target, self._cache, self._scratch, model.beliefs, self._structure,
            None if questions is None else questions.ask, model.laziness,
            uniforms, self._recorder, draws, cursor, self.schedule.thin,
        )  # fmt: skip
        if questions is not None:
            questions.raise_failure()
        if outcome == SINGULAR_PREFIX:
            self._refuse_dependent()

    def _refuse_dependent(self) -> NoReturn:
        """Name the columns that an exchange would have put among the tested ones, though they determine each other."""
        order, tested = self.state.order.tolist(), len(self.state.W)
        across, ends = [*order[: tested - 1], *order[tested : tested + 1]], [*order[1:tested], order[-1]]
        W = np.empty_like(self.state.W)
        for columns in (across, ends):
            if not factorize(self.model.target.correlation, np.array(columns), W[: len(columns)]):
                refuse_dependent(self.model.dataset, columns)
        refuse_dependent(self.model.dataset, ends)

    @property
    def log_posterior(self) -> float:
        """The unnormalised log posterior of the present order."""
        family = self.state.family
        log_posterior = float(family["log_score"].sum() + family["log_prior"].sum())
        if self._structure is not None:
            log_posterior += log_prior_beyond_families(self.model.beliefs, self._structure)
        return log_posterior

    def moves(self) -> dict[str, tuple[int, int]]:
        """Return, for each kind of move, how often it was proposed and how often accepted."""
        (adjacent, adjacent_accepted), (wrap, wrap_accepted) = self.state.moves.tolist()
        return {"adjacent": (adjacent, adjacent_accepted), "wrap-around": (wrap, wrap_accepted)}

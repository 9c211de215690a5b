"""Minimal I-MAP MCMC: a chain over orders, each standing for its minimal I-MAP."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Literal

import numpy as np

from edgewise._kernels.basics.aligned import aligned_zeros, padded
from edgewise._kernels.beliefs.beliefs import Beliefs
from edgewise._kernels.families.target import Target
from edgewise._kernels.full_conditioning.factor import FullConditioning
from edgewise._kernels.grow_shrink.tree import GrowShrink
from edgewise.arguments import is_number
from edgewise.data import Dataset
from edgewise.errors import ArgumentError
from edgewise.imap import Criterion, check_criterion, prepare_grow_shrink, resolve_criterion
from edgewise.independence import (
    IndependenceTest,
    check_alpha,
    check_test,
    find_thresholds,
    warn_of_void_tests,
)
from edgewise.priors import (
    DagTerm,
    FunctionTerm,
    Knowledge,
    OrderFunctionTerm,
    PathTerm,
    Prior,
    TierTerm,
    usable_terms,
)
from edgewise.scores import Score, prepare_score
from edgewise.tasks import IsOver, never

from .beliefs import agree_with, make_beliefs, make_rules, unless_empty
from .multiplicity import count_orders, log_relatives, sum_relatives, weigh_draws
from .order_chains import FullConditioningChain, GrowShrinkChain, OrderChain
from .sampler import Sampler
from .schedule import Schedule
from .tempering import Temperatures, TemperedChain, check_temperatures

RELOCATIONS = 0.2
"""The share of relocations among the moves of ``"auto"``."""

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
        Significance level of the tests of conditional independence, where tests choose the parents. With grow-shrink
        and more than 30 variables it is lowered to alpha * 30 / p, so that no more candidates pass by chance.
    parents
        How parents are found among the predecessors: ``"full"`` tests each given all others, as in the paper.
        ``"grow-shrink"`` adds the best predecessor as long as one helps, and then removes what no longer does; it
        conditions on few variables, and works with any number of rows. ``"auto"`` is ``"grow-shrink"``, which was more
        accurate and faster in all our experiments.
    criterion
        What helps, for ``"grow-shrink"``: ``"score"``, a local score that is higher by more than the penalty of
        ``Sparsity("auto")``, whatever the prior, or ``"test"``, dependence at the level alpha given the parents so
        far. ``"auto"`` is ``"test"`` with fewer than 200 rows of numbers, where the score leaves weak edges out of
        every draw, else ``"score"``.
    moves
        ``"adjacent"``: exchanges of neighbours in the order, first and last counting as neighbours, as in the paper.
        ``"relocate"``: a variable's new position is drawn from its full conditional. ``"auto"``: one move in five is a
        relocation, the others exchange neighbours.
    target
        ``"orders"``: the posterior over orders, each with its DAG's score and prior, as Algorithm 1 samples it. A DAG
        weighs as many times as there are orders whose minimal I-MAP it is. ``"dags"``: the posterior over the same
        DAGs, each counted once. Most of the correction is made in the chain, the rest by the weights of the draws:
        exactly with up to 8 variables, with more by the number of orders that a DAG agrees with, whether or not each
        of them leads to it.
    test
        The test of conditional independence. Default: ``FisherZ()`` for numbers, ``GSquared()`` for levels. Where one
        is given, it is the criterion.
    laziness
        Probability of doing nothing in an iteration; positive, so that the chain is aperiodic.
    temperatures
        Parallel tempering, for posteriors with modes that are far apart: each chain runs several replicas whose
        likelihood is raised to the power 1 / temperature, and that exchange their orders; an iteration is one of every
        replica. ``"auto"``, a number of replicas, or an increasing list of temperatures that begins with 1. With the
        first two the temperatures are adapted during burn-in.
    """

    alpha: float = 0.01
    parents: Literal["auto", "full", "grow-shrink"] = "auto"
    criterion: Criterion = "auto"
    moves: Literal["auto", "adjacent", "relocate"] = "auto"
    target: Literal["orders", "dags"] = "orders"
    test: IndependenceTest | None = None
    laziness: float = 0.01
    temperatures: Temperatures | None = None

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        for name, allowed in (
            ("parents", ("auto", "full", "grow-shrink")),
            ("criterion", ("auto", "score", "test")),
            ("moves", ("auto", "adjacent", "relocate")),
            ("target", ("orders", "dags")),
        ):
            if getattr(self, name) not in allowed:
                choices = " or ".join(repr(value) for value in allowed)
                raise ArgumentError(f"{name} must be {choices}, but {getattr(self, name)!r} was given.")
        if not (is_number(self.laziness) and 0 < self.laziness < 1):
            raise ArgumentError(f"laziness must lie between 0 and 1, but {self.laziness!r} was given.")
        check_test(self.test)
        check_criterion(self.criterion, self.parents, self.test)
        object.__setattr__(self, "temperatures", check_temperatures(self.temperatures))

    def resolve(self, dataset: Dataset) -> "MinimalIMAP":
        """Return the same sampler with the parents and the criterion that ``"auto"`` stands for."""
        parents = "grow-shrink" if self.parents == "auto" else self.parents
        criterion = resolve_criterion(self.criterion, dataset, self.test)
        return replace(self, parents=parents, criterion="test" if parents == "full" else criterion)

    def prepare(
        self,
        dataset: Dataset,
        score: Score,
        prior: Prior,
        knowledge: Knowledge | None = None,
        *,
        is_over: IsOver = never,
    ) -> "MinimalIMAPModel":
        """Return everything about the target that chains share."""
        p = dataset.p
        way = self._full_conditioning(dataset) if self.parents == "full" else self._grow_shrink(dataset)
        on_dags = (PathTerm, FunctionTerm, DagTerm)
        terms = usable_terms(
            prior,
            dataset.names,
            uses=on_dags if self.target == "dags" else (*on_dags, TierTerm, OrderFunctionTerm),
            by=f"MinimalIMAP(target={self.target!r})",
        )
        beliefs = make_beliefs(terms, knowledge, log_count=log_relatives(p) if self.target == "dags" else None)
        return MinimalIMAPModel(
            dataset=dataset,
            target=Target(
                score=prepare_score(score, dataset),
                edge=terms.edge,
                rules=make_rules(p, knowledge),
                way=way,
                most_parents=p - 1,
            ),
            beliefs=unless_empty(beliefs),
            functions=tuple(terms.of(FunctionTerm)),
            knowledge=knowledge,
            laziness=float(self.laziness),
            relocations=self._share_of_relocations(way, p),
            temperatures=self.temperatures,
        )

    def _full_conditioning(self, dataset: Dataset) -> FullConditioning:
        """Return the tests of each variable given all its other predecessors."""
        thresholds = find_thresholds(self.test, dataset, self.alpha)
        threshold = np.minimum(thresholds, HIGHEST_THRESHOLD)
        warn_of_void_tests(dataset.n, dataset.p, len(threshold))
        correlation = aligned_zeros(dataset.p, padded(dataset.p))
        correlation[:, : dataset.p] = dataset.moments.correlation
        return FullConditioning(correlation, threshold, odds=threshold / (1 - threshold))

    def _grow_shrink(self, dataset: Dataset) -> GrowShrink:
        """Return the criterion by which parents are added and removed."""
        return prepare_grow_shrink(dataset, alpha=self.alpha, criterion=self.criterion, test=self.test)

    def _share_of_relocations(self, way: FullConditioning | GrowShrink, p: int) -> float:
        share = {"adjacent": 0.0, "relocate": 1.0, "auto": RELOCATIONS}[self.moves]
        # Relocations stay among the tested positions, and others must be reached too.
        return min(share, 0.5) if isinstance(way, FullConditioning) and len(way.threshold) < p else share

    @property
    def is_weighted(self) -> bool:
        """Whether each DAG is to count once."""
        return self.target == "dags"

    def weigh(self, model: "MinimalIMAPModel", dags: Iterable[np.ndarray], which: np.ndarray) -> np.ndarray:
        """Return weights with which each DAG counts once.

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
            counted nor estimated: the chain's own correction is then all there is.
        """
        before = None if model.knowledge is None else model.knowledge.before
        all_orders = model.count_orders() if model.p <= ENUMERATED else None

        def weigh(stack: np.ndarray) -> np.ndarray:
            if all_orders is None:
                log_orders = count_orders(stack, before)
            else:
                log_orders = np.log([all_orders[dag.tobytes()] for dag in stack])
            return np.asarray(-sum_relatives(stack) - log_orders)

        return weigh_draws(dags, which, weigh)

    def edge_target(self, model: "MinimalIMAPModel") -> Target | None:
        """Return the target, unless the prior or the constraints look at paths or are written in Python."""
        beliefs = model.beliefs
        if beliefs is not None and (len(beliefs.sources) or beliefs.is_ruled.any() or beliefs.asks or beliefs.terms):
            return None
        return model.target


@dataclass(frozen=True)
class MinimalIMAPModel:
    """The target of a run, in the form the compiled loop wants, shared by its chains.

    ``beliefs`` is None where families and edges are all that matters; ``relocations`` is their share of moves.
    """

    dataset: Dataset
    target: Target
    beliefs: Beliefs | None
    functions: tuple[FunctionTerm, ...]
    knowledge: Knowledge | None
    laziness: float
    relocations: float
    temperatures: Temperatures | None

    @property
    def p(self) -> int:
        """The number of variables."""
        return len(self.target.edge)

    def count_orders(self) -> Counter[bytes]:
        """Return how many orders lead to each DAG, by looking at all of them."""
        chain = self._new_chain(np.arange(self.p), np.random.default_rng(0), Schedule(1, 0, 1))
        found: Counter[bytes] = Counter()
        for order in permutations(range(self.p)):
            position = np.argsort(order)
            if self.knowledge is None or (position[:, None] < position)[self.knowledge.before].all():
                chain.state.order[:] = order
                if chain.refresh():
                    found[chain.dag().tobytes()] += 1
        return found

    def start(self, order: np.ndarray, rng: np.random.Generator, schedule: Schedule) -> OrderChain | TemperedChain:
        """Return a chain at ``order`` or, if knowledge or the prior exclude it, at one they allow."""
        if self.temperatures is not None:
            return TemperedChain(replace(self, temperatures=None), order, rng, schedule, self.temperatures)
        chain = self._new_chain(agree_with(order, self.knowledge), rng, schedule)
        for _ in range(STARTS):
            if chain.refresh():
                if not np.isfinite(chain.log_posterior):
                    raise ArgumentError(
                        "The score is not defined for the DAG at the start: some variable has more required parents "
                        "than the rows of the data allow; require fewer, or use BGe()."
                    )
                return chain
            chain.state.order[:] = agree_with(rng.permutation(self.p), self.knowledge)
        if self.knowledge is not None and self.knowledge.needed_paths.any():
            remedy = (
                "An ancestor whose edge to its descendant is forbidden needs a path through other variables, which the "
                "data may not show; require the edges of such a path, allow the direct edge, or use the prior "
                "Ancestors, which excludes nothing."
            )
        else:
            remedy = "Each order leads to one DAG here: let the prior and the constraints exclude fewer."
        raise ArgumentError(
            f"No start was found: the prior or the constraints exclude the DAGs of {STARTS} random orders. {remedy}"
        )

    def _new_chain(self, order: np.ndarray, rng: np.random.Generator, schedule: Schedule) -> OrderChain:
        is_full = isinstance(self.target.way, FullConditioning)
        return (FullConditioningChain if is_full else GrowShrinkChain)(self, order, rng, schedule)

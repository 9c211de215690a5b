"""Minimal I-MAP MCMC: a chain over orders, each standing for its minimal I-MAP.

This module prepares what the compiled loop in :mod:`edgewise._kernels.minimal_imap` works on, and calls it in blocks.
Where a block ends makes no difference to the draws.
"""

import math
from dataclasses import dataclass, replace
from typing import Literal, NoReturn

import numpy as np

from edgewise._kernels.factor import accumulate
from edgewise._kernels.families import FAMILY, LogDetScore, new_cache
from edgewise._kernels.minimal_imap import Chain, Scratch, Tests, evaluate, run
from edgewise._kernels.recorder import Draws, enlarge, new_recorder
from edgewise.arguments import is_number
from edgewise.data import Dataset, refuse_dependent
from edgewise.errors import ArgumentError
from edgewise.imap import factorize
from edgewise.independence import check_alpha, threshold_table, warn_of_void_tests
from edgewise.priors import Sparsity
from edgewise.scores import Score

from .schedule import Schedule

REFRESH_EVERY = 1_000_000
"""Iterations between factorisations from scratch. Rounding errors of that many rotations stay near 1e-12 (times the
condition number of the correlation matrix), and even at p = 1000 the O(p^3) factorisation is a small part of the O(p)
steps between two of them."""

STEPS_AT_ONCE = 16_384
"""Steps in one call of the compiled loop: their random numbers take 256 kB, and the call itself a thousandth."""

FAMILIES_AT_ONCE = 2**15
"""Most families that the draws of one call could add to the record, so that room for them can be made beforehand."""

CACHE_LINE = 8
"""Numbers in a cache line. Rows are padded to whole ones."""

HIGHEST_THRESHOLD = 1 - 1e-9
"""Below 1 by more than rounding errors, so that a variable always passes the test against itself, as its family's key
wants it. Chains end with an error before any other rho^2 comes so near to 1."""

NAMES_SEED = 0x1DA6
"""Seed of the random numbers that name families: any constant serves, and all chains must agree on it."""


@dataclass(frozen=True, kw_only=True)
class MinimalIMAP:
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
        weighs as many times as there are orders whose minimal I-MAP it is.
    laziness
        Probability of doing nothing in an iteration; positive, so that the chain is aperiodic.
    """

    alpha: float = 0.01
    parents: Literal["auto", "full"] = "auto"
    moves: Literal["auto", "adjacent"] = "auto"
    target: Literal["orders"] = "orders"
    laziness: float = 0.01

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        for name, allowed in (
            ("parents", ("auto", "full")),
            ("moves", ("auto", "adjacent")),
            ("target", ("orders",)),
        ):
            if getattr(self, name) not in allowed:
                choices = " or ".join(repr(value) for value in allowed)
                raise ArgumentError(f"{name} must be {choices}, but {getattr(self, name)!r} was given.")
        if not (is_number(self.laziness) and 0 < self.laziness < 1):
            raise ArgumentError(f"laziness must lie between 0 and 1, but {self.laziness!r} was given.")

    def resolve(self) -> "MinimalIMAP":
        """Return the same sampler with every ``"auto"`` replaced by what it stands for."""
        return replace(self, parents="full", moves="adjacent")

    def prepare(self, dataset: Dataset, score: Score, prior: Sparsity) -> "MinimalIMAPModel":
        """Return everything about the target that chains share."""
        warn_of_void_tests(dataset.n, dataset.p)
        p = dataset.p
        threshold = np.minimum(threshold_table(dataset.n, p, self.alpha), HIGHEST_THRESHOLD)
        names = _aligned_zeros(2, _padded(p)).view(np.uint64)
        names[:] = np.random.default_rng(NAMES_SEED).integers(1, 2**64, size=names.shape, dtype=np.uint64)
        correlation = _aligned_zeros(p, _padded(p))
        correlation[:, :p] = dataset.moments.correlation
        return MinimalIMAPModel(
            dataset=dataset,
            tests=Tests(correlation, threshold, threshold / (1 - threshold)),
            score=score.prepare(dataset),
            gamma=prior.gamma,
            laziness=float(self.laziness),
            names=names,
        )


@dataclass(frozen=True)
class MinimalIMAPModel:
    """The target of a run, in the form the compiled loop wants, shared by its chains."""

    dataset: Dataset
    tests: Tests
    score: LogDetScore
    gamma: float
    laziness: float
    names: np.ndarray

    @property
    def p(self) -> int:
        """The number of variables."""
        return len(self.tests.correlation)

    def start(self, order: np.ndarray, rng: np.random.Generator, schedule: Schedule) -> "MinimalIMAPChain":
        """Return a chain at ``order``."""
        return MinimalIMAPChain(self, order, rng, schedule)


class MinimalIMAPChain:
    """One chain. ``order``, ``rng`` and ``iteration`` determine all that follows after a refresh."""

    def __init__(
        self, model: MinimalIMAPModel, order: np.ndarray, rng: np.random.Generator, schedule: Schedule
    ) -> None:
        p, tested, width = model.p, len(model.tests.threshold), _padded(model.p)
        self.model = model
        self.rng = rng
        self.schedule = schedule
        self.iteration = 0
        self.state = Chain(
            order=np.array(order, dtype=np.uint32),
            W=_aligned_zeros(tested, width),
            C=_aligned_zeros(tested + 1, width),
            family=np.zeros(p, FAMILY),
            moves=np.zeros((2, 2), np.int64),
        )
        self._scratch = Scratch(
            zobrist=model.names[0],
            own_zobrist=model.names[1],
            names=_aligned_zeros(width).view(np.uint64),
            vectors=_aligned_zeros(4, width),
            plan=np.zeros((5, p)),
        )
        self._cache = new_cache(p)
        self._recorder = new_recorder(p, capacity=64 * p)
        self.refresh()

    def refresh(self) -> None:
        """Recompute the factor, the DAG and its scores from the order. O(p^3)."""
        state, model = self.state, self.model
        if not factorize(model.tests.correlation, state.order, state.W):
            refuse_dependent(model.dataset, state.order[: len(state.W)].tolist())
        accumulate(state.W, state.C)
        evaluate(state, model.tests, model.score, self._cache, self._scratch)

    def advance(self, steps: int) -> list[Draws]:
        """Take ``steps`` iterations, and return the draws that fall among them.

        With no steps at all, what is still to be compiled is compiled.
        """
        end = self.iteration + steps
        most = min(STEPS_AT_ONCE, max(FAMILIES_AT_ONCE // self.model.p, 1) * self.schedule.thin)
        blocks: list[Draws] = []
        while self.iteration < end or not blocks:
            until_refresh = REFRESH_EVERY - self.iteration % REFRESH_EVERY
            blocks.append(self._run(min(end - self.iteration, until_refresh, most)))
            if steps and self.iteration % REFRESH_EVERY == 0:
                self.refresh()
        return blocks

    def _run(self, steps: int) -> Draws:
        model, schedule, p = self.model, self.schedule, self.model.p
        draws = schedule.draws(after=self.iteration + steps) - schedule.draws(after=self.iteration)
        while len(self._recorder.key) - self._recorder.used[0] < draws * p:
            self._recorder = enlarge(self._recorder)
        block = Draws(
            family=np.empty((draws, p), np.int32),
            order=np.empty((draws, p), np.min_scalar_type(p - 1)),
            log_score=np.empty(draws),
            log_prior=np.empty(draws),
        )
        uniforms = self.rng.random((steps, 2))
        until_draw = schedule.until_draw(after=self.iteration)
        ok = run(
            self.state, model.tests, model.score, self._cache, self._scratch, model.gamma, model.laziness,
            uniforms, self._recorder, block, until_draw, schedule.thin,
        )  # fmt: skip
        if not ok:
            self._refuse_dependent()
        self.iteration += steps
        return block

    def _refuse_dependent(self) -> NoReturn:
        """Name the columns that an exchange would have put among the tested ones, though they determine each other."""
        order, tested = self.state.order.tolist(), len(self.state.W)
        across, ends = [*order[: tested - 1], *order[tested : tested + 1]], [*order[1:tested], order[-1]]
        W = np.empty_like(self.state.W)
        for columns in (across, ends):
            if not factorize(self.model.tests.correlation, np.array(columns), W[: len(columns)]):
                refuse_dependent(self.model.dataset, columns)
        refuse_dependent(self.model.dataset, ends)

    @property
    def log_posterior(self) -> float:
        """The unnormalised log posterior of the present order."""
        family = self.state.family
        return float(family["log_score"].sum() - self.model.gamma * family["size"].sum())

    def families(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the families drawn so far: their children, and their parents as bits in words of 64."""
        used = int(self._recorder.used[0])
        return self._recorder.node[:used], self._recorder.parents[:used]

    def moves(self) -> dict[str, tuple[int, int]]:
        """Return, for each kind of move, how often it was proposed and how often accepted."""
        (adjacent, adjacent_accepted), (wrap, wrap_accepted) = self.state.moves.tolist()
        return {"adjacent": (adjacent, adjacent_accepted), "wrap-around": (wrap, wrap_accepted)}


def _padded(p: int) -> int:
    return -(-p // CACHE_LINE) * CACHE_LINE


def _aligned_zeros(*shape: int) -> np.ndarray:
    """Return zeros that begin at a cache line, as NumPy's own need not."""
    size = math.prod(shape)
    numbers = np.zeros(size + CACHE_LINE)
    start = -(numbers.ctypes.data // numbers.itemsize) % CACHE_LINE
    return numbers[start : start + size].reshape(shape)

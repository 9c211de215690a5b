"""Chains over orders, each standing for its minimal I-MAP, by either way of finding parents.

Where a block of iterations ends makes no difference to the draws.
"""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

import edgewise._kernels.full_conditioning.minimal_imap as minimal_imap
import edgewise._kernels.grow_shrink.grow_shrink as grow_shrink
from edgewise._kernels.basics.bits import unpack
from edgewise._kernels.basics.metropolis import SINGULAR_PREFIX
from edgewise._kernels.basics.recorder import Draws, Recorder, new_draws, new_recorder
from edgewise._kernels.beliefs.beliefs import log_prior_beyond_families, new_structure
from edgewise._kernels.beliefs.settling import establish
from edgewise._kernels.families.families import FAMILY, new_cache
from edgewise._kernels.full_conditioning.exchanges import Chain, Scratch, evaluate
from edgewise._kernels.full_conditioning.factor import accumulate
from edgewise._kernels.grow_shrink.grown_neighbours import GrownChain, GrownScratch, evaluate_grown
from edgewise._kernels.grow_shrink.growth import new_tree
from edgewise.data import refuse_dependent
from edgewise.imap import factorize

from .aligned import aligned_zeros, padded
from .beliefs import Questions, agree_with, weigh_functions
from .recording import RecordingChain
from .schedule import Schedule

if TYPE_CHECKING:
    from .minimal_imap import MinimalIMAPModel

REFRESH_EVERY = 1_000_000
"""Iterations between factorisations from scratch. Rounding errors of that many rotations stay near 1e-12 (times the
condition number of the correlation matrix), and grow with the root of their number where relocations make more; even at
p = 1000 the O(p^3) factorisation is a small part of the steps between two of them."""

SEARCHES = 3
"""Random orders from which a search for a start begins: enough to leave out a bad one."""

MOVES = ("adjacent", "wrap-around", "relocation")
"""The kinds of moves, in the order of their counts."""


class OrderChain(RecordingChain):
    """One chain. ``order``, ``rng`` and ``iteration`` determine all that follows after a refresh.

    ``target`` is that of the model, but for the power of the likelihood in a heated chain.
    """

    state: Any

    def __init__(self, model: "MinimalIMAPModel", rng: np.random.Generator, schedule: Schedule) -> None:
        super().__init__(model.p, rng, schedule)
        self.model = model
        self.target = model.target
        self._structure = None if model.beliefs is None else new_structure(model.beliefs)
        self._cache = new_cache(model.p)

    @abstractmethod
    def _evaluate(self) -> None:
        """Set the families, or with a structure propose the bases, of the present order."""

    @abstractmethod
    def _step(self, ask: Any, uniforms: np.ndarray, draws: Draws, cursor: np.ndarray) -> int:
        """Call the compiled loop."""

    @abstractmethod
    def _climb(self, ask: Any, variables: np.ndarray) -> int:
        """Move each variable in turn to where it is best; return how many moved."""

    @abstractmethod
    def _record(self, recorder: Recorder, draws: Draws) -> None:
        """Write down the present DAG, where there is no structure that holds it."""

    def refresh(self) -> bool:
        """Recompute the DAG and its scores from the order; return False if the DAG is excluded."""
        self._evaluate()
        if self._structure is None:
            return True
        return establish(
            self.state.order, self.state.family, self.target, self._cache, self.model.beliefs, self._structure
        ) and weigh_functions(self.model.functions, self.state.order, self._structure)

    def seek(self) -> None:
        """Climb from several random orders; the best after one pass goes on until nothing improves."""
        best, order = self.log_posterior, self.state.order.copy()
        for attempt in range(SEARCHES):
            if attempt > 0:
                self.state.order[:] = agree_with(self.rng.permutation(self.model.p), self.model.knowledge)
            if self.refresh():
                self.climb()
                if attempt == 0 or self.log_posterior > best:
                    best, order = self.log_posterior, self.state.order.copy()
        self.state.order[:] = order
        self.refresh()
        self.climb_to_top()

    def climb_to_top(self) -> None:
        """Climb until nothing improves."""
        while self.climb() > 0:
            pass

    def climb(self) -> int:
        """Move each variable, in random order, to where it is best; return how many moved."""
        questions = self._questions()
        moved = self._climb(None if questions is None else questions.ask, self.rng.permutation(self.model.p))
        if questions is not None:
            questions.raise_failure()
        return moved

    def dag(self) -> np.ndarray:
        """Return the present DAG."""
        p = self.model.p
        if self._structure is not None:
            return np.ascontiguousarray(unpack(self._structure.parents, p).T)
        recorder, draws = new_recorder(p, p), new_draws(1, p)
        self._record(recorder, draws)
        return np.ascontiguousarray(unpack(recorder.parents[draws.family[0]], p).T)

    @property
    def log_score(self) -> float:
        """The log score of the present DAG."""
        return float(self.state.family["log_score"].sum())

    @property
    def log_posterior(self) -> float:
        """The unnormalised log posterior of the present order."""
        log_posterior = self.log_score + float(self.state.family["log_prior"].sum())
        if self._structure is not None:
            log_posterior += log_prior_beyond_families(self.model.beliefs, self._structure)
        return log_posterior

    def moves(self) -> dict[str, tuple[int, int]]:
        """Return, for each kind of move, how often it was proposed and how often accepted."""
        return {kind: (n, k) for kind, (n, k) in zip(MOVES, self.state.moves.tolist(), strict=True)}

    def _questions(self) -> Questions | None:
        return None if self._structure is None else Questions(self.model.functions, self._structure)

    def _take(self, uniforms: np.ndarray, draws: Draws, cursor: np.ndarray) -> None:
        questions = self._questions()
        outcome = self._step(None if questions is None else questions.ask, uniforms, draws, cursor)
        if questions is not None:
            questions.raise_failure()
        if outcome == SINGULAR_PREFIX:
            self._refuse_dependent()

    def _refuse_dependent(self) -> NoReturn:
        """Name the columns that an exchange would have put among the tested ones, though they determine each other."""
        raise NotImplementedError


class FullConditioningChain(OrderChain):
    """A chain whose parents pass a test given all other predecessors, as in the paper."""

    pause_every = REFRESH_EVERY

    def __init__(
        self, model: "MinimalIMAPModel", order: np.ndarray, rng: np.random.Generator, schedule: Schedule
    ) -> None:
        super().__init__(model, rng, schedule)
        p, tested, width = model.p, len(model.target.threshold), padded(model.p)
        self.state = Chain(
            order=np.array(order, dtype=np.uint32),
            W=aligned_zeros(tested, width),
            C=aligned_zeros(tested + 1, width),
            family=np.zeros(p, FAMILY),
            moves=np.zeros((len(MOVES), 2), np.int64),
        )
        self._scratch = Scratch(
            vectors=aligned_zeros(4, width),
            plan=np.zeros((5, p)),
            log_weight=np.zeros(p),
            journey=np.zeros(6, np.int64),
        )

    def _evaluate(self) -> None:
        """Recompute the factor, and the families or bases that it gives. O(p^3)."""
        state = self.state
        if not factorize(self.target.correlation, state.order, state.W):
            refuse_dependent(self.model.dataset, state.order[: len(state.W)].tolist())
        accumulate(state.W, state.C)
        evaluate(state, self.target, self._cache, self._structure)

    def _pause(self) -> None:
        self.refresh()

    def _step(self, ask: Any, uniforms: np.ndarray, draws: Draws, cursor: np.ndarray) -> int:
        model = self.model
        return int(
            minimal_imap.run(
                self.state, self.target, self._cache, self._scratch, model.beliefs, self._structure, ask,
                model.laziness, model.relocations, uniforms, self._recorder, draws, cursor, self.schedule.thin,
            )
        )  # fmt: skip

    def _climb(self, ask: Any, variables: np.ndarray) -> int:
        return int(
            minimal_imap.climb(
                self.state, self.target, self._cache, self._scratch, self.model.beliefs, self._structure, ask, variables
            )
        )  # fmt: skip

    def _record(self, recorder: Recorder, draws: Draws) -> None:
        minimal_imap.record(self.state, self.target, self._cache.members, None, None, recorder, draws, 0)

    def _refuse_dependent(self) -> NoReturn:
        order, tested = self.state.order.tolist(), len(self.state.W)
        across, ends = [*order[: tested - 1], *order[tested : tested + 1]], [*order[1:tested], order[-1]]
        W = np.empty_like(self.state.W)
        for columns in (across, ends):
            if not factorize(self.target.correlation, np.array(columns), W[: len(columns)]):
                refuse_dependent(self.model.dataset, columns)
        refuse_dependent(self.model.dataset, ends)


class GrowShrinkChain(OrderChain):
    """A chain whose parents are found by a greedy search among the predecessors."""

    def __init__(
        self, model: "MinimalIMAPModel", order: np.ndarray, rng: np.random.Generator, schedule: Schedule
    ) -> None:
        super().__init__(model, rng, schedule)
        p = model.p
        self.state = GrownChain(
            order=np.array(order, dtype=np.uint32),
            position=np.zeros(p, np.int64),
            family=np.zeros(p, FAMILY),
            moves=np.zeros((len(MOVES), 2), np.int64),
        )
        self._scratch = GrownScratch(
            passed=np.zeros(p, FAMILY), own=np.zeros(p, FAMILY), log_weight=np.zeros(p), journey=np.zeros(6, np.int64)
        )
        self._tree = new_tree(p, by_score=model.by_score, penalty=model.penalty)

    def _evaluate(self) -> None:
        evaluate_grown(self.state, self.target, self._cache, self._tree, self._structure)

    def _step(self, ask: Any, uniforms: np.ndarray, draws: Draws, cursor: np.ndarray) -> int:
        model = self.model
        return int(
            grow_shrink.run(
                self.state, self.target, self._cache, self._scratch, self._tree, model.beliefs, self._structure, ask,
                model.laziness, model.relocations, uniforms, self._recorder, draws, cursor, self.schedule.thin,
            )
        )  # fmt: skip

    def _climb(self, ask: Any, variables: np.ndarray) -> int:
        return int(
            grow_shrink.climb(
                self.state, self.target, self._cache, self._scratch, self._tree, self.model.beliefs, self._structure,
                ask, variables,
            )
        )  # fmt: skip

    def _record(self, recorder: Recorder, draws: Draws) -> None:
        grow_shrink.record(self.state, self.target, self._cache.members, self._tree, None, None, recorder, draws, 0)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the tree behind when the chain goes to another process: it is large, and grows again."""
        return {**self.__dict__, "_tree": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        model = state["model"]
        self.__dict__.update(state, _tree=new_tree(model.p, by_score=model.by_score, penalty=model.penalty))

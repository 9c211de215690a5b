"""Chains over orders, each standing for its minimal I-MAP, by either way of finding parents.

Where a block of iterations ends makes no difference to the draws.
"""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

# The ways of finding parents make themselves known to the loop.
import edgewise._kernels.full_conditioning.moves
import edgewise._kernels.grow_shrink.relocation  # noqa: F401
from edgewise._kernels.basics.aligned import aligned_zeros, padded
from edgewise._kernels.basics.bits import unpack
from edgewise._kernels.basics.metropolis import SINGULAR_PREFIX
from edgewise._kernels.basics.recorder import Draws, Recorder, new_draws, new_recorder
from edgewise._kernels.beliefs.beliefs import new_structure
from edgewise._kernels.full_conditioning.factor import Factor
from edgewise._kernels.grow_shrink.exchanges import Growth, new_growth
from edgewise._kernels.grow_shrink.tree import new_tree
from edgewise._kernels.orders.loop import CLIMB, EVALUATE, STEP, Pace, work
from edgewise._kernels.orders.state import new_state
from edgewise.data import refuse_dependent
from edgewise.imap import factorize
from edgewise.scores.refusals import refuse_family
from edgewise.tasks import IsOver, never

from .beliefs import Questions, agree_with, weigh_beyond_families, weigh_functions
from .recording import RecordingChain
from .schedule import Schedule
from .snapshots import is_order

if TYPE_CHECKING:
    from .minimal_imap import MinimalIMAPModel

REFRESH_EVERY = 1_000_000
"""Iterations between factorisations from scratch. Rounding errors of that many rotations stay near 1e-12 (times the
condition number of the correlation matrix), and grow with the root of their number where relocations make more; even at
p = 1000 the O(p^3) factorisation is a small part of the steps between two of them."""

CLIMB_AT_ONCE = 64
"""Variables to move before looking whether it is over: with 5000 of them, a second at most."""

SEARCHES = 3
"""Random orders from which a search for a start begins: enough to leave out a bad one."""

MOVES = ("adjacent", "wrap-around", "relocation")
"""The kinds of moves, as the compiled loop counts them."""

NO_VARIABLES, NO_NUMBERS = np.empty(0, np.int64), np.empty((0, 2))
"""What the compiled loop is handed where it needs none."""


class OrderChain(RecordingChain):
    """One chain, at an order. ``state``, ``rng`` and ``iteration`` determine all that follows.

    ``target`` is that of the model, but for the power of the likelihood in a heated chain. ``structure`` is the present
    DAG where the prior looks at more than families, else None.
    """

    kinds = MOVES
    KEPT = ("rng", "state", "structure")
    FOLLOWS = (
        "state.family",
        "state.found.position",
        *(f"structure.{name}" for name in ("base", "base_key", "parents", "ancestors", "misplaced", "in_tier")),
    )

    def __init__(
        self, model: "MinimalIMAPModel", order: np.ndarray, rng: np.random.Generator, schedule: Schedule
    ) -> None:
        super().__init__(model.p, rng, schedule)
        self.model = model
        self.target = model.target
        self.structure = None if model.beliefs is None else new_structure(model.beliefs)
        self.state = new_state(model.target, order, self._new_found(), len(MOVES))

    @abstractmethod
    def _new_found(self) -> Any:
        """Return what the way of finding parents keeps up from one order to the next."""

    def refresh(self) -> bool:
        """Recompute the DAG and its scores from the order; return False if the DAG is excluded."""
        is_possible = bool(self._work(EVALUATE))
        self._check_scores()
        beliefs, structure = self.model.beliefs, self.structure
        if beliefs is not None and structure is not None:
            return weigh_functions(self.model.functions, self.state.order, beliefs, structure) and is_possible
        return is_possible

    def _check_scores(self) -> None:
        log_score = self.state.family["log_score"]
        faulty = np.flatnonzero(~(log_score < np.inf))
        if len(faulty):
            node = int(faulty[0])
            refuse_family(log_score[node], node, np.flatnonzero(self.dag()[:, node]).tolist(), self.model.dataset.names)

    def _renew(self) -> bool:
        """Find all else by the order."""
        order, knowledge = self.state.order, self.model.knowledge
        if not is_order(order):
            return False
        position = np.argsort(order)
        is_allowed = knowledge is None or bool((position[:, None] < position)[knowledge.before].all())
        return is_allowed and self.refresh()

    def seek(self, is_over: IsOver = never) -> None:
        """Climb from several random orders; the best after one pass goes on until nothing improves, or it is over."""
        best, order = self.log_posterior, self.state.order.copy()
        for attempt in range(SEARCHES):
            if is_over():
                break
            if attempt > 0:
                self.state.order[:] = agree_with(self.rng.permutation(self.p), self.model.knowledge)
            if self.refresh():
                self.climb(is_over)
                if attempt == 0 or self.log_posterior > best:
                    best, order = self.log_posterior, self.state.order.copy()
        self.state.order[:] = order
        self.refresh()
        self.climb_to_top(is_over)

    def climb_to_top(self, is_over: IsOver = never) -> None:
        """Climb until nothing improves."""
        while self.climb(is_over) > 0:
            pass

    def climb(self, is_over: IsOver = never) -> int:
        """Move each variable, in random order, to where it is best; return how many moved, none if it is over."""
        moved = 0
        variables = self.rng.permutation(self.p)
        for few in np.split(variables, range(CLIMB_AT_ONCE, len(variables), CLIMB_AT_ONCE)):
            if is_over():
                return 0
            moved += self._work(CLIMB, variables=few)
        return moved

    def dag(self) -> np.ndarray:
        """Return the present DAG."""
        recorder, draws = new_recorder(self.p, self.p), new_draws(1, self.p)
        self._take(NO_NUMBERS, recorder, draws, until_draw=0)
        return np.ascontiguousarray(unpack(recorder.parents[draws.family[0]], self.p).T)

    @property
    def log_score(self) -> float:
        """The log score of the present DAG."""
        return float(self.state.family["log_score"].sum())

    @property
    def log_posterior(self) -> float:
        """The unnormalised log posterior of the present order."""
        log_posterior = self.log_score + float(self.state.family["log_prior"].sum())
        if self.model.beliefs is not None and self.structure is not None:
            log_posterior += weigh_beyond_families(self.model.beliefs, self.structure)
        return log_posterior

    def _take(self, uniforms: np.ndarray, recorder: Recorder, draws: Draws, until_draw: int) -> None:
        self._work(STEP, uniforms=uniforms, recorder=recorder, draws=draws, until_draw=until_draw)

    def _work(
        self,
        task: int,
        *,
        variables: np.ndarray = NO_VARIABLES,
        uniforms: np.ndarray = NO_NUMBERS,
        recorder: Recorder | None = None,
        draws: Draws | None = None,
        until_draw: int = 0,
    ) -> int:
        """Call the compiled loop, and return what it returns."""
        model = self.model
        questions = None
        if model.beliefs is not None and self.structure is not None:
            questions = Questions(model.functions, model.beliefs, self.structure)
        outcome = work(
            task,
            self.state,
            self.target,
            None if questions is None else questions.views,
            variables,
            Pace(model.laziness, model.relocations, until_draw, self.schedule.thin),
            uniforms,
            self._recorder if recorder is None else recorder,
            new_draws(0, self.p) if draws is None else draws,
        )
        if questions is not None:
            questions.raise_failure()
        if outcome == SINGULAR_PREFIX:
            self._refuse_dependent()
        return int(outcome)

    def _refuse_dependent(self) -> NoReturn:
        """Name the columns that an exchange would have put among the tested ones, though they determine each other."""
        raise NotImplementedError


class GrowShrinkChain(OrderChain):
    """A chain whose parents are found by a greedy search among the predecessors."""

    def _new_found(self) -> Growth:
        return new_growth(self.target)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the tree behind when the chain goes to another process: it is large, and grows again."""
        return {**self.__dict__, "state": self.state._replace(found=self.state.found._replace(tree=None))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        found = self.state.found._replace(tree=new_tree(self.target))
        self.state = self.state._replace(found=found)


class FullConditioningChain(OrderChain):
    """A chain whose parents pass a test given all other predecessors, as in the paper."""

    pause_every = REFRESH_EVERY

    def _new_found(self) -> Factor:
        tested, width = len(self.target.way.threshold), padded(self.p)
        return Factor(
            W=aligned_zeros(tested, width),
            C=aligned_zeros(tested + 1, width),
            vectors=aligned_zeros(4, width),
            plan=np.zeros((5, self.p)),
        )

    def refresh(self) -> bool:
        """Recompute the factor, and all that follows from it. O(p^3)."""
        order, W = self.state.order, self.state.found.W
        if not factorize(self.target.way.correlation, order, W):
            refuse_dependent(self.model.dataset, order[: len(W)].tolist())
        return super().refresh()

    def _renew(self) -> bool:
        """Find all else by the order; the factor is known but for the signs of its rows."""
        found = self.state.found
        return bool(np.isfinite(found.W).all() and np.isfinite(found.C).all()) and super()._renew()

    def _pause(self) -> None:
        self.refresh()

    def _refuse_dependent(self) -> NoReturn:
        order, tested = self.state.order.tolist(), len(self.state.found.W)
        across, ends = [*order[: tested - 1], *order[tested : tested + 1]], [*order[1:tested], order[-1]]
        W = np.empty_like(self.state.found.W)
        for columns in (across, ends):
            if not factorize(self.target.way.correlation, np.array(columns), W[: len(columns)]):
                refuse_dependent(self.model.dataset, columns)
        refuse_dependent(self.model.dataset, ends)

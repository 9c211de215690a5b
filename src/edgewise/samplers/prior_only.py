"""What a prior says without data.

Without data there are no tests, so a chain over orders would meet the empty DAG only. This one moves over pairs of an
order and a DAG whose edges agree with it: it adds or removes an edge, or exchanges neighbours in the order that are not
joined. A pair's probability is proportional to its prior, so that a DAG counts as many times as there are orders that
it agrees with, as under the target ``"orders"``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from edgewise._kernels.basics.bits import pack
from edgewise._kernels.basics.recorder import Draws, Recorder
from edgewise._kernels.beliefs.beliefs import CHANGED, Beliefs, new_structure
from edgewise._kernels.families.target import Target
from edgewise._kernels.orders.state import new_state
from edgewise._kernels.rivals.prior_only import begin_prior, run_prior
from edgewise._kernels.scores.no_score import NoScore
from edgewise.errors import ArgumentError
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

from .beliefs import Questions, agree_with, make_beliefs, make_rules, weigh_beyond_families, weigh_functions
from .recording import RecordingChain
from .schedule import Schedule

MOVES = ("adjacent", "edge")
"""The kinds of moves, in the order of their counts."""

STARTS = 100
"""Orders to try for a start where many are excluded."""


@dataclass(frozen=True)
class PriorModel:
    """A prior and hard knowledge, in the form the compiled loop wants, shared by the chains of a run."""

    target: Target
    beliefs: Beliefs
    functions: tuple[FunctionTerm, ...]
    knowledge: Knowledge | None

    def start(self, order: np.ndarray, rng: np.random.Generator, schedule: Schedule) -> "PriorChain":
        """Return a chain that starts at ``order`` or, if knowledge or the prior exclude it, at one that they allow."""
        for _ in range(STARTS):
            chain = PriorChain(self, agree_with(order, self.knowledge), rng, schedule)
            if chain.find_dag():
                return chain
            order = rng.permutation(len(order))
        raise ArgumentError(f"No start was found: the prior or the constraints exclude the DAGs of {STARTS} orders.")


def prepare_prior(names: Sequence[str], prior: Prior, knowledge: Knowledge | None) -> PriorModel:
    """Return everything about a prior over the variables ``names`` that chains share."""
    p = len(names)
    uses = (TierTerm, PathTerm, FunctionTerm, OrderFunctionTerm, DagTerm)
    terms = usable_terms(prior, names, uses=uses, by="A run without data")
    return PriorModel(
        target=Target(
            score=NoScore(most_parents=p - 1),
            edge=terms.edge,
            rules=make_rules(p, knowledge),
            way=None,
            most_parents=p - 1,
        ),
        beliefs=make_beliefs(terms, knowledge),
        functions=tuple(terms.of(FunctionTerm)),
        knowledge=knowledge,
    )


class PriorChain(RecordingChain):
    """One chain over pairs of an order and a DAG."""

    def __init__(self, model: PriorModel, order: np.ndarray, rng: np.random.Generator, schedule: Schedule) -> None:
        super().__init__(len(order), rng, schedule)
        self.model = model
        self.state = new_state(model.target, order, found=None, kinds_of_moves=len(MOVES))
        self.structure = new_structure(model.beliefs)
        self._strict = model.beliefs._replace(strict=True)

    def find_dag(self) -> bool:
        """Set the DAG to one that agrees with the knowledge; return False if none is found.

        With the required edges alone, missing ancestors are mended by direct edges; where these are forbidden, all
        edges that are permitted may give a path.
        """
        model, structure, order = self.model, self.structure, self.state.order
        p = len(order)
        required, forbidden = np.zeros((2, p, p), bool)
        if model.knowledge is not None:
            required, forbidden = model.knowledge.required, model.knowledge.forbidden
        position = np.argsort(order)
        forward = position[:, None] < position[None, :]
        views = Questions(model.functions, model.beliefs, structure).views
        for base in (required, forward & ~forbidden):
            structure.new_base[:] = pack(base.T)
            structure.marks[CHANGED] = pack(np.ones(p, bool))
            if begin_prior(self.state, model.target, views):
                structure.base[:] = structure.parents
                return weigh_functions(model.functions, order, structure)
        return False

    def _take(self, uniforms: np.ndarray, recorder: Recorder, draws: Draws, until_draw: int) -> None:
        questions = Questions(self.model.functions, self._strict, self.structure)
        run_prior(
            self.state, self.model.target, questions.views, until_draw, self.schedule.thin, uniforms, recorder, draws
        )
        questions.raise_failure()

    @property
    def log_posterior(self) -> float:
        """The unnormalised log prior of the present order and DAG."""
        return float(self.state.family["log_prior"].sum()) + weigh_beyond_families(self._strict, self.structure)

    def moves(self) -> dict[str, tuple[int, int]]:
        """Return, for each kind of move, how often it was proposed and how often accepted."""
        return {kind: (n, k) for kind, (n, k) in zip(MOVES, self.state.moves.tolist(), strict=True)}

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
from edgewise._kernels.basics.recorder import Draws
from edgewise._kernels.beliefs.beliefs import CHANGED, Beliefs, log_prior_beyond_families, new_structure
from edgewise._kernels.beliefs.settling import establish
from edgewise._kernels.families.families import FAMILY, LogDetScore, Target, new_cache
from edgewise._kernels.rivals.prior_only import run_prior
from edgewise.errors import ArgumentError
from edgewise.priors import Knowledge, Prior
from edgewise.priors.prior import FunctionTerm

from .beliefs import Questions, agree_with, make_beliefs, make_rules, weigh_functions
from .recording import RecordingChain
from .schedule import Schedule

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
    terms = prior.terms(names)
    p = len(names)
    nothing = np.zeros(p)
    return PriorModel(
        target=Target(
            correlation=np.eye(p),
            threshold=nothing,
            odds=nothing,
            score=LogDetScore(np.eye(p), nothing, nothing, nothing),
            edge=terms.edge,
            rules=make_rules(p, knowledge),
        ),
        beliefs=make_beliefs(terms, knowledge),
        functions=tuple(terms.functions),
        knowledge=knowledge,
    )


class PriorChain(RecordingChain):
    """One chain over pairs of an order and a DAG."""

    def __init__(self, model: PriorModel, order: np.ndarray, rng: np.random.Generator, schedule: Schedule) -> None:
        super().__init__(len(order), rng, schedule)
        self.model = model
        self.order = np.array(order, dtype=np.uint32)
        self._family = np.zeros(len(order), FAMILY)
        self._moves = np.zeros((2, 2), np.int64)
        self._structure = new_structure(model.beliefs)
        self._strict = model.beliefs._replace(strict=True)
        self._cache = new_cache(len(order))

    def find_dag(self) -> bool:
        """Set the DAG to one that agrees with the knowledge; return False if none is found.

        With the required edges alone, missing ancestors are mended by direct edges; where these are forbidden, all
        edges that are permitted may give a path.
        """
        model, structure = self.model, self._structure
        p = len(self.order)
        required, forbidden = np.zeros((2, p, p), bool)
        if model.knowledge is not None:
            required, forbidden = model.knowledge.required, model.knowledge.forbidden
        position = np.argsort(self.order)
        forward = position[:, None] < position[None, :]
        for base in (required, forward & ~forbidden):
            structure.new_base[:] = pack(base.T)
            structure.marks[CHANGED] = pack(np.ones(p, bool))
            if establish(self.order, self._family, model.target, self._cache, model.beliefs, structure):
                structure.base[:] = structure.parents
                return weigh_functions(model.functions, self.order, structure)
        return False

    def _take(self, uniforms: np.ndarray, draws: Draws, cursor: np.ndarray) -> None:
        questions = Questions(self.model.functions, self._structure)
        run_prior(
            self.order, self._family, self._moves, self.model.target, self._cache, self._strict, self._structure,
            questions.ask, uniforms, self._recorder, draws, cursor, self.schedule.thin,
        )  # fmt: skip
        questions.raise_failure()

    @property
    def log_posterior(self) -> float:
        """The unnormalised log prior of the present order and DAG."""
        return float(self._family["log_prior"].sum() + log_prior_beyond_families(self._strict, self._structure))

    def moves(self) -> dict[str, tuple[int, int]]:
        """Return, for each kind of move, how often it was proposed and how often accepted."""
        (exchange, exchange_accepted), (toggle, toggle_accepted) = self._moves.tolist()
        return {"adjacent": (exchange, exchange_accepted), "edge": (toggle, toggle_accepted)}

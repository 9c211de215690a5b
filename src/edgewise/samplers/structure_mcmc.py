"""Structure MCMC: a chain over DAGs, by changes of edges.

This module prepares what the compiled loop in :mod:`edgewise._kernels.rivals.structure_mcmc` works on, and calls it in
blocks. Where a block ends makes no difference to the draws.
"""

from dataclasses import dataclass, replace

import numpy as np

from edgewise._kernels.basics.bits import pack, unpack
from edgewise._kernels.basics.recorder import Draws, Recorder
from edgewise._kernels.beliefs.beliefs import FUNCTION, Beliefs, new_structure
from edgewise._kernels.families.cache import new_cache
from edgewise._kernels.families.target import Target
from edgewise._kernels.rivals.dag_changes import establish_dag, new_dag_state
from edgewise._kernels.rivals.edge_reversal import Reversals
from edgewise._kernels.rivals.parent_sets import ParentSets, new_workspace
from edgewise._kernels.rivals.structure_mcmc import run
from edgewise.arguments import check_whole, is_number
from edgewise.data import Dataset
from edgewise.errors import ArgumentError
from edgewise.graphs import is_acyclic
from edgewise.priors import DagTerm, FunctionTerm, Knowledge, PathTerm, Prior, Terms, usable_terms
from edgewise.scores import Score, prepare_score
from edgewise.tasks import IsOver, never

from .beliefs import Questions, agree_with, make_beliefs, make_rules, weigh_beyond_families, weigh_functions
from .parent_sets import make_table, refuse_many_required
from .recording import RecordingChain
from .reversal_sets import choose_candidates
from .sampler import Sampler
from .schedule import Schedule

MOVES = ("add", "delete", "turn", "reversal")
"""The kinds of moves, as the compiled loop counts them."""

NUMBERS = 4
"""Random numbers for each step: to choose a change, to decide it, and to draw the parents of two variables."""

STARTS = 100
"""Orders to try for a start where a prior excludes many DAGs. If more than one in twenty had a start, one is found with
probability above .99."""

SEARCH_STEPS, SEARCH_BLOCK = 2_000_000, 10_000
"""Steps of the search for a DAG with required ancestors, and how many to take before looking at the result. All take a
few seconds, and with 100 variables each edge is proposed 200 times."""

SEARCH_PATH, SEARCH_EDGE = 10.0, -4.0
"""What the search rewards: required ancestors much, so that they are rarely lost again, and few edges. A way through
another variable is found as well, because its first edge is tried, and stays a while, with probability exp(-4)."""


@dataclass(frozen=True, kw_only=True)
class StructureMCMC(Sampler):
    """A chain over DAGs that adds, deletes and turns edges (Madigan & York 1995; Giudici & Castelo 2003).

    It samples the posterior over DAGs, each DAG once. Some of its steps are the edge reversals of Grzegorczyk &
    Husmeier (2008), which turn an edge and draw new parents for both its ends, in proportion to their weight. They
    lead from one group of similar DAGs to another, where single edges would have to pass through DAGs of low posterior.

    Any prior on DAGs is possible, those on paths and functions of the DAG included, but no prior on orders.

    Parameters
    ----------
    max_parents
        Most parents of a variable. DAGs with more are left out of the posterior.
    reversal
        Probability that a step is an edge reversal; the paper's is 1/15. One of them takes as long as some hundred
        other steps.

    Notes
    -----
    Up to 60 variables, with three parents at most, edge reversals draw from all sets of parents. With more, they draw
    from those of some candidates for each variable, 50 for 100 variables: those that add most to the posterior while
    the variable is given the best parents, one after the other. Other edges are left to the other steps. The posterior
    that is sampled is the same.

    A chain starts with the required edges and, along the order it is given, with the parents that raise the posterior
    most, one after the other (Cooper & Herskovits 1992).

    Steps that break a constraint are rejected. Still every DAG can be reached, edge by edge, except where ancestors are
    required: there the permitted DAGs may fall into groups that no step connects, above all if ``max_parents`` is so
    small that a second path cannot be built before the first one is given up. The same is true of a
    :class:`edgewise.LogPrior` that gives some DAGs no probability. Chains from different starts show it.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(5, 1000, seed=2)
    >>> sampler = StructureMCMC(max_parents=4)
    >>> posterior = ew.sample(sim.data, sampler=sampler, iterations=5000, thin=10, seed=1, progress=False)
    >>> posterior.dags().shape
    (4, 400, 5, 5)
    """

    max_parents: int = 3
    reversal: float = 1 / 15

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_parents", check_whole("max_parents", self.max_parents))
        if not (is_number(self.reversal) and 0 <= self.reversal < 1):
            raise ArgumentError(
                f"reversal must be a probability, at least 0 and below 1, but {self.reversal!r} was given."
            )

    def prepare(
        self,
        dataset: Dataset,
        score: Score,
        prior: Prior,
        knowledge: Knowledge | None = None,
        *,
        is_over: IsOver = never,
    ) -> "StructureMCMCModel":
        """Return everything about the target that chains share."""
        terms = usable_terms(prior, dataset.names, uses=(PathTerm, FunctionTerm, DagTerm), by="StructureMCMC")
        most = min(self.max_parents, dataset.p - 1)
        tables = prepare_score(score, dataset)
        none = np.zeros((dataset.p, dataset.p), bool)
        required, forbidden = (none, none) if knowledge is None else (knowledge.required, knowledge.forbidden)
        refuse_many_required(required, most, dataset.names)
        candidates = required
        if self.reversal > 0:
            candidates = choose_candidates(tables, terms.edge, required=required, forbidden=forbidden, max_parents=most)
        return StructureMCMCModel(
            target=Target(
                score=tables,
                edge=terms.edge,
                rules=make_rules(dataset.p, knowledge),
                way=None,
                most_parents=most,
            ),
            beliefs=_make_beliefs(terms, knowledge),
            table=make_table(tables, terms.edge, candidates, required, most, dataset),
            candidates=pack(candidates.T),
            functions=tuple(terms.of(FunctionTerm)),
            knowledge=knowledge,
            reversal=float(self.reversal),
        )


def _make_beliefs(terms: Terms, knowledge: Knowledge | None) -> Beliefs:
    """Return all that a prior and hard knowledge say beyond single edges.

    A chain over orders never has an ancestor that must come later. A chain over DAGs has to look for it, but only where
    a path of permitted edges exists, and where it would close no cycle with an ancestor that is always there.
    """
    beliefs = make_beliefs(terms, knowledge)
    if knowledge is None:
        return beliefs
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    permitted = csr_array(~(knowledge.forbidden | np.eye(len(terms.edge), dtype=bool)))
    is_possible = np.isfinite(shortest_path(permitted, unweighted=True))
    excluded = (knowledge.not_ancestors | knowledge.before.T) & ~knowledge.ancestors.T & is_possible
    is_ruled = np.asarray(beliefs.needed.any(axis=1) | excluded.any(axis=0))
    return beliefs._replace(
        excluded=pack(excluded.T), is_ruled=is_ruled, reach=bool(len(beliefs.sources) or is_ruled.any())
    )


@dataclass(frozen=True)
class StructureMCMCModel:
    """The target of a run, in the form the compiled loop wants, shared by its chains."""

    target: Target
    beliefs: Beliefs
    table: ParentSets
    candidates: np.ndarray
    functions: tuple[FunctionTerm, ...]
    knowledge: Knowledge | None
    reversal: float

    @property
    def p(self) -> int:
        """The number of variables."""
        return len(self.target.edge)

    def start(self, order: np.ndarray, rng: np.random.Generator, schedule: Schedule) -> "StructureMCMCChain":
        """Return a chain that starts at the DAG that best parents along ``order`` make, or at one that is allowed."""
        chain = StructureMCMCChain(self, rng, schedule)
        least = self._least_dag(rng)
        for _ in range(STARTS):
            if chain.begin(least, along=self._agreed(order, least)):
                return chain
            order = rng.permutation(self.p)
        if not chain.begin(least):
            raise ArgumentError(
                f"No start was found: the prior or the score gives no probability to the DAG with the required edges "
                f"only, nor to those along {STARTS} random orders; allow more DAGs, or require less."
            )
        return chain

    def _agreed(self, order: np.ndarray, least: np.ndarray) -> np.ndarray:
        """Return the order nearest to a given one that agrees with the knowledge and with a DAG that agrees with it."""
        if self.knowledge is None:
            return np.array(order, np.int64)
        return agree_with(order, replace(self.knowledge, before=self.knowledge.before | least))

    def _least_dag(self, rng: np.random.Generator) -> np.ndarray:
        """Return a DAG with the required edges and ancestors.

        Where ancestors are required, it is searched for by a chain that knows no data, and believes in these ancestors.
        """
        if self.knowledge is None:
            return np.zeros((self.p, self.p), bool)
        required = self.knowledge.required
        with_needs = np.flatnonzero(self.beliefs.needed.any(axis=1))
        if not len(with_needs):
            return required
        believed = self.beliefs._replace(
            sources=self.beliefs.needed[with_needs],
            targets=pack(np.eye(self.p, dtype=bool)[with_needs]),
            path_strength=np.full(len(with_needs), SEARCH_PATH),
            needed=np.zeros_like(self.beliefs.needed),
            terms=(),
            reach=True,
            asks=0,
        )
        target = self.target._replace(heat=0.0, edge=np.full((self.p, self.p), SEARCH_EDGE))
        search = StructureMCMCChain(
            replace(self, target=target, beliefs=believed, functions=(), reversal=0.0),
            rng,
            Schedule(iterations=SEARCH_STEPS, burn_in=SEARCH_STEPS, thin=1),
        )
        search.begin(required)
        while search.iteration < SEARCH_STEPS:
            search.advance(SEARCH_BLOCK)
            if search.has_ancestors(self.beliefs.needed):
                return search.dag
        raise ArgumentError(
            "No DAG was found that has all ancestors which the constraints require; allow more of the edges between "
            "them, or a greater max_parents."
        )


class StructureMCMCChain(RecordingChain):
    """One chain. The DAG, ``rng`` and ``iteration`` determine all that follows."""

    kinds = MOVES
    KEPT = ("rng", "state", "_structure")
    FOLLOWS = tuple(f"state.{name}" for name in ("parents", "ancestors", "family", "size", "edges"))

    def __init__(self, model: StructureMCMCModel, rng: np.random.Generator, schedule: Schedule) -> None:
        p = model.p
        super().__init__(p, rng, schedule, numbers=NUMBERS)
        self.model = model
        self._structure = new_structure(model.beliefs)
        self._cache = new_cache(model.target.score, p)
        self._reversals = Reversals(model.table, model.candidates, new_workspace(model.target.score, p))
        self.state = new_dag_state(self._structure, len(MOVES))

    def begin(self, dag: np.ndarray, along: np.ndarray | None = None) -> bool:
        """Set the chain to a DAG, with more parents along an order of it if given; return False if it is excluded."""
        model, structure = self.model, self._structure
        structure.parents[:] = pack(dag.T)
        order = np.empty(0, np.int64) if along is None else along
        establish_dag(self.state, model.target, self._cache, model.beliefs, structure, order)
        structure.value[0, FUNCTION] = 0.0
        return (
            weigh_functions(model.functions, structure.asked_order, model.beliefs, structure)
            and self.log_posterior > -np.inf
        )

    def _renew(self) -> bool:
        """Find all else by the DAG."""
        dag = self.dag
        is_possible = is_acyclic(dag) and dag.sum(axis=0).max() <= self.model.target.most_parents
        return bool(is_possible) and self.begin(dag)

    @property
    def dag(self) -> np.ndarray:
        """The present DAG."""
        return unpack(self._structure.parents, self.p).T.copy()

    def has_ancestors(self, needed: np.ndarray) -> bool:
        """Return whether all variables have the ancestors they need, given as bits."""
        return not (needed & ~self._structure.ancestors).any()

    def _take(self, uniforms: np.ndarray, recorder: Recorder, draws: Draws, until_draw: int) -> None:
        model = self.model
        questions = Questions(model.functions, model.beliefs, self._structure)
        run(
            self.state, model.target, self._cache, self._reversals, questions.views, model.reversal, until_draw,
            self.schedule.thin, uniforms, recorder, draws,
        )  # fmt: skip
        questions.raise_failure()

    @property
    def log_posterior(self) -> float:
        """The unnormalised log posterior of the present DAG."""
        family = self.state.family
        beyond = weigh_beyond_families(self.model.beliefs, self._structure)
        return float(family["log_score"].sum() + family["log_prior"].sum() + beyond)

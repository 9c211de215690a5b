"""The posterior over DAGs: the compiled loop in :mod:`edgewise._kernels.dags`, in blocks."""

from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from edgewise._kernels.basics.bits import pack, unpack
from edgewise._kernels.basics.metropolis import ASK
from edgewise._kernels.basics.recorder import Draws, Recorder, new_draws
from edgewise._kernels.beliefs.beliefs import Beliefs, new_structure
from edgewise._kernels.dags.candidates import DagTarget
from edgewise._kernels.dags.loop import DRAW_ALL, DRAW_PARENTS, KEEP_PARENTS, STEP, work
from edgewise._kernels.dags.pairs import new_pair, new_pair_room
from edgewise._kernels.scores.log_det import LogDetScore
from edgewise.arguments import is_whole
from edgewise.data import Dataset
from edgewise.errors import ArgumentError
from edgewise.graphs import BoolMatrix, ancestors
from edgewise.priors import DagTerm, FunctionTerm, Knowledge, PathTerm, Prior, Terms, TierTerm, usable_terms
from edgewise.priors.contradictions import exclude_paths
from edgewise.scores import Score, prepare_score
from edgewise.tasks import IsOver, never

from .beliefs import Questions, agree_with, make_beliefs, refuse_terms, unless_empty
from .candidates import add_coparents, advance, explore, warm_up
from .dag_target import (
    FEW_SLOW_SUMMED,
    FEW_SUMMED,
    MANY_SLOW_SUMMED,
    MOST_CANDIDATES,
    MOST_HEATED,
    MOST_SETS,
    make_target,
    most_sets_summed,
)
from .minimal_imap import MinimalIMAPModel
from .order_chains import OrderChain
from .order_sums import MOST_SUMMED, SUMMED_AT_ONCE
from .recording import RecordingChain
from .sampler import Sampler
from .schedule import Schedule
from .snapshots import is_order
from .tempered_dags import TemperedDagModel, make_ladder
from .trials import LONG, MOST_TRIED, SHORT, try_out

USES = (PathTerm, TierTerm, FunctionTerm, DagTerm)
"""The terms of a prior that the compiled loop can weigh."""

MOVES = {
    "relocate": 0.33, "turn": 0.01, "reverse": 0.3, "parents": 0.12, "swap": 0.12, "outside": 0.12,
    "edge": 0.2, "clear": 0.05, "jump": 0.0,
}  # fmt: skip
"""The kinds of moves, as the compiled loop counts them, and their shares: turning is dear, as it looks at all edges.
Without any of the others, some edge of 200 variables has effective draws at less than half the rate. Changes of single
edges, and clearing, are made only where the prior or the constraints look at more than families; the shares of the
others add up to 1. Jumps come on top, see :func:`jumps_per_iteration`."""


VARIABLES_PER_MOVE, FEW_VARIABLES_MOVED = 15, 45
"""An iteration has one move for every 15 variables, so that chains of equal length go about equally far, however many
variables there are. Where there are few, moves are quick, and four or as many as move 45 variables take no longer."""

PAIRS_PER_MOVE, MOST_MOVES, MANY_VARIABLES = 1000, 20, 400
"""Among many pairs of variables some are slow, so that there is a move for every 1000 pairs, too, up to 20. Of more
than 400 variables there are fewer again, in proportion to the time that a move takes: a run of a thousand takes no
longer, some minutes."""


def moves_per_iteration(p: int, *, can_jump: bool = False) -> int:
    """Return how many moves an iteration has.

    Examples
    --------
    >>> [moves_per_iteration(p) for p in (5, 12, 30, 100, 200, 400, 1000)]
    [4, 3, 2, 6, 19, 20, 8]
    >>> [moves_per_iteration(p, can_jump=True) for p in (5, 12, 26)]
    [4, 3, 3]
    """
    most = min(MOST_MOVES, MOST_MOVES * MANY_VARIABLES // p)
    wanted = max(p // VARIABLES_PER_MOVE, p * (p - 1) // 2 // PAIRS_PER_MOVE)
    return max(min(wanted, most), min(FEW_VARIABLES_MOVED // p, 4), 3 if can_jump else 1)


def jumps_per_iteration(p: int) -> float:
    """Return how many jumps an iteration has, where there are sums to jump by.

    The more variables, the fewer are accepted: a third of them with 10, one in 16 to 60 with 24. So there are 8 to 14
    from one of 4000 draws to the next.

    Examples
    --------
    >>> [jumps_per_iteration(p) for p in (5, 16, 20, 26)]
    [0.4, 0.4, 0.4, 0.7]
    """
    return next(jumps for most, jumps in JUMPS.items() if p <= most)


JUMPS = {16: 0.4, SUMMED_AT_ONCE: 0.4, MOST_SUMMED: 0.7}
"""Jumps in an iteration, up to so many variables."""

BEFORE = 0.1
"""How much what the pilot run saw counts where short chains over DAGs have seen otherwise."""

STARTS = 100
"""Orders to try for a start where a prior or constraints exclude many DAGs."""


@dataclass(frozen=True, kw_only=True)
class DagMCMC(Sampler):
    """Draws DAGs from their posterior, each DAG counted once; the default sampler.

    A short run of minimal I-MAP MCMC finds who can be a parent of whom, and where to start. Then a chain over pairs of
    a DAG and an order that it agrees with moves variables in the order, given the sums over all their parent sets
    within these candidates, and draws the DAG anew where a move makes room for other parents. Parents outside the
    candidates are added and removed one by one, so that candidates make the chain quick but leave nothing out: there is
    no limit to the number of parents.

    With up to 21 variables, or up to 26 where short runs from different starts disagree, the chain also *jumps*: it
    takes DAGs drawn from the sum over all orders, wherever they are. It can then only be caught where it needs parents
    beyond the candidates. With more variables, where short runs disagree, chains are tempered.

    Any prior on DAGs is possible, those on paths and functions of the DAG included, and so are all constraints.
    ``TierOrder`` speaks of an order, which a DAG does not have: it is read as a prior on the layers into which a DAG
    falls, the variables without parents, then those whose parents are all among them, and so on. A variable is in place
    if none of a later tier is in an earlier layer, and none of an earlier tier in a later one; those in the same layer
    do not disturb each other.

    Parameters
    ----------
    candidates
        How many likely parents of each variable to sum over. ``"auto"``: 12, or up to 16 where as many are probable;
        where there are sums over all orders, all others with up to 22 numeric variables, or 15 of other kinds, and with
        more as many as 1.7 GB hold.
    tempering
        Whether each chain is a ladder of replicas at different heats, which exchange their states, so that it gets from
        one mode of the posterior to another. ``"auto"``: with 27 to 60 variables, where short runs from different
        starts disagree.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(5, 1000, seed=2)
    >>> posterior = ew.sample(sim.data, sampler=DagMCMC(), iterations=5000, thin=10, seed=1, progress=False)
    >>> posterior.dags().shape
    (4, 400, 5, 5)
    """

    candidates: int | Literal["auto"] = "auto"
    tempering: bool | Literal["auto"] = "auto"

    def __post_init__(self) -> None:
        if not (isinstance(self.tempering, bool) or self.tempering == "auto"):
            raise ArgumentError(f"tempering must be True, False or 'auto', but {self.tempering!r} was given.")
        number = self.candidates
        if isinstance(number, str) and number == "auto":
            return
        if not (is_whole(number) and int(number) >= 0):
            raise ArgumentError(f"candidates must be 'auto' or a whole number, at least 0, but {number!r} was given.")
        object.__setattr__(self, "candidates", int(number))

    def prepare(
        self,
        dataset: Dataset,
        score: Score,
        prior: Prior,
        knowledge: Knowledge | None = None,
        *,
        is_over: IsOver = never,
    ) -> "DagMCMCModel | TemperedDagModel":
        """Return everything about the target that chains share."""
        p = dataset.p
        terms = usable_terms(prior, dataset.names, uses=USES, by="DagMCMC")
        pilot = explore(dataset, score, terms, knowledge, is_over)
        tables = prepare_score(score, dataset)

        def make(probability: np.ndarray, most_sets: int | None = None, *, sums: bool = False) -> DagMCMCModel:
            """Return a model with 12 candidates, or where relations are dense as many as there may be sets of them."""
            most = min(MOST_CANDIDATES, int(np.log2(MOST_SETS / p))) if most_sets is None else p - 1
            most = min(most if self.candidates == "auto" else int(self.candidates), p - 1)
            target = make_target(tables, terms.edge, knowledge, probability, most, most_sets=most_sets, sums=sums)
            return make_model(target, terms, knowledge, pilot.model)

        def make_jumping(probability: np.ndarray) -> DagMCMCModel:
            """Return a model with sums over all orders, of larger tables if parents are seen that are no candidates."""
            is_quick = isinstance(tables, LogDetScore)
            model = make(probability, FEW_SUMMED if is_quick else FEW_SLOW_SUMMED, sums=True)
            if is_over() or self.candidates != "auto" or not model.has_outsiders:
                return model
            trial = try_out(model, LONG, is_over)
            if not trial.has_outsiders(model):
                return model
            del model
            most = most_sets_summed(p) if is_quick else MANY_SLOW_SUMMED
            return make(np.maximum(BEFORE * probability, trial.probability), most, sums=True)

        probability = add_coparents(pilot.probability)
        can_jump = p <= MOST_SUMMED and self.tempering is not True
        if can_jump and p <= SUMMED_AT_ONCE:
            return make_jumping(probability)
        model = make(probability)
        if p > MOST_TRIED or (self.tempering is False and not can_jump):
            return model
        trial = try_out(model, SHORT, is_over)
        if self.tempering is not True and (is_over() or not trial.is_apart):
            return model
        probability = np.maximum(BEFORE * probability, trial.probability)
        return make_jumping(probability) if can_jump else make_ladder(make(probability, MOST_HEATED), p, is_over)

    def describe_engine(self, model: "DagMCMCModel | TemperedDagModel") -> str:
        """Return what draws, in words."""
        number = model.target.sets.number
        within = "all parent sets"
        if (model if isinstance(model, DagMCMCModel) else model.replicas[0]).has_outsiders:
            within = f"{number.mean():.0f} candidate parents of each variable in the mean"
        if isinstance(model, TemperedDagModel):
            return f"local moves in {len(model.replicas)} replicas at different heats, with {within}"
        if model.can_jump:
            return f"jumps from the sum over all orders and local moves, with {within}"
        return f"local moves, with {within}"

    def edge_target(self, model: "DagMCMCModel | TemperedDagModel") -> DagTarget | None:
        """Return the target, unless the prior or the constraints look at more than families."""
        return model.target if model.beliefs is None else None


@dataclass(frozen=True)
class DagMCMCModel:
    """The target of a run, in the form the compiled loop wants, shared by its chains.

    ``beliefs`` is None where families are all that matters. ``pilot`` finds good orders, if there are data to find them
    by. ``shares`` are those of the kinds of moves.
    """

    target: DagTarget
    beliefs: Beliefs | None
    functions: tuple[FunctionTerm, ...]
    knowledge: Knowledge | None
    required: BoolMatrix
    pilot: MinimalIMAPModel | None
    shares: tuple[float, ...]
    moves_per_iteration: int

    @property
    def has_outsiders(self) -> bool:
        """Whether there are variables that could be parents of others and are not among their candidates."""
        return bool((self.target.sets.number < len(self.required) - 1).any())

    @property
    def can_jump(self) -> bool:
        """Whether there are sums over all orders to draw DAGs from."""
        return len(self.target.sums.log_sum) > 1

    def start(self, order: np.ndarray, rng: np.random.Generator, schedule: Schedule) -> "DagMCMCChain":
        """Return a chain at a DAG drawn along ``order``, or at one that the knowledge and the prior allow."""
        chain = DagMCMCChain(self, rng, schedule)
        chain.begin(order)
        return chain


def make_model(
    target: DagTarget,
    terms: Terms,
    knowledge: Knowledge | None,
    pilot: MinimalIMAPModel | None,
    moves: dict[str, float] = MOVES,
) -> DagMCMCModel:
    """Add to a target what the prior and hard knowledge say beyond single edges."""
    return DagMCMCModel(
        target=target,
        beliefs=unless_empty(make_beliefs(terms, knowledge)),
        functions=tuple(terms.of(FunctionTerm)),
        knowledge=knowledge,
        required=np.zeros(terms.edge.shape, bool) if knowledge is None else knowledge.required,
        pilot=pilot,
        shares=tuple(moves.values()),
        moves_per_iteration=moves_per_iteration(len(terms.edge), can_jump=len(target.sums.log_sum) > 1),
    )


class DagMCMCChain(RecordingChain):
    """One chain. Its state, ``rng`` and ``iteration`` determine all that follows."""

    kinds = MOVES
    KEPT = ("rng", "state", "_structure")
    FOLLOWS = tuple(
        f"state.{name}"
        for name in ("position", "allowed", "chosen", "extra", "parents", "log_weight", "log_order", "beyond")
    )

    def __init__(self, model: DagMCMCModel, rng: np.random.Generator, schedule: Schedule) -> None:
        p = len(model.required)
        super().__init__(p, rng, schedule, numbers=0)
        self.model = model
        self.state = new_pair(pack(model.required.T), len(MOVES))
        self._room = new_pair_room(model.target.score, self.state.parents)
        self._structure = None
        if model.beliefs is not None:
            self._structure = new_structure(model.beliefs)._replace(parents=self.state.parents)
        outside, is_weighed = model.has_outsiders, model.beliefs is not None
        shares = np.array(model.shares) * [1, 1, 1, 1, outside, outside, is_weighed, is_weighed, 0]
        jumps = jumps_per_iteration(p) if model.can_jump else 0.0
        self._stride = model.moves_per_iteration + int(np.ceil(jumps))
        jumps /= self._stride
        self._shares = np.append(shares[:-1] / shares.sum() * (1 - jumps), jumps)

    def begin(self, order: np.ndarray) -> None:
        """Set the chain to a DAG drawn along an order or, if that is excluded, to another one."""
        if not self._find_start(order):
            raise ArgumentError(
                f"No start was found: the prior or the constraints exclude the DAGs along {STARTS} random orders; "
                "allow more DAGs, or require less."
            )

    def _find_start(self, order: np.ndarray) -> bool:
        for _ in range(STARTS):
            self.state.order[:] = agree_with(order, self.model.knowledge)
            # Where the chain was before, variables may have had parents that are no candidates.
            self.state.parents[:] = pack(self.model.required.T)
            if self._establish(DRAW_PARENTS) or self._take_least():
                return True
            order = self.rng.permutation(self.p)
        return False

    def seek(self, is_over: IsOver = never) -> None:
        """Go to the DAG that a minimal I-MAP chain finds or, if it is better, to one drawn from sums over all orders.

        If the first is excluded, go to one along its order; if these are, too, or if there are no data, stay.
        """
        self._search(is_over)
        if self.model.can_jump:
            order, dag, log_posterior = self.state.order.copy(), self.dag, self.log_posterior
            if not self._establish(DRAW_ALL) or self.log_posterior < log_posterior:
                self.state.order[:] = order
                self.put(dag)

    def _search(self, is_over: IsOver) -> None:
        """Go to the DAG that a minimal I-MAP chain finds."""
        if self.model.pilot is None:
            return
        order, dag = self.state.order.copy(), self.dag
        steps = warm_up(self.p)
        pilot = cast(OrderChain, self.model.pilot.start(self.state.order, self.rng, Schedule(steps, 0, steps)))
        pilot.seek(is_over)
        advance(pilot, steps, is_over)
        self.state.order[:] = agree_with(pilot.state.order, self.model.knowledge)
        if not self.put(pilot.dag()) and not self._find_start(pilot.state.order.astype(np.int64)):
            self.state.order[:] = order
            self.put(dag)

    def _establish(self, task: int) -> bool:
        """Set all else by the order, and by parents to be drawn or there; return whether the DAG is possible."""
        self._work(task, 0, self._recorder, new_draws(0, self.p), 0)
        return bool(self.state.beyond[0] > -np.inf and (self.state.log_weight > -np.inf).all())

    def _take_least(self) -> bool:
        """Go to a DAG of little more than the required edges and ancestors along the present order, if there is one."""
        knowledge = self.model.knowledge
        dag = self.model.required if knowledge is None else find_least(knowledge, self.state.order)
        return dag is not None and self.put(dag)

    def put(self, dag: np.ndarray) -> bool:
        """Go to a DAG that agrees with the present order; return whether it is possible."""
        place = self.model.target.sets.place
        inside = dag.T & (place >= 0)
        self.state.parents[:] = pack(dag.T)
        self.state.extra[:] = (dag.T & ~inside & ~self.model.required.T).sum(axis=1)
        self.state.chosen[:] = np.where(inside, 1 << place.clip(0).astype(np.int64), 0).sum(axis=1)
        return self._establish(KEEP_PARENTS)

    def _renew(self) -> bool:
        """Find all else by the order and the DAG."""
        if not is_order(self.state.order):
            return False
        dag, position = self.dag, np.argsort(self.state.order)
        agrees = not (dag & (position[:, None] >= position)).any() and bool(dag[self.model.required].all())
        return agrees and self.put(dag)

    @property
    def dag(self) -> np.ndarray:
        """The present DAG."""
        return unpack(self.state.parents, self.p).T.copy()

    def _take(self, uniforms: np.ndarray, recorder: Recorder, draws: Draws, until_draw: int) -> None:
        self._work(STEP, len(uniforms), recorder, draws, until_draw)

    def _work(self, task: int, steps: int, recorder: Recorder, draws: Draws, until_draw: int) -> None:
        """Call the compiled loop."""
        model = self.model
        questions = None
        if model.beliefs is not None and self._structure is not None:
            questions = Questions(model.functions, model.beliefs, self._structure)
        outcome = work(
            task, self.state, model.target, None if questions is None else questions.views, self._room, self._shares,
            steps, self._stride, until_draw, self.schedule.thin, recorder, draws, self.rng,
        )  # fmt: skip
        if questions is not None:
            questions.raise_failure()
            if outcome == ASK:
                refuse_terms(questions.views.beliefs, "inf or nan")

    @property
    def log_posterior(self) -> float:
        """The unnormalised log posterior of the present DAG."""
        return float(self.state.log_weight.sum() + self.state.beyond[0])


def find_least(knowledge: Knowledge, order: np.ndarray) -> BoolMatrix | None:
    """Return the required edges, and with them shortest paths from required ancestors along an order; None if none."""
    dag = knowledge.required.copy()
    position = np.argsort(order)
    permitted = ~knowledge.forbidden & (position[:, None] < position)
    for node in order:
        for source in np.flatnonzero(knowledge.ancestors[:, node] & ~ancestors(dag)[:, node]):
            excluded = exclude_paths(knowledge.not_ancestors, ancestors(dag))
            between = ~(excluded[source] | excluded[:, node])
            path = _shortest_path(permitted & between, int(source), int(node))
            if path is None:
                return None
            dag[path[:-1], path[1:]] = True
    return None if (ancestors(dag) & knowledge.not_ancestors).any() else dag


def _shortest_path(permitted: BoolMatrix, source: int, node: int) -> list[int] | None:
    paths = {source: [source]}
    front = [source]
    while front and node not in paths:
        front = [
            int(v)
            for u in front
            for v in np.flatnonzero(permitted[u])
            if int(v) not in paths and paths.setdefault(int(v), [*paths[u], int(v)])
        ]
    return paths.get(node)

"""What order and partition MCMC have in common: tables of parent sets, and chains that draw a DAG when asked to.

Both sum over all DAGs that agree with a state of the chain. That is possible because score and prior are products over
families: one table for each variable holds the weights of all its possible parent sets. Its size grows like p to the
power of ``max_parents``, for each of p variables.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import comb, inf
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from edgewise._kernels.basics.bits import WORD, pack, words_for
from edgewise._kernels.basics.recorder import Draws, Recorder
from edgewise._kernels.rivals.parent_sets import RUN, WINDOW, ParentSets, SetTarget, list_sets
from edgewise._kernels.scores.interface import new_room
from edgewise.arguments import check_whole, is_number
from edgewise.data import Dataset, find_columns, refuse_dependent
from edgewise.errors import ArgumentError, GraphError
from edgewise.graphs import BoolMatrix, Graph
from edgewise.graphs.adjacency import read_adjacency
from edgewise.priors import Knowledge, Prior, TierTerm, usable_terms
from edgewise.priors.prior import Variable
from edgewise.scores import Score, prepare_score
from edgewise.scores.refusals import refuse_family
from edgewise.tasks import IsOver, never
from edgewise.wording import quote

from .beliefs import make_rules, tabulate_tiers
from .candidates import explore, likeliest
from .recording import RecordingChain
from .sampler import Sampler
from .schedule import Schedule

Candidates: TypeAlias = "Graph | Mapping[Variable, Sequence[Variable]] | int | str | None"
"""Who may be a parent of whom, as people give it: a number for the likeliest, None for all, or ``"auto"``."""

MOST_SETS = 10**6
"""Parent sets up to which ``"auto"`` stands for all: they are scored in about a second."""

GIGABYTE = 10**9
"""Bytes."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ParentSetSampler(Sampler):
    """The settings that order and partition MCMC share; their meaning is described there."""

    max_parents: int = 3
    candidates: Candidates = "auto"
    memory_limit: float = 2.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_parents", check_whole("max_parents", self.max_parents))
        if isinstance(self.candidates, str) and self.candidates != "auto":
            raise ArgumentError(
                f"candidates must be 'auto', a number, a matrix or lists, but {self.candidates!r} was given."
            )
        if isinstance(self.candidates, int | float | np.number):
            object.__setattr__(self, "candidates", check_whole("candidates", self.candidates))
        if not (is_number(self.memory_limit) and self.memory_limit > 0):
            raise ArgumentError(
                f"memory_limit must be a positive number of gigabytes, but {self.memory_limit!r} was given."
            )

    def resolve(self, dataset: Dataset) -> Self:
        """Return the same sampler with the number of candidates that ``"auto"`` stands for; None where all are."""
        if not isinstance(self.candidates, str):
            return self
        p = dataset.p
        number = p - 1
        while number > 1 and p * sum(comb(number, size) for size in range(self.max_parents + 1)) > MOST_SETS:
            number -= 1
        return replace(self, candidates=None if number >= p - 1 else number)

    def make_target(
        self, dataset: Dataset, score: Score, prior: Prior, knowledge: Knowledge | None, is_over: IsOver = never
    ) -> SetTarget:
        """Return the tables for a data set, and what else determines the posterior.

        Raises
        ------
        ArgumentError
            If the prior or the knowledge is not about families or the order, or the tables would be too large.
        """
        p = dataset.p
        name = type(self).__name__
        terms = usable_terms(prior, dataset.names, uses=(TierTerm,), by=name)
        _refuse_beyond_families(name, knowledge)
        none = np.zeros((p, p), bool)
        required = none if knowledge is None else knowledge.required
        before = none if knowledge is None else knowledge.before
        candidates = self.resolve(dataset).candidates
        if isinstance(candidates, int):
            possible = likeliest(explore(dataset, score, terms, knowledge, is_over).probability, candidates)
        else:
            possible = _read_candidates(candidates, dataset.names)
        possible = (possible & ~(none if knowledge is None else knowledge.forbidden)) | required
        refuse_many_required(required, self.max_parents, dataset.names)
        self._check_memory(possible, required)
        tables = prepare_score(score, dataset)
        names = make_rules(p, None)
        tier, last_tier, tier_strength = tabulate_tiers(terms)
        return SetTarget(
            table=make_table(tables, terms.edge, possible, required, self.max_parents, dataset),
            score=tables,
            edge=terms.edge,
            child=names.child[:p].copy(),
            zobrist=names.zobrist[:p].copy(),
            earlier=_pack(before.T),
            possible=possible,
            required=np.array(required),
            max_parents=self.max_parents,
            tier=tier,
            last_tier=last_tier,
            tier_strength=tier_strength,
        )

    def _check_memory(self, possible: BoolMatrix, required: BoolMatrix) -> None:
        sizes = count_sets(possible, required, self.max_parents)
        needed = estimate_memory(sizes, len(possible)) / GIGABYTE
        if needed > self.memory_limit:
            raise ArgumentError(
                f"{type(self).__name__} would need {needed:,.1f} GB of memory for its tables of {sum(sizes):,} parent "
                f"sets, and memory_limit is {self.memory_limit:g} GB: lower max_parents (now {self.max_parents}), name "
                "likely parents in candidates, raise memory_limit, or take MinimalIMAP, which needs no tables."
            )


def refuse_many_required(required: BoolMatrix, max_parents: int, names: Sequence[str]) -> None:
    """Refuse required edges that give a variable more parents than it may have."""
    number = required.sum(axis=0)
    if number.max(initial=0) > max_parents:
        node = int(number.argmax())
        raise ArgumentError(
            f"The constraints require {number[node]} parents of {quote(names[node])}, but max_parents is "
            f"{max_parents}: allow more, or require fewer."
        )


def _refuse_beyond_families(name: str, knowledge: Knowledge | None) -> None:
    """Refuse knowledge that is not about families or the order."""
    if knowledge is None:
        return
    for field, beyond in (("ancestors", knowledge.needed_paths), ("not_ancestors", knowledge.excluded_paths)):
        if beyond.any():
            raise ArgumentError(
                f"{name} cannot use {field} of the constraints, which say more than its tables of parents can: give "
                "required or forbidden edges, or tiers, or take MinimalIMAP or StructureMCMC, which can use them."
            )


def _read_candidates(candidates: Any, names: Sequence[str]) -> BoolMatrix:
    """Return whether i may be a parent of j, as far as the candidates say, shape (p, p)."""
    p = len(names)
    possible = ~np.eye(p, dtype=bool)
    if candidates is None:
        return possible
    try:
        if not isinstance(candidates, Mapping):
            return read_adjacency(candidates, names).matrix
        for child, parents in candidates.items():
            if isinstance(parents, str) or not isinstance(parents, Sequence | np.ndarray):
                raise ArgumentError(f"the parents of {quote(child)} must be a list, but {quote(parents)} was given.")
            (column,) = find_columns(names, [child])
            listed = np.zeros(p, bool)
            listed[find_columns(names, parents)] = True
            possible[:, column] &= listed
    except (ArgumentError, GraphError) as error:
        raise ArgumentError(f"candidates cannot be used: {error}") from error
    return possible


def _pack(sets: BoolMatrix) -> np.ndarray:
    """Return sets of variables as bits, with room for one member more."""
    return pack(np.column_stack([sets, np.zeros(len(sets), bool)]))


def count_sets(possible: BoolMatrix, required: BoolMatrix, max_parents: int) -> list[int]:
    """Return the number of parent sets of each variable."""
    fixed = required.sum(axis=0).tolist()
    optional = (possible & ~required).sum(axis=0).tolist()
    return [
        sum(comb(others, size) for size in range(max_parents - needed + 1))
        for needed, others in zip(fixed, optional, strict=True)
    ]


def estimate_memory(sizes: Sequence[int], p: int) -> int:
    """Return the most bytes that the tables take, while they are made."""
    words = words_for(p + 1)
    # A set and its weight; a core and a start for each run, of which every window has at least one; and for the
    # variable at work the unsorted sets and weights, the windows, and the order to sort them in.
    return 8 * ((words + 1) * sum(sizes) * (RUN + 2) // RUN + (2 * words + 5) * max(sizes))


def make_table(
    score: Any, edge: np.ndarray, possible: BoolMatrix, required: BoolMatrix, max_parents: int, dataset: Dataset
) -> ParentSets:
    """List all parent sets, score them, and sort them."""
    p = len(edge)
    words = words_for(p + 1)
    sizes = count_sets(possible, required, max_parents)
    sets = np.empty((words, sum(sizes)), np.uint64)
    weight = np.empty(sum(sizes))
    run_start: list[int] = []
    window_run, window_top, window_rest, node_window = [], [], [], [0]
    cores = []
    used = 0
    room = new_room(score, p)
    for node, size in enumerate(sizes):
        unsorted = np.empty((words, size), np.uint64)
        log_weight = np.empty(size)
        fixed = np.flatnonzero(required[:, node])
        optional = np.flatnonzero(possible[:, node] & ~required[:, node])
        most = min(max_parents - len(fixed), len(optional))
        fault = list_sets(score, edge, node, fixed, optional, most, room, unsorted, log_weight)
        if fault >= 0:
            refuse_dependent(dataset, [*_members(unsorted[:, fault], p), node])
        faulty = np.flatnonzero(~(log_weight < inf))
        if len(faulty):
            refuse_family(log_weight[faulty[0]], node, _members(unsorted[:, faulty[0]], p), dataset.names)
        if log_weight.max() == -inf:
            raise ArgumentError(
                f"With {dataset.n} rows, the score gives no likelihood to {quote(dataset.names[node])} with its "
                "required parents: require fewer, or take BGe as the score."
            )
        window = np.floor((log_weight.max() - log_weight) / WINDOW)
        by_window = np.argsort(window, kind="stable")  # sets stay in ascending order of their bits
        by_window = by_window[: np.searchsorted(window[by_window], inf)]  # without those of weight zero
        window, log_weight = window[by_window], log_weight[by_window]
        end = used + len(by_window)
        sets[:, used:end] = unsorted[:, by_window]
        bounds = [*np.flatnonzero(np.diff(window, prepend=-1.0)).tolist(), len(window)]
        for first, last in pairwise(bounds):
            top = log_weight[first:last].max()
            weight[used + first : used + last] = np.exp(log_weight[first:last] - top)
            starts = np.arange(first, last, RUN)
            window_run.append(len(run_start))
            window_top.append(top)
            window_rest.append(len(window) - first)
            run_start.extend((used + starts).tolist())
            cores.append(np.bitwise_and.reduceat(sets[:, used + first : used + last], starts - first, axis=1))
        node_window.append(len(window_run))
        used = end
    return ParentSets(
        sets=sets[:, :used],
        weight=weight[:used],
        run_start=np.array([*run_start, used], np.uint64),
        core=np.ascontiguousarray(np.concatenate(cores, axis=1)),
        window_run=np.array([*window_run, len(run_start)], np.uint64),
        window_top=np.array(window_top),
        window_rest=np.array(window_rest, float),
        node_window=np.array(node_window, np.uint64),
    )


def _members(words: np.ndarray, p: int) -> list[int]:
    """Return the variables of a set given as words of bits."""
    return [v for v in range(p) if int(words[v // WORD]) >> (v % WORD) & 1]


class ParentSetChain(RecordingChain):
    """One chain. Its state, ``rng``, ``dag_rng`` and ``iteration`` determine all that follows.

    Parameters
    ----------
    target
        What to sample.
    rng
        The random numbers of the steps. Those that draw a DAG for a state come from another generator, made from this
        one, so that the states visited do not depend on when draws are taken.
    schedule
        When to draw.
    numbers
        Random numbers per step.

    Subclasses set ``state``, and ``_scratch`` for proposals; ``_shares`` are the probabilities of the kinds of moves,
    and ``_run`` is the loop.
    """

    KEPT = ("rng", "dag_rng", "state")
    _run: ClassVar[Callable[..., None]]
    _scratch: Any
    _shares: np.ndarray

    def __init__(self, target: SetTarget, rng: np.random.Generator, schedule: Schedule, *, numbers: int) -> None:
        super().__init__(len(target.edge), rng, schedule, numbers=numbers)
        self.target = target
        (self.dag_rng,) = rng.spawn(1)

    def _take(self, uniforms: np.ndarray, recorder: Recorder, draws: Draws, until_draw: int) -> None:
        dag_uniforms = self.dag_rng.random((len(draws.family), self.p))
        self._run(
            self.state, self.target, self._scratch, self._shares, until_draw, self.schedule.thin, uniforms,
            dag_uniforms, recorder, draws,
        )  # fmt: skip

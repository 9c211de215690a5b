"""What is to be sampled: the parts of a run, checked and put together."""

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from edgewise.baselines import mmhc
from edgewise.data import Data, Dataset, Finding, Moments, Reading, load_data, look
from edgewise.data.blocks import Blocks
from edgewise.data.validation import check_names
from edgewise.errors import ArgumentError
from edgewise.graphs import to_networkx
from edgewise.posterior import Posterior
from edgewise.posterior.draws import split
from edgewise.posterior.record import describe_part
from edgewise.priors import Constraints, FunctionTerm, Prior, default_prior
from edgewise.samplers import DagMCMC, Model, Sampler, prepare_prior
from edgewise.scores import Score, default_score
from edgewise.tasks import IsOver, never
from edgewise.wording import enumerate_items, quote

from .conditionals import condition

MOST_KEPT = 4 * 10**6
"""Numbers that a posterior keeps of data with interventions: 32 MB, which is what 158 variables have if each was set in
rows of its own."""


@dataclass(frozen=True)
class Plan:
    """The variables, the target of the chains, and what the record of the run says of its parts."""

    names: tuple[str, ...]
    sampler: Sampler
    model: Model
    prior: Prior
    record: dict[str, Any]
    dataset: Dataset | None = None
    score: Score | None = None

    @property
    def moments(self) -> Moments | None:
        """The sufficient statistics of the data, for the posterior to keep."""
        return None if self.dataset is None else self.dataset.plain_moments

    @property
    def grouped(self) -> Blocks | None:
        """The same of data with interventions, unless they are too many numbers to keep."""
        blocks = None if self.dataset is None else self.dataset.plain_blocks
        return None if blocks is None or blocks.scatter.size > MOST_KEPT else blocks

    def look(self) -> tuple[Finding, ...] | None:
        """Look at the data as our models have to; None where there are no data, or a score of another model."""
        if self.dataset is None or self.score is None or self.score.takes == "rows":
            return None
        return look(self.dataset)

    def complete(self, posterior: Posterior) -> Posterior:
        """Return the posterior with what needs the target: weights, and Rao-Blackwellised edge probabilities."""
        if self.sampler.is_weighted:
            distinct = posterior.draws.distinct(posterior.weights)
            parts = split(0, len(distinct.rows), len(self.names) ** 2)
            stacks = (posterior.draws.dags(distinct.rows[part]) for part in parts)
            posterior = posterior.reweighted(self.sampler.weigh(self.model, stacks, distinct.which))
        target = self.sampler.edge_target(self.model)
        return posterior if target is None else condition(posterior, target)

    def mmhc_orders(self, rngs: Sequence[np.random.Generator]) -> list[np.ndarray]:
        """Return a random order of the DAG that MMHC learns, one for each generator."""
        if self.dataset is None:
            raise ArgumentError("start='mmhc' needs data to learn a DAG from; a run on the prior alone has none.")
        import networkx as nx

        graph = to_networkx(mmhc(self.dataset, as_array=True))
        orders = []
        for rng in rngs:
            rank = rng.permutation(len(self.names))
            orders.append(np.array(list(nx.lexicographical_topological_sort(graph, key=rank.__getitem__))))
        return orders

    def check_travels(self, executor: Executor) -> None:
        """Refuse functions that other processes could not find, as they have no name of their own in a module."""
        for term in self.prior.terms(self.names).of(FunctionTerm):
            if "<" in term.name and not isinstance(executor, ThreadPoolExecutor):
                raise ArgumentError(
                    f"The function {term.name} of LogPrior cannot be sent to other processes: define it with a name "
                    "at the top of a module, or leave out the executor, so that chains run on threads."
                )


def make_plan(
    data: Data | None,
    nodes: Sequence[str] | None,
    *,
    sampler: Sampler | None,
    score: Score | None,
    prior: Prior | None,
    constraints: Constraints | None,
    reading: Reading | None = None,
    is_over: IsOver = never,
) -> Plan:
    """Check the parts of a run and prepare its target; without data, a run on the prior alone.

    What takes long ends early if it ``is_over``.
    """
    prior = default_prior() if prior is None else prior
    _check_part("prior", prior, fits=isinstance(prior, Prior), example="Sparsity(1.0)")
    if constraints is not None:
        fits = isinstance(constraints, Constraints)
        _check_part("constraints", constraints, fits=fits, example="Constraints(required=[('Raf', 'Mek')])")
    record = {"prior": describe_part(prior), "constraints": None if constraints is None else asdict(constraints)}
    if data is None:
        if reading:
            raise ArgumentError(f"A run without data, on the prior alone, takes no {enumerate_items(list(reading))}.")
        return _plan_prior(nodes, sampler, score, prior, constraints, record)
    if nodes is not None:
        raise ArgumentError("nodes are for a run without data only; with data, the columns are the variables.")
    sampler = DagMCMC() if sampler is None else sampler
    _check_part("sampler", sampler, fits=isinstance(sampler, Sampler), example="DagMCMC()")
    _check_part("score", score, fits=score is None or isinstance(score, Score), example="BGe() or BDeu()")
    dataset = load_data(data, **(reading or {}))
    score = default_score(dataset) if score is None else score
    sampler = sampler.resolve(dataset)
    knowledge = None if constraints is None else constraints.resolve(dataset.names)
    return Plan(
        names=dataset.names,
        sampler=sampler,
        model=sampler.prepare(dataset, score, prior, knowledge, is_over=is_over),
        prior=prior,
        dataset=dataset,
        score=score,
        record={"data": dataset.record(), "sampler": describe_part(sampler), "score": describe_part(score), **record},
    )


def _plan_prior(
    nodes: Sequence[str] | None,
    sampler: Sampler | None,
    score: Score | None,
    prior: Prior,
    constraints: Constraints | None,
    record: dict[str, Any],
) -> Plan:
    if sampler is not None or score is not None:
        raise ArgumentError("A run without data, on the prior alone, takes neither a sampler nor a score.")
    names = tuple(nodes) if isinstance(nodes, Iterable) and not isinstance(nodes, str) else ()
    if not names or not all(isinstance(name, str) for name in names):
        raise ArgumentError(f"A run without data needs nodes, a list of the variables' names, but got {quote(nodes)}.")
    check_names(names)
    knowledge = None if constraints is None else constraints.resolve(names)
    return Plan(
        names=names,
        sampler=DagMCMC(),
        model=prepare_prior(names, prior, knowledge),
        prior=prior,
        record={"data": None, "sampler": {"name": "prior only"}, "score": None, **record},
    )


def _check_part(name: str, given: object, *, fits: bool, example: str) -> None:
    if not fits or isinstance(given, type):
        raise ArgumentError(f"{name} must be an object such as {example}, but {quote(given)} was given.")

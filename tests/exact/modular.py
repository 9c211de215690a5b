"""Posteriors that are products over families, by listing all DAGs, orders and ordered partitions of few variables."""

from functools import cache
from itertools import combinations, permutations

import numpy as np
from scipy.special import logsumexp

from edgewise.priors import Sparsity, TierTerm
from naive import graphs, scores
from naive.graphs import are_acyclic

all_dags = cache(graphs.all_dags)


@cache
def all_partitions(p):
    """Every ordered partition of p variables, as tuples of tuples: 3, 13, 75, 541 for p = 2 ... 5."""

    def divide(rest):
        if not rest:
            yield ()
        for size in range(1, len(rest) + 1):
            for first in combinations(rest, size):
                for others in divide(tuple(v for v in rest if v not in first)):
                    yield (first, *others)

    return list(divide(tuple(range(p))))


def layers(graph):
    """Take away the variables without parents, again and again: the ordered partition of a DAG."""
    rest = set(range(len(graph)))
    found = []
    while rest:
        first = tuple(sorted(v for v in rest if not any(graph[u, v] for u in rest)))
        found.append(first)
        rest -= set(first)
    return tuple(found)


def count_in_place(tier, partition):
    """Count the variables with none of a later tier in an earlier element, and none of an earlier tier in a later one.

    Those of the last tier do not count.
    """
    element = {v: number for number, members in enumerate(partition) for v in members}
    last = max(tier)
    number = 0
    for v, own in enumerate(tier):
        misplaced = [
            u
            for u, other in enumerate(tier)
            if (other > own and element[u] < element[v]) or (0 <= other < own and element[u] > element[v])
        ]
        number += 0 <= own < last and not misplaced
    return number


def list_tiers(prior, names):
    """Return the order priors among the terms of a prior: tier numbers by variable, and a strength, for each."""
    return [(term.tier.tolist(), term.strength) for term in prior.terms(names).of(TierTerm)]


def weigh_tiers(tiers, partition):
    """Return what order priors say of an ordered partition; an order is one with elements of one variable."""
    return sum(strength * count_in_place(tier, partition) for tier, strength in tiers)


class ExactModular:
    """The exact posterior of a small data set.

    Parameters
    ----------
    data
        A DataFrame.
    prior
        A product over families and order priors; default: Sparsity(1).
    constraints
        Hard constraints.
    max_parents
        Most parents of a variable.
    candidates
        Edges that are possible.
    """

    def __init__(self, data, *, prior=None, constraints=None, max_parents=None, candidates=None):
        values, names = data.to_numpy(), list(data.columns)
        self.p = p = len(names)
        prior = prior or Sparsity(1.0)
        edge = prior.terms(names).edge
        self.tiers = list_tiers(prior, names)
        self.before = required = forbidden = np.zeros((p, p), bool)
        if constraints is not None:
            knowledge = constraints.resolve(names)
            self.before, required, forbidden = knowledge.before, knowledge.required, knowledge.forbidden
        if candidates is not None:
            forbidden = forbidden | ~(candidates | required)
        dags = all_dags(p)
        keep = ~(dags & forbidden).any(axis=(1, 2)) & (dags | ~required).all(axis=(1, 2))
        if max_parents is not None:
            keep &= dags.sum(axis=1).max(axis=1) <= max_parents
        self.dags = dags[keep & are_acyclic(dags | self.before)]
        local = cache(lambda node, parents: scores.bge(values, node, parents) + edge[list(parents), node].sum())
        self.log_weight = np.array(
            [sum(local(node, tuple(np.flatnonzero(dag[:, node]).tolist())) for node in range(p)) for dag in self.dags]
        )

    def orders(self):
        """Return all orders that agree with the knowledge, and their probabilities."""
        orders = [
            order
            for order in permutations(range(self.p))
            if not any(self.before[later, first] for first, later in combinations(order, 2))
        ]
        log_posterior = np.array(
            [
                logsumexp(self.log_weight[self._agrees(order)]) + weigh_tiers(self.tiers, [(v,) for v in order])
                for order in orders
            ]
        )
        return orders, np.exp(log_posterior - logsumexp(log_posterior))

    def _agrees(self, order):
        """Return which of the DAGs have all their edges forward in an order."""
        later, first = zip(*((later, first) for first, later in combinations(order, 2)), strict=True)
        return ~self.dags[:, later, first].any(axis=1)

    def dag_probabilities(self, *, over):
        """Return the probabilities of the DAGs: each counted once, or once for every order that it agrees with."""
        if over == "dags":
            log_posterior = self.log_weight.copy()
            if self.tiers:
                log_posterior += [weigh_tiers(self.tiers, layers(dag | self.before)) for dag in self.dags]
            return np.exp(log_posterior - logsumexp(log_posterior))
        total = np.zeros(len(self.dags))
        for order, probability in zip(*self.orders(), strict=True):
            agrees = self._agrees(order)
            share = np.exp(self.log_weight[agrees] - logsumexp(self.log_weight[agrees]))
            total[agrees] += probability * share
        return total

    def edge_probabilities(self, *, over):
        return np.tensordot(self.dag_probabilities(over=over), self.dags, axes=1)

    def partitions(self):
        """Return all ordered partitions, and their probabilities: zero where no DAG has that partition."""
        found = dict.fromkeys(all_partitions(self.p), 0.0)
        for dag, probability in zip(self.dags, self.dag_probabilities(over="dags"), strict=True):
            found[layers(dag | self.before)] += probability
        return list(found), np.array(list(found.values()))

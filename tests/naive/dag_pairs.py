"""A chain over pairs of an order and a DAG from the definitions: where each kind of move leads, and how probably.

The slow twin of :mod:`edgewise._kernels.dags`, for a handful of variables. Every sum over DAGs is taken DAG by DAG,
every ratio of acceptance is that of Metropolis and Hastings with nothing cancelled, and no value is kept up from one
pair to the next. A DAG is a tuple of sets here, the parents of each variable; a pair is (order, DAG).
"""

from collections import defaultdict
from functools import cache
from itertools import combinations, permutations, product
from math import exp, inf, log

import numpy as np
from scipy.special import logsumexp

KINDS = ("relocate", "turn", "reverse", "parents", "swap", "outside", "edge", "clear")


def subsets(members):
    members = sorted(members)
    for size in range(len(members) + 1):
        yield from map(frozenset, combinations(members, size))


def as_dag(matrix):
    """Return the parents of each variable, given dag[i, j] for i -> j."""
    return tuple(frozenset(np.flatnonzero(column).tolist()) for column in np.asarray(matrix).T)


def as_matrix(dag):
    matrix = np.zeros((len(dag), len(dag)), bool)
    for node, parents in enumerate(dag):
        matrix[sorted(parents), node] = True
    return matrix


def log_order(order, dag, before=None):
    """Log q(order | DAG): each time one of the variables is taken whose parents are all placed, with equal chances.

    Those who are known to come ``before`` a variable, (p, p) by column number, count as its parents.
    """
    needed = [set(parents) for parents in dag]
    if before is not None:
        needed = [parents | set(np.flatnonzero(before[:, node]).tolist()) for node, parents in enumerate(needed)]
    total = 0.0
    for j, taken in enumerate(order):
        placed = set(order[:j])
        ready = [node for node in order[j:] if needed[node] <= placed]
        if taken not in ready:
            return -inf
        total -= log(len(ready))
    return total


class NaivePairs:
    """All pairs with a positive probability, and the exact distribution over the next pair for each kind of move.

    Parameters
    ----------
    p
        Number of variables.
    log_weight
        A function of a variable and a set of parents: the log score of the family, and the log prior of its edges.
    candidates
        For each variable, a set.
    share
        The probability with which a move is about each variable.
    proposal
        ``proposal[node, u]`` is the probability with which u is proposed as a parent that is no candidate of ``node``.
    turns
        How many edges are looked at to be turned, in one move.
    knowledge
        Rules for edges and for the order: ``required``, ``forbidden`` and ``before``.
    log_beyond
        What is believed of a DAG, dag[i, j], beyond single edges; -inf where constraints exclude it.
    """

    def __init__(self, p, *, log_weight, candidates, share, proposal, turns, knowledge=None, log_beyond=None):
        none = np.zeros((p, p), bool)
        self.p = p
        self.log_weight = cache(log_weight)
        self.candidates = [frozenset(some) for some in candidates]
        self.share = share
        self.proposal = proposal
        self.required = as_dag(none if knowledge is None else knowledge.required)
        self.forbidden = as_dag(none if knowledge is None else knowledge.forbidden)
        self.before = none if knowledge is None else knowledge.before
        self.log_order = cache(lambda order, dag: log_order(order, dag, self.before))
        self.turns = turns
        self.log_beyond = cache(lambda dag: 0.0 if log_beyond is None else log_beyond(as_matrix(dag)))
        self._log_sum = cache(self._add_up)
        self.families = cache(self._weigh_families)
        self.states = [pair for pair in self._pairs() if self.log_target(*pair) > -inf]

    def _pairs(self):
        """Yield all pairs in which required edges are there, and forbidden ones are not."""
        for order in permutations(range(self.p)):
            choices = [
                [
                    self.required[node] | some
                    for some in subsets(set(order[: order.index(node)]) - self.forbidden[node] - self.required[node])
                ]
                for node in range(self.p)
            ]
            for dag in product(*choices):
                yield order, dag

    # -- the target

    def log_families(self, dag):
        """The log of w(DAG), the product of the weights of all families."""
        return sum(self.log_weight(node, parents) for node, parents in enumerate(dag))

    def log_target(self, order, dag):
        """The log probability of a pair, up to a constant."""
        parts = self.log_order(order, dag), self.log_beyond(dag), self.log_families(dag)
        return -inf if -inf in parts else sum(parts)

    def probabilities(self):
        """The probabilities of all pairs."""
        log_target = np.array([self.log_target(*pair) for pair in self.states])
        return np.exp(log_target - logsumexp(log_target))

    # -- what moves are made of

    def outsiders(self, dag, node):
        """The parents of a variable that are neither candidates nor required."""
        return dag[node] - self.candidates[node] - self.required[node]

    def allowed(self, order, node):
        """The candidates of a variable that come before it."""
        return self.candidates[node] & set(order[: order.index(node)])

    def _weigh_families(self, order, node):
        """The parents that a variable may be given along an order, and their probabilities, by weight."""
        sets = [self.required[node] | some for some in subsets(self.allowed(order, node))]
        log_weight = np.array([self.log_weight(node, parents) for parents in sets])
        return list(zip(sets, np.exp(log_weight - logsumexp(log_weight)).tolist(), strict=True))

    def log_sum(self, order, dag):
        """The log of the sum of w over the DAGs that agree with an order, and give new parents within the candidates.

        A variable with a parent that is no candidate keeps its parents.
        """
        kept = tuple(dag[node] if self.outsiders(dag, node) else None for node in range(self.p))
        return self._log_sum(order, kept)

    def _add_up(self, order, kept):
        if any(self.before[later, first] for first, later in combinations(order, 2)):
            return -inf
        choices = []
        for node in range(self.p):
            earlier = set(order[: order.index(node)])
            if kept[node] is None:
                sets = [self.required[node] | some for some in subsets(self.allowed(order, node))]
            else:
                sets = [kept[node]]
            choices.append([parents for parents in sets if parents <= earlier])
        return logsumexp([-inf, *(self.log_families(dag) for dag in product(*choices))])

    def redrawn(self, order, new_order, dag):
        """The DAGs in which those have drawn new parents to whom a new order allows others, and their probabilities."""
        choices = []
        for node in range(self.p):
            is_same = self.allowed(order, node) == self.allowed(new_order, node)
            keeps = is_same or self.outsiders(dag, node)
            choices.append([(dag[node], 1.0)] if keeps else self.families(new_order, node))
        for drawn in product(*choices):
            yield tuple(parents for parents, _ in drawn), np.prod([share for _, share in drawn])

    def accepted(self, pair, new):
        """How probably a proposal is accepted: by q, then by what is believed beyond edges."""
        if not self.log_target(*new) > -inf:
            return 0.0
        first = self.log_order(*new) - self.log_order(*pair)
        second = self.log_beyond(new[1]) - self.log_beyond(pair[1])
        return exp(min(first, 0.0)) * exp(min(second, 0.0))

    def below(self, dag, node):
        """A variable and its descendants, where to be known to come later counts as one."""
        found = {node}
        while True:
            more = {
                v
                for v, parents in enumerate(dag)
                if found & (parents | set(np.flatnonzero(self.before[:, v]))) and v not in found
            }
            if not more:
                return found
            found |= more

    def sets_above(self, dag, node, below):
        """The parents that a variable may be given among its candidates that are not below, and their weights."""
        sets = [self.required[node] | some for some in subsets(self.candidates[node] - below)]
        return {parents: exp(self.log_weight(node, parents)) for parents in sets}

    def is_free(self, node, u):
        """Whether u may be added to the parents of a variable, and removed."""
        return u != node and u not in self.required[node] and u not in self.forbidden[node]

    # -- moves: the pairs they lead to, and how probably; what is missing to one stays where it is

    def relocate(self, order, dag):
        for node in order:
            rest = [v for v in order if v != node]
            orders = [(*rest[:j], node, *rest[j:]) for j in range(self.p)]
            log_sums = np.array([self.log_sum(new, dag) for new in orders])
            shares = np.exp(log_sums - logsumexp(log_sums))
            for new_order, share in zip(orders, shares.tolist(), strict=True):
                if share > 0:
                    for new_dag, part in self.redrawn(order, new_order, dag):
                        new = new_order, new_dag
                        yield new, self.share[node] * share * part * self.accepted((order, dag), new)

    def drawn(self, order, dag, changed, *, always=False):
        """Accept changes of the DAG by what is believed beyond edges, and draw an order; if nothing changes, not.

        ``changed`` are the probabilities of other DAGs.
        """
        stays = 1 - sum(changed.values())
        for new_dag, share in changed.items():
            kept = exp(min(self.log_beyond(new_dag) - self.log_beyond(dag), 0.0))
            yield from self._with_orders(new_dag, share * kept)
            yield from self._with_orders(dag, share * (1 - kept))
        if always:
            yield from self._with_orders(dag, stays)

    def _with_orders(self, dag, probability):
        for order in permutations(range(self.p)):
            yield (order, dag), probability * exp(self.log_order(order, dag))

    def turn(self, order, dag):
        """Turn covered edges."""
        turned = {dag: 1.0}
        for _ in range(self.turns):
            before, turned = turned, defaultdict(float)
            for one, share in before.items():
                for other, part in self.turned_once(one).items():
                    turned[other] += share * part
        del turned[dag]
        yield from self.drawn(order, dag, turned, always=True)

    def turned_once(self, dag):
        """Where it leads to look at one parent of one variable, and to turn the edge from it if it is covered."""
        found = defaultdict(float)
        for j in range(self.p):
            for i in dag[j] - self.required[j]:
                if j in self.forbidden[i]:
                    continue
                above = [parents | set(np.flatnonzero(self.before[:, v])) for v, parents in enumerate(dag)]
                if above[j] != above[i] | {i}:
                    continue
                new = list(dag)
                new[i], new[j] = dag[i] | {j}, dag[j] - {i}
                forth, back = self.share[j] / len(dag[j]), self.share[i] / len(new[i])
                found[tuple(new)] += forth * self.ratio(dag, new, back / forth)
        found[dag] += 1 - sum(found.values())
        return found

    def reverse(self, order, dag):
        changed = defaultdict(float)
        for j in range(self.p):
            for i in dag[j]:
                is_inside = i in self.candidates[j] and j in self.candidates[i]
                if is_inside and not self.outsiders(dag, i) and not self.outsiders(dag, j):
                    for new, proposed in self.reversed(dag, i, j).items():
                        forth = proposed * self.share[j] / len(dag[j])
                        back = self.reversed(new, j, i)[dag] * self.share[i] / len(new[i])
                        changed[new] += forth * self.ratio(dag, new, back / forth)
        yield from self.drawn(order, dag, changed)

    def reversed(self, dag, i, j):
        """The DAGs in which i -> j is turned around and both have drawn new parents, first i; and how probably."""
        bare = list(dag)
        bare[i], bare[j] = self.required[i], self.required[j]
        firsts = {some: w for some, w in self.sets_above(bare, i, self.below(bare, i)).items() if j in some}
        found = {}
        for first, weight in firsts.items():
            turned = [*bare]
            turned[i] = first
            seconds = self.sets_above(turned, j, self.below(turned, j))
            for second, other in seconds.items():
                new = [*turned]
                new[j] = second
                found[tuple(new)] = weight / sum(firsts.values()) * other / sum(seconds.values())
        return found

    def ratio(self, dag, new, ratio=1.0):
        """How probably a change of the DAG is accepted, where proposals have a ratio."""
        return exp(min(self.log_families(new) - self.log_families(dag) + log(ratio), 0.0))

    def parents(self, order, dag):
        changed = defaultdict(float)
        for node in range(self.p):
            below = self.below(dag, node)
            if self.outsiders(dag, node):
                for u in self.candidates[node] - below:
                    self._toggle(changed, dag, node, {u}, self.share[node] / len(self.candidates[node]))
            else:
                weights = self.sets_above(dag, node, below)
                for some, weight in weights.items():
                    if some != dag[node]:
                        drawn = self.share[node] * weight / sum(weights.values())
                        changed[*dag[:node], some, *dag[node + 1 :]] += drawn
        yield from self.drawn(order, dag, changed)

    def swap(self, order, dag):
        changed = defaultdict(float)
        for node in range(self.p):
            for u in dag[node]:
                for other in self.candidates[u] - dag[node] - self.below(dag, node):
                    is_free = self.is_free(node, u) and self.is_free(node, other)
                    if is_free and u in self.candidates[other]:
                        proposed = self.share[node] / len(dag[node]) / len(self.candidates[u])
                        ratio = len(self.candidates[u]) / len(self.candidates[other])
                        self._toggle(changed, dag, node, {u, other}, proposed, ratio)
        yield from self.drawn(order, dag, changed)

    def outside(self, order, dag):
        changed = defaultdict(float)
        present = [(node, u) for node in range(self.p) for u in self.outsiders(dag, node)]
        for node in range(self.p):
            for u in set(range(self.p)) - self.candidates[node] - dag[node] - self.below(dag, node):
                if self.is_free(node, u):
                    forth, back = self.share[node] * self.proposal[node, u] / 2, 1 / 2 / (len(present) + 1)
                    self._toggle(changed, dag, node, {u}, forth, back / forth)
        for node, u in present:
            forth, back = 1 / 2 / len(present), self.share[node] * self.proposal[node, u] / 2
            self._toggle(changed, dag, node, {u}, forth, back / forth)
        yield from self.drawn(order, dag, changed)

    def edge(self, order, dag):
        """Change a single edge, and accept it by families and what is believed beyond edges at once."""
        edges = [(u, node) for node in range(self.p) for u in dag[node] if self.is_free(node, u)]
        pairs = list(product(range(self.p), repeat=2))
        proposals = [(dag, pair, 1 / 4 / self.p**2, 1 / 4 / (len(edges) + 1)) for pair in pairs]
        for u, node in edges:
            bare = (*dag[:node], dag[node] - {u}, *dag[node + 1 :])
            proposals.append((bare, None, 1 / 4 / len(edges), 1 / 4 / self.p**2))
            others = [((node, u), 1.0)]
            others += [((other, node), 1 / 2 / self.p) for other in range(self.p) if other != u]
            others += [((u, other), 1 / 2 / self.p) for other in range(self.p) if other != node]
            proposals += [(bare, pair, share / 4 / len(edges), share / 4 / len(edges)) for pair, share in others]
        for bare, added, forth, back in proposals:
            new = bare
            if added is not None:
                u, node = added
                if not self.is_free(node, u) or u in bare[node] or u in self.below(bare, node):
                    continue
                new = (*bare[:node], bare[node] | {u}, *bare[node + 1 :])
            yield from self._judged(dag, new, forth, back)

    def clear(self, order, dag):
        """Take all its parents from a variable, or give some to one without; accepted as a single edge is."""
        for node in range(self.p):
            if self.outsiders(dag, node):
                continue
            weights = self.sets_above(dag, node, self.below(dag, node))
            least = self.required[node]
            for some in weights if dag[node] == least else [least]:
                if some != dag[node]:
                    drawn = weights[dag[node] | some] / sum(weights.values())
                    forth, back = (drawn, 1.0) if dag[node] == least else (1.0, drawn)
                    new = (*dag[:node], some, *dag[node + 1 :])
                    yield from self._judged(dag, new, forth / self.p, back / self.p)

    def _judged(self, dag, new, forth, back):
        """Accept a proposal by families and what is believed beyond edges at once, and draw an order in any case."""
        log_ratio = self.log_families(new) + self.log_beyond(new) - self.log_families(dag) - self.log_beyond(dag)
        accepted = exp(min(log_ratio + log(back / forth), 0.0))
        yield from self._with_orders(new, forth * accepted)
        yield from self._with_orders(dag, forth * (1 - accepted))

    def _toggle(self, changed, dag, node, some, proposed, ratio=1.0):
        """Add the probability of a DAG in which a variable has gained some parents, and lost others."""
        new = (*dag[:node], dag[node] ^ some, *dag[node + 1 :])
        changed[new] += proposed * self.ratio(dag, new, ratio)

    def destinations(self, kind, order, dag):
        """Return the probabilities of the next pairs, after one move of a kind."""
        found = defaultdict(float)
        for new, probability in getattr(self, kind)(order, dag):
            if probability > 0:
                found[new] += probability
        found[order, dag] += 1 - sum(found.values())
        return found

    def transition_matrix(self, kind):
        """Return the probabilities of all transitions by a kind of move."""
        number = {pair: i for i, pair in enumerate(self.states)}
        matrix = np.zeros((len(self.states), len(self.states)))
        for pair, row in number.items():
            for new, probability in self.destinations(kind, *pair).items():
                matrix[row, number[new]] += probability
        return matrix

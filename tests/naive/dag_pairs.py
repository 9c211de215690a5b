"""A chain over pairs of an order and a DAG from the definitions: where each kind of move leads, and how probably.

The slow twin of :mod:`edgewise._kernels.dags`, for a handful of variables. Every sum over DAGs is taken DAG by DAG,
every ratio of acceptance is that of Metropolis and Hastings with nothing cancelled, and no value is kept up from one
pair to the next. A DAG is a tuple of sets here, the parents of each variable; a pair is (order, DAG).
"""

from collections import defaultdict
from functools import cache, cached_property
from itertools import combinations, permutations, product
from math import exp, inf, log

import numpy as np
from scipy.special import logsumexp

EXCHANGED = 0.5
"""How often one of the candidates drawn for a variable in a jump is to be exchanged."""

KINDS = ("relocate", "turn", "reverse", "parents", "swap", "outside", "edge", "clear", "jump")


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


def log_choice(order, dag, before=None):
    """Log g(order | DAG): as q, but with chances in proportion to the number of descendants, the variable included."""
    p = len(order)
    needed = [set(parents) for parents in dag]
    if before is not None:
        needed = [parents | set(np.flatnonzero(before[:, node]).tolist()) for node, parents in enumerate(needed)]
    below = {node: {node} for node in range(p)}
    for _ in range(p):
        for node in range(p):
            for parent in needed[node]:
                below[parent] |= below[node]
    total = 0.0
    for j, taken in enumerate(order):
        ready = [node for node in order[j:] if needed[node] <= set(order[:j])]
        if taken not in ready:
            return -inf
        total += log(len(below[taken]) / sum(len(below[node]) for node in ready))
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
    most_drawn
        How many parents of a variable that are no candidates are drawn with its others; if it has more, it keeps them.
    knowledge
        Rules for edges and for the order: ``required``, ``forbidden`` and ``before``.
    log_beyond
        What is believed of a DAG, dag[i, j], beyond single edges; -inf where constraints exclude it.
    """

    def __init__(
        self, p, *, log_weight, candidates, share, proposal, turns, most_drawn, knowledge=None, log_beyond=None
    ):
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
        self.most_drawn = most_drawn
        self.log_beyond = cache(lambda dag: 0.0 if log_beyond is None else log_beyond(as_matrix(dag)))
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

    def log_position(self, node, order, dag):
        """The log of what the DAGs along an order weigh that a variable may get there, and those whom it passes.

        Who has it as a candidate gets any of its candidates; others get the variable as an outsider, or not.
        """
        if any(self.before[later, first] for first, later in combinations(order, 2)):
            return -inf
        total = 0.0
        for v in range(self.p):
            earlier = set(order[: order.index(v)])
            kept = self.outsiders(dag, v)
            if v == node:
                kept = kept if self.keeps_outsiders(dag, v) else set()
            elif self.is_passed(v, node):
                rest = dag[v] - {node}
                some = [rest, rest | {node}] if node in earlier else [rest]
                total += logsumexp([self.log_weight(v, parents) for parents in some])
                continue
            if not kept | self.required[v] <= earlier:
                return -inf
            total += log(sum(self.tabulated(v, earlier).values()))
        return total

    def is_passed(self, v, node):
        """Whether a variable gets another one that passes it as an outsider, or loses it."""
        return self.most_drawn > 0 and node in self.all_outsiders(v)

    def relocated(self, node, order, new_order, dag):
        """The DAGs in which new parents are drawn when a variable has moved, how probably, and the ratio besides q."""
        choices = []
        for v in range(self.p):
            before, earlier = (set(some[: some.index(v)]) for some in (order, new_order))
            extra = self.outsiders(dag, v)
            draws = self.most_drawn > 0 and self.all_outsiders(v) and not self.keeps_outsiders(dag, v)
            if v == node and draws:
                back = self.drawn_family(v, self.tabulated(v, before), before)[dag[v]] * self.weigh(v, before)
                drawn = self.drawn_family(v, self.tabulated(v, earlier), earlier)
                choices.append(
                    [
                        (new, share, exp(self.log_weight(v, new) - self.log_weight(v, dag[v])) * back
                         / share / self.weigh(v, earlier))
                        for new, share in drawn.items()
                    ]
                )  # fmt: skip
            elif v != node and self.is_passed(v, node):
                rest = dag[v] - {node}
                some = [rest, rest | {node}] if node in earlier else [rest]
                some = some if (node in before) != (node in earlier) else [dag[v]]
                weights = np.exp([self.log_weight(v, parents) for parents in some])
                choices.append([(one, w, 1.0) for one, w in zip(some, weights / weights.sum(), strict=True)])
            elif self.allowed(order, v) == self.allowed(new_order, v):
                choices.append([(dag[v], 1.0, 1.0)])
            else:
                drawn = self.families(new_order, v)
                own = self.log_weight(v, dag[v]) - self.log_weight(v, dag[v] - extra)
                choices.append(
                    [
                        (new | extra, share, exp(self.log_weight(v, new | extra) - self.log_weight(v, new) - own))
                        for new, share in drawn
                    ]
                )
        for drawn in product(*choices):
            yield tuple(new for new, _, _ in drawn), *np.prod([numbers for _, *numbers in drawn], axis=0).tolist()

    def weigh(self, node, earlier):
        """What all parents of a variable among its candidates weigh that come earlier."""
        return sum(self.tabulated(node, earlier).values())

    def accepted(self, pair, new, ratio):
        """How probably a proposal is accepted: by q and outsiders, then by what is believed beyond edges."""
        if not (self.log_target(*new) > -inf and ratio > 0):
            return 0.0
        first = self.log_order(*new) - self.log_order(*pair) + log(ratio)
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

    def all_outsiders(self, node):
        """The variables that are no candidates, but could be parents."""
        return {u for u in range(self.p) if self.is_free(node, u)} - self.candidates[node]

    def keeps_outsiders(self, dag, node):
        """Whether a variable has more outsiders among its parents than are drawn."""
        return len(self.outsiders(dag, node)) > self.most_drawn

    def tabulated(self, node, earlier):
        """The weights of parent sets within the candidates that come earlier."""
        free = (self.candidates[node] - self.required[node]) & earlier
        sets = [self.required[node] | some for some in subsets(free)]
        return {parents: exp(self.log_weight(node, parents)) for parents in sets}

    def drawn_family(self, node, sets, free):
        """The parents that a variable is given: a set by weight, then outsiders that are free; how probably."""
        found = defaultdict(float)
        waiting = {parents: weight / sum(sets.values()) for parents, weight in sets.items()}
        for left in range(self.most_drawn, -1, -1):
            grown = defaultdict(float)
            for parents, share in waiting.items():
                more = (self.all_outsiders(node) & free) - parents if left else ()
                some = [parents, *(parents | {u} for u in more)]
                weights = np.exp([self.log_weight(node, one) for one in some])
                parts = (share * weights / weights.sum()).tolist()
                found[parents] += parts[0]
                for one, part in zip(some[1:], parts[1:], strict=True):
                    grown[one] += part
            waiting = grown
        return found

    # -- moves: the pairs they lead to, and how probably; what is missing to one stays where it is

    def relocate(self, order, dag):
        for node in order:
            rest = [v for v in order if v != node]
            orders = [(*rest[:j], node, *rest[j:]) for j in range(self.p)]
            log_weights = np.array([self.log_position(node, new, dag) for new in orders])
            shares = np.exp(log_weights - logsumexp(log_weights))
            for new_order, share in zip(orders, shares.tolist(), strict=True):
                if share > 0 and new_order != order:
                    for new_dag, part, ratio in self.relocated(node, order, new_order, dag):
                        new = new_order, new_dag
                        yield new, self.share[node] * share * part * self.accepted((order, dag), new, ratio)

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
                if is_inside and not self.keeps_outsiders(dag, i) and not self.keeps_outsiders(dag, j):
                    for new, proposed in self.reversed(dag, i, j).items():
                        forth = proposed * self.share[j] / len(dag[j])
                        back = self.reversed(new, j, i)[dag] * self.share[i] / len(new[i])
                        changed[new] += forth * self.ratio(dag, new, back / forth)
        yield from self.drawn(order, dag, changed)

    def reversed(self, dag, i, j):
        """The DAGs in which i -> j is turned around and both have drawn new parents, first i; and how probably."""
        bare = list(dag)
        bare[i], bare[j] = self.required[i], self.required[j]
        below = self.below(bare, i)
        sets = {some: w for some, w in self.sets_above(bare, i, below).items() if j in some}
        below_both = below | self.below(bare, j)
        seconds = self.drawn_family(j, self.sets_above(bare, j, below_both), set(range(self.p)) - below_both)
        found = {}
        for first, share in self.drawn_family(i, sets, set(range(self.p)) - below).items():
            for second, other in seconds.items():
                new = [*bare]
                new[i], new[j] = first, second
                found[tuple(new)] = share * other
        return found

    def ratio(self, dag, new, ratio=1.0):
        """How probably a change of the DAG is accepted, where proposals have a ratio."""
        return exp(min(self.log_families(new) - self.log_families(dag) + log(ratio), 0.0))

    def parents(self, order, dag):
        changed = defaultdict(float)
        for node in range(self.p):
            below = self.below(dag, node)
            if self.keeps_outsiders(dag, node):
                for u in self.candidates[node] - below:
                    self._toggle(changed, dag, node, {u}, self.share[node] / len(self.candidates[node]))
                continue
            drawn = self.drawn_family(node, self.sets_above(dag, node, below), set(range(self.p)) - below)
            for some, share in drawn.items():
                if some != dag[node]:
                    new = (*dag[:node], some, *dag[node + 1 :])
                    changed[new] += self.share[node] * share * self.ratio(dag, new, drawn[dag[node]] / share)
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

    def drawn_by_jump(self, node, sets, free):
        """The parents that a variable is given by a jump, and which candidate was to be exchanged; how probably.

        Where there is an outsider among the parents, it does not matter for which candidate it has come.
        """
        found = defaultdict(float)
        for parents, weight in sets.items():
            for exchanged, part in self.exchanges(node, parents).items():
                rest = parents - {exchanged}
                share = part * weight / sum(sets.values())
                outside = self.all_outsiders(node) & free if self.most_drawn else set()
                for one, first in self.drawn_from([parents, *(rest | {u} for u in outside)], node, share):
                    if one == parents:
                        found[one, exchanged] += first
                        continue
                    for two, second in self.drawn_from([one, *(one | {u} for u in outside - one)], node, first):
                        found[two, None] += second
        return found

    def drawn_from(self, sets, node, share):
        """Divide a probability among parent sets, by weight."""
        weights = np.exp([self.log_weight(node, parents) for parents in sets])
        return zip(sets, (share * weights / weights.sum()).tolist(), strict=True)

    def exchanges(self, node, parents):
        """Which of the parents of a variable is to be exchanged, if there are no outsiders among them; how probably."""
        inside = parents - self.required[node]
        if not inside or not inside <= self.candidates[node] or not self.all_outsiders(node) or not self.most_drawn:
            return {None: 1.0}
        return {None: 1 - EXCHANGED} | dict.fromkeys(inside, EXCHANGED / len(inside))

    @cached_property
    def proposals(self):
        """The probabilities with which a jump proposes each pair, and what is to be exchanged in it."""
        found, weight = {}, {}
        for order in permutations(range(self.p)):
            if any(self.before[later, first] for first, later in combinations(order, 2)):
                continue
            earlier = [set(order[: order.index(node)]) for node in range(self.p)]
            if any(not self.required[node] <= earlier[node] for node in range(self.p)):
                continue
            weight[order] = np.prod([sum(self.tabulated(node, earlier[node]).values()) for node in range(self.p)])
            families = [
                self.drawn_by_jump(node, self.tabulated(node, earlier[node]), earlier[node]).items()
                for node in range(self.p)
            ]
            for drawn in product(*families):
                dag = tuple(frozenset(parents) for (parents, _), _ in drawn)
                exchanged = tuple(one for (_, one), _ in drawn)
                found[order, dag, exchanged] = weight[order] * np.prod([share for _, share in drawn])
        total = sum(weight.values())
        return {pair: probability / total for pair, probability in found.items()}

    def log_excess(self, order, dag, exchanged):
        """The log of P(DAG) g(order, exchanged | DAG) over how probably it is proposed, but for what is beyond."""
        proposed = self.proposals.get((order, dag, exchanged), 0.0)
        if proposed == 0:
            return inf
        log_exchanged = sum(log(self.exchanges(node, dag[node])[one]) for node, one in enumerate(exchanged))
        return self.log_families(dag) + log_choice(order, dag, self.before) + log_exchanged - log(proposed)

    @cached_property
    def excesses(self):
        """That of each proposal."""
        return np.array([self.log_excess(*proposal) for proposal in self.proposals])

    def jump(self, order, dag):
        """Propose a DAG drawn from the sum over all orders, whatever the present one."""
        proposed = np.array(list(self.proposals.values()))
        beyond = np.array([self.log_beyond(new) for _, new, _ in self.proposals]) - self.log_beyond(dag)
        proposed *= np.exp(np.minimum(beyond, 0.0))
        rate = np.zeros(len(proposed))
        own_exchanges = [self.exchanges(node, parents).items() for node, parents in enumerate(dag)]
        for own in permutations(range(self.p)):
            chosen = exp(log_choice(own, dag, self.before))
            for drawn in product(*own_exchanges) if chosen > 0 else ():
                excess = self.log_excess(own, dag, tuple(one for one, _ in drawn))
                if excess < inf:
                    share = chosen * np.prod([part for _, part in drawn])
                    rate += share * proposed * np.exp(np.minimum(self.excesses - excess, 0.0))
        moved = defaultdict(float)
        for (_, new, _), probability in zip(self.proposals, rate.tolist(), strict=True):
            moved[new] += probability
        for new, probability in moved.items():
            yield from self._with_orders(new, probability)
        yield from self._with_orders(dag, 1 - sum(moved.values()))

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

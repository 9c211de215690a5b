"""Structure MCMC from the definitions: the slow twin of the compiled chain over DAGs.

Every proposal and the probability of the way back are spelled out, and acceptance is the ratio of Metropolis and
Hastings with nothing cancelled.
"""

import math
from itertools import combinations

import numpy as np

from edgewise._kernels.rivals.parent_sets import WINDOW
from naive import scores
from naive.features import paths
from naive.graphs import are_acyclic


def is_acyclic(dag):
    return are_acyclic(dag[None])[0]


class NaiveStructureChain:
    """A chain over DAGs.

    ``edge`` is the log prior of each edge, ``beyond`` a function of the DAG for the rest of it, and ``knowledge`` what
    is known for certain.
    """

    def __init__(self, values, *, edge, beyond=None, knowledge=None, max_parents=3, reversal=1 / 15):
        self.values = np.asarray(values)
        self.p = self.values.shape[1]
        self.edge = edge
        self.beyond = beyond or (lambda dag: 0.0)
        self.knowledge = knowledge
        self.max_parents = max_parents
        self.reversal = reversal
        self.weights = [{parents: self._weigh(node, parents) for parents in self._sets(node)} for node in range(self.p)]
        self.listed = [self._sorted(node) for node in range(self.p)]
        self._known, self._reversals = {}, {}

    def _sets(self, node):
        """Yield the sets of parents that rules for edges and the bound allow."""
        others = [v for v in range(self.p) if v != node]
        for size in range(min(self.max_parents, self.p - 1) + 1):
            for parents in combinations(others, size):
                if self._may_have(node, parents):
                    yield parents

    def _may_have(self, node, parents):
        if self.knowledge is None:
            return True
        required = np.flatnonzero(self.knowledge.required[:, node])
        return set(required) <= set(parents) and not self.knowledge.forbidden[list(parents), node].any()

    def _weigh(self, node, parents):
        return scores.bge(self.values, node, parents) + sum(self.edge[i, node] for i in parents)

    def _sorted(self, node):
        """Return the sets in the order in which the compiled chain tries them: by windows, and by bits inside these."""
        weights = self.weights[node]
        heaviest = max(weights.values())

        def place(parents):
            return (heaviest - weights[parents]) // WINDOW, sum(1 << parent for parent in parents)

        return sorted(weights, key=place)

    def log_posterior(self, dag):
        """The log posterior of a DAG that is allowed, up to a constant; -inf of any other."""
        name = dag.tobytes()
        if name not in self._known:
            self._known[name] = self._evaluate(dag)
        return self._known[name]

    def _evaluate(self, dag):
        if not is_acyclic(dag):
            return -math.inf
        families = [tuple(np.flatnonzero(dag[:, node]).tolist()) for node in range(self.p)]
        if any(parents not in self.weights[node] for node, parents in enumerate(families)):
            return -math.inf
        if not respects(dag, self.knowledge):
            return -math.inf
        return sum(self.weights[node][parents] for node, parents in enumerate(families)) + self.beyond(dag)

    # -- single edges

    def pairs(self):
        return [(i, j) for i in range(self.p) for j in range(self.p) if i != j]

    def toggled(self, dag, i, j):
        """The DAG proposed for the ordered pair (i, j)."""
        new = dag.copy()
        if dag[i, j]:
            new[i, j] = False
        else:
            new[j, i], new[i, j] = False, True
        return new

    # -- edge reversal

    def orphaned(self, dag, i, j):
        new = dag.copy()
        new[:, [i, j]] = False
        return new

    def draws(self, dag, node, wanted=None):
        """The DAGs in which ``node``, so far without parents, has drawn some, and their probabilities."""
        found = []
        for parents in self.listed[node]:
            new = dag.copy()
            new[list(parents), node] = True
            if is_acyclic(new) and (wanted is None or wanted in parents):
                found.append((self.weights[node][parents], new))
        if not found:
            return []
        weights = np.array([weight for weight, _ in found])
        shares = np.exp(weights - weights.max())
        return list(zip([new for _, new in found], shares / shares.sum(), strict=True))

    def edges(self, dag):
        """The edges, by child and then by parent."""
        return [(i, j) for j, i in np.argwhere(dag.T).tolist()]

    def reversals(self, dag, i, j):
        """All (DAG, probability) that reversing the edge i -> j may propose, by the bytes of the DAG."""
        start = self.orphaned(dag, i, j)
        name = (start.tobytes(), i, j)
        if name not in self._reversals:
            self._reversals[name] = {
                new.tobytes(): (new, first * second)
                for between, first in self.draws(start, i, wanted=j)
                for new, second in self.draws(between, j)
            }
        return self._reversals[name]

    def probability(self, dag, new, i, j):
        """The probability to draw the edge i -> j of a DAG, and to propose ``new`` by reversing it."""
        _, probability = self.reversals(dag, i, j).get(new.tobytes(), (None, 0.0))
        return probability / len(self.edges(dag))

    # -- the chain

    def acceptance(self, dag, new, ratio_of_proposals=1.0):
        log_ratio = self.log_posterior(new) - self.log_posterior(dag)
        return min(1.0, ratio_of_proposals * math.exp(min(log_ratio, 700.0))) if log_ratio > -math.inf else 0.0

    def reversal_acceptance(self, dag, new, i, j):
        forth, back = self.probability(dag, new, i, j), self.probability(new, dag, j, i)
        return self.acceptance(dag, new, back / forth)

    def step(self, dag, choice, uniform, for_source, for_target):
        """Take one step with the same four random numbers as the compiled chain; return the DAG."""
        if choice < self.reversal:
            edges = self.edges(dag)
            if not edges:
                return dag
            i, j = edges[int(choice / self.reversal * len(edges))]
            between = pick(self.draws(self.orphaned(dag, i, j), i, wanted=j), for_source)
            new = None if between is None else pick(self.draws(between, j), for_target)
            if new is None or uniform >= self.reversal_acceptance(dag, new, i, j):
                return dag
            return new
        pairs = self.pairs()
        new = self.toggled(dag, *pairs[int((choice - self.reversal) / (1 - self.reversal) * len(pairs))])
        return new if uniform < self.acceptance(dag, new) else dag

    def transition_matrix(self, dags):
        """The transition matrix over all DAGs that are allowed, given as a list."""
        number = {dag.tobytes(): n for n, dag in enumerate(dags)}
        matrix = np.zeros((len(dags), len(dags)))
        for n, dag in enumerate(dags):
            for i, j in self.pairs():
                new = self.toggled(dag, i, j)
                accepted = self.acceptance(dag, new)
                if accepted:
                    matrix[n, number[new.tobytes()]] += (1 - self.reversal) / len(self.pairs()) * accepted
            edges = self.edges(dag)
            for i, j in edges:
                for new, probability in self.reversals(dag, i, j).values():
                    accepted = self.reversal_acceptance(dag, new, i, j)
                    if accepted:
                        matrix[n, number[new.tobytes()]] += self.reversal / len(edges) * probability * accepted
        return matrix + np.diag(1 - matrix.sum(axis=1))


def pick(draws, uniform):
    """The outcome at which the probabilities so far exceed a random number; None if there are none."""
    total = 0.0
    for outcome, probability in draws:
        total += probability
        if uniform < total:
            return outcome
    return draws[-1][0] if draws else None


def respects(dag, knowledge):
    """Whether a DAG satisfies what is known for certain."""
    if knowledge is None:
        return True
    reached = paths(dag)
    return not (
        (knowledge.required & ~dag).any()
        or (knowledge.forbidden & dag).any()
        or (knowledge.ancestors & ~reached).any()
        or ((knowledge.not_ancestors | knowledge.before.T) & reached).any()
    )


def exact_probabilities(chain, dags):
    """The DAGs that are allowed, and their posterior probabilities."""
    log_posterior = np.array([chain.log_posterior(dag) for dag in dags])
    allowed = log_posterior > -math.inf
    weight = np.exp(log_posterior[allowed] - log_posterior.max())
    return dags[allowed], weight / weight.sum()

"""Priors say what their definitions say, and refuse what they cannot understand."""

from collections.abc import Callable, Sequence
from operator import methodcaller
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise.priors import FunctionTerm, OrderFunctionTerm, PathTerm, TierTerm
from edgewise.samplers import prepare_prior
from naive import priors as naive
from naive.stepping import ALWAYS, make_chain
from sentences import check_sentence

P = 9
NAMES = [f"V{i}" for i in range(P)]
LOG_ODDS = np.random.default_rng(3).normal(size=(P, P))
TIERS = [[4, 0, 2], [1], [8, 3], [5, 6]]
PAIRS = [(0, 3), (1, 3), (7, 2), (3, 0)]


def in_names(variables):
    return [NAMES[v] for v in variables]


class Case(NamedTuple):
    """A prior, what it says of a DAG, and the tiers, with their strength, that it says something of besides."""

    prior: ew.Prior
    definition: Callable[[np.ndarray], float] = lambda dag: 0.0
    tiers: Sequence[Sequence[int]] = ((), ())
    strength: float = 1.0


CASES = {
    "sparsity": Case(ew.Sparsity(0.7), lambda dag: naive.sparsity(dag, 0.7)),
    "edges": Case(ew.EdgeBeliefs(log_odds=LOG_ODDS), lambda dag: naive.edge_beliefs(dag, LOG_ODDS)),
    "tiers": Case(ew.TierOrder([in_names(t) for t in TIERS]), tiers=TIERS),
    "two tiers": Case(ew.TierOrder([[0], [5, 8]], strength=-2.5), tiers=[[0], [5, 8]], strength=-2.5),
    "paths": Case(ew.Paths(in_names([0, 1, 2]), in_names([3, 4])), lambda dag: naive.paths(dag, [0, 1, 2], [3, 4])),
    "overlapping paths": Case(
        ew.Paths([0, 1, 2], [1, 2, 6], strength=0.3), lambda dag: naive.paths(dag, [0, 1, 2], [1, 2, 6], 0.3)
    ),
    "ancestors": Case(ew.Ancestors(PAIRS, strength=1.5), lambda dag: naive.ancestors(dag, PAIRS, 1.5)),
    "sum": Case(
        ew.Sparsity(1)
        + ew.TierOrder(TIERS, 0.5)
        + ew.Paths([0], [1])
        + ew.Paths([0], [1])
        + ew.EdgeBeliefs(log_odds=LOG_ODDS),
        lambda dag: naive.sparsity(dag) + 2 * naive.paths(dag, [0], [1]) + naive.edge_beliefs(dag, LOG_ODDS),
        tiers=TIERS,
        strength=0.5,
    ),
}
by_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def random_pair(rng, p, density):
    """Return a random order and a DAG that agrees with it."""
    order = rng.permutation(p)
    dag = np.zeros((p, p), bool)
    dag[np.ix_(order, order)] = np.triu(rng.random((p, p)) < density, 1)
    return dag, order


def make_dag_chain(names, prior):
    return prepare_prior(names, prior, None).start(np.arange(len(names)), np.random.default_rng(0), ALWAYS)


def value_at(chain, dag, order):
    """Return the log prior of a DAG as the compiled loop of a chain over DAGs computes it from scratch."""
    chain.state.order[:] = order
    assert chain.put(dag)
    return chain.log_posterior


@by_case
def test_compiled_priors_on_dags_equal_their_definitions(rng, case):
    chain = make_dag_chain(NAMES, case.prior)
    for _ in range(500):
        dag, order = random_pair(rng, P, rng.choice([0.05, 0.2, 0.5]))
        expected = case.definition(dag) + naive.tier_layers(dag, case.tiers, case.strength)
        assert value_at(chain, dag, order) == pytest.approx(expected, abs=1e-12)


@by_case
def test_compiled_priors_on_orders_equal_their_definitions(rng, case):
    """Each order has a DAG of its own; that of 30 rows, with tests at a high level, has many edges."""
    data = pd.DataFrame(rng.normal(size=(30, P)), columns=NAMES)
    chain = make_chain(data, np.arange(P), prior=case.prior, alpha=0.3)
    for _ in range(300):
        order = rng.permutation(P)
        chain.state.order[:] = order
        assert chain.refresh()
        expected = case.definition(chain.dag()) + naive.tier_order(order, case.tiers, case.strength)
        assert chain.log_posterior - chain.log_score == pytest.approx(expected, abs=1e-9)


def test_priors_over_more_than_one_word_of_variables(rng):
    p = 130
    tiers = [range(40), range(60, 100)]
    chain = make_dag_chain([f"V{i}" for i in range(p)], ew.Paths(range(50), [129, 64, 70]) + ew.TierOrder(tiers))
    for _ in range(2):
        dag, order = random_pair(rng, p, 0.01)
        expected = naive.paths(dag, range(50), [129, 64, 70]) + naive.tier_layers(dag, tiers)
        assert value_at(chain, dag, order) == expected


def test_layers_over_more_than_one_word_of_variables(rng):
    p, tiers = 90, [range(40, 90), range(35)]
    chain = make_dag_chain([f"V{i}" for i in range(p)], ew.TierOrder(tiers))
    expected = []
    for density in np.linspace(0.002, 0.05, 10):
        dag = np.triu(rng.random((p, p)) < density, 1)[::-1, ::-1]  # causes are the last variables
        expected.append(naive.tier_layers(dag, tiers))
        assert value_at(chain, dag, np.arange(p)[::-1]) == expected[-1]
    assert len(set(expected)) > 5


def test_beliefs_about_edges_are_read_from_every_form():
    names = ["Raf", "Mek", "Erk"]
    matrix = np.arange(9.0).reshape(3, 3)
    edge = matrix * ~np.eye(3, dtype=bool)
    frame = pd.DataFrame(matrix, index=names, columns=names)
    np.testing.assert_array_equal(ew.EdgeBeliefs(log_odds=matrix).terms(names).edge, edge)
    np.testing.assert_array_equal(ew.EdgeBeliefs(log_odds=frame).terms(names).edge, edge)
    turned = ["Erk", "Raf", "Mek"]
    np.testing.assert_array_equal(ew.EdgeBeliefs(log_odds=frame.loc[turned, turned]).terms(names).edge, edge)
    table = pd.DataFrame({"source": ["Raf"], "target": ["Mek"], "probability": [0.75]})
    found = ew.EdgeBeliefs(probabilities=table).terms(names).edge
    np.testing.assert_allclose(found[0], [0, np.log(3), 0], rtol=1e-12)
    for form in (matrix, frame):
        found = ew.EdgeBeliefs(probabilities=1 / (1 + np.exp(-form))).terms(names).edge
        np.testing.assert_allclose(found, edge, rtol=1e-12)
    table = pd.DataFrame({"source": ["Raf"], "target": [2], "log_odds": [-4]})
    np.testing.assert_array_equal(ew.EdgeBeliefs(log_odds=table).terms(names).edge[0], [0, 0, -4])
    twice = pd.DataFrame({"source": ["Raf", "Raf", "Mek"], "target": ["Erk", "Erk", "Raf"], "log_odds": [-4, 1, 2]})
    np.testing.assert_array_equal(ew.EdgeBeliefs(log_odds=twice).terms(names).edge, [[0, 0, -3], [2, 0, 0], [0, 0, 0]])


def test_a_matrix_with_nothing_on_its_diagonal_is_fine():
    matrix = np.zeros((2, 2))
    np.fill_diagonal(matrix, np.nan)
    assert not ew.EdgeBeliefs(log_odds=matrix).terms(["a", "b"]).edge.any()
    assert not ew.EdgeBeliefs(probabilities=matrix + 0.5).terms(["a", "b"]).edge.any()


def one_edge(**columns):
    return pd.DataFrame({"source": ["a"], "target": ["b"]} | columns)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ew.TierOrder("ab"), "list of lists"),
        (lambda: ew.TierOrder([["a"]]), "at least two"),
        (lambda: ew.TierOrder([["a"], []]), "empty"),
        (lambda: ew.TierOrder([["a"], ["b"]], strength=np.inf), "finite number"),
        (lambda: ew.TierOrder([["a"], ["a"]]).terms(["a", "b"]), "twice"),
        (lambda: ew.TierOrder([["a"], ["x"]]).terms(["a", "b"]), "no variable 'x'"),
        (lambda: ew.Paths("a", ["b"]), "list of variables"),
        (lambda: ew.Paths(["a"], [1.5]), "names or column numbers"),
        (lambda: ew.Ancestors([("a", "b", "c")]), "pairs"),
        (lambda: ew.Ancestors(["ab"]), "pairs"),
        (lambda: ew.Ancestors("ab"), "list of pairs, but 'ab'"),
        (lambda: ew.Ancestors([("a", "a")]).terms(["a", "b"]), "with itself"),
        (lambda: ew.EdgeBeliefs(log_odds=np.zeros((2, 3))), "square"),
        (lambda: ew.EdgeBeliefs(log_odds=np.zeros((3, 3))).terms(["a", "b"]), "3 rows"),
        (lambda: ew.EdgeBeliefs(log_odds=[[0, np.inf], [0, 0]]), "Constraints"),
        (lambda: ew.EdgeBeliefs(log_odds="text"), "number for every edge"),
        (lambda: ew.EdgeBeliefs(np.zeros((2, 2))), r"probabilities=\.\.\.\) or EdgeBeliefs\(log_odds=\.\.\.\)"),
        (lambda: ew.EdgeBeliefs(), "either"),
        (lambda: ew.EdgeBeliefs(probabilities=np.zeros((2, 2)), log_odds=np.zeros((2, 2))), "either"),
        (lambda: ew.EdgeBeliefs(probabilities=np.full((2, 2), -0.1)), "between 0 and 1"),
        (lambda: ew.EdgeBeliefs(log_odds=one_edge()), "none is 'log_odds'"),
        (lambda: ew.EdgeBeliefs(probabilities=one_edge(log_odds=[1])), "none is 'probability'"),
        (lambda: ew.EdgeBeliefs(probabilities=one_edge(probability=[1.5])), "between 0 and 1"),
        (lambda: ew.EdgeBeliefs(probabilities=one_edge(probability=[1.0])), "Constraints"),
        (lambda: ew.EdgeBeliefs(log_odds=one_edge(target=["a"], log_odds=[1])).terms(["a"]), "to itself"),
        (lambda: ew.EdgeBeliefs(log_odds=pd.DataFrame(np.zeros((2, 2)), ["a", "b"], ["a", "c"])), "same variables"),
        (lambda: ew.LogPrior(3), "function of the DAG"),
        (lambda: ew.Sparsity(-1), "positive number"),
    ],
)
def test_what_cannot_be_understood_is_refused(make, message):
    with pytest.raises(ew.ArgumentError, match=message) as error:
        make()
    check_sentence(str(error.value))


def test_a_function_without_a_signature_is_given_the_dag_alone():
    (term,) = ew.LogPrior(methodcaller("sum")).terms(["a", "b"]).beyond
    assert type(term) is FunctionTerm
    assert term.function(np.array([[False, True], [False, False]]), np.arange(2)) == 1


def test_priors_add_up_to_a_flat_sum():
    prior = ew.Sparsity(1) + (ew.Paths(["a"], ["b"]) + ew.TierOrder([["a"], ["b"]]))
    assert len(prior.parts) == 3
    assert repr(prior).count(" + ") == 2
    with pytest.raises(TypeError):
        ew.Sparsity(1) + 1


class Assigning(ew.Prior):
    """It sets what it should add to."""

    def _add_to(self, terms, names):
        terms.edge = np.full((len(names), len(names)), 2.0)
        terms.beyond = []


def test_no_part_of_a_sum_replaces_what_others_say():
    paths, tiers = ew.Paths(["a"], ["b"]), ew.TierOrder([["a"], ["b"]])
    terms = (ew.Sparsity(1) + paths + Assigning() + tiers).terms(["a", "b"])
    np.testing.assert_array_equal(terms.edge, np.ones((2, 2)))
    assert [type(term) for term in terms.beyond] == [PathTerm, TierTerm]


@pytest.mark.parametrize(
    ("function", "wants"),
    [
        (lambda dag: 0, False),
        (lambda dag, order: 0, True),
        (lambda dag, pi: 0, True),
        (lambda dag, strength=2: 0, False),
        (lambda dag, order=None: 0, True),
        (lambda dag, *, order: 0, True),
        (np.sum, False),
    ],
)
def test_a_function_gets_the_order_if_it_asks_for_it(function, wants):
    (term,) = ew.LogPrior(function).terms(["a", "b"]).beyond
    assert isinstance(term, OrderFunctionTerm) is wants
    assert term.function(np.zeros((2, 2), bool), np.arange(2)) == 0

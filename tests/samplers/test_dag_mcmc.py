"""The chain over pairs of a DAG and an order: against its slow twin, enumeration, and what users were promised."""

from functools import cache
from math import inf
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

import edgewise as ew
from compiled import altered
from edgewise._kernels.dags import candidates, loop, moves, pairs
from edgewise.data import load_data
from edgewise.priors import Constraints, LogPrior, Paths, Prior, Sparsity, TierOrder
from edgewise.samplers import DagMCMC
from edgewise.scores import BGe
from exact.modular import count_in_place, layers
from naive import scores
from naive.dag_pairs import KINDS, NaivePairs, as_matrix
from naive.features import paths
from naive.knowledge import faults
from naive.stepping import ALWAYS


class Case(NamedTuple):
    """A prior, in the sampler's terms and as a function of the DAG beyond single edges; constraints; candidates."""

    prior: Prior = Sparsity(0.5)
    beyond: Any = None
    constraints: Constraints | None = None
    candidates: int = 2


def reaches_last(dag):
    """Paths([0, 1], [2]) with strength 0.7, by hand."""
    return 0.7 * paths(dag)[:2, 2].sum()


def even_edges(dag):
    return -1.1 * (dag.sum() % 2)


def in_layers(dag):
    """TierOrder([[1], [0], [2]]) with strength 0.8, by hand: variables in place, in the layers of the DAG."""
    return 0.8 * count_in_place([1, 0, 2, *[-1] * (len(dag) - 3)], layers(dag))


JOINED = ew.EdgeBeliefs(
    pd.DataFrame(
        {
            "source": [0, 0, 1, 1, 2, 2],
            "target": [1, 2, 0, 2, 0, 1],
            "log_odds": [1.8, 1.2, 1.5, 2.0, 1.0, 1.6],
        }
    )
)
"""That the first three variables are joined, so that removing a parent is not always accepted either."""

THREE = {
    "all candidates": Case(),
    "one candidate": Case(candidates=1),
    "no candidates": Case(JOINED, candidates=0),
    "required and forbidden": Case(constraints=Constraints(required=[(2, 0)], forbidden=[(1, 2)]), candidates=0),
    "tiers": Case(constraints=Constraints(tiers=[[1], [0]]), candidates=1),
    "paths": Case(Sparsity(0.5) + Paths([0, 1], [2], 0.7), reaches_last, candidates=1),
    "a function": Case(Sparsity(0.5) + LogPrior(even_edges), even_edges),
    "layers": Case(Sparsity(0.5) + TierOrder([[1], [0], [2]], 0.8), in_layers, candidates=1),
    "ancestors": Case(constraints=Constraints(ancestors=[(0, 2)], not_ancestors=[(1, 0)]), candidates=1),
}
"""Cases for three variables."""


@cache
def few_values(p, n=15):
    """Data that leave much open, so that all moves are often accepted."""
    return ew.simulate(p, n, neighbours=min(p - 1, 2.0), weights=(0.1, 0.5), seed=4).data.to_numpy()


def name(p):
    return [f"X{node}" for node in range(p)]


def know(case, p):
    return None if case.constraints is None else case.constraints.resolve(name(p))


def make_model(values, case, *, score=None):
    p = values.shape[1]
    sampler = DagMCMC(candidates=case.candidates)
    return sampler.prepare(load_data(values), score or BGe(), case.prior, know(case, p))


def make_chain(model, *, seed=0, schedule=ALWAYS):
    rng = np.random.default_rng(seed)
    return model.start(rng.permutation(len(model.required)), rng, schedule)


def weigh(values, case):
    """Return the log weight of a family, as a function of a variable and its parents."""
    edge = case.prior.terms(name(values.shape[1])).edge
    return lambda node, parents: scores.bge(values, node, sorted(parents)) + edge[sorted(parents), node].sum()


def believe(case, p):
    """Return what is believed of a DAG beyond single edges, constraints included, as a function of it."""

    def log_beyond(dag):
        if case.constraints is not None and faults(dag, case.constraints, name(p)):
            return -inf
        return 0.0 if case.beyond is None else case.beyond(dag)

    return log_beyond


def make_twin(values, case, model):
    target, p = model.target, values.shape[1]
    # Half of the time any variable is proposed, else one of the likely ones.
    proposal = np.full((p, p), 0.5 / p)
    for node in range(p):
        np.add.at(proposal[node], target.likely[node], 0.5 * np.diff(target.likely_sum[node], prepend=0.0))
    return NaivePairs(
        p,
        log_weight=weigh(values, case),
        candidates=[np.flatnonzero(row >= 0).tolist() for row in target.sets.place],
        proposal=proposal,
        knowledge=know(case, p),
        log_beyond=believe(case, p),
    )


class Posed(NamedTuple):
    """A case with its compiled model and its twin, and the twin's transition matrices by kind of move."""

    model: Any
    twin: NaivePairs
    matrices: dict[str, np.ndarray]


@cache
def pose(label, p=3):
    case = THREE[label]
    if label == "all candidates":
        case = case._replace(candidates=p - 1)
    model = make_model(few_values(p), case)
    twin = make_twin(few_values(p), case, model)
    return Posed(model, twin, {kind: twin.transition_matrix(kind) for kind in KINDS})


# -- the target, from the slow twin


def check_target(posed):
    """Each kind of move leaves the probabilities of all pairs unchanged, and all kinds together lead everywhere."""
    probability = posed.twin.probabilities()
    together = np.zeros_like(next(iter(posed.matrices.values())))
    for kind, matrix in posed.matrices.items():
        assert matrix.min() > -1e-12
        np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=0, atol=1e-12)
        np.testing.assert_allclose(probability @ matrix, probability, rtol=0, atol=1e-12, err_msg=kind)
        together += matrix / len(KINDS)
    assert len(probability) > 5
    assert (np.linalg.matrix_power(together, 64) > 0).all()


@pytest.mark.parametrize("label", THREE)
def test_the_twin_leaves_the_probabilities_of_all_pairs_unchanged(label):
    """Three variables have 48 pairs of an order and a DAG that agrees with it."""
    posed = pose(label)
    check_target(posed)
    if posed.model.knowledge is None:
        assert len(posed.twin.states) == 48


@pytest.mark.slow
@pytest.mark.parametrize("label", THREE)
def test_the_twin_leaves_the_probabilities_of_1536_pairs_unchanged(label):
    check_target(pose(label, p=4))


@pytest.mark.parametrize("label", ["all candidates", "paths", "tiers"])
def test_summed_over_orders_a_dag_counts_once(label):
    case, posed = THREE[label], pose(label)
    total = {}
    for (_, dag), probability in zip(posed.twin.states, posed.twin.probabilities(), strict=True):
        total[dag] = total.get(dag, 0.0) + probability
    log_weight, log_beyond = weigh(few_values(3), case), believe(case, 3)
    weight = [
        np.exp(sum(log_weight(node, parents) for node, parents in enumerate(dag)) + log_beyond(as_matrix(dag)))
        for dag in total
    ]
    np.testing.assert_allclose(list(total.values()), np.array(weight) / np.sum(weight), rtol=1e-10)


# -- the compiled moves, against the slow twin

ALARM = 1e-6
"""How often a test of the compiled moves fails by chance."""

SHARES = dict(zip(KINDS, np.eye(len(KINDS)), strict=True)) | {"all kinds": np.full(len(KINDS), 1 / len(KINDS))}


def go_to(chain, pair):
    order, dag = pair
    chain.state.order[:] = order
    assert chain.put(as_matrix(dag))


def take_moves(chain, kind, number, run=loop.run):
    """Take moves of a kind; return the orders and the parents, as bits, after each of them."""
    draws = chain._make_room(number)
    views, _ = chain._views()
    run(
        chain.state, chain.model.target, views, chain._room, SHARES[kind], number, 1, 1, 1, chain._recorder, draws,
        chain.rng,
    )  # fmt: skip
    return draws.order.astype(int), chain.families()[1][draws.family, 0].astype(int)


def encode(order, parents):
    """Return a number for each pair, given orders and the parents as bits, both (..., p)."""
    p = order.shape[-1]
    return (order << 4 * np.arange(p)).sum(axis=-1) << p * p | (parents << p * np.arange(p)).sum(axis=-1)


def encode_pair(pair):
    order, dag = pair
    bits = [sum(1 << u for u in parents) for parents in dag]
    return int(encode(np.array(order), np.array(bits)))


def count_transitions(posed, kind, number, *, seed=1, run=loop.run):
    """Count the transitions of chains that start at each pair; None if one leads to what is no pair at all."""
    codes = np.array([encode_pair(pair) for pair in posed.twin.states])
    rank = np.argsort(codes)
    counts = np.zeros((len(codes), len(codes)))
    chain = make_chain(posed.model, seed=seed)
    for start, pair in enumerate(posed.twin.states):
        go_to(chain, pair)
        reached = encode(*take_moves(chain, kind, number, run))
        place = np.minimum(np.searchsorted(codes, reached, sorter=rank), len(codes) - 1)
        state = rank[place]
        if (codes[state] != reached).any():
            return None
        np.add.at(counts, (np.concatenate([[start], state[:-1]]), state), 1)
    return counts


def p_value(posed, kind, number=4000, **settings):
    """Compare transitions of the compiled chain with the twin's, by a chi-square test; 0 if one is impossible.

    Given where a chain is, where it goes next is independent of all before, so that each row of the counts is a sample
    from a row of the matrix (Billingsley 1961). Of each row, what is expected fewer than 10 times counts as one.
    """
    matrix = posed.matrices[kind] if kind in KINDS else sum(posed.matrices.values()) / len(KINDS)
    counts = count_transitions(posed, kind, number, **settings)
    if counts is None or (counts[matrix <= 0] > 0).any():
        return 0.0
    statistic, freedom = 0.0, 0
    for row, expected in zip(counts, matrix * counts.sum(axis=1, keepdims=True), strict=True):
        few = expected < 10
        observed = np.append(row[~few], row[few].sum())
        expected = np.append(expected[~few], expected[few].sum())
        if expected[-1] < 10:
            observed, expected = observed[:-1], expected[:-1]
        statistic += ((observed - expected) ** 2 / expected).sum()
        freedom += max(len(expected) - 1, 0)
    return chi2.sf(statistic, freedom) if freedom else 1.0


@pytest.mark.parametrize("label", THREE)
@pytest.mark.parametrize("kind", SHARES)
def test_compiled_moves_are_as_probable_as_those_of_the_twin(label, kind):
    assert p_value(pose(label), kind) > ALARM


MISTAKES = {
    "orders are counted": (
        [pairs.log_order, moves.decide, moves.relocate, moves.redraw_parents, moves.change_outsider, loop.run],
        ("return total", "return 0.0"), "all candidates", ("relocate", "parents"),
    ),
    "what the prior says of paths is ignored": (
        [moves.decide, moves.relocate, moves.redraw_parents, moves.change_outsider, loop.run],
        ("if beyond != pair.beyond[0] and ", "if False and "), "paths", ("relocate", "parents", "outside"),
    ),
    "parents are drawn from all candidates": (
        [candidates.draw_set, moves.relocate, moves.redraw_parents, loop.run],
        ("if s & ~allowed == 0:", "if True:"), "all candidates", ("relocate", "parents"),
    ),
    "positions are weighed by the own parents only": (
        [moves.weigh_positions, moves.relocate, loop.run],
        ("log_weight[low] = passed + own", "log_weight[low] = own"), "all candidates", ("relocate",),
    ),
    "a parent that is no candidate may be passed": (
        [moves.is_bound, moves.weigh_positions, moves.relocate, loop.run],
        ("pair.extra[last] > 0 and", "False and"), "one candidate", ("relocate",),
    ),
    "the number of those to choose from is left out": (
        [moves.change_outsider, loop.run],
        (" + math.log(np.float64(pair.extra[node]))", ""), "no candidates", ("outside",),
    ),
    "all are thought to be proposed alike": (
        [moves.log_proposal, moves.change_outsider, loop.run],
        ("probability += 0.5 * ", "probability += 0.0 * "), "no candidates", ("outside",),
    ),
    "who comes before whom is forgotten in a new order": (
        [pairs.draw_order, loop.run],
        ("        allow(pair, target, v)\n", "        pass\n"), "all candidates", ("all kinds",),
    ),
}  # fmt: skip
"""Kernels to alter, what to write in place of what, a case, and the kinds of moves in which each mistake must show."""


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_wrong_move_is_caught(mistake):
    kernels, (right, wrong), label, kinds = MISTAKES[mistake]
    broken = altered(kernels, right=right, wrong=wrong)["run"]
    for kind in kinds:
        assert p_value(pose(label), kind, run=broken) < ALARM / 1000

"""The chain over pairs of a DAG and an order: against its slow twin, enumeration, and what users were promised."""

import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache
from math import inf, log
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp, softmax
from scipy.stats import chi2, t

import edgewise as ew
from compiled import altered, entry
from edgewise._kernels.dags import beyond, candidates, changes, free_moves, jumps, loop, outsiders, pairs, relocation
from edgewise._kernels.summaries import edge_odds
from edgewise.data import load_data
from edgewise.graphs import compelled_edges
from edgewise.posterior.edge_errors import directed_error, joined_error, told_error
from edgewise.priors import Ancestors, Constraints, EdgeBeliefs, LogPrior, Paths, Prior, Sparsity, TierOrder
from edgewise.samplers import DagMCMC, Schedule, order_sums
from edgewise.samplers import candidates as pilots
from edgewise.samplers import dag_mcmc as sampler
from edgewise.samplers.beliefs import Questions
from edgewise.samplers.dag_target import (
    COST_OF_OUTSIDERS,
    _make_cells,
    _widen_hubs,
    heat_target,
    make_target,
    share_moves,
)
from edgewise.scores import BGe, GaussianBIC
from exact.intervals import measure_outcomes
from exact.modular import all_dags, count_in_place, layers
from extensions.roots import Roots
from marks import with_few_rows
from naive import knowledge, scores
from naive.dag_pairs import KINDS, NaivePairs, as_dag, as_matrix, log_order
from naive.features import paths
from naive.graphs import random_dag
from naive.parent_sets import read_draws
from naive.stepping import ALWAYS
from records import make_record
from sentences import check_sentence

pytestmark = with_few_rows


class Case(NamedTuple):
    """A prior, in the sampler's terms and as a function of the DAG beyond single edges; constraints; candidates.

    ``keeps_outsiders`` if parents that are no candidates are not drawn with the others.
    """

    prior: Prior = Sparsity(0.5)
    beyond: Any = None
    constraints: Constraints | None = None
    candidates: int = 2
    keeps_outsiders: bool = False
    heat: float = 1.0


def reaches_last(dag):
    """Paths([0, 1], [2]) with strength 0.7, by hand."""
    return 0.7 * paths(dag)[:2, 2].sum()


def irregular(dag):
    """Return something else for each DAG of a few variables."""
    return float(np.sin(dag.ravel() @ np.arange(dag.size) ** 2))


def in_layers(dag):
    """TierOrder([[1], [0], [2]]) with strength 0.8, by hand: variables in place, in the layers of the DAG."""
    return 0.8 * count_in_place([1, 0, 2, *[-1] * (len(dag) - 3)], layers(dag))


JOINED = EdgeBeliefs(
    log_odds=pd.DataFrame(
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
    "believed edges": Case(JOINED),
    "one candidate, outsiders kept": Case(candidates=1, keeps_outsiders=True),
    "no candidates": Case(JOINED, candidates=0),
    "no candidates, outsiders kept": Case(JOINED, candidates=0, keeps_outsiders=True),
    "heated": Case(candidates=1, heat=0.5),
    "roots": Case(constraints=Constraints(roots=[1])),
    "uneven candidates": Case(JOINED, constraints=Constraints(forbidden=[(1, 2)])),
    "required and forbidden": Case(constraints=Constraints(required=[(2, 0)], forbidden=[(1, 2)]), candidates=0),
    "tiers": Case(constraints=Constraints(tiers=[[1], [0]]), candidates=1),
    "paths": Case(Sparsity(0.5) + Paths([0, 1], [2], 0.7), reaches_last, candidates=1),
    "a function": Case(Sparsity(0.5) + LogPrior(irregular), irregular),
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
    sampler = DagMCMC(candidates=case.candidates, tempering=False)
    model = sampler.prepare(load_data(values), score or BGe(), case.prior, know(case, p))
    if case.keeps_outsiders:
        model = replace(model, target=model.target._replace(outsider=np.full((p, 1), -1)))
    if case.heat < 1:
        target = heat_target(model.target, case.heat)
        model = replace(model, target=target._replace(sums=order_sums.sum_over_orders(target.sets, target.earlier)))
    return model


def make_chain(model, *, seed=0, schedule=ALWAYS):
    rng = np.random.default_rng(seed)
    return model.start(rng.permutation(len(model.required)), rng, schedule)


def weigh(values, case, local=scores.bge):
    """Return the log weight of a family, as a function of a variable and its parents."""
    edge = case.prior.terms(name(values.shape[1])).edge
    return lambda node, parents: local(values, node, sorted(parents)) + edge[sorted(parents), node].sum()


def faults(dag, constraints):
    """Return what of the constraints a DAG breaks, in words; a path from a later to an earlier tier is a fault too."""
    path = paths(dag)
    found = knowledge.faults(dag, constraints, name(len(dag)))
    for number, later in enumerate(constraints.tiers):
        for earlier in constraints.tiers[:number]:
            found += [f"a path {a} to {b} against tiers" for a in later for b in earlier if path[a, b]]
    return found


def believe(case):
    """Return what is believed of a DAG beyond single edges, constraints included, as a function of it."""

    def log_beyond(dag):
        if case.constraints is not None and faults(dag, case.constraints):
            return -inf
        return 0.0 if case.beyond is None else case.beyond(dag)

    return log_beyond


def make_twin(values, case, model):
    target, p = model.target, values.shape[1]
    # Half of the time any variable is proposed, else one of the likely ones.
    proposal = np.full((p, p), 0.5 / p)
    for node in range(p):
        np.add.at(proposal[node], target.likely[node], 0.5 * np.diff(target.likely_sum[node], prepend=0.0))
    candidates = [np.flatnonzero(row >= 0).tolist() for row in target.sets.place]
    log_weight = weigh(values, case)

    def heated(node, parents):
        outsiders = len(parents - set(candidates[node]))
        return case.heat * log_weight(node, parents) + COST_OF_OUTSIDERS * log(case.heat) * outsiders

    return NaivePairs(
        p,
        log_weight=heated if case.heat < 1 else log_weight,
        candidates=candidates,
        share=np.exp(target.log_share),
        proposal=proposal,
        turns=changes.TURNS * p if model.beliefs is None else 1,
        most_drawn=0 if case.keeps_outsiders else outsiders.MOST_DRAWN,
        knowledge=know(case, p),
        log_beyond=believe(case),
    )


class Posed(NamedTuple):
    """A case with its compiled model and its twin, and the twin's transition matrices by kind of move."""

    model: Any
    twin: NaivePairs
    matrices: dict[str, np.ndarray]


@cache
def pose(label, p=3, kinds=KINDS):
    case = THREE[label]
    if label == "all candidates":
        case = case._replace(candidates=p - 1)
    model = make_model(few_values(p), case)
    share = np.arange(1, p + 1) / np.arange(1, p + 1).sum()
    kept, other = _make_cells(share)
    model = replace(model, target=model.target._replace(log_share=np.log(share), kept=kept, other=other))
    twin = make_twin(few_values(p), case, model)
    return Posed(model, twin, {kind: twin.transition_matrix(kind) for kind in kinds})


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
    log_weight, log_beyond = weigh(few_values(3), case), believe(case)
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


def take_moves(chain, kind, number, work=loop.work):
    """Take moves of a kind; return the orders and the parents, as bits, after each of them."""
    draws = chain._make_room(number)
    views = None
    if chain.model.beliefs is not None:
        views = Questions(chain.model.functions, chain.model.beliefs, chain._structure).views
    work(
        loop.STEP, chain.state, chain.model.target, views, chain._room, SHARES[kind], number, 1, 1, 1, chain._recorder,
        draws, chain.rng,
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


def count_transitions(posed, kind, number, *, seed=1, work=loop.work):
    """Count the transitions of chains that start at each pair; None if one leads to what is no pair at all."""
    codes = np.array([encode_pair(pair) for pair in posed.twin.states])
    rank = np.argsort(codes)
    counts = np.zeros((len(codes), len(codes)))
    chain = make_chain(posed.model, seed=seed)
    for start, pair in enumerate(posed.twin.states):
        go_to(chain, pair)
        reached = encode(*take_moves(chain, kind, number, work))
        place = np.minimum(np.searchsorted(codes, reached, sorter=rank), len(codes) - 1)
        state = rank[place]
        if (codes[state] != reached).any():
            return None
        np.add.at(counts, (np.concatenate([[start], state[:-1]]), state), 1)
    return counts


def p_value(posed, kind, *, moves=2000, **settings):
    """Compare transitions of the compiled chain with the twin's, by a chi-square test; 0 if one is impossible.

    From each pair there are so many moves, and twice as many where these are of all kinds. Given where a chain is,
    where it goes next is independent of all before, so that each row of the counts is a sample from a row of the matrix
    (Billingsley 1961). Of each row, what is expected fewer than 10 times counts as one.
    """
    matrix = posed.matrices[kind] if kind in KINDS else sum(posed.matrices.values()) / len(KINDS)
    counts = count_transitions(posed, kind, moves if kind in KINDS else 2 * moves, **settings)
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


@pytest.mark.slow
@pytest.mark.parametrize("label", ["believed edges", "one candidate", "no candidates", "tiers", "paths"])
def test_compiled_jumps_among_four_variables_are_as_probable_as_those_of_the_twin(label):
    """Of two candidates that a variable has here, either can be exchanged."""
    assert p_value(pose(label, p=4, kinds=("jump",)), "jump") > ALARM


LOOP = [loop.run, loop.work]


@pytest.mark.slow
def test_jumps_that_exchange_the_first_candidate_alone_are_caught():
    kernels = [jumps.pick_exchanged, jumps.log_excess_by_jump, jumps.log_excess_of_all, jumps.draw_by_jump,
               jumps.draw_all, jumps.jump, *LOOP]  # fmt: skip
    broken = altered(kernels, right="if rng.random() >= EXCHANGED or chosen == 0:", wrong="if chosen & 1 == 0:")["work"]
    assert p_value(pose("believed edges", p=4, kinds=("jump",)), "jump", work=broken) < ALARM / 1000


RELOCATING = [relocation.relocate, *LOOP]
CHANGING = [loop.change_dag, *LOOP]

MISTAKES = {
    "orders are counted": (
        [pairs.log_order, relocation.decide, *RELOCATING],
        ("return total", "return 0.0"), "all candidates", ("relocate",),
    ),
    "what the prior says of paths is ignored in relocation": (
        [relocation.decide, *RELOCATING],
        ("if beyond != pair.beyond[0] and ", "if False and "), "paths", ("relocate",),
    ),
    "what the prior says of paths is ignored": (
        CHANGING,
        ("or is_rejected(log_ratio + beyond - pair.beyond[0], rng.random())", ""),
        "paths", ("reverse", "parents", "outside", "edge"),
    ),
    "parents are drawn from all candidates": (
        [candidates.draw_set_with, candidates.draw_set, relocation.redraw_candidates, relocation.propose, *RELOCATING],
        ("low = allowed & last", "low = last"), "all candidates", ("relocate",),
    ),
    "positions are weighed by the own parents only": (
        [relocation.weigh_positions, relocation.propose, *RELOCATING],
        ("log_weight[low] = passed + own", "log_weight[low] = own"), "all candidates", ("relocate",),
    ),
    "a parent that is kept may be passed": (
        [relocation.is_outsider, relocation.weigh_positions, relocation.propose, *RELOCATING],
        ("pair.extra[node] > 0 and", "False and"), "one candidate, outsiders kept", ("relocate",),
    ),
    "what passed variables weigh with an outsider is left out": (
        [relocation.weigh_positions, relocation.propose, *RELOCATING],
        ("passed += without - add_logs(pair.log_weight[u], toggled[u])", "pass"), "no candidates", ("relocate",),
    ),
    "passed variables never get an outsider": (
        [relocation.propose, *RELOCATING],
        ("(chosen < k and rng.random() < share)", "False"), "no candidates", ("relocate",),
    ),
    "what the moved variable weighs with outsiders is left out": (
        [relocation.redraw_own, relocation.propose, *RELOCATING],
        ("return log_excess(pair, target, room, node, 0)", "return 0.0"), "no candidates", ("relocate",),
    ),
    "outsiders of a reversed edge are not weighed": (
        [changes.reverse_edge, *CHANGING],
        ("log_ratio += log_excess(pair, target, room, i, 0) + log_excess(pair, target, room, j, 2)", "pass"),
        "one candidate", ("reverse",),
    ),
    "outsiders are drawn among descendants": (
        [outsiders.weigh_outsiders, outsiders.log_present, outsiders.log_excess, outsiders.draw_outsider,
         outsiders.add_outsiders, outsiders.draw_family, changes.redraw_parents, changes.change_family, *CHANGING],
        ("if u != given and not has(room.below, i, u):", "if u != given:"), "no candidates", ("parents",),
    ),
    "the number of those to choose from is left out": (
        [changes.change_outsider, changes.change_family, *CHANGING],
        ("+ math.log(outsiders)", ""), "no candidates", ("outside",),
    ),
    "all are thought to be proposed alike": (
        [changes.log_proposal, changes.change_outsider, changes.change_family, *CHANGING],
        ("probability += 0.5 * ", "probability += 0.0 * "), "no candidates", ("outside",),
    ),
    "cycles are closed from outside": (
        [changes.change_outsider, changes.change_family, *CHANGING],
        ("if has(room.below, 0, u):", "if False:"), "no candidates", ("outside",),
    ),
    "who is known to come later may be a parent": (
        [changes.find_below, changes.redraw_parents, changes.change_family, *CHANGING],
        ("(pair.parents[v, w] | target.earlier[v, w])", "pair.parents[v, w]"), "tiers", ("parents",),
    ),
    "how probable a new order was is forgotten": (
        [pairs.draw_order, *CHANGING],
        ("    pair.log_order[0] = total\n", "    pass\n"), "all candidates", ("all kinds",),
    ),
    "any edge may be turned": (
        [changes.is_covered, changes.turn_edge, changes.turn_edges, *CHANGING],
        ("return differs == np.uint64(0)", "return True"), "all candidates", ("turn",),
    ),
    "edges are turned whatever they weigh": (
        [changes.turn_edge, changes.turn_edges, *CHANGING],
        ("if is_rejected(log_ratio, rng.random()):", "if False:"), "believed edges", ("turn",),
    ),
    "an edge is reversed as if that were as easy as the way back": (
        [changes.reverse_edge, *CHANGING],
        ("log_ratio = forth +", "log_ratio = back +"), "believed edges", ("reverse",),
    ),
    "the other end of a reversed edge has parents below both": (
        [changes.reverse_edge, *CHANGING],
        ("below[2, w] = below[0, w] | below[1, w]", "below[2, w] = below[1, w]"), "believed edges", ("reverse",),
    ),
    "how many parents there are to pick from is left out": (
        [changes.log_ways, changes.reverse_edge, changes.turn_edge, changes.turn_edges, *CHANGING],
        ("+ room.log_number[size]", ""), "believed edges", ("reverse", "turn"),
    ),
    "that some variables are picked more often is left out": (
        [changes.log_ways, changes.reverse_edge, changes.turn_edge, changes.turn_edges, *CHANGING],
        ("- target.log_share[j]", "- target.log_share[i]"), "believed edges", ("reverse", "turn"),
    ),
    "that some are given parents from outside more often is left out": (
        [changes.change_outsider, changes.change_family, *CHANGING],
        ("- target.log_share[node]", "+ target.log_share[node]"), "no candidates", ("outside",),
    ),
    "all variables are picked alike": (
        [candidates.draw_variable, changes.pick_edge, changes.reverse_edge, changes.turn_edge, changes.turn_edges,
         *CHANGING],
        ("if place - cell < target.kept[cell]", "if True"), "believed edges", ("reverse", "turn", "parents"),
    ),
    "the share of a variable goes to a position": (
        LOOP, ("pair.position[which]", "which"), "all candidates", ("relocate",),
    ),
    "a parent is swapped whatever that weighs": (
        [changes.change_family, *CHANGING],
        ("if is_rejected(", "if False and is_rejected("), "one candidate", ("swap",),
    ),
    "those who have no way back are swapped": (
        [changes.swap_parent, changes.change_family, *CHANGING],
        ("or sets.place[other, u] < 0", ""), "one candidate", ("swap",),
    ),
    "how many there are to swap with is left out": (
        [changes.swap_parent, changes.change_family, *CHANGING],
        (" - room.log_number[sets.number[other]]", ""), "uneven candidates", ("swap",),
    ),
    "a jump goes to DAGs as often as they have orders": (
        [jumps.log_choice, jumps.jump, *LOOP], ("return log_total", "return 0.0"), "all candidates", ("jump",),
    ),
    "what outsiders weigh in a jump is left out": (
        [jumps.log_excess_of_all, jumps.jump, *LOOP],
        ("total += log_excess_by_jump(pair, target, room, v, rng)", "pass"), "one candidate", ("jump",),
    ),
    "for what an outsider may have come is left out": (
        [jumps.log_exchanges, jumps.log_excess_by_jump, jumps.log_excess_of_all, jumps.draw_by_jump, jumps.draw_all,
         jumps.jump, *LOOP],
        ("total += EXCHANGED / (number + 1) * share_of(log_sum - log_back)", "pass"), "one candidate", ("jump",),
    ),
    "it is not weighed that a candidate could come back": (
        [jumps.draw_by_jump, jumps.draw_all, jumps.jump, *LOOP],
        ("return log_total - log_back", "return log_total"), "one candidate", ("jump",),
    ),
    "that there could be a second outsider is left out": (
        [outsiders.log_present, jumps.log_excess_by_jump, jumps.log_excess_of_all, jumps.draw_by_jump, jumps.draw_all,
         jumps.jump, *LOOP],
        ("log_one -= add_logs(0.0, weigh_outsiders(pair, target, room, node, chosen, one, i))", "pass"),
        "no candidates", ("jump",),
    ),
    "what the prior says of paths is ignored in a jump": (
        [jumps.jump, *LOOP],
        ("elif beyond == pair.beyond[0] or not is_rejected(beyond - pair.beyond[0], rng.random()):", "else:"),
        "paths", ("jump",),
    ),
    "how many edges there are to remove is left out": (
        [free_moves.change_edge, *CHANGING], ("- math.log(edges + 1)", ""), "paths", ("edge",),
    ),
    "what the data say of a single edge is ignored": (
        [free_moves.change_edge, *CHANGING], ("log_ratio += pair.log_weight[w] - room.old_log_weight[c]", "pass"),
        "paths", ("edge",),
    ),
    "a single edge closes a cycle": (
        [free_moves.add_edge, free_moves.change_edge, *CHANGING], ("if has(room.below, 0, i):", "if False:"),
        "paths", ("edge",),
    ),
    "how probably parents come back is left out": (
        [free_moves.clear_parents, *CHANGING], ("else -log_ratio", "else 0.0"), "paths", ("clear",),
    ),
    "required edges are removed": (
        [free_moves.pick_free, free_moves.change_edge, *CHANGING],
        ("if rules.edge[rules.row[v], u] == TESTED:", "if True:"), "required and forbidden", ("edge",),
    ),
}  # fmt: skip
"""Kernels to alter, what to write in place of what, a case, and the kinds of moves in which each mistake must show."""


ALWAYS_TRIED = (
    "orders are counted",
    "parents are drawn from all candidates",
    "an edge is reversed as if that were as easy as the way back",
    "the number of those to choose from is left out",
    "how many edges there are to remove is left out",
)
"""One mistake of each kind. Each takes a compilation, so that the others are left to the slow tests."""


@pytest.mark.parametrize(
    "mistake", [pytest.param(name, marks=[pytest.mark.slow] * (name not in ALWAYS_TRIED)) for name in MISTAKES]
)
def test_a_wrong_move_is_caught(mistake):
    kernels, (right, wrong), label, kinds = MISTAKES[mistake]
    broken = altered(kernels, right=right, wrong=wrong)["work"]
    for kind in kinds:
        assert p_value(pose(label), kind, moves=6000, work=broken) < ALARM / 1000


# -- tables


@dataclass(frozen=True)
class Never(Prior):
    """That there is no edge from the first variable to the second."""

    def _add_to(self, terms, names):
        terms.edge[0, 1] = -inf


def few_rows(values, node, parents):
    """BIC, which gives no weight to families with as many parameters as rows."""
    return scores.bic(values, node, parents) if len(parents) <= len(values) - 2 else -inf


class Table(NamedTuple):
    case: Case
    score: Any = BGe()
    local: Any = scores.bge


TABLES = {
    "all candidates": Table(Case(candidates=5)),
    "two candidates": Table(Case(EdgeBeliefs(log_odds=np.arange(36).reshape(6, 6) / 20), candidates=2)),
    "required parents": Table(
        Case(constraints=Constraints(required=[(0, 5), (3, 5), (1, 0)], forbidden=[(2, 5)]), candidates=4)
    ),
    "an edge that the prior excludes": Table(Case(Sparsity(0.3) + Never(), candidates=5)),
    "few rows": Table(Case(candidates=5), GaussianBIC(), few_rows),
}


@cache
def tabulate(label):
    table, values = TABLES[label], few_values(6, 5)
    return make_model(values, table.case, score=table.score), weigh(values, table.case, table.local)


def list_sets(model, node):
    """Yield the candidates' subsets of a variable, as numbers, and the parents that it has with each."""
    sets = model.target.sets
    members = sets.member[node, : sets.number[node]].tolist()
    required = np.flatnonzero(model.required[:, node]).tolist()
    for number in range(1 << len(members)):
        yield number, {*required, *(u for k, u in enumerate(members) if number >> k & 1)}


def check_tables(model, log_weight, nodes):
    sets = model.target.sets
    for node in nodes:
        block = slice(sets.start[node], sets.start[node] + (1 << sets.number[node]))
        weights = np.array([log_weight(node, parents) for _, parents in list_sets(model, node)])
        np.testing.assert_allclose(sets.log_weight[block], weights, rtol=1e-9)
        within = [[some for some in range(len(weights)) if some & ~s == 0] for s in range(len(weights))]
        np.testing.assert_allclose(sets.log_sum[block], [logsumexp(weights[some]) for some in within], rtol=1e-9)
        last = (1 << sets.number[node] // 2) - 1
        halves = [[some for some in rest if (some ^ s) & ~last == 0] for s, rest in enumerate(within)]
        np.testing.assert_allclose(sets.log_half[block], [logsumexp(weights[some]) for some in halves], rtol=1e-9)


@pytest.mark.parametrize("label", TABLES)
def test_weights_of_sets_and_their_sums(label):
    model, log_weight = tabulate(label)
    check_tables(model, log_weight, range(6))
    is_possible = model.target.sets.log_weight > -inf
    assert is_possible.all() == (label not in ("an edge that the prior excludes", "few rows"))


draw_set = entry(candidates.draw_set)


@pytest.mark.parametrize("label", TABLES)
def test_sets_are_drawn_by_weight(label, rng):
    """The probability of each set is the length of the interval of random numbers that lead to it."""
    model, log_weight = tabulate(label)
    sets = model.target.sets
    for node in range(6):
        for allowed in {0, (1 << sets.number[node]) - 1, int(rng.integers(1 << sets.number[node]))}:
            share = measure_outcomes(lambda uniform: draw_set(sets, node, allowed, uniform), parts=4)  # noqa: B023
            possible = {s: parents for s, parents in list_sets(model, node) if s & ~allowed == 0}
            expected = softmax([log_weight(node, parents) for parents in possible.values()])
            assert set(share) <= set(possible)
            np.testing.assert_allclose([share.get(s, 0.0) for s in possible], expected, rtol=0, atol=1e-9)
            last = draw_set(sets, node, allowed, np.nextafter(1.0, 0.0))
            assert log_weight(node, possible[last]) > -inf, "no random number is for sets without weight"


@pytest.mark.parametrize("p", [5, 70])
def test_the_probability_of_an_order_given_a_dag(p, rng):
    """Given, and after a new order has been drawn; with 70 variables, sets take two words."""
    first, last = rng.choice(p, 2, replace=False).tolist()
    case = Case(constraints=Constraints(tiers=[[first], [last]]), candidates=1)
    model = make_model(few_values(p), case)
    chain = make_chain(model)
    for density in (0.0, 3 / p, 0.8):
        dag = random_dag(p, rng, density)
        dag[last] = dag[:, first] = False
        chain.state.order[:] = any_order(dag | model.knowledge.before, rng)
        assert chain.put(dag)
        for _ in range(5):
            order = tuple(chain.state.order.tolist())
            assert chain.state.log_order[0] == pytest.approx(log_order(order, as_dag(dag), model.knowledge.before))
            take_moves(chain, "turn", 1)
            dag = chain.dag
            check_state(chain)


def any_order(graph, rng):
    """Return an order of a graph without cycles: of those whose parents are all placed, any one comes next."""
    parents, rest, order = as_dag(graph), set(range(len(graph))), []
    while rest:
        ready = sorted(v for v in rest if not parents[v] & rest)
        order.append(ready[rng.integers(len(ready))])
        rest.remove(order[-1])
    return order


def check_state(chain):
    """What a chain has kept up is what follows from its order and its DAG."""
    state = chain.state
    kept = {field: getattr(state, field).copy() for field in state._fields}
    assert sorted(state.order.tolist()) == list(range(len(state.order)))
    assert not np.tril(chain.dag[np.ix_(state.order, state.order)]).any()
    assert chain.put(chain.dag)
    for field, array in kept.items():
        np.testing.assert_allclose(array, getattr(state, field), rtol=0, atol=1e-8, err_msg=field)


@pytest.mark.parametrize("label", THREE)
def test_a_chain_keeps_up_what_it_knows(label):
    chain = make_chain(make_model(few_values(6), THREE[label]))
    for _ in range(50):
        chain.advance(7)
        check_state(chain)
    assert all(accepted > 0 for kind, (made, accepted) in chain.moves().items() if made and can_move(kind, label))


def can_move(kind, label):
    """Return whether moves of a kind are often accepted, in runs of few iterations."""
    needs_candidates = kind in ("reverse", "parents", "swap")
    return kind != "jump" and not (needs_candidates and THREE[label].candidates == 0)


# -- starts


def random_constraints(rng, p):
    """Return constraints of all kinds, a few of each; most of them contradict each other."""
    pairs = [(i, j) for i in range(p) for j in range(p) if i != j]

    def some(most):
        return [pairs[i] for i in rng.permutation(len(pairs))[: rng.integers(most + 1)]]

    def rarely(variables):
        return variables if rng.random() < 0.2 else []

    first, second, third, fourth = rng.permutation(p)[[0, 1, -2, -1]].tolist()
    ancestors = some(2)
    return Constraints(
        required=some(1),
        forbidden=[*some(3), *rarely(ancestors)],
        ancestors=ancestors,
        not_ancestors=some(3),
        roots=rarely([first]),
        leaves=rarely([second]),
        tiers=rarely([[third], [fourth]]),
    )


@pytest.mark.parametrize(("hubs", "most"), [(0, 12), (1, 16), (20, 13), (1000, 12)])
def test_hubs_have_more_candidates_as_far_as_there_is_room(hubs, most):
    """With twelve candidates each, a thousand variables leave room for few more sets."""
    is_hub = np.arange(1000) < hubs
    wider = _widen_hubs(np.full(1000, 12), np.where(is_hub, 40, 3))
    np.testing.assert_array_equal(wider, np.where(is_hub, most, 12))


def test_one_pilot_is_enough_when_it_is_over(monkeypatch):
    judge, judged = pilots.add_edge_odds, []

    def note(*arguments):
        judged.append(len(arguments[2]))
        judge(*arguments)

    monkeypatch.setattr(pilots, "add_edge_odds", note)
    arguments = load_data(few_values(4)), BGe(), Sparsity(0.5).terms(name(4)), None
    every = sampler.explore(*arguments)
    number = len(judged)
    judged.clear()
    one = sampler.explore(*arguments, lambda: bool(judged))
    assert 0 < len(judged) < number
    np.testing.assert_allclose(one.probability, every.probability, rtol=0, atol=0.2)


@pytest.mark.parametrize(("p", "number"), [(3, 50), (4, 100), pytest.param(4, 5000, marks=pytest.mark.slow)])
def test_there_is_a_start_wherever_a_dag_satisfies_the_constraints(p, number, rng, monkeypatch):
    """Without candidates, no DAG is found by luck: only required edges are there, and the paths that are needed."""
    pilot = sampler.explore(load_data(few_values(p)), BGe(), Sparsity(0.5).terms(name(p)), None)
    monkeypatch.setattr(sampler, "explore", lambda *_: pilot)
    satisfied = 0
    for _ in range(number):
        constraints = random_constraints(rng, p)
        try:
            model = make_model(few_values(p), Case(constraints=constraints, candidates=0))
        except ew.ArgumentError:  # no DAG satisfies them, as tests/priors checks
            continue
        chain = make_chain(model, seed=satisfied)
        assert not faults(chain.dag, constraints)
        check_state(chain)
        satisfied += 1
    assert satisfied > number / 5


def test_a_start_keeps_clear_of_excluded_ancestors():
    """The shortest path from 0 to 3, by 1 and 2 in every order, makes 0 an ancestor of 2; another is 0 4 5 6 3."""
    path = {(0, 4), (4, 5), (5, 6), (6, 3)}
    constraints = Constraints(
        tiers=[[0], [1], [2], [3]],
        ancestors=[(0, 3)],
        not_ancestors=[(0, 2)],
        forbidden=[
            (i, j) for i in range(7) for j in range(7) if i != j and (i, j) not in path | {(0, 1), (1, 2), (2, 3)}
        ],
    )
    chain = make_chain(make_model(few_values(7), Case(constraints=constraints, candidates=0)))
    assert {(i, j) for i, j in np.argwhere(chain.dag).tolist()} == path


@pytest.mark.parametrize("number", [0, 1, 4])
def test_a_chain_that_looks_for_a_better_start_leaves_nothing_behind(number):
    """At first it is at a least DAG, whose edges are no candidates: they must not stay where it draws another DAG."""
    constraints = Constraints(ancestors=[(0, 1), (2, 3)], forbidden=[(0, 1)])
    model = make_model(few_values(5), Case(constraints=constraints, candidates=number))
    for seed in range(10):
        chain = make_chain(model, seed=seed)
        chain.seek()
        check_state(chain)
        chain.advance(20)
        check_state(chain)
        assert not faults(chain.dag, constraints)


@pytest.mark.parametrize("can_jump", [False, True])
def test_a_chain_that_finds_no_better_start_stays(monkeypatch, can_jump):
    model = make_model(few_values(4), Case(Sparsity(0.5) + LogPrior(irregular)))
    if not can_jump:
        model = replace(model, target=model.target._replace(sums=order_sums.no_sums(4)))
    chain = make_chain(model)
    order, dag, log_posterior = chain.state.order.copy(), chain.dag, chain.log_posterior
    monkeypatch.setattr(sampler, "STARTS", 0)
    establish, refusals = chain._establish, iter([False])
    monkeypatch.setattr(chain, "_establish", lambda task: establish(task) and next(refusals, True))
    chain.seek()
    np.testing.assert_array_equal(chain.state.order, order)
    np.testing.assert_array_equal(chain.dag, dag)
    assert chain.log_posterior == pytest.approx(log_posterior)
    check_state(chain)


def two_edges(dag):
    return 0.0 if dag.sum() == 2 else -inf


def test_a_start_that_the_prior_excludes_is_not_taken():
    chain = make_chain(make_model(few_values(4), Case(LogPrior(two_edges))))
    dags, *_ = read_draws(chain, chain.advance(2000))
    assert (dags.sum(axis=(1, 2)) == 2).all()
    assert len(np.unique(dags, axis=0)) > 20


# -- full runs, against enumeration


def loves_roots(dag):
    """Roots(1.5), by hand."""
    return 1.5 * (~dag.any(axis=0)).sum()


def goes_far(dag):
    """Ancestors([(0, 3), (1, 2)]) with strength -0.9, by hand."""
    return -0.9 * paths(dag)[[0, 1], [3, 2]].sum()


BELIEFS = EdgeBeliefs(
    log_odds=np.array([[0.0, 0.3, -0.5, 0.1], [-0.2, 0.0, 0.8, 0.4], [0.6, -0.9, 0.0, -0.3], [0.2, 0.1, 0.5, 0.0]])
)

FOUR = {
    "sparsity": Case(),
    "beliefs": Case(Sparsity(0.2) + BELIEFS),
    "paths": Case(Sparsity(0.5) + Paths([0, 1], [2], 0.7), reaches_last),
    "ancestors believed": Case(Sparsity(0.5) + Ancestors([(0, 3), (1, 2)], -0.9), goes_far),
    "a function": Case(Sparsity(0.5) + LogPrior(irregular), irregular),
    "layers": Case(Sparsity(0.5) + TierOrder([[1], [0], [2]], 0.8), in_layers),
    "layers and tiers": Case(Sparsity(0.5) + TierOrder([[1], [0], [2]], 0.8), in_layers, Constraints(tiers=[[3], [0]])),
    "a compiled term": Case(Sparsity(0.5) + Roots(1.5), loves_roots),
    "required": Case(constraints=Constraints(required=[(2, 0), (0, 3)])),
    "forbidden": Case(constraints=Constraints(forbidden=[(0, 1), (1, 0), (2, 3)])),
    "tiers": Case(constraints=Constraints(tiers=[[3], [0, 1]])),
    "roots": Case(constraints=Constraints(roots=[1])),
    "leaves": Case(constraints=Constraints(leaves=[2])),
    "ancestors": Case(constraints=Constraints(ancestors=[(0, 2), (3, 1)])),
    "no ancestors": Case(constraints=Constraints(not_ancestors=[(1, 3), (2, 0)])),
    "a way round": Case(constraints=Constraints(ancestors=[(0, 2)], forbidden=[(0, 2)])),
    "much": Case(
        Sparsity(0.2) + BELIEFS + Paths([0, 1], [2], 0.7),
        reaches_last,
        Constraints(required=[(3, 2)], forbidden=[(1, 2)], tiers=[[0], [3]], not_ancestors=[(1, 0)]),
    ),
}
"""Cases for four variables."""

MEASURES = ("directed", "joined", "compelled", "paths")


@cache
def measure_dags():
    """Return MEASURES of all DAGs of four variables, shape (543, 4, 4, 4)."""
    return np.array([[dag, dag | dag.T, compelled_edges(dag), paths(dag)] for dag in all_dags(4)])


@cache
def weigh_dags(label, n=15):
    """Return the exact probabilities of all DAGs of four variables."""
    log_weight, log_beyond = cache(weigh(few_values(4, n), FOUR[label])), believe(FOUR[label])
    return softmax(
        [
            log_beyond(dag) + sum(log_weight(node, parents) for node, parents in enumerate(as_dag(dag)))
            for dag in all_dags(4)
        ]
    )


def find_errors(label, number, *, iterations=20_000, tempering="auto"):
    """Sample; return the errors of all measures, and how large they are by chance, from batches of draws."""
    posterior = ew.sample(
        few_values(4), sampler=DagMCMC(candidates=number, tempering=tempering), prior=FOUR[label].prior,
        constraints=FOUR[label].constraints, iterations=iterations, burn_in=0.05, thin=1, chains=4, seed=1,
        progress=False,
    )  # fmt: skip
    bits = 1 << np.arange(16)
    codes = all_dags(4).reshape(-1, 16) @ bits
    rank = np.argsort(codes)
    drawn = rank[np.searchsorted(codes, posterior.dags().reshape(4, -1, 16) @ bits, sorter=rank)]
    batches = np.stack(np.split(drawn, 25, axis=1)).reshape(100, -1)
    shares = np.array([np.bincount(batch, minlength=543) for batch in batches]) / batches.shape[1]
    means = np.tensordot(shares, measure_dags(), axes=1)
    exact = np.tensordot(weigh_dags(label), measure_dags(), axes=1)
    return np.abs(means.mean(axis=0) - exact), means.std(axis=0, ddof=1) / np.sqrt(100)


BOUND = t.isf(ALARM / 2 / 4**3, 99)
"""64 measures, two sides, 100 batches: all errors are within this many standard errors but for one run in a million."""

RARE = 1e-3
"""What is drawn a few times in a run, or never, has no useful error of its own: allow it one in a thousand."""


with_few_and_all_candidates = pytest.mark.parametrize("number", ["auto", 1])

by_case = pytest.mark.parametrize("label", FOUR)


@with_few_and_all_candidates
@by_case
def test_full_runs_agree_with_enumeration(label, number):
    """Chains mix worst where a required ancestor must not be a parent: 76,000 draws are worth 1,700, else 40,000."""
    error, chance = find_errors(label, number)
    assert chance.max() < (0.025 if label == "a way round" else 0.015)
    assert (error <= BOUND * chance + RARE).all()


@pytest.mark.slow
@with_few_and_all_candidates
@by_case
def test_long_runs_agree_with_enumeration_within_one_in_a_hundred(label, number):
    error, chance = find_errors(label, number, iterations=400_000)
    assert (error <= BOUND * chance + RARE).all()
    assert error.max() < 0.01


def test_full_runs_without_candidates_agree_with_enumeration():
    error, chance = find_errors("much", 0)
    assert (error <= BOUND * chance + RARE).all()


@pytest.mark.parametrize(
    "label",
    [pytest.param(name, marks=[pytest.mark.slow] * (name not in ("beliefs", "layers", "much"))) for name in FOUR],
)
def test_tempered_runs_agree_with_enumeration(label):
    error, chance = find_errors(label, 1, tempering=True)
    assert (error <= BOUND * chance + RARE).all()


def test_a_wrong_target_is_caught_by_full_runs(monkeypatch):
    kernels, (right, wrong), *_ = MISTAKES["orders are counted"]
    monkeypatch.setattr(sampler, "work", altered(kernels, right=right, wrong=wrong)["work"])
    error, chance = find_errors("sparsity", "auto")
    assert (error > BOUND * chance + RARE).any()


def as_much_as(edges):
    """What Sparsity(edges) says, in other words."""
    yield LogPrior(lambda dag: -edges * dag.sum())
    yield Paths(["X0", "X1"], ["X0", "X1"], strength=-edges)


def test_a_prior_is_heard_against_strong_data():
    """All that families are drawn by are the data, which want the edge 3e8 times as much; the prior does not."""
    data = ew.Covariance(np.array([[1.0, 0.6], [0.6, 1.0]]), 100, names=["X0", "X1"])
    with_edge, without = (ew.score(np.array([[0, edge], [0, 0]], bool), data) for edge in (1, 0))
    for prior in as_much_as(with_edge - without):
        posterior = ew.sample(data, prior=prior, iterations=20_000, seed=1, progress=False)
        joined = posterior.edge_probabilities("undirected").iloc[0, 1]
        assert abs(joined - 2 / 3) < 0.03  # 4 standard errors of 4000 independent draws


def test_a_prior_is_heard_that_wants_all_parents_gone():
    """To remove some of them costs what the data say, and brings nothing before the last is gone."""
    data = ew.simulate(4, 60, seed=2).data
    prior = LogPrior(lambda dag: -100.0 * dag.any(axis=0).sum())
    posterior = ew.sample(data, prior=prior, iterations=5000, seed=1, progress=False)
    assert posterior.edge_probabilities().to_numpy().max() < 1e-3  # It is 2e-34.


def test_required_ancestors_are_reached_by_all_paths():
    """Where data show no edge at all, paths are as short or as long as their edges are dear, not as at the start."""
    rng = np.random.default_rng(1)
    data = pd.DataFrame(rng.normal(size=(3000, 4)), columns=name(4))
    constraints = Constraints(ancestors=[("X0", "X3"), ("X1", "X3"), ("X2", "X3")])
    exact = ew.exact_posterior(data, constraints=constraints)
    posterior = ew.sample(data, constraints=constraints, seed=1, progress=False)
    difference = posterior.edge_probabilities() - exact.edge_probabilities()
    assert difference.abs().to_numpy().max() < 0.06
    assert exact.edge_probabilities()["X3"].iloc[:3].between(0.3, 0.7).all()


# -- edge probabilities given all other edges, and in the place of others


class Odds(NamedTuple):
    """Averages over all DAGs of four variables, and the DAGs with their weights."""

    directed: np.ndarray
    exchanged: np.ndarray
    dags: np.ndarray
    weights: np.ndarray
    model: Any


def add_up_odds(label, n, add=edge_odds.add_edge_odds):
    """Average over all DAGs of four variables how probable each edge is given all others, and in the place of one."""
    model = make_model(few_values(4, n), FOUR[label]._replace(candidates=3))
    probability = weigh_dags(label, n)
    dags, weights = all_dags(4)[probability > 0], probability[probability > 0]
    before = np.zeros((4, 4), bool) if model.knowledge is None else model.knowledge.before
    rng = np.random.default_rng(1)
    orders = np.array([any_order(dag | before, rng) for dag in dags])
    bits = dags.swapaxes(1, 2) @ (1 << np.arange(4))
    codes, family = np.unique(16 * np.arange(4) + bits, return_inverse=True)
    parents = (codes % 16).astype(np.uint64)[:, None]
    memo = edge_odds.new_odds_memo(model.target.score, 4, len(parents), exchanges=True)
    directed, exchanged = np.zeros((2, 4, 4))
    target = model.target
    judge = edge_odds.Judge(target.score, target.edge, target.rules, target.earlier)
    add(judge, memo, family.astype(np.int32), orders, weights, parents, directed, exchanged)
    return Odds(directed.T, exchanged.T, dags, weights, model)


PRODUCTS = ("sparsity", "beliefs", "required", "forbidden", "tiers", "roots", "leaves")
"""Cases in which the posterior is a product over families, of DAGs that agree with an order."""


@pytest.mark.parametrize("n", [15, 100, 1000])
@pytest.mark.parametrize("label", PRODUCTS)
def test_over_all_dags_edges_given_all_others_have_their_exact_probabilities(label, n):
    found = add_up_odds(label, n)
    exact = np.tensordot(found.weights, found.dags, axes=1)
    np.testing.assert_allclose(found.directed, exact, rtol=0, atol=1e-10)
    assert ((exact > 1e-3) & (exact < 0.999)).sum() >= 4


def test_an_edge_that_would_close_a_cycle_is_caught():
    kernels = [edge_odds.is_above_otherwise, edge_odds.add_edge_odds]
    add = altered(kernels, right="return True", wrong="return False")["add_edge_odds"]
    found = add_up_odds("sparsity", 100, add)
    assert np.abs(found.directed - np.tensordot(found.weights, found.dags, axes=1)).max() > 1e-3


def test_odds_do_not_depend_on_where_variables_stand(rng):
    """With 70 of them, in two words of bits, some of which change places."""
    p, where = 70, rng.permutation(70)
    values, dags = few_values(p, 100), np.array([random_dag(p, rng, 0.05) for _ in range(20)])

    def average(values, dags):
        (family, order, *_), _, parents = make_record(dags)
        target, found = make_model(values, Case(Sparsity(0.5), candidates=3)).target, np.zeros((p, p))
        judge = edge_odds.Judge(target.score, target.edge, target.rules, target.earlier)
        memo = edge_odds.new_odds_memo(target.score, p, len(parents))
        weights = np.full(len(dags), 1 / len(dags))
        edge_odds.add_edge_odds(judge, memo, family, order.astype(np.int64), weights, parents, found, np.zeros((0, 0)))
        return found

    found = average(values[:, where], dags[:, where][..., where])
    np.testing.assert_allclose(found, average(values, dags)[np.ix_(where, where)], rtol=0, atol=1e-9)


def exchange_edges(weigh_family, dag, free, before):
    """Return how probable each edge is in the place of the one it fits best, to the same variable, in one DAG."""
    found = np.zeros(dag.shape)
    below = paths(dag | before)
    for v in range(len(dag)):
        parents = set(np.flatnonzero(dag[:, v]).tolist())
        for x in set(range(len(dag))) - parents - {v}:
            if free[x, v] and not below[v, x]:
                for w in parents:
                    if free[w, v]:
                        odds = weigh_family(v, sorted(parents - {w} | {x})) - weigh_family(v, sorted(parents))
                        found[x, v] = max(found[x, v], 1 / (1 + np.exp(-odds)))
    return found


def naive_exchanges(case, odds, n):
    known = odds.model.knowledge
    free = np.ones((4, 4), bool) if known is None else ~(known.required | known.forbidden)
    before = np.zeros((4, 4), bool) if known is None else known.before
    weigh_family = weigh(few_values(4, n), case)
    found = [exchange_edges(weigh_family, dag, free, before) for dag in odds.dags]
    return np.tensordot(odds.weights, found, axes=1)


@pytest.mark.parametrize("label", PRODUCTS)
def test_exchanges_are_those_of_the_slow_twin(label):
    odds = add_up_odds(label, 100)
    np.testing.assert_allclose(odds.exchanged, naive_exchanges(FOUR[label], odds, 100), rtol=0, atol=1e-10)
    assert (odds.exchanged > 1e-3).sum() >= 3


def test_exchanges_that_would_close_a_cycle_are_caught():
    right = "not has(memo.parents, v, x) and not has(memo.ancestors, x, v)"
    kernels = [edge_odds.add_exchanges, edge_odds.add_edge_odds]
    add = altered(kernels, right=right, wrong="not has(memo.parents, v, x)")["add_edge_odds"]
    odds = add_up_odds("sparsity", 100, add)
    assert np.abs(odds.exchanged - naive_exchanges(FOUR["sparsity"], odds, 100)).max() > 1e-3


def test_a_variable_that_could_stand_in_for_a_parent_is_a_candidate():
    """X1 says of X2 nearly what its cause X0 says, and nothing beyond; given X0, it has no more than noise."""
    values = np.random.default_rng(1).normal(size=(1000, 12))
    values[:, 1] = values[:, 0] + 0.1 * values[:, 1]
    values[:, 2] += 0.15 * values[:, 0]
    constraints = Constraints(tiers=[[0, 1], list(range(2, 12))])
    pilot = sampler.explore(load_data(values), BGe(), Sparsity(1.0).terms(name(12)), constraints.resolve(name(12)))
    assert pilot.probability[1, 2] > 0.2
    assert pilot.probability[3:, 2].max() < 0.1


@pytest.mark.slow
def test_monte_carlo_errors_are_as_large_as_probabilities_vary():
    """40 runs: the standard deviation of each probability over the mean of its errors is 1 within 20 %, in the median.

    By chance that of a single one is off by 11 %.
    """
    values, different = few_values(4, 60), ~np.eye(4, dtype=bool)
    kinds = {"directed": directed_error, "undirected": joined_error, "compelled": told_error}
    found, errors = [], []
    for seed in range(40):
        posterior = ew.sample(
            values, sampler=DagMCMC(), iterations=10_000, thin=10, chains=2, seed=seed, progress=False
        )
        found.append([posterior.edge_probabilities(kind).to_numpy()[different] for kind in kinds])
        errors.append([find(posterior)[different] for find in kinds.values()])
    assert np.shape(errors) == (40, 3, 12)
    for kind, spread, error in zip(
        kinds, np.std(found, axis=0, ddof=1), np.sqrt(np.mean(np.square(errors), axis=0)), strict=True
    ):
        ratio = np.median(spread[error > 0] / error[error > 0])
        assert abs(ratio - 1) < 0.2, kind


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 100, 1000])
def test_default_settings_on_five_variables(n):
    """20 data sets: the mean absolute error of edges and paths, by the default settings, is at most .006."""
    errors = []
    for seed in range(20):
        data = ew.simulate(5, n, seed=seed).data
        posterior = ew.sample(data, sampler=DagMCMC(), thin=20, seed=seed, progress=False)
        exact = ew.exact_posterior(data, over="dags")
        pairs = [
            (posterior.edge_probabilities(kind), exact.edge_probabilities(kind))
            for kind in ("directed", "undirected", "compelled")
        ]
        pairs.append((posterior.path_probabilities(), exact.path_probabilities()))
        errors.append([np.abs(found - expected).to_numpy()[~np.eye(5, dtype=bool)].mean() for found, expected in pairs])
    assert np.mean(errors, axis=0).max() < 0.006


# -- what users were promised


def test_draws_depend_neither_on_blocks_nor_on_pickling():
    schedule = Schedule(iterations=2000, burn_in=133, thin=7)
    constraints = Constraints(required=[(0, 1)], ancestors=[(2, 3)])
    model = make_model(few_values(8), Case(Sparsity(0.5) + Paths([4], [5]) + LogPrior(irregular), None, constraints))

    def draw(*steps, pickled=False):
        chain = make_chain(model, schedule=schedule)
        blocks = []
        for number in steps:
            chain = pickle.loads(pickle.dumps(chain)) if pickled else chain  # noqa: S301
            blocks += chain.advance(number)
        check_state(chain)
        return read_draws(chain, blocks)

    whole = draw(2000)
    assert len(whole[0]) == schedule.draws(after=2000) == 266
    assert len(np.unique(whole[0], axis=0)) > 100
    for other in (draw(*[1] * 200, 1800), draw(133, 7, 6, 1, 1853), draw(*[200] * 10, pickled=True)):
        for one, two in zip(whole, other, strict=True):
            np.testing.assert_array_equal(one, two)


def spawn_a_process():
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))


@pytest.mark.parametrize("elsewhere", [nullcontext, pytest.param(spawn_a_process, marks=pytest.mark.slow)])
def test_the_same_seed_gives_the_same_draws_on_threads_and_in_processes(elsewhere):
    settings = {
        "sampler": DagMCMC(candidates=2), "prior": Sparsity(0.5) + LogPrior(irregular), "iterations": 1000, "thin": 10,
        "chains": 2, "progress": False,
    }  # fmt: skip
    expected = ew.sample(few_values(6), seed=3, **settings)
    with elsewhere() as executor:
        other = ew.sample(few_values(6), seed=3, executor=executor, **settings)
    np.testing.assert_array_equal(other.dags(), expected.dags())
    np.testing.assert_array_equal(other.orders(), expected.orders())
    np.testing.assert_array_equal(other.log_posterior, expected.log_posterior)
    assert other.moves == expected.moves
    assert (ew.sample(few_values(6), seed=4, **settings).orders() != expected.orders()).any()


def test_more_than_64_variables(rng):
    """Sets in two words: tables, constraints and log posteriors are those of the slow twins."""
    values = few_values(70, 100)
    constraints = Constraints(
        required=[(65, 2)], tiers=[[68], [5]], ancestors=[(0, 69), (66, 1)], not_ancestors=[(2, 68)]
    )
    case = Case(Sparsity(0.5) + Paths([3, 67], [66, 4], 2.0), constraints=constraints, candidates=3)
    model = make_model(values, case)
    check_tables(model, weigh(values, case), rng.choice(70, 5, replace=False))
    chain = make_chain(model, seed=3)
    chain.seek()
    dags, orders, log_score, log_prior = read_draws(chain, chain.advance(1500))
    check_state(chain)
    before = model.knowledge.before
    assert chain.state.log_order[0] == pytest.approx(log_order(tuple(orders[-1].tolist()), as_dag(dags[-1]), before))
    assert all(accepted > 0 for kind, (_, accepted) in chain.moves().items() if kind != "jump")
    assert len(np.unique(dags, axis=0)) > 500
    for row in rng.integers(len(dags), size=10):
        dag, order = dags[row], orders[row]
        assert not np.tril(dag[np.ix_(order, order)]).any()
        assert not faults(dag, constraints)
        assert log_score[row] == pytest.approx(scores.total(scores.bge, values, dag))
        assert log_prior[row] == pytest.approx(
            -0.5 * dag.sum() + 2.0 * paths(dag)[[3, 67]][:, [66, 4]].any(axis=1).sum()
        )
    assert chain.log_posterior == pytest.approx(log_score[-1] + log_prior[-1])


def test_directions_among_more_than_64_variables_are_drawn_as_often():
    """Three pairs within and across words of bits, which may have either direction, in 3200 draws.

    Shares spread by .02 between seeds, so that they are further than .1 from a half in one run of a million.
    """
    pairs = np.array([(2, 67), (3, 5), (66, 69)])
    values = np.random.default_rng(1).standard_normal((300, 70))
    values[:, pairs[:, 1]] += 0.8 * values[:, pairs[:, 0]]
    run = {"iterations": 10_000, "thin": 10, "seed": 1, "progress": False}
    found = ew.sample(values, prior=Sparsity(10.0), **run).edge_probabilities(rao_blackwell=False).to_numpy()
    np.testing.assert_allclose(found[*pairs.T], 0.5, rtol=0, atol=0.1)
    np.testing.assert_allclose(found[*pairs.T[::-1]], 0.5, rtol=0, atol=0.1)


def test_every_draw_satisfies_the_constraints():
    constraints = Constraints(
        required=[(0, 1)],
        forbidden=[(2, 3)],
        tiers=[[4, 5], [6]],
        roots=[7],
        leaves=[10],
        ancestors=[(2, 3), (8, 9)],
        not_ancestors=[(0, 8)],
    )
    posterior = ew.sample(
        few_values(12, 60), sampler=DagMCMC(candidates=3), constraints=constraints, iterations=20_000, thin=10,
        burn_in=0, chains=2, seed=1, progress=False,
    )  # fmt: skip
    dags = np.unique(posterior.dags().reshape(-1, 12, 12), axis=0)
    assert len(dags) > 300
    assert not any(faults(dag, constraints) for dag in dags)
    for chain in posterior.moves:
        assert all(made > 0 and (accepted > 0 or kind == "jump") for kind, (made, accepted) in chain.items())


@pytest.mark.parametrize(("p", "n"), [(2, 20), (8, 5), (8, 8)])
@pytest.mark.parametrize("score", [BGe(), GaussianBIC()])
def test_few_variables_and_few_rows(p, n, score, rng):
    """Two variables have three DAGs; with as many variables as rows, or more, there are no warnings."""
    posterior = ew.sample(
        rng.standard_normal((n, p)), sampler=DagMCMC(), score=score, iterations=2000, thin=2, chains=2, seed=1,
        progress=False,
    )  # fmt: skip
    assert np.isfinite(posterior.log_posterior).all()
    dags = np.unique(posterior.dags().reshape(-1, p, p), axis=0)
    assert len(dags) == 3 if p == 2 else len(dags) > 20
    probability = posterior.edge_probabilities().to_numpy()
    assert ((probability >= 0) & (probability <= 1)).all()
    assert posterior.conditional_errors.max() < 0.1


@pytest.mark.parametrize("p", [1, 2, 3, 30, 400])
def test_moves_are_shared_as_cells_say(p, rng):
    """The probability of a variable is its own part of its cell, and what other cells leave it."""
    share = rng.dirichlet(np.full(p, 0.3))
    kept, other = _make_cells(share)
    assert ((kept >= 0) & (kept <= 1)).all()
    found = (kept + np.bincount(other, 1 - kept, minlength=p)) / p
    np.testing.assert_allclose(found, share, rtol=0, atol=1e-12)


def test_nothing_open_makes_all_shares_equal():
    for probability in (np.zeros((4, 4)), np.eye(4, k=1)):
        assert share_moves(probability).tolist() == [0.25] * 4


def test_names_of_dags_differ():
    """What a function said of a DAG is remembered by its name."""
    name_dag = entry(beyond.name_dag)
    parents = all_dags(4).swapaxes(1, 2) @ (1 << np.arange(4))
    assert len({int(name_dag(one.astype(np.uint64)[:, None])) for one in parents}) == 543


def test_candidates_are_those_most_probably_joined():
    values = few_values(6)
    probability = np.random.default_rng(1).random((6, 6)) / 2
    probability[4, 0] = probability[0, 4] = 4e-5
    known = Constraints(required=[(1, 0)], forbidden=[(2, 0)]).resolve(name(6))
    joined = probability + probability.T
    model = make_model(values, Case())
    target = make_target(model.target.score, model.target.edge, known, probability, 3)
    # One of the three others is hardly ever joined to the first variable, which also has a required parent.
    assert np.flatnonzero(target.sets.place[0] >= 0).tolist() == [3, 5]
    outside = [u for u in range(1, 6) if target.sets.place[0, u] < 0 and u not in (1, 2)]
    assert outside == [4]
    ranked = np.argsort(-np.where(np.arange(6) == 5, -1, joined[5]))
    assert set(np.flatnonzero(target.sets.place[5] >= 0)) == set(ranked[:3])
    np.testing.assert_array_equal(target.likely[5, :2], ranked[3:5])
    np.testing.assert_allclose(target.likely_sum[5, 0], joined[5, ranked[3]] / joined[5, ranked[3:5]].sum(), rtol=1e-6)
    np.testing.assert_allclose(target.likely_sum[:, -1], 1.0, rtol=1e-12)


def breaks_down(dag):
    if dag.sum() > 2:
        raise ZeroDivisionError("more than two edges")
    return 0.0


def test_what_a_function_raises_comes_out():
    with pytest.raises(ZeroDivisionError, match="more than two edges"):
        ew.sample(few_values(4), sampler=DagMCMC(), prior=LogPrior(breaks_down), seed=1, progress=False)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (LogPrior(lambda dag: -inf), "No start was found"),
        (LogPrior(lambda dag: inf), "must return a number below infinity"),
        (LogPrior(lambda dag: None), "must return a number below infinity"),
        (LogPrior(lambda dag, order: 0.0), "cannot use a function of the order"),
    ],
)
def test_what_cannot_be_sampled_is_refused(prior, message):
    with pytest.raises(ew.ArgumentError, match=message) as caught:
        ew.sample(few_values(4), sampler=DagMCMC(), prior=prior, seed=1, progress=False)
    check_sentence(str(caught.value))


@pytest.mark.parametrize("number", [-1, 2.5, "many", None, True])
def test_wrong_settings_are_refused(number):
    with pytest.raises(ew.ArgumentError, match="candidates must be 'auto' or a whole number") as caught:
        DagMCMC(candidates=number)
    check_sentence(str(caught.value))


@pytest.mark.parametrize("number", [0, 3.0, np.float64(3), np.int8(3)])
def test_a_number_of_candidates_is_whole(number):
    assert repr(DagMCMC(candidates=number)) == f"DagMCMC(candidates={int(number)}, tempering='auto')"


@pytest.mark.slow
@pytest.mark.parametrize("strength", [inf, np.nan])
def test_a_compiled_term_must_return_a_number(strength):
    """At the start, and for a DAG that is proposed later."""
    with pytest.raises(ew.ArgumentError, match="must return a number below infinity") as caught:
        make_chain(make_model(few_values(4), Case(Roots(strength))))
    check_sentence(str(caught.value))
    chain = make_chain(make_model(few_values(4), Case(Roots(1.0))))
    chain.model = make_model(few_values(4), Case(Roots(strength)))
    with pytest.raises(ew.ArgumentError, match="must return a number below infinity"):
        chain.advance(100)

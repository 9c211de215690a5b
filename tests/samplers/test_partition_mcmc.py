"""Partition MCMC leaves the posterior over DAGs unchanged, and reaches it."""

import itertools
import math
import pickle

import numpy as np
import pytest
from scipy.stats import norm

import edgewise as ew
from compiled import altered, entry
from edgewise._kernels.rivals import parent_sets, partitions
from edgewise._kernels.rivals import partition_mcmc as kernels
from edgewise.samplers import Schedule
from edgewise.samplers import partition_mcmc as sampler
from edgewise.samplers.partition_mcmc import MOVES, PartitionMCMC
from exact.intervals import Ends, find_intervals, measure_outcomes
from exact.modular import ExactModular, all_partitions, layers, list_tiers, weigh_tiers
from marks import with_few_rows
from naive import parent_sets as naive
from naive.parent_sets import make_chain, read_draws, take_step
from naive.stepping import FlatScore

draw_dag, take_out, put_in, find_layers, list_parents = map(
    entry,
    (partitions.draw_dag, partitions.take_out, partitions.put_in, partitions.find_layers, parent_sets.list_parents),
)

TIERS = ew.TierOrder([["X0"], ["X2"], ["X1"]], strength=0.7)
BELIEFS = ew.EdgeBeliefs(log_odds=np.arange(9).reshape(3, 3) / 4 - 1)


def few_variables(p=4):
    return ew.simulate(p, 30, neighbours=min(2, p - 1), weights=(0.5, 1.0), seed=3).data


def move_to(chain, partition):
    present = chain.state.present
    present.order[:] = list(itertools.chain(*partition))
    present.elements[0] = len(partition)
    present.cut[: len(partition) + 1] = np.cumsum([0, *map(len, partition)])
    chain.refresh()


def where_is(chain):
    present = chain.state.present
    cut = present.cut[: present.elements[0] + 1]
    return tuple(tuple(sorted(present.order[a:b].tolist())) for a, b in itertools.pairwise(cut.tolist()))


def middle_of(number, of):
    """Return the number in the middle of one of several equal parts of the unit interval."""
    return (number + 0.5) / of


def choices(chain, partition, kind):
    """Yield the random numbers of each proposal, None for the one that decides, and its probability among its kind."""
    p = chain.p
    sizes = list(map(len, partition))
    rest = [0.5] * (p + 2)
    number = middle_of_kind(kind)
    if kind == "split":
        divisible = [size for size in sizes if size > 1]
        for e, size in enumerate(divisible):
            for part in range(1, size):
                for picks in itertools.product(*(range(size - i) for i in range(part))):
                    picked = [middle_of(pick, size - i) for i, pick in enumerate(picks)]
                    ways = len(divisible) * (size - 1) * math.perm(size, part)
                    which = middle_of(e, len(divisible)), middle_of(part - 1, size - 1)
                    yield [number, *which, None, *picked, *rest[part:]], 1 / ways
    elif kind == "join":
        for e in range(len(sizes) - 1):
            yield [number, middle_of(e, len(sizes) - 1), 0.5, None, *rest], 1 / (len(sizes) - 1)
    elif kind == "swap":
        for pair in range(math.comb(p, 2)):
            yield [number, middle_of(pair, math.comb(p, 2)), 0.5, None, *rest], 1 / math.comb(p, 2)
    elif kind == "adjacent":
        for e, (size, next_size) in enumerate(itertools.pairwise(sizes)):
            for first, second in itertools.product(range(size), range(next_size)):
                which = middle_of(e, len(sizes) - 1), middle_of(first, size)
                ways = (len(sizes) - 1) * size * next_size
                yield [number, *which, None, middle_of(second, next_size), *rest[1:]], 1 / ways
    elif kind == "relocate":
        for position in range(p):
            yield [number, middle_of(position, p), 0.5, None, *rest], 1 / p
    elif kind == "edges":
        move_to(chain, partition)
        intervals = [parent_intervals(chain, node) for node in range(p)]
        for dag in itertools.product(*intervals):
            probability = math.prod(high - low for low, high, _ in dag)
            drawn = [(low + high) / 2 for low, high, _ in dag]
            edges = sum(len(parents) for _, _, parents in dag)
            pairs = p * (p - 1)
            for which in range(pairs):
                yield [number, 0.5, 0.5, 0.5, *drawn, middle_of(which, pairs) / 2, None], probability / 2 / pairs
            for which in range(edges):
                yield [number, 0.5, 0.5, 0.5, *drawn, (1 + middle_of(which, edges)) / 2, None], probability / 2 / edges


def middle_of_kind(kind):
    """Return the random number in the middle of those that choose a kind of move."""
    kinds = list(MOVES)
    return sum(MOVES[other] for other in kinds[: kinds.index(kind)]) + MOVES[kind] / 2


def parent_intervals(chain, node):
    """Return which random numbers choose which parent sets of a variable, given the present partition."""
    workspace = chain._scratch.workspace

    def chosen(uniform):
        uniforms = np.full((1, chain.p), uniform)
        draw_dag(chain.state.present, chain.target, workspace, uniforms, 0, 0)
        size = list_parents(chain.target.table, workspace.chosen[node], workspace.members)
        return tuple(workspace.members[:size].tolist())

    return find_intervals(chosen)


def make_partition_chain(data, *, max_parents=2, candidates=None, **settings):
    """Make a chain that changes one edge of a DAG at a time."""
    p = data.shape[1]
    chain = make_chain(PartitionMCMC(max_parents=max_parents, candidates=candidates), data, range(p), **settings)
    chain._numbers = kernels.FURTHER + p + 2
    return chain


def weigh(chain, partition):
    move_to(chain, partition)
    return chain.log_posterior


def conditional(weight, partition, position):
    """Return where a number leads to the next place for the variable at a position, if the chain is right."""
    node = list(itertools.chain(*partition))[position]
    left = [rest for e in partition if (rest := tuple(v for v in e if v != node))]
    places = []
    for e in range(len(left)):
        places += [(*left[:e], (node,), *left[e:]), (*left[:e], tuple(sorted((*left[e], node))), *left[e + 1 :])]
    places.append((*left, (node,)))
    log_weight = np.array([weight.get(place, -np.inf) for place in places])
    sums = np.exp(log_weight - log_weight.max()).cumsum()
    return (sums / sums[-1]).tolist()


def transition_matrix(chain, states, kinds=tuple(MOVES)):
    """Return the probabilities of all transitions by some kinds of moves, each as frequent as it is in the chain."""
    number = {partition: i for i, partition in enumerate(states)}
    weight = {partition: weigh(chain, partition) for partition in states}
    matrix, common_ends = np.zeros((len(states), len(states))), Ends()
    for partition in states:
        for kind in kinds:
            reached = 0.0
            for which, (row, probability) in enumerate(choices(chain, partition, kind)):

                def destination(uniform, partition=partition, row=row):
                    move_to(chain, partition)
                    take_step(chain, [uniform if value is None else value for value in row])
                    return number[where_is(chain)]

                ends = common_ends
                if kind == "relocate":
                    ends = Ends(conditional(weight, partition, which))
                elif kind in ("swap", "adjacent"):
                    ends = Ends([np.exp(min(weight[states[destination(0.0)]] - weight[partition], 0.0))])
                for state, part in measure_outcomes(destination, ends=ends).items():
                    matrix[number[partition], state] += MOVES[kind] * probability * part
                reached += probability
            assert reached < 1 + 1e-10
            matrix[number[partition], number[partition]] += MOVES[kind] * (1 - reached)  # nothing to propose
    return matrix / sum(MOVES[kind] for kind in kinds)


FEW_CANDIDATES = np.zeros((4, 4), bool)
FEW_CANDIDATES[[0, 1, 0, 2], [1, 2, 3, 3]] = True


@pytest.mark.parametrize(("p", "settings", "candidates"), [
    (2, {}, None),
    (3, {}, None),
    (3, {"prior": BELIEFS + TIERS + ew.TierOrder([["X2"], ["X0"]])}, None),
    (3, {"prior": TIERS, "constraints": ew.Constraints(required=[("X2", "X1")], forbidden=[("X0", "X2")])}, None),
    (3, {"constraints": ew.Constraints(tiers=[["X1"], ["X0"]])}, None),
    (4, {"constraints": ew.Constraints(required=[("X1", "X2"), ("X0", "X3")])}, FEW_CANDIDATES),
])  # fmt: skip
def test_the_transition_matrix_leaves_the_target_unchanged(p, settings, candidates):
    data = few_variables(p)
    states, probability = ExactModular(data, max_parents=2, candidates=candidates, **settings).partitions()
    states = [state for state, positive in zip(states, probability > 0, strict=True) if positive]
    probability = probability[probability > 0]
    chain = make_partition_chain(data, candidates=candidates, **settings)
    matrix = transition_matrix(chain, states)
    np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=0, atol=1e-10)
    np.testing.assert_allclose(probability @ matrix, probability, rtol=0, atol=1e-10)
    assert (np.diag(matrix) > 0).all()
    assert (np.linalg.matrix_power(matrix, 20) > 0).all()
    assert len(states) > 1
    assert probability.max() > 1.5 * probability.min(), "the target should not be trivial"


@pytest.mark.parametrize("kinds", [("split", "join"), ("swap",), ("adjacent",), ("relocate",)])
def test_each_kind_of_move_leaves_the_target_unchanged(kinds):
    data = few_variables(4)
    states, probability = ExactModular(data, max_parents=2).partitions()
    assert len(states) == 75
    chain = make_partition_chain(data)
    matrix = transition_matrix(chain, states, kinds)
    np.testing.assert_allclose(probability @ matrix, probability, rtol=0, atol=1e-10)
    assert np.abs(matrix - np.eye(75)).max() > 0.1


@pytest.mark.parametrize("settings", [
    {},
    {"prior": ew.Sparsity(0.3) + TIERS, "constraints": ew.Constraints(required=[("X1", "X3")])},
    {"constraints": ew.Constraints(tiers=[["X3"], ["X1"], ["X0"]], forbidden=[("X2", "X0")])},
])  # fmt: skip
def test_a_partition_weighs_as_much_as_all_its_dags(settings):
    data = few_variables(4)
    exact = ExactModular(data, max_parents=2, **settings)
    chain = make_chain(PartitionMCMC(max_parents=2), data, range(4), **settings)
    log_posterior = []
    for state in all_partitions(4):
        move_to(chain, state)
        log_posterior.append(chain.log_posterior)
    states, probability = exact.partitions()
    assert states == all_partitions(4)
    found = np.exp(np.array(log_posterior) - max(log_posterior))
    np.testing.assert_allclose(found / found.sum(), probability, rtol=0, atol=1e-12)


def random_partition(rng, p):
    order = rng.permutation(p).tolist()
    cuts = [0, *np.flatnonzero(rng.random(p - 1) < 0.5) + 1, p]
    return tuple(tuple(sorted(order[a:b])) for a, b in itertools.pairwise(cuts))


def set_to(partition, state):
    partition.order[:] = list(itertools.chain(*state))
    partition.elements[0] = len(state)
    partition.cut[: len(state) + 1] = np.cumsum([0, *map(len, state)])


def read(partition, number):
    cut = partition.cut[: partition.elements[0] + 1].tolist()
    assert (cut[0], cut[-1]) == (0, number)
    return tuple(tuple(sorted(partition.order[a:b].tolist())) for a, b in itertools.pairwise(cut))


def test_a_variable_can_be_put_back_at_every_place(rng):
    for p in (2, 3, 7):
        whole, others, again = (partitions.new_partition(p) for _ in range(3))
        for _ in range(30):
            state = random_partition(rng, p)
            set_to(whole, state)
            position = int(rng.integers(p))
            node = whole.order[position]
            place = take_out(whole, position, others)
            left = tuple(rest for e in state if (rest := tuple(v for v in e if v != node)))
            assert read(others, p - 1) == left
            put_in(others, node, place, again)
            assert read(again, p) == state
            for e in range(len(left) + 1):
                put_in(others, node, 2 * e, again)
                assert read(again, p) == (*left[:e], (node,), *left[e:])
            for e in range(len(left)):
                put_in(others, node, 2 * e + 1, again)
                assert read(again, p) == (*left[:e], tuple(sorted((*left[e], node))), *left[e + 1 :])


@pytest.mark.parametrize("p", [6, 70])
def test_layers_of_dags_are_found(rng, p):
    chain = make_chain(PartitionMCMC(max_parents=1), rng.standard_normal((20, p)), range(p))
    none = np.zeros_like(chain.target.earlier)
    partition = partitions.new_partition(p)
    for density in (0.02, 0.2, 0.6):
        order = rng.permutation(p)
        dag = np.zeros((p, p), bool)
        dag[np.ix_(order, order)] = np.triu(rng.random((p, p)) < density, 1)
        sets = np.zeros_like(none)
        for source, child in np.argwhere(dag).tolist():
            sets[child, source // 64] |= np.uint64(1 << source % 64)
        assert find_layers(sets, none, chain._scratch.placed, partition)
        assert read(partition, p) == layers(dag)
        assert find_layers(none, sets, chain._scratch.placed, partition)
        assert read(partition, p) == layers(dag)
        first, last = order[0], order[-1]
        sets[first, last // 64] |= np.uint64(1 << int(last) % 64)
        sets[last, first // 64] |= np.uint64(1 << int(first) % 64)
        assert not find_layers(sets, none, chain._scratch.placed, partition)


BOUND = norm.isf(1e-4 / 40)
"""20 edges, two sides: all z-scores are within this bound but for one run in 10,000."""


def largest_z_score(*, weights=(0.25, 1.0), max_parents=4, over="dags", **settings):
    """Sample, and return the largest |observed - exact| / Monte Carlo error of the 20 edge probabilities."""
    data = ew.simulate(5, 100, weights=weights, seed=3).data
    settings.setdefault("prior", ew.Sparsity(1.0))
    exact = ExactModular(data, max_parents=max_parents, **settings).edge_probabilities(over=over)
    assert ((exact > 0.01) & (exact < 0.99)).sum() >= 6
    posterior = ew.sample(
        data,
        sampler=PartitionMCMC(max_parents=max_parents),
        iterations=200_000,
        burn_in=0.05,
        thin=20,
        chains=2,
        seed=1,
        progress=False,
        **settings,
    )
    observed = posterior.edge_probabilities().to_numpy()
    # An edge that is drawn a few times in a run, or never, has no useful error of its own: allow it one in a thousand.
    error = np.maximum(posterior._monte_carlo_error, 1e-3)
    return np.abs((observed - exact) / error).max()


WEAK = (0.1, 0.4)
"""Coefficients that leave much open, so that all moves are often accepted, and no error is put right by others."""


@pytest.mark.parametrize("settings", [{}, {"max_parents": 2}, {"weights": WEAK}])
def test_edge_probabilities_agree_with_enumeration_over_dags(settings):
    assert largest_z_score(**settings) < BOUND


def test_edge_probabilities_do_not_agree_with_enumeration_over_orders():
    assert largest_z_score(over="orders") > BOUND


def test_edge_probabilities_agree_with_enumeration_under_constraints_and_an_order_prior():
    constraints = ew.Constraints(required=[("X1", "X3")], forbidden=[("X0", "X2")], tiers=[["X4"], ["X0"]])
    tiers = ew.TierOrder([["X3"], ["X0", "X2"]], strength=0.8)
    assert largest_z_score(prior=ew.Sparsity(0.5) + tiers, constraints=constraints) < BOUND


@pytest.mark.parametrize(("function", "right", "wrong"), [
    ("join", " - log_ways(size, part)", ""),
    pytest.param("relocate", "2 * elements, uniform)", "2 * elements, 0.8 * uniform)", marks=pytest.mark.slow),
])  # fmt: skip
def test_a_wrong_step_is_caught(monkeypatch, function, right, wrong):
    broken = altered([vars(kernels)[name] for name in (function, "step", "run")], right=right, wrong=wrong)
    monkeypatch.setattr(sampler.PartitionMCMCChain, "_run", staticmethod(broken["run"]))
    assert largest_z_score(weights=WEAK) > BOUND


@with_few_rows
def test_partitions_that_differ_in_many_variables_are_connected(monkeypatch):
    """Two chains of required edges, and one more edge that shifts all of the second chain: two DAGs, two partitions.

    They differ in three variables, so that moves of one or two variables lead to partitions that no DAG has. Five
    standard deviations: a false alarm in a million.
    """
    monkeypatch.setattr(sampler, "MOVES", dict.fromkeys(MOVES, 0.02) | {"edges": 0.9})
    data = ew.simulate(7, 40, seed=2).data
    required = [("X1", "X2"), ("X2", "X3"), ("X0", "X4"), ("X4", "X5"), ("X5", "X6")]
    candidates = {v: [] for v in range(7)} | {1: [0]}
    posterior = ew.sample(
        data,
        sampler=PartitionMCMC(candidates=candidates),
        prior=ew.Sparsity(1.0),
        constraints=ew.Constraints(required=required),
        iterations=40_000,
        burn_in=0,
        thin=10,
        chains=1,
        seed=1,
        progress=False,
    )
    dag = posterior.dags()[0, 0].copy()
    assert set(map(tuple, np.argwhere(dag).tolist())) - {(0, 1)} == {(int(a[1]), int(b[1])) for a, b in required}
    log_posterior = []
    for edge in (False, True):
        dag[0, 1] = edge
        log_posterior.append(ew.score(dag, data) - edge)
    exact = 1 / (1 + np.exp(log_posterior[0] - log_posterior[1]))
    assert 0.1 < exact < 0.9
    observed = posterior.dags()[0, :, 0, 1].mean()
    assert abs(observed - exact) < 5 * posterior._monte_carlo_error[0, 1]
    assert posterior.moves[0]["edges"][1] > 100
    assert all(posterior.moves[0][kind][1] == 0 for kind in MOVES if kind != "edges")


def test_kinds_of_moves_are_as_frequent_as_they_should_be(rng):
    """100,000 iterations: five standard deviations, a false alarm in 300,000."""
    posterior = ew.sample(
        rng.standard_normal((50, 4)), sampler=PartitionMCMC(), iterations=100_000, chains=1, seed=1, progress=False
    )
    assert list(posterior.moves[0]) == list(MOVES)
    assert sum(MOVES.values()) == pytest.approx(1, abs=1e-15)
    for (proposed, accepted), share in zip(posterior.moves[0].values(), MOVES.values(), strict=True):
        assert abs(proposed - 1e5 * share) < 5 * np.sqrt(1e5 * share * (1 - share))
        assert 0 < accepted <= proposed


def test_all_changes_of_a_partition_are_proposed():
    """Without data all partitions whose variables may have enough parents are alike, as far as proposals can tell."""
    p = 4
    chain = make_partition_chain(few_variables(p), max_parents=3, score=FlatScore(), prior=ew.Sparsity(0.0))
    start = ((0, 1), (2,), (3,))
    reached = {kind: set() for kind in MOVES}
    for kind in MOVES:
        for row, _ in choices(chain, start, kind):
            for uniform in np.linspace(0.001, 0.999, 50):
                move_to(chain, start)
                take_step(chain, [uniform if value is None else value for value in row])
                reached[kind].add(where_is(chain))
    assert reached["split"] - {start} == {((0,), (1,), (2,), (3,)), ((1,), (0,), (2,), (3,))}
    assert reached["join"] - {start} == {((0, 1, 2), (3,)), ((0, 1), (2, 3))}
    assert reached["adjacent"] - {start} == {((1, 2), (0,), (3,)), ((0, 2), (1,), (3,)), ((0, 1), (3,), (2,))}
    assert reached["swap"] - reached["adjacent"] - {start} == {((1, 3), (2,), (0,)), ((0, 3), (2,), (1,))}
    assert ((1,), (2,), (0, 3)) in reached["relocate"]
    assert ((1,), (0, 2), (3,)) in reached["relocate"]
    assert ((1,), (2,), (3,), (0,)) in reached["relocate"]


@pytest.mark.parametrize("p", [8, pytest.param(70, marks=pytest.mark.slow)])
def test_draws_are_what_they_claim_to_be(rng, p):
    """Orders and partitions agree with DAGs, scores are those of the DAGs, and the chain's sums are right."""
    sim = ew.simulate(p, 60, seed=1)
    names = list(sim.data.columns)
    values = sim.data.to_numpy()
    prior = ew.Sparsity(0.5) + ew.TierOrder([["X1", "X2"], ["X3"], ["X0"]], strength=1.5)
    constraints = ew.Constraints(
        required=[("X3", "X5")], forbidden=[("X5", "X6")], leaves=["X0"], tiers=[["X4"], ["X7"]]
    )
    knowledge = constraints.resolve(names)
    chain = make_chain(
        PartitionMCMC(max_parents=2), values, rng.permutation(p), prior=prior, constraints=constraints,
        schedule=Schedule(3000, 0, 150),
    )  # fmt: skip
    tiers = list_tiers(prior, names)
    states, blocks = [], []
    for _ in range(20):
        blocks += chain.advance(150)
        states.append(where_is(chain))
    dags, orders, log_score, log_prior = read_draws(chain, blocks)
    assert len(dags) == 20
    assert len(set(states)) > 10
    for dag, order, score, prior_of_dag, state in zip(dags, orders, log_score, log_prior, states, strict=True):
        position = np.argsort(order)
        assert layers(dag | knowledge.before) == state
        assert (position[np.nonzero(dag)[0]] < position[np.nonzero(dag)[1]]).all()
        assert not any(knowledge.before[later, first] for first, later in itertools.combinations(order.tolist(), 2))
        assert (dag | ~knowledge.required).all()
        assert not (dag & knowledge.forbidden).any()
        assert dag.sum(axis=0).max() <= 2
        np.testing.assert_allclose(score, ew.score(dag, values), rtol=1e-12)
        np.testing.assert_allclose(prior_of_dag, -0.5 * dag.sum() + weigh_tiers(tiers, state), rtol=1e-12)
    inside, needed = [], []
    for members in state:
        for node in members[:2]:
            excused = bool(needed) and knowledge.before[needed, node].any()
            total = naive.log_sum(
                values, node, inside, max_parents=2, edge=np.full((p, p), -0.5), possible=~knowledge.forbidden,
                required=[3] if node == 5 else [], needed=needed if needed and not excused else None,
            )  # fmt: skip
            np.testing.assert_allclose(chain.state.present.log_sum[node], total, rtol=1e-12)
        needed = list(members)
        inside += needed
    before = chain.log_posterior
    chain.refresh()
    assert chain.log_posterior == before


def make_draws(*steps, forget=False, copy=False):
    chain = make_chain(
        PartitionMCMC(max_parents=2), ew.simulate(9, 50, seed=1).data, range(9), schedule=Schedule(3000, 333, 7)
    )
    blocks = []
    for number in steps:
        blocks += chain.advance(number)
        if forget:
            chain._scratch.workspace.memo[:] = 0
        if copy:
            chain = pickle.loads(pickle.dumps(chain))  # noqa: S301
    return read_draws(chain, blocks)


def test_blocks_of_any_size_give_the_same_draws():
    whole = make_draws(3000)
    assert len(whole[0]) == Schedule(3000, 333, 7).draws(after=3000) == 381
    for steps in ([1] * 400 + [2600], [333, 7, 6, 1, 2653], [17] * 176 + [8]):
        for one, other in zip(whole, make_draws(*steps), strict=True):
            np.testing.assert_array_equal(one, other)


def test_forgetting_sums_and_copying_chains_change_nothing():
    whole = make_draws(3000)
    for settings in ({"forget": True}, {"copy": True}):
        for one, other in zip(whole, make_draws(*[30] * 100, **settings), strict=True):
            np.testing.assert_array_equal(one, other)


@with_few_rows
def test_same_seed_same_draws():
    run = {"sampler": PartitionMCMC(), "iterations": 2000, "thin": 10, "chains": 2, "progress": False}
    one, same, other = (ew.sample(few_variables(), seed=seed, **run) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.dags(), same.dags())
    np.testing.assert_array_equal(one.orders(), same.orders())
    assert (one.dags() != other.dags()).any()
    assert one.info["sampler"] == {
        "name": "PartitionMCMC", "max_parents": 3, "candidates": None, "memory_limit": 2.0,
    }  # fmt: skip


@pytest.mark.parametrize("constraints", [
    None,
    ew.Constraints(required=[("X0", "X1"), ("X1", "X2"), ("X0", "X2")]),
    ew.Constraints(tiers=[["X3"], ["X1", "X2"], ["X0"]], forbidden=[("X3", "X1"), ("X3", "X2")]),
    ew.Constraints(roots=["X3"], leaves=["X0"], required=[("X1", "X2")]),
])  # fmt: skip
def test_chains_start_at_a_possible_partition_from_any_order(constraints):
    for order in itertools.permutations(range(4)):
        chain = make_chain(PartitionMCMC(max_parents=2), few_variables(), order, constraints=constraints)
        assert np.isfinite(chain.log_posterior)

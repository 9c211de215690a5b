import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, norm, t

import edgewise as ew
from compiled import altered
from edgewise._kernels.basics.bits import pack
from edgewise._kernels.graphs import linear_extensions as kernels
from edgewise.errors import ArgumentError, GraphError
from edgewise.graphs import linear_extensions as module
from edgewise.graphs.linear_extensions import (
    MODULI,
    count_linear_extensions,
    estimate_linear_extensions,
    hook_estimate,
    log_linear_extensions,
    sample_linear_extensions,
)
from edgewise.graphs.posets import as_poset, take_apart
from naive import linear_extensions as naive
from naive.graphs import random_dag, relabel
from sentences import check_sentence


def sparse_dag(p, seed):
    return ew.simulate(p, 1, neighbours=3, seed=seed).dag


# ---- counting


def test_counts_equal_enumeration_on_500_random_dags():
    rng = np.random.default_rng(1)
    for _ in range(500):
        dag = random_dag(int(rng.integers(1, 9)), rng, density=rng.uniform(0, 0.8))
        expected = len(naive.linear_extensions(dag))
        assert count_linear_extensions(dag) == expected
        assert math.exp(log_linear_extensions(dag)) == pytest.approx(expected, rel=1e-12)


def test_counts_equal_dynamic_programming_over_prefixes():
    rng = np.random.default_rng(2)
    for _ in range(20):
        dag = random_dag(14, rng, density=rng.uniform(0.1, 0.5))
        assert count_linear_extensions(dag) == naive.count_by_prefixes(dag)


@pytest.mark.parametrize("p", [1, 2, 3, 29, 30])
def test_chains_and_antichains(p):
    assert count_linear_extensions(naive.chains([p])) == 1
    assert count_linear_extensions(np.zeros((p, p))) == math.factorial(p)


@pytest.mark.parametrize("p", [2, 10, 30, 150])
def test_trees_follow_the_hook_length_formula(p):
    rng = np.random.default_rng(p)
    for _ in range(5):
        tree = naive.random_tree(p, rng)
        assert count_linear_extensions(tree) == naive.forest_count(tree)
        assert count_linear_extensions(tree.T) == naive.forest_count(tree)
        assert log_linear_extensions(tree) == pytest.approx(math.log(naive.forest_count(tree)), rel=1e-13)


@pytest.mark.parametrize("lengths", [[1, 2], [5, 5, 5], [1, 2, 3, 4, 5, 15], [40, 40, 20]])
def test_disjoint_chains_are_merged_in_multinomial_many_ways(lengths):
    expected = math.factorial(sum(lengths)) // math.prod(math.factorial(length) for length in lengths)
    assert count_linear_extensions(naive.chains(lengths)) == expected


@pytest.mark.parametrize("p", [*range(2, 31), 63, 64])
def test_zigzags_have_euler_numbers(p):
    """They are prime for p > 3. At p = 64 the count takes nine of the ten moduli."""
    assert count_linear_extensions(naive.zigzag(p)) == naive.euler_number(p)


@pytest.mark.parametrize("shape", [(2, 15), (3, 10), (5, 6), (8, 8)])
def test_grids_have_as_many_as_there_are_young_tableaux(shape):
    assert count_linear_extensions(naive.grid(*shape)) == naive.tableaux(*shape)


# Values of sequence A046873 of the On-Line Encyclopedia of Integer Sequences.
@pytest.mark.parametrize(("n", "count"), [(2, 2), (3, 48), (4, 1680384), (5, 14807804035657359360)])
def test_subsets_ordered_by_inclusion(n, count):
    assert count_linear_extensions(naive.subsets(n)) == count


def test_layers_multiply():
    """Everything in a layer precedes everything in the next: 5! 1! 6! orders."""
    layer = np.repeat([0, 1, 2], [5, 1, 6])
    dag = layer[:, None] < layer
    assert count_linear_extensions(dag) == math.factorial(5) * math.factorial(6)


def test_names_direction_and_implied_edges_do_not_matter():
    rng = np.random.default_rng(3)
    for seed in range(10):
        dag = sparse_dag(20, seed)
        expected = count_linear_extensions(dag)
        assert count_linear_extensions(relabel(dag, rng.permutation(20))) == expected
        assert count_linear_extensions(dag.T) == expected
        assert count_linear_extensions(as_poset(dag)) == expected


def test_an_undecided_pair_splits_the_count():
    """e(P) = e(P with a before b) + e(P with b before a), on sparse DAGs of the size that is met in practice."""
    for seed in range(5):
        dag = sparse_dag(30, seed)
        reaches = as_poset(dag)
        a, b = np.argwhere(~(reaches | reaches.T | np.eye(30, dtype=bool)))[0]
        either = 0
        for i, j in ((a, b), (b, a)):
            decided = dag.copy()
            decided[i, j] = True
            either += count_linear_extensions(decided)
        assert count_linear_extensions(dag) == either


def test_all_forms_of_a_graph_are_taken():
    names = ["A", "B", "C"]
    frame = pd.DataFrame([[0, 1, 0], [0, 0, 0], [0, 0, 0]], index=names, columns=names)
    for graph in (frame, nx.DiGraph([("A", "B")], C=1), frame.to_numpy()):
        expected = 1 if isinstance(graph, nx.DiGraph) else 3
        assert count_linear_extensions(graph) == expected
        assert hook_estimate(graph) == pytest.approx(math.log(expected))
        assert estimate_linear_extensions(graph).log_count == pytest.approx(math.log(expected))
        assert sample_linear_extensions(graph, 2).shape == (2, 2 if expected == 1 else 3)
    with pytest.raises(GraphError, match="cycle"):
        count_linear_extensions(frame + frame.T)


def test_the_moduli_are_distinct_primes_and_suffice():
    for modulus in MODULI:
        assert modulus < 2**31
        assert (modulus % np.arange(2, 46341) != 0).all()  # 46341^2 > 2^31
    assert len(set(MODULI)) == len(MODULI)
    assert math.prod(MODULI) > 2 * math.factorial(64)


def test_a_count_that_takes_all_moduli():
    """By hand: X1 first, then X0; or X0 first, and the last anywhere among X1 and the 61 that follow it."""
    dag = np.zeros((64, 64), bool)
    dag[0, 2:] = dag[1, 2:63] = True
    assert math.prod(MODULI[:-1]) < 2 * 125 * math.factorial(61)
    assert count_linear_extensions(dag) == math.factorial(62) + 63 * math.factorial(61)


def list_whole(dag):
    """List the states of a DAG as it is, without taking it apart first."""
    reaches = as_poset(dag)
    return kernels.list_states(pack(reaches)[:, 0], pack(reaches.T)[:, 0], module.MAX_STATES)


def test_the_kernel_splits_by_itself():
    rng = np.random.default_rng(10)
    kinds = set()
    for _ in range(200):
        dag = random_dag(int(rng.integers(1, 8)), rng, density=rng.uniform(0, 0.8))
        recursion = list_whole(dag)
        assert module._evaluate_exactly(recursion) == len(naive.linear_extensions(dag))
        kinds |= set(recursion.kinds.tolist())
    assert kinds == {kernels.SINGLE, kernels.PARALLEL, kernels.SERIES, kernels.FIRST, kernels.LAST}


# ---- the bound on work


def test_the_number_of_states_is_what_is_bounded():
    dag = naive.zigzag(30)
    (part,) = take_apart(as_poset(dag))
    assert part.kind == "prime"
    states = len(module._list_states(as_poset(dag), module.MAX_STATES).sets)
    assert count_linear_extensions(dag, max_states=states) == naive.euler_number(30)
    with pytest.raises(ArgumentError) as error:
        count_linear_extensions(dag, max_states=states - 1)
    message = check_sentence(str(error.value))
    assert f"part of it with 30 nodes takes more than max_states = {states - 1:,}" in message
    assert "estimate_linear_extensions" in message


def test_every_state_is_listed_once():
    recursion = module._list_states(as_poset(sparse_dag(30, 1)), module.MAX_STATES)
    assert len(recursion.sets) > kernels.FIRST_CAPACITY, "the table should have grown"
    assert len(np.unique(recursion.sets)) == len(recursion.sets)
    np.testing.assert_array_equal(np.sort(recursion.by_size), np.arange(len(recursion.sets)))
    sizes = np.bitwise_count(recursion.sets[recursion.by_size])
    assert (np.diff(sizes.astype(int)) >= 0).all()


def test_a_large_part_that_does_not_split_is_refused():
    with pytest.raises(ArgumentError, match=r"a part of it with 65 nodes is larger than 64 nodes; use estimate_linear"):
        count_linear_extensions(naive.zigzag(65))
    assert np.isnan(log_linear_extensions(naive.zigzag(65)))


def test_too_much_work_is_refused_soon():
    """100 nodes and 150 edges: nobody counts these."""
    with pytest.raises(ArgumentError, match="cannot be counted exactly"):
        count_linear_extensions(sparse_dag(100, 1), max_states=10_000)


# ---- many DAGs


def test_logs_equal_exact_counts():
    dags = np.array([sparse_dag(30, seed) for seed in range(20)])
    expected = [math.log(count_linear_extensions(dag)) for dag in dags]
    np.testing.assert_allclose(log_linear_extensions(dags), expected, rtol=1e-13, atol=0)


def test_float_counts_of_all_states_equal_exact_ones():
    recursion = module._list_states(as_poset(naive.grid(8, 8)), module.MAX_STATES)
    counts = module._evaluate(recursion)
    assert counts[0] == pytest.approx(naive.tableaux(8, 8), rel=1e-12)
    modulus = MODULI[0]
    remainders = kernels.evaluate(recursion, module.BINOMIALS % np.uint64(modulus), np.uint64(modulus))
    small = counts < 2**53  # up to which floats are exact
    assert small.sum() > 1000
    np.testing.assert_array_equal(counts[small] % modulus, remainders[small])


def test_stacks_keep_their_shape_and_equal_dags_are_counted_once(monkeypatch):
    calls = []
    count = module._log_count
    monkeypatch.setattr(module, "_log_count", lambda *arguments: calls.append(1) or count(*arguments))
    dags = np.zeros((2, 3, 4, 4), dtype=bool)
    dags[1, :, 0, 1] = True
    logs = log_linear_extensions(dags)
    np.testing.assert_allclose(np.exp(logs), [[24] * 3, [12] * 3], rtol=1e-12)
    assert len(calls) == 2
    assert log_linear_extensions(dags[0, 0]).shape == ()
    assert log_linear_extensions(dags[:0]).shape == (0, 3)


def test_infeasible_dags_are_nan_and_do_not_disturb_the_others():
    dags = np.array([naive.zigzag(20), np.zeros((20, 20), bool)])
    logs = log_linear_extensions(dags, max_states=50)
    assert np.isnan(logs[0])
    assert logs[1] == pytest.approx(math.lgamma(21))


@pytest.mark.parametrize("shape", [(3,), (2, 3, 4)])
def test_stacks_of_other_shapes_are_refused(shape):
    with pytest.raises(GraphError, match=r"shape \(\.\.\., p, p\), but its shape is"):
        log_linear_extensions(np.zeros(shape))


# ---- sampling

SMALL_POSETS = {
    "N": naive.zigzag(4),
    "zigzag": naive.zigzag(6),
    "fence with a tail": naive.dag_of([(0, 2), (1, 2), (1, 3), (3, 4), (3, 5)], 6),
    "two parts": naive.dag_of([(0, 1), (2, 1), (2, 3), (4, 5)], 6),
    "series": naive.dag_of([(0, 3), (1, 3), (1, 4), (3, 2), (4, 2), (0, 2), (2, 5), (2, 6)], 7),
    "subsets": naive.subsets(3),
    "chains": naive.chains([3, 2, 1]),
}
FALSE_ALARM = 1e-4
TESTS = 2 * len(SMALL_POSETS) + 2
"""So many chi-square tests give, together, one false alarm in 10,000 runs."""


def chi_square(dag, orders):
    """Return the p-value of a chi-square test that all linear extensions are equally likely."""
    known = {tuple(order): i for i, order in enumerate(naive.linear_extensions(dag).tolist())}
    counts = np.bincount([known[tuple(order)] for order in orders.tolist()], minlength=len(known))
    expected = len(orders) / len(known)
    assert expected >= 20, "too few draws for a chi-square test"
    return chi2.sf(((counts - expected) ** 2 / expected).sum(), len(known) - 1)


@pytest.mark.parametrize("name", SMALL_POSETS)
@pytest.mark.parametrize(("max_states", "number"), [(10_000, 20_000), (3, 2500)], ids=["by recursion", "coupled"])
def test_draws_are_uniform(name, max_states, number):
    dag = SMALL_POSETS[name]
    assert chi_square(dag, sample_linear_extensions(dag, number, seed=5, max_states=max_states)) > FALSE_ALARM / TESTS


def test_draws_of_the_kernel_are_uniform_where_it_splits_by_itself():
    """Two nodes before an N, beside a single node; and a collider beside an N."""
    kinds = set()
    for edges in (
        [(0, 2), (0, 3), (1, 2), (1, 3), (2, 4), (2, 5), (3, 5)],
        [(0, 2), (1, 2), (3, 5), (3, 6), (4, 6)],
    ):
        dag = naive.dag_of(edges, 7)
        recursion = list_whole(dag)
        kinds |= set(recursion.kinds.tolist())
        orders = np.empty((20_000, 7), np.intp)
        kernels.draw_by_recursion(recursion, module._evaluate(recursion), np.random.default_rng(1), orders)
        assert chi_square(dag, orders) > FALSE_ALARM / TESTS
    assert len(kinds) == 5


@pytest.mark.parametrize("name", ["N", "two parts"])
def test_choosing_evenly_among_the_free_nodes_is_caught(name):
    rng = np.random.default_rng(5)
    orders = np.array([naive.draw_among_free(SMALL_POSETS[name], rng) for _ in range(2500)])
    assert chi_square(SMALL_POSETS[name], orders) < FALSE_ALARM / TESTS


@pytest.mark.parametrize("max_states", [module.MAX_STATES, 3], ids=["by recursion", "coupled"])
def test_larger_dags_have_the_right_pairwise_precedences(max_states):
    """P(a before b) is a ratio of two counts. 66 pairs at most, two sides: a false alarm in 10,000 runs."""
    dag = sparse_dag(12, 4)
    number = 20_000 if max_states > 3 else 2000
    place = np.argsort(sample_linear_extensions(dag, number, seed=1, max_states=max_states), axis=1)
    reaches, total = as_poset(dag), count_linear_extensions(dag)
    undecided = [(a, b) for a in range(12) for b in range(a) if not reaches[a, b] and not reaches[b, a]]
    assert len(undecided) > 20
    for a, b in undecided:
        decided = dag.copy()
        decided[a, b] = True
        share = count_linear_extensions(decided) / total
        observed = (place[:, a] < place[:, b]).mean()
        assert abs(observed - share) < norm.isf(1e-4 / 132) * math.sqrt(share * (1 - share) / number)


@pytest.mark.parametrize(("p", "max_states"), [(1, 10), (2, 10), (30, module.MAX_STATES), (40, 100), (120, 100)])
def test_draws_are_linear_extensions_and_repeatable(p, max_states):
    dag = sparse_dag(p, 1) if p > 1 else np.zeros((1, 1), bool)
    orders = sample_linear_extensions(dag, 3, seed=7, max_states=max_states)
    assert orders.shape == (3, p)
    np.testing.assert_array_equal(np.sort(orders, axis=1), np.tile(np.arange(p), (3, 1)))
    place = np.argsort(orders, axis=1)
    for cause, effect in np.argwhere(dag):
        assert (place[:, cause] < place[:, effect]).all()
    again = sample_linear_extensions(dag, 3, seed=np.random.default_rng(7), max_states=max_states)
    np.testing.assert_array_equal(orders, again)


def bounds_hold(advance):
    """Drive all orders of small posets by the same choices, and say whether the bounds are kept until all have met."""
    rng = np.random.default_rng(8)
    met = 0
    for dag in (naive.zigzag(6), naive.subsets(3)[:7, :7], naive.grid(2, 3)):
        numbering = naive.linear_extensions(dag)[0]
        reaches = as_poset(dag[np.ix_(numbering, numbering)])
        p = len(reaches)
        orders = naive.linear_extensions(reaches)
        for _ in range(5):
            orders_now, bounds = orders.copy(), np.full(p, -1)
            for choice in rng.integers(2 * (p - 1), size=2000):
                for order in orders_now:
                    after = bounds.copy()
                    advance(reaches, np.array([choice]), after, order)
                bounds = after
                place = np.argsort(orders_now, axis=1)
                for at, element in enumerate(bounds):
                    if element >= 0 and (place[:, element] > at).any():
                        return False
                if (bounds >= 0).all():
                    met += 1
                    break
    assert met == 15
    return True


def test_no_order_is_ever_beyond_the_bounds_of_the_coupling():
    assert bounds_hold(kernels.advance_coupled)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("coin != (a == high)", "coin"), ("not reaches[low, high]", "True"), ("= entered", "= p - 1 - entered")],
)
def test_a_wrong_coupling_is_caught(right, wrong):
    assert not bounds_hold(altered([kernels.advance_coupled], right=right, wrong=wrong)["advance_coupled"])


# ---- estimation


def largest_error(seeds, particles=2000):
    """Return the largest error of an estimate at p = 30, in standard errors."""
    errors = []
    for seed in seeds:
        dag = sparse_dag(30, seed)
        estimate = estimate_linear_extensions(dag, particles=particles, seed=seed, max_states=1)
        assert 0 < estimate.standard_error < 0.1
        exact = math.log(count_linear_extensions(dag))
        errors.append(abs(estimate.log_count - exact) / estimate.standard_error)
    return max(errors)


BOUND = t.isf(1e-4 / 40, module.BATCHES - 1)
"""20 DAGs, two sides: all errors are within this bound but for one run in 10,000."""


def test_estimates_are_within_their_stated_error():
    assert largest_error(range(20)) < BOUND


def test_forgetting_the_weights_since_the_last_resampling_is_caught(monkeypatch):
    broken = altered([kernels.log_ratio_to_hooks], right="if left == 1 or total", wrong="if total")
    monkeypatch.setattr(module, "log_ratio_to_hooks", broken["log_ratio_to_hooks"])
    assert largest_error(range(2)) > BOUND


@pytest.mark.parametrize("name", ["zigzag", "series", "subsets"])
def test_estimates_of_the_count_are_unbiased(name):
    """Of 20,000 runs with two particles each: the mean is within five standard errors, a false alarm in a million."""
    dag = SMALL_POSETS[name]
    reaches, rng = as_poset(dag), np.random.default_rng(9)
    ratios = np.exp([kernels.log_ratio_to_hooks(reaches, 2, rng) for _ in range(20_000)])
    hooks = math.factorial(len(dag)) / np.prod(1.0 + reaches.sum(axis=1))
    expected = len(naive.linear_extensions(dag)) / hooks
    assert abs(ratios.mean() - expected) < 5 * ratios.std() / math.sqrt(len(ratios))
    assert ratios.std() > 0.01


def test_estimates_of_known_large_counts():
    """A zigzag and a grid with 100 nodes, whose counts are 10^138 and 10^70: four standard errors."""
    for dag, exact in ((naive.zigzag(100), naive.euler_number(100)), (naive.grid(10, 10), naive.tableaux(10, 10))):
        estimate = estimate_linear_extensions(dag, seed=1, particles=4000)
        assert abs(estimate.log_count - math.log(exact)) < 4 * estimate.standard_error
        assert estimate.standard_error < 0.2


def test_what_can_be_counted_is_not_estimated():
    dag = sparse_dag(25, 1)
    estimate = estimate_linear_extensions(dag)
    assert estimate.standard_error == 0
    assert estimate.log_count == pytest.approx(math.log(count_linear_extensions(dag)), rel=1e-13)
    tree = naive.random_tree(300, np.random.default_rng(1))
    assert estimate_linear_extensions(tree).log_count == pytest.approx(math.log(naive.forest_count(tree)), rel=1e-13)


def test_a_seed_makes_estimates_repeatable():
    dag = sparse_dag(30, 3)
    first, second, other = (
        estimate_linear_extensions(dag, seed=seed, particles=100, max_states=1) for seed in (1, 1, 2)
    )
    assert first == second
    assert first != other


def test_particles_that_disagree_too_much_are_refused():
    with pytest.raises(ArgumentError) as error:
        estimate_linear_extensions(sparse_dag(200, 1), particles=40, seed=1)
    assert "use more particles" in check_sentence(str(error.value))


# ---- the hook estimate


def test_the_hook_estimate_is_its_formula_and_never_too_large():
    rng = np.random.default_rng(4)
    for _ in range(100):
        dag = random_dag(7, rng, density=rng.uniform(0, 0.8))
        reaches = as_poset(dag)
        expected = math.log(math.factorial(7))
        for v in range(7):
            expected -= (math.log(1 + reaches[v].sum()) + math.log(1 + reaches[:, v].sum())) / 2
        estimate = hook_estimate(dag)
        assert estimate == pytest.approx(expected, rel=1e-12)
        assert estimate < math.log(len(naive.linear_extensions(dag))) + 1e-9


def test_the_hook_estimate_is_exact_for_chains_and_low_for_trees():
    for lengths in ([1, 1, 1], [4], [3, 5, 1]):
        dag = naive.chains(lengths)
        assert hook_estimate(dag) == pytest.approx(math.log(count_linear_extensions(dag)), abs=1e-9)
    fork = naive.dag_of([(0, 1), (0, 2)], 3)
    assert math.exp(hook_estimate(fork)) == pytest.approx(math.sqrt(3))  # where 2 is right


# ---- arguments


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "many", None, True, 2**31])
def test_wrong_bounds_are_refused(wrong):
    for ask in (
        lambda: count_linear_extensions(np.zeros((2, 2)), max_states=wrong),
        lambda: log_linear_extensions(np.zeros((2, 2)), max_states=wrong),
        lambda: estimate_linear_extensions(np.zeros((2, 2)), max_states=wrong),
        lambda: sample_linear_extensions(np.zeros((2, 2)), 1, max_states=wrong),
        lambda: estimate_linear_extensions(np.zeros((2, 2)), particles=wrong),
    ):
        with pytest.raises(ArgumentError, match="must be a whole number from") as error:
            ask()
        check_sentence(str(error.value))


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "many", None, True])
def test_wrong_numbers_of_draws_are_refused(wrong):
    with pytest.raises(ArgumentError, match="number must be a whole number, at least 1, but"):
        sample_linear_extensions(np.zeros((2, 2)), wrong)


def test_wrong_seeds_are_refused():
    for ask in (lambda seed: sample_linear_extensions(np.zeros((2, 2)), 1, seed=seed),
                lambda seed: estimate_linear_extensions(np.zeros((2, 2)), seed=seed)):  # fmt: skip
        with pytest.raises(ArgumentError, match="seed"):
            ask("today")

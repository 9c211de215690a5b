"""Gaussian scores of blocks of columns, in groups of rows."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import edgewise as ew
from compiled import entry
from edgewise._kernels.scores import interface
from edgewise.data import load_data
from edgewise.data.blocks import indicators
from edgewise.scores import DegenerateGaussian, bge, bic, local_scores
from edgewise.scores.grouping import join_groups
from naive import blocks as naive
from naive import graphs
from sentences import check_sentence

local_score = entry(interface.local_score)
gains = entry(interface.gains)
is_determined = entry(interface.is_determined)

BIC = ew.GaussianBIC()
DEGENERATE = DegenerateGaussian()


def score_family(tables, node, parents, p):
    """Return the local score, and whether the parents determine each other or the child."""
    room = interface.new_room(tables, p)
    members = np.array([*parents, node])
    score = local_score(tables, members, len(parents), room)
    return score, is_determined(tables, members, len(parents), room)


def find_gains(tables, node, parents, p):
    gain = np.empty(p)
    gains(tables, np.array([*parents, node]), len(parents), node, interface.new_room(tables, p), gain)
    return gain


def families(p):
    for node in range(p):
        others = [v for v in range(p) if v != node]
        for size in range(p):
            for parents in combinations(others, size):
                yield node, parents


def split(values):
    return [values[:, [column]] for column in range(values.shape[1])]


@pytest.fixture
def mixed(rng):
    """Two numbers, three levels, two levels, in 40 rows: the columns, and which were set."""
    first = rng.standard_normal(40)
    three = np.digitize(first + rng.standard_normal(40), [-0.5, 0.7])
    number = 2.0 * (three == 1) + first + 10 + rng.standard_normal(40)
    two = (number + rng.standard_normal(40) > 11).astype(int)
    columns = [first[:, None], number[:, None] * 100, indicators(three, 3), indicators(two, 2)]
    is_set = np.zeros((40, 4), bool)
    is_set[25:, 1] = True
    is_set[30:, 2] = True
    return columns, is_set


def test_bge_predicts_row_by_row(mixed):
    data = naive.stand_in(*mixed)
    settings = {"alpha_mu": 0.7, "alpha_w": 8.5}
    for score, given in ((DEGENERATE, {}), (DegenerateGaussian(**settings), settings)):
        tables = score.prepare(data)
        for node, parents in families(4):
            expected = naive.bge(*mixed, node, parents, **given)
            np.testing.assert_allclose(score_family(tables, node, parents, 4)[0], expected, rtol=1e-10)


@pytest.mark.parametrize("standardize", [True, False])
def test_bge_of_experiments_has_the_prior_mean_that_is_given(rng, standardize):
    values = rng.standard_normal((25, 3)) @ rng.standard_normal((3, 3)) * [1, 5, 0.2] + 1
    is_set = np.zeros((25, 3), bool)
    is_set[15:, 2] = True
    nu = np.array([1.0, -2.0, 0.5])
    tables = ew.BGe(nu=nu, standardize=standardize).prepare(naive.stand_in(split(values), is_set))
    unit = [column[~was_set].std(ddof=1) for column, was_set in zip(values.T, is_set.T, strict=True)]
    unit = np.array(unit) if standardize else np.ones(3)
    for node, parents in families(3):
        rows = (values / unit)[~is_set[:, node]]
        family = [*parents, node]
        evidence = [naive.log_evidence(rows[:, y], columns=3, nu=(nu / unit)[y]) for y in (family, list(parents))]
        np.testing.assert_allclose(score_family(tables, node, parents, 3)[0], evidence[0] - evidence[1], rtol=1e-10)


def test_bic_regresses_column_by_column(mixed):
    tables = BIC.prepare(naive.stand_in(*mixed))
    for node, parents in families(4):
        np.testing.assert_allclose(
            score_family(tables, node, parents, 4)[0], naive.bic(*mixed, node, parents), rtol=1e-10
        )


@pytest.mark.parametrize("score", [DEGENERATE, BIC])
def test_gains_are_differences_of_scores(mixed, score):
    """Members of the set may be in any order."""
    tables = score.prepare(naive.stand_in(*mixed))
    for node, parents in families(4):
        gain = find_gains(tables, node, parents[::-1], 4)
        for x in range(4):
            if x == node or x in parents:
                assert gain[x] == -np.inf
            else:
                more = score_family(tables, node, sorted([*parents, x]), 4)[0]
                np.testing.assert_allclose(gain[x], more - score_family(tables, node, parents, 4)[0], atol=1e-9)


@pytest.mark.parametrize("score", [ew.BGe(), ew.BGe(standardize=False, nu=range(6), alpha_w=12), BIC])
@pytest.mark.parametrize("n", [60, 5])
def test_columns_of_one_group_are_scored_as_ever(rng, score, n):
    values = rng.standard_normal((n, 6)) @ rng.standard_normal((6, 6)) * [1, 10, 0.1, 3, 1, 1] + 5
    plain = score.prepare(load_data(values))
    tables = score.prepare(naive.stand_in(split(values), np.zeros((n, 6), bool)))
    assert type(plain) is not type(tables)
    assert plain.most_parents == tables.most_parents
    for node, parents in families(6):
        expected, found = (score_family(each, node, parents, 6) for each in (plain, tables))
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-10)
        assert found[1] == (expected[1] and expected[0] > -np.inf)
        expected, found = (find_gains(each, node, parents, 6) for each in (plain, tables))
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


def test_numbers_alone_are_scored_as_by_bge(rng):
    values = rng.standard_normal((40, 8)) @ rng.standard_normal((8, 8)) * np.logspace(-3, 3, 8)
    data = naive.stand_in(split(values), np.zeros((40, 8), bool))
    for settings in ({}, {"alpha_mu": 0.3, "alpha_w": 15.0}):
        tables = DegenerateGaussian(**settings).prepare(data)
        for _ in range(20):
            dag = graphs.random_dag(8, rng, 0.5)
            expected = ew.score(dag, values, score=ew.BGe(**settings))
            np.testing.assert_allclose(local_scores(dag, tables).sum(), expected, rtol=1e-12)


@pytest.mark.parametrize("score", [DEGENERATE, BIC])
def test_which_level_is_left_out_does_not_matter(rng, score):
    codes = rng.integers(4, size=50)
    value = (codes == 2) + rng.standard_normal(50)
    is_set = np.zeros((50, 2), bool)
    is_set[30:, 0] = True
    found = []
    for first in range(4):
        columns = [indicators((codes + first) % 4, 4), value[:, None]]
        tables = score.prepare(naive.stand_in(columns, is_set))
        found.append([score_family(tables, node, parents, 2)[0] for node, parents in families(2)])
    np.testing.assert_allclose(found, np.broadcast_to(found[0], (4, 4)), rtol=1e-11)


def test_relabelling_variables_relabels_scores(mixed, rng):
    columns, is_set = mixed
    dag = graphs.random_dag(4, rng, 0.7)
    order = rng.permutation(4)
    for score in (DEGENERATE, BIC):
        one = local_scores(dag, score.prepare(naive.stand_in(columns, is_set)))
        tables = score.prepare(naive.stand_in([columns[v] for v in order], is_set[:, order]))
        np.testing.assert_allclose(local_scores(dag[np.ix_(order, order)], tables), one[order], rtol=1e-11)


@pytest.mark.parametrize("score", [DEGENERATE, BIC])
def test_markov_equivalent_dags_score_equally(mixed, rng, score):
    tables = score.prepare(naive.stand_in(mixed[0], np.zeros((40, 4), bool)))
    for _ in range(20):
        members = graphs.equivalence_class(graphs.random_dag(4, rng, 0.6))
        total = [local_scores(member, tables).sum() for member in members]
        np.testing.assert_allclose(total, total[0], rtol=1e-11)


@pytest.mark.parametrize(("noise", "is_singular"), [(0.0, True), (1e-6, True), (1e-4, False)])
def test_who_is_determined_has_no_score(rng, noise, is_singular):
    """Variable 2 is a combination of 0 and of one column of 1, but not where 3 is free; 4 is free where they are.

    Noise of 1e-6 is a share of 1e-12 of the variance, and too little; one of 1e-4 is enough.
    """
    block = indicators(rng.integers(3, size=60), 3)
    values = rng.standard_normal((60, 4))
    values[:40, 1] = values[:40, 0] + block[:40, 0] + noise * values[:40, 1]
    is_set = np.zeros((60, 5), bool)
    is_set[40:, [0, 1, 2, 4]] = True
    columns = [values[:, [0]], block, values[:, [1]], values[:, [2]], values[:, [3]]]
    tables = BIC.prepare(naive.stand_in(columns, is_set))

    def is_void(node, family):
        return is_singular and node != 3 and {0, 1, 2} <= family

    for node, parents in families(5):
        family = {*parents, node}
        score, is_found = score_family(tables, node, parents, 5)
        assert is_found == is_void(node, family)
        assert score == -np.inf if is_found else np.isfinite(score)
        gain = find_gains(tables, node, parents, 5)
        for x in {*range(5)} - family:
            assert gain[x] == -np.inf if is_void(node, {*family, x}) else np.isfinite(gain[x])


def test_a_block_of_which_a_part_is_determined_has_no_score(rng):
    codes = np.repeat([0, 1, 2], 20)
    is_first = (codes == 0) + 0.0
    other = rng.standard_normal(60)
    data = naive.stand_in([is_first[:, None], indicators(codes, 3), other[:, None]], np.zeros((60, 3), bool))
    tables = BIC.prepare(data)
    for node, parents in ((1, (0,)), (0, (1,)), (1, (0, 2)), (2, (0, 1))):
        assert score_family(tables, node, parents, 3) == (-np.inf, True)
    assert (find_gains(tables, 2, (0, 1), 3) == -np.inf).all()
    np.testing.assert_array_equal(np.isfinite(find_gains(tables, 1, (), 3)), [False, False, True])
    assert not score_family(DEGENERATE.prepare(data), 1, (0,), 3)[1]


def test_a_variable_that_is_constant_in_the_rows_of_a_family_has_no_part_in_it(rng):
    values = rng.standard_normal((30, 3))
    values[:20, 2] = 4.0
    is_set = np.zeros((30, 3), bool)
    is_set[:20, 2] = True
    is_set[20:, 0] = True
    tables = BIC.prepare(naive.stand_in(split(values), is_set))
    assert score_family(tables, 0, (2,), 3) == (-np.inf, True)
    np.testing.assert_array_equal(np.isfinite(find_gains(tables, 0, (), 3)), [False, True, False])
    np.testing.assert_array_equal(np.isfinite(find_gains(tables, 1, (), 3)), [True, False, True])
    assert (find_gains(tables, 0, (2,), 3) == -np.inf).all()
    # To BGe it is one more column that says nothing.
    assert np.isfinite(find_gains(ew.BGe().prepare(naive.stand_in(split(values), is_set)), 0, (), 3)[2])


@pytest.mark.parametrize("n", [6, 30])
def test_more_columns_than_rows_have_no_bic(rng, n):
    """With 6 rows, a family may have 5 columns; the last variable is free in 4 rows, and may have 2 parents.

    So it is where more rows, with many gaps, are worth no more.
    """
    columns = [rng.standard_normal((n, width)) for width in (2, 1, 2, 1, 1)]
    is_set = np.zeros((n, 5), bool)
    is_set[:2, 4] = True
    data = naive.stand_in(columns, is_set)
    data.blocks = replace(data.blocks, n=np.array([6.0, 4.0]) if n == 6 else np.array([6.9, 4.5]))
    tables = BIC.prepare(data)
    assert tables.most_parents == 4
    for node, parents in families(5):
        width = sum(columns[v].shape[1] for v in (*parents, node))
        most = 3 if node == 4 else 5
        score, is_void = score_family(tables, node, parents, 5)
        assert np.isfinite(score) == (width <= most)
        assert np.isfinite(score) or score == -np.inf
        assert not is_void
        gain = find_gains(tables, node, parents, 5)
        for x in {*range(5)} - {*parents, node}:
            assert np.isfinite(gain[x]) == (width + columns[x].shape[1] <= most)
            assert np.isfinite(gain[x]) or gain[x] == -np.inf


def test_fewer_rows_than_columns_have_a_bge(rng):
    columns = [rng.standard_normal((4, width)) for width in (3, 1, 2)]
    is_set = np.zeros((4, 3), bool)
    is_set[:, 0] = True
    is_set[1:, 1] = True
    data = naive.stand_in([*columns], is_set)
    tables = DEGENERATE.prepare(data)
    for parents in ((), (1,), (1, 2)):
        np.testing.assert_allclose(score_family(tables, 0, parents, 3)[0], 0, atol=1e-12)
    for node, parents in families(3):
        assert np.isfinite(score_family(tables, node, parents, 3)[0])


def test_bic_names_those_that_never_vary_where_they_are_free(rng):
    values = rng.standard_normal((20, 4))
    values[:10, 3] = 2.0
    is_set = np.zeros((20, 4), bool)
    is_set[1:, 1] = True
    is_set[10:, 3] = True
    with pytest.raises(ew.DataError, match="Columns 'X1' and 'X3' do not vary") as error:
        BIC.prepare(naive.stand_in(split(values), is_set))
    check_sentence(str(error.value))


def test_effective_numbers_of_rows_need_not_be_whole(rng):
    """Half-way between two whole numbers, scores are between theirs."""
    values = rng.standard_normal((30, 3)) @ rng.standard_normal((3, 3))
    blocks = naive.stand_in(split(values), np.zeros((30, 3), bool)).blocks

    def scores(make, n):
        fewer = replace(blocks, n=np.array([n]))
        return np.array([score_family(make(fewer), node, parents, 3)[0] for node, parents in families(3)])

    def make_bic(fewer):
        return join_groups(fewer, [bic.score_columns(fewer.n[0], fewer.raw_scatter[0])])

    for make in (make_bic, lambda fewer: bge.score_blocks(fewer, 1.0, 5.0)):
        low, middle, high = (scores(make, n) for n in (24.0, 24.5, 25.0))
        np.testing.assert_allclose(middle, (low + high) / 2, atol=0.01)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda data: DegenerateGaussian(alpha_mu=0.0), "alpha_mu"),
        (lambda data: DegenerateGaussian(alpha_mu="x"), "alpha_mu"),
        (lambda data: DegenerateGaussian(alpha_w="x").prepare(data), "alpha_w"),
        (lambda data: DegenerateGaussian(alpha_w=6.0).prepare(data), "alpha_w .*, 6 "),
    ],
)
def test_bad_hyperparameters_are_named(mixed, make, word):
    with pytest.raises(ew.ArgumentError, match=word) as error:
        make(naive.stand_in(*mixed))
    check_sentence(str(error.value))

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import edgewise as ew
from compiled import altered, entry
from discrete import as_dataset, draw_codes
from edgewise._kernels.basics.tails import log_chi_square_tail, log_two_tails, normal_deviate
from edgewise._kernels.independence import counts as kernels
from edgewise._kernels.independence.counts import g_squared
from edgewise._kernels.independence.interface import new_room, strength, strengths
from naive import counts

LEVELS = [2, 3, 4, 2, 3]

strength_of = entry(strength)
strengths_of = entry(strengths)
tail_of = entry(log_chi_square_tail)
two_tails_of = entry(log_two_tails)
deviate_of = entry(normal_deviate)

PROBABILITIES = [0.9999, 0.99, 0.9, 0.6, 0.5, 0.3, 0.05, 1e-3, 1e-8, 1e-30, 1e-100, 1e-200, 1e-300]


def prepare(codes, levels=LEVELS, is_set=None):
    return ew.GSquared().prepare(as_dataset(codes, levels, is_set))


def measure(tables, x, y, given):
    """G^2, its degrees of freedom, its p-value, and whether it has rows enough."""
    members = np.array([*given, 0], np.int64)
    room = new_room(tables, len(tables.levels))
    statistic, degrees, log_p, has_rows = g_squared(tables, members, len(given), y, x, room)
    return statistic, degrees, np.exp(log_p), has_rows


def test_one_stratum_equals_scipy(rng):
    codes = draw_codes(rng, 400, LEVELS)
    tables = prepare(codes)
    for x in range(5):
        for y in range(5):
            if x != y:
                table = np.zeros((LEVELS[x], LEVELS[y]))
                np.add.at(table, (codes[:, x], codes[:, y]), 1)
                table = table[table.any(axis=1)][:, table.any(axis=0)]
                expected = stats.chi2_contingency(table, lambda_="log-likelihood", correction=False)
                statistic, degrees, p_value, _ = measure(tables, x, y, [])
                np.testing.assert_allclose(statistic, expected.statistic, rtol=1e-10)
                assert degrees == expected.dof
                np.testing.assert_allclose(p_value, expected.pvalue, rtol=1e-8)


@pytest.mark.parametrize(("n", "missing"), [(5, 0.0), (100, 0.0), (100, 0.2), (2000, 0.0), (2000, 0.1)])
def test_strata_add_up(rng, n, missing):
    codes = draw_codes(rng, n, LEVELS, missing=missing)
    is_set = rng.random((n, 1)) < np.array([0.0, 0.3, 0.0, 0.0, 0.7])
    tables = prepare(codes, is_set=is_set)
    for _ in range(20):
        x, y, *others = rng.permutation(5).tolist()
        given = others[: rng.integers(4)]
        expected, degrees, rows = counts.g_squared(codes, x, y, given, is_set=is_set)
        statistic, found, p_value, has_rows = measure(tables, x, y, given)
        assert (found, has_rows) == (degrees, rows >= 5 * degrees)
        np.testing.assert_allclose(statistic, expected, rtol=1e-9, atol=1e-9)
        if degrees:
            np.testing.assert_allclose(p_value, stats.chi2.sf(expected, degrees), rtol=1e-8)


@pytest.mark.parametrize(("n", "missing"), [(30, 0.0), (300, 0.0), (300, 0.2)])
def test_strengths_equal_the_slow_count(rng, n, missing):
    codes = draw_codes(rng, n, LEVELS, missing=missing)
    is_set = rng.random((n, 1)) < np.array([0.0, 0.3, 0.0, 0.0, 0.7])
    tables = prepare(codes, is_set=is_set)
    room = new_room(tables, 5)
    found = np.empty(5)
    made = 0
    for _ in range(20):
        node, *others = rng.permutation(5).tolist()
        given = others[: rng.integers(4)]
        members = np.array([*given, 0], np.int64)
        strengths_of(tables, members, len(given), node, room, found)
        for x in range(5):
            if x in [node, *given]:
                assert found[x] == -np.inf
            else:
                expected = counts.strength(codes, x, node, given, is_set=is_set)
                np.testing.assert_allclose(found[x], expected, rtol=1e-8, atol=1e-8)
                assert strength_of(tables, members, len(given), node, x, room) == found[x]
                made += expected > -np.inf
    assert made > 5


def test_many_levels_are_counted_too(rng):
    levels = [255, 2, 70]
    codes = rng.integers(levels, size=(3000, 3))
    codes[rng.random((3000, 3)) < 0.2] = -1
    for x, y, *given in ((0, 1), (0, 2), (1, 2, 0), (2, 1, 0)):
        expected = counts.g_squared(codes, x, y, given)
        np.testing.assert_allclose(measure(prepare(codes, levels), x, y, given)[:2], expected[:2], rtol=1e-9)


def load(codes):
    names = [f"X{v}" for v in range(codes.shape[1])]
    return ew.load_data(pd.DataFrame(codes, columns=names), kinds=dict.fromkeys(names, "categorical"))


def test_one_test_for_users(rng):
    codes = draw_codes(rng, 500, LEVELS)
    for asked, (x, y, *given) in (
        ((0, "X1"), (0, 1)),
        (("X4", 2, "X3"), (4, 2, 3)),
        ((1, 0, [3, "X4"]), (1, 0, 3, 4)),
    ):
        statistic, degrees, _ = counts.g_squared(codes, x, y, given)
        result = ew.g_squared_test(load(codes), *asked)
        np.testing.assert_allclose(result.statistic, statistic, rtol=1e-9)
        assert result.degrees == degrees
        np.testing.assert_allclose(result.p_value, stats.chi2.sf(statistic, degrees), rtol=1e-8)


def test_a_void_test_is_named_and_counts_as_independence():
    codes = np.array([[0, 0], [1, 1], [1, 2]] * 3)
    with pytest.warns(ew.VoidTestWarning, match="test of X1 and X0 has 2 degrees of freedom, too many for its rows"):
        result = ew.g_squared_test(load(codes), "X1", "X0")
    assert (result.degrees, result.p_value) == (2, 1)


def test_too_few_rows_count_as_independence(rng):
    """2 x 3 levels have two degrees of freedom: ten rows are enough, nine are not."""
    codes = np.array([[0, 0], [1, 1], [1, 2]] * 3 + [[0, 0]])
    for n, is_made in ((10, True), (9, False)):
        tables = prepare(codes[:n], [2, 3])
        assert measure(tables, 0, 1, [])[3] == is_made
        found = strength_of(tables, np.zeros(1, np.int64), 0, 1, 0, new_room(tables, 2))
        assert (found > 2) == is_made
        assert np.isfinite(found) == is_made


def test_rows_without_a_choice_do_not_make_up_for_few_rows_with_one():
    """Where z = 1, x is constant; in the two rows with z = 0 nothing can be tested."""
    codes = np.array([[0, 0, 0], [1, 1, 0]] + [[0, 0, 1], [0, 1, 1]] * 50)
    statistic, degrees, _, has_rows = measure(prepare(codes, [2, 2, 2]), 0, 1, [2])
    assert statistic == pytest.approx(4 * np.log(2))
    assert degrees == 1
    assert not has_rows


def test_nothing_depends_on_what_is_determined(rng):
    codes = draw_codes(rng, 500, [2, 3, 2])
    codes[:, 2] = codes[:, 1] > 0
    tables = prepare(codes, [2, 3, 2])
    room = new_room(tables, 3)
    for node, x in ((0, 2), (2, 0)):
        assert strength_of(tables, np.array([1]), 1, node, x, room) == -np.inf
        assert measure(tables, x, node, [1])[:3] == (0, 0, 1)


def test_what_determines_the_other_is_strong_but_not_infinite(rng):
    """Unlike a regression that leaves nothing, a table with empty cells has a score."""
    codes = np.column_stack([np.arange(500) % 2] * 2)
    tables = prepare(codes, [2, 2])
    found = strength_of(tables, np.zeros(1, np.int64), 0, 1, 0, new_room(tables, 2))
    np.testing.assert_allclose(found, np.sqrt(2 * 500 * np.log(2)), rtol=1e-12)


def test_the_order_of_rows_and_levels_does_not_matter(rng):
    codes = draw_codes(rng, 300, LEVELS, missing=0.1)
    relabelled = rng.permutation(
        np.column_stack(
            [np.append(rng.permutation(number), -1)[column] for number, column in zip(LEVELS, codes.T, strict=True)]
        )
    )
    for x, y, *given in (rng.permutation(5)[: rng.integers(2, 5)] for _ in range(10)):
        one, other = measure(prepare(codes), x, y, given), measure(prepare(relabelled), x, y, given)
        np.testing.assert_allclose(one, other, rtol=1e-9)


def test_p_values_of_independent_variables_are_uniform(rng):
    """Kolmogorov-Smirnov over 400 tables given a third variable; the false-alarm rate is 1e-4."""
    p_values = []
    for _ in range(400):
        codes = rng.integers([2, 3, 3], size=(400, 3))
        p_values.append(measure(prepare(codes, [2, 3, 3]), 0, 1, [2])[2])
    assert stats.kstest(p_values, "uniform").pvalue > 1e-4


@pytest.mark.parametrize("degrees", [1, 2, 3, 8, 50, 1000, 20_000])
def test_chi_square_tails_equal_scipy(degrees):
    for p_value in PROBABILITIES:
        statistic = stats.chi2.isf(p_value, degrees)
        expected = stats.chi2.sf(statistic, degrees)
        np.testing.assert_allclose(np.exp(tail_of(statistic, float(degrees))), expected, rtol=1e-8)


def test_chi_square_tails_go_on_where_probabilities_are_zero():
    """With one degree of freedom, the tail is that of a normal deviate squared; with two, exponential."""
    for z in (39.0, 100.0, 1e4):
        np.testing.assert_allclose(tail_of(z * z, 1.0), stats.norm.logsf(z) + np.log(2), rtol=1e-12)
        np.testing.assert_allclose(tail_of(z, 2.0), -z / 2, rtol=1e-12)
    assert tail_of(0.0, 3.0) == 0


def test_normal_deviates_equal_scipy():
    for p_value in PROBABILITIES:
        np.testing.assert_allclose(deviate_of(np.log(p_value)), stats.norm.isf(p_value / 2), rtol=1e-9)


def test_normal_deviates_go_on_where_probabilities_are_zero():
    for z in (0.1, 5.0, 29.99, 30.01, 40.0, 1e3, 1e6):
        np.testing.assert_allclose(two_tails_of(z), stats.norm.logsf(z) + np.log(2), rtol=1e-11)
        np.testing.assert_allclose(deviate_of(stats.norm.logsf(z) + np.log(2)), z, rtol=1e-9)
    assert deviate_of(0.0) == 0
    assert 0 <= deviate_of(-1e-17) < 1e-15


def test_a_mistake_in_the_degrees_of_freedom_is_caught(rng):
    """The comparison with scipy fails where strata in which a variable is constant count."""
    broken = altered(
        [kernels.compare, kernels.strength], right="(levels_x - 1) * (levels_y - 1)", wrong="levels_x * levels_y - 1"
    )
    codes = draw_codes(rng, 1000, LEVELS)
    tables = prepare(codes)
    call = tables, np.array([0, 3]), 2, 1, 4, new_room(tables, 5)
    expected = counts.strength(codes, 4, 1, [0, 3])
    np.testing.assert_allclose(strength_of(*call), expected, rtol=1e-8)
    assert abs(entry(broken["strength"])(*call) - expected) > 0.1

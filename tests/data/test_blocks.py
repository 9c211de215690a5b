import numpy as np
import pytest

from edgewise.data.blocks import indicators, make_blocks
from edgewise.data.groups import group_rows
from edgewise.data.moments import Moments
from edgewise.errors import DataError
from naive.blocks import standardize
from sentences import check_sentence


def free(n, p):
    """Nobody set anything."""
    return group_rows(np.zeros((n, p), bool))


def split(values):
    return [values[:, [column]] for column in range(values.shape[1])]


def test_columns_of_one_group_have_the_moments_of_the_table(rng):
    values = rng.standard_normal((30, 4)) @ rng.standard_normal((4, 4)) * [1, 1e6, 1e-6, 1] + 5
    moments = Moments.from_values(values)
    blocks = make_blocks(split(values), free(30, 4))
    np.testing.assert_array_equal(blocks.first, range(4))
    np.testing.assert_array_equal(blocks.width, 1)
    np.testing.assert_array_equal(blocks.n, [30])
    np.testing.assert_array_equal(blocks.mean, [moments.mean])
    np.testing.assert_array_equal(blocks.scale, moments.scale)
    np.testing.assert_array_equal(blocks.scatter, [29 * moments.correlation])
    np.testing.assert_allclose(blocks.raw_scatter, [moments.scatter], rtol=1e-14)


def test_groups_have_their_own_rows_and_common_units(rng):
    """Columns 0 and 2 are free everywhere, 1 in the first 20 rows; the block of 2 has three columns."""
    columns = [rng.standard_normal((30, width)) @ rng.standard_normal((width, width)) + 3 for width in (1, 1, 3)]
    is_set = np.zeros((30, 3), bool)
    is_set[20:, 1] = True
    blocks = make_blocks(columns, group_rows(is_set))
    np.testing.assert_array_equal(blocks.first, [0, 1, 2])
    np.testing.assert_array_equal(blocks.width, [1, 1, 3])
    np.testing.assert_array_equal(blocks.group, [0, 1, 0])
    np.testing.assert_array_equal(blocks.n, [30, 20])
    np.testing.assert_allclose(blocks.scale, [columns[0].std(ddof=1), columns[1][:20].std(ddof=1), 1, 1, 1])
    np.testing.assert_allclose(blocks.mean[:, :2], [[c[:n].mean() for c in columns[:2]] for n in (30, 20)])
    # A block in other coordinates of unit variance differs by a rotation: lengths and angles to others are the same.
    table = np.concatenate(standardize(columns, is_set), axis=1)
    for group, n in enumerate((30, 20)):
        expected = (n - 1) * np.cov(table[:n].T)
        scatter = blocks.scatter[group]
        np.testing.assert_allclose(scatter[:2, :2], expected[:2, :2])
        np.testing.assert_allclose(scatter[:2, 2:] @ scatter[2:, :2], expected[:2, 2:] @ expected[2:, :2], atol=1e-9)
        np.testing.assert_allclose(np.linalg.eigvalsh(scatter), np.linalg.eigvalsh(expected))
        np.testing.assert_array_equal(scatter, scatter.T)
        away = table[:n, 2:].mean(axis=0)
        np.testing.assert_allclose(blocks.mean[group, 2:] @ blocks.mean[group, 2:], away @ away)
    np.testing.assert_allclose(blocks.scatter[0, 2:, 2:], 29 * np.eye(3), atol=1e-9)


@pytest.mark.parametrize("levels", [2, 3, 5])
def test_indicators_are_white_and_know_no_level_apart(rng, levels):
    codes = rng.choice(levels, p=np.arange(1, levels + 1) / np.arange(1, levels + 1).sum(), size=200)
    codes[:levels] = range(levels)
    codes[50:60] = -1
    block = indicators(codes, levels)
    assert block.shape == (200, levels - 1)
    is_known = codes >= 0
    assert np.isnan(block[~is_known]).all()
    block = block[is_known]
    np.testing.assert_allclose(block.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(np.atleast_2d(np.cov(block.T)), np.eye(levels - 1), atol=1e-12)
    for first in range(levels):
        other = indicators(np.where(is_known, (codes + first) % levels, -1), levels)[is_known]
        np.testing.assert_allclose(other @ other.T, block @ block.T, atol=1e-10)


def test_a_column_may_be_constant_where_others_are_free(rng):
    """The second variable was set to 2.5 in all rows in which the first is free."""
    values = rng.standard_normal((20, 2))
    values[:12, 1] = 2.5
    is_set = np.zeros((20, 2), bool)
    is_set[:12, 1] = True
    is_set[12:, 0] = True
    blocks = make_blocks(split(values), group_rows(is_set))
    np.testing.assert_array_equal(blocks.n, [12, 8])
    np.testing.assert_allclose(blocks.scatter[0], [[11, 0], [0, 0]])
    np.testing.assert_allclose(blocks.mean[0], [values[:12, 0].mean(), 2.5])
    np.testing.assert_allclose(np.diag(blocks.scatter[1])[1], 7)


def test_a_variable_may_be_free_in_no_row_or_in_one_or_constant(rng):
    values = rng.standard_normal((6, 4))
    values[:, 3] = 7.0
    is_set = np.zeros((6, 4), bool)
    is_set[:, 1] = True
    is_set[1:, 2] = True
    blocks = make_blocks(split(values), group_rows(is_set))
    np.testing.assert_array_equal(blocks.n[blocks.group], [6, 0, 1, 6])
    np.testing.assert_array_equal(blocks.scatter[blocks.group[1:3]], 0)
    np.testing.assert_array_equal(blocks.scatter[0, 3], 0)
    np.testing.assert_array_equal(blocks.scale[1:], 1)
    np.testing.assert_array_equal(blocks.mean[blocks.group[2]], values[0])
    assert np.isfinite(blocks.scatter).all()


def test_a_level_that_is_always_set_leaves_no_gaps(rng):
    """Level 2 occurs only in rows in which the variable was set: its direction keeps the units of all rows."""
    codes = rng.integers(2, size=30)
    codes[20:] = 2
    is_set = np.zeros((30, 2), bool)
    is_set[20:, 0] = True
    blocks = make_blocks([indicators(codes, 3), rng.standard_normal((30, 1))], group_rows(is_set))
    np.testing.assert_allclose(np.linalg.eigvalsh(blocks.scatter[0, :2, :2]), [0, 19], atol=1e-9)
    assert (np.linalg.eigvalsh(blocks.scatter[1, :2, :2]) > 1).all()


def test_other_moments_can_be_plugged_in(rng):
    """What is plugged in sees the rows of each group, without what is constant there, and says how many count."""
    values = rng.standard_normal((20, 3))
    values[3, 0] = np.nan
    values[10:, 2] = 1.0
    is_set = np.zeros((20, 3), bool)
    is_set[:10, 1] = True
    is_set[10:, 2] = True
    seen = []

    def moments(table):
        seen.append(table)
        whole = Moments.from_values(np.where(np.isnan(table), 0.0, table))
        return Moments(whole.n - 1, whole.mean, whole.scale, whole.correlation)

    blocks = make_blocks(split(values), group_rows(is_set), moments=moments)
    np.testing.assert_array_equal(seen[0], values)
    np.testing.assert_array_equal(seen[1], values[10:, :2])
    np.testing.assert_array_equal(seen[2], values[:10])
    np.testing.assert_array_equal(blocks.n, [19, 9, 9])


def test_units_that_do_not_fit_are_refused_only_where_they_are_asked_for(rng):
    blocks = make_blocks(split(rng.standard_normal((20, 2)) * [1, 1e200]), free(20, 2))
    np.testing.assert_allclose(np.diag(blocks.scatter[0]), 19)
    with pytest.raises(DataError, match="do not fit") as error:
        _ = blocks.raw_scatter
    check_sentence(str(error.value))

from itertools import combinations

import numpy as np
import pytest

from discrete import draw_codes
from edgewise.data.counts import MISSING, count_rows
from edgewise.data.groups import group_rows

LEVELS = [2, 3, 4, 2]


def count(codes, is_set=None):
    return count_rows(codes, LEVELS, group_rows(np.zeros(codes.shape, bool) if is_set is None else is_set))


def as_table(counts, group):
    """How often each row occurs in a group."""
    rows = [tuple(row) for row in counts.codes.T.tolist()]
    assert len(set(rows)) == len(rows)
    return {row: times for row, times in zip(rows, counts.weight[group].tolist(), strict=True) if times}


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_every_row_is_counted_in_every_group_that_it_belongs_to(rng, missing):
    codes = draw_codes(rng, 200, LEVELS, missing=missing)
    is_set = np.zeros((200, 4), bool)
    is_set[:50, 1] = is_set[:50, 2] = is_set[100:150, 3] = True
    counts = count(codes, is_set)
    assert counts.group.tolist() == [0, 1, 1, 2]
    assert counts.codes.flags.c_contiguous
    assert counts.codes.dtype == np.uint8
    for variable, group in enumerate(counts.group):
        expected = {}
        for row in np.where(codes < 0, MISSING, codes)[~is_set[:, variable]].tolist():
            expected[tuple(row)] = expected.get(tuple(row), 0) + 1
        assert as_table(counts, group) == expected


def test_the_effective_number_of_complete_rows_is_their_number(rng):
    codes = draw_codes(rng, 37, LEVELS)
    is_set = np.zeros((37, 4), bool)
    is_set[:11, 2] = True
    assert count(codes, is_set).effective.tolist() == [37, 26]


def test_the_effective_number_of_incomplete_rows_is_a_mean_over_pairs(rng):
    codes = draw_codes(rng, 100, LEVELS, missing=0.3)
    is_set = np.zeros((100, 4), bool)
    is_set[:20, 0] = True
    counts = count(codes, is_set)
    for rows, effective in zip((codes[20:], codes), counts.effective, strict=True):
        known = [np.sum((rows[:, u] >= 0) & (rows[:, v] >= 0)) for u, v in combinations(range(4), 2)]
        assert effective == pytest.approx(np.mean(known), rel=1e-14)


def test_one_variable_has_the_rows_in_which_it_is_known():
    counts = count_rows(np.array([[0], [1], [-1], [1]]), [2], group_rows(np.zeros((4, 1), bool)))
    assert as_table(counts, 0) == {(0,): 1, (1,): 2, (MISSING,): 1}
    assert counts.effective.tolist() == [3]


def test_neighbours_are_kept_apart(rng):
    """In sorted rows the first variables would hardly ever change."""
    codes = np.array(list(np.ndindex(2, 3, 4, 2)))
    counts = count(rng.permutation(codes))
    assert counts.codes.shape == (4, 48)
    assert (counts.codes[0, 1:] != counts.codes[0, :-1]).mean() > 0.5


def test_the_order_of_rows_does_not_matter(rng):
    codes = draw_codes(rng, 60, LEVELS)
    one, other = count(codes), count(rng.permutation(codes))
    np.testing.assert_array_equal(one.codes, other.codes)
    np.testing.assert_array_equal(one.weight, other.weight)


def test_counts_cannot_be_changed(rng):
    counts = count(draw_codes(rng, 5, LEVELS))
    for array in (counts.codes, counts.weight, counts.group, counts.levels, counts.effective):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0

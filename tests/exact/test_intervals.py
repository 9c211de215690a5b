"""What is measured of a step does not depend on what was expected of it."""

from bisect import bisect

import numpy as np
import pytest

from .intervals import NARROW, Ends, measure_outcomes

CUTS = [0.1, 0.25, 0.250001, 0.7, 1 - 1e-9]


@pytest.mark.parametrize("error", [0.0, 1e-14, NARROW, 1e-12, 1e-10, 0.01])
def test_wrong_guesses_change_nothing(error):
    """No error of an acceptance probability is so small that a guess of the right one would hide it."""
    seen = []

    def outcome(uniform):
        seen.append(uniform)
        return bisect(CUTS, uniform)

    ends = Ends([cut + error for cut in CUTS])
    for _ in range(2):  # once more with the ends that were found
        share = measure_outcomes(outcome, ends=ends)
        np.testing.assert_allclose([share[i] for i in range(6)], np.diff([0, *CUTS, 1]), rtol=0, atol=2 * NARROW)
    seen.clear()
    measure_outcomes(outcome, ends=ends)
    assert len(seen) <= 2 + 6 * len(CUTS), "a known end should cost a few numbers"


def test_a_middle_outcome_can_hide_between_equal_ones_but_not_from_a_sweep():
    share = measure_outcomes(lambda uniform: 0.3 < uniform < 0.4, parts=8)
    assert share[True] == pytest.approx(0.1, rel=0, abs=2 * NARROW)

"""What the parts of a score, and those of a test, must agree on: call these for your own."""

from itertools import combinations

import numpy as np

from compiled import entry
from edgewise._kernels.independence import interface as independence
from edgewise._kernels.scores import interface as scores
from edgewise.data import load_data
from edgewise.independence import prepare_test
from edgewise.scores import prepare_score


def check_score(score, data, *, most=3):
    """Check that gains are differences of local scores, and that neither is ever not a number.

    A gain may be -inf only where the larger family has no score, or something in it is determined by the others. Looks
    at all families of up to ``most`` parents, so that the data should have few variables.
    """
    dataset = load_data(data)
    p, tables = dataset.p, prepare_score(score, dataset)
    room = scores.new_room(tables, p)
    local, gains, determined = entry(scores.local_score), entry(scores.gains), entry(scores.is_determined)

    def worth(node, parents):
        return local(tables, np.array([*parents, node]), len(parents), room)

    def is_determined(node, parents):
        worth(node, parents)
        return determined(tables, np.array([*parents, node]), len(parents), room)

    for node in range(p):
        others = [v for v in range(p) if v != node]
        for size in range(min(most, p - 1) + 1):
            for parents in combinations(others, size):
                present = worth(node, parents)
                assert not np.isnan(present), (node, parents)
                assert present < np.inf, (node, parents)
                assert size <= tables.most_parents or present == -np.inf, (node, parents)
                gain = np.full(p, np.nan)
                gains(tables, np.array([*parents, 0]), size, node, room, gain)
                assert not np.isnan(gain).any(), (node, parents)
                for x in range(p):
                    larger = tuple(sorted((*parents, x)))
                    if x == node or x in parents or size == tables.most_parents or present == -np.inf:
                        assert gain[x] == -np.inf or present == -np.inf, (node, parents, x)
                    elif gain[x] > -np.inf:
                        expected = worth(node, larger) - present
                        np.testing.assert_allclose(
                            gain[x], expected, rtol=1e-7, atol=1e-7, err_msg=f"{node, parents, x}"
                        )
                    elif worth(node, larger) > -np.inf:
                        assert is_determined(node, larger) or is_determined(x, parents), (node, parents, x)


def check_test(test, data, *, most=2):
    """Check that one strength and all at once are the same, and that a strength does not depend on who comes first.

    None is negative but for -inf, and they are not all -inf while nothing is given. Looks at all sets of up to ``most``
    variables to condition on.
    """
    dataset = load_data(data)
    p, tables = dataset.p, prepare_test(test, dataset)
    room = independence.new_room(tables, p)
    one, all_at_once = entry(independence.strength), entry(independence.strengths)
    for size in range(min(most, tables.most_given, p - 2) + 1):
        for given in combinations(range(p), size):
            members, found = np.array([*given, 0, 0]), np.full((p, p), np.nan)
            others = [v for v in range(p) if v not in given]
            for node in others:
                all_at_once(tables, members, size, node, room, found[node])
                assert not np.isnan(found[node]).any(), (node, given)
                for x in range(p):
                    if x == node or x in given:
                        assert found[node, x] == -np.inf, (node, x, given)
                    elif np.isfinite(found[node, x]):
                        assert found[node, x] >= 0, (node, x, given)
                        np.testing.assert_allclose(one(tables, members, size, node, x, room), found[node, x], rtol=1e-7)
            among = found[np.ix_(others, others)]
            np.testing.assert_allclose(among, among.T, rtol=1e-6, atol=1e-6, err_msg=f"given {given}")
            assert given or (among > -np.inf).any()

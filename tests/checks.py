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
                present, where = worth(node, parents), f"of {node} given {parents}"
                assert present < np.inf, f"local_score {where} is {present}: a number, or -inf, is needed"
                assert size <= tables.most_parents or present == -np.inf, (
                    f"local_score {where} is {present}: -inf is needed, with more than most_parents"
                )
                gain = np.full(p, np.nan)
                gains(tables, np.array([*parents, 0]), size, node, room, gain)
                assert not np.isnan(gain).any(), f"gains {where} are {gain}: none may be nan"
                for x in range(p):
                    larger = tuple(sorted((*parents, x)))
                    if x == node or x in parents or size == tables.most_parents or present == -np.inf:
                        assert gain[x] == -np.inf or present == -np.inf, (
                            f"the gain {where} by {x} is {gain[x]}: -inf is needed where {x} cannot be added"
                        )
                    elif gain[x] > -np.inf:
                        expected = worth(node, larger) - present
                        message = f"the gain {where} by {x} is not the difference of local scores"
                        np.testing.assert_allclose(gain[x], expected, rtol=1e-7, atol=1e-7, err_msg=message)
                    elif worth(node, larger) > -np.inf:
                        assert is_determined(node, larger) or is_determined(x, parents), (
                            f"the gain {where} by {x} is -inf, but local_score given {larger} is {worth(node, larger)}"
                        )


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
                assert not np.isnan(found[node]).any(), (
                    f"strengths of {node} given {given} are {found[node]}: none may be nan"
                )
                for x in range(p):
                    at_once, where = found[node, x], f"among strengths of {node} given {given}, that of {x}"
                    if x == node or x in given:
                        assert at_once == -np.inf, f"{where} is {at_once}: -inf is needed for {node} and what is given"
                    elif np.isfinite(at_once):
                        assert at_once >= 0, f"{where} is {at_once}: it must not be negative"
                        alone = one(tables, members, size, node, x, room)
                        np.testing.assert_allclose(
                            alone, at_once, rtol=1e-7, err_msg=f"{where} is not what strength returns"
                        )
            among = found[np.ix_(others, others)]
            np.testing.assert_allclose(
                among, among.T, rtol=1e-6, atol=1e-6, err_msg=f"given {given}, who comes first matters"
            )
            assert given or (among > -np.inf).any(), "all strengths given () are -inf"

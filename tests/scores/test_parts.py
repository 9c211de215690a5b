"""The parts of every score, and of every test, agree with each other."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from checks import check_score, check_test
from compiled import altered
from edgewise._kernels.compiling import inner
from edgewise._kernels.independence import interface as independence
from edgewise._kernels.scores import log_det
from edgewise._kernels.scores.interface import register
from edgewise.graphs import is_acyclic
from extensions.agreements import AgreementScore


def make_data(kind, *, rows=50, with_interventions=False, unit=1.0):
    rng = np.random.default_rng(8)
    codes = rng.integers(0, 3, (rows, 5))
    codes[:, 1] = np.where(rng.random(rows) < 0.6, codes[:, 0], codes[:, 1])
    table = pd.DataFrame(codes, columns=list("abcde"))
    numbers = {"numbers": "abcde", "mixed": "bd", "levels": ""}[kind]
    for name in numbers:
        table[name] = unit * (table[name] + rng.normal(size=rows))
    kinds = {name: "categorical" for name in table if name not in numbers}
    is_set = np.zeros((rows, 5), bool)
    is_set[30:, 1] = True
    return ew.load_data(table, kinds=kinds, interventions=is_set if with_interventions else None)


@pytest.mark.parametrize("with_interventions", [False, True])
@pytest.mark.parametrize(
    ("kind", "score"),
    [
        ("numbers", ew.BGe()),
        ("numbers", ew.GaussianBIC()),
        ("numbers", ew.DegenerateGaussian()),
        ("mixed", ew.DegenerateGaussian()),
        ("levels", ew.BDeu()),
    ],
)
def test_gains_are_differences_of_local_scores(kind, score, with_interventions):
    check_score(score, make_data(kind, with_interventions=with_interventions))


@pytest.mark.parametrize("unit", [2.0**-24, 2.0**24])
@pytest.mark.parametrize("with_interventions", [False, True])
@pytest.mark.parametrize("score", [ew.BGe(), ew.BGe(standardize=False), ew.GaussianBIC(), ew.DegenerateGaussian()])
def test_gains_are_so_in_all_units(score, with_interventions, unit):
    check_score(score, make_data("numbers", with_interventions=with_interventions, unit=unit))


@pytest.mark.parametrize("unit", [2.0**-24, 2.0**24])
@pytest.mark.parametrize("score", [ew.BGe(), ew.GaussianBIC()])
def test_units_make_no_difference(score, unit):
    """Powers of two, by which data can be multiplied without rounding."""
    expected, found = (
        ew.sample(make_data("numbers", unit=each), score=score, iterations=2000, thin=10, seed=1, progress=False)
        for each in (1.0, unit)
    )
    np.testing.assert_allclose(found.edge_probabilities(), expected.edge_probabilities(), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(found.dags(), expected.dags())


def test_those_of_a_score_from_outside_as_well():
    check_score(AgreementScore(), (np.random.default_rng(1).random((30, 4)) < 0.5).astype(float))


@pytest.mark.parametrize(("kind", "test"), [("numbers", ew.FisherZ()), ("levels", ew.GSquared())])
def test_strengths_are_the_same_one_by_one_and_all_at_once(kind, test):
    """With 50 rows, G squared would be void given anything."""
    check_test(test, make_data(kind, rows=500))


def with_gains(name, wrong):
    """Return BGe with tables of its own by that name, and log1p(-square) in its gains replaced."""
    tables = NamedTuple(name, list(log_det.LogDetScore.__annotations__.items()))
    register(
        tables,
        local_score=log_det.local_score,
        gains=altered([log_det.gains], right="np.log1p(-square)", wrong=wrong)["gains"],
        is_determined=log_det.is_determined,
        new_room=log_det.new_room,
    )

    class OtherGains(ew.BGe):
        def prepare(self, dataset):
            return tables(*super().prepare(dataset))

    return OtherGains()


@pytest.mark.slow
def test_wrong_gains_are_caught():
    with pytest.raises(AssertionError, match=r"gain of 0 given \(\) by 1 is not the difference of local scores"):
        check_score(with_gains("WrongTables", "np.log1p(-0.5 * square)"), make_data("numbers"))


@pytest.mark.slow
def test_a_search_ends_whatever_gains_a_score_promises():
    score = with_gains("LavishTables", "(np.log1p(-square) - 1.0)")
    assert is_acyclic(ew.hill_climb(make_data("numbers"), score=score))


class SetGains(NamedTuple):
    """A score that takes 1 for each parent, and says of each that it gains ``gain``."""

    gain: float
    most_parents: int


@inner
def score_by_size(score, members, size, room):
    return -float(size)


@inner
def set_gains(score, members, size, node, room, gain):
    for x in range(gain.shape[0]):
        gain[x] = score.gain if size < score.most_parents else -np.inf
    for m in range(size):
        gain[members[m]] = -np.inf
    gain[node] = -np.inf


@inner
def never(score, members, size, room):
    return False


register(SetGains, local_score=score_by_size, gains=set_gains, is_determined=never, new_room=lambda score, p: ())


@dataclass(frozen=True)
class GainScore(ew.Score):
    gain: float

    def prepare(self, dataset):
        return SetGains(self.gain, dataset.p - 1)


def test_gains_that_are_missing_are_caught():
    data = make_data("numbers")
    check_score(GainScore(-1.0), data)
    for gain, message in (
        (np.nan, r"gains of 0 given \(\) are \[-inf  nan .*: none may be nan"),
        (-np.inf, r"gain of 0 given \(\) by 1 is -inf, but local_score given \(1,\) is -1\.0"),
    ):
        with pytest.raises(AssertionError, match=message):
            check_score(GainScore(gain), data)


class SetStrengths(NamedTuple):
    """The strength of each pair of variables, whatever is given."""

    strength: np.ndarray
    most_given: int


@inner
def set_strength(test, members, size, node, x, room):
    return test.strength[node, x]


@inner
def set_strengths(test, members, size, node, room, strength):
    for x in range(strength.shape[0]):
        strength[x] = test.strength[node, x]
    for m in range(size):
        strength[members[m]] = -np.inf
    strength[node] = -np.inf


independence.register(SetStrengths, strengths=set_strengths, strength=set_strength, new_room=lambda test, p: ())


@dataclass(frozen=True, eq=False)
class StrengthTest(ew.IndependenceTest):
    strength: np.ndarray

    def prepare(self, dataset):
        return SetStrengths(self.strength, dataset.p - 2)


def test_strengths_that_are_none_are_caught():
    data = make_data("numbers")
    right = np.add.outer(np.arange(5.0), np.arange(5.0))
    check_test(StrengthTest(right), data)
    for wrong, message in (
        (np.triu(right), r"given \(\), who comes first matters"),
        (-right, r"strengths of 0 given \(\), that of 1 is -1\.0: it must not be negative"),
        (np.full((5, 5), -np.inf), "all strengths given .* are -inf"),
    ):
        with pytest.raises(AssertionError, match=message):
            check_test(StrengthTest(wrong), data)


def test_local_scores_that_are_no_numbers_are_caught():
    class WithoutNumbers(ew.BGe):
        def prepare(self, dataset):
            tables = super().prepare(dataset)
            return tables._replace(constant=tables.constant * np.nan)

    with pytest.raises(AssertionError, match=r"local_score of 0 given \(\) is nan: a number, or -inf, is needed"):
        check_score(WithoutNumbers(), make_data("numbers"))

"""The parts of every score, and of every test, agree with each other."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from checks import check_score, check_test
from compiled import altered
from edgewise._kernels.scores import log_det
from edgewise._kernels.scores.interface import register
from extensions.agreements import AgreementScore


def make_data(kind, *, with_interventions=False):
    rng = np.random.default_rng(8)
    codes = rng.integers(0, 3, (50, 5))
    codes[:, 1] = np.where(rng.random(50) < 0.6, codes[:, 0], codes[:, 1])
    table = pd.DataFrame(codes, columns=list("abcde"))
    numbers = {"numbers": "abcde", "mixed": "bd", "levels": ""}[kind]
    for name in numbers:
        table[name] = table[name] + rng.normal(size=50)
    kinds = {name: "categorical" for name in table if name not in numbers}
    is_set = np.zeros((50, 5), bool)
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


def test_those_of_a_score_from_outside_as_well():
    check_score(AgreementScore(), (np.random.default_rng(1).random((30, 4)) < 0.5).astype(float))


@pytest.mark.parametrize(("kind", "test"), [("numbers", ew.FisherZ()), ("levels", ew.GSquared())])
def test_strengths_are_the_same_one_by_one_and_all_at_once(kind, test):
    check_test(test, make_data(kind))


class WrongTables(NamedTuple):
    """The fields of LogDetScore."""

    matrix: np.ndarray
    constant: np.ndarray
    on_parents: np.ndarray
    on_family: np.ndarray
    most_parents: int


class WrongGains(ew.BGe):
    def prepare(self, dataset):
        return WrongTables(*super().prepare(dataset))


def test_wrong_gains_are_caught():
    wrong = altered([log_det.gains], right="np.log1p(-square)", wrong="np.log1p(-0.5 * square)")["gains"]
    register(
        WrongTables,
        local_score=log_det.local_score,
        gains=wrong,
        is_determined=log_det.is_determined,
        new_room=log_det.new_room,
    )
    with pytest.raises(AssertionError):
        check_score(WrongGains(), make_data("numbers"))

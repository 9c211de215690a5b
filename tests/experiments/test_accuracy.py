"""Areas under ROC curves, by counting pairs."""

import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from edgewise.experiments import auroc, measure_accuracy
from records import make_posterior


def count_pairs(score, truth):
    won = pairs = 0.0
    for one, true in zip(score, truth, strict=True):
        for other, false in zip(score, truth, strict=True):
            if true and not false:
                pairs += 1
                won += 1.0 if one > other else 0.5 if one == other else 0.0
    return won / pairs


@pytest.mark.parametrize("seed", range(30))
def test_auroc_equals_counting_pairs(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 40))
    score = rng.integers(6, size=size) / 5 if seed % 2 else rng.random(size)
    truth = rng.random(size) < 0.4
    truth[:2] = True, False
    assert auroc(score, truth) == pytest.approx(count_pairs(score, truth), abs=1e-12)


def test_auroc_at_its_limits():
    truth = np.array([True, True, False])
    assert auroc(np.array([0.9, 0.8, 0.1]), truth) == 1
    assert auroc(np.array([0.1, 0.2, 0.9]), truth) == 0
    assert auroc(np.zeros(3), truth) == 0.5


@pytest.mark.parametrize("truth", [np.zeros(3, dtype=bool), np.ones(3, dtype=bool)])
def test_auroc_without_two_kinds_is_not_a_number(truth):
    assert math.isnan(auroc(np.array([0.1, 0.5, 0.9]), truth))


def test_auroc_takes_matrices_and_ones_for_true():
    score = np.array([[0.9, 0.4], [0.5, 0.1]])
    assert auroc(score, np.array([[1, 1], [0, 0]])) == 0.75


@pytest.fixture
def posterior():
    """Four draws over a, b, c: always a -> c; in three of them b -> c; in the other one c -> b."""
    dags = np.zeros((1, 4, 3, 3), dtype=bool)
    dags[..., 0, 2] = True
    dags[:, :3, 1, 2] = True
    dags[:, 3, 2, 1] = True
    return make_posterior(dags, nodes=["a", "b", "c"])


def test_accuracy_of_the_truth(posterior):
    accuracy = measure_accuracy(posterior, np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool))
    assert (accuracy.undirected, accuracy.directed, accuracy.compelled) == (1, 1, 1)


def test_accuracy_by_hand(posterior):
    # Truth c -> b, a apart. Pairs: ab 0, ac 1, bc 1 (the true one): it ties with one, beats the other.
    # Directed: cb .25 against ac 1, bc .75 and three zeros. No edge of the truth is compelled.
    truth = np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0]], dtype=bool)
    accuracy = measure_accuracy(posterior, truth)
    assert accuracy.undirected == 0.75
    assert accuracy.directed == pytest.approx(3 / 5)
    assert math.isnan(accuracy.compelled)
    # With a -> b as well, both are compelled, but never in a draw, where a -> c and b -> c are in three of four.
    truth[0, 1] = True
    accuracy = measure_accuracy(posterior, truth)
    assert accuracy.undirected == 0.25
    assert accuracy.directed == pytest.approx((0.5 + 0.5 + 1 + 1) / 8)
    assert accuracy.compelled == pytest.approx(0.25)


def test_the_truth_may_come_in_any_form(posterior):
    expected = measure_accuracy(posterior, np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool))
    numbers = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]])
    names = ["c", "b", "a"]
    frame = pd.DataFrame(numbers, index=list("abc"), columns=list("abc")).loc[names, names]
    for truth in (numbers, frame, nx.DiGraph([("b", "c"), ("a", "c")])):
        assert measure_accuracy(posterior, truth) == expected

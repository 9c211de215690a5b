"""Draws that agree with their orders are told from those that do not."""

import numpy as np
import pytest

from edgewise._kernels.basics.bits import words_for
from edgewise._kernels.graphs.ordering import is_ordered
from naive.graphs import is_in_order, random_dag
from records import make_record


def kernel_says(record, order):
    seen = np.zeros((1, words_for(order.shape[1])), np.uint64)
    return is_ordered(record.draws.family, order.astype(np.uint32), record.family_parents, seen)


def naive_says(dags, order):
    return all(is_in_order(dag, row) for dag, row in zip(dags, order.tolist(), strict=True))


@pytest.mark.parametrize("p", [1, 2, 3, 8, 64, 65, 130])
def test_the_orders_of_draws_agree_with_them(p, rng):
    dags = np.array([random_dag(p, rng) for _ in range(4)])
    record = make_record(dags)
    assert naive_says(dags, record.draws.order)
    assert kernel_says(record, record.draws.order)


@pytest.mark.parametrize("p", [2, 3, 5])
def test_other_orders_agree_as_the_definition_has_it(p, rng):
    found = set()
    for _ in range(200):
        dags = np.array([random_dag(p, rng, density=0.3) for _ in range(2)])
        order = np.array([rng.permutation(p) for _ in range(2)])
        found.add(naive_says(dags, order))
        assert kernel_says(make_record(dags), order) == naive_says(dags, order)
    assert found == {True, False}


def test_a_variable_twice_is_no_order(rng):
    dags = np.zeros((1, 3, 3), bool)
    for order in ([0, 0, 1], [0, 1, 1], [2, 1, 2]):
        assert not naive_says(dags, np.array([order]))
        assert not kernel_says(make_record(dags), np.array([order]))


def test_only_the_last_draw_is_wrong(rng):
    dags = np.array([random_dag(70, rng) for _ in range(5)])
    record = make_record(dags)
    order = record.draws.order.copy()
    order[4] = order[4, ::-1]
    assert not kernel_says(record, order)

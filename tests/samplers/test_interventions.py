"""Rows in which the experimenter set variables, against enumeration of all DAGs of four variables, row by row."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from scipy.special import softmax

import edgewise as ew
from edgewise.scores import DegenerateGaussian, local_scores
from marks import with_few_rows
from naive import blocks as naive
from naive.graphs import all_dags, v_structures

GAMMA = 0.5
PRIOR = ew.Sparsity(GAMMA)


@pytest.fixture(scope="module")
def experiment():
    """Chain 0 -> 1 -> 2 -> 3; of 45 rows, 1 was set in 10, 2 and 3 in 10 others: the values, and what was set."""
    rng = np.random.default_rng(7)
    is_set = np.zeros((45, 4), bool)
    is_set[25:35, 1] = True
    is_set[35:, 2:] = True
    values = rng.standard_normal((45, 4))
    for v in range(1, 4):
        values[:, v] = np.where(is_set[:, v], 3 * values[:, v] + 1, 0.8 * values[:, v - 1] + values[:, v])
    return values * [1, 10, 100, 1000], is_set


@pytest.fixture(scope="module")
def data(experiment):
    return ew.load_data(experiment[0], interventions=experiment[1])


@pytest.fixture(scope="module")
def exact(experiment):
    """All 543 DAGs, and their scores, without any of the code of the package."""
    values, is_set = experiment
    columns = [values[:, [v]] for v in range(4)]

    @cache
    def local(node, parents):
        return naive.bge(columns, is_set, node, parents)

    dags = all_dags(4)
    score = [sum(local(v, tuple(np.flatnonzero(dag[:, v]))) for v in range(4)) for dag in dags]
    return dags, np.array(score)


@pytest.fixture(scope="module")
def directed(exact):
    """The probability of each edge."""
    dags, score = exact
    return np.tensordot(softmax(score - GAMMA * dags.sum(axis=(1, 2))), dags.astype(float), axes=1)


def test_scores_are_those_of_all_rows_one_by_one(data, exact):
    for score in (ew.BGe(), DegenerateGaussian()):
        tables = score.prepare(data)
        found = [local_scores(dag, tables).sum() for dag in exact[0]]
        np.testing.assert_allclose(found, exact[1], rtol=1e-10)


def test_the_exact_posterior_is_that_of_all_dags(data, directed):
    found = ew.exact_posterior(data, over="dags", prior=PRIOR)
    np.testing.assert_allclose(found.directed, directed, rtol=0, atol=1e-9)


@with_few_rows
@pytest.mark.parametrize("sampler", [ew.DagMCMC(), ew.PartitionMCMC(max_parents=3), ew.StructureMCMC(max_parents=3)])
def test_samplers_of_dags_agree_with_enumeration(data, directed, sampler):
    """40,000 draws of four chains: the errors of 12 probabilities are below .03 but for one run in a million."""
    posterior = ew.sample(data, sampler=sampler, prior=PRIOR, iterations=100_000, thin=10, seed=1, progress=False)
    found = posterior.edge_probabilities(rao_blackwell=False)
    np.testing.assert_allclose(found, directed, rtol=0, atol=0.03)


def test_samplers_that_pooled_the_rows_would_be_caught(experiment, directed):
    pooled = ew.exact_posterior(experiment[0], over="dags", prior=PRIOR).directed
    assert np.abs(pooled - directed).max() > 0.3


def invariants(dag, is_set=None):
    """Return what the DAGs of a class have in common (Hauser & Buehlmann 2012, theorem 10).

    That is what is joined, the v-structures and, where one end of an edge was set and the other was not, its direction.
    """
    joined = frozenset(pair for pair in combinations(range(4), 2) if dag[pair] or dag[pair[::-1]])
    told = frozenset(
        (i, j) for i, j in np.argwhere(dag).tolist() if is_set is not None and (is_set[:, i] != is_set[:, j]).any()
    )
    return joined, v_structures(dag), told


def test_dags_score_equally_if_no_experiment_tells_them_apart(experiment, data, exact):
    """2 and 3 were set together, so that an edge between them can be turned around; one between others cannot."""
    is_set = experiment[1]
    tables, bic = ew.BGe().prepare(data), ew.GaussianBIC().prepare(data)
    classes = {}
    for dag in exact[0]:
        totals = local_scores(dag, tables).sum(), local_scores(dag, bic).sum()
        classes.setdefault(invariants(dag)[:2], {}).setdefault(invariants(dag, is_set), []).append(totals)
    turned = told = 0
    for parts in classes.values():
        for totals in parts.values():
            np.testing.assert_allclose(totals, np.broadcast_to(totals[0], (len(totals), 2)), rtol=1e-11)
            turned += len(totals) > 1
        for one, other in combinations(parts.values(), 2):
            assert (np.abs(np.subtract(one[0], other[0])) > 1e-3).all()
            told += 1
    assert turned > 50
    assert told > 500


def test_what_was_set_tells_directions(experiment, directed):
    """Without the experiments, no edge of a chain has a direction."""
    assert directed[0, 1] > 0.9
    assert directed[1, 2] > 0.9
    observed = ew.exact_posterior(experiment[0][:25], over="dags", prior=PRIOR).directed
    assert observed[0, 1] < 0.7
    assert observed[1, 2] < 0.7

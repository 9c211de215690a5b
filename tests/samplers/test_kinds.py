"""Every sampler is exact for scores of levels, of numbers with levels, and of rows with interventions."""

from functools import cache
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax

import edgewise as ew
from edgewise.scores import default_score
from exact.transitions import transition_matrices
from marks import with_few_rows
from naive import blocks as naive_blocks
from naive import counts as naive_counts
from naive.graphs import all_dags
from naive.stepping import make_chain

GAMMA = 0.5
PRIOR = ew.Sparsity(GAMMA)
LEVELS = [2, 3, 2, 2]


def make_codes(n=60):
    """Levels of four variables: a chain 0 -> 1 -> 2, and 3 that depends on 0 and 2."""
    rng = np.random.default_rng(11)
    codes = np.zeros((n, 4), int)
    codes[:, 0] = rng.integers(0, 2, n)
    codes[:, 1] = np.where(rng.random(n) < 0.5, codes[:, 0], rng.integers(0, 3, n))
    codes[:, 2] = np.where(rng.random(n) < 0.5, codes[:, 1] > 0, rng.integers(0, 2, n))
    codes[:, 3] = np.where(rng.random(n) < 0.4, codes[:, 0] | codes[:, 2], rng.integers(0, 2, n))
    return codes


def make_mixed():
    """Two of the columns are levels, of which one has three; two are numbers."""
    rng = np.random.default_rng(12)
    codes = make_codes()
    numbers = rng.normal(size=(len(codes), 2))
    numbers[:, 0] += codes[:, 1]
    numbers[:, 1] += 0.5 * numbers[:, 0] + 0.6 * codes[:, 3]
    return [numbers[:, [0]], codes[:, [1]], numbers[:, [1]], codes[:, [3]]]


def make_set():
    is_set = np.zeros((60, 4), bool)
    is_set[30:45, 1] = True
    is_set[40:, 2] = True
    return is_set


@cache
def pose(label):
    """Return data, and the local score of a family by the slow twins."""
    is_set = make_set() if "interventions" in label else np.zeros((60, 4), bool)
    reading = {"interventions": is_set} if is_set.any() else {}
    if "levels" in label:
        codes = make_codes()
        data = ew.load_data(
            pd.DataFrame(codes, columns=list("abcd")), kinds=dict.fromkeys("abcd", "categorical"), **reading
        )
        return data, lambda v, parents: naive_counts.bdeu(codes, v, parents, levels=LEVELS, is_set=is_set)
    columns = make_mixed()
    table = pd.DataFrame(np.concatenate(columns, axis=1), columns=list("abcd"))
    data = ew.load_data(table, kinds={"b": "categorical", "d": "binary"}, **reading)
    blocks = [
        column if kind == "continuous" else whiten(pd.get_dummies(column[:, 0]).to_numpy(float)[:, 1:])
        for column, kind in zip(columns, data.kinds, strict=True)
    ]
    return data, lambda v, parents: naive_blocks.bge(blocks, is_set, v, parents)


def whiten(columns):
    centred = columns - columns.mean(axis=0)
    root = np.linalg.cholesky(np.cov(centred.T).reshape(columns.shape[1], -1))
    return np.linalg.solve(root, centred.T).T


@cache
def enumerate_dags(label):
    """Return all 543 DAGs, and their log scores, by the slow twins."""
    local = cache(pose(label)[1])
    dags = np.array(all_dags(4), bool)
    return dags, np.array([sum(local(v, tuple(np.flatnonzero(dag[:, v]))) for v in range(4)) for dag in dags])


def exact_edges(label):
    dags, score = enumerate_dags(label)
    return np.tensordot(softmax(score - GAMMA * dags.sum(axis=(1, 2))), dags.astype(float), axes=1)


LABELS = ["levels", "levels, interventions", "mixed", "mixed, interventions"]
by_label = pytest.mark.parametrize("label", LABELS)


@by_label
def test_scores_are_those_of_the_slow_twins(label):
    data, _ = pose(label)
    dags, score = enumerate_dags(label)
    found = np.array([ew.score(dag, data) for dag in dags[::7]])
    np.testing.assert_allclose(found - found[0], score[::7] - score[0], rtol=0, atol=1e-8)


@by_label
def test_the_exact_posterior_is_that_of_all_dags(label):
    found = ew.exact_posterior(pose(label)[0], over="dags", prior=PRIOR)
    np.testing.assert_allclose(found.directed, exact_edges(label), rtol=0, atol=1e-9)
    assert ((found.directed > 0.05) & (found.directed < 0.95)).sum() >= 3, "the target should not be trivial"


@by_label
@pytest.mark.parametrize(
    "sampler",
    [ew.DagMCMC(), ew.DagMCMC(candidates=2), ew.PartitionMCMC(max_parents=3), ew.StructureMCMC(max_parents=3)],
    ids=["default", "two candidates", "partition", "structure"],
)
def test_samplers_of_dags_agree_with_enumeration(label, sampler):
    """32,000 draws of four chains: the errors of 12 probabilities are below .03 but for one run in a million.

    An iteration of the default has eight moves, so that a fifth of them is enough.
    """
    number = 20_000 if isinstance(sampler, ew.DagMCMC) else 100_000
    posterior = ew.sample(
        pose(label)[0], sampler=sampler, prior=PRIOR, iterations=number, thin=number // 10_000, seed=1, progress=False
    )
    found = posterior.edge_probabilities(rao_blackwell=False)
    np.testing.assert_allclose(found, exact_edges(label), rtol=0, atol=0.03)
    if posterior.estimator != "shares":
        np.testing.assert_allclose(posterior.edge_probabilities(), exact_edges(label), rtol=0, atol=0.03)


@by_label
def test_order_mcmc_agrees_with_the_sum_over_orders(label):
    data = pose(label)[0]
    exact = ew.exact_posterior(data, over="orders", prior=PRIOR).edge_probabilities()
    found = ew.sample(
        data, sampler=ew.OrderMCMC(max_parents=3), prior=PRIOR, iterations=100_000, thin=10, seed=1, progress=False
    )
    np.testing.assert_allclose(found.edge_probabilities(rao_blackwell=False), exact, rtol=0, atol=0.03)


@by_label
def test_minimal_imap_moves_leave_their_target_unchanged(label):
    """The transition matrices over all 24 orders, with each order's DAG weighed by the slow twin."""
    data, _ = pose(label)
    dags, score = enumerate_dags(label)
    known = {dag.tobytes(): value - GAMMA * dag.sum() for dag, value in zip(dags, score, strict=True)}
    settings = {"prior": PRIOR, "parents": "grow-shrink", "criterion": "score", "score": default_score(data)}
    orders = list(permutations(range(4)))
    weight = np.array([known[make_chain(data, order, **settings).dag().tobytes()] for order in orders])
    probability = softmax(weight)
    assert probability.max() > 1.5 * probability.min()
    for _, matrix in transition_matrices(data, orders, moves="auto", **settings):
        np.testing.assert_allclose(probability @ matrix, probability, rtol=0, atol=1e-10)


@with_few_rows
@pytest.mark.parametrize("kind", ["categorical", "mixed"])
def test_five_variables_agree_with_the_exact_posterior(kind):
    """As above, with all 29,281 DAGs."""
    rng = np.random.default_rng(5)
    codes = np.zeros((80, 5), int)
    for v in range(5):
        before = codes[:, max(v - 2, 0) : v].sum(axis=1)
        codes[:, v] = np.where(rng.random(80) < 0.5, before % 3, rng.integers(0, 3, 80))
    table = pd.DataFrame(codes, columns=list("abcde"))
    kinds = dict.fromkeys("abcde", "categorical")
    if kind == "mixed":
        table["b"] = codes[:, 1] + rng.normal(size=80)
        table["d"] = codes[:, 3] + rng.normal(size=80)
        kinds = dict.fromkeys("ace", "categorical")
    exact = ew.exact_posterior(table, kinds=kinds)
    found = ew.sample(table, kinds=kinds, seed=1, progress=False)
    for one in ("directed", "undirected", "compelled"):
        np.testing.assert_allclose(found.edge_probabilities(one), exact.edge_probabilities(one), rtol=0, atol=0.02)
    np.testing.assert_allclose(found.path_probabilities(), exact.path_probabilities(), rtol=0, atol=0.02)

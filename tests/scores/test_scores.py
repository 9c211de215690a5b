import numpy as np
import pytest

import edgewise as ew
from edgewise.data import load_data
from edgewise.graphs import cpdag
from edgewise.scores import local_scores
from naive import graphs, scores
from sentences import check_sentence

TOLERANCE = {"rtol": 0, "atol": 1e-8}


def dag_of(edges, p):
    dag = np.zeros((p, p), dtype=bool)
    for i, j in edges:
        dag[i, j] = True
    return dag


def settings(p):
    """Our settings for each column of the reference file."""
    zeros = np.zeros(p)
    return {
        "bge_bnlearn_default": ew.BGe(standardize=False),
        "bge_bnlearn_nu0": ew.BGe(standardize=False, nu=zeros),
        "bge_bidag_default": ew.BGe(standardize=False, nu=zeros),
        "bge_alt_bnlearn": ew.BGe(standardize=False, nu=zeros, alpha_mu=0.1, alpha_w=p + 10),
        "bge_alt_bidag": ew.BGe(standardize=False, nu=zeros, alpha_mu=0.1, alpha_w=p + 10),
        "bic_g": ew.GaussianBIC(),
    }


def test_whole_dags_equal_bnlearn_and_bidag(reference):
    path, values = reference
    for record in values["dags"]:
        dag = dag_of(record["edges"], values["p"])
        for name, score in settings(values["p"]).items():
            np.testing.assert_allclose(ew.score(dag, path, score=score), record[name], **TOLERANCE)


def test_nodes_equal_bnlearn(reference):
    path, values = reference
    dataset = load_data(path)
    for record in values["dags"]:
        dag = dag_of(record["edges"], values["p"])
        nu0 = ew.BGe(standardize=False, nu=np.zeros(values["p"]))
        np.testing.assert_allclose(local_scores(dag, nu0.prepare(dataset)), record["by_node_bge_nu0"], **TOLERANCE)
        np.testing.assert_allclose(
            local_scores(dag, ew.GaussianBIC().prepare(dataset)), record["by_node_bic_g"], **TOLERANCE
        )


def test_families_equal_bnlearn_and_bidag(reference):
    path, values = reference
    dataset = load_data(path)
    for record in values["families"]:
        dag = dag_of([(parent, record["node"]) for parent in record["parents"]], values["p"])
        for name, score in settings(values["p"]).items():
            local = local_scores(dag, score.prepare(dataset))[record["node"]]
            np.testing.assert_allclose(local, record[name], **TOLERANCE)


@pytest.mark.parametrize("standardize", [True, False])
def test_bge_equals_a_ratio_of_evidences(rng, standardize):
    values = rng.standard_normal((50, 6)) @ rng.standard_normal((6, 6)) * [1, 10, 0.1, 3, 1, 1] + 5
    nu = rng.standard_normal(6)
    score = ew.BGe(alpha_mu=0.7, alpha_w=11.5, nu=nu, standardize=standardize)
    scale = values.std(axis=0, ddof=1) if standardize else 1.0
    for _ in range(50):
        dag = graphs.random_dag(6, rng, 0.5)
        naive = scores.total(
            scores.bge, values, dag, alpha_mu=0.7, alpha_w=11.5, nu=nu / scale, standardize=standardize
        )
        np.testing.assert_allclose(ew.score(dag, values, score=score), naive, rtol=1e-10)


def test_bic_equals_least_squares(rng):
    values = rng.standard_normal((40, 5)) @ rng.standard_normal((5, 5)) + 100
    for _ in range(50):
        dag = graphs.random_dag(5, rng, 0.5)
        np.testing.assert_allclose(
            ew.score(dag, values, score=ew.GaussianBIC()), scores.total(scores.bic, values, dag), rtol=1e-9
        )


@pytest.mark.parametrize("score", [ew.BGe(), ew.BGe(standardize=False)])
def test_markov_equivalent_dags_score_equally(rng, score):
    data = ew.load_data(rng.standard_normal((30, 4)) @ rng.standard_normal((4, 4)))
    dags = graphs.all_dags(4)
    total = np.array([ew.score(dag, data, score=score) for dag in dags])
    _, first, number = np.unique([cpdag(dag) for dag in dags], axis=0, return_index=True, return_inverse=True)
    assert len(first) == 185
    np.testing.assert_allclose(total, total[first][number], rtol=1e-11)


def test_standardized_bge_does_not_depend_on_units(rng):
    values = rng.standard_normal((30, 4)) @ rng.standard_normal((4, 4))
    dag = graphs.random_dag(4, rng, 0.7)
    rescaled = values * [1e6, 1e-9, 1.0, 1e150] + [3, -1, 0, 0]
    np.testing.assert_allclose(ew.score(dag, rescaled), ew.score(dag, values), rtol=1e-9)
    assert abs(ew.score(dag, values * 10, score=ew.BGe(standardize=False)) - ew.score(dag, values)) > 1


def test_relabelling_variables_relabels_scores(rng):
    values = rng.standard_normal((30, 5)) @ rng.standard_normal((5, 5))
    dag = graphs.random_dag(5, rng, 0.6)
    order = rng.permutation(5)
    np.testing.assert_allclose(ew.score(dag[np.ix_(order, order)], values[:, order]), ew.score(dag, values), rtol=1e-12)


def test_a_family_that_fits_every_row_has_no_bic(rng):
    values = rng.standard_normal((4, 6))
    full = np.triu(np.ones((6, 6), dtype=bool), 1)
    assert ew.score(full, values, score=ew.GaussianBIC()) == -np.inf


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: ew.BGe(alpha_mu=0.0), "alpha_mu"),
        (lambda: ew.BGe(alpha_mu="x"), "alpha_mu"),
        (lambda: ew.BGe(alpha_mu=np.inf), "alpha_mu"),
        (lambda: ew.score(np.zeros((3, 3)), np.eye(5)[:, :3], ew.BGe(alpha_w="x")), "alpha_w"),
        (lambda: ew.score(np.zeros((3, 3)), np.eye(5)[:, :3], ew.BGe(nu=[0.0, np.nan, 0.0])), "nu"),
        (lambda: ew.score(np.zeros((3, 3)), np.eye(5)[:, :3], ew.BGe(nu=["a", "b", "c"])), "nu"),
        (lambda: ew.score(np.zeros((3, 3)), np.eye(5)[:, :3], ew.BGe(alpha_w=4.0)), "alpha_w"),
        (lambda: ew.score(np.zeros((3, 3)), np.eye(5)[:, :3], ew.BGe(nu=[0.0])), "nu"),
    ],
)
def test_bad_hyperparameters_are_named(make, word):
    with pytest.raises(ew.ArgumentError, match=word):
        make()


@pytest.mark.parametrize("learner", [ew.hill_climb, ew.mmhc, ew.exact_posterior, ew.map_search])
def test_a_score_is_no_name(rng, learner):
    with pytest.raises(ew.ArgumentError) as caught:
        learner(rng.standard_normal((20, 3)), score="BGe")
    assert "score must be an object such as BGe() or BDeu(), but 'BGe' was given" in check_sentence(str(caught.value))

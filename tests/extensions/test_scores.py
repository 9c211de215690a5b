"""A score of another kind runs wherever a score is used."""

import numpy as np
import pytest
from scipy.special import softmax

import edgewise as ew
from extensions.agreements import AgreementScore, log_score
from naive.graphs import all_dags
from naive.stepping import make_chain
from sentences import check_sentence

GAMMA = 0.5
PRIOR = ew.Sparsity(GAMMA)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(5)
    values = rng.random((30, 4)) < 0.5
    values[:, 2] = values[:, 0] ^ values[:, 1] ^ (rng.random(30) < 0.2)
    values[:, 3] = values[:, 2] ^ (rng.random(30) < 0.25)
    return values.astype(float)


@pytest.fixture(scope="module")
def exact(rows):
    """All 543 DAGs of four variables, and their posterior probabilities, without any of the code of the package."""
    dags = np.array(all_dags(4), bool)
    return dags, softmax([log_score(rows.astype(int), dag) - GAMMA * dag.sum() for dag in dags])


def test_it_scores_dags(rows, exact):
    for dag in exact[0][::50]:
        assert ew.score(dag, rows, score=AgreementScore()) == pytest.approx(log_score(rows.astype(int), dag), rel=1e-12)


def test_the_exact_posterior_is_that_of_all_dags(rows, exact):
    dags, probability = exact
    found = ew.exact_posterior(rows, over="dags", score=AgreementScore(), prior=PRIOR)
    np.testing.assert_allclose(
        found.directed, np.tensordot(probability, dags.astype(float), axes=1), rtol=0, atol=1e-10
    )


@pytest.mark.parametrize("sampler", [ew.StructureMCMC(max_parents=3), ew.PartitionMCMC(max_parents=3)])
def test_samplers_of_dags_agree_with_enumeration(rows, exact, sampler):
    """40,000 draws of four chains: the errors of 12 probabilities are below .03 but for one run in a million."""
    dags, probability = exact
    found = ew.sample(
        rows, sampler=sampler, score=AgreementScore(), prior=PRIOR, iterations=100_000, thin=10, seed=1, progress=False
    ).edge_probabilities()
    np.testing.assert_allclose(found, np.tensordot(probability, dags.astype(float), axes=1), rtol=0, atol=0.03)


def test_a_score_that_takes_rows_may_have_columns_of_codes(rows):
    posterior = ew.sample(rows, score=AgreementScore(), iterations=100, thin=10, seed=1, progress=False)
    assert posterior.info["data"]["findings"] is None


def test_order_mcmc_agrees_with_the_sum_over_orders(rows):
    settings = {"score": AgreementScore(), "prior": PRIOR}
    exact = ew.exact_posterior(rows, over="orders", **settings).edge_probabilities()
    found = ew.sample(
        rows, sampler=ew.OrderMCMC(max_parents=3), iterations=100_000, thin=10, seed=1, progress=False, **settings
    )
    np.testing.assert_allclose(found.edge_probabilities(), exact, rtol=0, atol=0.03)


def test_the_chain_over_orders_finds_parents_by_it(rows):
    """Along the order, no parent is one too many by slow scores, none is missed where there are none."""
    rng = np.random.default_rng(1)
    whole = rows.astype(int)
    for _ in range(10):
        order = rng.permutation(4)
        chain = make_chain(rows, order, score=AgreementScore(), prior=PRIOR, parents="grow-shrink", criterion="score")
        dag = chain.dag()
        assert chain.log_score == pytest.approx(log_score(whole, dag), rel=1e-12)
        position = np.argsort(order)
        assert (position[:, None] < position)[dag].all()
        for i, j in np.argwhere(position[:, None] < position):
            changed = dag.copy()
            changed[i, j] ^= True
            # What was grown and then shrunk may gain by an addition, but by no removal; what is empty by nothing.
            if dag[i, j] or not dag[:, j].any():
                assert log_score(whole, changed) <= log_score(whole, dag) + 1e-9


def test_searches_climb_it(rows, exact):
    """Hill climbing ends at a DAG that no change of an edge improves; so does the search over orders, or better."""
    dags, probability = exact
    best = dags[probability.argmax()]
    height = log_score(rows.astype(int), best) - GAMMA * best.sum()
    for learned in (
        ew.hill_climb(rows, score=AgreementScore(), prior=PRIOR, as_array=True),
        ew.map_search(rows, score=AgreementScore(), prior=PRIOR, seed=1, as_array=True),
    ):
        assert log_score(rows.astype(int), learned) - GAMMA * learned.sum() > height - 3


def test_rao_blackwellised_probabilities_are_odds_of_this_score(rows):
    posterior = ew.sample(rows, score=AgreementScore(), prior=PRIOR, iterations=2000, thin=10, seed=1, progress=False)
    probability = posterior.edge_probabilities(rao_blackwell=True).to_numpy()
    assert ((probability >= 0) & (probability <= 1)).all()
    assert probability[~np.eye(4, dtype=bool)].min() > 0


def test_it_is_refused_where_only_moments_are_known():
    with pytest.raises(
        ew.DataError, match="AgreementScore takes the rows themselves, but only a covariance matrix is known"
    ) as error:
        ew.sample(ew.Covariance(np.eye(3), n=50), score=AgreementScore(), progress=False)
    check_sentence(str(error.value))

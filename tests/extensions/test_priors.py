"""A compiled term of a prior counts in chains that use it, and is refused by all others; so is a new kind of term."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from scipy.special import softmax

import edgewise as ew
from edgewise.priors import Term
from exact.orders import ExactOrders
from exact.transitions import transition_matrix
from extensions.roots import Roots
from marks import with_few_rows
from naive import scores
from naive.graphs import all_dags
from naive.stepping import PAPER
from sentences import check_sentence

STRENGTH = 1.5


def definition(dag, order=None):
    return -0.5 * dag.sum() + STRENGTH * (~dag.any(axis=0)).sum()


PRIOR = ew.Sparsity(0.5) + Roots(STRENGTH)


@pytest.fixture(scope="module")
def values():
    return ew.simulate(4, 30, seed=2).data.to_numpy()


@with_few_rows
@pytest.mark.parametrize(
    "settings", [PAPER, pytest.param({"parents": "grow-shrink", "moves": "auto"}, marks=pytest.mark.slow)]
)
def test_the_same_draws_as_with_the_function_in_python(values, settings):
    draws = [
        ew.sample(
            values, sampler=ew.MinimalIMAP(**settings), prior=prior, iterations=3000, thin=10, chains=1, seed=1,
            progress=False,
        )
        for prior in (PRIOR, ew.LogPrior(definition))
    ]  # fmt: skip
    np.testing.assert_array_equal(*(posterior.dags() for posterior in draws))
    np.testing.assert_allclose(*(posterior.log_posterior for posterior in draws), rtol=0, atol=1e-9)


def test_the_transition_matrix_leaves_the_target_unchanged(values):
    target = ExactOrders(values, log_prior=definition, alpha=0.2)
    matrix = transition_matrix(values, target.orders, prior=PRIOR, alpha=0.2)
    np.testing.assert_allclose(target.probability @ matrix, target.probability, rtol=0, atol=1e-12)


@with_few_rows
def test_structure_mcmc_agrees_with_enumeration(values):
    """40,000 draws of four chains: the errors of 12 probabilities are below .03 but for one run in a million."""
    dags = np.array(all_dags(4), bool)
    probability = softmax([scores.total(scores.bge, values, dag) + definition(dag) for dag in dags])
    found = ew.sample(
        values, sampler=ew.StructureMCMC(max_parents=3), prior=PRIOR, iterations=100_000, thin=10, seed=1,
        progress=False,
    ).edge_probabilities()  # fmt: skip
    np.testing.assert_allclose(found, np.tensordot(probability, dags.astype(float), axes=1), rtol=0, atol=0.03)


def test_without_data_it_is_the_prior():
    posterior = ew.sample(
        None, nodes=list("abc"), prior=Roots(50.0), iterations=5000, thin=10, chains=1, seed=1, progress=False
    )
    assert not posterior.dags()[0][-1].any()


class Unheard(Term):
    what: ClassVar[str] = "a prior that nobody has heard of"
    used_by: ClassVar[str] = "something else"


@dataclass(frozen=True)
class UnheardOf(ew.Prior):
    def _add_to(self, terms, names):
        terms.beyond.append(Unheard())


USERS = {
    **{
        f"sample with {type(sampler).__name__}": lambda data, prior, sampler=sampler: ew.sample(
            data, sampler=sampler, prior=prior, progress=False
        )
        for sampler in (ew.MinimalIMAP(), ew.OrderMCMC(), ew.PartitionMCMC(), ew.StructureMCMC())
    },
    "sample with each DAG once": lambda data, prior: ew.sample(
        data, sampler=ew.MinimalIMAP(target="dags"), prior=prior, progress=False
    ),
    "sample without data": lambda data, prior: ew.sample(None, nodes=list("abcd"), prior=prior, progress=False),
    "map_search": lambda data, prior: ew.map_search(data, prior=prior),
    "exact_posterior": lambda data, prior: ew.exact_posterior(data, prior=prior),
    "exact_posterior over orders": lambda data, prior: ew.exact_posterior(data, prior=prior, over="orders"),
    "hill_climb": lambda data, prior: ew.hill_climb(data, prior=prior),
    "mmhc": lambda data, prior: ew.mmhc(data, prior=prior),
}


@pytest.mark.parametrize("user", USERS)
def test_a_new_kind_of_term_is_refused_by_everyone(values, user):
    with pytest.raises(ew.ArgumentError, match="cannot use a prior that nobody has heard of") as error:
        USERS[user](values, ew.Sparsity(1.0) + UnheardOf())
    check_sentence(str(error.value))


@pytest.mark.parametrize(
    "user",
    ["sample with OrderMCMC", "sample with PartitionMCMC", "exact_posterior", "hill_climb", "mmhc"],
)
def test_a_function_of_the_whole_dag_is_refused_by_those_who_need_families(values, user):
    with pytest.raises(ew.ArgumentError, match="cannot use a compiled function of the whole DAG"):
        USERS[user](values, PRIOR)

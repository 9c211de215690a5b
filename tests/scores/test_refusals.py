"""A score that is no number for some families is refused, by whoever comes upon them."""

import re
from dataclasses import dataclass

import numpy as np
import pytest

import edgewise as ew
from sentences import check_sentence

DATA = ew.simulate(4, 200, seed=1).data


@dataclass(frozen=True)
class Numberless(ew.BGe):
    """BGe, but for families with some number of parents."""

    parents: int = 0
    value: float = np.nan

    def prepare(self, dataset):
        tables = super().prepare(dataset)
        constant = np.where(np.arange(len(tables.constant)) == self.parents, self.value, tables.constant)
        return tables._replace(constant=constant)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize(
    ("sampler", "parents"),
    [
        (ew.DagMCMC(), 0),
        (ew.MinimalIMAP(), 0),
        (ew.MinimalIMAP(parents="full"), 1),
        (ew.MinimalIMAP(temperatures=3), 0),
        (ew.OrderMCMC(), 0),
        (ew.OrderMCMC(candidates=2), 0),
        (ew.PartitionMCMC(), 1),
        (ew.StructureMCMC(), 3),
        (ew.StructureMCMC(reversal=0), 0),
    ],
    ids=str,
)
def test_a_score_that_is_no_number_is_refused(sampler, parents, value):
    with pytest.raises(ew.ArgumentError) as caught:
        ew.sample(DATA, sampler=sampler, score=Numberless(parents=parents, value=value), seed=1, progress=False)
    names = ["no parents", r"'X\d'", r"'X\d' and 'X\d'", r"'X\d', 'X\d' and 'X\d'"][parents]
    assert re.match(rf"The score of 'X\d' given {names} is {value}, but ", check_sentence(str(caught.value)))


@pytest.mark.parametrize("sampler", [ew.DagMCMC(), ew.OrderMCMC(candidates=2)], ids=str)
@pytest.mark.parametrize("parents", [1, 2, 3])
def test_no_number_for_parents_that_are_looked_at_in_passing_is_refused(sampler, parents):
    with pytest.raises(ew.ArgumentError, match="given the other and perhaps more, is nan") as caught:
        ew.sample(DATA, sampler=sampler, score=Numberless(parents=parents), seed=1, progress=False)
    check_sentence(str(caught.value))


@pytest.mark.parametrize("parents", [1, 2, 3])
def test_no_number_for_families_that_no_draw_has_is_refused(parents):
    """They are looked at when edges are weighed, given the rest of each draw."""
    settings = {"iterations": 200, "thin": 10, "chains": 1, "seed": 1, "progress": False}
    with pytest.raises(ew.ArgumentError, match=r"The score of 'X\d', with or without 'X\d' among its") as caught:
        ew.sample(DATA, sampler=ew.MinimalIMAP(), score=Numberless(parents=parents), **settings)
    check_sentence(str(caught.value))


@pytest.mark.parametrize("sampler", [ew.DagMCMC(), ew.MinimalIMAP(), ew.OrderMCMC(candidates=2)], ids=str)
def test_families_that_cannot_be_are_no_reason_to_refuse_a_score(sampler):
    score = Numberless(parents=2, value=-np.inf)
    posterior = ew.sample(DATA, sampler=sampler, score=score, iterations=200, thin=2, seed=1, progress=False)
    assert not (posterior.dags().sum(axis=-2) == 2).any()


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize(
    ("ask", "parents"),
    [
        (lambda score: ew.exact_posterior(DATA, over="orders", score=score), 2),
        (lambda score: ew.exact_posterior(DATA, over="dags", score=score), 3),
        (lambda score: ew.exact_posterior(ew.simulate(6, 200, seed=1).data, score=score), 1),
        (lambda score: ew.hill_climb(DATA, score=score), 0),
        (lambda score: ew.score(np.eye(4, k=1), DATA, score=score), 1),
    ],
    ids=["orders", "listed", "dags", "hill climbing", "score"],
)
def test_a_score_that_is_no_number_is_refused_without_chains(ask, parents, value):
    with pytest.raises(ew.ArgumentError) as caught:
        ask(Numberless(parents=parents, value=value))
    names = ["no parents", r"'X\d'", r"'X\d' and 'X\d'", r"'X\d', 'X\d' and 'X\d'"][parents]
    assert re.match(rf"The score of 'X\d' given {names} is {value}, but ", check_sentence(str(caught.value)))


@pytest.mark.parametrize("learn", [ew.hill_climb, ew.mmhc])
@pytest.mark.parametrize("parents", [1, 2])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_search_refuses_a_score_that_is_no_number_where_it_looks(learn, parents, value):
    """The DAG that it would return has only families for which the score is a number."""
    with pytest.raises(
        ew.ArgumentError, match=r"The score of 'X\d', with or without 'X\d' among its parents, is"
    ) as caught:
        learn(DATA, score=Numberless(parents=parents, value=value))
    check_sentence(str(caught.value))


def test_a_search_leaves_out_families_that_cannot_be():
    assert not (ew.hill_climb(DATA, score=Numberless(parents=2, value=-np.inf)).sum() == 2).any()


def test_families_that_cannot_be_are_left_out_of_exact_sums():
    score = Numberless(parents=2, value=-np.inf)
    for over in ("dags", "orders"):
        assert np.isfinite(ew.exact_posterior(DATA, over=over, score=score).directed).all()

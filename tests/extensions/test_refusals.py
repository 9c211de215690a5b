"""What would be ignored, or what is not whole, is refused with a sentence."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import pytest

import edgewise as ew
from edgewise._kernels.beliefs.terms import register
from edgewise._kernels.compiling import inner
from edgewise.priors import DagTerm
from sentences import check_sentence


class Unknown(NamedTuple):
    most_parents: int = 1


class UnknownScore(ew.Score):
    def prepare(self, dataset):
        return Unknown()


class UnknownTest(ew.IndependenceTest):
    def prepare(self, dataset):
        return Unknown()


class Misspelt(ew.BGe):
    takes: ClassVar[str] = "row"


class Constant(NamedTuple):
    value: float


@inner
def log_prior(term, parents):
    return term.value


register(Constant, log_prior=log_prior)


@dataclass(frozen=True)
class WithTerm(ew.Prior):
    tables: object

    def _add_to(self, terms, names):
        terms.beyond.append(DagTerm(self.tables))


@dataclass(frozen=True)
class WithEdges(ew.Prior):
    value: float

    def _add_to(self, terms, names):
        terms.edge[0, 1] += self.value


DATA = ew.simulate(4, 300, seed=1).data


def fit(**parts):
    return lambda: ew.sample(DATA, iterations=100, thin=10, chains=1, seed=1, progress=False, **parts)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (fit(score=UnknownScore()), "tables of the type Unknown"),
        (fit(sampler=ew.MinimalIMAP(test=UnknownTest())), "tables of the type Unknown"),
        (fit(prior=WithTerm(Unknown())), "of the type Unknown"),
        (fit(score=Misspelt()), "takes 'row' of the data"),
        (fit(prior=WithTerm(Constant(np.inf))), "must return a number below infinity"),
        (fit(prior=WithTerm(Constant(np.nan))), "must return a number below infinity"),
        (fit(prior=WithEdges(np.inf)), "edge X0 -> X1 is inf"),
        (fit(prior=WithEdges(np.nan), sampler=ew.StructureMCMC()), "edge X0 -> X1 is nan"),
        (lambda: ew.MinimalIMAP(criterion="score", test=ew.FisherZ()), "would not be asked"),
        (lambda: ew.MinimalIMAP(criterion="score", parents="full"), "tests choose the parents"),
        (
            lambda: ew.minimal_imap(DATA, [0, 1, 2, 3], parents="grow-shrink", criterion="score", test=ew.FisherZ()),
            "would not be asked",
        ),
    ],
)
def test_with_a_sentence(call, message):
    with pytest.raises(ew.EdgewiseError, match=message) as error:
        call()
    check_sentence(str(error.value))


def test_a_test_that_is_given_is_the_criterion_and_named_in_the_record():
    """Also with so many rows that the score would be the criterion."""
    posterior = fit(sampler=ew.MinimalIMAP(test=ew.FisherZ()))()
    assert posterior.info["sampler"]["criterion"] == "test"
    assert posterior.info["sampler"]["test"] == {"name": "FisherZ"}
    assert fit(sampler=ew.MinimalIMAP())().info["sampler"]["criterion"] == "score"

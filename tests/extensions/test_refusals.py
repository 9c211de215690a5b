"""What would be ignored, or what is not whole, is refused with a sentence."""

from collections import namedtuple
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise._kernels.beliefs import terms
from edgewise._kernels.independence import interface as independence
from edgewise._kernels.scores import interface as scores
from edgewise.priors import DagTerm
from extensions.roots import Roots, RootTables
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


class Heedless(ew.BGe):
    uses_interventions: ClassVar[bool] = False


class ByRows(ew.BGe):
    takes: ClassVar[str] = "rows"


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
        (fit(prior=Roots(np.inf)), "must return a number below infinity"),
        (fit(prior=Roots(np.nan)), "must return a number below infinity"),
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


@pytest.mark.parametrize(
    ("score", "reading", "message"),
    [
        (Heedless(), {"interventions": np.eye(300, 4, dtype=bool)}, "Heedless would ignore that some cells were set"),
        (ByRows(), {"missing": "em"}, "ByRows takes .*, but columns 'X1' and 'X3' have missing values: use BGe"),
    ],
    ids=["interventions", "gaps"],
)
def test_with_a_sentence_where_another_score_would_do(score, reading, message):
    data = DATA.mask(np.eye(300, 4, dtype=bool) & [False, True, False, True]) if "missing" in reading else DATA
    settings = {"iterations": 100, "thin": 10, "chains": 1, "seed": 1, "progress": False, **reading}
    with pytest.raises(ew.DataError, match=message) as error:
        ew.sample(data, score=score, **settings)
    assert check_sentence(str(error.value)).endswith("use BGe().")
    assert ew.sample(data, score=ew.BGe(), **settings).nodes == tuple(DATA)


def test_a_test_that_is_given_is_the_criterion_and_named_in_the_record():
    """Also with so many rows that the score would be the criterion."""
    posterior = fit(sampler=ew.MinimalIMAP(test=ew.FisherZ()))()
    assert posterior.info["sampler"]["criterion"] == "test"
    assert posterior.info["sampler"]["test"] == {"name": "FisherZ"}
    assert fit(sampler=ew.MinimalIMAP())().info["sampler"]["criterion"] == "score"


def changed(owner, name, change):
    """Return a score or a test whose tables are those of another, but for one of them."""

    class Changed(owner):
        def prepare(self, dataset):
            tables = super().prepare(dataset)
            return tables._replace(**{name: change(getattr(tables, name))})

    return Changed()


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("constant", lambda table: table[:2], r"an array of 4 floats .* is of shape \(2,\) and of float64"),
        ("on_parents", lambda table: table[None], r"is of shape \(1, 4\) and of float64"),
        ("on_family", lambda table: table[:1], r"is of shape \(1,\) and of float64"),
        ("on_family", np.ndarray.tolist, r"is \[-"),
        ("matrix", lambda matrix: matrix[:3, :3], r"4 x 4 finite floats, .* is of shape \(3, 3\) and of float64"),
        ("matrix", lambda matrix: matrix.astype(int), r"is of shape \(4, 4\) and of int64"),
        ("matrix", pd.DataFrame, r"is 0 1 2 3 "),
        ("matrix", lambda matrix: matrix * np.nan, r"of float64, with nan or infinity"),
    ],
)
def test_log_determinants_that_kernels_cannot_read_are_refused(name, change, message):
    with pytest.raises(ew.ArgumentError, match=f"^{name} in the tables of Changed must be .*{message}") as error:
        ew.score(np.zeros((4, 4), bool), DATA, score=changed(ew.BGe, name, change))
    check_sentence(str(error.value))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("root", lambda table: table[:1], r"an array of 3 floats .* is of shape \(1,\) and of float64"),
        ("root", lambda table: 5.0, r"is 5\.0"),
        ("correlation", lambda matrix: matrix[:3], r"4 x 4 finite floats, .* is of shape \(3, 4\) and of float64"),
        ("correlation", lambda matrix: matrix / 0.0, r"of float64, with nan or infinity"),
        ("correlation", lambda matrix: matrix + np.diag([0, 0, 0.5, 0]), r"1 along its diagonal, but has 1\.5 there"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_partial_correlations_that_kernels_cannot_read_are_refused(name, change, message):
    with pytest.raises(ew.ArgumentError, match=f"^{name} in the tables of Changed must be .*{message}") as error:
        ew.mmhc(DATA, test=changed(ew.FisherZ, name, change))
    check_sentence(str(error.value))


def test_tables_need_not_reach_beyond_the_number_of_variables():
    score = changed(ew.BGe, "most_parents", lambda most: most + 10)
    assert ew.score(np.zeros((4, 4), bool), DATA, score=score) == ew.score(np.zeros((4, 4), bool), DATA)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize(
    "sampler", [ew.DagMCMC(), ew.MinimalIMAP(), ew.StructureMCMC(), None], ids=["dags", "imap", "structure", "prior"]
)
def test_terms_that_give_no_number_away_from_the_start_are_refused(value, sampler):
    """There is none for DAGs with two roots, which a start along this order has only without data."""
    values = np.random.default_rng(1).normal(size=(60, 3))
    values[:, 2] += values[:, 0] + values[:, 1]
    data = None if sampler is None else values
    settings = {"nodes": ["X0", "X1", "X2"]} if sampler is None else {"sampler": sampler}
    with pytest.raises(
        ew.ArgumentError, match="function of RootTables in the prior must return a number below"
    ) as error:
        ew.sample(
            data,
            prior=WithTerm(RootTables(np.array([0.0, value, 0.0]))),
            iterations=5000,
            thin=10,
            seed=1,
            start=[2, 0, 1],
            progress=False,
            **settings,
        )
    check_sentence(str(error.value))


@pytest.mark.parametrize(
    ("register", "parts"),
    [
        (scores.register, ("local_score", "gains", "is_determined", "new_room")),
        (independence.register, ("strengths", "strength", "new_room")),
        (terms.register, ("log_prior",)),
    ],
    ids=["score", "test", "term"],
)
def test_a_second_class_of_a_name_is_refused(register, parts):
    """A cell of a notebook that is run again, or a class of another module: code for the first would serve both."""
    name = f"With{''.join(parts)}"
    known = namedtuple(name, "weight")
    for _ in range(2):
        register(known, **dict.fromkeys(parts))
    for module in (__name__, "another_module"):
        with pytest.raises(ew.ArgumentError, match=f"{name}' are registered already") as error:
            register(namedtuple(name, "weight", module=module), **dict.fromkeys(parts))
        check_sentence(str(error.value))


class Returning(ew.Prior):
    def _add_to(self, terms, names):
        return DagTerm(RootTables(np.ones(3)))


class ReturningAll(ew.Prior):
    def _add_to(self, terms, names):
        return terms


@pytest.mark.parametrize(
    "prior", [Returning(), ew.Sparsity(1.0) + Returning(), ReturningAll()], ids=["alone", "in a sum", "all"]
)
def test_a_prior_that_returns_its_terms_is_refused(prior):
    with pytest.raises(ew.ArgumentError, match="it is given and return nothing, but it") as error:
        ew.sample(ew.simulate(3, 30, seed=1).data, prior=prior, progress=False)
    check_sentence(str(error.value))


@dataclass(frozen=True, eq=False)
class Leaving(ew.Prior):
    """A prior that puts something in the place of its terms."""

    name: str
    value: object

    def _add_to(self, terms, names):
        setattr(terms, self.name, self.value)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("edge", -5.0, r"3 x 3 floats, but what Leaving\._add_to left is -5\.0"),
        ("edge", [[0.0] * 3] * 3, r"left is \[\[0\.0"),
        ("edge", np.zeros(3), r"left is of shape \(3,\) and of float64"),
        ("edge", np.zeros((3, 3), int), r"left is of shape \(3, 3\) and of int64"),
        ("beyond", DagTerm(RootTables(np.ones(3))), r"stay a list, but what Leaving\._add_to left is DagTerm"),
        ("beyond", [RootTables(np.ones(3))], r"such as DagTerm\(tables\), but Leaving\._add_to put RootTables"),
        ("beyond", [DagTerm], r"Leaving\._add_to put <class 'edgewise"),
    ],
)
def test_a_prior_that_leaves_no_terms_is_refused(name, value, message):
    for prior in (Leaving(name, value), ew.Sparsity(1.0) + Leaving(name, value)):
        with pytest.raises(ew.ArgumentError, match=f"^terms.{name} must .*{message}") as error:
            prior.terms(["a", "b", "c"])
        check_sentence(str(error.value))


class MisspeltTerms(ew.Prior):
    def _add_to(self, terms, names):
        terms.dag = [DagTerm(RootTables(np.ones(3)))]


def test_a_prior_that_misspells_its_terms_is_refused():
    with pytest.raises(AttributeError, match="no attribute 'dag'"):
        MisspeltTerms().terms(["a", "b", "c"])


class OfRanks(ew.FisherZ):
    takes: ClassVar[str] = "rows"


class Shrunken(ew.FisherZ):
    def prepare(self, dataset):
        tables = super().prepare(dataset)
        return tables._replace(correlation=0.5 * (tables.correlation + np.eye(dataset.p)))


class MoreShrunken(Shrunken):
    """Nothing of it stands in the class itself."""


@dataclass(frozen=True, eq=False)
class WithThresholds(ew.FisherZ):
    table: object

    def thresholds(self, n, p, alpha):
        return self.table


@pytest.mark.parametrize(
    ("test", "message"),
    [
        (OfRanks(), "which OfRanks does not take"),
        (Shrunken(), "Shrunken prepares a test of its own but has the thresholds of FisherZ"),
        (MoreShrunken(), "Shrunken prepares a test of its own but has the thresholds of FisherZ"),
        (WithThresholds([1.0, 0.1, 0.1]), r"what it returned is \[1.0, 0.1, 0.1\]"),
        (WithThresholds(None), "what it returned is None"),
        (WithThresholds(np.array([1, 0, 0])), "1-dimensional of int64"),
        (WithThresholds(np.ones((3, 3))), "2-dimensional of float64"),
        (WithThresholds(np.array([1.0, 0.1, np.nan])), "nan at position 2"),
        (WithThresholds(np.array([1.0, -0.1, 0.1])), "-0.1 at position 1"),
        (WithThresholds(np.array([1.0, 0.1, 2.0])), "2.0 at position 2"),
        (WithThresholds(np.array([0.1, 0.1, 0.1])), "0.1 at position 0"),
        (WithThresholds(np.array([1.0, 0.1, 0.1, 0.1])), "of length 4"),
        (WithThresholds(np.array([])), "of length 0"),
    ],
)
def test_thresholds_that_are_none_or_of_another_test_are_refused(test, message):
    data = ew.simulate(3, 30, seed=1).data
    for refuse in (
        lambda: ew.minimal_imap(data, [0, 1, 2], test=test),
        lambda: ew.greedy_sp(data, test=test, seed=1),
        lambda: ew.sample(data, sampler=ew.MinimalIMAP(parents="full", test=test), progress=False),
    ):
        with pytest.raises(ew.ArgumentError, match=message) as error:
            refuse()
        check_sentence(str(error.value))


class WithItsOwn(Shrunken):
    def thresholds(self, n, p, alpha):
        return np.array([1.0, 0.0, 0.0])


def test_thresholds_that_belong_to_the_test_are_used():
    dag = ew.minimal_imap(ew.simulate(3, 30, seed=1).data, [0, 1, 2], test=WithItsOwn(), as_array=True)
    assert dag.sum() == 3


def test_a_score_that_would_not_be_asked_is_refused():
    data = ew.simulate(3, 30, seed=1).data
    for settings in (
        {},
        {"parents": "grow-shrink", "criterion": "test"},
        {"parents": "grow-shrink", "test": ew.FisherZ()},
    ):
        with pytest.raises(ew.ArgumentError, match="would not be asked") as error:
            ew.minimal_imap(data, [0, 1, 2], score=ew.GaussianBIC(), **settings)
        check_sentence(str(error.value))
    by_score = ew.minimal_imap(data, [0, 1, 2], parents="grow-shrink", score=ew.BGe(), as_array=True)
    assert (by_score == ew.minimal_imap(data, [0, 1, 2], parents="grow-shrink", criterion="score", as_array=True)).all()

import importlib
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

import edgewise as ew
from edgewise.estimators import StructureLearner
from sentences import check_sentence

BRIEF = {"iterations": 60, "chains": 1, "random_state": 1}
QUICK = {"iterations": 300, "chains": 2, "random_state": 1}


def checks():
    """All that scikit-learn asks of an estimator without a prediction; arrays of other libraries are not promised."""
    for estimator, check in estimator_checks_generator(StructureLearner(**BRIEF)):
        name = check.func.__name__
        if "array_api" not in name:
            yield pytest.param(estimator, check, id=name)


@pytest.mark.filterwarnings("ignore::edgewise.EdgewiseWarning")
@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_it_is_an_estimator_of_scikit_learn(estimator, check):
    check(estimator)


def test_it_finds_what_sample_finds():
    sim = ew.simulate(5, 300, seed=2)
    learner = StructureLearner(**QUICK, prior=ew.Sparsity(2.0), threshold=0.7)
    assert learner.fit(sim.data) is learner
    posterior = ew.sample(sim.data, prior=ew.Sparsity(2.0), iterations=300, chains=2, seed=1, progress=False)
    pd.testing.assert_frame_equal(learner.edge_probabilities_, posterior.edge_probabilities())
    pd.testing.assert_frame_equal(learner.dag_, posterior.consensus_dag(0.7))
    assert learner.n_features_in_ == 5
    assert list(learner.feature_names_in_) == list(sim.data.columns)
    assert isinstance(learner.posterior_, ew.Posterior)


def test_parameters_come_and_go():
    learner = StructureLearner(chains=2, constraints=ew.Constraints(roots=["X0"]))
    other = clone(learner).set_params(chains=3)
    assert (learner.get_params()["chains"], other.get_params()["chains"]) == (2, 3)
    assert other.constraints == learner.constraints
    assert not hasattr(other, "posterior_")


def test_columns_may_be_levels():
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"a": rng.choice(["x", "y"], 80), "b": rng.choice(["u", "v", "w"], 80)})
    assert StructureLearner(**QUICK).fit(data).posterior_.nodes == ("a", "b")


def test_a_random_state_gives_another_seed_each_time():
    data = ew.simulate(3, 50, seed=1).data
    learner = StructureLearner(iterations=200, chains=1, random_state=np.random.RandomState(1))
    seeds = [learner.fit(data).posterior_.info["seed"] for _ in range(2)]
    again = StructureLearner(iterations=200, chains=1, random_state=np.random.RandomState(1)).fit(data)
    assert seeds[0] != seeds[1]
    assert again.posterior_.info["seed"] == seeds[0]


def test_scikit_learn_is_named_where_it_is_not_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    monkeypatch.delitem(sys.modules, "edgewise.estimators.structure_learner")
    with pytest.raises(ImportError, match="pip install 'edgewise\\[sklearn\\]'") as caught:
        importlib.import_module("edgewise.estimators.structure_learner")
    check_sentence(str(caught.value))

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

import edgewise as ew
from edgewise.baselines import hill_climb, mmhc
from edgewise.baselines.max_min import Association, find_neighbours
from edgewise.data import load_data
from edgewise.graphs import is_acyclic
from edgewise.independence import FisherZ
from naive import max_min as naive
from sentences import check_sentence


def random_correlation(rng, n, p):
    return np.corrcoef(rng.standard_normal((n, p)) @ (np.eye(p) + 0.7 * rng.standard_normal((p, p))), rowvar=False)


def associate(correlation, n, largest):
    """Return the association by Fisher's z, for a correlation matrix with any number of rows."""
    p = len(correlation)
    dataset = SimpleNamespace(n=n, p=p, moments=SimpleNamespace(n=n, correlation=correlation))
    return Association(FisherZ().prepare(dataset), p, largest)


def weakest_z(correlation, n, target, always, optional, largest):
    return associate(correlation, n, largest).weakest(target, always, optional)


def correlation_of(sim):
    scale = np.sqrt(np.diag(sim.covariance))
    return sim.covariance / np.outer(scale, scale)


@pytest.mark.parametrize("largest", [0, 1, 2, 9])
@pytest.mark.parametrize(("always", "optional"), [([], []), ([], [1, 4, 5]), ([3], [1, 4, 5]), ([6], [])])
@pytest.mark.parametrize("n", [5, 7, 100])
def test_the_weakest_z_is_that_of_all_subsets(rng, n, always, optional, largest):
    correlation = random_correlation(rng, 50, 8)
    z = weakest_z(correlation, n, 0, np.array(always, np.int64), np.array(optional, np.int64), largest)
    for x in {2, 7}:
        expected = naive.weakest_z(correlation, n, 0, x, always, optional, largest)
        np.testing.assert_allclose(z[x], expected, rtol=1e-9, atol=0)


def test_what_a_set_determines_depends_on_nothing_further(rng):
    values = rng.standard_normal((100, 4))
    values[:, 3] = values[:, 0] + values[:, 1]
    correlation = np.corrcoef(values, rowvar=False)
    both = np.array([0, 1])
    none = np.array([], np.int64)
    assert weakest_z(correlation, 100, 2, both, none, 3)[3] == 0
    assert weakest_z(correlation, 100, 3, both, none, 3)[2] == 0
    # a member that the others determine adds nothing but its count
    values = np.column_stack([values, rng.standard_normal(100)])
    correlation = np.corrcoef(values, rowvar=False)
    without, with_it = (weakest_z(correlation, 100, 2, np.array(given), none, 3)[4] for given in ([0, 1], [0, 1, 3]))
    np.testing.assert_allclose(with_it / np.sqrt(94), without / np.sqrt(95), rtol=1e-9, atol=0)


@pytest.mark.parametrize(("n", "p"), [(10, 2), (30, 5), (200, 7), (6, 6)])
@pytest.mark.parametrize("largest", [1, 9])
def test_neighbours_equal_the_naive_ones(rng, n, p, largest):
    for _ in range(5):
        correlation = random_correlation(rng, n, p)
        found = find_neighbours(associate(correlation, n, largest), 0.1)
        np.testing.assert_array_equal(found, naive.neighbours(correlation, n, norm.isf(0.05), largest))


def test_the_strength_is_the_statistic_of_the_test(rng):
    values = rng.standard_normal((50, 3)) @ rng.standard_normal((3, 3))
    strength = associate(np.corrcoef(values, rowvar=False), 50, 1).weakest(0, [2], [])
    np.testing.assert_allclose(strength[1], abs(ew.partial_correlation_test(values, 0, 1, [2]).statistic))


def test_p_values_too_small_for_a_double_still_have_an_order():
    correlation = np.array([[1.0, 0.9, 0.8], [0.9, 1.0, 0.72], [0.8, 0.72, 1.0]])
    strength = associate(correlation, 10**6, 0).weakest(0, [], [])
    assert np.isfinite(strength[1:]).all()
    assert strength[1] > strength[2] > 1000


@pytest.mark.parametrize("p", [5, 10, 30])
def test_an_oracle_gives_the_skeleton(p):
    """Of these random DAGs none is so nearly unfaithful that 1e-7, about 2.6 / sqrt(10^15), would take part in it."""
    for seed in range(15):
        sim = ew.simulate(p, 10, seed=seed)
        found = find_neighbours(associate(correlation_of(sim), 10**15, p), 0.01)
        np.testing.assert_array_equal(found, sim.dag | sim.dag.T)


class Separation:
    """An association that knows the DAG: 1 where the target and a variable are not d-separated, else 0."""

    def __init__(self, dag):
        self.dag = dag
        self.p = len(dag)

    def weakest(self, target, always, optional):
        found = np.ones(self.p)
        for x in set(range(self.p)) - {target, *always, *optional}:
            for some in naive.subsets(optional, len(optional)):
                found[x] = min(found[x], not ew.is_d_separated(self.dag, [target], [x], [*always, *some]))
        return found


def test_any_measure_of_association_will_do():
    for seed in range(5):
        sim = ew.simulate(6, 10, neighbours=2, seed=seed)
        found = find_neighbours(Separation(sim.dag), alpha=0.5)
        np.testing.assert_array_equal(found, sim.dag | sim.dag.T)


def test_relabelling_variables_relabels_the_neighbours(rng):
    correlation = random_correlation(rng, 100, 8)
    relabel = rng.permutation(8)
    found = find_neighbours(associate(correlation, 100, 3), 0.05)
    moved = find_neighbours(associate(correlation[np.ix_(relabel, relabel)], 100, 3), 0.05)
    np.testing.assert_array_equal(moved, found[np.ix_(relabel, relabel)])


def test_edges_are_only_between_neighbours():
    for seed in range(5):
        dataset = load_data(ew.simulate(12, 60, seed=seed).data)
        dag = mmhc(dataset, alpha=0.01, max_given=2, as_array=True)
        joined = find_neighbours(associate(dataset.moments.correlation, dataset.n, 2), 0.01)
        assert is_acyclic(dag)
        assert dag.any()
        assert not (dag & ~joined).any()


def test_mmhc_is_nearer_to_the_truth_than_hill_climbing():
    errors = {mmhc: 0, hill_climb: 0}
    for seed in range(20):
        sim = ew.simulate(30, 1000, seed=seed)
        for learner in errors:
            errors[learner] += ew.structural_hamming_distance(ew.cpdag(learner(sim.data)), ew.cpdag(sim.dag))
    assert errors[mmhc] <= errors[hill_climb]
    assert errors[mmhc] / 20 < 12


def test_few_rows_are_enough(rng):
    assert is_acyclic(mmhc(rng.standard_normal((4, 6))))


@pytest.mark.parametrize("settings", [{"alpha": 0}, {"alpha": "5 %"}, {"max_given": -1}, {"max_given": 1.5}])
def test_bad_settings_are_refused(rng, settings):
    with pytest.raises(ew.ArgumentError) as error:
        mmhc(rng.standard_normal((20, 3)), **settings)
    check_sentence(str(error.value))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"kinds": {"X0": "binary"}}, "columns of numbers together with levels"),
        ({"interventions": np.eye(60, 4, dtype=bool)}, "data with interventions"),
    ],
)
def test_data_that_no_test_takes_are_refused(given, words):
    table = ew.simulate(4, 60, seed=1).data
    dataset = load_data(table.assign(X0=table["X0"] > 0), **given)
    with pytest.raises(ew.DataError) as error:
        mmhc(dataset)
    assert f"no test of conditional independence for {words}: use a method" in check_sentence(str(error.value))
    assert ew.sample(dataset, iterations=200, thin=10, seed=1, progress=False).nodes == dataset.names

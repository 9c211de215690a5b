import numpy as np
import pytest

import edgewise as ew
from edgewise.data import load_data
from edgewise.independence import FisherZ, warn_of_void_tests
from naive.imap import NaiveIMAP


def test_p_values_equal_bnlearn_and_pcalg(reference):
    path, values = reference
    dataset = load_data(path)
    assert len(values["ci_tests"]) >= 13
    for record in values["ci_tests"]:
        result = ew.partial_correlation_test(dataset, record["x"], record["y"], record["S"])
        np.testing.assert_allclose(result.statistic, record["zf_stat"], rtol=0, atol=1e-8)
        np.testing.assert_allclose(result.p_value, record["zf_pvalue"], rtol=0, atol=1e-8)
        np.testing.assert_allclose(result.p_value, record["pcalg_pval"], rtol=0, atol=1e-8)


def test_thresholds_decide_as_the_tests_do(rng):
    n, p, alpha = 30, 8, 0.05
    values = rng.standard_normal((n, p)) @ rng.standard_normal((p, p))
    threshold = FisherZ().thresholds(n, p, alpha)
    decisions = []
    for j in range(1, p):
        for v in range(j):
            given = [u for u in range(j) if u != v]
            result = ew.partial_correlation_test(values, j, v, given)
            decisions.append(result.p_value < alpha)
            assert (result.correlation**2 > threshold[j]) == decisions[-1]
    assert 0 < sum(decisions) < len(decisions)


@pytest.mark.parametrize("alpha", [1e-300, 1e-12, 0.01, 0.5, 0.999999])
def test_thresholds_are_finite_for_every_alpha(alpha):
    table = FisherZ().thresholds(12, 10, alpha)
    assert np.isfinite(table).all()
    assert (table >= 0).all()
    assert (np.diff(table[1:]) >= 0).all()


@pytest.mark.parametrize(("n", "p", "tested"), [(4, 2, 2), (4, 5, 2), (10, 10, 8), (12, 10, 10), (13, 10, 10)])
def test_only_defined_tests_have_thresholds(n, p, tested):
    """Position j conditions on j - 1 variables; n - (j - 1) - 3 must be positive."""
    assert len(FisherZ().thresholds(n, p, 0.01)) == tested
    assert tested == sum(n - (j - 1) - 3 > 0 or j == 0 for j in range(p))


def test_a_void_test_counts_as_independence(rng):
    values = rng.standard_normal((6, 6))
    assert ew.partial_correlation_test(values, 0, 1, [2, 3]).p_value < 1
    with pytest.warns(ew.VoidTestWarning, match="3 variables is void with 6 rows"):
        result = ew.partial_correlation_test(values, 0, 1, [2, 3, 4])
    assert result.p_value == 1
    assert not NaiveIMAP(np.corrcoef(values.T), 6, 0.01).is_dependent(0, 1, [2, 3, 4])


def test_the_warning_counts_void_tests():
    with pytest.warns(ew.VoidTestWarning, match="17 of the 45 "):
        warn_of_void_tests(10, 10, tested=8)


def test_enough_rows_give_no_warning():
    warn_of_void_tests(12, 10, tested=10)


@pytest.mark.parametrize(
    ("x", "y", "given", "word"),
    [
        (0, 0, [], "more than once"),
        (0, 1, [1], "more than once"),
        (0, 9, [], "no variable 9"),
        ("A", 1, [], "'A'"),
    ],
)
def test_bad_variables_are_named(rng, x, y, given, word):
    with pytest.raises(ew.ArgumentError, match=word):
        ew.partial_correlation_test(rng.standard_normal((20, 3)), x, y, given)

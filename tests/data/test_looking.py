"""The look at data before a run: silent on clean data, and a true sentence for each fault."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import edgewise as ew
from edgewise.data import columns, load_data, look, summarize_data
from edgewise.data.columns import Limits, find_missing_codes
from edgewise.data.pairs import _find_carriers, _fisher
from sentences import check_sentence


def seen(data):
    """Look at data, check the sentences, and return the findings by kind."""
    dataset = load_data(data)
    findings = {finding.kind: finding for finding in look(dataset)}
    assert len(findings) == len(look(dataset))
    for finding in findings.values():
        check_sentence(finding.sentence)
        assert set(finding.columns) <= set(dataset.names)
    return findings


@pytest.fixture(scope="module")
def clean():
    return ew.simulate(8, 300, seed=1).data


@pytest.fixture(scope="module")
def sachs(public_data):
    """The 853 rows of one condition; and all 7466 rows of nine, one condition after the other."""
    pooled = pd.read_csv(public_data / "sachs" / "sachs_7466x11_with_condition.csv").drop(columns="condition")
    return pd.read_csv(public_data / "sachs" / "sachs_observational_853x11.csv"), pooled


def count_alarms(sets, seed):
    """Return how many of so many clean tables are found unusual, apart from having few rows."""
    rng = np.random.default_rng(seed)
    alarms = 0
    for number in range(sets):
        p, n = int(rng.integers(5, 31)), int(rng.integers(30, 1001 if number % 2 else 101))
        kinds = seen(ew.simulate(p, n, seed=rng).data)
        assert ("few-rows" in kinds) == (n < max(50, p))
        alarms += bool(kinds.keys() - {"few-rows"})
    return alarms


def test_clean_data_are_passed_in_silence(clean):
    assert seen(clean) == {}
    assert count_alarms(60, seed=1) == 0


@pytest.mark.slow
def test_false_alarms_are_rare():
    """Measured: 3 alarms in 10,000 tables; with that rate, the chance of more than 4 in 1000 is below one in 10,000."""
    assert count_alarms(1000, seed=2) <= 4


@pytest.mark.slow
def test_lax_limits_would_be_noticed(monkeypatch):
    monkeypatch.setattr(columns, "SKEWNESS", 0.0)
    monkeypatch.setattr(columns, "CHANCE", 0.5)
    assert count_alarms(60, seed=1) > 4


@pytest.mark.parametrize("n", [20, 50, 400])
def test_limits_of_the_shape_are_those_of_published_tests(rng, monkeypatch, n):
    monkeypatch.setattr(columns, "SKEWNESS", 0.0)
    monkeypatch.setattr(columns, "EXCESS_KURTOSIS", -np.inf)
    monkeypatch.setattr(columns, "CHANCE", 0.2)
    p = 3
    extreme = stats.norm.isf(0.2 / (4 * p))
    tables = rng.normal(size=(n, 3000))
    limits = Limits.of(n, p)
    skewed, heavy = stats.skewtest(tables).statistic, stats.kurtosistest(tables).statistic
    assert np.array_equal(np.abs(skewed) > extreme, np.abs(stats.skew(tables)) > limits.skewness)
    assert np.array_equal(heavy > extreme, stats.kurtosis(tables) > limits.kurtosis)
    assert 20 < (np.abs(skewed) > extreme).sum() < 300


def test_raw_sachs_needs_logs(sachs):
    single, _ = sachs
    found = seen(single)
    assert found.keys() == {"skewed"}
    assert found["skewed"].columns == tuple(single)
    assert found["skewed"].sentence == (
        "Columns 'Raf', 'Mek', 'Plcg', 'PIP2', 'PIP3' and 6 more are skewed, with a skewness of up to 26.8, so that a "
        "few large values decide which edges are found: take logs of them first."
    )


def test_logs_of_sachs_have_cells_at_the_floor(sachs):
    """A few cells have a raw value of 1 or little more, 3 below the median of the logs; for the rest, logs suffice."""
    single, _ = sachs
    found = seen(np.log(single))
    assert found.keys() == {"outliers"}
    assert found["outliers"].columns == ("Mek", "Plcg", "Akt", "PKA")
    assert "row 26 of 'Mek' has 0, where 3.195 is usual" in found["outliers"].sentence
    assert single["Mek"][25] == 1
    scores = single.apply(lambda column: stats.norm.ppf((column.rank() - 0.5) / len(column)))
    assert seen(scores) == {}


def test_pooled_conditions_of_sachs_are_told(sachs):
    _, pooled = sachs
    found = seen(np.log(pooled))
    assert found.keys() == {"row-order", "heavy-tailed"}
    assert len(found["row-order"].columns) == 10
    assert re.search("'Mek', .* change along the rows, most clearly after row 4998,", found["row-order"].sentence)
    assert 853 + 902 + 911 + 723 + 810 + 799 == 4998


def test_log_normal_data_need_logs(clean):
    found = seen(np.exp(clean))
    assert found.keys() == {"skewed"}
    assert found["skewed"].sentence.endswith("take logs of them first.")
    assert seen(np.log(np.exp(clean))) == {}
    assert seen(np.exp(clean["X0"].to_frame().join(clean["X1"])))["skewed"].columns == ("X0", "X1")


def test_skewed_data_that_are_not_positive_need_ranks(clean):
    found = seen(clean.assign(X3=-np.exp(clean["X3"])))
    assert found.keys() == {"heavy-tailed"}
    assert found["heavy-tailed"].columns == ("X3",)
    assert "replace each value by the normal score of its rank" in found["heavy-tailed"].sentence


@pytest.mark.parametrize("codes", [[0, 1], [1, 2, 3, 4, 5], [-1.5, 1.5], range(10)])
def test_few_values_are_codes(clean, rng, codes):
    found = seen(clean.assign(code=rng.choice(codes, len(clean))))
    assert found.keys() == {"few-values"}
    assert found["few-values"].columns == ("code",)
    assert (
        f"Column 'code' has only {len(codes)} different values, but as numbers it is taken"
        in found["few-values"].sentence
    )


@pytest.mark.parametrize("code", [-999, 9999, 99, -99999])
def test_codes_for_missing_values_are_named(clean, code):
    table = clean.round(2)
    table.iloc[5:25, 3] = code
    table.iloc[[0, 20], 6] = code
    found = seen(table)
    assert found.keys() == {"missing-codes"}
    assert found["missing-codes"].columns == ("X3", "X6")
    assert found["missing-codes"].sentence.startswith(
        f"Columns 'X3' and 'X6' hold {code} in 22 cells, far from all other values, as is often written where"
    )


def test_a_code_below_zero_stands_out_among_large_measurements(clean):
    income = (1000 * np.exp(clean["X0"] - clean["X0"].min())).round()
    income[[3, 4]] = [-99.0, -99.0]
    assert seen(clean.assign(X0=income))["missing-codes"].columns == ("X0",)
    assert "missing-codes" not in seen(clean.assign(X0=income - 500))


def test_codes_are_named_before_ranks_hide_them(clean):
    table = clean.assign(sex=["f", "m", "m"] * 100)
    table.iloc[5:25, 3], table.iloc[40, 3] = 9999, np.nan
    with pytest.warns(ew.DataWarning, match="Column 'X3' holds 9999 in 20 cells") as caught:
        dataset = load_data(table, transform="ranks", missing="em")
    assert caught[0].filename == __file__
    assert look(dataset) == ()


def test_several_codes_are_listed(clean):
    table = clean.copy()
    table.iloc[:2, 0], table.iloc[2:4, 0], table.iloc[5:8, 0] = -99, -999, 999
    assert "Column 'X0' holds -999, -99 and 999 in 7 cells" in seen(table)["missing-codes"].sentence


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, n: rng.normal(rng.normal(0, 200), 10 ** rng.uniform(0, 3), n).round(),
        lambda rng, n: rng.poisson(10 ** rng.uniform(-1, 4), n),
        lambda rng, n: rng.negative_binomial(10 ** rng.uniform(-1, 1), 10 ** rng.uniform(-3, -0.3), n),
        lambda rng, n: rng.normal(60, 20, n).clip(0, 105).round(),
        lambda rng, n: rng.integers(1900, 2025, n),
        lambda rng, n: (100 * rng.beta(0.3, 0.3, n)).round().clip(1, 99),
    ],
    ids=["whole numbers", "counts", "uneven counts", "ages", "years", "percent"],
)
def test_whole_numbers_hold_no_codes(rng, draw):
    """Measured: none in 10,000 columns of each."""
    for n in rng.integers(20, 1000, 300):
        assert find_missing_codes(draw(rng, n).astype(float)[:, None], ["X"]) == []


def test_many_columns_of_codes_are_not_repeated_rows(clean):
    found = seen((clean > clean.median()).astype(int))
    assert found.keys() == {"few-values"}
    assert "'X4' and 3 more have only 2 different values" in found["few-values"].sentence


def test_counts_and_grades_differ_in_their_number_of_values(clean, rng):
    found = seen(clean.assign(sex=rng.integers(0, 2, 300), grade=rng.integers(1, 6, 300)))
    assert "'sex' and 'grade' have only 2 to 5 different values" in found["few-values"].sentence


def test_a_limit_of_detection_shows(clean):
    found = seen(clean.clip(lower=clean.quantile(0.6), axis=1))
    assert found.keys() == {"one-value"}
    assert found["one-value"].columns == tuple(clean)
    assert seen(clean.clip(lower=clean.quantile(0.2), axis=1)) == {}


@pytest.mark.parametrize(
    "number",
    [
        np.arange(1, 301),
        np.arange(300, 0, -1) * 10,
        np.random.default_rng(1).permutation(300) + 17,
        np.arange(300) * 0.1,
        1.7e9 + np.random.default_rng(1).integers(1, 1000, 300).cumsum(),
    ],
    ids=["rows", "backwards", "shuffled", "time", "seconds since 1970"],
)
def test_a_row_number_is_recognised(clean, number):
    found = seen(clean.assign(id=number))
    assert found.keys() == {"identifier"}
    assert found["identifier"].columns == ("id",)
    assert found["identifier"].sentence.startswith("Column 'id' looks like a row number, an identifier or a time")


def test_one_of_two_columns_may_be_a_row_number(clean, rng):
    assert seen(clean[["X0"]].assign(id=rng.permutation(300))).keys() == {"identifier"}


def test_ranks_are_no_row_numbers(clean):
    assert seen(clean.rank()) == {}


def test_an_outlier_that_carries_a_correlation_is_named(clean):
    table = clean.copy()
    table.iloc[16, [0, 5]] = 15.0
    found = seen(table)
    assert found.keys() == {"carried-correlation"}
    assert found["carried-correlation"].columns == ("X0", "X5")
    without = table.drop(index=16).corr().loc["X0", "X5"]
    assert (
        f"The correlation of 'X0' and 'X5' is {table.corr().loc['X0', 'X5']:.2f}, but {without:.2f} without row 17, "
        in found["carried-correlation"].sentence
    )
    assert abs(without) < 0.2


def test_an_outlier_that_hides_correlations_is_named(clean):
    table = clean.copy()
    table.iloc[16, 0] = 40.0
    found = seen(table)
    assert found.keys() == {"carried-correlation"}
    assert re.search("is 0.31, but 0.66 without row 17 .and 2 more pairs", found["carried-correlation"].sentence)


def test_rows_that_carry_a_correlation_are_those_without_which_it_is_another(rng):
    for rows, far in (([3], 12.0), ([3, 4, 50], 12.0), ([3], 1e12)):
        x, y = rng.normal(size=(2, 80))
        x[rows], y[rows] = far, far - 1
        plain = float(_fisher(np.corrcoef(x, y)[0, 1]))
        found, without = _find_carriers(x, y, plain, 0.0)
        kept = np.delete(np.arange(80), found)
        assert set(found) <= set(rows)
        assert np.isclose(without, np.corrcoef(x[kept], y[kept])[0, 1])
        assert abs(np.arctanh(without)) < plain / 2 or without < 0


def test_gross_cells_are_named(clean, rng):
    table = clean.where(rng.random(clean.shape) > 0.01, 12 * clean)
    found = seen(table)
    assert "outliers" in found
    assert found.keys() <= {"outliers", "carried-correlation"}
    row, column, value = re.search(r"row (\d+) of '(X\d)' has (\S+), where", found["outliers"].sentence).groups()
    assert f"{table[column][int(row) - 1]:.4g}" == value
    assert abs(float(value)) > 5


@pytest.mark.parametrize("digits", [15, 2, 1])
def test_repeated_rows_are_counted(clean, digits):
    table = pd.concat([clean, clean.iloc[:30]]).round(digits)
    found = seen(table)
    assert found.keys() == {"repeated-rows"}
    assert found["repeated-rows"].sentence.startswith(
        "30 rows of 330 repeat all measurements of an earlier one (the first is row 301), and what is counted twice"
    )
    assert seen(clean.round(digits)) == {}
    assert seen(table.assign(id=range(330))).keys() == {"identifier", "repeated-rows"}


def test_rounded_values_agree_by_chance(rng):
    """Some 200 of 2000 rows of two columns with 60 values each repeat another one."""
    table = pd.DataFrame(rng.normal(size=(2000, 2))).round(1)
    assert table.duplicated().sum() > 100
    assert seen(table) == {}


@pytest.mark.parametrize("is_ordered", [True, False])
def test_two_conditions_are_told_in_any_order(clean, is_ordered):
    table = clean / clean.std()
    table.iloc[120:] += 3 * np.resize([1, -1], 8)
    found = seen(table if is_ordered else table.sample(frac=1, random_state=1))
    if is_ordered:
        assert found.keys() == {"row-order"}
        assert "most clearly after row 120," in found["row-order"].sentence
        assert len(found["row-order"].columns) == 8
    else:
        assert found.keys() == {"groups"}
        assert "two groups, of 120 and 180 rows, that lie apart in" in found["groups"].sentence
        assert len(found["groups"].columns) == 8


def test_a_file_that_is_sorted_is_not_pooled(clean):
    assert seen(clean.sort_values("X0")) == {}


def test_near_copies_are_named(clean, rng):
    found = seen(clean.assign(copy=-2 * clean["X0"] + 0.1 * rng.normal(size=300)))
    assert found.keys() == {"near-copies"}
    assert found["near-copies"].columns == ("X0", "copy")
    assert "'X0' and 'copy' with -0.99" in found["near-copies"].sentence


def test_few_rows_are_told():
    found = seen(ew.simulate(100, 80, neighbours=1, seed=1).data)
    assert found.keys() == {"few-rows"}
    assert found["few-rows"].sentence.startswith("There are only 80 rows for 100 columns, so that weak edges")
    assert seen(ew.simulate(100, 100, neighbours=1, seed=1).data) == {}


def test_few_rows_are_all_that_is_said_of_dream4(public_data):
    tables = sorted((public_data / "dream4" / "size10").glob("*_multifactorial.csv"))
    assert len(tables) == 5
    for table in tables:
        assert seen(table).keys() == {"few-rows"}


@pytest.mark.parametrize("clamped", [["A"], ["A", "B"]])
def test_rows_are_looked_at_in_which_two_columns_vary(rng, clamped):
    table = pd.DataFrame(rng.normal(size=(100, 2)), columns=["A", "B"])
    is_set = pd.DataFrame(False, table.index, clamped)
    is_set[:60] = True
    table.loc[:59, clamped] = 0.0
    assert look(load_data(table, interventions=is_set)) == ()
    table["A"] = table["A"].where(is_set["A"], np.exp(3 * table["B"]))
    (finding,) = look(load_data(table, interventions=is_set))
    assert finding.kind == "skewed"
    assert finding.sentence.startswith("Among the 40 complete rows with the same variables set, the most in which two ")
    check_sentence(finding.sentence)


def test_conditions_that_are_known_are_not_asked_for_and_rows_are_counted_among_their_own(clean):
    is_set = pd.DataFrame({"X0": np.repeat([True, False], [100, 200])})
    pooled = clean.copy()
    pooled.iloc[200:] += 4
    (finding,) = look(load_data(pooled, interventions=is_set))
    assert finding.kind == "row-order"
    assert finding.sentence.startswith("Among the 200 complete rows with the same variables set")
    assert "(and counted among these)" in finding.sentence
    assert "after row 100," in finding.sentence
    assert finding.sentence.endswith("analyse each condition by itself, or subtract its means.")


def test_nothing_is_said_where_two_columns_never_vary_together(rng):
    table = pd.DataFrame(rng.normal(size=(100, 2)), columns=["A", "B"])
    table.iloc[:50, 0] = table.iloc[50:, 1] = 0.0
    assert look(load_data(table, interventions=table == 0)) == ()
    table = pd.DataFrame(rng.normal(size=(100, 3)), columns=["A", "B", "C"])
    table.iloc[:60, :2], table.iloc[60:, 2] = 0.0, np.nan
    assert look(load_data(table, missing="em")) == ()


def test_a_covariance_matrix_tells_little(clean, rng):
    table = np.exp(clean).assign(copy=np.exp(clean["X0"]) + 1e-3 * rng.normal(size=300))
    assert seen(table).keys() == {"skewed", "near-copies"}
    assert seen(ew.Covariance(table.cov(), n=300)).keys() == {"near-copies"}
    assert seen(ew.Covariance(clean.cov(), n=40)).keys() == {"few-rows"}


def test_units_do_not_matter(clean, rng):
    strange = np.exp(clean).assign(code=rng.integers(0, 2, 300), X1=clean["X1"])
    strange.iloc[5, 1] = 60.0
    units = 10.0 ** np.linspace(-150, 150, strange.shape[1])
    plain, scaled = seen(strange), seen(strange * units)
    assert plain.keys() == scaled.keys() >= {"skewed", "few-values"}
    assert [finding.columns for finding in plain.values()] == [finding.columns for finding in scaled.values()]


@pytest.mark.parametrize("n", [4, 5, 10, 19, 20])
def test_tiny_tables_pass(n):
    assert seen(ew.simulate(3, n, seed=1).data).keys() == {"few-rows"}


def test_many_columns_are_looked_at_in_part(rng):
    table = pd.DataFrame(rng.normal(size=(60, 1200)), columns=[f"X{column}" for column in range(1200)])
    table.iloc[30:] += 4
    table["X7"] = np.exp(2 * rng.normal(size=60))
    found = seen(table)
    assert found.keys() == {"skewed", "row-order", "few-rows"}
    assert found["skewed"].columns == ("X7",)
    assert 500 < len(found["row-order"].columns) <= 1000


def test_a_record_has_the_skewness_and_the_number_of_values_of_each_column(rng):
    table = pd.DataFrame(rng.gamma(1.0, size=(90, 3)), columns=list("abc")).round(1)
    table["grade"] = pd.Categorical(rng.choice(["low", "high"], size=90))
    table.loc[:4, "b"] = np.nan
    about = summarize_data(load_data(table, missing="em"))
    expected = [stats.skew(table[name].dropna()) for name in "abc"]
    np.testing.assert_allclose(about["skewness"][:3], expected, rtol=0, atol=5.1e-5)
    assert about["skewness"][3] is None
    assert about["distinct"] == [table[name].nunique() for name in table]
    assert summarize_data(load_data(ew.Covariance(np.eye(3) + 1, n=50))) == {}


def test_a_record_has_the_name_of_the_file_and_not_where_it_was(tmp_path):
    ew.simulate(3, 50, seed=1).data.to_csv(tmp_path / "cells.csv", index=False)
    for path in (tmp_path / "cells.csv", str(tmp_path / "cells.csv")):
        assert summarize_data(load_data(path))["name"] == "cells.csv"
    frame = pd.read_csv(tmp_path / "cells.csv", engine="python")
    assert load_data(tmp_path / "cells.csv").record() == load_data(frame).record()

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgewise as ew
from edgewise.data import load_data, refuse_dependent
from edgewise.errors import ArgumentError, DataError
from sentences import check_sentence


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ([1.5] * 30 + ["n.d."] * 10, ["text", "'n.d.' in row 31", "among numbers", "call it categorical"]),
        (["1.5"] * 40, ["text", "'1.5' in row 1", "among numbers"]),
        ([1.0, True] * 20, ["true/false", "True in row 2", "among numbers"]),
        (pd.date_range("2020-01-01", periods=40), ["dates or times", "2020-01-01", "remove it or recode it"]),
        (pd.to_timedelta(range(40), unit="s"), ["dates or times", "remove it or recode it"]),
        (np.arange(40) * 1j, ["complex", "row 1"]),
        ([[1.0]] * 40, ["list", "row 1"]),
    ],
)
def test_columns_that_are_neither_numbers_nor_levels_are_refused(table, refusal, column, said):
    table["Pkc"] = pd.Series(column)
    message = refusal(table)
    assert message.startswith("Column 'Pkc' holds ")
    for words in said:
        assert words in message


def test_an_array_of_numbers_written_as_text_is_refused(refusal):
    message = refusal(np.array([["2", "1"]] * 5, dtype=object))
    assert message.startswith("Columns 'X0' and 'X1' hold text ('2' in row 1 of 'X0') among numbers")


@pytest.mark.parametrize(
    ("dtype", "cast"),
    [
        ("int64", None),
        ("int8", None),
        ("uint16", None),
        ("Int64", None),
        ("Float32", None),
        (object, Decimal),
    ],
)
def test_every_kind_of_number_is_accepted(table, dtype, cast):
    whole = np.arange(40) % 7
    column = pd.Series(whole, dtype=dtype) if cast is None else pd.Series([cast(int(v)) for v in whole])
    dataset = load_data(table.assign(Pkc=column))
    np.testing.assert_array_equal(dataset.values[:, -1], whole)


def test_mixed_python_numbers_are_accepted(table):
    dataset = load_data(table.assign(Pkc=pd.Series([1, 2.5, np.float32(0.5), np.int8(3)] * 10, dtype=object)))
    np.testing.assert_array_equal(dataset.values[:4, -1], [1, 2.5, 0.5, 3])


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA])
def test_missing_values_are_counted(table, refusal, missing):
    table = table.astype(object)
    table.iloc[6, 2] = missing
    assert refusal(table).startswith("Column 'Erk' has 1 missing value, in row 7:")
    table.iloc[9, 2] = missing
    assert refusal(table).startswith("Column 'Erk' has 2 missing values, the first in row 7:")
    table.iloc[3, 4] = missing
    message = refusal(table)
    assert message.startswith("Columns 'Erk' and 'Jnk' have 3 missing values, the first in row 4 of 'Jnk':")


def test_nullable_missing_values_are_found(table, refusal):
    table["Pkc"] = pd.array([1, None, 3, 4] * 10, dtype="Int64")
    assert refusal(table).startswith("Column 'Pkc' has 10 missing values, the first in row 2:")


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values_are_counted(table, refusal, value):
    table.iloc[[2, 5], 1] = value
    assert refusal(table).startswith("Column 'Mek' has 2 infinite values, the first in row 3:")


@pytest.mark.parametrize("value", [0.0, 0.1, 1e300, 1e-310])
def test_constant_columns_are_refused(table, refusal, value):
    table["Pkc"] = value
    assert refusal(table).startswith("Column 'Pkc' has the same value in every row")


def test_many_faulty_columns_are_counted(refusal):
    values = np.random.default_rng(1).normal(size=(10, 9))
    values[:, 1:] = 3.0
    message = refusal(values)
    assert message.startswith("Columns 'X1', 'X2', 'X3', 'X4', 'X5' and 3 more have the same value")


@pytest.mark.parametrize("value", [1.0, 1e9, 1e-200, 1e200, 1e15])
def test_a_column_that_differs_in_one_last_digit_varies(value):
    values = np.random.default_rng(2).normal(size=(20, 2))
    values[:, 1] = value
    values[7, 1] = np.nextafter(value, np.inf)
    dataset = load_data(values)
    assert 0 < dataset.moments.scale[1] < 1e-15 * value
    outlier = np.zeros(20)
    outlier[7] = 1
    expected = np.corrcoef(values[:, 0], outlier)[0, 1]
    assert dataset.moments.correlation[0, 1] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("column", [[1.79e308, -1.79e308] * 20, [0.0, 5e-324] * 20])
def test_scales_beyond_double_precision_are_refused(table, refusal, column):
    assert refusal(table.assign(Pkc=column)).startswith("Column 'Pkc' varies on a scale beyond")


@pytest.mark.parametrize(
    "copy",
    [
        lambda x: x,
        lambda x: -x,
        lambda x: 1.8 * x + 32,
        lambda x: x * 1e200,
        lambda x: x * -1e-200,
        lambda x: x + 1e9,
        lambda x: x.astype(np.float32),
        lambda x: x.round(6),
    ],
)
def test_copies_in_other_units_are_refused(table, refusal, copy):
    table["copy"] = copy(table["Mek"])
    assert "('Mek' = 'copy')" in refusal(table)


def test_copies_are_found_when_rows_are_few(refusal):
    values = np.random.default_rng(3).normal(size=(5, 9))
    values[:, 7] = 2 * values[:, 3] - 1
    assert "('X3' = 'X7')" in refusal(values)


def test_many_copies_are_counted(refusal):
    column = np.random.default_rng(4).normal(size=(20, 1))
    assert "'X0' = 'X5' and 10 more)" in refusal(np.repeat(column, 6, axis=1))


@pytest.mark.parametrize("scales", [[1, 1, 1], [1e-6, 1, 1e6], [1e-200, 1e-200, 1e-200]])
@pytest.mark.parametrize("mean", [0.0, 1e4])
def test_a_linear_combination_is_named_with_its_parts(table, refusal, scales, mean):
    parts = (table[["Raf", "Erk", "Akt"]] + mean) * scales
    table[parts.columns] = parts
    table["total"] = (parts / scales) @ [1.0, -2.0, 0.5]
    message = refusal(table)
    assert message.startswith("Column 'total' is an exact linear combination of 'Raf', 'Erk' and 'Akt':")


def test_several_linear_combinations_are_counted(table, refusal):
    table["first"] = table["Raf"] + table["Mek"]
    table["second"] = table["Erk"] - table["Akt"] + table["Jnk"]
    message = refusal(table)
    assert message.startswith("Column 'first' is an exact linear combination of 'Raf' and 'Mek' (and 1 further")


def test_shares_of_a_whole_are_refused(refusal):
    shares = np.random.default_rng(5).dirichlet(np.ones(10), size=60)
    message = refusal(shares)
    assert "is an exact linear combination of" in message
    assert "and 4 more" in message


def test_combination_made_of_a_small_contribution_is_found(refusal):
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(2, 100))
    c = a + 1e-3 * b + 1e-7 * rng.normal(size=100)
    message = refusal(pd.DataFrame({"a": a, "c": c, "b": b}))
    assert "'a'" in message
    assert "'c'" in message


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(3, 40), st.sampled_from([1e-8, 1e-12]))
def test_the_limit_of_dependence_lies_between_1e_8_and_1e_12(seed, p, unexplained):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(3 * p + 20, p))
    noise = values[:, -1] - values[:, -1].mean()
    others = values[:, :-1] - values[:, :-1].mean(axis=0)
    fitted = others @ rng.uniform(0.5, 1, p - 1)
    residual = noise - others @ np.linalg.lstsq(others, noise, rcond=None)[0]
    residual *= np.linalg.norm(fitted) / np.linalg.norm(residual)
    values[:, -1] = 3.0 + np.sqrt(1 - unexplained) * fitted + np.sqrt(unexplained) * residual
    if unexplained == 1e-8:
        assert load_data(values).p == p
    else:
        with pytest.raises(DataError, match=rf"X{p - 1}'? |further|more"):
            load_data(values)


@pytest.mark.parametrize("n", [4, 10, 11])
def test_few_rows_are_no_linear_combination(n):
    values = np.random.default_rng(7).normal(size=(n, 10))
    assert load_data(values).n == n


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, 0.0, 2.0]}), ["only 3 rows", "at least 4"]),
        (pd.DataFrame({"a": [1.0], "b": [1.0]}), ["only 1 row,", "at least 4"]),
        (pd.DataFrame({"a": [], "b": []}), ["no rows", "at least 4"]),
        (pd.DataFrame({"a": [1.0, 2.0, 3.0, 5.0]}), ["only the column 'a'", "at least 2"]),
        (pd.DataFrame(index=range(9)), ["no columns", "at least 2"]),
    ],
)
def test_small_tables_are_refused(refusal, frame, said):
    message = refusal(frame)
    for words in said:
        assert words in message


@pytest.mark.parametrize("names", [["a", "b", "a"], [1, "b", "1"]])
def test_repeated_names_are_refused(refusal, names):
    frame = pd.DataFrame(np.random.default_rng(8).normal(size=(9, 3)), columns=names)
    assert f"'{names[0]}'" in refusal(frame)


@pytest.mark.parametrize("position", [0, 2])
def test_empty_names_are_refused(table, refusal, position):
    names = list(table.columns)
    names[position] = "  "
    assert f"Column {position + 1} " in refusal(table.set_axis(names, axis=1))


def test_awkward_names_stay_as_they_are_and_make_one_line(table, refusal):
    names = ["<script>alert(1)</script>", 'it\'s "so"', "β-catenin\nΔ", "a,b;c", "x" * 1000]
    assert load_data(table.set_axis(names, axis=1)).names == tuple(names)
    table.iloc[0] = np.nan
    message = refusal(table.set_axis(names, axis=1))
    assert "<script>alert(1)</script>" in message
    assert "β-catenin\\nΔ" in message
    assert len(message) < 600


@pytest.mark.parametrize("array", [np.arange(5.0), np.zeros((3, 4, 5)), np.array(1.0)])
def test_arrays_must_have_two_dimensions(refusal, array):
    assert f"has {array.ndim} dimension" in refusal(array)


def test_arrays_are_named_by_position(table):
    dataset = load_data(table.to_numpy())
    assert dataset.names == ("X0", "X1", "X2", "X3", "X4")
    assert dataset.fingerprint == load_data(table.set_axis(dataset.names, axis=1)).fingerprint


@pytest.mark.parametrize("data", [42, None, [[1.0, 2.0]], pd.Series([1.0, 2.0])])
def test_other_objects_are_refused(data):
    with pytest.raises(ArgumentError, match=type(data).__name__):
        load_data(data)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("target", "There is no argument 'target': perhaps targets is meant."),
        (
            "iteration",
            "There is no argument 'iteration': check its spelling, or leave it out; those that tell how data ",
        ),
    ],
)
@pytest.mark.parametrize("reader", [load_data, ew.sample, ew.map_search, ew.hill_climb, ew.mmhc, ew.exact_posterior])
def test_misspelt_arguments_are_named(table, reader, name, said):
    with pytest.raises(ArgumentError) as caught:
        reader(table, **{name: 100})
    assert check_sentence(str(caught.value)).startswith(said)


def test_half_a_character_in_a_name_is_refused():
    frame = pd.DataFrame(
        np.random.default_rng(1).standard_normal((6, 2)), columns=pd.Index(["a", "b\ud800"], dtype=object)
    )
    with pytest.raises(DataError, match=r"'b\\ud800' is not valid text"):
        load_data(frame)


def test_how_to_read_is_told_before_data_are_read(table):
    for data, what in ((load_data(table), "data that were read already"), (ew.Covariance(table.cov(), 40), "a cov")):
        with pytest.raises(ArgumentError) as caught:
            load_data(data, columns=["Raf", "Mek"], missing="em")
        message = check_sentence(str(caught.value))
        assert message.startswith(f"'columns' and 'missing' can be given with a table only, not with {what}")


def test_a_dependence_that_only_a_factor_has_found_is_refused_without_names(table):
    """Where it is so near to the limit that rounding decides."""
    with pytest.raises(DataError) as caught:
        refuse_dependent(load_data(table), [0, 1, 2])
    assert "all but exact linear combinations of others" in check_sentence(str(caught.value))

import numpy as np
import pandas as pd
import pytest

import edgewise as ew
from edgewise.data import load_data
from edgewise.errors import ArgumentError, DataError
from sentences import check_sentence

N = 60


@pytest.fixture
def table():
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "dose": rng.normal(size=N),
            "sex": rng.choice(["f", "m"], N),
            "site": rng.choice(["north", "south", "west"], N),
            "ill": rng.random(N) < 0.5,
            "stage": pd.Categorical(rng.choice(["I", "II", "III"], N), ["I", "II", "III"], ordered=True),
            "grade": rng.integers(1, 6, N),
        }
    )


def test_types_tell_kinds(table):
    dataset = load_data(table)
    assert dataset.kinds == ("continuous", "binary", "categorical", "binary", "ordinal", "continuous")
    assert dataset.levels == ((), ("f", "m"), ("north", "south", "west"), ("False", "True"), ("I", "II", "III"), ())
    assert dataset.kind == "mixed"


def test_codes_are_the_numbers_of_the_levels(table):
    dataset = load_data(table)
    for column in (1, 2, 3, 4):
        levels = dataset.levels[column]
        assert [levels[int(code)] for code in dataset.values[:, column]] == table.iloc[:, column].astype(str).tolist()


def test_kinds_can_be_told(table):
    kinds = {"grade": "ordinal", "sex": "categorical", "ill": "binary"}
    dataset = load_data(table, kinds=kinds)
    assert dataset.kinds == ("continuous", "categorical", "categorical", "binary", "ordinal", "ordinal")
    assert dataset.levels[-1] == ("1", "2", "3", "4", "5")


def test_an_ordered_category_may_be_called_ordinal(table):
    told, untold = load_data(table, kinds={"stage": "ordinal"}), load_data(table)
    assert told.levels == untold.levels
    assert told.fingerprint == untold.fingerprint


def test_levels_that_do_not_occur_do_not_count():
    column = pd.Categorical(["a", "b"] * 10, ["a", "b", "c"])
    dataset = load_data(pd.DataFrame({"x": column, "y": ["p", "q", "r", "p"] * 5}))
    assert dataset.levels == (("a", "b"), ("p", "q", "r"))
    assert dataset.kinds == ("binary", "categorical")


def test_a_file_and_a_table_say_the_same(table, tmp_path):
    table.to_csv(tmp_path / "t.csv", index=False)
    kinds = {"stage": "categorical"}
    from_file, from_table = load_data(tmp_path / "t.csv", kinds=kinds), load_data(table, kinds=kinds)
    np.testing.assert_array_equal(from_file.values, from_table.values)
    assert from_file.kinds == from_table.kinds
    assert from_file.levels == from_table.levels
    assert from_file.fingerprint == from_table.fingerprint


def test_a_table_survives_as_a_frame(table):
    dataset = load_data(table)
    again = load_data(dataset.to_frame())
    assert again.kinds == dataset.kinds
    assert again.fingerprint == dataset.fingerprint


def test_kinds_and_levels_are_part_of_the_fingerprint(table):
    prints = {
        load_data(table, **settings).fingerprint
        for settings in (
            {},
            {"kinds": {"grade": "ordinal"}},
            {"kinds": {"grade": "categorical"}},
            {"transform": "ranks"},
        )
    }
    assert len(prints) == 4
    assert load_data(table.replace({"sex": {"f": "w"}})).fingerprint not in prints


def test_columns_can_be_chosen(table):
    assert load_data(table, columns=["grade", "dose"]).names == ("grade", "dose")
    assert load_data(table, drop=["sex", "site"]).names == ("dose", "ill", "stage", "grade")


@pytest.mark.parametrize(
    ("kinds", "error", "words"),
    [
        ({"nobody": "binary"}, ArgumentError, "'nobody'"),
        ({"sex": "nominal"}, ArgumentError, "column 'sex' must be 'continuous', 'ordinal', 'binary' or 'categorical'"),
        (["sex"], ArgumentError, "kinds must be like"),
        (
            {"site": "binary"},
            DataError,
            "Column 'site' is said to be binary, but has 3 different values ('north', 'south'",
        ),
        ({"site": "ordinal"}, DataError, "Column 'site' holds text ('"),
        ({"site": "continuous"}, DataError, "but is said to be continuous"),
    ],
)
def test_kinds_that_do_not_fit_are_refused(table, kinds, error, words):
    with pytest.raises(error) as caught:
        load_data(table, kinds=kinds)
    check_sentence(str(caught.value))
    assert words in str(caught.value)


@pytest.mark.parametrize("form", ["{} mg", "${}", "<{}", "{}±0.1", "{}%v", "{}k", "1'{:03d}", "1.{:03d},5"])
def test_numbers_with_marks_are_no_levels(table, form):
    table = table.assign(mass=[form.format(row % 20) for row in range(N)])
    with pytest.raises(DataError) as caught:
        load_data(table)
    assert check_sentence(str(caught.value)).startswith("Column 'mass' holds text (")
    assert "which looks like numbers with other marks" in str(caught.value)
    assert len(load_data(table, kinds={"mass": "categorical"}).levels[-1]) == 20


def test_marks_are_read_as_numbers_only_where_numbers_are_wanted(table):
    oxygen = ["5%", "21%", None] * (N // 3)
    table = table[["dose"]].assign(oxygen=oxygen)
    assert load_data(table, missing="em").kinds == ("continuous", "continuous")
    np.testing.assert_array_equal(load_data(table, missing="em").values[:3, 1], [5, 21, np.nan])
    assert load_data(table, missing="em", kinds={"oxygen": "binary"}).levels[1] == ("21%", "5%")
    table = table.dropna().assign(size=table["dose"] ** 2)
    conditions = load_data(table, interventions="oxygen", targets={"21%": [], "5%": ["dose"]}).conditions
    assert [condition.name for condition in conditions] == ["5%", "21%"]


@pytest.mark.parametrize("form", ["2024-03-{:02d}", "{:02d}.03.2024", "3/{}/24", "2024-03-{:02d} 12:30"])
def test_dates_are_no_levels(table, form):
    table = table.assign(day=[form.format(row % 20 + 1) for row in range(N)])
    with pytest.raises(DataError, match=r"Column 'day' holds text .* which looks like dates: replace it by numbers"):
        load_data(table)
    assert len(load_data(table, kinds={"day": "categorical"}).levels[-1]) == 20


@pytest.mark.parametrize(
    "levels",
    [
        ["10 mg", "20 mg", "50 mg"],
        ["<50", ">=50"],
        ["2024-03-01", "2024-03-02"],
        [f"A{well}" for well in range(20)],
        [f"{plate}_{well}" for plate in range(4) for well in range(4)],
        [f"{arm}q{band}" for arm in range(1, 6) for band in range(4)],
        [f"{age}-{age + 5}" for age in range(0, 100, 5)],
        pd.Categorical([f"{week} weeks" for week in range(20)]),
    ],
    ids=["doses", "halves", "batches", "wells", "wells of plates", "bands", "ages", "categories"],
)
def test_names_of_groups_with_digits_are_levels(table, levels):
    group = pd.Series(levels)[np.arange(N) % len(levels)].reset_index(drop=True)
    assert len(load_data(table.assign(group=group)).levels[-1]) == len(levels)


def test_too_many_levels_are_refused(table):
    codes = np.repeat([f"E{code}" for code in range(101)], 3)
    many = pd.concat([table] * 6, ignore_index=True)[: len(codes)].assign(diagnosis=codes)
    with pytest.raises(DataError) as caught:
        load_data(many)
    message = check_sentence(str(caught.value))
    assert message.startswith("Column 'diagnosis' has more than 100 levels")
    assert message.endswith("join levels, or leave it out.")
    joined = load_data(many.replace({"diagnosis": {"E100": "E99"}}))
    assert len(joined.levels[-1]) == 100


def test_names_of_rows_are_refused(table):
    with pytest.raises(DataError, match="Column 'patient' has hardly any value twice"):
        load_data(table.assign(patient=[f"P{row}" for row in range(N)]))


def test_a_column_with_one_level_is_refused(table):
    with pytest.raises(DataError, match="Column 'country' has the same value in every row"):
        load_data(table.assign(country="CH"))


@pytest.mark.parametrize(
    ("columns", "score"),
    [
        (["dose", "stage"], "BGe"),
        (["sex", "site", "ill"], "BDeu"),
        (["dose", "sex", "site"], "DegenerateGaussian"),
        (["stage", "sex"], "BDeu"),
    ],
)
def test_the_score_fits_the_kinds(table, columns, score):
    posterior = ew.sample(table[columns], iterations=200, thin=10, seed=1, progress=False)
    assert posterior.info["score"]["name"] == score


@pytest.mark.parametrize(
    ("columns", "score", "words"),
    [
        (["dose", "sex"], ew.BGe(), "BGe takes numbers, but column 'sex' has levels: use DegenerateGaussian()."),
        (["sex", "ill"], ew.GaussianBIC(), "columns 'sex' and 'ill' have levels: use BDeu()."),
        (["dose", "grade"], ew.BDeu(), "BDeu takes levels, but columns 'dose' and 'grade' hold numbers: use BGe()."),
    ],
)
def test_a_score_that_does_not_fit_is_refused_with_one_that_does(table, columns, score, words):
    with pytest.raises(DataError) as caught:
        ew.sample(table[columns], score=score, progress=False)
    check_sentence(str(caught.value))
    assert words in str(caught.value)


def test_grades_enter_by_their_order_alone(table):
    table = table[["dose", "grade"]]
    one = load_data(table, kinds={"grade": "ordinal"})
    other = load_data(table.assign(grade=10.0 ** table["grade"]), kinds={"grade": "ordinal"})
    np.testing.assert_allclose(one.moments.correlation, other.moments.correlation, rtol=1e-12)


def test_ranks_make_a_monotone_change_undone(table):
    rng = np.random.default_rng(1)
    values = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 3))
    one, other = load_data(values, transform="ranks"), load_data(np.exp(values), transform="ranks")
    np.testing.assert_array_equal(one.values, other.values)
    assert one.record()["transform"] == "ranks"


def test_equal_columns_of_levels_are_found(table):
    table = table[["sex", "site"]].assign(gender=table["sex"].map({"f": "woman", "m": "man"}))
    with pytest.warns(ew.DataWarning, match="'sex' = 'gender'"):
        ew.sample(table, iterations=100, thin=10, seed=1, progress=False)


def test_levels_have_no_means(table):
    with pytest.raises(DataError) as caught:
        _ = load_data(table[["dose", "sex"]]).moments
    assert "no means and correlations, because column 'sex' has levels" in check_sentence(str(caught.value))

import numpy as np
import pandas as pd
import pytest

from edgewise.data import Condition, load_data
from edgewise.errors import ArgumentError, DataError
from sentences import check_sentence

NAMES = ["Raf", "Mek", "Erk"]
CONDITION = ["control"] * 8 + ["Mek inhibitor"] * 7 + ["both"] * 5
TARGETS = {"control": [], "Mek inhibitor": "Mek", "both": ["Mek", "Raf"]}


@pytest.fixture
def table():
    return pd.DataFrame(np.random.default_rng(1).normal(size=(20, 3)), columns=NAMES)


@pytest.fixture
def mask():
    is_set = np.zeros((20, 3), bool)
    is_set[8:, 1] = True
    is_set[15:, 0] = True
    return is_set


def test_a_column_names_the_conditions(table, mask):
    dataset = load_data(table.assign(condition=CONDITION), interventions="condition", targets=TARGETS)
    assert dataset.names == tuple(NAMES)
    np.testing.assert_array_equal(dataset.is_set, mask)
    assert dataset.targets == ((0, 1), (1,))
    assert dataset.conditions == (
        Condition("control", 8, ()),
        Condition("Mek inhibitor", 7, ("Mek",)),
        Condition("both", 5, ("Raf", "Mek")),
    )
    assert dataset.record()["targets"] == [["Raf", "Mek"], ["Mek"]]
    assert dataset.record()["conditions"][1] == {"name": "Mek inhibitor", "rows": 7, "targets": ("Mek",)}


def test_a_mask_says_the_same(table, mask):
    dataset = load_data(table, interventions=mask)
    np.testing.assert_array_equal(dataset.is_set, mask)
    assert [condition.name for condition in dataset.conditions] == ["observational", "Mek", "Raf and Mek"]
    named = load_data(table, interventions=pd.DataFrame({"Mek": mask[:, 1], "Raf": mask[:, 0].astype(int)}))
    assert named.fingerprint == dataset.fingerprint
    by_column = load_data(table.assign(condition=CONDITION), interventions="condition", targets=TARGETS)
    assert by_column.fingerprint == dataset.fingerprint


def test_interventions_are_part_of_the_fingerprint(table, mask):
    other = mask.copy()
    other[0, 2] = True
    assert (
        len({load_data(table, **how).fingerprint for how in ({}, {"interventions": mask}, {"interventions": other})})
        == 3
    )


def test_groups_are_the_rows_in_which_variables_are_free(table, mask):
    groups = load_data(table, interventions=mask).groups
    for variable in range(3):
        np.testing.assert_array_equal(groups.is_member[groups.group[variable]], ~mask[:, variable])


def test_conditions_may_be_numbers(table):
    numbered = table.assign(batch=[1] * 10 + [2] * 10)
    dataset = load_data(numbered, interventions="batch", targets={1: [], "2": ["Erk"]})
    assert dataset.is_set[:, 2].sum() == 10


def test_dropped_rows_lose_their_conditions(table, mask):
    table.iloc[19, 0] = np.nan
    with pytest.warns(UserWarning, match="1 row of 20"):
        dataset = load_data(table, interventions=mask, missing="drop")
    np.testing.assert_array_equal(dataset.is_set, mask[:19])
    assert [condition.rows for condition in dataset.conditions] == [8, 7, 4]


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"interventions": "drug", "targets": {}}, ArgumentError, "'drug'"),
        ({"interventions": "condition"}, ArgumentError, "targets must say what was set"),
        ({"interventions": "condition", "targets": {"control": []}}, ArgumentError, "'Mek inhibitor' and 'both'"),
        ({"interventions": "condition", "targets": TARGETS | {"both": 3}}, ArgumentError, "for 'both' it has 3"),
        ({"interventions": "condition", "targets": TARGETS | {"both": [["Mek"]]}}, ArgumentError, "has [['Mek']]"),
        ({"interventions": "condition", "targets": TARGETS | {"both": ["Akt"]}}, ArgumentError, "'Akt'"),
        ({"interventions": np.zeros((3, 3)), "drop": ["condition"]}, ArgumentError, "(3, 3)"),
        ({"interventions": np.full((20, 3), 2), "drop": ["condition"]}, ArgumentError, "but 2 was found"),
        ({"interventions": pd.DataFrame({"Akt": [0] * 20}), "drop": ["condition"]}, ArgumentError, "'Akt'"),
        (
            {"interventions": "condition", "targets": dict.fromkeys(TARGETS, "Mek")},
            DataError,
            "Column 'Mek' was set in every row",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(table, settings, error, words):
    with pytest.raises(error) as caught:
        load_data(table.assign(condition=CONDITION), **settings)
    check_sentence(str(caught.value))
    assert words in str(caught.value)


def test_a_row_without_a_condition_is_refused(table):
    table["condition"] = [*CONDITION[:-1], None]
    with pytest.raises(DataError, match="no condition in row 20"):
        load_data(table, interventions="condition", targets=TARGETS)

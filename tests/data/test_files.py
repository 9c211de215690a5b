import gzip
import sys
import warnings

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest

from edgewise.data import load_data
from edgewise.errors import ArgumentError, DataError, DataWarning
from sentences import check_sentence

ROWS = "1.5,2,0.25\n-1,3e-2,7\n0.5,0.1,-2\n2,-4,1\n"


@pytest.fixture
def write(tmp_path):
    def write_file(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


@pytest.mark.parametrize("name", ["t.csv", "T.CSV", "t.tsv", "t.txt", "t.v1.csv", "t.csv.gz", "t.tsv.bz2", "t.csv.xz"])
@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_text_files_have_the_fingerprint_of_the_table(table, tmp_path, name, delimiter):
    path = tmp_path / name
    table.to_csv(path, sep=delimiter, index=False)
    assert load_data(path).fingerprint == load_data(table).fingerprint
    assert load_data(str(path)).names == tuple(table.columns)


def test_parquet_has_the_fingerprint_of_the_table(table, tmp_path):
    table.to_parquet(tmp_path / "t.parquet")
    assert load_data(tmp_path / "t.parquet").fingerprint == load_data(table).fingerprint


def test_numbers_are_read_to_the_last_digit(tmp_path):
    values = np.random.default_rng(1).normal(size=(200, 5)) * np.logspace(-150, 150, 5)
    pd.DataFrame(values).add_prefix("v").to_csv(tmp_path / "t.csv", index=False)
    np.testing.assert_array_equal(load_data(tmp_path / "t.csv").values, values)


def test_decimal_commas(table, tmp_path):
    table.to_csv(tmp_path / "t.csv", sep=";", decimal=",", index=False)
    assert load_data(tmp_path / "t.csv").fingerprint == load_data(table).fingerprint


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize("digits", [1, 3])
def test_quoted_decimal_commas_are_read_where_some_cannot_stand_between_thousands(table, write, delimiter, digits):
    table = table.round(digits).assign(Raf=np.arange(40) / 2)
    content = table.map(lambda value: f"{value:g}".replace(".", ",")).to_csv(index=False, sep=delimiter)
    assert load_data(write(content)).fingerprint == load_data(table).fingerprint


def test_commas_that_may_stand_between_thousands_are_refused(write, refusal):
    cells = [f'"{row + 1},{10 * row + 100}"' for row in range(20)]
    rows = "\n".join(f"{cell},{row % 7}.5" for row, cell in enumerate(cells))
    message = refusal(write(f"a,b\n{rows}\n"))
    assert message.startswith("Column 'a' holds text ('1,100' in row 1), which looks like numbers with other marks:")
    assert "'2,5' in row 1) among numbers" in refusal(write('a,b\n"2,5",1\n1.25,2\n"3,5",4\n1.5,3\n'))


@pytest.mark.parametrize("sign", ["%", " %"])
@pytest.mark.parametrize("comma", [",", "."])
def test_percent_signs_are_left_out_where_all_cells_have_one(table, write, sign, comma):
    table = table.round(1).add(50)
    content = table.assign(Mek=[f"{value:.1f}{sign}".replace(".", comma) for value in table["Mek"]])
    assert load_data(write(content.to_csv(index=False))).fingerprint == load_data(table).fingerprint


def test_percent_signs_in_some_cells_are_refused(write, refusal):
    assert "Column 'b' holds text ('3%' in row 5) among numbers" in refusal(write(f"a,b,c\n{ROWS}1,3%,2\n"))


def test_a_true_minus_sign_is_read(write):
    np.testing.assert_array_equal(load_data(write("a,b,c\n" + ROWS.replace("-1", "−1"))).values[1], [-1, 0.03, 7])


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "\ufeffsep=;\r"])
def test_the_line_that_tells_excel_the_delimiter_is_no_header(write, line):
    dataset = load_data(write(f"{line}\na,1;b;c\n" + ROWS.replace(",", ";")))
    assert dataset.names == ("a,1", "b", "c")
    assert dataset.n == 4


def test_mixed_decimal_marks_are_refused(write, refusal):
    message = refusal(write("a;b\n1,5;2\n3;4\n1.234;5\n2;2\n"))
    assert "decimal comma" in message
    assert "row 3" in message


def test_text_with_commas_between_semicolons_is_quoted_as_it_is(write, refusal):
    assert "'low, really'" in refusal(write("a;b\n1,5;2\n3;low, really\n1,25;5\n2;2\n"))


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_byte_order_marks_and_blank_lines(write, ending, mark):
    text = mark + "\na,b,c\n\n" + ROWS + "   \n\n"
    dataset = load_data(write(text.replace("\n", ending)))
    assert dataset.names == ("a", "b", "c")
    np.testing.assert_array_equal(dataset.values[1], [-1, 0.03, 7])
    assert dataset.n == 4


def test_header_is_taken_literally_but_for_spaces_around_names(write):
    names = ("#id", '<b>"x"</b>', "a;b;c;d;e;f", " β, two\nlines")
    header = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    values = np.random.default_rng(2).normal(size=(8, 4))
    rows = "\n".join(",".join(map(repr, map(float, row))) for row in values)
    dataset = load_data(write(f"{header}\n{rows}\n"))
    assert dataset.names == tuple(name.strip() for name in names)
    np.testing.assert_array_equal(dataset.values, values)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ('"","a","b","c"\n"r1",1.5,2,0.25\n"r2",-1,3e-2,7\n"r3",0.5,0.1,-2\n"r4",2,-4,1\n', "has no name"),
        ("a,b,c\nr1,1.5,2,0.25\nr2,-1,3e-2,7\nr3,0.5,0.1,-2\nr4,2,-4,1\n", "is not in the header"),
        (",a,b,c\n0,1.5,2,0.25\n1,-1,3e-2,7\n2,0.5,0.1,-2\n3,2,-4,1\n", "has no name"),
    ],
)
def test_row_names_are_dropped_with_a_warning(write, content, what):
    with pytest.warns(DataWarning, match=f"first column of .*data.csv' {what} .* row names") as caught:
        dataset = load_data(write(content))
    assert caught[0].filename == __file__
    assert dataset.fingerprint == load_data(write("a,b,c\n" + ROWS)).fingerprint


def test_pandas_index_with_numbers_for_names_is_understood(tmp_path):
    values = np.random.default_rng(3).normal(size=(8, 3))
    pd.DataFrame(values).to_csv(tmp_path / "t.csv")
    with pytest.warns(DataWarning):
        assert load_data(tmp_path / "t.csv").names == ("0", "1", "2")


def test_no_warning_without_row_names(write):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_data(write("a,b,c\n" + ROWS)).p == 3


@pytest.mark.parametrize("token", ["", "NA", "NaN", "n/a", "null", " NA ", "None", "#N/A", "-nan"])
def test_missing_values_in_files(write, refusal, token):
    message = refusal(write(f"a,b,c\n{ROWS}1,{token},2\n"))
    assert message.startswith("Column 'b' has 1 missing value, in row 5:")


@pytest.mark.parametrize("token", ["high", "1_000", "0x1F", "?", "TRUE", "2020-01-01", "1.2.3", "1 2"])
def test_text_in_files(write, refusal, token):
    message = refusal(write(f"a,b,c\n{ROWS}1,{token},2\n1,other,2\n"))
    assert message.startswith(f"Column 'b' holds text ('{token}' in row 5)")


def test_several_text_columns_are_named_in_their_order(write, refusal):
    message = refusal(write(f"a,b,c\n{ROWS}1,2,x\n1,y,2\n"))
    assert message.startswith("Columns 'b' and 'c' hold text ('y' in row 6 of 'b')")


def test_numbers_too_large_for_a_double_are_infinite(write, refusal):
    assert "Column 'b' has 1 infinite value, in row 5" in refusal(write(f"a,b,c\n{ROWS}1,1e400,2\n"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", ["is empty"]),
        ("sep=;\n", ["is empty"]),
        ("\n  \n", ["is empty"]),
        ("\ufeff", ["is empty"]),
        ("a,b,c\n", ["column names but no rows"]),
        ("a,b,c\n1,2,3\n2,3,1\n", ["only 2 rows"]),
        ("a b c\n1 2 3\n", ["'a b c'", "commas, tabs or semicolons"]),
        ("a\n1\n2\n", ["'a'", "at least 2 columns"]),
        (ROWS, ["first row", "in doubt", "header=True if they are", "header=False if the file has no names"]),
        ("1;2;2,5\n3;5;4\n", ["first row", "in doubt"]),
        ("a,b,a\n" + ROWS, ["'a'", "its own name"]),
        ("a,b,a.1,a\n1,2,3,4\n", ["called 'a':"]),
        ("a,,c\n" + ROWS, ["Column 2", "no name"]),
        ("a,b,c,\n" + ROWS.replace("\n", ",\n"), ["Column 4", "no name"]),
        ("a,b,c\n1,2,3\n1,2\n3,4,5\n", ["Row 2", "2 fields where 3"]),
        ("a,b,c\n1,2,3\n1,2,3,4\n3,4,5\n", ["Row 2", "4 fields where 3"]),
        ("a,b,c\n1,2,3,4,5\n", ["Row 1", "5 fields where 3"]),
        ("a,b,c\n7\n", ["Row 1", "1 field where 3"]),
        ("a,b,c\n" + ROWS + "# the end\n", ["Row 5", "begins with '# the end'", "what is no row of the table"]),
        ('a,b,c\n1,"2,3\n1,2,3\n', ["cannot be read"]),
    ],
)
def test_bad_files_are_refused(write, refusal, content, said):
    message = refusal(write(content))
    for words in said:
        assert words in message


def test_names_may_be_numbers_if_one_says_so(write):
    path = write("2020,7,0.5\n" + ROWS)
    assert load_data(path, header=True).names == ("2020", "7", "0.5")
    assert load_data(path, header=True).n == 4
    assert load_data(path, header=False).names == ("X0", "X1", "X2")
    np.testing.assert_array_equal(load_data(path, header=False).values[0], [2020, 7, 0.5])
    with pytest.warns(DataWarning, match="row names"):
        assert load_data(write(",1,2,3\n" + "r," + ROWS.replace("\n", "\nr,")[:-2]), header=True).names == (
            "1",
            "2",
            "3",
        )


def test_a_header_with_names_is_the_same_whether_or_not_one_says_so(write):
    path = write("a,b,c\n" + ROWS)
    assert load_data(path, header=True).fingerprint == load_data(path).fingerprint
    assert load_data(path, header="auto").fingerprint == load_data(path).fingerprint


def test_a_header_is_for_text_files(table, tmp_path):
    table.to_parquet(tmp_path / "t.parquet")
    for data, header, said in (
        (tmp_path / "t.parquet", False, "which names its columns"),
        (table, True, "header=True is for text files, but the data are of type DataFrame"),
        (table.to_numpy(), False, "header=False is for text files, but the data are of type ndarray"),
        (tmp_path / "t.csv", "yes", "header must be true, false or 'auto', but 'yes' was given"),
    ):
        with pytest.raises(ArgumentError) as caught:
            load_data(data, header=header)
        assert said in check_sentence(str(caught.value))


def test_a_trailing_delimiter_does_not_shift_the_columns(write, refusal):
    with pytest.warns(DataWarning, match="row names"):
        message = refusal(write("a,b,c\n" + ROWS.replace("\n", ",\n")))
    assert "Column 'c' has 4 missing values" in message


@pytest.mark.parametrize(
    ("name", "encoding"), [("protéine", "latin-1"), ("protein", "utf-16"), ("protein", "utf-16-le")]
)
def test_other_encodings_are_refused(write, refusal, name, encoding):
    message = refusal(write(f"{name},b,c\n{ROWS}".encode(encoding)))
    assert "UTF-8" in message
    assert "data.csv" in message


def test_a_wrong_byte_late_in_the_file_is_refused(write, refusal):
    content = ("a,b,c\n" + ROWS * 10_000).encode() + b"1,2,\xff\n"
    assert "UTF-8" in refusal(write(content))


def test_missing_files_directories_and_unknown_kinds_are_refused(tmp_path, write, refusal):
    assert "no file" in refusal(tmp_path / "absent.csv")
    assert "no file" in refusal("a,b\n1,2\n")
    assert "cannot be read" in refusal("a,b\n" + "1,2\n" * 100_000)
    assert "is a directory" in refusal(tmp_path)
    for name in ("data.xlsx", "data", "data.gz", "data.parquet.gz"):
        message = refusal(write("a,b\n1,2\n", name))
        assert f"{name}' is of no known kind" in message
        assert ".csv" in message


def test_files_without_permission_are_refused(write, refusal, monkeypatch):
    def deny(*_, **__):
        raise PermissionError(13, "Permission denied")

    path = write("a,b\n1,2\n")
    monkeypatch.setitem(sys.modules["edgewise.data.files"]._OPENERS, "", deny)
    assert "cannot be read (Permission denied)" in refusal(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv.gz", b"a,b\n1,2\n"),
        ("t.csv.gz", gzip.compress(b"a,b\n1,2\n" * 1000, mtime=0)[:-20]),
        ("t.csv.bz2", b"a,b\n1,2\n"),
        ("t.csv.xz", b"a,b\n1,2\n"),
        ("t.parquet", b"a,b\n1,2\n"),
        ("t.parquet", b""),
    ],
)
def test_damaged_files_are_refused(write, refusal, name, content):
    assert "cannot be read" in refusal(write(content, name))


def test_parquet_without_pyarrow_says_how_to_install_it(table, tmp_path, refusal, monkeypatch):
    table.to_parquet(tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install 'edgewise[parquet]'" in refusal(tmp_path / "t.parquet")


def test_repeated_names_in_parquet_are_refused(tmp_path, refusal):
    column = pyarrow.array([1.0, 2.0, 4.0, 3.0])
    pyarrow.parquet.write_table(pyarrow.table([column, column], names=["a", "a"]), tmp_path / "t.parquet")
    assert "t.parquet" in refusal(tmp_path / "t.parquet")


def test_parquet_passes_the_same_checks(table, tmp_path, refusal):
    table["condition"] = pd.Timestamp("2020-01-01")
    table.to_parquet(tmp_path / "t.parquet")
    assert refusal(tmp_path / "t.parquet").startswith("Column 'condition' holds dates or times (")


@pytest.mark.parametrize(
    "note",
    [b"{", b"{}", b"[]", b'{"index_columns": ["x"], "columns": []}', b'{"index_columns": [], "columns": "all"}'],
    ids=["no JSON", "nothing", "a list", "no such index", "words"],
)
def test_parquet_that_misleads_pandas_is_refused(table, tmp_path, refusal, note):
    content = pyarrow.Table.from_pandas(table).replace_schema_metadata({b"pandas": note})
    pyarrow.parquet.write_table(content, tmp_path / "t.parquet")
    assert "cannot be read as Parquet" in refusal(tmp_path / "t.parquet")


@pytest.mark.parametrize("label", [None, float("nan"), pd.NaT, pd.NA], ids=str)
def test_a_label_that_is_missing_is_no_name(table, refusal, label):
    names = [label, *table.columns[1:]]
    assert refusal(table.set_axis(pd.Index(names, dtype=object), axis=1)).startswith("Column 1 of the data has no name")


def test_a_column_called_nan_is_refused(write, refusal):
    assert refusal(write("a,NaN,c\n" + ROWS)).startswith("Column 2 of the data is called 'NaN'")
    assert load_data(write("a,nan,c\n" + ROWS)).names == ("a", "nan", "c")  # a gene of the fruit fly


@pytest.mark.parametrize("cell", ["1", "x"])
def test_tables_that_are_too_wide_are_refused_at_once(write, refusal, cell):
    header = ",".join(f"v{number}" for number in range(5001))
    wide = write("\n".join([header, *[",".join([cell] * 5001)] * 4]))
    assert "5,001 columns, but at most 5,000" in refusal(wide)
    with pytest.raises(DataError, match="'v3' and 'v7'"):
        load_data(wide, columns=["v3", "v7"])

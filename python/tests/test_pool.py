"""Pools: from arrays, data frames, files and kernel matrices."""

from __future__ import annotations

import inspect
import json
import pickle
import re
import zipfile
from pathlib import Path

import elfving
import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import table
from elfving import kernels

FRAME = {
    "id": ["007", "008", "009", "010"],
    "ligand": ["XPhos", "PPh3", "XPhos", "dppf"],
    "block": [2, 4, 8, 16],
    "time (min)": [5.0, 10.0, 2.5, 7.0],
    "yield": [81.0, None, 79.0, 60.0],
}
OPTIONS = {"id": "id", "one_hot": True, "log": {"block": 2}, "outcome": "yield"}


def test_pandas_polars_and_csv_give_the_same_pool(tmp_path: Path) -> None:
    pandas_frame = pd.DataFrame(FRAME)
    path = tmp_path / "pool.csv"
    pandas_frame.to_csv(path, index=False)
    pools = [elfving.Pool(frame, **OPTIONS) for frame in (pandas_frame, pl.DataFrame(FRAME), path)]
    for pool in pools:
        assert pool.ids == ["007", "008", "009", "010"]
        assert pool.feature_names == ["ligand=PPh3", "ligand=XPhos", "ligand=dppf", "log2(block)", "time (min)"]
        assert np.array_equal(pool.coordinates, pools[0].coordinates)
    assert pools[0].coordinates[2].tolist() == [0.0, 1.0, 0.0, 3.0, 2.5]


def test_frames_with_other_dtypes_mean_the_same() -> None:
    plain = pd.DataFrame({"a": [1, 2, 3], "b": [0.5, 1.5, 2.5], "c": ["u", "v", "u"]})
    expected = elfving.Pool(plain, one_hot=True).coordinates
    others = [
        plain.convert_dtypes(),
        plain.astype({"a": "Int64", "b": "Float64", "c": "category"}),
        plain.astype({"a": "float32", "b": "float32"}),
        pl.DataFrame(plain.to_dict("list")),
        pl.DataFrame(plain.to_dict("list"), schema_overrides={"c": pl.Categorical, "a": pl.UInt8}),
    ]
    for frame in others:
        assert np.array_equal(elfving.Pool(frame, one_hot=True).coordinates, expected)


def test_whole_numbers_as_ids_stay_whole() -> None:
    assert elfving.Pool(pd.DataFrame({"id": [7, 8], "x": [1.0, 2.0]}), id="id").ids == ["7", "8"]


def test_gaps_in_a_frame_are_named() -> None:
    for frame in (pd.DataFrame({"x": [1.0, np.nan]}), pl.DataFrame({"x": [1.0, None]}), pd.DataFrame({"x": pd.array([1, None])})):
        with pytest.raises(elfving.DataError, match='row 1: column "x": "NaN" is not a finite number'):
            elfving.Pool(frame)


def test_options_are_named_as_they_are_written_here(tmp_path: Path) -> None:
    with pytest.raises(elfving.DataError, match=r'one_hot=\["c"\], or take it out of features='):
        elfving.Pool(pd.DataFrame({"c": ["u", "v"]}), features=["c"])
    with pytest.warns(elfving.DataWarning, match='W305.*\n.*give id="id"'):
        elfving.Pool(pd.DataFrame({"id": [0, 1], "x": [1.0, 2.5]}))
    (tmp_path / "pool.csv").write_text("x\n−3\n2\n", encoding="utf-8")
    with pytest.raises(elfving.DataError, match="write the minus sign as a hyphen: -3"):
        elfving.Pool(tmp_path / "pool.csv")


def test_every_hint_has_words_of_python_and_names_keywords_that_exist() -> None:
    calls = (elfving.Pool, elfving.Campaign.create, elfving.Campaign.tell)
    keywords = {name for call in calls for name in inspect.signature(call).parameters}
    for neutral, words in elfving._native.hints()[1:]:
        assert words != neutral
        assert "--" not in words
        assert keywords.issuperset(re.findall(r"(\w+)=", words)), words


def test_what_is_worth_knowing_is_a_warning() -> None:
    with pytest.warns(elfving.DataWarning, match="W302"):
        elfving.Pool(pd.DataFrame({"x": [1.0, 2.0], "one": [1.0, 1.0]}))
    with pytest.warns(elfving.DataWarning, match="W301"):
        elfving.Pool(pd.DataFrame({"id": ["a", "b", "c"], "x": [1.0, 1.0, 2.0]}), id="id")


@pytest.mark.parametrize(
    ("candidates", "says"),
    [
        (np.array([[1.0, 2.0], [3.0, np.nan]]), "row 1, column 1 is NaN"),
        (np.array([[1.0, np.inf]]), "row 0, column 1 is inf"),
        (np.array([[1.0, "a"]], dtype=object), "row 0, column 1: 'a' is not a number"),
        (np.array([[1.0, None]], dtype=object), "row 0, column 1: None is not a number"),
        (np.array([["1"]]), "row 0, column 0: '1' is not a number"),
        (np.array([[1.0]], dtype=object), "astype"),
        (np.array([[True]]), "truth values"),
        (np.array([[1 + 2j]]), "complex"),
        (np.zeros((0, 2)), "no points"),
        (np.zeros((2, 0)), "no features"),
        ([1.0, 2.0], "reshape"),
        (np.zeros((2, 2, 2)), "shape"),
        (np.ma.array([[1.0, 2.0]], mask=[[False, True]]), "masked"),
        (np.array([[np.datetime64("2026-01-01")]]), "is not a number"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused_by_cell(candidates: object, says: str) -> None:
    with pytest.raises(elfving.DataError, match=says):
        elfving.Pool(candidates)


def test_duplicate_and_missing_ids_are_refused() -> None:
    with pytest.raises(elfving.DataError, match='"a" is the id of rows 0 and 2'):
        elfving.Pool(np.eye(3), ids=["a", "b", "a"])
    with pytest.raises(elfving.DataError, match="2 ids for 3 candidates"):
        elfving.Pool(np.eye(3), ids=["a", "b"])
    with pytest.raises(elfving.DataError, match="E332"):
        elfving.Pool(pd.DataFrame({"id": ["a", "a"], "x": [1.0, 2.0]}), id="id")


def test_a_string_is_an_id_and_a_number_is_a_row() -> None:
    pool = elfving.Pool(np.eye(3), ids=["2", "1", "0"])
    assert pool.rows(["2", 2, np.int64(1)]) == [0, 2, 1]
    with pytest.raises(elfving.OptionError, match='nearest is "bb"'):
        elfving.Pool(np.eye(2), ids=["aa", "bb"]).rows("bbb")
    with pytest.raises(elfving.OptionError, match="rows are 0 to 2"):
        pool.rows(3)


def test_kernel_matrices_are_checked_where_they_are_given() -> None:
    with pytest.raises(elfving.NotPositiveSemidefinite, match="smallest eigenvalue is about -1"):
        elfving.Pool.from_gram([[1, 2], [2, 1]])
    with pytest.raises(elfving.NotPositiveSemidefinite, match="not symmetric"):
        elfving.Pool.from_gram([[1.0, 0.5], [0.4, 1.0]])
    with pytest.raises(elfving.DataError, match="square"):
        elfving.Pool.from_gram(np.zeros((2, 3)))
    assert len(elfving.Pool.from_gram(np.eye(4), measurable=3, ids=list("abc"), choice_ids=["z"])) == 3


def test_a_kernel_matrix_means_what_its_kernel_means() -> None:
    x = np.linspace(0, 1, 15).reshape(-1, 1)
    gram = np.exp(-((x - x.T) ** 2) / (2 * 0.2**2))
    by_kernel = elfving.design(elfving.Pool(x, kernel=kernels.rbf(0.2)), "g", gamma=0.01)
    by_matrix = elfving.design(elfving.Pool.from_gram(gram), "g", gamma=0.01)
    assert by_matrix.value == pytest.approx(by_kernel.value, rel=1e-5)


def test_kernels_say_what_they_are() -> None:
    for kernel in (
        kernels.rbf(0.5),
        kernels.matern12([1.0, 2.0]),
        kernels.matern32(),
        kernels.rational_quadratic(1.0, alpha=2.0),
        kernels.periodic(0.5),
        kernels.polynomial(3, offset=0.5),
        2.0 * kernels.rbf(1.0) + kernels.linear() * kernels.matern52(0.1),
    ):
        assert eval(repr(kernel), {"kernels": kernels, "None": None}) == kernel
        assert kernels.Kernel.from_dict(kernel.to_dict()) == kernel
        assert pickle.loads(pickle.dumps(kernel)) == kernel
        elfving.Pool(table(8, 2), kernel=kernel)
    with pytest.raises(elfving.OptionError, match="length scale"):
        kernels.rbf(-1.0)
    with pytest.raises(elfving.OptionError, match="length scales for"):
        elfving.Pool(table(8, 2), kernel=kernels.rbf([1.0, 2.0, 3.0]))
    with pytest.raises(elfving.OptionError, match="exclude each other"):
        elfving.Pool(table(8, 2), kernel=kernels.rbf(), polynomial_model=2)


@pytest.mark.parametrize(
    "pool",
    [
        elfving.Pool(table(6, 2)),
        elfving.Pool(table(6, 2), ids=list("abcdef"), feature_names=["u", "v"], polynomial_model=2),
        elfving.Pool(table(6, 2), choices=table(3, 2, seed=1), kernel=kernels.rbf()),
        elfving.Pool.from_gram(np.eye(5), measurable=4),
        elfving.Pool(pd.DataFrame(FRAME), **OPTIONS),
    ],
    ids=["plain", "polynomial", "choices", "gram", "frame"],
)
def test_a_pickled_pool_is_the_same_pool(pool: elfving.Pool) -> None:
    again = pickle.loads(pickle.dumps(pool))
    assert repr(again) == repr(pool)
    assert (again.ids, again.choice_ids, again.feature_names) == (pool.ids, pool.choice_ids, pool.feature_names)
    assert np.array_equal(again.features(gamma=0.1), pool.features(gamma=0.1))


def test_targets_in_a_frame_are_encoded_like_the_pool() -> None:
    pool = elfving.Pool(pd.DataFrame(FRAME), **OPTIONS)
    targets = pd.DataFrame({"id": ["z"], "ligand": ["PPh3"], "block": [4], "time (min)": [1.0]})
    assert pool.with_choices(targets).choice_ids == ["z"]
    with pytest.raises(elfving.DataError, match="E316"):
        pool.with_choices(targets.assign(ligand="water"))
    assert json.loads(elfving.design(pool, "g", targets=targets, gamma=0.1).to_json())["n"] == 4


def test_choices_come_as_the_candidates_do() -> None:
    with pytest.raises(elfving.OptionError, match="a data frame, not an array"):
        elfving.Pool(pd.DataFrame(FRAME), choices=np.eye(2), **OPTIONS)
    with pytest.raises(elfving.OptionError, match="an array, not a file"):
        elfving.Pool(np.eye(2), choices="targets.csv")
    with pytest.raises(elfving.OptionError, match="ids= is for arrays"):
        elfving.Pool(pd.DataFrame(FRAME), ids=list("abcd"), **OPTIONS)


def test_an_array_is_read_in_place_and_kept_alive() -> None:
    x = table(50, 3)
    pool = elfving.Pool(x)
    expected = x.copy()
    # Reading in place is what the documentation promises and warns of.
    x[0, 0] = 99.0
    assert pool.coordinates[0, 0] == 99.0
    del x
    assert np.array_equal(pool.coordinates[1:], expected[1:])


def test_the_ids_of_a_frame_are_found_whatever_their_column_is_called() -> None:
    pool = elfving.Pool(pd.DataFrame({"name": [1, 2], "x": [1.0, 2.0]}), id="name")
    assert pool.with_choices(pd.DataFrame({"name": [7], "x": [3.0]})).choice_ids == ["7"]


def test_where_keeps_the_rows_that_meet_a_condition(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": list("abcd"), "dose": [0.0, 1.0, 2.0, 3.0], "ligand": ["X", "Y", "X", "Y"]})
    pool = elfving.Pool(frame, id="id", features=["dose"], where="dose <= 2 and ligand = 'X'")
    assert pool.ids == ["a", "c"]
    assert elfving.Pool(frame, id="id", features=["dose"], where=["dose > 0", "ligand != 'X'"]).ids == ["b", "d"]
    frame.to_csv(tmp_path / "pool.csv", index=False)
    assert elfving.Pool(tmp_path / "pool.csv", id="id", features=["dose"], where="dose in (0, 3)").ids == ["a", "d"]
    with pytest.raises(ValueError, match='there is no column "does"; the nearest is "dose"'):
        elfving.Pool(frame, id="id", features=["dose"], where="does <= 2")
    with pytest.raises(ValueError, match="the condition ends where"):
        elfving.Pool(frame, id="id", features=["dose"], where="dose <=")
    campaign = elfving.Campaign.create(
        tmp_path / "c", frame, id="id", features=["dose"], maximize="y", mode="calibrated", where="dose < 3"
    )
    assert campaign.status()["candidates"] == 3


def test_a_pool_may_be_a_workbook(tmp_path: Path) -> None:
    path = tmp_path / "pool.xlsx"
    workbook(path, [["id", "dose"], ["a", 1.0], ["b", 2.5]])
    pool = elfving.Pool(path, id="id")
    assert pool.ids == ["a", "b"] and pool.coordinates.tolist() == [[1.0], [2.5]]
    assert elfving.Pool(path, id="id", sheet="Plate").ids == ["a", "b"]
    with pytest.raises(elfving.DataError, match='(?s)there is no sheet "Other".*sheet=: Plate'):
        elfving.Pool(path, id="id", sheet="Other")


def workbook(path: Path, rows: list[list[str | float]]) -> None:
    """The smallest workbook that there is: one sheet, texts inline."""
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    schema = "http://schemas.openxmlformats.org"

    def cell(at: str, value: str | float) -> str:
        if isinstance(value, str):
            return f'<c r="{at}" t="inlineStr"><is><t>{value}</t></is></c>'
        return f'<c r="{at}"><v>{value}</v></c>'

    lines = [
        f'<row r="{k}">' + "".join(cell(f"{'ABCDEF'[j]}{k}", value) for j, value in enumerate(row)) + "</row>"
        for k, row in enumerate(rows, 1)
    ]
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{schema}/package/2006/content-types">'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{schema}/package/2006/relationships"><Relationship Id="r1" '
        f'Type="{schema}/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{schema}/spreadsheetml/2006/main" '
        f'xmlns:r="{schema}/officeDocument/2006/relationships"><sheets>'
        '<sheet name="Plate" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{schema}/package/2006/relationships"><Relationship Id="r1" '
        f'Type="{schema}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{schema}/spreadsheetml/2006/main"><sheetData>'
        + "".join(lines)
        + "</sheetData></worksheet>",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + content)

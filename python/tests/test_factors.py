"""Candidates from factors: the same rows as the program's, and frames in and out."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import elfving
import numpy as np
import pandas as pd
import polars
import pytest

Program = Callable[..., Any]


def test_the_same_rows_as_the_program(tmp_path: Path, program: Program) -> None:
    cases: list[tuple[list[str], dict[str, Any]]] = [
        (
            ["--factor", "temp=20:100:20", "--factor", "base=K2CO3,KOAc", "--where", "temp < 100 or base = 'KOAc'"],
            {
                "factors": {"temp": (20, 100, 20), "base": ["K2CO3", "KOAc"]},
                "where": "temp < 100 or base = 'KOAc'",
            },
        ),
        (
            ["--factor", "t=1,2", "--mixture", "A,B,C:0.1", "--sample", "20", "--seed", "7", "--method", "maximin"],
            {
                "factors": {"t": [1, 2]},
                "mixture": {("A", "B", "C"): 0.1},
                "sample": 20,
                "seed": 7,
                "method": "maximin",
            },
        ),
        (
            ["--factor", "a=-1:1", "--factor", "b=-1:1", "--factor", "c=-1:1", "--fraction", "1/3"],
            {"factors": {"a": (-1, 1), "b": (-1, 1), "c": (-1, 1)}, "fraction": 3},
        ),
    ]
    for options, keywords in cases:
        candidates = elfving.factors(keywords.pop("factors"), **keywords)
        path = tmp_path / "pool.csv"
        candidates.to_csv(path)
        assert path.read_text() == program("pool", *options)


def test_frames_and_pools_take_it() -> None:
    candidates = elfving.factors({"a": (-1, 1), "b": (-1, 1), "kind": ["x", "y"]})
    assert candidates.shape == (18, 4)
    frame = pd.DataFrame(candidates)
    assert list(frame.columns) == ["id", "a", "b", "kind"] and len(frame) == 18
    assert polars.DataFrame(dict(candidates)).shape == (18, 4)
    pool = elfving.Pool(candidates, id="id", one_hot=True)
    np.testing.assert_array_equal(pool.coordinates, elfving.Pool(frame, id="id", one_hot=True).coordinates)
    assert dict(pickle.loads(pickle.dumps(candidates)))["kind"] == candidates["kind"]


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(elfving.OptionError, match="give levels as a list"):
        elfving.factors({"base": ("K2CO3", "KOAc")})
    with pytest.raises(elfving.OptionError, match="as a list"):
        elfving.factors({"base": "K2CO3"})
    with pytest.raises(elfving.OptionError, match="the last level is 80"):
        elfving.factors({"temp": (20, 100, 30)})
    with pytest.raises(elfving.OptionError, match="not both"):
        elfving.factors({"temp": (20, 100)}, fraction=3, sample=2)
    with pytest.raises(elfving.OptionError, match="no factors"):
        elfving.factors()
    with pytest.raises(elfving.OptionError, match="dosis"):
        elfving.factors({"dose": [1, 2]}, where="dosis > 1")
    ranges = pd.DataFrame({"factor": ["a", "b"], "low": [0, 1], "high": [1, 2]})
    with pytest.raises(elfving.DataError, match="not candidates; make candidates with elfving.factors"):
        elfving.Pool(ranges)

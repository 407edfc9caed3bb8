"""`diagnose` and `plan`: the numbers of the program, as values and keywords."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import elfving
import numpy as np
import pandas as pd
import pytest
from elfving import kernels

Program = Callable[..., Any]


@pytest.fixture
def messy(tmp_path: Path) -> tuple[Path, Path]:
    """Two features on wild scales, one of powers of two, one constant, a category, and two candidates that are the same."""
    pool, results = ["id,size,dose,lot,solvent"], ["id,y"]
    for i in range(24):
        size, dose = 1 << (i % 8), 1000.0 * (i // 3)
        pool.append(f"c{i:02},{size},{dose},7,{['DMAc', 'PhMe'][i % 2]}")
        for repeat in range(3):
            noise = 0.05 * (((i * 31 + repeat * 17) % 13) / 6 - 1)
            results.append(f"c{i:02},{np.sin(dose / 3000) + 0.1 * (i % 8) + noise}")
    pool.append("c24,1,0,7,DMAc")
    for name, lines in {"messy.csv": pool, "results.csv": results}.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    return tmp_path / "messy.csv", tmp_path / "results.csv"


def quiet(*arguments: Any, **options: Any) -> elfving.Pool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", elfving.DataWarning)
        return elfving.Pool(*arguments, **options)


def same_findings(ours: elfving.Diagnosis, theirs: dict[str, Any]) -> None:
    listed = [{name: one[name] for name in ("topic", "finding", "suggestion")} for one in theirs["findings"]]
    assert ours.to_dict() == {**{name: theirs[name] for name in ("schema", "n", "features", "version")}, "findings": listed}


def test_a_diagnosis_is_that_of_the_program(messy: tuple[Path, Path], program: Program) -> None:
    pool, results = messy
    same_findings(elfving.diagnose(quiet(pool, id="id")), program("diagnose", pool, "--id", "id", "--json"))
    of_columns = quiet(pool, id="id", features=["size", "dose"], standardize=True)
    theirs = program(
        "diagnose", pool, "--id", "id", "--features", "size,dose", "--standardize", "--measured", results, "--json"
    )
    ours = elfving.diagnose(of_columns, measured=results)
    same_findings(ours, theirs)
    assert {"kernel", "norm", "sigma", "bound", "gamma"} <= set(ours.options)
    # From a frame or a mapping too.
    frame = pd.read_csv(results)
    assert elfving.diagnose(of_columns, measured=frame, outcome="y") == ours
    assert elfving.diagnose(of_columns, measured=frame.groupby("id")["y"].apply(list).to_dict()) == ours


def test_suggestions_are_keywords(messy: tuple[Path, Path]) -> None:
    options = elfving.diagnose(quiet(messy[0], id="id")).options
    assert options["one_hot"] == ["solvent"] and options["log"] == {"size": 2}
    assert options["features"] == ["size", "dose", "solvent"] and options["standardize"] is True
    assert isinstance(options["kernel"], kernels.Kernel) and options["gamma"] == 0.01
    columns = {name: options[name] for name in ("one_hot", "features", "log", "standardize", "kernel")}
    assert elfving.design(quiet(messy[0], id="id", **columns), gamma=options["gamma"]).status == "certified"


def test_arrays_and_kernel_matrices_are_diagnosed_too() -> None:
    x = np.random.default_rng(0).normal(size=(30, 2))
    measured = {row: [float(x[row, 0]), float(x[row, 0]) + 0.01] for row in range(20)}
    found = elfving.diagnose(elfving.Pool(x), measured=measured)
    assert found.n == 30 and found.features == 2 and 0 < found.options["sigma"] < 0.1
    assert "effective dimension" in str(elfving.diagnose(elfving.Pool.from_gram(x @ x.T)))
    with pytest.raises(elfving.DataError, match="no line has an outcome"):
        elfving.diagnose(elfving.Pool(x), measured=pd.DataFrame({"row": ["0"], "outcome": [np.nan]}))


ASSUMED: dict[str, Any] = {"epsilon": 0.2, "sigma": 0.1, "bound": 1.0, "norm": 1.1, "noise": "sub-gaussian", "batch": 4}
SIX = """id,a,b,c,guess
p0,1,0,0,1
p1,0,1,0,0.3
p2,0,0,1,-0.2
p3,1,1,0,1.3
p4,0.5,0.5,0.5,0.55
p5,-1,0.2,0,-0.94
"""


def test_a_forecast_is_that_of_the_program(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "six.csv"
    path.write_text(SIX)
    words = [word for name, value in ASSUMED.items() for word in (f"--{name}", value)]
    theirs = program("plan", path, "--id", "id", "--truth", "guess", *words, "--json")
    pool = elfving.Pool(path, id="id", outcome="guess")
    guess = pd.read_csv(path)["guess"].to_numpy()
    assert elfving.plan(pool, truth=guess, **ASSUMED).to_dict() == theirs
    assert elfving.plan(pool, truth=-guess, minimize=True, **ASSUMED).to_dict() == theirs
    theirs = program("plan", path, "--id", "id", "--ignore", "guess", "--sigma", 0.1, "--bound", 1, "--epsilon", 0.2, "--json")
    ours = elfving.plan(pool, sigma=0.1, bound=1.0, epsilon=0.2)
    assert ours.to_dict() == theirs
    assert ours.missing["ellipsoid-best"] == ["norm=", "noise='sub-gaussian'"] and ours.missing["rips-best"] == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"epsilon": 0.0}, "epsilon must be a finite number > 0"),
        ({"sigma": -1.0}, "sigma must be"),
        ({"noise": "loud"}, "noise is"),
        ({"batch": 0}, "batch must be at least 1"),
        ({"delta": 2.0}, "delta must lie"),
        ({"bound": float("inf")}, "bound must be"),
    ],
)
def test_wrong_numbers_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(elfving.OptionError, match=says):
        elfving.plan(np.eye(3), **{**ASSUMED, **options})


def test_a_guess_of_another_length_is_refused() -> None:
    with pytest.raises(elfving.DataError):
        elfving.plan(np.eye(3), truth=[1.0], **ASSUMED)


def test_results_do_not_change_and_can_be_kept() -> None:
    found, costs = elfving.diagnose(np.eye(4)), elfving.plan(np.eye(3), **ASSUMED)
    for result in (found, costs):
        assert pickle.loads(pickle.dumps(result)) == result == copy.deepcopy(result)
        assert hash(pickle.loads(pickle.dumps(result))) == hash(result)
        assert "<table>" in result._repr_html_()
        result.to_dict()["n"] = 99
        assert result.n != 99
        with pytest.raises(AttributeError, match="does not change"):
            result.n = 1
    assert repr(found).startswith("Diagnosis(4 candidates: ")
    assert repr(costs).startswith("Forecast(3 candidates, epsilon 0.2, delta 0.05; at worst: rips-best ")
    with pytest.raises(AttributeError, match="a forecast has no 'nonsense'"):
        _ = costs.nonsense

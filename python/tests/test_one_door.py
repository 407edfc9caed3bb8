"""Odd tables go through the program, a campaign and the package, and come out the same: numbers, names and refusals."""

from __future__ import annotations

import json
import os
import subprocess
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import elfving
import numpy as np
import pytest
from elfving import kernels

Program = Callable[..., Any]

NUMBERS = np.round(np.random.default_rng(5).normal(size=(12, 2)), 3)
PLAIN = "id,a,b\n" + "".join(f"c{k:02},{a},{b}\n" for k, (a, b) in enumerate(NUMBERS))
WITH_IDS = ["--id", "id"]


@dataclass
class Odd:
    """A table, the words of the program and the keywords of the package for it."""

    table: str | bytes
    words: list[str] = field(default_factory=lambda: list(WITH_IDS))
    options: dict[str, Any] = field(default_factory=lambda: {"id": "id"})
    targets: str | None = None
    campaign: bool = True

    def write(self, folder: Path) -> tuple[Path, Path | None]:
        pool = folder / "pool.csv"
        pool.write_bytes(self.table if isinstance(self.table, bytes) else self.table.encode())
        if self.targets is None:
            return pool, None
        targets = folder / "targets.csv"
        targets.write_text(self.targets)
        return pool, targets


def odd(table: str | bytes, *words: str, targets: str | None = None, campaign: bool = True, **options: Any) -> Odd:
    return Odd(table, [*WITH_IDS, *words], {"id": "id", **options}, targets, campaign)


CATEGORIES = "id,ligand,plate,dose\n" + "".join(
    f"c{k:02},{['XPhos', 'PPh3', 'dppf'][k % 3]},{[1, 2, 10][(k // 3) % 3]},{1 + 0.5 * k}\n" for k in range(12)
)
SCALES = "id,dose,block\n" + "".join(f"c{k:02},{10 ** (k % 5)},{2 ** (k % 4)}\n" for k in range(12))

ODD: dict[str, Odd] = {
    "plain": odd(PLAIN),
    "a byte order mark": odd(b"\xef\xbb\xbf" + PLAIN.encode()),
    "semicolons and decimal commas": odd(
        PLAIN.replace(",", ";").replace(".", ","), "--decimal", ",", decimal=","
    ),
    "line ends of Windows": odd(PLAIN.replace("\n", "\r\n")),
    "categories by name": odd(CATEGORIES, "--one-hot=ligand", one_hot=["ligand"]),
    "every text a category": odd(CATEGORIES, "--one-hot", one_hot=True),
    "a numeric category": odd(CATEGORIES, "--one-hot=plate,ligand", one_hot=["plate", "ligand"]),
    "log scales": odd(SCALES, "--log", "dose,block=2", log={"dose": 10, "block": 2}),
    "standardized": odd(PLAIN, "--standardize", standardize=True),
    "a marker": odd(
        "id,a,b\nx,1,2\ny,n.d.,3\nz,4,1\n", "--features", "a,b", "--marker", "n.d.=0.25", features=["a", "b"], marker={"n.d.": 0.25}
    ),
    "ids with leading zeros": odd("id,a\n007,1\n07,2\n7,4\n"),
    "no ids": Odd(PLAIN.replace("id,", "").replace("c", "").split("\n", 1)[0] + "\n" + "".join(f"{a},{b}\n" for a, b in NUMBERS), [], {}),
    "an outcome and a column to ignore": odd(
        "id,a,note,y\na,1,5,0.1\nb,2,9,0.2\nc,4,7,0.3\n", "--outcome", "y", "--ignore", "note", outcome="y", ignore="note",
        campaign=False,
    ),
    "targets without ids": odd(PLAIN, targets="a,b\n0.5,0.5\n-1,2\n0,0\n"),
    "targets with ids": odd(PLAIN, targets="id,b,a\nt1,0.5,0.5\nt2,-1,2\n"),
    "rbf, median": odd(PLAIN, "--kernel", "rbf", kernel=kernels.rbf()),
    "matern, a length scale per feature": odd(
        PLAIN, "--kernel", "matern52", "--lengthscale", "1,2.5", kernel=kernels.matern52([1, 2.5])
    ),
    "rational quadratic": odd(
        PLAIN, "--kernel", "rational-quadratic", "--alpha", "2", kernel=kernels.rational_quadratic(alpha=2)
    ),
    "periodic": odd(PLAIN, "--kernel", "periodic", "--period", "2", kernel=kernels.periodic(2)),
    "polynomial kernel": odd(
        PLAIN, "--kernel", "polynomial", "--degree", "3", "--offset", "0.5", kernel=kernels.polynomial(3, 0.5)
    ),
    "polynomial model": odd(PLAIN, "--polynomial-model", "2", polynomial_model=2),
    "interactions": odd(
        PLAIN, "--polynomial-model", "2", "--interactions-only", polynomial_model=2, interactions_only=True
    ),
}  # fmt: skip

CERTIFIED = ["--maximize", "yield", "--noise", "sub-gaussian", "--sigma", "0.1", "--norm", "2", "--epsilon", "0.5", "--batch", "5"]
AS_KEYWORDS: dict[str, Any] = {
    "maximize": "yield", "noise": "sub-gaussian", "sigma": 0.1, "norm": 2.0, "epsilon": 0.5, "batch": 5,
}  # fmt: skip
CLOCK = {"SOURCE_DATE_EPOCH": "1795000000"}
AT = 1795000000000


def pool_of(case: Odd, pool: Path, targets: Path | None) -> elfving.Pool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", elfving.DataWarning)
        return elfving.Pool(pool, choices=targets, **case.options)


def created(case: Odd, file: Path, pool: Path, targets: Path | None) -> elfving.Campaign:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", elfving.DataWarning)
        return elfving.Campaign.create(file, pool, targets=targets, at=AT, **AS_KEYWORDS, **case.options)


@pytest.mark.parametrize("name", ODD)
def test_the_same_table_is_the_same_pool_everywhere(name: str, program: Program, tmp_path: Path) -> None:
    case = ODD[name]
    pool, targets = case.write(tmp_path)
    more = [] if targets is None else ["--targets", targets]
    theirs = program("design", pool, *case.words, *more, "--gamma", 0.1, "--json")
    of_package = pool_of(case, pool, targets)
    design = elfving.design(of_package, gamma=0.1)
    ours = design.to_dict()
    assert {**ours, "seconds": 0} == {**theirs, "seconds": 0}
    assert of_package.feature_names == (theirs["feature_names"] or None)
    # Either reads the other's document.
    path = tmp_path / "design.json"
    path.write_text(design.to_json())
    assert program("certify", path, pool, *more, "--json")["certified"]
    again = elfving.Design.from_json(json.dumps(theirs), of_package)
    assert np.array_equal(again.weights, design.weights) and again.value == design.value


@pytest.mark.parametrize("name", [name for name, case in ODD.items() if case.campaign])
def test_the_same_table_is_the_same_campaign_everywhere(name: str, program: Program, tmp_path: Path) -> None:
    case = ODD[name]
    pool, targets = case.write(tmp_path)
    more = [] if targets is None else ["--targets", targets]
    theirs, ours = tmp_path / "theirs" / "screen.elfving", tmp_path / "ours" / "screen.elfving"
    theirs.parent.mkdir()
    ours.parent.mkdir()
    program("new", theirs, pool, *case.words, *more, *CERTIFIED, "--json", env=CLOCK)
    campaign = created(case, ours, pool, targets)
    asked = program("ask", theirs, "--json", env=CLOCK)
    assert [row["id"] for row in asked["rows"]] == [slot.id for slot in campaign.ask(at=AT)]
    assert ours.read_bytes() == theirs.read_bytes()
    # The recipe is what a design on the same table keeps, but for how far a kernel is factorised.
    recipe, kept = campaign.spec["recipe"], elfving.design(pool_of(case, pool, targets), gamma=0.1).to_dict()["options"]["pool"]
    assert recipe["columns"] == kept["columns"]
    if kept["model"]["model"] == "linear":
        # No model was stated: a design is linear in the columns, a certified campaign takes the smooth class with its intercept.
        assert recipe["model"]["of"]["terms"][0] == {"kernel": "constant", "value": 100.0}
    else:
        assert {**recipe["model"], "residual": None} == {**kept["model"], "residual": None}
    measured = {slot.id for slot in campaign.ask(at=AT)}
    assert measured <= set(pool_of(case, pool, None).ids)


REFUSED: dict[str, Odd] = {
    "two rows of one id": odd("id,a\nx,1\nx,2\n"),
    "a text among numbers": odd("id,a\nx,1\ny,two\nz,3\n", "--features", "a", features=["a"]),
    "an empty cell": odd("id,a,b\nx,1,2\ny,,3\nz,4,5\n"),
    "a ragged line": odd("id,a,b\nx,1,2\ny,1\n"),
    "no rows": odd("id,a\n"),
    "no features": odd("id,note\nx,one\ny,two\n"),
    "no such column": odd(PLAIN, "--features", "a,c", features=["a", "c"]),
    "a log of zero": odd("id,a\nx,0\ny,2\nz,3\n", "--log", "a", log="a"),
    "an id column that is not there": Odd(PLAIN, ["--id", "name"], {"id": "name"}),
    "targets with another column": odd(PLAIN, targets="a,c\n1,2\n"),
    "an unknown category of a target": odd(
        CATEGORIES, "--one-hot=ligand", one_hot=["ligand"], targets="id,ligand,plate,dose\nt,BINAP,1,2\n"
    ),
    "too many length scales": odd(PLAIN, "--kernel", "rbf", "--lengthscale", "1,2,3", kernel=kernels.rbf([1, 2, 3])),
}


def refusal(*words: Any) -> dict[str, Any]:
    """What the program says when it refuses."""
    path = os.environ["ELFVING_PROGRAM"]
    answer = subprocess.run(
        [path, *map(str, words), "--json"], capture_output=True, text=True, check=False, env={**os.environ, **CLOCK}
    )
    assert answer.returncode != 0, answer.stdout
    error: dict[str, Any] = json.loads(answer.stderr.splitlines()[-1])["error"]
    return error


@pytest.mark.parametrize("name", REFUSED)
def test_the_same_table_is_refused_in_the_same_words(name: str, program: Program, tmp_path: Path) -> None:
    case = REFUSED[name]
    pool, targets = case.write(tmp_path)
    more = [] if targets is None else ["--targets", targets]
    of_design = refusal("design", pool, *case.words, *more, "--gamma", 0.1)
    with pytest.raises(elfving.ElfvingError) as ours:
        elfving.design(pool_of(case, pool, targets), gamma=0.1)
    of_new = refusal("new", tmp_path / "screen", pool, *case.words, *more, *CERTIFIED)
    with pytest.raises(elfving.ElfvingError) as ours_new:
        created(case, tmp_path / "screen.elfving", pool, targets)
    for theirs, raised in [(of_design, ours), (of_new, ours_new)]:
        said = str(raised.value)
        # The file is named by its path, or without its folder.
        expected = theirs["message"].replace(f"{tmp_path}/", "")
        assert expected in said.replace(f"{tmp_path}/", "")
        for problem in theirs.get("problems", []):
            assert f"error[{problem['code']}]" in said and problem["message"] in said
    assert not (tmp_path / "screen.elfving").exists()


def test_a_kernel_and_a_polynomial_model_exclude_each_other_everywhere(program: Program, tmp_path: Path) -> None:
    case = odd(PLAIN, "--kernel", "rbf", "--polynomial-model", "2", kernel=kernels.rbf(), polynomial_model=2)
    pool, _ = case.write(tmp_path)
    assert refusal("design", pool, *case.words)["exit"] == 2
    for make in (lambda: pool_of(case, pool, None), lambda: created(case, tmp_path / "no", pool, None)):
        with pytest.raises(elfving.OptionError, match="exclude each other"):
            make()


def test_a_design_for_several_targets_is_certified_as_that_problem(program: Program, tmp_path: Path) -> None:
    case = ODD["plain"]
    pool_file, _ = case.write(tmp_path)
    pool = elfving.Pool(pool_file, id="id")
    wanted = ["c02", "c05", "c09"]
    design = elfving.design(pool, "xy", targets=wanted, gamma=0.05)
    document = design.to_dict()
    assert document["options"]["targets"] == {"ids": wanted}
    path = tmp_path / "design.json"
    path.write_text(design.to_json())
    verdict = program("certify", path, pool_file, "--json")
    assert verdict["certified"] and verdict["value"] == design.value
    # It is another problem than that over all candidates.
    assert elfving.design(pool, "xy", gamma=0.05).value > design.value
    for targets in ({"ids": ["c02", "c05", "c01"]}, "all"):
        path.write_text(json.dumps({**document, "options": {**document["options"], "targets": targets}}))
        assert refusal("certify", path, pool_file)["code"] == "E712"
        with pytest.raises(elfving.DataError, match="the check finds"):
            elfving.Design.from_json(path.read_text(), pool)
    path.write_text(json.dumps({**document, "options": {**document["options"], "targets": {"ids": ["c02", "zz"]}}}))
    with pytest.raises(elfving.DataError, match='no target "zz"'):
        elfving.Design.from_json(path.read_text(), pool)

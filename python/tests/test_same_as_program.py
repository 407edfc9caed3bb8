"""The package and the program give the same numbers and the same campaign files."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import elfving
import numpy as np
import pandas as pd
import pytest
from conftest import table
from elfving import complexity, kernels

Program = Callable[..., Any]


@pytest.fixture
def pool_file(tmp_path: Path) -> Path:
    rng = np.random.default_rng(11)
    frame = pd.DataFrame(table(40, 3), columns=["a", "b", "c"])
    frame.insert(0, "id", [f"c{i:02}" for i in range(40)])
    frame["ligand"] = rng.choice(["XPhos", "PPh3", "dppf"], size=40)
    frame["block"] = rng.choice([2, 4, 8], size=40)
    frame["yield"] = frame["a"] - frame["b"] ** 2
    path = tmp_path / "pool.csv"
    frame.to_csv(path, index=False)
    return path


def without(document: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in names}


DESIGNS: dict[str, tuple[list[str], dict[str, Any], dict[str, Any]]] = {
    "linear": ([], {}, {}),
    "d with a ridge": (["--criterion", "d", "--gamma", "0.1"], {}, {"criterion": "d", "gamma": 0.1}),
    "rbf": (
        ["--kernel", "rbf", "--lengthscale", "0.8", "--gamma", "0.01"],
        {"kernel": kernels.rbf(0.8)},
        {"gamma": 0.01},
    ),
    "median": (["--kernel", "matern52", "--gamma", "0.01"], {"kernel": kernels.matern52()}, {"gamma": 0.01}),
    "lengthscales": (
        ["--kernel", "matern32", "--lengthscale", "1,2,3", "--gamma", "0.1", "--criterion", "v", "--features", "a,b,c"],
        {"kernel": kernels.matern32([1, 2, 3]), "features": ["a", "b", "c"]},
        {"gamma": 0.1, "criterion": "v"},
    ),
    "polynomial": (["--polynomial-model", "2", "--criterion", "a"], {"polynomial_model": 2}, {"criterion": "a"}),
    "encoded": (
        ["--one-hot=ligand", "--log", "block=2", "--standardize", "--gamma", "0.1"],
        {"one_hot": ["ligand"], "log": {"block": 2}, "standardize": True},
        {"gamma": 0.1},
    ),
    "one target": (["--criterion", "c", "--target-id", "c07"], {}, {"criterion": "c", "targets": "c07"}),
}


@pytest.mark.parametrize("case", DESIGNS)
def test_designs_are_the_same_to_the_last_bit(case: str, pool_file: Path, program: Program, tmp_path: Path) -> None:
    words, of_pool, of_design = DESIGNS[case]
    outcomes = [] if "features" in of_pool else ["yield"] if "log" in of_pool else ["yield", "block"]
    ignored = ["--ignore", ",".join(outcomes)] if outcomes else []
    theirs = program("design", pool_file, "--id", "id", *ignored, *words, "--json")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", elfving.DataWarning)
        pool = elfving.Pool(pool_file, id="id", ignore=outcomes, **of_pool)
    ours = elfving.design(pool, **of_design).to_dict()
    assert without(ours, "seconds") == without(theirs, "seconds")
    # Either program reads the other's file.
    path = tmp_path / "design.json"
    path.write_text(json.dumps(ours))
    assert program("certify", path, pool_file, "--json")
    assert elfving.Design.from_json(json.dumps(theirs), pool).recheck().value == pytest.approx(theirs["value"])


@pytest.mark.parametrize("method", ["best", "regret", "apportion", "ptr", "caratheodory", "greedy", "exchange", "ceiling"])
def test_plans_are_the_same(method: str, pool_file: Path, program: Program, tmp_path: Path) -> None:
    path = tmp_path / "design.json"
    program("design", pool_file, "--id", "id", "--features", "a,b,c", "--out", path)
    pool = elfving.Pool(pool_file, id="id", features=["a", "b", "c"])
    design = elfving.Design.from_json(path.read_text(), pool)
    theirs = program("round", pool_file, "--design", path, "--budget", 25, "--method", method, "--force", "c03", "--json")
    ours = elfving.round(design, 25, method=method, force="c03").to_dict()
    assert without(ours, "seconds", "design") == without(theirs, "seconds", "design")


def test_draws_and_estimates_are_the_same(pool_file: Path, program: Program, tmp_path: Path) -> None:
    design_file, plan_file, sheet = tmp_path / "design.json", tmp_path / "plan.json", tmp_path / "results.csv"
    program("design", pool_file, "--id", "id", "--features", "a,b,c", "--gamma", 0.05, "--out", design_file)
    pool = elfving.Pool(pool_file, id="id", features=["a", "b", "c"])
    design = elfving.Design.from_json(design_file.read_text(), pool)
    for words, plan, options, estimator in [
        (["--method", "sample", "--seed", 5], elfving.draw(design, 300, seed=5), {"bound": 3.0, "norm": 4.0}, "auto"),
        (["--method", "sample", "--seed", 6], elfving.draw(design, 300, seed=6), {"bound": 3.0}, "ips"),
        (["--method", "sample", "--seed", 7], elfving.draw(design, 300, seed=7), {"bound": 3.0}, "min-max"),
        (["--method", "regret", "--shuffle", "--seed", 4], elfving.round(design, 300, method="regret", shuffle=True, seed=4), {"norm": 4.0}, "auto"),
    ]:
        program("round", pool_file, "--design", design_file, "--budget", 300, *words, "--out", plan_file)
        assert without(plan.to_dict(), "seconds", "design") == without(json.loads(plan_file.read_text()), "seconds", "design")
        outcomes = np.round(np.random.default_rng(1).normal(size=300), 6)
        names = [f"{row},{value}" for row, value in zip(plan.order_ids, outcomes, strict=True)]
        sheet.write_text("id,outcome\n" + "\n".join(names) + "\n")
        given = [word for name, value in options.items() for word in (f"--{name}", value)]
        theirs = program(
            "estimate", pool_file, "--plan", plan_file, "--results", sheet, "--sigma", 1.0, *given,
            "--estimator", estimator, "--sort", "pool", "--json",
        )  # fmt: skip
        ours = elfving.estimate(plan, outcomes, sigma=1.0, estimator=estimator, **options)
        for column in ("estimate", "lower", "upper"):
            assert [entry[column] for entry in theirs["estimates"]] == getattr(ours, column).tolist()
        assert [premise["text"] for premise in theirs["assumptions"]] == ours.assumptions


def test_simulations_are_the_same(pool_file: Path, program: Program) -> None:
    theirs = program(
        "simulate", pool_file, "--id", "id", "--features", "a,b,c", "--maximize", "yield", "--kernel", "rbf", "--goal", "regret",
        "--algorithm", "gp-ucb,random,rips-regret", "--budget", 30, "--repetitions", 3, "--seed", 2, "--json",
    )  # fmt: skip
    pool = elfving.Pool(pool_file, id="id", features=["a", "b", "c"], kernel=kernels.rbf(), seed=2)
    truth = pd.read_csv(pool_file)["yield"]
    ours = elfving.simulate(
        pool, truth, algorithm=["gp-ucb", "random", "rips-regret"], budget=30, goal="regret", repetitions=3, seed=2
    ).to_dict()
    for document in (ours, theirs):
        document["algorithms"] = [without(entry, "seconds") for entry in document["algorithms"]]
    assert ours == theirs


def test_costs_are_the_same(pool_file: Path, program: Program) -> None:
    theirs = program(
        "complexity", pool_file, "--id", "id", "--features", "a,b,c", "--truth", "yield", "--gamma", 0.1,
        "--epsilon", 0.1, "--horizon", 50, "--norm", 9, "--json",
    )["quantities"]  # fmt: skip
    pool = elfving.Pool(pool_file, id="id", features=["a", "b", "c"])
    truth = pd.read_csv(pool_file)["yield"].to_numpy()
    misfit = complexity.truth(pool, truth, gamma=0.1).misfit
    ours = {
        "f_points": complexity.worst_variance(pool, gamma=0.1),
        "f_differences": complexity.worst_variance(pool, over="differences", gamma=0.1),
        "information_gain": complexity.information_gain(pool, horizon=50, gamma=0.1),
        "f_bar": complexity.worst_subset(pool, gamma=0.1),
        "floor": complexity.floor(pool, norm=9.0, misspecification=misfit, gamma=0.1),
        "rho_star": complexity.rho_star(pool, truth, epsilon=0.1, gamma=0.1),
        "g": complexity.near_best_variance(pool, truth, epsilon=0.1, gamma=0.1),
        "epsilon_bar": complexity.epsilon_bar(pool, truth, misspecification=misfit, gamma=0.1),
        "t_star": complexity.characteristic_time(pool, truth, norm=9.0, gamma=0.1).time,
    }
    for name, found in ours.items():
        assert vars(found) == theirs[name], name


CAMPAIGNS: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "certified": (
        ["--maximize", "yield", "--noise", "sub-gaussian", "--sigma", 0.1, "--norm", 2, "--epsilon", 0.2, "--features", "a,b"],
        {"maximize": "yield", "noise": "sub-gaussian", "sigma": 0.1, "norm": 2.0, "epsilon": 0.2, "features": ["a", "b"]},
    ),
    "heavy tails": (
        ["--minimize", "ms", "--noise", "bounded-variance", "--sigma", 0.1, "--bound", 2, "--epsilon", 5, "--features", "a,b",
         "--kernel", "rbf", "--gamma", 0.01, "--seed", 4],
        {"minimize": "ms", "noise": "bounded-variance", "sigma": 0.1, "bound": 2.0, "epsilon": 5.0, "features": ["a", "b"],
         "kernel": kernels.rbf(), "gamma": 0.01, "seed": 4},
    ),
    "calibrated": (
        ["--maximize", "yield", "--mode", "calibrated", "--seed", 9, "--budget", 40, "--force", "c01,c02", "--forbid", "c03",
         "--log", "block=2", "--marker", "n.d.=failed"],
        {"maximize": "yield", "mode": "calibrated", "seed": 9, "budget": 40, "force": ["c01", "c02"], "forbid": ["c03"],
         "log": {"block": 2}, "marker": {"n.d.": "failed"}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CAMPAIGNS)
def test_campaign_files_are_the_same(case: str, pool_file: Path, program: Program, tmp_path: Path) -> None:
    words, options = CAMPAIGNS[case]
    clock = {"SOURCE_DATE_EPOCH": "1795000000"}
    theirs = tmp_path / "theirs" / "screen.elfving"
    ours = tmp_path / "ours" / "screen.elfving"
    theirs.parent.mkdir()
    ours.parent.mkdir()
    program("new", theirs, "--pool", pool_file, "--id", "id", "--batch", 6, *words, "--json", env=clock)
    campaign = elfving.Campaign.create(ours, pool_file, id="id", batch=6, **options, at=1795000000000)
    results = tmp_path / "batch.csv"
    for _ in range(3):
        if campaign.status()["stopped"]:
            break
        batch = program("ask", theirs, "--json", env=clock)
        mine = campaign.ask(at=1795000000000)
        assert [row["slot"] for row in batch["rows"]] == [slot.slot for slot in mine]
        assert program("ask", theirs, "--format", "csv", env=clock) == mine.to_csv()
        lines = [f"{slot.slot},{k / 10}" for k, slot in enumerate(mine)]
        results.write_text(f"slot,{mine.outcome}\n" + "\n".join(lines) + "\n")
        program("tell", theirs, results, "--json", env=clock)
        campaign.tell(results, at=1795000000000)
    exported = program("export", theirs, "--json", env=clock)
    assert campaign.export() == exported
    assert ours.read_bytes() == theirs.read_bytes()


def test_either_goes_on_where_the_other_stopped(pool_file: Path, program: Program, tmp_path: Path) -> None:
    path = tmp_path / "shared.elfving"
    campaign = elfving.Campaign.create(
        path, pool_file, id="id", features=["a", "b"], maximize="yield", noise="sub-gaussian", sigma=0.1, norm=2.0, batch=3
    )
    slots = [row["slot"] for row in program("ask", path, "--json")["rows"]]
    assert [slot.slot for slot in campaign.ask()] == slots
    campaign.tell(dict.fromkeys(slots, 0.5))
    assert program("status", path, "--json")["told"] == 3
    assert program("verify", path, "--json")["events"] == len(campaign.log())

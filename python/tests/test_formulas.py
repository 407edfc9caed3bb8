"""Model formulas: beside formulaic on random formulas, through pools, designs and files; exact designs."""

from __future__ import annotations

import random
import re
import warnings

import elfving
import formulaic
import numpy as np
import pandas as pd
import pytest

ROWS = 48
FRAME = pd.DataFrame(
    {
        "id": [f"c{k}" for k in range(ROWS)],
        "x": [1.0 + (k * 37 + 11) % 71 / 35 for k in range(ROWS)],
        "z": [0.5 + (k * 23 + 5) % 67 / 33 for k in range(ROWS)],
        "a": [["p", "q", "r"][k % 3] for k in range(ROWS)],
        "b": [["u", "v"][k // 3 % 2] for k in range(ROWS)],
        "lot": [[1, 2][k // 6 % 2] for k in range(ROWS)],
    }
)
NUMBERS = ["x", "z", "I(x**2)", "log(z)", "I(x*z - 1)", "sqrt(x)", "exp(-z)"]
CATEGORIES = ["a", "b", "C(lot)", "C(a, contr.treatment('q'))", "C(b, contr.sum)"]


def random_formula(source: random.Random) -> str:
    # One spelling of each category in a formula: two of them are two factors to everybody.
    factors = source.sample(NUMBERS, 3) + [source.choice([CATEGORIES[0], CATEGORIES[3]])]
    factors += [source.choice([CATEGORIES[1], CATEGORIES[4]]), CATEGORIES[2]]
    terms = [source.choice([":", "*", "/"]).join(source.sample(factors, source.randint(1, 3))) for _ in range(source.randint(1, 4))]
    if source.random() < 0.3:
        terms.append(f"({' + '.join(source.sample(factors, 3))})**2")
    return "~ " + source.choice(["", "1 + ", "0 + "]) + " + ".join(terms)


def ours(formula: str) -> np.ndarray:
    with warnings.catch_warnings():
        # Some formulas name few columns, in which candidates are alike.
        warnings.simplefilter("ignore", elfving.DataWarning)
        return elfving.Pool(FRAME, id="id", model=formula).features()


def theirs(formula: str) -> np.ndarray:
    frame = FRAME.assign(lot=FRAME["lot"].astype(str))
    return np.asarray(formulaic.model_matrix(formula, frame, context={"sqrt": np.sqrt}), dtype=float)


def matched(left: np.ndarray, right: np.ndarray) -> bool:
    """Whether the columns are the same, in any order."""
    if left.shape != right.shape:
        return False
    order = [np.lexsort(np.round(side, 9)) for side in (left, right)]
    return np.allclose(left[:, order[0]], right[:, order[1]], rtol=1e-12, atol=1e-12) or all(
        (np.abs(right - left[:, [k]]).max(axis=0) < 1e-12 * max(1, np.abs(left[:, k]).max())).any()
        for k in range(left.shape[1])
    )


def test_a_hundred_random_formulas_give_the_features_of_formulaic() -> None:
    source = random.Random(7)
    same_columns = 0
    for _ in range(100):
        formula = random_formula(source)
        left, right = ours(formula), theirs(formula)
        # What is left out of an interaction is a choice; the functions that the features span are not.
        rank = np.linalg.matrix_rank(right)
        assert np.linalg.matrix_rank(left) == rank, formula
        assert np.linalg.matrix_rank(np.hstack([left, right]), tol=1e-9 * np.abs(right).max() * ROWS) == rank, formula
        same_columns += matched(left, right)
    assert same_columns >= 95


def test_names_are_those_that_people_know() -> None:
    pool = elfving.Pool(FRAME, id="id", model="~ x + I(x^2) + a*x + C(lot)")
    assert pool.feature_names == [
        "Intercept", "x", "I(x^2)", "a[T.q]", "a[T.r]", "lot[T.2]", "x:a[T.q]", "x:a[T.r]",
    ]  # fmt: skip


def test_arrays_have_numbered_columns() -> None:
    points = np.random.default_rng(1).normal(size=(9, 2))
    pool = elfving.Pool(points, model="~ x0*x1")
    expected = np.column_stack([np.ones(9), points, points[:, 0] * points[:, 1]])
    assert np.array_equal(pool.features(), expected)


def test_what_is_wrong_is_marked() -> None:
    with pytest.raises(ValueError, match=re.escape('there is no column "xx"; the nearest is "x"\n    ~ xx + a\n      ^^')):
        elfving.Pool(FRAME, id="id", model="~ xx + a")
    with pytest.raises(ValueError, match="formula"):
        elfving.Pool(FRAME, id="id", model="~ x", polynomial_model=2)


def test_targets_are_placed_in_the_same_categories() -> None:
    pool = elfving.Pool(FRAME, choices=FRAME.iloc[:5], id="id", model="~ 0 + a:x")
    design = elfving.design(pool, "g")
    assert design.status == "certified"


def test_an_exact_design_is_never_behind_the_rounding_and_says_how_far_it_can_be_from_the_best() -> None:
    grid = elfving.factors({"a": (-1, 1, 0.5), "b": (-1, 1, 0.5), "c": ["u", "v"]})
    pool = elfving.Pool(grid, id="id", model="~ (a + b + c)^2 + I(a^2) + I(b^2)")
    for criterion in ("d", "v", "g"):
        design = elfving.design(pool, criterion)
        best, exact = (elfving.round(design, 14, method=method) for method in ("best", "exact"))
        assert exact.ratio is not None and best.ratio is not None and exact.efficiency_bound is not None
        assert exact.ratio <= best.ratio * (1 + 1e-9)
        assert exact.efficiency_bound == pytest.approx(1 / exact.ratio, rel=2e-6)
        again = elfving.exact_design(pool, 14, criterion)
        assert np.array_equal(again.counts, exact.counts)
        assert again.total == 14


def test_the_seed_says_where_the_searches_begin() -> None:
    grid = elfving.factors({"a": (-1, 1, 0.25), "b": (-1, 1, 0.25)})
    pool = elfving.Pool(grid, id="id", model="~ (a + b)^2 + I(a^2) + I(b^2)")
    plans = [elfving.exact_design(pool, 8, seed=seed) for seed in (1, 1, 2)]
    assert np.array_equal(plans[0].counts, plans[1].counts)
    assert plans[2].ratio == pytest.approx(plans[0].ratio, rel=1e-6)

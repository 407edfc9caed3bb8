"""From weights to counts and draws, and from outcomes to estimates."""

from __future__ import annotations

import pickle
from typing import Any

import elfving
import numpy as np
import pytest
from conftest import table
from elfving import robust_mean

DESIGN = elfving.design(table(30, 3), "g")


@pytest.mark.parametrize("method", ["ceiling", "apportion", "caratheodory", "regret", "ptr", "greedy", "exchange", "best"])
def test_every_method_meets_the_budget(method: str) -> None:
    plan = elfving.round(DESIGN, 40, method=method)
    assert plan.counts.sum() == plan.total
    assert plan.total == 40 or (method == "ceiling" and plan.total > 40)
    assert plan.ratio is not None and plan.ratio >= 1 - 1e-9
    assert plan.value == pytest.approx(plan.ratio * DESIGN.value)


def test_limits_are_kept() -> None:
    ids = [f"c{i}" for i in range(30)]
    design = elfving.design(elfving.Pool(table(30, 3), ids=ids), "g")
    plan = elfving.round(design, 20, maximum=2, force=["c0", 1], minimum={"c2": 2}, measured={"c3": 5}, polish=True)
    assert plan.counts.max() <= 2 and plan.counts[2] == 2 and min(plan.counts[:2]) >= 1
    assert plan.to_dict()["done"]["total"] == 5
    with pytest.raises(elfving.OptionError, match='candidate "c1" must be measured at least 3 times'):
        elfving.round(design, 20, minimum={"c1": 3}, maximum=2)
    with pytest.raises(elfving.OptionError, match="maxima add up"):
        elfving.round(design, 100, maximum=1)


@pytest.mark.parametrize("budget", [0, -1, 1.5, True, None])
def test_a_budget_is_a_whole_number_of_at_least_one(budget: Any) -> None:
    with pytest.raises(ValueError, match="budget must be a whole number >= 1"):
        elfving.round(DESIGN, budget)
    with pytest.raises(ValueError, match="size must be"):
        elfving.draw(DESIGN, budget)


def test_draws_are_those_of_their_seed() -> None:
    draws = elfving.draw(DESIGN, 500, seed=7)
    assert np.array_equal(draws.order, elfving.draw(DESIGN, 500, seed=7).order)
    assert not np.array_equal(draws.order, elfving.draw(DESIGN, 500, seed=8).order)
    assert np.array_equal(np.bincount(draws.order, minlength=30), draws.counts)
    assert draws.probabilities.sum() == pytest.approx(1.0) and np.allclose(draws.probabilities, DESIGN.weights, atol=1e-8)
    generator = np.random.default_rng(1)
    assert elfving.draw(DESIGN, 5, seed=generator).seed != elfving.draw(DESIGN, 5, seed=generator).seed
    assert elfving.draw(DESIGN, 5, seed=np.random.RandomState(1)).seed >= 0
    assert elfving.draw(DESIGN, 5, seed=None).seed != elfving.draw(DESIGN, 5, seed=None).seed
    with pytest.raises(elfving.OptionError, match="seed"):
        elfving.draw(DESIGN, 5, seed=-1)
    with pytest.raises(elfving.OptionError, match=r"elfving\.draw"):
        elfving.round(DESIGN, 5, method="sample")


def test_a_shuffled_plan_has_the_same_measurements_in_another_order() -> None:
    plain = elfving.round(DESIGN, 40)
    shuffled = elfving.round(DESIGN, 40, shuffle=True, seed=3)
    assert np.array_equal(np.sort(shuffled.order), plain.order)
    assert not np.array_equal(shuffled.order, plain.order)
    assert shuffled.order_ids == [str(row) for row in shuffled.order]


@pytest.mark.parametrize(
    "plan", [elfving.round(DESIGN, 20, shuffle=True, seed=2), elfving.draw(DESIGN, 20)], ids=["counts", "draws"]
)
def test_a_pickled_plan_is_the_same_plan(plan: Any) -> None:
    again = pickle.loads(pickle.dumps(plan))
    assert type(again) is type(plan) and again.to_dict() == plan.to_dict()
    assert "<table>" in plan._repr_html_() and type(plan).__name__ in repr(plan)


def test_least_squares_is_what_numpy_says() -> None:
    x = table(30, 3)
    plan = elfving.round(DESIGN, 60, shuffle=True, seed=1)
    outcomes = np.random.default_rng(5).normal(size=60)
    found = elfving.estimate(plan, outcomes, sigma=1.0, noise="sub-gaussian")
    theta, *_ = np.linalg.lstsq(x[plan.order], outcomes, rcond=None)
    assert np.allclose(found.estimate, x @ theta)
    assert found.delta == 0.05 and found.guaranteed and any("sub-Gaussian" in line for line in found.assumptions)


def test_ridge_is_what_numpy_says() -> None:
    x = table(30, 3)
    design = elfving.design(x, "g", gamma=0.5)
    plan = elfving.round(design, 60)
    outcomes = np.random.default_rng(5).normal(size=60)
    rows = x[plan.order]
    theta = np.linalg.solve(rows.T @ rows + 0.5 * 60 * np.eye(3), rows.T @ outcomes)
    found = elfving.estimate(plan, outcomes, sigma=1.0)
    assert np.allclose(found.estimate, x @ theta) and np.isnan(found.ridge_width).all()
    assert (elfving.estimate(plan, outcomes, sigma=1.0, norm=2.0).ridge_width > 0).all()
    assert np.allclose(elfving.estimate(plan, outcomes, sigma=1.0, estimator="least-squares").estimate, x @ np.linalg.lstsq(rows, outcomes, rcond=None)[0])


@pytest.mark.parametrize("estimator", ["rips", "ips", "min-max"])
@pytest.mark.parametrize("mean", ["catoni", "soft-truncated", "truncated", "median-of-means", "trimmed"])
def test_estimators_of_draws_find_the_means(estimator: str, mean: str) -> None:
    draws = elfving.draw(elfving.design(np.eye(3)), 3000, seed=1)
    means = np.array([0.2, 0.5, 0.9])
    outcomes = means[draws.order] + 0.05 * np.random.default_rng(2).standard_t(3, size=3000)
    found = elfving.estimate(draws, outcomes, sigma=0.1, bound=1.0, estimator=estimator, mean=mean)
    assert ((found.lower <= means) & (means <= found.upper)).all()
    assert np.allclose(found.estimate, means, atol=0.2)


def test_outcomes_by_candidate_and_missing_ones() -> None:
    plan = elfving.round(elfving.design(elfving.Pool(np.eye(2), ids=["a", "b"])), 4)
    by_id = elfving.estimate(plan, {"a": [1.0, 3.0], "b": [2.0, 2.0]}, sigma=1.0)
    assert np.allclose(by_id.estimate, [2.0, 2.0])
    with pytest.raises(elfving.RoundIncomplete, match="1 of 4 measurements have no outcome"):
        elfving.estimate(plan, [1.0, 3.0, 2.0, np.nan], sigma=1.0)
    found = elfving.estimate(plan, [1.0, 3.0, 2.0, np.nan], sigma=1.0, no_guarantee=True)
    assert found.delta is None and not found.guaranteed and np.allclose(found.estimate, [2.0, 2.0])
    with pytest.raises(elfving.DataError, match="'a' has 1 outcomes more"):
        elfving.estimate(plan, {"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0]}, sigma=1.0)
    with pytest.raises(elfving.DataError, match="4 measurements were planned, but 3"):
        elfving.estimate(plan, [1.0, 2.0, 3.0], sigma=1.0)
    with pytest.raises(elfving.DataError, match="outcome 0 is inf"):
        elfving.estimate(plan, [np.inf, 1.0, 1.0, 1.0], sigma=1.0)


def test_a_plan_of_the_wrong_kind_is_refused() -> None:
    counts, draws = elfving.round(DESIGN, 50), elfving.draw(DESIGN, 50)
    with pytest.raises(elfving.OptionError, match="rips needs independent draws.*elfving.draw"):
        elfving.estimate(counts, np.zeros(50), sigma=1.0, bound=1.0, estimator="rips")
    with pytest.raises(elfving.OptionError, match="least-squares needs fixed counts.*elfving.round"):
        elfving.estimate(draws, np.zeros(50), sigma=1.0, estimator="least-squares")
    with pytest.raises(elfving.OptionError, match="needs bound="):
        elfving.estimate(draws, np.zeros(50), sigma=1.0)
    with pytest.raises(elfving.OptionError, match="there is no estimator .magic.; choose from auto, least-squares"):
        elfving.estimate(counts, np.zeros(50), sigma=1.0, estimator="magic")
    with pytest.raises(elfving.OptionError, match="sigma must be"):
        elfving.estimate(counts, np.zeros(50), sigma=-1.0)
    with pytest.raises(elfving.OptionError, match="mean"):
        elfving.estimate(draws, np.zeros(50), sigma=1.0, bound=1.0, mean="magic")


def test_noise_may_differ_between_candidates() -> None:
    plan = elfving.round(elfving.design(np.eye(2)), 20)
    found = elfving.estimate(plan, np.ones(20), sigma=[0.1, 10.0])
    assert found.noise_width[0] < found.noise_width[1]


def test_estimates_come_back_from_pickle_and_go_to_frames() -> None:
    plan = elfving.round(DESIGN, 30)
    found = elfving.estimate(plan, np.arange(30.0), sigma=1.0)
    assert pickle.loads(pickle.dumps(found)).to_dict() == found.to_dict()
    assert list(found.to_dataframe().columns) == list(found.to_dataframe("polars").columns) == ["id", "estimate", "lower", "upper"]
    assert "<table>" in found._repr_html_() and "best" in repr(found) and len(found) == 30


def test_rips_has_the_habits_of_scikit_learn() -> None:
    from sklearn.base import clone

    draws = elfving.draw(elfving.design(np.eye(2)), 400, seed=1)
    model = elfving.RIPS(sigma=0.1, bound=2.5)
    again = clone(model)
    assert again is not model and again.get_params() == model.get_params()
    assert model.set_params(delta=0.1) is model and model.delta == 0.1
    with pytest.raises(elfving.OptionError, match="no parameter 'nu'"):
        model.set_params(nu=1)
    with pytest.raises(elfving.OptionError, match="fit first"):
        model.predict()
    outcomes = np.where(draws.order == 0, 1.0, 2.0)
    model.fit(draws, outcomes)
    lower, upper = model.intervals([1])[0]
    assert lower < 2.0 < upper and model.predict([1])[0] == model.predict()[1]


@pytest.mark.parametrize("name", ["catoni", "median_of_means", "trimmed", "plain", "soft_truncated", "truncated"])
def test_robust_means_keep_their_deviation(name: str) -> None:
    samples = np.random.default_rng(3).standard_t(3, size=2000) + 1.0
    bound = {"second_moment": 4.0} if "truncated" in name else {"variance": 3.0}
    mean = getattr(robust_mean, name)(samples, **bound, delta=0.01)
    assert abs(mean.estimate - 1.0) < mean.deviation
    assert mean.interval == (mean.estimate - mean.deviation, mean.estimate + mean.deviation)
    for wrong in ({**bound, "delta": 0.0}, {name: -1.0 for name in bound}):
        with pytest.raises(elfving.OptionError):
            getattr(robust_mean, name)(samples, **wrong)
    with pytest.raises(elfving.DataError, match="sample 1"):
        getattr(robust_mean, name)(np.where(np.arange(2000) == 1, np.nan, 0.0), **bound)


def test_too_few_samples_are_refused_with_the_number() -> None:
    with pytest.raises(elfving.DataError, match="needs at least 8 samples"):
        robust_mean.catoni([1.0, 2.0], variance=1.0)

"""Bandits, simulations and the cost of a problem."""

from __future__ import annotations

import pickle
import re
from typing import Any

import elfving
import numpy as np
import pandas as pd
import pytest
from conftest import table
from elfving import complexity

MEANS = np.array([0.1, 0.9, 0.3, 0.2])
LIGHT: dict[str, Any] = {"sigma": 0.05, "norm": 1.5, "bound": 1.0, "noise": "sub-gaussian"}


def play(bandit: elfving.Bandit, batch: int = 4, sign: float = 1.0) -> elfving.BanditReport:
    for _ in range(2000):
        pulls = bandit.ask(batch)
        if not pulls:
            break
        bandit.tell({pull: sign * MEANS[pull.row] for pull in pulls})
    return bandit.report()


@pytest.mark.parametrize("algorithm", ["auto", "ellipsoid-best"])
def test_a_bandit_finds_the_best(algorithm: str) -> None:
    report = play(elfving.Bandit(np.eye(4), algorithm=algorithm, epsilon=0.1, **LIGHT))
    assert report.picks == ["1"] and report.guarantee == "certified" and report.assumptions
    assert {entry["id"] for entry in report.eliminated} | set(report.survivors) == set("0123")


def test_minimising_turns_the_sign_at_the_border() -> None:
    bandit = elfving.Bandit(elfving.Pool(np.eye(4), ids=list("abcd")), epsilon=0.1, minimize=True, **LIGHT)
    report = play(bandit, sign=-1.0)
    assert report.picks == ["b"]
    for entry in report.intervals:
        assert entry["lower"] <= entry["estimate"] <= entry["upper"]


def test_every_algorithm_starts_or_says_what_it_needs() -> None:
    for algorithm in elfving.algorithms():
        for goal in ("best", "regret", "map"):
            try:
                bandit = elfving.Bandit(np.eye(4), algorithm=algorithm, goal=goal, epsilon=0.5, horizon=50, **LIGHT)
            except elfving.OptionError as refused:
                assert "does not answer the goal" in str(refused) or "needs a horizon" in str(refused)
                continue
            pulls = bandit.ask(2)
            assert all(0 <= pull.row < 4 for pull in pulls)


@pytest.mark.parametrize("algorithm", ["auto", "rips-best", "gp-ts", "calibrated"])
def test_a_pickled_bandit_goes_on_with_the_same_conversation(algorithm: str) -> None:
    settings: dict[str, Any] = {"algorithm": algorithm, "epsilon": 0.2, "seed": np.random.default_rng(3)}
    if algorithm == "gp-ts":
        settings.update(goal="regret", horizon=40)
    bandit = elfving.Bandit(elfving.Pool(np.eye(4), ids=list("abcd")), **settings, **LIGHT)
    pulls = bandit.ask(4)
    bandit.tell({pull: MEANS[pull.row] for pull in pulls[:2]})
    with pytest.raises(elfving.ElfvingError):
        bandit.tell(10**6, 0.5)  # what was refused is not said again
    again = pickle.loads(pickle.dumps(bandit))
    assert again.open_slots == bandit.open_slots and again.algorithm == bandit.algorithm
    for one in (bandit, again):
        one.tell({pull: MEANS[pull.row] for pull in pulls[2:]})
    for _ in range(3):
        pulls = bandit.ask(4)
        assert [pull.row for pull in again.ask(4)] == [pull.row for pull in pulls]
        for one in (bandit, again):
            one.tell({pull: MEANS[pull.row] for pull in pulls})
    assert again.report() == bandit.report()


def test_open_slots_are_asked_again_and_outcomes_count_once() -> None:
    bandit = elfving.Bandit(np.eye(4), epsilon=0.1, **LIGHT)
    pulls = bandit.ask(3)
    assert bandit.ask(3) == pulls and bandit.open_slots >= 3
    assert bandit.tell(pulls[0], 0.5) == "recorded"
    assert bandit.tell(pulls[0].slot, 0.5) == "repeated"
    assert bandit.tell(pulls[1], None) == "asked-again"
    # What failed is asked again, with new ones beside the one that is under way.
    assert [pull.slot for pull in bandit.ask(3)] == [1, 3, 4]
    with pytest.raises(elfving.ConflictError, match="0.5 already"):
        bandit.tell(pulls[0], 0.6)
    with pytest.raises(elfving.UnknownSlot, match="never asked"):
        bandit.tell(999, 0.5)
    with pytest.raises(elfving.DataError, match="not a finite number"):
        bandit.tell(pulls[2], float("nan"))
    bandit.tell(pulls[2], [0.3, 0.31])
    bandit.tell(pulls[1], (0.4, 0.1))
    assert bandit.report().samples >= 3


def test_reasons_belong_to_their_slots() -> None:
    bandit = elfving.Bandit(table(12, 3), algorithm="rips-best", epsilon=2.0, sigma=0.1, bound=1.0, norm=1.0)
    first = bandit.ask(5)
    for pull in first:
        bandit.tell(pull, 0.1)
    second = bandit.ask(5)
    reasons = {pull.row: pull.why for pull in first}
    assert all(pull.why for pull in first + second)
    assert all(pull.why == reasons[pull.row] for pull in second if pull.row in reasons)


def test_forced_and_earlier_measurements() -> None:
    bandit = elfving.Bandit(elfving.Pool(np.eye(4), ids=list("abcd")), epsilon=0.1, **LIGHT)
    assert bandit.earlier({"a": 0.1, 1: [0.9, 0.91]})
    bandit.force(["c", 3])
    pulls = bandit.ask(2)
    assert [pull.id for pull in pulls] == ["c", "d"]
    with pytest.raises(elfving.RoundIncomplete):
        bandit.force(["a"])
    bandit.tell(pulls[0], 0.3)
    bandit.close()
    assert bandit.report().guarantee in ("certified", "none")


def test_a_budget_that_cannot_hold_a_round_is_an_end() -> None:
    bandit = elfving.Bandit(np.eye(4), algorithm="rips-best", epsilon=0.01, sigma=1.0, bound=1.0, norm=2.0, budget=5)
    assert bandit.ask(5) == [] and bandit.finished
    assert bandit.report().status == {"finished": "budget"}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"delta": 1.0}, "delta must lie"),
        ({"sigma": -1.0}, "sigma must be"),
        ({"bound": 0.0}, "bound B must be"),
        ({"epsilon": -0.1}, "epsilon must be"),
        ({"epsilon": float("nan")}, "epsilon must be"),
        ({"goal": "top", "top": 9}, "between 1 and 4"),
        ({"algorithm": "magic"}, "there is no algorithm"),
        ({"budget": 0}, "budget must be"),
        ({"gamma": -1.0}, "gamma must be"),
        ({"norm": None, "algorithm": "ellipsoid-best"}, "needs"),
    ],
)
def test_wrong_questions_are_value_errors(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        elfving.Bandit(np.eye(4), **{**LIGHT, **options})


def test_calibrated_bandits_see_columns_and_categories() -> None:
    frame = pd.DataFrame({"x": np.linspace(0, 1, 12), "ligand": ["u", "v", "w"] * 4})
    bandit = elfving.Bandit(elfving.Pool(frame, one_hot=True), algorithm="calibrated", seed=1)
    for _ in range(4):
        for pull in bandit.ask(3):
            bandit.tell(pull, float(frame["x"][pull.row]))
    assert bandit.report().guarantee == "calibrated"


def test_reports_come_back_from_json_and_pickle() -> None:
    report = play(elfving.Bandit(np.eye(4), epsilon=0.1, **LIGHT))
    assert elfving.BanditReport.from_json(report.to_json()) == report == pickle.loads(pickle.dumps(report))
    assert "<ul>" in report._repr_html_()


def test_a_simulation_is_that_of_its_seed_and_comes_back() -> None:
    options: dict[str, Any] = {"algorithm": ["random", "gp-ucb"], "budget": 20, "goal": "regret", "repetitions": 3}
    runs = elfving.simulate(np.eye(4), MEANS, **options, seed=5)
    again = elfving.simulate(np.eye(4), MEANS, **options, seed=5)
    assert list(runs) == ["random", "gp-ucb"] and runs["random"].regret == again["random"].regret
    assert elfving.Simulation.from_json(runs.to_json()).to_dict() == runs.to_dict() == pickle.loads(pickle.dumps(runs)).to_dict()
    samples, mean, error = runs["random"].curve_of("simple_regret")
    assert samples[-1] == 20 and len(mean) == len(error) == len(samples)
    assert "gp-ucb" in runs._repr_html_() and "gp-ucb" in repr(runs) and "regret" in repr(runs["random"])


def test_progress_of_a_simulation_ends_with_all_runs() -> None:
    seen: list[tuple[int, int]] = []
    elfving.simulate(np.eye(4), MEANS, algorithm=["random", "gp-ucb"], budget=50, goal="regret", repetitions=3, progress=lambda *step: seen.append(step))
    assert seen[-1] == (6, 6)
    assert elfving.simulate(np.eye(4), MEANS, algorithm="random", budget=5, repetitions=2, progress=True)
    with pytest.raises(elfving.OptionError, match="progress is"):
        elfving.simulate(np.eye(4), MEANS, algorithm="random", budget=5, progress=3)


@pytest.mark.parametrize("noise", ["normal", "uniform", "rademacher", "student-t", "pareto", "two-point", "bernoulli"])
def test_every_noise_runs(noise: str) -> None:
    runs = elfving.simulate(np.eye(4), MEANS, algorithm="random", budget=10, repetitions=2, world_noise=noise)
    assert np.isfinite(runs["random"].regret["mean"])


def test_recorded_outcomes_and_wrong_simulations() -> None:
    records = {row: [mean, mean + 0.01] for row, mean in enumerate(MEANS)}
    assert len(elfving.simulate(np.eye(4), records=records, algorithm="random", budget=5, repetitions=1)) == 1
    with pytest.raises(elfving.DataError, match="no recorded outcome"):
        elfving.simulate(np.eye(4), records={0: [1.0]}, algorithm="random", budget=5)
    with pytest.raises(elfving.OptionError, match="one of them"):
        elfving.simulate(np.eye(4), algorithm="random", budget=5)
    with pytest.raises(elfving.OptionError, match="budget must be"):
        elfving.simulate(np.eye(4), MEANS, algorithm="random", budget=0)
    with pytest.raises(elfving.OptionError, match="no noise"):
        elfving.simulate(np.eye(4), MEANS, algorithm="random", budget=5, world_noise="loud")
    with pytest.raises(elfving.DataError):
        elfving.simulate(np.eye(4), MEANS[:2], algorithm="random", budget=5)


def test_the_costs_of_a_problem_with_a_known_answer() -> None:
    pool = np.eye(3)
    truth = [1.0, 0.5, 0.0]
    assert complexity.worst_variance(pool).value == pytest.approx(3.0, rel=1e-5)
    assert complexity.worst_variance(pool, over="differences").value == pytest.approx(6.0, rel=1e-5)
    assert complexity.effective_dimension(pool, gamma=1 / 3).trace == pytest.approx(1.5, rel=1e-4)
    gain = complexity.information_gain(pool, horizon=3, sigma=1.0)
    assert gain.value == pytest.approx(3 * np.log(2), rel=1e-5) and gain.at_least <= gain.value <= gain.at_most
    assert complexity.greedy_information_gain(pool, horizon=3).value == pytest.approx(3 * np.log(2))
    assert complexity.truth(pool, truth).norm == pytest.approx(np.sqrt(1.25))
    assert complexity.truth(pool, truth).best == "0"
    assert float(complexity.rho_star(pool, truth)) > 0
    assert complexity.characteristic_time(pool, truth).measurements > 0
    assert complexity.floor(pool, norm=1.0, misspecification=0.1).value > 0
    assert complexity.floor(pool, truth=truth, misspecification=0.1).value > 0
    assert complexity.near_best_variance(pool, truth, epsilon=0.6).value > 0
    assert complexity.epsilon_bar(pool, truth, misspecification=0.01, gamma=0.01).value > 0
    assert complexity.worst_subset(pool, gamma=0.1).at_most > 0
    with pytest.raises(elfving.OptionError, match="equally good"):
        complexity.rho_star(pool, [1.0, 1.0, 0.0])
    with pytest.raises(elfving.OptionError, match="norm= or truth="):
        complexity.floor(pool)
    with pytest.raises(elfving.OptionError, match="over is"):
        complexity.worst_variance(pool, over="nothing")
    with pytest.raises(elfving.DataError):
        complexity.rho_star(pool, [1.0])


@pytest.mark.parametrize(
    ("call", "new"),
    [
        (lambda: elfving.Bandit(np.eye(2), sub_gaussian=True), 'noise="sub-gaussian"'),
        (lambda: elfving.Bandit(np.eye(2), random_state=1), "seed="),
        (lambda: elfving.simulate(np.eye(2), [0, 1], algorithm="random", budget=2, repeats=2), "repetitions="),
        (lambda: elfving.simulate(np.eye(2), [0, 1], algorithm="random", budget=2, assumed_sigma=1.0), "sigma="),
        (lambda: elfving.simulate(np.eye(2), [0, 1], algorithm="random", budget=2, bounded_variance=True), "noise="),
        (lambda: elfving.design(np.eye(2), warm_start=None), "warm="),
        (lambda: elfving.Pool(np.eye(2), missing={"n.d.": 0.0}), "marker="),
        (lambda: elfving.Campaign.create("c", np.eye(2), maximize="y", missing={"n.d.": 0.0}), "marker="),
        (lambda: elfving.Campaign.create("c", np.eye(2), maximize="y", markers={"n.d.": "failed"}), "marker="),
        (lambda: elfving.Campaign.tell(None, "results.csv", markers={"n.d.": "failed"}), "marker="),  # type: ignore[arg-type]
        (lambda: elfving.draw(elfving.design(np.eye(2)), 2, random_state=1), "seed="),
        (lambda: elfving.round(elfving.design(np.eye(2)), 2, done={}), "measured="),
        (lambda: elfving.estimate(None, [], sigma=1.0, sub_gaussian=True), 'noise="sub-gaussian"'),
    ],
)
def test_old_keywords_are_refused_with_the_new_one(call: Any, new: str) -> None:
    with pytest.raises(TypeError, match=re.escape(f"is now {new}")):
        call()


def test_the_law_of_the_world_is_not_what_is_assumed() -> None:
    with pytest.raises(elfving.OptionError, match="world_noise='student-t'"):
        elfving.simulate(np.eye(2), [0, 1], algorithm="random", budget=2, noise="student-t")
    with pytest.raises(elfving.OptionError, match="'sub-gaussian' or 'bounded-variance'"):
        elfving.Bandit(np.eye(2), noise="loud")

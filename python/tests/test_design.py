"""Designs: values, certificates, refusals, and coming back from JSON and pickle."""

from __future__ import annotations

import copy
import json
import pickle

import elfving
import numpy as np
import pytest
from conftest import table
from elfving import kernels
from hypothesis import given
from hypothesis import strategies as st

LINE = np.column_stack([np.ones(11), np.linspace(0, 1, 11)])


@pytest.mark.parametrize(
    ("criterion", "value"),
    [("g", 2.0), ("xy", 4.0), ("d", np.log(0.25)), ("a", (1 + np.sqrt(2)) ** 2), ("v", 1.4)],
)
def test_closed_forms_on_a_line(criterion: str, value: float) -> None:
    design = elfving.design(LINE, criterion, tolerance=1e-9)
    assert design.status == "certified"
    assert design.value == pytest.approx(value, abs=1e-7)
    bound = design.upper_bound if criterion == "d" else design.lower_bound
    assert bound == pytest.approx(value, abs=1e-6)
    assert (design.lower_bound is None) == (criterion == "d")


def test_one_target_by_row_by_id_and_by_coefficients() -> None:
    pool = elfving.Pool(LINE, choices=[[1.0, 2.0]])
    by_choice = elfving.design(pool, "c")
    assert by_choice.value == pytest.approx(9.0)
    assert elfving.design(LINE, "c", direction=[1.0, 2.0]).value == pytest.approx(9.0)
    assert elfving.design(LINE, "c", targets=10).value == pytest.approx(1.0)
    assert elfving.design(elfving.Pool(LINE, ids=list("abcdefghijk")), "c", targets="k").value == pytest.approx(1.0)
    with pytest.raises(elfving.OptionError, match="needs one target"):
        elfving.design(LINE, "c")
    with pytest.raises(elfving.OptionError, match="criterion c"):
        elfving.design(LINE, "g", direction=[1.0, 2.0])


def test_targets_are_rows_ids_or_a_table() -> None:
    z = LINE[[0, 10]]
    by_rows = elfving.design(LINE, "v", targets=[0, 10])
    by_table = elfving.design(LINE, "v", targets=z)
    assert by_rows.value == pytest.approx(by_table.value)
    assert by_table.pool.choice_ids == ["0", "1"]


def test_weights_support_and_bounds_fit_together() -> None:
    design = elfving.design(table(60, 4), "g", gamma=0.01)
    assert design.weights.sum() == pytest.approx(1.0)
    assert np.array_equal(np.flatnonzero(design.weights), design.support)
    assert design.support_ids == [str(row) for row in design.support]
    assert design.lower_bound <= design.value
    assert design.relative_gap == pytest.approx((design.value - design.lower_bound) / design.lower_bound)
    assert design.variance().max() == pytest.approx(design.value)
    with pytest.raises(ValueError, match="read-only"):
        design.weights[0] = 1.0


def test_the_value_is_what_numpy_says() -> None:
    x = table(30, 3)
    design = elfving.design(x, "g", gamma=0.1)
    information = x.T @ (design.weights[:, None] * x) + 0.1 * np.eye(3)
    assert design.value == pytest.approx(np.max(np.einsum("ij,ij->i", x, np.linalg.solve(information, x.T).T)))


def test_the_independent_check_agrees_and_refuses_other_weights() -> None:
    design = elfving.design(table(30, 3), "g")
    assert design.recheck().value == pytest.approx(design.value)
    assert design.recheck().relative_gap == pytest.approx(design.relative_gap, abs=1e-9)
    document = design.to_dict()
    document["support"][0]["weight"] += 0.2
    with pytest.raises(elfving.DataError, match="the weights sum to 1.2.*, not to 1"):
        elfving.Design.from_json(json.dumps(document), design.pool)


def test_a_document_is_checked_again_where_it_is_read() -> None:
    pool = elfving.Pool(table(30, 3), ids=[f"c{k}" for k in range(30)])
    document = elfving.design(pool, "g", gamma=0.1).to_dict()
    first, second = document["support"][:2]
    swapped = [{**first, "weight": second["weight"]}, {**second, "weight": first["weight"]}, *document["support"][2:]]
    for forged, says in [
        ({"value": document["value"] * 0.99}, "states the value .*, the check finds"),
        ({"lower_bound": document["lower_bound"] * 1.01}, "states the bound .*, the check finds"),
        ({"gamma": 0.2}, "the check finds"),
        ({"support": swapped}, "the check finds"),
        ({"support": [{**first, "id": "zz"}, *document["support"][1:]]}, '"zz" is not in the pool'),
        ({"support": [first, first, *document["support"][1:]]}, '"c[0-9]*" has two weights'),
        ({"target_weights": []}, "."),
        ({"relative_gap": 1e-5}, "states the gap 1.0e-5, the check finds"),
        ({"n": 31}, "30 candidates, the design was computed on 31"),
        ({"remark": "mine"}, "unknown field `remark`"),
    ]:
        with pytest.raises(elfving.DataError, match=says):
            elfving.Design.from_json(json.dumps({**document, **forged}), pool)
    stopped = elfving.design(pool, "g", gamma=0.1, max_iterations=2)
    assert stopped.status == "iteration-limit"
    with pytest.raises(elfving.DataError, match="says certified, but the gap is"):
        elfving.Design.from_json(json.dumps({**stopped.to_dict(), "status": "certified"}), pool)
    with pytest.raises(elfving.VersionError, match="schema 99"):
        elfving.Design.from_json(json.dumps({**document, "schema": 99}), pool)
    with pytest.raises(elfving.DataError, match="the check finds"):
        elfving.Design.from_json(json.dumps(document), elfving.Pool(2 * table(30, 3), ids=pool.ids))
    assert elfving.Design.from_json(json.dumps(document), pool).to_dict() == document


def test_efficiencies_enclose_one_for_the_optimum() -> None:
    efficiencies = elfving.design(LINE, "d").efficiencies()
    assert set(efficiencies) == {"d", "a", "g", "v"}
    assert efficiencies["d"].at_least > 0.999
    assert efficiencies["a"].at_most < 1.0
    assert elfving.design(LINE, "d").leverage().sum() == pytest.approx(2.0)


@pytest.mark.parametrize("method", ["interior-point", "mirror-descent", "multiplicative", "frank-wolfe", "exchange"])
def test_every_method_finds_the_same_value(method: str) -> None:
    design = elfving.design(table(20, 2), "d", method=method, tolerance=1e-3)
    assert design.value == pytest.approx(elfving.design(table(20, 2), "d").value, abs=5e-3)
    assert method in design.method


def test_limits_stop_with_a_design_and_its_gap() -> None:
    design = elfving.design(table(200, 5), "d", method="multiplicative", max_iterations=3, tolerance=1e-9)
    assert design.status == "iteration-limit" and design.relative_gap > 1e-9
    design = elfving.design(table(200, 5), "d", method="multiplicative", time_limit=0.0, tolerance=1e-12)
    assert design.status == "stopped"


def test_progress_is_handed_over_and_may_stop() -> None:
    seen: list[elfving.Progress] = []
    elfving.design(table(2000, 8), "g", gamma=0.1, progress=seen.append)
    assert seen and all(isinstance(progress, elfving.Progress) for progress in seen)
    design = elfving.design(
        table(20000, 20), "d", method="mirror-descent", tolerance=1e-12, max_iterations=100_000, progress=lambda _: True
    )
    assert design.status == "stopped"

    def fails(_: elfving.Progress) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        elfving.design(table(20000, 20), "d", method="mirror-descent", tolerance=1e-12, progress=fails)


def test_a_bar_is_shown_where_tqdm_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert elfving.design(table(500, 4), "g", progress=True).status == "certified"
    with pytest.raises(elfving.OptionError, match="progress"):
        elfving.design(LINE, progress="loud")


def test_a_warm_start_may_be_a_design_or_weights() -> None:
    cold = elfving.design(table(100, 4), "g")
    for start in (cold, cold.weights):
        warm = elfving.design(table(100, 4), "g", warm=start)
        assert warm.value == pytest.approx(cold.value, rel=1e-5)
    with pytest.raises(elfving.OptionError, match="weights for"):
        elfving.design(LINE, warm=cold)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"gamma": -1.0}, "gamma must be a finite number >= 0"),
        ({"gamma": float("nan")}, "gamma must be"),
        ({"tolerance": 0.0}, "tolerance must be"),
        ({"criterion": "q"}, "there is no criterion"),
        ({"method": "magic"}, "there is no method"),
        ({"time_limit": -1.0}, "time_limit"),
        ({"targets": [99]}, "there is no row 99"),
        ({"criterion": "g", "method": "elfving-set"}, "criterion"),
    ],
)
def test_wrong_options_are_value_errors(options: dict, says: str) -> None:
    with pytest.raises(ValueError, match=says) as refused:
        elfving.design(LINE, **options)
    assert isinstance(refused.value, elfving.OptionError)


def test_a_target_outside_the_span_is_named() -> None:
    pool = elfving.Pool([[1.0, 0.0], [2.0, 0.0]], choices=[[1.0, 0.0], [0.0, 1.0]], choice_ids=["in", "out"])
    with pytest.raises(elfving.NotIdentifiable, match='target "out" lies outside'):
        elfving.design(pool, "g")
    assert elfving.design(pool, "g", gamma=0.1).status == "certified"


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_wild_scales_work_or_are_refused_in_words(scale: float) -> None:
    try:
        design = elfving.design(scale * table(20, 2), "g")
        assert np.isfinite(design.value)
    except elfving.NumericalError as refused:
        assert "scale" in str(refused)


def test_one_candidate_is_an_answer() -> None:
    assert elfving.design([[1.0, 2.0]], "g").weights.tolist() == [1.0]


@pytest.mark.parametrize(
    "design",
    [
        elfving.design(LINE, "g"),
        elfving.design(elfving.Pool(LINE, ids=list("abcdefghijk")), "c", targets="k"),
        elfving.design(LINE, "c", direction=[1.0, 2.0]),
        elfving.design(elfving.Pool(table(20, 1), kernel=kernels.rbf(0.3)), "xy", gamma=0.1),
        elfving.design(LINE, "v", targets=[0, 1, 10]),
    ],
    ids=["g", "id", "direction", "kernel", "rows"],
)
def test_pickle_and_json_bring_the_same_design_back(design: elfving.Design) -> None:
    copies = [pickle.loads(pickle.dumps(design)), copy.deepcopy(design), elfving.Design.from_json(design.to_json(), design.pool)]
    for again in copies:
        assert again.to_dict() == design.to_dict()
        assert np.array_equal(again.weights, design.weights)
        assert again.recheck().value == pytest.approx(design.value)


def test_a_design_for_another_pool_is_refused() -> None:
    design = elfving.design(LINE)
    with pytest.raises(elfving.DataError, match="has 5 candidates, the design was computed on 11"):
        elfving.Design.from_json(design.to_json(), elfving.Pool(LINE[:5]))
    with pytest.raises(elfving.DataError, match="not a design"):
        elfving.Design.from_json("{}", design.pool)
    with pytest.raises(elfving.DataError, match="not a design"):
        elfving.Design.from_json("nonsense", design.pool)


def test_it_says_what_it_is() -> None:
    design = elfving.design(LINE, tolerance=1e-9)
    assert repr(design).startswith("Design(certified: g = 2, within ")
    assert "<table>" in design._repr_html_() and "and" not in design._repr_html_().split("<tbody>")[1]
    assert repr(elfving.Pool(LINE)) == "Pool(11 candidates)"
    assert "&lt;b&gt;" in elfving.design(elfving.Pool([[1.0]], ids=["<b>"]))._repr_html_()


@given(st.integers(2, 12), st.integers(1, 3), st.floats(0.01, 10), st.integers(0, 1000))
def test_every_design_is_certified_and_checks_out(rows: int, columns: int, gamma: float, seed: int) -> None:
    design = elfving.design(table(rows, columns, seed), "g", gamma=gamma)
    assert design.status == "certified"
    again = design.recheck()
    assert again.bound <= design.value * (1 + 1e-9)
    uniform = np.full(rows, 1 / rows)
    x = table(rows, columns, seed)
    information = x.T @ (uniform[:, None] * x) + gamma * np.eye(columns)
    of_uniform = np.max(np.einsum("ij,ji->i", x, np.linalg.solve(information, x.T)))
    assert design.lower_bound <= of_uniform * (1 + 1e-9)

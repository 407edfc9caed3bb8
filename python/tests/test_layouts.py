"""Every entry point gives the same answer for the same numbers, however they lie in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import elfving
import numpy as np
import pytest
from conftest import layouts, table, whole_layouts
from elfving import complexity, kernels, robust_mean
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

# Not symmetric in any way, so that a transposed or reversed reading is another table.
WHOLE = np.random.default_rng(3).integers(-9, 10, size=(12, 3)).astype(float)
TARGETS = np.random.default_rng(4).integers(-9, 10, size=(5, 3)).astype(float)
TRUTH = np.arange(12.0) ** 2 % 7

ENTRIES: dict[str, Callable[[Any], Any]] = {
    "design": lambda x: elfving.design(x, "g").weights,
    "design d": lambda x: elfving.design(x, "d").weights,
    "design with a ridge": lambda x: elfving.design(x, "xy", gamma=0.1).weights,
    "design under a kernel": lambda x: elfving.design(elfving.Pool(x, kernel=kernels.rbf(4.0)), "g", gamma=0.1).weights,
    "median lengthscale": lambda x: elfving.Pool(x, kernel=kernels.matern52()).kernel,
    "polynomial model": lambda x: elfving.design(elfving.Pool(x, polynomial_model=2), "d", gamma=1e-3).weights,
    "standardised": lambda x: elfving.Pool(x, standardize=True).coordinates,
    "coordinates": lambda x: elfving.Pool(x).coordinates,
    "variance": lambda x: elfving.design(x).variance(),
    "round": lambda x: elfving.round(elfving.design(x), 20).counts,
    "draw": lambda x: elfving.draw(elfving.design(x), 30, seed=5).order,
    "bandit": lambda x: [
        pull.row
        for pull in elfving.Bandit(x, goal="best", epsilon=0.1, sigma=0.1, norm=1.0, noise="sub-gaussian").ask(5)
    ],
    "simulate": lambda x: elfving.simulate(x, TRUTH, algorithm="gp-ucb", budget=8, goal="regret", repetitions=2)["gp-ucb"].regret,
    "complexity": lambda x: complexity.worst_variance(x),
    "rho*": lambda x: complexity.rho_star(x, TRUTH, gamma=0.1),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_layout_of_a_pool_does_not_matter(entry: str) -> None:
    expected = ENTRIES[entry](WHOLE)
    for layout, array in whole_layouts(WHOLE).items():
        found = ENTRIES[entry](array)
        assert np.array_equal(found, expected) if isinstance(expected, np.ndarray) else found == expected, layout


def test_the_layout_of_targets_does_not_matter() -> None:
    expected = elfving.design(WHOLE, "g", targets=TARGETS)
    for layout, targets in whole_layouts(TARGETS).items():
        found = elfving.design(WHOLE, "g", targets=targets)
        assert np.array_equal(found.weights, expected.weights), layout
        assert np.array_equal(elfving.design(elfving.Pool(WHOLE, choices=targets), "g").weights, expected.weights)


def test_the_layout_of_a_kernel_matrix_does_not_matter() -> None:
    gram = WHOLE @ WHOLE.T
    expected = elfving.design(elfving.Pool.from_gram(gram), "g", gamma=1.0).weights
    for layout, array in whole_layouts(gram).items():
        if "16" in layout or "int8" in layout:
            continue
        assert np.array_equal(elfving.design(elfving.Pool.from_gram(array), "g", gamma=1.0).weights, expected), layout


def test_the_compiled_half_follows_strides_itself() -> None:
    for layout, array in layouts(WHOLE).items():
        if layout in ("list", "big-endian"):
            continue
        pool = elfving._native.Pool.from_arrays(array, None, None, None, None, "{}", 0)
        assert np.array_equal(pool.coordinates(), WHOLE), layout


def vectors(values: np.ndarray) -> dict[str, Any]:
    strided = np.zeros(2 * len(values))
    strided[::2] = values
    read_only = values.copy()
    read_only.flags.writeable = False
    backwards = np.ascontiguousarray(values[::-1])[::-1]
    kinds = {kind: values.astype(kind) for kind in ("float32", "int64", "int8")}
    return {"strided": strided[::2], "reversed": backwards, "read-only": read_only, "list": values.tolist(), **kinds}


def test_the_layout_of_outcomes_samples_and_directions_does_not_matter() -> None:
    plan = elfving.draw(elfving.design(np.eye(3)), 40, seed=2)
    outcomes = np.arange(40.0) % 5
    samples = np.arange(40.0) % 7
    direction = np.array([1.0, -2.0, 3.0])

    def answers(y: Any, s: Any, c: Any) -> list[Any]:
        return [
            elfving.estimate(plan, y, sigma=1.0, bound=5.0).estimate.tolist(),
            robust_mean.catoni(s, variance=9.0),
            elfving.design(WHOLE, "c", direction=c).weights.tolist(),
            elfving.simulate(WHOLE, s[:12] if len(s) > 12 else s, algorithm="random", budget=4, repetitions=1)["random"].regret,
        ]

    expected = answers(outcomes, samples, direction)
    for layout in vectors(outcomes):
        found = answers(vectors(outcomes)[layout], vectors(samples)[layout], vectors(direction)[layout])
        assert found == expected, layout


@given(
    hnp.arrays(np.float64, st.tuples(st.integers(2, 8), st.integers(1, 4)), elements=st.floats(-100, 100, width=32)),
    st.data(),
)
def test_any_view_reads_as_its_copy(array: np.ndarray, data: st.DataObject) -> None:
    layout = data.draw(st.sampled_from(sorted(layouts(array))))
    assert np.array_equal(elfving.Pool(layouts(array)[layout]).coordinates, array)


def test_an_array_that_is_a_view_into_a_frame_is_read_right() -> None:
    import pandas as pd

    frame = pd.DataFrame(table(20, 3), columns=["a", "b", "c"])
    assert np.array_equal(elfving.Pool(frame).coordinates, frame.to_numpy())
    assert np.array_equal(elfving.Pool(frame[::-1]).coordinates, frame.to_numpy()[::-1])
    assert np.array_equal(elfving.Pool(frame[["c", "a"]]).coordinates, frame.to_numpy()[:, [2, 0]])

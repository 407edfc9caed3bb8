"""What the tests share."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

# Numbers on a shared machine take as long as they take.
settings.register_profile("elfving", deadline=None, max_examples=40)
settings.load_profile("elfving")


@pytest.fixture(scope="session")
def program() -> Callable[..., Any]:
    """Runs the program with arguments; gives its JSON, or its text without ``--json``."""
    path = os.environ.get("ELFVING_PROGRAM")
    if path is None:
        pytest.skip("ELFVING_PROGRAM names the program to compare with")

    def run(*arguments: Any, env: dict[str, str] | None = None, cwd: Path | None = None) -> Any:
        words = [str(argument) for argument in arguments]
        answer = subprocess.run(
            [path, *words], capture_output=True, text=True, check=True, env={**os.environ, **(env or {})}, cwd=cwd
        )
        return json.loads(answer.stdout) if "--json" in words else answer.stdout

    return run


def table(rows: int = 40, columns: int = 3, seed: int = 7) -> np.ndarray:
    """Reproducible features."""
    return np.random.default_rng(seed).normal(size=(rows, columns))


@pytest.fixture
def features() -> np.ndarray:
    return table()


def layouts(array: np.ndarray) -> dict[str, np.ndarray]:
    """The same numbers in every layout that NumPy has."""
    rows, columns = array.shape
    strided = np.zeros((2 * rows, 3 * columns))
    strided[::2, ::3] = array
    read_only = array.copy()
    read_only.flags.writeable = False
    offset = np.zeros(array.size + 1)[1:].reshape(array.shape)
    offset[...] = array
    return {
        "C": np.ascontiguousarray(array),
        "Fortran": np.asfortranarray(array),
        "strided": strided[::2, ::3],
        "reversed": np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1],
        "reversed rows": np.ascontiguousarray(array[::-1])[::-1],
        "transposed": np.ascontiguousarray(array.T).T,
        "read-only": read_only,
        "offset": offset,
        "big-endian": array.astype(">f8"),
        "list": array.tolist(),
    }


def whole_layouts(array: np.ndarray) -> dict[str, np.ndarray]:
    """The layouts of whole numbers in every type that holds them."""
    kinds = {name: array.astype(name) for name in ("float32", "float16", "int8", "int32", "int64", "longdouble")}
    fortran = {f"{name}, Fortran": np.asfortranarray(value) for name, value in kinds.items()}
    reversed_ = {f"{name}, reversed": np.ascontiguousarray(value[::-1])[::-1] for name, value in kinds.items()}
    return {**layouts(array), **kinds, **fortran, **reversed_}

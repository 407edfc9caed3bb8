"""Outcomes in, by kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._numpy import np
from .exceptions import DataError


def outcomes_of(results: Mapping[Any, Any]) -> list[tuple[str, tuple[str, list[float]]]]:
    return [(str(slot), outcome_of(str(slot), told)) for slot, told in results.items()]


def outcome_of(slot: str, told: Any) -> tuple[str, list[float]]:
    """An outcome sorted by kind: failed, one value, a value with its error, or repeats."""
    if told is None or (isinstance(told, str) and told == "failed"):
        return "failed", []
    if isinstance(told, str) and told == "infeasible":
        return "infeasible", []
    if isinstance(told, tuple):
        if len(told) != 2:
            raise DataError(f"{slot}: a pair is (value, standard_error); repeats are a list")
        return "error", [_number(slot, part) for part in told]
    if isinstance(told, (list, np.ndarray)) and np.ndim(told) == 1:
        return "repeats", [_number(slot, part) for part in told]
    return "value", [_number(slot, told)]


def _number(slot: str, value: Any) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise DataError(f"{slot}: {value!r} is not a number; tell a failed measurement as None or 'failed'")
    return float(value)

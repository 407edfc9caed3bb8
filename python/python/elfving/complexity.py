"""What a problem costs, in the quantities of the theory. A number that a design is behind comes with certified bounds.

>>> import numpy as np
>>> from elfving import complexity
>>> found = complexity.worst_variance(np.eye(3))
>>> round(found.value, 6), found.at_least <= 3 <= found.at_most
(3.0, True)

Each function takes a pool (or what makes one) and, where it depends on the outcomes, ``truth``: a guess of the mean outcomes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from . import _native
from ._arrays import vector
from ._numpy import np
from ._pool import as_pool
from .exceptions import OptionError

__all__ = [
    "CharacteristicTime",
    "EffectiveDimension",
    "Enclosure",
    "GreedyGain",
    "Truth",
    "characteristic_time",
    "effective_dimension",
    "epsilon_bar",
    "floor",
    "greedy_information_gain",
    "information_gain",
    "near_best_variance",
    "rho_star",
    "truth",
    "worst_subset",
    "worst_variance",
]


@dataclass(frozen=True)
class Enclosure:
    """A number, and what it is for certain at least and at most."""

    value: float
    at_least: float
    at_most: float

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True)
class EffectiveDimension:
    """How many directions matter: ``trace`` is tr A(A + gamma I)^-1, ``count`` the eigenvalues above gamma."""

    trace: float
    count: int
    dimension: int


@dataclass(frozen=True)
class GreedyGain:
    """What measurements chosen greedily tell, and which rows these are."""

    value: float
    points: list[int]


@dataclass(frozen=True)
class CharacteristicTime:
    """T*, and the measurements that no algorithm goes below, on average."""

    time: Enclosure
    measurements: float


@dataclass(frozen=True)
class Truth:
    """The linear truth that explains the means best."""

    norm: float
    misfit: float
    best: str


def _ask(pool: Any, quantity: str, truth: Any, gamma: float, tolerance: float, **numbers: Any) -> Any:
    for name, number in {"gamma": gamma, "tolerance": tolerance, **numbers}.items():
        if isinstance(number, float) and not np.isfinite(number):
            raise OptionError(f"{name} must be a finite number, got {number}")
    question = json.dumps({"gamma": gamma, "tolerance": tolerance, **numbers})
    means = None if truth is None else vector(truth, "the truth")
    return json.loads(_native.complexity(as_pool(pool)._native, quantity, question, means))


def worst_variance(pool: Any, *, over: str = "points", gamma: float = 0.0, tolerance: float = 1e-6) -> Enclosure:
    """f: the variance that the best design leaves at the worst choice, or at the worst of their ``differences``."""
    return Enclosure(**_ask(pool, "worst_variance", None, gamma, tolerance, over=over))


def effective_dimension(pool: Any, *, gamma: float, tolerance: float = 1e-6) -> EffectiveDimension:
    """How many directions matter at the ridge gamma."""
    return EffectiveDimension(**_ask(pool, "effective_dimension", None, gamma, tolerance))


def worst_subset(pool: Any, *, gamma: float, tolerance: float = 1e-6) -> Enclosure:
    """f of the worst subset of the candidates."""
    return Enclosure(**_ask(pool, "worst_subset", None, gamma, tolerance))


def information_gain(
    pool: Any, *, horizon: float, sigma: float = 1.0, gamma: float = 0.0, tolerance: float = 1e-6
) -> Enclosure:
    """What ``horizon`` measurements can tell at most: log det(I + T K / sigma^2)."""
    return Enclosure(**_ask(pool, "information_gain", None, gamma, tolerance, horizon=horizon, noise=sigma**2))


def greedy_information_gain(
    pool: Any, *, horizon: int, sigma: float = 1.0, gamma: float = 0.0, tolerance: float = 1e-6
) -> GreedyGain:
    """What ``horizon`` measurements chosen one by one tell."""
    return GreedyGain(**_ask(pool, "greedy_information_gain", None, gamma, tolerance, horizon=horizon, noise=sigma**2))


def floor(
    pool: Any,
    *,
    norm: float | None = None,
    truth: Any = None,
    misspecification: float = 0.0,
    gamma: float = 0.0,
    tolerance: float = 1e-6,
) -> Enclosure:
    """The accuracy below which eliminations are not protected from the bias; the norm is that of the truth unless given."""
    numbers = {"norm": norm, "misspecification": misspecification}
    return Enclosure(**_ask(pool, "floor", truth, gamma, tolerance, **numbers))


def truth(pool: Any, means: Any, *, gamma: float = 0.0, tolerance: float = 1e-6) -> Truth:
    """The linear truth that explains the means best: its norm, and the largest distance of a mean from it."""
    return Truth(**_ask(pool, "truth", means, gamma, tolerance))


def rho_star(pool: Any, truth: Any, *, epsilon: float = 0.0, gamma: float = 0.0, tolerance: float = 1e-6) -> Enclosure:
    """What finding a choice within epsilon of the best costs, for this truth."""
    return Enclosure(**_ask(pool, "rho_star", truth, gamma, tolerance, epsilon=epsilon))


def near_best_variance(
    pool: Any, truth: Any, *, epsilon: float = 0.0, gamma: float = 0.0, tolerance: float = 1e-6
) -> Enclosure:
    """The variance among the choices within epsilon of the best."""
    return Enclosure(**_ask(pool, "near_best_variance", truth, gamma, tolerance, epsilon=epsilon))


def epsilon_bar(
    pool: Any,
    truth: Any,
    *,
    misspecification: float = 0.0,
    over: str = "points",
    gamma: float = 0.0,
    tolerance: float = 1e-6,
) -> Enclosure:
    """The accuracy from which the theorem speaks."""
    numbers = {"misspecification": misspecification, "over": over}
    return Enclosure(**_ask(pool, "epsilon_bar", truth, gamma, tolerance, **numbers))


def characteristic_time(
    pool: Any,
    truth: Any,
    *,
    norm: float | None = None,
    sigma: float = 1.0,
    delta: float = 0.05,
    gamma: float = 0.0,
    tolerance: float = 1e-6,
) -> CharacteristicTime:
    """No algorithm names the best in fewer than T* sigma^2 log(1/(2.4 delta)) measurements, on average."""
    found = _ask(pool, "characteristic_time", truth, gamma, tolerance, norm=norm, sigma=sigma, delta=delta)
    return CharacteristicTime(Enclosure(**found["time"]), float(found["measurements"]))

"""What an answer will cost, before the first measurement."""

from __future__ import annotations

import json
from typing import Any

from . import _native
from ._arrays import vector
from ._goals import tails_of
from ._html import escape
from ._numpy import np
from ._pool import as_pool
from .exceptions import OptionError

__all__ = ["Forecast", "plan"]

_NEEDS = {"norm": "norm=", "sub-gaussian": "noise='sub-gaussian'", "bound": "bound="}


class Forecast:
    """What the certified algorithms will cost: the fields of ``elfving plan --json``, as attributes. Made by :func:`elfving.plan`."""

    __slots__ = ("_document",)
    _document: dict[str, Any]

    def __init__(self, document: dict[str, Any]) -> None:
        object.__setattr__(self, "_document", document)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a forecast does not change")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._document:
            raise AttributeError(f"a forecast has no {name!r}; it has {', '.join(self._document)}")
        return self._document[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._document]

    @property
    def worst_case(self) -> dict[str, int | None]:
        """Measurements at worst by algorithm; ``None`` where they are not computed, or epsilon is out of reach."""
        found: dict[str, int | None] = {}
        for one in self._document["algorithms"]:
            worst = one["worst_case"]
            found[one["algorithm"]] = worst["samples"] if worst is not None and worst["reached"] else None
        return found

    @property
    def missing(self) -> dict[str, list[str]]:
        """The keywords that an algorithm needs and that were not given."""
        return {one["algorithm"]: [_NEEDS[need] for need in one["missing"]] for one in self._document["algorithms"]}

    def to_dict(self) -> dict[str, Any]:
        """The document of ``elfving plan --json``."""
        document: dict[str, Any] = json.loads(json.dumps(self._document))
        return document

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Forecast) and self._document == other._document

    def __hash__(self) -> int:
        return hash(json.dumps(self._document, sort_keys=True))

    def __repr__(self) -> str:
        costs = ", ".join(f"{name} {samples}" for name, samples in self.worst_case.items() if samples is not None)
        at = f"epsilon {self._document['epsilon']:g}, delta {self._document['delta']:g}"
        return f"Forecast({self._document['n']} candidates, {at}; at worst: {costs or 'nothing reaches epsilon'})"

    def _repr_html_(self) -> str:
        def simulated(found: dict[str, Any] | None) -> str:
            if found is None:
                return "-"
            samples = found["samples"]
            if samples is None or found["stopped"] < 1:
                return f"more than {found['budget']}"
            return f"{samples['mean']:.4g} ± {samples['standard_error']:.2g}"

        rows = ""
        for one in self._document["algorithms"]:
            name = one["algorithm"]
            worst, needs = self.worst_case[name], " and ".join(self.missing[name])
            cells = [name, "-" if worst is None else str(worst), simulated(one["all_equal"]), simulated(one["guess"])]
            rows += "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in [*cells, needs]) + "</tr>"
        head = "".join(f"<th>{title}</th>" for title in ("algorithm", "at worst", "all equal", "the guess", "needs"))
        return f"<table><caption>{escape(repr(self))}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Forecast, (self._document,)


def plan(
    pool: Any,
    *,
    epsilon: float,
    sigma: float,
    noise: str = "bounded-variance",
    bound: float | None = None,
    norm: float | None = None,
    misspecification: float = 0.0,
    delta: float = 0.05,
    gamma: float | None = None,
    batch: int = 10,
    budget: int = 20_000,
    repetitions: int = 3,
    truth: Any = None,
    minimize: bool = False,
    seed: int = 0,
) -> Forecast:
    """How many measurements it takes to find a candidate within ``epsilon`` of the best. Nothing is measured.

    Parameters
    ----------
    pool : Pool, or what makes one
        What can be measured.
    epsilon : float
        How far from the best an answer may be, in the unit of the outcome.
    sigma, noise, bound, norm, misspecification
        What is assumed: the noise level, its tails (``sub-gaussian`` or ``bounded-variance``), bounds on the mean outcomes and on
        the norm of the true function, its distance from the model.
    delta : float
        The probability of a wrong answer.
    gamma : float, optional
        The ridge; chosen round by round unless given.
    batch, budget, repetitions, seed : int
        Of the simulations: measurements at a time, measurements after which a run is given up, runs, the seed.
    truth : array-like, optional
        A guess of the mean outcome of each candidate; with ``minimize`` small ones are good.

    Examples
    --------
    >>> import numpy as np, elfving
    >>> costs = elfving.plan(np.eye(3), epsilon=0.5, sigma=0.1, bound=1.0)
    >>> costs.worst_case["ptr-best"] < costs.worst_case["rips-best"]
    True
    >>> costs.missing["ptr-best"]
    ["noise='sub-gaussian'"]
    """
    numbers = {"epsilon": epsilon, "sigma": sigma, "bound": bound, "norm": norm, "gamma": gamma}
    for name, number in {**numbers, "misspecification": misspecification, "delta": delta}.items():
        if number is not None and not np.isfinite(number):
            raise OptionError(f"{name} must be a finite number, got {number}")
    for name, count in {"batch": batch, "budget": budget, "repetitions": repetitions}.items():
        if count < 1:
            raise OptionError(f"{name} must be at least 1")
    asked = {
        "assumptions": {
            "sigma": sigma,
            "tails": tails_of(noise),
            "bound": bound,
            "norm": norm,
            "misspecification": misspecification,
        },
        "epsilon": epsilon,
        "delta": delta,
        "gamma": gamma,
        "batch": batch,
        "repetitions": repetitions,
        "budget": budget,
        "seed": seed,
    }
    means = None if truth is None else vector(truth, "the truth")
    if means is not None and minimize:
        means = -means
    return Forecast(json.loads(_native.forecast(as_pool(pool)._native, json.dumps(asked), means)))

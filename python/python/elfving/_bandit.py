"""Ask, tell and decide, in memory: the algorithms behind campaigns, for platforms and research."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import _native
from ._goals import goal_of, tails_of
from ._html import escape
from ._numpy import np
from ._outcomes import outcome_of
from ._pool import Pool, as_pool
from ._renamed import renamed
from ._seeds import seed_of
from .exceptions import DataError, OptionError

__all__ = ["Bandit", "BanditReport", "Pull", "algorithms"]


@dataclass(frozen=True)
class Pull:
    """One measurement that a bandit asks for."""

    slot: int
    """Its number: with it the outcome comes back."""
    row: int
    """The row of the candidate."""
    id: str
    """The candidate."""
    why: str
    """Why it was chosen."""


@dataclass(frozen=True)
class BanditReport:
    """What an algorithm knows and guarantees, in your names and sign."""

    algorithm: str
    goal: dict[str, Any]
    status: Any
    guarantee: str
    delta: float
    picks: list[str]
    epsilon: float | None
    floor: float | None
    survivors: list[str]
    intervals: list[dict[str, Any]]
    eliminated: list[dict[str, Any]]
    rounds: int
    samples: int
    assumptions: list[str]
    margins: dict[str, float | None]
    standing: dict[str, int] | None

    def to_json(self) -> str:
        """The report as JSON."""
        return json.dumps(self.__dict__)

    @classmethod
    def from_json(cls, text: str) -> BanditReport:
        """A report that :meth:`to_json` wrote."""
        return cls(**json.loads(text))

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{escape(line)}</li>" for line in self.assumptions)
        head = f"{self.algorithm}: pick {', '.join(self.picks)} after {self.samples} measurements ({self.guarantee})"
        return f"<p>{escape(head)}</p><ul>{lines}</ul>"


def algorithms() -> list[str]:
    """Every algorithm by name.

    >>> "ellipsoid-best" in algorithms()
    True
    """
    return list(_native.algorithms())


class Bandit:
    """A conversation with an algorithm.

    Parameters
    ----------
    pool : Pool, or what makes one
        What can be measured and chosen.
    algorithm : str
        One of :func:`algorithms`, or ``auto``: the certified one for what is assumed.
    goal : {"best", "top", "all-good", "regret", "map"}
        What is wanted, with ``epsilon`` and ``top``; ``horizon`` is the number of measurements of ``regret``, where known.
    sigma, noise, bound, norm, misspecification
        What is assumed about noise and model; ``noise`` is ``"sub-gaussian"`` or ``"bounded-variance"``.
    delta : float
        The probability with which a verdict may be wrong.
    gamma : float, optional
        The ridge; chosen by the algorithm unless given.
    budget : int, optional
        Measurements in all, at most.
    minimize : bool
        Small outcomes are good.
    seed : int, NumPy generator or None
        The seed of every random choice.

    Examples
    --------
    >>> import numpy as np, elfving
    >>> means = np.array([0.1, 0.9, 0.3])
    >>> bandit = elfving.Bandit(np.eye(3), goal="best", epsilon=0.2, sigma=0.1, norm=1.0, noise="sub-gaussian")
    >>> while pulls := bandit.ask(3):
    ...     for pull in pulls:
    ...         _ = bandit.tell(pull, means[pull.row])
    >>> bandit.report().picks
    ['1']
    """

    @renamed(sub_gaussian='noise="sub-gaussian"', random_state="seed=")
    def __init__(
        self,
        pool: Any,
        *,
        algorithm: str = "auto",
        goal: str = "best",
        epsilon: float = 0.0,
        top: int = 3,
        horizon: int | None = None,
        sigma: float = 0.0,
        bound: float | None = None,
        norm: float | None = None,
        misspecification: float = 0.0,
        noise: str = "bounded-variance",
        delta: float = 0.05,
        gamma: float | None = None,
        budget: int | None = None,
        minimize: bool = False,
        seed: Any = 0,
    ) -> None:
        self._pool = as_pool(pool)
        assumptions = {
            "sigma": sigma,
            "bound": bound,
            "norm": norm,
            "misspecification": misspecification,
            "tails": tails_of(noise),
        }
        for name, number in {**assumptions, "delta": delta, "gamma": gamma, "epsilon": epsilon}.items():
            if isinstance(number, float) and not np.isfinite(number):
                raise OptionError(f"{name} must be a finite number, got {number}")
        if budget is not None and budget < 1:
            raise OptionError("budget must be at least 1")
        asked = {
            "goal": goal_of(goal, epsilon, top, budget if horizon is None else horizon),
            "assumptions": assumptions,
            "delta": delta,
            "gamma": gamma,
            "seed": seed_of(seed),
            "minimise": minimize,
        }
        self._start(algorithm, json.dumps(asked), budget)

    def _start(self, algorithm: str, asked: str, budget: int | None) -> None:
        self._native = _native.Bandit(self._pool._native, algorithm, asked, budget)
        self._question = (algorithm, asked, budget)
        self._history: list[tuple[str, tuple[Any, ...]]] = []

    def _say(self, what: str, *arguments: Any) -> Any:
        """Says it to the algorithm and keeps it."""
        answer = getattr(self._native, what)(*arguments)
        self._history.append((what, arguments))
        return answer

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickled bandit comes back by having the same conversation again: every choice follows from the seed."""
        return _restored, (type(self), self._pool, self._question, self._history)

    @property
    def pool(self) -> Pool:
        """The pool."""
        return self._pool

    @property
    def algorithm(self) -> str:
        """The algorithm."""
        return self._native.algorithm

    @property
    def because(self) -> str:
        """Why it was chosen, where it was ``auto``."""
        return self._native.because

    def ask(self, batch: int = 1) -> list[Pull]:
        """What to measure now: open slots again, or up to ``batch`` new ones; empty when the algorithm has finished."""
        if batch < 1:
            raise OptionError("a batch has at least 1 measurement")
        asked: list[tuple[int, int, str]] = self._say("ask", batch)
        named = not self._pool._native.is_numbered
        ids = self._pool.ids if named and asked else []
        return [Pull(slot, row, ids[row] if named else str(row), why) for slot, row, why in asked]

    def tell(self, pull: Pull | int | Mapping[Any, Any], outcome: Any = ...) -> str:
        """Takes an outcome in: a number, a list of repeats, a pair ``(value, standard_error)``, or ``None`` for a failed run.

        A mapping from pulls (or slots) to outcomes tells several. Returns ``recorded``, ``repeated`` or ``asked-again``.
        """
        if isinstance(pull, Mapping):
            if outcome is not ...:
                raise OptionError("tell a mapping, or one pull and its outcome")
            word = "repeated"
            for one, told in pull.items():
                word = self.tell(one, told)
            return word
        if outcome is ...:
            raise OptionError("tell one pull and its outcome, or a mapping")
        slot = pull.slot if isinstance(pull, Pull) else int(pull)
        if slot < 0:
            raise DataError(f"{slot} is not a slot")
        said: str = self._say("tell", slot, outcome_of(f"slot {slot}", outcome))
        return said

    def earlier(self, measured: Mapping[Any, Any]) -> bool:
        """Takes in measurements made before, by id or row; returns whether the algorithm uses them."""
        listed = [(self._pool.rows([name])[0], outcome_of(str(name), told)) for name, told in measured.items()]
        used: bool = self._say("earlier", listed)
        return used

    def force(self, candidates: Any) -> None:
        """Makes these candidates, by id or row, the next round."""
        self._say("force", self._pool.rows(candidates))

    def close(self) -> None:
        """Closes the round with the outcomes there are; nothing is guaranteed from then on."""
        self._say("close_without_guarantee")

    @property
    def finished(self) -> bool:
        """Whether nothing more is measured."""
        return self._native.finished()

    @property
    def open_slots(self) -> int:
        """Slots asked and not told."""
        return self._native.open_slots()

    def report(self) -> BanditReport:
        """The answer so far, what is guaranteed, who is still in and which bound removed the others."""
        return BanditReport(**json.loads(self._native.report()))

    def __repr__(self) -> str:
        return f"Bandit({self.algorithm} on {len(self._pool)} candidates)"


def _restored(
    kind: type[Bandit],
    pool: Pool,
    question: tuple[str, str, int | None],
    history: list[tuple[str, tuple[Any, ...]]],
) -> Bandit:
    bandit = kind.__new__(kind)
    bandit._pool = pool
    bandit._start(*question)
    for what, arguments in history:
        bandit._say(what, *arguments)
    return bandit

"""What algorithms would have done on a pool whose truth is known, many times over."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _native
from ._arrays import vector
from ._goals import goal_of, tails_of
from ._html import escape
from ._numpy import np
from ._pool import as_pool
from ._progress import Counter
from ._renamed import renamed
from ._seeds import seed_of
from .exceptions import OptionError

if TYPE_CHECKING:
    from ._arrays import FloatArray

__all__ = ["AlgorithmRuns", "Simulation", "simulate"]


class AlgorithmRuns:
    """The runs of one algorithm: curves with standard errors, and what came out at the end."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._document:
            raise AttributeError(f"there is no {name!r}; there are {', '.join(self._document)}")
        return self._document[name]

    def __reduce__(self) -> tuple[Any, ...]:
        return AlgorithmRuns, (self._document,)

    def curve_of(self, what: str = "regret") -> tuple[FloatArray, FloatArray, FloatArray]:
        """Measurements, mean and standard error of ``regret`` or ``simple_regret`` along the runs."""
        points = self._document["curve"]
        mean = np.array([point[what]["mean"] for point in points], dtype=np.float64)
        error = np.array([point[what]["standard_error"] for point in points], dtype=np.float64)
        return np.array([point["samples"] for point in points], dtype=np.float64), mean, error

    def __repr__(self) -> str:
        regret = self._document["regret"]
        return f"AlgorithmRuns({self._document['algorithm']}: regret {regret['mean']:.4g} ± {regret['standard_error']:.2g})"


class Simulation(Mapping[str, AlgorithmRuns]):
    """The runs of every algorithm, by name. Made by :func:`elfving.simulate`."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._runs = {entry["algorithm"]: AlgorithmRuns(entry) for entry in document["algorithms"]}

    def __getitem__(self, algorithm: str) -> AlgorithmRuns:
        return self._runs[algorithm]

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    def to_dict(self) -> dict[str, Any]:
        """The document of ``elfving simulate --json``."""
        document: dict[str, Any] = json.loads(json.dumps(self._document))
        return document

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self._document)

    @classmethod
    def from_json(cls, text: str) -> Simulation:
        """A simulation that :meth:`to_json` or the command line wrote."""
        return cls(json.loads(text))

    def __reduce__(self) -> tuple[Any, ...]:
        return Simulation, (self._document,)

    def __repr__(self) -> str:
        return f"Simulation({self._document['repeats']} runs of {self._document['budget']} measurements: {', '.join(self)})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{runs.regret['mean']:.4g}</td><td>{runs.simple_regret['mean']:.4g}</td>"
            f"<td>{runs.stopped:.0%}</td></tr>"
            for name, runs in self.items()
        )
        head = "<tr><th>algorithm</th><th>regret</th><th>simple regret</th><th>stopped</th></tr>"
        return f"<table><caption>{escape(repr(self))}</caption><thead>{head}</thead><tbody>{rows}</tbody></table>"


@renamed(
    assumed_sigma="sigma=",
    bounded_variance='noise="bounded-variance"',
    tail="world_tail=",
    repeats="repetitions=",
    random_state="seed=",
)
def simulate(
    pool: Any,
    truth: Any = None,
    *,
    algorithm: str | Sequence[str],
    budget: int,
    records: Mapping[Any, Sequence[float]] | None = None,
    choice_truth: Any = None,
    minimize: bool = False,
    world_noise: str = "normal",
    world_tail: float | None = None,
    world_sigma: float = 0.1,
    perturb: float = 0.0,
    sigma: float | None = None,
    noise: str | None = None,
    bound: float | None = None,
    norm: float | None = None,
    misspecification: float = 0.0,
    delta: float = 0.05,
    gamma: float | None = None,
    goal: str = "best",
    epsilon: float = 0.0,
    top: int = 3,
    batch: int = 1,
    repetitions: int = 20,
    seed: Any = 0,
    progress: bool | Callable[[int, int], object] | None = None,
) -> Simulation:
    """Runs algorithms on a pool whose truth is known. They know the pool and what is assumed, never the truth.

    Parameters
    ----------
    pool : Pool, or what makes one
        What can be measured.
    truth : array-like
        The true mean of each candidate; ``choice_truth`` that of each choice, where these are others.
    algorithm : str or list of str
        Names from :func:`elfving.algorithms`, or ``auto``.
    budget, batch, repetitions : int
        Measurements of one run at most, measurements at a time, runs.
    records : mapping, optional
        In place of ``truth``: recorded outcomes by id or row; a measurement returns one of them.
    world_noise : str
        The noise of the simulated world: ``normal``, ``uniform``, ``rademacher``, ``student-t``, ``pareto``, ``two-point`` or ``bernoulli``, with its parameter
        ``world_tail`` and its standard deviation ``world_sigma``.
    perturb : float
        Move every true mean up or down by this much, at random.
    sigma, noise, bound, norm, misspecification, delta, gamma
        What the algorithms assume: by default the noise of the world, and the largest mean as the bound.
    goal, epsilon, top
        What is wanted.
    progress : bool or function, optional
        ``True`` shows a bar of tqdm if it is installed; a function gets the runs that are done, and all.

    Examples
    --------
    >>> import numpy as np, elfving
    >>> runs = elfving.simulate(np.eye(3), [0.1, 0.9, 0.3], algorithm=["random", "gp-ucb"], budget=30, goal="regret", repetitions=5)
    >>> runs["gp-ucb"].regret["mean"] < runs["random"].regret["mean"]
    True
    """
    pool = as_pool(pool)
    if (truth is None) == (records is None):
        raise OptionError("give truth= or records=, one of them")
    for name, count in {"budget": budget, "batch": batch, "repetitions": repetitions}.items():
        if count < 1:
            raise OptionError(f"{name} must be at least 1")
    if noise in ("normal", "uniform", "rademacher", "student-t", "pareto", "two-point", "bernoulli"):
        raise OptionError(f"noise={noise!r} is now world_noise={noise!r}")
    numbers = {"world_tail": world_tail, "world_sigma": world_sigma, "perturb": perturb, "sigma": sigma, "bound": bound, "norm": norm}
    numbers |= {"misspecification": misspecification, "delta": delta, "gamma": gamma, "epsilon": epsilon}
    for name, number in numbers.items():
        if number is not None and not np.isfinite(number):
            raise OptionError(f"{name} must be a finite number, got {number}")
    simulated = {
        "algorithms": [algorithm] if isinstance(algorithm, str) else list(algorithm),
        "goal": goal_of(goal, epsilon, top, budget),
        "budget": budget,
        "batch": batch,
        "repetitions": repetitions,
        "seed": seed_of(seed),
        "minimise": minimize,
        "sigma": sigma,
        "noise": None if noise is None else tails_of(noise),
        "bound": bound,
        "norm": norm,
        "misspecification": misspecification,
        "delta": delta,
        "gamma": gamma,
        "world": {"noise": world_noise, "tail": world_tail, "sigma": world_sigma, "perturb": perturb},
    }
    listed: list[list[float]] | None = None
    if records is not None:
        listed = [[] for _ in range(len(pool))]
        for name, values in records.items():
            listed[pool.rows([name])[0]].extend(float(value) for value in vector(values, f"the records of {name!r}"))
    with Counter(progress) as counter:
        document = _native.simulate(
            pool._native,
            None if truth is None else vector(truth, "the truth"),
            None if choice_truth is None else vector(choice_truth, "choice_truth"),
            listed,
            json.dumps(simulated),
            counter.callback,
        )
    return Simulation(json.loads(document))

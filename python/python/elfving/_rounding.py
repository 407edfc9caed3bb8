"""From the weights of a design to whole measurements."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import _native
from ._design import Design, design
from ._html import escape
from ._numpy import np
from ._renamed import renamed
from ._seeds import seed_of
from .exceptions import OptionError

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._arrays import FloatArray

__all__ = ["Allocation", "Draws", "draw", "exact_design", "round"]

_MOST_LISTED = 10_000_000


class _Plan:
    def __init__(self, native: _native.Plan, shuffle: int | None = None) -> None:
        self._native = native
        self._shuffle = shuffle

    @cached_property
    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self._native.document(self._shuffle))
        return document

    @property
    def design(self) -> Design:
        """The design it comes from."""
        return Design(self._native.design)

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """How often each candidate is measured, zeros included."""
        return self._native.counts()

    @property
    def total(self) -> int:
        """New measurements in all."""
        return int(self._document["total"])

    @property
    def budget(self) -> int:
        """Measurements asked for."""
        return int(self._document["budget"])

    @property
    def method(self) -> str:
        """The method that was asked for."""
        return str(self._document["method"])

    @property
    def value(self) -> float | None:
        """The criterion at the counts; ``None`` when some target is not determined."""
        return self._document["value"]  # type: ignore[no-any-return]

    @property
    def ratio(self) -> float | None:
        """The value next to that of the continuous design: 1.05 is a variance 5 % larger than if measurements could be split."""
        return self._document["ratio_to_continuous"]  # type: ignore[no-any-return]

    @property
    def efficiency_bound(self) -> float | None:
        """No plan of as many measurements is better by more than one over this; ``None`` when some target is not determined."""
        return self._document.get("efficiency_bound")

    @property
    def seed(self) -> int:
        """The seed of draws and run orders."""
        return int(self._document["seed"])

    @property
    def order(self) -> npt.NDArray[np.int64]:
        """The row of every measurement, in the order to make them; outcomes are given in this order."""
        return self._native.order(self._shuffle)

    @property
    def order_ids(self) -> list[str]:
        """The same by id."""
        ids = self.design.pool.ids
        return [ids[row] for row in self.order]

    def to_dict(self) -> dict[str, Any]:
        """The plan with the names of ``elfving round --json``."""
        document: dict[str, Any] = json.loads(self.to_json())
        return document

    def to_json(self) -> str:
        """The plan as ``elfving round --out`` writes it; ``elfving estimate`` reads it."""
        return self._native.document(self._shuffle)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._native.words()})"

    def _repr_html_(self) -> str:
        ids = self.design.pool.ids
        rows = sorted(np.flatnonzero(self.counts), key=lambda row: (-int(self.counts[row]), row))
        body = "".join(f"<tr><td>{escape(ids[row])}</td><td>{self.counts[row]}</td></tr>" for row in rows[:20])
        more = f"<tr><td colspan=2>and {len(rows) - 20} more</td></tr>" if len(rows) > 20 else ""
        return (
            f"<table><caption>{escape(self._native.words())}</caption>"
            f"<thead><tr><th>candidate</th><th>count</th></tr></thead><tbody>{body}{more}</tbody></table>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.design, self._native.state(), self._shuffle)


def _restored(kind: type[_Plan], design: Design, state: str, shuffle: int | None) -> _Plan:
    return kind(_native.Plan.restored(design._native, state), shuffle)


class Allocation(_Plan):
    """Deterministic counts, for least squares. Made by :func:`elfving.round`."""


class Draws(_Plan):
    """An independent sample from a design, for IPS and RIPS. Made by :func:`elfving.draw`."""

    @property
    def probabilities(self) -> FloatArray:
        """The exact probability of each candidate, zeros included."""
        return self._native.probabilities()


@renamed(random_state="seed=", done="measured=")
def round(
    design: Design,
    budget: int,
    *,
    method: str = "best",
    polish: bool = False,
    minimum: int | Mapping[Any, int] | None = None,
    maximum: int | Mapping[Any, int] | None = None,
    force: Any = (),
    measured: Mapping[Any, int] | None = None,
    shuffle: bool = False,
    seed: Any = 0,
) -> Allocation:
    """Whole measurements close to a design.

    Parameters
    ----------
    design : Design
        The weights.
    budget : int
        Measurements to make.
    method : str
        ``ceiling``, ``apportion``, ``caratheodory``, ``regret``, ``ptr``, ``greedy``, ``exchange``, ``best`` or ``exact``.
    polish : bool
        Improve the plan by exchanges until none helps.
    minimum, maximum : int or mapping, optional
        How often each candidate is measured at least and at most: one number for all, or by id or row.
    force : ids or rows
        Candidates to measure at least once.
    measured : mapping, optional
        Measurements already made, by id or row: part of the value, not of the counts.
    shuffle : bool
        Put the measurements in random order.
    seed : int, NumPy generator or None
        The seed of that order, and of the searches of ``exact``.

    Examples
    --------
    >>> import numpy as np, elfving
    >>> x = np.linspace(0, 1, 11)
    >>> line = elfving.design(np.column_stack([np.ones(11), x]))
    >>> elfving.round(line, 20).counts
    array([10,  0,  0,  0,  0,  0,  0,  0,  0,  0, 10])
    """
    if method == "sample":
        raise OptionError("method 'sample' is elfving.draw: draws and counts are two kinds of plan")
    budget = _count("budget", budget)
    if shuffle and budget > _MOST_LISTED:
        raise OptionError(f"budget {budget}: at most {_MOST_LISTED} measurements are listed one by one")
    pool = design.pool

    def listed(limits: Mapping[Any, int], what: str) -> list[tuple[int, int]]:
        return [(pool.rows([name])[0], _count(what, count, least=0)) for name, count in limits.items()]

    least: dict[int, int] = {}
    if isinstance(minimum, Mapping):
        least.update(listed(minimum, "minimum"))
    elif minimum is not None:
        least.update(dict.fromkeys(range(len(pool)), _count("minimum", minimum, least=0)))
    for row in pool.rows(force):
        least[row] = max(1, least.get(row, 0))
    limits = {
        "minimum": sorted(least.items()),
        "maximum": listed(maximum, "maximum") if isinstance(maximum, Mapping) else [],
        "maximum_each": None if maximum is None or isinstance(maximum, Mapping) else _count("maximum", maximum, least=0),
        "done": [] if measured is None else listed(measured, "measured"),
    }
    number = seed_of(seed)
    native = _native.round(design._native, budget, method, polish, json.dumps(limits), number)
    return Allocation(native, number if shuffle else None)


def exact_design(
    pool: Any,
    runs: int,
    criterion: str = "d",
    *,
    targets: Any = None,
    direction: Any = None,
    gamma: float = 0.0,
    minimum: int | Mapping[Any, int] | None = None,
    maximum: int | Mapping[Any, int] | None = None,
    force: Any = (),
    measured: Mapping[Any, int] | None = None,
    shuffle: bool = False,
    seed: Any = 0,
) -> Allocation:
    """The best plan of a number of runs that many searches find, and how far it can be from the best one.

    What :func:`elfving.design` and :func:`elfving.round` with ``method="exact"`` do together; their pages say what the options mean.

    Examples
    --------
    >>> import elfving
    >>> grid = elfving.factors({"a": (-1, 1, 1), "b": (-1, 1, 1)})
    >>> plan = elfving.exact_design(elfving.Pool(grid, id="id", model="~ a*b"), 4)
    >>> plan.order_ids, f"{plan.efficiency_bound:.3f}"
    (['c1', 'c3', 'c7', 'c9'], '1.000')
    """
    continuous = design(pool, criterion, targets=targets, direction=direction, gamma=gamma)
    limits = {"minimum": minimum, "maximum": maximum, "force": force, "measured": measured}
    return round(continuous, runs, method="exact", shuffle=shuffle, seed=seed, **limits)


@renamed(random_state="seed=")
def draw(design: Design, size: int, *, seed: Any = 0) -> Draws:
    """Independent draws from a design: what the estimators for heavy tails need.

    The weights are rounded to integers that sum to 2^32 first, so that the same seed gives the same draws on every machine.

    >>> import numpy as np, elfving
    >>> draws = elfving.draw(elfving.design(np.eye(3)), 1000, seed=1)
    >>> draws.total, len(draws.order)
    (1000, 1000)
    """
    size = _count("size", size)
    if size > _MOST_LISTED:
        raise OptionError(f"size {size}: at most {_MOST_LISTED} measurements are listed one by one")
    return Draws(_native.draw(design._native, size, seed_of(seed)))


def _count(what: str, value: Any, least: int = 1) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < least:
        raise OptionError(f"{what} must be a whole number >= {least}, got {value!r}")
    return int(value)

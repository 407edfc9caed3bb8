"""Weights on a pool, with the proof of how good they are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import _native
from ._arrays import vector
from ._frames import is_frame
from ._html import escape
from ._numpy import np
from ._pool import Pool, as_pool
from ._progress import ProgressOption, Watcher
from ._renamed import renamed
from .exceptions import OptionError

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._arrays import FloatArray

__all__ = ["Certificate", "Design", "Efficiency", "design"]


@dataclass(frozen=True)
class Certificate:
    """A value, a bound on the optimum from the other side, and what stands behind them."""

    value: float
    """The criterion at the design."""
    bound: float
    """The optimum is at least this; for criterion d, at most."""
    relative_gap: float
    """``value / bound - 1``; for criterion d ``exp((bound - value) / p) - 1`` with p coefficients."""
    checked_by: str
    """``features``, or ``exact-kernel`` where what the features leave out is counted too."""


@dataclass(frozen=True)
class Efficiency:
    """What a design is worth for one criterion: 1 is optimal, 1/2 needs twice the measurements."""

    criterion: str
    value: float
    at_least: float
    at_most: float
    relative_to_uniform: float


class Design:
    """Weights on a pool, summing to one, with certificate and status. Made by :func:`elfving.design`."""

    def __init__(self, native: _native.Design) -> None:
        self._native = native

    @cached_property
    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self._native.document())
        return document

    @property
    def pool(self) -> Pool:
        """The pool it is for."""
        return Pool._of(self._native.pool)

    @property
    def criterion(self) -> str:
        """What was optimised: g, xy, d, a, v or c."""
        return str(self._document["criterion"])

    @property
    def gamma(self) -> float:
        """The ridge."""
        return float(self._document["gamma"])

    @property
    def n(self) -> int:
        """Candidates of the pool."""
        return int(self._document["n"])

    @property
    def dimension(self) -> int:
        """Features in which it was computed."""
        return int(self._document["dimension"])

    @cached_property
    def weights(self) -> FloatArray:
        """The weight of each candidate, zeros included."""
        weights = self._native.weights()
        weights.flags.writeable = False
        return weights

    @cached_property
    def support(self) -> npt.NDArray[np.int64]:
        """The rows of positive weight, in the order of the pool."""
        return self._native.support()[0]

    @property
    def support_ids(self) -> list[str]:
        """What these candidates are called."""
        return [str(share["id"]) for share in self._document["support"]]

    @property
    def value(self) -> float:
        """The criterion at the design: g, xy the largest variance, d log det, a the trace, v the mean variance, c the variance."""
        return float(self._document["value"])

    @property
    def lower_bound(self) -> float | None:
        """No design does better than this; ``None`` for criterion d, which has an upper bound."""
        return self._document.get("lower_bound")

    @property
    def upper_bound(self) -> float | None:
        """For criterion d, which is made large."""
        return self._document.get("upper_bound")

    @property
    def relative_gap(self) -> float:
        """``value / bound - 1``; for criterion d ``exp((bound - value) / p) - 1`` with p coefficients."""
        return float(self._document["relative_gap"])

    @property
    def status(self) -> str:
        """``certified``, ``iteration-limit``, ``stopped`` or ``inexact``."""
        return str(self._document["status"])

    @property
    def method(self) -> str:
        """The solver that found it."""
        return str(self._document["method"])

    @property
    def iterations(self) -> int:
        """Iterations of the solver."""
        return int(self._document["iterations"])

    @property
    def seconds(self) -> float:
        """Time of the answer."""
        return float(self._document["seconds"])

    @property
    def tolerance(self) -> float:
        """The relative gap that was asked for."""
        return float(self._document["tolerance"])

    @property
    def certificate(self) -> Certificate:
        """Value, bound and gap as the independent check found them."""
        bound = self.lower_bound if self.lower_bound is not None else self.upper_bound
        assert bound is not None
        return Certificate(self.value, bound, self.relative_gap, str(self._document["checked_by"]))

    def recheck(self) -> Certificate:
        """Value and bound computed again from the pool and the weights alone, without the solver."""
        value, bound, gap = self._native.recheck()
        return Certificate(value, bound, gap, str(self._document["checked_by"]))

    def variance(self) -> FloatArray:
        """The variance function: of the prediction at each candidate, for noise of variance one and one measurement."""
        return self._native.variance()

    @cached_property
    def _diagnostics(self) -> dict[str, Any]:
        diagnostics: dict[str, Any] = json.loads(self._native.diagnostics())
        return diagnostics

    def efficiencies(self) -> dict[str, Efficiency]:
        """What the design is worth for d, a, g and v, each an interval that holds it for certain.

        The cost is that of four designs.
        """
        listed = self._diagnostics["efficiencies"]
        return {entry["criterion"]: Efficiency(**entry) for entry in listed}

    def leverage(self) -> FloatArray:
        """``weights * variance()``; without a ridge they sum to the rank."""
        return np.asarray(self._diagnostics["leverage"], dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """The design with the names of ``elfving design --json``."""
        document: dict[str, Any] = json.loads(self._native.document())
        return document

    def to_json(self) -> str:
        """The design as ``elfving design --out`` writes it; ``elfving certify`` and ``elfving round`` read it."""
        return self._native.document()

    @classmethod
    def from_json(cls, text: str, pool: Pool) -> Design:
        """A design that :meth:`to_json` or the command line wrote, on its pool.

        Its weights are checked again: numbers in the file that they do not have on this pool are refused with
        :class:`DataError`, a file of a newer version with :class:`VersionError`.
        """
        return cls(_native.Design.of_document(as_pool(pool)._native, text))

    def __repr__(self) -> str:
        gap = f"within {self.relative_gap:.1e} of optimal"
        support = f"{len(self.support)} of {self.n} candidates"
        return f"Design({self.status}: {self.criterion} = {self.value:.6g}, {gap}, {support})"

    def _repr_html_(self) -> str:
        order = np.argsort(-self.weights[self.support], kind="stable")[:10]
        ids = self.support_ids
        rows = "".join(
            f"<tr><td>{escape(ids[k])}</td><td>{self.weights[self.support[k]]:.4f}</td></tr>" for k in order
        )
        more = len(ids) - len(order)
        more_row = f"<tr><td colspan=2>and {more} more</td></tr>" if more > 0 else ""
        return (
            f"<table><caption>{escape(repr(self)[7:-1])}</caption>"
            f"<thead><tr><th>candidate</th><th>weight</th></tr></thead><tbody>{rows}{more_row}</tbody></table>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.pool, self._native.document())


def _restored(pool: Pool, document: str) -> Design:
    return Design(_native.Design.of_document(pool._native, document))


@renamed(warm_start="warm=")
def design(
    pool: Any,
    criterion: str = "g",
    *,
    targets: Any = None,
    direction: Any = None,
    gamma: float = 0.0,
    tolerance: float = 1e-6,
    method: str | None = None,
    max_iterations: int | None = None,
    time_limit: float | None = None,
    warm: Design | Any = None,
    progress: ProgressOption = None,
) -> Design:
    """Which candidates to measure, in which proportions, and how good that is.

    Parameters
    ----------
    pool : Pool, or what makes one
        What can be measured.
    criterion : {"g", "xy", "d", "a", "v", "c"}
        What to make small: the largest variance of a target (g), of a difference of two (xy), the volume of the confidence
        region (d), the sum of the variances of the coefficients (a), the average variance of the targets (v), the variance of
        one target (c).
    targets : ids or rows of choices, or a table, optional
        What is to be known: some of the pool's choices, or the rows of an array or data frame with the same columns; all
        choices unless given. Criterion c takes one.
    direction : array-like, optional
        For criterion c: the combination of coefficients to know, one number for each feature.
    gamma : float
        The ridge.
    tolerance : float
        The relative gap to certify.
    method : str, optional
        ``interior-point``, ``elfving-set``, ``mirror-descent``, ``multiplicative``, ``frank-wolfe`` or ``exchange``; the one
        that suits the problem unless given.
    max_iterations, time_limit : optional
        Stop here; the design so far comes back with its gap and the status.
    warm : Design or weights, optional
        Where to start.
    progress : bool or function, optional
        ``True`` shows a bar of tqdm if it is installed; a function gets a :class:`Progress` now and then, and stops the
        solver by returning ``True``.

    Returns
    -------
    Design
        With its certificate. Look at ``status``: only ``certified`` designs reached the tolerance.

    Raises
    ------
    NotIdentifiable
        A target lies outside what the pool can measure, and gamma is 0.

    Examples
    --------
    A straight line measured at 0, 0.1, ..., 1: half of the measurements at each end.

    >>> import numpy as np, elfving
    >>> x = np.linspace(0, 1, 11)
    >>> line = elfving.design(np.column_stack([np.ones(11), x]), "g")
    >>> line.status, line.support_ids, round(line.value, 6)
    ('certified', ['0', '10'], 2.0)
    """
    pool = as_pool(pool)
    rows: list[int] | None = None
    if targets is not None:
        if direction is not None:
            raise OptionError("targets= and direction= exclude each other")
        if is_frame(targets) or (not isinstance(targets, str) and np.ndim(targets) == 2):
            pool = pool.with_choices(targets)
        else:
            rows = pool.choice_rows(targets)
    with Watcher(progress, tolerance) as watcher:
        native = _native.design(
            pool._native,
            criterion,
            gamma,
            tolerance,
            method,
            max_iterations,
            time_limit,
            rows,
            None if direction is None else vector(direction, "the direction"),
            _warm(warm, len(pool)),
            watcher.callback,
        )
    return Design(native)


def _warm(start: Any, count: int) -> list[tuple[int, float]] | None:
    if start is None:
        return None
    weights = start.weights if isinstance(start, Design) else vector(start, "warm")
    if len(weights) != count:
        raise OptionError(f"warm has {len(weights)} weights for {count} candidates")
    return [(int(row), float(weights[row])) for row in np.flatnonzero(weights)]

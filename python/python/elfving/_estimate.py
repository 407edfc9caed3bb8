"""From a plan and its outcomes to estimates with intervals."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _native
from ._arrays import vector
from ._goals import tails_of
from ._html import escape
from ._numpy import np
from ._pool import Pool
from ._renamed import renamed
from ._rounding import Allocation, Draws
from .exceptions import DataError, OptionError

if TYPE_CHECKING:
    from ._arrays import FloatArray

__all__ = ["Estimates", "RIPS", "estimate"]

_COLUMNS = ("estimate", "lower", "upper", "noise_width", "ridge_width", "misspecification_width")


class Estimates:
    """Estimates of every choice of a pool, with intervals that hold together. Made by :func:`elfving.estimate`."""

    def __init__(self, document: dict[str, Any], columns: dict[str, FloatArray], pool: Pool) -> None:
        self._document = document
        self._columns = columns
        for column in columns.values():
            column.flags.writeable = False
        self.pool = pool
        """The pool whose choices are estimated."""

    @property
    def estimate(self) -> FloatArray:
        """The estimated mean of each choice."""
        return self._columns["estimate"]

    @property
    def lower(self) -> FloatArray:
        """The lower ends."""
        return self._columns["lower"]

    @property
    def upper(self) -> FloatArray:
        """The upper ends."""
        return self._columns["upper"]

    @property
    def noise_width(self) -> FloatArray:
        """The part of the half width that more data makes smaller."""
        return self._columns["noise_width"]

    @property
    def ridge_width(self) -> FloatArray:
        """The bias of the ridge; NaN where no ``norm`` is assumed, and then it is not in the intervals."""
        return self._columns["ridge_width"]

    @property
    def misspecification_width(self) -> FloatArray:
        """What a wrong model adds."""
        return self._columns["misspecification_width"]

    @property
    def estimator(self) -> str:
        """Who estimated."""
        return str(self._document["estimator"])

    @property
    def delta(self) -> float | None:
        """The probability that some interval misses; ``None`` when measurements are missing."""
        return self._document["delta"]  # type: ignore[no-any-return]

    @property
    def guaranteed(self) -> bool:
        """Whether every interval is a theorem under the assumptions."""
        return bool(self._document["guaranteed"])

    @property
    def assumptions(self) -> list[str]:
        """What the intervals rest on, in words."""
        return [str(premise["text"]) for premise in self._document["assumptions"]]

    @property
    def best(self) -> str:
        """The choice with the largest estimate."""
        return self.pool.choice_ids[int(np.argmax(self.estimate))]

    def to_dict(self) -> dict[str, Any]:
        """Everything with the names of ``elfving estimate --json``, one list per column; ``None`` where a width is not known."""
        document: dict[str, Any] = json.loads(json.dumps(self._document))
        columns = {name: [None if np.isnan(value) else value for value in column.tolist()] for name, column in self._columns.items()}
        return {**document, "id": self.pool.choice_ids, **columns}

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict())

    def to_dataframe(self, library: str = "pandas") -> Any:
        """One row a choice: id, estimate, lower, upper."""
        table = {"id": self.pool.choice_ids, "estimate": self.estimate, "lower": self.lower, "upper": self.upper}
        if library == "polars":
            import polars

            return polars.DataFrame(table)
        import pandas

        return pandas.DataFrame(table)

    def __len__(self) -> int:
        return len(self._columns["estimate"])

    def __repr__(self) -> str:
        sure = f"with probability {1 - self.delta:g}" if self.delta is not None else "without a guarantee"
        return f"Estimates({self.estimator}: {len(self)} intervals {sure}, best {self.best})"

    def _repr_html_(self) -> str:
        order = np.argsort(-self.estimate, kind="stable")[:20]
        ids, estimate, lower, upper = self.pool.choice_ids, self.estimate, self.lower, self.upper
        body = "".join(
            f"<tr><td>{escape(ids[k])}</td><td>{estimate[k]:.4g}</td><td>{lower[k]:.4g}</td><td>{upper[k]:.4g}</td></tr>"
            for k in order
        )
        head = "<tr><th>choice</th><th>estimate</th><th>lower</th><th>upper</th></tr>"
        return f"<table><caption>{escape(repr(self))}</caption><thead>{head}</thead><tbody>{body}</tbody></table>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Estimates, (self._document, self._columns, self.pool)


@renamed(sub_gaussian='noise="sub-gaussian"')
def estimate(
    plan: Allocation | Draws,
    outcomes: Any,
    *,
    sigma: Any,
    bound: float | None = None,
    norm: float | None = None,
    misspecification: float = 0.0,
    noise: str = "bounded-variance",
    delta: float = 0.05,
    estimator: str = "auto",
    mean: str = "catoni",
    no_guarantee: bool = False,
) -> Estimates:
    """Estimates of every choice, with intervals that hold together with probability ``1 - delta``.

    Parameters
    ----------
    plan : Allocation or Draws
        What was measured.
    outcomes : array-like or mapping
        One number for each measurement in the order of ``plan.order``, NaN where there is none; or a mapping from id or row to
        the list of its outcomes.
    sigma : float or array-like
        Bound on the standard deviation of the noise: one number, or one for each candidate.
    bound : float, optional
        Bound on the mean outcomes in absolute value; needed by rips and ips.
    norm : float, optional
        Bound on the norm of theta; without it the bias of a ridge is not in the widths.
    misspecification : float
        How far the means may be from the model.
    noise : {"bounded-variance", "sub-gaussian"}
        The assumed tails; light ones (normal, bounded) give narrower intervals for least squares, ridge and ips.
    estimator : {"auto", "least-squares", "ridge", "ips", "rips", "min-max"}
        Of draws ``auto`` is rips, of counts ridge.
    mean : {"catoni", "soft-truncated", "truncated", "median-of-means", "trimmed"}
        Which robust mean RIPS takes.
    no_guarantee : bool
        Go on with outcomes missing.

    Examples
    --------
    >>> import numpy as np, elfving
    >>> plan = elfving.round(elfving.design(np.eye(2)), 40)
    >>> outcomes = np.where(plan.order == 0, 1.0, 2.0)
    >>> found = elfving.estimate(plan, outcomes, sigma=0.1, noise="sub-gaussian")
    >>> found.estimate.round(6), bool((found.lower < [1, 2]).all() and (found.upper > [1, 2]).all())
    (array([1., 2.]), True)
    """
    if not isinstance(plan, (Allocation, Draws)):
        raise OptionError("a plan is what elfving.round or elfving.draw made")
    rows, told = _matched(plan, outcomes)
    sigmas = None if np.ndim(sigma) == 0 else vector(sigma, "sigma")
    options = {"bound": bound, "norm": norm, "misspecification": misspecification, "delta": delta}
    for name, number in options.items():
        if number is not None and not np.isfinite(number):
            raise OptionError(f"{name} must be a finite number, got {number}")
    level = 0.0 if sigmas is not None else float(sigma)
    if not (level >= 0 and np.isfinite(level)):
        raise OptionError(f"sigma must be a finite number >= 0, got {level}")
    assumptions = {
        "sigma": level,
        "bound": bound,
        "norm": norm,
        "misspecification": misspecification,
        "tails": tails_of(noise),
    }
    text, columns = _native.estimate(
        plan._native, rows, told, estimator, mean, json.dumps(assumptions), sigmas, delta, no_guarantee
    )
    # The rows are the columns.
    document = {name: value for name, value in json.loads(text).items() if name != "estimates"}
    return Estimates(document, dict(zip(_COLUMNS, columns, strict=True)), plan.design.pool)


def _matched(plan: Allocation | Draws, outcomes: Any) -> tuple[list[int], list[float | None]]:
    rows = [int(row) for row in plan.order]
    if isinstance(outcomes, Mapping):
        left = {plan.design.pool.rows([name])[0]: list(np.ravel(told)) for name, told in outcomes.items()}
        told: list[float | None] = []
        for row in rows:
            values = left.get(row)
            told.append(float(values.pop(0)) if values else None)
        for row, values in left.items():
            if values:
                name = plan.design.pool.ids[row]
                raise DataError(f"candidate {name!r} has {len(values)} outcomes more than the plan asks for")
        listed = told
    else:
        given = vector(outcomes, "the outcomes")
        if len(given) != len(rows):
            raise DataError(f"{len(rows)} measurements were planned, but {len(given)} outcomes are given")
        listed = [None if np.isnan(value) else float(value) for value in given]
    for index, value in enumerate(listed):
        if value is not None and not np.isfinite(value):
            raise DataError(f"outcome {index} is {value}; every outcome must be a finite number")
    return rows, listed


class RIPS:
    """The paper's estimator in the habit of scikit-learn: robust means of weighted outcomes, whatever the tails.

    Parameters are those of :func:`elfving.estimate`.

    Examples
    --------
    >>> import numpy as np, elfving
    >>> draws = elfving.draw(elfving.design(np.eye(2)), 400, seed=1)
    >>> outcomes = np.where(draws.order == 0, 1.0, 2.0)
    >>> model = RIPS(sigma=0.1, bound=2.5).fit(draws, outcomes)
    >>> model.estimates_.best
    '1'
    """

    def __init__(
        self,
        *,
        sigma: Any = 1.0,
        bound: float | None = None,
        norm: float | None = None,
        misspecification: float = 0.0,
        delta: float = 0.05,
        mean: str = "catoni",
        estimator: str = "rips",
    ) -> None:
        self.sigma = sigma
        self.bound = bound
        self.norm = norm
        self.misspecification = misspecification
        self.delta = delta
        self.mean = mean
        self.estimator = estimator

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        names = ("sigma", "bound", "norm", "misspecification", "delta", "mean", "estimator")
        return {name: getattr(self, name) for name in names}

    def set_params(self, **parameters: Any) -> RIPS:
        """Changes parameters by name."""
        for name, value in parameters.items():
            if name not in self.get_params():
                raise OptionError(f"RIPS has no parameter {name!r}; it has {', '.join(self.get_params())}")
            setattr(self, name, value)
        return self

    def fit(self, draws: Draws, outcomes: Any) -> RIPS:
        """Estimates every choice of the pool."""
        self.estimates_ = estimate(draws, outcomes, **self.get_params())
        return self

    def predict(self, choices: Any = None) -> FloatArray:
        """The estimated means of choices, by id or row; of all of them unless given."""
        means: FloatArray = self._fitted().estimate[self._rows(choices)]
        return means

    def intervals(self, choices: Any = None) -> FloatArray:
        """Their lower and upper ends, one row each."""
        found = self._fitted()
        ends: FloatArray = np.column_stack([found.lower, found.upper])[self._rows(choices)]
        return ends

    def _fitted(self) -> Estimates:
        if not hasattr(self, "estimates_"):
            raise OptionError("call fit first")
        return self.estimates_

    def _rows(self, choices: Any) -> Any:
        return slice(None) if choices is None else self._fitted().pool.choice_rows(choices)

    def __repr__(self) -> str:
        return f"RIPS({', '.join(f'{name}={value!r}' for name, value in self.get_params().items())})"

"""Kernels: how alike two candidates are.

A kernel is a light description; :class:`elfving.Pool` makes it real. Kernels add and multiply:

>>> from elfving import kernels
>>> kernels.rbf(0.5) + 2.0 * kernels.linear()
kernels.rbf(lengthscale=0.5) + 2.0 * kernels.linear()

A lengthscale is one number, one for each feature, or ``None``: the median distance between the candidates.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._numpy import np
from .exceptions import OptionError

__all__ = [
    "Gram",
    "Kernel",
    "gram",
    "linear",
    "matern12",
    "matern32",
    "matern52",
    "periodic",
    "polynomial",
    "rational_quadratic",
    "rbf",
    "smooth",
]

Lengthscale = float | Sequence[float] | None


@dataclass(frozen=True)
class Kernel:
    """A kernel by name and parameters; made by the functions of this module."""

    _json: str

    @classmethod
    def from_dict(cls, description: dict[str, Any]) -> Kernel:
        """The kernel that :meth:`to_dict` describes."""
        return cls(json.dumps(description, sort_keys=True))

    def to_dict(self) -> dict[str, Any]:
        """The description that design files and campaigns keep."""
        description: dict[str, Any] = json.loads(self._json)
        return description

    def __add__(self, other: object) -> Kernel:
        if not isinstance(other, Kernel):
            return NotImplemented
        return Kernel.from_dict({"kernel": "sum", "terms": [self.to_dict(), other.to_dict()]})

    def __mul__(self, other: object) -> Kernel:
        if isinstance(other, Kernel):
            return Kernel.from_dict({"kernel": "product", "factors": [self.to_dict(), other.to_dict()]})
        if isinstance(other, (int, float)) and not isinstance(other, bool):
            return Kernel.from_dict({"kernel": "scaled", "scale": float(other), "of": self.to_dict()})
        return NotImplemented

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return _words(self.to_dict())


def _words(description: dict[str, Any]) -> str:
    match description:
        case {"kernel": "sum", "terms": terms}:
            return " + ".join(map(_words, terms))
        case {"kernel": "product", "factors": factors}:
            return " * ".join(f"({_words(factor)})" if " + " in _words(factor) else _words(factor) for factor in factors)
        case {"kernel": "scaled", "scale": scale, "of": of}:
            return f"{scale} * ({_words(of)})" if " " in _words(of) and " + " in _words(of) else f"{scale} * {_words(of)}"
    name = description["kernel"].replace("-", "_")
    parameters = ", ".join(f"{key}={value}" for key, value in description.items() if key != "kernel")
    return f"kernels.{name}({parameters})"


@dataclass(frozen=True, eq=False)
class Gram:
    """A kernel given by its matrix; see :func:`gram`."""

    matrix: Any
    measurable: int | None = None


def _with_lengthscale(name: str, lengthscale: Lengthscale, **parameters: float) -> Kernel:
    value: Any
    if lengthscale is None:
        value = None
    elif np.ndim(lengthscale) == 0:
        value = float(lengthscale)  # type: ignore[arg-type]
    else:
        value = [float(entry) for entry in lengthscale]  # type: ignore[union-attr]
    for entry in [value] if np.ndim(value) == 0 else value:
        if entry is not None and not (entry > 0 and np.isfinite(entry)):
            raise OptionError(f"a length scale must be a finite number > 0, got {entry}")
    return Kernel.from_dict({"kernel": name, "lengthscale": value, **parameters})


def linear() -> Kernel:
    """k(x, y) = x . y: the features as they are."""
    return Kernel.from_dict({"kernel": "linear"})


def smooth() -> Kernel:
    """The constant 100 plus 4 times a Matern 5/2 kernel, with length scales chosen from the candidates.

    A certified :class:`elfving.Campaign` takes it where no model is named.
    """
    return Kernel.from_dict({"kernel": "smooth"})


def rbf(lengthscale: Lengthscale = None) -> Kernel:
    """k(x, y) = exp(-|x - y|^2 / (2 l^2)): smooth.

    >>> rbf(0.025)
    kernels.rbf(lengthscale=0.025)
    """
    return _with_lengthscale("rbf", lengthscale)


def matern12(lengthscale: Lengthscale = None) -> Kernel:
    """The Matern kernel with nu = 1/2: rough."""
    return _with_lengthscale("matern12", lengthscale)


def matern32(lengthscale: Lengthscale = None) -> Kernel:
    """The Matern kernel with nu = 3/2: once differentiable."""
    return _with_lengthscale("matern32", lengthscale)


def matern52(lengthscale: Lengthscale = None) -> Kernel:
    """The Matern kernel with nu = 5/2: twice differentiable."""
    return _with_lengthscale("matern52", lengthscale)


def rational_quadratic(lengthscale: Lengthscale = None, alpha: float = 1.0) -> Kernel:
    """A mixture of RBF kernels of all lengthscales, with the mixture parameter ``alpha``."""
    return _with_lengthscale("rational-quadratic", lengthscale, alpha=float(alpha))


def periodic(period: float, lengthscale: Lengthscale = None) -> Kernel:
    """Repeats with ``period``, in the unit of the features; the lengthscale (default 1) is relative to it."""
    return _with_lengthscale("periodic", 1.0 if lengthscale is None else lengthscale, period=float(period))


def polynomial(degree: int = 2, offset: float = 1.0) -> Kernel:
    """k(x, y) = (x . y + offset)^degree."""
    return Kernel.from_dict({"kernel": "polynomial", "degree": int(degree), "offset": float(offset)})


def gram(matrix: Any, measurable: int | None = None) -> Gram:
    """A precomputed kernel matrix, to be given to :class:`elfving.Pool` in place of a table.

    Parameters
    ----------
    matrix : array-like, N x N
        Symmetric and positive semidefinite: a row and a column for each candidate, then for each choice.
    measurable : int, optional
        How many of the rows are candidates; all of them unless given.

    >>> import numpy as np, elfving
    >>> len(elfving.Pool(gram(np.eye(3))))
    3
    """
    return Gram(matrix, measurable)

"""Candidates from factors: levels, ranges, mixtures."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from . import _native
from ._files import write
from ._numpy import np
from ._seeds import seed_of
from .exceptions import OptionError

__all__ = ["Candidates", "factors"]


class Candidates(dict[str, Any]):
    """A table of candidates by its columns. Made by :func:`elfving.factors`.

    It is a dictionary of names to columns, so that ``pandas.DataFrame(candidates)`` and ``polars.DataFrame(candidates)`` work;
    :class:`elfving.Pool`, :func:`elfving.design` and :class:`elfving.Campaign` take it as it is.
    """

    @property
    def columns(self) -> list[str]:
        """The names of the columns, ids first."""
        return list(self)

    @property
    def shape(self) -> tuple[int, int]:
        """Candidates and columns."""
        return len(next(iter(self.values()))), len(self)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes the table to a .csv file, for the program and for spreadsheets."""
        columns = [(name, column) for name, column in self.items()]
        write(path, _native.csv_of_columns(os.path.basename(os.fspath(path)), columns))

    def __reduce__(self) -> tuple[Any, ...]:
        return Candidates, (dict(self),)

    def __repr__(self) -> str:
        return f"Candidates({self.shape[0]} rows: {', '.join(self.columns)})"


def factors(
    factors: Mapping[str, Any] | None = None,
    *,
    mixture: Mapping[Sequence[str], float] | None = None,
    where: str | Sequence[str] = (),
    levels: int = 3,
    fraction: int | None = None,
    sample: int | None = None,
    method: Literal["sobol", "maximin"] = "sobol",
    seed: Any = 0,
    id: str = "id",
) -> Candidates:
    """Every allowed combination of factors, a regular fraction of them, or a sample that fills them evenly.

    Parameters
    ----------
    factors : mapping of name to levels
        A tuple ``(low, high)`` or ``(low, high, step)`` is a range; a list is its levels, numbers or categories.
    mixture : mapping of names to a step, optional
        ``{("A", "B", "C"): 0.05}``: columns that sum to 1, in steps of 0.05.
    where : str or list of str
        Conditions that rows meet: ``"A + B <= 0.6"``.
    levels : int
        Levels of a range without a step.
    fraction : int, optional
        4 takes one in 4: factors with 2 levels each, powers of 2; with 3 levels each, powers of 3.
    sample : int, optional
        So many combinations, spread evenly by ``method``: ``"sobol"``, or ``"maximin"`` with each row as far as possible from the others.
    seed : int, NumPy generator or None
        Of a sample.
    id : str
        The name of the column of ids.

    Examples
    --------
    >>> import elfving
    >>> runs = elfving.factors({"temp": (20, 100, 40), "base": ["K2CO3", "KOAc"]}, where="temp < 100 or base = 'KOAc'")
    >>> runs
    Candidates(5 rows: id, temp, base)
    >>> runs["temp"]
    array([ 20.,  20.,  60.,  60., 100.])
    """
    if fraction is not None and sample is not None:
        raise OptionError("give fraction= or sample=, not both")
    selection: Any = None
    if fraction is not None:
        selection = fraction
    elif sample is not None:
        selection = (sample, method, seed_of(seed))
    parts = [([str(name) for name in names], float(step)) for names, step in (mixture or {}).items()]
    conditions = [where] if isinstance(where, str) else list(where)
    given = [(str(name), _levels(str(name), value)) for name, value in (factors or {}).items()]
    return Candidates(dict(_native.factors(given, parts, conditions, levels, selection, id)))


def _levels(name: str, value: Any) -> Any:
    """A range as three numbers, numbers as an array, everything else as text."""
    if isinstance(value, tuple):
        if len(value) not in (2, 3) or not all(isinstance(end, (int, float, np.number)) for end in value):
            raise OptionError(f"{name}: a tuple is a range, (low, high) or (low, high, step); give levels as a list")
        low, high, *step = (float(end) for end in value)
        return low, high, step[0] if step else None
    if isinstance(value, str):
        raise OptionError(f"{name}: give the levels as a list, such as [{value!r}]")
    levels = list(value)
    if levels and all(isinstance(level, (int, float, np.number)) and not isinstance(level, bool) for level in levels):
        return np.array(levels, dtype=np.float64)
    return [str(level) for level in levels]

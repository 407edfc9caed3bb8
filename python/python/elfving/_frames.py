"""Data frames by what they can do: pandas and polars are neither needed nor imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._numpy import np
from .exceptions import DataError

if TYPE_CHECKING:
    from ._arrays import FloatArray

Columns = list[tuple[str, "FloatArray | list[str]"]]


def is_frame(value: Any) -> bool:
    """Whether it has named columns and can be indexed by them."""
    return hasattr(value, "columns") and hasattr(value, "__getitem__") and hasattr(value, "shape")


def columns_of(frame: Any, texts: tuple[str, ...] = ()) -> Columns:
    """The columns by name: numbers as float64, everything else as the text it shows. Those in ``texts`` stay text."""
    names = [str(name) for name in frame.columns]
    return [(name, _column(frame[key], name in texts)) for name, key in zip(names, frame.columns, strict=True)]


def _column(series: Any, as_text: bool) -> FloatArray | list[str]:
    values = series.to_numpy() if hasattr(series, "to_numpy") else np.asarray(series)
    if values.ndim != 1:
        raise DataError("two columns of the data frame have the same name")
    if not as_text and values.dtype.kind in "iuf":
        return np.ascontiguousarray(values, dtype=np.float64)
    if not as_text and values.dtype.kind == "O" and _is_numeric(series):
        # A column of numbers with gaps: each gap is named when it is refused.
        return np.array([np.nan if _is_missing(value) else float(value) for value in values])
    return [_text(value) for value in values]


def _is_numeric(series: Any) -> bool:
    """Whether the frame itself calls the column numeric, as pandas does for its nullable numbers."""
    dtype = getattr(series, "dtype", None)
    is_numeric = getattr(dtype, "_is_numeric", None)
    is_boolean = getattr(dtype, "_is_boolean", False)
    return bool(is_numeric) and not is_boolean


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def _text(value: Any) -> str:
    if _is_missing(value):
        return ""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)

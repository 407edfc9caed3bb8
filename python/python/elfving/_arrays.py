"""Array-likes in: one conversion, correct for every layout, and nothing guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._numpy import np
from .exceptions import DataError

if TYPE_CHECKING:
    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float64]
else:

    def __getattr__(name: str) -> Any:
        if name == "FloatArray":
            return np.ndarray
        raise AttributeError(name)


def numbers(values: Any, what: str, dimensions: int) -> FloatArray:
    """The values as C-contiguous float64; an array that already is one is not copied."""
    if isinstance(values, np.ma.MaskedArray) and np.any(np.ma.getmaskarray(values)):
        raise DataError(f"{what} has masked entries: every entry must be a finite number")
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise DataError(_not_numbers(array, what))
    if array.ndim != dimensions:
        raise DataError(_other_shape(array, what, dimensions))
    return np.ascontiguousarray(array, dtype=np.float64)


def matrix(values: Any, what: str) -> FloatArray:
    """A table of numbers: rows and columns."""
    return numbers(values, what, 2)


def vector(values: Any, what: str) -> FloatArray:
    """A list of numbers."""
    return numbers(values, what, 1)


def _other_shape(array: npt.NDArray[Any], what: str, dimensions: int) -> str:
    if dimensions == 2 and array.ndim == 1:
        help = "for one feature use values.reshape(-1, 1), for one row values.reshape(1, -1)"
        return f"{what} is a list of {array.size} numbers where a table with rows and columns is needed; {help}"
    wanted = {1: "a list of numbers", 2: "a table with rows and columns"}[dimensions]
    return f"{what} has the shape {array.shape}, and {wanted} is needed"


def _not_numbers(array: npt.NDArray[Any], what: str) -> str:
    if array.dtype.kind == "b":
        return f"{what} holds truth values; write them as the numbers 0 and 1 if that is what they mean"
    if array.dtype.kind == "c":
        return f"{what} holds complex numbers; every entry must be a real number"
    for index in np.ndindex(array.shape):
        entry = array[index]
        if isinstance(entry, (bool, np.bool_)) or not isinstance(entry, (int, float, np.integer, np.floating)):
            place = ", ".join(f"{axis} {at}" for axis, at in zip(("row", "column"), index, strict=False))
            shown = entry.item() if isinstance(entry, np.generic) else entry
            return f"{what}: {place}: {shown!r} is not a number"
    return f"{what} holds Python objects (dtype {array.dtype}); convert it with astype(float)"

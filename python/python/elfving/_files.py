"""Files in and out of a campaign."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from . import _native
from ._frames import Columns, columns_of, is_frame
from ._numpy import np
from ._outcomes import outcome_of
from .exceptions import DataError, DurabilityError, MissingFileError, OptionError


def file_of(source: Any, name: str, texts: tuple[str, ...], blanks: bool = False) -> tuple[str, bytes]:
    """A file by name and content: read from disk, or written from a data frame."""
    if is_frame(source):
        columns = columns_of(source, texts)
        if blanks:
            columns = _with_blanks(columns)
        return name, _native.csv_of_columns(name, columns)
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        try:
            with open(path, "rb") as file:
                return (path if blanks else os.path.basename(path)), file.read()
        except FileNotFoundError as error:
            raise MissingFileError(f"{path}: cannot be read: {error.strerror}") from None
        except OSError as error:
            raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    raise DataError(f"give a path or a data frame, not a {type(source).__name__}")


def write(
    path: str | os.PathLike[str], content: bytes, inputs: Sequence[str | os.PathLike[str]] = ()
) -> None:
    """Writes a file whole or not at all, or says in our words why not.

    An input, a campaign or a file of another kind is not replaced.
    """
    _native.check_file(path, list(inputs))
    folder = os.path.dirname(os.fspath(path)) or "."
    try:
        handle, unfinished = tempfile.mkstemp(dir=folder, prefix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(unfinished, 0o644)
            os.replace(unfinished, path)
        except BaseException:
            os.unlink(unfinished)
            raise
    except OSError as error:
        raise DurabilityError(f"{os.fspath(path)}: cannot be written: {error.strerror}") from None


def _with_blanks(columns: Columns) -> Columns:
    """NaN is how a data frame says that a cell is empty."""
    blank: Columns = []
    for name, cells in columns:
        if isinstance(cells, np.ndarray) and np.isnan(cells).any():
            cells = ["" if np.isnan(cell) else repr(float(cell)) for cell in cells]
        blank.append((name, cells))
    return blank


def earlier_measurements(measured: Any, outcome: str, id: str | None) -> tuple[str, bytes] | None:
    """Measurements made before a campaign, as a file."""
    if measured is None:
        return None
    column = "row" if id is None else id
    if isinstance(measured, Mapping):
        lines: Columns = [(column, []), (outcome, [])]
        for name, told in measured.items():
            kind, numbers = outcome_of(str(name), told)
            if kind == "error":
                raise DataError(f"{name}: bring measurements with standard errors in with Campaign.bring_in")
            for number in numbers:
                lines[0][1].append(str(name))  # type: ignore[union-attr]
                lines[1][1].append(repr(number))  # type: ignore[union-attr]
        return "measured.csv", _native.csv_of_columns("measured.csv", lines)
    return file_of(measured, "measured.csv", (column,), blanks=True)


def results_options(
    decimal: str | None,
    marker: Mapping[str, float | str | None] | None,
    error_column: str | None,
    repeats: Sequence[str],
    repeated_slots: bool,
) -> str:
    """How files of results are written, as the library spells it."""
    listed: list[dict[str, Any]] = []
    for text, means in (marker or {}).items():
        if means is None:
            continue  # A missing value is a word of features; in outcomes it is an empty cell.
        if means == "failed":
            listed.append({"text": text, "means": "failed"})
        elif isinstance(means, (int, float)) and np.isfinite(means):
            listed.append({"text": text, "means": {"number": float(means)}})
        else:
            raise OptionError(f"marker: {text!r} means a number or 'failed', not {means!r}")
    if decimal not in (None, ".", ","):
        raise OptionError(f"the decimal mark is '.' or ',', not {decimal!r}")
    return json.dumps(
        {
            "decimal": {None: None, ".": "Point", ",": "Comma"}[decimal],
            "markers": listed,
            "error_column": error_column,
            "repeats": list(repeats),
            "repeated_slots": repeated_slots,
        }
    )

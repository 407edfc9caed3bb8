"""What a campaign asks for: slots, and the sheet of a batch."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from ._files import write
from ._html import escape

if TYPE_CHECKING:
    import os

__all__ = ["Batch", "Slot"]


@dataclass(frozen=True)
class Slot:
    """One measurement to make."""

    slot: str
    """Its name: with it the outcome comes back."""
    id: str
    """The candidate."""
    why: str
    """Why it is in the batch."""
    kind: str = "design"
    """The same in one word: ``promising``, ``unknown``, ``replicate``, ``compare``, ``start``, ``forced``,
    ``control`` or ``design``."""
    well: str | None = None
    """Its well, where the campaign has plates."""
    worker: str | None = None
    """Who has it."""
    failed_before: bool = False
    """Whether an attempt failed."""
    columns: Mapping[str, Any] = field(default_factory=dict)
    """What the pool's table says of the candidate."""


class Batch(Sequence[Slot]):
    """The measurements to make now, in run order; empty when the campaign has stopped."""

    def __init__(self, document: dict[str, Any], sheet: bytes, plate_map: str | None = None) -> None:
        self._document = document
        self._sheet = sheet
        self._plate_map = plate_map
        self._slots = [Slot(**{**row, "columns": dict(row["columns"])}) for row in document["rows"]]

    @property
    def round(self) -> int:
        """The round they belong to; 0 for what was forced."""
        return int(self._document["round"])

    @property
    def again(self) -> bool:
        """Whether they were handed out before: an open batch is shown again, never redrawn."""
        return bool(self._document["again"])

    @property
    def later(self) -> int:
        """Measurements of the round that are not handed out yet."""
        return int(self._document["later"])

    @property
    def open_before(self) -> int:
        """Slots that are under way beside these."""
        return int(self._document["open_before"])

    @property
    def outcome(self) -> str:
        """The column that results have."""
        return str(self._document["outcome"])

    @property
    def stopped(self) -> str | None:
        """Why there is nothing to measure."""
        return self._document.get("stopped_words")

    @overload
    def __getitem__(self, index: int) -> Slot: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Slot]: ...
    def __getitem__(self, index: int | slice) -> Slot | Sequence[Slot]:
        return self._slots[index]

    def __len__(self) -> int:
        return len(self._slots)

    def __iter__(self) -> Iterator[Slot]:
        return iter(self._slots)

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The sheet for the lab, as ``elfving ask`` writes it: to a file, or as text without one."""
        if path is None:
            return self._sheet.decode()
        write(path, self._sheet)
        return None

    def plate_map(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The candidate in each well, as CSV in the shape of the plate: to a file, or as text without one. None without plates."""
        if path is None or self._plate_map is None:
            return self._plate_map
        write(path, self._plate_map.encode())
        return None

    def to_dict(self) -> dict[str, Any]:
        """The batch with the names of ``elfving ask --json``."""
        document: dict[str, Any] = json.loads(json.dumps(self._document))
        hidden = (document["id_column"], self.outcome)
        for row in document["rows"]:
            row["columns"] = {name: value for name, value in dict(row["columns"]).items() if name not in hidden}
        return document

    def _table(self) -> dict[str, list[Any]]:
        id_column = self._document["id_column"] or "row"
        names = [name for name in (self._slots[0].columns if self._slots else ()) if name not in (id_column, self.outcome)]
        table: dict[str, list[Any]] = {"slot": [slot.slot for slot in self]}
        if self._plate_map is not None:
            table["well"] = [slot.well for slot in self]
        table[id_column] = [slot.id for slot in self]
        for name in names:
            table[name] = [slot.columns[name] for slot in self]
        table["why"] = [slot.why for slot in self]
        table[self.outcome] = [None] * len(self)
        table["status"] = [None] * len(self)
        return table

    def to_dataframe(self, library: str = "pandas") -> Any:
        """The sheet as a data frame of pandas (or ``library="polars"``): fill in the outcome and tell it."""
        if library == "polars":
            import polars

            return polars.DataFrame(self._table(), strict=False)
        import pandas

        return pandas.DataFrame(self._table())

    def __repr__(self) -> str:
        if self.stopped is not None:
            return f"Batch(nothing to measure: {self.stopped})"
        again = ", open since an earlier batch" if self.again else ""
        many = "1 measurement" if len(self) == 1 else f"{len(self)} measurements"
        return f"Batch({many} of round {self.round}{again})"

    def _repr_html_(self) -> str:
        table = self._table()
        head = "".join(f"<th>{escape(name)}</th>" for name in table)
        cells = zip(*table.values(), strict=True)
        body = "".join(
            "<tr>" + "".join(f"<td>{'' if cell is None else escape(str(cell))}</td>" for cell in row) + "</tr>"
            for row in cells
        )
        return f"<table><caption>{escape(repr(self))}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

"""What a campaign answers: what became of what was told, and where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from ._html import escape

__all__ = ["Columns", "Status", "Told"]


@dataclass(frozen=True)
class Told:
    """What became of what was told: ``read`` is the sum of the counts from ``recorded`` to ``blank``."""

    read: int
    recorded: int
    volunteered: int
    """Measurements that nobody asked for."""
    repeated: int
    corrected: int
    failed: int
    infeasible: int
    """Measurements that cannot be made at all."""
    set_aside: list[str]
    """Candidates that count as infeasible now."""
    blank: int
    outliers: list[dict[str, Any]]
    """Outcomes far from all others."""
    open: int
    """Slots handed out and open after this."""
    closed: list[int]
    """Rounds that were decided."""
    event: int
    """The last event of the campaign now."""
    next_batch: dict[str, Any] | None = None
    """What another batch is expected to change, once every slot is told: as in :meth:`Campaign.status` (calibrated mode)."""


class Columns(Sequence[dict[str, Any]]):
    """The columns of a table as the model sees them: one dict per column, with its ``column``, its ``kind`` and what belongs to it.

    Printed, one line per column; ``names`` lists those that the model sees.
    """

    def __init__(self, columns: list[tuple[dict[str, Any], str]]) -> None:
        self._columns = columns

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        return [column for column, _ in self._columns][index]

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def names(self) -> list[str]:
        """The columns that the model sees."""
        return [column["column"] for column, _ in self._columns if column["kind"] != "ignored"]

    def __repr__(self) -> str:
        width = max((len(column["column"]) for column, _ in self._columns), default=0)
        return "\n".join(f"{column['column']:<{width}}  {words}" for column, words in self._columns)


class Status(Mapping[str, Any]):
    """Where a campaign stands: the fields of ``elfving status --json``, as items and as attributes."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document

    def __getitem__(self, name: str) -> Any:
        return self._document[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __len__(self) -> int:
        return len(self._document)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._document:
            raise AttributeError(f"a status has no {name!r}; it has {', '.join(self._document)}")
        return self._document[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._document]

    def __reduce__(self) -> tuple[Any, ...]:
        return Status, (self._document,)

    def __str__(self) -> str:
        return "\n".join(self._document["statement"])

    def __repr__(self) -> str:
        picks = ", ".join(self._document["picks"])
        return (
            f"Status({self._document['name']}: {self._document['told']} told, {self._document['open']} open, "
            f"{len(self._document['survivors'])} candidates in, pick {picks}, {self._document['guarantee']})"
        )

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{escape(line)}</li>" for line in self._document["statement"])
        return f"<p>{escape(repr(self))}</p><ul>{lines}</ul>"

"""What a campaign answers: what became of what was told, and where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ._html import escape

__all__ = ["Status", "Told"]


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

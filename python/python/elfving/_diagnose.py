"""What must be chosen for a table, and how to choose it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from . import _native
from ._files import earlier_measurements
from ._html import escape
from ._pool import as_pool
from .kernels import Kernel

__all__ = ["Diagnosis", "Finding", "diagnose"]

_BASES: dict[str, Any] = {"Two": 2, "E": "e", "Ten": 10}


@dataclass(frozen=True)
class Finding:
    """One thing to know, and the keywords it asks for."""

    topic: str
    """What it is about."""
    finding: str
    """What was found."""
    options: dict[str, Any] = field(default_factory=dict)
    """The keywords to use, for :class:`Pool`, :func:`design`, :func:`plan` or :class:`Campaign`; empty where there is nothing to do."""

    def __str__(self) -> str:
        use = "".join(f" -> {name}={value!r}" for name, value in self.options.items())
        return f"{self.topic}: {self.finding}{use}"


def _keywords(suggestion: dict[str, Any] | None) -> dict[str, Any]:
    """A suggestion of the library as keyword arguments."""
    match suggestion:
        case None:
            return {}
        case {"use": "one-hot", "columns": columns}:
            return {"one_hot": columns}
        case {"use": "features", "columns": columns}:
            return {"features": columns}
        case {"use": "log", "columns": columns}:
            return {"log": {name: _BASES[base] for name, base in columns}}
        case {"use": "standardize"}:
            return {"standardize": True}
        case {"use": "kernel", "of": kernel}:
            return {"kernel": Kernel.from_dict(kernel)}
        case {"use": "noise", "tails": tails}:
            return {"noise": tails}
        case {"use": name, "value": value}:
            return {str(name): value}
    return {}


class Diagnosis:
    """Everything that was found about a pool, in the order in which it is chosen. Made by :func:`elfving.diagnose`."""

    __slots__ = ("_document",)
    _document: dict[str, Any]

    def __init__(self, document: dict[str, Any]) -> None:
        object.__setattr__(self, "_document", document)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a diagnosis does not change")

    @property
    def n(self) -> int:
        """Candidates of the pool."""
        return int(self._document["n"])

    @property
    def features(self) -> int:
        """Coordinates of the pool."""
        return int(self._document["features"])

    @property
    def findings(self) -> list[Finding]:
        """What there is to know."""
        return [Finding(one["topic"], one["finding"], _keywords(one["suggestion"])) for one in self._document["findings"]]

    @property
    def options(self) -> dict[str, Any]:
        """All keywords together; the last finding about a keyword wins."""
        return {name: value for finding in self.findings for name, value in finding.options.items()}

    def to_dict(self) -> dict[str, Any]:
        """The findings with the names of ``elfving diagnose --json``, suggestions as values."""
        document: dict[str, Any] = json.loads(json.dumps(self._document))
        return document

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Diagnosis) and self._document == other._document

    def __hash__(self) -> int:
        return hash(json.dumps(self._document, sort_keys=True))

    def __str__(self) -> str:
        return "\n".join(str(finding) for finding in self.findings)

    def __repr__(self) -> str:
        asked = ", ".join(self.options)
        return f"Diagnosis({self.n} candidates: {len(self.findings)} findings, use {asked or 'nothing'})"

    def _repr_html_(self) -> str:
        def use(finding: Finding) -> str:
            return ", ".join(f"{name}={value!r}" for name, value in finding.options.items())

        rows = "".join(
            f"<tr><td>{escape(one.topic)}</td><td>{escape(one.finding)}</td><td><code>{escape(use(one))}</code></td></tr>"
            for one in self.findings
        )
        head = "<tr><th>about</th><th>found</th><th>use</th></tr>"
        return f"<table><caption>{escape(repr(self))}</caption><thead>{head}</thead><tbody>{rows}</tbody></table>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Diagnosis, (self._document,)


def diagnose(pool: Any, *, measured: Any = None, outcome: str | None = None, seed: int = 0) -> Diagnosis:
    """What must be chosen for a pool: scales, categories, a kernel, a ridge; from results also noise and bounds.

    What results suggest is an estimate, not a bound: a guarantee holds for the numbers that you state.

    Parameters
    ----------
    pool : Pool, or what makes one
        What can be measured.
    measured : path, data frame, or mapping of id to outcomes, optional
        Measurements made before: the ids (``row`` where the pool has none) and the outcome, several lines for a repeated candidate.
    outcome : str, optional
        The column of the outcome in ``measured``; ``y`` or ``outcome`` unless given.
    seed : int
        Of samples of large tables.

    Examples
    --------
    >>> import polars, elfving
    >>> doses = polars.DataFrame({"id": ["a", "b", "c", "d"], "dose": [1.0, 10.0, 100.0, 1000.0]})
    >>> found = elfving.diagnose(elfving.Pool(doses, id="id"))
    >>> found.options["log"]
    {'dose': 10}
    >>> print(found.findings[0])
    log scale: "dose": positive, over several orders of magnitude -> log={'dose': 10}
    """
    pool = as_pool(pool)
    id = pool._native.id_column
    file = earlier_measurements(measured, "outcome" if outcome is None else outcome, id)
    document = _native.diagnose(pool._native, file, "row" if id is None else id, outcome, seed)
    return Diagnosis(json.loads(document))
